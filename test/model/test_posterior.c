/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evidence and intervals where both have closed forms: normal noise, predictions that are linear in a parameter. */
#include "model/posterior.h"

#include "base/random.h"

#include "test/cm.h"

#define N 8
#define PI 3.14159265358979323846
#define SIGMA 0.02
#define RATE_SD 0.05
#define FLOOR (MODEL_POSTERIOR_SCATTER * MODEL_POSTERIOR_SCATTER)

static const double ones[N] = {1, 1, 1, 1, 1, 1, 1, 1};
/* Sums to 0, so that the rate's factor, which moves all alike, has no part in theta. */
static const double slope[N] = {-0.5, 0.5, -0.3, 0.3, -0.4, 0.4, -0.1, 0.1};

static struct model_posterior_data measured(const double *y)
{
    return (struct model_posterior_data){
        .n = N, .y = y, .k = ones, .how = MODEL_POSTERIOR_KNOWN, .spread = SIGMA, .rate_sd = RATE_SD};
}

/* y is normal about m with the covariance V 1 + rate_sd^2 ones: determinant and inverse by Sylvester and by Sherman and
 * Morrison. */
static double log_normal(const double *y, const double *m, double variance)
{
    double sum = 0, squares = 0, s2 = RATE_SD * RATE_SD;
    for (int i = 0; i < N; i++) {
        sum += y[i] - m[i];
        squares += (y[i] - m[i]) * (y[i] - m[i]);
    }
    return -(N * log(2 * PI * variance) + log1p(N * s2 / variance) + squares / variance -
             s2 * sum * sum / variance / (variance + N * s2)) / 2;
}

static struct model_posterior found(const struct model_posterior_data *d, const struct model_posterior_grid *g)
{
    struct model_posterior p;
    struct error err;
    if (!model_posterior_find(&p, d, g, &err))
        fail_msg("%s", err.message);
    return p;
}

TEST(test_evidence_without_a_parameter_is_that_of_a_normal)
{
    const double m[N] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
    const double y[N] = {0.13, 0.21, 0.33, 0.43, 0.50, 0.64, 0.73, 0.84};
    const struct model_posterior_point point = {.m = m};
    struct model_posterior_data d = measured(y);
    struct model_posterior p = found(&d, &(struct model_posterior_grid){.points = &point, .n = 1});
    assert_near(p.log_evidence, log_normal(y, m, SIGMA * SIGMA + FLOOR), 0.02);
    /* mean difference 0.02625; shrunk towards 0 by prior and measurement: N / V against 1 / rate_sd^2 */
    double v = SIGMA * SIGMA + FLOOR, c = -0.02625 * (N / v) / (N / v + 1 / (RATE_SD * RATE_SD));
    assert_near(p.rate.value, c, 2e-4);
    assert_near(p.rate.high - p.rate.low, 2 * 1.96 / sqrt(N / v + 1 / (RATE_SD * RATE_SD)), 3e-4);
    model_posterior_fini(&p);
}

#define POINTS 9
#define RANGE 0.2
struct line {
    double m[POINTS][N];
    struct model_posterior_point points[POINTS];
    struct model_posterior_grid grid;
};

/* m = base + slope theta for theta from -RANGE to RANGE. */
static void line_make(struct line *l, const double *base)
{
    memset(l, 0, sizeof *l);
    l->grid = (struct model_posterior_grid){.axes = 1, .points = l->points, .n = POINTS};
    l->grid.axis[0].n = POINTS;
    for (int k = 0; k < POINTS; k++) {
        l->grid.axis[0].at[k] = -RANGE + 2 * RANGE * k / (POINTS - 1);
        l->points[k] = (struct model_posterior_point){{l->grid.axis[0].at[k]}, l->m[k]};
        for (int i = 0; i < N; i++)
            l->m[k][i] = base[i] + slope[i] * l->grid.axis[0].at[k];
    }
}

