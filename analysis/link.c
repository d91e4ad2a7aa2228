/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/link.h"

#include "base/estimate.h"
#include "base/memory.h"
#include "judge/path.h"

#include <math.h>
#include <stdlib.h>

#define SATURATED 0.95      /* of what it has room for */
#define QUEUES_FRAMES 4     /* likewise, where stamps are not used */
#define CLOCK_FRAMES 2      /* of waiting: data do, behind a full link */
#define UNSEEN_COARSE 0.08   /* of the round trip: twice what such waits are off (analysis/facts.c) */
#define CLOCK_ACKS 4        /* times longer than data wait their ACKs */
#define AGREED 0.6          /* of the bytes in groups of one rate, where no wait can be seen */
#define DATA 0.2           /* of what goes the other way, and more: ACKs of that take a seventeenth to a thirty-fourth */
#define COMMON 0.2         /* of what data wait is common, and more: what peers' windows and bursts make unlike in one queue */
#define EVENLY 0.95        /* of the rate at which most ACKs follow each other pass, and more */
#define OTHERS 0.05         /* of a direction's bytes are not TCP */
#define ALIKE 0.04          /* of the other direction's room */
#define NOT_ALIKE 0.97
#define ROOM 0.85           /* of its room: data do not wait there */
#define LEAST_CYCLES 8
#define HALF 0.5
#define WHOLE 0.02          /* of a window: as if it were full */
#define EVEN 0.03           /* of the segments come close together: a link of its own sets the pace */
#define EVEN_ALONE 0.9      /* of what passes are these flows' data */
#define EVEN_TRIPS 2        /* round trips that are counted together */
#define EVEN_TIMES 4        /* so long, at least */
#define EVEN_OFF 0.1        /* more at times than on average: no queue's link */
#define SAME_WINDOWS 0.1    /* how far those of both ways differ: of windows that have nothing to do with each other one in ten
                             * pairs or fewer are so near */
#define PACED 0.1           /* of unlike frames: a quarter of what a pace makes of all, and a wire of none */
#define LINE 0.01           /* off a nominal rate */
#define FILLS 0.1            /* of the phase: a queue may have yet to fill */
#define UNSEEN_BEYOND 0.05  /* of the round trip */
#define AFTER 0.2            /* of the round trip data wait after the tap: behind a slower link */

struct link_ways {
    struct judge_way in, out;
};

struct links {
    struct analysis_evidence_set *s;
    const struct analysis_capacity_host *host; /* borrowed; NULL unknown */
    struct link_ways *ways;
    double works[2]; /* least share of the time that the link after the tap works; 0: that is not where data wait */
};

/* Goodput a direction of a rate has room for while the other carries `other_bps`. */
static double link_room_at(const struct links *d, const struct judge_way *w, double bps, double other_bps)
{
    return judge_path_room_of(bps - d->s->other_bps[w == &d->ways->out], other_bps, d->s->segments_per_ack, d->s->full_bytes);
}

static struct judge_way *link_way(const struct links *d, bool incoming)
{
    return incoming ? &d->ways->in : &d->ways->out;
}

/* The same; NAN when its capacity is unknown. */
static double link_room(const struct links *d, const struct judge_way *w, double other_bps)
{
    return link_room_at(d, w, w->capacity_bps, other_bps);
}

/* How long data of a full direction wait without timestamps: what is in flight of a flow that always has its window
 * out takes so long to come round, by Little's law. All wait in one queue: the least of them. 0 unknown. */
static double link_queue_s(const struct links *d, bool incoming)
{
    const struct judge_way *w = link_way(d, incoming), *other = link_way(d, !incoming);
    double wait_s = INFINITY;
    bool measured = w->source != JUDGE_CAPACITY_UNKNOWN && w->source != JUDGE_CAPACITY_ASSUMED;
    if (!measured || w->carried_bps < SATURATED * link_room(d, w, other->carried_bps))
        return 0;
    for (size_t i = 0; i < d->s->n; i++) {
        const struct analysis_evidence *e = &d->s->flow[i];
        double flight = fmin(e->clocking.flight_bytes, e->clocking.offered_bytes);
        if (e->flow->incoming == incoming && e->lossless && flight > 0)
            wait_s = fmin(wait_s, flight * 8 / e->flow->rate_bps - e->floor_s);
    }
    return isfinite(wait_s) ? fmax(0, wait_s) : 0;
}

/* How long outgoing data that fill their direction wait after the tap: what is between it and their receivers takes so
 * much longer than at its least, and ACKs on the way back do not wait. 0 unknown. */
static double link_after_tap_s(const struct links *d)
{
    const struct judge_way *in = &d->ways->in, *out = &d->ways->out;
    double wait_s = INFINITY;
    if (!(out->carried_bps >= SATURATED * link_room(d, out, in->carried_bps)))
        return 0;
    for (size_t i = 0; i < d->s->n; i++) {
        const struct analysis_evidence *e = &d->s->flow[i];
        if (!e->flow->incoming && e->loop_wait_s > 0)
            wait_s = fmin(wait_s, e->loop_wait_s);
    }
    return isfinite(wait_s) ? wait_s : 0;
}

bool analysis_link_is_line(double bps)
{
    static const double line_bps[] = {1e7, 1e8, 1e9, 2.5e9, 5e9, 1e10, 2.5e10, 4e10, 5e10, 1e11, 2e11, 4e11};
    for (size_t i = 0; i < sizeof line_bps / sizeof *line_bps; i++)
        if (fabs(bps / line_bps[i] - 1) < LINE)
            return true;
    return false;
}

/* Flows of a direction, each at an Ethernet's rate, which all that the direction carries is not, and waiting; `even`:
 * and evenly spaced. */
