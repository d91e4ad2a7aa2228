/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/rules/check_capture.h"
#include "judge/limit.h"
#include "results/flow.h"
#include "study/replay/replay_parts.h"
#include "sweep/engines.h"

#define COLD_SEGMENTS 10  /* initial window of a connection whose beginning was captured (RFC 6928) */
#define STILL_SENDING 0.9 /* of the capture: a flow that lasts as long was stopped by the clock, not by its bytes */
#define WARMUP 0.3
#define OFFERED 0.85 /* of the window offered is in flight: that is the flow's window */
#define TAP_MOST 0.5 /* of the window offered is in flight beyond the tap, nobody knows how much before it */
#define STEADY 0.8 /* mean over most bytes in flight: a window that is full */
#define SHRUNK 0.75  /* of its most in flight, though nothing was lost */
#define WINDOWS 120      /* a flow, at most one for every */
#define WINDOW_S 0.032   /* s */
#define BURSTY 1.4
#define TURNS 20000.0 /* a flow, at most */
#define REPEATS 5 /* of what was captured is the most that a change can give */
#define SEGMENT 1448 /* bytes, of the frames that what was seen comes to: */
#define FRAMES 1.5 /* a segment, every other one with an ACK */
#define FRAMES_LEAST 2000 /* a handshake, slow start, some round trips */
#define STOPS_S 0.05 /* shorter pauses of an application are its pace */

/* The host an address is placed on; -1: none yet. */
int replay_host_of(const struct study_replay *r, const struct capture_address *a)
{
    for (int i = 0; i < r->n_maps; i++)
        if (capture_address_same(&r->maps[i].address, a))
            return r->maps[i].host;
    return -1;
}

static bool replay_taken(const struct study_replay *r, int host)
{
    for (int i = 0; i < r->n_maps; i++)
        if (r->maps[i].host == host)
            return true;
    return false;
}

/* On a star the next free host; elsewhere only the user knows which rack it is in. */
static bool replay_place(struct study_replay *r, const struct capture_address *a, struct error *err)
{
    char text[CAPTURE_ADDRESS_TEXT];
    if (replay_host_of(r, a) >= 0)
        return true;
    capture_address_format(a, text);
    if (r->n_given > 0 || r->scenario.network.topology != EMU_TOPOLOGY_STAR)
        return error_set(err, ERROR_INPUT, "%s has no host: add --map %s=hN (without any, hosts of a star are found)",
                         text, text);
    if (r->n_maps == STUDY_REPLAY_MAPS)
        return error_set(err, ERROR_INPUT, "more than %d addresses; --map those that matter", STUDY_REPLAY_MAPS);
    int host = 0;
    while (replay_taken(r, host))
        host++;
    r->maps[r->n_maps++] = (struct study_replay_map){*a, host};
    return true;
}

/* How many flows have an end at an address; the judged host's come before all others. */
static int replay_ends(const struct study_replay *r, const struct replay_bulk *flows, int n,
                       const struct capture_address *a)
{
    char name[CAPTURE_ADDRESS_TEXT];
    int count = 0;
    capture_address_format(a, name);
    for (int i = 0; i < n; i++)
        count += capture_address_same(a, &flows[i].flow.src) + capture_address_same(a, &flows[i].flow.dst);
    return r->hosts.n > 0 && strcmp(r->hosts.resource[0].host, name) == 0 ? INT_MAX : count;
}

/* The judged host, or the address most flows have an end at, goes first: h0 is the shared host. */
static void replay_place_shared(struct study_replay *r, const struct replay_bulk *flows, int n)
{
    const struct capture_address *best = NULL;
    int most = 0;
    for (int i = 0; i < 2 * n && most < INT_MAX; i++) {
        const struct capture_address *a = i % 2 ? &flows[i / 2].flow.dst : &flows[i / 2].flow.src;
        int count = replay_ends(r, flows, n, a);
        if (count > most) {
            most = count;
            best = a;
        }
    }
    if (best && r->n_given == 0 && r->scenario.network.topology == EMU_TOPOLOGY_STAR)
        r->maps[r->n_maps++] = (struct study_replay_map){*best, 0};
}

/* Where the user placed the host of which the judge speaks. */
static void replay_place_judged(struct study_replay *r)
{
    char name[CAPTURE_ADDRESS_TEXT];
    const struct analysis_resource *judged = analysis_resources_get(&r->hosts, 0);
    r->judged_host = 0;
    for (int i = 0; judged && i < r->n_maps; i++) {
        capture_address_format(&r->maps[i].address, name);
        if (strcmp(judged->host, name) == 0)
            r->judged_host = r->maps[i].host;
    }
}

