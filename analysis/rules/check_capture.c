/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/rules/check_capture.h"

#include "analysis/diagnosis.h"
#include "analysis/flows/steady.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One flow as one of its two hosts sees it. */
struct entry {
    struct capture_address host;
    uint32_t tag;
    bool incoming;
    const struct capture_flow *flow;  /* borrowed */
};

/* What a flow carries in bins [begin, end), as it was last asked for: its two hosts ask for the same ones often. */
struct capture_rate {
    size_t begin, end;
    struct estimate bps;
    double drift, stall;
};

struct capture_flow {
    struct analysis_flow flow; /* first */
    size_t slot;
    struct capture_rate *rate; /* borrowed */
};

static int capture_compare_host(const struct entry *a, const struct entry *b)
{
    int order = memcmp(&a->host, &b->host, sizeof a->host);
    return order ? order : (a->tag > b->tag) - (a->tag < b->tag);
}

static int capture_by_host(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = capture_compare_host(x, y);
    return order ? order : (x->flow > y->flow) - (x->flow < y->flow); /* then in order of appearance */
}

/* Bandwidth of a flow in [from, to), bin by bin. Returns the number of bins; series holds ANALYSIS_BINS_MAX. */
static size_t capture_series(const struct analysis_flow *flow, double from_s, double to_s, double *series,
                             size_t *begin)
{
    size_t end;
    analysis_bins_range(flow->bins, llround(from_s * 1e9), llround(to_s * 1e9), begin, &end);
    return analysis_bins_series(flow->bins, *begin, end, series);
}

static double capture_settled_s(const void *user, double start_s, double end_s)
{
    const struct analysis_flow *flow = user;
    double series[ANALYSIS_BINS_MAX];
    size_t begin, n = capture_series(flow, start_s, end_s, series, &begin);
    return (double)analysis_bins_start_ns(flow->bins, begin + analysis_steady_start(series, n)) / 1e9;
}

static void capture_measure(const void *user, const struct analysis_resource *r, struct analysis_check_flow *measured)
{
    const struct analysis_flow *flow = user;
    double series[ANALYSIS_BINS_MAX];
    size_t begin, n = capture_series(flow, r->steady_start_s, r->end_s, series, &begin);
    int64_t events = analysis_bins_sum(flow->bins, begin, begin + n).loss_events;
    struct estimate_series steady = analysis_flow_series(flow, series, n, (size_t)events);
    struct capture_rate *kept = ((const struct capture_flow *)user)->rate;
    if (kept->begin != begin || kept->end != begin + n)
        *kept = (struct capture_rate){begin, begin + n, estimate_steady(&steady), 1 - estimate_drift_p(&steady),
                                      estimate_stall(&steady)};
    size_t first, end;
    analysis_bins_range(flow->bins, llround(r->start_s * 1e9), llround(r->end_s * 1e9), &first, &end);

    *measured = (struct analysis_check_flow){
        .rate_bps = kept->bps.value,
        .ci95_bps = kept->bps.ci95,
        .whole_bps = isfinite(flow->goodput_bps) ? flow->goodput_bps : 0,
        .window_bytes = flow->window_bytes,
        .buffer_bytes = flow->advertised_bytes,
        .retransmitted_segments = analysis_bins_sum(flow->bins, first, end).retransmitted,
        .loss_events = events,
        .drift = kept->drift,
        .stall = kept->stall,
        .limit = analysis_limit_between(flow, r->steady_start_s, r->end_s),
        .slot = ((const struct capture_flow *)user)->slot,
    };
    double window = analysis_bins_window(flow->bins, begin, begin + n);
    if (flow->window_source != ANALYSIS_WINDOW_UNKNOWN && !isnan(window))
        measured->window_bytes = window;
    analysis_flows_endpoint(&flow->src, flow->src_port, measured->src);
    analysis_flows_endpoint(&flow->dst, flow->dst_port, measured->dst);
}

/* What was found out of the host judged last: that of the other end of its flows begins with it. */
struct capture_last {
    struct analysis_evidence_set gathered; /* owned */
    struct analysis_told *flows;           /* owned; which that borrows */
};

