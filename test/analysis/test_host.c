/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host with one flow each way, each to a peer of its own, 20 ms each: what waits beside it, and how its frames follow
 * each other, tell whether it is slow, or stopped, or neither. */
#include "analysis/host.h"
#include "test/cm.h"

#define FRAME 1538
#define FRAME_NS INT64_C(12304) /* at 1 Gb/s */

#define SLOTS 4

struct host_case {
    struct analysis_told flow[2];
    struct analysis_wait waits[2][SLOTS];
    struct analysis_evidence evidence[2];
    struct analysis_evidence_set set;
};

static struct analysis_capacity_host frames;

/* Runs of `run` frames, and a pause of so many frames' time after each. */
static void frames_of(struct analysis_spacing *w, int run, int pause)
{
    int64_t t = 0;
    *w = (struct analysis_spacing){.frames = 0};
    for (int i = 0; i < 20000; i++) {
        analysis_spacing_add(w, &(uint32_t){FRAME}, &t, 1, 1);
        t += FRAME_NS * ((i + 1) % run ? 1 : 1 + pause);
    }
}

/* In pairs, at a third of the line each way: nothing to be noted. */
static void frames_usual(void)
{
    frames_of(&frames.in.spacing, 2, 4);
    frames_of(&frames.out.spacing, 2, 4);
}

/* Slots of a leg: means of 100 samples that are 3 ms more than it waits, and of 300 that are 1 ms less; what was before the
 * phase, from 1 to 5 s, or comes after it, is none of it. */
static void host_slots(struct analysis_wait *w, enum analysis_leg leg, double wait_s)
{
    static const double start_s[SLOTS] = {0, 1, 4.9, 5}, more_s[SLOTS] = {7e-3, 3e-3, -1e-3, 9e-3};
    for (int i = 0; i < SLOTS; i++) {
        w[i].start_s = start_s[i];
        w[i].leg_s[leg] = wait_s + more_s[i];
        w[i].leg_samples[leg] = i == 2 ? 300 : 100;
    }
}

/* What waits on the way to the host, and from it, of a round trip of 20 ms. */
static void host_make(struct host_case *c, double in_s, double out_s)
{
    *c = (struct host_case){.flow = {{.incoming = true, .rate_bps = 300e6}, {.rate_bps = 200e6}}};
    for (int i = 0; i < 2; i++) {
        bool incoming = i == 0;
        struct analysis_wait *w = c->waits[i];
        struct analysis_evidence *e = &c->evidence[i];
        enum analysis_leg to = incoming ? ANALYSIS_LEG_DATA_IN : ANALYSIS_LEG_ACK_IN;
        enum analysis_leg from = incoming ? ANALYSIS_LEG_ACK_OUT : ANALYSIS_LEG_DATA_OUT;
        host_slots(w, to, in_s);
        host_slots(w, from, out_s);
        *e = (struct analysis_evidence){.flow = &c->flow[i], .waits = w, .n_waits = SLOTS, .tick_s = 1e-3,
                                        .near_least_s = 20e-6, .far_least_s = 100e-6,
                                        .stamped_s = {20e-6, 20e-6},
                                        .peer = {.family = 4, .bytes = {(uint8_t)(i + 1)}}};
        e->data_wait_s = incoming ? in_s : out_s;
        e->ack_wait_s = incoming ? out_s : in_s;
        e->floor_s = 20e-3 - in_s - out_s;
    }
    c->set = (struct analysis_evidence_set){.flow = c->evidence, .n = 2, .from_s = 1, .to_s = 5};
}

static void host_find(struct host_case *c, const struct analysis_capacity_host *of)
{
    analysis_evidence_prepare(&c->set);
    free(c->set.by_peer);
    c->set.by_peer = NULL;
    analysis_host_find(&c->set, of);
}

TEST(test_waits_before_the_host_are_its_own)
{
    struct host_case c;
    frames_usual();
    host_make(&c, 15e-3, 0.1e-3);
    host_find(&c, &frames);
    assert_int_equal(c.set.host, JUDGE_CAUSE_SLOW_HOST);
    assert_false(c.set.stopped);
    for (int i = 0; i < 2; i++) { /* ACKs first would spare neither flow that */
        assert_true(fabs(c.evidence[i].host_data_s + c.evidence[i].host_ack_s - 15.1e-3) < 1e-9);
        assert_true(fabs(c.evidence[i].host_data_s - c.evidence[i].data_wait_s) < 1e-9);
        assert_true(fabs(c.evidence[i].host_ack_s - c.evidence[i].ack_wait_s) < 1e-9);
        assert_true(fabs(c.evidence[i].floor_s - 4.9e-3) < 1e-9); /* these stay what they are */
    }
    /* All of it on the way to the host. */
    assert_true(fabs(c.evidence[0].data_wait_s - 15.1e-3) < 1e-9 && fabs(c.evidence[0].ack_wait_s) < 1e-9);
    assert_true(fabs(c.evidence[1].ack_wait_s - 15.1e-3) < 1e-9 && fabs(c.evidence[1].data_wait_s) < 1e-9);
}

/* Frames of one tick of the capture's clock seem to come at once, and to rest until the next. */
TEST(test_a_coarse_clock_proves_nothing)
{
    struct host_case c;
    frames_usual();
    host_make(&c, 15e-3, 0.1e-3);
    c.set.stamp_s = 1;
    host_find(&c, &frames);
    assert_int_equal(c.set.host, JUDGE_CAUSE_UNKNOWN);
    assert_false(c.set.stopped);
}

