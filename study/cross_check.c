/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/cross_check.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NS3 = STUDY_CROSS_CHECK_NS3, NATIVE = STUDY_CROSS_CHECK_NATIVE, ENGINES = STUDY_CROSS_CHECK_ENGINES };

static void cross_check_run_fini(struct study_cross_check_run *run)
{
    for (int e = 0; e < ENGINES; e++)
        results_summary_fini(&run->summary[e]);
    free(run->difference);
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
static double cross_check_difference(struct study_cross_check *c, double ns3, double native, bool judge,
                                     double tolerance)
{
    double d = native / ns3 - 1;
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
        for (int e = 0; e < ENGINES; e++)
            run->judged = run->judged && run->summary[e].flows[i].retransmitted_segments <= 0;
    for (size_t i = 0; i < run->n; i++) {
        const struct results_flow *ns3 = &run->summary[NS3].flows[i], *native = &run->summary[NATIVE].flows[i];
        double ns3_s = study_cross_check_duration_s(ns3), native_s = study_cross_check_duration_s(native);
        run->difference[i] = (struct study_cross_check_difference){
            .rate = cross_check_difference(c, ns3->steady_goodput_bps, native->steady_goodput_bps,
                                           run->judged && !isfinite(ns3_s), STUDY_CROSS_CHECK_RATE),
            .duration = cross_check_difference(c, ns3_s, native_s, run->judged, STUDY_CROSS_CHECK_COMPLETION),
        };
    }
}

bool study_cross_check_add(struct study_cross_check *c, const char *label, const char *ns3_directory,
                           const char *native_directory, struct error *err)
{
    c->run = memory_resized(c->run, c->n + 1, sizeof *c->run, "runs of both engines");
    struct study_cross_check_run *run = &c->run[c->n];
    *run = (struct study_cross_check_run){.n = 0};
    snprintf(run->label, sizeof run->label, "%s", label);
    bool ok = results_summary_read(&run->summary[NS3], ns3_directory, err) &&
              results_summary_read(&run->summary[NATIVE], native_directory, err);
    run->n = run->summary[NS3].n_flows;
    if (ok && run->summary[NATIVE].n_flows != run->n)
        ok = error_set(err, ERROR_INPUT, "%s: not the flows of %s", native_directory, ns3_directory);
    run->difference = memory_zeroed(run->n, sizeof *run->difference, "differences of engines");
    if (ok) {
        cross_check_judge(c, run);
        c->n++;
    } else {
        cross_check_run_fini(run);
    }
    return ok;
}
