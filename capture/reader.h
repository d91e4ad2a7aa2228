/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/reader.h - frames, in file order, from a pcap or pcapng file; or from an interface, as they pass.
 *
 * Any byte order, any time resolution, packed with gzip, xz or zstd or not, through libpcap. Does not decode
 * headers: see capture/decode.h. */
#pragma once

#include "base/error.h"
#include "capture/frame.h"

struct capture_reader; /* opaque */

enum capture_next {
    CAPTURE_NEXT_FRAME,
    CAPTURE_NEXT_END,       /* clean end of file */
    CAPTURE_NEXT_TRUNCATED, /* the file stops inside a packet or is damaged; *err says what and where. What came
                             * before stands, every further call says the same */
    CAPTURE_NEXT_IDLE,      /* of an interface, ten times a second: go on, but whoever waits for a batch may take it */
    CAPTURE_NEXT_FAILED,    /* a sound file cannot be read on: a system error, or an interface that libpcap refuses
                             * (the message names editcap); *err says so, every further call too */
};

/* NULL and *err on failure: missing, empty, not a capture, unsupported link type, a pcapng whose interfaces differ in
 * link type or snapshot length, packed in a way that the build left out (ERROR_INPUT), unreadable (ERROR_SYSTEM). "-" reads standard input and
 * closes it at the end. */
struct capture_reader *capture_reader_open(const char *path, struct error *err);
void capture_reader_close(struct capture_reader *r);

/* Headers of the frames that pass an interface ("any": all of them), until capture_reader_stop(). NULL and *err: it is
 * not there, may not be read, or has an unsupported link type. When it goes away, that is as a file that stops. */
struct capture_reader *capture_reader_open_live(const char *interface, struct error *err);

/* Of an interface: gives up what reading it on does not need (capture/confine.h). */
bool capture_reader_confine(const struct capture_reader *r, bool filter, struct error *err);

/* Of an interface: the end comes next. For signal handlers, too. */
void capture_reader_stop(struct capture_reader *r);

/* Frames that an interface brought and nobody took in time; 0 of a file. */
int64_t capture_reader_missed(const struct capture_reader *r);

enum capture_next capture_reader_next(struct capture_reader *r, struct capture_frame *frame, struct error *err);

/* Of the interface, as a pcapng file may have it: bit/s; 0 unknown. */
uint64_t capture_reader_link_rate_bps(const struct capture_reader *r);
int capture_reader_link_type(const struct capture_reader *r); /* DLT_ value for capture_decode() */
int64_t capture_reader_bytes_read(const struct capture_reader *r); /* of the file as stored: for progress */
int64_t capture_reader_file_bytes(const struct capture_reader *r); /* 0 when unknown (a pipe) */