/* Without losses, what it kept in flight once settled; with them the window that was offered, which losses did not let
 * it use. */
static int64_t replay_window(const struct study_replay *r, const struct replay_bulk *b)
{
    const struct analysis_flow *f = &b->flow;
    const struct analysis_clocking_figures *k = &b->clocking;
    double window = f->window_bytes, full = analysis_evidence_payload(k->full_bytes);
    double segment = (double)r->scenario.tcp.segment_bytes;
    double most = k->flight_bytes / k->fullness; /* in flight, at most in each moment */
    bool free = replay_is_paced(b) || b->turn_bytes > 0, known = f->window_source != ANALYSIS_WINDOW_UNKNOWN;
    if (replay_is_lossy(b) || free)
        window = f->advertised_bytes;
    else if (!known && k->offered_bytes >= full)
        window = segment * floor(k->offered_bytes / full);
    else if (known && most >= OFFERED * k->offered_bytes && most <= k->offered_bytes + full)
        window = segment * floor(k->offered_bytes / full);
    else if (known && k->fullness > STEADY)
        window = segment * floor(most / full + 0.5);
    else if (f->window_source == ANALYSIS_WINDOW_TAP && window > TAP_MOST * k->offered_bytes)
        window = segment * floor(k->offered_bytes / full); /* the rest waits before the tap */
    else if (f->window_source == ANALYSIS_WINDOW_TAP)
        window = segment * floor(window / full + 1); /* half a segment is acknowledged when it is looked at */
    else if (known && f->bins && f->bins->n >= 4)
        window = fmax(window, analysis_bins_window(f->bins, f->bins->n / 2, f->bins->n));
    if (!(window >= full))
        window = isfinite(f->advertised_bytes) ? f->advertised_bytes : (double)r->scenario.tcp.receive_buffer_bytes;
    int64_t bytes = (int64_t)(fmin(window, (double)SCENARIO_WINDOW) + 0.5);
    return bytes < r->scenario.tcp.segment_bytes ? r->scenario.tcp.segment_bytes : bytes;
}

/* A pause after every turn. */
static void replay_add_turns(const struct replay_bulk *b, struct scenario_flow *flow)
{
    double most = fmin(TURNS, b->flow.data_packets); /* bytes are what sequence numbers claim */
    size_t n = (size_t)fmin((double)b->flow.payload_bytes / b->turn_bytes, most);
    flow->pauses = memory_zeroed(REPEATS * n, sizeof *flow->pauses, "the turns of a flow");
    for (size_t i = 0; i < n; i++)
        flow->pauses[flow->n_pauses++] = (struct scenario_pause){llround((double)(i + 1) * b->turn_bytes),
                                                                 llround(fmax(1e-9, b->turn_s) * UNITS_PS_PER_S)};
}

/* What a flow that gets through more than was captured does then: the same once more, from its first pause on. */
static void replay_repeat_pauses(struct scenario_flow *flow, int64_t captured_bytes)
{
    int n = flow->n_pauses;
    for (int i = 0; n > 0 && flow->bytes == 0 && i < (REPEATS - 1) * n; i++) {
        struct scenario_pause again = flow->pauses[i];
        again.after_bytes += captured_bytes;
        flow->pauses[flow->n_pauses++] = again;
    }
}

/* The pauses of flow number n_flows, which has been filled. */
static void replay_add_pauses(struct study_replay *r, const struct replay_bulk *b)
{
    const struct analysis_pause *pauses = b->pauses;
    bool free = replay_is_paced(b);
    /* Without stamps nobody knows whether data waited in their sender's own NIC. */
    size_t n = free || b->flow.window_source == ANALYSIS_WINDOW_TIMESTAMPS ? b->n_pauses : 0;
    struct scenario *s = &r->scenario;
    struct scenario_flow *flow = &s->flows[s->n_flows];
    if (b->turn_bytes > 0) {
        replay_add_turns(b, flow);
        n = 0;
    } else {
        flow->pauses = memory_zeroed(REPEATS * n, sizeof *flow->pauses, "the pauses of a flow");
    }
    int64_t last = 0;
    for (size_t i = 0; i < n; i++) {
        if (free && (double)pauses[i].pause_ns < STOPS_S * 1e9)
            continue;
        if (pauses[i].after_bytes <= last || (flow->bytes > 0 && pauses[i].after_bytes >= flow->bytes))
            continue;
        last = pauses[i].after_bytes;
        flow->pauses[flow->n_pauses++] = (struct scenario_pause){last, pauses[i].pause_ns * UNITS_PS_PER_NS};
    }
    r->flows[s->n_flows].pauses = flow->n_pauses;
    replay_repeat_pauses(flow, b->flow.payload_bytes);
}