static bool link_at_lines(const struct links *d, bool incoming, bool even)
{
    double sum_bps = 0, acks_bps = 0;
    for (size_t i = 0; i < d->s->n; i++) {
        const struct analysis_evidence *e = &d->s->flow[i];
        double frame_s = (e->clocking.full_bytes + JUDGE_AROUND) * 8 / e->flow->rate_bps;
        if (e->flow->incoming != incoming) {
            acks_bps += e->flow->rate_bps * judge_facts_acks(d->s->segments_per_ack, d->s->full_bytes);
            continue;
        }
        double wire_bps = e->flow->rate_bps * (e->clocking.full_bytes + JUDGE_AROUND) / e->clocking.full_bytes;
        double waits_s = e->data_wait_s + (e->tick_s == 0 ? e->ack_wait_s : 0); /* stamps do not tell them apart */
        if ((even && !(e->clocking.tight_share < EVEN)) || !(waits_s > frame_s) || !analysis_link_is_line(wire_bps))
            return false;
        sum_bps += wire_bps;
    }
    return sum_bps > 0 && !analysis_link_is_line(sum_bps + acks_bps);
}

/* Flows of a direction, each behind a slower link of its own. They queue there, not before the host's link. */
static bool link_apart(const struct links *d, bool incoming)
{
    return link_at_lines(d, incoming, true);
}

/* Behind a tap at the host, and below what stamps tell apart, all that waits passes for ACKs behind the data of the
 * other direction. These wait no longer than those data do: behind slower links of their own it is outgoing data that
 * wait, which have not been spaced by them yet. */
static void link_own_links(struct links *d)
{
    if (!link_at_lines(d, false, false))
        return;
    double data_s = 0, incoming_bps = 0;
    bool apart = link_apart(d, true);
    for (size_t i = 0; i < d->s->n; i++) {
        const struct analysis_evidence *e = &d->s->flow[i];
        incoming_bps += e->flow->incoming ? e->flow->rate_bps : 0;
        data_s += e->flow->incoming && !apart ? e->flow->rate_bps * e->data_wait_s : 0;
    }
    double acks_s = incoming_bps > 0 ? data_s / incoming_bps : 0;
    for (size_t i = 0; i < d->s->n && isfinite(acks_s); i++) {
        struct analysis_evidence *e = &d->s->flow[i];
        double more_s = e->ack_wait_s - acks_s;
        if (!e->flow->incoming && e->tick_s == 0 && more_s > 0) {
            e->data_wait_s += more_s;
            e->ack_wait_s = acks_s;
        }
    }
}

/* What the capture shows of a direction's frames; NULL unknown. */
static const struct analysis_capacity_way *link_seen(const struct links *d, bool incoming)
{
    return !d->host ? NULL : incoming ? &d->host->in : &d->host->out;
}

/* Time from one restart to the next of an application that goes on when all is acknowledged; NAN for others. What is
 * in flight then belongs to one cycle. */
static double link_cycle_s(const struct links *d, const struct analysis_evidence *e)
{
    const struct analysis_clocking_figures *k = &e->clocking;
    double cycle_s = (d->s->to_s - d->s->from_s) / k->restarts;
    bool waits = k->restarts >= LEAST_CYCLES && isfinite(k->clocked + k->clocked_sd);
    return waits && !(e->flow->rate_bps / 8 * cycle_s < HALF * k->flight_bytes) ? cycle_s : NAN;
}

/* How much of a cycle passes while its sender waits for ACKs that wait: one each time its window is full, and the last,
 * unless it waits for data from the other end. It is full no more often than round trips pass while the data of a cycle do.
 * Between the tap and the sender its pauses look like waits of ACKs. */
static double link_cycle_wait_s(struct links *d, const struct analysis_evidence *e)
{
    const struct analysis_clocking_figures *k = &e->clocking;
    double bytes = e->flow->rate_bps / 8 * link_cycle_s(d, e), window = fmax(k->most_bytes, k->burst_bytes);
    window = e->tick_s > 0 || isnan(k->offered_bytes) ? window : fmax(window, k->offered_bytes);
    double stall_s = analysis_evidence_rtt_s(e) - window * 8 / link_way(d, e->flow->incoming)->capacity_bps;
    double loop_s = e->loop_least_s + e->loop_wait_s, passes_s = k->answered_s - (isfinite(loop_s) ? loop_s : 0);
    double full = fmax(0, fmin(ceil(bytes / window - WHOLE) - 1, passes_s / analysis_evidence_rtt_s(e)));
    double ack_s = fmin(e->ack_wait_s, e->loop_wait_s + e->missing_s[1] + e->lent_s);
    return full * fmin(ack_s, fmax(0, isfinite(stall_s) ? stall_s : ack_s)) + (k->prompted < HALF ? ack_s : 0);
}

/* How long all that is in flight one way takes to pass its link, data and ACKs: nothing waits longer there. INFINITY
 * where that is not known. Before a shaper frames pass the tap faster than the link: its rate counts where known. */
static double link_drain_s(const struct links *d, bool incoming)
{
    const struct analysis_capacity_way *w = link_seen(d, incoming);
    double bytes = 0, answered = 0;
    for (size_t i = 0; i < d->s->n; i++) {
        const struct analysis_evidence *e = &d->s->flow[i];
        double seen = fmax(e->clocking.most_bytes, e->clocking.burst_bytes); /* what queues before the tap is not */
        double unseen = e->flow->rate_bps / 8 * (seen > 0 ? e->data_wait_s : analysis_evidence_rtt_s(e));
        if (e->flow->incoming == incoming && isnan(unseen))
            return INFINITY;
        *(e->flow->incoming == incoming ? &bytes : &answered) += fmax(seen, unseen);
    }
    bytes += bytes > 0 ? answered * judge_facts_acks(d->s->segments_per_ack, d->s->full_bytes) : 0;
    /* What else is in flight there would show, too: none of other hosts' is seen, to these peers. */
    bool all = (d->s->beside || d->s->n > 1) && !(d->s->others_bps[!incoming] > 0);
    if (!w || !all || w->other_bytes > OTHERS * w->all_bytes || !(bytes > 0))
        return INFINITY;
    const struct judge_way *link = link_way(d, incoming);
    bool known = isfinite(link->capacity_bps) && link->source != JUDGE_CAPACITY_ASSUMED; /* it may be far slower */
    double bps = link->capacity_bps * (d->works[incoming] > 0 ? d->works[incoming] : 1);
    double least_bps = incoming ? analysis_capacity_least_bps(w) : analysis_capacity_mean_bps(w, d->s->from_s, d->s->to_s);
    return bytes * 8 / (known ? bps : fmin(link->capacity_bps, least_bps));
}

