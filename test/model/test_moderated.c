/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variances that borrow from each other: by hand, and drawn from what is to be found again. */
#include "model/moderated.h"

#include "base/random.h"

#include "test/cm.h"

/* The equations of Smyth 2004, section 6.2, solved apart from this code: digamma and trigamma by their asymptotic series
 * (Abramowitz and Stegun 6.3.18 and 6.4.12), d0 by bisection. */
TEST(test_five_variances_have_the_prior_of_the_published_equations)
{
    const double variance[] = {1e-4, 9e-4, 0.25e-4, 30e-4, 2e-4}, degrees[] = {4, 4, 3, 4, 6};
    struct model_moderated m = model_moderated_find(variance, degrees, 5);
    assert_near(m.degrees, 1.4284356329383892, 1e-6);
    assert_near(m.variance, 0.00015044580979923415, 1e-10);
    assert_near(model_moderated_variance(&m, 30e-4, 4), (1.42843563 * 0.000150445810 + 4 * 30e-4) / 5.42843563, 1e-10);
}

TEST(test_what_has_no_repeats_has_the_prior_variance)
{
    const double variance[] = {1e-4, 0, 9e-4, 0, 3e-4}, degrees[] = {4, 0, 4, 3, 4};
    const double without[] = {1e-4, 9e-4, 3e-4}, their[] = {4, 4, 4};
    struct model_moderated m = model_moderated_find(variance, degrees, 5), n = model_moderated_find(without, their, 3);
    assert_near(m.degrees, n.degrees, 1e-9);
    assert_near(m.variance, n.variance, 1e-15);
    assert_near(model_moderated_variance(&m, 0, 0), m.variance, 1e-15);
    assert_true(isnan(model_moderated_find(variance, degrees, 0).variance));
}

static double chi_square(struct random *r, int degrees)
{
    double sum = 0;
    for (int i = 0; i < degrees; i += 2) /* two at a time: an exponential of mean 2 */
        sum -= 2 * log(((double)(random_next(r) >> 11) + 1) / 9007199254740993.0);
    return sum;
}

TEST(test_what_variances_are_drawn_from_is_found_again)
{
    enum { N = 4000 };
    static double variance[N], degrees[N];
    const int d0[] = {4, 10};
    struct random r = random_of(1);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < N; i++) {
            double sigma2 = d0[k] * 4e-4 / chi_square(&r, d0[k]);
            degrees[i] = 4;
            variance[i] = sigma2 * chi_square(&r, 4) / 4;
        }
        struct model_moderated m = model_moderated_find(variance, degrees, N);
        assert_near(m.degrees, d0[k], 0.15 * d0[k]);
        assert_near(m.variance, 4e-4, 0.05 * 4e-4);
    }
    for (int i = 0; i < N; i++)
        variance[i] = 4e-4 * chi_square(&r, 4) / 4; /* one true variance: its share is nearly all */
    struct model_moderated m = model_moderated_find(variance, degrees, N);
    assert_true(m.degrees > 60);
    assert_near(model_moderated_variance(&m, 40e-4, 4), 4e-4, 2.5e-4);
}
