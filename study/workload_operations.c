/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion times of a repeated operation: how they are spread (Vaughan et al. 2003), how near the optimum they come
 * (Tam 2001, Eq. 5.1), and over several runs of MPI_Alltoall its contention signature (Steffenel 2006). */
#include "analysis/distribution.h"
#include "base/units.h"
#include "study/workload.h"
#include "results/csv.h"
#include "view/table.h"
#include "model/exchange.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define BAR 50         /* characters of the fullest bin */
#define LEAST_POINTS 4 /* of a signature */

enum column { OPERATION, PROCESS, START, END, COLUMNS };
static const char *const columns[COLUMNS] = {"operation", "process", "start_s", "end_s"};

struct operations {
    double *process_s; /* owned; of every process in every operation */
    double *whole_s;   /* owned; of every operation: until its last process was through */
    size_t n, n_whole;
};

static bool operations_read(const char *directory, struct operations *o, struct error *err)
{
    struct results_csv csv;
    char *v[COLUMNS];
    if (!results_csv_open_in(&csv, directory, "operations.csv", columns, COLUMNS, err))
        return false;
    while (results_csv_next(&csv, v, err) == RESULTS_CSV_ROW) {
        double took = results_csv_number(v[END]) - results_csv_number(v[START]);
        size_t operation = (size_t)strtoull(v[OPERATION], NULL, 10);
        size_t whole = operation + 1 > o->n_whole ? operation + 1 : o->n_whole;
        double *grown = realloc(o->process_s, (o->n + 1) * sizeof *grown);
        double *wholes = operation > o->n ? NULL : realloc(o->whole_s, whole * sizeof *wholes);
        o->process_s = grown ? grown : o->process_s;
        o->whole_s = wholes ? wholes : o->whole_s;
        if (!grown || !wholes) {
            error_set(err, grown ? ERROR_INPUT : ERROR_SYSTEM, "%s:%d: operation %s is not the next one", csv.path,
                      csv.number, v[OPERATION]);
            break;
        }
        for (; o->n_whole < whole; o->n_whole++)
            o->whole_s[o->n_whole] = 0;
        o->process_s[o->n++] = took;
        o->whole_s[operation] = fmax(o->whole_s[operation], took);
    }
    results_csv_close(&csv);
    return err->code == ERROR_NONE;
}

#define PART 3 /* clusters are a third of a timer apart at least */

static double operations_separation_s(const struct scenario *s)
{
    return (double)(s->transport == SCENARIO_TRANSPORT_GBN ? s->gbn.timeout_ps : s->tcp.min_rto_ps) * 1e-12 / PART;
}

/* The parameters of Tam's model that this network has: L is store and forward through one switch, or cut through. */
static struct model_tam operations_tam(const struct scenario *s)
{
    const struct emu_gbn_config *g = &s->gbn;
    const struct emu_network_config *n = &s->network;
    double wire = (double)(g->packet_bytes + EMU_GBN_HEADER_BYTES + EMU_FRAME_OVERHEAD_BYTES);
    double frame_s = wire * 8 / (double)n->link.rate_bps, once_s = n->sw.cut_through ? 0 : frame_s;
    return (struct model_tam){
        .send_overhead_s = (double)g->send_overhead_ps * 1e-12,
        .send_gap_s = fmax((double)g->send_gap_ps * 1e-12, frame_s),
        .receive_overhead_s = (double)g->receive_overhead_ps * 1e-12,
        .receive_gap_s = frame_s,
        .user_overhead_s = (double)g->user_overhead_ps * 1e-12,
        .latency_s = frame_s + once_s + (double)(n->sw.latency_ps + 2 * n->link.delay_ps) * 1e-12,
        .packet_bytes = (double)g->packet_bytes,
    };
}

/* The optimum and what the algorithm's own formula says; false where there is none. */
static bool operations_optimum(const struct scenario *s, struct model_exchange_cost *cost)
{
    static const enum model_exchange_algorithm names[] = {
        [SCENARIO_ALGORITHM_SHIFT] = MODEL_EXCHANGE_SHIFT,
        [SCENARIO_ALGORITHM_PAIRWISE] = MODEL_EXCHANGE_PAIRWISE,
        [SCENARIO_ALGORITHM_SYNCHRONOUS] = MODEL_EXCHANGE_SYNC,
        [SCENARIO_ALGORITHM_GROUP] = MODEL_EXCHANGE_GROUP,
    };
    struct error none;
    struct model_tam tam = operations_tam(s);
    struct model_exchange x = {(size_t)s->network.hosts, (size_t)s->exchange.packets, (size_t)s->exchange.group};
    return s->traffic == SCENARIO_TRAFFIC_EXCHANGE && s->transport == SCENARIO_TRANSPORT_GBN &&
           model_exchange_cost(&tam, names[s->exchange.algorithm], &x, cost, &none);
}

