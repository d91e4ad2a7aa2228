/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/rules/check.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RECURRING_EVENTS 2
#define BELOW_BUFFERS 0.75
#define WIDEST 2.0 /* a flow's own interval widens the tolerance at most so many times */

/* A rule: the regime that has its name, and the share of B that it gives each flow; false where it does not apply. */
struct check_rule {
    enum model_regime regime;
    bool (*share)(const struct model_flow *flows, size_t n, double *share);
};

static bool check_fairness(const struct model_flow *flows, size_t n, double *share)
{
    model_degree_fairness(flows, n, share);
    return true;
}

static bool check_asymmetric(const struct model_flow *flows, size_t n, double *share)
{
    model_degree_asymmetric(flows, n, share);
    return true;
}

static const struct check_rule check_rules[ANALYSIS_RULES] = {
    [ANALYSIS_RULE_EQ5] = {MODEL_REGIME_EQ5, check_fairness},
    [ANALYSIS_RULE_EQ6] = {MODEL_REGIME_EQ6, check_asymmetric},
    [ANALYSIS_RULE_WINDOW] = {MODEL_REGIME_WINDOW, model_degree_window},
};

const char *analysis_check_rule_name(enum analysis_rule rule)
{
    return model_regime_name(check_rules[rule].regime);
}

enum analysis_rule analysis_check_rule_of(enum model_regime regime)
{
    int rule = 0;
    while (rule < ANALYSIS_RULES && check_rules[rule].regime != regime)
        rule++;
    return (enum analysis_rule)rule;
}

/* Least squares on relative errors; predictions are left in the flows. */
static struct analysis_rule_fit check_fit(struct analysis_check_flow *flows, size_t n, const double *share,
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

struct check_losses {
    int64_t segments, events;
    size_t flows;            /* with a retransmission */
    size_t held_down;        /* with a retransmission and a window that is still well below its buffers */
    bool recurring;          /* RECURRING_EVENTS or more of some flow */
    bool unknown_events;
};

static bool check_below_buffer(const struct analysis_check_flow *flow)
{
    return flow->window_bytes < BELOW_BUFFERS * flow->buffer_bytes;
}

static struct check_losses check_count_losses(const struct analysis_check_flow *flows, size_t n)
{
    struct check_losses l = {0};
    for (size_t i = 0; i < n; i++) {
        l.segments += flows[i].retransmitted_segments;
        l.flows += flows[i].retransmitted_segments > 0;
        l.held_down += flows[i].retransmitted_segments > 0 && check_below_buffer(&flows[i]);
        if (flows[i].loss_events == ANALYSIS_CHECK_LOSS_UNKNOWN) {
            l.unknown_events = true;
        } else {
            l.events += flows[i].loss_events;
            l.recurring = l.recurring || flows[i].loss_events >= RECURRING_EVENTS;
        }
    }
    return l;
}

static bool check_below_buffers(const struct analysis_check_flow *flows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (check_below_buffer(&flows[i]))
            return true;
    }
    return false;
}

static enum model_regime check_verdict(const struct analysis_judgement *j, const struct check_losses *l, bool below)
{
    bool eq5 = j->rule[ANALYSIS_RULE_EQ5].holds, window = j->rule[ANALYSIS_RULE_WINDOW].holds;
    if (l->recurring || (l->unknown_events && l->segments > 0 && !window))
        return MODEL_REGIME_LOSS;
    if (j->rule[ANALYSIS_RULE_EQ6].holds)
        return MODEL_REGIME_EQ6;
    if (l->held_down > 0)
        return MODEL_REGIME_LOSS;
    if (window && !(eq5 && below))
        return MODEL_REGIME_WINDOW;
    if (eq5)
        return MODEL_REGIME_EQ5;
    return l->segments > 0 ? MODEL_REGIME_LOSS : MODEL_REGIME_NONE;
}

