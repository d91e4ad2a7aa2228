/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/queues/bucket.h"

static int64_t bucket_ps(const struct emu_bucket *b, int64_t bytes)
{
    double ps = 8e12 * (double)bytes / (double)b->rate_bps;
    return ps < (double)(INT64_MAX / 4) ? (int64_t)nearbyint(ps) : INT64_MAX / 4;
}

void emu_bucket_init(struct emu_bucket *b, const struct emu_queue_config *config)
{
    *b = (struct emu_bucket){.rate_bps = config->parameters.rate_bps > 0 ? config->parameters.rate_bps : 1};
    b->most_ps = b->tokens_ps = bucket_ps(b, config->parameters.burst_bytes);
}

int64_t emu_bucket_left_ps(const struct emu_bucket *b, const struct emu_frame *frame, int64_t now_ps)
{
    int64_t takes_ps = bucket_ps(b, emu_frame_host_bytes(frame)), passed_ps = now_ps - b->time_ps;
    if (takes_ps > b->most_ps)
        return INT64_MIN;
    int64_t tokens_ps = passed_ps < b->most_ps - b->tokens_ps ? b->tokens_ps + passed_ps : b->most_ps;
    return tokens_ps - takes_ps;
}

bool emu_bucket_take(struct emu_bucket *b, const struct emu_frame *frame, int64_t now_ps)
{
    int64_t left_ps = emu_bucket_left_ps(b, frame, now_ps);
    if (left_ps < 0)
        return false;
    b->tokens_ps = left_ps;
    b->time_ps = now_ps;
    return true;
}
