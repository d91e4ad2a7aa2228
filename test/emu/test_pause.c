/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ethernet PAUSE: frames on the wire, quanta, and a switch that loses nothing. */
#include "emu/network/network.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

#define BYTE_PS 8000 /* 1 Gb/s */
#define US 1000000   /* ps */

static struct emu_port a, b;
static int64_t came_ps[100];
static int came, came_class[100];

static void take(void *owner, int index, const struct emu_frame *frame)
{
    struct emu_clock clock = fake_clock();
    came_class[came] = frame->traffic_class;
    came_ps[came++] = emu_clock_now(&clock);
    fake_ops.release(frame->packet);
}

static void cable(void)
{
    fake_reset();
    came = 0;
    struct emu_clock clock = fake_clock();
    struct emu_queue_config queue = emu_queue_config_default();
    struct emu_port *ports[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        emu_port_init(ports[i], i ? "b" : "a", &clock, &fake_ops, &queue);
        emu_port_make_eager(ports[i]);
        ports[i]->receive = take;
    }
    emu_port_connect(&a, &b, &(struct emu_link_config){.rate_bps = 1000000000, .delay_ps = US});
}

static void cable_end(void)
{
    struct error err = {0};
    assert_true(emu_port_audit(&a, &err));
    assert_true(emu_port_audit(&b, &err));
    emu_port_fini(&a);
    emu_port_fini(&b);
    assert_int_equal(fake_live, 0);
}

static void send(struct emu_port *p, int n)
{
    for (int i = 0; i < n; i++) {
        struct emu_frame f = fake_frame(0, 1, 1500, i);
        emu_port_send(p, &f);
    }
}

/* b's PAUSE of 100 quanta takes 72 byte times and 1 us to a, which is in its first frame of three: the second starts
 * when the time is over, 100 * 512 bit times after the PAUSE came. */
TEST(test_a_port_stops_after_its_frame_for_so_many_quanta)
{
    cable();
    send(&a, 3);
    emu_port_send_pause(&b, 100);
    fake_run();
    int64_t heard_ps = 72 * BYTE_PS + US, go_ps = heard_ps + 100 * 512 * 1000;
    assert_ints({came, 3}, {came_ps[0], 1526 * BYTE_PS + US}, {came_ps[1], go_ps + 1526 * BYTE_PS + US},
                {came_ps[2], came_ps[1] + 1538 * BYTE_PS}, {a.stats.paused_ps, 100 * 512 * 1000},
                {a.stats.pauses_received, 1}, {b.stats.pauses_sent, 1});
    cable_end();
}

static void resume(void *arg)
{
    emu_port_send_pause(arg, 0);
}

TEST(test_zero_quanta_let_it_go_on_at_once)
{
    cable();
    struct emu_clock clock = fake_clock();
    send(&a, 2);
    emu_port_send_pause(&b, 65535);
    emu_clock_schedule(&clock, 50 * US, resume, &b);
    fake_run();
    assert_ints({came, 2}, {came_ps[1], 50 * US + 72 * BYTE_PS + US + 1526 * BYTE_PS + US});
    assert_int_equal(a.stats.paused_ps, 50 * US); /* between the two PAUSEs */
    cable_end();
}

/* A port told to stop may still say PAUSE itself, and the frame in its transmitter goes before. */
TEST(test_pause_overtakes_the_queue_and_is_not_stopped)
{
    cable();
    send(&a, 5);
    emu_port_send_pause(&b, 1000);
    emu_port_send_pause(&a, 1000);
    send(&b, 1);
    fake_run();
    assert_ints({b.stats.pauses_received, 1}, {came, 6});
    cable_end();
}

static void send_class(struct emu_port *p, uint8_t traffic_class)
{
    struct emu_frame f = fake_frame(0, 1, 1500, traffic_class);
    f.traffic_class = traffic_class;
    emu_port_send(p, &f);
}

static void cable_of_classes(enum emu_discipline discipline)
{
    cable();
    struct emu_clock clock = fake_clock();
    struct emu_queue_config queue = emu_queue_config_default();
    queue.discipline = discipline;
    emu_port_init(&a, "a", &clock, &fake_ops, &queue);
    a.receive = take;
    emu_port_connect(&a, &b, &(struct emu_link_config){.rate_bps = 1000000000, .delay_ps = US});
}

/* IEEE 802.1Qbb: the time of a class counts in quanta from when the frame came; others go on meanwhile. The PFC frame
 * takes 72 byte times and 1 us to a, which is in its first frame of class 0 then. */
