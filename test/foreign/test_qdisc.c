/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/qdisc.h"
#include "test/cm.h"

static struct foreign_qdisc read_good(const char *text)
{
    struct foreign_qdisc q;
    struct error err = {0};
    if (!foreign_qdisc_read_text(&q, "x.tc", text, &err))
        fail_msg("%s", err.message);
    return q;
}

static void read_bad(const char *text, const char *message)
{
    struct error err = {0};
    struct foreign_qdisc q;
    assert_false(foreign_qdisc_read_text(&q, "x.tc", text, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    if (!strstr(err.message, message))
        fail_msg("'%s' has no '%s'", err.message, message);
}

static void is(double value, double expected)
{
    assert_true(fabs(value / expected - 1) < 1e-9);
}

#define HTB                                                                                                            \
    "qdisc htb 1: dev eth0 root refcnt 3 r2q 10 default 0x1 direct_packets_stat 0 direct_qlen 1000\n"                  \
    " Sent 1500000 bytes 1500 pkt (dropped 47, overlimits 1959 requeues 0)\n"                                          \
    " backlog 9946b 41p requeues 0\n"

/* Frames of 1000 bytes on average are 1024 on the wire. */
TEST(test_an_htb_s_rate_is_its_class_s)
{
    struct foreign_qdisc q = read_good(HTB);
    assert_string_equal(q.kind, "htb");
    assert_true(isnan(q.rate_bps));
    q = read_good(HTB "class htb 1:1 root leaf 10: prio 0 rate 1500Kbit ceil 2Mbit burst 3Kb cburst 3Kb\n"
                      " Sent 1500000 bytes 1500 pkt (dropped 47, overlimits 1962 requeues 0)\n"
                      " backlog 97Kb 64p requeues 0\n lended: 1985 borrowed: 0 giants: 0\n");
    assert_string_equal(q.kind, "htb");
    is(q.rate_bps, 2e6 * 1024 / 1000);
    assert_ints({q.backlog_bytes, 97 * 1024}, {q.dropped, 47});
}

/* A child that carries most of what its parent does is slower; one that carries a tenth does not matter. */
TEST(test_the_slowest_that_most_passes)
{
    struct foreign_qdisc q = read_good("class htb 1:1 root rate 10Mbit ceil 10Mbit burst 3Kb\n Sent 1000000 bytes 1000 pkt (dropped 0)\n"
                                       "class htb 1:10 parent 1:1 rate 4Mbit ceil 4Mbit\n Sent 900000 bytes 900 pkt (dropped 0)\n"
                                       "class htb 1:20 parent 1:1 rate 1Mbit ceil 1Mbit\n Sent 100000 bytes 100 pkt (dropped 0)\n");
    is(q.rate_bps, 4e6 * 1024 / 1000);
}

/* Nothing passed yet: full frames. cake counts packets of 1500 bytes, with 18 more each where told so. */
TEST(test_units_of_tc)
{
    is(read_good("qdisc tbf 8008: root refcnt 3 rate 2Mbit burst 3Kb lat 356ms\n").rate_bps, 2e6 * 1538 / 1514);
    is(read_good("qdisc cake 8001: dev ppp0 root refcnt 2 bandwidth 20Mbit diffserv3 rtt 100ms raw overhead 0\n").rate_bps,
       20e6 * 1538 / 1514);
    struct foreign_qdisc q = read_good("qdisc cake 8001: root refcnt 2 bandwidth 20Mbit diffserv3 rtt 100ms noatm overhead 18\n"
                                       " Sent 1514000 bytes 1000 pkt (dropped 3, overlimits 0 requeues 0)\n"
                                       " backlog 3028b 2p requeues 0\n"
                                       "                   Bulk  Best Effort        Voice\n"
                                       "  thresh       1250Kbit       20Mbit        5Mbit\n"
                                       "  backlog            0b        3028b           0b\n");
    is(q.rate_bps, 20e6 * 1538 / 1518);
    assert_int_equal(q.backlog_bytes, 3028); /* of all, and not of a tin */
    assert_true(isnan(read_good("qdisc cake 8001: root bandwidth unlimited diffserv3\n").rate_bps));
    assert_string_equal(read_good("qdisc mq 0: dev eth0 root\nqdisc fq_codel 0: dev eth0 parent :1 limit 10240p\n").kind, "mq");
}

/* tc -j has bytes a second. */
TEST(test_json)
{
    struct foreign_qdisc q = read_good("[{\"kind\":\"tbf\",\"handle\":\"8008:\",\"root\":true,\"options\":{\"rate\":250000,"
                                       "\"burst\":3072},\"bytes\":100000,\"packets\":100,\"drops\":7,\"backlog\":5000},{}]");
    is(q.rate_bps, 2e6 * 1024 / 1000);
    assert_ints({q.dropped, 7}, {q.backlog_bytes, 5000});
}

TEST(test_what_is_none_is_named_with_its_line)
{
    read_bad(HTB "Cannot find device \"eth1\"\n", "x.tc:4: 'Cannot': 'qdisc' or 'class' is wanted, as tc -s qdisc prints it");
    read_bad("qdisc tbf 1: root rate fast burst 3Kb\n", "x.tc:1: 'fast': a rate such as 2Mbit is wanted");
    read_bad("qdisc tbf 1: root rate 2Mbit\n Sent many bytes 3 pkt\n", "x.tc:2: 'many': a number is wanted");
    read_bad("qdisc\n", "x.tc:1: 'qdisc': a kind is wanted");
    read_bad("[{\"kind\":", "x.tc:1: ");
    read_bad("", "x.tc:1: no queue; 'tc -s qdisc show dev DEV' prints them");
}