struct capture_host {
    const struct analysis_flows *flows;
    struct capture_last *last; /* borrowed */
    const double *capacity_bps; /* NULL unknown */
    const struct analysis_beside *beside; /* NULL: nothing */
    const struct analysis_pulses *pulses;
    const struct capture_address *host;
    uint32_t tag;
    const struct entry *entries; /* borrowed; all its flows */
    size_t n;
};

/* The diagnosis has more evidence of what an application and a reader do. */
static void capture_limit(enum analysis_limit *limit, enum judge_cause cause)
{
    if (cause == JUDGE_CAUSE_APPLICATION)
        *limit = ANALYSIS_LIMIT_APPLICATION;
    else if (cause == JUDGE_CAUSE_RECEIVER)
        *limit = ANALYSIS_LIMIT_RECEIVER;
}

/* Of a moment or some: a sender that was idle for a while is no flood, whatever it was then. */
static enum judge_cause capture_known(const struct analysis_beside *b, const struct analysis_flow *f, bool idle)
{
    for (size_t i = 0; b && i < b->n; i++) {
        const struct analysis_sender *s = &b->sender[i];
        if (s->port == f->src_port && s->peer_port == f->dst_port && capture_address_same(&s->host, &f->src) &&
            capture_address_same(&s->peer, &f->dst))
            return idle && s->limit != JUDGE_CAUSE_APPLICATION ? JUDGE_CAUSE_UNKNOWN : s->limit;
    }
    return JUDGE_CAUSE_UNKNOWN;
}

/* Its own shaper is what a host's outgoing frames pass, unless more pass the tap than what fills the shaper's queue. */
static double capture_out_bps(const struct capture_host *h, const struct analysis_resource *r)
{
    bool own = false;
    for (size_t i = 0; h->beside && i < h->beside->n; i++)
        own = own || capture_address_same(&h->beside->sender[i].host, h->host);
    double fills_bps = own ? 8 * (double)h->beside->backlog_bytes / (r->end_s - r->steady_start_s) : 0;
    return own && !(r->judgement.out_bps > h->beside->out_bps + fills_bps) ? h->beside->out_bps : (double)NAN;
}

/* Of the flows to the host, or from it. */
static struct analysis_merged capture_merged(const struct analysis_resource *r,
                                             const struct analysis_resource_use *const *uses, bool incoming)
{
    struct analysis_merged m = {0};
    double bytes = 0, merged = 0;
    for (size_t i = 0; i < r->n; i++) {
        const struct analysis_flow *flow = &((const struct capture_flow *)uses[i]->flow)->flow;
        if (r->flows[i].incoming != incoming)
            continue;
        bytes += (double)flow->seen_payload_bytes;
        merged += (double)flow->long_bytes;
        m.longest_bytes = flow->longest_bytes > m.longest_bytes ? flow->longest_bytes : m.longest_bytes;
    }
    m.share = bytes > 0 ? merged / bytes : 0;
    return m;
}

/* Keeps the largest. */
static void capture_beside_add(struct analysis_resource *r, const struct analysis_udp *b)
{
    size_t at = r->n_beside;
    for (; at > 0 && b->share > r->beside[at - 1].share; at--)
        if (at < ANALYSIS_UDP)
            r->beside[at] = r->beside[at - 1];
    if (at < ANALYSIS_UDP)
        r->beside[at] = *b;
    r->n_beside += r->n_beside < ANALYSIS_UDP;
}

