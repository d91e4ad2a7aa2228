/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A diagnosis in words: remedies belong to the queue that is to blame, and have a price. */
#include "base/text.h"
#include "view/diagnosis.h"

#include "test/cm.h"

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
TEST(test_remedies_are_for_the_queue_that_costs)
{
    char text[4096], what[VIEW_DIAGNOSIS_TEXT];
    struct analysis_resource r = lost(JUDGE_CAUSE_ACKS, 0, 0.5);
    view_diagnosis_what(&r, what);
    remedies(&r, text);
    assert_string_equal(what, "serve small ACKs first, or flows by turns, in the queue towards 10.0.0.1");
    assert_non_null(strstr(text, "on a switch, at the port to 10.0.0.1"));
    assert_null(strstr(text, "on 10.0.0.1: tc"));
    /* 95 % of what tc counts of 20 Mb/s on the wire: of 1538 bytes 1514 */
    assert_non_null(strstr(text, "cake bandwidth 18703kbit ingress"));
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

TEST(test_an_access_line_has_a_price)
{
    char what[VIEW_DIAGNOSIS_TEXT], text[4096];
    struct analysis_resource r = lost(JUDGE_CAUSE_THIN_ACKS, 0.8, 0);
    r.diagnosis.out.capacity_bps = 2e6;
    view_diagnosis_what(&r, what);
    remedies(&r, text);
    assert_non_null(strstr(what, "shape the slow direction to 1870kbit"));
    assert_non_null(strstr(what, "ACKs take up to 0.6 of the 2 Mb/s out"));
    assert_non_null(strstr(text, "cake bandwidth 1870kbit ack-filter"));
}

/* Whoever shapes to a rate that is only assumed may shape to a wrong one. */
TEST(test_an_assumed_rate_is_left_to_the_reader)
{
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

/* A tbf of 2 Mb/s counts a frame without preamble, gap and FCS. Out go 900 kb/s of data in 1448 bytes each, and ACKs of
 * 8 Mb/s in, one for two of them: 77.7 frames of 1514 bytes and 345.3 of 66 a second, 1.123 Mb/s, take 1.205 Mb/s of
 * wire. So 2.145 Mb/s of wire are 2 Mb/s of tc's, and less is to be typed. */
TEST(test_a_shapers_rate_is_what_tc_counts)
{
    char what[VIEW_DIAGNOSIS_TEXT];
    struct analysis_resource r = lost(JUDGE_CAUSE_THIN_ACKS, 0.8, 0);
    double data = 0.9e6 / 8 / 1448, acks = 8e6 / 8 / 2896;
    double tc = 8 * (1514 * data + 66 * acks), wire = 8 * (1538 * data + 90 * acks);
    r.diagnosis.full_bytes = 1448;
    r.diagnosis.segments_per_ack = 2;
    r.diagnosis.out.carried_bps = 0.9e6;
    r.diagnosis.in.carried_bps = 8e6;
    r.diagnosis.out.capacity_bps = 2e6 * wire / tc;
    assert_true(r.diagnosis.out.capacity_bps > 2.14e6);
    assert_true(judge_diagnosis_tc_bps(&r.diagnosis, &r.diagnosis.out) < 2.000001e6);
    assert_true(judge_diagnosis_tc_bps(&r.diagnosis, &r.diagnosis.out) > 1.999999e6);
    view_diagnosis_what(&r, what);
    assert_true(strstr(what, "to 1900kbit") || strstr(what, "to 1899kbit"));
}

/* What would win nothing is not advised, nor a command that estimates it; of what nobody estimates that is said. */
TEST(test_a_remedy_that_wins_nothing_is_not_shown)
{
    char what[VIEW_DIAGNOSIS_TEXT], text[4096];
    struct analysis_resource r = lost(JUDGE_CAUSE_LOSSES, 0, 0);
    r.diagnosis.answer = JUDGE_ANSWER_NO;
    r.diagnosis.in.carried_bps = r.diagnosis.out.carried_bps = 18e6;
    r.diagnosis.in.room_bps = r.diagnosis.out.room_bps = 18.2e6;
    remedies(&r, text);
    view_diagnosis_what(&r, what);
    assert_strings({text, ""}, {what, "nothing for more bandwidth: the link has no room for it"});
    assert_null(view_diagnosis_command("a.pcap", &r));
    r.diagnosis.in.carried_bps = 10e6;
    remedies(&r, text);
    view_diagnosis_what(&r, what);
    assert_non_null(strstr(text, "fq_codel"));
    assert_string_equal(what, "give the queues that overflow more room, or let them mark (ECN)");
    r.diagnosis.in.source = JUDGE_CAPACITY_ASSUMED;
    view_diagnosis_what(&r, what);
    assert_non_null(strstr(what, "(what that would win does not show)"));
}

/* Ports are no hosts, and nobody types anything on one. */
TEST(test_a_port_is_called_one)
{
    char name[VIEW_DIAGNOSIS_NAME], what[VIEW_DIAGNOSIS_TEXT], text[4096];
    struct analysis_resource r = lost(JUDGE_CAUSE_ACKS, 0, 0.5);
    text_add(r.diagnosis.place, sizeof r.diagnosis.place, "modem-far");
    view_diagnosis_name(&r, name);
    view_diagnosis_what(&r, what);
    remedies(&r, text);
    assert_string_equal(name, "host 10.0.0.1");
    assert_string_equal(what, "serve small ACKs first, or flows by turns, in the queue of the port modem-far");
    assert_non_null(strstr(text, "at the port modem-far: tc qdisc replace dev DEV root fq_codel"));
    assert_null(strstr(text, "on modem-far"));
    r = lost(JUDGE_CAUSE_ACKS, 0.3, 0.3);
    snprintf(r.host, sizeof r.host, "sw0-sw1");
    snprintf(r.also, sizeof r.also, "h2");
    r.port = true;
    view_diagnosis_name(&r, name);
    view_diagnosis_what(&r, what);
    remedies(&r, text);
    assert_string_equal(name, "port sw0-sw1 (the same flows at h2)");
    assert_non_null(strstr(what, "both queues, that of the port sw0-sw1 and the one towards it"));
    assert_null(strstr(text, "on sw0-sw1"));
}

static void flow(struct analysis_check_flow *f, const char *src, const char *dst, bool incoming)
{
    *f = (struct analysis_check_flow){.incoming = incoming};
    snprintf(f->src, sizeof f->src, "%s", src);
    snprintf(f->dst, sizeof f->dst, "%s", dst);
}

TEST(test_a_filter_shows_the_acks_that_wait)
{
    char text[VIEW_DIAGNOSIS_TEXT];
    struct analysis_check_flow flows[6];
    struct analysis_resource r = lost(JUDGE_CAUSE_ACKS, 0, 0.5);
    r.flows = flows;
    r.n = 2;
    flow(&flows[0], "[2001:db8::2]:40000", "[2001:db8::1]:5201", true);
    flow(&flows[1], "[2001:db8::1]:40001", "[2001:db8::3]:5202", false);
    assert_true(view_diagnosis_filter(&r, text)); /* only the outgoing flow loses */
    assert_string_equal(text, "(ipv6.src == 2001:db8::3 && tcp.srcport == 5202 && ipv6.dst == 2001:db8::1 && "
                              "tcp.dstport == 40001 && tcp.len == 0)");
    r.diagnosis.answer = JUDGE_ANSWER_NO;
    assert_true(view_diagnosis_filter(&r, text));
    assert_string_equal(text, "(ipv6.addr == 2001:db8::2 && tcp.port == 40000 && tcp.port == 5201) || "
                              "(ipv6.addr == 2001:db8::3 && tcp.port == 5202 && tcp.port == 40001)");
    r.diagnosis.answer = JUDGE_ANSWER_YES;
    for (int i = 1; i < 6; i++)
        flow(&flows[i], "10.0.0.1:1", "10.0.0.2:2", false);
    r.n = 6;
    assert_true(view_diagnosis_filter(&r, text)); /* of many: all that reach the host */
    assert_string_equal(text, "ip.dst == 10.0.0.1 && tcp.len == 0");
    flow(&flows[0], "h1", "h0", true);
    flow(&flows[1], "h0", "h2", false);
    r.n = 2;
    assert_false(view_diagnosis_filter(&r, text)); /* of a run's flows there are no ports */
}

TEST(test_every_cause_says_what_to_do)
{
    char text[4096], what[VIEW_DIAGNOSIS_TEXT];
    for (int cause = 0; cause < JUDGE_CAUSES; cause++) {
        struct analysis_resource r = lost((enum judge_cause)cause, 0.3, 0.3);
        memset(r.host, 'h', sizeof r.host - 1); /* as long as names get */
        r.diagnosis.in.carried_bps = r.diagnosis.out.carried_bps = 10e6;
        r.diagnosis.in.room_bps = r.diagnosis.out.room_bps = 18e6; /* which windows would fill */
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

static bool says_what_would_tell(const struct analysis_resource *r)
{
    MEMORY_LOCAL char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    view_diagnosis_print(f, "x.pcap", r);
    fclose(f);
    bool says = strstr(text, "what would tell: ") != NULL;
    return says;
}

/* A capture tells less than an experiment has, and what that lacks its reason says. */
TEST(test_a_measurement_asks_for_no_capture)
{
    struct analysis_resource r = lost(JUDGE_CAUSE_UNKNOWN, 0.3, 0.3);
    r.diagnosis.answer = JUDGE_ANSWER_UNKNOWN;
    snprintf(r.diagnosis.why, sizeof r.diagnosis.why, "rates vary too much: a longer --time would tell");
    assert_true(says_what_would_tell(&r));
    r.diagnosis.possible_from = JUDGE_POSSIBLE_MEASURED;
    assert_false(says_what_would_tell(&r));
}

/* Nothing on the way knows QUIC's ACKs; fewer of them are for whoever would win by that. */
TEST(test_quic_has_remedies_of_its_own)
{
    char what[VIEW_DIAGNOSIS_TEXT], text[4096];
    for (int cause = 0; cause < JUDGE_CAUSES; cause++) {
        struct analysis_resource r = lost((enum judge_cause)cause, 0.3, 0.3);
        r.diagnosis.quic = true;
        remedies(&r, text);
        view_diagnosis_what(&r, what);
        assert_true(!strstr(text, "ack-filter") && !strstr(text, "u32") && !strstr(text, "FEWER"));
        assert_true(!strstr(text, "ACK_FREQUENCY") && !strstr(what, "ACKs first"));
    }
    struct analysis_resource r = lost(JUDGE_CAUSE_THIN_PATH, 0, 0);
    r.diagnosis.answer = JUDGE_ANSWER_NO;
    r.diagnosis.quic = true;
    view_diagnosis_what(&r, what);
    remedies(&r, text);
    assert_strings({what, "let receivers send fewer ACKs (what that would win does not show)"}, {text, ""});
    r.diagnosis.fewer_acks_bps = 65.6e6;
    view_diagnosis_what(&r, what);
    remedies(&r, text);
    assert_string_equal(what, "let receivers send fewer ACKs");
    assert_string_equal(text, "in the senders' QUIC: ask for one ACK of 10 packets (ACK_FREQUENCY), which wins another "
                              "65.6 Mb/s\n");
}

TEST(test_the_command_is_one_for_a_shell)
{
    struct analysis_resource r = lost(JUDGE_CAUSE_ACKS, 0, 0.5);
    char *command = view_diagnosis_command("/tmp/no such run/it's.pcap", &r);
    assert_string_equal(command, "contraflow replay '/tmp/no such run/it'\\''s.pcap' --what-if ack-first");
    free(command);
    r.diagnosis.cause = JUDGE_CAUSE_APPLICATION;
    assert_null(view_diagnosis_command("a.pcap", &r));
}
