/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/evidence.h"

#include "analysis/flows/leg_series.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of waits. */
#define TICKS 10             /* and more: stamps tell legs apart */
#define HARDLY 4             /* times longer before the tap than after it */
#define TICKS_TRIP 4         /* of the capture's clock, and more: a round trip that shows */
#define FEW_SEGMENTS 4       /* in flight: too few for Little's law */
#define NOISE 0.03           /* of the round trip, and more: stamps are not used */
#define MOST_SEGMENTS 0.8    /* of its segments belong to bursts from rest */
#define LATER 2              /* times what queues explain: an application does */
#define EARLIER 16           /* flows are asked, at most */
#define LEAST_LOOPS 16       /* to take their mean */

/* Of senders. A window-limited one is always within a segment or two of its window and answers every ACK. */
#define CLOSED 0.05          /* of ACKs offer less than two segments */
#define EDGE 0.75            /* of the window offered is in flight, and all of it at times: its edge is near */
#define SHORTS 0.05          /* of its segments are short: an application's writes end there */
#define ROOM_SEGMENTS 2
#define LEAST_BREAKS 8       /* starts with nothing in flight */
#define BREAKS_JITTER 0.08
#define FALLEN 0.7           /* of the most in flight, and nothing lost: no window shrinks by itself */
#define LESS 0.3             /* of what another lacks */
#define LOW_WAIT 0.25        /* of the mean in the phase: its ACKs did not wait then */
#define RATE_SEGMENTS 16     /* to take a rate from */
#define LOSS_EVENTS 2

#define MTU_PAYLOAD 1448.0   /* of a frame */
#define MTU_MSS 1460.0       /* and more: jumbo frames */
#define JUMBO_MSS 9176.0     /* of a packet of 9216 bytes, and more: super-frames, cut on the wire */
#define ETHERNET 24.0        /* FCS, preamble, gap: of a frame on the wire besides its bytes */

enum analysis_loop analysis_evidence_near(const struct analysis_evidence *e)
{
    return e->flow->incoming ? ANALYSIS_LOOP_RECEIVER : ANALYSIS_LOOP_SENDER;
}

enum analysis_loop analysis_evidence_far(const struct analysis_evidence *e)
{
    return e->flow->incoming ? ANALYSIS_LOOP_SENDER : ANALYSIS_LOOP_RECEIVER;
}

double analysis_evidence_payload(double full_bytes)
{
    return full_bytes > 0 && full_bytes <= JUMBO_MSS ? full_bytes : MTU_PAYLOAD;
}

double analysis_evidence_frame_bits(double full_bytes)
{
    return (fmax(full_bytes, MTU_PAYLOAD) + JUDGE_AROUND) * 8;
}

static int evidence_peer_order(const void *a, const void *b)
{
    const struct analysis_evidence *x = *(const struct analysis_evidence *const *)a, *y = *(const struct analysis_evidence *const *)b;
    int order = memcmp(&x->peer, &y->peer, sizeof x->peer);
    return order ? order : (x > y) - (x < y);
}

struct analysis_evidence **analysis_evidence_by_peer(const struct analysis_evidence_set *s)
{
    struct analysis_evidence **by = memory_zeroed(s->n + 1, sizeof *by, "a diagnosis");
    for (size_t i = 0; i < s->n; i++)
        by[i] = &s->flow[s->by_peer ? s->by_peer[i] : i];
    if (!s->by_peer)
        qsort(by, s->n, sizeof *by, evidence_peer_order);
    return by;
}

bool analysis_evidence_same_peer(const struct analysis_evidence *x, const struct analysis_evidence *y)
{
    return memcmp(&x->peer, &y->peer, sizeof x->peer) == 0;
}

double analysis_evidence_rtt_s(const struct analysis_evidence *e)
{
    return e->floor_s + e->data_wait_s + e->ack_wait_s;
}

bool analysis_evidence_shows(const struct analysis_evidence_set *s, const struct analysis_evidence *e)
{
    return !(analysis_evidence_rtt_s(e) < TICKS_TRIP * s->stamp_s);
}

double analysis_evidence_idle(const struct analysis_evidence_set *s, const struct analysis_evidence *e)
{
    double rtt_s = analysis_evidence_rtt_s(e);
    if (!isfinite(rtt_s)) /* that ACK may have waited after the tap for as long */
        return 0;
    return (e->clocking.gaps_s - e->clocking.restarts * rtt_s) / (s->to_s - s->from_s);
}

/* A flow's waits at a time; NULL outside. */
static const struct analysis_wait *evidence_waits_at(const struct analysis_evidence *e, double at_s)
{
    if (e->n_waits == 0 || at_s < e->waits[0].start_s)
        return NULL;
    size_t low = 0, high = e->n_waits - 1;
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        if (e->waits[middle].start_s <= at_s)
            low = middle;
        else
            high = middle - 1;
    }
    return &e->waits[low];
}

static double evidence_least_s(const struct analysis_evidence *e, double at_s, double span_s)
{
    double least_s = NAN;
    if (e->n_waits == 0)
        return NAN;
    const struct analysis_wait *w = evidence_waits_at(e, at_s - span_s / 2), *end = e->waits + e->n_waits;
    for (w = w ? w : e->waits; w < end && w->start_s <= at_s + span_s / 2; w++)
        least_s = fmin(least_s, w->least_s);
    return least_s;
}

double analysis_evidence_least_s(const struct analysis_evidence *e, double at_s, double span_s)
{
    return evidence_least_s(e, at_s, span_s) + e->missing_s[0];
}

