/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The network of a capture as the judge has it (judge/fact.h): the two rates of the shared host's link, what limits each
 * flow and how far away the others are. What nobody asks a judge is read here: other traffic, how deep the queues before
 * that link are where frames were lost, and how applications that take turns go on. */
#include "study/replay/replay_parts.h"

#include "analysis/diagnosis.h"
#include "judge/limit.h"
#include "judge/path.h"

#define SETTLED 0.3       /* of the time of a flow: its window has grown, and what nobody judged together has begun */
#define FASTER 20         /* the other links, than the shared one: nothing queues there */
#define HEADROOM 1.25     /* a link whose rate does not show is so much faster than what 100 ms carried */
#define CALIBRATES 0.25   /* of a round trip at a time */
#define FULL 0.95
#define EDGES_BPS (3 * 1000 * 8 / 0.1)
#define LEAST_BUFFER 4000
#define MOSTLY 0.99        /* of the moments */
#define WINDOWS_OFF 1.5   /* what was in flight is known better than that */
#define PROMPTED 0.9      /* of the turns begin when the other end has sent something: it answers requests */
#define ALIKE 0.02        /* of a round trip, and */
#define TELLS 0.1         /* of a tick of the stamps: floors that differ by less are one */

static const struct capture_address *network_host(const struct study_replay *r, int host)
{
    for (int i = 0; i < r->n_maps; i++)
        if (r->maps[i].host == host)
            return &r->maps[i].address;
    return NULL;
}

/* The host as it was judged; NULL: it was not. */
static const struct analysis_resource *network_judged(const struct study_replay *r, const struct capture_address *host)
{
    char name[CAPTURE_ADDRESS_TEXT];
    const struct analysis_resource *judged;
    if (!host)
        return NULL;
    capture_address_format(host, name);
    for (size_t i = 0; (judged = analysis_resources_get(&r->hosts, i)); i++)
        if (judged->diagnosed && judged->facts.n > 0 && strcmp(judged->host, name) == 0)
            return judged;
    return NULL;
}

/* What a judge needs to be told of a flow in a phase. */
static struct analysis_told network_told(const struct replay_bulk *b, bool incoming, double from_s, double to_s)
{
    size_t begin, end;
    analysis_bins_range(b->flow.bins, llround(from_s * 1e9), llround(to_s * 1e9), &begin, &end);
    struct analysis_bin all = analysis_bins_sum(b->flow.bins, begin, end);
    double bps = end > begin && all.bytes > 0 ? analysis_bins_rate_bps(b->flow.bins, begin, end) : b->flow.goodput_bps;
    return (struct analysis_told){.slot = b->slot, .incoming = incoming, .rate_bps = bps,
                                  .loss_events = all.loss_events, .retransmitted = all.retransmitted,
                                  .idle = analysis_limit_between(&b->flow, from_s, to_s) == ANALYSIS_LIMIT_APPLICATION};
}

/* Judges those of the host's flows that the judge of its phase left out, all over their own time. Where nothing was
 * judged, *facts are of these, and borrow what is returned, for free(). */
static struct judge_flow *network_judge_others(struct study_replay *r, const struct analysis_flows *table,
                                               struct replay_bulk *flows, int n, const struct capture_address *host,
                                               struct judge_facts *facts)
{
    MEMORY_LOCAL struct analysis_told *told = memory_zeroed((size_t)n + 1, sizeof *told, "flows to judge");
    struct judge_flow *judged = memory_zeroed((size_t)n + 1, sizeof *judged, "flows to judge");
    MEMORY_LOCAL struct replay_bulk **of = memory_zeroed((size_t)n + 1, sizeof *of, "flows to judge");
    struct analysis_evidence_set gathered = {.n = 0};
    struct judge_diagnosis d;
    struct judge_facts others;
    double from_s = INFINITY, to_s = 0;
    size_t k = 0;
    for (int i = 0; i < n; i++)
        if (!flows[i].judged && analysis_flow_touches(&flows[i].flow, host) && flows[i].flow.bins) {
            from_s = fmin(from_s, flows[i].flow.start_s);
            to_s = fmax(to_s, flows[i].flow.end_s);
            of[k++] = &flows[i];
        }
    from_s += SETTLED * (to_s - from_s);
    for (size_t i = 0; i < k; i++)
        told[i] = network_told(of[i], capture_address_same(&of[i]->flow.dst, host), from_s, to_s);
    if (k > 0)
        analysis_diagnose(table, &gathered, host, of[0]->flow.tag, told, k, from_s, to_s, NULL, &d, &others, judged);
    analysis_evidence_free(&gathered);
    for (size_t i = 0; i < k; i++) {
        of[i]->fact = judged[i];
        of[i]->judged = true;
    }
    if (k > 0 && facts->n == 0) {
        *facts = others;
        r->settled_s = from_s;
    }
    return judged;
}

