/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"
#include "study/predict/exchange.h"

#include "test/scenarios/text.h"

/* 50 us to start a message, and 8 bits / 800 Mb/s = 10 ns for each byte of it. */
#define ALPHA_S 50e-6
#define RATE_BPS 800e6

static struct study_exchange_request request(const char *model)
{
    struct study_exchange_request r = {
        .processes = 4, .packets = NAN, .message_bytes = 1000, .group = NAN, .switches = NAN, .buffer_packets = NAN,
        .control_packets = NAN, .uplink_bps = NAN, .alpha_s = ALPHA_S, .beta_s_per_byte = NAN, .rate_bps = RATE_BPS,
        .beta_free_s_per_byte = NAN, .beta_contended_s_per_byte = NAN, .rho = NAN, .gamma = NAN, .delta_s = NAN,
        .threshold_bytes = NAN, .tam = model_tam_default(MODEL_TAM_IBM_326),
    };
    for (int m = 0; m < STUDY_EXCHANGE_MODELS; m++)
        r.wanted[m] = strcmp(study_exchange_models[m].name, model) == 0;
    return r;
}

static double time_of(const struct study_exchange_request *r)
{
    struct study_exchange_answer a;
    struct error err = {0};
    if (!study_exchange_predict(r, &a, &err))
        fail_msg("%s", err.message);
    assert_int_equal(a.n, 1);
    return a.row[0].time_s;
}

