/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/fit/fit_engines.h - part `engines` of a fit: flows that both engines ran, one engine against the other. */
#pragma once

#include "study/fit/fit.h"

/* A flow of a point under one engine. */
struct study_fit_engines_flow {
    char *point; /* owned; its axes but the engine's, and the seed: as JSON */
    char name[SCENARIO_NAME];
    bool ns3;
    int64_t number;
    double time_s, rate_bps; /* time_s NAN: no end */
    int64_t retransmitted;
};

struct study_fit_engines_difference {
    const struct study_fit_engines_flow *native, *ns3;
    double share; /* native / ns-3 - 1: of completion times, or of rates where there is no end */
};

struct study_fit_engines {
    struct study_fit_engines_flow *flows; /* owned */
    struct study_fit_engines_difference *differences; /* owned; largest first */
    size_t n, capacity, n_differences, n_lossy, points;
    double mean, median, p95, largest; /* of |share|; NAN without differences */
};
