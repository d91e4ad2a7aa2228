/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/loss.h"

#include "base/random.h"

#include "test/cm.h"

#define IBM416_BUFFER 95 /* packets a port: Table A.1 */

static double output_efficiency(double p, double w, double b, double to_gr, double c, double one_minus_a, double f)
{
    struct error err;
    struct model_loss_output o;
    struct model_loss_flow flow = {p, w, b};
    struct model_loss_chain chain = {c, one_minus_a, f};
    if (!model_loss_output_buffered(&flow, &chain, to_gr, &o, &err))
        fail_msg("%s", err.message);
    assert_false(o.lossless);
    return o.efficiency;
}

struct row {
    double p, w, to_gr, c, one_minus_a, f, measured, predicted;
};

static size_t table_4_1(struct row rows[static 32])
{
    FILE *f = fopen(TEST_PAPERS "/tam2001_table4_1.csv", "r");
    char line[256];
    size_t n = 0;
    assert_non_null(f);
    while (n < 32 && fgets(line, sizeof line, f)) {
        struct row *r = &rows[n];
        if (sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &r->p, &r->w, &r->to_gr, &r->c, &r->one_minus_a, &r->f,
                   &r->measured, &r->predicted) == 8)
            n++;
    }
    fclose(f);
    return n;
}

/* The printed prediction of a row, from the c, 1-a and f printed beside it. Those have four digits: where half a unit
 * of the last one moves the efficiency by more than 0.0005, that much is allowed for, each taken the way it hurts
 * most (efficiency falls with c and 1-a, grows with f). */
static void as_printed(const struct row *r, double b)
{
    const double half = 0.00005;
    double e = output_efficiency(r->p, r->w, b, r->to_gr, r->c, r->one_minus_a, r->f);
    double low = output_efficiency(r->p, r->w, b, r->to_gr, r->c + half, r->one_minus_a + half, r->f - half);
    double high = output_efficiency(r->p, r->w, b, r->to_gr, r->c - half, r->one_minus_a - half, r->f + half);
    print_message("P %2g W %2g TO %4g: %.4f, printed %.4f, error %+.5f, rounding %.4f to %.4f\n", r->p, r->w, r->to_gr,
                  e, r->predicted, e - r->predicted, low, high);
    bool rounding = r->predicted >= low - half && r->predicted <= high + half;
    if (fabs(e - r->predicted) > 0.0005 && !rounding)
        fail_msg("P %g W %g TO %g: %.4f, printed %.4f", r->p, r->w, r->to_gr, e, r->predicted);
}

TEST(test_table_4_1)
{
    struct row rows[32];
    size_t n = table_4_1(rows);
    assert_int_equal(n, 18);
    for (size_t i = 0; i < n; i++)
        as_printed(&rows[i], IBM416_BUFFER);
}

/* Tables 4.2 and 4.4 print no probabilities. Their rows of the IBM 8275-416 that are also in Table 4.1 have them there;
 * the others (Cisco, uplink, W 12 and 30) cannot be computed from what is published. */
TEST(test_tables_4_2_and_4_4_where_4_1_has_the_probabilities)
{
    struct row rows[32];
    size_t n = table_4_1(rows);
    FILE *f = fopen(TEST_PAPERS "/tam2001_switches.csv", "r");
    assert_non_null(f);
    char line[256];
    int checked = 0;
    while (fgets(line, sizeof line, f)) {
        struct row r;
        double b;
        if (sscanf(line, "IBM416,output,%lf,%lf,%lf,%lf,%lf,%lf", &b, &r.p, &r.w, &r.to_gr, &r.measured,
                   &r.predicted) != 6)
            continue;
        for (size_t i = 0; i < n; i++)
            if (fabs(rows[i].p - r.p) + fabs(rows[i].w - r.w) + fabs(rows[i].to_gr - r.to_gr) < 0.5) {
                assert_near(rows[i].measured, r.measured, 1e-9);
                r.c = rows[i].c;
                r.one_minus_a = rows[i].one_minus_a;
                r.f = rows[i].f;
                as_printed(&r, b);
                checked++;
            }
    }
    fclose(f);
    assert_int_equal(checked, 4);
}

