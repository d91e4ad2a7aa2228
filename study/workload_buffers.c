/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the microbenchmarks of Tam 2001, appendix A, say of an emulated switch, and its throughput under uniform
 * traffic. */
#include "base/estimate.h"
#include "study/workload.h"
#include "results/csv.h"
#include "view/table.h"
#include "model/buffer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char *const architectures[] = {
    [MODEL_BUFFER_INPUT] = "input-buffered",
    [MODEL_BUFFER_OUTPUT] = "output-buffered",
    [MODEL_BUFFER_SHARED] = "shared-buffered",
};
static const char *const places[] = {
    [MODEL_BUFFER_INPUT] = "per input port",
    [MODEL_BUFFER_OUTPUT] = "per output port",
    [MODEL_BUFFER_SHARED] = "for all ports",
};

/* The bursts of one number of sources and sinks. */
struct burst_series {
    double sources, sinks, send_gap_s, receive_gap_s;
    struct model_buffer_point *points; /* owned */
    size_t n;
    struct model_buffer_fit fit;
    bool fits;
};

struct bursts {
    struct burst_series *series; /* owned */
    size_t n;
};

enum burst_column { SOURCES, SINKS, PACKETS, RECEIVED, SEND_GAP, RECEIVE_GAP, BURST_COLUMNS };
static const char *const burst_columns[BURST_COLUMNS] = {"sources",  "sinks",      "packets",
                                                         "received", "send_gap_s", "receive_gap_s"};

static bool bursts_add(struct bursts *b, char *const *v)
{
    double sources = results_csv_number(v[SOURCES]), sinks = results_csv_number(v[SINKS]);
    double packets = results_csv_number(v[PACKETS]), received = results_csv_number(v[RECEIVED]);
    struct burst_series *s = b->n > 0 ? &b->series[b->n - 1] : NULL;
    if (!s || s->sources != sources || s->sinks != sinks) {
        struct burst_series *grown = realloc(b->series, (b->n + 1) * sizeof *grown);
        if (!grown)
            return false;
        b->series = grown;
        s = &grown[b->n++];
        *s = (struct burst_series){.sources = sources, .sinks = sinks};
    }
    struct model_buffer_point *points = realloc(s->points, (s->n + 1) * sizeof *points);
    if (!points)
        return false;
    s->points = points;
    points[s->n++] = (struct model_buffer_point){packets, received / packets};
    s->send_gap_s = results_csv_number(v[SEND_GAP]);
    s->receive_gap_s = results_csv_number(v[RECEIVE_GAP]);
    return true;
}

static bool bursts_read(const char *directory, struct bursts *b, struct error *err)
{
    struct results_csv csv;
    char *v[BURST_COLUMNS];
    if (!results_csv_open_in(&csv, directory, "bursts.csv", burst_columns, BURST_COLUMNS, err))
        return false;
    bool room = true;
    while (room && results_csv_next(&csv, v, err) == RESULTS_CSV_ROW)
        room = bursts_add(b, v);
    results_csv_close(&csv);
    return room ? err->code == ERROR_NONE : error_set(err, ERROR_SYSTEM, "out of memory for bursts");
}

static bool bursts_table(const struct bursts *b, struct error *err)
{
    static const char *const head[] = {"sources", "sinks", "B packets", "+-", "D/A", "R g_s/(S g_r)", "used", "of"};
    struct view_table t;
    view_table_start(&t, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < b->n; i++) {
        const struct burst_series *s = &b->series[i];
        view_table_add(&t, "%g", s->sources);
        view_table_add(&t, "%g", s->sinks);
        view_table_add_number(&t, s->fits ? s->fit.buffer_packets : NAN, 1);
        view_table_add_number(&t, s->fits ? s->fit.buffer_ci95 : NAN, 1);
        view_table_add_number(&t, s->fits ? s->fit.intercept : NAN, 1);
        view_table_add_number(&t, s->sinks * s->send_gap_s / (s->sources * s->receive_gap_s), 1);
        view_table_add(&t, "%zu", s->fits ? s->fit.used : 0);
        view_table_add(&t, "%zu", s->n);
    }
    return view_table_print(&t, "  ", 0, stdout, err);
}

