/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/round_trip.h"

#include "analysis/flows/leg_series.h"
#include "analysis/flows/tap_clock.h"
#include "base/memory.h"
#include "base/octave.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RING_LEAST 4
#define RING_MOST 16384 /* data segments between passing and being acknowledged: 24 MB; older ones are forgotten */
#define LEAST_PAUSE_NS INT64_C(5000000)
#define SERIES_SAMPLES 32
#define RATES 512     /* of ACK groups: sixteenths of an octave */
#define PER_OCTAVE 16
#define LEAST_BPS 1e3
#define LOOP ANALYSIS_LEGS /* of the series: the first of the loops */
#define RELEASES 512  /* a power of two: ACKs on their way to the sender, or their data back, at most */
#define LEAST_RELEASES 4
#define EARLY 16 /* ticks of a clock that show its pace; of an age, the part that it may be off */
#define EARLY_MOST_NS INT64_C(60000000000) /* no loop is longer: the least timeout that may be the longest (RFC 6298, 2.5) */
#define COARSEST_NS 16e6 /* 64 Hz: the slowest that a clock of today moves on */
#define ALONE 8 /* times as many ACKs of one segment as of several: the receiver delays none */

static_assert(ANALYSIS_ROUND_TRIP_TICKS == ANALYSIS_LEG_SERIES_TICKS, "which the series keeps the least by");
#define tick_ns analysis_leg_series_tick_ns

/* For each tick the clock may have: which one it is shows in the end. */
struct trip_leg {
    int64_t n;
    double time_sum_ns, ticks_sum; /* of the tap and of the stamps, while there is no series */
    bool sure; /* least is of samples none of whose times was reckoned */
    struct analysis_thin seen;
    uint32_t stamp; /* of the latest; of those in a row that have it the tap's time at which the leg was the shortest: */
    int64_t stamped_ns;
    int64_t least_ns[ANALYSIS_ROUND_TRIP_TICKS]; /* of those before */
};

struct trip_clock {
    bool known;
    uint32_t first, last, least_step; /* that it moved on by at once; 0 unknown */
    int64_t first_ns, last_ns, seen_ns; /* of the last stamp: when it was new, and when it passed the latest */
    double stood_ns; /* in all, from when one was new until it passed the last time; of times that leap, more than 64 bits have */
};

/* A stamp that passed, and when; its echo ends it, or a later one's. The newest that passed, and when. */
struct trip_probe {
    bool armed;
    uint32_t stamp, newest;
    bool any;
    int64_t time_ns, newest_ns;
};

/* Of an ACK's stamp. LATER: of one after it, so that when its ACK passed is reckoned. TIMED: of its tick, by the window. */
enum trip_echo { ECHO_NONE, ECHO_LATER, ECHO_TIMED, ECHO_OWN };

/* Groups of ACKs by when they left according to their own stamps, for one of the ticks. */
struct trip_stamped {
    struct compression xi;
    bool vague; /* its first ACK left somewhere within its tick */
};

/* A window that stays as it was: each ACK lets go the data that begin so much after the ACK before it. Stamps show that
 * once a tick. In between congestion control may change it, and then an earlier ACK let go what begins there: what is
 * timed counts when the next tick shows the same window, and as one of many, not as the least. */
struct trip_release {
    int64_t start, time_ns; /* of the data awaited; when their ACK passed */
    uint32_t stamp;         /* of that ACK */
};

struct trip_timed {
    int64_t ack_ns, time_ns; /* an ACK passed, and the data that it let go */
    uint32_t tsval;          /* of these */
};

struct trip_window {
    int64_t bytes;
    bool steady;
    bool watched;        /* there are enough samples */
    struct trip_release *awaited; /* owned, a ring of `room`: a power of two, RELEASES at most */
    uint32_t oldest, n, room, acks, every; /* every so many of the ACKs: as many as find room */
    int64_t next_start;  /* of the oldest awaited; INT64_MAX: none is */
    struct trip_timed *timed;     /* owned: since the last time that the window showed */
    size_t n_timed, timed_room;
};

struct trip_passed {
    int64_t end, time_ns;
};

/* Bounds of how far the tap's clock is ahead of an end's. */
enum trip_end { TRIP_SENDER, TRIP_RECEIVER, TRIP_ENDS };

struct trip_taps {
    struct analysis_tap_clock clock[TRIP_ENDS];
    int tick[TRIP_ENDS]; /* as each seems to be so far */
};

/* Legs, as the clocks' paces have them. */
struct trip_reading {
    int tick[ANALYSIS_LEGS];         /* -1 unknown */
    double span_ns[ANALYSIS_LEGS];   /* of a tick, by the tap's clock */
    double age_ns[ANALYSIS_LEGS];    /* that a stamp may have: a tick, or as many as the clock moves on by at once */
    double pace[ANALYSIS_LEGS];      /* of the tap's clock by that end's, less one */
    double least_ns[ANALYSIS_LEGS];
    double off_ns;
};

struct analysis_round_trip {
    struct trip_leg legs[ANALYSIS_LEGS];
    struct trip_clock sender, receiver;
    struct trip_probe ack;
    int64_t probe_ack, probe_before; /* what it acknowledged, and the one before it */
    uint32_t early_echo; /* of the data before, while echoes are of stamps before the capture's first */
    int64_t early_ns;    /* when they passed */
    struct trip_window window;
    int64_t to_sender_ns, burst_ns, answered_ns; /* of the burst from rest: began; ACKs let data go from then on */
    int64_t of_one, of_several; /* segments: ACKs of so many */
    struct trip_passed *ring; /* owned; capacity a power of two */
    uint32_t oldest, next, capacity; /* pushed before the oldest that is remembered, and in all, modulo 2^32 */
    struct analysis_leg_series *series; /* owned; NULL until there are enough samples */
    struct trip_taps *taps; /* owned; likewise */
    struct analysis_pause *pauses; /* owned; capacity a power of two */
    size_t n_pauses;
    int64_t least_pause_ns, newest_end, last_ack_ns;
    int64_t newest_acked;       /* by data, too */
    int64_t last_ack, held_end; /* ACKs up to there may have been held back by a hole before their data */
    uint32_t last_ack_stamp;
    uint16_t last_window;
    bool has_ack, ack_stamped;
    struct compression xi;
    struct trip_stamped stamped[ANALYSIS_ROUND_TRIP_TICKS];
    uint32_t last_stamp;  /* of an ACK that advanced */
    int same_stamp;       /* ACKs after it that have it */
    int in_run;           /* of ACKs whose rate is taken */
    int64_t run_ack_ns, run_first_ack;
    int64_t holds;
    int64_t least_loop_ns[ANALYSIS_LOOPS];
    struct analysis_thin looped[ANALYSIS_LOOPS];
    double *bytes_at[RATES / PER_OCTAVE]; /* owned: acknowledged by groups of the rates of an octave; NULL: none so fast */
    double hold_sum_ns;
};