/* How long data wait that go the way of a flow's ACKs from end to end, through all the same queues. Not where a host is
 * what they wait for: there is no queue with an order. */
static void link_beside(struct links *d)
{
    if (d->s->host != JUDGE_CAUSE_UNKNOWN || d->ways->in.flows == 0 || d->ways->out.flows == 0)
        return;
    struct analysis_evidence **by = analysis_evidence_by_peer(d->s);
    for (size_t i = 0, end; i < d->s->n; i = end) {
        double wait_s[2] = {0, 0};
        for (end = i; end < d->s->n && analysis_evidence_same_peer(by[end], by[i]); end++)
            wait_s[by[end]->flow->incoming] = fmax(wait_s[by[end]->flow->incoming], by[end]->data_wait_s);
        for (size_t k = i; k < end && by[k]->peer.family; k++)
            by[k]->data_beside_s = (float)wait_s[!by[k]->flow->incoming];
    }
    free(by);
}

static void link_ways(struct links *d)
{
    for (size_t i = 0; i < d->s->n; i++) {
        const struct analysis_evidence *e = &d->s->flow[i];
        struct judge_way *w = link_way(d, e->flow->incoming);
        double x = e->flow->rate_bps;
        w->flows++;
        w->carried_bps += x;
        w->data_wait_s += x * e->data_wait_s;
        w->ack_wait_s += x * e->ack_wait_s;
        w->floor_s += x * e->floor_s;
    }
    for (int i = 0; i < 2; i++) {
        struct judge_way *w = link_way(d, i);
        w->data_wait_s /= w->carried_bps;
        w->ack_wait_s /= w->carried_bps;
        w->floor_s /= w->carried_bps;
    }
}

/* The times of a phase that are looked at. */
static double link_sample_s(const struct links *d, int i)
{
    return d->s->from_s + (d->s->to_s - d->s->from_s) * (i + 0.5) / ANALYSIS_EVIDENCE_SAMPLES;
}

/* Does the queue before a direction's data, or their ACKs, never run empty in the phase, but for a share of it? All
 * wait in it: the least that one waits. */
static bool link_stands(const struct links *d, bool incoming, bool acks, double share)
{
    double waits_s[ANALYSIS_EVIDENCE_SAMPLES], at_s[ANALYSIS_EVIDENCE_SAMPLES], tick_s = 0, sum = 0;
    const int most = (int)(share * ANALYSIS_EVIDENCE_SAMPLES);
    int empty = 0;
    for (int i = 0; i < ANALYSIS_EVIDENCE_SAMPLES; i++) {
        at_s[i] = link_sample_s(d, i);
        waits_s[i] = NAN;
    }
    for (size_t n = 0; n < d->s->n; n++) {
        const struct analysis_evidence *e = &d->s->flow[n];
        if (e->flow->incoming != incoming)
            continue;
        if (e->coarse || !analysis_evidence_shows(d->s, e))
            return false;
        tick_s = fmax(tick_s, fmax(e->tick_s, d->s->stamp_s));
        int i = 0;
        for (size_t k = 0; k < e->n_waits; k++) {
            double wait_s = (acks ? e->waits[k].ack_s : e->waits[k].data_s) + e->missing_s[acks];
            double end_s = k + 1 < e->n_waits ? e->waits[k + 1].start_s : (double)INFINITY;
            for (; i < ANALYSIS_EVIDENCE_SAMPLES && at_s[i] < end_s; i++) {
                if (at_s[i] < e->waits[k].start_s || waits_s[i] <= wait_s || isnan(wait_s))
                    continue;
                empty += wait_s <= ANALYSIS_EVIDENCE_TICKS * tick_s && !(waits_s[i] <= ANALYSIS_EVIDENCE_TICKS * tick_s);
                waits_s[i] = wait_s;
            }
        }
        if (empty > most) /* whatever the others saw */
            return false;
    }
    for (int i = 0; i < ANALYSIS_EVIDENCE_SAMPLES; i++) {
        if (!isfinite(waits_s[i]))
            return false;
        sum += waits_s[i];
    }
    qsort(waits_s, ANALYSIS_EVIDENCE_SAMPLES, sizeof *waits_s, estimate_ascending);
    double least = waits_s[most];
    return least > ANALYSIS_EVIDENCE_TICKS * tick_s && least > JUDGE_PATH_STANDS * sum / ANALYSIS_EVIDENCE_SAMPLES;
}

/* Does every packet of a direction's flows wait, at any time? The least wait within a round trip tells. Means do not: a
 * window that comes as one burst waits half as long on average as at its end, and finds the queue empty. Nor do coarse
 * stamps, and where all that is in flight has one ACK or two its receiver's timer may be what it waits for. */
static bool link_always(const struct links *d, bool incoming)
{
    bool any = false;
    for (size_t k = 0; k < d->s->n; k++) {
        const struct analysis_evidence *e = &d->s->flow[k];
        if (e->flow->incoming != incoming)
            continue;
        if (!(e->tick_s > 0) || !analysis_evidence_shows(d->s, e) ||
            !(e->clocking.flight_bytes > 2 * d->s->segments_per_ack * d->s->full_bytes))
            return false;
        const double trip_s = analysis_evidence_rtt_s(e);
        const double stands_s = fmax(ANALYSIS_EVIDENCE_TICKS * e->tick_s, JUDGE_PATH_STANDS * e->data_wait_s);
        for (int i = 0; i < ANALYSIS_EVIDENCE_SAMPLES; i++)
            if (!(analysis_evidence_least_s(e, link_sample_s(d, i), trip_s) > stands_s))
                return false;
        any = true;
    }
    return any;
}

/* Do a direction's data wait where they seem to, for the most part? What nobody placed may be waits of their ACKs. */
static bool link_placed(const struct links *d, bool incoming)
{
    double waits = 0, unplaced = 0;
    for (size_t i = 0; i < d->s->n; i++) {
        const struct analysis_evidence *e = &d->s->flow[i];
        waits += e->flow->incoming == incoming ? e->flow->rate_bps * e->data_wait_s : 0;
        unplaced += e->flow->incoming == incoming ? e->flow->rate_bps * fmax(0, e->unplaced_s) : 0;
    }
    return unplaced < HALF * waits;
}

