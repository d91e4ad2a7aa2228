/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A policer, as Linux's act_police with `drop`: a frame that finds no tokens for its bytes, as a host counts them, is
 * lost and takes none. Tokens come at `rate` up to `burst`. What conforms waits for the transmitter in a FIFO. */
#include "emu/queues/bucket.h"
#include "emu/ring.h"

struct policer {
    struct emu_ring ring;
    struct emu_bucket bucket;
};

static void policer_begin(void *state, const struct emu_queue_config *config)
{
    struct policer *p = state;
    emu_bucket_init(&p->bucket, config);
}

static bool policer_admit(void *state, const struct emu_frame *frame, int64_t depth_bytes UNUSED, int64_t now_ps)
{
    struct policer *p = state;
    return emu_bucket_take(&p->bucket, frame, now_ps);
}

const struct emu_discipline_ops emu_discipline_policer = {
    .drops_early = true,
    .acks = EMU_DISCIPLINE_ACKS_WAIT,
    .has = EMU_DISCIPLINE_HAS_RATE | EMU_DISCIPLINE_HAS_BURST,
    .state_bytes = sizeof(struct policer),
    .begin = policer_begin,
    .fini = emu_discipline_ring_fini,
    .admit = policer_admit,
    .push = emu_discipline_ring_push,
    .pop = emu_discipline_ring_pop,
};
