/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/live.h"
#include "cli/read.h"
#include "results/directory.h"
#include "results/json.h"
#include "study/verdict/judge.h"
#include "view/capture_page.h"
#include "view/table.h"

#include <sys/stat.h>

enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV };

struct analyze_options {
    enum format format;
    bool all, first, has_host; /* first: of the files */
    const char *report; /* directory, or NULL */
    const char *interface; /* NULL: files */
    const struct study_capture_listener *listener;
    struct capture_address host;
    struct analysis_resources shared; /* owned; hosts of the file that is shown */
    json_t *captures; /* owned; of JSON, what comes behind the flows, which are printed one by one */
    size_t flows;     /* of JSON, printed so far */
};

static const char *const window_sources[] = {"unknown", "timestamps", "tap"};

/* Next flow to show from slot *i on; false at the end. */
static bool next_flow(const struct analysis_flows *f, const struct analyze_options *o, size_t *i, struct analysis_flow *flow)
{
    while (*i < analysis_flows_slots(f)) {
        if (analysis_flows_get(f, (*i)++, flow) && (!o->has_host || analysis_flow_touches(flow, &o->host))) {
            analysis_check_capture_steady(&o->shared, *i - 1, flow);
            return true;
        }
    }
    return false;
}

/* What a bulk flow has at least; *any: there is one. */
static int64_t bulk_bytes(const struct analysis_flows *f, const struct analyze_options *o, bool *any)
{
    struct analysis_flow flow;
    int64_t largest = 0;
    for (size_t i = 0; next_flow(f, o, &i, &flow);)
        largest = flow.payload_bytes > largest ? flow.payload_bytes : largest;
    int64_t bulk = analysis_degree_bulk_bytes(largest);
    *any = largest >= bulk;
    return bulk;
}

static void print_table(const struct analysis_flows *f, const struct analyze_options *o)
{
    struct view_table t = view_table_of(
        "from|to|payload B|start s|end s|whole Mb/s|steady Mb/s|+-|retrans|events|missed B|window B");
    struct analysis_flow flow;
    bool any;
    int64_t least = bulk_bytes(f, o, &any), bytes = 0;
    size_t small = 0;
    for (size_t i = 0; next_flow(f, o, &i, &flow);) {
        if (flow.payload_bytes < least && any && !o->all) {
            small++;
            bytes += flow.payload_bytes;
            continue;
        }
        view_table_add_flow(&t, &flow);
        view_table_add(&t, "%" PRId64 "|%.6f|%.6f|%f|%f|%f|%" PRIu32 "|%" PRIu32 "|%" PRId64 "|%.0f",
                       flow.payload_bytes, flow.start_s, flow.end_s, flow.goodput_bps / 1e6,
                       flow.steady_goodput_bps.value / 1e6, flow.steady_goodput_bps.ci95 / 1e6,
                       flow.retransmitted_segments, flow.loss_events, flow.missing_bytes, flow.window_bytes);
    }
    view_table_print(&t, "", 2, stdout);
    if (small > 0)
        printf("and %zu small flow%s, %s kB in all (--all lists them)\n", small, small == 1 ? "" : "s",
               UNITS_FIGURE((double)bytes / 1e3, 3));
}

/* A second table, of the flows that lost, reordered or doubled segments. */
static void print_losses(const struct analysis_flows *f, const struct analyze_options *o)
{
    struct view_table t = view_table_of("from|to|retrans|events|spurious|reordered|overtaken|doubled|ambiguous|twice");
    struct analysis_flow flow;
    bool any = false;
    for (size_t i = 0; next_flow(f, o, &i, &flow);) {
        const uint32_t count[] = {flow.retransmitted_segments, flow.loss_events,        flow.spurious_segments,
                                  flow.reordered_segments,     flow.overtaken_segments, flow.network_duplicates,
                                  flow.ambiguous_segments,     flow.duplicate_frames};
        uint32_t sum = 0;
        for (size_t k = 0; k < sizeof count / sizeof *count; k++)
            sum |= count[k];
        if (!sum)
            continue;
        any = true;
        view_table_add_flow(&t, &flow);
        for (size_t k = 0; k < sizeof count / sizeof *count; k++)
            view_table_add(&t, "%" PRIu32, count[k]);
    }
    if (!any) {
        view_table_fini(&t);
        return;
    }
    puts("\nsegments lost, reordered or doubled");
    view_table_print(&t, "", 2, stdout);
}

