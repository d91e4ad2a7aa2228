/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xz and Zstandard through the reader, packed here by the libraries' own encoders. */
#include "capture/unpack.h"

#include "capture/reader.h"
#include "test/capture/files.h"
#include "test/cm.h"

#include <lzma.h>
#include <zstd.h>

#define ROOM 65536

static size_t pack_xz(const void *bytes, size_t n, uint8_t *packed)
{
    size_t made = 0;
    assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, bytes, n, packed, &made, ROOM), LZMA_OK);
    return made;
}

static size_t pack_zstd(const void *bytes, size_t n, uint8_t *packed)
{
    ZSTD_CCtx *c = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1); /* as zstd(1) does */
    size_t made = ZSTD_compress2(c, packed, ROOM, bytes, n);
    assert_false(ZSTD_isError(made));
    ZSTD_freeCCtx(c);
    return made;
}

static const struct kind {
    const char *name, *damage;
    size_t (*pack)(const void *bytes, size_t n, uint8_t *packed);
} kinds[] = {{"a.pcap.xz", "the xz data is cut or damaged", pack_xz},
             {"a.pcap.zst", "the zstd data is cut or damaged", pack_zstd}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct files_bytes frames(int n)
{
    struct files_bytes f = {0};
    files_pcap_header(&f, 0xa1b2c3d4, 1);
    for (int i = 0; i < n; i++)
        files_pcap_packet(&f, 1, (uint32_t)i, 60, 60);
    return f;
}

/* Frames until the end; -1 where the file does not open. */
static int count(const char *path, enum capture_next *end, struct error *err)
{
    struct capture_frame frame;
    *err = (struct error){0};
    struct capture_reader *r = capture_reader_open(path, err);
    int n = 0;
    if (!r)
        return -1;
    while ((*end = capture_reader_next(r, &frame, err)) == CAPTURE_NEXT_FRAME)
        assert_true(frame.time_ns == INT64_C(1000000000) + 1000 * (int64_t)n++);
    capture_reader_close(r);
    return n;
}

TEST(test_frames_are_those_of_the_plain_file)
{
    for (int k = 0; k < KINDS; k++) {
        struct files_bytes f = frames(40);
        static uint8_t packed[ROOM];
        enum capture_next end;
        size_t n = kinds[k].pack(f.bytes, f.n, packed);
        assert_true(n < f.n); /* or the count of stored bytes below would prove nothing */
        const char *path = files_write(kinds[k].name, packed, n);
        assert_int_equal(count(path, &end, &err), 40);
        assert_int_equal(end, CAPTURE_NEXT_END);
        struct capture_frame frame;
        struct capture_reader *r = capture_reader_open(path, &err);
        while (capture_reader_next(r, &frame, &err) == CAPTURE_NEXT_FRAME)
            ;
        assert_int_equal(capture_reader_bytes_read(r), n);
        assert_int_equal(capture_reader_file_bytes(r), n);
        capture_reader_close(r);
    }
}

/* Larger than any buffer here: 400000 records of 76 bytes are 30 MB. */
TEST(test_a_long_file_is_unpacked_piece_by_piece)
{
    enum { RECORDS = 400000, RECORD = 76 };
    struct files_bytes head = {0}, one = {0};
    files_pcap_header(&head, 0xa1b2c3d4, 1);
    uint8_t *bytes = malloc(head.n + (size_t)RECORDS * RECORD), *packed MEMORY_LOCAL = malloc((size_t)RECORDS * RECORD);
    assert_true(bytes && packed);
    memcpy(bytes, head.bytes, head.n);
    for (uint32_t i = 0; i < RECORDS; i++) {
        one.n = 0;
        files_pcap_packet(&one, 1, i, 60, 60);
        assert_int_equal(one.n, RECORD);
        memcpy(bytes + head.n + (size_t)i * RECORD, one.bytes, RECORD);
    }
    size_t whole = head.n + (size_t)RECORDS * RECORD, n = 0;
    enum capture_next end;
    assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, bytes, whole, packed, &n, whole), LZMA_OK);
    assert_int_equal(count(files_write("long.xz", packed, n), &end, &err), RECORDS);
    n = ZSTD_compress(packed, whole, bytes, whole, 1);
    assert_false(ZSTD_isError(n));
    assert_int_equal(count(files_write("long.zst", packed, n), &end, &err), RECORDS);
    free(bytes);
}

/* What `cat a.xz b.xz` makes is one stream of both, as xz(1) and zstd(1) have it. */
TEST(test_streams_in_a_row_are_one)
{
    for (int k = 0; k < KINDS; k++) {
        struct files_bytes f = frames(4);
        static uint8_t packed[2 * ROOM];
        enum capture_next end;
        size_t n = kinds[k].pack(f.bytes, 100, packed);
        n += kinds[k].pack(f.bytes + 100, f.n - 100, packed + n);
        assert_int_equal(count(files_write(kinds[k].name, packed, n), &end, &err), 4);
        assert_int_equal(end, CAPTURE_NEXT_END);
    }
}

