/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/floors.h"

#include "analysis/flows/leg_series.h"
#include "base/estimate.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIMES 256       /* and fewer flows are few */
#define REFERENCES 16   /* flows that others are compared with: the first to begin met the least */
#define LEAST_SHARED 8  /* times at which two flows are compared */
#define APART 2.0       /* loops between two samples: what lies between them is their mean */
#define ALIKE 0.3       /* of what one lacks: loops that differ by less are of the same length */
#define TURNS 0.6       /* likewise, of loops that change apart */
#define FOLLOWS 0.35    /* of what a loop changes by: the difference of two changes less behind a shared queue */
#define VARIES 8.0      /* times less than what is looked for: such a change proves nothing */
#define STOOD 0.5       /* of what is lacking stood in the queue when the flow began */
#define AT_ONCE 10.0    /* segments (RFC 6928, section 2) */
#define HANDSHAKE 2.0   /* frames: a SYN is that much faster than data, over two links */

/* A loop at some time, and how much longer another is then. */
struct floors_pair {
    double loop_s, more_s;
};

/* How two far loops differ. */
struct floors_shift {
    size_t n;
    double more_s;          /* median of the difference */
    double swing_s, turn_s; /* how much longer than at its least the measure mostly is; the difference, likewise */
};

/* One kind of pairs, both ways of data alike or not: do they share a queue? */
struct floors_vote {
    double swing_s, turn_s;
};

struct floors {
    struct analysis_evidence_set *s;
    const struct analysis_evidence *reference[REFERENCES];
    size_t n;
    struct floors_shift *shift; /* owned; of each flow to each reference */
    double *time_s;      /* owned; some handshakes' of many flows, in their order, and the phase's end; NULL: of few */
    double *longest_s[2]; /* owned; of queues of incoming data then, and of outgoing; NAN: nobody asked so far */
    struct floors_vote vote[2];
    double nearest_s; /* least of all far loops */
};

static double floors_median(const struct floors_pair *p, size_t n)
{
    double sorted[ANALYSIS_LEG_SERIES_SLOTS];
    for (size_t i = 0; i < n; i++)
        sorted[i] = p[i].more_s;
    qsort(sorted, n, sizeof *sorted, estimate_ascending);
    return sorted[n / 2];
}

/* What o's far loop is and how much longer e's, whenever e's has a sample between two of o's. */
static size_t floors_pairs(const struct analysis_evidence *e, const struct analysis_evidence *o,
                           struct floors_pair *pair)
{
    enum analysis_loop mine = analysis_evidence_far(e), its = analysis_evidence_far(o);
    const struct analysis_wait *before = NULL, *after = NULL;
    size_t n = 0;
    for (size_t i = 0, k = 0; i < e->n_waits; i++) {
        const struct analysis_wait *w = &e->waits[i];
        double at_s = w->start_s + (e->width_s - o->width_s) / 2;
        if (w->loop_samples[mine] == 0)
            continue;
        for (; k < o->n_waits && (!after || after->start_s < at_s); k++)
            if (o->waits[k].loop_samples[its] > 0) {
                before = after;
                after = &o->waits[k];
            }
        if (!before || after->start_s < at_s ||
            after->start_s - before->start_s > APART * (before->loop_s[its] + o->width_s))
            continue;
        double share = (at_s - before->start_s) / (after->start_s - before->start_s);
        double loop_s = before->loop_s[its] + share * (after->loop_s[its] - before->loop_s[its]);
        pair[n++] = (struct floors_pair){loop_s, w->loop_s[mine] - loop_s};
    }
    return n;
}

static struct floors_shift floors_shift_of(const struct analysis_evidence *e, const struct analysis_evidence *o)
{
    struct floors_pair pair[ANALYSIS_LEG_SERIES_SLOTS];
    size_t n = e == o ? 0 : floors_pairs(e, o, pair), low = n / 16 > 2 ? n / 16 : 2;
    if (n < LEAST_SHARED)
        return (struct floors_shift){0};
    qsort(pair, n, sizeof *pair, estimate_ascending);
    return (struct floors_shift){n, floors_median(pair, n), pair[low + (n - low) / 2].loop_s - pair[low / 2].loop_s,
                                 floors_median(pair + low, n - low) - floors_median(pair, low)};
}

