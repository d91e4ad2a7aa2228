/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/judge_run.h"

#include "analysis/degree.h"
#include "base/units.h"
#include "results/csv.h"
#include "model/regime.h"
#include "scenarios/directory.h"
#include "scenarios/load.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONGER 0.05        /* a flow that outlives the phase by more of it has a rate of other times in it */

enum column { FLOW, SRC, DST, BYTES, START, END, GOODPUT, STEADY, CI95, RETRANSMITTED, MESSAGE, COLUMNS };
static const char *const column_names[COLUMNS] = {
    "flow", "src", "dst", "bytes", "start_s", "end_s", "goodput_bps", "steady_goodput_bps", "steady_ci95_bps",
    "retransmitted_segments", "message_s", /* the last: looked for in runs that repeat messages */
};

struct row {
    char src[ANALYSIS_CHECK_NAME], dst[ANALYSIS_CHECK_NAME];
    int src_rack, dst_rack; /* 0 or 1; in a star all 0 */
    int64_t bytes, retransmitted;
    double start_s, end_s, rate_bps, ci95_bps, window_bytes;
};

struct rows {
    struct row *row; /* owned */
    size_t n;
    double warmup_s; /* steady rates count from here */
    double link_bps, backbone_bps; /* on the wire, each direction */
    double segment_bytes;
};

bool study_judge_run_exists(const char *directory)
{
    struct error ignored;
    char *path = scenario_directory_path(directory, "flows.csv", &ignored);
    bool exists = path && access(path, F_OK) == 0;
    free(path);
    return exists;
}

double study_judge_run_window(const struct emu_tcp_config *tcp)
{
    return fmin((double)tcp->send_buffer_bytes, (double)tcp->receive_buffer_bytes);
}

struct model_link study_judge_run_link(const struct scenario *s)
{
    struct model_link link = model_link_default();
    link.rate_bps = (double)s->network.link.rate_bps;
    link.segment_bytes = (double)s->tcp.segment_bytes;
    link.segments_per_ack = (double)s->tcp.delayed_ack;
    return link;
}

static const struct scenario_flow *flow_of(const struct scenario *s, const char *name)
{
    for (int i = 0; i < s->n_flows; i++)
        if (strcmp(s->flows[i].name, name) == 0)
            return &s->flows[i];
    return NULL;
}

static bool repeats(const struct scenario *s)
{
    for (int i = 0; i < s->n_flows; i++)
        if (s->flows[i].repeat > 1)
            return true;
    return false;
}

/* Of messages what each gets, without the waits between them; else steady, or over the flow's life. */
static double rate_of(char *const *value, const struct scenario_flow *flow)
{
    double steady = results_csv_number(value[STEADY]);
    if (flow && flow->repeat > 1)
        return 8 * (double)flow->bytes / results_csv_number(value[MESSAGE]);
    return isfinite(steady) ? steady : results_csv_number(value[GOODPUT]);
}

int study_judge_run_rack(const struct scenario *s, int host)
{
    return s->network.topology == EMU_TOPOLOGY_TREE && !s->network.root && host >= s->network.racks[0];
}

/* Rack of host "h3". */
static int rack_of(const struct scenario *s, const char *host)
{
    return study_judge_run_rack(s, (int)strtol(host + 1, NULL, 10));
}

static struct row parse_row(char *const *value, const struct scenario *s)
{
    const struct scenario_flow *flow = flow_of(s, value[FLOW]);
    struct row row = {
        .bytes = strtoll(value[BYTES], NULL, 10),
        .retransmitted = strtoll(value[RETRANSMITTED], NULL, 10),
        .start_s = results_csv_number(value[START]),
        .end_s = results_csv_number(value[END]),
        .rate_bps = rate_of(value, flow),
        .ci95_bps = results_csv_number(value[CI95]),
        .window_bytes = flow ? study_judge_run_window(&flow->tcp) : (double)NAN,
    };
    snprintf(row.src, sizeof row.src, "%s", value[SRC]);
    snprintf(row.dst, sizeof row.dst, "%s", value[DST]);
    if (flow && flow->repeat > 1 && s->barrier) /* as if there were one message of mean length */
        row.end_s = row.start_s + results_csv_number(value[MESSAGE]);
    row.src_rack = rack_of(s, row.src);
    row.dst_rack = rack_of(s, row.dst);
    return row;
}

