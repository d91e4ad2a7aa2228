/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/writer.h"
#include "base/random.h"
#include "capture/reader.h"
#include "test/capture/files.h"
#include "test/cm.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const struct capture_writer_config config = {
    .format = CAPTURE_FORMAT_PCAPNG, .snaplen = 96, .interface = "h0", .application = "contraflow",
    .link_rate_bps = INT64_C(10000000000),
};
static const struct capture_writer_config config_pcap = {.format = CAPTURE_FORMAT_PCAP, .snaplen = 96};

static struct capture_writer *open_writer(const char *name, const struct capture_writer_config *c)
{
    struct error err = {0};
    struct capture_writer *w = capture_writer_open(files_path(name), c, &err);
    if (!w)
        fail_msg("%s", err.message);
    return w;
}

static bool exists(const char *name)
{
    struct stat st;
    return stat(files_path(name), &st) == 0;
}

/* Frames of random length, bytes and time, the same for the same i. */
struct made {
    int64_t time_ns;
    uint32_t captured, wire;
    uint8_t bytes[96];
};

static struct made make(uint64_t i)
{
    struct made m;
    struct random r = random_of(i);
    m.captured = (uint32_t)random_below(&r, sizeof m.bytes + 1);
    m.wire = m.captured + (uint32_t)random_below(&r, 65000); /* with 96 bytes at most: a frame that can be */
    m.time_ns = (int64_t)random_below(&r, UINT64_C(2147483648) * 1000000000); /* to 2038 */
    for (size_t k = 0; k < sizeof m.bytes; k++)
        m.bytes[k] = (uint8_t)random_next(&r);
    return m;
}

static void round_trip(const char *name, const struct capture_writer_config *c)
{
    struct error err = {0};
    struct capture_writer *w = open_writer(name, c);
    for (uint64_t i = 0; i < 5000; i++) { /* more than a buffer */
        struct made m = make(i);
        enum capture_direction direction = (enum capture_direction)(i % 3);
        assert_true(capture_writer_write(w, m.time_ns, m.bytes, m.captured, m.wire, direction, &err));
    }
    assert_false(exists(name)); /* not before it is whole */
    assert_true(capture_writer_close(w, &err));

    struct capture_reader *r = capture_reader_open(files_path(name), &err);
    struct capture_frame frame;
    assert_non_null(r);
    assert_int_equal(capture_reader_link_type(r), 1);
    for (uint64_t i = 0; i < 5000; i++) {
        struct made m = make(i);
        assert_int_equal(capture_reader_next(r, &frame, &err), CAPTURE_NEXT_FRAME);
        assert_true(frame.time_ns == m.time_ns);
        assert_ints({frame.captured_bytes, m.captured}, {frame.wire_bytes, m.wire});
        assert_memory_equal(frame.bytes, m.bytes, m.captured);
    }
    assert_int_equal(capture_reader_next(r, &frame, &err), CAPTURE_NEXT_END);
    capture_reader_close(r);
}

TEST(test_pcap_comes_back_as_written)
{
    round_trip("trip.pcap", &config_pcap);
}

TEST(test_pcapng_comes_back_as_written)
{
    round_trip("trip.pcapng", &config);
}

TEST(test_file_without_frames_is_a_capture)
{
    for (int i = 0; i < 2; i++) {
        struct capture_frame frame;
        assert_true(capture_writer_close(open_writer("none", i ? &config : &config_pcap), &err));
        struct capture_reader *r = capture_reader_open(files_path("none"), &err);
        assert_non_null(r);
        assert_int_equal(capture_reader_next(r, &frame, &err), CAPTURE_NEXT_END);
        capture_reader_close(r);
    }
}

static void put_text(struct files_bytes *f, const char *text, size_t n)
{
    memcpy(f->bytes + f->n, text, n);
    f->n += n;
}