/* Do a direction's data wait as little as where no link on their way is full? False where nobody knows. */
static bool link_free(const struct judge_way *w)
{
    return w->data_wait_s < JUDGE_PATH_FREE * (w->floor_s + w->data_wait_s + w->ack_wait_s);
}

/* No link is faster than the interface that captured its frames; a slower one may be farther away, but data would wait
 * there. */
static void link_interface(const struct links *d, struct judge_way *w)
{
    bool free = w->flows == 0 || link_free(w);
    if (w->source == JUDGE_CAPACITY_KNOWN || !isfinite(d->s->interface_bps) ||
        (w->source == JUDGE_CAPACITY_UNKNOWN ? !free : w->capacity_bps <= d->s->interface_bps))
        return;
    w->capacity_bps = d->s->interface_bps;
    w->source = JUDGE_CAPACITY_INTERFACE;
}

/* Would a rate make this direction full, although its data hardly wait and its ACKs do? Then their clock lets frames go
 * so evenly, no link. */
static bool link_clock(const struct links *d, const struct judge_way *w, double bps)
{
    const struct judge_way *other = w == &d->ways->in ? &d->ways->out : &d->ways->in;
    double frame_s = (d->s->full_bytes + JUDGE_AROUND) * 8 / bps, room = link_room_at(d, w, bps, other->carried_bps);
    double least_s = CLOCK_FRAMES * frame_s; /* or what coarse stamps cannot tell from nothing */
    for (size_t i = 0; i < d->s->n; i++)
        if (d->s->flow[i].flow->incoming == (w == &d->ways->in) && d->s->flow[i].coarse)
            least_s = fmax(least_s, UNSEEN_COARSE * analysis_evidence_rtt_s(&d->s->flow[i]));
    return w->flows > 0 && w->carried_bps >= SATURATED * room && w->data_wait_s < least_s &&
           w->ack_wait_s > CLOCK_ACKS * w->data_wait_s;
}

/* Would a rate make a direction full whose data hardly wait, while their ACKs do? Flows with equal windows that wait in
 * the same queue are equally fast, whichever way they go: the other direction's rate is no sign of this one's. Nor is
 * it where data wait before the tap, behind frames at the rate at which they pass it, and not after it. */
static bool link_no_fuller(const struct links *d, const struct judge_way *w, double bps)
{
    const struct judge_way *other = w == &d->ways->in ? &d->ways->out : &d->ways->in;
    double before = 0, frame_s = (d->s->full_bytes + JUDGE_AROUND) * 8 / bps;
    if (w->flows == 0 || w->carried_bps < SATURATED * link_room_at(d, w, bps, other->carried_bps))
        return false;
    bool passes = w == &d->ways->out && w->source == JUDGE_CAPACITY_DISPERSION && /* and not in bursts alone */
                  analysis_capacity_least_bps(&d->host->out) >= HALF * w->capacity_bps;
    for (size_t i = 0; i < d->s->n && passes; i++)
        before += d->s->flow[i].flow->incoming ? 0 : d->s->flow[i].before_s * d->s->flow[i].flow->rate_bps;
    return before > QUEUES_FRAMES * frame_s * w->carried_bps ||
           (link_free(w) && w->ack_wait_s > CLOCK_ACKS * w->data_wait_s);
}

/* Do outgoing data pass the tap at an Ethernet's rate, and wait after it? Then a slower link is on their way; `all`: of
 * each flow. */
static bool link_slower(const struct links *d, bool incoming, double bps, bool all)
{
    double after = 0, rtt = 0;
    bool each = true;
    for (size_t i = 0; i < d->s->n; i++) {
        const struct analysis_evidence *e = &d->s->flow[i];
        if (e->flow->incoming != incoming)
            continue;
        after += e->flow->rate_bps * e->after_s;
        rtt += e->flow->rate_bps * analysis_evidence_rtt_s(e);
        each = each && e->after_s > AFTER * analysis_evidence_rtt_s(e) && e->data_wait_s > HALF * e->after_s;
    }
    return (all ? each : after > AFTER * rtt) && analysis_link_is_line(bps);
}

/* Do a direction's data wait after the tap rather than before it? Then how they pass the tap tells nothing of the link
 * that they wait for. If so, the least share of the time that this link works; 0 otherwise. A window W that comes as one
 * burst waits W / 2C there on average, the most for W: so what waits for a share f of the round trip has
 * W / (C rtt) = 2f, or more where it comes in smaller bursts. */
static double link_beyond(const struct links *d, bool incoming)
{
    double beyond = 0, waits = 0, rtt = 0;
    for (size_t i = 0; i < d->s->n; i++) {
        const struct analysis_evidence *e = &d->s->flow[i];
        if (e->flow->incoming != incoming || !(e->tick_s > 0))
            continue;
        if (e->reader || !analysis_evidence_shows(d->s, e)) /* its data wait for a reader, not for a link; for ticks */
            return 0;
        beyond += e->flow->rate_bps * fmax(0, e->beyond_s - e->tick_s / 2);
        waits += e->flow->rate_bps * e->data_wait_s;
        rtt += e->flow->rate_bps * analysis_evidence_rtt_s(e);
    }
    return beyond > HALF * waits && beyond > UNSEEN_BEYOND * rtt ? fmin(1, 2 * beyond / rtt) : 0;
}

/* What a peer's flows of a direction carry, and how long their data wait, by rates. */
struct link_peer {
    double bps, wait_s;
};

static double link_data_wait_s(const struct analysis_evidence *e)
{
    return e->data_wait_s;
}

/* Do a direction's data, or what else wait_s() says of its flows, wait in one queue? There they wait alike: no longer than those
 * of the peer whose data wait least, but for peers that carry less than half of a mean share, which queues by turns let pass. */
