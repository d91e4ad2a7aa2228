/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/exchange/alltoall.h"

#include "base/random.h"

#include "test/cm.h"

static const struct model_alltoall_link gigabit = {.alpha_s = 60e-6, .beta_s_per_byte = 8.502e-9};

TEST(test_message_is_startup_and_bytes)
{
    double time_s;
    /* 60 us + 1e6 * 8.502 ns = 60 us + 8502 us */
    assert_true(model_alltoall_message(&gigabit, 1e6, &time_s, &err));
    assert_near(time_s, 8.562e-3, 1e-15);
    assert_true(model_alltoall_message(&gigabit, 0, &time_s, &err));
    assert_near(time_s, 60e-6, 0);
}

TEST(test_bound_is_a_message_for_each_other_process)
{
    double time_s;
    assert_true(model_alltoall_bound(&gigabit, 40, 1e6, &time_s, &err)); /* Eq. 1: 39 * 8.562 ms */
    assert_near(time_s, 0.333918, 1e-12);
    assert_true(model_alltoall_bound(&gigabit, 1, 1e6, &time_s, &err));
    assert_near(time_s, 0, 0);
}

TEST(test_shared_medium_multiplies_the_bytes_alone)
{
    double time_s;
    assert_true(model_alltoall_shared(&gigabit, 4, 1e6, &time_s, &err)); /* 60 us + 4 * 8502 us */
    assert_near(time_s, 34.068e-3, 1e-14);
}

TEST(test_two_gaps_give_the_paper_s_synthetic_gap)
{
    struct model_alltoall_gaps gaps = model_alltoall_gaps_default();
    double beta, rho;
    assert_true(model_alltoall_gap(&gaps, &beta, &err));
    assert_near(beta, 4.6742e-8, 0.5e-12); /* section 6, to the digits printed */
    assert_true(model_alltoall_rho(&gaps, 4.6742e-8, &rho, &err));
    assert_near(rho, 0.5, 1e-5); /* half a last digit, 0.5e-12, over beta_C - beta_F = 7.6e-8 */
    gaps.rho = 0;
    assert_true(model_alltoall_gap(&gaps, &beta, &err));
    assert_near(beta, 8.502e-9, 0);
    gaps.rho = 1;
    assert_true(model_alltoall_gap(&gaps, &beta, &err));
    assert_near(beta, 8.498189e-8, 0);
}

TEST(test_default_gaps_are_those_of_the_table)
{
    FILE *f = fopen(TEST_PAPERS "/steffenel2006_signatures.csv", "r");
    assert_non_null(f);
    char line[256];
    int found = 0;
    while (fgets(line, sizeof line, f)) {
        double free_gap, contended_gap;
        if (sscanf(line, "gigabit_ethernet,%*[^,],%*[^,],%*[^,],%lf,%lf", &free_gap, &contended_gap) != 2)
            continue;
        struct model_alltoall_gaps gaps = model_alltoall_gaps_default();
        assert_all_near(0, {gaps.free_s_per_byte, free_gap}, {gaps.contended_s_per_byte, contended_gap});
        found++;
    }
    fclose(f);
    assert_int_equal(found, 1);
}

TEST(test_signature_charges_delta_for_each_message_from_the_threshold_on)
{
    const struct model_alltoall_signature s = {.gamma = 4.3628, .delta_s = 4.93e-3, .threshold_bytes = 8192};
    double below_s, at_s;
    /* Gigabit Ethernet of section 8.2, 40 processes. 39 * (60 us + 8191 * 8.502 ns) * 4.3628:
     * 8191 * 8.502e-9 = 69.639882e-6, + 60e-6 = 129.639882e-6, * 4.3628 = 565.592877e-6, * 39 = 22.0581222e-3 */
    assert_true(model_alltoall_contended(&gigabit, &s, 40, 8191, &below_s, &err));
    assert_near(below_s, 22.0581222e-3, 1e-10);
    /* One byte more: 39 * 8.502e-9 * 4.3628 = 1.446608e-6, and 39 * 4.93 ms = 192.27 ms, not 4.93 ms */
    assert_true(model_alltoall_contended(&gigabit, &s, 40, 8192, &at_s, &err));
    assert_near(at_s - below_s, 192.27e-3 + 1.446608e-6, 1e-11);
}

TEST(test_signature_without_delta_scales_the_bound)
{
    const struct model_alltoall_signature s = {.gamma = 2.49754};
    double time_s, bound_s;
    assert_true(model_alltoall_contended(&gigabit, &s, 24, 65536, &time_s, &err)); /* Eq. 4 */
    assert_true(model_alltoall_bound(&gigabit, 24, 65536, &bound_s, &err));
    assert_near(time_s / bound_s, 2.49754, 1e-12);
}

TEST(test_bounds_of_equal_messages_are_proposition_1)
{
    double bytes[16], time_s;
    for (int i = 0; i < 16; i++)
        bytes[i] = 1e6;
    bytes[5] = NAN; /* what process 1 keeps does not matter */
    struct model_alltoall_bounds b;
    assert_true(model_alltoall_bounds(&gigabit, bytes, 4, &b, &err));
    assert_true(model_alltoall_bound(&gigabit, 4, 1e6, &time_s, &err));
    assert_int_equal(b.startups, 3);
    assert_true(b.claim3);
    assert_all_near(1e-15, {b.rounds_s, time_s}, {b.port_s, time_s});
}

