/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/evidence.h"
#include "analysis/host.h"

#include "base/estimate.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SATURATED 0.95      /* of what it has room for */
#define QUEUES_TICKS 1.5    /* of waiting before the tap: a queue, no clock's tick */
#define QUEUES_FRAMES 4     /* likewise, where stamps are not used */
#define CLOCK_FRAMES 2      /* of waiting: data do, behind a full link */
#define CLOCK_ACKS 4        /* times longer than data wait their ACKs */
#define AGREED 0.6          /* of the bytes in groups of one rate, where no wait can be seen */
#define STANDS 0.3          /* of its mean wait: a queue that never runs empty */
#define STANDS_TICKS 2
#define OTHERS 0.05         /* of a direction's bytes are not TCP */
#define ALIKE 0.04          /* of the other direction's room */
#define BURSTS 0.25         /* more than its rate a shaper lets pass for a while; a long train at HALF is the link's */
#define NOT_ALIKE 0.97
#define ROOM 0.85           /* of its room: data do not wait there */
#define ELSEWHERE 1.5       /* times longer than anything waits in the queue: a margin for waits that are means */
#define DOUBTFUL 1.1        /* times longer: a mean is less than the most, unless all come at the worst of times */
#define LEAST_CYCLES 8
#define CLOCKED 0.5         /* a clock makes up for late answers more than not */
#define HALF 0.5
#define WHOLE 0.02          /* of a window: as if it were full */
#define EVEN 0.03           /* of the segments come close together: a link of its own sets the pace */
#define LINE 0.01           /* off a nominal rate */
#define MOST_OF_RTT 0.9
#define AROUND 90.0         /* wire bytes of a segment besides its payload; of an ACK, all */
#define AUTOTUNED 0.25      /* of the window offered is in flight: tcp_rcv_space_adjust() doubles what came, twice */
#define FREE 0.1            /* of the round trip: where data wait less, no link on their way is full */
#define FILLS 0.1            /* of the phase: a queue may have yet to fill */
#define SAME 0.1             /* of a wait: behind the same frames */
#define SHARED 1.25         /* times longer, by what means are off */
#define UNSEEN_BEYOND 0.05  /* of the round trip */
#define AFTER 0.2            /* of the round trip data wait after the tap: behind a slower link */
#define COARSE 0.75          /* of a gain is sure where stamps do not tell waits of ACKs from those of bursts */
#define THIN 0.1            /* of the round trip its ACKs wait behind ACKs */
#define COUNTS 0.05         /* of both directions together: what a lesser one loses does not matter */
#define MODEL 0.004         /* of what is possible: what this leaves out, as test/cli/bench_intervals.py measures */
#define GAIN 0.1            /* of what waiting ACKs cost: likewise, as pairs of captures with and without them show */
#define UNLIKELY 0.05        /* an answer is that of all but this share of cases */
#define UNLIKE 2.5          /* times faster: an access line */

const char *analysis_answer_name(enum analysis_answer answer)
{
    static const char *const names[] = {"unknown", "no", "yes"};
    return names[answer];
}

const char *analysis_capacity_source_name(enum analysis_capacity_source source)
{
    static const char *const names[] = {"unknown", "back-to-back frames", "a queue that never runs empty",
                                        "assumed as the other direction's", "the capture's interface", "known"};
    return names[source];
}

const char *analysis_possible_name(enum analysis_possible from)
{
    static const char *const names[] = {"model", "emulated", "measured"};
    return names[from];
}

struct diagnosis {
    struct analysis_evidence_set s;
    const struct analysis_capacity_host *host; /* borrowed; NULL unknown */
    struct analysis_diagnosis *out;
    double works[2]; /* least share of the time that the link after the tap works; 0: that is not where data wait */
    bool doubtful[2]; /* whether ACKs of outgoing and incoming data wait at the host's link */
};

/* Goodput a direction of a rate has room for while the other carries `other_bps`. */
static double diagnosis_room_at(const struct diagnosis *d, const struct analysis_diagnosis_way *w, double bps,
                                double other_bps)
{
    double full = d->s.full_bytes, ack = AROUND / (d->s.segments_per_ack * full);
    return (bps - d->s.other_bps[w == &d->out->out] - ack * other_bps) * full / (full + AROUND);
}

/* The same; NAN when its capacity is unknown. */
static double diagnosis_room(const struct diagnosis *d, const struct analysis_diagnosis_way *w, double other_bps)
{
    return diagnosis_room_at(d, w, w->capacity_bps, other_bps);
}

static struct analysis_diagnosis_way *diagnosis_way(const struct diagnosis *d, bool incoming)
{
    return incoming ? &d->out->in : &d->out->out;
}

/* How long data of a full direction wait without timestamps: what is in flight of a flow that always has its window
 * out takes so long to come round, by Little's law. All wait in one queue: the least of them. 0 unknown. */
static double diagnosis_queue_s(const struct diagnosis *d, bool incoming)
{
    const struct analysis_diagnosis_way *w = diagnosis_way(d, incoming), *other = diagnosis_way(d, !incoming);
    double wait_s = INFINITY;
    bool measured = w->source != ANALYSIS_CAPACITY_UNKNOWN && w->source != ANALYSIS_CAPACITY_ASSUMED;
    if (!measured || w->carried_bps < SATURATED * diagnosis_room(d, w, other->carried_bps))
        return 0;
    for (size_t i = 0; i < d->s.n; i++) {
        const struct analysis_evidence *e = &d->s.flow[i];
        double flight = fmin(e->clocking.flight_bytes, e->clocking.offered_bytes);
        if (e->flow->incoming == incoming && e->lossless && flight > 0)
            wait_s = fmin(wait_s, flight * 8 / e->flow->rate_bps - e->floor_s);
    }
    return isfinite(wait_s) ? fmax(0, wait_s) : 0;
}

/* How long outgoing data that fill their direction wait after the tap: what is between it and their receivers takes so
 * much longer than at its least, and ACKs on the way back do not wait. 0 unknown. */
static double diagnosis_after_tap_s(const struct diagnosis *d)
{
    const struct analysis_diagnosis_way *in = &d->out->in, *out = &d->out->out;
    double wait_s = INFINITY;
    if (!(out->carried_bps >= SATURATED * diagnosis_room(d, out, in->carried_bps)))
        return 0;
    for (size_t i = 0; i < d->s.n; i++) {
        const struct analysis_evidence *e = &d->s.flow[i];
        if (!e->flow->incoming && e->loop_wait_s > 0)
            wait_s = fmin(wait_s, e->loop_wait_s);
    }
    return isfinite(wait_s) ? wait_s : 0;
}

/* Without timestamps one tap times the loop to the receiver and back. What waits there waits as ACKs where the data's
 * own direction has room: known after its capacity is. A flow that begins behind a standing queue never meets it empty:
 * data that fill the other direction tell how long that is. */
static void diagnose_loops(struct diagnosis *d)
{
    for (size_t i = 0; i < d->s.n; i++) {
        struct analysis_evidence *e = &d->s.flow[i];
        if (isfinite(e->tick_s) || !(e->loop_least_s > 0) || !(e->loop_wait_s > 0))
            continue;
        const struct analysis_diagnosis_way *w = diagnosis_way(d, e->flow->incoming);
        const struct analysis_diagnosis_way *other = diagnosis_way(d, !e->flow->incoming);
        if (!(w->carried_bps < ROOM * diagnosis_room(d, w, other->carried_bps)))
            continue;
        double loop_s = e->loop_least_s + e->loop_wait_s;
        double rest_s = e->flow->incoming ? e->far_least_s : e->near_least_s; /* from the tap to the sender and back */
        e->ack_wait_s = fmin(loop_s, fmax(e->loop_wait_s, diagnosis_queue_s(d, !e->flow->incoming)));
        e->floor_s = loop_s - e->ack_wait_s + (rest_s > 0 ? rest_s : 0);
        e->ack_wait_s += e->flow->incoming ? diagnosis_after_tap_s(d) : 0; /* they leave by the same queue */
        e->data_wait_s = 0;
        e->tick_s = 0;
        /* In flight, by Little's law, but for what waits where nobody sees it. A receiver that tunes its window offers
         * up to four times as much; where it offers more, the application may send no more. */
        double flight = e->flow->rate_bps / 8 * analysis_evidence_rtt_s(e);
        e->unsure = e->unsure || (e->lossless && !(flight >= AUTOTUNED * e->clocking.offered_bytes));
    }
}

