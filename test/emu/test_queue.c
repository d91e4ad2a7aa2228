/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/random.h"
#include "emu/queues/queue.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

static struct emu_queue make(enum emu_discipline discipline, int64_t bytes, int64_t packets)
{
    struct emu_queue q;
    struct emu_queue_config config = emu_queue_config_default();
    config.discipline = discipline;
    config.parameters.rate_bps = 20000000; /* some 50 kB in 20 ms, where there is a token bucket */
    config.parameters.burst_bytes = 5000;
    if (bytes)
        config.limit_bytes = bytes;
    if (packets)
        config.limit_packets = packets;
    emu_queue_init(&q, &config);
    return q;
}

static bool push(struct emu_queue *q, uint32_t payload, bool ack, int id)
{
    struct emu_frame f = fake_frame(0, 1, payload, id);
    f.pure_ack = ack;
    struct emu_frame victim;
    return emu_queue_push(q, &f, 0, 0, &victim);
}

static int pop(struct emu_queue *q)
{
    struct emu_frame f;
    return emu_queue_pop(q, 0, &f) ? fake_id(&f) : -1;
}

TEST(test_fifo_keeps_order)
{
    struct emu_queue q = make(EMU_DISCIPLINE_FIFO, 0, 0);
    for (int i = 0; i < 200; i++)
        assert_true(push(&q, 100, i % 3 == 0, i));
    for (int i = 0; i < 200; i++)
        assert_int_equal(pop(&q), i);
    assert_int_equal(pop(&q), -1);
    emu_queue_fini(&q, &fake_ops);
}

TEST(test_ack_first_serves_pure_acks_before_data)
{
    struct emu_queue q = make(EMU_DISCIPLINE_ACK_FIRST, 0, 0);
    push(&q, 1500, false, 0);
    push(&q, 52, true, 1);
    push(&q, 1500, false, 2);
    push(&q, 52, true, 3);
    assert_int_equal(pop(&q), 1);
    assert_int_equal(pop(&q), 3);
    assert_int_equal(pop(&q), 0);
    assert_int_equal(pop(&q), 2);
    emu_queue_fini(&q, &fake_ops);
}

/* A frame of 1500 B occupies 1518 B: two fit in 3100, the third does not, a 52 B ACK (46 B at
 * least, so 70 B with header and FCS) does not fit into the 64 left, but one of 46 B (64 B) does. */
TEST(test_byte_limit_counts_whole_frames_and_drops_the_newcomer)
{
    struct emu_queue q = make(EMU_DISCIPLINE_FIFO, 3100, 0);
    assert_true(push(&q, 1500, false, 0));
    assert_true(push(&q, 1500, false, 1));
    assert_false(push(&q, 1500, false, 2));
    assert_false(push(&q, 52, true, 3));
    assert_true(push(&q, 20, true, 4)); /* padded to 46 */
    assert_ints({q.depth_bytes, 3100}, {q.stats.dropped, 2}, {q.stats.dropped_bytes, 1518 + 70});
    assert_int_equal(pop(&q), 0);
    assert_true(push(&q, 1482, false, 5));
    emu_queue_fini(&q, &fake_ops);
}

TEST(test_packet_limit_counts_frames_of_any_size)
{
    struct emu_queue q = make(EMU_DISCIPLINE_ACK_FIRST, 0, 3);
    assert_true(push(&q, 1500, false, 0));
    assert_true(push(&q, 52, true, 1));
    assert_true(push(&q, 1500, false, 2));
    assert_false(push(&q, 52, true, 3));
    assert_int_equal(q.stats.peak_packets, 3);
    emu_queue_fini(&q, &fake_ops);
}