/* A flow that begins, again and again, when the other end has sent something answers requests, and one whose pauses do
 * not make up for late answers waits for them. Turns begin with nothing in flight, a round trip after the last data or
 * later. */
static void network_turns(struct replay_bulk *b)
{
    const struct analysis_clocking_figures *k = &b->clocking;
    b->turn_bytes = b->turn_s = 0;
    bool answers = k->prompted > PROMPTED, waits = b->limit == JUDGE_CAUSE_APPLICATION && b->fact.clocked < JUDGE_PATH_CLOCKED;
    if (!isfinite(b->fact.cycle_s) || (!answers && !waits))
        return;
    b->turn_bytes = b->fact.rate_bps / 8 * b->fact.cycle_s;
    b->turn_s = fmax(0, k->gaps_s / k->restarts - judge_flow_trip_s(&b->fact));
}

/* Floors that differ by next to nothing of a round trip are alike: nobody can tell them apart, and in an emulation that
 * has no jitter microseconds decide whose frames find the buffer full, again and again. */
static void network_alike(struct replay_bulk *flows, int n)
{
    double least_s = INFINITY;
    for (int i = 0; i < n; i++)
        least_s = isfinite(flows[i].floor_s) ? fmin(least_s, flows[i].floor_s) : least_s;
    for (int i = 0; i < n; i++) {
        double trip_s = judge_flow_trip_s(&flows[i].fact);
        if (flows[i].floor_s - least_s < fmin(ALIKE * trip_s, TELLS * flows[i].tick_s))
            flows[i].floor_s = least_s;
    }
}

enum judge_cause replay_network_limit(const struct judge_facts *facts, const struct judge_flow *f)
{
    enum judge_cause limit = judge_limit_of(f);
    bool own = limit == JUDGE_CAUSE_APPLICATION || limit == JUDGE_CAUSE_RECEIVER;
    return own && judge_path_full(facts, f->incoming) ? JUDGE_CAUSE_WINDOW : limit;
}

/* Facts of each flow, and the link's. For free() once *facts are done with. */
static struct judge_flow *network_facts(struct study_replay *r, const struct analysis_flows *table,
                                        struct replay_bulk *flows, int n, struct judge_facts *facts)
{
    const struct capture_address *host = network_host(r, 0);
    const struct analysis_resource *judged = network_judged(r, host);
    struct judge_flow *others = NULL;
    *facts = (struct judge_facts){.in.capacity_bps = NAN, .out.capacity_bps = NAN};
    for (int i = 0; i < n; i++)
        flows[i].fact = (struct judge_flow){.rate_bps = flows[i].flow.goodput_bps, .floor_s = flows[i].flow.rtt_floor_s,
                                            .data_wait_s = NAN, .ack_wait_s = NAN, .cycle_s = NAN, .clocked = NAN};
    if (judged) {
        *facts = judged->facts;
        r->settled_s = judged->steady_start_s;
        for (int i = 0; i < n; i++)
            for (size_t k = 0; k < judged->n && !flows[i].judged; k++)
                if (judged->flows[k].slot == flows[i].slot) {
                    flows[i].fact = judged->judged[k];
                    flows[i].judged = true;
                }
    }
    if (host)
        others = network_judge_others(r, table, flows, n, host, facts);
    for (int i = 0; i < n; i++) {
        struct replay_bulk *b = &flows[i];
        struct analysis_round_trip_figures trip;
        double half_s = b->flow.start_s + SETTLED * (b->flow.end_s - b->flow.start_s); /* windows grow at first */
        double a_s = r->settled_s < b->flow.end_s ? fmax(r->settled_s, half_s) : half_s;
        if (!analysis_flows_clocking(table, b->slot, a_s, b->flow.end_s, &b->clocking))
            b->clocking = (struct analysis_clocking_figures){.flight_bytes = NAN, .full_bytes = NAN};
        b->tick_s = analysis_flows_explain(table, b->slot, &trip) ? trip.tick_s : (double)NAN;
        b->limit = b->judged ? replay_network_limit(facts, &b->fact) : JUDGE_CAUSE_UNKNOWN;
        b->floor_s = isfinite(b->fact.floor_s) ? b->fact.floor_s : b->flow.rtt_floor_s;
        network_turns(b);
    }
    return others;
}

