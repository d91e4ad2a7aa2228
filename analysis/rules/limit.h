/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/rules/limit.h - what keeps a flow from sending more, as a whole and phase by phase.
 *
 * From bytes in flight, the largest window offered, losses and silence, bin by bin (analysis/flows/bins.h). Steady: bytes in
 * flight vary by less than 15 % (standard deviation over mean). */
#pragma once

#include "analysis/flows/flows.h"

enum analysis_limit {
    ANALYSIS_LIMIT_UNKNOWN,     /* too short, or bytes in flight are not known */
    ANALYSIS_LIMIT_LOSS,        /* two loss events or more: congestion control */
    ANALYSIS_LIMIT_APPLICATION, /* nothing to send in a tenth of the time */
    ANALYSIS_LIMIT_RECEIVER,    /* in flight is 85 % of the largest window offered, and steady */
    ANALYSIS_LIMIT_WINDOW,      /* in flight is steady below that: the sender's buffer, or a bound of its own */
    ANALYSIS_LIMIT_SENDER,      /* none of these: in flight still moves, as while congestion control grows */
};

/* Once settled: losses of the steady part, silence of all of it, bytes in flight of the second half. */
enum analysis_limit analysis_limit_of(const struct analysis_flow *flow);

/* Within [from_s, to_s), seconds since the first frame. */
enum analysis_limit analysis_limit_between(const struct analysis_flow *flow, double from_s, double to_s);

#define ANALYSIS_LIMIT_PHASES 8

struct analysis_limit_phase {
    double start_s, end_s;
    enum analysis_limit limit;
    double window_bytes; /* mean in flight; NAN unknown */
};

/* Stretches of the flow's life with the same limit, of at least an eighth of it or 8 bins; between losses what moves
 * counts as loss, too. Returns how many, 0 for a small flow. */
size_t analysis_limit_phases(const struct analysis_flow *flow,
                             struct analysis_limit_phase phases[ANALYSIS_LIMIT_PHASES]);

const char *analysis_limit_name(enum analysis_limit limit); /* "loss", "window", ... */
