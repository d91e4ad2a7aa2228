/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/predict/models.h"

#include "test/scenarios/text.h"

/* 940 Mb/s of goodput, transfers of 94 MB: 0.8 s alone. */
#define NETWORK "network: {link: {rate: 1Gbps, goodput: 940Mbps}}\ntraffic: {start_spread: 0, flows: ["
#define ALONE NETWORK "{from: h0, to: h1, bytes: 94MB}]}\n"
/* h1 and h2 send to h0, which sends to h3. */
#define TWO_IN_ONE_OUT NETWORK "{from: h1, to: h0, bytes: 94MB}, {from: h2, to: h0, bytes: 94MB}, " \
                               "{from: h0, to: h3, bytes: 94MB}]}\n"
#define ENDLESS NETWORK "{from: h0, to: h1}]}\n"

static const struct study_prediction_options quiet;

/* False: *err. Free *p. */
static bool predict(struct study_prediction *p, const char *yaml, const struct study_model *model,
                    const struct study_prediction_options *options, struct error *err)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = text_load(yaml, NULL);
    MEMORY_ENDS(scenario_pattern_fini) struct scenario_pattern pattern;
    assert_true(scenario_pattern_init(&pattern, &s, err));
    return study_models_predict(p, model, &pattern, options, err);
}

static void completes(const char *model, const char *yaml, size_t transfer, double time_s)
{
    MEMORY_ENDS(study_prediction_fini) struct study_prediction p;
    struct error err = {0};
    if (!predict(&p, yaml, study_models_find(model), &quiet, &err))
        fail_msg("%s: %s", model, err.message);
    if (!(fabs(p.completion_s[transfer] - time_s) < 1e-9))
        fail_msg("%s: transfer %zu takes %.12g s, not %g", model, transfer, p.completion_s[transfer], time_s);
    assert_string_equal(p.model->name, model);
}

TEST(test_every_model_is_found_by_a_name_of_its_own)
{
    size_t n = 0;
    for (const struct study_model *m = study_models; m->name; m++, n++) {
        assert_ptr_equal(study_models_find(m->name), m); /* the first of that name */
        assert_true(strlen(m->summary) > 0);
        assert_non_null(m->run);
        assert_int_equal(m->rule != NULL, m->run == study_prediction_rule);
    }
    assert_true(n >= 8);
    assert_null(study_models_find("eq7"));
    assert_null(study_models_find(""));
}

TEST(test_columns_of_fit_are_1_to_n_each_once)
{
    int seen[32] = {0}, last = 0;
    for (const struct study_model *m = study_models; m->name; m++) {
        assert_in_range(m->fit_column, 0, 31);
        seen[m->fit_column]++;
        last = m->fit_column > last ? m->fit_column : last;
    }
    assert_true(last > 0);
    for (int i = 1; i <= last; i++)
        assert_int_equal(seen[i], 1);
}

/* 8 * 94 MB / 940 Mb/s = 0.8 s; models that know of start-up and headers on the wire are a little off that. */
TEST(test_every_model_gives_a_lone_transfer_the_link)
{
    for (const struct study_model *m = study_models; m->name; m++) {
        MEMORY_ENDS(study_prediction_fini) struct study_prediction p;
        if (!predict(&p, ALONE, m, &quiet, &err))
            fail_msg("%s: %s", m->name, err.message);
        if (!(fabs(p.completion_s[0] / 0.8 - 1) < 0.01))
            fail_msg("%s: a lone transfer takes %g s", m->name, p.completion_s[0]);
        assert_int_equal(p.n_steps, 1);
        assert_near(p.first_bps[0], 940e6, 0.01 * 940e6);
    }
}

/* Eq. 5: the lone outgoing transfer has the link, 0.8 s. Eq. 6: half of it as long as two come in, and these are done
 * after 1.6 s, as is it. Max-min: as Eq. 5. */
TEST(test_rules_differ_where_data_flow_both_ways)
{
    completes("eq5", TWO_IN_ONE_OUT, 2, 0.8);
    completes("maxmin", TWO_IN_ONE_OUT, 2, 0.8);
    completes("eq6", TWO_IN_ONE_OUT, 2, 1.6);
    completes("algorithm1", TWO_IN_ONE_OUT, 2, 1.6);
    completes("fairness", TWO_IN_ONE_OUT, 2, 0.8);
    for (size_t i = 0; i < 2; i++) {
        completes("eq5", TWO_IN_ONE_OUT, i, 1.6);
        completes("eq6", TWO_IN_ONE_OUT, i, 1.6);
    }
}