/* Faster than this, a direction's data would not wait as long as they do: all that is in flight passes in that time. */
static double network_bound_bps(const struct judge_facts *facts, bool incoming)
{
    double flight_bytes = 0, wait = 0;
    for (size_t i = 0; i < facts->n; i++)
        if (facts->flow[i].incoming == incoming) {
            flight_bytes += facts->flow[i].sender.flight_bytes;
            wait += facts->flow[i].rate_bps * facts->flow[i].data_wait_s;
        }
    double bps = flight_bytes * 8 * judge_facts_carried_bps(facts, incoming) / wait;
    return wait > 0 && isfinite(bps) ? bps : INFINITY;
}

/* Do ACKs alone wait before a direction, all the time? What they wait for passes what its link can. */
static bool network_full_of_acks(const struct judge_facts *facts, bool incoming)
{
    const struct judge_link *other = judge_facts_link(facts, !incoming);
    return other->acks_stand && (other->acks_beyond || !(judge_facts_carried_bps(facts, incoming) > 0));
}

void replay_network_rates(struct study_replay *r, const struct judge_facts *facts, const bool lossy[2],
                          const double passed_bps[2])
{
    for (int i = 0; i < 2; i++) {
        const struct judge_link *l = judge_facts_link(facts, i == 0);
        bool knows = isfinite(l->capacity_bps) && l->source != JUDGE_CAPACITY_UNKNOWN;
        bool assumed = l->source == JUDGE_CAPACITY_ASSUMED;
        r->apart[i] = l->apart;
        r->rate_source[i] = l->source;
        r->rate_bps[i] = r->rate_most_bps[i] = l->capacity_bps;
        if (l->works > 0)
            r->rate_bps[i] = fmin(fmax(l->capacity_bps * l->works, passed_bps[i]), l->capacity_bps);
        if ((!knows || assumed) && network_full_of_acks(facts, i == 0)) {
            r->rate_source[i] = JUDGE_CAPACITY_QUEUE;
            r->rate_bps[i] = r->rate_most_bps[i] = passed_bps[i];
        } else if (!knows || (assumed && l->capacity_bps > network_bound_bps(facts, i == 0))) {
            r->rate_source[i] = JUDGE_CAPACITY_UNKNOWN;
            r->rate_bps[i] = (lossy[i] ? 1 : HEADROOM) * r->carried_most_bps[i];
            r->rate_most_bps[i] = network_bound_bps(facts, i == 0);
        }
    }
    for (int i = 0; i < 2; i++) /* links are as fast one way as the other, as far as waits allow that */
        if (r->rate_source[i] == JUDGE_CAPACITY_UNKNOWN && !lossy[i])
            r->rate_bps[i] = fmax(r->rate_bps[i], fmin(r->rate_bps[!i], r->rate_most_bps[i]));
}

/* What a direction carries on the wire once all are settled: data, ACKs, and what is not TCP. */
static double network_carried_bps(const struct study_replay *r, const struct replay_bulk *flows, int n, bool incoming)
{
    double bps = 0, segment = (double)r->scenario.tcp.segment_bytes;
    double answered = segment * (r->segments_per_ack > 0 ? r->segments_per_ack : (double)r->scenario.tcp.delayed_ack);
    for (int i = 0; i < n; i++) {
        bool data = (replay_host_of(r, &flows[i].flow.dst) == 0) == incoming;
        bps += flows[i].fact.rate_bps * (data ? (segment + JUDGE_AROUND) / segment : JUDGE_AROUND / answered);
    }
    for (int i = 0; i < r->scenario.n_datagrams; i++)
        bps += (r->scenario.datagrams[i].to == 0) == incoming ? (double)r->scenario.datagrams[i].rate_bps : 0;
    return bps;
}

