/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/verdict/workload.h"

#include "results/directory.h"
#include "scenarios/load.h"

static bool workload_load(const char *directory, struct scenario *s, struct error *err)
{
    MEMORY_LOCAL char *path = results_directory_path(directory, "scenario.yaml");
    return scenario_load(s, path, NULL, 0, err);
}

bool study_workload_is(const char *directory, bool *flows, struct error *err)
{
    struct scenario s;
    err->code = ERROR_NONE;
    *flows = true;
    if (!workload_load(directory, &s, err))
        return false;
    bool is = s.traffic != SCENARIO_TRAFFIC_FLOWS || s.transport == SCENARIO_TRANSPORT_GBN;
    scenario_fini(&s);
    *flows = !is;
    return is || results_directory_has(directory, "operations.csv");
}

bool study_workload_judge(const char *directory, double tolerance, struct study_workload *w,
                          struct study_workload_signature *signature, struct error *err)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = {0};
    bool ok = workload_load(directory, &s, err);
    *w = (struct study_workload){.kind = STUDY_WORKLOAD_OPERATIONS};
    if (!ok)
        return false;
    if (s.traffic == SCENARIO_TRAFFIC_BURST) {
        w->kind = STUDY_WORKLOAD_BURSTS;
        ok = study_workload_bursts(directory, &w->bursts, err);
    } else if (s.traffic == SCENARIO_TRAFFIC_PINGPONG) {
        w->kind = STUDY_WORKLOAD_LATENCY;
        ok = study_workload_pingpong(directory, &s, &w->latency, err);
    } else if (s.traffic == SCENARIO_TRAFFIC_UNIFORM) {
        w->kind = STUDY_WORKLOAD_UNIFORM;
        ok = study_workload_uniform(directory, &s, &w->uniform, err);
    } else if (s.traffic == SCENARIO_TRAFFIC_FLOWS && s.transport == SCENARIO_TRANSPORT_GBN) {
        w->kind = STUDY_WORKLOAD_LOSSES;
        ok = study_workload_loss(directory, &s, tolerance, &w->losses, err);
    } else {
        ok = study_workload_operations(directory, &s, &w->operations, signature, err);
    }
    return ok;
}

void study_workload_fini(struct study_workload *w)
{
    if (w->kind == STUDY_WORKLOAD_LOSSES)
        free(w->losses.receiver);
    if (w->kind == STUDY_WORKLOAD_OPERATIONS)
        free(w->operations.process);
    if (w->kind == STUDY_WORKLOAD_BURSTS) {
        for (size_t i = 0; i < w->bursts.n; i++)
            free(w->bursts.series[i].points);
        free(w->bursts.series);
    }
    *w = (struct study_workload){.kind = STUDY_WORKLOAD_OPERATIONS};
}
