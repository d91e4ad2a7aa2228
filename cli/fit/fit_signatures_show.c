/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/fit/fit_show.h"
#include "results/json.h"
#include "study/fit/fit_signatures.h"
#include "view/table.h"

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
            json_array_append_new(others, results_json("processes:z eq5:o once:o", r->others[k].processes,
                                                       signatures_errors_json(&r->others[k].eq5),
                                                       signatures_errors_json(&r->others[k].once)));
        json_t *fit = r->refused ? json_null()
                                 : results_json("gamma:f gamma_low:f gamma_high:f delta_s:f delta_low_s:f "
                                                "delta_high_s:f threshold_bytes:f startup_s:f scale:f own:o eq5:o once:o",
                                                r->fit.gamma.value, r->fit.gamma.low, r->fit.gamma.high,
                                                r->fit.signature.delta_s, r->fit.delta_s.low, r->fit.delta_s.high,
                                                r->fit.signature.threshold_bytes, r->startup_s, r->fit.scale,
                                                signatures_errors_json(&r->own), signatures_errors_json(&r->eq5),
                                                signatures_errors_json(&r->once));
        json_array_append_new(rows, results_json("group:o processes:z points:z fit:o refused:s others:o",
                                                 json_loads(r->group, 0, NULL), r->processes, r->points, fit,
                                                 r->refused, others));
    }
    for (size_t i = 0; i < f->n; i++) {
        const struct study_fit_signatures_point *p = &f->points[i];
        json_array_append_new(points, results_json("group:o processes:z bytes:f time_s:f", json_loads(p->group, 0, NULL),
                                                   p->point.processes, p->point.bytes, p->point.time_s));
    }
    return results_json("alpha_s:f beta_s_per_byte:f fits:o measured:o", f->points[0].link.alpha_s,
                        f->points[0].link.beta_s_per_byte, rows, points);
}
