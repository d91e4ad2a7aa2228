/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/source.h - the TCP segments of a capture file, one after the other, and what else was in it. */
#pragma once

#include "base/error.h"
#include "capture/decode.h"
#include "capture/paused.h"

#include <stdint.h>

#define ANALYSIS_STEP_NS INT64_C(1000000) /* less is how packets of several queues come together */

struct analysis_capture {
    int64_t frames, tcp_segments, other_frames, short_frames, malformed_frames;
    int64_t first_ns, last_ns; /* since the epoch; equal without frames */
    int64_t steps_back;        /* frames before the one before by ANALYSIS_STEP_NS or more: the clock was set */
    int64_t largest_step_ns;   /* of those */
    struct capture_paused paused; /* by PAUSE frames */
    uint64_t link_rate_bps;    /* of the interface, says a pcapng file; 0 unknown */
    int64_t missed;            /* frames of an interface that nobody took in time */
    bool truncated;            /* the file stops inside a packet: `stopped` says where */
    struct error stopped;
};

/* Called now and then while reading; file_bytes is 0 when unknown. */
typedef void analysis_progress(const void *user, int64_t bytes_read, int64_t file_bytes);

struct analysis_source {
    struct capture_reader *reader;    /* owned */
    struct analysis_capture *capture; /* borrowed: what has been read so far */
    analysis_progress *progress;      /* may be NULL */
    const void *user;                 /* of progress, borrowed */
    int link_type;
    bool others;                      /* IP packets that are not TCP are wanted, too */
    uint32_t other_bytes;             /* on the wire, of the latest one that is none; else 0 */
};

/* Empties *capture. False and *err when the file cannot be opened: nothing to close then. */
bool analysis_source_open(struct analysis_source *source, const char *path, analysis_progress *progress,
                          const void *user, struct analysis_capture *capture, struct error *err);

/* The same of a reader that is open; takes it. */
struct capture_reader;
void analysis_source_open_reader(struct analysis_source *source, struct capture_reader *reader,
                                 struct analysis_capture *capture);
void analysis_source_close(struct analysis_source *source);

#define ANALYSIS_SOURCE_IDLE 2 /* of an interface, now and then: no segment, and no end */

/* 1 and a segment with its time since the epoch, or of `others` addresses and tag; 0 at the end, which may be inside a packet: see capture->truncated;
 * -1 and *err when reading fails. */
int analysis_source_next(struct analysis_source *source, int64_t *time_ns, struct capture_segment *s,
                         struct error *err);