/* B_L = 43, W = 60: by hand for P = 15, G + 1 = (43 * 15 - 59)/14 + 1 = 42.857, errors 59/15 + 44 = 47.933:
 * 42.857/90.790 = 0.472; second line 40/(88 - 3) = 0.4706. */
TEST(test_eq_4_2_by_hand)
{
    struct model_loss_input a;
    assert_true(model_loss_input_buffered(&(struct model_loss_flow){15, 60, 43}, &a, &err));
    assert_false(a.lossless);
    assert_near(a.efficiency, 0.472, 0.0005);
    assert_near(a.approximate, 0.4706, 0.0001);
    assert_true(model_loss_input_buffered(&(struct model_loss_flow){7, 60, 43}, &a, &err));
    assert_all_near(0.0005, {a.efficiency, 0.441}, {a.approximate, 0.434});
}

TEST(test_a_window_that_fits_the_buffer_loses_nothing)
{
    struct model_loss_input a;
    struct model_loss_output o;
    assert_true(model_loss_input_buffered(&(struct model_loss_flow){15, 43, 43}, &a, &err));
    assert_true(a.lossless);
    assert_near(a.efficiency, 1, 0);
    assert_true(model_loss_output_buffered(&(struct model_loss_flow){7, 13, 95},
                                           &(struct model_loss_chain){0.02, 0.1, 0.5}, 400, &o, &err));
    assert_true(o.lossless); /* 7 * 13 = 91 <= 95 */
    assert_true(o.contradicted); /* c > 0 was measured on some other flow */
    assert_near(o.efficiency, 1, 0);
    assert_true(model_loss_output_buffered(&(struct model_loss_flow){7, 24, 95},
                                           &(struct model_loss_chain){0, 0, 0}, 400, &o, &err));
    assert_true(o.lossless); /* no Nack ever */
    assert_false(o.contradicted);
    assert_true(isinf(o.packs_per_nack) && isinf(o.nacks_per_timeout) && isinf(o.nack_cycle_gr));
    assert_all_near(0, {o.timeouts_in_a_row, 0}, {o.efficiency, 1});
}

/* Eq. 4.2 as printed, both lines; they differ by what the second drops, (W - 1)/P^2 of its denominator. */
TEST(test_eq_4_2_is_both_of_its_lines)
{
    struct random r = random_of(42);
    for (int i = 0; i < 10000; i++) {
        double p = 2 + (double)random_below(&r, 60), b = 1 + (double)random_below(&r, 300);
        double w = b + 1 + (double)random_below(&r, (uint64_t)(p * b - b) + 1);
        struct model_loss_input a;
        assert_true(model_loss_input_buffered(&(struct model_loss_flow){p, w, b}, &a, &err));
        double good = (b - (w - 1) / p) / (1 - 1 / p);
        assert_near(a.efficiency, (good + 1) / (good + 2 + (w - 1) / p + b), 1e-12);
        double above = b + 1 - w / p, below = 2 * b + 2 - (b + 2) / p;
        assert_all_near(1e-12, {a.approximate, above / below}, {a.efficiency, above / (below - (w - 1) / (p * p))});
        assert_false(a.lossless);
    }
}

/* Section 4.3.2: under half of the bandwidth always, falling with W, hardly moved by P. */
TEST(test_eq_4_2_stays_under_half_and_falls_with_the_window)
{
    for (int p = 5; p <= 23; p++) {
        double before = 0.5;
        for (int w = 50; w <= 120; w++) {
            struct model_loss_input a;
            assert_true(model_loss_input_buffered(&(struct model_loss_flow){p, w, 43}, &a, &err));
            assert_true(a.efficiency > 0 && a.efficiency < before);
            before = a.efficiency;
        }
    }
}

/* Eq. 4.5-4.9 one by one, first row of Table 4.1: 1/0.0218 = 45.87; 1/0.0547 = 18.28; 1/0.5329 = 1.8765;
 * (1.5 + 0.9782/(0.0218 18)) 95 = (1.5 + 2.492864) 95 = 379.3221; and Eq. 4.4 put together from them. */