/* Random traffic against every discipline: nothing is lost, nothing made, order within a class kept. */
TEST(test_random_traffic_is_conserved)
{
    struct random r = random_of(11);
    for (int round = 0; round < 4 * EMU_DISCIPLINE_COUNT; round++) {
        fake_reset();
        struct emu_queue q = make((enum emu_discipline)(round % EMU_DISCIPLINE_COUNT),
                                  2000 + (int64_t)random_below(&r, 50000), 1 + (int64_t)random_below(&r, 60));
        int64_t offered = 0, now_ps = 0;
        int last[EMU_FRAME_CLASSES];
        for (int i = 0; i < EMU_FRAME_CLASSES; i++)
            last[i] = -1;
        for (int i = 0; i < 2000; i++) {
            bool ack = random_below(&r, 2);
            now_ps += (int64_t)random_below(&r, 2000000000); /* 1 ms in the mean */
            if (random_below(&r, 5) < 3) {
                struct emu_frame f = fake_frame(0, 1, (uint32_t)random_below(&r, 1500) + 1, i);
                f.pure_ack = ack;
                offered++;
                struct emu_frame victim;
                f.src = (uint32_t)random_below(&r, 4);
                f.traffic_class = (uint8_t)random_below(&r, EMU_FRAME_CLASSES);
                if (!emu_queue_push(&q, &f, f.src, now_ps, &victim))
                    fake_ops.release(victim.packet);
                while (emu_queue_lost(&q, &victim))
                    fake_ops.release(victim.packet);
            } else {
                struct emu_frame f;
                enum emu_discipline_next next = emu_queue_pop(&q, now_ps, &f);
                if (next == EMU_DISCIPLINE_DROP)
                    fake_ops.release(f.packet);
                if (next != EMU_DISCIPLINE_FRAME)
                    continue;
                const int classes[] = {[EMU_DISCIPLINE_ACKS_WAIT] = 0,
                                       [EMU_DISCIPLINE_ACKS_LEAD] = f.pure_ack,
                                       [EMU_DISCIPLINE_ACKS_TAKE_TURNS] = (int)f.src};
                int class = q.ops->by_class ? f.traffic_class : classes[q.ops->acks];
                assert_true(fake_id(&f) > last[class]);
                last[class] = fake_id(&f);
                fake_ops.release(f.packet);
            }
            assert_int_equal(q.stats.enqueued + q.stats.dropped, offered);
            assert_int_equal(q.stats.enqueued, q.stats.dequeued + q.depth_packets);
            assert_int_equal(q.stats.enqueued_bytes, q.stats.dequeued_bytes + q.depth_bytes);
            assert_true(q.depth_bytes <= q.config.limit_bytes && q.depth_packets <= q.config.limit_packets);
        }
        emu_queue_fini(&q, &fake_ops);
        assert_int_equal(fake_live, 0);
    }
}

/* Three flows with 100 large, 100 small and 5 large frames waiting: as many bytes each while they have some. */
TEST(test_fair_queueing_shares_by_bytes)
{
    struct emu_queue q = make(EMU_DISCIPLINE_FAIR, 0, 0);
    int64_t served[3] = {0};
    for (int i = 0; i < 100; i++)
        for (uint32_t flow = 0; flow < 3; flow++) {
            struct emu_frame victim, f = fake_frame(0, 1, flow == 1 ? 300 : 1500, i);
            f.src = flow;
            assert_true((flow == 2 && i >= 5) || emu_queue_push(&q, &f, flow, 0, &victim));
        }
    for (int i = 0; i < 90; i++) {
        struct emu_frame f;
        assert_true(emu_queue_pop(&q, 0, &f));
        served[f.src] += emu_frame_buffer_bytes(&f);
    }
    assert_int_equal(served[2], 5 * 1518);
    assert_true(served[0] - served[1] < 2 * 1518 && served[1] - served[0] < 2 * 1518);
    emu_queue_fini(&q, &fake_ops);
}

/* A full fair queue: the flow that fills it loses its oldest, the newcomer of another gets in. */
TEST(test_a_full_fair_queue_takes_from_the_fattest)
{
    struct emu_queue q = make(EMU_DISCIPLINE_FAIR, 0, 10);
    struct emu_frame victim;
    for (int i = 0; i < 10; i++) {
        struct emu_frame f = fake_frame(0, 1, 1500, i);
        assert_true(emu_queue_push(&q, &f, 7, 0, &victim));
    }
    struct emu_frame f = fake_frame(0, 1, 100, 50);
    assert_false(emu_queue_push(&q, &f, 8, 0, &victim));
    assert_int_equal(fake_id(&victim), 0);
    assert_ints({q.depth_packets, 10}, {q.stats.dropped, 1}, {q.stats.dropped_bytes, 1518});
    int first = pop(&q);
    assert_true(first == 1 || first == 50);
    emu_queue_fini(&q, &fake_ops);
}
