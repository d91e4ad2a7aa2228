/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/measure/study.h - 'measure --study' of whatever measures: servers, processes of MPI, or an emulated network. */
#pragma once

#include "study/infer/kit.h"

struct cli_study {
    const char *where;              /* borrowed; what is studied, in the answer */
    struct study_kit kit;           /* measure(), user, flows, shared, until_s; jobs, 0: as many as processors */
    double rate_bps, round_trip_s;  /* of the link, idle; 0: as interfaces say, or the fastest flow; 200 us */
    bool json;
};

/* Studies, and prints the answer. Returns the exit status: 0 a cause is named, 4 none is; or *err. */
int cli_study_run(struct cli_study *s, struct error *err);

/* What measures, between two looks at this host's counters of TCP: fills in p->resent as well. */
bool cli_study_resent(struct study_kit_pattern *p, bool (*measure)(void *user, struct study_kit_pattern *p, struct error *err),
                      void *user, struct error *err);

/* Of a network that a scenario has. */
int cli_study_emulated(struct cli_study *s, const char *scenario, struct error *err);