static void print_degrees(const struct analysis_flows *f, const struct analyze_options *o)
{
    size_t at = 0;
    bool any;
    int64_t least = bulk_bytes(f, o, &any);
    struct analysis_flow flow;
    struct analysis_activity *activity =
        memory_zeroed(analysis_flows_slots(f), sizeof *activity, "flows that are active");
    for (size_t i = 0; next_flow(f, o, &i, &flow);) {
        if (flow.payload_bytes >= least)
            activity[at++] = (struct analysis_activity){flow.start_s, flow.end_s,
                                                        capture_address_same(&flow.dst, &o->host)};
    }
    struct analysis_phase *phases;
    size_t count;
    analysis_degree_phases(activity, at, 0, &phases, &count);
    free(activity);
    struct view_table t = view_table_of("from s|to s|in|out");
    for (size_t i = 0; i < count; i++)
        view_table_add(&t, "%.6f|%.6f|%zu|%zu", phases[i].start_s, phases[i].end_s, phases[i].indegree,
                       phases[i].outdegree);
    free(phases);
    puts("\nbulk flows active (20 kB or more, and 0.5 % of the largest)");
    view_table_print(&t, "", 0, stdout);
}

/* Bandwidth over time: new payload in a bin over the bin's width. Null for flows of fewer than 32 data packets. */
static json_t *bandwidth_json(const struct analysis_flow *flow)
{
    if (!flow->bins)
        return json_null();
    json_t *rates = json_array();
    double series[ANALYSIS_BINS_MAX];
    size_t n = analysis_bins_series(flow->bins, 0, flow->bins->n, series);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(rates, json_real(series[i]));
    return results_json("start_s:f bin_s:f bps:o", (double)analysis_bins_start_ns(flow->bins, 0) / 1e9,
                        (double)analysis_bins_width_ns(flow->bins) / 1e9, rates);
}

static json_t *flow_json(const char *path, const struct analysis_flow *flow)
{
    char src[ANALYSIS_ENDPOINT_TEXT], dst[ANALYSIS_ENDPOINT_TEXT];
    analysis_flows_endpoint(&flow->src, flow->src_port, src);
    analysis_flows_endpoint(&flow->dst, flow->dst_port, dst);
    return results_json("file:s src:s dst:s tag:u payload_bytes:l seen_payload_bytes:l missing_bytes:l data_packets:u "
                        "start_s:f end_s:f goodput_bps:f steady_goodput_bps:f steady_ci95_bps:f steady_start_s:f "
                        "steady_end_s:f retransmitted_segments:u loss_events:u steady_loss_events:u "
                        "spurious_segments:u reordered_segments:u overtaken_segments:u network_duplicates:u "
                        "ambiguous_segments:u duplicate_frames:u keepalives:u window_bytes:f window_source:s "
                        "bandwidth:o", path, src, dst, flow->tag, flow->payload_bytes, flow->seen_payload_bytes,
                        flow->missing_bytes, flow->data_packets, flow->start_s, flow->end_s, flow->goodput_bps,
                        flow->steady_goodput_bps.value, flow->steady_goodput_bps.ci95, flow->steady_start_s,
                        flow->steady_end_s, flow->retransmitted_segments, flow->loss_events, flow->steady_loss_events,
                        flow->spurious_segments, flow->reordered_segments, flow->overtaken_segments,
                        flow->network_duplicates, flow->ambiguous_segments, flow->duplicate_frames, flow->keepalives,
                        flow->window_bytes, window_sources[flow->window_source], bandwidth_json(flow));
}

static void csv_head(void)
{
    puts("file,src,dst,payload_bytes,seen_payload_bytes,missing_bytes,data_packets,start_s,end_s,goodput_bps,"
         "steady_goodput_bps,steady_ci95_bps,steady_start_s,steady_end_s,retransmitted_segments,loss_events,"
         "steady_loss_events,spurious_segments,reordered_segments,overtaken_segments,network_duplicates,"
         "ambiguous_segments,duplicate_frames,keepalives,window_bytes,window_source");
}

