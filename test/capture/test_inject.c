/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of capture/inject.c needs no interface: when frames are due, what is sent, how errors are summed up. Frames
 * on a real one: test/cli/test_replay_open.py. */
#include "capture/inject.h"
#include "base/random.h"
#include "capture/pace.h"
#include "test/capture/files.h"
#include "test/cm.h"

#define NS_PER_S INT64_C(1000000000)

TEST(test_recorded_times_are_scaled_from_the_first)
{
    const int64_t first = INT64_C(1700000000) * NS_PER_S + 123456789;
    const double speeds[] = {1, 2, 0.5, 3, 10};
    for (size_t s = 0; s < sizeof speeds / sizeof *speeds; s++) {
        struct pace p = {.speed = speeds[s]};
        assert_int_equal(pace_next(&p, first, 60), 0);
        for (int64_t i = 1; i < 100000; i++) { /* a rounded gap would have added up to 50 us by the end */
            int64_t since = i * 1000001, due = pace_next(&p, first + since, 60);
            double exact = (double)since / speeds[s];
            assert_true(exact - (double)due <= 0.51 && (double)due - exact <= 0.51);
        }
        assert_int_equal(p.back, 0);
    }
}

TEST(test_a_capture_of_years_keeps_its_nanoseconds)
{
    struct pace p = {.speed = 1};
    const int64_t ten_years = INT64_C(10) * 365 * 86400 * NS_PER_S;
    pace_next(&p, 1, 60);
    assert_true(pace_next(&p, 1 + ten_years + 7, 60) == ten_years + 7);
}

TEST(test_times_beyond_reason_saturate)
{
    struct pace slow = {.speed = 1e-300}, wide = {.speed = 1}, rate = {.speed = 1, .rate_bps = 1};
    pace_next(&slow, 0, 60);
    assert_true(pace_next(&slow, 1, 60) == PACE_LATEST_NS);
    pace_next(&wide, INT64_MIN, 60);
    assert_true(pace_next(&wide, INT64_MAX, 60) == PACE_LATEST_NS);
    for (int i = 0; i < 10; i++)
        pace_next(&rate, 0, UINT32_C(1) << 30);
    assert_true(pace_next(&rate, 0, 60) == PACE_LATEST_NS);
}

/* A clock that is set back: what follows goes at once until times pass the latest one again. */
TEST(test_times_that_step_back_are_due_at_once)
{
    struct pace p = {.speed = 1};
    const int64_t time[] = {1000, 1500, 1400, 900, 1500, 1499, 1600}, due[] = {0, 500, 500, 500, 500, 500, 600};
    for (size_t i = 0; i < sizeof time / sizeof *time; i++)
        assert_int_equal(pace_next(&p, time[i], 60), due[i]);
    assert_int_equal(p.back, 3);
}

TEST(test_rate_counts_what_the_wire_carries)
{
    struct pace p = {.speed = 1, .rate_bps = 100000000};
    assert_int_equal(pace_next(&p, 77, 1514), 0);
    assert_int_equal(pace_next(&p, 5, 60), 123040);         /* 1538 bytes of 80 ns */
    assert_int_equal(pace_next(&p, 5, 42), 123040 + 6720);  /* 84 bytes: the shortest frame */
    assert_int_equal(pace_next(&p, 5, 60), 123040 + 2 * 6720); /* padded on the wire */
    assert_int_equal(p.back, 0); /* recorded times do not count */
}

TEST(test_rate_that_divides_nothing_does_not_drift)
{
    const int64_t rate = INT64_C(700000001);
    struct pace p = {.speed = 1, .rate_bps = rate};
    int64_t due = 0;
    for (int i = 0; i <= 1000000; i++)
        due = pace_next(&p, 0, 100);
    __extension__ typedef __int128 wide;
    assert_true(due == (int64_t)((wide)1000000 * 124 * 8 * NS_PER_S / rate));
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

TEST(test_quantiles_against_sorted_values)
{
    enum { N = 20000 };
    static struct pace_errors e;
    static int64_t values[N];
    struct random r = random_of(5);
    for (int i = 0; i < N; i++) {
        values[i] = (int64_t)(random_next(&r) >> (1 + random_below(&r, 63))); /* every size alike */
        pace_errors_add(&e, i % 2 ? values[i] : -values[i]);
    }
    qsort(values, N, sizeof *values, compare);
    const double shares[] = {0.01, 0.25, 0.5, 0.9, 0.99, 1};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        int64_t exact = values[(int)(shares[i] * N + 0.5) - 1], got = pace_errors_quantile(&e, shares[i]);
        assert_true(got >= exact && (double)got <= (double)exact * (1 + 1.0 / 32));
    }
    assert_true(e.max_ns == values[N - 1] && pace_errors_quantile(&e, 1) == values[N - 1]);
}

