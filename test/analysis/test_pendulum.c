/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/pendulum_waits.h"
#include "test/analysis/segment.h"

/* Square waves of 100 kB, one second each, out of phase. */
TEST(test_square_waves_that_take_turns)
{
    struct analysis_depth a[20], b[20];
    struct analysis_pendulum p;
    for (int i = 0; i < 20; i++) {
        a[i] = (struct analysis_depth){i, i % 2 ? 0 : 1e5};
        b[i] = (struct analysis_depth){i, i % 2 ? 1e5 : 0};
    }
    assert_true(analysis_pendulum_make(a, 20, b, 20, ANALYSIS_PENDULUM_BUSY, 0, 20, &p, &err));
    assert_all(fabs(p.one - 1) < 1e-12 && fabs(p.both) < 1e-12 && fabs(p.neither) < 1e-12,
               fabs(p.correlation + 1) < 1e-12, fabs(p.period_s - 2) < 1e-9);
    assert_true(analysis_pendulum_make(a, 20, a, 20, ANALYSIS_PENDULUM_BUSY, 0, 20, &p, &err));
    assert_true(fabs(p.both - 0.5) < 1e-12 && fabs(p.neither - 0.5) < 1e-12 && fabs(p.correlation - 1) < 1e-12);
    assert_true(isinf(p.period_s));
}

TEST(test_a_standing_queue_does_not_swing)
{
    const struct analysis_depth full[] = {{0, 3e5}}, ripple[] = {{0, 0}, {1, 1518}, {2, 0}, {3, 3036}, {4, 0}};
    struct analysis_pendulum p;
    assert_true(analysis_pendulum_make(full, 1, ripple, 5, ANALYSIS_PENDULUM_BUSY, 0.5, 10, &p, &err));
    assert_true(fabs(p.one - 1) < 1e-12 && isnan(p.correlation) && isinf(p.period_s));
    assert_true(analysis_pendulum_make(full, 0, ripple, 0, ANALYSIS_PENDULUM_BUSY, 0, 1, &p, &err));
    assert_true(p.neither == 1);
    assert_false(analysis_pendulum_make(full, 1, ripple, 5, ANALYSIS_PENDULUM_BUSY, 1, 1, &p, &err));
}

#define SEGMENT 1000
#define TURN_MS 200

/* One segment at a time. Its sender stamps it 1 ms after it heard the ACK before; it waits 5 ms before the tap in every
 * other turn, or none; its ACK passes 10 ms later. Stamps tick once a millisecond. */
struct source {
    uint16_t port;
    int64_t now_ms, end_ms;
    bool waits_first;
    uint32_t sent;
};

static void send_one(struct analysis_flows *f, struct source *s)
{
    bool waits = (s->now_ms / TURN_MS % 2 == 0) == s->waits_first;
    uint32_t tick = (uint32_t)s->now_ms, echo = tick - 1, heard = tick + (waits ? 15 : 10);
    struct capture_segment data = stamped(A_TO_B, 1 + s->sent * SEGMENT, SEGMENT, 1, tick, echo);
    struct capture_segment ack = stamped(B_TO_A, 1, 0, 1 + (s->sent + 1) * SEGMENT, heard, tick);
    data.src_port = ack.dst_port = s->port;
    feed(f, s->now_ms * MS + (waits ? 5 * MS : 0), data);
    feed(f, heard * MS, ack);
    s->now_ms = heard + 1;
    s->sent++;
}

/* Two flows, one out of the host from 1 s to 9 s, the other into it from 3 s to 11 s; their data wait in turn, 200 ms
 * each. Waits are kept from the 32nd segment on, 0.43 s later, in slots of 1/512 to 1/256 of a flow's time: both are
 * there from 3.43 to 9 s, and of that time one of the two queues stands and the other does not. */
TEST(test_waits_of_two_flows_swing_while_both_are_there)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    analysis_flows_keep_explanations(f);
    struct source s[] = {{1001, 1000, 9000, true, 0}, {1002, 3000, 11000, false, 0}};
    while (s[0].now_ms < s[0].end_ms || s[1].now_ms < s[1].end_ms)
        send_one(f, &s[s[1].now_ms < s[0].now_ms || s[0].now_ms >= s[0].end_ms]);
    struct analysis_pendulum_waits_flow flows[] = {{0, true}, {0, false}};
    struct analysis_flow flow;
    for (size_t slot = 0; slot < analysis_flows_slots(f); slot++)
        if (analysis_flows_get(f, slot, &flow))
            flows[flow.start_s > 2].slot = slot;
    struct analysis_pendulum p;
    double from_s, to_s;
    assert_true(analysis_pendulum_waits_make(f, flows, 2, 2.5e-3, &p, &from_s, &to_s, &err));
    assert_all(fabs(from_s - 3.43) < 0.05 && fabs(to_s - 9) < 0.05, p.one > 0.9 && p.correlation < -0.9,
               fabs(p.period_s - 0.4) < 0.02);
}