/* What never showed, as the queue stood from the beginning, waits there when the line out does not hold it. */
TEST(test_what_stamps_never_saw_is_before_the_host_where_its_line_rests)
{
    struct host_case c;
    for (int full = 0; full < 2; full++) {
        frames_usual();
        if (full)
            frames_of(&frames.out.spacing, 100, 0);
        host_make(&c, -0.2e-3, -0.1e-3); /* ticks of stamps make no wait, and take none away */
        for (int i = 0; i < 2; i++) {
            for (int loop = 0; loop < ANALYSIS_LOOPS; loop++)
                c.evidence[i].stamped_s[loop] = 15.02e-3;
            c.evidence[i].data_wait_s = i == 0 ? 0 : 15e-3; /* on the side where there is none */
            c.evidence[i].ack_wait_s = i == 0 ? 15e-3 : 0;
            c.evidence[i].floor_s = 5e-3;
        }
        host_find(&c, &frames);
        assert_int_equal(c.set.host, full ? JUDGE_CAUSE_UNKNOWN : JUDGE_CAUSE_SLOW_HOST);
        for (int i = 0; i < 2; i++) {
            assert_true(fabs(c.evidence[i].host_data_s - (full || i == 1 ? 0 : 15e-3)) < 1e-9);
            assert_true(fabs(c.evidence[i].host_ack_s - (full || i == 0 ? 0 : 15e-3)) < 1e-9);
            assert_true(fabs(c.evidence[i].data_wait_s + c.evidence[i].ack_wait_s - 15e-3) < 1e-9);
        }
    }
}

/* Each of these alone leaves the answer as it was. */
TEST(test_a_slow_host_has_to_be_proved)
{
    for (int doubt = 0; doubt < 8; doubt++) {
        struct host_case c;
        frames_usual();
        host_make(&c, doubt == 0 ? 8e-3 : doubt == 1 ? 11e-3 : 15e-3, doubt == 1 ? 8e-3 : 0.1e-3); /* or both sides */
        for (int i = 0; i < 2; i++) {
            c.evidence[i].near_least_s = doubt == 2 ? 150e-6 : 20e-6; /* a link after the tap */
            c.evidence[i].floor_s = doubt == 3 ? 40e-3 : c.evidence[i].floor_s;
        }
        if (doubt == 4)
            c.evidence[1].pauses = true; /* its application takes its time */
        if (doubt == 5)
            host_slots(c.waits[1], ANALYSIS_LEG_ACK_IN, 2.6e-3); /* another queue than the other flow's */
        if (doubt == 6)
            frames_of(&frames.in.spacing, 2, 12); /* too few for a CPU to be busy with: one in 86 us */
        if (doubt == 7)
            frames_of(&frames.in.spacing, 100, 0); /* the tap sees what a full link lets pass */
        host_find(&c, &frames);
        assert_int_equal(c.set.host, JUDGE_CAUSE_UNKNOWN);
        assert_true(c.evidence[0].host_data_s == 0 && c.evidence[0].host_ack_s == 0);
    }
}

/* 40 frames back to back, 0.5 ms, and as long nothing, though all wait for 15 ms. */
TEST(test_a_line_that_rests_though_frames_wait_is_stopped)
{
    struct host_case c;
    frames_usual();
    frames_of(&frames.out.spacing, 40, 40);
    host_make(&c, 0.1e-3, 15e-3);
    host_find(&c, &frames);
    assert_int_equal(c.set.host, JUDGE_CAUSE_PAUSE);
    assert_all(c.set.stopped, c.evidence[0].host_data_s == 0 && c.evidence[0].host_ack_s == 0);
}

TEST(test_a_stop_has_to_be_proved)
{
    for (int doubt = 0; doubt < 7; doubt++) {
        struct host_case c;
        frames_usual();
        frames_of(&frames.out.spacing, doubt == 0 ? 4000 : 40, /* half of 49 ms: a burst in its own queue */
                  doubt == 1 ? 0 : 40);                         /* a full line */
        if (doubt == 4)
            frames_of(&frames.out.spacing, 12, 3); /* a shaper that lets a dozen go at once */
        if (doubt == 5)
            frames_of(&frames.out.spacing, 7, 60); /* few in a row: no queue is behind them */
        host_make(&c, doubt == 6 ? 9e-3 : 0.1e-3, doubt == 6 ? 6e-3 : 15e-3); /* on both sides */
        if (doubt == 2)
            c.evidence[1].peer = c.evidence[0].peer; /* whose link may be full */
        if (doubt == 3)
            c.evidence[0].floor_s = c.evidence[1].floor_s = 40e-3; /* most waits elsewhere */
        host_find(&c, &frames);
        assert_int_equal(c.set.host, JUDGE_CAUSE_UNKNOWN);
        assert_false(c.set.stopped);
    }
}

TEST(test_pause_frames_that_are_seen_need_no_proof)
{
    struct host_case c;
    host_make(&c, 0.1e-3, 0.1e-3);
    c.set.paused = 0.06;
    host_find(&c, NULL);
    assert_int_equal(c.set.host, JUDGE_CAUSE_PAUSE);
    assert_false(c.set.stopped);
    c.set.paused = 0.04;
    host_find(&c, NULL);
    assert_int_equal(c.set.host, JUDGE_CAUSE_UNKNOWN);
}
