/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/compare/compare_interval.h"

#include "base/units.h"
#include "results/progress.h"
#include "results/summary.h"

#define SAME_RATE 0.2 /* of a flow and the progress that is taken for its own, which begins and ends at known times: of two
                       * with the same ends the nearer one is it */

struct interval_run {
    struct results_summary summary;
    struct results_progress progress;
    double *series; /* owned; room for all times */
};

/* Does the row's flow, or what a duplex one carries back, have these ends? */
static bool interval_ends(const struct results_flow *row, const struct analysis_check_flow *flow, bool back)
{
    return strcmp(back ? row->dst : row->src, flow->src) == 0 && strcmp(back ? row->src : row->dst, flow->dst) == 0 &&
           row->messages <= 0 && (!back || row->delivered_back_bytes > 0);
}

static struct estimate interval_of(const struct interval_run *run, size_t i, bool back,
                                   const struct analysis_resource *r)
{
    const struct results_flow *row = &run->summary.flows[i];
    size_t n = results_progress_times(&run->progress, r->steady_start_s, r->end_s);
    double step_s = (r->end_s - r->steady_start_s) / (double)n, frames = 0, bytes = 0;
    for (size_t k = 0; k < n; k++) {
        double from_s = r->steady_start_s + (double)k * step_s;
        struct results_progress_point p =
            results_progress_between(&run->progress, i, (double)row->start_ps / UNITS_PS_PER_S,
                                     (double)row->end_ps / UNITS_PS_PER_S, from_s, from_s + step_s);
        run->series[k] = (back ? p.back_bytes : p.bytes) * 8 / step_s;
        bytes += p.bytes;
        frames += p.data_frames;
    }
    struct estimate_series s = {.samples = run->series, .n = n, .cycles = (size_t)fmax(0, (double)row->steady_loss_events),
                                .step = frames > 0 ? 8 * bytes / frames / step_s : 0};
    struct estimate e = estimate_steady(&s);
    return isfinite(e.ci95) ? e : estimate_rough(&s);
}

static void interval_fill_flow(const struct interval_run *run, const struct analysis_resource *r,
                               struct analysis_check_flow *flow)
{
    double nearest = SAME_RATE * flow->rate_bps;
    for (size_t i = 0; i < run->summary.n_flows && i < run->progress.flows; i++)
        for (int back = 0; back < 2; back++) {
            if (!interval_ends(&run->summary.flows[i], flow, back))
                continue;
            struct estimate e = interval_of(run, i, back, r);
            double apart = fabs(e.value - flow->rate_bps);
            if (!(apart <= nearest))
                continue;
            nearest = apart;
            flow->ci95_bps = e.ci95;
        }
}

void study_compare_interval_fill(const char *directory, struct analysis_resource *r)
{
    struct interval_run run = {0};
    struct error ignored = {0};
    bool lacks = false;
    for (size_t i = 0; i < r->n; i++)
        lacks = lacks || !isfinite(r->flows[i].ci95_bps);
    if (lacks && results_summary_read(&run.summary, directory, &ignored) &&
        results_progress_read(&run.progress, run.summary.flows, run.summary.n_flows, directory, &ignored)) {
        run.series = memory_zeroed(run.progress.n, sizeof *run.series, "the progress of a flow");
        for (size_t i = 0; i < r->n; i++)
            if (!isfinite(r->flows[i].ci95_bps))
                interval_fill_flow(&run, r, &r->flows[i]);
        free(run.series);
    }
    results_progress_fini(&run.progress);
    results_summary_fini(&run.summary);
}

bool study_compare_interval_lacks(const struct analysis_resource *r, double *seen_s, double *would_do_s)
{
    double times = 0;
    for (size_t i = 0; i < r->n; i++) {
        const struct analysis_check_flow *flow = &r->flows[i];
        bool cut = flow->loss_events > 0 && flow->loss_events < ESTIMATE_CYCLES_LEAST;
        if (!isfinite(flow->ci95_bps))
            times = fmax(times, cut ? (double)ESTIMATE_CYCLES_LEAST / (double)flow->loss_events : ESTIMATE_EFFECTIVE_LEAST);
    }
    double settling_s = r->steady_start_s - r->start_s;
    *seen_s = r->end_s - r->start_s;
    *would_do_s = settling_s + times * (*seen_s - settling_s);
    return times > 0;
}