TEST(test_quantile_edges)
{
    static struct pace_errors e;
    assert_int_equal(pace_errors_quantile(&e, 0.5), 0);
    pace_errors_add(&e, 1000);
    assert_int_equal(pace_errors_quantile(&e, 0.5), 1000); /* not beyond the largest */
    pace_errors_add(&e, INT64_MIN);
    assert_true(pace_errors_quantile(&e, 1) == INT64_MAX);
    for (int i = 0; i < 98; i++)
        pace_errors_add(&e, 63);
    assert_int_equal(pace_errors_quantile(&e, 0.98), 63); /* exact below 64 */
}

/* The Internet checksum (RFC 1071) of n bytes on top of `sum`, complemented. */
static uint16_t checksum(const uint8_t *p, size_t n, uint32_t sum)
{
    for (size_t i = 0; i < n; i++)
        sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

static uint32_t plain_sum(const uint8_t *p, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i += 2)
        sum += (uint32_t)(p[i] << 8 | p[i + 1]);
    return sum;
}

static void put16(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)(value >> 8);
    p[1] = (uint8_t)value;
}

/* A packet of random bytes with headers that hold together. */
struct packet {
    uint8_t frame[1600];
    size_t n, ip, ip_bytes, transport;
    uint8_t protocol;
    bool ipv6;
};

static void packet_fill_checksums(struct packet *p, bool none)
{
    uint8_t *ip = p->frame + p->ip, *t = p->frame + p->transport;
    size_t length = p->n - p->transport;
    size_t at = p->protocol == 6 ? 16 : p->protocol == 17 ? 6 : 2;
    if (!p->ipv6) {
        put16(ip + 10, 0);
        put16(ip + 10, checksum(ip, p->transport - p->ip, 0));
    }
    uint32_t pseudo = p->ipv6 ? plain_sum(ip + 8, 32) : plain_sum(ip + 12, 8);
    if (!p->ipv6 && p->protocol == 58)
        return;
    put16(t + at, 0);
    if (none)
        return;
    uint32_t value = checksum(t, length, pseudo + p->protocol + (uint32_t)length);
    put16(t + at, p->protocol == 17 && value == 0 ? 0xffff : value);
}

static struct packet packet_make(struct random *r, bool ipv6, uint8_t protocol, int tags)
{
    struct packet p = {.ipv6 = ipv6, .protocol = protocol, .ip = 14 + 4 * (size_t)tags};
    for (size_t i = 0; i < sizeof p.frame; i++)
        p.frame[i] = (uint8_t)random_next(r);
    for (int i = 0; i < tags; i++)
        put16(p.frame + 12 + 4 * i, i ? 0x8100 : 0x88a8);
    put16(p.frame + p.ip - 2, ipv6 ? 0x86dd : 0x0800);
    uint8_t *ip = p.frame + p.ip;
    size_t options = random_below(r, 3) * 8;
    p.transport = p.ip + (ipv6 ? 40 : 20) + options;
    p.n = p.transport + 20 + random_below(r, 1400);
    if (ipv6) {
        ip[0] = 0x60;
        put16(ip + 4, (uint32_t)(p.n - p.ip - 40));
        /* RFC 8200: hop by hop, routing without a stop to make, destination options, mobility; or a first fragment, whose
         * header is always of 8 bytes, and the second of them reserved. */
        static const uint8_t kinds[] = {0, 43, 60, 135, 44};
        uint8_t kind = kinds[random_below(r, options == 8 ? 5 : 4)];
        ip[6] = options ? kind : protocol;
        if (options) {
            ip[40] = protocol;
            ip[41] = kind == 44 ? ip[41] : (uint8_t)(options / 8 - 1);
            put16(ip + 42, kind == 44); /* "more fragments"; no stops left */
        }
    } else {
        ip[0] = (uint8_t)(0x45 + options / 4);
        put16(ip + 2, (uint32_t)(p.n - p.ip));
        put16(ip + 6, 0x2000); /* a first fragment: it has the checksum */
        ip[9] = protocol;
    }
    packet_fill_checksums(&p, false);
    return p;
}

/* Source and destination of both layers, from the packet to random ones; some swap. */
static void make_rewrites(struct random *r, const struct packet *p, struct capture_rewrite rewrites[4])
{
    uint8_t n = p->ipv6 ? 16 : 4;
    const uint8_t *from[4] = {p->frame, p->frame + 6, p->frame + p->ip + (p->ipv6 ? 8 : 12),
                              p->frame + p->ip + (p->ipv6 ? 24 : 16)};
    bool swap = random_below(r, 4) == 0;
    for (int i = 0; i < 4; i++) {
        rewrites[i] = (struct capture_rewrite){.bytes = i < 2 ? 6 : n};
        memcpy(rewrites[i].from, from[i], rewrites[i].bytes);
        for (int k = 0; k < rewrites[i].bytes; k++)
            rewrites[i].to[k] = random_below(r, 4) ? (uint8_t)random_next(r) : (uint8_t)(random_below(r, 2) * 255);
        if (swap)
            memcpy(rewrites[i].to, from[i ^ 1], rewrites[i].bytes);
    }
}