/* Means over the packets of the phase. */
static void evidence_means(const struct analysis_evidence_set *s, struct analysis_evidence *e)
{
    double sum[ANALYSIS_LEGS] = {0}, n[ANALYSIS_LEGS] = {0}, loops[ANALYSIS_TIMED] = {0};
    memset(e->loop_samples, 0, sizeof e->loop_samples);
    for (int k = 0; k < ANALYSIS_LEGS; k++)
        e->leg_s[k] = NAN;
    for (size_t i = 0; i < e->n_waits && e->waits[i].start_s < s->to_s; i++) {
        const struct analysis_wait *w = &e->waits[i];
        memcpy(e->leg_s, w->leg_s, sizeof e->leg_s);
        for (int k = 0; k < ANALYSIS_LEGS && w->start_s >= s->from_s; k++) {
            sum[k] += w->leg_samples[k] * w->leg_s[k];
            n[k] += w->leg_samples[k];
        }
        for (int k = 0; k < ANALYSIS_TIMED && w->start_s >= s->from_s; k++) {
            loops[k] += w->loop_samples[k] > 0 ? w->loop_samples[k] * w->loop_s[k] : 0;
            e->loop_samples[k] += w->loop_samples[k];
        }
    }
    for (int k = 0; k < ANALYSIS_LEGS; k++) {
        e->leg_seen[k] = n[k] > 0;
        e->leg_s[k] = n[k] > 0 ? sum[k] / n[k] : e->leg_s[k];
    }
    for (int k = 0; k < ANALYSIS_TIMED; k++)
        e->loop_s[k] = e->loop_samples[k] > 0 ? loops[k] / e->loop_samples[k] : (double)NAN;
}

/* How its waits change in the phase. */
static void evidence_trips(const struct analysis_evidence_set *s, struct analysis_evidence *e)
{
    struct estimate_line trips = {0};
    double least_s = INFINITY, most_s = -INFINITY;
    for (size_t i = 0; i < e->n_waits && e->waits[i].start_s < s->to_s; i++) {
        const struct analysis_wait *w = &e->waits[i];
        const double wait_s = w->data_s + w->ack_s, before = nearbyint(w->start_s / w->width_s); /* as they begin */
        const size_t n = trips.n;
        for (uint32_t k = 0; k < w->slots && isfinite(wait_s); k++) {
            const double at_s = k == 0 ? w->start_s : (before + k) * w->width_s;
            if (at_s >= s->from_s && at_s < s->to_s)
                estimate_line_add(&trips, at_s, wait_s);
        }
        least_s = trips.n > n ? fmin(least_s, wait_s) : least_s;
        most_s = trips.n > n ? fmax(most_s, wait_s) : most_s;
    }
    e->trips_slope = estimate_slope(&trips).value;
    e->trips_range_s = most_s - least_s;
}

/* No wait is negative; an unknown one stays so. */
static double evidence_wait_of(double wait_s)
{
    return isnan(wait_s) ? NAN : fmax(0, wait_s);
}

/* What a flow's stamps never saw of the way from the tap to the other end and back: it always stood in the queue. */
static double evidence_far_lacks_s(const struct analysis_evidence *e)
{
    double lacks_s = e->stamped_s[analysis_evidence_far(e)] - e->far_least_s;
    return isfinite(lacks_s) ? lacks_s : 0;
}

static enum analysis_leg evidence_leg_there(const struct analysis_evidence *e)
{
    return e->flow->incoming ? ANALYSIS_LEG_ACK_IN : ANALYSIS_LEG_DATA_IN;
}

static enum analysis_leg evidence_leg_back(const struct analysis_evidence *e)
{
    return e->flow->incoming ? ANALYSIS_LEG_DATA_OUT : ANALYSIS_LEG_ACK_OUT;
}

/* Over each half of flows in a row, halves of halves and so on: the least that one's stamps never saw, and when the waits of
 * the first begin. Who looks for those below a bound passes over the rest. */
struct evidence_tree {
    size_t n; /* a power of two */
    struct evidence_least {
        double lacks_s, from_s;
    } *least; /* owned; [1]: of all; [2 i] and [2 i + 1]: halves of [i] */
};

/* Of flow[n] or, with `stamped`, of those of them alone whose ways to the other end and back show. */
static struct evidence_tree evidence_tree_of(struct analysis_evidence *const *flow, size_t n, bool stamped)
{
    struct evidence_tree x = {.n = 1};
    while (x.n < n)
        x.n *= 2;
    x.least = memory_zeroed(2 * x.n, sizeof *x.least, "a diagnosis");
    for (size_t i = 0; i < x.n; i++) {
        const struct analysis_evidence *e = i < n ? flow[i] : NULL;
        bool out = !e || (stamped && !isfinite(e->leg_s[evidence_leg_there(e)] + e->leg_s[evidence_leg_back(e)]));
        x.least[x.n + i] = (struct evidence_least){out ? (double)INFINITY : evidence_far_lacks_s(e),
                                                   out || e->n_waits == 0 ? (double)INFINITY : e->waits[0].start_s};
    }
    for (size_t i = x.n; i-- > 1;)
        x.least[i] = (struct evidence_least){fmin(x.least[2 * i].lacks_s, x.least[2 * i + 1].lacks_s),
                                             fmin(x.least[2 * i].from_s, x.least[2 * i + 1].from_s)};
    return x;
}

/* The first from place `at` on that lacks less than that and whose waits begin by until_s; x->n: none. */
static size_t evidence_tree_next(const struct evidence_tree *x, size_t at, double lacks_s, double until_s)
{
    for (size_t i = x->n + at, width = 1; at < x->n;) {
        const bool none = !(x->least[i].lacks_s < lacks_s) || x->least[i].from_s > until_s;
        if (!none && i >= x->n)
            return at;
        if (!none) { /* it may be in its first half */
            i *= 2;
            width /= 2;
            continue;
        }
        for (at += width, i++; i % 2 == 0 && width < x->n; i /= 2) /* the second one of both has been passed */
            width *= 2;
    }
    return x->n;
}

/* Flows to one other end pass the same queues. Where what one lacks makes its ways most like those of another whose stamps saw
 * more, there it waited: bit/s of those that say so of the way to the other end, less those that do not. */
