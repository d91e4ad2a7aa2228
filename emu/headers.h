/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/headers.h - bytes of frames, for taps: Ethernet II, IPv4 without options (RFC 791) and UDP (RFC 768), in the order of
 * the network. */
#pragma once

#include "emu/frame.h"

#define EMU_HEADERS_UDP 28u /* bytes: IPv4's header, and UDP's */

/* Writes the lowest `bytes` bytes of value, the highest first; returns what follows them. */
uint8_t *emu_headers_put(uint8_t *at, uint64_t value, int bytes);

/* One's-complement sum of 16-bit words (RFC 1071) on top of `sum`; n is even. */
uint32_t emu_headers_sum(const uint8_t *bytes, size_t n, uint32_t sum);
void emu_headers_put_checksum(uint8_t *at, uint32_t sum);

/* Ethernet's header; returns what follows it. */
uint8_t *emu_headers_put_ethernet(uint8_t *at, uint32_t src_station, uint32_t dst_station, uint16_t ethertype);

/* Headers of Ethernet and IPv4 of a packet of ip_bytes, protocol 6 TCP or 17 UDP; returns where what is inside begins. */
uint8_t *emu_headers_put_around(uint8_t *at, uint32_t src_station, uint32_t dst_station, uint8_t protocol, uint8_t ecn,
                                uint16_t ip_id, uint32_t ip_bytes);

/* UDP's, of 8 bytes, its checksum 0 for now. */
void emu_headers_put_udp(uint8_t *at, uint16_t src_port, uint16_t dst_port, uint32_t payload_bytes);

/* Of a frame of `whole` bytes, whose first n are in `head` and whose others are zeros, at most `limit`; returns how many. */
size_t emu_headers_put_out(const uint8_t *head, size_t n, size_t whole, uint8_t *out, size_t limit);

/* A datagram that nobody answers, to UDP's port 9; its tagged handle's content is the number of its source. */
size_t emu_headers_datagram(const struct emu_frame *frame, uint8_t *out, size_t limit);