/* Is this an Ethernet's rate on the wire? */
static bool diagnosis_is_line(double bps)
{
    static const double line_bps[] = {1e7, 1e8, 1e9, 2.5e9, 5e9, 1e10, 2.5e10, 4e10, 5e10, 1e11, 2e11, 4e11};
    for (size_t i = 0; i < sizeof line_bps / sizeof *line_bps; i++)
        if (fabs(bps / line_bps[i] - 1) < LINE)
            return true;
    return false;
}

/* Flows of a direction, each at an Ethernet's rate, which all that the direction carries is not, and waiting; `even`:
 * and evenly spaced. */
static bool diagnosis_at_lines(const struct diagnosis *d, bool incoming, bool even)
{
    double sum_bps = 0, acks_bps = 0;
    for (size_t i = 0; i < d->s.n; i++) {
        const struct analysis_evidence *e = &d->s.flow[i];
        double frame_s = (e->clocking.full_bytes + AROUND) * 8 / e->flow->rate_bps;
        if (e->flow->incoming != incoming) {
            acks_bps += e->flow->rate_bps * AROUND / (d->s.segments_per_ack * d->s.full_bytes);
            continue;
        }
        double wire_bps = e->flow->rate_bps * (e->clocking.full_bytes + AROUND) / e->clocking.full_bytes;
        double waits_s = e->data_wait_s + (e->tick_s == 0 ? e->ack_wait_s : 0); /* stamps do not tell them apart */
        if ((even && !(e->clocking.tight_share < EVEN)) || !(waits_s > frame_s) || !diagnosis_is_line(wire_bps))
            return false;
        sum_bps += wire_bps;
    }
    return sum_bps > 0 && !diagnosis_is_line(sum_bps + acks_bps);
}

/* Flows of a direction, each behind a slower link of its own. They queue there, not before the host's link. */
static bool diagnosis_apart(const struct diagnosis *d, bool incoming)
{
    return diagnosis_at_lines(d, incoming, true);
}

/* Behind a tap at the host, and below what stamps tell apart, all that waits passes for ACKs behind the data of the
 * other direction. These wait no longer than those data do: behind slower links of their own it is outgoing data that
 * wait, which have not been spaced by them yet. */
static void diagnose_own_links(struct diagnosis *d)
{
    if (!diagnosis_at_lines(d, false, false))
        return;
    double data_s = 0, incoming_bps = 0;
    bool apart = diagnosis_apart(d, true);
    for (size_t i = 0; i < d->s.n; i++) {
        const struct analysis_evidence *e = &d->s.flow[i];
        incoming_bps += e->flow->incoming ? e->flow->rate_bps : 0;
        data_s += e->flow->incoming && !apart ? e->flow->rate_bps * e->data_wait_s : 0;
    }
    double acks_s = incoming_bps > 0 ? data_s / incoming_bps : 0;
    for (size_t i = 0; i < d->s.n && isfinite(acks_s); i++) {
        struct analysis_evidence *e = &d->s.flow[i];
        double more_s = e->ack_wait_s - acks_s;
        if (!e->flow->incoming && e->tick_s == 0 && more_s > 0) {
            e->data_wait_s += more_s;
            e->ack_wait_s = acks_s;
        }
    }
}

/* What the capture shows of a direction's frames; NULL unknown. */
static const struct analysis_capacity_way *diagnosis_seen(const struct diagnosis *d, bool incoming)
{
    return !d->host ? NULL : incoming ? &d->host->in : &d->host->out;
}

/* Time from one restart to the next of an application that goes on when all is acknowledged; NAN for others. What is
 * in flight then belongs to one cycle. */
static double diagnosis_cycle_s(const struct diagnosis *d, const struct analysis_evidence *e)
{
    const struct analysis_clocking_figures *k = &e->clocking;
    double cycle_s = (d->s.to_s - d->s.from_s) / k->restarts;
    bool waits = k->restarts >= LEAST_CYCLES && k->clocked < CLOCKED && k->clocked_sd < CLOCKED;
    return waits && !(e->flow->rate_bps / 8 * cycle_s < HALF * k->flight_bytes) ? cycle_s : NAN;
}

/* How much of a cycle passes while its sender waits for ACKs that wait: one each time its window is full, and the last,
 * unless it waits for data from the other end. Between the tap and the sender its pauses look like waits of ACKs. */
static double diagnosis_cycle_wait_s(struct diagnosis *d, const struct analysis_evidence *e)
{
    const struct analysis_clocking_figures *k = &e->clocking;
    double bytes = e->flow->rate_bps / 8 * diagnosis_cycle_s(d, e), window = fmax(k->most_bytes, k->burst_bytes);
    window = e->tick_s > 0 || isnan(k->offered_bytes) ? window : fmax(window, k->offered_bytes);
    double stall_s = analysis_evidence_rtt_s(e) - window * 8 / diagnosis_way(d, e->flow->incoming)->capacity_bps;
    double full = fmax(0, ceil(bytes / window - WHOLE) - 1);
    double ack_s = fmin(e->ack_wait_s, e->loop_wait_s + e->missing_s[1] + e->lent_s);
    return full * fmin(ack_s, fmax(0, isfinite(stall_s) ? stall_s : ack_s)) + (k->prompted < HALF ? ack_s : 0);
}

/* How long all that is in flight one way takes to pass its link, data and ACKs: nothing waits longer there. INFINITY
 * where that is not known. Before a shaper frames pass the tap faster than the link: its rate counts where known. */
static double diagnosis_drain_s(const struct diagnosis *d, bool incoming)
{
    const struct analysis_capacity_way *w = diagnosis_seen(d, incoming);
    double bytes = 0, answered = 0;
    for (size_t i = 0; i < d->s.n; i++) {
        const struct analysis_evidence *e = &d->s.flow[i];
        double seen = fmax(e->clocking.most_bytes, e->clocking.burst_bytes); /* what queues before the tap is not */
        double unseen = e->flow->rate_bps / 8 * (seen > 0 ? e->data_wait_s : analysis_evidence_rtt_s(e));
        *(e->flow->incoming == incoming ? &bytes : &answered) += fmax(seen, unseen);
    }
    bytes += bytes > 0 ? answered * AROUND / (d->s.segments_per_ack * d->s.full_bytes) : 0;
    if (!w || !d->s.beside || w->other_bytes > OTHERS * w->all_bytes || !(bytes > 0))
        return INFINITY;
    const struct analysis_diagnosis_way *link = diagnosis_way(d, incoming);
    bool known = isfinite(link->capacity_bps) && link->source != ANALYSIS_CAPACITY_ASSUMED; /* it may be far slower */
    return bytes * 8 / (known ? link->capacity_bps : fmin(link->capacity_bps, analysis_capacity_least_bps(w)));
}

/* How long data wait that go the way of a flow's ACKs from end to end, through all the same queues. Not where a host is
 * what they wait for: there is no queue with an order. */
