/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/limit.h - what keeps a flow from sending more. */
#ifndef ANALYSIS_LIMIT_H
#define ANALYSIS_LIMIT_H

#include "analysis/flows.h"

enum analysis_limit {
    ANALYSIS_LIMIT_UNKNOWN,     /* too short, or bytes in flight are not known */
    ANALYSIS_LIMIT_LOSS,        /* two loss events or more once settled: congestion control */
    ANALYSIS_LIMIT_APPLICATION, /* nothing to send in a tenth of its time */
    ANALYSIS_LIMIT_RECEIVER,    /* in flight is 85 % of the largest window offered, and steady */
    ANALYSIS_LIMIT_WINDOW,      /* in flight is steady below that: the sender's buffer, or a bound of its own */
    ANALYSIS_LIMIT_SENDER,      /* none of these: in flight still moves, as while congestion control grows */
};

/* Steady: bytes in flight of the second half of its life vary by less than 15 % (standard deviation). */
enum analysis_limit analysis_limit_of(const struct analysis_flow *flow);

const char *analysis_limit_name(enum analysis_limit limit); /* "loss", "window", ... */

#endif