TEST(test_a_parameter_has_the_interval_of_least_squares_and_costs_what_fits_of_its_range)
{
    const double base[N] = {1, 2, 3, 4, 5, 6, 7, 8}, theta = 0.034;
    double y[N], m[N], squares = 0;
    struct line l;
    line_make(&l, base);
    for (int i = 0; i < N; i++) {
        m[i] = base[i] + slope[i] * theta;
        y[i] = m[i];
        squares += slope[i] * slope[i];
    }
    struct model_posterior_data d = measured(y);
    MEMORY_ENDS(model_posterior_fini) struct model_posterior p = found(&d, &l.grid);
    double sd = sqrt((SIGMA * SIGMA + FLOOR) / squares);
    assert_near(p.theta[0].value, theta, 0.004); /* a fine step is 0.00625 */
    assert_near((p.theta[0].low + p.theta[0].high) / 2, theta, 0.003);
    assert_near(p.theta[0].high - p.theta[0].low, 2 * 1.96 * sd, 0.05 * 2 * 1.96 * sd);
    assert_near(p.log_evidence, log_normal(y, m, SIGMA * SIGMA + FLOOR) + log(sqrt(2 * PI) * sd / (2 * RANGE)), 0.05);
    double mass = 0;
    for (int k = 0; k + 1 < POINTS; k++)
        mass += p.mass[0][k];
    assert_near(mass, 1, 1e-9);
    assert_near(p.mass[0][4], 0.74, 0.03); /* 0 to 0.05 is -1.7 to 0.8 deviations from 0.034 */
}

static double normal(struct random *r)
{
    double sum = 0; /* of twelve uniform ones less 6: normal but for tails beyond 3 */
    for (int i = 0; i < 12; i++)
        sum += (double)(random_next(r) >> 11) / 9007199254740992.0;
    return sum - 6;
}

TEST(test_intervals_hold_the_truth_19_times_of_20)
{
    const double base[N] = {0};
    struct line l;
    int inside = 0, rate_inside = 0;
    line_make(&l, base);
    struct random r = random_of(7);
    for (int k = 0; k < 200; k++) {
        double y[N], theta = 0.04 * normal(&r), c = RATE_SD * normal(&r);
        for (int i = 0; i < N; i++)
            y[i] = slope[i] * theta - c + sqrt(SIGMA * SIGMA + FLOOR) * normal(&r);
        struct model_posterior_data d = measured(y);
        MEMORY_ENDS(model_posterior_fini) struct model_posterior p = found(&d, &l.grid);
        inside += p.theta[0].low <= theta && theta <= p.theta[0].high;
        rate_inside += p.rate.low <= c && c <= p.rate.high;
    }
    /* binomial of 200 and 0.95: 99.9 % of the time from 179 to 199 */
    assert_in_range(inside, 179, 199);
    assert_in_range(rate_inside, 179, 199);
}

TEST(test_of_two_without_parameters_the_nearer_wins_by_half_the_squared_distance)
{
    const double near[N] = {0};
    double far[N];
    for (int i = 0; i < N; i++)
        far[i] = i % 2 ? 0.05 : -0.05; /* no common factor explains it */
    const struct model_posterior_point at_near = {.m = near}, at_far = {.m = far};
    struct model_posterior_data d = measured(near);
    struct model_posterior a = found(&d, &(struct model_posterior_grid){.points = &at_near, .n = 1});
    struct model_posterior b = found(&d, &(struct model_posterior_grid){.points = &at_far, .n = 1});
    assert_near(a.log_evidence - b.log_evidence, N * 0.05 * 0.05 / (SIGMA * SIGMA + FLOOR) / 2, 0.3);
    model_posterior_fini(&a);
    model_posterior_fini(&b);
}

TEST(test_a_spread_that_nobody_knows_is_fitted)
{
    const double m[N] = {0}, y[N] = {0.08, -0.08, 0.08, -0.08, 0.08, -0.08, 0.08, -0.08};
    const struct model_posterior_point point = {.m = m};
    struct model_posterior_data d = measured(y);
    d.how = MODEL_POSTERIOR_FITTED;
    d.spread = 0.03;
    struct model_posterior p = found(&d, &(struct model_posterior_grid){.points = &point, .n = 1});
    assert_true(p.spread > 0.05 && p.spread < 0.09); /* between the prior's 0.03 and 0.08, nearer to the latter */
    model_posterior_fini(&p);
    d.how = MODEL_POSTERIOR_POOLED; /* a hundred degrees of freedom say 3 %, whatever does not fit */
    d.df = 100;
    p = found(&d, &(struct model_posterior_grid){.points = &point, .n = 1});
    assert_near(p.spread, 0.03, 0.008);
    model_posterior_fini(&p);
}

TEST(test_scatter_of_emulations_widens_what_is_expected)
{
    const double base[N] = {0};
    struct line l;
    line_make(&l, base);
    for (int k = 0; k < POINTS; k++)
        l.m[k][0] += k % 2 ? 0.2 : -0.2; /* other seeds, other times, of the first flow alone */
    struct model_posterior_data d = measured(base);
    MEMORY_ENDS(model_posterior_fini) struct model_posterior p = found(&d, &l.grid);
    assert_true(p.variance[0] > 4 * p.variance[1]);
    assert_true(p.variance[0] > 0.02); /* 0.2 either way is a variance of 0.04 */
}