static double evidence_likened_bps(struct analysis_evidence *const *peers, const struct evidence_tree *x,
                                   const struct analysis_evidence *e, size_t *seen)
{
    double lacks_s = evidence_far_lacks_s(e), there_bps = 0;
    double to_s = e->leg_s[evidence_leg_there(e)], back_s = e->leg_s[evidence_leg_back(e)];
    for (size_t i = 0; isfinite(to_s + back_s) && *seen < EARLIER; i++) {
        if ((i = evidence_tree_next(x, i, LESS * lacks_s, INFINITY)) == x->n)
            break;
        const struct analysis_evidence *o = peers[i];
        double off_to_s = o->leg_s[evidence_leg_there(o)] - to_s;
        double off_back_s = o->leg_s[evidence_leg_back(o)] - back_s;
        double off_s = fabs(off_to_s) + fabs(off_back_s - lacks_s) - fabs(off_to_s - lacks_s) - fabs(off_back_s);
        there_bps += off_s > 0 ? o->flow->rate_bps : -o->flow->rate_bps;
        (*seen)++;
    }
    return there_bps;
}

/* Did what a flow lacks wait on the way to the other end? If not, it waited on the way back, at the port towards the
 * host. Behind a tap that is before the host's own queue it did: when the flow's loop was at its least, stamps of
 * others that saw more of it show that queue, those of data or of ACKs, the more the more they carry: what small flows wait
 * for may be a timer of delayed ACKs. Those to the same other end are asked first. *told: some did, or there is nothing to
 * tell. */
static bool evidence_there(const struct analysis_evidence_set *s, const struct evidence_tree *all,
                           struct analysis_evidence *const *peers, const struct evidence_tree *x,
                           const struct analysis_evidence *e, bool *told)
{
    *told = true;
    double least_s = INFINITY, at_s = e->start_s;
    enum analysis_loop far = analysis_evidence_far(e);
    double lacks_s = evidence_far_lacks_s(e);
    size_t seen = 0;
    if (!(lacks_s > 0))
        return false;
    double there_bps = evidence_likened_bps(peers, x, e, &seen);
    if (seen > 0)
        return there_bps > 0;
    for (size_t i = 0; i < e->n_waits; i++)
        if (e->waits[i].loop_samples[far] > 0 && e->waits[i].loop_s[far] < least_s) {
            least_s = e->waits[i].loop_s[far];
            at_s = e->waits[i].start_s;
        }
    for (size_t i = 0; seen < EARLIER; i++, seen++) {
        if ((i = evidence_tree_next(all, i, LESS * lacks_s, at_s)) == all->n)
            break;
        const struct analysis_evidence *o = &s->flow[i];
        const struct analysis_wait *w = evidence_waits_at(o, at_s);
        bool there = w->leg_s[evidence_leg_there(o)] > fmax(w->leg_s[evidence_leg_back(o)], ANALYSIS_EVIDENCE_TICKS * o->tick_s);
        there_bps += there ? o->flow->rate_bps : -o->flow->rate_bps;
    }
    *told = seen > 0;
    return there_bps > 0;
}

/* Where outgoing data wait: before the tap or after it. */
static void evidence_around_tap(struct analysis_evidence *e, double before_s, double after_s)
{
    e->before_s = !e->flow->incoming && before_s > HARDLY * fmax(after_s, 0) ? (float)before_s : 0;
    e->after_s = !e->flow->incoming && after_s > e->tick_s ? (float)after_s : 0;
}

/* Of flows to one peer. */
static void evidence_waits_of(const struct analysis_evidence_set *s, const struct evidence_tree *all,
                              struct analysis_evidence **peers, size_t n)
{
    struct evidence_tree x = evidence_tree_of(peers, n, true);
    for (size_t i = 0; i < n; i++) {
        struct analysis_evidence *e = peers[i];
        double near_s = e->stamped_s[analysis_evidence_near(e)] - e->near_least_s;
        double far_s = evidence_far_lacks_s(e);
        near_s = isfinite(near_s) ? near_s : 0;
        bool told, there = evidence_there(s, all, peers, &x, e, &told);
        e->there_s = (s->stands_there && e->stood_s > 0) || there ? far_s : 0;
        e->unplaced_s = told || e->stood_s > 0 ? 0 : e->flow->incoming ? far_s : -far_s;
        e->missing_s[!e->flow->incoming] = far_s - e->there_s; /* in data waits of an incoming flow */
        e->missing_s[e->flow->incoming] = near_s + e->there_s;
        double data_out_s = e->leg_s[ANALYSIS_LEG_DATA_OUT];
        double data_in_s = e->leg_s[ANALYSIS_LEG_DATA_IN];
        evidence_around_tap(e, data_out_s, data_in_s + e->there_s);
        e->beyond_s = e->flow->incoming ? data_in_s : data_in_s + e->there_s;
        e->data_wait_s = evidence_wait_of(data_out_s + data_in_s + e->missing_s[0]);
        double ack_out_s = e->leg_s[ANALYSIS_LEG_ACK_OUT];
        double ack_in_s = e->leg_s[ANALYSIS_LEG_ACK_IN];
        e->ack_beyond_s = ack_in_s + (e->flow->incoming ? e->there_s : 0);
        e->ack_far_s = e->flow->incoming ? e->ack_beyond_s : ack_out_s + far_s - e->there_s;
        e->ack_wait_s = evidence_wait_of(ack_out_s + ack_in_s + e->missing_s[1]);
        if (isfinite(e->near_least_s + e->far_least_s))
            e->floor_s = e->near_least_s + e->far_least_s;
        if (isnan(e->floor_s)) /* no round trip shows: nor does what a leg of it waits */
            e->data_wait_s = e->ack_wait_s = NAN;
    }
    free(x.least);
}

static void evidence_waits(struct analysis_evidence_set *s)
{
    struct analysis_evidence **by = memory_zeroed(s->n + 1, sizeof *by, "a diagnosis");
    for (size_t i = 0; i < s->n; i++)
        by[i] = &s->flow[i];
    struct evidence_tree all = evidence_tree_of(by, s->n, false);
    free(by);
    by = analysis_evidence_by_peer(s);
    for (size_t i = 0, end = 0; i < s->n; i = end) {
        for (end = i; end < s->n && analysis_evidence_same_peer(by[end], by[i]);)
            end++;
        evidence_waits_of(s, &all, by + i, end - i);
    }
    free(all.least);
    free(by);
}

