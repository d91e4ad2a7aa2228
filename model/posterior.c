/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/posterior.h"

#include "base/estimate.h"
#include "model/moderated.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_roots.h>

#include <float.h>

#define SIGMAS 21       /* points of log sigma, when it is unknown */
#define SIGMA_REACH 3.2 /* deviations of its prior to either side */
#define FINE_ONE 8      /* steps between two points of a grid with one axis */
#define FINE_TWO 2      /* with two */
#define UNIFORM 0.02    /* of the weight when q is picked: where the probability is nil, too */
#define AROUND 15       /* emulations next to theta that scatter is read off */
#define NEARLY 1.1      /* times the least that q misses: the most q that misses no more */
#define POOL 4          /* degrees of freedom that all times add to what is known of one's scatter, at most */
#define LEAST 1e-9      /* probability that is looked at for the rate's interval */
#define POSTERIOR_STEPS 6         /* of finding c */
#define RIDGE 1e-9

/* Emulations next to theta that a regression may take. */
static const size_t posterior_q[] = {3, 5, 9, 15, 25, 40};
enum { QS = sizeof posterior_q / sizeof *posterior_q };

/* Steps between the points of an axis. */
struct fine_axis {
    size_t n;
    double *at, *weight; /* owned; weight: of the trapezoidal rule over the prior */
};

struct posterior_work {
    const struct model_posterior_data *d;
    const struct model_posterior_grid *g; /* with both axes */
    struct fine_axis fine[MODEL_POSTERIOR_AXES];
    double *m;        /* owned; [(first * fine[1].n + second) * d->n] */
    double *miss;     /* owned; [point * d->n]: what the regression over the others misses; NAN: not known */
    double *together; /* owned; D of each time */
    double *v, *nu;   /* owned; u of each time at one theta, and how well it is known */
    double sigma[SIGMAS], log_prior[SIGMAS]; /* log of prior density times step */
    size_t sigmas;
    double *variance, *dof, *constant; /* owned; [sigma * d->n] at one theta: V, nu and the log of t's constant */
    double *best_v, *best_nu; /* owned; u and how well it is known, where theta is most probable */
    double *log_p, *c, *c_sd, *log_sigma; /* owned; at each fine point: log of its share, c given it, mean log sigma */
    double *l;        /* owned; the regression's share of each point; [q * g->n], and room to sort as many */
    double squares[QS]; /* of those shares, summed; of each q */
    int *q;           /* owned; of each time, by its place in posterior_q */
};

static void fine_axis_make(struct fine_axis *f, const struct model_posterior_axis *a, size_t steps)
{
    f->n = (a->n - 1) * steps + 1;
    f->at = memory_zeroed(f->n, sizeof *f->at, "a posterior");
    f->weight = memory_zeroed(f->n, sizeof *f->weight, "a posterior");
    for (size_t i = 0; i < f->n; i++) {
        size_t k = i / steps;
        double share = (double)(i % steps) / (double)steps;
        f->at[i] = k + 1 < a->n ? a->at[k] + share * (a->at[k + 1] - a->at[k]) : a->at[a->n - 1];
    }
    double range = f->at[f->n - 1] - f->at[0];
    for (size_t i = 0; i + 1 < f->n; i++) {
        f->weight[i] += (f->at[i + 1] - f->at[i]) / range / 2;
        f->weight[i + 1] += (f->at[i + 1] - f->at[i]) / range / 2;
    }
    if (f->n == 1)
        f->weight[0] = 1;
}

/* The mean step of an axis: what one counts as far. */
static double axis_scale(const struct model_posterior_axis *a)
{
    return a->n > 1 ? (a->at[a->n - 1] - a->at[0]) / (double)(a->n - 1) : 1;
}

