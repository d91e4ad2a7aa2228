/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/rewrite.h - other addresses in an Ethernet frame, its checksums with them.
 *
 * Replaces MAC addresses, IPv4 and IPv6 addresses behind any stack of VLAN tags, and those in ARP. The checksums
 * that cover an address (IPv4 header; TCP and UDP; ICMPv6) change by what the address changes (RFC 1624): a right
 * one stays right, a wrong one wrong. Addresses inside PPPoE, tunnels and neighbour discovery stay. */
#pragma once

#include "base/error.h"

struct capture_rewrite {
    uint8_t from[16], to[16];
    uint8_t bytes; /* of each: 6 (MAC), 4 (IPv4) or 16 (IPv6) */
};

/* "OLD=NEW": two MAC addresses (02:00:00:00:00:01), two IPv4 or two IPv6 addresses. ERROR_INPUT otherwise. */
bool capture_rewrite_parse(const char *text, struct capture_rewrite *rewrite, struct error *err);

/* Applies to each address of the frame the first rewrite that fits it, so A=B with B=A swaps. `n`: bytes of the
 * frame that are there; headers that end beyond stay as they are. True when something was replaced. */
bool capture_rewrite_frame(const struct capture_rewrite *rewrites, size_t n_rewrites, uint8_t *frame, uint32_t n);
