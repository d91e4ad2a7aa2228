/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames taken straight from a file's bytes are libpcap's, whatever the file holds: libpcap itself reads it beside. */
#include "base/random.h"
#include "capture/reader.h"
#include "test/capture/files.h"
#include "test/cm.h"

#include <pcap/pcap.h>

enum { ROUNDS = 1500, LONG_ROUNDS = 25, MOST_BYTES = 1 << 20, LONGEST = 3000, BOTH_BUFFERS = 1 << 19 };

struct made {
    size_t n;
    uint8_t bytes[MOST_BYTES];
};

static void put(struct made *m, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++, value >>= 8)
        m->bytes[m->n++] = (uint8_t)value;
}

static void put_random(struct made *m, struct random *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        m->bytes[m->n++] = (uint8_t)random_next(r);
}

/* Mostly what most files have; now and then what no plain file has. */
static uint64_t usually(struct random *r, uint64_t usual, uint64_t odd)
{
    return random_below(r, 20) == 0 ? odd : usual;
}

static void make_pcap(struct made *m, struct random *r, size_t bytes)
{
    put(m, random_below(r, 2) ? 0xa1b2c3d4 : 0xa1b23c4d, 4);
    put(m, 2, 2);
    put(m, usually(r, 4, 3), 2);
    put(m, 0, 8);
    put(m, usually(r, 262144, random_below(r, LONGEST)), 4); /* snapshot length */
    put(m, 1, 4);
    while (m->n < bytes) {
        uint32_t n = (uint32_t)random_below(r, random_below(r, 4) ? 200 : LONGEST);
        put(m, usually(r, 1700000000, random_next(r)), 4);
        put(m, usually(r, random_below(r, 1000000000), random_next(r)), 4);
        put(m, n, 4);
        put(m, usually(r, n + 14, random_below(r, 4000)), 4);
        put_random(m, r, n);
    }
}

static void put_interface(struct made *m, struct random *r, bool offset)
{
    static const uint8_t resolutions[] = {6, 9, 6, 9, 3, 0x8a};
    uint32_t total = offset ? 44 : 32;
    put(m, 1, 4);
    put(m, total, 4);
    put(m, 1, 4); /* Ethernet */
    put(m, usually(r, 262144, random_below(r, LONGEST)), 4);
    if (offset) {
        put(m, 14 | 8 << 16, 4); /* if_tsoffset */
        put(m, random_below(r, 3), 8);
    }
    put(m, 9 | 1 << 16, 4); /* if_tsresol */
    put(m, resolutions[random_below(r, sizeof resolutions)], 4);
    put(m, 0, 4);
    put(m, total, 4);
}

static void put_other_block(struct made *m, struct random *r)
{
    static const uint32_t types[] = {3, 4, 5, 5, 4, 5, 10, 0xbad};
    uint32_t n = 4 * (uint32_t)random_below(r, 8) + 12 + (uint32_t)usually(r, 0, random_below(r, 4));
    put(m, types[random_below(r, sizeof types / sizeof *types)], 4);
    put(m, n, 4);
    put_random(m, r, n - 12);
    put(m, n, 4);
}

static void make_pcapng(struct made *m, struct random *r, size_t bytes)
{
    put(m, 0x0a0d0d0a, 4);
    put(m, 28, 4);
    put(m, 0x1a2b3c4d, 4);
    put(m, 1, 4);
    put(m, UINT64_MAX, 8);
    put(m, 28, 4);
    if (random_below(r, 8) == 0)
        put_other_block(m, r);
    put_interface(m, r, random_below(r, 8) == 0);
    bool varied = random_below(r, 2);
    while (m->n < bytes) {
        uint32_t n = (uint32_t)random_below(r, random_below(r, 4) ? 200 : LONGEST), padding = -n & 3u;
        uint32_t options = varied && random_below(r, 4) == 0 ? 12 : 0, total = 32 + n + padding + options;
        if (varied && random_below(r, 40) == 0)
            put_other_block(m, r);
        if (varied && random_below(r, 200) == 0)
            put_interface(m, r, false);
        uint64_t t = usually(r, UINT64_C(1700000000000000), random_next(r));
        put(m, 6, 4);
        put(m, total, 4);
        put(m, varied ? usually(r, 0, 1) : 0, 4);
        put(m, t >> 32, 4);
        put(m, t, 4);
        put(m, n, 4);
        put(m, usually(r, n, random_below(r, 4000)), 4);
        put_random(m, r, n + padding + options);
        put(m, total, 4);
    }
}

