/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files nobody wrote in the directory of a run: the first byte says which one. What is read is in range, is written,
 * and is read back the same. `test/fuzz results`, or test/fuzzing/replay.c. */
#include "results/gbn_events.h"
#include "results/queues.h"
#include "results/summary.h"
#include "test/fuzzing/text.h"

static char directory[] = "/tmp/fuzz-results-XXXXXX", summary_path[64];

static void end(void)
{
    unlink(summary_path);
    rmdir(directory);
}

static void check_flows(const struct results_flow *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < results_flow_columns.n; k++) {
            double value = results_columns_number(&results_flow_columns.column[k], &rows[i]);
            if (!isnan(value) && !results_csv_fits(value))
                abort();
        }
}

static char *flows_text(const struct results_flow *rows, size_t n, size_t *size)
{
    char *text = NULL;
    FILE *f = memory_stream(&text, size);
    results_columns_csv_head(&results_flow_columns, f);
    for (size_t i = 0; i < n; i++)
        results_columns_csv_row(&results_flow_columns, &rows[i], f);
    memory_stream_end(f, &text);
    return text;
}

static bool read_flows(const char *path, size_t required, void **rows, size_t *n)
{
    struct error err = {0};
    bool ok = results_columns_read(&results_flow_columns, path, required, rows, n, &err);
    if (!ok)
        text_check(&err);
    return ok;
}

static void fuzz_flows(const char *path)
{
    void *rows, *again;
    size_t n, n_again, size;
    char to[40];
    if (!read_flows(path, RESULTS_FLOW_REQUIRED, &rows, &n))
        return;
    check_flows(rows, n);
    char *text = flows_text(rows, n, &size), *second MEMORY_LOCAL;
    int fd = text_file(text, size, to);
    if (!read_flows(to, RESULTS_FLOW_REQUIRED, &again, &n_again) || n_again != n)
        abort();
    second = flows_text(again, n, &size);
    if (strcmp(text, second) != 0) {
        fprintf(stderr, "%s\n%s\n", text, second);
        abort();
    }
    close(fd);
    free(text);
    free(rows);
    free(again);
}

static void fuzz_queues(const char *path)
{
    struct results_queues q;
    struct results_queues_bin bins[20];
    struct error err = {0};
    size_t chosen[3];
    if (!results_queues_read(&q, path, &err)) {
        text_check(&err);
        return;
    }
    size_t n = results_queues_deepest(&q, chosen, 3);
    for (size_t i = 0; i < n; i++) {
        results_queues_bins(&q, chosen[i], 0, 0.01, 20, bins);
        results_queues_bins(&q, chosen[i], 0, q.rows[q.n_rows - 1].time_s / 20, 20, bins);
    }
    results_queues_fini(&q);
}

static void fuzz_summary(const void *data, size_t size)
{
    struct results_summary s;
    struct error err = {0};
    FILE *f = fopen(summary_path, "w");
    fwrite(data, 1, size, f);
    fclose(f);
    if (!results_summary_read(&s, directory, &err)) {
        text_check(&err);
        return;
    }
    check_flows(s.flows, s.n_flows);
    for (int i = 0; i < 2; i++) { /* once what was read, once what was written */
        if (!results_summary_write(&s, directory, &err))
            abort();
        results_summary_fini(&s);
        if (!results_summary_read(&s, directory, &err))
            abort();
    }
    results_summary_fini(&s);
}

static void fuzz_events(const char *path)
{
    struct model_loss_counts counts = {0};
    struct error err = {0};
    if (!results_gbn_events_read(path, &counts, &err))
        text_check(&err);
}

static void fuzz_cell(const char *data, size_t size)
{
    static const char *const columns[] = {"a", "b"};
    char *text MEMORY_LOCAL = NULL, *cell MEMORY_LOCAL = strndup(data, size), *v[2], path[40];
    struct results_csv csv;
    struct error err = {0};
    FILE *f = memory_stream(&text, &size);
    fputs("a,b\n", f);
    results_csv_text(f, cell);
    fputs(",end\n", f);
    memory_stream_end(f, &text);
    int fd = text_file(text, size, path);
    const char *c = strchr(text, '\n') + 1;
    c += *c == '"';
    bool number = *cell && strspn(cell, "+-.0123456789eE %xXpPabcdefABCDEFinfINFtyTYnaNA()") == strlen(cell);
    if (strchr("=+-@", *c) && *c && c[1] != ',' && c[1] != '"' && !number)
        abort();
    if (results_csv_open(&csv, path, columns, 2, 2, &err)) {
        if (results_csv_next(&csv, v, &err) == RESULTS_CSV_ROW && strcmp(v[1], "end") != 0)
            abort();
        results_csv_close(&csv);
    }
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[40];
    if (size == 0)
        return 0;
    if (!*summary_path) {
        if (!mkdtemp(directory))
            abort();
        snprintf(summary_path, sizeof summary_path, "%s/summary.json", directory);
        atexit(end);
    }
    int fd = text_file(data + 1, size - 1, path);
    switch (*data) {
    case 'f': fuzz_flows(path); break;
    case 'q': fuzz_queues(path); break;
    case 's': fuzz_summary(data + 1, size - 1); break;
    case 'g': fuzz_events(path); break;
    default: fuzz_cell((const char *)data + 1, size - 1); break;
    }
    close(fd);
    return 0;
}