/* Other flows than TCP's in the phase, of so many bytes from the host and to it. */
static void capture_beside(const struct capture_host *h, const double all_bytes[static 2], struct analysis_resource *r)
{
    size_t n;
    const struct analysis_datagrams_flow *f = analysis_flows_datagrams(h->flows, &n);
    for (const struct analysis_datagrams_flow *end = n > 0 ? f + n : f; f < end; f++) {
        bool incoming = capture_address_same(&f->dst, h->host), ours = incoming || capture_address_same(&f->src, h->host);
        double life_s = (double)(f->last_ns - f->first_ns) * 1e-9;
        struct analysis_udp b = {.incoming = incoming, .quic = f->quic, .rate_bps = f->bytes * 8 / life_s,
                                 .share = f->bytes / all_bytes[incoming],
                                 .packet_bytes = f->bytes / (double)f->packets,
                                 .run_packets = (double)f->packets / (double)f->runs};
        if (!ours || f->tag != h->tag || !(life_s > 0) || b.share < ANALYSIS_UDP_LEAST ||
            (double)f->first_ns * 1e-9 >= r->end_s || (double)f->last_ns * 1e-9 <= r->steady_start_s)
            continue;
        analysis_flows_endpoint(&f->src, f->src_port, b.src);
        analysis_flows_endpoint(&f->dst, f->dst_port, b.dst);
        capture_beside_add(r, &b);
    }
}

/* Data of flows that are not judged, on the wire: too small to take a share, or not there all the time. ACKs wait behind
 * them as behind any. Those that are judged come in the same order as all. */
static void capture_others(const struct capture_host *h, const struct analysis_resource *r,
                           const struct analysis_resource_use *const *uses, double other_bps[static 2])
{
    for (size_t i = 0, judged = 0; i < h->n; i++) {
        const struct analysis_flow *flow = &h->entries[i].flow->flow;
        size_t begin, end;
        if (judged < r->n && uses[judged]->flow == h->entries[i].flow) {
            judged++;
            continue;
        }
        analysis_bins_range(flow->bins, llround(r->steady_start_s * 1e9), llround(r->end_s * 1e9), &begin, &end);
        double segment = (double)flow->seen_payload_bytes / flow->data_packets;
        if (segment > 0)
            other_bps[!h->entries[i].incoming] +=
                analysis_bins_rate_bps(flow->bins, begin, end) * (segment + JUDGE_AROUND) / segment;
    }
}

static void capture_diagnose(void *user, struct analysis_resource *r, const struct analysis_resource_use *const *uses)
{
    const struct capture_host *h = user;
    const struct analysis_judgement *j = &r->judgement;
    /* A link that carries more than it can is another one: the other end's, where directions are swapped. */
    bool fits = h->capacity_bps && !(j->in_bps > h->capacity_bps[0]) && !(j->out_bps > h->capacity_bps[1]);
    struct analysis_told_ways ways = {
        .capacity_bps = {fits ? h->capacity_bps[0] : (double)NAN, fits ? h->capacity_bps[1] : (double)NAN}};
    double own_bps = isnan(ways.capacity_bps[1]) ? capture_out_bps(h, r) : (double)NAN;
    if (isfinite(own_bps)) {
        ways.capacity_bps[0] = INFINITY; /* a shaper of what goes out says nothing of what comes in */
        ways.capacity_bps[1] = own_bps;
    }
    capture_others(h, r, uses, ways.other_bps);
    struct analysis_told *flows = memory_zeroed(r->n + 1, sizeof *flows, "the flows of a host");
    for (size_t i = 0; i < r->n; i++) {
        const struct capture_flow *flow = uses[i]->flow;
        flows[i] = (struct analysis_told){.slot = flow->slot, .incoming = r->flows[i].incoming,
                                                    .rate_bps = r->flows[i].rate_bps,
                                                    .loss_events = r->flows[i].loss_events,
                                                    .retransmitted = r->flows[i].retransmitted_segments,
                                                    .idle = r->flows[i].limit == ANALYSIS_LIMIT_APPLICATION};
        flows[i].known = capture_known(h->beside, &flow->flow, flows[i].idle);
    }
    const struct analysis_capacity_host *frames = analysis_flows_capacity(h->flows, h->host, h->tag);
    struct analysis_pulsed pulsed;
    analysis_pulses_tell(h->pulses, h->flows, h->host, frames, flows, r->n, r->steady_start_s, r->end_s, &pulsed);
    ways.pulsed = &pulsed;
    r->judged = memory_zeroed(r->n + 1, sizeof *r->judged, "the flows of a host");
    analysis_diagnose(h->flows, &h->last->gathered, h->host, h->tag, flows, r->n, r->steady_start_s, r->end_s, &ways,
                      &r->diagnosis, &r->facts, r->judged);
    r->diagnosed = true;
    for (int incoming = 0; incoming < 2; incoming++)
        r->merged[incoming] = capture_merged(r, uses, incoming);
    if (frames)
        capture_beside(h, (double[]){frames->out.all_bytes, frames->in.all_bytes}, r);
    for (size_t i = 0; i < r->n; i++) {
        r->flows[i].floor_s = flows[i].floor_s;
        r->flows[i].data_wait_s = flows[i].data_wait_s;
        r->flows[i].ack_wait_s = flows[i].ack_wait_s;
        capture_limit(&r->flows[i].limit, flows[i].limit);
    }
    free(h->last->flows);
    h->last->flows = flows;
}

