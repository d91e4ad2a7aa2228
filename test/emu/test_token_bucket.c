/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tbf and policer at 8 Mb/s, a byte a microsecond, with a burst of 3000 bytes, against schedules by hand; frames of 1000
 * bytes, header and payload, take 1 ms. */
#include "emu/network/port.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

#define US INT64_C(1000000)
#define MS (1000 * US)
#define PAYLOAD 986

static struct emu_queue q;
static int next_id;

static struct emu_queue_config bucket(enum emu_discipline discipline)
{
    struct emu_queue_config config = emu_queue_config_default();
    config.discipline = discipline;
    config.parameters.rate_bps = 8000000;
    config.parameters.burst_bytes = 3000;
    return config;
}

static void make(enum emu_discipline discipline)
{
    struct emu_queue_config config = bucket(discipline);
    fake_reset();
    next_id = 0;
    emu_queue_init(&q, &config);
}

static void end(void)
{
    assert_ints({q.stats.enqueued, q.stats.dequeued + q.depth_packets}, {q.stats.enqueued + q.stats.dropped, next_id});
    emu_queue_fini(&q, &fake_ops);
    assert_int_equal(fake_live, 0);
}

static bool push(uint32_t payload, int64_t now_ps)
{
    struct emu_frame victim, f = fake_frame(0, 1, payload, next_id++);
    if (emu_queue_push(&q, &f, 0, now_ps, &victim))
        return true;
    fake_ops.release(victim.packet);
    return false;
}

static int pop(int64_t now_ps)
{
    struct emu_frame f;
    if (emu_queue_pop(&q, now_ps, &f) != EMU_DISCIPLINE_FRAME)
        return -1;
    fake_ops.release(f.packet);
    return fake_id(&f);
}

TEST(test_a_burst_leaves_at_once_and_the_rest_at_the_rate)
{
    make(EMU_DISCIPLINE_TBF);
    for (int i = 0; i < 6; i++)
        assert_true(push(PAYLOAD, 0));
    for (int i = 0; i < 3; i++)
        assert_int_equal(pop(0), i);
    for (int i = 3; i < 6; i++) {
        int64_t at_ps = (i - 2) * MS;
        assert_int_equal(pop(at_ps - MS), -1);
        assert_int_equal(emu_queue_ready_ps(&q, at_ps - MS), at_ps);
        assert_int_equal(pop(at_ps - 1), -1);
        assert_int_equal(emu_queue_ready_ps(&q, at_ps - 1), at_ps);
        assert_int_equal(pop(at_ps), i);
    }
    assert_int_equal(pop(4 * MS), -1);
    assert_true(emu_queue_ready_ps(&q, 4 * MS) == EMU_QUEUE_UNLIMITED);
    end();
}

/* 1500 tokens after 1.5 ms: a frame of 1000 and one of 500, no third. After 10 s no more than the burst. */
TEST(test_tokens_gather_up_to_the_burst)
{
    make(EMU_DISCIPLINE_TBF);
    push(2986, 0);
    assert_int_equal(pop(0), 0);
    push(PAYLOAD, 1500 * US);
    push(486, 1500 * US);
    push(PAYLOAD, 1500 * US);
    assert_int_equal(pop(1500 * US), 1);
    assert_int_equal(pop(1500 * US), 2);
    assert_int_equal(pop(1500 * US), -1);
    assert_int_equal(emu_queue_ready_ps(&q, 1500 * US), 2500 * US);
    assert_int_equal(pop(2500 * US), 3);
    for (int i = 0; i < 4; i++)
        push(PAYLOAD, 10000 * MS);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pop(10000 * MS), 4 + i);
    assert_int_equal(pop(10000 * MS), -1);
    assert_false(push(2987, 10000 * MS)); /* larger than the burst: it would stay for ever */
    end();
}

/* What does not conform takes nothing. */
TEST(test_a_policer_loses_what_finds_no_tokens)
{
    make(EMU_DISCIPLINE_POLICER);
    static const struct {
        int64_t us;
        uint32_t payload;
        bool passes;
    } rows[] = {
        {0, PAYLOAD, true},     {0, PAYLOAD, true},    {0, PAYLOAD, true}, {0, PAYLOAD, false}, {999, PAYLOAD, false},
        {999, 486, true},       {1000, 987, false},    {1500, 986, true},  {1500, 46, false},   {9000, 2986, true},
        {1000000, 2987, false}, {1000000, 2986, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(push(rows[i].payload, rows[i].us * US), rows[i].passes);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].passes)
            assert_int_equal(pop(2000 * MS), (int)i);
    assert_int_equal(pop(2000 * MS), -1);
    end();
}

/* At a port of 1 Gb/s a frame of 1000 bytes takes 1024 byte times of 8 ns, less a gap of 12: it has arrived 8.096 us after
 * its start. Nothing but the bucket wakes the port; PAUSE holds it up as ever. */
static struct emu_port a, b;
static int64_t arrived_ps[16];
static int n_arrived;

static void receive(void *owner, int index, const struct emu_frame *frame)
{
    struct emu_clock clock = fake_clock();
    (void)owner, (void)index;
    arrived_ps[n_arrived++] = emu_clock_now(&clock);
    fake_ops.release(frame->packet);
}

static void offer(void *arg)
{
    struct emu_frame f = fake_frame(0, 1, PAYLOAD, 0);
    emu_port_send(&a, &f);
}

static void quiet(void *arg)
{
    emu_port_send_pause(&b, 2000); /* 1.024 ms */
}

TEST(test_a_port_asks_again_when_there_are_tokens)
{
    for (int paused = 0; paused < 2; paused++) {
        struct emu_queue_config config = bucket(EMU_DISCIPLINE_TBF);
        struct emu_clock clock = fake_clock();
        fake_reset();
        n_arrived = 0;
        emu_port_init(&a, "a", &clock, &fake_ops, &config);
        emu_port_init(&b, "b", &clock, &fake_ops, &config);
        emu_port_make_eager(&b);
        b.receive = receive;
        emu_port_connect(&a, &b, &(struct emu_link_config){.rate_bps = 1000000000});
        for (int i = 0; i < 5; i++)
            offer(NULL);
        emu_clock_schedule(&clock, 10 * MS, offer, NULL); /* to an idle port with a full bucket */
        emu_clock_schedule(&clock, 500 * US, paused ? quiet : offer, NULL);
        fake_run();
        int64_t first_us[] = {0, 0, 0, 1000, 2000, 3000, 10000}, in_ps = 8096000;
        int n = paused ? 6 : 7;
        /* with PAUSE: told at 500 us + 576 ns, the time of 72 bytes; frame 3 leaves when 1024 us are over, frame 4 at its
         * time */
        for (int i = 0; i < n; i++) {
            int64_t at_ps = first_us[paused && i == 5 ? 6 : i] * US;
            if (paused && i == 3)
                at_ps = 1524 * US + 576000;
            if (i == 1 || i == 2)
                at_ps = i * 8192000;
            assert_int_equal(arrived_ps[i], at_ps + in_ps);
        }
        assert_int_equal(n_arrived, n);
        assert_true(emu_port_audit(&a, &err) && emu_port_audit(&b, &err));
        emu_port_fini(&a);
        emu_port_fini(&b);
        assert_int_equal(fake_live, 0);
    }
}
