/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/writer.h - nanosecond pcap (through libpcap) and pcapng files of Ethernet frames.
 *
 * Bytes go to PATH.part, which becomes PATH when capture_writer_close() has checked that
 * everything is on disk. */
#pragma once

#include "base/error.h"
#include "capture/format.h"

struct capture_writer; /* opaque */

struct capture_writer *capture_writer_open(const char *path, const struct capture_writer_config *config,
                                           struct error *err);

/* captured_bytes <= snaplen and <= wire_bytes; time_ns >= 0, in a pcap before 2038. direction goes into pcapng's
 * epb_flags. False and *err (ERROR_SYSTEM) when that does not hold or a write failed, which shows up to 256 KiB of
 * packets late: a full disk. */
bool capture_writer_write(struct capture_writer *w, int64_t time_ns, const uint8_t *bytes, uint32_t captured_bytes,
                          uint32_t wire_bytes, enum capture_direction direction, struct error *err);

/* Always frees. False and *err when not every byte reached the disk: PATH does not appear then. */
bool capture_writer_close(struct capture_writer *w, struct error *err);

/* Frees and removes what was written so far. Safe on NULL. */
void capture_writer_discard(struct capture_writer *w);