TEST(test_rewritten_checksums_are_those_of_the_whole_packet)
{
    static const uint8_t protocols[] = {6, 17, 58};
    struct random r = random_of(11);
    for (int i = 0; i < 40000; i++) {
        bool ipv6 = i & 1;
        uint8_t protocol = protocols[i / 2 % 3];
        struct packet p = packet_make(&r, ipv6, protocol, i / 6 % 3), expected = p;
        struct capture_rewrite rewrites[4];
        make_rewrites(&r, &p, rewrites);
        assert_true(capture_rewrite_frame(rewrites, 4, p.frame, (uint32_t)p.n));
        size_t at = expected.ip + (ipv6 ? 8 : 12);
        memcpy(expected.frame, rewrites[0].to, 6);
        memcpy(expected.frame + 6, rewrites[1].to, 6);
        memcpy(expected.frame + at, rewrites[2].to, rewrites[2].bytes);
        memcpy(expected.frame + at + rewrites[2].bytes, rewrites[3].to, rewrites[3].bytes);
        packet_fill_checksums(&expected, false);
        assert_memory_equal(p.frame, expected.frame, sizeof p.frame); /* nothing else changed, no byte beyond */
    }
}

TEST(test_udp_without_a_checksum_stays_so)
{
    struct random r = random_of(12);
    struct packet p = packet_make(&r, false, 17, 0);
    struct capture_rewrite rewrites[4];
    packet_fill_checksums(&p, true);
    make_rewrites(&r, &p, rewrites);
    assert_true(capture_rewrite_frame(rewrites, 4, p.frame, (uint32_t)p.n));
    assert_int_equal(p.frame[p.transport + 6] | p.frame[p.transport + 7], 0);
}

TEST(test_later_fragments_have_no_transport_checksum)
{
    struct random r = random_of(13);
    struct packet p = packet_make(&r, false, 6, 0);
    put16(p.frame + p.ip + 6, 0x00b9);
    struct packet before = p;
    struct capture_rewrite rewrites[4];
    make_rewrites(&r, &p, rewrites);
    assert_true(capture_rewrite_frame(rewrites, 4, p.frame, (uint32_t)p.n));
    assert_memory_equal(p.frame + p.transport, before.frame + p.transport, p.n - p.transport);
}

/* Cut anywhere, of any bytes: nothing is read or written behind the end (the sanitizers watch). */
TEST(test_cut_and_damaged_frames_are_safe)
{
    struct random r = random_of(14);
    for (int i = 0; i < 20000; i++) {
        struct packet p = packet_make(&r, i & 1, i & 2 ? 6 : 17, i % 3);
        struct capture_rewrite rewrites[4];
        make_rewrites(&r, &p, rewrites);
        uint32_t n = (uint32_t)random_below(&r, 130);
        if (i % 5 == 0)
            p.frame[random_below(&r, 80)] = (uint8_t)random_next(&r);
        MEMORY_LOCAL uint8_t *cut = malloc(n + 1);
        memcpy(cut, p.frame, n);
        cut[n] = 0xa5;
        capture_rewrite_frame(rewrites, 4, cut, n);
        assert_int_equal(cut[n], 0xa5);
        cut = realloc(cut, n ? n : 1);
        capture_rewrite_frame(rewrites, 4, cut, n);
    }
}

TEST(test_arp_gets_other_addresses)
{
    uint8_t frame[42] = {255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 1, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1,
                         2, 0, 0, 0, 0, 1, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2};
    struct capture_rewrite rewrites[2];
    assert_true(capture_rewrite_parse("02:00:00:00:00:01=52:54:00:aB:Cd:ef", &rewrites[0], &err));
    assert_true(capture_rewrite_parse("10.0.0.2=192.168.7.9", &rewrites[1], &err));
    assert_true(capture_rewrite_frame(rewrites, 2, frame, sizeof frame));
    const uint8_t expected[42] = {255, 255, 255, 255, 255, 255, 0x52, 0x54, 0, 0xab, 0xcd, 0xef, 8, 6, 0, 1, 8, 0, 6,
                                  4, 0, 1, 0x52, 0x54, 0, 0xab, 0xcd, 0xef, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 192, 168,
                                  7, 9};
    assert_memory_equal(frame, expected, sizeof frame);
    assert_false(capture_rewrite_frame(rewrites, 2, frame, sizeof frame)); /* nothing left to replace */
}

