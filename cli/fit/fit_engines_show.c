/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/fit/fit_show.h"
#include "results/json.h"
#include "study/fit/fit_engines.h"
#include "view/table.h"

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
        json_array_append_new(flows, results_json("point:o flow:s native_s:f ns3_s:f native_bps:f ns3_bps:f "
                                                  "difference:f", json_loads(d->native->point, 0, NULL),
                                                  d->native->name, d->native->time_s, d->ns3->time_s,
                                                  d->native->rate_bps, d->ns3->rate_bps, d->share));
    }
    return results_json("flows:z mean_abs_difference:f median_abs_difference:f p95_abs_difference:f "
                        "max_abs_difference:f lossy_flows:z differences:o", e->n_differences, e->mean, e->median,
                        e->p95, e->largest, e->n_lossy, flows);
}
