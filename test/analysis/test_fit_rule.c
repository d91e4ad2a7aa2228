/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/rules/fit_rule.h"

#include "base/random.h"

#include "test/cm.h"

#define GRID 5               /* points have 0 to GRID flows in and out, but for 0/0 */
#define POINTS ((GRID + 1) * (GRID + 1) - 1)

static struct analysis_fit_flow flows[POINTS][2 * GRID];
static struct analysis_fit_point points[POINTS];

/* What a rule gives a flow; n its own direction's number, most the larger one. B is 100. */
typedef double rule(double n, double in, double out);

static double asymmetric(double n, double in, double out)
{
    return 100 / fmax(in, out);
}

static double fair(double n, double in, double out)
{
    (void)in, (void)out;
    return 100 / n;
}

static double power(double n, double in, double out)
{
    return 100 * pow(n, -0.3) * pow(fmax(in, out), -0.6);
}

static double norm(double n, double in, double out)
{
    return 100 / sqrt(in * in + out * out); /* p = 2 */
}

/* Uniform over [-1, 1]. */
static double draw(struct random *r)
{
    return (double)random_below(r, 2000001) / 1e6 - 1;
}

/* Every point of the grid by a rule, each with an error of its own of up to `noise` for all its flows. */
static void make(rule *x, double noise)
{
    struct random r = random_of(7);
    for (size_t i = 0; i < POINTS; i++) {
        size_t in = (i + 1) / (GRID + 1), out = (i + 1) % (GRID + 1);
        double error = exp(noise * draw(&r));
        for (size_t k = 0; k < in + out; k++)
            flows[i][k] = (struct analysis_fit_flow){
                .incoming = k < in,
                .rate_bps = error * x((double)(k < in ? in : out), (double)in, (double)out),
                .window_bytes = 1000,
                .limit_bps = (double)INFINITY,
            };
        points[i] = (struct analysis_fit_point){flows[i], in + out, i, model_link_default()};
    }
}

static struct analysis_fit fitted(enum analysis_fit_form form, bool acks, size_t n)
{
    struct analysis_fit fit;
    analysis_fit_rule(points, n, form, acks, &fit);
    return fit;
}

static void assert_figure(double value, double wanted, double relative)
{
    if (!(fabs(value - wanted) <= relative * fabs(wanted)))
        fail_msg("%.12g, wanted %.12g", value, wanted);
}

static void assert_holds(const struct analysis_fit_value *v, double wanted)
{
    if (!(v->low <= wanted && wanted <= v->high))
        fail_msg("%g is outside of %g to %g", wanted, v->low, v->high);
}

/* The first of them all. */
static struct analysis_fit best(size_t n)
{
    struct analysis_fit fits[ANALYSIS_FIT_ALL];
    analysis_fit_compare(points, n, fits);
    return fits[0];
}

TEST(test_a_rule_is_found_again_without_error)
{
    make(asymmetric, 0);
    struct analysis_fit fit = fitted(ANALYSIS_FIT_EQ6, false, POINTS);
    assert_true(fit.applies);
    assert_figure(fit.rate_bps.value, 100, 1e-9);
    assert_true(fit.rms_error < 1e-9 && fit.cross_validated_error < 1e-9);
    assert_figure(fitted(ANALYSIS_FIT_WINDOW, false, POINTS).rate_bps.value, 100, 1e-9); /* equal windows */
    fit = fitted(ANALYSIS_FIT_POWER, false, POINTS);
    assert_true(fabs(fit.exponent[0].value) < 1e-9);
    assert_figure(fit.exponent[1].value, 1, 1e-9);
    fit = fitted(ANALYSIS_FIT_NORM, false, POINTS);
    assert_true(isinf(fit.exponent[0].value) && isinf(fit.exponent[0].high));
    assert_figure(fit.rate_bps.value, 100, 1e-9);
    make(fair, 0);
    fit = fitted(ANALYSIS_FIT_POWER, false, POINTS);
    assert_figure(fit.exponent[0].value, 1, 1e-9);
    assert_true(fabs(fit.exponent[1].value) < 1e-9);
    assert_figure(fitted(ANALYSIS_FIT_EQ5, false, POINTS).rate_bps.value, 100, 1e-9);
}

