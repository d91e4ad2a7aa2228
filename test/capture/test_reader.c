/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/reader.h"
#include "base/random.h"
#include "test/capture/files.h"
#include "test/cm.h"

#include <sys/stat.h>

CM_OWNER(capture_reader, capture_reader_close)

enum { ETHERNET = 1, RAW_IP = 101, WIFI = 105 }; /* link types */
#define MICRO 0xa1b2c3d4
#define NANO 0xa1b23c4d

/* Reads a file to its end; returns how it ended and how many frames came before. */
static enum capture_next read_all(const char *path, int *frames, struct error *err)
{
    CM_OWNED(capture_reader_close) struct capture_reader *r = capture_reader_open(path, err);
    *frames = 0;
    if (!r)
        fail_msg("%s", err->message);
    struct capture_frame frame;
    enum capture_next next;
    uint32_t sum = 0;
    while ((next = capture_reader_next(r, &frame, err)) == CAPTURE_NEXT_FRAME) {
        assert_true(frame.captured_bytes <= frame.wire_bytes);
        for (uint32_t i = 0; i < frame.captured_bytes; i++)
            sum += frame.bytes[i]; /* for AddressSanitizer */
        ++*frames;
    }
    struct error again;
    assert_int_equal(capture_reader_next(r, &frame, &again), next); /* and stays so */
    if (next == CAPTURE_NEXT_TRUNCATED)
        assert_string_equal(again.message, err->message);
    assert_true(sum > 0 || *frames == 0);
    return next;
}

static void assert_refused(const char *path, enum error_code code, const char *words)
{
    struct error err = {0};
    assert_null(capture_reader_open(path, &err));
    assert_int_equal(err.code, code);
    assert_memory_equal(err.message, path, strlen(path)); /* the name comes first */
    if (!strstr(err.message, words))
        fail_msg("'%s' lacks '%s'", err.message, words);
}

/* 24 bytes of header, two packets of 16 + 60. */
static struct files_bytes two_packets(void)
{
    struct files_bytes f = {0};
    files_pcap_header(&f, MICRO, ETHERNET);
    files_pcap_packet(&f, 1, 2, 60, 60);
    files_pcap_packet(&f, 1, 3, 60, 1514);
    return f;
}

TEST(test_pcap_of_any_byte_order_and_resolution)
{
    for (int i = 0; i < 4; i++) {
        bool nano = i & 1;
        struct files_bytes f = {.big_endian = i & 2};
        struct capture_frame frame;
        files_pcap_header(&f, nano ? NANO : MICRO, ETHERNET);
        files_pcap_packet(&f, 1700000000, nano ? 123456789 : 123456, 60, 1514);
        struct capture_reader *r = capture_reader_open(files_write("a.pcap", f.bytes, f.n), &err);
        assert_non_null(r);
        assert_int_equal(capture_reader_link_type(r), ETHERNET);
        assert_int_equal(capture_reader_next(r, &frame, &err), CAPTURE_NEXT_FRAME);
        assert_true(frame.time_ns == (nano ? INT64_C(1700000000123456789) : INT64_C(1700000000123456000)));
        assert_ints({frame.captured_bytes, 60}, {frame.wire_bytes, 1514}, {frame.bytes[59], 0x55});
        assert_int_equal(capture_reader_next(r, &frame, &err), CAPTURE_NEXT_END);
        assert_int_equal(capture_reader_bytes_read(r), 24 + 16 + 60);
        assert_int_equal(capture_reader_file_bytes(r), 24 + 16 + 60);
        capture_reader_close(r);
    }
}