/* Every byte, from draft-ietf-opsawg-pcapng sections 4.1, 4.2 and 4.3 (this machine's byte order). */
TEST(test_pcapng_blocks_byte_by_byte)
{
    struct files_bytes f = {.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__};
    struct capture_writer *w = open_writer("bytes.pcapng", &config);
    const uint8_t frame[5] = "UUUU"; /* 0x55, as files_pcapng_packet() has it */
    assert_true(capture_writer_write(w, INT64_C(0x123456789), frame, 4, 5, CAPTURE_DIRECTION_OUT, &err));
    assert_true(capture_writer_write(w, 7, frame, 3, 3, CAPTURE_DIRECTION_IN, &err));
    assert_true(capture_writer_write(w, 8, frame, 4, 4, CAPTURE_DIRECTION_UNKNOWN, &err));
    assert_true(capture_writer_close(w, &err));

    const uint32_t section = 24 + 4 + 12 + 4 + 4; /* shb_userappl "contraflow" padded to 12, opt_endofopt, total */
    files_u32(&f, 0x0a0d0d0a);
    files_u32(&f, section);
    files_u32(&f, 0x1a2b3c4d);
    files_u16(&f, 1);
    files_u16(&f, 0);
    files_u32(&f, 0xffffffff);
    files_u32(&f, 0xffffffff);
    files_u16(&f, 4);
    files_u16(&f, 10);
    put_text(&f, "contraflow\0\0", 12);
    files_u32(&f, 0);
    files_u32(&f, section);

    const uint32_t interface = 16 + 8 + 12 + 8 + 4 + 4; /* if_name, if_speed, if_tsresol, opt_endofopt, total */
    files_u32(&f, 1);
    files_u32(&f, interface);
    files_u16(&f, 1); /* LINKTYPE_ETHERNET */
    files_u16(&f, 0);
    files_u32(&f, 96);
    files_u16(&f, 2);
    files_u16(&f, 2);
    put_text(&f, "h0\0\0", 4);
    files_u16(&f, 8);
    files_u16(&f, 8);
    put_text(&f, (const char *)&config.link_rate_bps, 8);
    files_u16(&f, 9);
    files_u16(&f, 1);
    put_text(&f, "\x09\0\0\0", 4);
    files_u32(&f, 0);
    files_u32(&f, interface);

    const struct { uint32_t high, low, captured, wire, flags; } packets[] = {
        {1, 0x23456789, 4, 5, 2}, /* outbound */
        {0, 7, 3, 3, 1},          /* inbound */
    };
    for (int i = 0; i < 2; i++) {
        const uint32_t total = 28 + 4 + 8 + 4 + 4; /* data padded to 4, epb_flags, opt_endofopt, total */
        files_u32(&f, 6);
        files_u32(&f, total);
        files_u32(&f, 0);
        files_u32(&f, packets[i].high);
        files_u32(&f, packets[i].low);
        files_u32(&f, packets[i].captured);
        files_u32(&f, packets[i].wire);
        put_text(&f, i ? "UUU\0" : "UUUU", 4);
        files_u16(&f, 2);
        files_u16(&f, 4);
        files_u32(&f, packets[i].flags);
        files_u32(&f, 0);
        files_u32(&f, total);
    }
    files_pcapng_packet(&f, 0, 8, 4); /* no direction, no options */

    uint8_t written[FILES_MAX_BYTES];
    assert_int_equal(files_read("bytes.pcapng", written, sizeof written), f.n);
    assert_memory_equal(written, f.bytes, f.n);
}

TEST(test_pcap_says_nanoseconds)
{
    uint32_t magic;
    assert_true(capture_writer_close(open_writer("nano.pcap", &config_pcap), &err));
    assert_int_equal(files_read("nano.pcap", &magic, sizeof magic), sizeof magic);
    assert_int_equal(magic, 0xa1b23c4d);
}