/* Cut at the end, or with a few bytes changed; or sound. */
static void damage(struct made *m, struct random *r)
{
    uint64_t what = random_below(r, 3);
    if (what == 1)
        m->n = (size_t)random_below(r, m->n) + 1;
    for (uint64_t i = what == 2 ? random_below(r, 4) + 1 : 0; i > 0; i--)
        m->bytes[random_below(r, 2) && m->n > 400 ? random_below(r, 400) : random_below(r, m->n)] ^=
            (uint8_t)(1u << random_below(r, 8));
}

/* The frame is one that capture_reader_next() may refuse though libpcap takes it: see its header. */
static bool beyond(const struct pcap_pkthdr *h)
{
    return h->len > CAPTURE_FRAME_LONGEST_IP || h->ts.tv_sec > INT64_MAX / 2 / 1000000000 ||
           h->ts.tv_sec < -(INT64_MAX / 2 / 1000000000);
}

/* How many frames both have. libpcap itself reads no gzip. */
static int compare(const struct made *m, bool gzip)
{
    char said[PCAP_ERRBUF_SIZE];
    struct error err = {0};
    struct pcap_pkthdr *h;
    const u_char *bytes;
    const char *path = files_write("plain", m->bytes, m->n);
    pcap_t *p = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, said);
    path = gzip ? files_write_gzip("gzip", m->bytes, m->n) : path;
    struct capture_reader *r = capture_reader_open(path, &err);
    int n = 0;
    if (r)
        assert_non_null(p); /* the other way round, a link type may be unknown */
    for (enum capture_next next = CAPTURE_NEXT_FRAME; r && next == CAPTURE_NEXT_FRAME; n++) {
        struct capture_frame frame;
        int status = pcap_next_ex(p, &h, &bytes);
        next = capture_reader_next(r, &frame, &err);
        if (next != CAPTURE_NEXT_FRAME && status == 1 && beyond(h))
            break;
        assert_ints({next == CAPTURE_NEXT_FRAME, status == 1}, {next == CAPTURE_NEXT_END, status == PCAP_ERROR_BREAK});
        if (status != 1)
            break;
        assert_true(frame.time_ns == (int64_t)h->ts.tv_sec * 1000000000 + h->ts.tv_usec);
        assert_ints({frame.captured_bytes, h->caplen}, {frame.wire_bytes, h->len < h->caplen ? h->caplen : h->len});
        assert_memory_equal(frame.bytes, bytes, h->caplen);
    }
    capture_reader_close(r);
    if (p)
        pcap_close(p);
    return n;
}

TEST(test_whatever_a_file_holds)
{
    static struct made m;
    int64_t frames = 0;
    struct random r = random_of(1);
    for (int i = 0; i < ROUNDS + LONG_ROUNDS; i++) {
        size_t bytes = i < ROUNDS ? (size_t)random_below(&r, 5000) + 100 : BOTH_BUFFERS + (size_t)random_below(&r, 400000);
        m.n = 0;
        if (random_below(&r, 2))
            make_pcap(&m, &r, bytes);
        else
            make_pcapng(&m, &r, bytes);
        damage(&m, &r);
        frames += compare(&m, i % 5 == 0);
    }
    assert_true(frames > 10 * ROUNDS); /* the rounds are about something */
}

CM_GROUP(files_setup, files_teardown)
