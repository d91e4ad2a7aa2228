/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/exchange/signature.h"

#include "base/estimate.h"
#include "model/linear.h"

#include <gsl/gsl_cdf.h>

#define LEAST_POINTS 4
#define ITERATIONS 200        /* feasible GLS; each halves the distance, so that 40 are common */
#define STANDSTILL 1e-12      /* relative change of the predictions that ends them */
#define RANK_TOLERANCE 1e-9   /* singular values of the balanced design, relative */
#define SIGNIFICANCE 0.05     /* of delta, over all M tried */
#define SIGNATURE_EXACT 1e-12           /* relative residuals below this are rounding: models that reach it tie */

struct problem {
    const struct model_signature_point *points;
    size_t n;
    bool errors_known;
    struct model_linear linear; /* x: n by 2: B_i, D_i */
};

/* With delta: p = 2. */
struct solution {
    size_t p;
    double c[2], variance[2]; /* gamma and delta; variance over s^2 */
    double chisq;             /* weighted sum of squared residuals */
    double deviance;          /* -2 ln L but for a constant, s^2 at its most likely */
};

const char *model_signature_shape_name(enum model_signature_shape shape)
{
    static const char *const names[] = {"ratio", "startup", "threshold"};
    return names[shape];
}

static bool check_point(const struct model_signature_point *p, bool errors_known, struct error *err)
{
    if (p->processes < 2)
        return error_set(err, ERROR_INPUT, "number of processes is %zu: want 2 or more", p->processes);
    if (!isfinite(p->bytes) || p->bytes <= 0)
        return error_set(err, ERROR_INPUT, "message is %g bytes: want a size above 0", p->bytes);
    if (!isfinite(p->time_s) || p->time_s <= 0)
        return error_set(err, ERROR_INPUT, "time is %g s: want a time above 0", p->time_s);
    if (!isfinite(p->std_error_s) || p->std_error_s < 0)
        return error_set(err, ERROR_INPUT, "standard error is %g s: want one above 0, or 0 for none", p->std_error_s);
    if ((p->std_error_s > 0) != errors_known)
        return error_set(err, ERROR_INPUT, "standard error is %g s, that of point 0 is %s: want all or none",
                         p->std_error_s, errors_known ? "above 0" : "0");
    return true;
}

static bool check_points(const struct model_signature_point *points, size_t n, struct error *err)
{
    if (n < LEAST_POINTS)
        return error_set(err, ERROR_INPUT, "%zu points: want at least %d for a signature", n, LEAST_POINTS);
    bool several_sizes = false;
    for (size_t i = 0; i < n; i++) {
        if (!check_point(&points[i], points[0].std_error_s > 0, err))
            return error_prefix(err, "point %zu: ", i);
        several_sizes |= points[i].bytes < points[0].bytes || points[i].bytes > points[0].bytes;
    }
    return several_sizes || error_set(err, ERROR_INPUT, "all %zu points are of messages of %g bytes, on one side of "
                                      "any threshold: want two sizes or more", n, points[0].bytes);
}

/* Call model_linear_fini() whatever the answer. */
static bool problem_init(struct problem *q, const struct model_alltoall_link *link,
                         const struct model_signature_point *points, size_t n, struct error *err)
{
    *q = (struct problem){.points = points, .n = n, .errors_known = points[0].std_error_s > 0};
    model_linear_init(&q->linear, n, 2);
    for (size_t i = 0; i < n; i++) {
        double bound_s = 0;
        if (!model_alltoall_bound(link, points[i].processes, points[i].bytes, &bound_s, err))
            return error_prefix(err, "point %zu: ", i);
        gsl_matrix_set(q->linear.x, i, 0, bound_s);
        gsl_vector_set(q->linear.y, i, points[i].time_s);
    }
    return true;
}

/* False unless every weight is a number to work with. */
static bool set_weight(struct problem *q, size_t i, double deviation_s)
{
    double weight = 1 / (deviation_s * deviation_s);
    gsl_vector_set(q->linear.weight, i, weight);
    return deviation_s > 0 && isfinite(weight) && weight > 0;
}

/* What the fit with delta from threshold_bytes on has in its second column; p = 1 does not look there. */
static void set_threshold(struct problem *q, double threshold_bytes)
{
    for (size_t i = 0; i < q->n; i++) {
        const struct model_signature_point *p = &q->points[i];
        gsl_matrix_set(q->linear.x, i, 1, p->bytes >= threshold_bytes ? (double)(p->processes - 1) : 0);
    }
}

static double predict(const struct problem *q, const struct solution *s, size_t i)
{
    double startup_s = s->p == 2 ? s->c[1] * gsl_matrix_get(q->linear.x, i, 1) : 0;
    return s->c[0] * gsl_matrix_get(q->linear.x, i, 0) + startup_s;
}

