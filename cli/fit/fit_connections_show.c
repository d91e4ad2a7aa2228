/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/fit/fit_show.h"
#include "results/json.h"
#include "study/fit/fit_connections.h"
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
        json_array_append_new(
            points, results_json("group:o pairs:l bytes:l connections:z mean_bps:f mean_s:f sd_s:f least_s:f most_s:f "
                                 "most_over_mean:f retransmitted:l beta_free_s_per_byte:f beta_contended_s_per_byte:f "
                                 "rho:f", json_loads(p->group, 0, NULL), p->pairs, p->bytes, p->n,
                                 p->mean_bps, p->mean_s, p->sd_s, p->least_s, p->most_s, p->most_s / p->mean_s,
                                 p->retransmitted, p->gaps.free_s_per_byte, p->gaps.contended_s_per_byte,
                                 p->gaps.rho));
    }
    return results_json("points:o", points);
}
