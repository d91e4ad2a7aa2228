/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/show.h"
#include "results/json.h"

#define WORKLOAD_BAR 50 /* characters of the fullest bin */
#define LATE_LINE 16 /* processes in a line */

static json_t *show_receiver_json(const char *directory, const struct study_workload_receiver *k)
{
    json_t *chain = k->has_chain ? results_json("c:f one_minus_a:f f:f", k->chain.c, k->chain.one_minus_a, k->chain.f)
                                 : json_null();
    return results_json("source:s kind:s simulated:b receiver:i senders:i window_packets:f buffer_packets:f to_gr:f "
                        "efficiency:f efficiency_ci95:f in_order_share:f chain:o predicted:f rule:s holds:b packs:l "
                        "nacks:l timeouts:l", directory, "loss", true, k->receiver, k->senders, k->window, k->buffer,
                        k->to_gr, k->efficiency, k->ci95, k->in_order_share, chain, k->predicted, k->rule, k->holds,
                        k->pooled.packs, k->pooled.nacks, k->pooled.timeouts);
}

static void show_receiver(const char *directory, const struct study_workload_receiver *k)
{
    printf("%s: %d sender%s to h%d, window %g, buffer %g packets, timeout %.0f packet times\n", cli_name(directory),
           k->senders,
           k->senders == 1 ? "" : "s", k->receiver, k->window, k->buffer, k->to_gr);
    printf("  simulated efficiency %.4f", k->efficiency);
    if (isfinite(k->ci95))
        printf(" +- %.4f", k->ci95);
    printf(" of the receiver's rate; %" PRId64 " Packs, %" PRId64 " Nacks, %" PRId64 " timeouts\n", k->pooled.packs,
           k->pooled.nacks, k->pooled.timeouts);
    if (isfinite(k->in_order_share))
        printf("  in order: %.4f of the packets that arrived (Eq. 4.1)\n", k->in_order_share);
    if (k->has_chain)
        printf("  transitions of this run (Eq. 4.11-4.13): c %.4f, 1-a %.4f, f %.4f\n", k->chain.c,
               k->chain.one_minus_a, k->chain.f);
    if (isfinite(k->predicted))
        printf("  predicted %.4f, %+.1f %%: %s (%s)\n", k->predicted, 100 * (k->predicted / k->efficiency - 1),
               k->holds ? "holds" : "does not hold", k->rule);
    else
        printf("  no prediction (%s)\n", k->rule);
}

static json_t *show_distribution_json(const struct analysis_distribution *d)
{
    json_t *bins = json_array(), *clusters = json_array();
    for (size_t i = 0; i < d->bins; i++)
        json_array_append_new(bins, json_integer((json_int_t)d->count[i]));
    for (size_t i = 0; i < d->n_clusters; i++)
        results_json_append(clusters, "n:z min_s:f mean_s:f max_s:f", d->cluster[i].n, d->cluster[i].min_s,
                            d->cluster[i].mean_s, d->cluster[i].max_s);
    return results_json("n:z mean_s:f mean_ci95_s:f min_s:f p5_s:f p25_s:f p50_s:f p75_s:f p95_s:f p99_s:f max_s:f "
                        "bin_s:f bin0_s:f bins:o clusters:o outlier_share:f spacing_s:f", d->n, d->mean_s.value,
                        d->mean_s.ci95, d->min_s, d->p5_s, d->p25_s, d->p50_s, d->p75_s, d->p95_s, d->p99_s, d->max_s,
                        d->bin_s, d->bin0_s, bins, clusters, d->outlier_share, d->spacing_s);
}

