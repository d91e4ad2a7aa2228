/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/monotonic.h"
#include "measure/flow.h"
#include "test/cm.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

TEST(test_a_sample_survives_its_line)
{
    const struct measure_sample s = {.at_s = 12345.678901234, .bytes = INT64_C(5000000000), .rtt_s = 0.0125,
                                     .least_rtt_s = NAN, .cwnd_bytes = 14480, .delivery_bps = 1e9, .busy_s = 1.5,
                                     .rwnd_limited_s = 0.25, .sndbuf_limited_s = 0.125, .segments = 7,
                                     .retransmitted = 3, .delivered_bytes = INT64_C(6000000000)};
    struct measure_sample back;
    char text[MEASURE_FLOW_TEXT];
    measure_flow_write(&s, text);
    assert_true(measure_flow_read(text, &back));
    assert_true(fabs(back.at_s - s.at_s) < 1e-8);
    assert_int_equal(back.bytes, s.bytes);
    assert_all(fabs(back.rtt_s - s.rtt_s) <= 0, isnan(back.least_rtt_s), fabs(back.rwnd_limited_s - 0.25) <= 0);
    assert_ints({back.retransmitted, 3}, {back.delivered_bytes, s.delivered_bytes});
}

/* A server is another's program. */
TEST(test_what_no_host_can_see_is_no_sample)
{
    struct measure_sample s;
    assert_true(measure_flow_read("1 2 0.1 0.1 10 10 1 0 0 5 0 9", &s));
    const char *const bad[] = {"", "1 2 0.1 0.1 10 10 1 0 0 5 0", "1 2 0.1 0.1 10 10 1 0 0 5 0 9 9",
                               "1 -2 0.1 0.1 10 10 1 0 0 5 0 9", "nan 2 0.1 0.1 10 10 1 0 0 5 0 9",
                               "inf 2 0.1 0.1 10 10 1 0 0 5 0 9", "1e9 2 0.1 0.1 10 10 1 0 0 5 0 9",
                               "1 2 0.1 0.1 1e308 10 1 0 0 5 0 9", "1 2 0.1 0.1 10 inf 1 0 0 5 0 9",
                               "1 2 0.1 0.1 10 10 nan 0 0 5 0 9", "1 2 0.1 0.1 10 10 1 -1 0 5 0 9",
                               "1 9223372036854775807 0.1 0.1 10 10 1 0 0 5 0 9", "9999999999 2 0.1 0.1 10 10 1 0 0 5 0 9",
                               "1 2 nan0 0.1 10 10 1 0 0 5 0 9", "1 2 0x1 0.1 10 10 1 0 0 5 0 9",
                               "1 2 -0.1 0.1 10 10 1 0 0 5 0 9", "1 2 0.1 0.1 10 10 1 0 0 5 -1 9",
                               "1 2 0.1 0.1 10 10 1 0 0 5 0 -9"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(measure_flow_read(bad[i], &s));
}

/* Two ends of a TCP connection over lo. */
static void connection(int fds[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listening, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(listening, 1), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&at, &size), 0);
    fds[0] = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fds[0], (struct sockaddr *)&at, sizeof at), 0);
    fds[1] = accept(listening, NULL, NULL);
    assert_true(fds[1] >= 0);
    close(listening);
}

static void turn(struct measure_flow *a, struct measure_flow *b)
{
    int64_t now_ns = monotonic_now_ns();
    struct pollfd polls[2] = {{a->fd, measure_flow_events(a, now_ns), 0}, {b->fd, measure_flow_events(b, now_ns), 0}};
    poll(polls, 2, 5);
    now_ns = monotonic_now_ns();
    measure_flow_step(a, polls[0].revents, now_ns);
    measure_flow_step(b, polls[1].revents, now_ns);
}

TEST(test_both_ends_see_the_same_bytes)
{
    int fds[2];
    struct measure_flow a MEMORY_ENDS(measure_flow_fini), b MEMORY_ENDS(measure_flow_fini);
    connection(fds);
    measure_flow_open(&a, fds[0], true, 0, NULL);
    measure_flow_open(&b, fds[1], false, 0, NULL);
    while (b.received < 20000000 || a.samples.n < 3)
        turn(&a, &b);
    const struct measure_sample *last = &a.samples.sample[a.samples.n - 1];
    assert_true(last->rtt_s > 0 && last->least_rtt_s > 0 && last->cwnd_bytes > 0 && last->busy_s > 0);
    assert_true(last->bytes > 0 && last->bytes <= b.received + 10000000); /* what is acknowledged waits to be read */
    measure_flow_close(&a);
    while (!b.ended) /* closing drops what was to be sent, and says so */
        turn(&a, &b);
    assert_int_equal(measure_flow_events(&a, 0), 0);
}