/* Five emulations at one place, 0.02 apart: v is 0.02^2 * 2.5 of a sample variance, or what each is from the others' mean,
 * and the mean of five has a fifth of it. All eight flows have the same v, of which their mean logarithm makes
 * v exp(log(5 / 2) - digamma(5 / 2)) = 1.23755 v: four degrees of freedom beside the five. */
TEST(test_repeats_and_emulations_average_scatter_away)
{
    double m[5][N], five[N];
    struct model_posterior_point points[5];
    for (int k = 0; k < 5; k++) {
        points[k] = (struct model_posterior_point){.m = m[k]};
        for (int i = 0; i < N; i++)
            m[k][i] = 0.02 * (k - 2);
    }
    for (int i = 0; i < N; i++)
        five[i] = 5;
    const double y[N] = {0}, v = 2.5 * 0.02 * 0.02 * (5 + 4 * 1.23755) / 9;
    struct model_posterior_data d = measured(y);
    const struct model_posterior_grid g = {.points = points, .n = 5};
    struct model_posterior p = found(&d, &g);
    assert_near(p.variance[0], SIGMA * SIGMA + v * 1.2 + FLOOR, 1e-5); /* its own seed, and a fifth of the prediction */
    model_posterior_fini(&p);
    d.r = five;
    p = found(&d, &g);
    assert_near(p.variance[0], SIGMA * SIGMA + v * 0.4 + FLOOR, 1e-5); /* k says that sigma is of the mean */
    model_posterior_fini(&p);
}

/* Eight flows that are late together say little more than one: seven emulations off the edges correlate wholly, of which
 * chance would give sqrt(2 / (7 pi)). */
TEST(test_flows_that_are_late_together_count_less)
{
    const double base[N] = {0};
    const size_t one[N] = {0};
    struct line l;
    line_make(&l, base);
    for (int k = 0; k < POINTS; k++)
        for (int i = 0; i < N; i++)
            l.m[k][i] += k % 2 ? 0.2 : -0.2;
    struct model_posterior_data d = measured(base);
    MEMORY_ENDS(model_posterior_fini) struct model_posterior apart = found(&d, &l.grid);
    d.group = one;
    MEMORY_ENDS(model_posterior_fini) struct model_posterior together = found(&d, &l.grid);
    double rest = SIGMA * SIGMA + FLOOR, times = (together.variance[0] - rest) / (apart.variance[0] - rest);
    assert_near(times, 1 + (N - 1) * (1 - sqrt(2 / (7 * PI))), 0.2);
}

/* A deviation that is known from few values makes an outlier likelier: Student's t with 4 degrees of freedom. */
TEST(test_a_deviation_of_few_repeats_has_heavy_tails)
{
    const double m[N] = {0}, y[N] = {0.1, -0.1}, four[N] = {4, 4, 4, 4, 4, 4, 4, 4};
    const struct model_posterior_point point = {.m = m};
    const struct model_posterior_grid g = {.points = &point, .n = 1};
    struct model_posterior_data d = measured(y);
    MEMORY_ENDS(model_posterior_fini) struct model_posterior sure = found(&d, &g);
    d.known = four;
    MEMORY_ENDS(model_posterior_fini) struct model_posterior unsure = found(&d, &g);
    /* -r^2 / 2 V against -(5 / 2) log(1 + r^2 / 4 V), twice; at the centre t has less by log(0.3750 / 0.3989), 6 times */
    double r2 = 0.01 / (SIGMA * SIGMA + FLOOR);
    assert_near(unsure.log_evidence - sure.log_evidence, r2 - 5 * log1p(r2 / 4) + 8 * log(0.3750 / 0.3989), 0.3);
}

/* Two lines' likelihoods differ by the square of the distance: an interval lacks what its nearer end does. */
/* Two times, each off by two spreads, and a rate that is known: the squares sum to 8 V / (V + floor), and of two normal
 * deviates the probability of that and more is exp(-sum / 2). The floor
 * is known by 4 degrees of freedom alone, which makes t of 8260 of a normal: 2e-5 more. A spread that nobody knows is likelier to be larger. */