static bool read_rows(const char *directory, const struct scenario *s, struct rows *rows, struct error *err)
{
    struct results_csv csv;
    char *value[COLUMNS];
    if (!results_csv_open_in(&csv, directory, "flows.csv", column_names, repeats(s) ? COLUMNS : MESSAGE, err))
        return false;
    while (results_csv_next(&csv, value, err) == RESULTS_CSV_ROW) {
        struct row *grown = realloc(rows->row, (rows->n + 1) * sizeof *grown);
        if (!grown) {
            error_set(err, ERROR_SYSTEM, "%s: out of memory", csv.path);
            break;
        }
        rows->row = grown;
        rows->row[rows->n] = parse_row(value, s);
        rows->n += isfinite(rows->row[rows->n].start_s) && rows->row[rows->n].rate_bps > 0;
    }
    results_csv_close(&csv);
    return err->code == ERROR_NONE;
}

static bool load(const char *directory, struct rows *rows, struct error *err)
{
    struct scenario s;
    char *path = scenario_directory_path(directory, "scenario.yaml", err);
    bool ok = path && scenario_load(&s, path, NULL, 0, err);
    free(path);
    if (!ok)
        return false;
    rows->warmup_s = (double)s.warmup_ps / UNITS_PS_PER_S;
    rows->link_bps = (double)s.network.link.rate_bps;
    rows->backbone_bps = (double)s.network.backbone.rate_bps;
    rows->segment_bytes = (double)s.tcp.segment_bytes;
    ok = read_rows(directory, &s, rows, err);
    scenario_fini(&s);
    return ok;
}

/* How a flow uses a shared resource, a host's link or the backbone. */
enum way { WAY_NONE, WAY_IN, WAY_OUT };

static enum way way_of(const struct row *row, const char *resource)
{
    if (strcmp(resource, STUDY_JUDGE_RUN_BACKBONE) == 0)
        return row->src_rack == row->dst_rack ? WAY_NONE : row->dst_rack == 0 ? WAY_IN : WAY_OUT;
    return strcmp(row->dst, resource) == 0 ? WAY_IN : strcmp(row->src, resource) == 0 ? WAY_OUT : WAY_NONE;
}

/* When no rule holds: is it because the question is wrong here? Rules speak of one saturated link, and of rates at
 * the same time. `life_s`: the latest end of a flow judged. */
static void explain_none(const struct rows *rows, struct analysis_resource *r, double life_s)
{
    struct model_link link = model_link_default();
    link.rate_bps = strcmp(r->host, STUDY_JUDGE_RUN_BACKBONE) == 0 ? rows->backbone_bps : rows->link_bps;
    link.segment_bytes = rows->segment_bytes;
    const struct analysis_judgement *j = &r->judgement;
    double most = fmax(j->in_bps, j->out_bps);
    double room = model_degree_goodput_bps(&link, fmin(j->in_bps, j->out_bps) / most);
    char *why = r->judgement.why;
    if (life_s > r->end_s + LONGER * (r->end_s - r->start_s))
        snprintf(why, sizeof r->judgement.why, "flows ended at different times, and flows.csv holds means over each "
                 "one's life: judge a capture of this run for the part in which all were active");
    else if (most < MODEL_REGIME_SATURATED * room)
        snprintf(why, sizeof r->judgement.why, "the link is not saturated (%.1f of %.1f Mb/s in the busier direction): "
                 "what holds these flows back lies elsewhere", most / 1e6, room / 1e6);
}

/* The flows of `host` (or the backbone) active all through its dominant phase, judged. True with r->n < 2 when it is
 * not shared. */