/* What a flow lacks that shares its queue with a reference. */
static double floors_lacks(const struct analysis_evidence *e, const struct analysis_evidence *o,
                           const struct floors_shift *x)
{
    return e->own_far_s - o->own_far_s - x->more_s;
}

/* What stood in the far queue at a time, by one of its flows; NAN before that has begun. */
static double floors_stood(const struct analysis_evidence *e, double at_s)
{
    double loop_s = NAN;
    for (size_t i = 0; i < e->n_waits && e->waits[i].start_s <= at_s; i++)
        loop_s = e->waits[i].loop_s[analysis_evidence_far(e)];
    return loop_s - e->own_far_s;
}

/* Flows to one peer have the least of theirs. */
static void floors_peers(const struct analysis_evidence_set *s)
{
    struct analysis_evidence **by = analysis_evidence_by_peer(s);
    for (size_t i = 0, end = 0; i < s->n; i = end) {
        double least_s = INFINITY;
        for (end = i; end < s->n && analysis_evidence_same_peer(by[end], by[i]); end++)
            least_s = fmin(least_s, by[end]->own_far_s);
        for (size_t k = i; k < end; k++)
            by[k]->own_far_s = fmin(by[k]->own_far_s, least_s);
    }
    free(by);
}

/* The host's flows by themselves: the least of their loops, or of another to the same peer. */
static void floors_own(struct floors *f, double frame_s)
{
    struct analysis_evidence_set *s = f->s;
    double near_s = INFINITY;
    f->nearest_s = INFINITY;
    for (size_t i = 0; i < s->n; i++) {
        struct analysis_evidence *e = &s->flow[i];
        double shake_s = e->flow->incoming ? e->far_s : e->far_s + HANDSHAKE * frame_s;
        near_s = fmin(near_s, fmin(e->near_s, e->least_s[analysis_evidence_near(e)]));
        e->own_far_s = fmin(shake_s, e->least_s[analysis_evidence_far(e)]);
        e->own_far_s = isnan(e->own_far_s) ? e->stamped_s[analysis_evidence_far(e)] : e->own_far_s; /* no loop is whole */
        f->nearest_s = fmin(f->nearest_s, e->own_far_s);
    }
    floors_peers(s);
    for (size_t i = 0; i < s->n; i++) {
        s->flow[i].far_least_s = s->flow[i].own_far_s;
        s->flow[i].near_least_s = near_s;
    }
}

static int floors_by_start(const void *a, const void *b)
{
    const struct analysis_evidence *x = *(const struct analysis_evidence *const *)a,
                                   *y = *(const struct analysis_evidence *const *)b;
    return (x->start_s > y->start_s) - (x->start_s < y->start_s);
}

/* The flows that began first, of those that show their loops. */
static void floors_references(struct floors *f)
{
    for (size_t i = 0; i < f->s->n; i++) {
        const struct analysis_evidence *e = &f->s->flow[i];
        if (e->n_waits == 0 || (f->n == REFERENCES && f->reference[f->n - 1]->start_s <= e->start_s))
            continue;
        f->n -= f->n == REFERENCES;
        f->reference[f->n++] = e;
        qsort(f->reference, f->n, sizeof *f->reference, floors_by_start);
    }
}

static struct floors_vote *floors_vote_of(struct floors *f, const struct analysis_evidence *e,
                                          const struct analysis_evidence *o)
{
    return &f->vote[e->flow->incoming != o->flow->incoming];
}

static void floors_count(struct floors *f)
{
    for (size_t i = 0; i < f->s->n; i++)
        for (size_t k = 0; k < f->n; k++) {
            const struct analysis_evidence *e = &f->s->flow[i], *o = f->reference[k];
            struct floors_shift *x = &f->shift[i * REFERENCES + k];
            *x = floors_shift_of(e, o);
            if (x->n == 0 || !(x->swing_s > fabs(floors_lacks(e, o, x)) / VARIES))
                continue;
            floors_vote_of(f, e, o)->swing_s += x->swing_s;
            floors_vote_of(f, e, o)->turn_s += fabs(x->turn_s);
        }
}

