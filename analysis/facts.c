/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/facts.h"

#include "analysis/link.h"
#include "judge/path.h"

#include <math.h>
#include <stdlib.h>

#define COARSE 0.04 /* of the round trip: so far are waits off that the tap alone tells apart, as emulated flows show */
#define FULL 0.9      /* of the link is data: the rest are ACKs and what is not TCP */
#define TRIPS 2 /* round trips to take a rate from: bursts are faster than a pace */

/* How fast its congestion window grows, in segments a round trip: bytes in flight, but for what slower round trips hold
 * of the same rate. */
static void facts_growth(const struct analysis_evidence *e, struct judge_sender *k)
{
    double trip_s = analysis_evidence_rtt_s(e);
    struct estimate flight = estimate_slope(&e->clocking.flight_line);
    double slower = isfinite(e->trips_slope) ? fmax(0, e->trips_slope) * e->flow->rate_bps / 8 : 0;
    k->grows = (flight.value - slower) * trip_s / k->full_bytes;
    k->grows_ci95 = flight.ci95 * trip_s / k->full_bytes;
    k->range = e->trips_range_s / trip_s;
}

static struct judge_sender facts_sender(const struct analysis_evidence_set *s, const struct analysis_evidence *e)
{
    const struct analysis_clocking_figures *c = &e->clocking;
    struct judge_sender k = {
        .full_bytes = c->full_bytes,
        .flight_bytes = c->flight_bytes,
        .most_bytes = fmax(c->most_bytes, c->burst_bytes),
        .peak_bytes = c->peak_bytes,
        .offered_bytes = c->offered_bytes,
        .offered_most_bytes = c->offered_most_bytes,
        .offered_guessed = c->offered_guessed,
        .offered_swing = c->offered_swing,
        .closed_share = c->closed_share,
        .short_share = c->short_share,
        .tight_share = c->full_bytes > 0 ? c->tight_share : (double)NAN, /* else nobody watched its segments */
        .idle = analysis_evidence_idle(s, e),
        .jitter = c->jitter,
        .fullness = c->fullness,
        .free_bps = e->ack_wait_s > 0 ? analysis_evidence_unhindered_bps(e) : (double)NAN,
        .fastest_bps = analysis_evidence_fastest_bps(e, TRIPS * analysis_evidence_rtt_s(e)),
    };
    facts_growth(e, &k);
    return k;
}

/* The least that its data waited, as its stamps saw it: where the rest of a wait stood is inferred, and proves nothing. */
static double facts_least_s(const struct analysis_evidence *e)
{
    double least_s = e->waited_least_s;
    return e->coarse ? (double)NAN : least_s > ANALYSIS_EVIDENCE_TICKS * e->tick_s ? least_s : 0;
}

/* Share of the phase in which its data waited for round trips on end: less than half of one from any that hardly did. */
static double facts_waits(const struct analysis_evidence_set *s, const struct analysis_evidence *e)
{
    const double trip_s = analysis_evidence_rtt_s(e), most_s = fmax(e->data_wait_s, e->data_wait_s - e->unplaced_s);
    const double least_s = fmax(ANALYSIS_EVIDENCE_TICKS * e->tick_s, JUDGE_PATH_STANDS * e->data_wait_s) + e->host_data_s;
    if (e->coarse || e->n_waits == 0 || !(most_s > JUDGE_PATH_FREE * trip_s))
        return 0;
    double until_s = fmax(s->from_s, fmin(e->waits[0].start_s, s->to_s)), hardly_s = until_s - s->from_s;
    for (size_t i = 0; i < e->n_waits && e->waits[i].start_s - trip_s / 2 < s->to_s; i++) {
        const struct analysis_wait *w = &e->waits[i];
        const double to_s = fmin(analysis_wait_start_s(w, w->slots) + trip_s / 2, s->to_s);
        if (w->least_s > least_s || to_s <= until_s)
            continue;
        hardly_s += to_s - fmax(w->start_s - trip_s / 2, until_s);
        until_s = to_s;
    }
    return 1 - hardly_s / (s->to_s - s->from_s);
}

/* Share of the phase in which its sender has nothing in flight, where it began anew at all: what is in flight on average is what
 * passes in a round trip, by Little's law, and while it sends there is more. */
static double facts_rests(const struct analysis_evidence *e)
{
    double active = e->flow->rate_bps / 8 * analysis_evidence_rtt_s(e) / e->clocking.flight_bytes;
    return e->clocking.restarts > 0 && isfinite(active) ? fmax(0, 1 - active) : 0;
}