struct analysis_round_trip *analysis_round_trip_new(int64_t to_sender_ns)
{
    struct analysis_round_trip *e = memory_zeroed(1, sizeof *e, "the round trips of a flow");
    *e = (struct analysis_round_trip){
        .least_pause_ns = LEAST_PAUSE_NS, .least_loop_ns = {INT64_MAX, INT64_MAX}, .window = {.every = 1, .next_start = INT64_MAX},
        .to_sender_ns = to_sender_ns >= 0 ? to_sender_ns : INT64_MAX};
    for (int i = 0; i < ANALYSIS_LEGS; i++)
        for (int k = 0; k < ANALYSIS_ROUND_TRIP_TICKS; k++)
            e->legs[i].least_ns[k] = INT64_MAX;
    return e;
}

void analysis_round_trip_free(struct analysis_round_trip *e)
{
    if (e) {
        free(e->ring);
        free(e->pauses);
        analysis_leg_series_free(e->series);
        free(e->taps);
        free(e->window.awaited);
        free(e->window.timed);
        for (int i = 0; i < RATES / PER_OCTAVE; i++)
            free(e->bytes_at[i]);
    }
    free(e);
}

__attribute__((noinline)) static void clock_step(struct trip_clock *c, uint32_t stamp, int64_t time_ns)
{
    if (!c->known)
        *c = (struct trip_clock){true, stamp, stamp, 0, time_ns, time_ns, time_ns, 0};
    if ((int32_t)(stamp - c->last) > 0 && time_ns > c->last_ns) {
        c->least_step = c->least_step == 0 || stamp - c->last < c->least_step ? stamp - c->last : c->least_step;
        c->stood_ns += (double)(c->seen_ns - c->last_ns);
        c->last = stamp;
        c->last_ns = c->seen_ns = time_ns;
    }
}

static inline void clock_note(struct trip_clock *c, uint32_t stamp, int64_t time_ns)
{
    if (__builtin_expect(stamp != c->last || !c->known, 0))
        clock_step(c, stamp, time_ns);
    else
        c->seen_ns = time_ns;
}

/* The tick whose pace the clock kept, the nearest by their ratio; -1 before it has moved on. */
static int clock_tick(const struct trip_clock *c)
{
    const int32_t ticks = (int32_t)(c->last - c->first);
    int best = 0;
    if (ticks <= 0)
        return -1;
    const double pace = (double)(c->last_ns - c->first_ns) / ticks;
    while (best + 1 < ANALYSIS_ROUND_TRIP_TICKS && pace * pace >= (double)tick_ns[best] * (double)tick_ns[best + 1])
        best++;
    return best;
}

/* When what had a stamp of before the capture's first passed the tap, as it would have done at the pace of the clock since.
 * False where the clock has not shown it, or ticks too slowly to tell how old the stamp is. */
static bool clock_before(const struct trip_clock *c, uint32_t stamp, int64_t now_ns, int64_t *then_ns)
{
    if (!c->known || (int32_t)(c->last - c->first) < EARLY)
        return false;
    const int64_t tick = tick_ns[clock_tick(c)];
    *then_ns = c->first_ns - (int64_t)(c->first - stamp) * tick;
    return now_ns - *then_ns >= EARLY * tick && now_ns - *then_ns <= EARLY_MOST_NS;
}

static const struct trip_clock *trip_clock_of(const struct analysis_round_trip *e, enum trip_end end)
{
    return end == TRIP_SENDER ? &e->sender : &e->receiver;
}

/* Whose clock a leg is read by. */
static enum trip_end leg_end(enum analysis_leg which)
{
    return which == ANALYSIS_LEG_DATA_OUT || which == ANALYSIS_LEG_ACK_IN ? TRIP_SENDER : TRIP_RECEIVER;
}

/* The tap's time less the clock's, or the other way round. */
static int leg_sign(enum analysis_leg leg)
{
    return leg == ANALYSIS_LEG_DATA_OUT || leg == ANALYSIS_LEG_ACK_OUT ? 1 : -1;
}

/* While there is no series: until there are enough samples for one. */
__attribute__((noinline)) static void leg_take_early(struct analysis_round_trip *e, enum analysis_leg which, int64_t t_ns,
                                                     int64_t ticks, int64_t time_ns)
{
    struct trip_leg *leg = &e->legs[which];
    if (leg->n < SERIES_SAMPLES) {
        leg->time_sum_ns += (double)t_ns;
        leg->ticks_sum += (double)ticks;
    } else {
        e->series = analysis_leg_series_new(time_ns);
        analysis_leg_series_add(e->series, time_ns, (int)which, t_ns, ticks);
        e->window.watched = true;
    }
}

/* What a leg that is certain says of the tap's clock. */
static void leg_bound(struct analysis_round_trip *e, enum analysis_leg which, int64_t t_ns, int64_t ticks, int64_t time_ns)
{
    const enum trip_end end = leg_end(which);
    const int64_t n = e->legs[which].n;
    if (!e->taps)
        e->taps = memory_zeroed(1, sizeof *e->taps, "the clocks of a flow");
    if ((n & (n - 1)) == 0 || e->taps->tick[end] < 0 || !e->taps->clock[end].begun)
        e->taps->tick[end] = clock_tick(trip_clock_of(e, end));
    if (e->taps->tick[end] < 0)
        return;
    const int64_t tick = tick_ns[e->taps->tick[end]];
    const bool sent = leg_sign(which) > 0;
    analysis_tap_clock_note(&e->taps->clock[end], (int)tick, time_ns, sent, t_ns - ticks * tick - (sent ? 0 : tick));
}

