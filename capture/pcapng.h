/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/pcapng.h - inside capture/: the blocks of a pcapng file (draft-ietf-opsawg-pcapng), which
 * libpcap 1.10 can read but not write. One section, one interface, nanoseconds, this machine's byte order; and what
 * libpcap does not hand on. */
#pragma once

#include "capture/format.h"

#include <stdio.h>

/* Section header and interface description. Write errors stay in the stream. */
void pcapng_write_header(FILE *f, const struct capture_writer_config *config);

/* if_speed of the first interface, bit/s, from the first n bytes of a file of any byte order; 0: it has none there. */
uint64_t pcapng_link_rate_bps(const uint8_t *bytes, size_t n);

/* One enhanced packet block. */
void pcapng_write_packet(FILE *f, int64_t time_ns, const uint8_t *bytes, uint32_t captured_bytes, uint32_t wire_bytes,
                         enum capture_direction direction);
