/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/exchange/exchange.h"

#include "base/random.h"
#include "test/cm.h"

#define US 1e-6

/* The value of a key in Tam's Table 5.2 and the figures his text states. */
static double paper(const char *key)
{
    FILE *f = fopen(TEST_PAPERS "/tam2001_exchange.csv", "r");
    assert_non_null(f);
    char line[200];
    double value = NAN;
    size_t n = strlen(key);
    while (fgets(line, sizeof line, f))
        if (strncmp(line, key, n) == 0 && line[n] == ',')
            value = strtod(line + n + 1, NULL);
    fclose(f);
    assert_true(isfinite(value));
    return value;
}

static struct model_exchange_cost cost_of(const struct model_tam *t, enum model_exchange_algorithm algorithm,
                                          size_t processes, size_t packets, size_t group)
{
    const struct model_exchange x = {processes, packets, group};
    struct model_exchange_cost cost;
    struct error err;
    assert_true(model_exchange_cost(t, algorithm, &x, &cost, &err));
    return cost;
}

TEST(test_defaults_are_table_5_2)
{
    struct model_tam cut = model_tam_default(MODEL_TAM_IBM_326), store = model_tam_default(MODEL_TAM_IBM_416);
    assert_near(cut.send_overhead_s, paper("O_s") * US, 1e-15);
    assert_near(cut.send_gap_s, paper("g_s") * US, 1e-15);
    assert_near(cut.receive_gap_s, paper("g_r") * US, 1e-15);
    assert_near(cut.receive_overhead_s, paper("O_r") * US, 1e-15);
    assert_near(cut.user_overhead_s, paper("U_r") * US, 1e-15);
    assert_near(model_tam_latency_s(&cut, 16), (16 * paper("L_326_per_p") + paper("L_326_const")) * US, 1e-15);
    assert_near(model_tam_latency_s(&store, 16), (16 * paper("L_416_per_p") + paper("L_416_const")) * US, 1e-15);
    assert_true(model_tam_is_full_duplex(&cut, 16) && model_tam_is_full_duplex(&store, 16));
}

TEST(test_bound_is_eq_5_1)
{
    /* 8275-416, p = 16, k = 64: T_w = 12.5 + (264 + 16 * 0.3413) - 123 + 20 + 7 = 185.9608,
     * 64 * 15 * 123 + T_w = 118265.9608 us. */
    struct model_tam t = model_tam_default(MODEL_TAM_IBM_416);
    assert_near(cost_of(&t, MODEL_EXCHANGE_SYNC, 16, 64, 0).bound_s, 118265.9608 * US, 1e-12);
}

TEST(test_sync_reaches_the_bound_and_rounds_cost_t_w)
{
    struct model_tam t = model_tam_default(MODEL_TAM_IBM_416);
    struct model_exchange_cost sync = cost_of(&t, MODEL_EXCHANGE_SYNC, 16, 64, 0);
    assert_near(sync.time_s, sync.bound_s, 0); /* Eq. 5.3 = Eq. 5.1 */
    assert_near(sync.round_s, 185.9608 * US, 1e-12);
    /* Eq. 5.2: 118080 + 15 T_w; Eq. 5.4 with 3 rounds: 118080 + 3 T_w. */
    assert_near(cost_of(&t, MODEL_EXCHANGE_SHIFT, 16, 64, 0).time_s, 120869.412 * US, 1e-12);
    assert_near(cost_of(&t, MODEL_EXCHANGE_GROUP, 16, 64, 5).time_s, 118637.8824 * US, 1e-12);
}