static bool link_common(const struct links *d, bool incoming, double (*wait_s)(const struct analysis_evidence *))
{
    struct analysis_evidence **by = analysis_evidence_by_peer(d->s);
    struct link_peer *peer = memory_zeroed(d->s->n + 1, sizeof *peer, "peers");
    double bps = 0, waits = 0, least_s = INFINITY;
    size_t n = 0;
    for (size_t i = 0, end; i < d->s->n; i = end) {
        struct link_peer own = {0, 0};
        for (end = i; end < d->s->n && analysis_evidence_same_peer(by[end], by[i]); end++) {
            const struct analysis_evidence *e = by[end];
            own.bps += e->flow->incoming == incoming ? e->flow->rate_bps : 0;
            own.wait_s += e->flow->incoming == incoming ? e->flow->rate_bps * wait_s(e) : 0;
        }
        bps += own.bps;
        waits += own.wait_s;
        if (own.bps > 0)
            peer[n++] = (struct link_peer){own.bps, own.wait_s / own.bps};
    }
    for (size_t i = 0; i < n; i++)
        least_s = peer[i].bps > HALF * bps / (double)n ? fmin(least_s, peer[i].wait_s) : least_s;
    free(peer);
    free(by);
    return !(least_s * bps < COMMON * waits);
}

/* What data and other traffic take of a link on the wire. ACKs ride on data where these go both ways in one connection. */
static double link_data_bps(const struct links *d, const struct judge_way *w)
{
    return w->carried_bps * (d->s->full_bytes + JUDGE_AROUND) / d->s->full_bytes + d->s->other_bps[w == &d->ways->out];
}

/* What ACKs of a direction's data take of the other one's link. */
static double link_acks_bps(const struct links *d, const struct judge_way *w)
{
    return w->carried_bps * judge_facts_acks(d->s->segments_per_ack, d->s->full_bytes);
}

/* What passes a link whose queue is never empty, on the wire, were it so all the time. */
static double link_passes_bps(const struct links *d, const struct judge_way *w, double busy)
{
    const struct judge_way *other = w == &d->ways->in ? &d->ways->out : &d->ways->in;
    double full = d->s->full_bytes;
    return (w->carried_bps * (full + JUDGE_AROUND) / full + link_acks_bps(d, other) + d->s->other_bps[w == &d->ways->out]) / busy;
}

/* From the tap to the receiver and back through empty queues. */
static double link_loop_floor_s(const struct analysis_evidence *e)
{
    const double least_s = e->flow->incoming ? e->near_least_s : e->far_least_s;
    return least_s > 0 ? fmin(e->loop_least_s, least_s) : e->loop_least_s;
}

/* The same as it is in the phase, beyond that. */
static double link_loop_wait_s(const struct analysis_evidence *e)
{
    return e->loop_least_s + e->loop_wait_s - link_loop_floor_s(e);
}

/* And from the tap to the sender. */
static double link_loop_rest_s(const struct analysis_evidence *e)
{
    const double rest_s = e->flow->incoming ? e->far_least_s : e->near_least_s;
    return rest_s > 0 && isfinite(rest_s) ? rest_s : 0;
}

/* Both loops, this one as it is in the phase. */
static double link_loop_trip_s(const struct analysis_evidence *e)
{
    return e->loop_least_s + e->loop_wait_s + link_loop_rest_s(e);
}

/* Its round trip; without timestamps, as its loop shows it. */
static double link_trip_s(const struct analysis_evidence *e)
{
    const double trip_s = analysis_evidence_rtt_s(e);
    return isnan(trip_s) ? link_loop_trip_s(e) : trip_s;
}

/* Does as much pass one way at all times? What leaves a queue that never runs empty does, but for a frame at either end of a
 * time; where other traffic or losses take their part, nobody knows. */
static bool link_even(const struct links *d, bool incoming)
{
    const struct judge_way *w = link_way(d, incoming);
    int64_t from_ns = llround(d->s->from_s * 1e9), to_ns = llround(d->s->to_s * 1e9), width_ns = 1;
    double data_bps = w->carried_bps * (d->s->full_bytes + JUDGE_AROUND) / d->s->full_bytes, span_s = 0;
    bool known = data_bps > EVEN_ALONE * link_passes_bps(d, w, 1);
    for (size_t i = 0; i < d->s->n && known; i++) {
        const struct analysis_evidence *e = &d->s->flow[i];
        if (e->flow->incoming != incoming)
            continue;
        known = e->bins && e->flow->loss_events == 0;
        width_ns = known && analysis_bins_width_ns(e->bins) > width_ns ? analysis_bins_width_ns(e->bins) : width_ns;
        span_s = fmax(span_s, EVEN_TRIPS * link_trip_s(e));
    }
    int64_t span_ns = (int64_t)ceil(span_s * 1e9 / (double)width_ns) * width_ns;
    if (!known || !(span_s > 0) || to_ns - from_ns < EVEN_TIMES * span_ns)
        return true;
    double most = 0, mean = w->carried_bps / 8 * (double)span_ns * 1e-9;
    for (int64_t at_ns = (from_ns / width_ns + 1) * width_ns; at_ns + span_ns <= to_ns; at_ns += span_ns) {
        double bytes = 0;
        for (size_t i = 0; i < d->s->n; i++) {
            size_t begin, end;
            if (d->s->flow[i].flow->incoming != incoming)
                continue;
            analysis_bins_range(d->s->flow[i].bins, at_ns, at_ns + span_ns, &begin, &end);
            bytes += (double)analysis_bins_sum(d->s->flow[i].bins, begin, end).bytes;
        }
        most = fmax(most, bytes);
    }
    return most < (1 + EVEN_OFF) * mean + 2 * d->s->full_bytes;
}

/* What a flow's data always stood in the queue whose frames pass the tap one after the other. */
static double link_stood_s(const struct analysis_evidence *e)
{
    return e->missing_s[0] - (e->flow->incoming ? 0 : e->there_s);
}

