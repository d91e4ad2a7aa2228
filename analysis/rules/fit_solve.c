/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/rules/fit_solve.h"

#include "base/memory.h"
#include "base/random.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <math.h>
#include <stdlib.h>

#define PASSES 50           /* limits and ACKs depend on the parameters: again until nothing changes */
#define STANDSTILL 1e-10    /* of a parameter */
#define RANK_TOLERANCE 1e-9 /* singular values of the balanced design, relative */
#define NORM_HALVES 10
#define NORM_STEPS 60
#define NORM_TOLERANCE 1e-5 /* of 1/p */

/* Which group each unit is left out with: one by one where they are few, else drawn. */
static size_t *draw_groups(size_t units, size_t groups)
{
    size_t *group = memory_zeroed(units, sizeof *group, "groups of units");
    struct random r = random_of(1);
    for (size_t i = 0; i < units; i++) {
        size_t j = groups < units ? (size_t)random_below(&r, i + 1) : i;
        group[i] = group[j]; /* Fisher and Yates, inside out */
        group[j] = i % groups;
    }
    return group;
}

static bool apart(double a, double b)
{
    return !(a >= b && a <= b);
}

static void add_flow(struct fit_problem *q, size_t first, size_t point, const struct analysis_fit_flow *f,
                     double weight, size_t group)
{
    struct fit_cell key = {.point = point, .group = group, .incoming = f->incoming, .flow_weight = weight,
                           .window_bytes = q->form == ANALYSIS_FIT_WINDOW ? f->window_bytes : 0,
                           .ln_limit = log(f->limit_bps)};
    size_t i = first;
    while (i < q->n_cells && (q->cells[i].incoming != f->incoming ||
                              apart(q->cells[i].window_bytes, key.window_bytes) ||
                              apart(q->cells[i].ln_limit, key.ln_limit)))
        i++;
    if (i == q->n_cells)
        q->cells[q->n_cells++] = key;
    struct fit_cell *c = &q->cells[i]; /* West 1979: mean and squares around it, weight by weight */
    double off = log(f->rate_bps) - c->ln_rate, share = weight / (c->weight + weight);
    c->within += weight * (1 - share) * off * off;
    c->ln_rate += off * share;
    c->weight += weight;
}

void fit_problem_init(struct fit_problem *q, const struct analysis_fit_point *points, size_t n,
                      enum analysis_fit_form form, bool acks)
{
    size_t flows = 0;
    *q = (struct fit_problem){.form = form, .acks = acks, .left_out = FIT_NO_GROUP};
    for (size_t i = 0; i < n; i++) {
        flows += points[i].n;
        q->units = points[i].unit + 1 > q->units ? points[i].unit + 1 : q->units;
    }
    q->groups = q->units < ANALYSIS_FIT_GROUPS ? q->units : ANALYSIS_FIT_GROUPS;
    size_t *group = draw_groups(q->units, q->groups), *replicas;
    replicas = memory_zeroed(q->units, sizeof *replicas, "units");
    q->cells = memory_zeroed(flows, sizeof *q->cells, "the points of a fit");
    q->shapes = memory_zeroed(n, sizeof *q->shapes, "the points of a fit");
    for (size_t i = 0; i < n; i++)
        replicas[points[i].unit]++;
    for (size_t i = 0; i < n; i++) {
        const struct analysis_fit_point *p = &points[i];
        size_t first = q->n_cells;
        q->shapes[i] = fit_shape_of(p);
        for (size_t k = 0; k < p->n; k++)
            add_flow(q, first, i, &p->flows[k], 1.0 / (double)(p->n * replicas[p->unit]), group[p->unit]);
    }
    free(group);
    free(replicas);
    if (form == ANALYSIS_FIT_POWER)
        model_linear_init(&q->linear, q->n_cells, 3);
}

void fit_problem_fini(struct fit_problem *q)
{
    free(q->cells);
    free(q->shapes);
    model_linear_fini(&q->linear);
    *q = (struct fit_problem){0};
}

static void try_exponents(struct fit_problem *q, const double *exponent)
{
    double ln_acks = 0;
    for (size_t i = 0; i < q->n_cells; i++) {
        struct fit_cell *c = &q->cells[i];
        const struct fit_shape *s = &q->shapes[c->point];
        if (i == 0 || c->point != c[-1].point)
            ln_acks = q->acks ? fit_form_ln_acks(q->form, exponent, s) : 0;
        c->form = fit_form_ln_share(q->form, exponent, s, c->incoming, c->window_bytes) + ln_acks;
    }
}

static bool limited(const struct fit_cell *c, double ln_rate)
{
    return ln_rate + c->form > c->ln_limit;
}

double fit_squares(const struct fit_problem *q, double ln_rate)
{
    double sum = 0;
    for (size_t i = 0; i < q->n_cells; i++) {
        const struct fit_cell *c = &q->cells[i];
        if (c->group == q->left_out)
            continue;
        double off = c->ln_rate - fmin(ln_rate + c->form, c->ln_limit);
        sum += c->weight * off * off + c->within;
    }
    return sum;
}

bool fit_solve_rate(struct fit_problem *q, struct fit_theta *theta, double *rss)
{
    try_exponents(q, theta->exponent);
    theta->ln_rate = -INFINITY; /* nobody at his limit */
    for (int pass = 0; pass < PASSES; pass++) {
        double weight = 0, sum = 0, before = theta->ln_rate;
        for (size_t i = 0; i < q->n_cells; i++) {
            const struct fit_cell *c = &q->cells[i];
            if (c->group == q->left_out || limited(c, before))
                continue;
            weight += c->weight;
            sum += c->weight * (c->ln_rate - c->form);
        }
        theta->ln_rate = sum / weight;
        if (!isfinite(theta->ln_rate))
            return false;
        if (fabs(theta->ln_rate - before) <= STANDSTILL)
            break;
    }
    *rss = fit_squares(q, theta->ln_rate);
    return true;
}

