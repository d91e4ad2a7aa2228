/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/explain/explanation.h"

#include "test/analysis/segment.h"

#define US INT64_C(1000)
#define SEGMENT 1000

/* Between a and the host 10.0.0.`to`; b is 2. */
static void pass(struct analysis_flows *f, uint8_t to, int64_t time_ns, struct capture_segment s)
{
    uint8_t *b = s.src.bytes[3] == 2 ? &s.src.bytes[3] : &s.dst.bytes[3];
    *b = to;
    feed(f, time_ns, s);
}

/* A flow of 200 ACKed segments, from a or to it. By the handshake b is `b_ns` from the tap and back, and a `a_ns`. */
static void flow_to(struct analysis_flows *f, uint8_t to, enum side data, int64_t b_ns, int64_t a_ns)
{
    enum side back = data == A_TO_B ? B_TO_A : A_TO_B;
    pass(f, to, 0, syn(A_TO_B, 0));
    pass(f, to, b_ns, syn_ack(B_TO_A, 0, 1));
    pass(f, to, b_ns + a_ns, segment(A_TO_B, 1, 0, 1));
    for (uint32_t i = 0; i < 200; i++) {
        pass(f, to, (10 + i) * MS, segment(data, 1 + i * SEGMENT, SEGMENT, 1));
        pass(f, to, (10 + i) * MS + 50 * US, segment(back, 1, 0, 1 + (i + 1) * SEGMENT));
    }
}

static struct study_explanations beside_a(enum side data, int64_t b_ns, int64_t a_ns)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    struct study_explanations x;
    analysis_flows_keep_explanations(f);
    flow_to(f, 2, data, b_ns, a_ns);
    study_explanation_make(&x, f);
    assert_int_equal(x.n, 1);
    return x;
}

/* What answers at once is near (Paxson 1997): a is beside the tap whichever way the data go, and b where it is. */
TEST(test_a_handshake_shows_the_host_beside_the_tap)
{
    static const struct {
        enum side data;
        int64_t b_ns, a_ns;
        uint8_t host; /* 10.0.0.1 is a */
        enum analysis_tap_place tap;
    } rows[] = {{A_TO_B, 10 * MS, 5 * US, 1, ANALYSIS_TAP_SENDER},
                {B_TO_A, 10 * MS, 5 * US, 1, ANALYSIS_TAP_RECEIVER},
                {A_TO_B, 5 * US, 10 * MS, 2, ANALYSIS_TAP_RECEIVER},
                {B_TO_A, 5 * US, 10 * MS, 2, ANALYSIS_TAP_SENDER}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct study_explanations x = beside_a(rows[i].data, rows[i].b_ns, rows[i].a_ns);
        assert_true(x.tap_known);
        assert_ints({x.tap.bytes[3], rows[i].host}, {x.flow[0].tap, rows[i].tap});
        study_explanation_fini(&x);
    }
}

TEST(test_a_tap_in_the_middle_is_beside_nobody)
{
    MEMORY_ENDS(study_explanation_fini) struct study_explanations x = beside_a(A_TO_B, 10 * MS, 10 * MS);
    assert_false(x.tap_known);
}

/* a sends to b and c. It has most flows, whatever one handshake says; where both say it is not here, b is as likely as c. */
TEST(test_the_host_of_most_flows_is_beside_the_tap)
{
    static const struct {
        int64_t b_ns, a_of_b_ns, c_ns, a_of_c_ns;
        uint8_t host; /* 0: nobody knows */
    } rows[] = {{5 * US, 10 * MS, 10 * MS, 10 * MS, 1}, {10 * MS, 5 * US, 5 * US, 10 * MS, 1}, {5 * US, 10 * MS, 5 * US, 10 * MS, 0},
                {10 * MS, 5 * US, 10 * MS, 5 * US, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
        MEMORY_ENDS(study_explanation_fini) struct study_explanations x;
        analysis_flows_keep_explanations(f);
        flow_to(f, 2, A_TO_B, rows[i].b_ns, rows[i].a_of_b_ns);
        flow_to(f, 3, A_TO_B, rows[i].c_ns, rows[i].a_of_c_ns);
        study_explanation_make(&x, f);
        assert_ints({x.n, 2}, {x.tap_known, rows[i].host != 0});
        if (x.tap_known)
            assert_int_equal(x.tap.bytes[3], rows[i].host);
    }
}

static void says(const struct study_explanation *e, const char *wanted)
{
    char text[STUDY_EXPLANATION_TEXT];
    study_explanation_say(e, text);
    assert_string_equal(text, wanted);
}

/* Half of the round trip, and no less, is what a wait must take to be its cause (study/explain/explanation.h). */
TEST(test_the_wait_that_takes_half_of_the_round_trip_is_named)
{
    struct study_explanation e = {.rtt_s = 0.5, .data_wait_s = 0.25, .ack_wait_s = 0.0625, .ack_share = 0.125,
                                  .limit = ANALYSIS_LIMIT_SENDER, .compressed = NAN};
    says(&e, "round trip 500.0 ms; its data wait for 250.0 ms");
    e.ack_share = 0.0625;
    says(&e, "round trip 500.0 ms; its data wait for 250.0 ms, its ACKs hardly do");
    e.data_wait_s = 0.2;
    says(&e, "round trip 500.0 ms; data and ACKs wait alike, or hardly at all");
    e.compressed = 0.25;
    says(&e, "round trip 500.0 ms; its ACKs come in bursts (25 % of groups compressed): between them links may run dry");
    e.ack_wait_s = 0.25;
    e.ack_share = 0.5;
    says(&e, "round trip 500.0 ms; its ACKs wait behind other data for 250.0 ms");
    e.limit = ANALYSIS_LIMIT_APPLICATION;
    says(&e, "round trip 500.0 ms; its ACKs wait behind other data for 250.0 ms");
    e.ack_share = 0.25;
    says(&e, "round trip 500.0 ms; its application sends no more");
    e.limit = ANALYSIS_LIMIT_LOSS;
    e.flow.steady_loss_events = 3;
    says(&e, "round trip 500.0 ms; losses set its rate (3 loss events)");
    e.rtt_s = e.x.wait_s[ANALYSIS_LEG_DATA_OUT] = NAN;
    says(&e, "no timestamps to split its round trip by");
}

TEST(test_limits_that_change_are_listed)
{
    struct study_explanation e = {.phases = {{.end_s = 0.5, .limit = ANALYSIS_LIMIT_SENDER},
                                             {.end_s = 4, .limit = ANALYSIS_LIMIT_RECEIVER}},
                                  .n_phases = 2};
    char text[STUDY_EXPLANATION_TEXT];
    study_explanation_phases(&e, text);
    assert_string_equal(text, "limited by: sender to 0.500 s, receiver to 4.000 s");
    e.n_phases = 1;
    study_explanation_phases(&e, text);
    assert_string_equal(text, "");
}