static void link_capacity(struct links *d, const double known[2])
{
    const struct analysis_capacity_host *host = d->host;
    for (int i = 0; i < 2; i++) {
        struct judge_way *w = link_way(d, i == 0);
        double share = 0, queued_s = 0, tick_s = 0;
        bool stamped = false;
        w->capacity_bps = known && isfinite(known[i]) ? known[i] : (double)NAN;
        w->source = isfinite(w->capacity_bps) ? JUDGE_CAPACITY_KNOWN : JUDGE_CAPACITY_UNKNOWN;
        for (size_t k = 0; k < d->s->n; k++)
            if (d->s->flow[k].flow->incoming == (i == 0)) {
                /* Without stamps by Little's law: where most of its data wait. */
                queued_s = fmax(queued_s, d->s->flow[k].tick_s > 0 ? d->s->flow[k].queued_s + link_stood_s(&d->s->flow[k])
                                                                   : w->data_wait_s);
                tick_s = fmax(tick_s, d->s->flow[k].tick_s);
                stamped = stamped || isfinite(d->s->flow[k].tick_s);
            }
        if (w->source == JUDGE_CAPACITY_KNOWN || !host || link_apart(d, i == 0))
            continue;
        if (i == 1 && d->s->followed_bps > 0) {
            w->capacity_bps = d->s->followed_bps;
            w->source = JUDGE_CAPACITY_FOLLOWED;
            continue;
        }
        if (d->s->stood[i]) {
            w->capacity_bps = link_passes_bps(d, w, 1);
            w->source = JUDGE_CAPACITY_QUEUE;
            continue;
        }
        if (w->flows == 0 && d->s->beside && d->s->other_bps[i] > JUDGE_PATH_OTHERS * link_passes_bps(d, w, 1) &&
            link_stands(d, i != 0, true, FILLS)) { /* of ACKs, and others */
            w->capacity_bps = link_passes_bps(d, w, 1);
            w->source = JUDGE_CAPACITY_QUEUE;
            continue;
        }
        double bps = analysis_capacity_bps(i == 0 ? &host->in : &host->out, &share);
        if (bps < SATURATED * link_passes_bps(d, w, 1)) /* more passes: a clock of ACKs spaces frames so */
            bps = NAN;
        bool stopped = i == 1 && d->s->stopped; /* back to back, but not all the time */
        double frame_s = (d->s->full_bytes + JUDGE_AROUND) * 8 / bps;
        /* Nothing to win: a queue that fills first is as good, if that is where the loop stands. */
        bool alone = link_way(d, i != 0)->flows == 0 && !(w->ack_wait_s > w->data_wait_s);
        bool unlike = !isfinite(bps) || (i == 1 && link_slower(d, false, bps, true)) ||
                      (alone && w->carried_bps < HALF * link_room_at(d, w, bps, 0));
        /* A rate at which frames pass the tap and that they fill is that of a link before it. */
        bool fills = isfinite(bps) && !link_clock(d, w, bps) &&
                     w->carried_bps >= SATURATED * link_room_at(d, w, bps, link_way(d, i != 0)->carried_bps);
        double works = fills || !d->s->common[i] ? 0 : link_beyond(d, i == 0);
        double pulsed_bps = analysis_evidence_pulsed_bps(d->s, i == 0, link_passes_bps(d, w, 1));
        if (isfinite(pulsed_bps) && !isfinite(bps)) { /* there is room, whatever rate would seem to leave none */
            w->capacity_bps = pulsed_bps;
            w->source = JUDGE_CAPACITY_QUEUE;
        } else if (works > 0) {
            const bool always = link_always(d, i == 0) && link_even(d, i == 0);
            w->capacity_bps = link_passes_bps(d, w, always ? 1 : works);
            d->works[i == 0] = always ? 0 : works;
            w->source = JUDGE_CAPACITY_QUEUE;
        } else if (stopped || (unlike && w->flows > 0 && link_placed(d, i == 0) &&
                               link_stands(d, i == 0, false, alone ? FILLS : 0) && d->s->common[i] && link_even(d, i == 0) &&
                               w->data_wait_s * link_passes_bps(d, w, 1) > (d->s->full_bytes + JUDGE_AROUND) * 8)) {
            w->capacity_bps = link_passes_bps(d, w, 1);
            w->source = JUDGE_CAPACITY_QUEUE;
        } else if (isfinite(bps) && !link_clock(d, w, bps) &&
                   (w->flows > 0 && stamped ? queued_s > fmax(ANALYSIS_EVIDENCE_QUEUES * tick_s, QUEUES_FRAMES * frame_s)
                                            : share > AGREED)) {
            w->capacity_bps = bps;
            w->source = JUDGE_CAPACITY_DISPERSION;
        }
    }
    for (int i = 0; i < 2;
         i++) { /* shapers let bursts pass: a direction that carries just what fits the other's rate */
        struct judge_way *w = link_way(d, i), *other = link_way(d, !i);
        double fits = w->carried_bps / link_room(d, other, other->carried_bps);
        if (w->source == JUDGE_CAPACITY_DISPERSION && other->source == JUDGE_CAPACITY_DISPERSION &&
            w->capacity_bps > other->capacity_bps && fits > 1 - ALIKE && fits < 1 + ALIKE &&
            !link_no_fuller(d, w, other->capacity_bps) &&
            analysis_capacity_least_bps(i ? &host->in : &host->out) <
                fmax((1 + ANALYSIS_EVIDENCE_BURSTS) * other->capacity_bps, HALF * w->capacity_bps))
            w->capacity_bps = other->capacity_bps;
    }
    for (int i = 0; i < 2; i++) {
        struct judge_way *w = link_way(d, i), *other = link_way(d, !i);
        if (w->source == JUDGE_CAPACITY_UNKNOWN && other->source != JUDGE_CAPACITY_UNKNOWN &&
            other->source != JUDGE_CAPACITY_ASSUMED && !(known && isinf(known[i == 0])) &&
            w->carried_bps < NOT_ALIKE * other->capacity_bps) {
            w->capacity_bps = other->capacity_bps;
            w->source = JUDGE_CAPACITY_ASSUMED;
        }
    }
    for (int i = 0; i < 2; i++) { /* nothing else shows it: to carry just what an Ethernet does is chance for one of 50 */
        struct judge_way *w = link_way(d, i);
        if (w->source == JUDGE_CAPACITY_UNKNOWN && w->flows > 0 && !link_free(w) &&
            analysis_link_is_line(link_data_bps(d, w))) {
            w->capacity_bps = link_data_bps(d, w);
            w->source = JUDGE_CAPACITY_QUEUE;
        }
    }
    for (int i = 0; i < 2; i++) { /* the other direction's rate, where what waits after the tap agrees with it */
        struct judge_way *w = link_way(d, i), *other = link_way(d, !i);
        if (!(d->works[i] > 0) || other->source != JUDGE_CAPACITY_DISPERSION ||
            other->capacity_bps < NOT_ALIKE * link_passes_bps(d, w, 1) ||
            other->capacity_bps * NOT_ALIKE > link_passes_bps(d, w, d->works[i]))
            continue;
        w->capacity_bps = other->capacity_bps;
        w->source = JUDGE_CAPACITY_ASSUMED;
        d->works[i] = 0;
    }
    for (int i = 0; i < 2; i++)
        link_interface(d, link_way(d, i));
}

