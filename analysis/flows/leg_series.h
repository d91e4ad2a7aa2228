/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/leg_series.h - the legs of a flow's round trip over time: sums of tap times and timestamps in equal slots.
 *
 * Slots lie on a grid of 2^shift us from the origin; when time outgrows them,
 * neighbours merge. Which tick the timestamps have is known only in the end, so both sums are kept. Those without a
 * sample take no memory: a flow of a hundred packets has a few dozen others. */
#ifndef ANALYSIS_LEG_SERIES_H
#define ANALYSIS_LEG_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of many samples some are taken: all of the first, then every eighth, at irregular distances, as bursts are regular. */
#define ANALYSIS_THIN_SPARED 16384 /* of a flow: 32 and more for each slot of a series. What comes after them is as its
                                    * neighbours are */
#define ANALYSIS_THIN_EVERY 8

struct analysis_thin { /* zeroed: none yet */
    uint32_t n, next; /* samples until the latest that was taken, and before the next that is; modulo 2^32 */
    int32_t left;     /* how many come before that */
};

/* How many of a series of samples come before the next that is taken, after so many, of which the last is taken. */
static inline uint32_t analysis_thin_next(uint32_t n)
{
    const uint32_t golden = UINT32_C(2654435769), most = UINT32_MAX / ANALYSIS_THIN_EVERY;
    if (n < ANALYSIS_THIN_SPARED)
        return n;
    const uint32_t at = n * golden; /* on the circle: of an eighth steps come back to it after 5, 8 or 13 */
    if (__builtin_expect(at <= most, 1))
        return n - 1 + (at + 5 * golden <= most ? 5 : at + 8 * golden <= most ? 8 : 13);
    while ((n + 1) * golden > most)
        n++;
    return n;
}

/* Is the next one taken? Steps of the golden ratio spread evenly over a circle (Weyl), an eighth of which counts. */
static inline bool analysis_thin_takes(struct analysis_thin *t)
{
    if (__builtin_expect(--t->left >= 0, 1))
        return false;
    t->n = t->next + 1;
    t->next = analysis_thin_next(t->n);
    t->left = (int32_t)(t->next - t->n);
    return true;
}

#define ANALYSIS_LEG_SERIES_SLOTS 512
#define ANALYSIS_LEG_SERIES_LEGS 7 /* the last three: the loops to the receiver and to the sender, and bursts */

#define ANALYSIS_LEG_SERIES_LEAST 2 /* the first two, of data, have their least kept, too */
#define ANALYSIS_LEG_SERIES_TICKS 4 /* that stamps may have */

struct analysis_leg_series_cell {
    double time_sum_ns, ticks_sum; /* of the tap, less where its clock began; of the stamps, likewise */
    uint32_t n;
};

struct analysis_leg_series_slot {
    uint32_t at; /* it covers [first + at, first + at + 1) << shift, in us */
    bool has_least[ANALYSIS_LEG_SERIES_LEAST];
    struct analysis_leg_series_cell cell[ANALYSIS_LEG_SERIES_LEGS];
    double least_ns[ANALYSIS_LEG_SERIES_LEAST][ANALYSIS_LEG_SERIES_TICKS]; /* of the samples before the latest, if any */
};

/* The shortest of a leg's latest samples, which have one stamp and lie in one slot: whatever the tick, it is the first or
 * the last of them. */
struct analysis_leg_series_latest {
    uint32_t at;
    int64_t t_ns, ticks;
    bool any;
};

struct analysis_leg_series {
    int64_t first;
    unsigned shift;
    struct analysis_leg_series_slot *slot; /* owned; those with samples, in order of time */
    size_t n, room;
    struct analysis_leg_series_slot *now;  /* one of them */
    int64_t from_ns, until_ns;             /* what that covers; nothing at first */
    struct analysis_leg_series_latest latest[ANALYSIS_LEG_SERIES_LEAST];
};

static const int64_t analysis_leg_series_tick_ns[ANALYSIS_LEG_SERIES_TICKS] = {1000, 1000000, 4000000, 10000000};

struct analysis_leg_series *analysis_leg_series_new(int64_t time_ns);
void analysis_leg_series_free(struct analysis_leg_series *s);

/* For the functions below: to the slot of time_ns; and the latest of a leg's samples are no longer the latest. */
void analysis_leg_series_go(struct analysis_leg_series *s, int64_t time_ns);
void analysis_leg_series_settle(struct analysis_leg_series *s, int leg);

/* Of a leg whose least is kept: does it end at the tap, so that it is the longer the later its data pass, or begin there? */
static inline int analysis_leg_series_sign(int leg)
{
    return leg == 0 ? 1 : -1;
}

/* A sample of a leg at time_ns; earlier than the first slot counts there. */
static inline void analysis_leg_series_add(struct analysis_leg_series *s, int64_t time_ns, int leg, int64_t t_ns, int64_t ticks)
{
    if (__builtin_expect(time_ns < s->from_ns || time_ns >= s->until_ns, 0))
        analysis_leg_series_go(s, time_ns);
    struct analysis_leg_series_cell *c = &s->now->cell[leg];
    c->time_sum_ns += (double)t_ns;
    c->ticks_sum += (double)ticks;
    c->n++;
    if (leg >= ANALYSIS_LEG_SERIES_LEAST)
        return;
    struct analysis_leg_series_latest *l = &s->latest[leg];
    if (l->any && l->at == s->now->at && l->ticks == ticks) {
        const bool shorter = leg == 0 ? t_ns < l->t_ns : t_ns > l->t_ns;
        l->t_ns = shorter ? t_ns : l->t_ns;
        return;
    }
    analysis_leg_series_settle(s, leg);
    *l = (struct analysis_leg_series_latest){s->now->at, t_ns, ticks, true};
}

double analysis_leg_series_width_s(const struct analysis_leg_series *s);

/* How many slots of time there are, with samples or without, until the last that has some; and when one of them begins. */
size_t analysis_leg_series_slots(const struct analysis_leg_series *s);
double analysis_leg_series_start_s(const struct analysis_leg_series *s, size_t at);

/* The least of a slot that has samples of one of the first legs, in ns, with stamps of such a tick. */
double analysis_leg_series_least_ns(const struct analysis_leg_series *s, const struct analysis_leg_series_slot *slot, int leg,
                                    int tick);

/* Mean of time less stamps of `tick_ns`, in ns; NAN without samples. */
double analysis_leg_series_mean_ns(const struct analysis_leg_series_cell *c, double tick_ns);

#endif