/* t_ns: of the tap; both since the clock began. */
__attribute__((noinline)) static void leg_take(struct analysis_round_trip *e, enum analysis_leg which, int64_t t_ns, int64_t ticks,
                            int64_t time_ns, bool bounds)
{
    struct trip_leg *leg = &e->legs[which];
    leg->n++;
    if (__builtin_expect(!e->series, 0)) {
        leg_take_early(e, which, t_ns, ticks, time_ns);
        return;
    }
    analysis_leg_series_add(e->series, time_ns, (int)which, t_ns, ticks);
    if (bounds)
        leg_bound(e, which, t_ns, ticks, time_ns);
}

/* By the taken samples' sums. */
static double leg_mean_ns(const struct analysis_round_trip *e, enum analysis_leg which, double tick)
{
    double time_sum_ns = e->legs[which].time_sum_ns, ticks_sum = e->legs[which].ticks_sum;
    for (size_t i = 0; e->series && i < e->series->n; i++) {
        time_sum_ns += e->series->slot[i].cell[which].time_sum_ns;
        ticks_sum += e->series->slot[i].cell[which].ticks_sum;
    }
    return leg_sign(which) * (time_sum_ns - ticks_sum * tick) / (double)e->legs[which].n;
}

/* Since the clock began. */
static int64_t leg_ns(enum analysis_leg which, const struct trip_clock *c, uint32_t stamp, int64_t time_ns, int tick)
{
    return leg_sign(which) * (time_ns - c->first_ns - (int32_t)(stamp - c->first) * tick_ns[tick]);
}

/* Has anything passed? */
static inline bool leg_any(const struct trip_leg *leg)
{
    return leg->sure || leg->seen.n > 0;
}

/* With the latest, of which there are some. */
static inline int64_t leg_lesser_ns(const struct trip_leg *leg, enum analysis_leg which, const struct trip_clock *c, int tick)
{
    const int64_t latest_ns = leg_ns(which, c, leg->stamp, leg->stamped_ns, tick);
    return latest_ns > leg->least_ns[tick] ? leg->least_ns[tick] : latest_ns;
}

static int64_t leg_least_ns(const struct analysis_round_trip *e, enum analysis_leg which, int tick)
{
    const struct trip_leg *leg = &e->legs[which];
    return leg_any(leg) ? leg_lesser_ns(leg, which, trip_clock_of(e, leg_end(which)), tick) : leg->least_ns[tick];
}

/* Does a sample count for the least? One whose time was reckoned does as long as all are so. */
static bool leg_is_sure(struct trip_leg *leg, uint32_t stamp, int64_t time_ns, bool sure)
{
    if (!sure)
        return false;
    leg->sure = true;
    leg->stamp = stamp;
    leg->stamped_ns = time_ns;
    for (int k = 0; k < ANALYSIS_ROUND_TRIP_TICKS; k++)
        leg->least_ns[k] = INT64_MAX;
    return true;
}

/* A sample has another stamp than the latest, or is no more certain than that. */
__attribute__((noinline)) static void leg_step(struct analysis_round_trip *e, enum analysis_leg which, uint32_t stamp,
                                               int64_t time_ns, bool sure)
{
    struct trip_leg *leg = &e->legs[which];
    if (sure != leg->sure && !leg_is_sure(leg, stamp, time_ns, sure))
        return;
    if (stamp == leg->stamp && leg_any(leg)) {
        leg->stamped_ns = leg_sign(which) * time_ns < leg_sign(which) * leg->stamped_ns ? time_ns : leg->stamped_ns;
        return;
    }
    const struct trip_clock *c = trip_clock_of(e, leg_end(which));
    for (int k = 0; k < ANALYSIS_ROUND_TRIP_TICKS && leg_any(leg); k++)
        leg->least_ns[k] = leg_lesser_ns(leg, which, c, k);
    leg->stamp = stamp;
    leg->stamped_ns = time_ns;
}

/* Its least counts every sample: it may be the only one that met empty queues. Of those of one stamp the first or the last
 * is the shortest, whatever the tick. */
static inline void leg_pass(struct analysis_round_trip *e, enum analysis_leg which, uint32_t stamp, int64_t time_ns, bool sure)
{
    struct trip_leg *leg = &e->legs[which];
    if (__builtin_expect(stamp != leg->stamp || sure != leg->sure || !leg_any(leg), 0))
        leg_step(e, which, stamp, time_ns, sure);
    else if (leg_sign(which) > 0 ? time_ns < leg->stamped_ns : time_ns > leg->stamped_ns)
        leg->stamped_ns = time_ns;
}

/* `bounds`: certain enough to tell how far the clocks are apart. */
static inline void leg_add(struct analysis_round_trip *e, enum analysis_leg which, const struct trip_clock *c,
                           uint32_t stamp, int64_t time_ns, bool sure, bool bounds)
{
    struct trip_leg *leg = &e->legs[which];
    leg_pass(e, which, stamp, time_ns, sure);
    if (analysis_thin_takes(&leg->seen))
        leg_take(e, which, time_ns - c->first_ns, (int32_t)(stamp - c->first), time_ns, bounds);
}

__attribute__((noinline)) static void loop_take(struct analysis_round_trip *e, enum analysis_loop loop, int64_t loop_ns, int64_t time_ns)
{
    analysis_leg_series_add(e->series, time_ns, LOOP + (int)loop, loop_ns, 0);
}

/* `sure`: it is this ACK's data, or this data's ACK, for certain. */
static inline void loop_add(struct analysis_round_trip *e, enum analysis_loop loop, int64_t from_ns, int64_t time_ns, bool sure)
{
    const int64_t loop_ns = time_ns - from_ns;
    e->least_loop_ns[loop] = sure && loop_ns >= 0 && loop_ns < e->least_loop_ns[loop] ? loop_ns : e->least_loop_ns[loop];
    if (__builtin_expect(!e->series, 0)) {
        /* Without stamps it is all that there is. */
        if (e->sender.known || ++e->looped[loop].next < SERIES_SAMPLES)
            return;
        e->series = analysis_leg_series_new(time_ns);
    }
    if (analysis_thin_takes(&e->looped[loop]))
        loop_take(e, loop, loop_ns, time_ns);
}

/* The first with a stamp is the one an echo speaks of. */
static inline bool probe_is_newer(const struct trip_probe *p, uint32_t stamp)
{
    return !p->any || (int32_t)(stamp - p->newest) > 0;
}