TEST(test_rewrites_that_make_no_sense)
{
    static const struct { const char *text, *words; } bad[] = {
        {"10.0.0.1", "OLD=NEW"}, {"", "OLD=NEW"}, {"10.0.0.1=", "''"}, {"=10.0.0.1", "''"},
        {"10.0.0.256=10.0.0.1", "'10.0.0.256'"}, {"10.0.0.1=::1", "one kind"},
        {"02:00:00:00:00:01=10.0.0.1", "one kind"}, {"02:00:00:00:00=02:00:00:00:00:01", "'02:00:00:00:00'"},
        {"02:00:00:00:00: 1=02:00:00:00:00:01", "is not a MAC"}, {"10.0.0.1=10.0.0.2=10.0.0.3", "'10.0.0.2=10.0.0.3'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct capture_rewrite rewrite;
        assert_false(capture_rewrite_parse(bad[i].text, &rewrite, &err));
        assert_int_equal(err.code, ERROR_INPUT);
        assert_non_null(strstr(err.message, bad[i].words));
    }
}

static const struct capture_inject_options options = {.source = "x.pcap", .speed = 1};

TEST(test_short_captures_are_padded_with_zeros)
{
    uint8_t bytes[96], out[CAPTURE_INJECT_FRAME_BYTES(1500)];
    struct capture_inject_result result = {0};
    memset(bytes, 0x55, sizeof bytes);
    memset(out, 0xee, sizeof out);
    const struct capture_frame frame = {.captured_bytes = 96, .wire_bytes = 1514, .bytes = bytes};
    assert_true(capture_inject_frame(&frame, 1, "eth1", 1500, &options, out, &result, &err));
    for (size_t i = 0; i < sizeof out; i++)
        assert_int_equal(out[i], i < 96 ? 0x55 : i < 1514 ? 0 : 0xee);
    assert_int_equal(result.padded_frames, 1);
    const struct capture_frame whole = {.captured_bytes = 96, .wire_bytes = 96, .bytes = bytes};
    assert_true(capture_inject_frame(&whole, 2, "eth1", 1500, &options, out, &result, &err));
    assert_int_equal(result.padded_frames, 1);
}

TEST(test_frames_that_do_not_fit_are_named)
{
    uint8_t bytes[14] = {0}, out[CAPTURE_INJECT_FRAME_BYTES(1500)];
    struct capture_inject_result result = {0};
    struct capture_frame frame = {.captured_bytes = 14, .wire_bytes = 1515, .bytes = bytes};
    assert_false(capture_inject_frame(&frame, 12, "eth1", 1500, &options, out, &result, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_non_null(strstr(err.message, "x.pcap: frame 12 of 1515 bytes does not fit eth1, whose MTU of 1500"));
    put16(bytes + 12, 0x8100); /* a VLAN tag does not count */
    frame.wire_bytes = 1518;
    assert_true(capture_inject_frame(&frame, 12, "eth1", 1500, &options, out, &result, &err));
    frame.wire_bytes = 1519;
    assert_false(capture_inject_frame(&frame, 12, "eth1", 1500, &options, out, &result, &err));
    frame.wire_bytes = UINT32_MAX;
    assert_false(capture_inject_frame(&frame, 12, "eth1", 1500, &options, out, &result, &err));
    frame.captured_bytes = frame.wire_bytes = 13;
    assert_false(capture_inject_frame(&frame, 3, "eth1", 1500, &options, out, &result, &err));
    assert_non_null(strstr(err.message, "frame 3 of 13 bytes is shorter than an Ethernet header"));
}

TEST(test_only_ethernet_is_accepted)
{
    for (uint32_t type = 0; type <= 1; type++) {
        struct files_bytes f = {0};
        files_pcap_header(&f, 0xa1b23c4d, type ? 1 : 113);
        files_pcap_packet(&f, 1, 0, 60, 60);
        struct capture_reader *r = capture_reader_open(files_write("type.pcap", f.bytes, f.n), &err);
        assert_non_null(r);
        assert_int_equal(capture_inject_accepts(r, "x.pcap", &err), type);
        assert_true(type || (err.code == ERROR_INPUT && strstr(err.message, "x.pcap: frames of link type LINUX_SLL")));
        capture_reader_close(r);
    }
}

TEST(test_interfaces_that_are_not_there)
{
    static const char *const names[] = {"none-such0", "", "a-name-that-is-longer-than-names-of-interfaces", "any"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_null(capture_inject_open(names[i], &err));
        assert_int_equal(err.code, ERROR_INPUT);
        assert_non_null(strstr(err.message, "no such interface"));
    }
}

CM_GROUP(files_setup, files_teardown)