static void show_distribution(const struct analysis_distribution *d)
{
    size_t most = 1;
    printf("  ms: mean %.3f", d->mean_s.value * 1e3);
    if (isfinite(d->mean_s.ci95))
        printf(" +- %.3f", d->mean_s.ci95 * 1e3);
    printf(", min %.3f, 5%% %.3f, 25%% %.3f, 50%% %.3f, 75%% %.3f, 95%% %.3f, 99%% %.3f, max %.3f\n", d->min_s * 1e3,
           d->p5_s * 1e3, d->p25_s * 1e3, d->p50_s * 1e3, d->p75_s * 1e3, d->p95_s * 1e3, d->p99_s * 1e3,
           d->max_s * 1e3);
    for (size_t i = 0; i < d->bins; i++)
        most = d->count[i] > most ? d->count[i] : most;
    for (size_t i = 0; i < d->bins; i++) {
        int bar = (int)((d->count[i] * WORKLOAD_BAR + most - 1) / most);
        if (d->count[i] > 0)
            printf("  %10.3f ms %7zu %.*s\n", (d->bin0_s + (double)i * d->bin_s) * 1e3, d->count[i], bar,
                   "##################################################");
        else if (i > 0 && d->count[i - 1] > 0)
            printf("         ...\n");
    }
}

static void show_clusters(const struct study_workload_operations *o)
{
    const struct analysis_distribution *d = &o->processes;
    if (d->n_clusters == 1) {
        printf("  one cluster: no operation waited for a timer of %g ms\n", o->timer_s * 1e3);
        return;
    }
    printf("  %zu clusters, the second %.1f ms behind the first (%s: %g ms); %.1f %% of completions lie beyond it\n",
           d->n_clusters, d->spacing_s * 1e3, o->timer, o->timer_s * 1e3, 100 * d->outlier_share);
    for (size_t i = 0; i < d->n_clusters; i++)
        printf("    %6.1f %%  %.3f to %.3f ms, mean %.3f\n", 100 * (double)d->cluster[i].n / (double)d->n,
               d->cluster[i].min_s * 1e3, d->cluster[i].max_s * 1e3, d->cluster[i].mean_s * 1e3);
}

static double show_late(const struct study_workload_process *p)
{
    return p->n ? (double)p->late / (double)p->n : (double)NAN; /* one that was never through */
}

/* Who waits for timers (Vaughan et al. 2003, Fig. 24 and 25), and what that costs when all wait for the slowest. */
static void show_by_process(const struct study_workload_operations *o)
{
    printf("  late by process, %%:");
    for (size_t i = 0; i < o->n_own; i++) {
        fputs(i % LATE_LINE == 0 && i > 0 ? "\n                      " : " ", stdout);
        if (o->process[i].n > 0)
            printf("%.0f", 100 * show_late(&o->process[i]));
        else
            putchar('-');
    }
    printf("\n  %.1f %% of operations have a late process\n", 100 * (double)o->late_whole / (double)o->n_whole);
}

static json_t *show_operations_json(const char *directory, const struct study_workload_operations *o)
{
    json_t *best = o->has_optimum ? results_json("optimum_s:f formula_s:f of_optimum:f", o->cost.bound_s,
                                                 o->cost.time_s, o->cost.bound_s / o->whole.value)
                                  : json_null();
    json_t *own = json_array();
    for (size_t i = 0; i < o->n_own; i++)
        results_json_append(own, "n:z mean_s:f late_share:f", o->process[i].n, o->process[i].mean_s,
                            show_late(&o->process[i]));
    return results_json("source:s kind:s simulated:b operations:z whole_mean_s:f whole_ci95_s:f exchange:o processes:o "
                        "by_process:o cascade:o", directory, "operations", true, o->n_whole, o->whole.value,
                        o->whole.ci95, best, show_distribution_json(&o->processes), own,
                        results_json("process_mean_s:f slowest_mean_s:f ratio:f late_operations_share:f",
                                     o->processes.mean_s.value, o->whole.value,
                                     o->whole.value / o->processes.mean_s.value,
                                     (double)o->late_whole / (double)o->n_whole));
}

static void show_operations(const char *directory, const struct study_workload_operations *o)
{
    printf("%s: %zu operations, simulated completion times of %zu processes\n", cli_name(directory), o->n_whole,
           o->n_processes);
    show_distribution(&o->processes);
    show_clusters(o);
    if (o->processes.n_clusters > 1)
        show_by_process(o);
    printf("  whole operations (last process): mean %.3f ms", o->whole.value * 1e3);
    if (isfinite(o->whole.ci95))
        printf(" +- %.3f", o->whole.ci95 * 1e3);
    printf(", %.2f times that of a process: what each costs when all wait for the slowest\n",
           o->whole.value / o->processes.mean_s.value);
    if (o->has_optimum)
        printf("  optimum (Tam 2001, Eq. 5.1) %.3f ms: %.3f of it; the algorithm's own formula %.3f ms\n",
               o->cost.bound_s * 1e3, o->cost.bound_s / o->whole.value, o->cost.time_s * 1e3);
}