/* Is as much in flight as its window allows again and again? It cuts segments then, and lets them go by its ACKs' pace. */
static bool evidence_edge(const struct analysis_evidence *e)
{
    const struct analysis_clocking_figures *k = &e->clocking;
    return k->most_bytes + ROOM_SEGMENTS * k->full_bytes >= k->offered_bytes && k->flight_bytes >= EDGE * k->offered_bytes;
}

/* A break costs a round trip, so that less than one in twenty matters to nobody; a sender at its edge makes none. */
static bool evidence_pauses(const struct analysis_evidence_set *s, const struct analysis_evidence *e)
{
    const struct analysis_clocking_figures *k = &e->clocking;
    double trips = (s->to_s - s->from_s) * e->flow->rate_bps / 8 / k->flight_bytes;
    bool breaks = k->restarts >= LEAST_BREAKS && !(k->restarts < JUDGE_DIAGNOSIS_TOTAL * trips) &&
                  !(k->jitter <= BREAKS_JITTER);
    bool losses = e->flow->loss_events >= LOSS_EVENTS; /* its timer rests then, not the application */
    return !losses && !evidence_edge(e) && (e->flow->idle || breaks || e->clocking.short_share > SHORTS);
}

/* What the host's flows show together; [1]: of incoming data, or of what goes to the host. */
struct evidence_together {
    double lent_s[2]; /* the least that steady flows wait from the tap to that end; NAN without any */
    double receiver_s[2], receivers[2]; /* sum and number of known waits in the loops to receivers */
    double bursts[2]; /* bursts from rest, and waits of flows that do not rest, each by its rate */
};

/* A leg from the tap to an end; what the flow always waited there is known by others. */
static double evidence_from_tap_s(const struct analysis_evidence *e, enum analysis_leg leg)
{
    bool there = (leg == ANALYSIS_LEG_ACK_IN) == e->flow->incoming;
    return e->leg_s[leg] + (there ? e->there_s : 0);
}

/* The same of a flow that pauses: no more than steady flows wait there. NAN where none does. */
static double evidence_lent_s(const struct evidence_together *all, const struct analysis_evidence *e, enum analysis_leg leg)
{
    double least_s = all->lent_s[e->flow->incoming == (leg == ANALYSIS_LEG_DATA_IN)];
    return fmin(least_s, isfinite(least_s) ? evidence_from_tap_s(e, leg) : (double)NAN);
}

/* Mean wait in the loop to the receiver; NAN unknown. */
static double evidence_receiver_s(const struct analysis_evidence *e)
{
    return e->loop_wait_s + e->loop_least_s - (e->flow->incoming ? e->near_least_s : e->far_least_s);
}

/* What its data wait for those before them in bursts from rest; 0 where these are not most of what it sends. */
static double evidence_burst_s(const struct analysis_evidence_set *s, const struct analysis_evidence *e)
{
    double samples = e->loop_samples[ANALYSIS_BURST], burst_s = e->loop_s[ANALYSIS_BURST];
    double segments = e->flow->rate_bps / 8 * (s->to_s - s->from_s) / e->clocking.full_bytes;
    return samples >= LEAST_LOOPS && samples > MOST_SEGMENTS * segments ? burst_s : 0;
}

/* What a flow's data meet in the host's queue: ACKs of the other direction's flows are timed there by themselves, and a
 * FIFO is the same for all. A burst from rest does not meet the one before it: less by the flow's part in all.
 * NAN unknown. */
static double evidence_queue_s(const struct evidence_together *all, const struct analysis_evidence *e)
{
    bool incoming = e->flow->incoming;
    double own = e->burst_s * e->flow->rate_bps;
    double mean_s = all->receiver_s[!incoming] / all->receivers[!incoming];
    return all->receivers[!incoming] > 0 ? mean_s * (own > 0 ? 1 - own / all->bursts[incoming] : 1) : NAN;
}

static struct evidence_together evidence_together_of(struct analysis_evidence_set *s)
{
    struct evidence_together all = {.lent_s = {NAN, NAN}};
    for (size_t i = 0; i < s->n; i++) {
        struct analysis_evidence *e = &s->flow[i];
        double wait_s = evidence_receiver_s(e);
        bool in = e->flow->incoming;
        e->burst_s = evidence_burst_s(s, e);
        all.receiver_s[in] += isfinite(wait_s) ? fmax(0, wait_s) : 0;
        all.receivers[in] += isfinite(wait_s);
        double own_s = e->burst_s > 0 || e->pauses ? e->burst_s : e->data_wait_s;
        all.bursts[in] += isfinite(own_s) ? own_s * e->flow->rate_bps : 0;
        for (int to = 0; to < 2 && isfinite(e->tick_s) && !e->pauses; to++)
            all.lent_s[to] = fmin(all.lent_s[to], evidence_from_tap_s(e, in == (to == 1) ? ANALYSIS_LEG_DATA_IN
                                                                                            : ANALYSIS_LEG_ACK_IN));
    }
    return all;
}

/* An application keeps the sender waiting: what leaves it does not show when the ACK before came there. Data begin
 * from rest much later than queues make them. */
static bool evidence_kept_waiting(const struct evidence_together *all, const struct analysis_evidence *e)
{
    const struct analysis_clocking_figures *k = &e->clocking;
    double burst_s = e->burst_s, loop_s = e->loop_s[ANALYSIS_LOOP_SENDER],
                    least_s = e->flow->incoming ? e->far_least_s : e->near_least_s,
                    lent_s = evidence_lent_s(all, e, ANALYSIS_LEG_ACK_IN); /* its ACKs wait there, too */
    return e->pauses ||
           (burst_s > 0 && e->lossless && k->most_bytes < FALLEN * k->offered_bytes &&
            loop_s - least_s > LATER * (burst_s + evidence_queue_s(all, e) + (lent_s > 0 ? lent_s : 0)));
}

/* Stamps show the way from the ends to the tap, whatever lets data go. Where their ticks leave too much noise, ACKs are
 * timed from the data that they acknowledge, and data from the first of their burst, which meets the queue. On the way
 * from the tap its packets wait in the queues that others wait in. */