/* One regression over q points: l_j is the share of point j. */
static void regress(const struct model_posterior_grid *g, const double *at, const double *distance, double reach,
                    size_t without, double *l)
{
    double x[MODEL_POSTERIOR_AXES], sum[6] = {0}; /* 1, x, y, xx, xy, yy */
    for (size_t j = 0; j < g->n; j++) {
        double far = distance[j] / reach, weight = 0;
        if (far < 1 && j != without) {
            double tricube = 1 - far * far * far;
            weight = tricube * tricube * tricube;
        }
        for (int a = 0; a < MODEL_POSTERIOR_AXES; a++)
            x[a] = (g->points[j].at[a] - at[a]) / axis_scale(&g->axis[a]);
        l[j] = weight;
        sum[0] += weight;
        sum[1] += weight * x[0];
        sum[2] += weight * x[1];
        sum[3] += weight * x[0] * x[0];
        sum[4] += weight * x[0] * x[1];
        sum[5] += weight * x[1] * x[1];
    }
    double normal[] = {sum[0], sum[1], sum[2], sum[1], sum[3] + RIDGE * sum[0], sum[4],
                       sum[2], sum[4], sum[5] + RIDGE * sum[0]};
    double one[] = {1, 0, 0}, solution[3];
    gsl_matrix_view matrix = gsl_matrix_view_array(normal, 3, 3);
    gsl_vector_view right = gsl_vector_view_array(one, 3), row = gsl_vector_view_array(solution, 3);
    gsl_linalg_cholesky_decomp1(&matrix.matrix);
    gsl_linalg_cholesky_solve(&matrix.matrix, &right.vector, &row.vector);
    for (size_t j = 0; j < g->n; j++) {
        for (int a = 0; a < MODEL_POSTERIOR_AXES; a++)
            x[a] = (g->points[j].at[a] - at[a]) / axis_scale(&g->axis[a]);
        l[j] *= solution[0] + solution[1] * x[0] + solution[2] * x[1];
    }
}

/* Fills w->l for every q: the value at `at` is the sum of l_j times the values of the points, but for `without` (n: of
 * all). */
static void work_regress(struct posterior_work *w, const double *at, size_t without)
{
    const struct model_posterior_grid *g = w->g;
    double *sorted = w->l + QS * g->n, *distance = sorted + g->n;
    size_t n = 0, least = w->fine[1].n > 1 ? 2 : 0; /* a plane needs more */
    for (size_t j = 0; j < g->n; j++) {
        double square = 0;
        for (int a = 0; a < MODEL_POSTERIOR_AXES; a++) {
            double d = (g->points[j].at[a] - at[a]) / axis_scale(&g->axis[a]);
            square += d * d;
        }
        distance[j] = sqrt(square);
        if (j != without)
            sorted[n++] = distance[j];
    }
    qsort(sorted, n, sizeof *sorted, estimate_ascending);
    for (size_t k = 0; k < QS; k++) {
        size_t q = posterior_q[k] + least;
        regress(g, at, distance, sorted[q < n ? q - 1 : n - 1] * 1.001 + RIDGE, without, w->l + k * g->n);
        w->squares[k] = 0;
        for (size_t j = 0; j < g->n; j++)
            w->squares[k] += w->l[k * g->n + j] * w->l[k * g->n + j];
    }
}

static double work_value(const struct posterior_work *w, size_t i, int q)
{
    const double *l = w->l + (size_t)q * w->g->n;
    double value = 0;
    for (size_t j = 0; j < w->g->n; j++)
        if (l[j] > 0 || l[j] < 0)
            value += l[j] * w->g->points[j].m[i];
    return value;
}

/* How much an emulation counts when q is picked: nothing at an edge, beyond which the regression does not see; else by
 * the probability around it. */
static double point_weight(const struct model_posterior *p, bool masses, const struct model_posterior_grid *g,
                           const struct model_posterior_point *point)
{
    double weight = 1;
    for (int x = 0; x < MODEL_POSTERIOR_AXES; x++) {
        const struct model_posterior_axis *a = &g->axis[x];
        size_t k = 0;
        if (a->n == 1)
            continue;
        while (k + 1 < a->n && a->at[k] < point->at[x])
            k++;
        if (k == 0 || k + 1 == a->n)
            return 0;
        weight *= masses ? UNIFORM / (double)a->n + p->mass[x][k - 1] + p->mass[x][k] : 1;
    }
    return weight;
}