static const char *const show_architectures[] = {
    [MODEL_BUFFER_INPUT] = "input-buffered",
    [MODEL_BUFFER_OUTPUT] = "output-buffered",
    [MODEL_BUFFER_SHARED] = "shared-buffered",
};
static const char *const show_places[] = {
    [MODEL_BUFFER_INPUT] = "per input port",
    [MODEL_BUFFER_OUTPUT] = "per output port",
    [MODEL_BUFFER_SHARED] = "for all ports",
};

static void show_bursts_table(const struct study_workload_bursts *b)
{
    struct view_table t = view_table_of("sources|sinks|B packets|+-|D/A|R g_s/(S g_r)|used|of");
    for (size_t i = 0; i < b->n; i++) {
        const struct study_workload_series *s = &b->series[i];
        view_table_add(&t, "%g|%g|%f|%f|%f|%f|%zu|%zu", s->sources, s->sinks, s->fits ? s->fit.buffer_packets : NAN,
                       s->fits ? s->fit.buffer_ci95 : NAN, s->fits ? s->fit.intercept : NAN,
                       s->sinks * s->send_gap_s / (s->sources * s->receive_gap_s), s->fits ? s->fit.used : 0, s->n);
    }
    view_table_print(&t, "  ", 0, stdout);
}

static json_t *show_bursts_json(const char *directory, const struct study_workload_bursts *b)
{
    const struct model_buffer_reading *r = &b->reading;
    json_t *list = json_array();
    for (size_t i = 0; i < b->n; i++) {
        const struct study_workload_series *s = &b->series[i];
        double fitted = s->fits ? s->fit.buffer_packets : NAN, ci95 = s->fits ? s->fit.buffer_ci95 : NAN;
        json_array_append_new(
            list, results_json("sources:f sinks:f buffer_packets:f buffer_ci95:f departure_ratio:f", s->sources,
                               s->sinks, fitted, ci95, s->fits ? s->fit.intercept : NAN));
    }
    return results_json("source:s kind:s simulated:b architecture:s buffer_packets:f spread:f series:o send_gap_s:f "
                        "receive_gap_s:f", directory, "buffer", true, show_architectures[r->architecture],
                        r->buffer_packets, r->spread, list, b->series[0].send_gap_s, b->series[0].receive_gap_s);
}

static void show_bursts(const char *directory, const struct study_workload_bursts *b)
{
    const struct model_buffer_reading *r = &b->reading;
    printf("%s: bursts, share that arrived = D/A + B/k (Tam 2001, Eq. A.2), simulated\n", directory);
    show_bursts_table(b);
    printf("  %s, %.1f packets %s (B fits that within %.1f %%); g_s %.2f us, g_r %.2f us\n",
           show_architectures[r->architecture], r->buffer_packets, show_places[r->architecture], 100 * r->spread,
           b->series[0].send_gap_s * 1e6, b->series[0].receive_gap_s * 1e6);
}

static void show_uniform(const char *directory, const struct study_workload_uniform *u)
{
    printf("%s: uniform traffic, %" PRId64 " ports at load %g: simulated throughput %.4f +- %.4f of the links\n"
           "  %s: %.4f\n",
           cli_name(directory), u->ports, u->load, u->throughput.value, u->throughput.ci95,
           u->fifo ? u->table ? "saturated input FIFOs (Karol, Hluchyj and Morgan 1987, Table I)"
                              : "saturated input FIFOs, many ports: 2 - sqrt 2"
                   : "what is offered",
           u->known);
}