static void evidence_applications(const struct analysis_evidence_set *s, const struct evidence_together *all)
{
    for (size_t i = 0; i < s->n; i++) {
        struct analysis_evidence *e = &s->flow[i];
        double data_s = e->leg_s[ANALYSIS_LEG_DATA_OUT], ack_s = e->leg_s[ANALYSIS_LEG_ACK_OUT];
        double queue_s = evidence_queue_s(all, e), burst_s = e->burst_s;
        double receiver_s = evidence_receiver_s(e);
        if (!isfinite(e->tick_s + data_s + ack_s) || !evidence_kept_waiting(all, e))
            continue;
        double data_in_s = evidence_lent_s(all, e, ANALYSIS_LEG_DATA_IN);
        double ack_in_s = evidence_lent_s(all, e, ANALYSIS_LEG_ACK_IN);
        /* A stamp is up to a tick old, those of one burst equally: so far is their mean off. */
        double noise_s = e->tick_s / sqrt(12 * fmax(1, fmin(e->clocking.restarts, (s->to_s - s->from_s) / e->tick_s)));
        data_s = fmax(0, data_s + (isfinite(data_in_s) ? data_in_s : 0));
        ack_s = fmax(0, ack_s + (isfinite(ack_in_s) ? ack_in_s : 0));
        e->lent_s = isfinite(ack_in_s) ? fmax(0, ack_in_s) : 0;
        queue_s = isfinite(queue_s) ? queue_s : 0;
        if (burst_s > 0 && isfinite(receiver_s) && noise_s > NOISE * (e->floor_s + fmin(data_s, burst_s + queue_s))) {
            data_s = burst_s + queue_s;
            ack_s = fmax(0, receiver_s);
            e->lent_s = 0;
        }
        e->data_wait_s = data_s;
        e->ack_wait_s = ack_s;
    }
}

/* What waits from the tap on: data of outgoing flows do so behind a slower link, and ACKs of incoming ones. Means of
 * stamps over many packets are off by half a tick at most, and where they show that it is most of `all_s`, that is known:
 * the seconds then. 0: not so. */
static double evidence_beyond_s(const struct analysis_evidence *e, double all_s)
{
    enum analysis_leg leg = e->flow->incoming ? ANALYSIS_LEG_ACK_IN : ANALYSIS_LEG_DATA_IN;
    double wait_s = e->leg_s[leg] + (e->flow->incoming ? e->missing_s[1] : e->there_s);
    return wait_s > (all_s + e->tick_s) / 2 ? fmin(wait_s, all_s) : 0;
}

/* Where waits are of the size of the stamps' ticks, these do not tell data from ACKs. A tap beside the host's link
 * does: what waits between the tap and the receiver and back are ACKs, in the queue of the other direction; data
 * wait before it. Where the loop to the sender did not show often enough, the round trip is that of Little's law, the
 * window over the rate. */
static void evidence_ticks(struct analysis_evidence_set *s, const struct evidence_together *all)
{
    for (size_t i = 0; i < s->n; i++) {
        struct analysis_evidence *e = &s->flow[i];
        double rtt_s = e->clocking.flight_bytes * 8 / e->flow->rate_bps;
        if (!isfinite(e->tick_s) || !isfinite(e->loop_wait_s) ||
            !(e->data_wait_s + e->ack_wait_s < TICKS * e->tick_s) || !(rtt_s < TICKS * e->tick_s) ||
            !(e->clocking.flight_bytes > FEW_SEGMENTS * e->clocking.full_bytes))
            continue;
        double beyond_s = evidence_beyond_s(e, e->flow->incoming ? rtt_s - e->floor_s : evidence_receiver_s(e));
        e->tick_s = 0;
        e->coarse = true;
        if (evidence_kept_waiting(all, e))
            continue;
        if (e->loop_samples[ANALYSIS_LOOP_SENDER] >= LEAST_LOOPS && e->flow->loss_events == 0)
            rtt_s = e->loop_s[ANALYSIS_LOOP_SENDER] + e->loop_wait_s + e->loop_least_s;
        e->floor_s = fmin(e->floor_s, rtt_s);
        e->ack_wait_s = fmin(fmax(0, evidence_receiver_s(e)), rtt_s - e->floor_s);
        if (beyond_s > 0)
            e->ack_wait_s = e->flow->incoming ? fmin(beyond_s, rtt_s - e->floor_s) : fmax(0, e->ack_wait_s - beyond_s);
        e->data_wait_s = fmax(0, rtt_s - e->floor_s - e->ack_wait_s);
    }
}

/* The fastest it was, over a dozen segments and more, while neither its ACKs nor its data waited: behind data of its
 * own it cannot be faster than the link. NAN when they always did. */
double analysis_evidence_unhindered_bps(const struct analysis_evidence *e)
{
    double fastest = NAN, span_s = RATE_SEGMENTS * e->clocking.full_bytes * 8 / e->flow->rate_bps, since_s = NAN;
    for (size_t i = 0; i < e->n_waits && isfinite(span_s) && e->bins; i++) {
        const struct analysis_wait *w = &e->waits[i];
        double data_s = w->data_s + e->missing_s[0], ack_s = w->ack_s + e->missing_s[1];
        bool low = fmax(data_s, 0) + fmax(ack_s, 0) < LOW_WAIT * e->ack_wait_s;
        since_s = !low ? (double)NAN : isfinite(since_s) ? since_s : w->start_s;
        for (uint32_t k = 0; k < w->slots && low; k++) {
            double at_s = analysis_wait_start_s(w, k);
            size_t begin, end;
            if (at_s - since_s < span_s)
                continue;
            analysis_bins_range(e->bins, llround((at_s - span_s) * 1e9), llround(at_s * 1e9), &begin, &end);
            if (end > begin)
                fastest = fmax(fastest, analysis_bins_rate_bps(e->bins, begin, end));
        }
    }
    return fastest;
}

