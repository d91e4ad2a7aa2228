/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flows of UDP: which are QUIC, and how their packets come. */
#include "analysis/flows/datagrams.h"

#include "test/cm.h"

#define MS INT64_C(1000000)

static struct capture_segment datagram(uint8_t from, uint16_t from_port, uint8_t to, uint16_t to_port, enum capture_datagram kind)
{
    return (struct capture_segment){.src = {{10, 0, 0, from}, 4}, .dst = {{10, 0, 0, to}, 4}, .src_port = from_port,
                                    .dst_port = to_port, .datagram = (uint8_t)kind};
}

/* A client's first packet has a long header; the short ones of both ways belong to it, and another port's do not. */
TEST(test_long_headers_name_both_ways)
{
    struct analysis_datagrams *d = analysis_datagrams_new();
    struct capture_segment first = datagram(1, 5000, 2, 443, CAPTURE_DATAGRAM_QUIC), answer = datagram(2, 443, 1, 5000, CAPTURE_DATAGRAM_UDP),
                           other = datagram(2, 443, 1, 5001, CAPTURE_DATAGRAM_UDP);
    size_t n;
    analysis_datagrams_add(d, &answer, 1000, 0); /* came first, and its name later */
    analysis_datagrams_add(d, &other, 1000, MS);
    analysis_datagrams_add(d, &first, 1300, 2 * MS);
    analysis_datagrams_add(d, &answer, 1000, 3 * MS);
    const struct analysis_datagrams_flow *f = analysis_datagrams_all(d, &n);
    assert_int_equal(n, 3);
    assert_true(f[0].quic && f[2].quic);
    assert_false(f[1].quic);
    assert_int_equal(f[0].packets, 2);
    assert_true(f[0].bytes == 2000 && f[2].bytes == 1300);
    analysis_datagrams_free(d);
}

/* 100 times ten packets within 0.9 ms, 10 ms apart: ten at a time. Of the first run some count as beginnings, as no mean
 * gap is known yet: at most ten. */
TEST(test_packets_that_come_together_are_a_run)
{
    struct analysis_datagrams *d = analysis_datagrams_new();
    struct capture_segment s = datagram(1, 5000, 2, 443, CAPTURE_DATAGRAM_UDP);
    size_t n;
    for (int run = 0; run < 100; run++)
        for (int i = 0; i < 10; i++)
            analysis_datagrams_add(d, &s, 1000, run * 10 * MS + i * MS / 10);
    const struct analysis_datagrams_flow *f = analysis_datagrams_all(d, &n);
    assert_in_range(f->runs, 100, 109);
    analysis_datagrams_free(d);
}

/* Even ones follow at their mean gap: the second is the last that begins a run. One that comes late begins another. */
TEST(test_even_packets_are_one_run)
{
    struct analysis_datagrams *d = analysis_datagrams_new();
    struct capture_segment s = datagram(1, 5000, 2, 443, CAPTURE_DATAGRAM_UDP);
    for (int i = 0; i < 20; i++) {
        size_t n;
        analysis_datagrams_add(d, &s, 1000, (i < 19 ? i : 20) * MS);
        assert_int_equal(analysis_datagrams_all(d, &n)->runs, i == 0 ? 1 : i < 19 ? 2 : 3);
    }
    analysis_datagrams_free(d);
}

/* Of a million ports no more than the first are kept. */
TEST(test_many_flows_cost_no_more_than_the_first)
{
    struct analysis_datagrams *d = analysis_datagrams_new();
    size_t n;
    for (int i = 0; i < 60000; i++) {
        struct capture_segment s = datagram(1, (uint16_t)i, 2, 53, CAPTURE_DATAGRAM_UDP);
        analysis_datagrams_add(d, &s, 100, i);
        analysis_datagrams_add(d, &s, 100, i);
    }
    const struct analysis_datagrams_flow *f = analysis_datagrams_all(d, &n);
    assert_int_equal(n, ANALYSIS_DATAGRAMS_FLOWS);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(f[i].packets, 2);
    analysis_datagrams_free(d);
    assert_null(analysis_datagrams_all(NULL, &n));
    assert_int_equal(n, 0);
}