/* A message of m bytes alone: alpha is a segment's way through the switch, beta its payload's share of the wire. */
static struct model_alltoall_link operations_link(const struct scenario *s)
{
    const struct emu_link_config *link = &s->network.link;
    double segment = (double)s->tcp.segment_bytes, wire = segment + 52 + EMU_FRAME_OVERHEAD_BYTES;
    double frame_s = wire * 8 / (double)link->rate_bps;
    return (struct model_alltoall_link){
        .alpha_s = 2 * (double)link->delay_ps * 1e-12 + (double)s->network.sw.latency_ps * 1e-12 + frame_s,
        .beta_s_per_byte = frame_s / segment,
    };
}

static bool operations_add_point(struct study_workloads *c, const struct scenario *s, const struct operations *o,
                                 struct error *err)
{
    struct model_signature_point *grown = realloc(c->points, (c->n_points + 1) * sizeof *grown);
    if (!grown)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    struct estimate mean = estimate_mean(o->whole_s, o->n_whole);
    if (c->n_points == 0)
        c->link = operations_link(s);
    c->points = grown;
    c->points[c->n_points++] = (struct model_signature_point){(size_t)s->network.hosts, (double)s->exchange.bytes,
                                                              mean.value, 0};
    return true;
}

static json_t *distribution_json(const struct analysis_distribution *d)
{
    json_t *bins = json_array(), *clusters = json_array();
    for (size_t i = 0; i < d->bins; i++)
        json_array_append_new(bins, json_integer((json_int_t)d->count[i]));
    for (size_t i = 0; i < d->n_clusters; i++)
        json_array_append_new(clusters, json_pack("{s:I, s:f, s:f, s:f}", "n", (json_int_t)d->cluster[i].n, "min_s",
                                                  d->cluster[i].min_s, "mean_s", d->cluster[i].mean_s, "max_s",
                                                  d->cluster[i].max_s));
    return json_pack("{s:I, s:f, s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:f, s:o}", "n",
                     (json_int_t)d->n, "mean_s", d->mean_s.value, "mean_ci95_s", view_table_json_number(d->mean_s.ci95),
                     "min_s", d->min_s, "p5_s", d->p5_s, "p25_s", d->p25_s, "p50_s", d->p50_s, "p75_s", d->p75_s,
                     "p95_s", d->p95_s, "p99_s", d->p99_s, "max_s", d->max_s, "bin_s", d->bin_s, "bin0_s", d->bin0_s,
                     "bins", bins, "clusters", clusters, "outlier_share", d->outlier_share, "spacing_s",
                     view_table_json_number(d->spacing_s));
}

static void distribution_print(const struct analysis_distribution *d)
{
    size_t most = 0;
    printf("  ms: mean %.3f", d->mean_s.value * 1e3);
    if (isfinite(d->mean_s.ci95))
        printf(" +- %.3f", d->mean_s.ci95 * 1e3);
    printf(", min %.3f, 5%% %.3f, 25%% %.3f, 50%% %.3f, 75%% %.3f, 95%% %.3f, 99%% %.3f, max %.3f\n", d->min_s * 1e3,
           d->p5_s * 1e3, d->p25_s * 1e3, d->p50_s * 1e3, d->p75_s * 1e3, d->p95_s * 1e3, d->p99_s * 1e3,
           d->max_s * 1e3);
    for (size_t i = 0; i < d->bins; i++)
        most = d->count[i] > most ? d->count[i] : most;
    for (size_t i = 0; i < d->bins; i++) {
        int bar = (int)((d->count[i] * BAR + most - 1) / most);
        if (d->count[i] > 0)
            printf("  %10.3f ms %7zu %.*s\n", (d->bin0_s + (double)i * d->bin_s) * 1e3, d->count[i], bar,
                   "##################################################");
        else if (i > 0 && d->count[i - 1] > 0)
            printf("         ...\n");
    }
}

static void clusters_print(const struct scenario *s, const struct analysis_distribution *d)
{
    bool gbn = s->transport == SCENARIO_TRANSPORT_GBN;
    if (d->n_clusters == 1) {
        printf("  one cluster: no operation waited for a timer of %g ms\n", operations_separation_s(s) * PART * 1e3);
        return;
    }
    printf("  %zu clusters, the second %.1f ms behind the first (%s: %g ms); %.1f %% of completions lie beyond it\n",
           d->n_clusters, d->spacing_s * 1e3, gbn ? "timeout" : "minimum RTO", operations_separation_s(s) * PART * 1e3,
           100 * d->outlier_share);
    for (size_t i = 0; i < d->n_clusters; i++)
        printf("    %6.1f %%  %.3f to %.3f ms, mean %.3f\n", 100 * (double)d->cluster[i].n / (double)d->n,
               d->cluster[i].min_s * 1e3, d->cluster[i].max_s * 1e3, d->cluster[i].mean_s * 1e3);
}