/* At 8 Mb/s a reader with a limit may take, of what lies there, no more than burst and time allow: 250 kB, 1 MB/s. */
TEST(test_a_reader_keeps_its_limit)
{
    int fds[2];
    struct measure_bucket bucket; /* which b has to the end */
    struct measure_flow a MEMORY_ENDS(measure_flow_fini), b MEMORY_ENDS(measure_flow_fini);
    connection(fds);
    measure_flow_bucket_fill(&bucket, 8e6, monotonic_now_ns());
    measure_flow_open(&a, fds[0], true, 0, NULL);
    measure_flow_open(&b, fds[1], false, 0, &bucket);
    int64_t start_ns = b.started_ns;
    while (b.received < 1000000)
        turn(&a, &b);
    double time_s = (double)(monotonic_now_ns() - start_ns) / 1e9;
    assert_true((double)b.received <= 250e3 + 1e6 * time_s);
}

/* 8 connections one after another and together have what one may have: at 8 Mb/s 1 MB/s, and a bucket of 250 kB at
 * once. What lies unread when one is closed has crossed the network. */
TEST(test_connections_share_a_bucket)
{
    struct measure_bucket bucket;
    int64_t now_ns = INT64_C(1000000000), carried = 0;
    measure_flow_bucket_fill(&bucket, 8e6, now_ns);
    for (int i = 0; i < 8; i++) {
        int fds[2];
        MEMORY_ENDS(measure_flow_fini) struct measure_flow b;
        char data[65536] = {0};
        connection(fds);
        assert_int_equal(send(fds[0], data, sizeof data, MSG_DONTWAIT), sizeof data);
        for (int there = 0; there < (int)sizeof data;) /* over lo */
            assert_int_equal(ioctl(fds[1], FIONREAD, &there), 0);
        measure_flow_open(&b, fds[1], false, 0, &bucket);
        for (int k = 0; k < 3; k++)
            measure_flow_step(&b, measure_flow_events(&b, now_ns), now_ns);
        carried += b.received;
        close(fds[0]);
    }
    assert_int_equal(carried, 250000);
    assert_true(fabs(bucket.bits - 8 * (250e3 - 8 * 65536)) < 8); /* all that was sent */
    assert_int_equal(measure_flow_bucket_room(&bucket, now_ns), 0);
    assert_true(measure_flow_bucket_overdrawn(&bucket) == (8 * (8 * 65536 - 250e3) > 8e6));
    bucket.bits = -8e6 - 1;
    assert_true(measure_flow_bucket_overdrawn(&bucket));
    now_ns += INT64_C(1100000000);
    assert_int_equal(measure_flow_bucket_room(&bucket, now_ns), 99999);
    assert_int_equal(measure_flow_bucket_room(&bucket, now_ns + INT64_C(60000000000)), 250000); /* full */
}

/* A test of a day keeps as much as one of minutes, ever coarser: samples at 0, 1, ... 4095 are in the way of the next
 * one, and those at 0, 2, ... stay. */
TEST(test_samples_are_bounded)
{
    int fds[2];
    MEMORY_ENDS(measure_flow_fini) struct measure_flow a;
    connection(fds);
    measure_flow_open(&a, fds[0], true, 0, NULL);
    a.ended = true; /* sends nothing */
    int64_t start_ns = a.started_ns;
    for (int64_t i = 1; i < MEASURE_FLOW_SAMPLES; i++)
        measure_flow_step(&a, 0, start_ns + i * MEASURE_FLOW_SAMPLE_NS);
    assert_int_equal(a.samples.n, MEASURE_FLOW_SAMPLES);
    measure_flow_step(&a, 0, start_ns + INT64_C(4096) * MEASURE_FLOW_SAMPLE_NS);
    assert_int_equal(a.samples.n, MEASURE_FLOW_SAMPLES / 2 + 1);
    assert_true(fabs(a.samples.sample[1].at_s - a.samples.sample[0].at_s - 0.05) < 1e-6);
    assert_int_equal(a.next_ns, start_ns + INT64_C(4098) * MEASURE_FLOW_SAMPLE_NS);
    close(fds[1]);
}

/* tcp(7): reno is there always, and nobody needs privileges for it. */
TEST(test_congestion_controls_are_those_that_the_kernel_has)
{
    char why[256] = "";
    struct measure_flow_controls controls;
    measure_flow_controls_read(&controls);
    assert_true(measure_flow_congestion(&controls, "reno", why, sizeof why));
    assert_false(measure_flow_congestion(&controls, "nosuch", why, sizeof why));
    assert_non_null(strstr(why, "reno"));
    assert_false(measure_flow_congestion(&controls, "ren", why, sizeof why)); /* the beginning of a name is none */
    assert_false(measure_flow_congestion(&controls, "eno", why, sizeof why));
    assert_false(measure_flow_congestion(&controls, "reno bbr", why, sizeof why));
    assert_true(measure_flow_congestion_name("fifteen-letters"));
    assert_false(measure_flow_congestion_name("sixteen--letters"));
    assert_false(measure_flow_congestion_name(""));
    assert_false(measure_flow_congestion_name("../x"));
}