/* One step: limits and ACKs as theta has them. */
static bool solve_power_once(struct fit_problem *q, struct fit_theta *theta)
{
    size_t n = 0, rank;
    double chisq;
    try_exponents(q, theta->exponent);
    for (size_t i = 0; i < q->n_cells; i++) {
        const struct fit_cell *c = &q->cells[i];
        const struct fit_shape *s = &q->shapes[c->point];
        if (c->group == q->left_out || limited(c, theta->ln_rate))
            continue;
        gsl_matrix_set(q->linear.x, n, 0, 1);
        gsl_matrix_set(q->linear.x, n, 1, -log(c->incoming ? s->n_in : s->n_out));
        gsl_matrix_set(q->linear.x, n, 2, -log(fmax(s->n_in, s->n_out)));
        gsl_vector_set(q->linear.y, n, c->ln_rate - (q->acks ? fit_form_ln_acks(q->form, theta->exponent, s) : 0));
        gsl_vector_set(q->linear.weight, n++, c->weight);
    }
    if (n < 3)
        return false;
    gsl_matrix_view x = gsl_matrix_submatrix(q->linear.x, 0, 0, n, 3);
    gsl_vector_view y = gsl_vector_subvector(q->linear.y, 0, n), weight = gsl_vector_subvector(q->linear.weight, 0, n);
    if (gsl_multifit_wlinear_tsvd(&x.matrix, &weight.vector, &y.vector, RANK_TOLERANCE, q->linear.c,
                                  q->linear.covariance, &chisq, &rank, q->linear.work) != GSL_SUCCESS || rank < 3)
        return false;
    theta->ln_rate = gsl_vector_get(q->linear.c, 0);
    theta->exponent[0] = gsl_vector_get(q->linear.c, 1);
    theta->exponent[1] = gsl_vector_get(q->linear.c, 2);
    return isfinite(theta->ln_rate) && isfinite(theta->exponent[0]) && isfinite(theta->exponent[1]);
}

static bool solve_power(struct fit_problem *q, struct fit_theta *theta, double *rss)
{
    *theta = (struct fit_theta){.ln_rate = -INFINITY, .exponent = {0, 1}};
    for (int pass = 0; pass < PASSES; pass++) {
        struct fit_theta before = *theta;
        if (!solve_power_once(q, theta))
            return false;
        if (fabs(theta->ln_rate - before.ln_rate) <= STANDSTILL &&
            fabs(theta->exponent[0] - before.exponent[0]) <= STANDSTILL &&
            fabs(theta->exponent[1] - before.exponent[1]) <= STANDSTILL)
            break;
    }
    try_exponents(q, theta->exponent);
    *rss = fit_squares(q, theta->ln_rate);
    return true;
}

static double norm_squares(double inverse, void *user)
{
    struct fit_theta theta = {.exponent = {inverse}};
    double rss;
    return fit_solve_rate(user, &theta, &rss) ? rss : (double)NAN;
}

static bool both_directions(const struct fit_problem *q)
{
    for (size_t i = 0; i < q->n_cells; i++) {
        const struct fit_shape *s = &q->shapes[q->cells[i].point];
        if (q->cells[i].group != q->left_out && s->n_in > 0 && s->n_out > 0)
            return true;
    }
    return false;
}

/* Brent's minimum between the neighbours of the best of 0, 2^-10, ..., 1/2, 1. */
static bool solve_norm(struct fit_problem *q, struct fit_theta *theta, double *rss)
{
    double best = INFINITY, at = 0;
    if (!both_directions(q))
        return false;
    for (int i = 0; i <= NORM_HALVES + 1; i++) {
        double inverse = i <= NORM_HALVES ? ldexp(1, -i) : 0, value = norm_squares(inverse, q);
        if (!isfinite(value))
            return false;
        if (value <= best) { /* larger p are the same when all that is left is rounding */
            best = value;
            at = inverse;
        }
    }
    double low = at > ldexp(1, -NORM_HALVES) ? at / 2 : 0, high = fmin(2 * at, 1);
    bool inside = at > low && at < high && norm_squares(low, q) > best && norm_squares(high, q) > best;
    gsl_min_fminimizer *m = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
    gsl_function f = {norm_squares, q};
    if (m && inside && gsl_min_fminimizer_set(m, &f, at, low, high) == GSL_SUCCESS) {
        for (int i = 0; i < NORM_STEPS && gsl_min_fminimizer_x_upper(m) - gsl_min_fminimizer_x_lower(m) >
                                              NORM_TOLERANCE; i++)
            gsl_min_fminimizer_iterate(m);
        at = gsl_min_fminimizer_x_minimum(m);
    }
    if (m)
        gsl_min_fminimizer_free(m);
    *theta = (struct fit_theta){.exponent = {at}};
    return fit_solve_rate(q, theta, rss);
}

bool fit_solve(struct fit_problem *q, struct fit_theta *theta, double *rss)
{
    *theta = (struct fit_theta){0};
    switch (q->form) {
    case ANALYSIS_FIT_POWER:
        return solve_power(q, theta, rss);
    case ANALYSIS_FIT_NORM:
        return solve_norm(q, theta, rss);
    default:
        return fit_solve_rate(q, theta, rss);
    }
}
