/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queues that serve classes: strict priority and deficit round robin, against schedules by hand. */
#include "emu/queues/queue.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

static struct emu_queue q;

static void make(enum emu_discipline discipline, int64_t limit_packets, const int64_t *quanta, int n)
{
    struct emu_queue_config config = emu_queue_config_default();
    config.discipline = discipline;
    config.limit_packets = limit_packets;
    for (int i = 0; i < n; i++)
        config.parameters.quanta_bytes[i] = quanta[i];
    config.parameters.n_quanta = n;
    fake_reset();
    emu_queue_init(&q, &config);
}

static void end(void)
{
    assert_int_equal(q.stats.enqueued, q.stats.dequeued + q.depth_packets);
    assert_int_equal(q.stats.enqueued_bytes, q.stats.dequeued_bytes + q.depth_bytes);
    emu_queue_fini(&q, &fake_ops);
    assert_int_equal(fake_live, 0);
}

/* The frame that is lost; -1: none. */
static int push(uint8_t traffic_class, uint32_t payload, int id)
{
    struct emu_frame victim, f = fake_frame(0, 1, payload, id);
    f.traffic_class = traffic_class;
    if (emu_queue_push(&q, &f, 0, 0, &victim))
        return -1;
    fake_ops.release(victim.packet);
    return fake_id(&victim);
}

static void expect(int id)
{
    struct emu_frame f;
    if (emu_queue_pop(&q, 0, &f) != EMU_DISCIPLINE_FRAME) {
        assert_int_equal(id, -1);
        return;
    }
    assert_int_equal(fake_id(&f), id);
    fake_ops.release(f.packet);
}

TEST(test_a_lower_class_goes_first)
{
    make(EMU_DISCIPLINE_PRIO, EMU_QUEUE_UNLIMITED, NULL, 0);
    push(7, 1000, 70);
    push(2, 1000, 20);
    push(2, 1000, 21);
    expect(20);
    push(0, 1000, 0);
    push(7, 1000, 71);
    expect(0);
    expect(21);
    expect(70);
    push(6, 1000, 60);
    expect(60);
    expect(71);
    expect(-1);
    end();
}

/* The newest frame of the last class makes room, for a class before it alone. */
TEST(test_a_full_buffer_loses_of_the_last_class)
{
    make(EMU_DISCIPLINE_PRIO, 4, NULL, 0);
    push(3, 1000, 30);
    push(5, 1000, 50);
    push(5, 1000, 51);
    push(3, 1000, 31);
    assert_int_equal(push(6, 1000, 60), 60);
    assert_int_equal(push(5, 1000, 52), 52);
    assert_int_equal(push(4, 1000, 40), 51);
    assert_int_equal(push(0, 1000, 0), 50);
    assert_int_equal(push(0, 1000, 1), 40);
    assert_int_equal(push(3, 1000, 32), 32);
    expect(0);
    end();
}

/* Quanta of 1000 and 2000 bytes, frames of 1500. A class has its quantum when it becomes active, and one more each time
 * the turn passes it (Shreedhar and Varghese 1996). */
TEST(test_deficits_by_hand)
{
    const int64_t quanta[] = {1000, 2000};
    const int order[] = {100, 0, 101, 1, 102, 103, 104, 2, 105, 3, 106, 107, -2};
    make(EMU_DISCIPLINE_DRR, EMU_QUEUE_UNLIMITED, quanta, 2);
    for (int i = 0; i < 20; i++) {
        push(0, 1486, i);
        push(1, 1486, 100 + i);
    }
    /* 0: 1000 < 1500, pass (2000). 1: 2000, sends 100 (500), pass (2500). 0: 2000, sends 0 (500), pass (1500). 1: 2500,
     * sends 101 (1000), pass (3000). 0: 1500, sends 1 (0), pass (1000). 1: 3000, sends 102, 103 (0), pass (2000).
     * 0: 1000, pass (2000). 1: 2000, sends 104 (500), and so on. */
    for (int i = 0; order[i] != -2; i++)
        expect(order[i]);
    end();
}

/* With quanta of 2000 and 1500: what a class had left when it ran empty is forgotten. Class 0 sends 1 (500), pass (2500),
 * sends 2 (1000), pass (3000), sends 3 and 4; with the 500 of before it would send 2 and 3 in one turn. */
TEST(test_a_class_that_ran_empty_begins_anew)
{
    const int64_t quanta[] = {2000, 1500};
    make(EMU_DISCIPLINE_DRR, EMU_QUEUE_UNLIMITED, quanta, 2);
    push(0, 1486, 0);
    expect(0);
    for (int i = 1; i < 5; i++)
        push(0, 1486, i);
    push(1, 1486, 100);
    push(1, 1486, 101);
    const int order[] = {1, 100, 2, 101, 3, 4, -1};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        expect(order[i]);
    end();
}

TEST(test_bytes_are_shared_as_quanta_are)
{
    const int64_t quanta[] = {1514, 3028, 6056};
    const uint32_t payload[] = {1500, 300, 1000};
    make(EMU_DISCIPLINE_DRR, EMU_QUEUE_UNLIMITED, quanta, 3);
    int64_t served[3] = {0};
    for (int i = 0; i < 3000; i++)
        for (uint8_t c = 0; c < 3; c++)
            push(c, payload[c], i);
    for (int i = 0; i < 2000; i++) {
        struct emu_frame f;
        assert_int_equal(emu_queue_pop(&q, 0, &f), EMU_DISCIPLINE_FRAME);
        served[f.traffic_class] += emu_frame_host_bytes(&f);
        fake_ops.release(f.packet);
    }
    assert_true(llabs(2 * served[0] - served[1]) < 2 * 3028 + 1514);
    assert_true(llabs(4 * served[0] - served[2]) < 2 * 6056 + 1514);
    end();
}

TEST(test_a_full_buffer_loses_of_the_class_with_most)
{
    make(EMU_DISCIPLINE_DRR, 4, NULL, 0);
    push(3, 1000, 30);
    push(5, 500, 50);
    push(5, 500, 51);
    push(3, 1000, 31);
    assert_int_equal(push(3, 1000, 32), 32); /* its own has most */
    assert_int_equal(push(5, 500, 52), 31);
    assert_int_equal(push(0, 100, 0), 52);
    assert_int_equal(push(0, 100, 1), 51);   /* 3 and 5 have 1018 and 1036 */
    assert_int_equal(push(0, 100, 2), 30);
    expect(50);
    expect(0);
    expect(1);
    expect(2);
    expect(-1);
    end();
}