static void diagnose_beside(struct diagnosis *d)
{
    if (d->s.host != ANALYSIS_CAUSE_UNKNOWN || d->out->in.flows == 0 || d->out->out.flows == 0)
        return;
    struct analysis_evidence **by = analysis_evidence_by_peer(&d->s);
    for (size_t i = 0, end; i < d->s.n; i = end) {
        double wait_s[2] = {0, 0};
        for (end = i; end < d->s.n && analysis_evidence_same_peer(by[end], by[i]); end++)
            wait_s[by[end]->flow->incoming] = fmax(wait_s[by[end]->flow->incoming], by[end]->data_wait_s);
        for (size_t k = i; k < end && by[k]->peer.family; k++)
            by[k]->data_beside_s = (float)wait_s[!by[k]->flow->incoming];
    }
    free(by);
}

/* Does a flow wait for ACKs behind those data, and so not for anything else on the way? */
static bool diagnosis_same_way(const struct analysis_evidence *e)
{
    return e->ack_wait_s < SHARED * (double)e->data_beside_s;
}

/* Sums over flows, by their rates: what they wait of their round trips, ticks, and how long their ACKs do. */
struct diagnosis_waits {
    double wait, rtt, tick, acks, held;
};

static void diagnosis_add(struct diagnosis_waits *w, const struct diagnosis_waits *more)
{
    w->wait += more->wait;
    w->rtt += more->rtt;
    w->tick += more->tick;
    w->acks += more->acks;
    w->held += more->held;
}

/* Flows of one direction whose windows wait for ACKs, or whose applications do, would send more if these did not.
 * `likely`: so would those whose applications only seem to be what limits them. */
static void diagnose_held(struct diagnosis *d, bool incoming, bool likely)
{
    struct diagnosis_waits sum[2] = {{.held = 0}, {.held = 0}}; /* [1]: whose ACKs wait behind data of the same way */
    const struct analysis_capacity_way *other = diagnosis_seen(d, !incoming);
    bool behind = !d->s.beside || (other && other->other_bytes > OTHERS * other->all_bytes);
    for (size_t i = 0; i < d->s.n; i++) {
        struct analysis_evidence *e = &d->s.flow[i];
        bool cycles = isfinite(diagnosis_cycle_s(d, e));
        bool application = cycles || (e->limit == ANALYSIS_CAUSE_APPLICATION && !(likely && e->likely));
        double x = e->flow->rate_bps, of_s = application ? diagnosis_cycle_s(d, e) : analysis_evidence_rtt_s(e);
        double waits_s = application ? diagnosis_cycle_wait_s(d, e) : e->ack_wait_s;
        behind = behind || e->behind || e->flow->incoming != incoming;
        if (e->flow->incoming != incoming)
            continue;
        e->held = e->limit != ANALYSIS_CAUSE_RECEIVER && isfinite(waits_s / of_s);
        double wanted_bps = application ? x / (1 - fmin(waits_s / of_s, MOST_OF_RTT)) : x * of_s / e->floor_s;
        e->wanted_bps = !e->held ? x : wanted_bps > 0 ? fmin(wanted_bps, e->most_bps) : e->most_bps;
        if (e->held)
            diagnosis_add(&sum[diagnosis_same_way(e)],
                          &(struct diagnosis_waits){x * waits_s, x * of_s, x * e->tick_s, x * e->ack_wait_s, x});
    }
    double drain_s = diagnosis_drain_s(d, !incoming);
    bool elsewhere = diagnosis_apart(d, !incoming) || sum[0].acks > ELSEWHERE * sum[0].held * drain_s;
    d->doubtful[incoming] = sum[0].acks > DOUBTFUL * sum[0].held * drain_s;
    if (!elsewhere)
        diagnosis_add(&sum[1], &sum[0]);
    bool matter = behind && sum[1].wait > fmax(d->s.unseen * sum[1].rtt, sum[1].tick);
    for (size_t i = 0; i < d->s.n; i++) {
        struct analysis_evidence *e = &d->s.flow[i];
        if (e->flow->incoming != incoming)
            continue;
        bool held = matter && (!elsewhere || diagnosis_same_way(e));
        e->held = e->held && held;
        e->wanted_bps = held ? e->wanted_bps : e->flow->rate_bps;
        e->perhaps_bps = likely ? e->wanted_bps : e->perhaps_bps;
    }
}

static void diagnose_ways(struct diagnosis *d)
{
    for (size_t i = 0; i < d->s.n; i++) {
        const struct analysis_evidence *e = &d->s.flow[i];
        struct analysis_diagnosis_way *w = diagnosis_way(d, e->flow->incoming);
        double x = e->flow->rate_bps;
        w->flows++;
        w->carried_bps += x;
        w->data_wait_s += x * e->data_wait_s;
        w->ack_wait_s += x * e->ack_wait_s;
        w->floor_s += x * e->floor_s;
    }
    for (int i = 0; i < 2; i++) {
        struct analysis_diagnosis_way *w = diagnosis_way(d, i);
        w->data_wait_s /= w->carried_bps;
        w->ack_wait_s /= w->carried_bps;
        w->floor_s /= w->carried_bps;
    }
}

/* Does the queue before a direction's data, or their ACKs, never run empty in the phase, but for a share of it? All
 * wait in it: the least that one waits. */
static bool diagnosis_stands(const struct diagnosis *d, bool incoming, bool acks, double share)
{
    double waits_s[ANALYSIS_EVIDENCE_SAMPLES], tick_s = 0, sum = 0;
    for (int i = 0; i < ANALYSIS_EVIDENCE_SAMPLES; i++) {
        double at_s = d->s.from_s + (d->s.to_s - d->s.from_s) * (i + 0.5) / ANALYSIS_EVIDENCE_SAMPLES, wait_s = NAN;
        for (size_t k = 0; k < d->s.n; k++) {
            const struct analysis_evidence *e = &d->s.flow[k];
            if (e->flow->incoming != incoming)
                continue;
            wait_s = fmin(wait_s, analysis_evidence_wait_s(e, at_s, acks));
            tick_s = fmax(tick_s, e->tick_s);
        }
        if (!isfinite(wait_s))
            return false;
        waits_s[i] = wait_s;
        sum += wait_s;
    }
    qsort(waits_s, ANALYSIS_EVIDENCE_SAMPLES, sizeof *waits_s, estimate_ascending);
    double least = waits_s[(int)(share * ANALYSIS_EVIDENCE_SAMPLES)];
    return least > STANDS_TICKS * tick_s && least > STANDS * sum / ANALYSIS_EVIDENCE_SAMPLES;
}

/* No link is faster than the interface that captured its frames; a slower one may be farther away, but data would wait
 * there. */
static void diagnose_interface(const struct diagnosis *d, struct analysis_diagnosis_way *w)
{
    double rtt_s = w->floor_s + w->data_wait_s + w->ack_wait_s;
    bool free = w->flows == 0 || w->data_wait_s < FREE * rtt_s;
    if (w->source == ANALYSIS_CAPACITY_KNOWN || !isfinite(d->s.interface_bps) ||
        (w->source == ANALYSIS_CAPACITY_UNKNOWN ? !free : w->capacity_bps <= d->s.interface_bps))
        return;
    w->capacity_bps = d->s.interface_bps;
    w->source = ANALYSIS_CAPACITY_INTERFACE;
}

/* Would a rate make this direction full, although its data hardly wait and its ACKs do? Then their clock lets frames go
 * so evenly, no link. */