/* The most in so many bins after each other. The first bin has all that came before there were bins. */
static double evidence_fastest_bps(const struct analysis_evidence *e, size_t span)
{
    const struct analysis_bin *bin = e->bins->bin;
    int64_t bytes = 0, most = -1;
    size_t end = e->bins->n;
    while (end > 1 && !((double)analysis_bins_start_ns(e->bins, end) * 1e-9 <= e->until_s))
        end--;
    for (size_t i = 1; i < end; i++) {
        bytes += bin[i].bytes - (i > span ? bin[i - span].bytes : 0);
        most = i >= span && bytes > most ? bytes : most;
    }
    double width_s = (double)analysis_bins_width_ns(e->bins) * 1e-9;
    return most >= 0 ? (double)most * 8 / ((double)span * width_s) : (double)NAN;
}

/* 0 unknown. */
static size_t evidence_fastest_bins(const struct analysis_evidence *e, double least_s)
{
    double span_s = fmax(least_s, RATE_SEGMENTS * e->clocking.full_bytes * 8 / e->flow->rate_bps);
    return isfinite(span_s / e->bin_s) ? (size_t)fmax(1, ceil(span_s / e->bin_s)) : 0;
}

double analysis_evidence_fastest_bps(const struct analysis_evidence *e, double least_s)
{
    const size_t span = evidence_fastest_bins(e, least_s);
    return span == 0 ? (double)NAN : span == e->fastest_bins ? e->fastest_bps : evidence_fastest_bps(e, span);
}

double analysis_evidence_pulsed_bps(const struct analysis_evidence_set *s, bool incoming, double bps)
{
    double passed_bps = s->pulsed ? s->pulsed->passed_bps[!incoming] : (double)NAN;
    bool queued = false;
    for (size_t i = 0; i < s->n; i++) {
        const struct analysis_evidence *e = &s->flow[i];
        queued = queued || (e->flow->incoming == incoming && e->tick_s > 0 && e->queued_s > ANALYSIS_EVIDENCE_QUEUES * e->tick_s);
    }
    return queued && passed_bps > (1 + ANALYSIS_EVIDENCE_BURSTS) * bps ? passed_bps : (double)NAN;
}

static void evidence_of(struct analysis_evidence_set *s, struct analysis_evidence *e, const struct analysis_flows *f)
{
    struct analysis_round_trip_figures x;
    struct analysis_flow flow;
    size_t slot = e->flow->slot;
    bool incoming = e->flow->incoming, explained = analysis_flows_explain(f, slot, &x);
    e->n_waits = analysis_flows_wait_runs(f, slot, e->waits);
    e->until_s = s->pulsed ? s->pulsed->from_s : INFINITY;
    for (size_t i = 0; i < e->n_waits; i++)
        e->queued_s = fmax(e->queued_s, e->waits[i].leg_s[ANALYSIS_LEG_DATA_OUT]);
    while (e->n_waits > 0 && e->waits[e->n_waits - 1].start_s >= e->until_s)
        e->n_waits--;
    struct analysis_wait *last = e->n_waits > 0 ? &e->waits[e->n_waits - 1] : NULL;
    while (last && last->slots > 1 && analysis_wait_start_s(last, last->slots - 1) >= e->until_s)
        last->slots--;
    e->floor_s = explained ? x.floor_s : NAN;
    e->tick_s = explained ? x.tick_s : NAN;
    e->clock_off_s = explained ? x.clock_off_s : 0;
    e->loop_least_s = explained ? x.loop_least_s[ANALYSIS_LOOP_RECEIVER] : NAN;
    double least_s = NAN, hold_s = explained ? analysis_flows_hold_s(f, slot, s->from_s, s->to_s, &least_s) : (double)NAN;
    bool stamped = isfinite(e->tick_s); /* else its life's, where there is none in the phase */
    e->loop_stands_s = least_s - e->loop_least_s;
    e->loop_wait_s = explained ? (stamped || isfinite(hold_s) ? hold_s : x.hold_s) - e->loop_least_s : NAN;
    for (int k = 0; k < ANALYSIS_LOOPS; k++) {
        e->least_s[k] = explained ? x.loop_least_s[k] : NAN;
        e->stamped_s[k] = explained ? x.stamped_least_s[k] : NAN;
    }
    e->width_s = analysis_round_trip_width_s(e->waits, e->n_waits);
    if (analysis_flows_look(f, slot, &flow)) {
        e->start_s = flow.start_s;
        e->handshake_s = flow.handshake_s;
        e->peer = incoming ? flow.src : flow.dst;
        s->address = incoming ? flow.dst : flow.src;
        e->bins = flow.bins;
        e->lossless = flow.retransmitted_segments == 0;
        s->headers_cut = s->headers_cut || flow.headers_cut > flow.data_packets / 2;
        e->near_s = incoming ? flow.receiver_side_s : flow.sender_side_s;
        e->far_s = incoming ? flow.sender_side_s : flow.receiver_side_s;
    }
    if (!analysis_flows_clocking(f, slot, s->from_s, s->to_s, &e->clocking))
        e->clocking =
            (struct analysis_clocking_figures){.flight_bytes = NAN, .offered_bytes = NAN, .full_bytes = NAN};
    if (isnan(e->clocking.full_bytes))
        return;
    s->one_sided = s->one_sided || (e->clocking.full_bytes > 0 && !e->clocking.acked);
    double payload = analysis_evidence_payload(e->clocking.full_bytes);
    s->full_bytes = fmax(s->full_bytes, payload > MTU_MSS ? payload : fmin(payload, MTU_PAYLOAD));
}