/* True: it is armed now. What is no ACK uses its stamp up, and arms nothing. */
static bool probe_set(struct trip_probe *p, uint32_t stamp, int64_t time_ns, bool is_ack)
{
    const bool arms = is_ack && p->any && !p->armed; /* the handshake, or what nobody captured, may have had the first of all */
    if (arms) {
        p->armed = true;
        p->stamp = stamp;
        p->time_ns = time_ns;
    }
    p->any = true;
    p->newest = stamp;
    p->newest_ns = time_ns;
    return arms;
}

/* Does an echo end the probe at hand? */
static inline bool probe_ends(const struct trip_probe *p, uint32_t echo)
{
    return p->armed && (int32_t)(echo - p->stamp) >= 0;
}

/* Where what passed between two ACKs stands for the ACK of a stamp between theirs: a clock made the stamps. */
static int64_t probe_between(const struct trip_probe *p, uint32_t stamp, int64_t first, int64_t newest)
{
    double share = (double)(stamp - p->stamp) / (double)(p->newest - p->stamp);
    return first + llround(fmin(share, 1) * (double)(newest - first));
}

/* Twice as long is the least to be kept from now on. */
static void pauses_thin(struct analysis_round_trip *e)
{
    size_t kept = 0;
    e->least_pause_ns *= 2;
    for (size_t i = 0; i < e->n_pauses; i++)
        if (e->pauses[i].pause_ns >= e->least_pause_ns)
            e->pauses[kept++] = e->pauses[i];
    e->n_pauses = kept;
}

static void trip_pause(struct analysis_round_trip *e, int64_t pause_ns)
{
    while (e->n_pauses == ANALYSIS_ROUND_TRIP_PAUSES)
        pauses_thin(e);
    bool again = e->n_pauses > 0 && e->newest_end <= e->pauses[e->n_pauses - 1].after_bytes; /* a SYN began anew */
    if (pause_ns < e->least_pause_ns || again)
        return;
    if ((e->n_pauses & (e->n_pauses - 1)) == 0) { /* full, whether or not it was thinned */
        size_t capacity = e->n_pauses ? 2 * e->n_pauses : 1;
        e->pauses = memory_resized(e->pauses, capacity, sizeof *e->pauses, "the pauses of a flow");
    }
    e->pauses[e->n_pauses++] = (struct analysis_pause){e->newest_end, pause_ns};
}

const struct analysis_pause *analysis_round_trip_pauses(const struct analysis_round_trip *e, size_t *n)
{
    *n = e->n_pauses;
    return e->pauses;
}

/* It is full: it grows, or forgets its oldest. */
__attribute__((noinline)) static void ring_full(struct analysis_round_trip *e)
{
    if (e->capacity == RING_MOST) {
        e->oldest++;
        return;
    }
    uint32_t capacity = e->capacity ? 2 * e->capacity : RING_LEAST;
    struct trip_passed *ring = memory_resized(NULL, capacity, sizeof *ring, "the round trips of a flow");
    for (uint32_t i = e->oldest; i != e->next; i++)
        ring[i & (capacity - 1)] = e->ring[i & (e->capacity - 1)];
    free(e->ring);
    e->ring = ring;
    e->capacity = capacity;
}

static inline void ring_push(struct analysis_round_trip *e, int64_t end, int64_t time_ns)
{
    if (__builtin_expect(e->next - e->oldest == e->capacity, 0))
        ring_full(e);
    e->ring[e->next++ & (e->capacity - 1)] = (struct trip_passed){end, time_ns};
}

/* An ACK, and the data, with their stamp, that left the sender as soon as it had it. */
static void loop_add_sender(struct analysis_round_trip *e, uint32_t tsval, int64_t ack_ns, int64_t time_ns,
                            enum trip_echo echo)
{
    leg_add(e, ANALYSIS_LEG_ACK_IN, &e->sender, tsval, ack_ns, echo != ECHO_LATER, echo == ECHO_OWN);
    loop_add(e, ANALYSIS_LOOP_SENDER, ack_ns, time_ns, echo == ECHO_OWN);
}

/* All was acknowledged. Data that an application writes at once pass one after the other: what they waited for those before
 * them. The sender rests if the ACK of all data has reached it; nobody knows without a handshake. */
__attribute__((noinline)) static void trip_rested(struct analysis_round_trip *e, const struct capture_segment *s, int64_t time_ns)
{
    /* Data that left before the sender had that ACK waited in its own NIC: they do not echo the ACK's stamp. */
    bool knew = !s->has_timestamps || !e->ack_stamped || (int32_t)(s->tsecr - e->last_ack_stamp) >= 0;
    if (knew)
        trip_pause(e, time_ns - e->last_ack_ns);
    if (time_ns - e->last_ack_ns >= e->to_sender_ns) {
        e->burst_ns = time_ns;
        e->answered_ns = INT64_MAX;
    }
}

__attribute__((noinline)) static void trip_burst(struct analysis_round_trip *e, int64_t time_ns)
{
    if (e->series)
        analysis_leg_series_add(e->series, time_ns, LOOP + ANALYSIS_BURST, time_ns - e->burst_ns, 0);
}

static void window_next(struct trip_window *w)
{
    w->next_start = w->n > 0 ? w->awaited[w->oldest].start : INT64_MAX;
}

/* What an ACK let go began so much after the ACK before it: the window, if it was so the last time, too. */
static void window_set(struct analysis_round_trip *e, int64_t bytes)
{
    struct trip_window *w = &e->window;
    w->steady = w->bytes == bytes;
    w->bytes = bytes;
    w->n = w->steady ? w->n : 0;
    window_next(w);
    for (size_t i = 0; i < w->n_timed && w->steady; i++)
        loop_add_sender(e, w->timed[i].tsval, w->timed[i].ack_ns, w->timed[i].time_ns, ECHO_TIMED);
    w->n_timed = 0;
}

/* Its ring is full, and may grow. */
static void window_grow(struct trip_window *w)
{
    const uint32_t room = w->room > 0 ? 2 * w->room : LEAST_RELEASES;
    struct trip_release *awaited = memory_resized(NULL, room, sizeof *awaited, "the round trips of a flow");
    for (uint32_t i = 0; i < w->n; i++)
        awaited[i] = w->awaited[(w->oldest + i) & (w->room - 1)];
    free(w->awaited);
    w->awaited = awaited;
    w->oldest = 0;
    w->room = room;
}

