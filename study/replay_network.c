/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The network of a capture: the two rates of the shared host's link, how far away the others are, how deep the queues
 * before that link are where frames were lost. */
#include "study/replay_parts.h"

#include "analysis/diagnosis.h"
#include "analysis/leg_series.h"
#include "analysis/limit.h"
#include "base/estimate.h"
#include "base/memory.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>

#define SETTLED 0.3       /* of the time that all flows share */
#define FASTER 20         /* the other links, than the shared one: nothing queues there */
#define HEADROOM 1.25     /* a link that was never full is at least so much faster than what 100 ms carried */
#define WAITS_MATTER 0.1  /* of the floor: shorter ones spoil no handshake */
#define MET 0.85          /* of the floor: a handshake that was longer met a queue */
#define CALIBRATES 0.25   /* of a round trip at a time */
#define AROUND 90         /* wire bytes of a segment besides its payload */
#define ALWAYS 0.9
#define FULL 0.95
#define THIN 0.5          /* of the round trip that ACKs wait where no data go: their queue stands */
#define BELOW_PEAK 0.9    /* a rate is at least that share of what 100 ms carried */
#define EDGES_BPS (3 * 1000 * 8 / 0.1)
#define BURSTS 4          /* no access line: bursts at the rate of the host's own interface */
#define LEAST_BUFFER 4000
#define MOSTLY 0.99        /* of the moments */
#define WINDOWS_OFF 1.5   /* what was in flight is known better than that */
#define BOUND_OFF 1.2     /* a wait is a mean of its slots, what is in flight too */
#define FILLS 0.75        /* of a window of few segments, and a segment of it */
#define SAME 0.1          /* of the window offered comes and goes in 30 ms */
#define CLOCKED 0.5       /* of a late answer is made up for by the pause that follows: a clock starts it */
#define TURNS 8           /* fewer are no habit */
#define UNLIKE 1.02       /* two rates closer than that are one */
#define ALIKE 0.02        /* of a round trip, and */
#define TELLS 0.1         /* of a tick of the stamps: floors that differ by less are one */

static const struct capture_address *network_host(const struct study_replay *r, int host)
{
    for (int i = 0; i < r->n_maps; i++)
        if (r->maps[i].host == host)
            return &r->maps[i].address;
    return NULL;
}

/* The time in which most flows are active, once settled. */
static void network_phase(const struct replay_bulk *flows, int n, double *from_s, double *to_s)
{
    double last_start_s = 0, first_end_s = INFINITY;
    for (int i = 0; i < n; i++) {
        last_start_s = fmax(last_start_s, flows[i].flow.start_s);
        first_end_s = fmin(first_end_s, flows[i].flow.end_s);
    }
    if (!(first_end_s > last_start_s)) { /* they are never active together */
        last_start_s = INFINITY;
        first_end_s = 0;
        for (int i = 0; i < n; i++) {
            last_start_s = fmin(last_start_s, flows[i].flow.start_s);
            first_end_s = fmax(first_end_s, flows[i].flow.end_s);
        }
    }
    *from_s = last_start_s + SETTLED * (first_end_s - last_start_s);
    *to_s = first_end_s;
}

/* Through empty queues: the handshake's round trip, or less where later ones were faster. */
static double network_floor_s(const struct replay_bulk *b)
{
    double floor_s = b->flow.rtt_floor_s;
    if (isfinite(b->trip.floor_s))
        floor_s = isfinite(floor_s) ? fmin(floor_s, b->trip.floor_s) : b->trip.floor_s;
    return floor_s;
}

/* W/x - d: how long data and ACKs of a flow wait; NAN unknown. Without stamps, a flow that its window limits has all in
 * flight that it may. */
static double network_waits_s(const struct replay_bulk *b, double floor_s)
{
    double flight_bytes = isfinite(b->flight_bytes) || b->limit != JUDGE_CAUSE_WINDOW ? b->flight_bytes
                                                                                         : b->clocking.offered_bytes;
    return flight_bytes * 8 / b->rate_bps - floor_s;
}

/* A flow that began after another may have met its queue even in the handshake. All flows of a link wait in the same
 * two queues, so by Little's law W/x - d is the same for all of them: d follows from that of the first. */