TEST(test_long_names_are_cut_to_fit)
{
    char name[5000];
    struct capture_frame frame;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    struct capture_writer_config c = config;
    c.interface = c.application = name;
    assert_true(capture_writer_close(open_writer("long.pcapng", &c), &err));
    struct capture_reader *r = capture_reader_open(files_path("long.pcapng"), &err);
    assert_non_null(r);
    assert_int_equal(capture_reader_next(r, &frame, &err), CAPTURE_NEXT_END);
    capture_reader_close(r);
}

TEST(test_frames_that_cannot_be_are_refused)
{
    const uint8_t bytes[97] = {0};
    for (int i = 0; i < 2; i++) {
        struct capture_writer *w = open_writer("odd", i ? &config : &config_pcap);
        enum capture_direction in = CAPTURE_DIRECTION_IN;
        assert_false(capture_writer_write(w, 0, bytes, 97, 97, in, &err)); /* beyond the snap length */
        assert_non_null(strstr(err.message, "snap length of 96"));
        assert_false(capture_writer_write(w, 0, bytes, 60, 59, in, &err));
        assert_false(capture_writer_write(w, -1, bytes, 60, 60, in, &err));
        /* 2^31 s: 2038 for a pcap, a day like any other for a pcapng */
        assert_int_equal(capture_writer_write(w, INT64_C(2147483648000000000), bytes, 60, 60, in, &err), i);
        capture_writer_discard(w);
    }
}

TEST(test_discarded_file_leaves_nothing)
{
    for (int i = 0; i < 2; i++) {
        struct capture_writer *w = open_writer("left", i ? &config : &config_pcap);
        assert_true(exists("left.part"));
        capture_writer_discard(w);
        assert_false(exists("left.part"));
        assert_false(exists("left"));
    }
}

TEST(test_directory_that_does_not_exist_is_the_systems_fault)
{
    assert_null(capture_writer_open(files_path("no/where.pcap"), &config, &err));
    assert_int_equal(err.code, ERROR_SYSTEM);
    assert_non_null(strstr(err.message, "No such file or directory"));
}

/* A file size limit of 300 kB stands for a full disk: the write that no longer fits says so while the run goes on,
 * and nothing under the file's name looks whole. */
TEST(test_full_disk_is_noticed_while_writing)
{
    struct rlimit before, limit;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){.rlim_cur = 300000, .rlim_max = before.rlim_max};
    for (int i = 0; i < 2; i++) {
        struct capture_writer *w = open_writer("full", i ? &config : &config_pcap);
        const uint8_t bytes[96] = {0};
        int written = 0;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        while (written < 20000 && capture_writer_write(w, written, bytes, 96, 96, CAPTURE_DIRECTION_IN, &err))
            written++;
        assert_in_range(written, 2000, 6000); /* 300 kB and a buffer of 256 KiB, 112 or 140 bytes each */
        assert_int_equal(err.code, ERROR_SYSTEM);
        assert_non_null(strstr(err.message, "full: cannot be written: File too large"));
        err = (struct error){0};
        assert_false(capture_writer_close(w, &err));
        assert_int_equal(err.code, ERROR_SYSTEM);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_false(exists("full"));
        assert_false(exists("full.part"));
    }
}

/* Fewer bytes than a buffer: only closing finds out. */
TEST(test_full_disk_is_noticed_when_closing)
{
    struct rlimit before, limit;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){.rlim_cur = 10, .rlim_max = before.rlim_max};
    for (int i = 0; i < 2; i++) {
        struct capture_writer *w = open_writer("full", i ? &config : &config_pcap);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        assert_true(capture_writer_write(w, 1, (const uint8_t[60]){0}, 60, 60, CAPTURE_DIRECTION_IN, &err));
        bool closed = capture_writer_close(w, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_false(closed);
        assert_non_null(strstr(err.message, "full: cannot be written: File too large"));
        assert_false(exists("full"));
        assert_false(exists("full.part"));
    }
}

CM_GROUP(files_setup, files_teardown)