void cli_workload_show(const char *directory, const struct study_workload *w)
{
    switch (w->kind) {
    case STUDY_WORKLOAD_LOSSES:
        for (size_t i = 0; i < w->losses.n; i++)
            show_receiver(directory, &w->losses.receiver[i]);
        break;
    case STUDY_WORKLOAD_OPERATIONS:
        show_operations(directory, &w->operations);
        break;
    case STUDY_WORKLOAD_BURSTS:
        show_bursts(directory, &w->bursts);
        break;
    case STUDY_WORKLOAD_LATENCY:
        printf("%s: ping-pong, L = RTT/2 - O_s - O_r - U_r (Tam 2001, Eq. A.4), simulated\n"
               "  L = %.4f p + %.2f us over p hosts at once; %.2f us on average\n",
               directory, w->latency.per_process_s * 1e6, w->latency.constant_s * 1e6, w->latency.mean_s * 1e6);
        break;
    case STUDY_WORKLOAD_UNIFORM:
        show_uniform(directory, &w->uniform);
        break;
    }
}

void cli_workload_show_json(const char *directory, const struct study_workload *w, json_t *list)
{
    switch (w->kind) {
    case STUDY_WORKLOAD_LOSSES:
        for (size_t i = 0; i < w->losses.n; i++)
            json_array_append_new(list, show_receiver_json(directory, &w->losses.receiver[i]));
        break;
    case STUDY_WORKLOAD_OPERATIONS:
        json_array_append_new(list, show_operations_json(directory, &w->operations));
        break;
    case STUDY_WORKLOAD_BURSTS:
        json_array_append_new(list, show_bursts_json(directory, &w->bursts));
        break;
    case STUDY_WORKLOAD_LATENCY:
        results_json_append(list, "source:s kind:s simulated:b latency_s:f latency_per_process_s:f", directory,
                            "latency", true, w->latency.constant_s, w->latency.per_process_s);
        break;
    case STUDY_WORKLOAD_UNIFORM:
        results_json_append(list, "source:s kind:s simulated:b ports:l throughput:f ci95:f theory:f", directory, "uniform",
                            true, w->uniform.ports, w->uniform.throughput.value, w->uniform.throughput.ci95,
                            w->uniform.known);
        break;
    }
}

static json_t *show_signature_json(const struct study_workload_signature *s, const struct model_signature_fit *f)
{
    return results_json("kind:s simulated:b runs:z gamma:f gamma_low:f gamma_high:f delta_s:f delta_low_s:f "
                        "delta_high_s:f threshold_bytes:f scale:f", "signature", true, s->n, f->gamma.value,
                        f->gamma.low, f->gamma.high, f->signature.delta_s, f->delta_s.low, f->delta_s.high,
                        f->signature.threshold_bytes, f->scale);
}

static void show_signature(const struct study_workload_signature *s, const struct model_signature_fit *f)
{
    printf("\ncontention signature of %zu simulated MPI_Alltoall runs (Steffenel 2006, Eq. 5; alpha %.4g us, "
           "beta %.4g ns)\n", s->n, s->link.alpha_s * 1e6, s->link.beta_s_per_byte * 1e9);
    printf("  gamma  %.4g, 95 %% interval %.4g to %.4g\n", f->gamma.value, f->gamma.low, f->gamma.high);
    printf("  delta  %.4g ms a message, 95 %% interval %.4g to %.4g%s\n", f->delta_s.value * 1e3, f->delta_s.low * 1e3,
           f->delta_s.high * 1e3, f->shape == MODEL_SIGNATURE_RATIO ? ": taken as 0 (Eq. 4)" : "");
    if (f->shape == MODEL_SIGNATURE_THRESHOLD)
        printf("  M      %g bytes; anything above %g and up to %g is compatible\n", f->signature.threshold_bytes,
               f->threshold_above_bytes, f->threshold_to_bytes);
    printf("  runs miss it by %.3g %%\n", 100 * f->scale);
}

void cli_workload_show_signature(const struct study_workload_signature *s, bool as_json, json_t *list)
{
    struct model_signature_fit fit;
    struct error refused;
    switch (study_workload_signature_fit(s, &fit, &refused)) {
    case STUDY_WORKLOAD_SIGNATURE_NONE:
        break;
    case STUDY_WORKLOAD_SIGNATURE_REFUSED:
        fprintf(stderr, "contraflow: no contention signature: %s\n", refused.message);
        break;
    case STUDY_WORKLOAD_SIGNATURE_FITTED:
        if (as_json)
            json_array_append_new(list, show_signature_json(s, &fit));
        else
            show_signature(s, &fit);
    }
}