static void window_ack(struct analysis_round_trip *e, const struct capture_segment *s, int64_t time_ns)
{
    struct trip_window *w = &e->window;
    int64_t start = e->last_ack + w->bytes;
    /* What losses let go follows no window: ACKs of one stamp would pass for each other. */
    if (!w->watched || !w->steady || e->held_end > 0 || start < e->newest_end || w->acks++ % w->every != 0)
        return;
    if (w->n == w->room && w->room < RELEASES)
        window_grow(w);
    if (w->n == RELEASES) /* to take only what finds room would prefer the first of each burst */
        w->every *= 2;
    else
        w->awaited[(w->oldest + w->n++) & (w->room - 1)] = (struct trip_release){start, time_ns, s->tsval};
    window_next(w);
}

static void window_data(struct analysis_round_trip *e, const struct capture_segment *s, int64_t start, int64_t time_ns,
                        bool echo)
{
    struct trip_window *w = &e->window;
    while (w->n > 0 && start >= w->awaited[w->oldest].start) {
        const struct trip_release *r = &w->awaited[w->oldest];
        w->oldest = (w->oldest + 1) & (w->room - 1);
        w->n--;
        if (start == r->start && s->tsecr == r->stamp) {
            if (!echo && w->n_timed < RELEASES) {
                w->timed = memory_grown(w->timed, w->n_timed, &w->timed_room, LEAST_RELEASES, sizeof *w->timed,
                                        "the round trips of a flow");
                w->timed[w->n_timed++] = (struct trip_timed){r->time_ns, time_ns, s->tsval};
            }
        } else {
            w->steady = false;
            w->n = 0;
            w->n_timed = 0;
        }
    }
    window_next(w);
}

/* Its echo ends the probe. */
__attribute__((noinline)) static void trip_echo(struct analysis_round_trip *e, const struct capture_segment *s, int64_t end,
                                                int64_t time_ns)
{
    int64_t ack_ns = e->ack.time_ns, acked = e->probe_ack;
    const enum trip_echo echo = s->tsecr == e->ack.stamp ? ECHO_OWN : ECHO_LATER;
    e->ack.armed = false;
    if (echo == ECHO_LATER) { /* a queue may drop ACKs that others overtake (tc-cake's ack-filter), so that they never come back */
        ack_ns = probe_between(&e->ack, s->tsecr, ack_ns, e->ack.newest_ns);
        acked = probe_between(&e->ack, s->tsecr, acked, e->newest_acked);
    }
    int64_t start = end - s->payload_bytes;
    window_data(e, s, start, time_ns, echo == ECHO_OWN);
    /* With nothing else in flight it was the application that kept the sender waiting, not the ACK. */
    if (end - acked > s->payload_bytes)
        loop_add_sender(e, s->tsval, ack_ns, time_ns, echo);
    if (echo == ECHO_OWN)
        window_set(e, start - e->probe_before);
}

/* Data echo a stamp of before the capture's first: the loop to the sender began before the capture, which may be shorter than
 * it. A sender that rested echoes what came before its rest; one whose echo is new since data that have just passed did
 * not rest. */
__attribute__((noinline)) static void trip_early_data(struct analysis_round_trip *e, const struct capture_segment *s, int64_t time_ns)
{
    const bool newer = e->early_ns > 0 && (int32_t)(s->tsecr - e->early_echo) > 0;
    const int64_t gap_ns = time_ns - e->early_ns;
    int64_t ack_ns;
    e->early_echo = s->tsecr;
    e->early_ns = time_ns;
    if (newer && clock_before(&e->receiver, s->tsecr, time_ns, &ack_ns) && gap_ns <= (time_ns - ack_ns) / EARLY)
        loop_add_sender(e, s->tsval, ack_ns, time_ns, ECHO_LATER);
}

/* An ACK echoes one: of data that passed before the capture. */
__attribute__((noinline)) static void trip_early_ack(struct analysis_round_trip *e, const struct capture_segment *s, int64_t time_ns)
{
    int64_t data_ns;
    if (!clock_before(&e->sender, s->tsecr, time_ns, &data_ns))
        return;
    loop_add(e, ANALYSIS_LOOP_RECEIVER, data_ns, time_ns, false);
    leg_add(e, ANALYSIS_LEG_DATA_IN, &e->receiver, s->tsval, data_ns, false, false);
}

void analysis_round_trip_data(struct analysis_round_trip *e, const struct capture_segment *s, int64_t end,
                              int64_t time_ns)
{
    ring_push(e, end, time_ns);
    if (__builtin_expect(e->last_ack == e->newest_end && e->has_ack, 0))
        trip_rested(e, s, time_ns);
    if (__builtin_expect(time_ns < e->answered_ns, 0))
        trip_burst(e, time_ns);
    e->newest_end = end;
    if (!s->has_timestamps)
        return;
    clock_note(&e->sender, s->tsval, time_ns);
    leg_add(e, ANALYSIS_LEG_DATA_OUT, &e->sender, s->tsval, time_ns, true, true);
    if (probe_ends(&e->ack, s->tsecr))
        trip_echo(e, s, end, time_ns);
    else if (end - s->payload_bytes >= e->window.next_start)
        window_data(e, s, end - s->payload_bytes, time_ns, false);
    if (__builtin_expect((int32_t)(s->tsecr - e->receiver.first) < 0, 0))
        trip_early_data(e, s, time_ns);
}

/* When the data up to `ack` passed; false when nobody remembers. */
static inline bool trip_passed(struct analysis_round_trip *e, int64_t ack, int64_t *time_ns, uint32_t *segments)
{
    const struct trip_passed *ring = e->ring;
    const uint32_t mask = e->capacity - 1, next = e->next;
    uint32_t i = e->oldest;
    while (i != next && ring[i & mask].end <= ack)
        i++;
    *segments = i - e->oldest;
    e->oldest = i;
    if (*segments == 0)
        return false;
    *time_ns = ring[(i - 1) & mask].time_ns;
    return ring[(i - 1) & mask].end == ack;
}

static int rate_index(double bps)
{
    int index = bps > LEAST_BPS ? octave_steps(bps / LEAST_BPS, PER_OCTAVE) : 0;
    return index < RATES ? index : RATES - 1;
}