/* Two interfaces, one counting microseconds and one nanoseconds: each packet in its own. */
TEST(test_pcapng_of_any_byte_order_and_resolution)
{
    for (int i = 0; i < 2; i++) {
        struct files_bytes f = {.big_endian = i};
        struct capture_frame frame;
        files_pcapng_section(&f);
        files_pcapng_interface(&f, ETHERNET, 262144, 6);
        files_pcapng_interface(&f, ETHERNET, 262144, 9);
        files_pcapng_packet(&f, 0, UINT64_C(1700000000123456), 61);
        files_pcapng_packet(&f, 1, UINT64_C(1700000000123456789), 62);
        struct capture_reader *r = capture_reader_open(files_write("a.pcapng", f.bytes, f.n), &err);
        assert_non_null(r);
        assert_int_equal(capture_reader_next(r, &frame, &err), CAPTURE_NEXT_FRAME);
        assert_true(frame.time_ns == INT64_C(1700000000123456000));
        assert_int_equal(frame.captured_bytes, 61);
        assert_int_equal(capture_reader_next(r, &frame, &err), CAPTURE_NEXT_FRAME);
        assert_true(frame.time_ns == INT64_C(1700000000123456789));
        assert_int_equal(frame.wire_bytes, 62);
        assert_int_equal(capture_reader_next(r, &frame, &err), CAPTURE_NEXT_END);
        capture_reader_close(r);
    }
}

/* Behind if_name and a comment of five bytes, in either order of bytes. */
TEST(test_pcapng_has_the_interfaces_rate)
{
    for (int i = 0; i < 2; i++) {
        struct files_bytes f = {.big_endian = i};
        files_pcapng_section(&f);
        files_pcapng_interface_speed(&f, ETHERNET, UINT64_C(25000000000));
        files_pcapng_packet(&f, 0, UINT64_C(1700000000123456), 61);
        struct capture_reader *r = capture_reader_open(files_write("a.pcapng", f.bytes, f.n), &err);
        assert_non_null(r);
        assert_true(capture_reader_link_rate_bps(r) == UINT64_C(25000000000));
        capture_reader_close(r);
    }
    struct files_bytes f = {.n = 0};
    files_pcapng_section(&f);
    files_pcapng_interface(&f, ETHERNET, 262144, 9); /* without */
    files_pcapng_packet(&f, 0, 1, 61);
    struct capture_reader *r = capture_reader_open(files_write("a.pcapng", f.bytes, f.n), &err);
    assert_true(r && capture_reader_link_rate_bps(r) == 0);
    capture_reader_close(r);
    f = two_packets();
    r = capture_reader_open(files_write("a.pcap", f.bytes, f.n), &err);
    assert_true(r && capture_reader_link_rate_bps(r) == 0); /* a pcap has no place for it */
    capture_reader_close(r);
}

TEST(test_gzip_is_read_through_and_counted_as_stored)
{
    struct files_bytes f = two_packets();
    struct capture_frame frame;
    const char *path = files_write_gzip("a.pcap.gz", f.bytes, f.n);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size < (off_t)f.n); /* or the counter below would prove nothing */
    CM_OWNED(capture_reader_close) struct capture_reader *r = capture_reader_open(path, &err);
    assert_non_null(r);
    assert_int_equal(capture_reader_next(r, &frame, &err), CAPTURE_NEXT_FRAME);
    assert_int_equal(capture_reader_next(r, &frame, &err), CAPTURE_NEXT_FRAME);
    assert_true(frame.time_ns == INT64_C(1000003000));
    assert_int_equal(capture_reader_next(r, &frame, &err), CAPTURE_NEXT_END);
    assert_int_equal(capture_reader_bytes_read(r), st.st_size);
    assert_int_equal(capture_reader_file_bytes(r), st.st_size);
}

TEST(test_standard_input_is_read)
{
    struct files_bytes f = two_packets();
    int saved = dup(STDIN_FILENO), ends[2], frames;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], f.bytes, f.n), f.n);
    close(ends[1]);
    assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
    close(ends[0]);
    assert_int_equal(read_all("-", &frames, &err), CAPTURE_NEXT_END);
    assert_int_equal(frames, 2);
    dup2(saved, STDIN_FILENO);
    close(saved);
}

TEST(test_captured_length_beyond_the_wire_length_wins)
{
    struct files_bytes f = {0};
    struct capture_frame frame;
    files_pcap_header(&f, MICRO, ETHERNET);
    files_pcap_packet(&f, 1, 2, 60, 10);
    struct capture_reader *r = capture_reader_open(files_write("a.pcap", f.bytes, f.n), &err);
    assert_non_null(r);
    assert_int_equal(capture_reader_next(r, &frame, &err), CAPTURE_NEXT_FRAME);
    assert_ints({frame.captured_bytes, 60}, {frame.wire_bytes, 60});
    capture_reader_close(r);
}

