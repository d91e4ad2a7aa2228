/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/directory.h"
#include "results/json.h"
#include "results/queues.h"
#include "view/capture_page_parts.h"

#define QUEUES_SHOWN 8
#define QUEUE_BINS 512

/* A whole number keeps the file small; null when it is not finite. */
static json_t *plots_integer(double value)
{
    return isfinite(value) ? json_integer(llround(value)) : json_null();
}

/* Bandwidth, bytes in flight, loss events and segments sent again, bin by bin; null for a flow too small for bins. */
static json_t *plots_series(const struct analysis_bins *b)
{
    if (!b)
        return json_null();
    json_t *rates = json_array(), *windows = json_array(), *losses = json_array(), *again = json_array();
    double series[ANALYSIS_BINS_MAX];
    size_t n = analysis_bins_series(b, 0, b->n, series);
    for (size_t i = 0; i < n; i++) {
        struct analysis_bin bin = analysis_bins_get(b, i);
        json_array_append_new(rates, plots_integer(series[i]));
        json_array_append_new(windows, plots_integer(bin.window_sum / bin.window_samples)); /* 0/0: null */
        json_array_append_new(losses, json_integer(bin.loss_events));
        json_array_append_new(again, json_integer(bin.retransmitted));
    }
    return results_json("start_s:f bin_s:f bps:o window:o loss:o again:o", (double)analysis_bins_start_ns(b, 0) / 1e9,
                        (double)analysis_bins_width_ns(b) / 1e9, rates, windows, losses, again);
}

/* What data and ACKs waited, slot by slot, in us; null for a flow too small, or whose round trip cannot be split. */
static json_t *plots_waits(const struct analysis_flows *f, const struct study_explanation *e)
{
    struct analysis_wait waits[ANALYSIS_LEG_SERIES_SLOTS];
    size_t n = isfinite(e->rtt_s) ? analysis_flows_waits(f, e->slot, waits) : 0;
    if (n == 0)
        return json_null();
    json_t *data = json_array(), *acks = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(data, plots_integer((waits[i].data_s + e->stood_s[0]) * 1e6));
        json_array_append_new(acks, plots_integer((waits[i].ack_s + e->stood_s[1]) * 1e6));
    }
    return results_json("start_s:f bin_s:f data_us:o ack_us:o", waits[0].start_s, analysis_round_trip_width_s(waits, n),
                        data, acks);
}

static json_t *plots_flow(const struct view_capture_page_capture *c, size_t i)
{
    const struct study_explanation *e = &c->bulk.flow[i];
    char name[VIEW_CAPTURE_PAGE_FLOW_TEXT], src[CAPTURE_ADDRESS_TEXT], dst[CAPTURE_ADDRESS_TEXT];
    view_capture_page_flow_name(&e->flow, name);
    capture_address_format(&e->flow.src, src);
    capture_address_format(&e->flow.dst, dst);
    int end = 0, block = view_capture_page_block(c, i, &end);
    return results_json("name:s src:s dst:s connection:o end:i floor_s:f data_s:f ack_s:f series:o waits:o", name, src,
                        dst, block < 0 ? json_null() : json_integer(block), end, e->floor_s, e->data_wait_s,
                        e->ack_wait_s, plots_series(e->flow.bins), plots_waits(c->flows, e));
}

/* Mean over time and peak of one port's depth in `n` bins of width_s from first_s on. */
static json_t *plots_port(const struct results_queues *t, size_t port, double first_s, double width_s, size_t n)
{
    struct results_queues_bin bins[QUEUE_BINS];
    results_queues_bins(t, port, first_s, width_s, n, bins);
    json_t *means = json_array(), *peaks = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(means, plots_integer(bins[i].mean_bytes));
        json_array_append_new(peaks, plots_integer(bins[i].most_bytes));
    }
    json_t *name = json_string(t->ports[port].name); /* NULL when it is not UTF-8 */
    return results_json("name:o mean:o peak:o", name ? name : json_string("?"), means, peaks);
}