/* When it connected: a handshake before its first data, if that was seen. */
static double replay_connect_s(const struct analysis_flow *f)
{
    return f->start_s - (isfinite(f->rtt_floor_s) ? f->rtt_floor_s : 0);
}

/* The rate at which an application writes, or a reader takes, while it does: what the pauses leave of the time. */
static double replay_pace_bps(const struct replay_bulk *b, const struct scenario_flow *flow, int pauses)
{
    double life_s = b->flow.end_s - b->flow.start_s, paused_s = 0;
    for (int i = 0; i < pauses; i++)
        paused_s += (double)flow->pauses[i].pause_ps / UNITS_PS_PER_S;
    double bytes = fmin((double)b->flow.payload_bytes, (REPEATS + 1) * (double)b->flow.seen_payload_bytes);
    return bytes * 8 / fmax(life_s - paused_s, life_s / 10);
}

/* How many times as much was in flight as the first segments after ACKs show: data that leave in bursts, because a
 * reader makes room in steps, follow those. By Little's law, where that is far more, and no losses make waits. */
static double replay_burstiness(const struct replay_bulk *b)
{
    double little_bytes = b->fact.rate_bps / 8 * judge_flow_trip_s(&b->fact);
    double by = little_bytes / b->clocking.flight_bytes;
    return by > BURSTY && (b->limit == JUDGE_CAUSE_RECEIVER || !replay_is_lossy(b)) ? by : 1;
}

/* What was in flight, time by time, where it is not its application that decides. */
static void replay_add_windows(const struct analysis_flows *table, const struct replay_bulk *b, double first_s,
                               struct scenario_flow *flow)
{
    double life_s = b->flow.end_s - b->flow.start_s, step_s = fmax(life_s / WINDOWS, WINDOW_S);
    double by = replay_burstiness(b);
    size_t most = (size_t)(life_s / step_s) + 1;
    flow->windows = memory_zeroed(most, sizeof *flow->windows, "the windows of a flow");
    for (size_t i = 0; i < most && flow->rate_bps == 0; i++) {
        struct analysis_clocking_figures x;
        double at_s = b->flow.start_s + (double)i * step_s;
        if (!analysis_flows_clocking(table, b->slot, at_s, at_s + step_s, &x) || !(x.flight_bytes >= 1))
            continue;
        flow->windows[flow->n_windows++] = (struct scenario_window){
            llround(fmax(0, at_s - first_s) * UNITS_PS_PER_S),
            replay_window_bytes(by * (flow->n_pauses > 0 ? x.flight_bytes / x.fullness : x.flight_bytes))};
    }
}

static void replay_add(struct study_replay *r, const struct analysis_flows *table, const struct replay_bulk *b,
                       double first_s, double last_s)
{
    const struct analysis_flow *f = &b->flow;
    struct scenario *s = &r->scenario;
    struct scenario_flow *flow = &s->flows[s->n_flows];
    struct study_replay_flow *play = &r->flows[s->n_flows];
    analysis_flows_endpoint(&f->src, f->src_port, play->from);
    analysis_flows_endpoint(&f->dst, f->dst_port, play->to);
    play->measured_bps = f->goodput_bps;
    play->settled_bps = b->fact.rate_bps;
    play->limit = b->limit;
    bool fills = b->judged && b->limit != judge_limit_of(&b->fact); /* its link, whatever it would send */
    play->otherwise = b->judged && !fills ? judge_limit_else(&b->fact) : (double)NAN;
    play->windows_by = 1;
    play->window_unknown = f->window_source != ANALYSIS_WINDOW_TIMESTAMPS && !replay_is_paced(b);
    play->shrinks = b->limit == JUDGE_CAUSE_WINDOW && !fills && !replay_is_lossy(b) &&
                    b->clocking.flight_bytes < SHRUNK * b->clocking.most_bytes &&
                    b->clocking.flight_bytes < SHRUNK * b->clocking.offered_bytes;
    play->lossy = replay_is_lossy(b);
    r->retransmitted += f->retransmitted_segments;
    r->windows_unknown += !isfinite(f->window_bytes) && !isfinite(f->advertised_bytes);
    play->until_the_end = f->end_s - first_s >= STILL_SENDING * (last_s - first_s);
    *flow = (struct scenario_flow){
        .from = replay_host_of(r, &f->src),
        .to = replay_host_of(r, &f->dst),
        .bytes = play->until_the_end ? 0 : f->payload_bytes,
        .start_ps = (int64_t)((replay_connect_s(f) - first_s) * 1e12),
        .repeat = 1,
    };
    snprintf(flow->name, sizeof flow->name, "f%d", s->n_flows);
    flow->tcp = scenario_flow_tcp(s, replay_window(r, b));
    r->floor_s = fmin(r->floor_s, isfinite(f->rtt_floor_s) ? f->rtt_floor_s : INFINITY);
    replay_add_pauses(r, b);
    if (replay_is_paced(b))
        flow->rate_bps = replay_rate_bps(replay_pace_bps(b, flow, play->pauses));
    play->paced_bps = b->turn_bytes > 0 || fills ? f->goodput_bps : 0;
    replay_add_windows(table, b, first_s, flow);
    s->n_flows++;
}

