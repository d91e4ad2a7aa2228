/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real Linux, two in and one out at 50 Mb/s, captured at the shared host: test/data/captures/README.md. */
#include "analysis/diagnosis.h"
#include "analysis/rules/check_capture.h"
#include "base/random.h"
#include "test/analysis/segment.h"

static struct analysis_flows *read_capture(const char *name)
{
    struct error err;
    struct analysis_capture capture;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", TEST_CAPTURES, name);
    struct analysis_flows *f = analysis_flows_new();
    assert_non_null(f);
    analysis_flows_keep_explanations(f);
    assert_true(analysis_flows_read(f, path, NULL, NULL, &capture, &err));
    return f;
}

static struct judge_diagnosis diagnosis_of(const char *name)
{
    MEMORY_ENDS(analysis_resources_fini) struct analysis_resources all;
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = read_capture(name);
    analysis_check_capture(f, ANALYSIS_CHECK_TOLERANCE, NULL, &all);
    assert_int_equal(all.n, 1);
    assert_true(all.resource[0].diagnosed);
    struct judge_diagnosis d = all.resource[0].diagnosis;
    return d;
}

/* With ACKs first real Linux gave the flow out 46.4 Mb/s instead of 24. */
TEST(test_fifo_loses_half_of_the_outgoing_direction)
{
    struct judge_diagnosis d = diagnosis_of("fifo-2in-1out.pcap.gz");
    assert_ints({d.answer, JUDGE_ANSWER_YES}, {d.cause, JUDGE_CAUSE_ACKS});
    assert_all(fabs(d.out.possible_bps / 46.4e6 - 1) < 0.03,
               fabs(d.out.lost_share - 0.48) < 0.03 && fabs(d.in.lost_share) < 0.03, d.in.saturated && !d.out.saturated,
               fabs(d.in.capacity_bps / 50e6 - 1) < 0.03);
    assert_int_equal(d.in.source, JUDGE_CAPACITY_DISPERSION);
    assert_true(d.ci95 >= 0.004 && d.ci95 < 0.05); /* what the model leaves out, and what rates vary by */
    assert_true(d.out.ack_wait_s > 0.15 && d.in.data_wait_s > 0.15 && d.in.ack_wait_s < 0.01);
}

TEST(test_ack_first_loses_nothing)
{
    struct judge_diagnosis d = diagnosis_of("ackprio-2in-1out.pcap.gz");
    assert_ints({d.answer, JUDGE_ANSWER_NO}, {d.cause, JUDGE_CAUSE_FULL});
    assert_true(fabs(d.lost_share) < 0.03);
}

TEST(test_shallow_buffers_are_named_losses)
{
    struct judge_diagnosis d = diagnosis_of("shallow-2in-1out.pcap.gz");
    assert_int_equal(d.answer, JUDGE_ANSWER_NO);
    assert_true(d.in.saturated && d.out.saturated);
    assert_int_equal(d.cause, JUDGE_CAUSE_LOSSES);
}

#define MOST 8

/* The host's flows as whoever asks tells of them, over the phase in which they are judged. */
struct asked {
    struct analysis_told told[MOST];
    size_t n;
    double from_s, to_s;
    struct capture_address host;
    uint32_t tag;
};

static void asked_of(const struct analysis_flows *f, struct asked *a)
{
    MEMORY_ENDS(analysis_resources_fini) struct analysis_resources all;
    struct analysis_flow flow;
    analysis_check_capture(f, ANALYSIS_CHECK_TOLERANCE, NULL, &all);
    assert_int_equal(all.n, 1);
    const struct analysis_resource *r = &all.resource[0];
    *a = (struct asked){.n = r->n, .from_s = r->steady_start_s, .to_s = r->end_s};
    assert_true(a->n <= MOST);
    for (size_t i = 0; i < a->n; i++) {
        assert_true(analysis_flows_get(f, r->flows[i].slot, &flow));
        a->host = r->flows[i].incoming ? flow.dst : flow.src;
        a->tag = flow.tag;
        a->told[i] = (struct analysis_told){.slot = r->flows[i].slot, .incoming = r->flows[i].incoming,
                                            .rate_bps = r->flows[i].rate_bps, .loss_events = r->flows[i].loss_events,
                                            .retransmitted = r->flows[i].retransmitted_segments};
    }
}

static struct judge_diagnosis answer(const struct analysis_flows *f, struct asked *a, const double capacity_bps[2])
{
    struct judge_diagnosis d;
    struct analysis_told_ways ways = {.other_bps = {0, 0}};
    for (int i = 0; i < 2; i++)
        ways.capacity_bps[i] = capacity_bps ? capacity_bps[i] : (double)NAN;
    struct analysis_evidence_set gathered = {.n = 0};
    analysis_diagnose(f, &gathered, &a->host, a->tag, a->told, a->n, a->from_s, a->to_s, &ways, &d, NULL, NULL);
    analysis_evidence_free(&gathered);
    return d;
}