/* Does a flow wait behind the same frames as the reference? Where the wait changed, both show it or not; where it did
 * not, other flows tell; else it is likely when the queue already stood. */
static bool floors_shared(struct floors *f, const struct analysis_evidence *e, const struct analysis_evidence *o,
                          const struct floors_shift *x)
{
    double lacks_s = floors_lacks(e, o, x);
    const struct floors_vote *v = floors_vote_of(f, e, o);
    if (x->swing_s > lacks_s / VARIES)
        return fabs(x->turn_s) < FOLLOWS * x->swing_s;
    if (v->swing_s > 0)
        return v->turn_s < FOLLOWS * v->swing_s;
    return floors_stood(o, e->start_s + e->own_far_s) > STOOD * lacks_s;
}

/* What a flow had sent by a time: in the bin of that time evenly since it began, and at least what a new one may at once. */
static double floors_sent(const struct analysis_evidence *e, double until_s)
{
    size_t begin, end;
    analysis_bins_range(e->bins, 0, llround(until_s * 1e9), &begin, &end);
    double from_s = fmax(e->start_s, (double)analysis_bins_start_ns(e->bins, end) * 1e-9);
    double left_s = (double)analysis_bins_start_ns(e->bins, end + 1) * 1e-9 - from_s;
    double share = left_s > 0 ? fmin(1, (until_s - from_s) / left_s) : 1;
    double bytes = (double)analysis_bins_sum(e->bins, begin, end).bytes +
                   share * (double)analysis_bins_get(e->bins, end).bytes;
    return fmax(bytes, AT_ONCE * JUDGE_FULL);
}

/* The longest that a queue can have been at until_s: what its flows had sent by then and what is not TCP, at no more than
 * what they carry. */
static double floors_most_s(const struct floors *f, bool incoming, double until_s)
{
    const struct analysis_evidence_set *s = f->s;
    double bytes = 0, carried_bps = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct analysis_evidence *e = &s->flow[i];
        if (e->flow->incoming != incoming)
            continue;
        carried_bps += e->flow->rate_bps;
        bytes += e->bins && e->start_s < until_s ? floors_sent(e, until_s) : 0;
    }
    double others = s->other_bps[!incoming] * (s->to_s - s->from_s);
    return carried_bps > 0 ? (bytes * 8 + others) / carried_bps : others > 0 ? INFINITY : 0;
}

/* The longest that may have stood in queues when the handshake passed: outgoing data delay its first packet, incoming ones
 * the answer. INFINITY: nobody saw it. */
static double floors_met_s(const struct floors *f, const struct analysis_evidence *e)
{
    return isnan(e->handshake_s + e->far_s) ? INFINITY
                                            : floors_most_s(f, false, e->handshake_s) +
                                                  floors_most_s(f, true, e->handshake_s + e->far_s);
}

/* Of many flows only those are asked that began about when that much had been sent: to sum up all for each is quadratic. */
static void floors_times(struct floors *f)
{
    double *all_s = memory_zeroed(f->s->n + 1, sizeof *all_s, "a diagnosis");
    size_t n = 0;
    for (size_t i = 0; i < f->s->n; i++)
        if (!isnan(f->s->flow[i].handshake_s + f->s->flow[i].far_s))
            all_s[n++] = f->s->flow[i].handshake_s;
    qsort(all_s, n, sizeof *all_s, estimate_ascending);
    f->time_s = n > TIMES ? memory_zeroed(TIMES, sizeof *f->time_s, "a diagnosis") : NULL;
    for (size_t k = 0; k < TIMES && f->time_s; k++)
        f->time_s[k] = k + 1 < TIMES ? all_s[k * n / TIMES] : fmax(f->s->to_s, all_s[n - 1]);
    for (int way = 0; way < 2 && f->time_s; way++) {
        f->longest_s[way] = memory_zeroed(TIMES, sizeof *f->longest_s[way], "a diagnosis");
        for (size_t k = 0; k < TIMES; k++)
            f->longest_s[way][k] = NAN;
    }
    free(all_s);
}

