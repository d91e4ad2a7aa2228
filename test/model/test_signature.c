/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/exchange/signature.h"

#include "base/random.h"

#include "test/cm.h"

#define assert_relative(a, b, epsilon) assert_near((a) / (b), 1, epsilon)

#define POINTS 13 /* 256 bytes to 1 MB, by powers of two: the thresholds of the paper are among them */
#define SEEDS 400
#define NOISE 0.05

/* A network of the paper. It gives neither alpha nor every beta; these are the wires' own, about. */
struct network {
    const char *name;
    struct model_alltoall_link link;
    size_t processes;
    struct model_alltoall_signature signature; /* from the table */
};

static struct network networks[] = {
    {.name = "fast_ethernet", .link = {60e-6, 8.5e-8}, .processes = 24},
    {.name = "gigabit_ethernet", .link = {60e-6, 8.502e-9}, .processes = 40},
    {.name = "myrinet", .link = {10e-6, 4e-9}, .processes = 24},
};

#define NETWORKS (sizeof networks / sizeof networks[0])

static int read_networks(void **state)
{
    FILE *f = fopen(TEST_PAPERS "/steffenel2006_signatures.csv", "r");
    assert_non_null(f);
    char line[256], name[64];
    size_t found = 0;
    while (fgets(line, sizeof line, f)) {
        struct model_alltoall_signature s = {.threshold_bytes = 0}; /* Myrinet has none */
        if (sscanf(line, "%63[^,],%lf,%lf,%lf", name, &s.gamma, &s.delta_s, &s.threshold_bytes) < 3)
            continue;
        for (size_t i = 0; i < NETWORKS; i++) {
            if (strcmp(name, networks[i].name) != 0)
                continue;
            networks[i].signature = s;
            found++;
        }
    }
    fclose(f);
    return found == NETWORKS ? 0 : -1;
}

static double time_of(const struct network *w, size_t processes, double bytes)
{
    struct error err;
    double time_s;
    assert_true(model_alltoall_contended(&w->link, &w->signature, processes, bytes, &time_s, &err));
    return time_s;
}