static bool operations_say(struct study_workloads *c, const char *directory, const struct scenario *s,
                           struct operations *o, struct error *err)
{
    struct analysis_distribution d;
    struct model_exchange_cost cost;
    bool optimum = operations_optimum(s, &cost);
    struct estimate whole = estimate_mean(o->whole_s, o->n_whole);
    if (!analysis_distribution_make(o->process_s, o->n, operations_separation_s(s), &d, err))
        return error_prefix(err, "%s/operations.csv: ", directory);
    if (c->json) {
        json_t *best = optimum ? json_pack("{s:f, s:f, s:f}", "optimum_s", cost.bound_s, "formula_s", cost.time_s,
                                           "of_optimum", cost.bound_s / whole.value)
                               : json_null();
        json_array_append_new(
            c->list, json_pack("{s:s, s:s, s:b, s:I, s:f, s:o, s:o, s:o}", "source", directory, "kind", "operations",
                               "simulated", true, "operations", (json_int_t)o->n_whole, "whole_mean_s", whole.value,
                               "whole_ci95_s", view_table_json_number(whole.ci95), "exchange", best, "processes",
                               distribution_json(&d)));
        return true;
    }
    printf("%s: %zu operations, simulated completion times of %zu processes\n", directory, o->n_whole, o->n);
    distribution_print(&d);
    clusters_print(s, &d);
    printf("  whole operations (last process): mean %.3f ms", whole.value * 1e3);
    if (isfinite(whole.ci95))
        printf(" +- %.3f", whole.ci95 * 1e3);
    putchar('\n');
    if (optimum)
        printf("  optimum (Tam 2001, Eq. 5.1) %.3f ms: %.3f of it; the algorithm's own formula %.3f ms\n",
               cost.bound_s * 1e3, cost.bound_s / whole.value, cost.time_s * 1e3);
    return true;
}

bool study_workload_operations(struct study_workloads *c, const char *directory, const struct scenario *s,
                              struct error *err)
{
    struct operations o = {0};
    bool ok = operations_read(directory, &o, err);
    if (ok && o.n == 0)
        ok = error_set(err, ERROR_INPUT, "%s: no operation ended within %.3g s", directory,
                       (double)s->duration_ps * 1e-12);
    if (ok && s->traffic == SCENARIO_TRAFFIC_EXCHANGE && s->transport == SCENARIO_TRANSPORT_TCP)
        ok = operations_add_point(c, s, &o, err);
    ok = ok && operations_say(c, directory, s, &o, err);
    free(o.process_s);
    free(o.whole_s);
    return ok;
}

bool study_workload_signature(struct study_workloads *c, struct error *err)
{
    struct model_signature_fit f;
    if (c->n_points < LEAST_POINTS)
        return true;
    if (!model_signature_fit(&c->link, c->points, c->n_points, &f, NULL, err)) {
        if (err->code != ERROR_INPUT)
            return false;
        fprintf(stderr, "contraflow: no contention signature: %s\n", err->message);
        return true;
    }
    if (c->json) {
        json_array_append_new(
            c->list, json_pack("{s:s, s:b, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "kind", "signature",
                               "simulated", true, "runs", (json_int_t)c->n_points, "gamma", f.gamma.value,
                               "gamma_low", f.gamma.low, "gamma_high", f.gamma.high, "delta_s", f.signature.delta_s,
                               "delta_low_s", f.delta_s.low, "delta_high_s", f.delta_s.high, "threshold_bytes",
                               f.signature.threshold_bytes, "scale", f.scale));
        return true;
    }
    printf("\ncontention signature of %zu simulated MPI_Alltoall runs (Steffenel 2006, Eq. 5; alpha %.4g us, "
           "beta %.4g ns)\n",
           c->n_points, c->link.alpha_s * 1e6, c->link.beta_s_per_byte * 1e9);
    printf("  gamma  %.4g, 95 %% interval %.4g to %.4g\n", f.gamma.value, f.gamma.low, f.gamma.high);
    printf("  delta  %.4g ms a message, 95 %% interval %.4g to %.4g%s\n", f.delta_s.value * 1e3, f.delta_s.low * 1e3,
           f.delta_s.high * 1e3, f.shape == MODEL_SIGNATURE_RATIO ? ": taken as 0 (Eq. 4)" : "");
    if (f.shape == MODEL_SIGNATURE_THRESHOLD)
        printf("  M      %g bytes; anything above %g and up to %g is compatible\n", f.signature.threshold_bytes,
               f.threshold_above_bytes, f.threshold_to_bytes);
    printf("  runs miss it by %.3g %%\n", 100 * f.scale);
    return true;
}