static void network_floors(const struct study_replay *r, struct replay_bulk *flows, int n)
{
    const struct capture_address *host = network_host(r, 0);
    int first = -1;
    for (int i = 0; i < n; i++)
        if (host && analysis_flow_touches(&flows[i].flow, host) && isfinite(flows[i].floor_s) &&
            (first < 0 || flows[i].flow.start_s < flows[first].flow.start_s))
            first = i;
    if (first < 0)
        return;
    double waits_s = network_waits_s(&flows[first], flows[first].floor_s);
    for (int i = 0; i < n; i++) {
        struct replay_bulk *b = &flows[i];
        double floor_s = network_waits_s(b, waits_s);
        if (i != first && !replay_is_paced(b) && waits_s > WAITS_MATTER * b->floor_s &&
            floor_s < MET * b->floor_s)
            b->floor_s = fmax(floor_s, 0);
    }
}

/* Is all in flight that its receiver offers, always the same? Then that is what limits it, whatever its application
 * would send, and no reader that takes its time. */
static bool network_fills_window(const struct analysis_clocking_figures *k)
{
    return k->offered_swing < SAME && k->flight_bytes + k->full_bytes > k->offered_bytes &&
           k->flight_bytes > FILLS * k->offered_bytes;
}

/* A flow that begins, again and again, when the other end has sent something answers requests, and one whose pauses do
 * not make up for late answers waits for them. Turns begin with nothing in flight, a round trip after the last data or
 * later. */
static void network_turns(struct replay_bulk *b, double phase_s)
{
    const struct analysis_clocking_figures *k = &b->clocking;
    const struct analysis_round_trip_figures *t = &b->trip;
    b->turn_bytes = b->turn_s = 0;
    bool waits = k->prompted > ALWAYS || (k->clocked < CLOCKED && k->clocked_sd < CLOCKED);
    if (b->limit != JUDGE_CAUSE_APPLICATION || !waits || k->restarts < TURNS)
        return;
    b->turn_bytes = b->rate_bps / 8 * phase_s / k->restarts;
    b->turn_s = fmax(0, k->gaps_s / k->restarts - t->floor_s - t->data_wait_s - t->ack_wait_s);
}

/* Floors that differ by next to nothing of a round trip are alike: nobody can tell them apart, and in an emulation that
 * has no jitter microseconds decide whose frames find the buffer full, again and again. */
static void network_alike(struct replay_bulk *flows, int n)
{
    double least_s = INFINITY;
    for (int i = 0; i < n; i++)
        least_s = isfinite(flows[i].floor_s) ? fmin(least_s, flows[i].floor_s) : least_s;
    for (int i = 0; i < n; i++) {
        double trip_s = flows[i].flight_bytes * 8 / flows[i].rate_bps;
        if (flows[i].floor_s - least_s < fmin(ALIKE * trip_s, TELLS * flows[i].trip.tick_s))
            flows[i].floor_s = least_s;
    }
}