/* A round trip is no longer: no more is in flight than the window offered. */
static double link_longest_s(const struct analysis_evidence *e)
{
    const struct analysis_clocking_figures *k = &e->clocking;
    const bool known = k->offered_most_bytes > 0 && !k->offered_guessed;
    return known ? k->offered_most_bytes * 8 / e->flow->rate_bps : INFINITY;
}

/* Does a loop to its receiver show, and nothing else? */
static bool link_looped(const struct analysis_evidence *e)
{
    return !isfinite(e->tick_s) && e->loop_least_s > 0 && e->loop_wait_s > 0;
}

/* Without timestamps one tap times the loops to the receivers and back, of either direction. What waits there waits as ACKs
 * where the data's own direction has room: known after its capacity is. Where nobody saw that it has, and the other one has
 * room, data wait there, in a slower link after the tap. */
enum link_placed { LINK_UNPLACED, LINK_AS_DATA, LINK_AS_ACKS };

struct link_loop {
    enum link_placed placed;
    bool common;                    /* in one queue */
    double wait_s, stands_s, trip_s; /* means by rates: what waits in it, and the least of that; round trips */
    double floor_s;                 /* the least */
};

/* Do frames that seem to fill a direction follow each other as a sender lets them go, and not as a wire passes them? */
static bool link_paced(const struct links *d, bool incoming)
{
    const struct analysis_capacity_way *seen = link_seen(d, incoming);
    return seen && analysis_spacing_between(&seen->spacing, link_way(d, incoming)->capacity_bps) > PACED;
}

static struct link_loop link_loop_of(const struct links *d, bool incoming)
{
    const struct judge_way *w = link_way(d, incoming), *other = link_way(d, !incoming);
    struct link_loop l = {.common = link_common(d, incoming, link_loop_wait_s), .floor_s = INFINITY};
    double bps = 0;
    size_t looped = 0;
    for (size_t i = 0; i < d->s->n; i++) {
        const struct analysis_evidence *e = &d->s->flow[i];
        if (e->flow->incoming != incoming || !link_looped(e))
            continue;
        looped++;
        l.wait_s += e->flow->rate_bps * link_loop_wait_s(e);
        l.stands_s += e->flow->rate_bps * (e->loop_least_s + e->loop_stands_s - link_loop_floor_s(e));
        l.trip_s += e->flow->rate_bps * link_loop_trip_s(e);
        l.floor_s = fmin(l.floor_s, link_loop_floor_s(e) + link_loop_rest_s(e));
        bps += e->flow->rate_bps;
    }
    if (looped == 0)
        return l;
    l.wait_s /= bps;
    l.stands_s /= bps;
    l.trip_s /= bps;
    const bool seen = other->source == JUDGE_CAPACITY_DISPERSION || other->source == JUDGE_CAPACITY_KNOWN;
    const bool assumed = w->source == JUDGE_CAPACITY_ASSUMED;
    const bool full = !(other->carried_bps < SATURATED * link_room(d, other, w->carried_bps));
    const bool matters = !(l.wait_s < JUDGE_PATH_FREE * (l.floor_s + l.wait_s));
    if (full && link_paced(d, !incoming))
        l.placed = LINK_UNPLACED; /* what that direction could carry does not show */
    else if (assumed && seen && !full)
        l.placed = looped == w->flows ? LINK_AS_DATA : LINK_UNPLACED;
    else if (!(w->carried_bps < ROOM * link_room(d, w, other->carried_bps)) || (matters && !full && !l.common))
        l.placed = LINK_UNPLACED; /* what waits apart is in no queue that all share */
    else if (!assumed || analysis_link_is_line(w->capacity_bps) || !link_even(d, incoming))
        l.placed = LINK_AS_ACKS; /* else a slower link may be full of what goes out */
    return l;
}

/* A direction whose data wait in a slower link after the tap, which works all the time or for a share, as link_beyond() has it. */
static void link_loops_fill(struct links *d, bool incoming, const struct link_loop *l)
{
    struct judge_way *w = link_way(d, incoming);
    const double works = l->stands_s > JUDGE_PATH_STANDS * l->wait_s ? 1 : fmin(1, 2 * l->wait_s / l->trip_s);
    w->capacity_bps = link_passes_bps(d, w, works);
    w->source = JUDGE_CAPACITY_QUEUE;
    d->works[incoming] = works < 1 ? works : 0;
}

/* A flow that begins behind a standing queue never meets it empty: data that fill the other direction tell how long that is. */
static void link_loops_own(const struct links *d, struct analysis_evidence *e, enum link_placed placed)
{
    const double loop_s = e->loop_least_s + e->loop_wait_s, wait_s = link_loop_wait_s(e);
    e->data_wait_s = placed == LINK_AS_DATA ? wait_s : 0;
    e->ack_wait_s = placed == LINK_AS_ACKS ? fmin(loop_s, fmax(wait_s, link_queue_s(d, !e->flow->incoming))) : 0;
    e->floor_s = loop_s - e->data_wait_s - e->ack_wait_s + link_loop_rest_s(e);
    e->beyond_s = e->data_wait_s;
}