/* Of what all carry together, which is known better than what each of them does where they share a link's cycles. */
static double evidence_ci95_bps(const struct analysis_evidence_set *s)
{
    double series[ANALYSIS_BINS_MAX];
    int64_t width_ns = 1, cycles = 0, to_ns = llround(s->to_s * 1e9);
    size_t n = 0, begin, end;
    for (size_t i = 0; i < s->n; i++) {
        const struct analysis_evidence *e = &s->flow[i];
        int64_t own_ns = e->bins ? analysis_bins_width_ns(e->bins) : INT64_MAX, events = e->flow->loss_events;
        width_ns = own_ns > width_ns ? own_ns : width_ns;
        cycles = events > 0 && (cycles == 0 || events < cycles) ? events : cycles;
    }
    const int64_t from_ns = (llround(s->from_s * 1e9) / width_ns + 1) * width_ns;
    while (n < ANALYSIS_BINS_MAX && from_ns + ((int64_t)n + 1) * width_ns <= to_ns)
        series[n++] = 0;
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < n; k++) { /* bins of all flows are on one grid */
            const int64_t at_ns = from_ns + (int64_t)k * width_ns;
            analysis_bins_range(s->flow[i].bins, at_ns, at_ns + width_ns, &begin, &end);
            series[k] += (double)analysis_bins_sum(s->flow[i].bins, begin, end).bytes * 8e9 / (double)width_ns;
        }
    struct estimate_series all = {series, n, 8e9 * s->full_bytes / (double)width_ns, (size_t)cycles};
    return estimate_steady(&all).ci95;
}

/* What a full frame takes on the host's slower way; where the capture does not show it, no more than at the rate of
 * what passes there. */
static double evidence_frame_s(const struct analysis_evidence_set *s, const struct analysis_flows *f,
                               const struct analysis_told *flows, size_t n)
{
    struct analysis_flow flow;
    double share, carried_bps[2] = {0, 0};
    if (n == 0 || !analysis_flows_look(f, flows[0].slot, &flow))
        return NAN;
    const struct analysis_capacity_host *host =
        analysis_flows_capacity(f, flows[0].incoming ? &flow.dst : &flow.src, flow.tag);
    double bps = host ? fmin(analysis_capacity_bps(&host->in, &share), analysis_capacity_bps(&host->out, &share)) : NAN;
    for (size_t i = 0; i < n; i++)
        carried_bps[flows[i].incoming] += flows[i].rate_bps;
    for (int i = 0; i < 2; i++)
        carried_bps[i] = carried_bps[i] > 0 ? carried_bps[i] : NAN;
    bps = isnan(bps) ? fmin(carried_bps[0], carried_bps[1]) : bps;
    return analysis_evidence_frame_bits(s->full_bytes) / bps;
}

/* On the wire, of what is not TCP, in the phase. */
static double evidence_other_bps(const struct analysis_capacity_way *w, double from_s, double to_s)
{
    double other_from_s = (double)w->other_from_ns * 1e-9, other_to_s = (double)w->other_to_ns * 1e-9;
    double overlap_s = fmin(other_to_s, to_s) - fmax(other_from_s, from_s);
    double bytes = w->other_bytes + ETHERNET * w->other_frames;
    return overlap_s > 0 ? bytes * 8 / (other_to_s - other_from_s) * overlap_s / (to_s - from_s) : 0;
}

/* On the wire, as analysis/flows/capacity.h counts it: ACKs of the flows' data that go this way. */
static double evidence_acks_bps(const struct analysis_evidence_set *s, bool incoming)
{
    double bps = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct analysis_evidence *e = &s->flow[i];
        uint32_t ack_bytes = analysis_capacity_around_bytes(&e->peer, isfinite(e->tick_s));
        bps += e->flow->incoming != incoming ? e->clocking.pure_acks / e->clocking.span_s * ack_bytes * 8 : 0;
    }
    return bps;
}

/* A way that none of these flows' data go: all that is not their ACKs are others, of flows too small to be kept, too. */
static double evidence_no_acks_bps(const struct analysis_evidence_set *s, const struct analysis_capacity_way *w, bool incoming)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->flow[i].flow->incoming == incoming)
            return 0;
    double others_bps = analysis_capacity_mean_bps(w, s->from_s, s->to_s) - evidence_acks_bps(s, incoming);
    return others_bps > 0 ? others_bps : 0;
}

/* What the peers of these flows exchange with others, on the wire. */
static void evidence_others(struct analysis_evidence_set *s, const struct analysis_flows *f, uint32_t tag)
{
    struct analysis_evidence **by = analysis_evidence_by_peer(s);
    for (size_t i = 0; i < s->n; i++) {
        const struct analysis_told *told = by[i]->flow;
        const struct analysis_capacity_host *peer =
            i == 0 || !analysis_evidence_same_peer(by[i], by[i - 1]) ? analysis_flows_capacity(f, &by[i]->peer, tag) : NULL;
        double full_bytes = by[i]->clocking.full_bytes;
        s->others_bps[!told->incoming] -= told->rate_bps * analysis_evidence_frame_bits(full_bytes) / 8 /
                                          analysis_evidence_payload(full_bytes);
        s->others_bps[told->incoming] -= by[i]->clocking.pure_acks / by[i]->clocking.span_s * JUDGE_AROUND * 8;
        for (int way = 0; peer && way < 2; way++) {
            double bps = analysis_capacity_mean_bps(way == 0 ? &peer->out : &peer->in, s->from_s, s->to_s);
            s->others_bps[way] += isfinite(bps) ? bps : 0;
        }
    }
    for (int way = 0; way < 2; way++)
        s->others_bps[way] = s->others_bps[way] > 0 ? s->others_bps[way] : 0; /* peers of few flows are not counted */
    free(by);
}

void analysis_evidence_prepare(struct analysis_evidence_set *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct analysis_bins *bins = s->flow[i].bins;
        s->flow[i].bin_s = bins ? (double)analysis_bins_width_ns(bins) * 1e-9 : (double)NAN;
        evidence_means(s, &s->flow[i]);
        evidence_trips(s, &s->flow[i]);
        s->flow[i].waited_least_s = evidence_least_s(&s->flow[i], (s->from_s + s->to_s) / 2, s->to_s - s->from_s);
        s->flow[i].fastest_bps = analysis_evidence_fastest_bps(&s->flow[i], 0);
        s->flow[i].fastest_bins = evidence_fastest_bins(&s->flow[i], 0);
    }
    struct analysis_evidence **by = analysis_evidence_by_peer(s);
    size_t *by_peer = memory_zeroed(s->n + 1, sizeof *by_peer, "a diagnosis");
    for (size_t i = 0; i < s->n; i++)
        by_peer[i] = (size_t)(by[i] - s->flow);
    s->by_peer = by_peer;
    free(by);
}

