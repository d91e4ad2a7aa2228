/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/check.h"

#include "model/degree.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RECURRING_EVENTS 2
#define BELOW_BUFFERS 0.75
#define WIDEST 2.0 /* a flow's own interval widens the tolerance at most so many times */

const char *analysis_check_rule_name(enum analysis_rule rule)
{
    static const char *const names[] = {"eq5", "eq6", "window"};
    return names[rule];
}

const char *analysis_check_verdict_name(enum analysis_verdict verdict)
{
    static const char *const names[] = {"eq5", "eq6", "window", "loss", "none"};
    return names[verdict];
}

/* Least squares on relative errors; predictions are left in the flows. */
static struct analysis_rule_fit fit(struct analysis_check_flow *flows, size_t n, const double *share,
                                    enum analysis_rule rule, double tolerance)
{
    double first = 0, second = 0;
    for (size_t i = 0; i < n; i++) {
        double ratio = flows[i].rate_bps / share[i];
        first += ratio;
        second += ratio * ratio;
    }
    struct analysis_rule_fit f = {.applies = true, .holds = true, .fitted_rate_bps = second / first};
    for (size_t i = 0; i < n; i++) {
        double predicted = f.fitted_rate_bps * share[i];
        double error = fabs(flows[i].rate_bps / predicted - 1);
        double own = flows[i].ci95_bps / flows[i].rate_bps;
        double allowed = isfinite(own) ? fmax(tolerance, fmin(own, WIDEST * tolerance)) : tolerance;
        flows[i].predicted_bps[rule] = predicted;
        f.max_rel_error = fmax(f.max_rel_error, error);
        f.holds = f.holds && error <= allowed;
    }
    return f;
}

struct losses {
    int64_t segments, events;
    size_t flows, recurring; /* with a retransmission; with RECURRING_EVENTS or more */
    size_t held_down;        /* with a retransmission and a window that is still well below its buffers */
    bool unknown_events;
};

static bool below_buffer(const struct analysis_check_flow *flow)
{
    return flow->window_bytes < BELOW_BUFFERS * flow->buffer_bytes;
}

static struct losses count_losses(const struct analysis_check_flow *flows, size_t n)
{
    struct losses l = {0};
    for (size_t i = 0; i < n; i++) {
        l.segments += flows[i].retransmitted_segments;
        l.flows += flows[i].retransmitted_segments > 0;
        l.held_down += flows[i].retransmitted_segments > 0 && below_buffer(&flows[i]);
        if (flows[i].loss_events == ANALYSIS_CHECK_LOSS_UNKNOWN) {
            l.unknown_events = true;
        } else {
            l.events += flows[i].loss_events;
            l.recurring += flows[i].loss_events >= RECURRING_EVENTS;
        }
    }
    return l;
}

static bool below_buffers(const struct analysis_check_flow *flows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (below_buffer(&flows[i]))
            return true;
    }
    return false;
}

static enum analysis_verdict verdict_of(const struct analysis_judgement *j, const struct losses *l, bool below)
{
    bool eq5 = j->rule[ANALYSIS_RULE_EQ5].holds, window = j->rule[ANALYSIS_RULE_WINDOW].holds;
    if (l->recurring > 0 || (l->unknown_events && l->segments > 0 && !window))
        return ANALYSIS_VERDICT_LOSS;
    if (j->rule[ANALYSIS_RULE_EQ6].holds)
        return ANALYSIS_VERDICT_EQ6;
    if (l->held_down > 0)
        return ANALYSIS_VERDICT_LOSS;
    if (window && !(eq5 && below))
        return ANALYSIS_VERDICT_WINDOW;
    if (eq5)
        return ANALYSIS_VERDICT_EQ5;
    return l->segments > 0 ? ANALYSIS_VERDICT_LOSS : ANALYSIS_VERDICT_NONE;
}

