/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/queues/bucket.h - a token bucket, as Linux's sch_tbf and act_police count theirs: in time at its rate. */
#pragma once

#include "emu/queues/queue.h"

struct emu_bucket {
    int64_t rate_bps;
    int64_t most_ps;   /* what the burst takes at the rate */
    int64_t tokens_ps; /* at time_ps */
    int64_t time_ps;
};

/* Full, as configured by rate and burst. */
void emu_bucket_init(struct emu_bucket *b, const struct emu_queue_config *config);

/* Returns what the frame would leave in the bucket now; below 0 it does not conform for as long as that is. A frame
 * larger than the burst never does: INT64_MIN. */
int64_t emu_bucket_left_ps(const struct emu_bucket *b, const struct emu_frame *frame, int64_t now_ps);

/* Takes the frame's tokens and returns true if it conforms. */
bool emu_bucket_take(struct emu_bucket *b, const struct emu_frame *frame, int64_t now_ps);