/* Of the same flows, from their other end. */
static bool evidence_turned(const struct analysis_evidence_set *s, const struct analysis_evidence_set *before,
                            const struct analysis_told *flows)
{
    const double until_s = s->pulsed ? s->pulsed->from_s : INFINITY;
    if (before->n != s->n || before->from_s != s->from_s || before->to_s != s->to_s)
        return false;
    for (size_t i = 0; i < s->n; i++) {
        const struct analysis_told *told = before->flow[i].flow;
        if (told->slot != flows[i].slot || told->incoming == flows[i].incoming || told->rate_bps != flows[i].rate_bps ||
            told->loss_events != flows[i].loss_events || before->flow[i].until_s != until_s)
            return false;
    }
    return true;
}

static void evidence_turn(struct analysis_evidence_set *s, struct analysis_evidence_set *before)
{
    s->address = before->flow[0].peer;
    for (size_t i = 0; i < s->n; i++) {
        struct analysis_evidence *e = &before->flow[i];
        const double near_s = e->near_s;
        e->peer = before->address;
        e->near_s = e->far_s;
        e->far_s = near_s;
    }
    s->flow = before->flow;
    s->waits = before->waits;
    s->by_peer = before->by_peer;
    s->full_bytes = before->full_bytes;
    s->one_sided = before->one_sided;
    s->headers_cut = before->headers_cut;
    s->ci95_bps = before->ci95_bps;
    *before = (struct analysis_evidence_set){.n = 0};
}

/* Of the flows, and of what they carry together. */
static void evidence_of_all(struct analysis_evidence_set *s, const struct analysis_flows *f, const struct analysis_told *flows)
{
    size_t n = 0, room = 0;
    s->flow = memory_zeroed(s->n + 1, sizeof *s->flow, "a diagnosis");
    for (size_t i = 0; i < s->n; i++) {
        const size_t most = analysis_flows_wait_runs(f, flows[i].slot, NULL);
        while (n + most > room || room == 0)
            s->waits = memory_grown(s->waits, room, &room, 64, sizeof *s->waits, "a diagnosis");
        s->flow[i].flow = &flows[i];
        s->flow[i].waits = s->waits + n;
        evidence_of(s, &s->flow[i], f);
        n += s->flow[i].n_waits;
    }
    s->waits = memory_resized(s->waits, n + 1, sizeof *s->waits, "a diagnosis");
    for (size_t i = 0, at = 0; i < s->n; at += s->flow[i++].n_waits)
        s->flow[i].waits = s->waits + at;
    analysis_evidence_prepare(s);
    s->ci95_bps = evidence_ci95_bps(s);
}

void analysis_evidence_gather(struct analysis_evidence_set *s, struct analysis_evidence_set *before,
                              const struct analysis_flows *f, const struct analysis_capacity_host *frames,
                              const struct analysis_told *flows, size_t n, const struct analysis_told_ways *ways,
                              double from_s, double to_s)
{
    *s = (struct analysis_evidence_set){.n = n, .from_s = from_s, .to_s = to_s, .full_bytes = NAN,
                                        .pulsed = ways ? ways->pulsed : NULL, .interface_bps = analysis_flows_interface_bps(f),
                                        .stamp_s = frames ? analysis_capacity_stamp_s(frames) : 0,
                                        .paused = analysis_flows_paused(f)};
    for (int i = 0; i < 2; i++)
        s->other_bps[i] = (frames ? evidence_other_bps(i ? &frames->out : &frames->in, from_s, to_s) : 0) +
                          (ways ? ways->other_bps[i] : 0);
    const bool turned = n > 0 && evidence_turned(s, before, flows);
    if (turned)
        evidence_turn(s, before);
    analysis_evidence_free(before);
    if (!turned)
        evidence_of_all(s, f, flows);
    for (size_t i = 0; i < n; i++) {
        const enum analysis_tap_place here = flows[i].incoming ? ANALYSIS_TAP_RECEIVER : ANALYSIS_TAP_SENDER;
        s->flow[i].flow = &flows[i];
        s->beside = s->beside || analysis_flows_tap(f, flows[i].slot) == here ||
                    !analysis_evidence_same_peer(&s->flow[0], &s->flow[i]); /* who meets there is at one end */
    }
    for (int i = 0; i < 2 && frames; i++)
        s->other_bps[i] = fmax(s->other_bps[i], evidence_no_acks_bps(s, i ? &frames->out : &frames->in, i == 0));
    if (frames && frames->others > 0)
        evidence_others(s, f, frames->tag);
    s->frame_s = evidence_frame_s(s, f, flows, n);
}

struct analysis_evidence_set analysis_evidence_again(const struct analysis_evidence_set *s)
{
    struct analysis_evidence_set again = *s;
    again.flow = memory_resized(NULL, s->n + 1, sizeof *again.flow, "a diagnosis");
    memcpy(again.flow, s->flow, s->n * sizeof *again.flow);
    return again;
}

void analysis_evidence_divide(struct analysis_evidence_set *s)
{
    double bytes = 0, acks = 0;
    for (size_t i = 0; i < s->n; i++)
        s->flow[i].pauses = evidence_pauses(s, &s->flow[i]);
    evidence_waits(s);
    struct evidence_together all = evidence_together_of(s);
    evidence_applications(s, &all);
    evidence_ticks(s, &all);
    for (size_t i = 0; i < s->n; i++) {
        struct analysis_evidence *e = &s->flow[i];
        e->reader = e->clocking.closed_share > CLOSED;
        bytes += e->flow->rate_bps / 8 * e->clocking.span_s;
        acks += e->clocking.pure_acks;
    }
    s->segments_per_ack = acks > 0 ? fmax(1, bytes / (acks * s->full_bytes)) : ANALYSIS_SEGMENTS_PER_ACK;
}

void analysis_evidence_free(struct analysis_evidence_set *s)
{
    MEMORY_FREE(s->waits, s->by_peer, s->flow);
    *s = (struct analysis_evidence_set){.n = 0};
}