static double floors_longest_s(struct floors *f, bool incoming, size_t k)
{
    double *longest_s = &f->longest_s[!incoming][k];
    *longest_s = isnan(*longest_s) ? floors_most_s(f, incoming, f->time_s[k]) : *longest_s;
    return *longest_s;
}

/* Adds what a queue can have been at least and at most at a time: the later, the longer. */
static void floors_bounds(struct floors *f, bool incoming, double at_s, double bounds_s[2])
{
    const size_t before = estimate_below(f->time_s, TIMES, at_s);
    bounds_s[0] += before > 0 ? floors_longest_s(f, incoming, before - 1) : 0;
    bounds_s[1] += before < TIMES ? floors_longest_s(f, incoming, before) : (double)INFINITY;
}

/* May so much have stood in queues when the handshake passed? *met_s: that of floors_met_s(), NAN so far. */
static bool floors_met(struct floors *f, const struct analysis_evidence *e, double stood_s, double *met_s)
{
    if (isnan(*met_s) && f->time_s && !isnan(e->handshake_s + e->far_s)) {
        double bounds_s[2] = {0, 0};
        floors_bounds(f, false, e->handshake_s, bounds_s);
        floors_bounds(f, true, e->handshake_s + e->far_s, bounds_s);
        if (bounds_s[0] >= stood_s || bounds_s[1] < stood_s)
            return bounds_s[0] >= stood_s;
    }
    *met_s = isnan(*met_s) ? floors_met_s(f, e) : *met_s;
    return *met_s >= stood_s;
}

/* The least of a flow's far loop by what one reference shows of its queue; INFINITY: nothing. */
static double floors_by(struct floors *f, const struct analysis_evidence *e, const struct analysis_evidence *o,
                        const struct floors_shift *x)
{
    double more_s = e->own_far_s - o->own_far_s, lacks_s = floors_lacks(e, o, x);
    if (x->n == 0) { /* hardly more than its handshake shows its loop: less what stood in the queue then */
        double stood_s = e != o ? floors_stood(o, e->start_s) : (double)NAN;
        return stood_s > 0 ? fmax(f->nearest_s, e->own_far_s - stood_s) : INFINITY;
    }
    /* As long as the other all the time, but for that. */
    if (more_s > 0 && fabs(x->more_s) < ALIKE * more_s && fabs(x->turn_s) < TURNS * more_s)
        return o->own_far_s;
    if (lacks_s > 0 && floors_shared(f, e, o, x)) /* and no nearer than the nearest that shows */
        return fmax(f->nearest_s, e->own_far_s - lacks_s);
    return INFINITY;
}

static void floors_share(struct floors *f)
{
    for (size_t i = 0; i < f->s->n; i++) {
        struct analysis_evidence *e = &f->s->flow[i];
        double met_s = NAN; /* asked for where a reference would lower the floor: it sums up all flows */
        for (size_t k = 0; k < f->n; k++) {
            const struct analysis_evidence *o = f->reference[k];
            const struct floors_shift *x = &f->shift[i * REFERENCES + k];
            double least_s = floors_by(f, e, o, x);
            if (!(least_s < e->far_least_s))
                continue;
            if (floors_met(f, e, fmax(e->own_far_s - o->own_far_s, floors_lacks(e, o, x)), &met_s))
                e->far_least_s = least_s;
        }
    }
}

void analysis_floors_find(struct analysis_evidence_set *s)
{
    struct floors f = {.s = s, .shift = memory_zeroed(s->n * REFERENCES + 1, sizeof *f.shift, "a diagnosis")};
    floors_own(&f, s->frame_s);
    floors_references(&f);
    floors_count(&f);
    floors_times(&f);
    floors_share(&f);
    MEMORY_FREE(f.shift, f.time_s, f.longest_s[0], f.longest_s[1]);
}