static void explain(struct analysis_judgement *j, const struct losses *l, size_t n, double tolerance)
{
    size_t larger = j->indegree > j->outdegree ? j->indegree : j->outdegree;
    const struct analysis_rule_fit *r = j->rule;
    switch (j->verdict) {
    case ANALYSIS_VERDICT_LOSS:
        if (l->recurring > 0)
            snprintf(j->why, sizeof j->why, "%zu of %zu flows lost %" PRId64 " segments, and again and again "
                     "(%" PRId64 " events while steady): losses set the windows", l->flows, n, l->segments, l->events);
        else if (l->held_down > 0)
            snprintf(j->why, sizeof j->why, "%zu of %zu flows lost %" PRId64 " segments and %zu of them still run far "
                     "below their buffers: losses set the windows", l->flows, n, l->segments, l->held_down);
        else
            snprintf(j->why, sizeof j->why, "%zu of %zu flows lost %" PRId64 " segments and no rule of fixed windows "
                     "holds: losses set the windows", l->flows, n, l->segments);
        break;
    case ANALYSIS_VERDICT_EQ6:
        if (j->indistinguishable)
            snprintf(j->why, sizeof j->why, "every flow gets B/%zu; with these degrees fairness predicts the same",
                     larger);
        else
            snprintf(j->why, sizeof j->why, "every flow gets B/max(%zu in, %zu out) = B/%zu, whichever way it points",
                     j->indegree, j->outdegree, larger);
        break;
    case ANALYSIS_VERDICT_WINDOW:
        snprintf(j->why, sizeof j->why, "rates are in proportion to the windows, which are not equal, in both "
                 "directions alike");
        break;
    case ANALYSIS_VERDICT_EQ5:
        snprintf(j->why, sizeof j->why, "each direction shares a bandwidth of its own: nothing is lost to traffic "
                 "the other way");
        break;
    case ANALYSIS_VERDICT_NONE:
        if (r[ANALYSIS_RULE_WINDOW].applies)
            snprintf(j->why, sizeof j->why, "no rule is within %.3g %%: fairness is off by up to %.3g %%, delta_max "
                     "by %.3g %%, the window law by %.3g %%", 100 * tolerance,
                     100 * r[ANALYSIS_RULE_EQ5].max_rel_error, 100 * r[ANALYSIS_RULE_EQ6].max_rel_error,
                     100 * r[ANALYSIS_RULE_WINDOW].max_rel_error);
        else
            snprintf(j->why, sizeof j->why, "no rule is within %.3g %%: fairness is off by up to %.3g %%, delta_max "
                     "by %.3g %%; windows are not known", 100 * tolerance, 100 * r[ANALYSIS_RULE_EQ5].max_rel_error,
                     100 * r[ANALYSIS_RULE_EQ6].max_rel_error);
        break;
    }
}

bool analysis_check_resource(struct analysis_check_flow *flows, size_t n, double tolerance,
                             struct analysis_judgement *j, struct error *err)
{
    struct model_flow *plain = malloc(n * sizeof *plain);
    double *share = malloc(n * sizeof *share);
    if (!plain || !share) {
        free(plain);
        free(share);
        return error_set(err, ERROR_SYSTEM, "out of memory to judge %zu flows", n);
    }
    *j = (struct analysis_judgement){.in_bps = 0, .out_bps = 0};
    for (size_t i = 0; i < n; i++) {
        plain[i] = (struct model_flow){flows[i].incoming, flows[i].window_bytes};
        *(flows[i].incoming ? &j->in_bps : &j->out_bps) += flows[i].rate_bps;
    }
    struct model_degree degree = model_degree_count(plain, n);
    j->indegree = degree.indegree;
    j->outdegree = degree.outdegree;
    j->indistinguishable = degree.indegree == degree.outdegree || degree.indegree == 0 || degree.outdegree == 0;
    model_degree_fairness(plain, n, share);
    j->rule[ANALYSIS_RULE_EQ5] = fit(flows, n, share, ANALYSIS_RULE_EQ5, tolerance);
    model_degree_asymmetric(plain, n, share);
    j->rule[ANALYSIS_RULE_EQ6] = fit(flows, n, share, ANALYSIS_RULE_EQ6, tolerance);
    if (model_degree_window(plain, n, share)) {
        j->rule[ANALYSIS_RULE_WINDOW] = fit(flows, n, share, ANALYSIS_RULE_WINDOW, tolerance);
    } else {
        j->rule[ANALYSIS_RULE_WINDOW] = (struct analysis_rule_fit){.fitted_rate_bps = NAN, .max_rel_error = NAN};
        for (size_t i = 0; i < n; i++)
            flows[i].predicted_bps[ANALYSIS_RULE_WINDOW] = NAN;
    }
    free(plain);
    free(share);

    struct losses losses = count_losses(flows, n);
    j->verdict = verdict_of(j, &losses, below_buffers(flows, n));
    bool fitted = j->verdict != ANALYSIS_VERDICT_LOSS && j->verdict != ANALYSIS_VERDICT_NONE;
    j->fitted_rate_bps = fitted ? j->rule[j->verdict].fitted_rate_bps : fmax(j->in_bps, j->out_bps);
    explain(j, &losses, n, tolerance);
    return true;
}
