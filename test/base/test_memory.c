/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/cm.h"

#include <sys/wait.h>

TEST(test_growing_keeps_what_is_there)
{
    MEMORY_LOCAL int *numbers = NULL;
    size_t capacity = 0;
    for (size_t n = 0; n < 100; n++) {
        numbers = memory_grown(numbers, n, &capacity, 3, sizeof *numbers, "numbers");
        assert_true(n < capacity);
        numbers[n] = (int)n;
    }
    assert_int_equal(capacity, 192); /* 3, 6, 12, ..., the first of them that is at least 100 */
    for (int n = 0; n < 100; n++)
        assert_int_equal(numbers[n], n);
}

TEST(test_new_memory_is_zero_and_nothing_is_something)
{
    char *bytes = memory_zeroed(1000, 1, "bytes");
    for (int i = 0; i < 1000; i++)
        assert_int_equal(bytes[i], 0);
    free(bytes);
    MEMORY_LOCAL void *nothing = memory_zeroed(0, 8, "nothing");
    assert_non_null(nothing);
}

TEST(test_without_memory_the_process_ends_with_3_and_a_line)
{
    int ends[2], status;
    char line[100] = "";
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        free(memory_resized(NULL, SIZE_MAX, 2, "twice all there is")); /* the product has no size_t */
        _exit(0);
    }
    close(ends[1]);
    assert_true(read(ends[0], line, sizeof line - 1) > 0);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    assert_string_equal(line, "contraflow: out of memory for twice all there is\n");
}

/* 1000 lines "0\n" to "999\n" are 10 * 2 + 90 * 3 + 900 * 4 = 3890 bytes. Growth that fails is test/failures'. */
/* A caller that wants no sizes may give both streams the same place for them. */
TEST(test_streams_are_apart_wherever_their_sizes_go)
{
    char *one MEMORY_LOCAL, *other MEMORY_LOCAL;
    size_t size;
    FILE *f = memory_stream(&one, &size), *g = memory_stream(&other, &size);
    fputs("first", f);
    fflush(f);
    fputs("the other", g);
    memory_stream_end(g, &other);
    fputs(", last", f);
    memory_stream_end(f, &one);
    assert_strings({one, "first, last"}, {other, "the other"});
    assert_int_equal(size, strlen(one));
}

TEST(test_a_stream_has_every_byte_and_an_end)
{
    char *text, *at, line[8];
    size_t size;
    FILE *f = memory_stream(&text, &size);
    for (int i = 0; i < 1000; i++)
        fprintf(f, "%d\n", i);
    memory_stream_end(f, &text);
    assert_ints({size, 3890}, {strlen(text), 3890});
    at = text;
    for (int i = 0; i < 1000; i++, at += strlen(line)) {
        snprintf(line, sizeof line, "%d\n", i);
        assert_memory_equal(at, line, strlen(line));
    }
    free(text);
    f = memory_stream(&text, &size);
    memory_stream_end(f, &text);
    assert_int_equal(size, 0);
    assert_string_equal(text, "");
    free(text);
}