static void network_diagnose(struct study_replay *r, const struct analysis_flows *table,
                             struct replay_bulk *flows, int n, struct judge_diagnosis *d)
{
    const struct capture_address *host = network_host(r, 0);
    struct analysis_told *asked = memory_zeroed((size_t)n + 1, sizeof *asked, "flows to diagnose");
    double from_s, to_s;
    size_t k = 0;
    *d = (struct judge_diagnosis){.in.capacity_bps = NAN, .out.capacity_bps = NAN};
    network_phase(flows, n, &from_s, &to_s);
    r->settled_s = from_s;
    for (int i = 0; i < n; i++) {
        const struct analysis_flow *f = &flows[i].flow;
        double a_s = fmax(from_s, f->start_s), b_s = fmin(to_s, f->end_s);
        flows[i].limit = JUDGE_CAUSE_UNKNOWN;
        flows[i].rate_bps = f->goodput_bps;
        flows[i].flight_bytes = NAN;
        if (!analysis_flows_clocking(table, flows[i].slot, a_s, b_s, &flows[i].clocking))
            flows[i].clocking = (struct analysis_clocking_figures){.flight_bytes = NAN, .full_bytes = NAN};
        if (!analysis_flows_explain(table, flows[i].slot, &flows[i].trip))
            flows[i].trip = (struct analysis_round_trip_figures){.floor_s = NAN, .tick_s = NAN, .data_wait_s = NAN,
                                                                 .ack_wait_s = NAN};
        if (!host || !analysis_flow_touches(f, host) || !f->bins)
            continue;
        size_t begin, end;
        analysis_bins_range(f->bins, llround(a_s * 1e9), llround(b_s * 1e9), &begin, &end);
        struct analysis_bin all = analysis_bins_sum(f->bins, begin, end);
        if (end > begin && all.bytes > 0)
            flows[i].rate_bps = analysis_bins_rate_bps(f->bins, begin, end);
        if (f->window_source != ANALYSIS_WINDOW_UNKNOWN)
            flows[i].flight_bytes = analysis_bins_window(f->bins, begin, end);
        asked[k++] = (struct analysis_told){
            .slot = flows[i].slot,
            .incoming = capture_address_same(&f->dst, host),
            .rate_bps = flows[i].rate_bps,
            .loss_events = all.loss_events,
            .retransmitted = all.retransmitted,
            .idle = analysis_limit_between(f, a_s, b_s) == ANALYSIS_LIMIT_APPLICATION,
        };
    }
    if (k > 0)
        analysis_diagnose(table, host, flows[0].flow.tag, asked, k, from_s, to_s, NULL, d);
    for (int i = 0; i < n; i++)
        for (size_t j = 0; j < k; j++)
            if (asked[j].slot == flows[i].slot) {
                flows[i].limit = network_fills_window(&flows[i].clocking) ? JUDGE_CAUSE_WINDOW : asked[j].limit;
                network_turns(&flows[i], fmin(to_s, flows[i].flow.end_s) - fmax(from_s, flows[i].flow.start_s));
            }
    free(asked);
}

/* The most that 100 ms carried, less frames that may belong to the time before and after. */
static double network_peak_bps(const struct analysis_capacity_way *seen)
{
    return fmax(0, analysis_capacity_peak_bps(seen) - EDGES_BPS);
}

/* The rate of a direction; NAN unknown. What the diagnosis found, unless 100 ms carried more beyond the queue. Nothing
 * that it took from the other direction, or from flows whose applications set the pace. */
static double network_rate(const struct judge_way *way, const struct analysis_capacity_way *seen,
                           bool paced, bool queued)
{
    double share, bps = way->capacity_bps, peak_bps = seen && queued ? network_peak_bps(seen) : 0;
    double back_to_back_bps = seen ? analysis_capacity_bps(seen, &share) : NAN;
    if (paced || way->source == JUDGE_CAPACITY_UNKNOWN)
        return NAN;
    if (way->source == JUDGE_CAPACITY_ASSUMED)
        return back_to_back_bps > bps ? back_to_back_bps : NAN;
    return bps > BELOW_PEAK * peak_bps ? bps : fmax(back_to_back_bps, peak_bps);
}

/* What a direction carries on the wire once all are settled: data, ACKs of every other segment, and what is not TCP. */
static double network_carried_bps(const struct study_replay *r, const struct replay_bulk *flows, int n, bool incoming)
{
    double bps = 0, segment = (double)r->scenario.tcp.segment_bytes;
    for (int i = 0; i < n; i++) {
        bool data = (replay_host_of(r, &flows[i].flow.dst) == 0) == incoming;
        bps += flows[i].rate_bps * (data ? (segment + AROUND) / segment : (double)AROUND / (2 * segment));
    }
    for (int i = 0; i < r->scenario.n_datagrams; i++)
        bps += (r->scenario.datagrams[i].to == 0) == incoming ? (double)r->scenario.datagrams[i].rate_bps : 0;
    return bps;
}

/* Faster than this, a direction's data would not wait as long as they do with no more in flight than they have. */
static double network_bound_bps(const struct study_replay *r, const struct replay_bulk *flows, int n, bool incoming)
{
    double flight_bytes = 0, wait = 0, bps = 0;
    for (int i = 0; i < n; i++) {
        if ((replay_host_of(r, &flows[i].flow.dst) == 0) != incoming)
            continue;
        if (!isfinite(flows[i].trip.data_wait_s) || !isfinite(flows[i].clocking.flight_bytes))
            return INFINITY;
        flight_bytes += flows[i].clocking.flight_bytes;
        wait += flows[i].rate_bps * flows[i].trip.data_wait_s;
        bps += flows[i].rate_bps;
    }
    return wait > 0 ? flight_bytes * 8 * bps / wait : INFINITY;
}