double analysis_round_trip_faster(const struct analysis_round_trip *e, double rate_bps)
{
    double all = 0, faster = 0;
    int above = rate_index(rate_bps);
    for (int i = 0; i < RATES; i++) {
        const double *octave = e->bytes_at[i / PER_OCTAVE];
        if (!octave) { /* none so fast */
            i += PER_OCTAVE - 1;
            continue;
        }
        all += octave[i % PER_OCTAVE];
        faster += i > above ? octave[i % PER_OCTAVE] : 0;
    }
    return all > 0 ? faster / all : NAN;
}

/* The rate of runs of ACKs, however short: beside the sender bursts of them are what is looked for. */
__attribute__((noinline)) static void trip_rate(struct analysis_round_trip *e, int64_t ack, int64_t time_ns)
{
    const int64_t span_ns = time_ns - e->run_ack_ns;
    double span_s = (double)(span_ns > 1 ? span_ns : 1) * 1e-9, bytes = (double)(ack - e->run_first_ack);
    int rate = rate_index(bytes * 8 / span_s);
    double **octave = &e->bytes_at[rate / PER_OCTAVE];
    if (!*octave)
        *octave = memory_zeroed(PER_OCTAVE, sizeof **octave, "explanations");
    (*octave)[rate % PER_OCTAVE] += bytes;
}

static inline void trip_run(struct analysis_round_trip *e, int64_t ack, int64_t time_ns)
{
    if (e->in_run++ == 0) {
        e->run_first_ack = ack;
        e->run_ack_ns = time_ns;
    } else if (e->in_run == COMPRESSION_GROUP) {
        e->in_run = 0;
        trip_rate(e, ack, time_ns);
    }
}

/* An ACK whose stamp is one tick on from the last left when the clock ticked; after a longer step it is vague by a
 * tick. Groups go from one that moves the clock on to another. */
__attribute__((noinline)) static void trip_stamps(struct analysis_round_trip *e, uint32_t stamp, int64_t time_ns)
{
    uint32_t step = stamp - e->last_stamp;
    e->last_stamp = stamp;
    for (int k = 0; k < ANALYSIS_ROUND_TRIP_TICKS; k++) {
        struct trip_stamped *g = &e->stamped[k];
        g->xi.in_group += g->xi.in_group > 0 ? e->same_stamp : 0;
        int64_t tick = tick_ns[k], left = (int64_t)(int32_t)(stamp - e->receiver.first) * tick;
        bool vague = step > 1 && tick > COMPRESSION_FLOOR_NS;
        int64_t resolution = (g->vague + vague) * tick;
        struct compression_config xi = {.floor = resolution > 0 ? 2 * resolution : COMPRESSION_FLOOR_NS,
                                        .left_resolution = resolution};
        compression_add(&g->xi, &xi, left, time_ns);
        if (g->xi.in_group == 0) /* ends one group, and begins the next */
            compression_add(&g->xi, &xi, left, time_ns);
        if (g->xi.in_group == 1)
            g->vague = vague;
    }
    e->same_stamp = 0;
}

/* Does the ACK say that data are there which it cannot acknowledge, because some before them are lacking? What is lost
 * is sent again a round trip later, and then one ACK speaks of all: not of how long data and ACKs took. A duplicate
 * ACK, RFC 5681 section 2; a block above it, RFC 2018 section 3. */
static bool trip_shows_hole(const struct analysis_round_trip *e, const struct capture_segment *s, int64_t ack)
{
    for (int i = 0; i < s->n_sack; i++)
        if ((int32_t)(s->sack[i].start - s->ack) > 0)
            return true;
    return s->n_sack == 0 && capture_segment_is_bare(s) && e->has_ack && ack == e->last_ack && ack < e->newest_end &&
           s->window == e->last_window;
}

void analysis_round_trip_ack(struct analysis_round_trip *e, const struct capture_segment *s, int64_t ack,
                             int64_t time_ns)
{
    /* Data that say again what is acknowledged are none: they wait as data do, and let nothing go. */
    const bool newer = ack > e->newest_acked, is_ack = newer || s->payload_bytes == 0;
    if (newer)
        e->newest_acked = ack;
    if (s->has_timestamps) {
        clock_note(&e->receiver, s->tsval, time_ns);
        if (is_ack)
            leg_add(e, ANALYSIS_LEG_ACK_OUT, &e->receiver, s->tsval, time_ns, true, true);
        else
            leg_pass(e, ANALYSIS_LEG_ACK_OUT, s->tsval, time_ns, true);
        if (probe_is_newer(&e->ack, s->tsval) && probe_set(&e->ack, s->tsval, time_ns, is_ack)) {
            e->probe_ack = ack;
            e->probe_before = e->last_ack;
        }
    }
    if ((s->n_sack > 0 || ack == e->last_ack) && trip_shows_hole(e, s, ack))
        e->held_end = e->newest_end;
    if (s->payload_bytes > 0 || (e->has_ack && ack <= e->last_ack))
        return;
    if (s->has_timestamps && e->has_ack)
        window_ack(e, s, time_ns);
    if (e->answered_ns == INT64_MAX)
        e->answered_ns = time_ns + e->to_sender_ns;
    e->has_ack = true;
    e->last_ack = ack;
    e->last_ack_ns = time_ns;
    e->last_ack_stamp = s->tsval;
    e->ack_stamped = s->has_timestamps;
    e->last_window = s->window;
    if (s->has_timestamps && s->tsval == e->last_stamp)
        e->same_stamp++;
    else if (s->has_timestamps)
        trip_stamps(e, s->tsval, time_ns);
    int64_t data_ns = 0;
    uint32_t segments;
    if (!trip_passed(e, ack, &data_ns, &segments) || ack <= e->held_end) {
        if (s->has_timestamps && (ack > e->held_end || e->held_end == 0) && (int32_t)(s->tsecr - e->sender.first) < 0)
            trip_early_ack(e, s, time_ns);
        compression_break(&e->xi);
        e->in_run = 0;
        return;
    }
    /* An ACK of one segment may be a delayed one, unless nearly all are of one. */
    if (segments > 1)
        e->of_several++;
    else
        e->of_one++;
    bool prompt = segments > 1 || e->of_one > ALONE * e->of_several;
    if (prompt)
        loop_add(e, ANALYSIS_LOOP_RECEIVER, data_ns, time_ns, true);
    if (s->has_timestamps && prompt)
        leg_add(e, ANALYSIS_LEG_DATA_IN, &e->receiver, s->tsval, data_ns, true, true);
    static const struct compression_config xi = {.floor = COMPRESSION_FLOOR_NS};
    e->holds++;
    e->hold_sum_ns += (double)(time_ns - data_ns);
    compression_add(&e->xi, &xi, data_ns, time_ns);
    trip_run(e, ack, time_ns);
}