struct capture_judge {
    const struct analysis_flows *flows; /* borrowed */
    double tolerance;
    const double *capacity_bps; /* borrowed; NULL unknown */
    const struct analysis_beside *beside; /* borrowed; NULL */
    bool diagnoses;
    struct capture_last last;
    struct analysis_pulses pulses;
};

static double capture_first_pulse_s(const struct capture_judge *judge)
{
    return judge->pulses.n > 0 ? judge->pulses.pulse[0].from_s : INFINITY;
}

/* entries: all flows of one host. uses: room for as many. */
static void capture_judge_host(struct capture_judge *judge, size_t least, const struct entry *entries, size_t n,
                               struct analysis_resource_use *uses, struct analysis_resources *resources)
{
    char name[CAPTURE_ADDRESS_TEXT];
    capture_address_format(&entries->host, name);
    for (size_t i = 0; i < n; i++) {
        const struct analysis_flow *flow = &entries[i].flow->flow;
        double end_s = fmin(flow->end_s, capture_first_pulse_s(judge));
        uses[i] = (struct analysis_resource_use){{flow->start_s, end_s, entries[i].incoming},
                                                 flow->payload_bytes, entries[i].flow};
    }
    struct capture_host host = {judge->flows, &judge->last, judge->capacity_bps, judge->beside, &judge->pulses, &entries->host,
                                entries->tag, entries, n};
    struct analysis_resource_source source = {
        .settled_s = capture_settled_s,
        .measure = capture_measure,
        .diagnose = judge->diagnoses ? capture_diagnose : NULL,
        .user = &host,
        .least = least,
    };
    analysis_resource_judge(&source, name, uses, n, NULL, judge->tolerance, resources);
}

/* Flows large enough to be measured, with room for their rates, and twice as many entries, one for each host. */
static void capture_collect(const struct capture_judge *judge, struct capture_flow **flows, struct capture_rate **rates,
                            struct entry **entries, size_t *n)
{
    const struct analysis_flows *f = judge->flows;
    const struct analysis_probe *probe = judge->beside ? &judge->beside->probe : NULL;
    size_t slots = analysis_flows_slots(f), bulk = 0;
    struct analysis_flow flow;
    for (size_t i = 0; i < slots; i++)
        bulk += analysis_flows_look(f, i, &flow) && flow.bins;
    *flows = memory_zeroed(bulk, sizeof **flows, "flows to judge");
    *rates = memory_zeroed(bulk, sizeof **rates, "flows to judge");
    *entries = memory_zeroed(2 * bulk, sizeof **entries, "flows to judge");
    *n = 0;
    size_t at = 0;
    for (size_t i = 0; i < slots; i++) {
        struct capture_flow *entry = &(*flows)[at];
        struct analysis_flow *to = &entry->flow;
        if (at == bulk || !analysis_flows_look(f, i, to) || !to->bins || analysis_probe_has(probe, to) ||
            to->start_s >= capture_first_pulse_s(judge))
            continue;
        entry->slot = i;
        entry->rate = &(*rates)[at];
        entry->rate->end = SIZE_MAX; /* nobody asked yet */
        at++;
        (*entries)[(*n)++] = (struct entry){.host = to->src, .tag = to->tag, .incoming = false, .flow = entry};
        (*entries)[(*n)++] = (struct entry){.host = to->dst, .tag = to->tag, .incoming = true, .flow = entry};
    }
}