/* Flows to replay: the bulk ones. */
static bool replay_fill(struct study_replay *r, const struct analysis_flows *table, struct replay_bulk *flows, int bulk,
                        struct error *err)
{
    struct scenario *s = &r->scenario;
    double first_s = INFINITY, last_s = 0;
    if (bulk == 0)
        return error_set(err, ERROR_INPUT, "no bulk flow to replay: %d small ones", r->left_out);
    scenario_free_flows(s);
    free(s->datagrams);
    s->datagrams = NULL;
    s->n_datagrams = 0;
    s->flows = memory_zeroed((size_t)bulk, sizeof *s->flows, "flows to replay");
    r->flows = memory_zeroed((size_t)bulk, sizeof *r->flows, "flows to replay");
    replay_place_shared(r, flows, bulk);
    for (int i = 0; i < bulk; i++) {
        const struct analysis_flow *flow = &flows[i].flow;
        if (!replay_place(r, &flow->src, err) || !replay_place(r, &flow->dst, err))
            return false;
        first_s = fmin(first_s, replay_connect_s(flow));
        last_s = fmax(last_s, flow->end_s);
    }
    replay_place_judged(r);
    double span_s = last_s - first_s;
    if (span_s > (double)(SCENARIO_DURATION_PS - UNITS_PS_PER_MS) / UNITS_PS_PER_S)
        return error_set(err, ERROR_INPUT, "its bulk flows last %.0f s; a replay lasts less than %lld s: cut the capture "
                         "with editcap -B", span_s, (long long)(SCENARIO_DURATION_PS / UNITS_PS_PER_S));
    int hosts = 2;
    for (int i = 0; i < r->n_maps; i++)
        hosts = r->maps[i].host + 1 > hosts ? r->maps[i].host + 1 : hosts;
    if (s->network.topology == EMU_TOPOLOGY_STAR)
        s->network.hosts = hosts > s->network.hosts ? hosts : s->network.hosts;
    else if (hosts > s->network.hosts)
        return error_set(err, ERROR_INPUT, "--map: h%d is not in the scenario's network of %d hosts", hosts - 1,
                         s->network.hosts);
    replay_read_network(r, table, flows, bulk);
    for (int i = 0; i < s->n_datagrams; i++) {
        s->datagrams[i].start_ps = (int64_t)fmax(0, (double)s->datagrams[i].start_ps - first_s * 1e12);
        s->datagrams[i].stop_ps -= (int64_t)(first_s * 1e12);
    }
    for (int i = 0; i < bulk; i++)
        replay_add(r, table, &flows[i], first_s, last_s);
    if (r->reads_start && isfinite(r->floor_s))
        s->tcp.initial_window_segments = COLD_SEGMENTS;
    r->n_flows = s->n_flows;
    s->duration_ps = (int64_t)(span_s * 1e12) + UNITS_PS_PER_MS;
    s->warmup_ps = (int64_t)((double)s->duration_ps * WARMUP);
    if (r->settled_s > first_s && r->settled_s < last_s)
        s->warmup_ps = (int64_t)((r->settled_s - first_s) * 1e12);
    return true;
}

/* What a play may cost: REPEATS times as many frames as the bytes and packets that were seen come to, and once more.
 * Sequence numbers, stamps, windows and rates may claim any number; a play that goes beyond this is none of what was
 * captured, and is over then. */
