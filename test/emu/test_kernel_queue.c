/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queues that an engine's kernel keeps: a kernel that loses at random what it likes, when frames come and when they
 * leave, more than one answer holds. */
#include "base/random.h"
#include "emu/queues/kernel_queue.h"
#include "emu/queues/queue.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

#define FRAMES 2000

static struct {
    uint32_t held[FRAMES], lost[FRAMES]; /* numbers, oldest first */
    int ids[FRAMES + 1];                 /* of the frame by number, as it was offered */
    size_t n_held, n_lost;
    int opened;
    struct random random;
} kernel;

static int kernel_open(void *engine, const char *discipline)
{
    assert_ptr_equal(engine, &kernel);
    assert_string_equal(discipline, "fake limit 3");
    return 7 + kernel.opened++;
}

/* Loses n of what it holds, drawn at random. */
static void lose(size_t n)
{
    while (n-- > 0 && kernel.n_held > 0) {
        size_t i = (size_t)random_below(&kernel.random, kernel.n_held);
        kernel.lost[kernel.n_lost++] = kernel.held[i];
        memmove(kernel.held + i, kernel.held + i + 1, (--kernel.n_held - i) * sizeof *kernel.held);
    }
}

static void kernel_lost(void *engine, struct emu_kernel_ask *ask)
{
    assert_int_equal(ask->queue, 7);
    ask->n_lost = kernel.n_lost < EMU_KERNEL_LOST ? (uint32_t)kernel.n_lost : EMU_KERNEL_LOST;
    memcpy(ask->lost, kernel.lost, ask->n_lost * sizeof *ask->lost);
    kernel.n_lost -= ask->n_lost;
    memmove(kernel.lost, kernel.lost + ask->n_lost, kernel.n_lost * sizeof *kernel.lost);
}

static size_t some(void)
{
    uint64_t chance = random_below(&kernel.random, 20);
    return chance == 0 ? 40 : chance == 1 ? EMU_KERNEL_LOST : chance < 6;
}

static void kernel_push(void *engine, struct emu_kernel_ask *ask)
{
    for (size_t i = 0; i < kernel.n_held; i++)
        assert_int_not_equal(kernel.held[i], ask->number);
    kernel.ids[ask->number] = fake_id(&ask->frames[ask->number]);
    kernel.held[kernel.n_held++] = ask->number;
    lose(some());
    kernel_lost(engine, ask);
}

static void kernel_pop(void *engine, struct emu_kernel_ask *ask)
{
    lose(some());
    ask->number = 0;
    if (kernel.n_held > 0) {
        ask->number = kernel.held[0];
        assert_int_equal(fake_id(&ask->frames[ask->number]), kernel.ids[ask->number]);
        memmove(kernel.held, kernel.held + 1, --kernel.n_held * sizeof *kernel.held);
    }
    kernel_lost(engine, ask);
}

static const struct emu_kernel_ops ops = {kernel_open, kernel_push, kernel_pop, kernel_lost};

static void begin(struct emu_queue *q)
{
    struct emu_queue_config config = emu_queue_config_default();
    config.kernel = "fake limit 3";
    memset(&kernel, 0, sizeof kernel);
    kernel.random = random_of(5);
    fake_reset();
    emu_kernel_offer(&ops, &kernel);
    emu_queue_init(q, &config);
    assert_int_equal(kernel.opened, 1);
}

static void end(struct emu_queue *q)
{
    emu_queue_fini(q, &fake_ops);
    emu_kernel_offer(NULL, NULL);
    assert_int_equal(fake_live, 0);
}

TEST(test_every_frame_leaves_or_is_lost_once)
{
    struct emu_queue q;
    begin(&q);
    static bool gone[FRAMES];
    int offered = 0, sent = 0, lost = 0, last = -1;
    struct emu_frame f;
    while (offered < FRAMES || q.depth_packets > 0) {
        bool push = offered < FRAMES && random_below(&kernel.random, 100) < (offered < FRAMES / 2 ? 70 : 40);
        if (push) {
            f = fake_frame(0, 1, 1500, offered++);
            assert_true(emu_queue_push(&q, &f, 0, 0, &f));
        }
        bool dropped;
        do {
            enum emu_discipline_next next = push ? EMU_DISCIPLINE_DROP : emu_queue_pop(&q, 0, &f);
            dropped = push ? emu_queue_lost(&q, &f) : next == EMU_DISCIPLINE_DROP;
            if (!dropped && (push || next == EMU_DISCIPLINE_EMPTY))
                break;
            assert_false(gone[fake_id(&f)]);
            gone[fake_id(&f)] = true;
            lost += dropped;
            if (!dropped) {
                assert_true(fake_id(&f) > last);
                last = fake_id(&f);
                sent++;
            }
            fake_ops.release(f.packet);
        } while (dropped);
        assert_int_equal(q.depth_packets, kernel.n_held + kernel.n_lost);
    }
    assert_int_equal(sent + lost, FRAMES);
    assert_true(lost > FRAMES / 10 && sent > FRAMES / 10);
    assert_ints({q.stats.dropped, lost}, {q.stats.dequeued, sent}, {q.stats.enqueued, sent});
    end(&q);
}

/* A kernel that shapes says when to ask again; the queue asks it then, not before. */
static bool shut;

static void shaping_pop(void *engine, struct emu_kernel_ask *ask)
{
    ask->number = ask->n_lost = 0;
    ask->ready_ps = 5000;
    if (!shut)
        kernel_pop(engine, ask);
}

TEST(test_a_kernel_that_shapes_says_when)
{
    static const struct emu_kernel_ops shaping = {kernel_open, kernel_push, shaping_pop, kernel_lost};
    struct emu_queue q;
    struct emu_frame f;
    begin(&q);
    emu_kernel_offer(&shaping, &kernel);
    for (int i = 0; q.depth_packets == 0; i++) {
        f = fake_frame(0, 1, 100, i);
        assert_true(emu_queue_push(&q, &f, 0, 0, &f));
        while (emu_queue_lost(&q, &f))
            fake_ops.release(f.packet);
    }
    shut = true;
    assert_int_equal(emu_queue_pop(&q, 1000, &f), EMU_DISCIPLINE_EMPTY);
    assert_int_equal(emu_queue_ready_ps(&q, 1000), 5000);
    assert_int_equal(emu_queue_ready_ps(&q, 6000), 6001); /* never now: the port would spin */
    shut = false;
    while (emu_queue_pop(&q, 5000, &f) != EMU_DISCIPLINE_EMPTY)
        fake_ops.release(f.packet);
    assert_true(emu_queue_ready_ps(&q, 5000) == EMU_QUEUE_UNLIMITED);
    end(&q);
}

TEST(test_what_waits_at_the_end_is_released)
{
    struct emu_queue q;
    begin(&q);
    for (int i = 0; i < 100; i++) {
        struct emu_frame f = fake_frame(0, 1, 100, i);
        assert_true(emu_queue_push(&q, &f, 0, 0, &f));
        while (emu_queue_lost(&q, &f))
            fake_ops.release(f.packet);
    }
    assert_true(q.depth_packets > 0);
    end(&q);
}