TEST(test_rounds_are_table_5_1)
{
    struct model_tam t = model_tam_default(MODEL_TAM_IBM_326);
    assert_int_equal(cost_of(&t, MODEL_EXCHANGE_SYNC, 16, 1, 0).rounds, 1);
    assert_int_equal(cost_of(&t, MODEL_EXCHANGE_SHIFT, 16, 1, 0).rounds, 15);
    assert_int_equal(cost_of(&t, MODEL_EXCHANGE_PAIRWISE, 16, 1, 0).rounds, 15);
    /* Section 5.4.1: omega = 5 at p = 16 has 3 rounds, omega = 4 at p = 8 has 2. */
    assert_int_equal(cost_of(&t, MODEL_EXCHANGE_GROUP, 16, 1, 5).rounds, 3);
    assert_int_equal(cost_of(&t, MODEL_EXCHANGE_GROUP, 8, 1, 4).rounds, 2);
    /* Section 5.3.2: p rounds for odd p; the shift pattern does not care. */
    assert_int_equal(cost_of(&t, MODEL_EXCHANGE_PAIRWISE, 15, 1, 0).rounds, 15);
    assert_int_equal(cost_of(&t, MODEL_EXCHANGE_SHIFT, 15, 1, 0).rounds, 14);
}

TEST(test_best_measured_sync_is_97_percent_of_the_bound)
{
    /* Section 5.4.1, Fig. 5.3: p = 16, k up to 768, 11.82 MB/s "is 97% of the available bandwidth". */
    struct model_tam t = model_tam_default(MODEL_TAM_IBM_416);
    double predicted = cost_of(&t, MODEL_EXCHANGE_SYNC, 16, 768, 0).node_goodput_bps / 8;
    assert_near(paper("sync_best_416_p16") * 1e6 / predicted, 0.97, 0.005);
}

TEST(test_no_measured_rate_beats_its_prediction)
{
    /* The model has neither loss nor acknowledgements: measured rates are below it, by 8 % at most for long messages
     * (shift on the 416 is the worst: 11.25 of 12.1 MB/s). */
    const struct {
        const char *key;
        enum model_exchange_algorithm algorithm;
        enum model_tam_switch on;
    } rows[] = {
        {"sync_best_416_p16", MODEL_EXCHANGE_SYNC, MODEL_TAM_IBM_416},
        {"group_best_416_p16", MODEL_EXCHANGE_GROUP, MODEL_TAM_IBM_416},
        {"shift_best_416_p16", MODEL_EXCHANGE_SHIFT, MODEL_TAM_IBM_416},
        {"pairwise_best_326_p16", MODEL_EXCHANGE_PAIRWISE, MODEL_TAM_IBM_326},
    };
    for (int i = 0; i < 4; i++) {
        struct model_tam t = model_tam_default(rows[i].on);
        double ratio = 8e6 * paper(rows[i].key) / cost_of(&t, rows[i].algorithm, 16, 768, 5).node_goodput_bps;
        assert_true(ratio < 1 && ratio > 0.92);
    }
}

TEST(test_pairwise_of_four_packets_is_far_from_the_bound)
{
    /* Section 5.4.1, k = 4, p = 16: pairwise has 72 % of the optimum, sync, which the model puts at 100 %, 92 %. With
     * nothing but the rounds of Eq. 5.2 pairwise must be predicted above 72 %, and below 72/92 = 78 % if the
     * implementation loses on pairwise at most what it loses on sync. On the 416: 7566 / (7380 + 15 * 186) = 74 %.
     * (On the 326 the model says 88 %: he does not say which switch, and it cannot be this one.) */
    struct model_tam t = model_tam_default(MODEL_TAM_IBM_416);
    double measured = paper("pairwise_k4_of_optimal"), sync = paper("sync_k4_of_optimal");
    double predicted = cost_of(&t, MODEL_EXCHANGE_PAIRWISE, 16, 4, 0).efficiency;
    assert_true(predicted >= measured && predicted <= measured / sync);
}

static struct model_tam any_parameters(struct random *r)
{
    struct model_tam t = model_tam_default(MODEL_TAM_IBM_326);
    double *const fields[] = {&t.send_overhead_s, &t.send_gap_s,      &t.receive_overhead_s,
                              &t.receive_gap_s,   &t.user_overhead_s, &t.latency_s};
    uint64_t longest_us = random_below(r, 2) ? 300 : 60; /* half of them on a network quicker than its gap */
    for (int i = 0; i < 6; i++)
        *fields[i] = (double)(1 + random_below(r, i == 1 || i == 3 ? 300 : longest_us)) * US;
    return t;
}

