/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/rules/fit_rule.h"

#include "analysis/rules/fit_solve.h"
#include "base/estimate.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_VARIANCE 1e-20 /* of relative errors: what is below is rounding */
#define CHI_SQUARED_95 3.841458821 /* one degree of freedom */
#define PROFILE_STEPS 40
#define ROUNDING 1e6

/* Errors of measured / predicted - 1: squares, sizes and the largest, weighted as the fit is. */
struct errors {
    double squares, sizes, worst;
    size_t worst_point;
};

static size_t exponents(enum analysis_fit_form form)
{
    return form == ANALYSIS_FIT_POWER ? 2 : form == ANALYSIS_FIT_NORM ? 1 : 0;
}

static void set_values(struct analysis_fit *fit, const struct fit_theta *theta)
{
    fit->rate_bps.value = exp(theta->ln_rate);
    for (size_t i = 0; i < exponents(fit->form); i++)
        fit->exponent[i].value = theta->exponent[i];
    if (fit->form == ANALYSIS_FIT_NORM)
        fit->exponent[0].value = theta->exponent[0] > 0 ? 1 / theta->exponent[0] : (double)INFINITY;
}

void analysis_fit_predict(const struct analysis_fit *fit, const struct analysis_fit_point *point, double *rate_bps)
{
    struct fit_shape s = fit_shape_of(point);
    double exponent[ANALYSIS_FIT_EXPONENTS] = {fit->exponent[0].value, fit->exponent[1].value};
    if (fit->form == ANALYSIS_FIT_NORM)
        exponent[0] = 1 / exponent[0];
    double ln_acks = fit->acks ? fit_form_ln_acks(fit->form, exponent, &s) : 0;
    for (size_t i = 0; i < point->n; i++) {
        const struct analysis_fit_flow *f = &point->flows[i];
        double share = exp(fit_form_ln_share(fit->form, exponent, &s, f->incoming, f->window_bytes) + ln_acks);
        rate_bps[i] = fmin(fit->rate_bps.value * share, f->limit_bps);
    }
}

static void add_errors(const struct analysis_fit *fit, const struct analysis_fit_point *p, size_t index, double weight,
                       struct errors *e, size_t *limited)
{
    double *predicted = memory_zeroed(p->n, sizeof *predicted, "what a fit predicts");
    analysis_fit_predict(fit, p, predicted);
    for (size_t i = 0; i < p->n; i++) {
        double error = p->flows[i].rate_bps / predicted[i] - 1;
        e->squares += weight * error * error;
        e->sizes += weight * fabs(error);
        *limited += predicted[i] >= p->flows[i].limit_bps;
        if (fabs(error) > fabs(e->worst)) {
            e->worst = error;
            e->worst_point = index;
        }
    }
    free(predicted);
}

/* Over the units of a group, or all of them. */
static void errors_of(const struct fit_problem *q, const struct analysis_fit_point *points,
                      const struct analysis_fit *fit, size_t group, struct errors *e, size_t *limited)
{
    *limited = 0;
    for (size_t i = 0; i < q->n_cells; i++) {
        const struct fit_cell *c = &q->cells[i];
        if ((i > 0 && c->point == c[-1].point) || (group != FIT_NO_GROUP && c->group != group))
            continue;
        add_errors(fit, &points[c->point], c->point, c->flow_weight, e, limited);
    }
}

/* Half-width, from a parameter's values without each group in turn: groups are as good as equal. */
static double jackknife_ci95(const struct estimate_running *j)
{
    double n = (double)j->n;
    return j->n < 2 ? (double)NAN : estimate_t975(j->n - 1) * sqrt((n - 1) / n * j->m2);
}

/* Every group in turn is left out, and predicted from the rest. */
static void leave_out(struct fit_problem *q, const struct analysis_fit_point *points, const struct fit_theta *theta,
                      struct analysis_fit *fit)
{
    struct estimate_running rate = {0}, exponent[ANALYSIS_FIT_EXPONENTS] = {0};
    struct errors e = {0};
    size_t limited;
    double rss;
    for (q->left_out = 0; q->left_out < q->groups; q->left_out++) {
        struct fit_theta part;
        struct analysis_fit others = *fit;
        if (!fit_solve(q, &part, &rss)) /* it takes that group to tell the parameters */
            break;
        estimate_add(&rate, part.ln_rate);
        for (size_t i = 0; i < ANALYSIS_FIT_EXPONENTS; i++)
            estimate_add(&exponent[i], part.exponent[i]);
        set_values(&others, &part);
        errors_of(q, points, &others, q->left_out, &e, &limited);
    }
    bool all = q->left_out == q->groups;
    q->left_out = FIT_NO_GROUP;
    if (!all)
        return;
    double half = jackknife_ci95(&rate);
    fit->cross_validated_error = sqrt(e.squares / (double)q->units);
    fit->rate_bps.low = exp(theta->ln_rate - half);
    fit->rate_bps.high = exp(theta->ln_rate + half);
    for (size_t i = 0; fit->form == ANALYSIS_FIT_POWER && i < ANALYSIS_FIT_EXPONENTS; i++) {
        half = jackknife_ci95(&exponent[i]);
        fit->exponent[i].low = theta->exponent[i] - half;
        fit->exponent[i].high = theta->exponent[i] + half;
    }
}