/* Does a direction lose data? */
static bool network_lossy(const struct study_replay *r, const struct replay_bulk *flows, int n, bool incoming)
{
    bool lossy = false;
    for (int i = 0; i < n; i++)
        lossy = lossy || ((replay_host_of(r, &flows[i].flow.dst) == 0) == incoming && replay_is_lossy(&flows[i]));
    return lossy;
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
    double payload = (double)s->tcp.segment_bytes / ((double)s->tcp.segment_bytes + JUDGE_AROUND);
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

static void network_read(struct study_replay *r, const struct analysis_flows *table, struct replay_bulk *flows, int n,
                         const struct analysis_capacity_host *host, const struct judge_facts *facts)
{
    if (host)
        network_datagrams(r, host);
    double carried_bps[] = {network_carried_bps(r, flows, n, true), network_carried_bps(r, flows, n, false)};
    bool lossy[] = {network_lossy(r, flows, n, true), network_lossy(r, flows, n, false)};
    double passed_bps[2];
    for (int i = 0; i < 2; i++) {
        const struct analysis_capacity_way *seen = host ? i ? &host->out : &host->in : NULL;
        double mean_bps = seen ? analysis_capacity_mean_bps(seen, 0, INFINITY) : (double)NAN;
        /* What 100 ms carried at the most is less by frames that may belong to the time before and after. */
        r->carried_most_bps[i] = fmax(seen ? fmax(0, analysis_capacity_peak_bps(seen) - EDGES_BPS) : 0, carried_bps[i]);
        passed_bps[i] = isfinite(mean_bps) ? mean_bps : carried_bps[i];
    }
    replay_network_rates(r, facts, lossy, passed_bps);
    for (int i = 0; i < 2; i++)
        r->overfull[i] = r->other_share[i] > STUDY_REPLAY_OTHER && carried_bps[i] > FULL * r->rate_bps[i];
    MEMORY_LOCAL struct analysis_wait *waits = memory_zeroed(ANALYSIS_LEG_SERIES_SLOTS, sizeof *waits, "waits");
    MEMORY_LOCAL double *waits_s = memory_zeroed((size_t)n * ANALYSIS_LEG_SERIES_SLOTS, sizeof *waits_s, "waits");
    for (int i = 0; i < 2; i++)
        r->buffer_bytes[i] = network_buffer_bytes(r, table, flows, n, i == 0, waits, waits_s);
    network_fill(r, flows, n);
}

void replay_read_network(struct study_replay *r, const struct analysis_flows *table, struct replay_bulk *flows, int n)
{
    struct judge_facts facts;
    const struct capture_address *address = network_host(r, 0);
    const struct analysis_capacity_host *host =
        address ? analysis_flows_capacity(table, address, flows[0].flow.tag) : NULL;
    struct judge_flow *others = network_facts(r, table, flows, n, &facts); /* those of facts, too */
    network_alike(flows, n);
    for (int i = 0; host && i < 2; i++) {
        const struct analysis_capacity_way *w = i ? &host->out : &host->in;
        r->other_share[i] = w->all_bytes > 0 ? w->other_bytes / w->all_bytes : 0;
    }
    if (r->reads_segment)
        network_segment(r, flows, n);
    if (r->reads_acks && facts.n > 0) {
        r->segments_per_ack = facts.segments_per_ack;
        r->scenario.tcp.delayed_ack = facts.segments_per_ack < STUDY_REPLAY_ACKS - 0.5 ? 1 : STUDY_REPLAY_ACKS;
    }
    if (r->reads_network && r->scenario.network.topology == EMU_TOPOLOGY_STAR)
        network_read(r, table, flows, n, host, &facts);
    free(others);
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