static int capture_by_slot(const void *a, const void *b)
{
    const struct analysis_resource_place *x = a, *y = b;
    int order = (x->slot > y->slot) - (x->slot < y->slot);
    order = order ? order : (x->resource > y->resource) - (x->resource < y->resource); /* then in order of resources */
    return order ? order : (x->flow > y->flow) - (x->flow < y->flow);
}

static void capture_places(struct analysis_resources *resources)
{
    const struct analysis_resource *r;
    size_t n = 0;
    for (size_t i = 0; (r = analysis_resources_get(resources, i)); i++)
        n += r->n;
    resources->place = memory_zeroed(n, sizeof *resources->place, "judged flows");
    for (size_t i = 0; (r = analysis_resources_get(resources, i)); i++)
        for (size_t k = 0; k < r->n; k++)
            resources->place[resources->n_places++] = (struct analysis_resource_place){r->flows[k].slot, r, &r->flows[k]};
    if (n > 0)
        qsort(resources->place, n, sizeof *resources->place, capture_by_slot);
}

/* What UDP passes a host: bytes from it and to it, and when. */
struct udp_sum {
    double bytes[2], from_s, to_s;
};

static struct udp_sum capture_udp_of(const struct analysis_datagrams_flow *f, size_t n, const struct capture_address *host,
                                     uint32_t tag)
{
    struct udp_sum s = {.from_s = INFINITY};
    for (size_t i = 0; i < n; i++) {
        bool incoming = capture_address_same(&f[i].dst, host);
        if (f[i].tag != tag || !(incoming || capture_address_same(&f[i].src, host)))
            continue;
        s.bytes[incoming] += f[i].bytes;
        s.from_s = fmin(s.from_s, (double)f[i].first_ns * 1e-9);
        s.to_s = fmax(s.to_s, (double)f[i].last_ns * 1e-9);
    }
    return s;
}

/* Where no flow of TCP is there to be judged: what is known of UDP's, at that end of the largest that has most of it. */
static void capture_udp_alone(const struct capture_judge *judge, struct analysis_resources *resources)
{
    size_t n;
    const struct analysis_datagrams_flow *f = analysis_flows_datagrams(judge->flows, &n), *most = n > 0 ? f : NULL;
    for (size_t i = 1; i < n; i++)
        most = f[i].bytes > most->bytes ? &f[i] : most;
    if (!most || most->bytes < (double)analysis_degree_bulk_bytes(0))
        return;
    struct udp_sum src = capture_udp_of(f, n, &most->src, most->tag), dst = capture_udp_of(f, n, &most->dst, most->tag);
    bool from = src.bytes[0] + src.bytes[1] > dst.bytes[0] + dst.bytes[1];
    struct udp_sum s = from ? src : dst;
    struct capture_host host = {judge->flows, NULL, judge->capacity_bps, judge->beside, &judge->pulses,
                                from ? &most->src : &most->dst, most->tag, NULL, 0};
    struct analysis_resource *r = memory_zeroed(1, sizeof *r, "a host of UDP");
    r->start_s = r->steady_start_s = s.from_s;
    r->end_s = s.to_s;
    r->judgement = (struct analysis_judgement){.verdict = MODEL_REGIME_UNKNOWN, .fitted_rate_bps = NAN};
    for (int i = 0; i < ANALYSIS_RULES; i++)
        r->judgement.rule[i].fitted_rate_bps = r->judgement.rule[i].max_rel_error = NAN;
    capture_address_format(host.host, r->host);
    capture_beside(&host, s.bytes, r);
    if (r->n_beside == 0) {
        free(r);
        return;
    }
    struct judge_way none = {.carried_bps = NAN, .possible_bps = NAN, .room_bps = NAN, .lost_share = NAN, .lost_ci95 = NAN,
                             .capacity_bps = NAN, .acks_bps = NAN, .data_wait_s = NAN, .ack_wait_s = NAN, .floor_s = NAN};
    r->diagnosis = (struct judge_diagnosis){.in = none, .out = none, .quic = true, .probability = NAN, .lost_share = NAN,
                                            .ci95 = NAN};
    snprintf(r->diagnosis.why, sizeof r->diagnosis.why, "%.1f Mb/s of UDP pass on the wire, and no TCP that could be "
             "judged: what waits in it does not show from outside", (s.bytes[0] + s.bytes[1]) * 8e-6 / (s.to_s - s.from_s));
    r->diagnosed = true;
    resources->alone = r;
    resources->n_alone = 1;
}

