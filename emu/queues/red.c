/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random Early Detection (Floyd and Jacobson 1993), computed as Linux's sch_red and tc do.
 *
 * A frame that comes moves the mean length by W of what it lacks of the present one, in bytes. While there is none the
 * mean falls (red_idle()), the slower the longer 1000 bytes take at `rate` (10 Mb/s). Below `min` every
 * frame gets in, from `max` on none. Between them the k-th frame after the last loss is lost if
 *     k probability (mean - min) / (max - min) >= u,
 * where u is drawn from [0, 1) after each loss: gaps are uniform, as section 8 wants. With ECN a mark takes the place of
 * the loss where the frame can take it. Usual are max = limit / 4, min = max / 3, a probability of 2 %, and the W = 1/2,
 * 1/4, ... with which a burst of (2 min + max) / 3000 frames does not lift the mean above min (section 6, tc's
 * tc_red_eval_ewma()). */
#include "base/random.h"
#include "emu/queues/queue.h"
#include "emu/ring.h"

#define MEAN_PACKET 1000 /* bytes, tc's avpkt */
#define TICKS_PER_US 15.625 /* of tc's */
#define CELLS 255
#define PS_PER_US 1e6
#define MAX_PACKET 1518
#define RATE_BPS 10000000
#define PROBABILITY 0.02
#define LIMIT_BYTES 20000000

struct red {
    struct emu_ring ring;
    double min, max, probability, weight;
    double fall, cell; /* of red_idle(): halves a microsecond; microseconds */
    const struct emu_frame_ops *marks; /* borrowed; NULL: no ECN */
    struct random random;
    double mean, chance; /* u */
    int64_t count;       /* k; -1: u is to be drawn */
    int64_t idle_ps;     /* since when it is empty; -1: it is not */
};

/* The largest weight with which a burst does not count as congestion. */
static double red_weight(double min, double max)
{
    double burst = fmax(1, floor((2 * min + max) / (3 * MEAN_PACKET))), weight = 1;
    double beyond = burst + 1 - min / MEAN_PACKET;
    for (int log = 1; log < 32; log++) {
        weight /= 2;
        if (beyond <= (1 - pow(1 - weight, burst)) / weight)
            return weight;
    }
    return 0.002; /* Floyd and Jacobson's own */
}

/* tc's tc_red_eval_idle_damping(), which hands the kernel a table of how often the mean is halved after so many cells of
 * time, 31 times at most. Its ticks are 1/15.625 us and the kernel's times us, so that the mean falls that much slower
 * than Floyd and Jacobson's (1 - W)^m for m frames. */
static void red_plan_idle(struct red *r, double rate_bps)
{
    double packet = floor(8e6 * MEAN_PACKET / rate_bps * TICKS_PER_US);
    r->fall = -log(1 - r->weight) / fmax(packet, 1);
    r->cell = 1;
    while (31 / r->fall / r->cell >= 512)
        r->cell *= 2;
}

/* The kernel's red_calc_qavg_from_idle_time(): what is left of the mean. */
static double red_idle(const struct red *r, int64_t idle_ps)
{
    double us = floor((double)idle_ps / PS_PER_US), cells = fmin(floor(us / r->cell), CELLS);
    double halves = cells >= CELLS ? 31 : fmin(31, floor(cells * r->cell * r->fall));
    return halves > 0 ? exp2(-halves) : fmax(0.5, 1 - us / r->cell);
}

static double red_draw(struct red *r)
{
    return (double)random_below(&r->random, UINT64_C(1) << 53) / (double)(UINT64_C(1) << 53);
}

static void red_begin(void *state, const struct emu_queue_config *config)
{
    struct red *r = state;
    const struct emu_discipline_parameters *p = &config->parameters;
    double limit = config->limit_bytes != EMU_QUEUE_UNLIMITED       ? (double)config->limit_bytes
                   : config->limit_packets != EMU_QUEUE_UNLIMITED ? (double)config->limit_packets * MAX_PACKET
                                                                  : LIMIT_BYTES;
    r->max = p->max_bytes > 0 ? (double)p->max_bytes : p->min_bytes > 0 ? 3 * (double)p->min_bytes : limit / 4;
    r->min = p->min_bytes > 0 ? (double)p->min_bytes : r->max / 3;
    r->probability = p->probability > 0 ? p->probability : PROBABILITY;
    r->weight = red_weight(r->min, r->max);
    red_plan_idle(r, (double)(p->rate_bps > 0 ? p->rate_bps : RATE_BPS));
    r->marks = p->ecn == EMU_DISCIPLINE_ECN_TRUE ? config->frames : NULL;
    r->count = -1;
    r->random = random_of(config->seed);
}

/* Whether this frame is the one to be lost. */
static bool red_picks(struct red *r)
{
    if (r->mean < r->min || r->mean >= r->max) {
        r->count = -1;
        return r->mean >= r->max;
    }
    if (r->count++ < 0) {
        r->chance = red_draw(r);
        return false;
    }
    if ((double)r->count * r->probability * (r->mean - r->min) < r->chance * (r->max - r->min))
        return false;
    r->count = 0;
    r->chance = red_draw(r);
    return true;
}

static bool red_admit(void *state, const struct emu_frame *frame, int64_t depth_bytes, int64_t now_ps)
{
    struct red *r = state;
    if (r->idle_ps >= 0)
        r->mean *= red_idle(r, now_ps - r->idle_ps);
    else
        r->mean += r->weight * ((double)depth_bytes - r->mean);
    r->idle_ps = -1;
    return !red_picks(r) || emu_frame_mark(r->marks, frame);
}

static enum emu_discipline_next red_pop(void *state, int64_t now_ps, struct emu_frame *frame)
{
    struct red *r = state;
    if (emu_ring_pop(&r->ring, frame))
        return EMU_DISCIPLINE_FRAME;
    if (r->idle_ps < 0)
        r->idle_ps = now_ps;
    return EMU_DISCIPLINE_EMPTY;
}

const struct emu_discipline_ops emu_discipline_red = {
    .drops_early = true,
    .acks = EMU_DISCIPLINE_ACKS_WAIT,
    .has = EMU_DISCIPLINE_HAS_MEAN | EMU_DISCIPLINE_HAS_RATE | EMU_DISCIPLINE_HAS_ECN,
    .state_bytes = sizeof(struct red),
    .begin = red_begin,
    .fini = emu_discipline_ring_fini,
    .admit = red_admit,
    .push = emu_discipline_ring_push,
    .pop = red_pop,
};
