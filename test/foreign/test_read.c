/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats as their programs document them: iperf3 3.12's own output (test/data/iperf3 has whole files), flent's
 * doc/data-format.rst and resultset.py, ss(8) of iproute2 6.1. */
#include "foreign/read.h"
#include "test/cm.h"

#include <zlib.h>

static struct foreign_test read_text(const char *text)
{
    struct foreign_test t;
    struct error err = {0};
    if (!foreign_read_text(&t, "x", text, strlen(text), &err))
        fail_msg("%s", err.message);
    return t;
}

static void rejects(const char *text, const char *message)
{
    MEMORY_ENDS(foreign_test_fini) struct foreign_test t;
    struct error err = {0};
    assert_false(foreign_read_text(&t, "x", text, strlen(text), &err));
    assert_int_equal(err.code, ERROR_INPUT);
    if (strncmp(err.message, message, strlen(message)) != 0)
        fail_msg("'%s' is not '%s'", err.message, message);
}

#define CONNECTED                                                                                                      \
    "\"connected\":[{\"socket\":5,\"local_host\":\"10.0.0.1\",\"local_port\":40000,\"remote_host\":\"10.0.0.2\","          \
    "\"remote_port\":5201},{\"socket\":7,\"local_host\":\"10.0.0.1\",\"local_port\":40002,\"remote_host\":\"10.0.0.2\","   \
    "\"remote_port\":5201}],\"timestamp\":{\"timesecs\":1700000000},\"tcp_mss_default\":1448"
#define STREAM(socket, bps, sender)                                                                                    \
    "{\"sender\":{\"socket\":" socket ",\"bytes\":14480000,\"bits_per_second\":9e6,\"retransmits\":20,\"mean_rtt\":30000,"  \
    "\"min_rtt\":20000,\"sender\":" sender "},\"receiver\":{\"socket\":" socket ",\"bits_per_second\":" bps                 \
    ",\"sender\":" sender "}}"
#define SECOND(at, omitted)                                                                                            \
    "{\"streams\":[{\"socket\":5,\"start\":" at ",\"seconds\":1,\"bits_per_second\":4e6,\"omitted\":" omitted               \
    ",\"sender\":true},{\"socket\":7,\"start\":" at ",\"seconds\":1,\"bits_per_second\":8e6,\"omitted\":" omitted           \
    ",\"sender\":false}]}"

TEST(test_iperf3_says_who_sends_and_what_its_own_tcp_saw)
{
    struct foreign_test t = read_text(
        "{\"start\":{" CONNECTED ",\"test_start\":{\"duration\":2,\"bidir\":1,\"target_bitrate\":5000000}},\"intervals\":["
        SECOND("0", "true") "," SECOND("0", "false") "," SECOND("1", "false") "],\"end\":{\"streams\":["
        STREAM("5", "4e6", "true") "," STREAM("7", "8e6", "false")
        "],\"cpu_utilization_percent\":{\"host_total\":12.5,\"remote_total\":91}}}");
    assert_int_equal(t.n, 2);
    assert_string_equal(t.host, "10.0.0.1");
    assert_all_near(0, {t.start_s, 1700000000}, {t.to_s, 2});
    assert_near(t.processor, 0.91, 1e-9);
    assert_strings({t.flow[0].from, "10.0.0.1"}, {t.flow[1].from, "10.0.0.2"}, {t.flow[1].name, "40002:5201"});
    assert_int_equal(t.flow[0].n, 2); /* the omitted second is none */
    assert_all_near(0, {t.flow[1].mean_bps, 8e6}, {t.flow[0].pace_bps, 5e6});
    assert_all_near(1e-9, {t.flow[0].retransmitted, 20 * 1448 / 14480000.0}, {t.flow[0].rtt_s, 0.03});
    assert_true(isnan(t.flow[1].rtt_s)); /* its sender is the other host: this is the handshake's */
    assert_near(t.flow[1].least_rtt_s, 0.02, 1e-9);
    assert_near(foreign_test_rate_bps(&t.flow[0], 0, 2), 4e6, 0);
    foreign_test_fini(&t);
}