static bool judge_resource(const struct rows *rows, const char *host, double tolerance, struct analysis_resource *r,
                       struct error *err)
{
    size_t n = 0;
    int64_t largest = 0;
    double life_s = 0;
    *r = (struct analysis_resource){0};
    for (size_t i = 0; i < rows->n; i++) {
        if (way_of(&rows->row[i], host) && rows->row[i].bytes > largest)
            largest = rows->row[i].bytes;
    }
    struct analysis_activity *activity = malloc((rows->n + 1) * sizeof *activity);
    r->flows = malloc((rows->n + 1) * sizeof *r->flows);
    if (!activity || !r->flows) {
        free(activity);
        return error_set(err, ERROR_SYSTEM, "out of memory for the flows of %s", host);
    }
    int64_t bulk = analysis_degree_bulk_bytes(largest);
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->row[i];
        if (!way_of(row, host) || row->bytes < bulk)
            continue;
        activity[n++] = (struct analysis_activity){row->start_s, row->end_s, way_of(row, host) == WAY_IN};
    }
    struct analysis_phase phase;
    bool ok = analysis_degree_dominant_phase(activity, n, &phase, err);
    free(activity);
    if (!ok || phase.indegree + phase.outdegree == 0)
        return ok;
    snprintf(r->host, sizeof r->host, "%s", host);
    r->start_s = phase.start_s;
    r->steady_start_s = fmax(phase.start_s, rows->warmup_s);
    r->end_s = phase.end_s;
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->row[i];
        if (!way_of(row, host) || row->bytes < bulk || row->start_s > phase.start_s || row->end_s < phase.end_s)
            continue;
        struct analysis_check_flow *flow = &r->flows[r->n++];
        *flow = (struct analysis_check_flow){
            .incoming = way_of(row, host) == WAY_IN,
            .rate_bps = row->rate_bps,
            .ci95_bps = row->ci95_bps,
            .window_bytes = row->window_bytes,
            .buffer_bytes = row->window_bytes,
            .retransmitted_segments = row->retransmitted,
            .loss_events = ANALYSIS_CHECK_LOSS_UNKNOWN,
        };
        memcpy(flow->src, row->src, sizeof flow->src);
        memcpy(flow->dst, row->dst, sizeof flow->dst);
        life_s = fmax(life_s, row->end_s);
    }
    if (r->n < 2)
        return true;
    ok = analysis_check_resource(r->flows, r->n, tolerance, &r->judgement, err);
    if (ok && r->judgement.verdict == ANALYSIS_VERDICT_NONE)
        explain_none(rows, r, life_s);
    return ok;
}

static bool judged_before(const struct rows *rows, size_t row, bool dst)
{
    const char *host = dst ? rows->row[row].dst : rows->row[row].src;
    for (size_t i = 0; i < row; i++) {
        if (way_of(&rows->row[i], host))
            return true;
    }
    return dst && strcmp(host, rows->row[row].src) == 0;
}

bool study_judge_run_directory(const char *directory, double tolerance, struct analysis_resources *resources,
                         struct error *err)
{
    struct rows rows = {0};
    *resources = (struct analysis_resources){0};
    bool ok = load(directory, &rows, err);
    if (ok) {
        resources->resource = malloc((2 * rows.n + 2) * sizeof *resources->resource);
        ok = resources->resource || error_set(err, ERROR_SYSTEM, "%s: out of memory", directory);
    }
    for (size_t i = 0; ok && i < 2 * rows.n + 1; i++) { /* both ends of every flow, then the backbone */
        bool dst = i % 2, backbone = i == 2 * rows.n;
        if (!backbone && judged_before(&rows, i / 2, dst))
            continue;
        struct analysis_resource *r = &resources->resource[resources->n];
        const struct row *row = &rows.row[i / 2];
        ok = judge_resource(&rows, backbone ? STUDY_JUDGE_RUN_BACKBONE : dst ? row->dst : row->src, tolerance, r, err);
        if (ok && r->n >= 2)
            resources->n++;
        else
            free(r->flows);
    }
    free(rows.row);
    if (ok)
        analysis_resources_sort(resources);
    else
        analysis_resources_fini(resources);
    return ok;
}
