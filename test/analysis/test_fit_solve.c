/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flows of a point that a form predicts the same are one cell of its sums. Here each flow stands for itself, and what a
 * form gives it is written out: Eq. 5 has B / n of its own direction, Eq. 6 B / max(n, m). */
#include "analysis/rules/fit_solve.h"

#include "base/random.h"
#include "test/cm.h"

#define POINTS 12
#define UNITS 8 /* the others are replicas of the first */
#define MOST 5  /* flows each way */

static struct analysis_fit_flow flows[POINTS][2 * MOST];
static struct analysis_fit_point points[POINTS];

/* Rates all over a factor of e^2, so that cells have flows that differ; of every third flow a limit, if it is asked for. */
static void draw(uint64_t seed, bool limits)
{
    struct random r = random_of(seed);
    for (size_t i = 0; i < POINTS; i++) {
        size_t n = 1 + random_below(&r, MOST), m = 1 + random_below(&r, MOST);
        points[i] = (struct analysis_fit_point){.flows = flows[i], .n = n + m, .unit = i % UNITS};
        for (size_t k = 0; k < n + m; k++)
            flows[i][k] = (struct analysis_fit_flow){.incoming = k < n, .window_bytes = NAN,
                                                     .rate_bps = 1e6 * exp(2 * random_share(&r)),
                                                     .limit_bps = limits && k % 3 == 0 ? 1.5e6 : INFINITY};
    }
}

/* Of the logarithms; weights of a unit add up to 1. Sums over all flows but those of a unit (UNITS: of none). */
struct sums {
    double weight, first, squares;
};

static struct sums sums_of(enum analysis_fit_form form, double ln_rate, size_t without)
{
    struct sums s = {0};
    size_t replicas[UNITS] = {0};
    for (size_t i = 0; i < POINTS; i++)
        replicas[points[i].unit]++;
    for (size_t i = 0; i < POINTS; i++) {
        double n = 0;
        for (size_t k = 0; k < points[i].n; k++)
            n += flows[i][k].incoming;
        double m = (double)points[i].n - n, weight = 1.0 / (double)(points[i].n * replicas[points[i].unit]);
        for (size_t k = 0; points[i].unit != without && k < points[i].n; k++) {
            const struct analysis_fit_flow *f = &flows[i][k];
            double share = -log(form == ANALYSIS_FIT_EQ6 ? fmax(n, m) : f->incoming ? n : m);
            double off = log(f->rate_bps) - fmin(ln_rate + share, log(f->limit_bps));
            s.weight += weight;
            s.first += weight * (log(f->rate_bps) - share);
            s.squares += weight * off * off;
        }
    }
    return s;
}

TEST(test_sums_of_cells_are_those_of_flows)
{
    static const enum analysis_fit_form forms[] = {ANALYSIS_FIT_EQ5, ANALYSIS_FIT_EQ6};
    for (uint64_t seed = 1; seed <= 20; seed++)
        for (size_t i = 0; i < 2; i++) {
            struct fit_problem q;
            struct fit_theta theta;
            double rss;
            draw(seed, false);
            fit_problem_init(&q, points, POINTS, forms[i], false);
            for (size_t without = 0; without <= UNITS; without++) { /* the last: none */
                q.left_out = FIT_NO_GROUP;
                for (size_t c = 0; c < q.n_cells; c++)
                    q.left_out = points[q.cells[c].point].unit == without ? q.cells[c].group : q.left_out;
                struct sums s = sums_of(forms[i], 0, without);
                double ln_rate = s.first / s.weight;
                assert_true(fit_solve(&q, &theta, &rss));
                assert_near(s.weight, without < UNITS ? UNITS - 1 : UNITS, 1e-9);
                assert_near(theta.ln_rate, ln_rate, 1e-9);
                assert_near(rss, sums_of(forms[i], ln_rate, without).squares, 1e-9);
            }
            fit_problem_fini(&q);
        }
}

/* Whose limit is less than his share is predicted that. */
TEST(test_limits_bound_what_is_predicted)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct fit_problem q;
        struct fit_theta theta;
        double rss;
        draw(seed, true);
        fit_problem_init(&q, points, POINTS, ANALYSIS_FIT_EQ6, false);
        assert_true(fit_solve(&q, &theta, &rss));
        assert_near(rss, sums_of(ANALYSIS_FIT_EQ6, theta.ln_rate, UNITS).squares, 1e-9);
        for (double ln_rate = 10; ln_rate < 20; ln_rate += 0.5)
            assert_near(fit_squares(&q, ln_rate), sums_of(ANALYSIS_FIT_EQ6, ln_rate, UNITS).squares, 1e-9);
        fit_problem_fini(&q);
    }
}