/* Losses show that the link was full, at the rate of frames in pairs, as ACKs drive them, or of what 100 ms carried. */
static double network_full_bps(const struct analysis_capacity_way *way, double peak_bps)
{
    double share, bps = analysis_capacity_bps(way, &share);
    return bps < peak_bps ? bps : peak_bps;
}

/* A direction whose rate does not show has the other's if it never carried more, or just that all the time; before a
 * queue bursts pass that exceed its rate. Else it has some more than it carried. Beside a host that hands its NIC
 * many segments at once, the wire shows bursts at a rate of its own, before the bottleneck. */
static void network_rates(struct study_replay *r, const struct analysis_capacity_host *host,
                          const struct judge_diagnosis *d, const bool paced[2], const bool queued[2],
                          const bool thin[2], const bool lossy[2], const double carried_bps[2],
                          const double bound_bps[2], double life_s)
{
    const struct judge_way *d_way[] = {&d->in, &d->out};
    const struct analysis_capacity_way *ways[] = {host ? &host->in : NULL, host ? &host->out : NULL};
    double bps[] = {network_rate(&d->in, ways[0], paced[0], queued[0]),
                    network_rate(&d->out, ways[1], paced[1], queued[1])}, peak[2], assumed[] = {NAN, NAN};
    for (int i = 0; i < 2; i++)
        peak[i] = ways[i] ? fmax(network_peak_bps(ways[i]), ways[i]->all_bytes * 8 / life_s) : 0; /* it may be short */
    for (int i = 0; i < 2; i++)
        if (!isfinite(bps[i]) && !paced[i] && bound_bps[i] < BOUND_OFF * carried_bps[i])
            bps[i] = carried_bps[i]; /* all that is in flight waits */
    for (int k = 0, i = 0; k < 4; k++, i = k % 2)
        if (!isfinite(bps[i]) && isfinite(bps[!i]) &&
            (peak[i] < bps[!i] / BELOW_PEAK || (carried_bps[i] > FULL * bps[!i] && carried_bps[i] < bps[!i] / FULL)))
            bps[i] = bps[!i];
        else if (!isfinite(bps[i]) && ways[i] && lossy[i])
            bps[i] = network_full_bps(ways[i], peak[i]);
        else if (!isfinite(bps[i]) && k >= 2)
            bps[i] = assumed[i] = fmax(isfinite(bps[!i]) ? bps[!i] : HEADROOM * peak[!i], HEADROOM * peak[i]);
    for (int i = 0; i < 2; i++)
        if (d_way[i]->source != JUDGE_CAPACITY_DISPERSION && bps[i] > BOUND_OFF * bound_bps[i])
            bps[i] = bps[!i] > BOUND_OFF * bound_bps[i] ? carried_bps[i] : bps[!i]; /* its queue stands */
    for (int i = 0; i < 2; i++)
        if (bps[i] > BURSTS * bps[!i] && carried_bps[i] < bps[!i] / BELOW_PEAK &&
            (!queued[i] || peak[i] < bps[!i] / BELOW_PEAK))
            bps[i] = bps[!i];
    for (int i = 0; i < 2; i++)
        if (thin[i] && ways[i] && !(r->other_share[i] > STUDY_REPLAY_OTHER)) /* never empty; before it bursts pass */
            bps[i] = ways[i]->all_bytes * 8 / life_s;
    for (int i = 0; i < 2; i++)
        r->rate_known[i] = bps[i] != assumed[0] && bps[i] != assumed[1];
    if (bps[0] / bps[1] < UNLIKE && bps[1] / bps[0] < UNLIKE)
        bps[0] = bps[1] = sqrt(bps[0] * bps[1]);
    r->rate_bps[0] = bps[0];
    r->rate_bps[1] = bps[1];
}

/* Does it wait in a queue for most of its round trip, or does nobody know, for want of timestamps? */
static bool network_may_wait(const struct replay_bulk *b)
{
    const struct analysis_round_trip_figures *t = &b->trip;
    return !isfinite(t->tick_s) || t->data_wait_s > t->floor_s + t->ack_wait_s;
}

/* Where frames follow each other back to back all the time, it is the link that paces the flows of this direction, and
 * not their applications, if they wait. */
