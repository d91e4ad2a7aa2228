/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/records.h - inside capture/: the frames of a plain pcap or pcapng file, taken straight from its bytes.
 *
 * Only what nearly every file is made of: pcap 2.4, and pcapng of one interface, in this machine's byte order, with
 * times in micro- or nanoseconds. At anything else, and at whatever is damaged or cut, libpcap goes on from the record
 * at hand: it says what is wrong with it. So whichever reads, frames and messages are the same. */
#pragma once

#include "capture/frame.h"

#include <stdbool.h>
#include <stddef.h>

#define RECORDS_LONGEST 262144u /* bytes of a record that is taken here: libpcap's MAXIMUM_SNAPLEN */

struct records {
    bool plain;       /* else nothing below is set: all is libpcap's */
    bool blocks;      /* pcapng */
    int64_t unit_ns;  /* of its times */
    uint32_t snaplen; /* of the file as libpcap has it: the caller's to set before the first frame is taken */
};

enum records_next {
    RECORDS_FRAME,
    RECORDS_MORE,  /* not a whole record: the same again with more bytes, or libpcap when there are none */
    RECORDS_OTHER, /* a record for libpcap */
};

/* From the first n bytes of a file: how many of them libpcap reads to open it, all of its header. 0: not plain. */
size_t records_open(struct records *r, const uint8_t *bytes, size_t n);

/* The frame of the record at `bytes`; *used: so many bytes to the next record, also for RECORDS_MORE and RECORDS_OTHER,
 * when blocks without a frame came first. frame->wire_bytes may be less than captured_bytes. */
enum records_next records_take(const struct records *r, const uint8_t *bytes, size_t n, struct capture_frame *frame,
                               size_t *used);