TEST(test_iperf3_without_a_test_is_refused)
{
    rejects("{\"start\":", "x:1: not JSON: ");
    rejects("{\"start\":{},\"error\":\"unable to connect\"}",
            "x: the test failed: it has an \"error\"; 'iperf3 --json' prints it");
    rejects("{}", "x: no start.timestamp.timesecs, or no end.streams: not a test of TCP; 'iperf3 --json' prints it");
    rejects("{\"start\":{" CONNECTED ",\"test_start\":{}},\"end\":{\"streams\":[" STREAM("9", "4e6", "true") "]}}",
            "x: a stream of end.streams is not among start.connected; 'iperf3 --json' prints it");
    rejects("{\"start\":{" CONNECTED ",\"test_start\":{}},\"end\":{\"streams\":[" STREAM("7", "4e6", "true") ","
            STREAM("5", "4e6", "true") "," STREAM("7", "4e6", "true") "]}}",
            "x: two streams of end.streams have one socket; 'iperf3 --json' prints it");
}

/* Streams of an interval, and connections, stand in any order, and some are of no stream that ended. */
TEST(test_iperf3_streams_are_told_by_their_sockets)
{
    struct foreign_test t = read_text(
        "{\"start\":{" CONNECTED ",\"test_start\":{\"duration\":1}},\"intervals\":[{\"streams\":["
        "{\"socket\":6,\"seconds\":1,\"bits_per_second\":1e6}]}," SECOND("0", "false") "],\"end\":{\"streams\":["
        STREAM("7", "8e6", "false") "," STREAM("5", "4e6", "true") "]}}");
    assert_int_equal(t.n, 2);
    assert_strings({t.flow[0].name, "40002:5201"}, {t.flow[1].name, "40000:5201"});
    assert_int_equal(t.flow[0].n, 1);
    assert_all_near(0, {t.flow[0].sample[0].rate_bps, 8e6}, {t.flow[1].sample[0].rate_bps, 4e6});
    foreign_test_fini(&t);
}