TEST(test_what_is_no_capture_is_refused)
{
    struct files_bytes f = {0};
    assert_refused(files_path("nowhere.pcap"), ERROR_INPUT, ": No such file or directory");
    assert_refused("/", ERROR_INPUT, "is a directory");
    assert_refused("/dev/null", ERROR_INPUT, "is empty");
    assert_refused(files_write("empty.pcap", "", 0), ERROR_INPUT, "is empty");
    assert_refused(files_write_gzip("empty.gz", "", 0), ERROR_INPUT, "is empty");
    assert_refused(files_write("text.pcap", "Dear Sir or Madam, this is a letter", 35), ERROR_INPUT,
                   "is not a pcap or pcapng file");
    assert_refused(files_write("short.pcap", "hi", 2), ERROR_INPUT, "is not a pcap or pcapng file");
    files_pcap_header(&f, MICRO, ETHERNET);
    assert_refused(files_write("cut.pcap", f.bytes, 23), ERROR_INPUT, "stops inside its file header");
    f.n = 0;
    files_pcapng_section(&f);
    assert_refused(files_write("bare.pcapng", f.bytes, f.n), ERROR_INPUT, "Interface Description Block");
}

TEST(test_link_types_nobody_decodes_are_named)
{
    struct files_bytes f = {0};
    files_pcap_header(&f, MICRO, WIFI);
    files_write("wifi.pcap", f.bytes, f.n);
    assert_refused(files_path("wifi.pcap"), ERROR_INPUT, "link type IEEE802_11 (105) is not supported; EN10MB");
}

TEST(test_forbidden_file_is_the_systems_fault)
{
    struct files_bytes f = two_packets();
    const char *path = files_write("locked.pcap", f.bytes, f.n);
    assert_int_equal(chmod(path, 0), 0);
    bool root = geteuid() == 0;
    assert_int_equal(root ? seteuid(65534) : 0, 0);
    assert_refused(path, ERROR_SYSTEM, ": Permission denied");
    assert_int_equal(root ? seteuid(0) : 0, 0);
}

/* Wherever the file is cut, the whole packets before come out and the rest is not taken for an end. */
TEST(test_every_cut_of_a_pcap_is_noticed)
{
    struct files_bytes f = two_packets();
    for (size_t n = 24; n <= f.n; n++) {
        int frames;
        enum capture_next end = read_all(files_write("cut.pcap", f.bytes, n), &frames, &err);
        assert_ints({frames, (n - 24) / 76}, {end, (n - 24) % 76 ? CAPTURE_NEXT_TRUNCATED : CAPTURE_NEXT_END});
        if (n == 150) { /* 24 + 76 + 50 */
            char expected[256];
            snprintf(expected, sizeof expected,
                     "%s: stops inside packet 2 (150 bytes in); everything before it was read", files_path("cut.pcap"));
            assert_string_equal(err.message, expected);
            assert_int_equal(err.code, ERROR_INPUT);
        }
    }
}

/* Section 28, interface 32, then packets of 32 + 60. */
TEST(test_every_cut_of_a_pcapng_is_noticed)
{
    struct files_bytes f = {0};
    files_pcapng_section(&f);
    files_pcapng_interface(&f, ETHERNET, 65535, 9);
    files_pcapng_packet(&f, 0, 1, 60);
    files_pcapng_packet(&f, 0, 2, 60);
    for (size_t n = 60; n <= f.n; n++) {
        int frames;
        enum capture_next end = read_all(files_write("cut.pcapng", f.bytes, n), &frames, &err);
        assert_ints({frames, (n - 60) / 92}, {end, (n - 60) % 92 ? CAPTURE_NEXT_TRUNCATED : CAPTURE_NEXT_END});
        assert_true(end == CAPTURE_NEXT_END || strstr(err.message, "stops inside packet"));
    }
}