/* How old a stamp may be. Clocks that count ms and move on by 16 of them at once are common (Windows). A stamp's age makes
 * the least of the leg to an end shorter and leaves that of the leg from it as it is: by so much the loop to it is longer
 * than both. Nor is it more than the least step. That may be the time between frames, or between bursts; but then frames of
 * one stamp leave within a tick, and pass within hardly two. */
static double trip_age_ns(const struct analysis_round_trip *e, enum trip_end end, const struct trip_reading *r)
{
    const enum analysis_leg go = end == TRIP_RECEIVER ? ANALYSIS_LEG_DATA_IN : ANALYSIS_LEG_ACK_IN;
    const enum analysis_leg come = end == TRIP_RECEIVER ? ANALYSIS_LEG_ACK_OUT : ANALYSIS_LEG_DATA_OUT;
    const int64_t loop_ns = e->least_loop_ns[end == TRIP_RECEIVER ? ANALYSIS_LOOP_RECEIVER : ANALYSIS_LOOP_SENDER];
    const struct trip_clock *c = trip_clock_of(e, end);
    const double most_ns = (c->least_step + 2) * r->span_ns[go]; /* 15.625 ms are 15 at least, and the stamp is cut off, too */
    if (c->least_step < 2 || r->tick[go] == 0 || !(c->least_step * r->span_ns[go] <= COARSEST_NS) ||
        c->least_step * c->stood_ns <= 2 * (double)(c->last_ns - c->first_ns))
        return r->span_ns[go];
    const double age_ns = loop_ns < INT64_MAX ? (double)loop_ns - r->least_ns[go] - r->least_ns[come] : most_ns;
    return fmin(most_ns, fmax(r->span_ns[go], age_ns));
}

static void trip_ages(const struct analysis_round_trip *e, struct trip_reading *r)
{
    for (int k = 0; k < ANALYSIS_LEGS; k++)
        r->age_ns[k] = trip_age_ns(e, leg_end((enum analysis_leg)k), r);
}

/* By how much the tap's clock gains on an end's, and is off that; none where the end's ticks passed for others. */
static struct analysis_tap_clock_fit trip_fit(const struct analysis_round_trip *e, enum trip_end end, const struct trip_reading *r)
{
    const struct analysis_tap_clock *c = e->taps ? &e->taps->clock[end] : NULL;
    const enum analysis_leg leg = end == TRIP_SENDER ? ANALYSIS_LEG_DATA_OUT : ANALYSIS_LEG_DATA_IN;
    if (!c || r->tick[leg] < 0 || c->unit_ns != tick_ns[r->tick[leg]])
        return (struct analysis_tap_clock_fit){0, 0};
    if (!(r->age_ns[leg] > r->span_ns[leg]))
        return analysis_tap_clock_fit(c);
    const struct analysis_tap_clock older = analysis_tap_clock_older(c, (trip_clock_of(e, end)->least_step + 1) * r->span_ns[leg]);
    return analysis_tap_clock_fit(&older);
}

static void trip_read(const struct analysis_round_trip *e, struct trip_reading *r)
{
    struct analysis_tap_clock_fit fit[TRIP_ENDS];
    r->off_ns = 0;
    for (int k = 0; k < ANALYSIS_LEGS; k++) {
        const int tick = clock_tick(trip_clock_of(e, leg_end((enum analysis_leg)k)));
        r->tick[k] = tick;
        r->pace[k] = 0;
        r->span_ns[k] = tick < 0 ? (double)NAN : (double)tick_ns[tick];
        r->least_ns[k] = tick < 0 || e->legs[k].n == 0 ? (double)NAN : (double)leg_least_ns(e, (enum analysis_leg)k, tick);
    }
    trip_ages(e, r);
    for (int end = 0; end < TRIP_ENDS; end++) {
        fit[end] = trip_fit(e, (enum trip_end)end, r);
        r->off_ns = fmax(r->off_ns, fit[end].off_ns);
    }
    if (fit[TRIP_SENDER].pace == 0 && fit[TRIP_RECEIVER].pace == 0)
        return;
    for (int k = 0; k < ANALYSIS_LEGS; k++) {
        const enum trip_end end = leg_end((enum analysis_leg)k);
        if (fit[end].pace == 0)
            continue;
        const double least_ns = analysis_tap_clock_least_ns(&e->taps->clock[end], leg_sign((enum analysis_leg)k) > 0, fit[end].pace,
                                                            trip_clock_of(e, end)->first_ns);
        r->pace[k] = fit[end].pace;
        r->span_ns[k] *= 1 + r->pace[k];
        r->least_ns[k] = isfinite(least_ns) ? least_ns : r->least_ns[k];
    }
    trip_ages(e, r);
}

/* What a slot with samples says; the rest as before. */
static void trip_wait(const struct analysis_round_trip *e, const struct analysis_leg_series_slot *slot,
                      const struct trip_reading *r, double *least_s, struct analysis_wait *w)
{
    const double at_ns = (analysis_leg_series_start_s(e->series, slot->at) + analysis_leg_series_width_s(e->series) / 2) * 1e9;
    for (int k = 0; k < ANALYSIS_LEGS; k++) {
        const enum analysis_leg leg = (enum analysis_leg)k;
        double mean = analysis_leg_series_mean_ns(&slot->cell[k], r->span_ns[k]);
        double beyond = leg_sign(leg) * mean - r->least_ns[k] - r->age_ns[k] / 2;
        w->leg_samples[k] = slot->cell[k].n;
        w->leg_s[k] = isfinite(mean) ? beyond * 1e-9 : w->leg_s[k];
        if (k < ANALYSIS_LEG_SERIES_LEAST && w->leg_samples[k] > 0)
            least_s[k] = (analysis_leg_series_least_ns(e->series, slot, k, r->tick[k]) - r->least_ns[k] -
                          leg_sign(leg) * r->pace[k] * (at_ns - (double)trip_clock_of(e, leg_end(leg))->first_ns)) * 1e-9;
    }
    w->data_s = fmax(0, w->leg_s[ANALYSIS_LEG_DATA_OUT] + w->leg_s[ANALYSIS_LEG_DATA_IN]);
    w->ack_s = fmax(0, w->leg_s[ANALYSIS_LEG_ACK_OUT] + w->leg_s[ANALYSIS_LEG_ACK_IN]);
    w->least_s = least_s[ANALYSIS_LEG_DATA_OUT] + least_s[ANALYSIS_LEG_DATA_IN];
    for (int k = 0; k < ANALYSIS_TIMED; k++) {
        double loop_ns = analysis_leg_series_mean_ns(&slot->cell[LOOP + k], 0);
        w->loop_s[k] = isfinite(loop_ns) ? loop_ns * 1e-9 : w->loop_s[k];
        w->loop_samples[k] = slot->cell[LOOP + k].n;
    }
}