static json_t *bursts_json(const char *directory, const struct bursts *b, const struct model_buffer_reading *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < b->n; i++) {
        const struct burst_series *s = &b->series[i];
        double fitted = s->fits ? s->fit.buffer_packets : NAN, ci95 = s->fits ? s->fit.buffer_ci95 : NAN;
        json_array_append_new(
            list, json_pack("{s:f, s:f, s:o, s:o, s:o}", "sources", s->sources, "sinks", s->sinks, "buffer_packets",
                            view_table_json_number(fitted), "buffer_ci95", view_table_json_number(ci95),
                            "departure_ratio", view_table_json_number(s->fits ? s->fit.intercept : NAN)));
    }
    return json_pack("{s:s, s:s, s:b, s:s, s:f, s:f, s:o, s:o, s:o}", "source", directory, "kind", "buffer",
                     "simulated", true, "architecture", architectures[r->architecture], "buffer_packets",
                     r->buffer_packets, "spread", r->spread, "series", list, "send_gap_s",
                     view_table_json_number(b->series[0].send_gap_s),
                     "receive_gap_s", view_table_json_number(b->series[0].receive_gap_s));
}

bool study_workload_bursts(struct study_workloads *c, const char *directory, const struct scenario *s,
                          struct error *err)
{
    (void)s;
    struct bursts b = {0};
    struct model_buffer_signature *signatures = NULL;
    struct model_buffer_reading reading;
    size_t n = 0;
    bool ok = bursts_read(directory, &b, err);
    ok = ok && (b.n > 0 || error_set(err, ERROR_INPUT, "%s/bursts.csv: no burst", directory));
    signatures = calloc(b.n + 1, sizeof *signatures);
    ok = ok && (signatures || error_set(err, ERROR_SYSTEM, "out of memory for bursts"));
    for (size_t i = 0; ok && i < b.n; i++) {
        struct burst_series *series = &b.series[i];
        struct error none;
        series->fits = model_buffer_fit(series->points, series->n, &series->fit, &none);
        if (series->fits)
            signatures[n++] =
                (struct model_buffer_signature){series->sources, series->sinks, series->fit.buffer_packets};
    }
    ok = ok && (model_buffer_read(signatures, n, &reading, err) || error_prefix(err, "%s: ", directory));
    if (ok && c->json) {
        json_array_append_new(c->list, bursts_json(directory, &b, &reading));
    } else if (ok) {
        printf("%s: bursts, share that arrived = D/A + B/k (Tam 2001, Eq. A.2), simulated\n", directory);
        ok = bursts_table(&b, err);
        printf("  %s, %.1f packets %s (B fits that within %.1f %%); g_s %.2f us, g_r %.2f us\n",
               architectures[reading.architecture], reading.buffer_packets, places[reading.architecture],
               100 * reading.spread, b.series[0].send_gap_s * 1e6, b.series[0].receive_gap_s * 1e6);
    }
    for (size_t i = 0; i < b.n; i++)
        free(b.series[i].points);
    free(b.series);
    free(signatures);
    return ok;
}

enum ping_column { PAIRS, RTT, PING_COLUMNS };

/* Least squares of y over x; slope 0 when x does not vary. */
struct ping_line {
    double n, x, y, xx, xy;
};