TEST(test_models_that_need_ends_refuse_an_endless_transfer)
{
    int refused = 0;
    for (const struct study_model *m = study_models; m->name; m++) {
        MEMORY_ENDS(study_prediction_fini) struct study_prediction p;
        bool ok = predict(&p, ENDLESS, m, &quiet, &err);
        assert_int_equal(ok, !m->needs_ends);
        if (ok) {
            assert_true(isinf(p.completion_s[0]));
        } else {
            assert_int_equal(err.code, ERROR_INPUT);
            assert_non_null(strstr(err.message, "transfer 0 never ends"));
            refused++;
        }
    }
    assert_true(refused >= 2); /* fluid and loggp */
}

struct seen {
    size_t calls, active[8];
    const struct study_model *model;
};

static void see(void *user, const struct study_model *model, const struct study_prediction_progress *progress)
{
    struct seen *seen = user;
    assert_ints({progress->orders, 0}, {progress->of, 3}, {progress->number, seen->calls + 1});
    seen->model = model;
    seen->active[seen->calls++] = progress->active;
}

/* Eq. 5: all three, then the two that come in. */
TEST(test_progress_counts_steps_and_who_is_under_way)
{
    struct seen seen = {0};
    MEMORY_ENDS(study_prediction_fini) struct study_prediction p;
    const struct study_model *eq5 = study_models_find("eq5");
    const struct study_prediction_options options = {.progress = see, .user = &seen};
    assert_true(predict(&p, TWO_IN_ONE_OUT, eq5, &options, &err));
    assert_ints({seen.calls, 2}, {seen.active[0], 3}, {seen.active[1], 2});
    assert_ptr_equal(seen.model, eq5);
}

struct orders {
    size_t told, of;
};

static void count_orders(void *user, const struct study_model *model, const struct study_prediction_progress *progress)
{
    struct orders *o = user;
    o->told = progress->number > o->told ? progress->number : o->told;
    o->of = progress->orders;
}

/* Who of those that start together at h0 comes first is drawn: of two alike it changes nothing, and four orders show it; with
 * others in the way more are asked for until the means are known, of at most sixteen; without such there is one. */
TEST(test_a_fluid_asks_as_many_orders_as_its_means_take)
{
    static const char *const flows[] = {
        "{from: h0, to: h1, bytes: 94MB}, {from: h2, to: h3, bytes: 94MB}]}\n",
        "{from: h0, to: h1, bytes: 94MB}, {from: h0, to: h2, bytes: 94MB}]}\n",
        "{from: h0, to: h1, bytes: 100kB}, {from: h0, to: h2, bytes: 100kB}, {from: h0, to: h3, bytes: 1MB}, {from: h4, to: h1, bytes: 300kB}]}\n"};
    static const int told[] = {1, 4, 16};
    for (int i = 0; i < 3; i++) {
        struct orders o = {0};
        char yaml[512];
        MEMORY_ENDS(study_prediction_fini) struct study_prediction p;
        const struct study_prediction_options options = {.progress = count_orders, .user = &o};
        snprintf(yaml, sizeof yaml, "%s%s", NETWORK, flows[i]);
        assert_true(predict(&p, yaml, study_models_find("fluid"), &options, &err));
        assert_ints({o.told, told[i]}, {o.of, i == 0 ? 1 : 16});
    }
}

/* Only the window law has queues: h0's NIC and the port towards it are full, and the round trips wait there. */
TEST(test_the_window_law_alone_keeps_queues)
{
    for (const struct study_model *m = study_models; m->name; m++) {
        MEMORY_ENDS(study_prediction_fini) struct study_prediction p;
        assert_true(predict(&p, TWO_IN_ONE_OUT, m, &quiet, &err));
        assert_int_equal(p.queues.rtt != NULL, m == study_models_find("window"));
        if (p.queues.rtt)
            assert_true(p.queues.rtt[0].data_wait_s > 0 && p.queues.rtt[2].ack_wait_s > 0);
    }
}

CM_GROUP(text_enter, text_leave)
