/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/batches.h - frames of a capture, some hundred at a time, read in one thread while another analyses those
 * before.
 *
 * Every frame passes the same functions in the same order whether there are two threads or one, so results are the
 * same. The calling thread reads: signals, progress and an interrupted standard input stay with it. A second thread
 * begins when a capture has turned out not to be small, if this process may run on two CPUs. */
#ifndef ANALYSIS_BATCHES_H
#define ANALYSIS_BATCHES_H

#include "capture/decode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct analysis_frame {
    int64_t time_ns, number; /* number in the file, from 1 */
    struct capture_segment segment;
    uint32_t other_bytes; /* of an IP packet that is not TCP; 0: a segment */
    uint32_t expected;    /* hash of the segment's connection, if `expects` */
    uint32_t frame_bytes; /* set where it is analysed: payload of each of the segment's frames but the last */
    uint32_t slot;        /* set where it is analysed: 2 * the connection and its end that sends, or ANALYSIS_CAPACITY_NO_SLOT */
    bool expects;
    uint8_t is; /* of enum analysis_frame_is; set where it is analysed, but for others than segments */
};

enum analysis_frame_is {
    ANALYSIS_FRAME_COUNTS = 1, /* no copy of an earlier one, and no RST */
    ANALYSIS_FRAME_BULK = 2,   /* with it its direction has become one of bulk data */
    ANALYSIS_FRAME_MORE = 4,   /* other than a segment, or one that is several frames */
};

#define ANALYSIS_BATCH 512

struct analysis_batch {
    size_t n;
    bool last;
    struct analysis_frame frame[ANALYSIS_BATCH];
};

/* In this order for each batch, each function batch after batch, and none of them beside itself. fill() sets n and last of
 * a batch, and runs in the calling thread; finish() in whichever is ahead. */
struct analysis_batches_work {
    void (*fill)(void *user, struct analysis_batch *batch);
    void (*analyse)(void *user, struct analysis_batch *batch);
    void (*finish)(void *user, struct analysis_batch *batch); /* may be NULL */
    void *user;
    bool alone; /* all in the calling thread: after each batch's finish() nothing is under way */
};

/* Until fill() has set `last` and that batch is done. */
void analysis_batches_run(const struct analysis_batches_work *work);

#endif