/* Asked again the same capture has the same answer, and the same of its flows: floors and waits that make up a
 * direction's means. */
TEST(test_flows_are_told_their_round_trips_and_limits)
{
    struct asked a, b;
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = read_capture("fifo-2in-1out.pcap.gz");
    asked_of(f, &a);
    b = a;
    struct judge_diagnosis d = answer(f, &a, NULL), again = answer(f, &b, NULL);
    assert_int_equal(a.n, 3);
    double in_bps = 0, in_s = 0;
    for (size_t i = 0; i < a.n; i++) {
        const struct analysis_told *t = &a.told[i];
        assert_all(t->floor_s > 0 && t->floor_s < 0.05, t->limit == b.told[i].limit && t->limit != JUDGE_CAUSE_UNKNOWN);
        assert_true(t->limit != JUDGE_CAUSE_APPLICATION && t->limit != JUDGE_CAUSE_RECEIVER); /* iperf3 has neither */
        assert_true(t->floor_s == b.told[i].floor_s && t->ack_wait_s == b.told[i].ack_wait_s);
        assert_true(t->incoming || fabs(t->ack_wait_s - d.out.ack_wait_s) < 1e-12);
        in_bps += t->incoming ? t->rate_bps : 0;
        in_s += t->incoming ? t->rate_bps * t->data_wait_s : 0;
    }
    assert_true(fabs(in_s / in_bps - d.in.data_wait_s) < 1e-9 && fabs(in_bps / d.in.carried_bps - 1) < 1e-9);
    assert_true(d.probability == again.probability && d.ci95 == again.ci95 && d.lost_share == again.lost_share);
    assert_string_equal(d.why, again.why);
}

/* Each slot of the phase has its round trip, and none of another time. */
TEST(test_round_trips_are_those_of_the_phase)
{
    size_t slots[3];
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = read_capture("fifo-2in-1out.pcap.gz");
    for (int i = 0; i < 3; i++) { /* all of it, its first third, the rest */
        struct asked a;
        asked_of(f, &a);
        double third_s = a.from_s + (a.to_s - a.from_s) / 3;
        *(i == 1 ? &a.to_s : &a.from_s) = i == 0 ? a.from_s : third_s;
        struct judge_diagnosis d = answer(f, &a, NULL);
        slots[i] = d.latency.loaded.n;
        assert_int_equal(d.latency.idle.n, 3);
        assert_true(d.latency.loaded.median_s > 0.15 && d.latency.idle.median_s < 0.01);
    }
    assert_int_equal(slots[1] + slots[2], slots[0]);
    assert_near((double)slots[1], (double)slots[0] / 3, (double)slots[0] / 30);
}

/* Of a link of 25.9 Mb/s out 24 are what fits beside ACKs: nothing is lost. One of 50 has room. */
TEST(test_a_capacity_that_is_known_is_taken)
{
    struct asked a;
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = read_capture("fifo-2in-1out.pcap.gz");
    asked_of(f, &a);
    struct judge_diagnosis d = answer(f, &a, (const double[]){50e6, 50e6});
    assert_ints({d.in.source, JUDGE_CAPACITY_KNOWN}, {d.out.source, JUDGE_CAPACITY_KNOWN});
    assert_true(d.in.capacity_bps == 50e6 && d.out.capacity_bps == 50e6);
    assert_int_equal(d.answer, JUDGE_ANSWER_YES);
    double acks_bps = 46.4e6 * 90 / 1448; /* one for each segment, at most */
    d = answer(f, &a, (const double[]){50e6, d.out.carried_bps * 1538 / 1448 + acks_bps / 2});
    assert_int_equal(d.answer, JUDGE_ANSWER_NO);
    assert_true(d.out.saturated);
}

/* Without stamps and without ACKs no wait shows: no yes and no no, and the capture has packets of one way alone. */
TEST(test_without_any_wait_that_shows_nothing_is_sure)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    struct random r = random_of(1);
    analysis_flows_keep_explanations(f);
    for (uint32_t i = 0; i < 4000; i++)
        for (uint8_t k = 0; k < 2; k++) { /* one flow each way, at 8 Mb/s at uneven distances, without an ACK */
            struct capture_segment s = segment(A_TO_B, 1 + i * 1000, 1000, 1);
            (k ? &s.src : &s.dst)->bytes[3] = 9;
            feed(f, i * MS + k * MS / 2 + (int64_t)random_below(&r, MS / 2), s);
        }
    struct asked a;
    asked_of(f, &a);
    struct judge_diagnosis d = answer(f, &a, (const double[]){1e8, 1e8});
    assert_ints({d.answer, JUDGE_ANSWER_UNKNOWN}, {d.cause, JUDGE_CAUSE_ONE_SIDED});
    assert_true(d.in.flows == 1 && d.out.flows == 1 && isnan(a.told[0].ack_wait_s));
    assert_non_null(strstr(d.why, "one way alone"));
}