/* Flows to and from one peer have one number. */
static struct judge_flow facts_flow(const struct analysis_evidence_set *s, const struct analysis_evidence *e)
{
    /* A stamp is up to a tick old, those of one burst equally: so far is their mean off. */
    double stamps = fmax(1, (s->to_s - s->from_s) / e->tick_s), trip_s = analysis_evidence_rtt_s(e);
    bool shows = analysis_evidence_shows(s, e);
    double windows = e->clocking.offered_bytes * (1 + e->clocking.offered_swing) * 8 / e->floor_s;
    return (struct judge_flow){
        .incoming = e->flow->incoming,
        .lossless = e->lossless,
        .coarse = e->coarse,
        .policed = e->policed,
        .known = e->flow->known,
        .rate_bps = e->flow->rate_bps,
        .loss_events = e->flow->loss_events,
        .floor_s = e->floor_s,
        .data_wait_s = shows ? e->data_wait_s : (double)NAN,
        .ack_wait_s = shows ? e->ack_wait_s : (double)NAN,
        .data_least_s = facts_least_s(e),
        .data_waits = facts_waits(s, e),
        .wait_sd_s = hypot(s->stamp_s, e->coarse ? COARSE * trip_s : e->tick_s > 0 ? e->tick_s / sqrt(12 * stamps) : 0),
        .unplaced_s = e->unplaced_s,
        .host_data_s = e->host_data_s,
        .host_ack_s = e->host_ack_s,
        .beside_s = (double)e->data_beside_s,
        .rests = facts_rests(e),
        .most_bps = INFINITY,
        .window_bps = windows >= e->flow->rate_bps && !e->clocking.offered_guessed ? windows : INFINITY,
        .cycle_s = e->cycle_s,
        .cycle_wait_s = e->cycle_wait_s,
        .clocked = isfinite(e->cycle_s) ? e->clocking.clocked : (double)NAN,
        .clocked_sd = e->clocking.clocked_sd,
        .paced_odds = e->flow->paced_odds,
        .sender = facts_sender(s, e),
    };
}

/* How many round trips the phase lasts, by the means of a direction's flows: no less each than the least that shows, whatever
 * of that is taken to have stood in queues; a wait that does not show is none. */
static double facts_trips(const struct analysis_evidence_set *s, const struct judge_flow *flow)
{
    double trip_s[2] = {0}, bps[2] = {0};
    for (size_t i = 0; i < s->n; i++) {
        const struct judge_flow *k = &flow[i];
        double least_s = s->flow[i].stamped_s[0] + s->flow[i].stamped_s[1];
        double mean_s = fmax(least_s, k->floor_s + fmax(0, k->data_wait_s) + fmax(0, k->ack_wait_s));
        trip_s[k->incoming] += isnan(mean_s) ? 0 : k->rate_bps * mean_s;
        bps[k->incoming] += isnan(mean_s) ? 0 : k->rate_bps;
    }
    const double longest_s = fmax(bps[0] > 0 ? trip_s[0] / bps[0] : 0, bps[1] > 0 ? trip_s[1] / bps[1] : 0);
    return longest_s > 0 ? (s->to_s - s->from_s) / longest_s : 0;
}

void analysis_facts_of(struct analysis_evidence_set *s, const struct analysis_capacity_host *frames,
                       const double known_bps[2], struct judge_flow *flow, struct judge_facts *facts)
{
    *facts = (struct judge_facts){.flow = flow, .n = s->n, .full_bytes = s->full_bytes,
                                  .segments_per_ack = s->segments_per_ack, .ci95_bps = s->ci95_bps,
                                  .beside = s->beside, .one_sided = s->one_sided, .headers_cut = s->headers_cut,
                                  .stopped = s->stopped, .host = s->host};
    analysis_link_find(s, frames, known_bps, &facts->in, &facts->out);
    facts->stood = s->stands || s->may_stand;
    double in_bps = 0, waits[2] = {1, 1};
    for (size_t i = 0; i < s->n; i++) {
        flow[i] = facts_flow(s, &s->flow[i]);
        waits[flow[i].incoming] = fmin(waits[flow[i].incoming], flow[i].data_waits);
        in_bps += flow[i].incoming ? flow[i].rate_bps : 0;
        /* Waits that are off by less cost less than matters. */
        if (s->flow[i].clock_off_s > JUDGE_DIAGNOSIS_TOTAL * analysis_evidence_rtt_s(&s->flow[i]))
            facts->clock_off_s = fmax(facts->clock_off_s, s->flow[i].clock_off_s);
    }
    for (size_t i = 0; i < s->n; i++)
        if (s->common[!flow[i].incoming]) /* what one of them finds empty is empty */
            flow[i].data_waits = waits[flow[i].incoming];
    facts->trips = facts_trips(s, flow);
    /* A link that is full spaces what passes it, whatever spaced it before. */
    bool full = in_bps * (s->full_bytes + JUDGE_AROUND) / s->full_bytes > FULL * facts->in.capacity_bps;
    for (size_t i = 0; i < s->n && full; i++)
        flow[i].sender.tight_share = flow[i].incoming ? (double)NAN : flow[i].sender.tight_share;
}
