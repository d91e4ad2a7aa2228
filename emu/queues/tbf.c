/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A token-bucket filter, as Linux's sch_tbf: a FIFO whose oldest frame leaves when there are tokens for its bytes, as a
 * host counts them, which come at `rate` up to `burst`. A frame that is larger than the burst is lost. */
#include "emu/queues/bucket.h"
#include "emu/ring.h"

struct tbf {
    struct emu_ring ring;
    struct emu_bucket bucket;
};

static void tbf_begin(void *state, const struct emu_queue_config *config)
{
    struct tbf *t = state;
    emu_bucket_init(&t->bucket, config);
}

static bool tbf_admit(void *state, const struct emu_frame *frame, int64_t depth_bytes UNUSED, int64_t now_ps)
{
    const struct tbf *t = state;
    return emu_bucket_left_ps(&t->bucket, frame, now_ps) != INT64_MIN;
}

static enum emu_discipline_next tbf_pop(void *state, int64_t now_ps, struct emu_frame *frame)
{
    struct tbf *t = state;
    if (t->ring.count == 0 || !emu_bucket_take(&t->bucket, &emu_ring_peek(&t->ring)->frame, now_ps))
        return EMU_DISCIPLINE_EMPTY;
    emu_ring_pop(&t->ring, frame);
    return EMU_DISCIPLINE_FRAME;
}

static int64_t tbf_ready_ps(const void *state, int64_t now_ps)
{
    const struct tbf *t = state;
    return now_ps - emu_bucket_left_ps(&t->bucket, &emu_ring_peek(&t->ring)->frame, now_ps);
}

const struct emu_discipline_ops emu_discipline_tbf = {
    .acks = EMU_DISCIPLINE_ACKS_WAIT,
    .has = EMU_DISCIPLINE_HAS_RATE | EMU_DISCIPLINE_HAS_BURST,
    .state_bytes = sizeof(struct tbf),
    .begin = tbf_begin,
    .fini = emu_discipline_ring_fini,
    .admit = tbf_admit,
    .push = emu_discipline_ring_push,
    .pop = tbf_pop,
    .ready_ps = tbf_ready_ps,
};