TEST(test_the_rule_behind_noisy_points_is_picked)
{
    static const struct {
        rule *x;
        enum analysis_fit_form form;
    } cases[] = {{fair, ANALYSIS_FIT_EQ5}, {asymmetric, ANALYSIS_FIT_EQ6}, {power, ANALYSIS_FIT_POWER},
                 {norm, ANALYSIS_FIT_NORM}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make(cases[i].x, 0.01);
        for (size_t k = 0; k < POINTS; k++)
            points[k].link.segments_per_ack = 1e9; /* ACKs cost nothing: the forms with them are those without */
        struct analysis_fit fit = best(POINTS);
        assert_int_equal(fit.form, cases[i].form);
        assert_holds(&fit.rate_bps, 100);
        assert_figure(fit.rms_error, 0.01 / sqrt(3), 0.3); /* of a uniform error */
        assert_all(fit.cross_validated_error > fit.rms_error, fit.cross_validated_error < 1.3 * fit.rms_error);
    }
}

TEST(test_exponents_are_within_their_intervals)
{
    make(power, 0.02);
    struct analysis_fit fit = fitted(ANALYSIS_FIT_POWER, false, POINTS);
    assert_holds(&fit.exponent[0], 0.3);
    assert_holds(&fit.exponent[1], 0.6);
    assert_true(fit.exponent[1].high - fit.exponent[1].low < 0.05);
    make(norm, 0.02);
    fit = fitted(ANALYSIS_FIT_NORM, false, POINTS);
    assert_holds(&fit.exponent[0], 2);
    assert_true(fit.exponent[0].low > 1.8 && fit.exponent[0].high < 2.2);
}

/* An exponent of the two directions needs points with flows in both; either alone tells nothing. */
TEST(test_the_norm_needs_points_with_both_directions)
{
    for (int incoming = 0; incoming < 2; incoming++) {
        for (size_t i = 0; i < 4; i++) {
            for (size_t k = 0; k <= i; k++)
                flows[i][k] = (struct analysis_fit_flow){incoming, 100 / (double)(i + 1), 1000, (double)INFINITY};
            points[i] = (struct analysis_fit_point){flows[i], i + 1, i, model_link_default()};
        }
        assert_true(fitted(ANALYSIS_FIT_EQ6, false, 4).applies);
        assert_false(fitted(ANALYSIS_FIT_NORM, false, 4).applies);
    }
    flows[3][0].incoming = false; /* one in, one out, and so on */
    assert_true(fitted(ANALYSIS_FIT_NORM, false, 4).applies);
}

/* Four points of one flow in, ln of the rates e, e, -e, -e around that of B. */
TEST(test_figures_of_four_points)
{
    const double e = 0.01;
    for (size_t i = 0; i < 4; i++) {
        flows[i][0] = (struct analysis_fit_flow){true, 100 * exp(i < 2 ? e : -e), (double)NAN, (double)INFINITY};
        points[i] = (struct analysis_fit_point){flows[i], 1, i, model_link_default()};
    }
    struct analysis_fit fit = fitted(ANALYSIS_FIT_EQ5, false, 4);
    assert_figure(fit.rate_bps.value, 100, 1e-9);
    assert_ints({fit.units, 4}, {fit.parameters, 2});
    /* RSS / n = e^2; k = 2: 4 ln e^2 + 2 * 2 + 2 * 2 * 3 / (4 - 2 - 1) */
    assert_figure(fit.aic, 4 * log(e * e) + 4 + 12, 1e-9);
    /* the jackknife of a mean: sqrt(sum of squares / (n (n - 1))) = sqrt(4 e^2 / 12), t(0.975, 3) = 3.18245 */
    assert_figure(log(fit.rate_bps.high / 100), 3.18245 * e / sqrt(3), 1e-4);
    assert_figure(log(fit.rate_bps.low / 100), -3.18245 * e / sqrt(3), 1e-4);
    /* the mean of the other three is off by e / 3 the other way: 4 e / 3 from the point */
    double up = exp(4 * e / 3) - 1, down = 1 - exp(-4 * e / 3);
    assert_figure(fit.cross_validated_error, sqrt((up * up + down * down) / 2), 1e-9);
    assert_figure(fit.mean_error, sinh(e), 1e-9);
    assert_figure(fit.worst_error, exp(e) - 1, 1e-9);
    assert_int_equal(fit.worst_point, 0);
    /* one direction alone: both equations say the same, and no exponent of the two directions can be told */
    assert_figure(fitted(ANALYSIS_FIT_EQ6, true, 4).aic, fit.aic, 1e-9);
    assert_false(fitted(ANALYSIS_FIT_POWER, false, 4).applies);
    assert_false(fitted(ANALYSIS_FIT_NORM, false, 4).applies);
    assert_false(fitted(ANALYSIS_FIT_WINDOW, false, 4).applies); /* unknown windows */
    /* three points are too few for this AIC, one is for an interval */
    assert_true(isnan(fitted(ANALYSIS_FIT_EQ5, false, 3).aic));
    fit = fitted(ANALYSIS_FIT_EQ5, false, 1);
    assert_true(fit.applies && isnan(fit.rate_bps.low) && isnan(fit.cross_validated_error));
}