static void network_unpace(const struct study_replay *r, struct replay_bulk *flows, int n, bool incoming,
                           const struct analysis_capacity_way *seen)
{
    double share = 0, bps = seen ? analysis_capacity_bps(seen, &share) : NAN, carried_bps = 0;
    double segment = (double)r->scenario.tcp.segment_bytes;
    for (int i = 0; i < n; i++)
        if ((replay_host_of(r, &flows[i].flow.dst) == 0) == incoming)
            carried_bps += flows[i].rate_bps * (segment + AROUND) / segment;
    for (int i = 0; i < n; i++)
        if ((replay_host_of(r, &flows[i].flow.dst) == 0) == incoming && share > ALWAYS && carried_bps > FULL * bps &&
            network_may_wait(&flows[i]) && replay_is_paced(&flows[i]))
            flows[i].limit = JUDGE_CAUSE_WINDOW;
}

/* Are all flows of a direction limited by their applications? */
static bool network_paced(const struct study_replay *r, const struct replay_bulk *flows, int n, bool incoming)
{
    bool any = false;
    for (int i = 0; i < n; i++) {
        if ((replay_host_of(r, &flows[i].flow.dst) == 0) != incoming)
            continue;
        any = true;
        if (!replay_is_paced(&flows[i]))
            return false;
    }
    return any;
}

/* Does a direction lose data? */
static bool network_lossy(const struct study_replay *r, const struct replay_bulk *flows, int n, bool incoming)
{
    bool lossy = false;
    for (int i = 0; i < n; i++)
        lossy = lossy || ((replay_host_of(r, &flows[i].flow.dst) == 0) == incoming && replay_is_lossy(&flows[i]));
    return lossy;
}

/* Do the data of a direction wait before the tap rather than after it? */
static bool network_queued(const struct study_replay *r, const struct replay_bulk *flows, int n, bool incoming)
{
    double before_s = 0;
    for (int i = 0; i < n; i++) {
        const double *wait_s = flows[i].trip.wait_s;
        if ((replay_host_of(r, &flows[i].flow.dst) == 0) == incoming && isfinite(flows[i].trip.data_wait_s))
            before_s += wait_s[ANALYSIS_LEG_DATA_OUT] - wait_s[ANALYSIS_LEG_DATA_IN];
    }
    return before_s > 0;
}

/* Does a direction carry ACKs alone, and they wait? */
static bool network_thin(const struct study_replay *r, const struct replay_bulk *flows, int n, bool incoming)
{
    double wait_s = 0, trip_s = 0;
    for (int i = 0; i < n; i++) {
        if ((replay_host_of(r, &flows[i].flow.dst) == 0) == incoming)
            return false;
        wait_s += isfinite(flows[i].trip.ack_wait_s) ? flows[i].trip.ack_wait_s : 0;
        trip_s += flows[i].flight_bytes * 8 / flows[i].rate_bps;
    }
    return wait_s > THIN * trip_s;
}

/* What the queue before a direction held at most moments, where its data were lost, or where others leave no room; 0:
 * nothing was lost. `waits_s`: room for as many numbers as waits of all flows. */
static double network_buffer_bytes(const struct study_replay *r, const struct analysis_flows *table,
                                   const struct replay_bulk *flows, int n, bool incoming, struct analysis_wait *waits,
                                   double *waits_s)
{
    size_t seen = 0;
    bool overfull = r->overfull[incoming ? 0 : 1], lossy = overfull || network_lossy(r, flows, n, incoming);
    for (int i = 0; i < n; i++) {
        bool data = (replay_host_of(r, &flows[i].flow.dst) == 0) == incoming;
        if (!data && !overfull)
            continue;
        size_t slots = analysis_flows_waits(table, flows[i].slot, waits);
        for (size_t k = 0; k < slots; k++)
            waits_s[seen++] = data ? waits[k].data_s : waits[k].ack_s;
    }
    if (!lossy || seen == 0)
        return lossy ? LEAST_BUFFER : 0;
    qsort(waits_s, seen, sizeof *waits_s, estimate_ascending);
    return fmax(waits_s[(size_t)(MOSTLY * (double)(seen - 1))] * r->rate_bps[incoming ? 0 : 1] / 8, LEAST_BUFFER);
}

