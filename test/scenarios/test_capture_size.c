/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What captures will take, by hand: a record of a pcap has 16 bytes before the frame, one of a pcapng 44. */
#include "scenarios/capture_size.h"
#include "test/scenarios/text.h"

static double size(const char *text, int64_t snaplen)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = text_load(text, NULL);
    double bytes = scenario_capture_size(&s, snaplen);
    return bytes;
}

static bool near(double a, double b)
{
    return fabs(a / b - 1) < 1e-3;
}

#define STAR(rest)                                                                                                    \
    "duration: 2s\nwarmup: 1s\nnetwork: {link: {rate: 1Gbps}}\ntraffic: {star: {incoming: 1, outgoing: 1}}\n" rest

/* Either way at 1 Gb/s for 2 s: 1538 bytes of wire a frame of data and 45 of the ACKs of as much the other way,
 * 157928.5 frames; each 1514 bytes in the file, and half an ACK of 66. */
TEST(test_both_ways_of_a_full_link)
{
    const double frames = 2 * 2.5e8 / 1583;
    assert_true(near(size(STAR("capture: [{at: h0, snaplen: 65535}]\n"), 0), frames * (16 + 1514 + 41)));
    assert_true(near(size(STAR("capture: [{at: h0}]\n"), 96), frames * (16 + 96 + 41)));
    assert_true(near(size(STAR("capture: [{at: h0, snaplen: 54}]\n"), 0), frames * (16 + 54 + 35)));
    assert_true(near(size(STAR("capture: [{at: h0, snaplen: 96, format: pcapng}]\n"), 0),
                     frames * (44 + 96 + (44 + 68) / 2)));
    assert_true(near(size(STAR("capture: [{at: h0, snaplen: 96}, {at: sw0-h0, snaplen: 96}]\n"), 0),
                     2 * frames * (16 + 96 + 41)));
    assert_true(size(STAR("capture: []\n"), 0) == 0);
}

/* h1 sends alone: 162548.8 frames of data, half as many ACKs come back. */
TEST(test_one_way)
{
    assert_true(near(size(STAR("capture: [{at: h1, snaplen: 96}]\n"), 0), 2.5e8 / 1538 * (16 + 96 + 41)));
}

/* 10 MB of 1448 and no more, however long the run may be. */
TEST(test_flows_that_end)
{
    assert_true(near(size("duration: 1000s\nwarmup: 1s\ntraffic: {flows: [{from: h1, to: h0, bytes: 10MB}]}\n"
                          "capture: [{at: h0, snaplen: 96}]\n", 0), 1e7 / 1448 * (16 + 96 + 41)));
    assert_true(size("duration: 1000s\nwarmup: 1s\ntraffic: {flows: [{from: h1, to: h0, bytes: 10MB}]}\n"
                     "network: {hosts: 3}\ncapture: [{at: h2, snaplen: 96}]\n", 0) == 0);
}
