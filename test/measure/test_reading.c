/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel's files say. */
#include "measure/reading.h"

#include "test/cm.h"

/* Of three processors two have had one of eth1's: 0 by its first queue, 2 by its second. eth10's are another's. */
TEST(test_processors_of_an_interface)
{
    const char *text = "           CPU0       CPU1       CPU2\n"
                       "  24:         17          0          0  PCI-MSI 1-edge      eth1-rx-0\n"
                       "  25:          0          0          4  PCI-MSI 2-edge      eth1-rx-1\n"
                       "  26:          9          9          9  PCI-MSI 3-edge      eth10\n"
                       " NMI:          1          1          1   Non-maskable interrupts\n";
    assert_int_equal(measure_reading_processors(text, "eth1"), 2);
    assert_int_equal(measure_reading_processors(text, "eth10"), 3);
    assert_int_equal(measure_reading_processors(text, "eth2"), -1);
    assert_int_equal(measure_reading_processors("", "eth1"), -1);
}

TEST(test_counters_stand_below_their_names)
{
    const char *text = "Ip: Forwarding InReceives\nIp: 1 77\nTcp: RtoMin InSegs OutSegs RetransSegs\nTcp: 200 5 6 7\n";
    assert_float_equal(measure_reading_counter(text, "Tcp:", "RetransSegs"), 7, 0);
    assert_float_equal(measure_reading_counter(text, "Tcp:", "InSegs"), 5, 0);
    assert_float_equal(measure_reading_counter(text, "Ip:", "InReceives"), 77, 0);
    assert_float_equal(measure_reading_counter(text, "Tcp:", "Retrans"), -1, 0); /* a whole name */
    assert_float_equal(measure_reading_counter(text, "Udp:", "InSegs"), -1, 0);
    assert_float_equal(measure_reading_counter("Tcp: InSegs\n", "Tcp:", "InSegs"), -1, 0);
    assert_float_equal(measure_reading_counter("Tcp: A B\nTcp: 1", "Tcp:", "B"), -1, 0);
}

/* Whoever runs this may read their own; and no counter falls. */
TEST(test_this_host_says_something)
{
    struct measure_reading list[MEASURE_READING_MOST];
    struct measure_reading_segments before, after;
    assert_true(measure_reading_all(list) <= MEASURE_READING_MOST);
    const bool first = measure_reading_tcp(&before); /* one after the other: a call's arguments have no order */
    assert_int_equal(first, measure_reading_tcp(&after));
    assert_true(after.all >= before.all && after.again >= before.again);
}
