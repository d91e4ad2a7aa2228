/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RFC 8033. A load that does not answer tells where the controller settles: offered x times what leaves, it must lose
 * 1 - 1/x of all, whatever its constants are, and hold the delay at the target. */
#include "emu/queues/queue.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

#define MS INT64_C(1000000000)
#define PAYLOAD 982 /* 1000 bytes in the buffer */
#define SERVED_PS MS /* 1000 frames a second leave */

static struct emu_queue q;
static bool markable;
static int64_t n_marked, n_lost, n_offered, waited_ps, n_left;
static int next_id;
static int64_t came_ps[1 << 20];

static bool mark(const struct emu_frame *frame)
{
    n_marked += markable;
    return markable;
}

static void make(struct emu_discipline_parameters parameters, bool can_mark)
{
    static struct emu_frame_ops ops;
    ops = fake_ops;
    ops.mark = mark;
    struct emu_queue_config config = emu_queue_config_default();
    config.discipline = EMU_DISCIPLINE_PIE;
    config.frames = &ops;
    config.seed = 8033;
    config.parameters = parameters;
    fake_reset();
    n_marked = n_lost = n_offered = waited_ps = n_left = 0;
    next_id = 0;
    markable = can_mark;
    emu_queue_init(&q, &config);
}

static void end(void)
{
    assert_ints({q.stats.enqueued, q.stats.dequeued + q.depth_packets}, {q.stats.enqueued + q.stats.dropped, next_id});
    emu_queue_fini(&q, &fake_ops);
    assert_int_equal(fake_live, 0);
}

/* Frames come every `gap_ps` and leave one a millisecond, from from_ps to to_ps; counts what happens. */
static void play(int64_t gap_ps, int64_t from_ps, int64_t to_ps)
{
    int64_t come_ps = from_ps, leave_ps = from_ps;
    n_marked = n_lost = n_offered = waited_ps = n_left = 0;
    while (come_ps < to_ps || leave_ps < to_ps) {
        if (come_ps <= leave_ps) {
            struct emu_frame victim, f = fake_frame(0, 1, PAYLOAD, next_id);
            came_ps[next_id++] = come_ps;
            n_offered++;
            if (!emu_queue_push(&q, &f, 0, come_ps, &victim)) {
                n_lost++;
                fake_ops.release(victim.packet);
            }
            come_ps += gap_ps;
            continue;
        }
        struct emu_frame f;
        if (emu_queue_pop(&q, leave_ps, &f) == EMU_DISCIPLINE_FRAME) {
            waited_ps += leave_ps - came_ps[fake_id(&f)];
            n_left++;
            fake_ops.release(f.packet);
        }
        leave_ps += SERVED_PS;
    }
}

static void settles(double load, double target_ms, struct emu_discipline_parameters parameters)
{
    int64_t gap_ps = (int64_t)((double)SERVED_PS / load);
    make(parameters, false);
    play(gap_ps, 0, 60000 * MS);
    play(gap_ps, 60000 * MS, 300000 * MS);
    assert_true(fabs((double)n_lost / (double)n_offered - (1 - 1 / load)) < 0.005);
    assert_true(fabs((double)waited_ps / (double)n_left / (double)MS / target_ms - 1) < 0.1);
    end();
}

TEST(test_loses_what_is_too_much_and_holds_the_delay)
{
    const struct emu_discipline_parameters usual = {0}, slow = {.target_ps = 40 * MS, .interval_ps = 30 * MS};
    settles(1.05, 15, usual);
    settles(1.1, 15, usual);
    settles(1.5, 15, usual);
    settles(1.2, 40, slow);
}

/* Section 4.4: a burst of 150 ms passes whatever it waits; then it is not one any more. */
TEST(test_lets_the_first_burst_pass)
{
    make((struct emu_discipline_parameters){0}, false);
    play(MS / 4, 0, 150 * MS);
    assert_int_equal(n_lost, 0);
    assert_true(q.depth_packets > 400);
    play(MS / 4, 150 * MS, 3000 * MS);
    assert_true(n_lost > 0);
    play(1000 * MS, 3000 * MS, 30000 * MS); /* empties, and rests */
    play(MS / 4, 30000 * MS, 30150 * MS);
    assert_int_equal(n_lost, 0);
    end();
}

/* Section 5.1: up to 10 % marks take the place of losses; beyond, a sender that does not heed them loses. */
TEST(test_marks_while_little_is_lost)
{
    const struct emu_discipline_parameters ecn = {.ecn = EMU_DISCIPLINE_ECN_TRUE};
    make(ecn, true);
    play(MS * 20 / 21, 0, 1000 * MS); /* 5 % too much: the delay grows, and marks with it */
    assert_true(n_marked > 0);
    assert_int_equal(n_lost, 0);
    play(MS / 2, 1000 * MS, 60000 * MS);
    assert_true(n_lost > 0);
    end();
    make(ecn, false); /* whose ends do not know ECN */
    play(MS * 20 / 21, 0, 20000 * MS);
    assert_true(n_lost > 0);
    end();
}

/* Section 5.2's guard, and Linux's: fewer than two full frames are no queue. */
TEST(test_a_queue_of_two_frames_loses_nothing)
{
    make((struct emu_discipline_parameters){.target_ps = 1000, .interval_ps = MS}, false);
    play(SERVED_PS, 0, 20000 * MS); /* one comes, one leaves */
    assert_int_equal(n_lost, 0);
    end();
}