/* Weighted least squares with the weights as they are. False if the design is singular. */
static bool signature_solve(struct problem *q, struct solution *s)
{
    gsl_matrix x = gsl_matrix_submatrix(q->linear.x, 0, 0, q->n, s->p).matrix;
    gsl_matrix covariance = gsl_matrix_submatrix(q->linear.covariance, 0, 0, s->p, s->p).matrix;
    gsl_vector c = gsl_vector_subvector(q->linear.c, 0, s->p).vector;
    if (gsl_multifit_wlinear(&x, q->linear.weight, q->linear.y, &c, &covariance, &s->chisq, q->linear.work) !=
            GSL_SUCCESS ||
        gsl_multifit_linear_rank(RANK_TOLERANCE, q->linear.work) < s->p)
        return false;
    for (size_t k = 0; k < s->p; k++) {
        s->c[k] = gsl_vector_get(&c, k);
        s->variance[k] = gsl_matrix_get(&covariance, k, k);
        if (!isfinite(s->c[k]) || !isfinite(s->variance[k]))
            return false;
    }
    return true;
}

/* Weights half-way, on a logarithmic scale, from those before to those of the predictions: full steps swing between
 * two sets of weights when M is far off. *change is the largest relative distance. */
static bool reweight(struct problem *q, const struct solution *s, double *change)
{
    *change = 0;
    for (size_t i = 0; i < q->n; i++) {
        double before_s = 1 / sqrt(gsl_vector_get(q->linear.weight, i)), predicted_s = predict(q, s, i);
        *change = fmax(*change, fabs(predicted_s / before_s - 1));
        if (predicted_s <= 0 || !set_weight(q, i, sqrt(before_s * predicted_s)))
            return false;
    }
    return true;
}

static void set_deviance(const struct problem *q, struct solution *s)
{
    double n = (double)q->n, rounding = 0, log_variance = 0;
    for (size_t i = 0; i < q->n; i++) {
        double weight = gsl_vector_get(q->linear.weight, i), y = gsl_vector_get(q->linear.y, i);
        rounding += weight * y * SIGNATURE_EXACT * y * SIGNATURE_EXACT;
        log_variance -= log(weight);
    }
    s->deviance = n * log(fmax(s->chisq, rounding) / n) + log_variance;
}

/* Generalized least squares for the threshold that is set. False if singular, or if feasible GLS does not settle on
 * predictions above 0. */
static bool solve_gls(struct problem *q, size_t p, struct solution *s)
{
    *s = (struct solution){.p = p};
    for (size_t i = 0; i < q->n; i++) {
        const struct model_signature_point *point = &q->points[i];
        if (!set_weight(q, i, q->errors_known ? point->std_error_s : point->time_s))
            return false;
    }
    bool settled = q->errors_known;
    if (!signature_solve(q, s))
        return false;
    for (int i = 0; i < ITERATIONS && !settled; i++) {
        double change;
        if (!reweight(q, s, &change) || !signature_solve(q, s))
            return false;
        settled = change <= STANDSTILL;
    }
    set_deviance(q, s);
    return settled;
}

static double bic(const struct problem *q, const struct solution *s, int parameters)
{
    return s->deviance + parameters * log((double)q->n);
}

static struct model_signature_estimate estimate(const struct problem *q, const struct solution *s, size_t k)
{
    size_t df = q->n - s->p;
    double std_error = sqrt(s->variance[k] * s->chisq / (double)df);
    double half = estimate_t975(df) * std_error;
    return (struct model_signature_estimate){s->c[k], std_error, s->c[k] - half, s->c[k] + half};
}

/* The distinct sizes, sorted, as thresholds; returns how many. sizes is scratch for q->n. */
static size_t list_candidates(const struct problem *q, double *sizes, struct model_signature_candidate *candidates)
{
    for (size_t i = 0; i < q->n; i++)
        sizes[i] = q->points[i].bytes;
    qsort(sizes, q->n, sizeof *sizes, estimate_ascending);
    size_t count = 0;
    for (size_t i = 0; i < q->n; i++) {
        if (i > 0 && sizes[i] <= sizes[i - 1])
            continue;
        double above = count > 0 ? candidates[count - 1].threshold_bytes : 0;
        candidates[count++] = (struct model_signature_candidate){.threshold_bytes = sizes[i], .above_bytes = above};
    }
    return count;
}

/* Candidates with each one's solution. */
struct search {
    size_t n, n_fitted;
    struct model_signature_candidate *candidates;
    struct solution *solutions;
    size_t best; /* least BIC of those allowed; SIZE_MAX when there is none */
};

static bool is_allowed(const struct model_signature_candidate *c)
{
    return c->fitted && c->gamma > 0 && c->delta_s > 0;
}

static void fit_candidates(struct problem *q, struct search *s)
{
    s->best = SIZE_MAX;
    for (size_t i = 0; i < s->n; i++) {
        struct model_signature_candidate *c = &s->candidates[i];
        set_threshold(q, c->threshold_bytes);
        c->fitted = solve_gls(q, 2, &s->solutions[i]);
        if (!c->fitted)
            continue;
        c->gamma = s->solutions[i].c[0];
        c->delta_s = s->solutions[i].c[1];
        c->bic = bic(q, &s->solutions[i], i == 0 ? 2 : 3);
        s->n_fitted++;
        if (is_allowed(c) && (s->best == SIZE_MAX || c->bic < s->candidates[s->best].bic))
            s->best = i;
    }
}

