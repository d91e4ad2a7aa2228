/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the microbenchmarks of Tam 2001, appendix A, show of an emulated switch, and its throughput under uniform
 * traffic. */
#include "study/verdict/workload.h"
#include "results/csv.h"

enum burst_column { SOURCES, SINKS, PACKETS, RECEIVED, SEND_GAP, RECEIVE_GAP, BURST_COLUMNS };
static const char *const burst_columns[BURST_COLUMNS] = {"sources",  "sinks",      "packets",
                                                         "received", "send_gap_s", "receive_gap_s"};

static void bursts_add(struct study_workload_bursts *b, const double *x)
{
    double sources = x[SOURCES], sinks = x[SINKS], packets = x[PACKETS], received = x[RECEIVED];
    struct study_workload_series *s = b->n > 0 ? &b->series[b->n - 1] : NULL;
    if (!s || s->sources != sources || s->sinks != sinks) {
        b->series = memory_resized(b->series, b->n + 1, sizeof *b->series, "series of bursts");
        s = &b->series[b->n++];
        *s = (struct study_workload_series){.sources = sources, .sinks = sinks};
    }
    s->points = memory_resized(s->points, s->n + 1, sizeof *s->points, "bursts");
    s->points[s->n++] = (struct model_buffer_point){packets, received / packets};
    s->send_gap_s = x[SEND_GAP];
    s->receive_gap_s = x[RECEIVE_GAP];
}

static bool bursts_read(const char *directory, struct study_workload_bursts *b, struct error *err)
{
    MEMORY_ENDS(results_csv_close) struct results_csv csv;
    char *v[BURST_COLUMNS];
    double x[BURST_COLUMNS];
    if (!results_csv_open_in(&csv, directory, "bursts.csv", burst_columns, BURST_COLUMNS, err))
        return false;
    while (results_csv_next(&csv, v, err) == RESULTS_CSV_ROW && results_csv_numbers(&csv, v, BURST_COLUMNS, x, err))
        bursts_add(b, x);
    return err->code == ERROR_NONE;
}

bool study_workload_bursts(const char *directory, struct study_workload_bursts *b, struct error *err)
{
    size_t n = 0;
    bool ok = bursts_read(directory, b, err);
    ok = ok && (b->n > 0 || error_set(err, ERROR_INPUT, "%s/bursts.csv: no burst", directory));
    MEMORY_LOCAL struct model_buffer_signature *signatures = memory_zeroed(b->n, sizeof *signatures, "series of bursts");
    for (size_t i = 0; ok && i < b->n; i++) {
        struct study_workload_series *series = &b->series[i];
        struct error none;
        series->fits = model_buffer_fit(series->points, series->n, &series->fit, &none);
        if (series->fits)
            signatures[n++] =
                (struct model_buffer_signature){series->sources, series->sinks, series->fit.buffer_packets};
    }
    return ok && (model_buffer_read(signatures, n, &b->reading, err) || error_prefix(err, "%s: ", directory));
}

enum ping_column { PAIRS, RTT, PING_COLUMNS };

/* Least squares of y over x; slope 0 when x does not vary. */
struct ping_line {
    double n, x, y, xx, xy;
};

bool study_workload_pingpong(const char *directory, const struct scenario *s, struct study_workload_latency *l,
                             struct error *err)
{
    static const char *const names[PING_COLUMNS] = {"pairs", "rtt_s"};
    struct results_csv csv;
    struct ping_line line = {0};
    char *v[PING_COLUMNS];
    double x[PING_COLUMNS];
    const struct emu_gbn_config *g = &s->gbn;
    double host_s = (double)(g->send_overhead_ps + g->receive_overhead_ps + g->user_overhead_ps) * 1e-12;
    if (!results_csv_open_in(&csv, directory, "pingpong.csv", names, PING_COLUMNS, err))
        return false;
    while (results_csv_next(&csv, v, err) == RESULTS_CSV_ROW && results_csv_numbers(&csv, v, PING_COLUMNS, x, err)) {
        double p = 2 * x[PAIRS], latency_s = x[RTT] / 2 - host_s; /* Eq. A.4 */
        line = (struct ping_line){line.n + 1, line.x + p, line.y + latency_s, line.xx + p * p, line.xy + p * latency_s};
    }
    results_csv_close(&csv);
    if (err->code != ERROR_NONE)
        return false;
    if (line.n == 0)
        return error_set(err, ERROR_INPUT, "%s/pingpong.csv: no round trip", directory);
    double spread = line.n * line.xx - line.x * line.x;
    double slope = spread > 0 ? (line.n * line.xy - line.x * line.y) / spread : 0;
    *l = (struct study_workload_latency){
        .constant_s = (line.y - slope * line.x) / line.n, .per_process_s = slope, .mean_s = line.y / line.n};
    return true;
}

bool study_workload_uniform(const char *directory, const struct scenario *s, struct study_workload_uniform *u,
                            struct error *err)
{
    /* Karol, Hluchyj and Morgan 1987, Table I, and 2 - sqrt 2 for many */
    static const double karol[] = {1, 1, 0.75, 0.6825, 0.6553, 0.6399, 0.6302, 0.6234, 0.6184};
    static const char *const names[] = {"utilization"};
    struct results_csv csv;
    char *v[1];
    size_t n = 0;
    if (!results_csv_open_in(&csv, directory, "uniform.csv", names, 1, err))
        return false;
    MEMORY_LOCAL double *share = memory_zeroed((size_t)s->uniform.ports, sizeof *share, "the ports of uniform traffic");
    while (n < (size_t)s->uniform.ports && results_csv_next(&csv, v, err) == RESULTS_CSV_ROW &&
           results_csv_numbers(&csv, v, 1, &share[n], err))
        n++;
    results_csv_close(&csv);
    const struct emu_architecture_ops *architecture = emu_architectures[s->network.sw.architecture];
    *u = (struct study_workload_uniform){
        .ports = s->uniform.ports,
        .load = s->uniform.load,
        .throughput = estimate_mean(share, n),
        .fifo = architecture->place == EMU_ARCHITECTURE_AT_INPUTS && !architecture->per_output && s->uniform.load == 1,
        .table = s->uniform.ports <= 8,
    };
    u->known = !u->fifo ? fmin(1, u->load) : u->table ? karol[u->ports] : 2 - sqrt(2);
    return true;
}