TEST(test_a_class_stops_alone)
{
    const enum emu_discipline disciplines[] = {EMU_DISCIPLINE_PRIO, EMU_DISCIPLINE_DRR};
    for (size_t k = 0; k < sizeof disciplines / sizeof *disciplines; k++) {
        cable_of_classes(disciplines[k]);
        for (int i = 0; i < 3; i++)
            send_class(&a, 0);
        for (int i = 0; i < 3; i++)
            send_class(&a, 5);
        emu_port_send_class_pause(&b, 0, 1000);
        fake_run();
        const int64_t frame_ps = 1538 * BYTE_PS, crossing_ps = 1526 * BYTE_PS + US;
        const int64_t go_ps = 72 * BYTE_PS + US + 1000 * 512 * 1000;
        const int classes[] = {0, 5, 5, 5, 0, 0};
        for (int i = 0; i < 6; i++) {
            assert_int_equal(came_class[i], classes[i]);
            assert_int_equal(came_ps[i], (i < 4 ? i * frame_ps : go_ps + (i - 4) * frame_ps) + crossing_ps);
        }
        assert_ints({came, 6}, {a.stats.paused_ps, 1000 * 512 * 1000});
        cable_end();
    }
}

static void resume_class(void *arg)
{
    emu_port_send_class_pause(arg, 5, 0);
}

/* What waits for the transmitter is one frame, whichever classes it names; and each class goes on by itself. */
TEST(test_one_frame_names_several_classes)
{
    cable_of_classes(EMU_DISCIPLINE_PRIO);
    struct emu_clock clock = fake_clock();
    send(&b, 1);
    emu_port_send_class_pause(&b, 0, 10000);
    emu_port_send_class_pause(&b, 5, 10000);
    emu_clock_schedule(&clock, 100 * US, resume_class, &b);
    fake_run();
    came = 0;
    assert_ints({b.stats.pauses_sent, 2}, {a.stats.pauses_received, 2});
    int64_t first_ps = (1538 + 72) * BYTE_PS + US, second_ps = 100 * US + 72 * BYTE_PS + US;
    assert_int_equal(a.stats.paused_ps, 10000 * INT64_C(512000) + second_ps - first_ps);
    cable_end();
}

static struct emu_network net;
static int received[8], received_class[8];
static struct emu_port_stats stopped; /* of h1, by lossless() */

static void deliver(void *user, int host, const struct emu_frame *frame)
{
    received[host]++;
    received_class[frame->traffic_class]++;
    fake_ops.release(frame->packet);
}

/* Hosts 1 to 4 send 300 frames each to h0 through buffers of so many bytes; h4 to h5 besides. */
static void lossless(enum emu_architecture kind, bool everybody, uint32_t packet_bytes, int64_t buffer_bytes,
                     uint16_t quanta)
{
    fake_reset();
    memset(received, 0, sizeof received);
    struct emu_clock clock = fake_clock();
    struct emu_link_config link = {.rate_bps = 1000000000, .delay_ps = US};
    struct emu_switch_config sw = emu_switch_config_default();
    sw.architecture = kind;
    if (kind == EMU_ARCHITECTURE_SHARED)
        sw.pool.bytes = buffer_bytes;
    else
        sw.queue.limit_bytes = buffer_bytes;
    int64_t inputs = emu_architectures[kind]->place == EMU_ARCHITECTURE_AT_INPUTS ? 1 : 6;
    int64_t xoff = buffer_bytes - inputs * emu_switch_headroom_bytes(&link, packet_bytes);
    assert_true(xoff > 0);
    sw.pause = (struct emu_pause_config){.on = true, .everybody = everybody, .quanta = quanta,
                                         .xoff = {xoff, EMU_QUEUE_UNLIMITED}, .xon = {xoff / 2, EMU_QUEUE_UNLIMITED}};
    struct emu_network_config config = {.hosts = 6, .link = link, .nic = emu_queue_config_default(), .sw = sw};
    emu_network_init(&net, &config, &clock, &fake_ops, deliver, NULL);
    for (int h = 0; h < 6; h++) { /* teach the switch */
        struct emu_frame f = fake_frame(h, -1, 50, 0);
        f.src = (uint32_t)h;
        emu_network_transmit(&net, h, &f);
        fake_run();
    }
    memset(received, 0, sizeof received);
    for (int i = 0; i < 300; i++)
        for (int h = 1; h < 5; h++) {
            struct emu_frame f = fake_frame(h, 0, packet_bytes, i);
            f.src = (uint32_t)h;
            f.dst = h == 4 && i % 2 ? 5 : 0;
            emu_network_transmit(&net, h, &f);
        }
    fake_run();
    assert_ints({received[0], 3 * 300 + 150}, {received[5], 150});
    struct error err = {0};
    if (!emu_network_audit(&net, &err))
        fail_msg("%s", err.message);
    stopped = emu_network_find(&net, "h1")->stats;
    assert_true(stopped.pauses_received > 1);
    assert_true((emu_network_find(&net, "h5")->stats.pauses_received > 0) == everybody);
    emu_network_fini(&net);
    assert_int_equal(fake_live, 0);
}

TEST(test_nothing_is_lost_with_room_for_what_is_under_way)
{
    for (int kind = EMU_ARCHITECTURE_OUTPUT; kind <= EMU_ARCHITECTURE_VOQ; kind++) {
        lossless((enum emu_architecture)kind, false, 1500, 60000, 65535);
        lossless((enum emu_architecture)kind, true, 1500, 60000, 65535);
    }
}