/* Where 1/p leaves the profile likelihood's interval on the way from its best value to `end`, or `end`. */
static double profile_end(struct fit_problem *q, double best, double end, double most)
{
    double in = best, out = end;
    struct fit_theta theta = {.exponent = {end}};
    double rss;
    if (!fit_solve_rate(q, &theta, &rss) || rss <= most)
        return end;
    for (int i = 0; i < PROFILE_STEPS; i++) {
        theta.exponent[0] = (in + out) / 2;
        *(fit_solve_rate(q, &theta, &rss) && rss <= most ? &in : &out) = (in + out) / 2;
    }
    return in;
}

static void profile(struct fit_problem *q, const struct fit_theta *theta, double rss, struct analysis_fit *fit)
{
    double units = (double)q->units, most = fmax(rss, units * LEAST_VARIANCE) * exp(CHI_SQUARED_95 / units);
    fit->exponent[0].low = 1 / profile_end(q, theta->exponent[0], 1, most);
    double least = profile_end(q, theta->exponent[0], 0, most);
    fit->exponent[0].high = least > 0 ? 1 / least : (double)INFINITY;
}

/* Could B as well be without bound? Then all that is seen are the flows' own limits. */
static bool filled(const struct fit_problem *q, double rss)
{
    double units = (double)q->units, floor = units * LEAST_VARIANCE;
    return units * log(fmax(fit_squares(q, (double)INFINITY), floor) / fmax(rss, floor)) > CHI_SQUARED_95;
}

void analysis_fit_rule(const struct analysis_fit_point *points, size_t n, enum analysis_fit_form form, bool acks,
                       struct analysis_fit *fit)
{
    static const struct analysis_fit_value unknown = {(double)NAN, (double)NAN, (double)NAN};
    struct fit_problem q;
    struct fit_theta theta;
    struct errors e = {0};
    double rss;
    *fit = (struct analysis_fit){
        .form = form, .acks = acks, .rate_bps = unknown, .exponent = {unknown, unknown},
        .parameters = 2 + exponents(form), .aic = (double)NAN, .rms_error = (double)NAN, .mean_error = (double)NAN,
        .worst_error = (double)NAN, .cross_validated_error = (double)NAN,
    };
    fit_problem_init(&q, points, n, form, acks);
    fit->units = q.units;
    fit->applies = n > 0 && fit_solve(&q, &theta, &rss) && filled(&q, rss);
    if (fit->applies) {
        double units = (double)q.units, k = (double)fit->parameters, spare = units - k - 1;
        set_values(fit, &theta);
        errors_of(&q, points, fit, FIT_NO_GROUP, &e, &fit->limited);
        fit->rms_error = sqrt(e.squares / units);
        fit->mean_error = e.sizes / units;
        fit->worst_error = e.worst;
        fit->worst_point = e.worst_point;
        if (spare > 0)
            fit->aic = units * log(fmax(rss / units, LEAST_VARIANCE)) + 2 * k + 2 * k * (k + 1) / spare;
        if (q.groups >= 2)
            leave_out(&q, points, &theta, fit);
        if (form == ANALYSIS_FIT_NORM)
            profile(&q, &theta, rss, fit);
    }
    fit_problem_fini(&q);
}

/* What a fit is ranked by: with few points forms of many parameters have no AIC, and then no cross-validation. */
static int tier(const struct analysis_fit *f)
{
    return isfinite(f->aic) ? 0 : isfinite(f->cross_validated_error) ? 1 : f->applies ? 2 : 3;
}

/* At the same figure, but for rounding, as listed. */
static int fit_order(const void *a, const void *b)
{
    const struct analysis_fit *x = a, *y = b;
    int which = tier(x);
    if (which != tier(y))
        return which - tier(y);
    double first = which == 0 ? x->aic : which == 1 ? x->cross_validated_error : x->rms_error;
    double second = which == 0 ? y->aic : which == 1 ? y->cross_validated_error : y->rms_error;
    first = round(first * ROUNDING);
    second = round(second * ROUNDING);
    if (first < second || first > second)
        return first < second ? -1 : 1;
    return 2 * (int)x->form + x->acks - 2 * (int)y->form - y->acks;
}

void analysis_fit_compare(const struct analysis_fit_point *points, size_t n,
                          struct analysis_fit fits[static ANALYSIS_FIT_ALL])
{
    for (int i = 0; i < ANALYSIS_FIT_ALL; i++)
        analysis_fit_rule(points, n, (enum analysis_fit_form)(i / 2), i % 2, &fits[i]);
    qsort(fits, ANALYSIS_FIT_ALL, sizeof *fits, fit_order);
}

/* ln of the mean rate of a point's flows one way; NAN without any. */
static double ln_mean(const struct analysis_fit_point *p, bool incoming)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < p->n; i++)
        if (p->flows[i].incoming == incoming) {
            sum += p->flows[i].rate_bps;
            n++;
        }
    return n > 0 ? log(sum / n) : (double)NAN;
}

double analysis_fit_spread(const struct analysis_fit_point *points, size_t n)
{
    size_t units = 0;
    for (size_t i = 0; i < n; i++)
        units = points[i].unit < units ? units : points[i].unit + 1;
    struct estimate_running(*ways)[2] = memory_zeroed(units, sizeof *ways, "units"); /* of each unit */
    double squares = 0, free_ones = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        double value = ln_mean(&points[i / 2], i % 2);
        if (isfinite(value))
            estimate_add(&ways[points[i / 2].unit][i % 2], value);
    }
    for (size_t i = 0; i < 2 * units; i++) {
        const struct estimate_running *j = &ways[i / 2][i % 2];
        squares += j->m2;
        free_ones += j->n > 1 ? (double)(j->n - 1) : 0;
    }
    free(ways);
    return free_ones > 0 ? sqrt(squares / free_ones) : (double)NAN;
}
