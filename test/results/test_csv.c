/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/csv.h"
#include "results/queues.h"
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

/* 100 bytes from 1 to 3 s and 50 to 4 s of a trace that ends then: (200 + 50) / 4 on average; 20 from 2 s on are 10; 1 for
 * a second is 0.25, less than 0.005 of 62.5. Its end stays, in bins, too. */
TEST(test_depths_are_means_over_time)
{
    static const struct { int64_t s; const char *port; int64_t bytes; } rows[] = {
        {1, "a", 100}, {2, "b", 20}, {2, "c", 1}, {2, "d", 10}, {3, "a", 50}, {3, "c", 0}, {4, "d", 0}, {4, "b", 20}};
    static const struct { double from_s, width_s; size_t n; struct results_queues_bin bin[5]; } bins[] = {
        {0, 1, 5, {{0, 0, 0}, {100, 100, 100}, {100, 100, 100}, {50, 50, 50}, {50, 50, 50}}},
        {0, 2, 2, {{50, 0, 100}, {75, 50, 100}}},
        {2.5, 1, 2, {{75, 50, 100}, {50, 50, 50}}},
        {0.5, 0.25, 3, {{0, 0, 0}, {0, 0, 0}, {100, 100, 100}}}};
    struct results_queues t;
    FILE *f = fopen(path, "w");
    results_queues_write_head(f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        results_queues_write_row(f, rows[i].s * INT64_C(1000000000000), rows[i].port, rows[i].bytes, 1, 0);
    assert_int_equal(fclose(f), 0);
    assert_true(results_queues_read(&t, path, &err));
    assert_ints({t.n_ports, 4}, {t.n_rows, 8});
    assert_all_near(1e-9, {t.ports[0].mean_bytes, 62.5}, {t.ports[1].mean_bytes, 10}, {t.ports[2].mean_bytes, 0.25},
                    {t.ports[3].mean_bytes, 5}, {t.ports[0].peak_bytes, 100}, {t.ports[3].peak_bytes, 10});
    size_t chosen[4];
    assert_int_equal(results_queues_deepest(&t, chosen, 4), 3);
    assert_ints({chosen[0], 0}, {chosen[1], 1}, {chosen[2], 3});
    assert_int_equal(results_queues_deepest(&t, chosen, 2), 2);
    for (size_t i = 0; i < sizeof bins / sizeof *bins; i++) {
        struct results_queues_bin bin[5];
        results_queues_bins(&t, 0, bins[i].from_s, bins[i].width_s, bins[i].n, bin);
        for (size_t k = 0; k < bins[i].n; k++)
            assert_all_near(1e-9, {bin[k].mean_bytes, bins[i].bin[k].mean_bytes}, {bin[k].least_bytes, bins[i].bin[k].least_bytes},
                            {bin[k].most_bytes, bins[i].bin[k].most_bytes});
    }
    results_queues_fini(&t);
    write_file("time_s,port,depth_bytes\n,a,1\n");
    assert_false(results_queues_read(&t, path, &err));
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
    int failed = cm_run(NULL);
    unlink(path);
    return failed;
}
