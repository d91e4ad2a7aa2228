/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/buffer.h"

#include "base/random.h"

#include "test/cm.h"

/* Points of Eq. A.2: rho = D/A + B/k, 1 below the burst that overflows. */
static size_t burst(struct model_buffer_point points[static 20], double b, double ratio, double noise, uint64_t seed)
{
    struct random r = random_of(seed);
    for (size_t i = 0; i < 20; i++) {
        points[i].burst_packets = 50.0 * (double)(i + 1);
        points[i].success = fmin(1, ratio + b / points[i].burst_packets);
        if (points[i].success < 1)
            points[i].success += noise * ((double)random_below(&r, 2001) / 1000 - 1);
        points[i].success = fmin(points[i].success, 1);
    }
    return 20;
}

TEST(test_an_exact_line_gives_its_buffer)
{
    struct model_buffer_point points[20];
    struct model_buffer_fit fit;
    assert_true(model_buffer_fit(points, burst(points, 95, 1.0 / 7, 0, 1), &fit, &err));
    assert_near(fit.buffer_packets, 95, 1e-9);
    assert_near(fit.intercept, 1.0 / 7, 1e-12);
    assert_near(fit.buffer_std_error, 0, 1e-9);
    assert_int_equal(fit.used, 18); /* bursts of 50 and 100 fit: 95 / (1 - 1/7) = 110.8 */
}

/* By hand, over x = 1/k = 1, 2, 3 hundredths: rho = 0.4, 0.5, 0.9. Means 0.02 and 0.6; slope
 * (0.01 0.2 + 0.01 0.3)/2e-4 = 25; residuals 0.05, -0.1, 0.05, their squares 0.015 with one degree of freedom; error of
 * the slope sqrt(0.015/2e-4) = 8.660; of the intercept 0.1, sqrt(0.015 (1/3 + 4e-4/2e-4)) = 0.18708. */
TEST(test_standard_errors_by_hand)
{
    struct model_buffer_fit fit;
    const struct model_buffer_point points[] = {{100, 0.4}, {50, 0.5}, {100.0 / 3, 0.9}};
    assert_true(model_buffer_fit(points, 3, &fit, &err));
    assert_near(fit.buffer_packets, 25, 1e-9);
    assert_near(fit.buffer_std_error, 8.660, 0.001);
    assert_near(fit.buffer_ci95, 12.706 * 8.660, 0.02);
    assert_near(fit.intercept, 0.1, 1e-12);
    assert_near(fit.intercept_std_error, 0.18708, 0.00001);
}

/* 95 % of intervals hold the truth: of 400, 380 expected, standard deviation 4.4 (noise is uniform, not normal: a
 * little more is covered). */
TEST(test_intervals_cover_the_truth)
{
    int covered = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct model_buffer_point points[20];
        struct model_buffer_fit fit;
        assert_true(model_buffer_fit(points, burst(points, 128, 0.25, 0.02, seed), &fit, &err));
        covered += fabs(fit.buffer_packets - 128) <= fit.buffer_ci95;
    }
    assert_in_range(covered, 360, 397);
}

/* The switches of Table A.1: what S sources and R sinks would show of each, and which architecture it is. */
TEST(test_architectures_of_table_a_1)
{
    static const double s[] = {2, 4, 8, 8, 6}, r[] = {1, 1, 1, 2, 3};
    FILE *f = fopen(TEST_PAPERS "/tam2001_buffers.csv", "r");
    assert_non_null(f);
    char line[256], name[64], architecture[16];
    double b;
    int checked = 0;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%63[^,],%15[^,],%lf", name, architecture, &b) != 3)
            continue;
        bool input = strcmp(architecture, "input") == 0, output = strcmp(architecture, "output") == 0;
        struct model_buffer_signature signatures[5];
        for (int i = 0; i < 5; i++)
            signatures[i] = (struct model_buffer_signature){s[i], r[i], b * (input ? s[i] : output ? r[i] : 1)};
        struct model_buffer_reading reading;
        assert_true(model_buffer_read(signatures, 5, &reading, &err));
        assert_int_equal(reading.architecture,
                         input ? MODEL_BUFFER_INPUT : output ? MODEL_BUFFER_OUTPUT : MODEL_BUFFER_SHARED);
        assert_near(reading.buffer_packets, b, 1e-9 * b);
        checked++;
    }
    fclose(f);
    assert_int_equal(checked, 8);
}

/* By hand, two signatures of one port each way and two: B = 10 of 1 x 1, 24 of 2 x 1, 18 of 1 x 2. A port that sends
 * would have 10, 12, 18: mean 40/3, squares 34.67, spread sqrt(34.67/2) / 13.33 = 0.3122; one that receives 10, 24, 9:
 * mean 43/3, spread 0.5847; a pool 10, 24, 18: mean 52/3, spread 0.4052. */
TEST(test_the_reading_of_least_spread_by_hand)
{
    struct model_buffer_reading reading;
    struct model_buffer_signature s[] = {{1, 1, 10}, {2, 1, 24}, {1, 2, 18}};
    assert_true(model_buffer_read(s, 3, &reading, &err));
    assert_int_equal(reading.architecture, MODEL_BUFFER_INPUT);
    assert_near(reading.buffer_packets, 40.0 / 3, 1e-12);
    assert_near(reading.spread, 0.3122, 0.0001);
    s[2].sources = 0.5;
    assert_false(model_buffer_read(s, 3, &reading, &err));
    assert_non_null(strstr(err.message, "signature 2: 0.5 sources"));
}

TEST(test_what_cannot_be_fitted_is_refused)
{
    struct model_buffer_fit fit;
    struct model_buffer_point points[4] = {{10, 0.9}, {20, 0.8}, {30, 1}, {40, 1}};
    assert_false(model_buffer_fit(points, 4, &fit, &err));
    assert_non_null(strstr(err.message, "2 of 4"));
    points[2] = (struct model_buffer_point){30, 1.5};
    assert_false(model_buffer_fit(points, 4, &fit, &err));
    assert_non_null(strstr(err.message, "point 2"));
    for (int i = 0; i < 4; i++)
        points[i] = (struct model_buffer_point){10, 0.5};
    assert_false(model_buffer_fit(points, 4, &fit, &err));
    assert_non_null(strstr(err.message, "vary"));
    for (int i = 0; i < 4; i++)
        points[i] = (struct model_buffer_point){1e11 + i, 0.5};
    assert_false(model_buffer_fit(points, 4, &fit, &err));
    assert_non_null(strstr(err.message, "too alike"));
    points[0].burst_packets = 1e-320; /* its reciprocal is none */
    assert_false(model_buffer_fit(points, 4, &fit, &err));
    assert_non_null(strstr(err.message, "point 0"));
    const struct model_buffer_point rising[] = {{100, 0.5}, {200, 0.6}, {300, 0.7}};
    assert_false(model_buffer_fit(rising, 3, &fit, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_non_null(strstr(err.message, "must fall"));
    struct model_buffer_reading reading;
    const struct model_buffer_signature alike[] = {{4, 1, 40}, {8, 1, 80}};
    assert_false(model_buffer_read(alike, 2, &reading, &err));
    assert_non_null(strstr(err.message, "sinks must vary"));
}
