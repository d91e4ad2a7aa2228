/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/fit/fit_show.h"
#include "results/json.h"
#include "study/fit/fit_connections.h"
#include "study/fit/fit_engines.h"
#include "study/fit/fit_remedies.h"
#include "study/fit/fit_signatures.h"
#include "view/table.h"

void cli_fit_connections_print(const void *state)
{
    const struct study_fit_connections *f = state;
    for (size_t first = 0, end; first < f->n; first = end) {
        const struct study_fit_connections_point *p = &f->points[first];
        end = study_fit_connections_end(f, first);
        struct view_table t = view_table_of(
            "pairs|bytes|connections|mean Mb/s|mean ms|sd ms|least ms|most ms|most / mean|retrans|rho");
        for (const struct study_fit_connections_point *q = p; q < f->points + end; q++)
            view_table_add(&t, "%" PRId64 "|%" PRId64 "|%zu|%f|%f|%f|%f|%f|%.2f|%" PRId64 "|%.3f", q->pairs, q->bytes,
                           q->n, q->mean_bps / 1e6, q->mean_s * 1e3, q->sd_s * 1e3, q->least_s * 1e3, q->most_s * 1e3,
                           q->most_s / q->mean_s, q->retransmitted, q->gaps.rho);
        bool one = strcmp(p->group, "{}") == 0;
        printf("%spairs of hosts at once, simulated%s%s; beta_F %.4g, beta_C %.4g s/byte (Steffenel 2006, Eq. 3)\n",
               first ? "\n" : "", one ? "" : ", ", one ? "" : p->group, p->gaps.free_s_per_byte,
               p->gaps.contended_s_per_byte);
        view_table_print(&t, "", 0, stdout);
    }
}

json_t *cli_fit_connections_json(const void *state)
{
    const struct study_fit_connections *f = state;
    json_t *points = json_array();
    for (size_t i = 0; i < f->n; i++) {
        const struct study_fit_connections_point *p = &f->points[i];
        results_json_append(points, "group:o pairs:l bytes:l connections:z mean_bps:f mean_s:f sd_s:f least_s:f "
                            "most_s:f most_over_mean:f retransmitted:l beta_free_s_per_byte:f "
                            "beta_contended_s_per_byte:f rho:f", json_loads(p->group, 0, NULL), p->pairs, p->bytes,
                            p->n, p->mean_bps, p->mean_s, p->sd_s, p->least_s, p->most_s, p->most_s / p->mean_s,
                            p->retransmitted, p->gaps.free_s_per_byte, p->gaps.contended_s_per_byte, p->gaps.rho);
    }
    return results_json("points:o", points);
}

#define WORST 5 /* differences shown one by one */

void cli_fit_engines_print(const void *state)
{
    const struct study_fit_engines *e = state;
    if (e->n_differences == 0) {
        puts("no flow that both engines have run");
        return;
    }
    printf("both engines: %zu flows, native against ns-3: mean |difference| %.2f %%, median %.2f %%, 95 %% of them "
           "within %.2f %%, largest %.2f %%; %zu flows with losses\n", e->n_differences, 100 * e->mean,
           100 * e->median, 100 * e->p95, 100 * e->largest, e->n_lossy);
    struct view_table t = view_table_of("point|flow|native s|ns-3 s|native Mb/s|ns-3 Mb/s|difference");
    for (size_t i = 0; i < e->n_differences && i < WORST; i++) {
        const struct study_fit_engines_difference *d = &e->differences[i];
        view_table_add(&t, "%" PRId64 ", %" PRId64 "|%s|%.4f|%.4f|%f|%f|%+.2f %%", d->native->number, d->ns3->number,
                       d->native->name, d->native->time_s, d->ns3->time_s, d->native->rate_bps / 1e6,
                       d->ns3->rate_bps / 1e6, 100 * d->share);
    }
    puts("the largest:");
    view_table_print(&t, "", 2, stdout);
}

json_t *cli_fit_engines_json(const void *state)
{
    const struct study_fit_engines *e = state;
    json_t *flows = json_array();
    for (size_t i = 0; i < e->n_differences; i++) {
        const struct study_fit_engines_difference *d = &e->differences[i];
        results_json_append(flows, "point:o flow:s native_s:f ns3_s:f native_bps:f ns3_bps:f difference:f",
                            json_loads(d->native->point, 0, NULL), d->native->name, d->native->time_s, d->ns3->time_s,
                            d->native->rate_bps, d->ns3->rate_bps, d->share);
    }
    return results_json("flows:z mean_abs_difference:f median_abs_difference:f p95_abs_difference:f "
                        "max_abs_difference:f lossy_flows:z differences:o", e->n_differences, e->mean, e->median,
                        e->p95, e->largest, e->n_lossy, flows);
}