static bool diagnosis_clock(const struct diagnosis *d, const struct analysis_diagnosis_way *w, double bps)
{
    const struct analysis_diagnosis_way *other = w == &d->out->in ? &d->out->out : &d->out->in;
    double frame_s = (d->s.full_bytes + AROUND) * 8 / bps, room = diagnosis_room_at(d, w, bps, other->carried_bps);
    return w->flows > 0 && w->carried_bps >= SATURATED * room && w->data_wait_s < CLOCK_FRAMES * frame_s &&
           w->ack_wait_s > CLOCK_ACKS * w->data_wait_s;
}

/* Would a rate make a direction full whose data hardly wait, while their ACKs do? Flows with equal windows that wait in
 * the same queue are equally fast, whichever way they go: the other direction's rate is no sign of this one's. Nor is
 * it where data wait before the tap, behind frames at the rate at which they pass it, and not after it. */
static bool diagnosis_no_fuller(const struct diagnosis *d, const struct analysis_diagnosis_way *w, double bps)
{
    const struct analysis_diagnosis_way *other = w == &d->out->in ? &d->out->out : &d->out->in;
    double before = 0, frame_s = (d->s.full_bytes + AROUND) * 8 / bps;
    if (w->flows == 0 || w->carried_bps < SATURATED * diagnosis_room_at(d, w, bps, other->carried_bps))
        return false;
    bool passes = w == &d->out->out && w->source == ANALYSIS_CAPACITY_DISPERSION && /* and not in bursts alone */
                  analysis_capacity_least_bps(&d->host->out) >= HALF * w->capacity_bps;
    for (size_t i = 0; i < d->s.n && passes; i++)
        before += d->s.flow[i].flow->incoming ? 0 : d->s.flow[i].before_s * d->s.flow[i].flow->rate_bps;
    return before > QUEUES_FRAMES * frame_s * w->carried_bps ||
           (w->data_wait_s < FREE * (w->floor_s + w->data_wait_s + w->ack_wait_s) &&
            w->ack_wait_s > CLOCK_ACKS * w->data_wait_s);
}

/* Do outgoing data pass the tap at an Ethernet's rate, and wait after it? Then a slower link is on their way; `all`: of
 * each flow. */
static bool diagnosis_slower(const struct diagnosis *d, bool incoming, double bps, bool all)
{
    double after = 0, rtt = 0;
    bool each = true;
    for (size_t i = 0; i < d->s.n; i++) {
        const struct analysis_evidence *e = &d->s.flow[i];
        if (e->flow->incoming != incoming)
            continue;
        after += e->flow->rate_bps * e->after_s;
        rtt += e->flow->rate_bps * analysis_evidence_rtt_s(e);
        each = each && e->after_s > AFTER * analysis_evidence_rtt_s(e) && e->data_wait_s > HALF * e->after_s;
    }
    return (all ? each : after > AFTER * rtt) && diagnosis_is_line(bps);
}

/* Do a direction's data wait after the tap rather than before it? Then how they pass the tap tells nothing of the link
 * that they wait for. If so, the least share of the time that this link works; 0 otherwise. A window W that comes as one
 * burst waits W / 2C there on average, the most for W: so what waits for a share f of the round trip has
 * W / (C rtt) = 2f, or more where it comes in smaller bursts. */
static double diagnosis_beyond(const struct diagnosis *d, bool incoming)
{
    double beyond = 0, waits = 0, rtt = 0;
    for (size_t i = 0; i < d->s.n; i++) {
        const struct analysis_evidence *e = &d->s.flow[i];
        if (e->flow->incoming != incoming || !(e->tick_s > 0))
            continue;
        if (e->limit == ANALYSIS_CAUSE_RECEIVER) /* its data wait for a reader, not for a link */
            return 0;
        beyond += e->flow->rate_bps * fmax(0, e->beyond_s - e->tick_s / 2);
        waits += e->flow->rate_bps * e->data_wait_s;
        rtt += e->flow->rate_bps * analysis_evidence_rtt_s(e);
    }
    return beyond > HALF * waits && beyond > UNSEEN_BEYOND * rtt ? fmin(1, 2 * beyond / rtt) : 0;
}

/* What passes a link whose queue is never empty, on the wire, were it so all the time. */
static double diagnosis_passes_bps(const struct diagnosis *d, const struct analysis_diagnosis_way *w, double busy)
{
    const struct analysis_diagnosis_way *other = w == &d->out->in ? &d->out->out : &d->out->in;
    double full = d->s.full_bytes, ack = AROUND / (d->s.segments_per_ack * full);
    return (w->carried_bps * (full + AROUND) / full + other->carried_bps * ack + d->s.other_bps[w == &d->out->out]) / busy;
}

/* Share of the phase in which some data of a direction find a queue whenever they come in a round trip: their link does not rest then. */
static double diagnosis_busy(const struct diagnosis *d, bool incoming)
{
    int busy = 0;
    double frame_s = (d->s.full_bytes + AROUND) * 8 / diagnosis_passes_bps(d, diagnosis_way(d, incoming), 1);
    for (int i = 0; i < ANALYSIS_EVIDENCE_SAMPLES; i++) {
        double at_s = d->s.from_s + (d->s.to_s - d->s.from_s) * (i + 0.5) / ANALYSIS_EVIDENCE_SAMPLES;
        bool waits = false;
        for (size_t k = 0; k < d->s.n && !waits; k++) {
            const struct analysis_evidence *e = &d->s.flow[k];
            waits = e->flow->incoming == incoming && e->tick_s > 0 &&
                    analysis_evidence_least_s(e, at_s, analysis_evidence_rtt_s(e)) >
                        fmax(fmax(e->tick_s, QUEUES_FRAMES * frame_s), STANDS * e->data_wait_s);
        }
        busy += waits;
    }
    return (double)busy / ANALYSIS_EVIDENCE_SAMPLES;
}

