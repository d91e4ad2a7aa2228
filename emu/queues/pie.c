/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Proportional Integral controller Enhanced (RFC 8033), as Linux's sch_pie computes it with stamps of time.
 *
 * Every `interval` (T_UPDATE, 15 ms) the probability p of losing a frame that comes moves by
 *     alpha (delay - target) + beta (delay - the one before),   alpha = 1/8 and beta = 5/4 a second,
 * each smaller while p is (section 4.2), and decays by a 64th while there is no delay. The delay is what the last frame
 * to leave has waited; `target` is 15 ms (QDELAY_REF). No frame is lost in the first 150 ms of a busy time, or while the
 * delay is below half the target and p below 20 %, or fewer than two full frames wait. Losses keep apart: not before the
 * probabilities of frames let in add up to 0.85, and at 8.5 in any case (section 5.4). With ECN marks take the place of
 * losses up to p = 10 % (section 5.1). */
#include "base/random.h"
#include "emu/queues/queue.h"
#include "emu/ring.h"

#define PS_PER_MS INT64_C(1000000000)
#define PS_PER_S 1e12
#define PIE_TARGET_PS (15 * PS_PER_MS)
#define UPDATE_PS (15 * PS_PER_MS)
#define BURST_PS (150 * PS_PER_MS)
#define LONG_S 0.25 /* of delay: p grows by 2 % more an update */
#define ALPHA 0.125
#define BETA 1.25
#define FULL_BYTES 1514 /* a host's bytes of a full frame */
#define MARKS_UP_TO 0.1

struct pie {
    struct emu_ring ring;
    double p, accumulated;
    double delay_s, before_s; /* now, and at the last update */
    int64_t target_ps, update_ps, next_ps; /* next: the update to come; 0: none has been due */
    int64_t burst_ps, left_ps; /* of the first time of quiet; when a frame left last, -1: none has */
    int64_t bytes;             /* a host's, of what waits */
    const struct emu_frame_ops *marks; /* borrowed; NULL: no ECN */
    struct random random;
};

static void pie_rest(struct pie *s)
{
    s->burst_ps = BURST_PS;
    s->left_ps = -1;
    s->accumulated = 0;
}

static void pie_begin(void *state, const struct emu_queue_config *config)
{
    struct pie *s = state;
    const struct emu_discipline_parameters *p = &config->parameters;
    s->target_ps = p->target_ps > 0 ? p->target_ps : PIE_TARGET_PS;
    s->update_ps = p->interval_ps > 0 ? p->interval_ps : UPDATE_PS;
    s->marks = p->ecn == EMU_DISCIPLINE_ECN_TRUE ? config->frames : NULL;
    s->random = random_of(config->seed);
    pie_rest(s);
}

static void pie_update(struct pie *s)
{
    const double target_s = (double)s->target_ps / PS_PER_S;
    /* RFC 8033, section 4.2: how much of alpha and beta counts while p is small. */
    double p = s->p;
    double scale = 1;
    if (p < 0.1)
        scale = 0.5;
    for (double least = 0.01; p < least && least >= 1e-6; least /= 10)
        scale /= 4;
    double change = scale * (ALPHA * (s->delay_s - target_s) + BETA * (s->delay_s - s->before_s));
    if (s->delay_s == 0 && s->bytes > 0) /* less than a clock can tell */
        change = 0;
    if (change > 0.02 && s->p >= 0.1)
        change = 0.02;
    if (s->delay_s > LONG_S)
        change += 0.02;
    s->p = fmin(1, fmax(0, s->p + change));
    if (s->delay_s == 0 && s->before_s == 0)
        s->p -= s->p / 64;
    bool low = s->delay_s < target_s / 2 && s->before_s < target_s / 2;
    s->before_s = s->delay_s;
    if (low && s->p == 0)
        pie_rest(s);
}

/* The updates that have been due: nothing has changed between them but themselves. */
static void pie_catch_up(struct pie *s, int64_t now_ps)
{
    if (s->next_ps == 0)
        s->next_ps = now_ps + s->update_ps;
    for (; s->next_ps <= now_ps; s->next_ps += s->update_ps)
        pie_update(s);
}

static bool pie_picks(struct pie *s)
{
    if (s->burst_ps > 0 || (s->delay_s < (double)s->target_ps / PS_PER_S / 2 && s->p < 0.2) ||
        s->bytes < 2 * FULL_BYTES)
        return false;
    s->accumulated = s->p > 0 ? s->accumulated + s->p : 0;
    if (s->accumulated < 0.85)
        return false;
    return s->accumulated >= 8.5 ||
           (double)random_below(&s->random, UINT64_C(1) << 53) < s->p * (double)(UINT64_C(1) << 53);
}

static bool pie_admit(void *state, const struct emu_frame *frame, int64_t depth_bytes UNUSED, int64_t now_ps)
{
    struct pie *s = state;
    pie_catch_up(s, now_ps);
    if (!pie_picks(s))
        return true;
    s->accumulated = 0;
    return s->p <= MARKS_UP_TO && emu_frame_mark(s->marks, frame);
}

static void pie_push(void *state, const struct emu_frame *frame, uint32_t flow UNUSED, int64_t now_ps)
{
    struct pie *s = state;
    emu_ring_push(&s->ring, frame, now_ps);
    s->bytes += emu_frame_host_bytes(frame);
}

static enum emu_discipline_next pie_pop(void *state, int64_t now_ps, struct emu_frame *frame)
{
    struct pie *s = state;
    pie_catch_up(s, now_ps);
    if (s->ring.count == 0)
        return EMU_DISCIPLINE_EMPTY;
    int64_t came_ps = emu_ring_peek(&s->ring)->time_ps, since_ps = s->left_ps >= 0 ? now_ps - s->left_ps : 0;
    emu_ring_pop(&s->ring, frame);
    s->bytes -= emu_frame_host_bytes(frame);
    s->delay_s = s->bytes > 0 ? (double)(now_ps - came_ps) / PS_PER_S : 0;
    s->left_ps = now_ps;
    s->burst_ps = s->burst_ps > since_ps ? s->burst_ps - since_ps : 0;
    return EMU_DISCIPLINE_FRAME;
}

const struct emu_discipline_ops emu_discipline_pie = {
    .drops_early = true,
    .acks = EMU_DISCIPLINE_ACKS_WAIT,
    .has = EMU_DISCIPLINE_HAS_TARGET | EMU_DISCIPLINE_HAS_ECN,
    .state_bytes = sizeof(struct pie),
    .begin = pie_begin,
    .fini = emu_discipline_ring_fini,
    .admit = pie_admit,
    .push = pie_push,
    .pop = pie_pop,
};