static void signatures_add(struct view_table *t, const struct study_fit_signatures_row *r)
{
    if (r->processes)
        view_table_add(t, "%zu", r->processes);
    else
        view_table_add(t, "%s", "all");
    view_table_add(t, "%zu|%.4g|%.4g|%.4g|%g", r->points, r->fit.gamma.value, r->fit.signature.delta_s * 1e3,
                   r->startup_s * 1e3, r->fit.signature.threshold_bytes);
    if (r->n_others == 0)
        view_table_add(t, "%.1f|-|-|-|-", 100 * r->own.mean);
    else
        view_table_add(t, "%.1f|%.1f|%.1f|%.1f|%.1f", 100 * r->own.mean, 100 * r->eq5.mean, 100 * r->eq5.worst,
                       100 * r->once.mean, 100 * r->once.worst);
}

void cli_fit_signatures_print(const void *state)
{
    const struct study_fit_signatures *f = state;
    if (f->n_rows == 0)
        printf("%zu points of MPI_Alltoall; a contention signature needs four sizes at one number of processes\n", f->n);
    for (size_t first = 0, end; first < f->n_rows; first = end) {
        struct view_table t = view_table_of(
            "fitted at|points|gamma|delta ms|(n-1) delta ms|M|own error %|others %|worst %|once %|worst %");
        for (end = first; end < f->n_rows && strcmp(f->rows[end].group, f->rows[first].group) == 0; end++)
            if (f->rows[end].refused)
                fprintf(stderr, "contraflow: no contention signature at %zu processes: %s\n", f->rows[end].processes,
                        f->rows[end].refused);
            else
                signatures_add(&t, &f->rows[end]);
        printf("%scontention signatures of simulated MPI_Alltoall (Steffenel 2006, Eq. 5), fitted at one number of "
               "processes, all others\npredicted: mean and worst |predicted / simulated - 1|; once: the start-up cost "
               "of the whole exchange is that of the fit%s%s\n", first ? "\n" : "",
               strcmp(f->rows[first].group, "{}") == 0 ? "" : "\n",
               strcmp(f->rows[first].group, "{}") == 0 ? "" : f->rows[first].group);
        view_table_print(&t, "", 0, stdout);
    }
}

static json_t *signatures_errors_json(const struct study_fit_signatures_errors *e)
{
    return results_json("points:z mean:f worst:f within_10_percent:z", e->n, e->n ? e->mean : (double)NAN,
                        e->n ? e->worst : (double)NAN, e->within);
}

json_t *cli_fit_signatures_json(const void *state)
{
    const struct study_fit_signatures *f = state;
    json_t *rows = json_array(), *points = json_array();
    for (size_t i = 0; i < f->n_rows; i++) {
        const struct study_fit_signatures_row *r = &f->rows[i];
        json_t *others = json_array();
        for (size_t k = 0; k < r->n_others; k++)
            results_json_append(others, "processes:z eq5:o once:o", r->others[k].processes,
                                signatures_errors_json(&r->others[k].eq5), signatures_errors_json(&r->others[k].once));
        json_t *fit = r->refused ? json_null()
                                 : results_json("gamma:f gamma_low:f gamma_high:f delta_s:f delta_low_s:f "
                                                "delta_high_s:f threshold_bytes:f startup_s:f scale:f own:o eq5:o once:o",
                                                r->fit.gamma.value, r->fit.gamma.low, r->fit.gamma.high,
                                                r->fit.signature.delta_s, r->fit.delta_s.low, r->fit.delta_s.high,
                                                r->fit.signature.threshold_bytes, r->startup_s, r->fit.scale,
                                                signatures_errors_json(&r->own), signatures_errors_json(&r->eq5),
                                                signatures_errors_json(&r->once));
        results_json_append(rows, "group:o processes:z points:z fit:o refused:s others:o",
                            json_loads(r->group, 0, NULL), r->processes, r->points, fit, r->refused, others);
    }
    for (size_t i = 0; i < f->n; i++) {
        const struct study_fit_signatures_point *p = &f->points[i];
        results_json_append(points, "group:o processes:z bytes:f time_s:f", json_loads(p->group, 0, NULL),
                            p->point.processes, p->point.bytes, p->point.time_s);
    }
    return results_json("alpha_s:f beta_s_per_byte:f fits:o measured:o", f->points[0].link.alpha_s,
                        f->points[0].link.beta_s_per_byte, rows, points);
}