static void diagnose_capacity(struct diagnosis *d, const double known[2])
{
    const struct analysis_capacity_host *host = d->host;
    for (int i = 0; i < 2; i++) {
        struct analysis_diagnosis_way *w = diagnosis_way(d, i == 0);
        double share = 0, queued_s = 0, tick_s = 0;
        bool stamped = false;
        w->capacity_bps = known ? known[i] : NAN;
        w->source = isfinite(w->capacity_bps) ? ANALYSIS_CAPACITY_KNOWN : ANALYSIS_CAPACITY_UNKNOWN;
        for (size_t k = 0; k < d->s.n; k++)
            if (d->s.flow[k].flow->incoming == (i == 0)) {
                for (size_t at = 0; at < d->s.flow[k].n_waits && d->s.flow[k].tick_s > 0; at++)
                    queued_s = fmax(queued_s, d->s.flow[k].waits[at].leg_s[ANALYSIS_LEG_DATA_OUT] + d->s.flow[k].stood_s);
                if (!(d->s.flow[k].tick_s > 0)) /* by Little's law: where most of its data wait */
                    queued_s = fmax(queued_s, w->data_wait_s);
                tick_s = fmax(tick_s, d->s.flow[k].tick_s);
                stamped = stamped || isfinite(d->s.flow[k].tick_s);
            }
        if (w->source == ANALYSIS_CAPACITY_KNOWN || !host || diagnosis_apart(d, i == 0))
            continue;
        double bps = analysis_capacity_bps(i == 0 ? &host->in : &host->out, &share);
        bool stopped = i == 1 && d->s.stopped; /* back to back, but not all the time */
        double frame_s = (d->s.full_bytes + AROUND) * 8 / bps;
        bool alone = diagnosis_way(d, i != 0)->flows == 0; /* nothing to win: a queue that fills first is as good */
        bool unlike = !isfinite(bps) || (i == 1 && diagnosis_slower(d, false, bps, true)) ||
                      (alone && w->carried_bps < HALF * diagnosis_room_at(d, w, bps, 0));
        /* A rate at which frames pass the tap and that they fill is that of a link before it. */
        bool fills = isfinite(bps) && !diagnosis_clock(d, w, bps) &&
                     w->carried_bps >= SATURATED * diagnosis_room_at(d, w, bps, diagnosis_way(d, i != 0)->carried_bps);
        double works = fills ? 0 : diagnosis_beyond(d, i == 0);
        if (works > 0) {
            works = fmax(works, diagnosis_busy(d, i == 0));
            w->capacity_bps = diagnosis_passes_bps(d, w, works);
            d->works[i == 0] = works;
            w->source = ANALYSIS_CAPACITY_QUEUE;
        } else if (stopped || (unlike && w->flows > 0 && diagnosis_stands(d, i == 0, false, alone ? FILLS : 0))) {
            w->capacity_bps = diagnosis_passes_bps(d, w, 1);
            w->source = ANALYSIS_CAPACITY_QUEUE;
        } else if (isfinite(bps) && !diagnosis_clock(d, w, bps) &&
                   (w->flows > 0 && stamped ? queued_s > fmax(QUEUES_TICKS * tick_s, QUEUES_FRAMES * frame_s)
                                            : share > AGREED)) {
            w->capacity_bps = bps;
            w->source = ANALYSIS_CAPACITY_DISPERSION;
        }
    }
    for (int i = 0; i < 2;
         i++) { /* shapers let bursts pass: a direction that carries just what fits the other's rate */
        struct analysis_diagnosis_way *w = diagnosis_way(d, i), *other = diagnosis_way(d, !i);
        double fits = w->carried_bps / diagnosis_room(d, other, other->carried_bps);
        if (w->source == ANALYSIS_CAPACITY_DISPERSION && other->source == ANALYSIS_CAPACITY_DISPERSION &&
            w->capacity_bps > other->capacity_bps && fits > 1 - ALIKE && fits < 1 + ALIKE &&
            !diagnosis_no_fuller(d, w, other->capacity_bps) &&
            analysis_capacity_least_bps(i ? &host->in : &host->out) <
                fmax((1 + BURSTS) * other->capacity_bps, HALF * w->capacity_bps))
            w->capacity_bps = other->capacity_bps;
    }
    for (int i = 0; i < 2; i++) {
        struct analysis_diagnosis_way *w = diagnosis_way(d, i), *other = diagnosis_way(d, !i);
        if (w->source == ANALYSIS_CAPACITY_UNKNOWN && other->source != ANALYSIS_CAPACITY_UNKNOWN &&
            other->source != ANALYSIS_CAPACITY_ASSUMED &&
            w->carried_bps < NOT_ALIKE * other->capacity_bps) {
            w->capacity_bps = other->capacity_bps;
            w->source = ANALYSIS_CAPACITY_ASSUMED;
        }
    }
    for (int i = 0; i < 2; i++) { /* the other direction's rate, where what waits after the tap agrees with it */
        struct analysis_diagnosis_way *w = diagnosis_way(d, i), *other = diagnosis_way(d, !i);
        if (!(d->works[i] > 0) || other->source != ANALYSIS_CAPACITY_DISPERSION ||
            other->capacity_bps < NOT_ALIKE * diagnosis_passes_bps(d, w, 1) ||
            other->capacity_bps * NOT_ALIKE > diagnosis_passes_bps(d, w, d->works[i]))
            continue;
        w->capacity_bps = other->capacity_bps;
        w->source = ANALYSIS_CAPACITY_ASSUMED;
        d->works[i] = 0;
    }
    for (int i = 0; i < 2; i++)
        diagnose_interface(d, diagnosis_way(d, i));
}

static bool way_unknown(const struct diagnosis *d, bool incoming)
{
    for (size_t i = 0; i < d->s.n; i++)
        if (d->s.flow[i].flow->incoming == incoming && !isfinite(d->s.flow[i].ack_wait_s) &&
            d->s.flow[i].limit != ANALYSIS_CAUSE_APPLICATION)
            return true;
    return false;
}

static bool way_held(const struct diagnosis *d, bool incoming)
{
    for (size_t i = 0; i < d->s.n; i++)
        if (d->s.flow[i].flow->incoming == incoming && d->s.flow[i].held)
            return true;
    return false;
}

/* Are its waits below what stamps tell apart? Then data may wait behind another link, not ACKs in the host's queue;
 * unless that is how long the data wait that the host's queue would have them behind. */
static bool way_blurred(const struct diagnosis *d, bool incoming)
{
    const struct analysis_diagnosis_way *w = diagnosis_way(d, incoming), *other = diagnosis_way(d, !incoming);
    if (fabs(w->ack_wait_s - other->data_wait_s) < SAME * other->data_wait_s)
        return false;
    for (size_t i = 0; i < d->s.n; i++)
        if (d->s.flow[i].flow->incoming == incoming && d->s.flow[i].held && !(d->s.flow[i].tick_s > 0))
            return true;
    return false;
}

/* The goodput that a direction's flows would have with `other_bps` in the other. */
static double diagnose_possible(const struct diagnosis *d, bool incoming, double other_bps)
{
    const struct analysis_diagnosis_way *w = diagnosis_way(d, incoming);
    double wanted = 0, fixed = 0, room = diagnosis_room(d, w, other_bps);
    room = room > 0 ? room : (double)NAN;
    bool held = false;
    for (size_t i = 0; i < d->s.n; i++) {
        const struct analysis_evidence *e = &d->s.flow[i];
        if (e->flow->incoming != incoming)
            continue;
        held = held || e->held;
        wanted += e->wanted_bps;
        fixed += e->flow->rate_bps;
    }
    if (w->saturated)
        return fmin(room, fmax(wanted, fixed));
    if (!held)
        return fixed;
    if (isfinite(room))
        return fmax(fmin(wanted, room), fmin(fixed, room));
    double least = 0; /* as if data waited on */
    for (size_t i = 0; i < d->s.n; i++) {
        const struct analysis_evidence *e = &d->s.flow[i];
        if (e->flow->incoming == incoming)
            least += e->held
                         ? e->flow->rate_bps * analysis_evidence_rtt_s(e) / (analysis_evidence_rtt_s(e) - e->ack_wait_s)
                         : e->flow->rate_bps;
    }
    return least;
}

static double diagnosis_share(double carried, double possible)
{
    return possible > 0 ? 1 - carried / possible : NAN;
}

/* What the offered windows of a direction's flows let pass through empty queues; INFINITY where one is not known. */
static double diagnosis_windows_bps(const struct diagnosis *d, bool incoming)
{
    double sum = 0;
    for (size_t i = 0; i < d->s.n; i++) {
        const struct analysis_evidence *e = &d->s.flow[i];
        double most_bps = e->clocking.offered_bytes * (1 + e->clocking.offered_swing) * 8 / e->floor_s;
        if (e->flow->incoming == incoming)
            sum += isfinite(most_bps) ? fmax(most_bps, e->flow->rate_bps) : INFINITY;
    }
    return sum;
}

/* What a direction's flows would carry at least. Those that something else may limit, and that go in no cycles, have
 * what they have. Data of the others, but in cycles, go on to wait where the link is hardly in use, and where stamps
 * are coarse and data wait longer than their ACKs. Of a gain that coarse stamps show, COARSE is sure. */