static void rejects(const struct study_exchange_request *r, const char *words)
{
    struct study_exchange_answer a;
    struct error err = {0};
    assert_false(study_exchange_predict(r, &a, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    if (!strstr(err.message, words))
        fail_msg("'%s' is not in '%s'", words, err.message);
}

/* A message takes 50 us + 1000 * 10 ns = 60 us; three of them 180 us. With a shared medium: 3 (50 us + 4 * 10 us). Two
 * gaps of 4 ns and 16 ns, rho a half: 10 ns. Signature: 2 * 180 us + 3 * 100 us, for messages of 500 bytes or more. */
TEST(test_times_are_those_by_hand)
{
    struct study_exchange_request r = request("hockney");
    assert_true(fabs(time_of(&r) - 180e-6) < 1e-12);
    r = request("lower-bound");
    assert_true(fabs(time_of(&r) - 180e-6) < 1e-12);
    r = request("clement");
    assert_true(fabs(time_of(&r) - 270e-6) < 1e-12);
    r = request("two-gap");
    r.rate_bps = (double)NAN;
    r.beta_free_s_per_byte = 4e-9;
    r.beta_contended_s_per_byte = 16e-9;
    r.rho = 0.5;
    assert_true(fabs(time_of(&r) - 180e-6) < 1e-12);
    r = request("signature");
    r.gamma = 2;
    assert_true(fabs(time_of(&r) - 360e-6) < 1e-12);
    r.delta_s = 100e-6;
    r.threshold_bytes = 500;
    assert_true(fabs(time_of(&r) - 660e-6) < 1e-12);
    r.threshold_bytes = 2000;
    assert_true(fabs(time_of(&r) - 360e-6) < 1e-12);
}

TEST(test_a_row_for_each_model_that_is_wanted)
{
    struct study_exchange_answer a;
    struct study_exchange_request r = request("hockney"), tam = request("tam");
    r.wanted[3] = true;
    assert_true(study_exchange_predict(&r, &a, &err));
    assert_int_equal(a.n, 2);
    assert_strings({a.row[0].model, "hockney"}, {a.row[1].model, study_exchange_models[3].name});
    assert_int_equal(a.packets, 0); /* nobody asked */
    assert_true(study_exchange_predict(&tam, &a, &err));
    assert_int_equal(a.n, 5); /* the bound and four algorithms */
    assert_int_equal(a.packets, 1);
    assert_int_equal(a.group, 3); /* all partners: there are fewer than 5 */
}

TEST(test_needs_are_those_of_all_wanted_models)
{
    struct study_exchange_request r = request("hockney");
    assert_int_equal(study_exchange_needs(&r), STUDY_EXCHANGE_LINK);
    r.wanted[0] = true;
    assert_string_equal(study_exchange_models[0].name, "tam");
    assert_int_equal(study_exchange_needs(&r), STUDY_EXCHANGE_LINK | STUDY_EXCHANGE_TAM);
    int all = 0;
    for (int m = 0; m < STUDY_EXCHANGE_MODELS; m++) {
        r.wanted[m] = true;
        assert_true(study_exchange_models[m].needs != 0);
        all |= study_exchange_models[m].needs;
    }
    assert_int_equal(study_exchange_needs(&r), all);
    assert_int_equal(all, STUDY_EXCHANGE_ANY);
}

TEST(test_what_is_missing_is_named)
{
    struct study_exchange_request r = request("hockney");
    r.processes = (double)NAN;
    rejects(&r, "--processes: not given");
    r.processes = 1;
    rejects(&r, "--processes: 1");
    r = request("hockney");
    r.packets = 3;
    rejects(&r, "both given");
    r.packets = r.message_bytes = (double)NAN;
    rejects(&r, "no message size");
    r = request("hockney");
    r.alpha_s = (double)NAN;
    rejects(&r, "--alpha: not given");
    r = request("hockney");
    r.beta_s_per_byte = 1e-9;
    rejects(&r, "--beta and --rate are both given");
    r.beta_s_per_byte = r.rate_bps = (double)NAN;
    rejects(&r, "neither --beta nor --rate");
    r = request("signature");
    rejects(&r, "signature: wants one of");
    r.delta_s = 1e-3;
    rejects(&r, "--gamma: not given");
    r = request("signature");
    r.network = "token-ring";
    rejects(&r, "--network token-ring");
    r = request("hockney");
    r.uplink_bps = 1e9;
    rejects(&r, "--switches is not given");
    r.switches = 3;
    rejects(&r, "4 processes are not the same number on each");
}

/* Times of 2 (P - 1)(alpha + beta m), in a file with other columns, comments and empty lines, without errors. */
TEST(test_a_signature_is_fitted_to_a_file)
{
    char text[2048] = "# by hand\n\nhost,time_s,message_bytes,processes\r\n";
    for (int p = 4; p <= 16; p += 4)
        for (int m = 1000; m <= 100000; m *= 10)
            text_add(text, sizeof text, "x,%.12g,%d,%d\n", 2 * (p - 1) * (ALPHA_S + 8 * m / RATE_BPS), m, p);
    text_write("t.csv", text, strlen(text));
    struct study_exchange_request r = request("signature");
    struct study_exchange_answer a;
    r.fit_path = "t.csv";
    if (!study_exchange_predict(&r, &a, &err))
        fail_msg("%s", err.message);
    assert_int_equal(a.fit_points, 12);
    assert_false(a.fit_weighted);
    assert_int_equal(a.fit.shape, MODEL_SIGNATURE_RATIO);
    assert_all(fabs(a.fit.gamma.value - 2) < 1e-6, fabs(a.row[0].time_s - 360e-6) < 1e-9);
    r.processes = r.message_bytes = (double)NAN; /* the fit alone */
    assert_true(study_exchange_predict(&r, &a, &err));
    assert_int_equal(a.n, 0);
}

TEST(test_lines_that_do_not_fit_are_named)
{
    static const struct {
        const char *text, *words;
    } bad[] = {
        {"", "t.csv:1: empty"},
        {"# nothing\n", "t.csv:1: empty"},
        {"processes,time_s\n", "t.csv:1: no column 'message_bytes'"},
        {"processes,message_bytes,time_s\n\n4,5\n", "t.csv:3: only 2 fields"},
        {"processes,message_bytes,time_s\n4,5,1\n4,5,0\n", "t.csv:3: time_s is '0'"},
        {"processes,message_bytes,time_s\n4,5,1s\n", "t.csv:2: time_s is '1s'"},
        {"processes,message_bytes,time_s,std_error_s\n4,5,1,-1\n", "t.csv:2: std_error_s is '-1'"},
        {"processes,message_bytes,time_s\n2.5,5,1\n", "t.csv:2: processes is 2.5"},
        {"processes,message_bytes,time_s\n1,5,1\n", "t.csv:2: processes is 1"},
        {"processes,message_bytes,time_s\n4,5,1\n", "t.csv: 1 points"},
    };
    struct study_exchange_request r = request("signature");
    r.fit_path = "t.csv";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        text_write("t.csv", bad[i].text, strlen(bad[i].text));
        rejects(&r, bad[i].words);
    }
    r.fit_path = "nowhere.csv";
    rejects(&r, "nowhere.csv: No such file or directory");
    r.fit_path = ".";
    rejects(&r, ".: Is a directory");
}

static int leave(void **state)
{
    remove("t.csv");
    return text_leave(state);
}

CM_GROUP(text_enter, leave)