static void print_collective(const struct study_fit_remedies_row *row, size_t n)
{
    struct view_table t = view_table_of(
        "queue at the ports|points|bus bandwidth lost, mean|lose over 5 %|data wait ms|ACK wait ms|"
        "ACKs compressed|short of none, mean|worst|by");
    for (const struct study_fit_remedies_row *r = row; r < row + n; r++)
        view_table_add(&t, "%s|%zu|%.1f %%|%zu|%.3f|%.3f|%.0f %%|%.1f %%|%.1f %%|%s, %s", r->queues, r->n, 100 * r->lost,
                       r->suffer, 1e3 * r->data_wait_s, 1e3 * r->ack_wait_s, 100 * r->compressed, 100 * r->lacks,
                       100 * r->worst->lost, r->worst->panel, r->worst->row);
    view_table_print(&t, "", 1, stdout);
}

void cli_fit_remedies_print(const void *state)
{
    const struct study_fit_remedies *m = state;
    char rate[UNITS_TEXT], *sentence MEMORY_LOCAL = study_fit_remedies_sentence(m);
    if (sentence)
        printf("%s\n\n", sentence);
    for (size_t i = 0, end; i < m->n_rows; i = end) {
        units_format_rate((int64_t)m->rows[i].rate_bps, rate);
        for (end = i; end < m->n_rows && m->rows[end].rate_bps == m->rows[i].rate_bps &&
                      m->rows[end].collective == m->rows[i].collective; end++)
            ;
        if (m->rows[i].collective) {
            printf("%s%s against the same with ACKs first at every queue, links of %s:\n", i ? "\n" : "",
                   m->rows[i].collective, rate);
            print_collective(&m->rows[i], end - i);
            continue;
        }
        printf("%sagainst the same with ACKs first at every queue, links of %s:\n", i ? "\n" : "", rate);
        struct view_table t = view_table_of(
            "queue at the ports|points|lost, mean|of the worse way|lose over 5 %|data wait ms|worst|by");
        for (size_t k = i; k < end; k++) {
            const struct study_fit_remedies_row *r = &m->rows[k];
            view_table_add(&t, "%s|%zu|%.1f %%|%.1f %%|%zu|%.2f|%.1f %%|%s, %d/%d", r->queues, r->n, 100 * r->lost,
                           100 * r->lost_most, r->suffer, 1e3 * r->data_wait_s, 100 * r->worst->lost, r->worst->stack,
                           r->worst->in, r->worst->out);
        }
        view_table_print(&t, "", 1, stdout);
    }
}

json_t *cli_fit_remedies_json(const void *state)
{
    const struct study_fit_remedies *m = state;
    json_t *points = json_array(), *rows = json_array();
    for (size_t i = 0; i < m->n; i++) {
        const struct study_fit_remedies_point *p = &m->points[i];
        if (p->collective) {
            results_json_append(points, "point:l rate_bps:f collective:s stack:s what:s queues:s acks_first:b "
                                "bus_bps:f ideal_bus_bps:f data_wait_s:f ack_wait_s:f compressed_share:f "
                                "retransmitted_segments:l lost_share:f", p->number, p->rate_bps, p->collective,
                                p->stack, p->row, p->queues, p->first, p->in_bps, p->ideal_bps, p->data_wait_s,
                                p->ack_wait_s, p->compressed, p->retransmitted, p->lost);
            continue;
        }
        results_json_append(points, "point:l rate_bps:f stack:s in:i out:i queues:s acks_first:b in_bps:f out_bps:f "
                            "data_wait_s:f lost_share:f lost_share_worse_way:f", p->number, p->rate_bps, p->stack,
                            p->in, p->out, p->queues, p->first, p->in_bps, p->out_bps, p->data_wait_s, p->lost,
                            p->lost_most);
    }
    for (size_t i = 0; i < m->n_rows; i++) {
        const struct study_fit_remedies_row *r = &m->rows[i];
        results_json_append(rows, "rate_bps:f queues:s points:z lost_share:f lost_share_worse_way:f "
                            "lose_over_5_percent:z data_wait_s:f worst_lost_share:f worst_point:l", r->rate_bps,
                            r->queues, r->n, r->lost, r->lost_most, r->suffer, r->data_wait_s, r->worst->lost,
                            r->worst->number);
    }
    return results_json("queues:o points:o", rows, points);
}