bool study_workload_pingpong(struct study_workloads *c, const char *directory, const struct scenario *s,
                            struct error *err)
{
    static const char *const names[PING_COLUMNS] = {"pairs", "rtt_s"};
    struct results_csv csv;
    struct ping_line line = {0};
    char *v[PING_COLUMNS];
    const struct emu_gbn_config *g = &s->gbn;
    double host_s = (double)(g->send_overhead_ps + g->receive_overhead_ps + g->user_overhead_ps) * 1e-12;
    if (!results_csv_open_in(&csv, directory, "pingpong.csv", names, PING_COLUMNS, err))
        return false;
    while (results_csv_next(&csv, v, err) == RESULTS_CSV_ROW) {
        double p = 2 * results_csv_number(v[PAIRS]), latency_s = results_csv_number(v[RTT]) / 2 - host_s; /* Eq. A.4 */
        line = (struct ping_line){line.n + 1, line.x + p, line.y + latency_s, line.xx + p * p, line.xy + p * latency_s};
    }
    results_csv_close(&csv);
    if (err->code != ERROR_NONE)
        return false;
    if (line.n == 0)
        return error_set(err, ERROR_INPUT, "%s/pingpong.csv: no round trip", directory);
    double spread = line.n * line.xx - line.x * line.x;
    double slope = spread > 0 ? (line.n * line.xy - line.x * line.y) / spread : 0;
    double constant = (line.y - slope * line.x) / line.n;
    if (c->json)
        json_array_append_new(c->list, json_pack("{s:s, s:s, s:b, s:f, s:f}", "source", directory, "kind", "latency",
                                                 "simulated", true, "latency_s", constant, "latency_per_process_s",
                                                 slope));
    else
        printf("%s: ping-pong, L = RTT/2 - O_s - O_r - U_r (Tam 2001, Eq. A.4), simulated\n"
               "  L = %.4f p + %.2f us over p hosts at once; %.2f us on average\n",
               directory, slope * 1e6, constant * 1e6, line.y / line.n * 1e6);
    return true;
}

bool study_workload_uniform(struct study_workloads *c, const char *directory, const struct scenario *s,
                           struct error *err)
{
    static const char *const names[] = {"utilization"};
    struct results_csv csv;
    char *v[1];
    double *share = calloc((size_t)s->uniform.ports, sizeof *share);
    size_t n = 0;
    if (!share || !results_csv_open_in(&csv, directory, "uniform.csv", names, 1, err)) {
        free(share);
        return share ? false : error_set(err, ERROR_SYSTEM, "out of memory for ports");
    }
    while (n < (size_t)s->uniform.ports && results_csv_next(&csv, v, err) == RESULTS_CSV_ROW)
        share[n++] = results_csv_number(v[0]);
    results_csv_close(&csv);
    struct estimate mean = estimate_mean(share, n);
    free(share);
    const struct emu_architecture_ops *architecture = emu_architectures[s->network.sw.architecture];
    bool fifo = architecture->place == EMU_ARCHITECTURE_AT_INPUTS && !architecture->per_output && s->uniform.load == 1;
    /* Karol, Hluchyj and Morgan 1987, Table I, and 2 - sqrt 2 for many */
    static const double karol[] = {1, 1, 0.75, 0.6825, 0.6553, 0.6399, 0.6302, 0.6234, 0.6184};
    double known = !fifo                   ? fmin(1, s->uniform.load)
                   : s->uniform.ports <= 8 ? karol[s->uniform.ports]
                                           : 2 - sqrt(2);
    if (c->json)
        json_array_append_new(c->list, json_pack("{s:s, s:s, s:b, s:I, s:f, s:o, s:f}", "source", directory, "kind",
                                                 "uniform", "simulated", true, "ports", (json_int_t)s->uniform.ports,
                                                 "throughput", mean.value, "ci95", view_table_json_number(mean.ci95),
                                                 "theory", known));
    else
        printf("%s: uniform traffic, %" PRId64 " ports at load %g: simulated throughput %.4f +- %.4f of the links\n"
               "  %s: %.4f\n",
               directory, s->uniform.ports, s->uniform.load, mean.value, mean.ci95,
               fifo ? s->uniform.ports <= 8 ? "saturated input FIFOs (Karol, Hluchyj and Morgan 1987, Table I)"
                                            : "saturated input FIFOs, many ports: 2 - sqrt 2"
                    : "what is offered",
               known);
    return true;
}