/* Empty when it is not finite. */
static void csv_number(double value)
{
    printf(isfinite(value) ? ",%.9g" : ",", value);
}

static void print_csv(const char *path, const struct analysis_flows *f, const struct analyze_options *o)
{
    struct analysis_flow flow;
    for (size_t i = 0; next_flow(f, o, &i, &flow);) {
        char src[ANALYSIS_ENDPOINT_TEXT], dst[ANALYSIS_ENDPOINT_TEXT];
        analysis_flows_endpoint(&flow.src, flow.src_port, src);
        analysis_flows_endpoint(&flow.dst, flow.dst_port, dst);
        results_csv_text(stdout, path);
        printf(",%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRIu32, src, dst, flow.payload_bytes,
               flow.seen_payload_bytes, flow.missing_bytes, flow.data_packets);
        const double number[] = {flow.start_s, flow.end_s, flow.goodput_bps, flow.steady_goodput_bps.value,
                                 flow.steady_goodput_bps.ci95, flow.steady_start_s, flow.steady_end_s};
        for (size_t k = 0; k < sizeof number / sizeof *number; k++)
            csv_number(number[k]);
        const uint32_t count[] = {flow.retransmitted_segments, flow.loss_events,        flow.steady_loss_events,
                                  flow.spurious_segments,      flow.reordered_segments, flow.overtaken_segments,
                                  flow.network_duplicates,     flow.ambiguous_segments, flow.duplicate_frames,
                                  flow.keepalives};
        for (size_t k = 0; k < sizeof count / sizeof *count; k++)
            printf(",%" PRIu32, count[k]);
        csv_number(flow.window_bytes);
        printf(",%s\n", window_sources[flow.window_source]);
    }
}

static json_t *capture_json(const char *path, const struct analysis_capture *c)
{
    return results_json("file:s frames:l tcp_segments:l short_frames:l malformed_frames:l duration_s:f truncated:b "
                        "clock_steps_back:l", path, c->frames, c->tcp_segments, c->short_frames, c->malformed_frames,
                        (double)(c->last_ns - c->first_ns) / 1e9, c->truncated, c->steps_back);
}

static void print_json_flows(const char *path, const struct analysis_flows *f, struct analyze_options *o)
{
    struct analysis_flow flow;
    if (o->first)
        fputs("{\n  \"schema\": \"" CLI_JSON_NAME "analyze:1\",\n  \"flows\": [", stdout);
    for (size_t i = 0; next_flow(f, o, &i, &flow);) {
        fputs(o->flows++ == 0 ? "\n    " : ",\n    ", stdout);
        cli_print_json_within(flow_json(path, &flow), 2);
    }
}

static void show(const char *path, const struct analysis_flows *f, const struct analysis_capture *capture,
                 struct analyze_options *o, bool several)
{
    switch (o->format) {
    case FORMAT_CSV:
        if (o->first)
            csv_head();
        print_csv(path, f, o);
        return;
    case FORMAT_JSON:
        json_array_append_new(o->captures, capture_json(path, capture));
        print_json_flows(path, f, o);
        return;
    case FORMAT_TABLE:
        break;
    }
    if (several)
        printf("%s\n", cli_name(path));
    print_table(f, o);
    print_losses(f, o);
    if (o->has_host)
        print_degrees(f, o);
}

static bool analyze_file(const char *path, struct analyze_options *o, bool several,
                         struct view_capture_page *report, struct error *err)
{
    struct analysis_capture capture;
    struct analysis_flows *f = o->report ? study_capture_read_packets(path, o->listener, &capture, err)
                                         : study_capture_read(path, o->interface, o->listener, &capture, err);
    if (f && capture.tcp_segments == 0)
        fprintf(stderr, "contraflow: %s: no TCP segment among %" PRId64 " frames\n", cli_name(path), capture.frames);
    bool ok = f != NULL;
    if (ok) {
        analysis_check_capture_rates(f, &o->shared);
        show(path, f, &capture, o, several);
    }
    analysis_resources_fini(&o->shared);
    ok = ok && (!o->report || view_capture_page_add(report, o->interface ? "-" : path, f, &capture, o->has_host ? &o->host : NULL, err));
    analysis_flows_free(f);
    o->first = false;
    return ok;
}