static void capture_judge_all(struct capture_judge *judge, struct analysis_resources *resources)
{
    analysis_pulses_find(judge->flows, judge->beside ? &judge->beside->probe : NULL, &judge->pulses);
    *resources = (struct analysis_resources){0};
    struct capture_flow *flows = NULL;
    struct capture_rate *rates = NULL;
    struct entry *entries = NULL;
    size_t n = 0;
    resources->pulses = judge->pulses.n;
    capture_collect(judge, &flows, &rates, &entries, &n);
    struct analysis_resource_use *uses = memory_zeroed(n, sizeof *uses, "hosts to judge");
    if (n > 0)
        qsort(entries, n, sizeof *entries, capture_by_host);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && capture_compare_host(&entries[i], &entries[end]) == 0;)
            end++;
        capture_judge_host(judge, 2, &entries[i], end - i, uses, resources);
    }
    struct analysis_resources alone = {0};
    for (size_t i = 0, end; resources->n == 0 && i < n; i = end) {
        for (end = i + 1; end < n && capture_compare_host(&entries[i], &entries[end]) == 0;)
            end++;
        capture_judge_host(judge, 1, &entries[i], end - i, uses, &alone);
    }
    resources->alone = alone.resource;
    resources->n_alone = alone.n;
    if (judge->diagnoses && resources->n == 0 && alone.n == 0)
        capture_udp_alone(judge, resources);
    analysis_evidence_free(&judge->last.gathered);
    MEMORY_FREE(uses, flows, rates, entries, judge->last.flows);
    analysis_resources_sort(resources);
    capture_places(resources);
}

void analysis_check_capture(const struct analysis_flows *f, double tolerance, const double capacity_bps[2],
                            struct analysis_resources *resources)
{
    analysis_check_capture_beside(f, tolerance, capacity_bps, NULL, resources);
}

void analysis_check_capture_beside(const struct analysis_flows *f, double tolerance, const double capacity_bps[2],
                                   const struct analysis_beside *beside, struct analysis_resources *resources)
{
    capture_judge_all(&(struct capture_judge){.flows = f, .tolerance = tolerance, .capacity_bps = capacity_bps, .beside = beside,
                                              .diagnoses = true}, resources);
}

void analysis_check_capture_rates(const struct analysis_flows *f, struct analysis_resources *resources)
{
    capture_judge_all(&(struct capture_judge){.flows = f, .tolerance = ANALYSIS_CHECK_TOLERANCE}, resources);
}

const struct analysis_resource_place *analysis_check_capture_places(const struct analysis_resources *resources, size_t slot,
                                                                    size_t *n)
{
    size_t first = 0;
    for (size_t end = resources->n_places; first < end;) {
        size_t middle = first + (end - first) / 2;
        if (resources->place[middle].slot < slot)
            first = middle + 1;
        else
            end = middle;
    }
    for (*n = 0; first + *n < resources->n_places && resources->place[first + *n].slot == slot;)
        ++*n;
    return *n > 0 ? &resources->place[first] : NULL;
}

void analysis_check_capture_steady(const struct analysis_resources *resources, size_t slot, struct analysis_flow *flow)
{
    size_t n;
    if (!flow->bins || resources->n == 0) /* none of the many small flows is judged */
        return;
    const struct analysis_resource_place *p = analysis_check_capture_places(resources, slot, &n);
    if (!p)
        return;
    flow->steady_start_s = p->resource->steady_start_s;
    flow->steady_end_s = p->resource->end_s;
    flow->steady_loss_events = (uint32_t)p->flow->loss_events;
    flow->steady_goodput_bps = (struct estimate){p->flow->rate_bps, NAN, p->flow->ci95_bps};
}
