/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/print.h"
#include "base/random.h"
#include "test/cm.h"

static const struct {
    const char *text, *line;
} cases[] = {
    {"", ""},
    {"in1, 100 %", "in1, 100 %"},
    {"\033[31mred\a", "\\x1b[31mred\\x07"},
    {"two\r\nlines\t\177", "two\\x0d\\x0alines\\x09\\x7f"},
    {"caf\303\251 \342\202\254 \360\237\230\200", "caf\303\251 \342\202\254 \360\237\230\200"}, /* 2, 3 and 4 bytes */
    {"\302\233" "31m \302\205", "\\xc2\\x9b31m \\xc2\\x85"},    /* CSI and NEL of C1 */
    {"\342\200\256evil \342\201\251", "\\xe2\\x80\\xaeevil \\xe2\\x81\\xa9"}, /* U+202E, U+2069 */
    {"\342\200\250", "\\xe2\\x80\\xa8"},                     /* U+2028, a line's end to some */
    {"\300\233\340\202\233", "\\xc0\\x9b\\xe0\\x82\\x9b"},    /* CSI, longer than it must be */
    {"\355\240\200 \364\220\200\200", "\\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80"}, /* a surrogate, beyond U+10ffff */
    {"\303", "\\xc3"},
    {"\342\202 \377\233", "\\xe2\\x82 \\xff\\x9b"},
};

TEST(test_what_a_terminal_would_obey_is_escaped)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        MEMORY_LOCAL char *line = print_escaped(cases[i].text);
        assert_string_equal(line, cases[i].line);
    }
}

TEST(test_a_cut_splits_no_character_and_no_escape)
{
    static const char *const cut[] = {"", "a", "a", "a\303\251", "a\303\251", "a\303\251", "a\303\251", "a\303\251\\x1b"};
    char to[9];
    for (size_t room = 1; room <= 8; room++) {
        memset(to, '#', sizeof to);
        print_escape(to, room, "a\303\251\033");
        assert_string_equal(to, cut[room - 1]);
        assert_int_equal(to[room], '#');
    }
}

/* What a guard lets through of `text`, written in pieces of `step` bytes. */
static char *guarded(const char *text, size_t n, size_t step)
{
    static char read_back[1 << 16];
    struct print_guard g;
    FILE *file = tmpfile(), *f = print_guard(&g, fileno(file));
    for (size_t i = 0; i < n; i += step) {
        fwrite(text + i, 1, n - i < step ? n - i : step, f);
        fflush(f);
    }
    fclose(f);
    rewind(file);
    read_back[fread(read_back, 1, sizeof read_back - 1, file)] = '\0';
    fclose(file);
    return read_back;
}

TEST(test_a_guard_passes_lines_and_escapes_the_rest_wherever_writes_end)
{
    static const char text[] = "one\ttab\n\033[2J\r\303\251 \342\202\254 \360\237\230\200 \342\202\n\302\233\n";
    for (size_t step = 1; step < sizeof text; step++)
        assert_string_equal(guarded(text, sizeof text - 1, step),
                            "one\ttab\n\\x1b[2J\\x0d\303\251 \342\202\254 \360\237\230\200 \\xe2\\x82\n\\xc2\\x9b\n");
}

TEST(test_no_bytes_pass_a_guard_as_control_characters)
{
    struct random random = random_of(17);
    for (int round = 0; round < 300; round++) {
        char text[1000];
        for (size_t i = 0; i < sizeof text; i++) /* half of them begin or continue sequences */
            text[i] = (char)(random_below(&random, 2) ? 0x80 | random_below(&random, 0x80) : random_below(&random, 256));
        const char *out = guarded(text, sizeof text, 1 + random_below(&random, 50));
        for (size_t n = strlen(out), length; n > 0; out += length, n -= length) {
            length = *out == '\n' || *out == '\t' ? 1 : print_character(out, n);
            assert_true(length > 0);
        }
    }
}

TEST(test_a_guard_of_a_full_disk_fails)
{
    struct print_guard g;
    FILE *full = fopen("/dev/full", "w"), *f = print_guard(&g, fileno(full));
    fputs("text\n", f);
    assert_int_not_equal(fflush(f), 0);
    assert_true(ferror(f));
    fclose(f);
    fclose(full);
}
