/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/infile.h"
#include "test/cm.h"

#define MOST ((size_t)1 << 20)

/* Reads a file of `n` bytes, each another than the one before; whether it is read, and whole. */
static bool reads(size_t n, struct error *err)
{
    char path[] = "/tmp/infile-XXXXXX", *written MEMORY_LOCAL = malloc(n + 1);
    int fd = mkstemp(path);
    size_t size;
    assert_true(fd >= 0);
    for (size_t i = 0; i < n; i++)
        written[i] = (char)(i * 7 + i / 4096);
    assert_int_equal(write(fd, written, n), n);
    close(fd);
    char *read = infile_read(path, MOST, "a text", &size, err);
    unlink(path);
    if (read) {
        assert_int_equal(size, n);
        assert_memory_equal(read, written, n);
        assert_int_equal(read[n], '\0');
    }
    free(read);
    return read != NULL;
}

TEST(test_a_file_is_read_whole_whatever_its_size)
{
    const size_t sizes[] = {0, 1, 4095, 4096, 4097, 8191, 8192, 8193, 500000, MOST - 1, MOST};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_true(reads(sizes[i], &err));
}

TEST(test_a_larger_file_is_refused)
{
    const size_t sizes[] = {MOST + 1, MOST + 2, 3 * MOST};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_false(reads(sizes[i], &err));
        assert_int_equal(err.code, ERROR_INPUT);
        assert_non_null(strstr(err.message, "larger than 1 MiB, so not a text"));
    }
}

TEST(test_no_file_is_bad_input)
{
    size_t size;
    assert_null(infile_read("/nonexistent/file", MOST, "a text", &size, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_null(infile_read("/", MOST, "a text", &size, &err)); /* a directory opens, and does not read */
    assert_int_equal(err.code, ERROR_INPUT);
}