/* What is not TCP, between h0 and the first host beside it, at the mean rate between its first frame and its last. */
static void network_datagrams(struct study_replay *r, const struct analysis_capacity_host *host)
{
    struct scenario *s = &r->scenario;
    s->datagrams = memory_zeroed(2, sizeof *s->datagrams, "datagrams to replay");
    for (int i = 0; i < 2; i++) {
        const struct analysis_capacity_way *w = i ? &host->out : &host->in;
        double life_s = (double)(w->other_to_ns - w->other_from_ns) * 1e-9;
        if (!(r->other_share[i] > STUDY_REPLAY_OTHER) || !(life_s > 0))
            continue;
        double mean = w->other_bytes / w->other_frames - EMU_FRAME_HEADER_BYTES;
        double packet = fmin(1500, fmax(EMU_FRAME_MIN_PAYLOAD, mean));
        s->datagrams[s->n_datagrams++] = (struct scenario_datagrams){
            .from = 1 - i, .to = i, .packet_bytes = llround(packet), .start_ps = w->other_from_ns * UNITS_PS_PER_NS,
            .stop_ps = w->other_to_ns * UNITS_PS_PER_NS,
            .rate_bps = replay_rate_bps((packet + EMU_FRAME_OVERHEAD_BYTES) * 8 * w->other_frames / life_s)};
    }
}

static void network_fill(struct study_replay *r, const struct replay_bulk *flows, int n)
{
    struct scenario *s = &r->scenario;
    struct emu_network_config *net = &s->network;
    int64_t *delays_ps = memory_zeroed((size_t)net->hosts, sizeof *delays_ps, "cables");
    free(s->delays_ps);
    net->delays_ps = s->delays_ps = delays_ps;
    net->n_delays = net->hosts;
    net->uplinks = 1;
    net->backbone.rate_bps = replay_rate_bps(r->rate_bps[0]);
    net->backbone.up_bps = r->rate_bps[0] == r->rate_bps[1] ? 0 : replay_rate_bps(r->rate_bps[1]);
    net->backbone.delay_ps = 0;
    double fastest = FASTER * fmax(r->rate_bps[0], r->rate_bps[1]);
    net->link.rate_bps = replay_rate_bps(fmax(1e9, fastest));
    double payload = (double)s->tcp.segment_bytes / ((double)s->tcp.segment_bytes + AROUND);
    s->backbone_goodput_bps = replay_rate_bps((double)net->backbone.rate_bps * payload);
    s->link_goodput_bps = replay_rate_bps((double)net->link.rate_bps * payload);
    for (int h = 1; h < net->hosts; h++) {
        double floor_s = INFINITY;
        for (int i = 0; i < n; i++)
            if (replay_host_of(r, &flows[i].flow.src) == h || replay_host_of(r, &flows[i].flow.dst) == h)
                floor_s = isfinite(flows[i].floor_s) ? fmin(floor_s, flows[i].floor_s) : floor_s;
        delays_ps[h] = isfinite(floor_s) ? replay_delay_ps(floor_s / 2 * UNITS_PS_PER_S) : 0;
    }
}

/* Jumbo frames, if the flow with most bytes has them. */
static void network_segment(struct study_replay *r, const struct replay_bulk *flows, int n)
{
    int most = 0;
    for (int i = 1; i < n; i++)
        most = flows[i].flow.payload_bytes > flows[most].flow.payload_bytes ? i : most;
    int64_t segment = llround(analysis_evidence_payload(flows[most].clocking.full_bytes));
    if (segment > SCENARIO_MTU)
        r->scenario.tcp.segment_bytes = segment < SCENARIO_SEGMENT_MAX ? segment : SCENARIO_SEGMENT_MAX;
}