static double diagnosis_sure_bps(const struct diagnosis *d, bool incoming, double possible_bps)
{
    const struct analysis_diagnosis_way *w = diagnosis_way(d, incoming);
    bool coarse = false;
    bool hardly = w->source != ANALYSIS_CAPACITY_ASSUMED && w->carried_bps < HALF * w->room_bps;
    double sum = 0;
    for (size_t i = 0; i < d->s.n; i++) {
        const struct analysis_evidence *e = &d->s.flow[i];
        double x = e->flow->rate_bps, rtt_s = analysis_evidence_rtt_s(e);
        if (e->flow->incoming != incoming)
            continue;
        bool closed = isfinite(diagnosis_cycle_s(d, e));
        bool acks_alone = hardly || (e->coarse && e->ack_wait_s < e->data_wait_s);
        double more_bps = acks_alone && !closed ? fmin(e->wanted_bps, x * rtt_s / (rtt_s - e->ack_wait_s)) - x
                                                : e->wanted_bps - x;
        sum += x;
        if (e->held && (!e->unsure || closed)) {
            sum += more_bps;
            coarse = coarse || e->coarse;
        }
    }
    sum = fmin(sum, possible_bps);
    return fmax(w->carried_bps, coarse ? w->carried_bps + COARSE * (sum - w->carried_bps) : sum);
}

/* What a direction's flows want at most: where an application only likely limits them, what their windows would. */
static double diagnosis_perhaps_bps(const struct diagnosis *d, bool incoming, double other_bps)
{
    double sum = 0, room = diagnosis_room(d, diagnosis_way(d, incoming), other_bps);
    bool likely = false;
    for (size_t i = 0; i < d->s.n; i++) {
        const struct analysis_evidence *e = &d->s.flow[i];
        sum += e->flow->incoming == incoming ? e->perhaps_bps : 0;
        likely = likely || (e->flow->incoming == incoming && e->likely);
    }
    return !likely ? 0 : isfinite(room) ? fmin(sum, room) : sum;
}

/* What a direction's flows would carry through empty queues and links without an end. */
static double diagnosis_wanted_bps(const struct diagnosis *d, bool incoming)
{
    double wanted = 0;
    for (size_t i = 0; i < d->s.n; i++)
        wanted += d->s.flow[i].flow->incoming == incoming ? d->s.flow[i].wanted_bps : 0;
    return wanted;
}

/* What a direction would carry at least and at most. Where nothing tells how fast the link is, its data may wait on as
 * they do, or no more, and waits below the stamps' ticks may be those of another link; where not all of the host's
 * traffic is there, or no wait shows, or one that is too long for its link, ACKs may wait for nothing there. */
static void diagnose_bounds(const struct diagnosis *d, bool incoming, double other_bps, double *least_bps,
                            double *most_bps)
{
    const struct analysis_diagnosis_way *w = diagnosis_way(d, incoming);
    *least_bps = *most_bps = w->possible_bps;
    bool held = way_held(d, incoming), unknown = way_unknown(d, incoming);
    bool blind = w->source == ANALYSIS_CAPACITY_UNKNOWN && held;
    bool beyond = (!d->s.beside || d->doubtful[incoming]) && held;
    if (w->flows == 0 || (w->saturated && !(d->works[incoming] > 0)))
        return;
    *least_bps = fmin(*least_bps, diagnosis_sure_bps(d, incoming, w->possible_bps));
    *most_bps = fmax(*most_bps, diagnosis_perhaps_bps(d, incoming, other_bps));
    if (d->works[incoming] > 0) {
        *least_bps = w->carried_bps;
        *most_bps = fmin(diagnosis_wanted_bps(d, incoming), w->carried_bps / d->works[incoming]);
    }
    if (w->source == ANALYSIS_CAPACITY_DISPERSION && diagnosis_slower(d, incoming, w->capacity_bps, false))
        *least_bps = w->carried_bps; /* that one may be full */
    if (!(unknown || blind || beyond))
        return;
    *least_bps = unknown || beyond || (blind && way_blurred(d, incoming)) ? w->carried_bps : *least_bps;
    *most_bps = fmax(*least_bps, unknown ? diagnosis_windows_bps(d, incoming) : diagnosis_wanted_bps(d, incoming));
}

/* Is so much possible that what is lost matters? */
static bool diagnosis_yes(const struct analysis_diagnosis *out, const double possible_bps[2])
{
    const double carried_bps[2] = {out->out.carried_bps, out->in.carried_bps};
    double all_bps = possible_bps[0] + possible_bps[1];
    bool yes = diagnosis_share(carried_bps[0] + carried_bps[1], all_bps) >= ANALYSIS_DIAGNOSIS_TOTAL;
    for (int i = 0; i < 2; i++)
        yes = yes || (possible_bps[i] >= COUNTS * all_bps &&
                      diagnosis_share(carried_bps[i], possible_bps[i]) >= ANALYSIS_DIAGNOSIS_DIRECTION);
    return yes;
}

static void diagnose_lost(struct diagnosis *d)
{
    struct analysis_diagnosis *out = d->out;
    for (int i = 0; i < 2; i++) {
        struct analysis_diagnosis_way *w = diagnosis_way(d, i), *other = diagnosis_way(d, !i);
        w->possible_bps = w->carried_bps;
        w->room_bps = diagnosis_room(d, w, other->carried_bps);
        w->saturated = w->flows > 0 && w->carried_bps >= SATURATED * w->room_bps;
    }
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 2; i++) {
            struct analysis_diagnosis_way *w = diagnosis_way(d, i), *other = diagnosis_way(d, !i);
            if (w->flows > 0)
                w->possible_bps = diagnose_possible(d, i, other->possible_bps);
        }
    double least_bps[2], most_bps[2];
    for (int i = 0; i < 2; i++) {
        struct analysis_diagnosis_way *w = diagnosis_way(d, i), *other = diagnosis_way(d, !i);
        double fast_bps = fmax(other->possible_bps, diagnosis_room(d, other, 0)); /* at most */
        w->acks_bps = fmin(w->capacity_bps, AROUND / (d->s.segments_per_ack * d->s.full_bytes) * fast_bps);
        diagnose_bounds(d, i, other->possible_bps, &least_bps[i], &most_bps[i]);
        w->lost_share = w->flows > 0 ? diagnosis_share(w->carried_bps, w->possible_bps) : 0;
    }
    double carried = out->in.carried_bps + out->out.carried_bps,
           possible = out->in.possible_bps + out->out.possible_bps;
    bool yes = diagnosis_yes(out, least_bps), no = !diagnosis_yes(out, most_bps);
    out->answer = yes ? ANALYSIS_ANSWER_YES : no ? ANALYSIS_ANSWER_NO : ANALYSIS_ANSWER_UNKNOWN;
    out->lost_share = diagnosis_share(carried, possible);
    out->ci95 = hypot(hypot(d->s.ci95_bps / possible, MODEL), GAIN * out->lost_share) +
                (most_bps[0] - least_bps[0] + most_bps[1] - least_bps[1]) / (2 * possible);
    for (int i = 0; i < 2 && out->answer == ANALYSIS_ANSWER_UNKNOWN; i++)
        if (most_bps[i] > least_bps[i]) {
            diagnosis_way(d, i)->possible_bps = diagnosis_way(d, i)->lost_share = NAN;
            out->lost_share = out->ci95 = NAN;
        }
}

/* Would the answer be yes if so many intervals more of each were lost? */
static bool diagnosis_tried_yes(const struct diagnosis *d, double intervals)
{
    const struct analysis_diagnosis *out = d->out;
    const struct analysis_evidence_tried *t = d->s.tried;
    const struct analysis_diagnosis_way *way[2] = {&out->in, &out->out};
    double more[3];
    for (int i = 0; i < 3; i++) /* without an interval the answer is about this very run, of which the share is exact */
        more[i] = isfinite(t->lost_ci95[i]) ? intervals * t->lost_ci95[i] : 0;
    bool yes = out->lost_share + more[2] >= ANALYSIS_DIAGNOSIS_TOTAL;
    for (int i = 0; i < 2; i++)
        yes = yes || (way[i]->flows > 0 && t->bps[i] >= COUNTS * t->bps[2] &&
                      way[i]->lost_share + more[i] >= ANALYSIS_DIAGNOSIS_DIRECTION);
    return yes;
}