TEST(test_replicas_are_one_point)
{
    for (size_t i = 0; i < 8; i++) {
        flows[i][0] = (struct analysis_fit_flow){true, 100 * exp((i / 2 < 2 ? 0.01 : -0.01) + (i % 2 ? 0.001 : -0.001)),
                                                 1000, (double)INFINITY};
        points[i] = (struct analysis_fit_point){flows[i], 1, i / 2, model_link_default()};
    }
    struct analysis_fit fit = fitted(ANALYSIS_FIT_EQ5, false, 8);
    assert_int_equal(fit.units, 4);
    assert_figure(log(fit.rate_bps.high / 100), 3.18245 * 0.01 / sqrt(3), 1e-3); /* as without replicas */
    assert_figure(fit.aic, 4 * log(0.01 * 0.01 + 0.001 * 0.001) + 4 + 12, 1e-9);
    /* two values 0.002 apart: standard deviation 0.002 / sqrt(2) */
    assert_figure(analysis_fit_spread(points, 8), 0.002 / sqrt(2), 1e-6);
    assert_true(isnan(analysis_fit_spread(points, 1)));
}

TEST(test_many_flows_of_a_point_weigh_no_more_than_one)
{
    for (size_t k = 0; k < 5; k++)
        flows[0][k] = (struct analysis_fit_flow){true, 100.0 * exp(0.1) / 5, 1000, (double)INFINITY};
    flows[1][0] = (struct analysis_fit_flow){false, 100.0 * exp(-0.1), 1000, (double)INFINITY};
    points[0] = (struct analysis_fit_point){flows[0], 5, 0, model_link_default()};
    points[1] = (struct analysis_fit_point){flows[1], 1, 1, model_link_default()};
    assert_figure(fitted(ANALYSIS_FIT_EQ6, false, 2).rate_bps.value, 100, 1e-9);
}

/* A segment of 1448 bytes is 1538 on the wire, an ACK for two of them 52 + 38 = 90: a direction as busy as the other
 * carries 90 / (2 * 1538) as many bytes of ACKs as of data, and else as much less as the other carries less: n flows of n^-a
 * each. Fair directions are both full. */
TEST(test_acks_of_the_other_direction_are_taken_off)
{
    static const struct { rule *x; enum analysis_fit_form form; double alike; } rows[] = {
        {asymmetric, ANALYSIS_FIT_EQ6, 1}, {asymmetric, ANALYSIS_FIT_WINDOW, 1}, {fair, ANALYSIS_FIT_EQ5, 0}, {power, ANALYSIS_FIT_POWER, 0.7},
        {asymmetric, ANALYSIS_FIT_POWER, 1}, {norm, ANALYSIS_FIT_NORM, 1}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        make(rows[row].x, 0);
        for (size_t i = 0; i < POINTS; i++) {
            double in = (double)((i + 1) / (GRID + 1)), out = (double)((i + 1) % (GRID + 1));
            double acks = in > 0 && out > 0 ? 90.0 / (2 * 1538) * pow(fmin(in, out) / fmax(in, out), rows[row].alike) : 0;
            for (size_t k = 0; k < points[i].n; k++)
                flows[i][k].rate_bps /= 1 + acks;
        }
        struct analysis_fit fit = fitted(rows[row].form, true, POINTS);
        assert_true(fit.acks && fit.rms_error < 1e-5); /* p by steps */
        assert_figure(fit.rate_bps.value, 100, 1e-5);
        if (rows[row].form != ANALYSIS_FIT_NORM) {
            assert_int_equal(best(POINTS).acks, true);
            assert_figure(fit.rate_bps.value, 100, 1e-8);
        }
        assert_true(fitted(rows[row].form, false, POINTS).rms_error > 1e-3);
    }
}