TEST(test_the_tail_is_the_probability_of_being_as_far_off)
{
    const double m[N] = {0}, y[N] = {0.04, -0.04};
    const struct model_posterior_point point = {.m = m};
    const struct model_posterior_grid g = {.points = &point, .n = 1};
    struct model_posterior_data d = measured(y);
    d.n = 2;
    d.rate_sd = 1e-6;
    struct model_posterior p = found(&d, &g);
    assert_near(p.tail, exp(-4 * SIGMA * SIGMA / (SIGMA * SIGMA + FLOOR)), 1e-4);
    model_posterior_fini(&p);
    d.how = MODEL_POSTERIOR_FITTED;
    p = found(&d, &g);
    assert_true(p.tail > 0.1 && p.tail < 0.5);
    model_posterior_fini(&p);
}

/* Four times in two groups: two are right, two off by three spreads each. Alone these have exp(-9) but for the floor, and
 * there were three looks. */
TEST(test_a_group_that_is_off_does_not_hide_among_others)
{
    const double m[N] = {0}, y[N] = {0, 0, 0.06, -0.06};
    const size_t group[] = {0, 0, 1, 1};
    const struct model_posterior_point point = {.m = m};
    struct model_posterior_data d = measured(y);
    d.n = 4;
    d.group = group;
    d.rate_sd = 1e-6;
    struct model_posterior p = found(&d, &(struct model_posterior_grid){.points = &point, .n = 1});
    const double alone = exp(-9 * SIGMA * SIGMA / (SIGMA * SIGMA + FLOOR));
    assert_near(p.tails[0], 1, 1e-9);
    assert_near(p.tails[3] / alone, 1, 0.01);
    assert_near(p.tail / alone, 3, 0.03);
    model_posterior_fini(&p);
}

/* Of right hypotheses one in a hundred has a tail below 0.01, and half have one below a half. */
TEST(test_tails_of_what_is_true_are_even)
{
    struct random r = random_of(4711);
    int below_half = 0, below_hundredth = 0;
    for (int k = 0; k < 2000; k++) {
        double m[N] = {0}, y[N];
        for (int i = 0; i < N; i++)
            y[i] = sqrt(SIGMA * SIGMA + FLOOR) * normal(&r);
        const struct model_posterior_point point = {.m = m};
        struct model_posterior_data d = measured(y);
        d.rate_sd = 1e-6;
        struct model_posterior p = found(&d, &(struct model_posterior_grid){.points = &point, .n = 1});
        below_half += p.tail < 0.5;
        below_hundredth += p.tail < 0.01;
        model_posterior_fini(&p);
    }
    assert_in_range(below_half, 933, 1067);   /* 1000 +- 3 sqrt(500) */
    assert_in_range(below_hundredth, 7, 33);  /* 20 +- 3 sqrt(19.8) */
}

TEST(test_how_far_an_interval_is_behind_the_best)
{
    const double base[N] = {0};
    double squares = 0;
    struct line l;
    line_make(&l, base);
    for (int i = 0; i < N; i++)
        squares += slope[i] * slope[i];
    struct model_posterior_data d = measured(base);
    MEMORY_ENDS(model_posterior_fini) struct model_posterior p = found(&d, &l.grid);
    assert_near(p.behind[0][4], 0, 1e-9); /* 0 to 0.05 */
    assert_near(p.behind[0][6], 0.1 * 0.1 * squares / (SIGMA * SIGMA + FLOOR) / 2, 0.1);
    assert_near(p.behind[0][1], 0.1 * 0.1 * squares / (SIGMA * SIGMA + FLOOR) / 2, 0.1);
}

static void refused(const struct model_posterior_data *d, const struct model_posterior_grid *g, const char *words)
{
    MEMORY_ENDS(model_posterior_fini) struct model_posterior p;
    struct error err;
    assert_false(model_posterior_find(&p, d, g, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    if (!strstr(err.message, words))
        fail_msg("'%s' has no '%s'", err.message, words);
}

TEST(test_what_is_no_posterior_is_refused)
{
    double y[N] = {0}, m[N] = {0};
    const struct model_posterior_point point = {.m = m};
    struct model_posterior_grid g = {.points = &point, .n = 1};
    struct model_posterior_data d = measured(y);
    d.n = 0;
    refused(&d, &g, "0 times");
    d = measured(y);
    d.spread = 0;
    refused(&d, &g, "must be above 0");
    d = measured(y);
    m[3] = NAN;
    refused(&d, &g, "time 3");
    m[3] = 0;
    g.axes = 1;
    g.axis[0] = (struct model_posterior_axis){.n = 2, .at = {0, 1}};
    refused(&d, &g, "an axis of 2 points");
    g.axis[0] = (struct model_posterior_axis){.n = 3, .at = {0, 1, 1}};
    refused(&d, &g, "must rise");
}