TEST(test_bounds_take_the_worst_port_of_either_direction)
{
    /* 0 sends 3 messages of 1 kB; 1 and 2 send 3 MB and 2 MB to 3, which also has 1 kB from 0. */
    double bytes[16] = {0};
    bytes[1] = bytes[2] = bytes[3] = 1e3;
    bytes[1 * 4 + 3] = 3e6;
    bytes[2 * 4 + 3] = 2e6;
    struct model_alltoall_bounds b;
    assert_true(model_alltoall_bounds(&(struct model_alltoall_link){1e-3, 1e-9}, bytes, 4, &b, &err));
    assert_int_equal(b.startups, 3);
    assert_all_near(1e-15, {b.send_s, 3e-3}, {b.receive_s, 5.001e-3}, {b.bytes_s, 5.001e-3});
    assert_near(b.port_s, 8.001e-3, 1e-15); /* process 3 receives: 3 * 1 ms + 5.001 ms */
    assert_true(b.claim3);
}

TEST(test_claim_3_needs_one_process_and_one_direction)
{
    /* 0 sends 3 messages of 1 kB and receives one of 1 MB: both maxima are its own, and yet, sending while it
     * receives, max(3 * 1 ms + 3 us, 1 ms + 1 ms) = 3.003 ms is enough. Claim 3 would say 4 ms. */
    double bytes[16] = {0};
    bytes[1] = bytes[2] = bytes[3] = 1e3;
    bytes[1 * 4 + 0] = 1e6;
    struct model_alltoall_bounds b;
    assert_true(model_alltoall_bounds(&(struct model_alltoall_link){1e-3, 1e-9}, bytes, 4, &b, &err));
    assert_false(b.claim3);
    assert_all_near(1e-15, {b.rounds_s, 4e-3}, {b.port_s, 3.003e-3});
}

TEST(test_port_bound_is_between_claims_2_and_3)
{
    struct random r = random_of(17);
    int strict = 0;
    for (int round = 0; round < 200; round++) {
        size_t n = 2 + (size_t)random_below(&r, 7);
        double bytes[64], transposed[64];
        for (size_t i = 0; i < n * n; i++)
            bytes[i] = random_below(&r, 2) ? (double)random_below(&r, 1000000) : 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                transposed[j * n + i] = bytes[i * n + j];
        struct model_alltoall_bounds b, t;
        assert_true(model_alltoall_bounds(&gigabit, bytes, n, &b, &err));
        assert_true(model_alltoall_bounds(&gigabit, transposed, n, &t, &err));
        double epsilon = 1e-12 * b.rounds_s;
        assert_all(b.port_s >= b.bytes_s - epsilon, b.port_s <= b.rounds_s + epsilon);
        if (b.claim3)
            assert_near(b.port_s, b.rounds_s, epsilon);
        else
            strict++;
        assert_near(b.send_s, t.receive_s, epsilon); /* turning every arc round swaps the directions */
        assert_near(b.port_s, t.port_s, epsilon);
        assert_int_equal(b.claim3, t.claim3);
    }
    assert_in_range(strict, 1, 199); /* both kinds were met */
}

static void assert_names(const struct error *err, const char *word)
{
    assert_int_equal(err->code, ERROR_INPUT);
    assert_non_null(strstr(err->message, word));
}

TEST(test_bad_input_is_named)
{
    double x = 7;
    const struct model_alltoall_link ok = gigabit;
    assert_false(model_alltoall_message(&(struct model_alltoall_link){-1, 1e-9}, 1, &x, &err));
    assert_names(&err, "alpha is -1 s");
    assert_false(model_alltoall_message(&(struct model_alltoall_link){0, 0}, 1, &x, &err));
    assert_names(&err, "beta is 0");
    assert_false(model_alltoall_message(&ok, NAN, &x, &err));
    assert_names(&err, "message is nan");
    assert_false(model_alltoall_bound(&ok, 0, 1, &x, &err));
    assert_names(&err, "processes is 0");
    assert_false(model_alltoall_shared(&ok, 0, 1, &x, &err));
    assert_names(&err, "processes is 0");
    assert_false(model_alltoall_contended(&ok, &(struct model_alltoall_signature){0, 0, 0}, 2, 1, &x, &err));
    assert_names(&err, "gamma is 0");
    assert_false(model_alltoall_contended(&ok, &(struct model_alltoall_signature){1, -1, 0}, 2, 1, &x, &err));
    assert_names(&err, "delta is -1");
    assert_false(model_alltoall_contended(&ok, &(struct model_alltoall_signature){1, 1, INFINITY}, 2, 1, &x, &err));
    assert_names(&err, "threshold M is inf");
    struct model_alltoall_gaps gaps = model_alltoall_gaps_default();
    assert_false(model_alltoall_rho(&gaps, 8e-9, &x, &err));
    assert_names(&err, "beta is 8e-09");
    gaps.rho = 1.5;
    assert_false(model_alltoall_gap(&gaps, &x, &err));
    assert_names(&err, "rho is 1.5");
    gaps.contended_s_per_byte = 1e-9;
    assert_false(model_alltoall_gap(&gaps, &x, &err));
    assert_names(&err, "beta_C is 1e-09");
    gaps.contended_s_per_byte = gaps.free_s_per_byte;
    assert_false(model_alltoall_rho(&gaps, gaps.free_s_per_byte, &x, &err));
    assert_names(&err, "two different gaps");
    assert_false(model_alltoall_bound(&(struct model_alltoall_link){0, 1e300}, 1, 1e300, &x, &err)); /* 0 * inf */
    assert_names(&err, "beyond the range");
    struct model_alltoall_bounds b;
    assert_false(model_alltoall_bounds(&ok, (const double[]){0, -3, 0, 0}, 2, &b, &err));
    assert_names(&err, "from process 0 to 1 is -3");
    assert_near(x, 7, 0); /* no answer was given */
}