static double uniform(struct random *r)
{
    return ((double)(random_next(r) >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct random *r)
{
    double radius = sqrt(-2 * log(uniform(r)));
    return radius * cos(2 * M_PI * uniform(r));
}

/* Times off by a relative error of `noise`; r may be NULL if it is 0. */
static void draw_points(const struct network *w, double noise, struct random *r, struct model_signature_point *points)
{
    for (int i = 0; i < POINTS; i++) {
        double bytes = ldexp(256, i);
        double factor = noise > 0 ? 1 + noise * normal(r) : 1;
        points[i] = (struct model_signature_point){w->processes, bytes, factor * time_of(w, w->processes, bytes), 0};
    }
}

static struct model_signature_fit fit_points(const struct network *w, const struct model_signature_point *points,
                                             size_t n)
{
    struct error err;
    struct model_signature_fit fit;
    assert_true(model_signature_fit(&w->link, points, n, &fit, NULL, &err));
    return fit;
}

TEST(test_exact_times_give_the_paper_s_signatures_back)
{
    for (size_t i = 0; i < NETWORKS; i++) {
        const struct network *w = &networks[i];
        struct model_signature_point points[POINTS];
        draw_points(w, 0, NULL, points);
        struct model_signature_fit fit = fit_points(w, points, POINTS);
        assert_relative(fit.signature.gamma, w->signature.gamma, 1e-9);
        assert_near(fit.signature.delta_s, w->signature.delta_s, 1e-9 * w->signature.delta_s);
        assert_near(fit.signature.threshold_bytes, w->signature.threshold_bytes, 0);
        bool ratio = w->signature.threshold_bytes <= 0;
        assert_ints({fit.shape, ratio ? MODEL_SIGNATURE_RATIO : MODEL_SIGNATURE_THRESHOLD},
                    {fit.n_compatible, ratio ? 0 : 1}, {fit.df, ratio ? POINTS - 1 : POINTS - 2},
                    {fit.n_candidates, POINTS});
        assert_true(fit.scale < 1e-12);
    }
}

TEST(test_several_numbers_of_processes_share_one_signature)
{
    const struct network *w = &networks[1];
    struct model_signature_point points[9];
    size_t n = 0;
    for (size_t processes = 10; processes <= 40; processes += 15)
        for (double bytes = 2048; bytes <= 524288; bytes *= 16)
            points[n++] = (struct model_signature_point){processes, bytes, time_of(w, processes, bytes), 0};
    struct model_signature_fit fit = fit_points(w, points, n);
    assert_relative(fit.signature.gamma, w->signature.gamma, 1e-9);
    assert_relative(fit.signature.delta_s, w->signature.delta_s, 1e-9);
    assert_int_equal(fit.n_candidates, 3);
}

/* N = 400 draws that succeed with p = 0.95 each: 380 -+ 3.29 * sqrt(400 * 0.95 * 0.05) = 380 -+ 14.3 but for one
 * case in a thousand. */
#define COVERED_LEAST 366
#define COVERED_MOST 394

TEST(test_intervals_cover_the_truth_in_95_of_100_draws)
{
    for (size_t i = 0; i < NETWORKS; i++) {
        const struct network *w = &networks[i];
        int gamma = 0, delta = 0, shape = 0, threshold = 0;
        double variance = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct random r = random_of(seed);
            struct model_signature_point points[POINTS];
            draw_points(w, NOISE, &r, points);
            struct model_signature_fit fit = fit_points(w, points, POINTS);
            gamma += fit.gamma.low <= w->signature.gamma && w->signature.gamma <= fit.gamma.high;
            delta += fit.delta_s.low <= w->signature.delta_s && w->signature.delta_s <= fit.delta_s.high;
            shape += fit.shape == (w->signature.delta_s > 0 ? MODEL_SIGNATURE_THRESHOLD : MODEL_SIGNATURE_RATIO);
            threshold += fit.threshold_above_bytes < w->signature.threshold_bytes &&
                         w->signature.threshold_bytes <= fit.threshold_to_bytes;
            variance += fit.scale * fit.scale / SEEDS;
        }
        assert_in_range(gamma, COVERED_LEAST, COVERED_MOST);
        assert_in_range(delta, COVERED_LEAST, COVERED_MOST);
        if (w->signature.delta_s > 0) {
            /* delta is 34 and 8.7 times the rest of the time at M, and the noise 5 %: never missed. */
            assert_ints({shape, SEEDS}, {threshold, SEEDS});
        } else {
            /* delta is seen where there is none in 5 % of draws at most: 20 + 3.09 * sqrt(19) = 33.5 */
            assert_in_range(shape, SEEDS - 33, SEEDS);
        }
        /* s^2 of 400 * 11 degrees of freedom: relative deviation sqrt(2 / 4400) = 2.1 %, times 4 */
        assert_relative(variance, NOISE * NOISE, 0.085);
    }
}

TEST(test_a_threshold_between_sizes_is_bracketed)
{
    struct network w = networks[0];
    w.signature.threshold_bytes = 3000;
    struct model_signature_point points[POINTS];
    draw_points(&w, 0, NULL, points);
    struct model_signature_candidate candidates[POINTS];
    struct model_signature_fit fit;
    assert_true(model_signature_fit(&w.link, points, POINTS, &fit, candidates, &err));
    assert_near(fit.signature.threshold_bytes, 4096, 0); /* the first size that has delta */
    assert_all_near(0, {fit.threshold_above_bytes, 2048}, {fit.threshold_to_bytes, 4096});
    for (int i = 0; i < POINTS; i++) {
        assert_near(candidates[i].threshold_bytes, ldexp(256, i), 0);
        assert_near(candidates[i].above_bytes, i > 0 ? ldexp(256, i - 1) : 0, 0);
        assert_int_equal(candidates[i].compatible, i == 4);
        if (candidates[i].fitted && i != 4)
            assert_true(candidates[i].bic > fit.bic);
    }
}

/* alpha = 0, beta = 1 us/byte, two processes: B = 1, 2, 3, 4 s at 1 to 4 MB. T = 3 + 2 B + e, e = 0.1 (+ - - +), which
 * has no share in 1 or B (sum e = 0, sum e B = 0.1 (1 - 2 - 3 + 4) = 0): gamma = 2, delta = 3, RSS = 0.04. With equal
 * standard errors of 1 s: s^2 = RSS / 2 = 0.02; sum (B - 2.5)^2 = 5; se(gamma) = sqrt(0.02 / 5) = 0.0632456,
 * se(delta) = sqrt(0.02 (1 / 4 + 2.5^2 / 5)) = sqrt(0.03) = 0.1732051. t(0.975, 2) = 4.302653.
 * BIC = 4 ln(0.04 / 4) + 2 ln 4 = -18.4206807 + 2.7725887.
 * With M = 2 MB: sums B^2 = 30, B D = 9, D = 3, B T = 90, D T = 26.9;
 * gamma = (90 * 3 - 9 * 26.9) / (30 * 3 - 81) = 3.1, delta = (26.9 - 9 * 3.1) / 3 = -1/3;
 * r = 2, 1.03333, -0.06667, -0.96667, RSS = 6.0066667; BIC = 4 ln(6.0066667 / 4) + 3 ln 4 = 1.6263029 + 4.1588831. */
static const struct network hand = {.link = {0, 1e-6}, .processes = 2};
static const struct model_signature_point hand_points[] = {{2, 1e6, 5.1, 1}, {2, 2e6, 6.9, 1}, {2, 3e6, 8.9, 1},
                                                           {2, 4e6, 11.1, 1}};

TEST(test_four_points_by_hand)
{
    struct model_signature_fit fit;
    struct model_signature_candidate candidates[4];
    assert_true(model_signature_fit(&hand.link, hand_points, 4, &fit, candidates, &err));
    assert_int_equal(fit.shape, MODEL_SIGNATURE_STARTUP);
    assert_near(fit.signature.threshold_bytes, 0, 0);
    assert_near(fit.gamma.value, 2, 1e-12);
    assert_near(fit.gamma.std_error, 0.0632456, 1e-7);
    assert_all_near(2e-6, {fit.gamma.low, 2 - 4.302653 * 0.0632456}, {fit.gamma.high, 2 + 4.302653 * 0.0632456});
    assert_near(fit.delta_s.value, 3, 1e-12);
    assert_near(fit.delta_s.std_error, 0.1732051, 1e-7);
    assert_near(fit.delta_s.low, 3 - 4.302653 * 0.1732051, 3e-6);
    assert_near(fit.scale, sqrt(0.02), 1e-12);
    assert_near(fit.bic, -15.6480920, 1e-6);
    assert_int_equal(fit.df, 2);
    assert_all_near(1e-12, {candidates[1].gamma, 3.1}, {candidates[1].delta_s, -1.0 / 3});
    assert_near(candidates[1].bic, 5.7851860, 1e-6);
    assert_false(candidates[1].compatible);
}

TEST(test_standard_errors_weigh_the_points)
{
    /* The same, with two more points at 1 and 4 MB, 100 s off and 1e6 times less sure: they add 2 * 1e-8 to
     * RSS and shift gamma and delta by about 100 * 1e-12. */
    struct model_signature_point points[6];
    memcpy(points, hand_points, sizeof hand_points);
    points[4] = (struct model_signature_point){2, 1e6, 105, 1e6};
    points[5] = (struct model_signature_point){2, 4e6, 111, 1e6};
    struct model_signature_fit fit = fit_points(&hand, points, 6);
    assert_all_near(1e-9, {fit.gamma.value, 2}, {fit.delta_s.value, 3});
    assert_near(fit.scale, sqrt(0.04 / 4), 1e-6); /* 6 - 2 degrees of freedom */
    /* All errors ten times larger: the same but for the scale. */
    for (int i = 0; i < 6; i++)
        points[i].std_error_s *= 10;
    struct model_signature_fit wide = fit_points(&hand, points, 6);
    assert_relative(wide.gamma.std_error, fit.gamma.std_error, 1e-9);
    assert_relative(wide.scale, fit.scale / 10, 1e-9);
}

TEST(test_feasible_gls_rests_where_the_weights_are_those_of_its_predictions)
{
    /* sum of w B r = 0 and sum of w D r = 0 with w = 1 / predicted^2, r = T - predicted */
    const struct network *w = &networks[1];
    struct random r = random_of(9);
    struct model_signature_point points[POINTS];
    draw_points(w, NOISE, &r, points);
    struct model_signature_fit fit = fit_points(w, points, POINTS);
    struct network fitted = {.link = w->link, .signature = fit.signature};
    struct network bound = {.link = w->link, .signature = {.gamma = 1}};
    double normal_b = 0, normal_d = 0, size_b = 0, size_d = 0, chisq = 0;
    for (int i = 0; i < POINTS; i++) {
        double predicted_s = time_of(&fitted, w->processes, points[i].bytes);
        double relative = (points[i].time_s - predicted_s) / predicted_s;
        double b = time_of(&bound, w->processes, points[i].bytes) / predicted_s;
        double d = points[i].bytes >= fit.signature.threshold_bytes ? 1 / predicted_s : 0;
        normal_b += b * relative;
        size_b += fabs(b * relative);
        normal_d += d * relative;
        size_d += fabs(d * relative);
        chisq += relative * relative;
    }
    assert_near(normal_b, 0, 1e-9 * size_b);
    assert_near(normal_d, 0, 1e-9 * size_d);
    assert_relative(fit.scale, sqrt(chisq / (POINTS - 2)), 1e-9);
}

TEST(test_order_and_unit_of_the_points_do_not_matter)
{
    struct network w = networks[1];
    struct random r = random_of(11);
    struct model_signature_point points[POINTS], shuffled[POINTS];
    draw_points(&w, NOISE, &r, points);
    struct model_signature_fit fit = fit_points(&w, points, POINTS);
    memcpy(shuffled, points, sizeof points);
    for (size_t i = POINTS - 1; i > 0; i--) {
        size_t j = (size_t)random_below(&r, i + 1);
        struct model_signature_point kept = shuffled[i];
        shuffled[i] = shuffled[j];
        shuffled[j] = kept;
    }
    for (int i = 0; i < POINTS; i++)
        shuffled[i].time_s *= 1000; /* milliseconds, so to say */
    w.link.alpha_s *= 1000;
    w.link.beta_s_per_byte *= 1000;
    struct model_signature_fit other = fit_points(&w, shuffled, POINTS);
    assert_int_equal(other.shape, fit.shape);
    assert_near(other.signature.threshold_bytes, fit.signature.threshold_bytes, 0);
    assert_relative(other.gamma.value, fit.gamma.value, 1e-9);
    assert_relative(other.gamma.std_error, fit.gamma.std_error, 1e-9);
    assert_relative(other.delta_s.high, fit.delta_s.high * 1000, 1e-9);
}

TEST(test_a_negative_start_up_cost_is_no_signature)
{
    /* T = 10 B - 3 at B = 1, 2, 4 ... 32 s: an intercept below 0, which Eq. 5 has no place for. T / B = 7, 8.5, 9.25,
     * 9.625, 9.8125, 9.90625 rises all the way, where a delta would let it jump up and fall; gamma, of equal relative
     * errors, is the mean, 9.015625. */
    struct model_signature_point points[6];
    for (int i = 0; i < 6; i++)
        points[i] = (struct model_signature_point){2, ldexp(1e6, i), ldexp(10, i) - 3, 0};
    struct model_signature_fit fit = fit_points(&hand, points, 6);
    assert_int_equal(fit.shape, MODEL_SIGNATURE_RATIO);
    assert_near(fit.signature.gamma, 9.015625, 1e-9);
    assert_near(fit.signature.delta_s, 0, 0);
    assert_near(fit.delta_s.value, -3, 1e-9); /* what was refused */
    assert_int_equal(fit.n_compatible, 0);
}

TEST(test_a_positive_start_up_cost_is_preferred_to_an_equal_fit_with_a_negative_one)
{
    /* B = 1 and 2 s, T = 1 and 3 s (-+ 0.01): gamma = 2 with delta = -1 for all goes through both means, and so does
     * gamma = 1 with delta = 1 from 2 MB on. RSS = 4e-4 both, k = 2 and 3, so BIC alone would take the first. Of the
     * second, s^2 = 2e-4 and var(delta) = s^2 (1 + 4) / 2: t = 1 / sqrt(5e-4) = 45. */
    const struct model_signature_point points[] = {{2, 1e6, 0.99, 1}, {2, 1e6, 1.01, 1}, {2, 2e6, 2.99, 1},
                                                   {2, 2e6, 3.01, 1}};
    struct model_signature_fit fit = fit_points(&hand, points, 4);
    assert_int_equal(fit.shape, MODEL_SIGNATURE_THRESHOLD);
    assert_all_near(1e-12, {fit.signature.gamma, 1}, {fit.signature.delta_s, 1});
    assert_near(fit.signature.threshold_bytes, 2e6, 0);
    assert_near(fit.delta_s.std_error, sqrt(5e-4), 1e-9);
    assert_int_equal(fit.n_compatible, 1);
}

static void assert_refused(struct model_alltoall_link link, const struct model_signature_point *points, size_t n,
                           const char *words)
{
    struct error err;
    struct model_signature_fit fit = {.df = 77};
    assert_false(model_signature_fit(&link, points, n, &fit, NULL, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_non_null(strstr(err.message, words));
    assert_int_equal(fit.df, 77);
}

static void assert_point_refused(struct model_signature_point bad, const char *words)
{
    struct model_signature_point points[4];
    memcpy(points, hand_points, sizeof points);
    points[2] = bad;
    assert_refused(hand.link, points, 4, words);
}

TEST(test_points_no_signature_can_come_from_are_refused)
{
    assert_refused(hand.link, hand_points, 3, "3 points: want at least 4");
    assert_refused(hand.link, NULL, 0, "0 points: want at least 4");
    const struct model_signature_point one_size[] = {{2, 1e6, 5, 0}, {3, 1e6, 6, 0}, {4, 1e6, 7, 0}, {5, 1e6, 8, 0}};
    assert_refused(hand.link, one_size, 4, "all 4 points are of messages of 1e+06 bytes");
    assert_point_refused((struct model_signature_point){1, 3e6, 8.9, 1}, "point 2: number of processes is 1");
    assert_point_refused((struct model_signature_point){2, 0, 8.9, 1}, "point 2: message is 0 bytes");
    assert_point_refused((struct model_signature_point){2, 3e6, 0, 1}, "point 2: time is 0 s");
    assert_point_refused((struct model_signature_point){2, 3e6, NAN, 1}, "point 2: time is nan s");
    assert_point_refused((struct model_signature_point){2, 3e6, 8.9, -1}, "point 2: standard error is -1 s");
    assert_point_refused((struct model_signature_point){2, 3e6, 8.9, 0}, "point 2: standard error is 0 s");
    assert_point_refused((struct model_signature_point){2, 3e6, 8.9, 1e-200}, "no contention ratio fits");
    assert_refused((struct model_alltoall_link){-1, 1e-6}, hand_points, 4, "alpha is -1 s");
    assert_refused((struct model_alltoall_link){0, 0}, hand_points, 4, "beta is 0 s/byte");
}

CM_GROUP(read_networks, NULL)
