/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/compare/cross_check.h"

static void cross_check_run_fini(struct study_cross_check_run *run)
{
    for (size_t e = 0; e < run->n_engines; e++) {
        results_summary_fini(&run->summary[e]);
        free(run->difference[e]);
    }
}

void study_cross_check_fini(struct study_cross_check *c)
{
    for (size_t i = 0; i < c->n; i++)
        cross_check_run_fini(&c->run[i]);
    free(c->run);
    *c = (struct study_cross_check){.n = 0};
}

double study_cross_check_duration_s(const struct results_flow *flow)
{
    return flow->done ? results_flow_duration_s(flow) : NAN;
}

/* Counts it when it is to be judged. */
static double cross_check_difference(struct study_cross_check *c, double first, double other, bool judge,
                                     double tolerance)
{
    double d = other / first - 1;
    if (!judge || !isfinite(d))
        return d;
    c->judged++;
    c->failed += fabs(d) > tolerance;
    c->worst = fmax(c->worst, fabs(d));
    return d;
}

static void cross_check_judge(struct study_cross_check *c, struct study_cross_check_run *run)
{
    run->judged = true;
    for (size_t i = 0; i < run->n; i++)
        for (size_t e = 0; e < run->n_engines; e++)
            run->judged = run->judged && run->summary[e].flows[i].retransmitted_segments <= 0;
    for (size_t e = 1; e < run->n_engines; e++)
        for (size_t i = 0; i < run->n; i++) {
            const struct results_flow *first = &run->summary[0].flows[i], *other = &run->summary[e].flows[i];
            double first_s = study_cross_check_duration_s(first), other_s = study_cross_check_duration_s(other);
            run->difference[e][i] = (struct study_cross_check_difference){
                .rate = cross_check_difference(c, first->steady_goodput_bps, other->steady_goodput_bps,
                                               run->judged && !isfinite(first_s), STUDY_CROSS_CHECK_RATE),
                .duration = cross_check_difference(c, first_s, other_s, run->judged, STUDY_CROSS_CHECK_COMPLETION),
            };
        }
}

bool study_cross_check_add(struct study_cross_check *c, const char *label, const char *const *directories,
                           size_t n_directories, struct error *err)
{
    c->run = memory_resized(c->run, c->n + 1, sizeof *c->run, "runs of the engines");
    struct study_cross_check_run *run = &c->run[c->n];
    *run = (struct study_cross_check_run){.n = 0};
    snprintf(run->label, sizeof run->label, "%s", label);
    bool ok = true;
    for (size_t e = 0; ok && e < n_directories; e++) {
        ok = results_summary_read(&run->summary[e], directories[e], err);
        if (!ok)
            break;
        run->n_engines++;
        run->n = run->summary[0].n_flows;
        if (run->summary[e].n_flows != run->n)
            ok = error_set(err, ERROR_INPUT, "%s: not the flows of %s", directories[e], directories[0]);
        else if (e > 0)
            run->difference[e] = memory_zeroed(run->n, sizeof **run->difference, "differences of engines");
    }
    if (ok) {
        cross_check_judge(c, run);
        c->n++;
    } else {
        cross_check_run_fini(run);
    }
    return ok;
}
