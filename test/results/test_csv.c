/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/csv.h"
#include "test/cm.h"

static char path[] = "/tmp/contraflow-csv-XXXXXX";
static const char *const columns[] = {"a", "b", "c"};

static void write_file(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

TEST(test_columns_are_found_by_name)
{
    MEMORY_ENDS(results_csv_close) struct results_csv csv;
    char *v[3];
    write_file("# of a run\n\nb,x,a\r\n1,2,3\r\n  \n4,5,6");
    assert_true(results_csv_open(&csv, path, columns, 3, 2, &err));
    assert_int_equal(results_csv_next(&csv, v, &err), RESULTS_CSV_ROW);
    assert_strings({v[0], "3"}, {v[1], "1"});
    assert_string_equal(v[2], ""); /* optional, and absent */
    assert_int_equal(results_csv_next(&csv, v, &err), RESULTS_CSV_ROW);
    assert_string_equal(v[0], "6");
    assert_int_equal(results_csv_next(&csv, v, &err), RESULTS_CSV_END);
}

/* RFC 4180, 2.5 to 2.7, without line breaks. */
TEST(test_quoted_fields_hold_commas_and_quotes)
{
    MEMORY_ENDS(results_csv_close) struct results_csv csv;
    char *v[3];
    write_file("a,b,c\n\"x,y\",\"say \"\"hi\"\"\",\"\"\n");
    assert_true(results_csv_open(&csv, path, columns, 3, 3, &err));
    assert_int_equal(results_csv_next(&csv, v, &err), RESULTS_CSV_ROW);
    assert_strings({v[0], "x,y"}, {v[1], "say \"hi\""}, {v[2], ""});
}

TEST(test_what_is_written_is_read_back)
{
    static const char *const texts[] = {"plain", "a,b", "\"", "", "a \"b\", c", "trailing,", "=1+1",
                                        "+a", "@x,\"y\"", "-", "-1", "+5 %", "'", "'=", "''=1", "it's", "\'\'\'",
                                        "''a", "'-5", "-1-1"};
    MEMORY_ENDS(results_csv_close) struct results_csv csv;
    char *v[3];
    FILE *f = fopen(path, "w");
    fputs("a,b\n", f);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        results_csv_text(f, texts[i]);
        putc(',', f);
        results_csv_text(f, "end");
        putc('\n', f);
    }
    fclose(f);
    assert_true(results_csv_open(&csv, path, columns, 2, 2, &err));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(results_csv_next(&csv, v, &err), RESULTS_CSV_ROW);
        assert_strings({v[0], texts[i]}, {v[1], "end"});
    }
    assert_int_equal(results_csv_next(&csv, v, &err), RESULTS_CSV_END);
}

TEST(test_no_cell_is_a_formula_or_moves_a_cursor)
{
    static const struct {
        const char *text, *cell;
    } cases[] = {
        {"=1+1", "'=1+1"},
        {"@SUM(A1,B1)", "\"'@SUM(A1,B1)\""},
        {"-2+3", "'-2+3"},
        {"+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"},
        {"-12.5e3", "-12.5e3"},
        {"+3 %", "+3 %"},
        {"-", "-"},
        {"\t=1", "\\x09=1"},
        {"\r\n\033[2J", "\\x0d\\x0a\\x1b[2J"},
        {"'=1", "''=1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        MEMORY_LOCAL char *text;
        size_t size;
        FILE *f = open_memstream(&text, &size);
        results_csv_text(f, cases[i].text);
        fclose(f);
        assert_string_equal(text, cases[i].cell);
    }
}

TEST(test_errors_name_file_line_and_column)
{
    static const struct {
        const char *text, *said;
    } bad[] = {
        {"", ":1: empty; the first line names a,b"},
        {"a,x\n", ":1: no column 'b'; the first line names a,b"},
        {"x,a,b\n1,2,3\n1,2\n", ":3: only 2 fields; column 3 of the first line has none"},
    };
    struct results_csv csv;
    char *v[3];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_file(bad[i].text);
        bool opened = results_csv_open(&csv, path, columns, 2, 2, &err);
        while (opened && results_csv_next(&csv, v, &err) == RESULTS_CSV_ROW)
            ;
        assert_int_equal(err.code, ERROR_INPUT);
        assert_true(strncmp(err.message, path, strlen(path)) == 0);
        assert_string_equal(err.message + strlen(path), bad[i].said);
        results_csv_close(&csv);
    }
    assert_false(results_csv_open(&csv, "/nonexistent/file", columns, 2, 2, &err));
    assert_int_equal(err.code, ERROR_INPUT);
}

TEST(test_times_keep_every_picosecond)
{
    MEMORY_LOCAL char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    results_csv_time(f, 86400000000000001);
    putc(' ', f);
    results_csv_time(f, -1);
    fclose(f);
    assert_string_equal(text, "86400.000000000001 ");
}

TEST(test_numbers_are_checked_where_they_are_read)
{
    static const struct {
        const char *cell;
        double value; /* NAN: empty; -1: refused */
    } cases[] = {
        {"12.5", 12.5}, {"0", 0}, {"1e19", 1e19}, {"", NAN}, {"1e308", -1}, {"2e19", -1}, {"-1", -1}, {"nan", -1},
        {"inf", -1}, {"1e999", -1}, {"12x", -1}, {"0x", -1}, {" ", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        MEMORY_ENDS(results_csv_close) struct results_csv csv;
        char *v[2], text[64];
        double number;
        snprintf(text, sizeof text, "a,b\n1,%s\n", cases[i].cell);
        write_file(text);
        assert_true(results_csv_open(&csv, path, columns, 2, 2, &err));
        assert_int_equal(results_csv_next(&csv, v, &err), RESULTS_CSV_ROW);
        assert_int_equal(results_csv_number(&csv, v, 1, &number, &err), cases[i].value >= 0 || isnan(cases[i].value));
        if (err.code == ERROR_NONE)
            assert_true(number == cases[i].value || (isnan(number) && isnan(cases[i].value)));
        else
            assert_non_null(strstr(err.message, ":2: b is '"));
    }
}

TEST(test_lines_are_bounded_and_a_byte_order_mark_is_passed_over)
{
    struct results_csv csv;
    char *v[2], *text MEMORY_LOCAL = calloc(1, 100000);
    memcpy(text, "\xef\xbb\xbf" "a,b\n1,2\n", 11);
    write_file(text);
    assert_true(results_csv_open(&csv, path, columns, 2, 2, &err));
    assert_int_equal(results_csv_next(&csv, v, &err), RESULTS_CSV_ROW);
    assert_string_equal(v[1], "2");
    results_csv_close(&csv);
    memset(text + 11, '7', 90000);
    write_file(text);
    assert_true(results_csv_open(&csv, path, columns, 2, 2, &err));
    assert_int_equal(results_csv_next(&csv, v, &err), RESULTS_CSV_ROW);
    assert_int_equal(results_csv_next(&csv, v, &err), RESULTS_CSV_FAILED);
    assert_non_null(strstr(err.message, ":3: longer than 65535 bytes"));
    results_csv_close(&csv);
}

int main(void)
{
    close(mkstemp(path));
    int failed = cm_run();
    unlink(path);
    return failed;
}