/* 5000 lists in 3 bytes each are no measurement; 4000, or as many in 16 and more, may be one. */
TEST(test_lists_without_end_are_refused)
{
    static const struct { int lists, spaces; const char *words; } row[] = {
        {4000, 0, "x: no start.timestamp"},
        {5000, 0, "x: an object or a list in less than 16 bytes each: no measurement"},
        {5000, 65536, "x: no start.timestamp"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[100000] = "{\"a\":[[]";
        size_t n = strlen(text);
        for (int k = 0; k < row[i].lists; k++, n += 3)
            memcpy(&text[n], ",[]", 4);
        memset(&text[n], ' ', (size_t)row[i].spaces);
        memcpy(&text[n + (size_t)row[i].spaces], "]}", 3);
        rejects(text, row[i].words);
    }
}

/* Four seconds, of which the flows last from the first to the third. */
#define FLENT(version, units, upload)                                                                                  \
    "{\"version\":" version ",\"metadata\":{\"HOST\":\"b\",\"LOCAL_HOST\":\"a\",\"LENGTH\":2,\"TOTAL_LENGTH\":4,"          \
    "\"STEP_SIZE\":0.5,\"T0\":\"1970-01-02T00:00:01.500000Z\",\"SERIES_META\":{\"TCP upload BE\":{\"UNITS\":\"" units      \
    "\"}}},\"x_values\":[0,0.5,1,1.5,2,2.5,3,3.5],\"results\":{\"TCP upload BE\":" upload ","                              \
    "\"TCP download BE\":[null,7,10,20,30,40,7,null],\"TCP download avg\":[1,1,1,1,1,1,1,1],"                              \
    "\"TCP download sum\":[1,1,1,1,1,1,1,1],\"TCP totals\":[1,1,1,1,1,1,1,1],"                                             \
    "\"TCP upload BE::tcp_rtt\":[40,40,40,40,60,60,40,40],\"Ping (ms) ICMP\":[20,22,100,null,100,100,30,30]},"             \
    "\"raw_values\":{}}"
#define UPLOAD "[null,null,2,2,4,4,null,null]"

TEST(test_flent_has_flows_in_its_series_and_round_trips_in_its_pings)
{
    MEMORY_ENDS(foreign_test_fini) struct foreign_test t = read_text(FLENT("4", "Mbits/s", UPLOAD));
    assert_int_equal(t.n, 2); /* no avg, no sum, no totals, no tcp_rtt */
    assert_all_near(1e-9, {t.start_s, 86401.5}, {t.from_s, 1}, {t.to_s, 3});
    bool up_first = t.flow[0].name[4] == 'u';
    struct foreign_flow *up = &t.flow[!up_first], *down = &t.flow[up_first];
    assert_strings({up->from, "a"}, {down->from, "b"});
    assert_near(up->mean_bps, 3e6, 1);
    assert_near(down->mean_bps, 25e6, 1); /* not the 7 before and after */
    assert_all_near(1e-9, {up->rtt_s, 0.05}, {down->rtt_s, 0.1}, {down->least_rtt_s, 0.02});
}

TEST(test_flent_errors_name_the_key)
{
    rejects(FLENT("5", "Mbits/s", UPLOAD), "x: version: 5; up to 4 is known");
    rejects(FLENT("4", "ms", UPLOAD), "x: metadata.SERIES_META.TCP upload BE.UNITS: 'ms'; must be Mbits/s");
    rejects(FLENT("4", "Mbits/s", "[1]"), "x: results.TCP upload BE: not as long as x_values");
    rejects(FLENT("4", "Mbits/s", "[null,null,null,null,null,null,null,null]"),
            "x: results.TCP upload BE: no value while its flow lasts");
    rejects("{\"metadata\":{\"LENGTH\":2,\"STEP_SIZE\":1},\"results\":{\"Ping (ms) ICMP\":[]}}",
            "x: no series 'TCP upload' or 'TCP download' in results; flent writes it");
    rejects("{\"metadata\":{},\"results\":{}}", "x: no metadata.LENGTH or metadata.STEP_SIZE; flent writes it");
}

/* As iproute2 6.1 prints them: what is sent to 10.0.0.2, and what comes from there. */
#define SS(acked, again, busy, received)                                                                               \
    "State Recv-Q Send-Q Local Address:Port  Peer Address:Port Process\n"                                              \
    "ESTAB 0      99     10.0.0.1:36308      10.0.0.2:5201\n"                                                          \
    "\t cubic wscale:10,10 rto:204 rtt:30/0.016 mss:1448 cwnd:18 bytes_sent:9 bytes_retrans:" again " bytes_acked:" acked   \
    " send 19bps delivery_rate 8bps busy:" busy "ms rwnd_limited:" busy "ms(50%) minrtt:20.5\n"                         \
    "ESTAB 0      0      [::ffff:10.0.0.1]:36310 [::ffff:10.0.0.2]:5201 users:((\"iperf3\",pid=1,fd=5))\n"              \
    "\t cubic rtt:0.012/0.006 bytes_acked:38 bytes_received:" received " minrtt:0.012\n"                               \
    "TIME-WAIT 0  0      10.0.0.1:1          10.0.0.2:2\n\t cubic bytes_acked:9999999 busy:10ms\n"

TEST(test_ss_has_rates_between_samples)
{
    struct foreign_test t = read_text("1700000000\n" SS("1000000", "0", "1000", "500000")
                                      "1700000002.5\n" SS("3500000", "25000", "2250", "4250000"));
    assert_int_equal(t.n, 2); /* sockets that wait for their end are none */
    assert_strings({t.host, "10.0.0.1"}, {t.flow[0].name, "36308:5201"}, {t.flow[0].to, "10.0.0.2"});
    assert_string_equal(t.flow[1].from, "10.0.0.2"); /* mapped addresses are those of IPv4 */
    assert_all_near(1, {t.flow[0].mean_bps, 2.5e6 * 8 / 2.5}, {t.flow[1].mean_bps, 3.75e6 * 8 / 2.5});
    assert_int_equal(t.flow[0].n, 1);
    assert_all_near(1e-9, {t.flow[0].rtt_s, 0.03}, {t.flow[0].least_rtt_s, 0.0205});
    assert_true(t.flow[0].least_known);
    assert_all_near(1e-9, {t.flow[0].busy, 0.5}, {t.flow[0].rwnd_limited, 0.5}, {t.flow[0].retransmitted, 0.01});
    foreign_test_fini(&t);
}

TEST(test_ss_once_knows_what_was_sent_while_there_was_something)
{
    struct foreign_test t = read_text(SS("1000000", "0", "1000", "500000"));
    assert_int_equal(t.n, 1);
    assert_true(t.unrated);
    assert_near(t.flow[0].mean_bps, 8e6, 1);
    assert_true(isnan(t.start_s));
    foreign_test_fini(&t);
    rejects("ESTAB 0 0 a:1 b:2\n\t bytes_received:500000\n",
            "x: data come in, but nobody knows in what time: take samples with times, 'date +%s; ss -tin'");
    rejects("ESTAB 0 0 a:1 b:2\n\t bytes_acked:19999 busy:10ms\n",
            "x: no socket has bytes_acked or bytes_received of 20000 or more; 'ss -tin' prints them");
}

/* -O puts all on one line; a filter by state leaves that column out. */
TEST(test_ss_on_one_line)
{
    struct foreign_test t =
        read_text("Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"
                  "0 0 10.0.0.1%eth0:1 [2001:db8::1]:80 cubic rtt:30/1 bytes_acked:1000000 busy:1000ms minrtt:29\n");
    assert_int_equal(t.n, 1);
    assert_strings({t.flow[0].from, "10.0.0.1"}, {t.flow[0].to, "2001:db8::1"});
    foreign_test_fini(&t);
}

static void is(const char *text, bool packed, bool expected)
{
    const char path[] = "foreign-is.tmp";
    gzFile f = gzopen(path, packed ? "wb" : "wbT");
    assert_int_equal(gzwrite(f, text, (unsigned)strlen(text)), strlen(text));
    gzclose(f);
    assert_int_equal(foreign_read_is(path), expected);
    remove(path);
}

TEST(test_files_are_known_by_how_they_begin)
{
    for (int packed = 0; packed < 2; packed++) {
        is(" \n{\"start\":1}", packed, true);
        is(SS("1", "1", "1", "1"), packed, true);
        is("1700000000\nESTAB 0 0 a:1 b:2\n", packed, true);
        is("from,to,seconds\n", packed, false);
        is("1700000000\n", packed, false);
        is("network: {hosts: 2}\n", packed, false);
        is("\xd4\xc3\xb2\xa1 and a capture", packed, false);
    }
    assert_false(foreign_read_is("/nonexistent"));
    assert_false(foreign_read_is("/"));
}

TEST(test_packed_files_are_read_and_damaged_ones_refused)
{
    const char path[] = "foreign-packed.tmp", *text = FLENT("4", "Mbits/s", UPLOAD);
    struct foreign_test t;
    gzFile f = gzopen(path, "wb");
    assert_true(gzwrite(f, text, (unsigned)strlen(text)) > 0);
    gzclose(f);
    assert_true(foreign_read(&t, path, &err));
    assert_int_equal(t.n, 2);
    foreign_test_fini(&t);
    FILE *plain = fopen(path, "r+b");
    assert_non_null(plain);
    fseek(plain, 60, SEEK_SET);
    fputs("damage", plain);
    fclose(plain);
    assert_false(foreign_read(&t, path, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    foreign_test_fini(&t);
    remove(path);
    assert_false(foreign_read(&t, path, &err));
    assert_string_equal(err.message, "foreign-packed.tmp: No such file or directory");
}

TEST(test_tests_at_the_same_time)
{
    struct foreign_test a = {.start_s = 100, .to_s = 10}, b = {.start_s = 104.9, .to_s = 10}, none = {.start_s = NAN};
    assert_true(foreign_test_together(&a, &b));
    b.start_s = 105.1;
    assert_false(foreign_test_together(&a, &b));
    assert_false(foreign_test_together(&a, &none));
}