TEST(test_every_cut_is_noticed)
{
    for (int k = 0; k < KINDS; k++) {
        struct files_bytes f = frames(2);
        static uint8_t packed[ROOM];
        size_t whole = kinds[k].pack(f.bytes, f.n, packed);
        for (size_t n = 6; n < whole; n++) {
            enum capture_next end = CAPTURE_NEXT_TRUNCATED;
            count(files_write("cut", packed, n), &end, &err);
            assert_ints({end, CAPTURE_NEXT_TRUNCATED}, {err.code, ERROR_INPUT});
            assert_non_null(strstr(err.message, kinds[k].damage));
        }
    }
}

/* One bit of the data, whose checksum is then another. */
TEST(test_damage_is_noticed)
{
    for (int k = 0; k < KINDS; k++) {
        struct files_bytes f = frames(40);
        static uint8_t packed[ROOM];
        enum capture_next end = CAPTURE_NEXT_TRUNCATED;
        size_t n = kinds[k].pack(f.bytes, f.n, packed);
        packed[n / 2] ^= 1;
        count(files_write("bad", packed, n), &end, &err);
        assert_int_equal(end, CAPTURE_NEXT_TRUNCATED);
        assert_non_null(strstr(err.message, kinds[k].damage));
    }
}

/* A dictionary of 1 GiB, which some bytes of a stranger can ask for. */
TEST(test_nobody_makes_us_take_a_lot_of_memory)
{
    static uint8_t packed[ROOM];
    enum capture_next end;
    lzma_options_lzma options;
    assert_false(lzma_lzma_preset(&options, 0));
    options.dict_size = UINT32_C(1) << 30;
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
    /* Headers alone: an encoder would take that memory, too. */
    lzma_block block = {.version = 0, .check = LZMA_CHECK_CRC32, .filters = filters,
                        .compressed_size = LZMA_VLI_UNKNOWN, .uncompressed_size = LZMA_VLI_UNKNOWN};
    lzma_stream_flags flags = {.version = 0, .check = LZMA_CHECK_CRC32, .backward_size = LZMA_VLI_UNKNOWN};
    assert_int_equal(lzma_stream_header_encode(&flags, packed), LZMA_OK);
    size_t n = LZMA_STREAM_HEADER_SIZE;
    assert_int_equal(lzma_block_header_size(&block), LZMA_OK);
    assert_int_equal(lzma_block_header_encode(&block, packed + n), LZMA_OK);
    n += block.header_size;
    memset(packed + n, 0, 100);
    assert_int_equal(count(files_write("large.xz", packed, n + 100), &end, &err), -1);
    assert_non_null(strstr(err.message, "unpacking this xz data needs more than 256 MiB of memory; unpack it first"));
    assert_int_equal(err.code, ERROR_INPUT);

    /* RFC 8878, section 3.1.1: no single segment, no checksum, no size; a window of 2^(10 + 20) bytes; an empty block. */
    static const uint8_t large[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 20 << 3, 0x01, 0x00, 0x00};
    assert_int_equal(count(files_write("large.zst", large, sizeof large), &end, &err), -1);
    assert_non_null(strstr(err.message, "unpacking this zstd data needs more than 256 MiB of memory; unpack it first"));
}

/* Through a pipe, of which nobody can look ahead. */
TEST(test_standard_input_is_unpacked)
{
    for (int k = 0; k < KINDS; k++) {
        struct files_bytes f = frames(5);
        static uint8_t packed[ROOM];
        enum capture_next end;
        size_t n = kinds[k].pack(f.bytes, f.n, packed);
        int ends[2], saved = dup(STDIN_FILENO);
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], packed, n), n);
        close(ends[1]);
        assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
        close(ends[0]);
        assert_int_equal(count("-", &end, &err), 5);
        assert_int_equal(end, CAPTURE_NEXT_END);
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
}

TEST(test_kinds_are_known_by_their_first_bytes)
{
    assert_int_equal(unpack_kind_of((const uint8_t *)"\xfd" "7zXZ\0", 6), UNPACK_XZ);
    assert_int_equal(unpack_kind_of((const uint8_t *)"\xfd" "7zXZ\0", 5), UNPACK_NONE);
    assert_int_equal(unpack_kind_of((const uint8_t *)"\x28\xb5\x2f\xfd", 4), UNPACK_ZSTD);
    assert_int_equal(unpack_kind_of((const uint8_t *)"\x1f\x8b\x08\0\0\0", 6), UNPACK_NONE);
    assert_int_equal(unpack_kind_of((const uint8_t *)"", 0), UNPACK_NONE);
}

CM_GROUP(files_setup, files_teardown)