/* What was tried is known, whatever would follow from waits. Where an interval has a threshold in it, what follows from
 * waits has to say the same as this run. */
static void diagnose_tried(struct diagnosis *d)
{
    struct analysis_diagnosis *out = d->out;
    const struct analysis_evidence_tried *t = d->s.tried;
    out->possible_from = ANALYSIS_POSSIBLE_EMULATED;
    out->lost_share = diagnosis_share(out->in.carried_bps + out->out.carried_bps, t->bps[2]);
    out->ci95 = t->lost_ci95[2];
    for (int i = 0; i < 2; i++) {
        struct analysis_diagnosis_way *w = diagnosis_way(d, i == 0);
        w->possible_bps = t->bps[i];
        w->lost_share = w->flows > 0 ? diagnosis_share(w->carried_bps, w->possible_bps) : 0;
    }
    enum analysis_answer here = diagnosis_tried_yes(d, 0) ? ANALYSIS_ANSWER_YES : ANALYSIS_ANSWER_NO;
    bool sure = diagnosis_tried_yes(d, -1) || !diagnosis_tried_yes(d, 1);
    out->answer = sure || here == out->answer ? here : ANALYSIS_ANSWER_UNKNOWN;
}

/* The limit that most of the goodput of a direction has, or of both (NULL). */
static enum analysis_cause diagnosis_most(const struct diagnosis *d, const struct analysis_diagnosis_way *of)
{
    double share[ANALYSIS_CAUSES] = {0};
    int best = ANALYSIS_CAUSE_UNKNOWN;
    for (size_t i = 0; i < d->s.n; i++) {
        const struct analysis_evidence *e = &d->s.flow[i];
        share[e->limit] += !of || of == diagnosis_way(d, e->flow->incoming) ? e->flow->rate_bps : 0;
    }
    for (int c = 0; c < ANALYSIS_CAUSES; c++)
        best = share[c] > share[best] ? c : best;
    return (enum analysis_cause)best;
}

/* The direction with data that uses its link least; NULL: all are full. */
static const struct analysis_diagnosis_way *diagnosis_least(const struct diagnosis *d)
{
    const struct analysis_diagnosis_way *in = &d->out->in, *out = &d->out->out;
    bool in_free = in->flows > 0 && !in->saturated, out_free = out->flows > 0 && !out->saturated;
    double ratio = in->carried_bps / out->carried_bps, rooms = in->room_bps / out->room_bps;
    if (in_free && out_free)
        return ratio > (rooms > 0 ? rooms : 1) ? out : in;
    return in_free ? in : out_free ? out : NULL;
}

/* Do a direction's flows wait longer than anything can at the host's link, or each behind a link of its own? */
static bool diagnosis_elsewhere(const struct diagnosis *d, bool incoming)
{
    const struct analysis_diagnosis_way *w = diagnosis_way(d, incoming);
    return w->flows > 0 && !w->saturated &&
           (diagnosis_apart(d, incoming) || w->data_wait_s > ELSEWHERE * diagnosis_drain_s(d, incoming) ||
            w->ack_wait_s > ELSEWHERE * diagnosis_drain_s(d, !incoming));
}

/* Of a "yes": what the ACKs of the direction that loses more wait behind. */
static enum analysis_cause diagnosis_cause_yes(const struct diagnosis *d)
{
    const struct analysis_diagnosis_way *in = &d->out->in, *out = &d->out->out;
    const struct analysis_diagnosis_way *worst = in->lost_share > out->lost_share ? in : out;
    const struct analysis_diagnosis_way *other = worst == in ? out : in;
    if (!d->s.stopped && /* else a capacity is what the stops leave of it */
        fmax(worst->capacity_bps, worst->possible_bps) > UNLIKE * other->capacity_bps)
        return ANALYSIS_CAUSE_THIN_ACKS;
    return other->flows == 0 ? ANALYSIS_CAUSE_OTHER : ANALYSIS_CAUSE_ACKS;
}

/* ACKs wait, though no data and no other traffic go their way: behind each other. A host that answers late makes them
 * late now and then; a queue that never runs empty, always. */
static bool diagnosis_thin(const struct diagnosis *d, bool incoming)
{
    const struct analysis_diagnosis_way *w = diagnosis_way(d, incoming);
    return diagnosis_way(d, !incoming)->flows == 0 && d->s.other_bps[incoming] < OTHERS * w->carried_bps &&
           w->ack_wait_s > THIN * (w->floor_s + w->data_wait_s + w->ack_wait_s) &&
           diagnosis_stands(d, incoming, true, FILLS);
}

/* Of a "no": full links - by losses, which deeper buffers or marks would spare, or as they are -, or what limits most
 * of the direction that uses its link least. */
static enum analysis_cause diagnosis_cause_no(const struct diagnosis *d)
{
    const struct analysis_diagnosis_way *least = diagnosis_least(d);
    if (d->s.stopped)
        return ANALYSIS_CAUSE_PAUSE;
    if (!least && (d->out->in.flows == 0 || d->out->out.flows == 0))
        return ANALYSIS_CAUSE_ONE_WAY;
    if (!least)
        return diagnosis_most(d, NULL) == ANALYSIS_CAUSE_LOSSES ? ANALYSIS_CAUSE_LOSSES : ANALYSIS_CAUSE_FULL;
    enum analysis_cause limit = diagnosis_most(d, least);
    if (d->s.host != ANALYSIS_CAUSE_UNKNOWN && limit != ANALYSIS_CAUSE_APPLICATION)
        return d->s.host;
    bool elsewhere = diagnosis_elsewhere(d, true) || diagnosis_elsewhere(d, false);
    if (limit == ANALYSIS_CAUSE_WINDOW || limit == ANALYSIS_CAUSE_SEND_BUFFER)
        return diagnosis_thin(d, least == &d->out->in) ? ANALYSIS_CAUSE_THIN_PATH
               : elsewhere                             ? ANALYSIS_CAUSE_LINK
                                                       : limit;
    return limit;
}

/* Do ACKs of a direction without data the other way wait after the tap? Whoever else sends there does not show. */
static bool diagnosis_thin_beyond(const struct diagnosis *d, bool incoming)
{
    double beyond = 0, waits = 0;
    for (size_t i = 0; i < d->s.n; i++) {
        const struct analysis_evidence *e = &d->s.flow[i];
        beyond += e->flow->incoming == incoming ? e->flow->rate_bps * e->ack_beyond_s : 0;
        waits += e->flow->incoming == incoming ? e->flow->rate_bps * e->ack_wait_s : 0;
    }
    return diagnosis_way(d, incoming)->flows > 0 && diagnosis_thin(d, incoming) && beyond > HALF * waits;
}

static void diagnose_cause(struct diagnosis *d)
{
    struct analysis_diagnosis *out = d->out;
    if (out->answer == ANALYSIS_ANSWER_NO && (diagnosis_thin_beyond(d, true) || diagnosis_thin_beyond(d, false)))
        out->answer = ANALYSIS_ANSWER_UNKNOWN;
    enum analysis_cause common = diagnosis_most(d, NULL);
    if (out->answer == ANALYSIS_ANSWER_YES) {
        out->cause = diagnosis_cause_yes(d);
        out->second = common == ANALYSIS_CAUSE_LOSSES ? ANALYSIS_CAUSE_LOSSES : d->s.host;
    } else if (out->answer == ANALYSIS_ANSWER_NO) {
        out->cause = diagnosis_cause_no(d);
        out->second = out->cause == common ? ANALYSIS_CAUSE_UNKNOWN : common;
    }
}

