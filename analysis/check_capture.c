/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/check_capture.h"

#include "analysis/degree.h"
#include "analysis/steady.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One flow as one of its two hosts sees it. */
struct entry {
    struct capture_address host;
    uint32_t tag;
    bool incoming;
    const struct analysis_flow *flow; /* borrowed */
};

void analysis_resources_fini(struct analysis_resources *resources)
{
    for (size_t i = 0; i < resources->n; i++)
        free(resources->resource[i].flows);
    free(resources->resource);
    *resources = (struct analysis_resources){0};
}

static int compare_host(const struct entry *a, const struct entry *b)
{
    int order = memcmp(&a->host, &b->host, sizeof a->host);
    return order ? order : (a->tag > b->tag) - (a->tag < b->tag);
}

static int by_host(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = compare_host(x, y);
    return order ? order : (x->flow > y->flow) - (x->flow < y->flow); /* then in order of appearance */
}

static int by_flows(const void *a, const void *b)
{
    const struct analysis_resource *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : strcmp(x->host, y->host);
}

void analysis_resources_sort(struct analysis_resources *resources)
{
    qsort(resources->resource, resources->n, sizeof *resources->resource, by_flows);
}

/* Bandwidth of a flow in [from, to), bin by bin. Returns the number of bins; series holds ANALYSIS_BINS_MAX. */
static size_t series_of(const struct analysis_flow *flow, double from_s, double to_s, double *series, size_t *begin)
{
    size_t end;
    analysis_bins_range(flow->bins, llround(from_s * 1e9), llround(to_s * 1e9), begin, &end);
    return analysis_bins_series(flow->bins, *begin, end, series);
}

static double settled_s(const struct analysis_flow *flow, double from_s, double to_s)
{
    double series[ANALYSIS_BINS_MAX];
    size_t begin, n = series_of(flow, from_s, to_s, series, &begin);
    return (double)analysis_bins_start_ns(flow->bins, begin + analysis_steady_start(series, n)) / 1e9;
}

static void measure(struct analysis_check_flow *out, const struct entry *e, double phase_s, double from_s,
                    double to_s)
{
    const struct analysis_flow *flow = e->flow;
    double series[ANALYSIS_BINS_MAX];
    size_t begin, n = series_of(flow, from_s, to_s, series, &begin);
    struct estimate rate = analysis_steady_mean(series, n, 0);
    int64_t retransmitted = 0, events = 0;
    for (size_t i = begin; i < begin + n; i++)
        events += analysis_bins_get(flow->bins, i).loss_events;
    size_t first, end;
    analysis_bins_range(flow->bins, llround(phase_s * 1e9), llround(to_s * 1e9), &first, &end);
    for (size_t i = first; i < end; i++)
        retransmitted += analysis_bins_get(flow->bins, i).retransmitted;

    *out = (struct analysis_check_flow){
        .incoming = e->incoming,
        .rate_bps = rate.value,
        .ci95_bps = rate.ci95,
        .window_bytes = flow->window_bytes,
        .buffer_bytes = flow->advertised_bytes,
        .retransmitted_segments = retransmitted,
        .loss_events = events,
        .limit = analysis_limit_between(flow, from_s, to_s),
    };
    double window = analysis_bins_window(flow->bins, begin, begin + n);
    if (flow->window_source != ANALYSIS_WINDOW_UNKNOWN && !isnan(window))
        out->window_bytes = window;
    analysis_flows_endpoint(&flow->src, flow->src_port, out->src);
    analysis_flows_endpoint(&flow->dst, flow->dst_port, out->dst);
}

/* Measures and judges the flows active all through the phase. True with r->n == 0 when they cannot be measured. */
static bool judge(const struct entry *entries, size_t n, const struct analysis_phase *phase, double tolerance,
                  struct analysis_resource *r, struct error *err)
{
    r->start_s = r->steady_start_s = phase->start_s;
    r->end_s = phase->end_s;
    r->flows = malloc(n * sizeof *r->flows);
    if (!r->flows)
        return error_set(err, ERROR_SYSTEM, "out of memory for the flows of a host");
    for (size_t i = 0; i < n; i++) {
        const struct analysis_flow *flow = entries[i].flow;
        if (flow->start_s <= phase->start_s && flow->end_s >= phase->end_s)
            r->steady_start_s = fmax(r->steady_start_s, settled_s(flow, phase->start_s, phase->end_s));
    }
    for (size_t i = 0; i < n; i++) {
        const struct analysis_flow *flow = entries[i].flow;
        if (!(flow->start_s <= phase->start_s && flow->end_s >= phase->end_s))
            continue;
        measure(&r->flows[r->n], &entries[i], phase->start_s, r->steady_start_s, phase->end_s);
        r->n += r->flows[r->n].rate_bps > 0;
    }
    char text[CAPTURE_ADDRESS_TEXT];
    capture_address_format(&entries->host, text);
    snprintf(r->host, sizeof r->host, "%s", text);
    return r->n < 2 || analysis_check_resource(r->flows, r->n, tolerance, &r->judgement, err);
}

