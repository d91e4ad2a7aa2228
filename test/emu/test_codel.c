/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RFC 8289's control law: known drop times, worked out by hand from target 5 ms and interval 100 ms. */
#include "emu/network/port.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

#define MS INT64_C(1000000000)
#define TICK (MS / 10)
#define DROPS 64

/* A queue that is asked for a frame every TICK and never runs low; each frame has waited for sojourn_ps when it is
 * offered. */
static struct emu_queue q;
static int64_t now_ps, drop_ps[DROPS];
static int n_drops, next_id, last_id;

static void offer(int64_t time_ps)
{
    struct emu_frame victim, f = fake_frame(0, 1, 1500, next_id++);
    assert_true(emu_queue_push(&q, &f, 0, time_ps, &victim));
}

static void make(void)
{
    struct emu_queue_config config = emu_queue_config_default();
    config.discipline = EMU_DISCIPLINE_CODEL;
    fake_reset();
    emu_queue_init(&q, &config);
    now_ps = 1000 * MS;
    n_drops = next_id = 0;
    last_id = -1;
}

static void end(void)
{
    assert_ints({q.stats.dropped, n_drops}, {q.stats.enqueued + q.stats.dropped, next_id},
                {q.stats.enqueued, q.stats.dequeued + q.depth_packets},
                {q.stats.enqueued_bytes, q.stats.dequeued_bytes + q.depth_bytes});
    emu_queue_fini(&q, &fake_ops);
    assert_int_equal(fake_live, 0);
}

/* Serves frames that have waited for sojourn_ps, until now_ps is `until_ps`. */
static void serve(int64_t sojourn_ps, int64_t until_ps)
{
    for (; now_ps < until_ps; now_ps += TICK) {
        enum emu_discipline_next next;
        struct emu_frame f;
        do {
            while (q.depth_packets < 4)
                offer(now_ps - sojourn_ps);
            next = emu_queue_pop(&q, now_ps, &f);
            assert_true(next != EMU_DISCIPLINE_EMPTY && fake_id(&f) > last_id);
            last_id = fake_id(&f);
            fake_ops.release(f.packet);
            if (next == EMU_DISCIPLINE_DROP && n_drops < DROPS)
                drop_ps[n_drops++] = now_ps;
        } while (next == EMU_DISCIPLINE_DROP);
    }
}

static void drain(void)
{
    struct emu_frame f;
    while (emu_queue_pop(&q, now_ps, &f) == EMU_DISCIPLINE_FRAME)
        fake_ops.release(f.packet);
}

/* First after an interval above the target, then 100 ms / sqrt(1, 2, 3, ...) apart. */
TEST(test_drops_come_at_interval_over_the_root_of_their_number)
{
    static const double known_ms[] = {100, 200, 270.711, 328.446, 378.446, 423.167, 463.992, 501.788, 537.144, 570.477};
    make();
    int64_t start_ps = now_ps;
    serve(20 * MS, start_ps + 575 * MS);
    assert_int_equal(n_drops, 10);
    for (int i = 0; i < n_drops; i++) { /* at the first tick that is not before */
        double late_ms = (double)(drop_ps[i] - start_ps) / MS - known_ms[i];
        assert_true(late_ms > -0.001 && late_ms < 0.101);
    }
    drain();
    end();
}

TEST(test_waits_below_the_target_lose_nothing)
{
    make(); /* a frame that is offered is served three ticks later */
    serve(5 * MS - 3 * TICK - 1, now_ps + 3000 * MS);
    assert_int_equal(n_drops, 0);
    end();
    make();
    serve(5 * MS - 3 * TICK, now_ps + 3000 * MS);
    assert_in_range(n_drops, 29, 30); /* the frame after a lost one is a tick below: the interval starts again */
    end();
}

TEST(test_one_short_wait_starts_the_interval_again)
{
    make();
    for (int i = 0; i < 10; i++) {
        serve(20 * MS, now_ps + 99 * MS);
        drain();
        serve(1 * MS, now_ps + TICK);
        drain();
    }
    assert_int_equal(n_drops, 0);
    end();
}

TEST(test_the_last_frame_is_never_lost)
{
    make();
    for (int i = 0; i < 100; i++, now_ps += 10 * MS) {
        struct emu_frame f;
        offer(now_ps - 1000 * MS);
        assert_int_equal(emu_queue_pop(&q, now_ps, &f), EMU_DISCIPLINE_FRAME);
        fake_ops.release(f.packet);
    }
    end();
}

/* Six drops, so that count is 6 and lastcount 1; back above the target soon after, the rate goes on from 6 - 1 = 5:
 * 100 ms / sqrt(5) = 44.72 ms from the first drop to the second. After 16 intervals that is forgotten: 100 ms. */
TEST(test_the_rate_of_drops_is_remembered_for_a_while)
{
    static const int64_t rest_ms[] = {50, 2000};
    static const double gap_ms[] = {44.721, 100};
    for (int k = 0; k < 2; k++) {
        make();
        serve(20 * MS, now_ps + 425 * MS); /* drops at 100, ..., 423.2 ms, as above */
        assert_int_equal(n_drops, 6);
        drain();
        serve(1 * MS, now_ps + rest_ms[k] * MS);
        drain();
        int64_t again_ps = now_ps;
        serve(20 * MS, again_ps + 201 * MS);
        assert_true(n_drops >= 8);
        assert_int_equal(drop_ps[6] - again_ps, 100 * MS);
        double late_ms = (double)(drop_ps[7] - drop_ps[6]) / MS - gap_ms[k];
        assert_true(late_ms > -0.001 && late_ms < 0.101);
        drain();
        end();
    }
}

/* At a port: whoever watches frames leave sends another for each, also for one that is dropped on its way out. */
static struct emu_port a, b;
static int64_t received, sent, last_ps;

static void receive(void *owner, int index, const struct emu_frame *frame)
{
    struct emu_clock clock = fake_clock();
    (void)owner, (void)index;
    if (received++ > 0)
        assert_true(emu_clock_now(&clock) - last_ps >= 1538 * 800000); /* a byte at 10 Mb/s takes 800 ns */
    last_ps = emu_clock_now(&clock);
    fake_ops.release(frame->packet);
}

static void left(void *user, const struct emu_frame *frame)
{
    (void)user, (void)frame;
    if (sent++ < 2000) {
        struct emu_frame f = fake_frame(0, 1, 1500, 0);
        emu_port_send(&a, &f);
    }
}

TEST(test_a_port_conserves_frames_that_are_lost_on_their_way_out)
{
    struct emu_queue_config config = emu_queue_config_default();
    struct emu_clock clock = fake_clock();
    config.discipline = EMU_DISCIPLINE_CODEL;
    fake_reset();
    received = sent = 0;
    emu_port_init(&a, "a", &clock, &fake_ops, &config);
    emu_port_init(&b, "b", &clock, &fake_ops, &config);
    b.receive = receive;
    a.watch = (struct emu_port_watch){left, NULL};
    emu_port_connect(&a, &b, &(struct emu_link_config){.rate_bps = 10000000});
    for (int i = 0; i < 50; i++) {
        struct emu_frame f = fake_frame(0, 1, 1500, i);
        emu_port_send(&a, &f);
    }
    fake_run();
    assert_true(a.queue.stats.dropped > 10);
    assert_int_equal(received + a.queue.stats.dropped, 2050);
    assert_true(emu_port_audit(&a, &err));
    emu_port_fini(&a);
    emu_port_fini(&b);
    assert_int_equal(fake_live, 0);
}