/* The captures of a run, as its summary lists them. */
static bool analyze_run(const char *directory, struct analyze_options *o, struct view_capture_page *report, struct error *err)
{
    MEMORY_ENDS(results_summary_fini) struct results_summary summary;
    size_t n = 0;
    bool ok = results_summary_read(&summary, directory, err);
    if (ok)
        study_judge_warn_partial(&summary, directory, &cli_read_listener);
    for (size_t i = 0; ok && i < summary.n_captures; i++) {
        if (!summary.captures[i].file[0] || strchr(summary.captures[i].file, '/'))
            continue;
        MEMORY_LOCAL char *path = results_directory_path(directory, summary.captures[i].file);
        ok = analyze_file(path, o, true, report, err);
        n++;
    }
    return ok && (n > 0 || error_set(err, ERROR_INPUT, "%s: a run without captures; 'contraflow run' takes --set "
                                     "'capture=[{at: h0}]'", directory));
}

static bool analyze(int n, char **paths, struct analyze_options *o, struct view_capture_page *report, struct error *err)
{
    bool ok = true;
    cli_read_until_interrupted(paths, n);
    for (int i = 0; ok && i < n; i++) {
        struct stat st;
        bool directory = stat(paths[i], &st) == 0 && S_ISDIR(st.st_mode);
        ok = directory ? analyze_run(paths[i], o, report, err)
                       : analyze_file(paths[i], o, n > 1, report, err);
    }
    return ok;
}

static bool options_host(const struct cli_option *option, const char *text, struct error *err)
{
    struct analyze_options *o = option->to;
    o->has_host = capture_address_parse(text, &o->host);
    return o->has_host || error_set(err, ERROR_INPUT, "--host %s: not an IP address; try 10.0.0.1", text);
}

int cmd_analyze(int argc, char **argv)
{
    struct analyze_options o = {.first = true};
    struct error err = {0};
    bool json = false, csv = false;
    const struct cli_option options[] = {
        {"json", 0, .flag = &json},
        {"csv", 0, .flag = &csv},
        {"host", 0, .call = options_host, .to = &o},
        {"all", 0, .flag = &o.all},
        {"report", 0, .text = &o.report},
        {"interface", 'i', .text = &o.interface},
        {0},
    };
    int at = cli_options_read("analyze", argc, argv, options, &err);
    if (at == argc && !o.interface)
        error_set(&err, ERROR_INPUT, "analyze: no file given; try 'contraflow analyze --help'");
    if (at <= 0 || err.code != ERROR_NONE || !cli_live_alone("analyze", o.interface, argc - at, &err))
        return at ? cli_fail(&err) : 0;
    static const double unknown_bps[2] = {NAN, NAN};
    o.listener = &cli_read_listener;
    if (o.interface && !(o.listener = cli_live_open(o.interface, !o.report, unknown_bps, NULL, NULL, &err)))
        return cli_fail(&err);
    o.format = json ? FORMAT_JSON : csv ? FORMAT_CSV : FORMAT_TABLE;
    o.captures = json_array();
    struct view_capture_page report = {0};
    bool ok = (!o.report || view_capture_page_open(&report, o.report, &err)) &&
              (o.interface ? analyze_file(o.interface, &o, false, &report, &err) : analyze(argc - at, argv + at, &o, &report, &err)) &&
              (!o.report || view_capture_page_finish(&report, &err));
    view_capture_page_discard(&report);
    if (ok && o.format == FORMAT_JSON) {
        fputs(o.flows == 0 ? "],\n  \"captures\": " : "\n  ],\n  \"captures\": ", stdout);
        cli_print_json_within(json_incref(o.captures), 1);
        fputs("\n}\n", stdout);
    }
    json_decref(o.captures);
    if (ok && o.report) /* where data go to programs, words do not */
        fprintf(o.format == FORMAT_TABLE ? stdout : stderr, "report: %s/report.html\n", cli_name(o.report));
    return ok ? 0 : cli_fail(&err);
}