void replay_read_network(struct study_replay *r, const struct analysis_flows *table, struct replay_bulk *flows, int n)
{
    struct judge_diagnosis d;
    const struct capture_address *address = network_host(r, 0);
    const struct analysis_capacity_host *host =
        address ? analysis_flows_capacity(table, address, flows[0].flow.tag) : NULL;
    network_diagnose(r, table, flows, n, &d);
    for (int i = 0; i < n; i++)
        flows[i].floor_s = network_floor_s(&flows[i]);
    network_floors(r, flows, n);
    network_alike(flows, n);
    for (int i = 0; host && i < 2; i++) {
        const struct analysis_capacity_way *w = i ? &host->out : &host->in;
        r->other_share[i] = w->all_bytes > 0 ? w->other_bytes / w->all_bytes : 0;
    }
    if (r->reads_segment)
        network_segment(r, flows, n);
    if (!r->reads_network || r->scenario.network.topology != EMU_TOPOLOGY_STAR)
        return;
    network_unpace(r, flows, n, true, host ? &host->in : NULL);
    network_unpace(r, flows, n, false, host ? &host->out : NULL);
    bool paced[] = {network_paced(r, flows, n, true), network_paced(r, flows, n, false)};
    bool queued[] = {network_queued(r, flows, n, true), network_queued(r, flows, n, false)};
    bool thin[] = {network_thin(r, flows, n, true), network_thin(r, flows, n, false)};
    bool lossy[] = {network_lossy(r, flows, n, true), network_lossy(r, flows, n, false)};
    if (host)
        network_datagrams(r, host);
    double carried_bps[] = {network_carried_bps(r, flows, n, true), network_carried_bps(r, flows, n, false)};
    double bound_bps[] = {network_bound_bps(r, flows, n, true), network_bound_bps(r, flows, n, false)};
    double first_s = INFINITY, last_s = 0;
    for (int i = 0; i < n; i++) {
        first_s = fmin(first_s, flows[i].flow.start_s);
        last_s = fmax(last_s, flows[i].flow.end_s);
    }
    network_rates(r, host, &d, paced, queued, thin, lossy, carried_bps, bound_bps, last_s - first_s);
    for (int i = 0; i < 2; i++)
        r->overfull[i] = r->other_share[i] > STUDY_REPLAY_OTHER && carried_bps[i] > FULL * r->rate_bps[i];
    struct analysis_wait *waits = memory_zeroed(ANALYSIS_LEG_SERIES_SLOTS, sizeof *waits, "waits");
    double *waits_s = memory_zeroed((size_t)n * ANALYSIS_LEG_SERIES_SLOTS, sizeof *waits_s, "waits");
    for (int i = 0; i < 2; i++)
        r->buffer_bytes[i] = network_buffer_bytes(r, table, flows, n, i == 0, waits, waits_s);
    free(waits);
    free(waits_s);
    network_fill(r, flows, n);
}

void study_replay_scale_windows(struct study_replay *r, int flow, double by)
{
    struct scenario_flow *f = &r->scenario.flows[flow];
    for (int k = 0; k < f->n_windows; k++)
        f->windows[k].bytes = replay_window_bytes((double)f->windows[k].bytes * by / r->flows[flow].windows_by);
    r->flows[flow].windows_by = by;
}

/* Windows were seen where the tap is, and in slots of time: none is off by more than WINDOWS_OFF. */
static void network_scale_windows(struct study_replay *r, const struct study_replay_run *run)
{
    for (int i = 0; i < r->n_flows; i++) {
        double off = r->flows[i].measured_bps / run->goodput_bps[i];
        if (!isfinite(off))
            continue;
        study_replay_scale_windows(r, i, fmax(1 / WINDOWS_OFF, fmin(r->flows[i].windows_by * off, WINDOWS_OFF)));
    }
}

void study_replay_calibrate(struct study_replay *r, const struct study_replay_run *run)
{
    struct scenario *s = &r->scenario;
    if (s->tcp.congestion == EMU_CONGESTION_GIVEN) {
        network_scale_windows(r, run);
        return;
    }
    for (int h = 1; h < s->network.n_delays; h++) {
        double longer_s = 0, n = 0;
        for (int i = 0; i < r->n_flows; i++) {
            const struct scenario_flow *f = &s->flows[i];
            double window = (double)f->tcp.receive_buffer_bytes * 8, rtt_s = window / r->flows[i].settled_bps;
            double off_s = rtt_s - window / run->settled_bps[i];
            if ((f->from != h && f->to != h) || f->rate_bps > 0 || r->flows[i].lossy || !isfinite(off_s))
                continue;
            longer_s += fmax(-CALIBRATES * rtt_s, fmin(off_s, CALIBRATES * rtt_s));
            n++;
        }
        if (n > 0)
            s->delays_ps[h] = replay_delay_ps((double)s->delays_ps[h] + longer_s / n / 2 * UNITS_PS_PER_S);
    }
}
