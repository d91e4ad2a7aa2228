/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A diagnosis in words: remedies belong to the queue that is to blame, and have a price. */
#include "base/text.h"
#include "view/diagnosis.h"

#include "test/cm.h"

#include <stdlib.h>
#include <string.h>

static struct analysis_resource lost(enum judge_cause cause, double in, double out)
{
    struct judge_way way = {
        .flows = 1, .capacity_bps = 20e6, .source = JUDGE_CAPACITY_DISPERSION, .acks_bps = 0.6e6};
    struct analysis_resource r = {.host = "10.0.0.1", .diagnosed = true};
    r.diagnosis = (struct judge_diagnosis){.answer = JUDGE_ANSWER_YES, .cause = cause, .in = way, .out = way};
    r.diagnosis.in.lost_share = in;
    r.diagnosis.out.lost_share = out;
    return r;
}

/* All remedies as one text. */
static void remedies(const struct analysis_resource *r, char text[static 4096])
{
    char one[VIEW_DIAGNOSIS_TEXT];
    text[0] = '\0';
    for (size_t i = 0; view_diagnosis_remedy(r, i, one); i++)
        text_add(text, 4096, "%s\n", one);
}

/* Outgoing data lose by the queue that their ACKs come in by, incoming data by the host's own. */
static void test_remedies_are_for_the_queue_that_costs(void **state)
{
    (void)state;
    char text[4096], what[VIEW_DIAGNOSIS_TEXT];
    struct analysis_resource r = lost(JUDGE_CAUSE_ACKS, 0, 0.5);
    view_diagnosis_what(&r, what);
    remedies(&r, text);
    assert_string_equal(what, "serve small ACKs first, or flows by turns, in the queue towards 10.0.0.1");
    assert_non_null(strstr(text, "on a switch, at the port to 10.0.0.1"));
    assert_null(strstr(text, "on 10.0.0.1: tc"));
    assert_non_null(strstr(text, "cake bandwidth 19000kbit ingress")); /* 95 % of what the capture shows */
    r = lost(JUDGE_CAUSE_ACKS, 0.5, 0.01);
    view_diagnosis_what(&r, what);
    remedies(&r, text);
    assert_string_equal(what, "serve small ACKs first, or flows by turns, in 10.0.0.1's own queue");
    assert_non_null(strstr(text, "on 10.0.0.1: tc qdisc replace dev DEV root fq_codel"));
    assert_null(strstr(text, "on a switch"));
    r = lost(JUDGE_CAUSE_ACKS, 0.3, 0.25);
    view_diagnosis_what(&r, what);
    remedies(&r, text);
    assert_non_null(strstr(what, "both queues, 10.0.0.1's own and the one towards it"));
    assert_true(strstr(text, "on a switch") && strstr(text, "on 10.0.0.1: tc"));
}

static void test_an_access_line_has_a_price(void **state)
{
    (void)state;
    char what[VIEW_DIAGNOSIS_TEXT], text[4096];
    struct analysis_resource r = lost(JUDGE_CAUSE_THIN_ACKS, 0.8, 0);
    r.diagnosis.out.capacity_bps = 2e6;
    view_diagnosis_what(&r, what);
    remedies(&r, text);
    assert_non_null(strstr(what, "shape the slow direction to 1900kbit"));
    assert_non_null(strstr(what, "ACKs take up to 0.6 of the 2 Mb/s out"));
    assert_non_null(strstr(text, "cake bandwidth 1900kbit ack-filter"));
}

/* Whoever shapes to a rate that is only assumed may shape to a wrong one. */
static void test_an_assumed_rate_is_left_to_the_reader(void **state)
{
    (void)state;
    char text[4096];
    struct analysis_resource r = lost(JUDGE_CAUSE_ACKS, 0, 0.5);
    r.diagnosis.in.source = JUDGE_CAPACITY_ASSUMED;
    remedies(&r, text);
    assert_non_null(strstr(text, "cake bandwidth RATE ingress"));
    const enum judge_cause elsewhere[] = {JUDGE_CAUSE_POLICING, JUDGE_CAUSE_THIN_PATH};
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        r = lost(elsewhere[i], 0, 0);
        remedies(&r, text);
        assert_non_null(strstr(text, "cake bandwidth RATE")); /* none of the link's */
    }
}

static void test_every_cause_says_what_to_do(void **state)
{
    (void)state;
    char text[4096], what[VIEW_DIAGNOSIS_TEXT];
    for (int cause = 0; cause < JUDGE_CAUSES; cause++) {
        struct analysis_resource r = lost((enum judge_cause)cause, 0.3, 0.3);
        memset(r.host, 'h', sizeof r.host - 1); /* as long as names get */
        remedies(&r, text);
        view_diagnosis_what(&r, what);
        assert_true(*text && *what);
        assert_null(strstr(text, "HOST"));
        assert_null(strstr(what, "WHERE"));
        for (const char *line = text, *end; *line; line = end + 1) {
            end = strchr(line, '\n');
            assert_true(end - line < VIEW_DIAGNOSIS_TEXT - 1); /* not cut */
        }
    }
}

static void test_the_command_is_one_for_a_shell(void **state)
{
    (void)state;
    struct analysis_resource r = lost(JUDGE_CAUSE_ACKS, 0, 0.5);
    char *command = view_diagnosis_command("/tmp/no such run/it's.pcap", &r);
    assert_string_equal(command, "contraflow replay '/tmp/no such run/it'\\''s.pcap' --what-if ack-first");
    free(command);
    r.diagnosis.cause = JUDGE_CAUSE_APPLICATION;
    assert_null(view_diagnosis_command("a.pcap", &r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remedies_are_for_the_queue_that_costs),
        cmocka_unit_test(test_an_access_line_has_a_price),
        cmocka_unit_test(test_an_assumed_rate_is_left_to_the_reader),
        cmocka_unit_test(test_every_cause_says_what_to_do),
        cmocka_unit_test(test_the_command_is_one_for_a_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