/* Marks the thresholds that data with a delta do not rule out, and puts their range into *f. */
static void mark_compatible(const struct problem *q, struct search *s, struct model_signature_fit *f)
{
    double least = INFINITY, t = estimate_t975(q->n - 2);
    for (size_t i = 0; i < s->n; i++)
        if (is_allowed(&s->candidates[i]))
            least = fmin(least, s->solutions[i].deviance);
    double limit = least + (double)q->n * log1p(t * t / (double)(q->n - 2));
    for (size_t i = 0; i < s->n; i++) {
        struct model_signature_candidate *c = &s->candidates[i];
        c->compatible = i == s->best || (is_allowed(c) && s->solutions[i].deviance <= limit);
        if (!c->compatible)
            continue;
        if (f->n_compatible++ == 0)
            f->threshold_above_bytes = c->above_bytes;
        f->threshold_to_bytes = c->threshold_bytes;
    }
}

/* The best of several thresholds looks better than one picked beforehand: Bonferroni's correction for their number. */
static bool is_significant(const struct problem *q, const struct search *s, const struct solution *solution)
{
    struct model_signature_estimate delta = estimate(q, solution, 1);
    if (delta.std_error <= 0) /* no scatter at all */
        return true;
    double p = 2 * gsl_cdf_tdist_Q(delta.value / delta.std_error, (double)(q->n - solution->p));
    return p * (double)s->n_fitted < SIGNIFICANCE;
}

static void choose(const struct problem *q, struct search *s, const struct solution *ratio,
                   struct model_signature_fit *f)
{
    const struct solution *chosen = ratio;
    f->shape = MODEL_SIGNATURE_RATIO;
    f->bic = f->ratio_bic = bic(q, ratio, 1);
    f->delta_s = (struct model_signature_estimate){0, INFINITY, -INFINITY, INFINITY};
    if (s->candidates[0].fitted)
        f->delta_s = estimate(q, &s->solutions[0], 1);
    if (s->best != SIZE_MAX && s->candidates[s->best].bic < f->ratio_bic &&
        is_significant(q, s, &s->solutions[s->best])) {
        chosen = &s->solutions[s->best];
        f->shape = s->best == 0 ? MODEL_SIGNATURE_STARTUP : MODEL_SIGNATURE_THRESHOLD;
        f->bic = s->candidates[s->best].bic;
        f->delta_s = estimate(q, chosen, 1);
        f->signature.delta_s = chosen->c[1];
        f->signature.threshold_bytes = s->best == 0 ? 0 : s->candidates[s->best].threshold_bytes;
    }
    f->gamma = estimate(q, chosen, 0);
    f->signature.gamma = chosen->c[0];
    f->n_candidates = s->n;
    f->df = q->n - chosen->p;
    f->scale = sqrt(chosen->chisq / (double)f->df);
    if (f->shape != MODEL_SIGNATURE_RATIO)
        mark_compatible(q, s, f);
}

static bool search_signature(struct problem *q, struct search *s, struct model_signature_fit *f, struct error *err)
{
    struct solution ratio;
    if (!solve_gls(q, 1, &ratio) || ratio.c[0] <= 0)
        return error_set(err, ERROR_INPUT, "no contention ratio fits the %zu points: want times and standard errors "
                         "of a common magnitude", q->n);
    fit_candidates(q, s);
    if (s->n_fitted == 0)
        return error_set(err, ERROR_INPUT, "no fit of gamma and delta settles: want more points of messages from "
                         "%g to %g bytes, or less scattered ones", s->candidates[0].threshold_bytes,
                         s->candidates[s->n - 1].threshold_bytes);
    struct model_signature_fit found = {.n_compatible = 0};
    choose(q, s, &ratio, &found);
    *f = found;
    return true;
}

bool model_signature_fit(const struct model_alltoall_link *link, const struct model_signature_point *points, size_t n,
                         struct model_signature_fit *fit, struct model_signature_candidate *candidates,
                         struct error *err)
{
    if (!model_alltoall_check(link, err) || !check_points(points, n, err))
        return false;
    struct problem q;
    bool ok = problem_init(&q, link, points, n, err);
    MEMORY_LOCAL double *sizes = memory_zeroed(n, sizeof *sizes, "the points of a fit");
    struct search s = {.candidates = memory_zeroed(n, sizeof *s.candidates, "the points of a fit"),
                       .solutions = memory_zeroed(n, sizeof *s.solutions, "the points of a fit")};
    if (ok) {
        s.n = list_candidates(&q, sizes, s.candidates);
        ok = search_signature(&q, &s, fit, err);
    }
    if (ok && candidates)
        memcpy(candidates, s.candidates, s.n * sizeof *candidates);
    MEMORY_FREE(s.candidates, s.solutions);
    model_linear_fini(&q.linear);
    return ok;
}