size_t analysis_round_trip_waits(const struct analysis_round_trip *e, bool each, struct analysis_wait *waits)
{
    struct trip_reading r;
    double least_s[ANALYSIS_LEG_SERIES_LEAST] = {0};
    const struct analysis_leg_series *s = e->series;
    const size_t slots = s ? analysis_leg_series_slots(s) : 0;
    size_t n = 0;
    if (slots > 0 && (clock_tick(&e->sender) < 0 || clock_tick(&e->receiver) < 0))
        return 0;
    if (!waits)
        return each || slots == 0 ? slots : s->n + 1;
    trip_read(e, &r);
    struct analysis_wait w = {.loop_s = {NAN, NAN, NAN}};
    for (size_t at = 0, i = 0, next; at < slots; at = next) {
        const bool seen = s->slot[i].at == at;
        if (seen)
            trip_wait(e, &s->slot[i++], &r, least_s, &w);
        next = each || i == s->n ? at + 1 : s->slot[i].at;
        w.start_s = analysis_leg_series_start_s(s, at);
        w.width_s = analysis_leg_series_width_s(s);
        w.slots = (uint32_t)(next - at);
        waits[n++] = w;
        memset(w.leg_samples, 0, sizeof w.leg_samples);
        memset(w.loop_samples, 0, sizeof w.loop_samples);
    }
    return n;
}

double analysis_round_trip_hold_s(const struct analysis_round_trip *e, double from_s, double to_s, double *least_s)
{
    double sum_ns = 0, n = 0;
    *least_s = NAN;
    for (size_t i = 0; e->series && i < e->series->n; i++) {
        const struct analysis_leg_series_cell *c = &e->series->slot[i].cell[LOOP + ANALYSIS_LOOP_RECEIVER];
        double at_s = analysis_leg_series_start_s(e->series, e->series->slot[i].at);
        if (c->n == 0 || at_s < from_s || at_s >= to_s)
            continue;
        sum_ns += c->time_sum_ns;
        n += c->n;
        *least_s = fmin(*least_s, c->time_sum_ns / c->n * 1e-9);
    }
    return n > 0 ? sum_ns / n * 1e-9 : (double)NAN;
}

double analysis_round_trip_wait_s(const struct analysis_wait *waits, size_t n, double from_s, double to_s)
{
    double sum_s = 0, known = 0;
    for (size_t i = 0; i < n; i++) {
        double wait_s = waits[i].data_s + waits[i].ack_s;
        for (uint32_t k = isfinite(wait_s) ? analysis_wait_slots(&waits[i], from_s, to_s) : 0; k > 0; k--) {
            sum_s += wait_s;
            known++;
        }
    }
    return known > 0 ? sum_s / known : (double)NAN;
}

double analysis_round_trip_width_s(const struct analysis_wait *waits, size_t n)
{
    return n > 1 || (n == 1 && waits[0].slots > 1) ? analysis_wait_start_s(&waits[0], 1) - waits[0].start_s : 1e-6;
}

void analysis_round_trip_get(const struct analysis_round_trip *e, struct analysis_round_trip_figures *x)
{
    struct trip_reading r;
    trip_read(e, &r);
    const double sender_ns = r.age_ns[ANALYSIS_LEG_DATA_OUT], receiver_ns = r.age_ns[ANALYSIS_LEG_DATA_IN];
    *x = (struct analysis_round_trip_figures){.passed = e->xi, .clock_off_s = r.off_ns * 1e-9,
                                       .hold_s = e->holds > 0 ? e->hold_sum_ns / (double)e->holds * 1e-9 : NAN};
    for (int i = 0; i < ANALYSIS_LOOPS; i++)
        x->loop_least_s[i] = e->least_loop_ns[i] < INT64_MAX ? (double)e->least_loop_ns[i] * 1e-9 : NAN;
    x->tick_s = isnan(sender_ns + receiver_ns) ? (double)NAN : fmax(sender_ns, receiver_ns) * 1e-9;
    if (r.tick[ANALYSIS_LEG_DATA_IN] >= 0)
        x->stamped = e->stamped[r.tick[ANALYSIS_LEG_DATA_IN]].xi;
    double least_ns = 0;
    for (int i = 0; i < ANALYSIS_LEGS; i++) {
        const double wait_ns = leg_mean_ns(e, (enum analysis_leg)i, r.span_ns[i]) - r.least_ns[i] - r.age_ns[i] / 2;
        x->wait_s[i] = isnan(r.least_ns[i]) ? (double)NAN : fmax(0, wait_ns) * 1e-9;
        least_ns += r.least_ns[i];
    }
    /* Stamps are so old at most: that makes two of the minima as much too small. */
    x->floor_s = isnan(least_ns) ? (double)NAN : fmax(0, least_ns + sender_ns + receiver_ns) * 1e-9;
    for (int i = 0; i < ANALYSIS_LOOPS; i++) {
        enum analysis_leg go = i == ANALYSIS_LOOP_RECEIVER ? ANALYSIS_LEG_DATA_IN : ANALYSIS_LEG_ACK_IN;
        enum analysis_leg come = i == ANALYSIS_LOOP_RECEIVER ? ANALYSIS_LEG_ACK_OUT : ANALYSIS_LEG_DATA_OUT;
        x->stamped_least_s[i] = (r.least_ns[go] + r.least_ns[come] + r.age_ns[go]) * 1e-9;
    }
    x->data_wait_s = x->wait_s[ANALYSIS_LEG_DATA_OUT] + x->wait_s[ANALYSIS_LEG_DATA_IN];
    x->ack_wait_s = x->wait_s[ANALYSIS_LEG_ACK_OUT] + x->wait_s[ANALYSIS_LEG_ACK_IN];
}