/* Who loses how much, and by what. */
static void diagnose_losers(const struct analysis_diagnosis *d, char *text, size_t size)
{
    const struct analysis_diagnosis_way *in = &d->in, *out = &d->out;
    bool in_worst = out->flows == 0 || (in->flows > 0 && in->lost_share > out->lost_share);
    const struct analysis_diagnosis_way *worst = in_worst ? in : out, *other = in_worst ? out : in;
    double rtt_s = worst->floor_s + worst->data_wait_s + worst->ack_wait_s;
    if (other->flows > 0 && other->lost_share >= ANALYSIS_DIAGNOSIS_BOTH * worst->lost_share)
        snprintf(text, size, "incoming data get %.1f of %.1f Mb/s, outgoing data %.1f of %.1f", in->carried_bps / 1e6,
                 in->possible_bps / 1e6, out->carried_bps / 1e6, out->possible_bps / 1e6);
    else if (isfinite(rtt_s))
        snprintf(text, size,
                 "%s data get %.1f of %.1f Mb/s, as their ACKs wait behind %s for %.1f ms of a round trip of %.1f ms",
                 in_worst ? "incoming" : "outgoing", worst->carried_bps / 1e6, worst->possible_bps / 1e6,
                 d->cause == ANALYSIS_CAUSE_OTHER ? "other traffic" : in_worst ? "outgoing data" : "incoming data",
                 1e3 * worst->ack_wait_s, 1e3 * rtt_s);
    else
        snprintf(text, size, "%s data get %.1f of %.1f Mb/s", in_worst ? "incoming" : "outgoing",
                 worst->carried_bps / 1e6, worst->possible_bps / 1e6);
}

void analysis_diagnosis_say(struct analysis_diagnosis *d)
{
    double carried = d->in.carried_bps + d->out.carried_bps, possible = d->in.possible_bps + d->out.possible_bps;
    char who[160];
    if (d->answer == ANALYSIS_ANSWER_YES)
        diagnose_losers(d, who, sizeof who);
    else
        snprintf(who, sizeof who, "%s", analysis_cause(d->cause)->meaning);
    snprintf(d->why, sizeof d->why, "%.1f of %.1f Mb/s; %.0f %% lost to waiting ACKs: %s", carried / 1e6,
             fmax(carried, possible) / 1e6, 100 * fmax(0, d->lost_share), who);
}

static void diagnose_why(struct diagnosis *d)
{
    struct analysis_diagnosis *out = d->out;
    double carried = out->in.carried_bps + out->out.carried_bps;
    bool no_rate = out->in.source == ANALYSIS_CAPACITY_UNKNOWN && out->out.source == ANALYSIS_CAPACITY_UNKNOWN;
    if (out->answer == ANALYSIS_ANSWER_UNKNOWN && out->possible_from == ANALYSIS_POSSIBLE_EMULATED) {
        snprintf(out->why, sizeof out->why, "%.1f of %.1f Mb/s; %.1f %% lost to waiting ACKs so far: a longer run "
                 "would tell whether it stays so", carried / 1e6, d->s.tried->bps[2] / 1e6,
                 100 * fmax(0, out->lost_share));
        return;
    }
    if (out->answer == ANALYSIS_ANSWER_UNKNOWN) {
        bool waits = !way_unknown(d, true) && !way_unknown(d, false);
        snprintf(out->why, sizeof out->why, "%.1f Mb/s pass; %s not show in this capture", carried / 1e6,
                 no_rate ? "how long ACKs wait and what the link could carry do"
                 : waits ? "whether waiting ACKs or the applications hold them back does"
                         : "how long ACKs wait does");
        return;
    }
    analysis_diagnosis_say(out);
}

void analysis_diagnosis_decide(struct analysis_evidence_set *s, const struct analysis_capacity_host *host,
                               const double capacity_bps[2], struct analysis_diagnosis *out)
{
    struct diagnosis d = {.s = *s, .host = host, .out = out};
    *out = (struct analysis_diagnosis){.cause = ANALYSIS_CAUSE_UNKNOWN};
    diagnose_own_links(&d);
    diagnose_ways(&d);
    diagnose_capacity(&d, capacity_bps);
    diagnose_loops(&d);
    diagnose_beside(&d);
    for (int i = 0; i < 4; i++) /* at most first */
        diagnose_held(&d, i % 2, i < 2);
    diagnose_lost(&d);
    if (s->tried)
        diagnose_tried(&d);
    diagnose_cause(&d);
    diagnose_why(&d);
    for (size_t i = 0; i < s->n; i++) {
        struct analysis_diagnosis_flow *flow = s->flow[i].flow;
        flow->floor_s = s->flow[i].floor_s;
        flow->data_wait_s = s->flow[i].data_wait_s;
        flow->ack_wait_s = s->flow[i].ack_wait_s;
        flow->limit = s->flow[i].limit;
    }
}

/* One answer of three cases: what is likely, and what is so with probabilities of UNLIKELY and 1 - UNLIKELY. */
static void diagnose_between(const struct analysis_diagnosis *least, const struct analysis_diagnosis *most,
                             struct analysis_diagnosis *out)
{
    bool same = least->answer == most->answer && out->answer == most->answer;
    double spread = (most->lost_share - least->lost_share) / 2;
    out->ci95 += fabs(spread);
    if (same || out->answer == ANALYSIS_ANSWER_UNKNOWN)
        return;
    out->answer = ANALYSIS_ANSWER_UNKNOWN;
    out->cause = out->second = ANALYSIS_CAUSE_UNKNOWN;
    snprintf(out->why, sizeof out->why, "%.1f Mb/s pass; a queue stands from before the capture began, and how long does "
             "not show", (out->in.carried_bps + out->out.carried_bps) / 1e6);
}

/* In the case that less stood in queues that never ran empty with probability p; false: none stood. */
static bool diagnose_case(const struct analysis_flows *f, const struct analysis_capacity_host *frames,
                          struct analysis_diagnosis_flow *flows, size_t n, double start_s, double end_s,
                          const double capacity_bps[2], double p, struct analysis_diagnosis *out)
{
    struct analysis_evidence_set s;
    analysis_evidence_gather(&s, f, frames, flows, n, start_s, end_s, p);
    analysis_host_find(&s, frames);
    analysis_diagnosis_decide(&s, frames, capacity_bps, out);
    analysis_host_restore(&s);
    analysis_evidence_free(&s);
    return s.stands;
}

void analysis_diagnose(const struct analysis_flows *f, const struct capture_address *host, uint32_t tag,
                       struct analysis_diagnosis_flow *flows, size_t n, double start_s, double end_s,
                       const double capacity_bps[2], struct analysis_diagnosis *out)
{
    const struct analysis_capacity_host *frames = analysis_flows_capacity(f, host, tag);
    struct analysis_diagnosis least, most;
    if (!diagnose_case(f, frames, flows, n, start_s, end_s, capacity_bps, HALF, out))
        return;
    struct analysis_diagnosis_flow *again = memory_zeroed(n + 1, sizeof *again, "a diagnosis");
    memcpy(again, flows, n * sizeof *again);
    diagnose_case(f, frames, again, n, start_s, end_s, capacity_bps, UNLIKELY, &least);
    diagnose_case(f, frames, again, n, start_s, end_s, capacity_bps, 1 - UNLIKELY, &most);
    free(again);
    diagnose_between(&least, &most, out);
}