static void replay_bound(struct study_replay *r, const struct replay_bulk *flows, size_t n)
{
    double frames = FRAMES_LEAST;
    for (size_t i = 0; i < n; i++)
        frames += (REPEATS + 1) * FRAMES *
                  ((double)flows[i].flow.seen_payload_bytes / SEGMENT + (double)flows[i].flow.data_packets);
    snprintf(r->frames, sizeof r->frames, SWEEP_ENGINES_FRAMES "%.0f", frames);
}

bool study_replay_build(struct study_replay *r, const struct analysis_flows *table, struct error *err)
{
    size_t slots = analysis_flows_slots(table), n = 0, capacity = 0;
    MEMORY_LOCAL struct replay_bulk *flows = memory_zeroed(0, sizeof *flows, "the flows of a capture");
    struct analysis_flow flow;
    int64_t largest = 0;
    bool ok = true;
    for (size_t i = 0; i < slots; i++)
        if (analysis_flows_look(table, i, &flow) && flow.payload_bytes > largest)
            largest = flow.payload_bytes;
    r->left_out = 0;
    for (size_t i = 0; i < slots; i++) {
        if (!analysis_flows_look(table, i, &flow))
            continue;
        if (flow.payload_bytes < analysis_degree_bulk_bytes(largest) || !isfinite(flow.goodput_bps)) {
            r->left_out++;
            continue;
        }
        if (n == STUDY_REPLAY_FLOWS) {
            ok = error_set(err, ERROR_INPUT, "more than %d bulk flows: filter those that matter out of it",
                           STUDY_REPLAY_FLOWS);
            break;
        }
        flows = memory_grown(flows, n, &capacity, 64, sizeof *flows, "the flows of a capture");
        flows[n] = (struct replay_bulk){.flow = flow, .slot = i};
        flows[n].pauses = analysis_flows_pauses(table, i, &flows[n].n_pauses);
        n++;
    }
    r->floor_s = INFINITY;
    analysis_check_capture(table, ANALYSIS_CHECK_TOLERANCE, NULL, &r->hosts);
    replay_bound(r, flows, n);
    ok = ok && replay_fill(r, table, flows, (int)n, err);
    for (size_t i = 0; i < n; i++)
        free(flows[i].pauses);
    return ok;
}

bool study_replay_pace(struct study_replay *r)
{
    bool any = false;
    for (int i = 0; i < r->n_flows; i++)
        if (r->flows[i].paced_bps > 0) {
            any = true;
            r->scenario.flows[i].rate_bps = replay_rate_bps(r->flows[i].paced_bps);
            r->scenario.flows[i].n_pauses = 0;
        }
    return any;
}

const char *study_replay_answer_name(enum study_replay_answer answer)
{
    static const char *const names[] = {"told", "refused", "unknown"};
    return names[answer];
}

void study_replay_fini(struct study_replay *r)
{
    scenario_fini(&r->scenario);
    analysis_resources_fini(&r->hosts);
    free(r->flows);
    r->flows = NULL;
}

double study_replay_window(const struct study_replay *r, int i)
{
    const struct scenario_flow *f = &r->scenario.flows[i];
    double sum = 0;
    if (f->tcp.congestion != EMU_CONGESTION_GIVEN || f->n_windows == 0)
        return (double)f->tcp.receive_buffer_bytes;
    for (int k = 0; k < f->n_windows; k++)
        sum += (double)f->windows[k].bytes;
    return sum / f->n_windows;
}

bool study_replay_run_read(struct study_replay_run *run, int n_flows, struct error *err)
{
    MEMORY_LOCAL struct results_flow *flows = NULL;
    size_t n = 0;
    if (!results_flow_read(run->directory, &flows, &n, err))
        return false;
    run->goodput_bps = memory_zeroed(3 * (size_t)n_flows, sizeof *run->goodput_bps, "rates");
    run->settled_bps = run->goodput_bps + n_flows;
    run->settled_ci95_bps = run->settled_bps + n_flows;
    bool ok = n >= (size_t)n_flows || error_set(err, ERROR_SYSTEM, "%s: flows are missing", run->directory);
    for (int i = 0; ok && i < n_flows; i++) {
        run->goodput_bps[i] = flows[i].goodput_bps;
        run->settled_bps[i] = flows[i].steady_goodput_bps;
        run->settled_ci95_bps[i] = flows[i].steady_ci95_bps;
        run->retransmitted += flows[i].retransmitted_segments;
    }
    return ok;
}