/* The deepest queues of a run; null without queues.csv. Emulated captures count time from the run's beginning. */
static json_t *plots_queues(const struct view_capture_page_capture *c, struct error *err)
{
    if (!c->run || !results_directory_has(c->run, "queues.csv"))
        return json_null();
    MEMORY_LOCAL char *path = results_directory_path(c->run, "queues.csv");
    MEMORY_ENDS(results_queues_fini) struct results_queues trace;
    bool ok = results_queues_read(&trace, path, err);
    if (!ok)
        return NULL;
    double first_s = (double)c->capture->first_ns / 1e9;
    double span_s = (double)(c->capture->last_ns - c->capture->first_ns) / 1e9;
    size_t chosen[QUEUES_SHOWN], n = results_queues_deepest(&trace, chosen, QUEUES_SHOWN);
    json_t *ports = json_array();
    for (size_t i = 0; i < n && span_s > 0; i++)
        json_array_append_new(ports, plots_port(&trace, chosen[i], first_s, span_s / QUEUE_BINS, QUEUE_BINS));
    json_t *queues = results_json("bin_s:f ports:o of:l", span_s / QUEUE_BINS, ports, (int64_t)trace.n_ports);
    return queues;
}

/* The slot of a flow on the page; -1 when it is not shown. */
static int plots_slot(const struct view_capture_page_capture *c, size_t slot)
{
    for (size_t i = 0; i < c->n_shown; i++)
        if (c->bulk.flow[i].slot == slot)
            return (int)i;
    return -1;
}

static void plots_level(json_t *levels, const char *name, const char *says, double bps, int slot)
{
    results_json_append(levels, "name:s says:s value:o slot:i", name, says, plots_integer(bps), slot);
}

/* What rules give a flow, for eyes to compare: of the one host judged, where a direction is full. By eq5 and eq6 where
 * they differ; by the window law flow by flow. */
static json_t *plots_levels(const struct view_capture_page_capture *c)
{
    const struct analysis_resource *r = view_capture_page_host(c, 0);
    json_t *levels = json_array();
    if (!r || view_capture_page_host(c, 1) || !(r->diagnosis.in.saturated || r->diagnosis.out.saturated))
        return levels;
    const struct analysis_judgement *j = &r->judgement;
    bool in_more = j->indegree > j->outdegree;
    size_t more = in_more ? j->indegree : j->outdegree, less = in_more ? j->outdegree : j->indegree;
    const char *const says[] = {"every flow by eq6", in_more ? "flows out by eq5" : "flows in by eq5"};
    bool degrees = !j->indistinguishable && (j->verdict == MODEL_REGIME_EQ5 || j->verdict == MODEL_REGIME_EQ6);
    for (int i = 0; i < 2 && degrees; i++) {
        char name[32];
        snprintf(name, sizeof name, "B/%zu", i ? less : more);
        plots_level(levels, name, says[i], j->fitted_rate_bps / (double)(i ? less : more), -1);
    }
    for (size_t i = 0; i < r->n && j->verdict == MODEL_REGIME_WINDOW; i++) {
        int slot = plots_slot(c, r->flows[i].slot);
        if (slot >= 0)
            plots_level(levels, "law", "each flow by the window law", r->flows[i].predicted_bps[ANALYSIS_RULE_WINDOW],
                        slot);
    }
    return levels;
}

json_t *view_capture_page_plots(const struct view_capture_page_capture *c, size_t number, struct error *err)
{
    json_t *flows = json_array(), *queues = plots_queues(c, err);
    if (!queues) {
        json_decref(flows);
        return NULL;
    }
    for (size_t i = 0; i < c->n_shown; i++)
        json_array_append_new(flows, plots_flow(c, i));
    const struct analysis_resource *host = view_capture_page_host(c, 0);
    return results_json("origin:s run:b host:s connections:o end_s:f flows:o queues:o levels:o", c->origin,
                        c->run != NULL, host ? host->host : "", view_capture_page_blocks(c, number),
                        (double)(c->capture->last_ns - c->capture->first_ns) / 1e9, flows, queues, plots_levels(c));
}