/* The correlation of what is missed of two times, over all emulations; *n of them. */
static double work_correlation(const struct posterior_work *w, size_t a, size_t b, size_t *n)
{
    double aa = 0, bb = 0, ab = 0;
    *n = 0;
    for (size_t j = 0; j < w->g->n; j++) {
        double x = w->miss[j * w->d->n + a], y = w->miss[j * w->d->n + b];
        if (isnan(x))
            continue;
        aa += x * x;
        bb += y * y;
        ab += x * y;
        ++*n;
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

/* Fills D: of n independent pairs the size of a correlation is sqrt(2 / (pi n)) on average. */
static void work_together(struct posterior_work *w)
{
    const size_t *group = w->d->group;
    for (size_t first = 0, after; first < w->d->n; first = after) {
        double sum = 0, pairs = 0;
        for (after = first + 1; group && after < w->d->n && group[after] == group[first];)
            after++;
        for (size_t a = first; a < after; a++)
            for (size_t b = first; b < a; b++, pairs++) {
                size_t n;
                double size = fabs(work_correlation(w, a, b, &n));
                sum += n > 0 ? fmax(size - sqrt(2 / (M_PI * (double)n)), 0) : 0;
            }
        for (size_t i = first; i < after; i++)
            w->together[i] = 1 + (pairs > 0 ? (double)(after - first - 1) * sum / pairs : 0);
    }
}

/* Picks q for each time, and fills what the regression misses, by each emulation against the others. */
static void work_smooth(struct posterior_work *w, const struct model_posterior *p, bool masses)
{
    size_t n = w->d->n;
    MEMORY_LOCAL double *sum = memory_zeroed(QS * n, sizeof *sum, "a posterior");
    MEMORY_LOCAL double *miss = memory_zeroed(w->g->n * n * QS, sizeof *miss, "a posterior");
    for (size_t j = 0; j < w->g->n && w->g->n > 1; j++) {
        double weight = point_weight(p, masses, w->g, &w->g->points[j]);
        if (!(weight > 0))
            continue;
        work_regress(w, w->g->points[j].at, j);
        for (size_t i = 0; i < n; i++)
            for (size_t q = 0; q < QS; q++) {
                double e = w->g->points[j].m[i] - work_value(w, i, (int)q);
                miss[(j * n + i) * QS + q] = e / sqrt(1 + w->squares[q]); /* both have scatter */
                sum[i * QS + q] += weight * e * e;
            }
    }
    for (size_t i = 0; i < n; i++) {
        w->q[i] = 0;
        for (int q = 1; q < QS; q++)
            w->q[i] = sum[i * QS + (size_t)q] < sum[i * QS + (size_t)w->q[i]] ? q : w->q[i];
        double least = sum[i * QS + (size_t)w->q[i]];
        for (int q = w->q[i]; q < QS; q++)
            w->q[i] = sum[i * QS + (size_t)q] <= NEARLY * least ? q : w->q[i];
        for (size_t j = 0; j < w->g->n; j++)
            w->miss[j * n + i] = w->g->n > 1 && point_weight(p, masses, w->g, &w->g->points[j]) > 0
                                     ? miss[(j * n + i) * QS + (size_t)w->q[i]]
                                     : (double)NAN;
    }
    work_together(w);
}

/* After work_regress(): fills u and nu at that theta, by the emulations around it. */
static void work_scatter(struct posterior_work *w)
{
    size_t n = w->d->n;
    const double *distance = w->l + (QS + 1) * w->g->n;
    double *sorted = w->l + QS * w->g->n, reach, weights = 0, squares = 0;
    size_t known = 0;
    for (size_t j = 0; j < w->g->n; j++)
        if (!isnan(w->miss[j * n]))
            sorted[known++] = distance[j];
    qsort(sorted, known, sizeof *sorted, estimate_ascending);
    reach = known > 0 ? sorted[known > AROUND ? AROUND - 1 : known - 1] * 1.5 + RIDGE : 1;
    for (size_t i = 0; i < n; i++)
        w->v[i] = 0;
    for (size_t j = 0; j < w->g->n; j++) {
        double far = distance[j] / reach;
        if (isnan(w->miss[j * n]) || far >= 1)
            continue;
        double weight = 1 - far * far * far;
        for (size_t i = 0; i < n; i++)
            w->v[i] += weight * w->miss[j * n + i] * w->miss[j * n + i];
        weights += weight;
        squares += weight * weight;
    }
    double nu = weights > 0 ? weights * weights / squares : 0;
    for (size_t i = 0; i < n; i++) {
        w->v[i] = weights > 0 ? w->v[i] / weights : 0;
        w->nu[i] = nu;
    }
    struct model_moderated all = model_moderated_find(w->v, w->nu, n);
    all.degrees = all.variance > 0 ? fmin(all.degrees, POOL) : 0;
    for (size_t i = 0; i < n; i++) {
        double once = w->d->r ? 1 / w->d->r[i] : 1, more = all.degrees > 0 ? all.variance : 0;
        w->v[i] = (nu * w->v[i] + all.degrees * more) / fmax(nu + all.degrees, 1) * w->together[i] *
                  (once + w->squares[w->q[i]]) + MODEL_POSTERIOR_SCATTER * MODEL_POSTERIOR_SCATTER;
        w->nu[i] = nu + POOL;
    }
}

static void work_sigmas(struct posterior_work *w)
{
    const struct model_posterior_data *d = w->d;
    w->sigmas = d->how == MODEL_POSTERIOR_KNOWN ? 1 : SIGMAS;
    w->sigma[0] = d->spread;
    if (w->sigmas == 1)
        return;
    double deviation = d->how == MODEL_POSTERIOR_POOLED ? fmin(1 / sqrt(2 * d->df), 1) : 1, sum = 0;
    double step = 2 * SIGMA_REACH * deviation / (SIGMAS - 1);
    for (size_t s = 0; s < SIGMAS; s++) {
        double u = -SIGMA_REACH * deviation + (double)s * step;
        w->sigma[s] = d->spread * exp(u);
        w->log_prior[s] = d->how == MODEL_POSTERIOR_POOLED ? -d->df * (u + exp(-2 * u) / 2) + d->df / 2 : -u * u / 2;
        sum += exp(w->log_prior[s]);
    }
    for (size_t s = 0; s < SIGMAS; s++)
        w->log_prior[s] -= log(sum);
}

/* The constant of t: log Gamma((nu + 1) / 2) - log Gamma(nu / 2) is log(nu / 2) / 2 - 1 / (4 nu) + 1 / (24 nu^3) but for
 * 1e-5 from nu = 4 on (Abramowitz and Stegun 6.1.41). */
static void work_variances(struct posterior_work *w, const double *v, const double *nu)
{
    for (size_t s = 0; s < w->sigmas; s++)
        for (size_t i = 0; i < w->d->n; i++) {
            size_t at = s * w->d->n + i;
            double own = w->sigma[s] * w->d->k[i], variance = own * own + v[i];
            double of_own = w->d->known ? own * own * own * own / w->d->known[i] : 0;
            double dof = fmin(variance * variance / (of_own + v[i] * v[i] / nu[i]), 1e6);
            w->variance[at] = variance;
            w->dof[at] = dof;
            w->constant[at] = -log(2 * M_PI * variance) / 2 - 1 / (4 * dof) + 1 / (24 * dof * dof * dof);
        }
}

static double log_add(double a, double b)
{
    double most = fmax(a, b);
    return isinf(most) ? most : most + log(exp(a - most) + exp(b - most));
}

/* Log likelihood with c integrated out; *c and *c_variance: what c is then. */
static double work_likelihood(const struct posterior_work *w, const double *m, size_t sigma, double *c,
                              double *c_variance)
{
    const struct model_posterior_data *d = w->d;
    const double *variance = w->variance + sigma * d->n, *dof = w->dof + sigma * d->n;
    double prior = 1 / (d->rate_sd * d->rate_sd), curvature = prior, log_l = 0;
    *c = 0;
    for (int step = 0; step < POSTERIOR_STEPS; step++) { /* reweighted least squares: t is a mixture of normals */
        double precision = prior, sum = 0;
        for (size_t i = 0; i < d->n; i++) {
            double r = m[i] - *c - d->y[i];
            double weight = (dof[i] + 1) / (dof[i] * variance[i] + (step > 0 ? r * r : variance[i]));
            precision += weight;
            sum += weight * (m[i] - d->y[i]);
        }
        *c = sum / precision;
    }
    for (size_t i = 0; i < d->n; i++) {
        double r = m[i] - *c - d->y[i];
        log_l += w->constant[sigma * d->n + i] - (dof[i] + 1) / 2 * log1p(r * r / dof[i] / variance[i]);
        curvature += (dof[i] + 1) / (dof[i] + 3) / variance[i];
    }
    *c_variance = 1 / curvature;
    return log_l - *c * *c * prior / 2 - log(curvature / prior) / 2;
}

/* Fills what is known at every fine point. */
static void work_points(struct posterior_work *w)
{
    size_t n0 = w->fine[0].n, n1 = w->fine[1].n;
    double most = -INFINITY;
    for (size_t t = 0; t < n0 * n1; t++) {
        double at[] = {w->fine[0].at[t / n1], w->fine[1].at[t % n1]};
        work_regress(w, at, w->g->n);
        work_scatter(w);
        work_variances(w, w->v, w->nu);
        for (size_t i = 0; i < w->d->n; i++)
            w->m[t * w->d->n + i] = work_value(w, i, w->q[i]);
        double log_l[SIGMAS], c[SIGMAS], variance[SIGMAS], total = -INFINITY, mean = 0, square = 0;
        for (size_t s = 0; s < w->sigmas; s++) {
            log_l[s] = work_likelihood(w, w->m + t * w->d->n, s, &c[s], &variance[s]) + w->log_prior[s];
            total = log_add(total, log_l[s]);
        }
        w->log_sigma[t] = 0;
        for (size_t s = 0; s < w->sigmas; s++) {
            double share = exp(log_l[s] - total);
            mean += share * c[s];
            square += share * (c[s] * c[s] + variance[s]);
            w->log_sigma[t] += share * log(w->sigma[s]);
        }
        w->c[t] = mean;
        w->c_sd[t] = sqrt(square - mean * mean);
        w->log_p[t] = total + log(w->fine[0].weight[t / n1]) + log(w->fine[1].weight[t % n1]);
        if (total > most) {
            most = total;
            memcpy(w->best_v, w->v, w->d->n * sizeof *w->v);
            memcpy(w->best_nu, w->nu, w->d->n * sizeof *w->nu);
        }
    }
}

/* Where a distribution over the fine points of an axis reaches a share of 1: linear between them. */
static double axis_quantile(const struct fine_axis *f, const double *p, double share)
{
    double below = 0;
    for (size_t i = 0; i + 1 < f->n; i++) {
        double between = (p[i] / (i > 0 ? 2 : 1)) + (p[i + 1] / (i + 2 < f->n ? 2 : 1));
        if (below + between >= share)
            return f->at[i] + (f->at[i + 1] - f->at[i]) * (share - below) / between;
        below += between;
    }
    return f->at[f->n - 1];
}

/* A share of the probability as a density over theta. */
static double work_density(const struct posterior_work *w, const double *share, size_t t)
{
    return share[t] / (w->fine[0].weight[t / w->fine[1].n] * w->fine[1].weight[t % w->fine[1].n]);
}

static void work_axis(const struct posterior_work *w, struct model_posterior *p, int axis, const double *share,
                      size_t best)
{
    const struct fine_axis *f = &w->fine[axis];
    size_t n1 = w->fine[1].n, points = w->g->axis[axis].n, steps = points > 1 ? (f->n - 1) / (points - 1) : 1;
    double *marginal MEMORY_LOCAL = memory_zeroed(2 * f->n, sizeof *marginal, "a posterior"), *most = marginal + f->n;
    for (size_t t = 0; t < w->fine[0].n * n1; t++) {
        size_t i = axis ? t % n1 : t / n1;
        marginal[i] += share[t];
        most[i] = fmax(most[i], work_density(w, share, t));
    }
    double best_density = work_density(w, share, best);
    p->best[axis] = f->at[axis ? best % n1 : best / n1];
    p->theta[axis] = (struct model_posterior_interval){
        axis_quantile(f, marginal, 0.5), axis_quantile(f, marginal, 0.025), axis_quantile(f, marginal, 0.975)};
    for (size_t i = 0; i < f->n && points > 1; i++) { /* a point between two intervals is shared by them */
        size_t k = i / steps;
        double part = i % steps == 0 && k > 0 && k + 1 < points ? 0.5 : 1;
        double behind = log(best_density / most[i]);
        if (k + 1 < points) {
            p->mass[axis][k] += part * marginal[i];
            p->behind[axis][k] = fmin(p->behind[axis][k], behind);
        }
        if (i % steps == 0 && k > 0) {
            p->mass[axis][k - 1] += (k + 1 < points ? 0.5 : 1) * marginal[i];
            p->behind[axis][k - 1] = fmin(p->behind[axis][k - 1], behind);
        }
    }
}

struct mixture {
    const struct posterior_work *w;
    const double *share;
    double at;
};

static double mixture_below(double c, void *user)
{
    const struct mixture *x = user;
    double below = 0;
    for (size_t t = 0; t < x->w->fine[0].n * x->w->fine[1].n; t++)
        if (x->share[t] > LEAST)
            below += x->share[t] * gsl_cdf_gaussian_P(c - x->w->c[t], x->w->c_sd[t]);
    return below - x->at;
}

static double mixture_quantile(const struct posterior_work *w, const double *share, double at)
{
    struct mixture x = {w, share, at};
    gsl_function f = {mixture_below, &x};
    double low = INFINITY, high = -INFINITY;
    for (size_t t = 0; t < w->fine[0].n * w->fine[1].n; t++)
        if (share[t] > LEAST) {
            low = fmin(low, w->c[t] - 8 * w->c_sd[t]);
            high = fmax(high, w->c[t] + 8 * w->c_sd[t]);
        }
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    gsl_root_fsolver_set(solver, &f, low, high);
    for (int i = 0; i < 100 && gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
                                                      gsl_root_fsolver_x_upper(solver), 1e-9, 0) != GSL_SUCCESS; i++)
        gsl_root_fsolver_iterate(solver);
    double root = gsl_root_fsolver_root(solver);
    gsl_root_fsolver_free(solver);
    return root;
}

/* Of times `from` to `to`, after p->fit. A probability of t below what a double has counts as the least that it has: z is
 * 38 at most. */
static double work_tail_of(const struct posterior_work *w, const struct model_posterior *p, size_t from, size_t to)
{
    double tail = 0;
    for (size_t s = 0; s < w->sigmas; s++) {
        double sum = 0;
        for (size_t i = from; i < to; i++) {
            double t = fabs(p->fit[i] - w->d->y[i]) / sqrt(w->variance[s * w->d->n + i]);
            double z = gsl_cdf_ugaussian_Qinv(fmax(gsl_cdf_tdist_Q(t, w->dof[s * w->d->n + i]), DBL_MIN));
            sum += z * z;
        }
        tail += exp(w->log_prior[s]) * gsl_cdf_chisq_Q(sum, (double)(to - from));
    }
    return tail;
}

static void work_tails(struct posterior_work *w, struct model_posterior *p)
{
    const size_t n = w->d->n, *group = w->d->group;
    size_t groups = 0;
    work_variances(w, w->best_v, w->best_nu);
    p->tail = work_tail_of(w, p, 0, n);
    for (size_t first = 0, after; first < n; first = after, groups++) {
        for (after = first + 1; after < n && (!group || group[after] == group[first]);)
            after++;
        double tail = work_tail_of(w, p, first, after);
        for (size_t i = first; i < after; i++)
            p->tails[i] = tail;
        p->tail = fmin(p->tail, tail);
    }
    p->tail = groups > 1 ? fmin((double)(groups + 1) * p->tail, 1) : p->tail;
}

static void work_sum_up(struct posterior_work *w, struct model_posterior *p)
{
    size_t points = w->fine[0].n * w->fine[1].n, best = 0, n = w->d->n;
    MEMORY_LOCAL double *share = memory_zeroed(points, sizeof *share, "a posterior");
    p->log_evidence = -INFINITY;
    for (size_t t = 0; t < points; t++)
        p->log_evidence = log_add(p->log_evidence, w->log_p[t]);
    for (size_t t = 0; t < points; t++) {
        share[t] = exp(w->log_p[t] - p->log_evidence);
        best = work_density(w, share, t) > work_density(w, share, best) ? t : best;
    }
    for (int axis = 0; axis < MODEL_POSTERIOR_AXES; axis++) {
        for (size_t k = 0; k < MODEL_POSTERIOR_POINTS; k++) {
            p->mass[axis][k] = 0;
            p->behind[axis][k] = INFINITY;
        }
        work_axis(w, p, axis, share, best);
    }
    p->rate = (struct model_posterior_interval){mixture_quantile(w, share, 0.5), mixture_quantile(w, share, 0.025),
                                                mixture_quantile(w, share, 0.975)};
    p->spread = exp(w->log_sigma[best]);
    for (size_t i = 0; i < n; i++) {
        p->fit[i] = w->m[best * n + i] - w->c[best];
        p->variance[i] = p->spread * w->d->k[i] * p->spread * w->d->k[i] + w->best_v[i];
    }
    work_tails(w, p);
}

static bool posterior_check(const struct model_posterior_data *d, const struct model_posterior_grid *g,
                            struct error *err)
{
    if (d->n == 0 || g->n == 0 || g->axes > MODEL_POSTERIOR_AXES)
        return error_set(err, ERROR_INPUT, "a posterior of %zu times, %zu points and %zu parameters", d->n, g->n,
                         g->axes);
    if (!(d->spread > 0) || !(d->rate_sd > 0) || (d->how == MODEL_POSTERIOR_POOLED && !(d->df > 0)))
        return error_set(err, ERROR_INPUT, "a posterior's spread, degrees of freedom and rate must be above 0");
    for (size_t x = 0; x < g->axes; x++) {
        const struct model_posterior_axis *a = &g->axis[x];
        if (a->n == 0 || a->n == 2 || a->n > MODEL_POSTERIOR_POINTS)
            return error_set(err, ERROR_INPUT, "an axis of %zu points; must be 1, or 3 to %d", a->n,
                             MODEL_POSTERIOR_POINTS);
        for (size_t k = 0; k + 1 < a->n; k++)
            if (!(a->at[k] < a->at[k + 1]))
                return error_set(err, ERROR_INPUT, "the points of an axis must rise");
    }
    for (size_t i = 0; i < d->n; i++) {
        bool finite = isfinite(d->y[i]) && d->k[i] > 0;
        for (size_t t = 0; t < g->n; t++)
            finite = finite && isfinite(g->points[t].m[i]);
        if (!finite)
            return error_set(err, ERROR_INPUT, "time %zu, or what is predicted for it, is no number", i);
    }
    return true;
}

bool model_posterior_find(struct model_posterior *p, const struct model_posterior_data *d,
                          const struct model_posterior_grid *g, struct error *err)
{
    *p = (struct model_posterior){.fit = NULL};
    if (!posterior_check(d, g, err))
        return false;
    struct model_posterior_grid whole = *g;
    for (size_t x = g->axes; x < MODEL_POSTERIOR_AXES; x++)
        whole.axis[x] = (struct model_posterior_axis){.n = 1};
    struct posterior_work w = {.d = d, .g = &whole};
    size_t steps = whole.axis[1].n > 1 ? FINE_TWO : FINE_ONE;
    for (int x = 0; x < MODEL_POSTERIOR_AXES; x++)
        fine_axis_make(&w.fine[x], &whole.axis[x], steps);
    size_t points = w.fine[0].n * w.fine[1].n;
    w.m = memory_zeroed(points * d->n, sizeof *w.m, "a posterior");
    w.v = memory_zeroed(4 * d->n, sizeof *w.v, "a posterior");
    w.nu = w.v + d->n;
    w.best_v = w.nu + d->n;
    w.best_nu = w.best_v + d->n;
    w.miss = memory_zeroed(g->n * d->n, sizeof *w.miss, "a posterior");
    w.together = memory_zeroed(d->n, sizeof *w.together, "a posterior");
    w.log_p = memory_zeroed(4 * points, sizeof *w.log_p, "a posterior");
    w.c = w.log_p + points;
    w.c_sd = w.c + points;
    w.log_sigma = w.c_sd + points;
    w.l = memory_zeroed((QS + 2) * g->n, sizeof *w.l, "a posterior");
    w.q = memory_zeroed(d->n, sizeof *w.q, "a posterior");
    w.variance = memory_zeroed(3 * SIGMAS * d->n, sizeof *w.variance, "a posterior");
    w.dof = w.variance + SIGMAS * d->n;
    w.constant = w.dof + SIGMAS * d->n;
    p->fit = memory_zeroed(d->n, sizeof *p->fit, "a posterior");
    p->variance = memory_zeroed(d->n, sizeof *p->variance, "a posterior");
    p->tails = memory_zeroed(d->n, sizeof *p->tails, "a posterior");
    work_sigmas(&w);
    for (int pass = 0; pass < 2; pass++) { /* the second one picks q by where the first found theta */
        work_smooth(&w, p, pass > 0);
        work_points(&w);
        work_sum_up(&w, p);
    }
    for (int x = 0; x < MODEL_POSTERIOR_AXES; x++)
        MEMORY_FREE(w.fine[x].at, w.fine[x].weight);
    MEMORY_FREE(w.m, w.v, w.miss, w.together, w.log_p, w.l, w.q, w.variance);
    return true;
}

void model_posterior_fini(struct model_posterior *p)
{
    MEMORY_FREE(p->fit, p->variance, p->tails);
    *p = (struct model_posterior){.fit = NULL};
}