TEST(test_nothing_beats_the_bound_and_more_rounds_cost_more)
{
    struct random r = random_of(3);
    int stalls = 0, seamless = 0;
    for (int i = 0; i < 5000; i++) {
        struct model_tam t = any_parameters(&r);
        size_t p = 2 + random_below(&r, 100), k = 1 + random_below(&r, 300), omega = 1 + random_below(&r, p - 1);
        struct model_exchange_cost sync = cost_of(&t, MODEL_EXCHANGE_SYNC, p, k, 0),
                                   group = cost_of(&t, MODEL_EXCHANGE_GROUP, p, k, omega),
                                   pair = cost_of(&t, MODEL_EXCHANGE_PAIRWISE, p, k, 0),
                                   shift = cost_of(&t, MODEL_EXCHANGE_SHIFT, p, k, 0);
        const double slack = 1 + 1e-12; /* rounding of sums */
        assert_true(sync.time_s <= group.time_s * slack && group.time_s <= pair.time_s * slack);
        assert_true(sync.time_s <= shift.time_s * slack && shift.time_s <= pair.time_s * slack);
        assert_true(shift.efficiency > 0 && shift.efficiency <= slack);
        if (p % 2 == 0)
            assert_near(pair.time_s, shift.time_s, 0);
        if (sync.round_s > 0 && p > 2) {
            stalls++;
            assert_true(shift.time_s > sync.time_s);
        } else if (p > 2) { /* g so long that a round drains within it */
            seamless++;
            assert_near(shift.time_s, sync.time_s, 1e-12);
        }
    }
    assert_true(stalls > 100 && seamless > 100);
}

TEST(test_group_of_one_is_pairwise_and_of_all_is_sync)
{
    struct model_tam t = model_tam_default(MODEL_TAM_IBM_326);
    for (size_t p = 2; p <= 64; p++) {
        assert_near(cost_of(&t, MODEL_EXCHANGE_GROUP, p, 7, 1).time_s,
                    cost_of(&t, MODEL_EXCHANGE_PAIRWISE, p, 7, 0).time_s, 1e-12);
        if (p % 2 == 0)
            assert_near(cost_of(&t, MODEL_EXCHANGE_GROUP, p, 7, p - 1).time_s,
                        cost_of(&t, MODEL_EXCHANGE_SYNC, p, 7, 0).time_s, 1e-12);
    }
}

TEST(test_two_processes_exchange_as_in_eq_2_7)
{
    struct random r = random_of(4);
    for (int i = 0; i < 500; i++) {
        struct model_tam t = any_parameters(&r);
        size_t k = 1 + random_below(&r, 100);
        struct model_tam_cost pair;
        assert_true(model_tam_exchange(&t, 2, k, &pair, &err));
        for (int a = 0; a < MODEL_EXCHANGE_ALGORITHMS; a++)
            assert_near(cost_of(&t, (enum model_exchange_algorithm)a, 2, k, 1).time_s, pair.time_s, 1e-12);
    }
}

TEST(test_bad_exchange_is_an_error)
{
    struct model_tam t = model_tam_default(MODEL_TAM_IBM_326);
    const struct {
        struct model_exchange x;
        const char *says;
    } rows[] = {
        {{1, 1, 1}, "processes: 1"},        {{4, 0, 1}, "packets: 0"}, {{4, 1, 0}, "group: 0"},
        {{4, 1, 4}, "group: 4"},            {{4, 900000000000000, 1}, "packets: 900000000000000 to each of 3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model_exchange_cost cost;
        assert_false(model_exchange_cost(&t, MODEL_EXCHANGE_GROUP, &rows[i].x, &cost, &err));
        assert_int_equal(err.code, ERROR_INPUT);
        assert_non_null(strstr(err.message, rows[i].says));
    }
    t.send_gap_s = NAN;
    struct model_exchange_cost cost;
    assert_false(model_exchange_cost(&t, MODEL_EXCHANGE_SYNC, &(struct model_exchange){4, 1, 1}, &cost, &err));
    assert_non_null(strstr(err.message, "g_s"));
}
