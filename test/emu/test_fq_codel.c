/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RFC 8290: whose turn it is, by hand from section 4.2; what a full buffer loses (section 4.1); a CoDel a flow, with marks
 * where frames can take them. */
#include "emu/queues/queue.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

#define MS INT64_C(1000000000)
#define FULL 1500 /* of payload: 1514 with the header, the usual quantum */

static struct emu_queue q;
static int n_marked;
static bool markable;

static bool mark(const struct emu_frame *frame)
{
    n_marked += markable;
    return markable;
}

static void make(int64_t limit_packets, enum emu_discipline_ecn ecn)
{
    static struct emu_frame_ops ops;
    ops = fake_ops;
    ops.mark = mark;
    struct emu_queue_config config = emu_queue_config_default();
    config.discipline = EMU_DISCIPLINE_FQ_CODEL;
    config.limit_packets = limit_packets;
    config.frames = &ops;
    config.parameters.ecn = ecn;
    fake_reset();
    n_marked = 0;
    markable = true;
    emu_queue_init(&q, &config);
}

static void end(void)
{
    assert_int_equal(q.stats.enqueued, q.stats.dequeued + q.depth_packets);
    assert_int_equal(q.stats.enqueued_bytes, q.stats.dequeued_bytes + q.depth_bytes);
    emu_queue_fini(&q, &fake_ops);
    assert_int_equal(fake_live, 0);
}

/* Frame `id` of a flow; how many frames are lost for it. */
static int push(uint32_t flow, uint32_t payload, int id, int64_t now_ps)
{
    struct emu_frame victim, f = fake_frame(0, 1, payload, id);
    int lost = 0;
    f.src = flow;
    if (!emu_queue_push(&q, &f, flow, now_ps, &victim)) {
        fake_ops.release(victim.packet);
        lost++;
    }
    while (emu_queue_lost(&q, &victim)) {
        fake_ops.release(victim.packet);
        lost++;
    }
    return lost;
}

/* The frame that is next, -1: none; *lost: of those that CoDel gave up before it. */
static int pop(int64_t now_ps, int *lost)
{
    struct emu_frame f;
    enum emu_discipline_next next;
    while ((next = emu_queue_pop(&q, now_ps, &f)) == EMU_DISCIPLINE_DROP) {
        fake_ops.release(f.packet);
        ++*lost;
    }
    if (next == EMU_DISCIPLINE_EMPTY)
        return -1;
    fake_ops.release(f.packet);
    return fake_id(&f);
}

static void expect(int id)
{
    int lost = 0;
    assert_int_equal(pop(0, &lost), id);
    assert_int_equal(lost, 0);
}

/* A has full frames 0 to 5, a quantum each. B comes as a new flow and goes before A's next; empty, it is old, not new, so
 * that what it sends in A's turn waits for that; gone and come again, it is new. */
TEST(test_new_flows_go_before_old_ones_once)
{
    make(EMU_QUEUE_UNLIMITED, EMU_DISCIPLINE_ECN_USUAL);
    for (int i = 0; i < 6; i++)
        push(1, FULL, i, 0);
    expect(0);           /* A is new; its credit is now 0 */
    push(2, 100, 10, 0); /* B: new */
    expect(10);          /* A goes to the old */
    expect(1);           /* B is empty and goes to the old, after A */
    push(2, 100, 11, 0); /* which keeps it from being new */
    push(3, 100, 20, 0);
    expect(20);          /* C is */
    expect(11);          /* A has used its credit and goes behind B; C is empty and goes behind A */
    expect(2);           /* B is empty and leaves */
    push(2, 100, 12, 0);
    expect(12);          /* so it is new again */
    expect(3);
    expect(4);
    expect(5);
    expect(-1);
    end();
}

/* As much for small frames as for large ones: 32 of 1514 bytes are 154 of 314. */
TEST(test_flows_share_by_bytes)
{
    int lost = 0, served[2] = {0};
    make(EMU_QUEUE_UNLIMITED, EMU_DISCIPLINE_ECN_USUAL);
    for (int i = 0; i < 400; i++) {
        push(1, FULL, i, 0);
        push(2, 300, 1000 + i, 0);
    }
    for (int i = 0; i < 185; i++)
        served[pop(0, &lost) >= 1000]++;
    assert_in_range(served[0], 31, 33);
    assert_in_range(served[1], 152, 155);
    end();
}

/* Half of the fattest flow's bytes, its oldest frames, at most 64 (Linux's fq_codel_drop()); the newcomer gets in. */
TEST(test_a_full_buffer_loses_half_of_the_fattest_flow)
{
    static const struct {
        int fat, thin, lost;
    } rows[] = {{90, 10, 45}, {9, 5, 5}, {200, 100, 64}, {1, 0, 1}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        int lost = 0;
        make(rows[row].fat + rows[row].thin, EMU_DISCIPLINE_ECN_USUAL);
        for (int i = 0; i < rows[row].fat; i++)
            assert_int_equal(push(1, FULL, i, 0), 0);
        for (int i = 0; i < rows[row].thin; i++)
            assert_int_equal(push(2, 100, 1000 + i, 0), 0);
        assert_int_equal(push(3, 100, 2000, 0), rows[row].lost);
        assert_int_equal(q.depth_packets, rows[row].fat + rows[row].thin + 1 - rows[row].lost);
        if (rows[row].fat > rows[row].lost)
            assert_int_equal(pop(0, &lost), rows[row].lost); /* the first that is left */
        end();
    }
}

/* Flow 1 stands 20 ms, flow 2 sends a frame a tick that waits for none: flow 1 loses at 100 ms and 100 ms later (RFC
 * 8289), or is marked then, flow 2 never. */
static int64_t lost_ps[64];

static int stand(int64_t until_ps)
{
    int n = 0, id = 0;
    for (int64_t now_ps = 1000 * MS; now_ps < 1000 * MS + until_ps; now_ps += MS) {
        int lost = 0, marked = n_marked;
        while (q.depth_packets < 4)
            push(1, FULL, id++, now_ps - 20 * MS);
        assert_true(pop(now_ps, &lost) < 10000);
        if ((lost > 0 || n_marked > marked) && n < 64)
            lost_ps[n++] = now_ps - 1000 * MS;
        push(2, 100, 10000, now_ps);
        lost = 0;
        marked = n_marked;
        while (pop(now_ps, &lost) != 10000) /* its turn comes after at most a full frame */
            ;
        assert_int_equal(n_marked, marked);
    }
    return n;
}

TEST(test_each_flow_has_a_codel_that_marks)
{
    static const enum emu_discipline_ecn choices[] = {EMU_DISCIPLINE_ECN_USUAL, EMU_DISCIPLINE_ECN_TRUE,
                                                      EMU_DISCIPLINE_ECN_FALSE, EMU_DISCIPLINE_ECN_USUAL};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        make(EMU_QUEUE_UNLIMITED, choices[i]);
        markable = i < 3;
        bool marks = markable && choices[i] != EMU_DISCIPLINE_ECN_FALSE;
        int n = stand(320 * MS);
        assert_true(n >= 2);
        assert_ints({lost_ps[0], 100 * MS}, {lost_ps[1], 200 * MS}, {n_marked > 0, marks},
                    {q.stats.dropped > 0, !marks});
        end();
    }
}