/* Even when what can be unpacked ends with a whole packet: only the last byte of the gzip trailer makes it whole. */
TEST(test_every_cut_of_a_gzip_is_noticed)
{
    struct files_bytes f = two_packets();
    uint8_t packed[FILES_MAX_BYTES];
    files_write_gzip("a.pcap.gz", f.bytes, f.n);
    long whole = files_read("a.pcap.gz", packed, sizeof packed);
    int most = 0;
    for (long n = 2; n < whole; n++) {
        int frames = 0;
        struct capture_reader *r = capture_reader_open(files_write("cut.pcap.gz", packed, (size_t)n), &err);
        if (r) {
            capture_reader_close(r);
            assert_int_equal(read_all(files_path("cut.pcap.gz"), &frames, &err), CAPTURE_NEXT_TRUNCATED);
        }
        assert_int_equal(err.code, ERROR_INPUT);
        most = frames > most ? frames : most;
    }
    assert_int_equal(most, 2);
}

TEST(test_damaged_gzip_is_noticed)
{
    struct files_bytes f = two_packets();
    uint8_t packed[FILES_MAX_BYTES];
    files_write_gzip("a.pcap.gz", f.bytes, f.n);
    long n = files_read("a.pcap.gz", packed, sizeof packed);
    packed[n - 8] ^= 1; /* CRC32 */
    struct capture_reader *r = capture_reader_open(files_write("bad.pcap.gz", packed, (size_t)n), &err);
    assert_null(r); /* zlib gives out nothing of its last buffer */
    assert_non_null(strstr(err.message, "gzip data is cut or damaged"));
}

TEST(test_insane_lengths_are_damage)
{
    struct files_bytes f = two_packets();
    int frames;
    f.bytes[24 + 76 + 8 + 3] = 0x7f; /* captured length of the second packet */
    assert_int_equal(read_all(files_write("bad.pcap", f.bytes, f.n), &frames, &err), CAPTURE_NEXT_TRUNCATED);
    assert_int_equal(frames, 1);
    assert_non_null(strstr(err.message, "bad.pcap: damaged at packet 2 ("));
}

/* A frame of `captured` bytes that says it has `wire` of them: an Ethernet header, IPv4 whose length field is `total`,
 * TCP without options. */
static enum capture_next read_length(uint8_t protocol, uint16_t total, uint32_t captured, uint32_t wire,
                                     struct error *err)
{
    uint8_t frame[54] = {[12] = 8, [14] = 0x45, [16] = (uint8_t)(total >> 8), [17] = (uint8_t)total, [23] = protocol,
                         [26] = 10, [30] = 10, [33] = 1, [46] = 0x50, [47] = 0x10};
    struct files_bytes f = {.n = 0};
    int frames;
    files_pcap_header(&f, MICRO, ETHERNET);
    files_pcap_packet(&f, 1, 2, captured, wire);
    memcpy(f.bytes + f.n - captured, frame, captured);
    enum capture_next next = read_all(files_write("long.pcap", f.bytes, f.n), &frames, err);
    assert_int_equal(frames, next == CAPTURE_NEXT_END);
    return next;
}

/* 65535 + 512: an IP packet and what is around it. 8 * 65535 + 512: likewise, the longest of BIG TCP, which IPv4 shows
 * by a length of 0. */
TEST(test_lengths_on_the_wire_that_cannot_be_are_damage)
{
    static const struct {
        uint8_t protocol;
        uint16_t total;
        uint32_t captured, wire;
        bool possible;
    } row[] = {
        {17, 0, 54, 66047, true},      {17, 0, 54, 66048, false},    {6, 0, 54, 66048, true},
        {6, 0, 54, 524792, true},      {6, 0, 54, 524793, false},    {6, 0, 54, UINT32_MAX, false},
        {6, 1500, 54, 66047, true},    {6, 1500, 54, 66048, false},  {6, 65535, 54, 66048, false},
        {6, 0, 30, 524792, true}, /* headers are cut: they may be there */
        {6, 0, 30, 524793, false},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        enum capture_next next = read_length(row[i].protocol, row[i].total, row[i].captured, row[i].wire, &err);
        assert_int_equal(next, row[i].possible ? CAPTURE_NEXT_END : CAPTURE_NEXT_TRUNCATED);
        char said[80];
        snprintf(said, sizeof said, "damaged at packet 1 (no frame of its kind is %u bytes long)", row[i].wire);
        assert_true(row[i].possible || strstr(err.message, said));
    }
}