TEST(test_the_window_law_is_told_from_eq6_by_unequal_windows)
{
    for (size_t i = 0; i < 6; i++) { /* 2 in of 1000 and 2000 bytes, one out of 1000, 2000, ... */
        const double w[] = {1000, 2000, 1000 * (double)(i + 1)};
        for (size_t k = 0; k < 3; k++)
            flows[i][k] = (struct analysis_fit_flow){k < 2, 100 * w[k] / fmax(3000, w[2]), w[k], (double)INFINITY};
        points[i] = (struct analysis_fit_point){flows[i], 3, i, model_link_default()};
    }
    assert_int_equal(best(6).form, ANALYSIS_FIT_WINDOW);
    assert_figure(fitted(ANALYSIS_FIT_WINDOW, false, 6).rate_bps.value, 100, 1e-9);
    assert_true(fitted(ANALYSIS_FIT_EQ6, false, 6).rms_error > 0.3);
}

/* 1 to 10 flows in over a backbone of 100; their own links give each of them `limit`. */
static void make_backbone(double limit)
{
    for (size_t i = 0; i < 2 * GRID; i++) {
        for (size_t k = 0; k <= i; k++)
            flows[i][k] = (struct analysis_fit_flow){true, fmin(100 / (double)(i + 1), limit), 1000, limit};
        points[i] = (struct analysis_fit_point){flows[i], i + 1, i, model_link_default()};
    }
}

TEST(test_limits_of_the_flows_own_are_no_sign_of_the_rule)
{
    make_backbone(22); /* 100 / n is above it up to n = 4: 1 + 2 + 3 + 4 flows */
    struct analysis_fit fit = fitted(ANALYSIS_FIT_EQ6, false, 2 * GRID);
    assert_figure(fit.rate_bps.value, 100, 1e-9);
    assert_true(fit.rms_error < 1e-9);
    assert_int_equal(fit.limited, 10);
}

TEST(test_a_link_that_nothing_fills_has_no_fit)
{
    make_backbone(9);
    for (int form = 0; form < ANALYSIS_FIT_FORMS; form++)
        assert_false(fitted((enum analysis_fit_form)form, false, 2 * GRID).applies);
}

TEST(test_a_thousand_points_are_left_out_by_groups)
{
    enum { MANY = 1000 };
    MEMORY_LOCAL struct analysis_fit_point *many = calloc(MANY, sizeof *many);
    MEMORY_LOCAL struct analysis_fit_flow *one = calloc(MANY, sizeof *one);
    struct analysis_fit fit;
    struct random r = random_of(3);
    for (size_t i = 0; i < MANY; i++) {
        one[i] = (struct analysis_fit_flow){true, 100 * exp(0.1 * draw(&r)), 1000, (double)INFINITY};
        many[i] = (struct analysis_fit_point){&one[i], 1, i, model_link_default()};
    }
    analysis_fit_rule(many, MANY, ANALYSIS_FIT_EQ6, false, &fit);
    assert_holds(&fit.rate_bps, 100);
    /* uniform errors: standard deviation 0.1 / sqrt(3), of the mean sqrt(1000) less; t(199) = 1.972 */
    assert_figure(log(fit.rate_bps.high / fit.rate_bps.low) / 2, 1.972 * 0.1 / sqrt(3 * MANY), 0.15);
}

TEST(test_names)
{
    assert_string_equal(analysis_fit_form_name(ANALYSIS_FIT_EQ5), "eq5");
    assert_string_equal(analysis_fit_form_name(ANALYSIS_FIT_NORM), "norm");
}
