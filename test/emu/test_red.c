/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Floyd and Jacobson 1993, by hand. With min 15000 and max 45000 a burst is floor(75000 / 3000) = 25 frames, and the
 * largest W = 2^-n with 25 + 1 - 15 <= (1 - (1 - W)^25) / W is 1/16 (7.7 for 1/8, 12.8 for 1/16). */
#include "emu/queues/queue.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

#define MS INT64_C(1000000000)
#define PAYLOAD 982 /* 1000 bytes in the buffer */

static struct emu_queue q;
static bool markable;
static int n_marked, next_id;
static struct emu_discipline_parameters parameters = {.min_bytes = 15000, .max_bytes = 45000};

static bool mark(const struct emu_frame *frame)
{
    n_marked += markable;
    return markable;
}

static void make(double probability, enum emu_discipline_ecn ecn, uint64_t seed)
{
    static struct emu_frame_ops ops;
    ops = fake_ops;
    ops.mark = mark;
    struct emu_queue_config config = emu_queue_config_default();
    config.discipline = EMU_DISCIPLINE_RED;
    config.frames = &ops;
    config.seed = seed;
    config.parameters = parameters;
    config.parameters.probability = probability;
    config.parameters.ecn = ecn;
    fake_reset();
    n_marked = next_id = 0;
    markable = true;
    emu_queue_init(&q, &config);
}

static void end(void)
{
    assert_ints({q.stats.enqueued, q.stats.dequeued + q.depth_packets}, {q.stats.enqueued + q.stats.dropped, next_id});
    emu_queue_fini(&q, &fake_ops);
    assert_int_equal(fake_live, 0);
}

static bool push(int64_t now_ps)
{
    struct emu_frame victim, f = fake_frame(0, 1, PAYLOAD, next_id++);
    if (emu_queue_push(&q, &f, 0, now_ps, &victim))
        return true;
    fake_ops.release(victim.packet);
    return false;
}

static bool pop(int64_t now_ps)
{
    struct emu_frame f;
    if (emu_queue_pop(&q, now_ps, &f) != EMU_DISCIPLINE_FRAME)
        return false;
    fake_ops.release(f.packet);
    return true;
}

/* Frames that only come: the k-th (k = 0, 1, ...) finds 1000 k bytes, and mean_k = mean + (1000 k - mean) / 16 =
 * 1000 k - 15000 (1 - (15/16)^k) passes max where k - 15 (1 - (15/16)^k) >= 45: k = 60 has 45.31, k = 59 44.33. */
TEST(test_all_are_lost_when_the_mean_reaches_max)
{
    make(1e-12, EMU_DISCIPLINE_ECN_USUAL, 1);
    for (int i = 0; i < 60; i++)
        assert_true(push(0));
    for (int i = 0; i < 100; i++)
        assert_false(push(0));
    end();
}

/* 60 frames that stand make the mean 60000. A mean frame takes 800 us at 10 Mb/s, 12500 ticks of tc's, so that it is
 * halved every 12500 / -ln(15/16) = 193683 us; 31 of those in less than 512 cells are cells of 2^14 us. Within the first
 * the mean falls by t / 2^14 us, to a half at most: 3/4, 45000, after 4096 us. It is a quarter from 24 cells on, for
 * 24 2^14 / 193683 = 2.03: 393216 us. W is 1/16 in all rows, for bursts of 25, 13 and 10 frames. */
TEST(test_the_mean_falls_while_nothing_comes)
{
    static const struct {
        int64_t min, max, us;
        bool marked;
    } rows[] = {{15000, 45000, 4095, true},  {15000, 45000, 4097, false},  {5000, 29990, 8000, true},
                {5000, 29990, 100000, true}, {5000, 30010, 100000, false}, {5000, 20000, 393215, true},
                {5000, 20000, 393216, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        parameters = (struct emu_discipline_parameters){.min_bytes = rows[i].min, .max_bytes = rows[i].max};
        make(1e-12, EMU_DISCIPLINE_ECN_TRUE, 1);
        for (int k = 0; k < 61; k++)
            push(0);
        for (int k = 0; k < 1000; k++) {
            pop(0); /* so that the next finds 60 */
            push(0);
        }
        assert_int_equal(q.depth_packets, 61);
        while (pop(7 * MS))
            ;
        n_marked = 0;
        assert_true(push(7 * MS + rows[i].us * MS / 1000));
        if (n_marked != rows[i].marked)
            fail_msg("row %zu", i);
        end();
    }
    parameters = (struct emu_discipline_parameters){.min_bytes = 15000, .max_bytes = 45000};
}

/* A mean of 30000 is half way: 1 % at a probability of 2 %. Gaps are uniform over 1, ..., 100 (section 8), not
 * geometric: none is longer, and tenths are as frequent as each other. */
TEST(test_gaps_between_losses_are_uniform)
{
    int tenths[10] = {0}, gap = 0, n = 0;
    make(0.02, EMU_DISCIPLINE_ECN_USUAL, 7);
    for (int i = 0; i < 30; i++)
        push(0);
    while (n < 3000) {
        gap++;
        if (push(0)) {
            pop(0);
            continue;
        }
        if (next_id > 1000) { /* the mean is there */
            assert_in_range(gap, 1, 100);
            tenths[(gap - 1) / 10]++;
            n++;
        }
        gap = 0;
    }
    double chi = 0;
    for (int i = 0; i < 10; i++)
        chi += (tenths[i] - 300.0) * (tenths[i] - 300.0) / 300;
    assert_true(chi < 27.9); /* 9 degrees of freedom: 1 of 1000 */
    while (pop(0))
        ;
    end();
}

TEST(test_marks_take_the_place_of_losses_where_they_can)
{
    for (int i = 0; i < 2; i++) {
        make(0.5, EMU_DISCIPLINE_ECN_TRUE, 3);
        markable = i == 0;
        for (int k = 0; k < 200; k++)
            push(0);
        assert_ints({n_marked > 0, markable}, {q.stats.dropped > 0, !markable});
        end();
    }
    make(0.5, EMU_DISCIPLINE_ECN_USUAL, 3);
    for (int k = 0; k < 200; k++)
        push(0);
    assert_int_equal(n_marked, 0);
    assert_true(q.stats.dropped > 0);
    end();
}

/* A quarter of the limit and a third of that; in frames of 1518 where the limit counts frames. */
TEST(test_thresholds_follow_from_the_limit)
{
    for (int i = 0; i < 2; i++) {
        struct emu_queue_config config = emu_queue_config_default();
        config.discipline = EMU_DISCIPLINE_RED;
        config.parameters.probability = 1e-12;
        if (i == 0)
            config.limit_bytes = 180000;
        else
            config.limit_packets = 120; /* 182160 bytes: max 45540, passed by k = 61 (46.3), not by k = 60 */
        fake_reset();
        next_id = n_marked = 0;
        emu_queue_init(&q, &config);
        int held = 0;
        while (push(0))
            held++;
        assert_int_equal(held, 60 + i);
        end();
    }
}