static void check_explain(struct analysis_judgement *j, const struct check_losses *l, size_t n, double tolerance)
{
    size_t larger = j->indegree > j->outdegree ? j->indegree : j->outdegree;
    const struct analysis_rule_fit *r = j->rule;
    switch (j->verdict) {
    case MODEL_REGIME_LOSS:
        if (l->recurring)
            snprintf(j->why, sizeof j->why, "%zu of %zu flows lost %" PRId64 " segments, and again and again "
                     "(%" PRId64 " events while steady): losses set the windows", l->flows, n, l->segments, l->events);
        else if (l->held_down > 0)
            snprintf(j->why, sizeof j->why, "%zu of %zu flows lost %" PRId64 " segments and %zu of them still run far "
                     "below their buffers: losses set the windows", l->flows, n, l->segments, l->held_down);
        else
            snprintf(j->why, sizeof j->why, "%zu of %zu flows lost %" PRId64 " segments and no rule of fixed windows "
                     "holds: losses set the windows", l->flows, n, l->segments);
        break;
    case MODEL_REGIME_EQ6:
        if (j->indistinguishable)
            snprintf(j->why, sizeof j->why, "every flow gets B/%zu; with these degrees fairness predicts the same",
                     larger);
        else
            snprintf(j->why, sizeof j->why, "every flow gets B/max(%zu in, %zu out) = B/%zu, whichever way it points",
                     j->indegree, j->outdegree, larger);
        break;
    case MODEL_REGIME_WINDOW:
        snprintf(j->why, sizeof j->why, "rates are in proportion to the windows, which are not equal, in both "
                 "directions alike");
        break;
    case MODEL_REGIME_EQ5:
        snprintf(j->why, sizeof j->why, "each direction shares a bandwidth of its own: nothing is lost to traffic "
                 "the other way");
        break;
    default:
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

static struct analysis_rule_fit check_no_fit(struct analysis_check_flow *flows, size_t n, int rule)
{
    for (size_t i = 0; i < n; i++)
        flows[i].predicted_bps[rule] = NAN;
    return (struct analysis_rule_fit){.fitted_rate_bps = NAN, .max_rel_error = NAN};
}

void analysis_check_unsaturated(struct analysis_check_flow *flows, size_t n, struct analysis_judgement *j,
                                const char *why)
{
    for (int rule = 0; rule < ANALYSIS_RULES; rule++)
        j->rule[rule] = check_no_fit(flows, n, rule);
    j->fitted_rate_bps = fmax(j->in_bps, j->out_bps);
    if (j->verdict == MODEL_REGIME_LOSS)
        return;
    j->verdict = MODEL_REGIME_UNSATURATED;
    snprintf(j->why, sizeof j->why, "%s", why);
}

void analysis_check_resource(struct analysis_check_flow *flows, size_t n, const struct model_link *link,
                             double tolerance, struct analysis_judgement *j)
{
    struct model_flow *plain = memory_zeroed(n, sizeof *plain, "flows to judge");
    double *share = memory_zeroed(n, sizeof *share, "flows to judge");
    *j = (struct analysis_judgement){.in_bps = 0, .out_bps = 0};
    for (size_t i = 0; i < n; i++) {
        plain[i] = (struct model_flow){flows[i].incoming, flows[i].window_bytes};
        *(flows[i].incoming ? &j->in_bps : &j->out_bps) += flows[i].rate_bps;
    }
    struct model_degree degree = model_degree_count(plain, n);
    j->indegree = degree.indegree;
    j->outdegree = degree.outdegree;
    j->indistinguishable = degree.indegree == degree.outdegree || degree.indegree == 0 || degree.outdegree == 0;
    for (int rule = 0; rule < ANALYSIS_RULES; rule++) {
        if (check_rules[rule].share(plain, n, share)) {
            j->rule[rule] = check_fit(flows, n, share, (enum analysis_rule)rule, tolerance);
            continue;
        }
        j->rule[rule] = check_no_fit(flows, n, rule);
    }
    free(plain);
    free(share);

    struct check_losses losses = check_count_losses(flows, n);
    j->verdict = check_verdict(j, &losses, check_below_buffers(flows, n));
    enum analysis_rule rule = analysis_check_rule_of(j->verdict);
    double most_bps = fmax(j->in_bps, j->out_bps);
    j->fitted_rate_bps = rule < ANALYSIS_RULES ? j->rule[rule].fitted_rate_bps : most_bps;
    check_explain(j, &losses, n, tolerance);
    double room_bps = link ? model_degree_goodput_bps(link, fmin(j->in_bps, j->out_bps) / most_bps) : (double)NAN;
    char why[sizeof j->why];
    snprintf(why, sizeof why, "the link is not full (%.1f of %.1f Mb/s in the busier direction), and rules divide what "
             "a full one carries", most_bps / 1e6, room_bps / 1e6);
    if (most_bps < MODEL_REGIME_SATURATED * room_bps)
        analysis_check_unsaturated(flows, n, j, why);
}
