/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/rules/check.h - which rule the flows of one shared resource obey.
 *
 * Pure: takes rates, windows and losses, wherever they come from (analysis/rules/resource.h collects them). The rules are
 * those of model/degree.h; the verdicts are regimes (model/regime.h). A new rule is its row in check_rules[], its place
 * in the order of check_verdict(), and its sentence in check_explain(). */
#pragma once

#include "analysis/rules/limit.h"
#include "base/error.h"
#include "model/degree.h"
#include "model/regime.h"

#include <stddef.h>
#include <stdint.h>

#define ANALYSIS_CHECK_NAME 64
#define ANALYSIS_CHECK_TOLERANCE 0.05 /* default */
#define ANALYSIS_CHECK_LOSS_UNKNOWN (-1)

enum analysis_rule { ANALYSIS_RULE_EQ5, ANALYSIS_RULE_EQ6, ANALYSIS_RULE_WINDOW, ANALYSIS_RULES };

struct analysis_check_flow {
    char src[ANALYSIS_CHECK_NAME], dst[ANALYSIS_CHECK_NAME];
    size_t slot;                  /* of a capture's flow table */
    bool incoming;                /* towards the shared host */
    double rate_bps, ci95_bps;    /* goodput while all of them were active and steady; ci95 may be NAN */
    double whole_bps;             /* goodput from its first data to its last; 0 unknown */
    double window_bytes;          /* bytes in flight; NAN unknown */
    double buffer_bytes;          /* what buffers allow to be in flight; NAN unknown */
    int64_t retransmitted_segments;
    enum analysis_limit limit;    /* while steady */
    int64_t loss_events;          /* windows with a loss, in the steady part; LOSS_UNKNOWN when nobody looked */
    double drift;                 /* how surely the rate rises or falls: 1 - estimate_drift_p(); 0 when nobody looked */
    double stall;                 /* estimate_stall() of its rate; 0 when nobody looked */
    double floor_s, data_wait_s, ack_wait_s; /* its round trip, of a capture; NAN unknown */
    double predicted_bps[ANALYSIS_RULES]; /* filled by the judge; NAN where a rule does not apply */
};

struct analysis_rule_fit {
    bool applies;           /* false: the rule asks for windows that are not known */
    bool holds;             /* every flow within its tolerance */
    double fitted_rate_bps; /* B */
    double max_rel_error;   /* largest |measured / predicted - 1| */
};

struct analysis_judgement {
    size_t indegree, outdegree;
    double in_bps, out_bps;  /* goodput of all flows in, and of all out */
    struct analysis_rule_fit rule[ANALYSIS_RULES];
    enum model_regime verdict; /* eq6, window, eq5, loss, none or unsaturated */
    bool indistinguishable;  /* eq5 and eq6 predict the same here: equal degrees, or one direction alone */
    double fitted_rate_bps;  /* B of the verdict's rule; without one the busier direction's total */
    char why[200];           /* one sentence */
};

/* Judges n >= 1 flows with rates > 0; fills their predictions. `link`: NULL unknown.
 *
 * B of each rule minimises the sum of squared relative errors of measured_i against B * share_i:
 *   1/B = sum(m_i/share_i) / sum((m_i/share_i)^2)
 * A rule holds when |m_i / (B * share_i) - 1| <= max(tolerance, min(ci95_i / m_i, 2 * tolerance)) for
 * every flow: what a flow's own interval leaves open is not held against the rule, up to a limit.
 *
 * Verdict, first that applies; but for loss, `unsaturated` where the busier direction carries less than
 * MODEL_REGIME_SATURATED of what the link can:
 *   loss    a flow met two loss events or more while steady; or, where only totals are known, segments
 *           were retransmitted and the window law of the configured buffers does not hold
 *   eq6     it holds
 *   loss    a flow with retransmissions runs below 3/4 of its buffers: a loss still holds its window down
 *   window  it holds; unless eq5 holds as well and a flow runs below 3/4 of its buffers, for then the
 *           windows follow from the rates and not the rates from the windows
 *   eq5     it holds
 *   loss    segments were lost and nothing holds
 *   none */
void analysis_check_resource(struct analysis_check_flow *flows, size_t n, const struct model_link *link,
                             double tolerance, struct analysis_judgement *judgement);

/* The link turns out not to be full: no rule divides it, and B is nobody's. Fits and predictions become unknown, and so
 * does the verdict but for loss: `unsaturated`, for the reason given. */
void analysis_check_unsaturated(struct analysis_check_flow *flows, size_t n, struct analysis_judgement *judgement,
                                const char *why);

/* The rule whose name a verdict has; ANALYSIS_RULES for the others: no rule is obeyed. */
enum analysis_rule analysis_check_rule_of(enum model_regime verdict);

const char *analysis_check_rule_name(enum analysis_rule rule); /* "eq5", "eq6", "window" */