/* entries: all flows of one host. Adds a resource when two or more are active at once. */
static bool add_host(struct entry *entries, size_t n, double tolerance, struct analysis_resources *resources,
                     struct error *err)
{
    int64_t largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = entries[i].flow->payload_bytes > largest ? entries[i].flow->payload_bytes : largest;
    size_t bulk = 0;
    for (size_t i = 0; i < n; i++) {
        if (entries[i].flow->payload_bytes >= analysis_degree_bulk_bytes(largest))
            entries[bulk++] = entries[i];
    }
    if (bulk < 2)
        return true;
    struct analysis_activity *activity = malloc(bulk * sizeof *activity);
    if (!activity)
        return error_set(err, ERROR_SYSTEM, "out of memory for the flows of a host");
    for (size_t i = 0; i < bulk; i++) {
        const struct analysis_flow *flow = entries[i].flow;
        activity[i] = (struct analysis_activity){flow->start_s, flow->end_s, entries[i].incoming};
    }
    struct analysis_phase phase;
    struct analysis_resource *r = &resources->resource[resources->n];
    *r = (struct analysis_resource){0};
    bool ok = analysis_degree_dominant_phase(activity, bulk, &phase, err) &&
              (phase.indegree + phase.outdegree == 0 || judge(entries, bulk, &phase, tolerance, r, err));
    free(activity);
    if (ok && r->n >= 2)
        resources->n++;
    else
        free(r->flows);
    return ok;
}

/* Flows large enough to be measured, and twice as many entries, one for each host. */
static bool collect(const struct analysis_flows *f, struct analysis_flow **flows, struct entry **entries,
                    size_t *n, struct error *err)
{
    size_t slots = analysis_flows_slots(f), bulk = 0;
    struct analysis_flow flow;
    for (size_t i = 0; i < slots; i++)
        bulk += analysis_flows_get(f, i, &flow) && flow.bins;
    *flows = malloc((bulk + 1) * sizeof **flows);
    *entries = malloc((2 * bulk + 1) * sizeof **entries);
    if (!*flows || !*entries)
        return error_set(err, ERROR_SYSTEM, "out of memory for %zu flows", bulk);
    *n = 0;
    size_t at = 0;
    for (size_t i = 0; i < slots; i++) {
        struct analysis_flow *to = &(*flows)[at];
        if (at == bulk || !analysis_flows_get(f, i, to) || !to->bins)
            continue;
        at++;
        (*entries)[(*n)++] = (struct entry){.host = to->src, .tag = to->tag, .incoming = false, .flow = to};
        (*entries)[(*n)++] = (struct entry){.host = to->dst, .tag = to->tag, .incoming = true, .flow = to};
    }
    return true;
}

bool analysis_check_capture(const struct analysis_flows *f, double tolerance, struct analysis_resources *resources,
                            struct error *err)
{
    *resources = (struct analysis_resources){0};
    struct analysis_flow *flows = NULL;
    struct entry *entries = NULL;
    size_t n = 0;
    bool ok = collect(f, &flows, &entries, &n, err);
    if (ok) {
        qsort(entries, n, sizeof *entries, by_host);
        resources->resource = malloc((n + 1) * sizeof *resources->resource);
        ok = resources->resource || error_set(err, ERROR_SYSTEM, "out of memory for %zu hosts", n);
    }
    for (size_t i = 0, end; ok && i < n; i = end) {
        for (end = i + 1; end < n && compare_host(&entries[i], &entries[end]) == 0;)
            end++;
        ok = add_host(&entries[i], end - i, tolerance, resources, err);
    }
    free(flows);
    free(entries);
    if (ok)
        analysis_resources_sort(resources);
    else
        analysis_resources_fini(resources);
    return ok;
}
