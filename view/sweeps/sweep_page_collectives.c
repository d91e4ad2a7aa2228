/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweeps of MPI_Alltoall and of connections at once, as tables (Steffenel 2006; Vaughan et al. 2003). */
#include "study/fit/fit_connections.h"
#include "study/fit/fit_signatures.h"
#include "view/sweeps/sweep_page.h"

bool view_sweep_page_signatures(struct view_sweep_page *p, struct error *err UNUSED)
{
    const struct study_fit_signatures *f = p->at->fit.state[STUDY_FIT_SIGNATURES];
    struct view_table t = view_table_of("sweep|fitted at|gamma|delta ms|(n-1) delta ms|M|others %|once %");
    struct view_table data = view_table_of("group|processes|bytes|time_s");
    for (size_t i = 0; i < f->n_rows; i++) {
        const struct study_fit_signatures_row *r = &f->rows[i];
        view_table_add(&t, "%s|%zu", r->group, r->processes);
        view_table_add(&t, "%.4g|%.4g|%.4g|%g|%.1f|%.1f", r->fit.gamma.value, r->fit.signature.delta_s * 1e3,
                       r->startup_s * 1e3, r->fit.signature.threshold_bytes, 100 * r->eq5.mean, 100 * r->once.mean);
    }
    for (size_t i = 0; i < f->n; i++) {
        view_table_add(&data, "%s", f->points[i].group);
        VIEW_SWEEP_PAGE_NUMBERS(&data, (double)f->points[i].point.processes, f->points[i].point.bytes,
                                f->points[i].point.time_s);
    }
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "Contention signatures of MPI_Alltoall");
    view_table_html(p->f, "Fitted at one number of processes (0: at all), the others predicted", &t, 1);
    view_sweep_page_figure_end(p, "Steffenel 2006, Eq. 5. Others: mean |predicted / simulated - 1| of the other numbers "
                               "of processes; once: with the start-up cost of the whole exchange as fitted.", &data);
    return true;
}

bool view_sweep_page_connections(struct view_sweep_page *p, struct error *err UNUSED)
{
    const struct study_fit_connections *f = p->at->fit.state[STUDY_FIT_CONNECTIONS];
    struct view_table t = view_table_of("sweep|pairs|bytes|mean Mb/s|mean ms|least ms|most ms|retransmitted|rho");
    struct view_table data = view_table_of("group|pairs|bytes|mean_s|sd_s|least_s|most_s|rho");
    for (size_t i = 0; i < f->n; i++) {
        const struct study_fit_connections_point *q = &f->points[i];
        view_table_add(&t, "%s|%" PRId64 "|%" PRId64 "|%f|%f|%f|%f|%" PRId64 "|%.3f", q->group, q->pairs, q->bytes,
                       q->mean_bps / 1e6, q->mean_s * 1e3, q->least_s * 1e3, q->most_s * 1e3,
                       q->retransmitted, q->gaps.rho);
        view_table_add(&data, "%s", q->group);
        VIEW_SWEEP_PAGE_NUMBERS(&data, (double)q->pairs, (double)q->bytes, q->mean_s, q->sd_s,
                                q->least_s, q->most_s, q->gaps.rho);
    }
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "Connections at once");
    view_table_html(p->f, "Times of single connections", &t, 1);
    view_sweep_page_figure_end(p, "Of each number of pairs of hosts that send at once. rho: Steffenel 2006, Eq. 3.",
                               &data);
    return true;
}
