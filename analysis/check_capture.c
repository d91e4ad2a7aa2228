/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/check_capture.h"

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
    struct estimate rate = analysis_steady_mean(series, n, 0);
    int64_t retransmitted = 0, events = 0;
    for (size_t i = begin; i < begin + n; i++)
        events += analysis_bins_get(flow->bins, i).loss_events;
    size_t first, end;
    analysis_bins_range(flow->bins, llround(r->start_s * 1e9), llround(r->end_s * 1e9), &first, &end);
    for (size_t i = first; i < end; i++)
        retransmitted += analysis_bins_get(flow->bins, i).retransmitted;

    *measured = (struct analysis_check_flow){
        .rate_bps = rate.value,
        .ci95_bps = rate.ci95,
        .window_bytes = flow->window_bytes,
        .buffer_bytes = flow->advertised_bytes,
        .retransmitted_segments = retransmitted,
        .loss_events = events,
        .limit = analysis_limit_between(flow, r->steady_start_s, r->end_s),
    };
    double window = analysis_bins_window(flow->bins, begin, begin + n);
    if (flow->window_source != ANALYSIS_WINDOW_UNKNOWN && !isnan(window))
        measured->window_bytes = window;
    analysis_flows_endpoint(&flow->src, flow->src_port, measured->src);
    analysis_flows_endpoint(&flow->dst, flow->dst_port, measured->dst);
}

static const struct analysis_resource_source capture_source = {
    .settled_s = capture_settled_s,
    .measure = capture_measure,
};

/* entries: all flows of one host. uses: room for as many. */
static bool capture_judge_host(const struct entry *entries, size_t n, struct analysis_resource_use *uses,
                               double tolerance, struct analysis_resources *resources, struct error *err)
{
    char name[CAPTURE_ADDRESS_TEXT];
    capture_address_format(&entries->host, name);
    for (size_t i = 0; i < n; i++) {
        const struct analysis_flow *flow = entries[i].flow;
        uses[i] = (struct analysis_resource_use){{flow->start_s, flow->end_s, entries[i].incoming},
                                                 flow->payload_bytes, flow};
    }
    return analysis_resource_judge(&capture_source, name, uses, n, NULL, tolerance, resources, err);
}

/* Flows large enough to be measured, and twice as many entries, one for each host. */
static bool capture_collect(const struct analysis_flows *f, struct analysis_flow **flows, struct entry **entries,
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
    bool ok = capture_collect(f, &flows, &entries, &n, err);
    struct analysis_resource_use *uses = malloc((n + 1) * sizeof *uses);
    ok = ok && (uses || error_set(err, ERROR_SYSTEM, "out of memory for %zu hosts", n));
    if (ok && n > 0)
        qsort(entries, n, sizeof *entries, capture_by_host);
    for (size_t i = 0, end; ok && i < n; i = end) {
        for (end = i + 1; end < n && capture_compare_host(&entries[i], &entries[end]) == 0;)
            end++;
        ok = capture_judge_host(&entries[i], end - i, uses, tolerance, resources, err);
    }
    free(uses);
    free(flows);
    free(entries);
    if (ok)
        analysis_resources_sort(resources);
    else
        analysis_resources_fini(resources);
    return ok;
}
