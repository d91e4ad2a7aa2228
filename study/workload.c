/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/workload.h"

#include "scenarios/directory.h"
#include "scenarios/load.h"

#include <stdlib.h>
#include <unistd.h>

static bool program_load(const char *directory, struct scenario *s, struct error *err)
{
    char *path = scenario_directory_path(directory, "scenario.yaml", err);
    bool ok = path && scenario_load(s, path, NULL, 0, err);
    free(path);
    return ok;
}

static bool program_has(const char *directory, const char *name)
{
    struct error ignored;
    char *path = scenario_directory_path(directory, name, &ignored);
    bool has = path && access(path, F_OK) == 0;
    free(path);
    return has;
}

bool study_workload_is(const char *directory, bool *flows, struct error *err)
{
    struct scenario s;
    err->code = ERROR_NONE;
    *flows = true;
    if (!program_load(directory, &s, err))
        return false;
    bool is = s.traffic != SCENARIO_TRAFFIC_FLOWS || s.transport == SCENARIO_TRANSPORT_GBN;
    scenario_fini(&s);
    *flows = !is;
    return is || program_has(directory, "operations.csv");
}

bool study_workload_judge(struct study_workloads *c, const char *directory, struct error *err)
{
    struct scenario s;
    bool ok = program_load(directory, &s, err);
    if (!ok)
        return false;
    switch (s.traffic) {
    case SCENARIO_TRAFFIC_BURST:
        ok = study_workload_bursts(c, directory, &s, err);
        break;
    case SCENARIO_TRAFFIC_PINGPONG:
        ok = study_workload_pingpong(c, directory, &s, err);
        break;
    case SCENARIO_TRAFFIC_UNIFORM:
        ok = study_workload_uniform(c, directory, &s, err);
        break;
    case SCENARIO_TRAFFIC_EXCHANGE:
        ok = study_workload_operations(c, directory, &s, err);
        break;
    case SCENARIO_TRAFFIC_FLOWS:
        ok = s.transport == SCENARIO_TRANSPORT_GBN ? study_workload_loss(c, directory, &s, err)
                                                   : study_workload_operations(c, directory, &s, err);
        break;
    }
    scenario_fini(&s);
    return ok;
}