/* Beyond 2^62 ns differences do not fit int64_t nanoseconds, beyond 2^63 ns times do not. */
TEST(test_times_out_of_range_are_damage)
{
    struct files_bytes f = {0};
    int frames;
    files_pcapng_section(&f);
    files_pcapng_interface(&f, ETHERNET, 65535, 0);
    files_pcapng_packet(&f, 0, UINT64_C(4611686018), 60); /* INT64_MAX / 2 = 4611686018.43 s */
    size_t one = f.n;
    static const uint64_t bad[] = {UINT64_C(4611686019), UINT64_C(9223372036), UINT64_C(9223372037),
                                   (uint64_t)-INT64_C(4611686019)};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        f.n = one;
        files_pcapng_packet(&f, 0, bad[i], 60);
        assert_int_equal(read_all(files_write("late.pcapng", f.bytes, f.n), &frames, &err), CAPTURE_NEXT_TRUNCATED);
        assert_int_equal(frames, 1);
        assert_non_null(strstr(err.message, "damaged at packet 2 (its time is out of range)"));
    }
}

/* Interfaces come before their packets, so libpcap's refusal is known when the file is opened. */
TEST(test_unlike_interfaces_name_editcap)
{
    struct files_bytes f = {0};
    files_pcapng_section(&f);
    files_pcapng_interface(&f, ETHERNET, 65535, 9);
    size_t one = f.n;
    files_pcapng_interface(&f, ETHERNET, 96, 9);
    files_write("snap.pcapng", f.bytes, f.n);
    assert_refused(files_path("snap.pcapng"), ERROR_INPUT, "snapshot length");
    assert_refused(files_path("snap.pcapng"), ERROR_INPUT, "editcap -F nsecpcap FILE one.pcap");
    f.n = one;
    files_pcapng_interface(&f, RAW_IP, 65535, 9);
    files_write("link.pcapng", f.bytes, f.n);
    assert_refused(files_path("link.pcapng"), ERROR_INPUT, "has a type 101");
    assert_refused(files_path("link.pcapng"), ERROR_INPUT, "editcap -F nsecpcap -T ether one.pcapng one.pcap");
}

TEST(test_unlike_interface_after_packets_is_not_called_a_cut)
{
    struct files_bytes f = {0};
    int frames;
    files_pcapng_section(&f);
    files_pcapng_interface(&f, ETHERNET, 65535, 9);
    files_pcapng_packet(&f, 0, 1, 60);
    files_pcapng_interface(&f, RAW_IP, 65535, 9);
    files_pcapng_packet(&f, 1, 2, 60);
    assert_int_equal(read_all(files_write("link.pcapng", f.bytes, f.n), &frames, &err), CAPTURE_NEXT_FAILED);
    assert_ints({frames, 1}, {err.code, ERROR_INPUT});
    assert_non_null(strstr(err.message, "editcap"));
    assert_null(strstr(err.message, "stops inside"));
    assert_null(strstr(err.message, "damaged"));
}

/* No bytes of a file may crash the reader, and every refusal has a code and a sentence. */
TEST(test_mutated_files_are_read_or_refused)
{
    struct random r = random_of(7);
    for (int i = 0; i < 500; i++) {
        struct files_bytes f = {0};
        if (i % 2) {
            f = two_packets();
        } else {
            files_pcapng_section(&f);
            files_pcapng_interface(&f, ETHERNET, 65535, 9);
            files_pcapng_packet(&f, 0, 1, 61);
            files_pcapng_packet(&f, 0, 2, 60);
        }
        for (int k = 0; k < 3; k++)
            f.bytes[random_below(&r, f.n)] = (uint8_t)random_next(&r);
        int frames;
        struct capture_reader *reader = capture_reader_open(files_write("any", f.bytes, f.n), &err);
        capture_reader_close(reader);
        if (!reader || read_all(files_path("any"), &frames, &err) == CAPTURE_NEXT_TRUNCATED) {
            assert_int_equal(err.code, ERROR_INPUT);
            assert_true(strlen(err.message) > strlen(files_path("any")));
        }
    }
}

CM_GROUP(files_setup, files_teardown)