static void link_loops(struct links *d)
{
    const struct link_loop loop[2] = {link_loop_of(d, false), link_loop_of(d, true)};
    double least_s = fmin(loop[0].floor_s, loop[1].floor_s);
    for (size_t i = 0; i < d->s->n; i++) {
        struct analysis_evidence *e = &d->s->flow[i];
        if (link_looped(e) && loop[e->flow->incoming].placed != LINK_UNPLACED)
            link_loops_own(d, e, loop[e->flow->incoming].placed);
    }
    for (int k = 0; k < 2; k++)
        if (loop[k].placed == LINK_AS_DATA)
            link_loops_fill(d, k, &loop[k]);
    for (size_t i = 0; i < d->s->n; i++) { /* the other loop's waits are in queues that its packets pass, too */
        struct analysis_evidence *e = &d->s->flow[i];
        const struct link_loop *own = &loop[e->flow->incoming], *other = &loop[!e->flow->incoming];
        const bool placed = link_looped(e) && own->placed != LINK_UNPLACED;
        if (isfinite(e->tick_s) || (!placed && (other->placed != LINK_AS_DATA || !other->common)))
            continue;
        if (!placed) {
            e->data_wait_s = e->ack_wait_s = 0;
            e->floor_s = fmin(e->floor_s, least_s);
        }
        const double most_s = fmax(0, link_longest_s(e) - e->floor_s - e->data_wait_s - e->ack_wait_s);
        if (other->placed == LINK_AS_DATA && other->common)
            e->ack_wait_s += fmin(other->wait_s, most_s);
        else if (other->placed == LINK_AS_ACKS)
            e->data_wait_s += fmin(other->wait_s, most_s);
        else if (other->placed == LINK_UNPLACED && e->flow->incoming)
            e->ack_wait_s += link_after_tap_s(d); /* they leave by the same queue */
        e->tick_s = 0;
    }
}

/* Do ACKs of a direction's data wait after the tap? */
static bool link_acks_beyond(const struct links *d, bool incoming)
{
    double beyond = 0, waits = 0;
    for (size_t i = 0; i < d->s->n; i++) {
        const struct analysis_evidence *e = &d->s->flow[i];
        beyond += e->flow->incoming == incoming ? e->flow->rate_bps * e->ack_beyond_s : 0;
        waits += e->flow->incoming == incoming ? e->flow->rate_bps * e->ack_wait_s : 0;
    }
    return beyond > HALF * waits;
}

/* Do they wait, long enough to matter, where queues may hold what the capture does not show? That is on the other side of the
 * tap; on this one, where data of others pass; and before the tap, where a filter left out what the host sends. ACKs that have
 * passed the tap after a queue of nothing but ACKs follow each other as evenly as that serves them. */
static bool link_acks_hidden(const struct links *d, bool incoming, bool *mixed)
{
    const struct analysis_capacity_way *back = link_seen(d, !incoming);
    struct analysis_spacing_figures figures;
    double far = 0, waits = 0, trips = 0;
    for (size_t i = 0; i < d->s->n; i++) {
        const struct analysis_evidence *e = &d->s->flow[i];
        far += e->flow->incoming == incoming ? e->flow->rate_bps * e->ack_far_s : 0;
        waits += e->flow->incoming == incoming ? e->flow->rate_bps * e->ack_wait_s : 0;
        trips += e->flow->incoming == incoming ? e->flow->rate_bps * analysis_evidence_rtt_s(e) : 0;
    }
    const bool beyond = far > HALF * waits;
    if (back && !isfinite(waits)) /* how long does not show, nor where */
        return true;
    if (!back || !(waits > JUDGE_DIAGNOSIS_TOTAL * trips) || !(beyond || incoming || d->host->others > 0))
        return false;
    analysis_spacing_get(&back->spacing, &figures);
    const bool passed = incoming ? !beyond : beyond;
    *mixed = passed && analysis_capacity_mean_bps(back, d->s->from_s, d->s->to_s) < EVENLY * figures.line_bps;
    return !passed || *mixed;
}

/* Is as much in flight one way as the other? Behind the same queues as much passes then, whatever the links could carry. */
static bool link_windows_alike(const struct links *d)
{
    double bytes[2] = {0, 0};
    for (size_t i = 0; i < d->s->n; i++) {
        const struct analysis_evidence *e = &d->s->flow[i];
        double little = e->flow->rate_bps / 8 * analysis_evidence_rtt_s(e); /* where it does not show */
        bytes[e->flow->incoming] += e->clocking.flight_bytes > 0 ? e->clocking.flight_bytes : little;
    }
    return fabs(bytes[0] - bytes[1]) < SAME_WINDOWS * fmax(bytes[0], bytes[1]);
}

static void link_fill(const struct links *d, bool incoming, struct judge_link *l)
{
    const struct judge_way *w = link_way(d, incoming);
    *l = (struct judge_link){
        .capacity_bps = w->capacity_bps,
        .source = w->source,
        .other_bps = d->s->other_bps[!incoming],
        .works = d->works[incoming],
        .drain_s = link_drain_s(d, incoming),
        .hidden = !analysis_capacity_shows(d->s->stamp_s, link_passes_bps(d, w, 1)),
        .unlike = w->source == JUDGE_CAPACITY_ASSUMED && !analysis_link_is_line(w->capacity_bps) && link_windows_alike(d),
        .apart = link_apart(d, incoming),
        .slower = w->source == JUDGE_CAPACITY_DISPERSION && link_slower(d, incoming, w->capacity_bps, false),
        .acks_stand = w->flows > 0 && link_stands(d, incoming, true, FILLS),
    };
    l->acks_hidden = w->flows > 0 && link_acks_hidden(d, incoming, &l->acks_mixed);
    l->acks_beside = d->s->others_bps[incoming] > DATA * d->s->others_bps[!incoming] &&
                     d->s->others_bps[incoming] > JUDGE_PATH_OTHERS * link_acks_bps(d, w);
    l->acks_beyond = l->acks_stand && link_acks_beyond(d, incoming);
}

void analysis_link_find(struct analysis_evidence_set *s, const struct analysis_capacity_host *frames,
                        const double known_bps[2], struct judge_link *in, struct judge_link *out)
{
    struct link_ways ways = {.in.flows = 0};
    struct links d = {.s = s, .host = frames, .ways = &ways};
    link_own_links(&d);
    link_ways(&d);
    for (int i = 0; i < 2; i++)
        s->common[i] = link_common(&d, i == 0, link_data_wait_s);
    link_capacity(&d, known_bps);
    link_loops(&d);
    link_beside(&d);
    for (size_t i = 0; i < s->n; i++) {
        struct analysis_evidence *e = &s->flow[i];
        e->cycle_s = link_cycle_s(&d, e);
        e->cycle_wait_s = link_cycle_wait_s(&d, e);
    }
    link_fill(&d, true, in);
    link_fill(&d, false, out);
}