TEST(test_every_expectation_of_the_chain)
{
    struct model_loss_output o;
    assert_true(model_loss_output_buffered(&(struct model_loss_flow){7, 18, 95},
                                           &(struct model_loss_chain){0.0218, 0.0547, 0.5329}, 400, &o, &err));
    assert_all_near(0.005, {o.packs_per_nack, 45.87}, {o.nacks_per_timeout, 18.28});
    assert_near(o.timeouts_in_a_row, 1.8765, 0.0001);
    assert_near(o.nack_cycle_gr, 379.3221, 0.0002);
    double eq_4_4 = o.nacks_per_timeout * o.packs_per_nack /
                    (o.nacks_per_timeout * o.nack_cycle_gr + o.timeouts_in_a_row * 400);
    assert_all_near(1e-12, {o.sender_efficiency, eq_4_4}, {o.efficiency, 7 * eq_4_4});
}

TEST(test_a_timeout_that_never_ends_leaves_nothing)
{
    struct model_loss_output o;
    struct model_loss_flow flow = {15, 24, 95};
    assert_true(model_loss_output_buffered(&flow, &(struct model_loss_chain){0.02, 0.1, 0}, 400, &o, &err));
    assert_near(o.efficiency, 0, 0);
    assert_true(isinf(o.timeouts_in_a_row));
    assert_true(model_loss_output_buffered(&flow, &(struct model_loss_chain){0.02, 0.1, -0.0}, 0, &o, &err));
    assert_near(o.efficiency, 0, 0);
    assert_true(o.timeouts_in_a_row > 0);
    assert_true(model_loss_output_buffered(&flow, &(struct model_loss_chain){1e-300, 1e-300, 0}, 400, &o, &err));
    assert_near(o.efficiency, 0, 0); /* however rare: 1e-600 is no number, and 0/0 none either */
    /* a = 1: it never comes to a timeout; 15/((0.03 + 0.98/24) 95) = 2.23 */
    assert_true(model_loss_output_buffered(&flow, &(struct model_loss_chain){0.02, -0.0, 0}, 400, &o, &err));
    assert_near(15 * o.sender_efficiency, 2.23, 0.005);
    assert_true(o.nacks_per_timeout > 0 && isinf(o.nacks_per_timeout));
    assert_true(model_loss_output_buffered(&flow, &(struct model_loss_chain){1e-9, 0, 1}, 400, &o, &err));
    assert_true(o.saturated);
    assert_near(o.efficiency, 1, 0);
}

static void refused(struct model_loss_flow flow, struct model_loss_chain chain, double to_gr, const char *word)
{
    struct error err;
    struct model_loss_output o;
    assert_false(model_loss_output_buffered(&flow, &chain, to_gr, &o, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    if (!strstr(err.message, word))
        fail_msg("'%s' is not in '%s'", word, err.message);
}

TEST(test_bad_parameters_are_named)
{
    const struct model_loss_flow flow = {15, 24, 95};
    const struct model_loss_chain chain = {0.02, 0.1, 0.5};
    refused((struct model_loss_flow){0, 24, 95}, chain, 400, "senders");
    refused((struct model_loss_flow){2.5, 24, 95}, chain, 400, "whole");
    refused((struct model_loss_flow){1e308, 24, 95}, chain, 400, "senders: 1e+308");
    refused((struct model_loss_flow){15, NAN, 95}, chain, 400, "window");
    refused((struct model_loss_flow){15, 24, -1}, chain, 400, "buffer");
    refused(flow, (struct model_loss_chain){1.1, 0.1, 0.5}, 400, "c: 1.1");
    refused(flow, (struct model_loss_chain){0.1, -0.1, 0.5}, 400, "1-a: -0.1");
    refused(flow, (struct model_loss_chain){0.1, 0.1, NAN}, 400, "f: nan");
    refused(flow, chain, -1, "timeout");
    refused(flow, chain, INFINITY, "timeout");
    struct model_loss_input a;
    assert_false(model_loss_input_buffered(&(struct model_loss_flow){2, 100, 43}, &a, &err));
    assert_non_null(strstr(err.message, "window: 100"));
}