/* 100 quanta of 512 bits are 51.2 us at 1 Gb/s, and a buffer of 600 kB takes milliseconds to run half empty: a stop that
 * goes on is said again whenever half of it is over, and its end is said, too. Two of them at most lie at its ends. */
TEST(test_a_stop_is_said_again_when_half_of_it_is_over)
{
    lossless(EMU_ARCHITECTURE_OUTPUT, true, 1500, 600000, 100);
    int64_t halves = stopped.paused_ps / (100 * INT64_C(512000) / 2);
    assert_true(halves > 50);
    assert_in_range(stopped.pauses_received, halves, halves + 3);
}

/* Hosts 1 and 2 send class 3, which stops, and host 3 class 6, which does not, all to h0, whose port holds 170 kB: 90 kB
 * of that are class 6's, more than where class 3 stops. Nothing of class 3 is lost, although class 6 alone would fill the
 * port; who sends class 6 is never stopped. */
static void classes_of(enum emu_architecture kind, enum emu_discipline discipline)
{
    fake_reset();
    struct emu_clock clock = fake_clock();
    struct emu_link_config link = {.rate_bps = 1000000000, .delay_ps = US};
    struct emu_switch_config sw = emu_switch_config_default();
    int64_t xoff = 80000 - 4 * emu_switch_headroom_bytes(&link, 1500);
    assert_true(xoff > 0);
    sw.architecture = kind;
    sw.queue.discipline = discipline;
    if (kind == EMU_ARCHITECTURE_SHARED)
        sw.pool.bytes = 170000;
    else
        sw.queue.limit_bytes = 170000;
    sw.pause = (struct emu_pause_config){.on = true, .quanta = 65535, .classes = {3}, .n_classes = 1,
                                         .xoff = {xoff, EMU_QUEUE_UNLIMITED}, .xon = {xoff / 2, EMU_QUEUE_UNLIMITED},
                                         .rest = {90000, EMU_QUEUE_UNLIMITED}};
    struct emu_network_config config = {.hosts = 4, .link = link, .nic = emu_queue_config_default(), .sw = sw};
    config.nic.discipline = discipline;
    emu_network_init(&net, &config, &clock, &fake_ops, deliver, NULL);
    struct emu_frame teach = fake_frame(0, -1, 50, 0);
    teach.src = 0;
    emu_network_transmit(&net, 0, &teach);
    fake_run();
    memset(received_class, 0, sizeof received_class);
    for (int i = 0; i < 400; i++)
        for (int h = 1; h < 4; h++) {
            struct emu_frame f = fake_frame(h, 0, 1500, i);
            f.src = (uint32_t)h;
            f.dst = 0;
            f.traffic_class = h == 3 ? 6 : 3;
            emu_network_transmit(&net, h, &f);
        }
    fake_run();
    assert_int_equal(received_class[3], 800);
    assert_in_range(received_class[6], 90000 / 1518, 399); /* at least what waits when class 3 is done */
    assert_int_equal(emu_network_find(&net, "sw0-h0")->queue.stats.dropped, 400 - received_class[6]);
    assert_true(emu_network_find(&net, "h1")->stats.paused_ps > 0);
    assert_int_equal(emu_network_find(&net, "h3")->stats.pauses_received, 0);
    struct error err = {0};
    if (!emu_network_audit(&net, &err))
        fail_msg("%s", err.message);
    emu_network_fini(&net);
    assert_int_equal(fake_live, 0);
}

TEST(test_a_lossless_class_beside_one_that_loses)
{
    classes_of(EMU_ARCHITECTURE_OUTPUT, EMU_DISCIPLINE_PRIO);
    classes_of(EMU_ARCHITECTURE_OUTPUT, EMU_DISCIPLINE_DRR);
    classes_of(EMU_ARCHITECTURE_SHARED, EMU_DISCIPLINE_PRIO);
    classes_of(EMU_ARCHITECTURE_SHARED, EMU_DISCIPLINE_DRR);
}

/* Six inputs at 1 Gb/s over cables of 1 us: 250 bytes both ways, two frames of 9038 on the wire, a PAUSE of 84, a frame of
 * 9018 in the buffer. */
TEST(test_jumbo_frames_need_more_room)
{
    struct emu_link_config link = {.rate_bps = 1000000000, .delay_ps = US};
    assert_int_equal(emu_switch_headroom_bytes(&link, 1500), 250 + 2 * 1538 + 84 + 1518);
    assert_int_equal(emu_switch_headroom_bytes(&link, 9000), 250 + 2 * 9038 + 84 + 9018);
    const struct emu_link_config late = {.rate_bps = 1000000000, .delay_ps = US, .faults.jitter_ps = 2 * US}; /* at most, each way */
    assert_int_equal(emu_switch_headroom_bytes(&late, 1500), 750 + 2 * 1538 + 84 + 1518);
    for (int kind = EMU_ARCHITECTURE_OUTPUT; kind <= EMU_ARCHITECTURE_VOQ; kind++)
        lossless((enum emu_architecture)kind, false, 9000, 200000, 65535);
}
