/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/progress.h"

#include "base/decimal.h"
#include "base/estimate.h"
#include "results/directory.h"

#define FILE_NAME "progress.csv"
#define POINTS 50000 /* of all flows together, as far as the least number of times allows */
#define TIMES_LEAST 32
#define TIMES_MOST 1024
#define BUFFER 16384 /* bytes: more than a row's */
#define PROGRESS_DIGITS 9 /* of seconds: after the point in times, significant ones in waits */

static const char *const progress_columns[] = {"time_s",      "flow",        "bytes",      "back_bytes",
                                               "data_frames", "data_wait_s", "ack_frames", "ack_wait_s"};
#define COLUMNS (sizeof progress_columns / sizeof *progress_columns)

struct results_progress_point *results_progress_add(struct results_progress *p, double time_s)
{
    size_t bytes = p->flows * sizeof *p->point;
    if (p->n > 0 && p->time_s[p->n - 1] >= time_s)
        return p->point + (p->n - 1) * p->flows;
    if (p->n == p->room) {
        p->time_s = memory_grown(p->time_s, p->n, &p->room, TIMES_LEAST, sizeof *p->time_s, "the progress of flows");
        p->point = memory_resized(p->point, p->room * p->flows, sizeof *p->point, "the progress of flows");
    }
    struct results_progress_point *point = p->point + p->n * p->flows;
    if (p->n > 0) /* those that do nothing more */
        memcpy(point, point - p->flows, bytes);
    else
        memset(point, 0, bytes);
    p->time_s[p->n++] = time_s;
    return point;
}

bool results_progress_thin(struct results_progress *p)
{
    size_t most = POINTS / p->flows, kept = 0;
    most = most > TIMES_MOST ? TIMES_MOST : most < TIMES_LEAST ? TIMES_LEAST : most;
    if (p->n < most)
        return false;
    for (size_t i = 1; i < p->n; i += 2, kept++) {
        p->time_s[kept] = p->time_s[i];
        memcpy(p->point + kept * p->flows, p->point + i * p->flows, p->flows * sizeof *p->point);
    }
    p->n = kept;
    return true;
}

static size_t progress_row(char *row, const struct results_progress_point *now)
{
    const double whole[] = {now->bytes, now->back_bytes, now->data_frames};
    size_t n = 0;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        row[n++] = ',';
        n += decimal_fixed(row + n, whole[i], 0);
    }
    row[n++] = ',';
    n += decimal_general(row + n, now->data_wait_s, PROGRESS_DIGITS);
    row[n++] = ',';
    n += decimal_fixed(row + n, now->ack_frames, 0);
    row[n++] = ',';
    n += decimal_general(row + n, now->ack_wait_s, PROGRESS_DIGITS);
    row[n++] = '\n';
    return n;
}

/* A time's rows, each with the time, the flow's name and what it had done by then, where that is more than before. */
static void progress_write_time(FILE *f, const struct results_progress *p, size_t at, char *const *names,
                                const size_t *lengths)
{
    static const struct results_progress_point none;
    char time[DECIMAL_ROOM], rows[BUFFER];
    size_t n = decimal_fixed(time, p->time_s[at], PROGRESS_DIGITS), used = 0;
    time[n++] = ',';
    for (size_t i = 0; i < p->flows; i++) {
        const struct results_progress_point *now = &p->point[at * p->flows + i], *before = at == 0 ? &none : now - p->flows;
        if (memcmp(now, before, sizeof *now) == 0)
            continue;
        if (used + lengths[i] + COLUMNS * DECIMAL_ROOM > BUFFER) {
            fwrite_unlocked(rows, 1, used, f);
            used = 0;
        }
        memcpy(rows + used, time, n);
        memcpy(rows + used + n, names[i], lengths[i]);
        used += n + lengths[i];
        used += progress_row(rows + used, now);
    }
    fwrite_unlocked(rows, 1, used, f);
}

bool results_progress_write(const struct results_progress *p, const struct results_flow *rows, const char *directory,
                            struct error *err)
{
    struct outfile f;
    if (p->n == 0)
        return true;
    if (!results_directory_create(&f, directory, FILE_NAME, err))
        return false;
    for (size_t i = 0; i < COLUMNS; i++)
        fprintf(f.stream, "%s%s", progress_columns[i], i + 1 < COLUMNS ? "," : "\n");
    char **names MEMORY_LOCAL = memory_zeroed(p->flows, sizeof *names, "the progress of flows");
    size_t *lengths MEMORY_LOCAL = memory_zeroed(p->flows, sizeof *lengths, "the progress of flows");
    for (size_t i = 0; i < p->flows; i++) {
        names[i] = results_csv_field(rows[i].name);
        lengths[i] = strlen(names[i]);
    }
    for (size_t at = 0; at < p->n; at++)
        progress_write_time(f.stream, p, at, names, lengths);
    for (size_t i = 0; i < p->flows; i++)
        free(names[i]);
    return outfile_commit(&f, err);
}

/* Index of a flow, which most often is the one after the last; n where there is none. */
static size_t progress_flow(const struct results_flow *rows, size_t n, size_t after, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(rows[(after + i) % n].name, name) == 0)
            return (after + i) % n;
    return n;
}

bool results_progress_read(struct results_progress *p, const struct results_flow *rows, size_t n,
                           const char *directory, struct error *err)
{
    struct results_csv csv;
    char *v[COLUMNS];
    enum results_csv_next next;
    size_t flow = 0;
    *p = (struct results_progress){.flows = n};
    if (!results_directory_has(directory, FILE_NAME))
        return true;
    if (!results_csv_open_in(&csv, directory, FILE_NAME, progress_columns, COLUMNS, err))
        return false;
    while ((next = results_csv_next(&csv, v, err)) == RESULTS_CSV_ROW) {
        double time_s, x[COLUMNS - 2], sum = 0;
        bool ok = results_csv_number(&csv, v, 0, &time_s, err);
        for (size_t i = 0; ok && i < COLUMNS - 2; i++, sum += x[i - 1])
            ok = results_csv_number(&csv, v, i + 2, &x[i], err);
        if (!ok) {
            next = RESULTS_CSV_FAILED;
            break;
        }
        flow = progress_flow(rows, n, flow + 1, v[1]);
        if (flow == n || !isfinite(sum) || !(time_s >= (p->n > 0 ? p->time_s[p->n - 1] : 0))) {
            results_csv_fail(&csv, err, "not a later time, a flow of flows.csv, and what it had had done by then");
            next = RESULTS_CSV_FAILED;
            break;
        }
        results_progress_add(p, time_s)[flow] =
            (struct results_progress_point){x[0], x[1], x[2], x[3], x[4], x[5]};
    }
    results_csv_close(&csv);
    if (next == RESULTS_CSV_FAILED)
        results_progress_fini(p);
    return next != RESULTS_CSV_FAILED;
}

void results_progress_fini(struct results_progress *p)
{
    MEMORY_FREE(p->time_s, p->point);
    *p = (struct results_progress){0};
}

/* Adds `sign` times what the flow had had done by at_s. */
static void progress_sum(const struct results_progress *p, size_t flow, double start_s, double end_s, double at_s,
                         double sign, struct results_progress_point *sum)
{
    static const struct results_progress_point none;
    size_t i = estimate_below(p->time_s, p->n, at_s);
    const struct results_progress_point *a = i > 0 ? &p->point[(i - 1) * p->flows + flow] : &none;
    const struct results_progress_point *b = i < p->n ? &p->point[i * p->flows + flow] : a;
    double from_s = fmax(i > 0 ? p->time_s[i - 1] : 0, start_s), to_s = fmin(i < p->n ? p->time_s[i] : at_s, end_s);
    double share = to_s > from_s ? fmin(1, fmax(0, (at_s - from_s) / (to_s - from_s))) : 1;
    sum->bytes += sign * (a->bytes + share * (b->bytes - a->bytes));
    sum->back_bytes += sign * (a->back_bytes + share * (b->back_bytes - a->back_bytes));
    sum->data_frames += sign * (a->data_frames + share * (b->data_frames - a->data_frames));
    sum->data_wait_s += sign * (a->data_wait_s + share * (b->data_wait_s - a->data_wait_s));
    sum->ack_frames += sign * (a->ack_frames + share * (b->ack_frames - a->ack_frames));
    sum->ack_wait_s += sign * (a->ack_wait_s + share * (b->ack_wait_s - a->ack_wait_s));
}

struct results_progress_point results_progress_between(const struct results_progress *p, size_t flow, double start_s,
                                                       double end_s, double from_s, double to_s)
{
    struct results_progress_point sum = {0};
    progress_sum(p, flow, start_s, end_s, to_s, 1, &sum);
    progress_sum(p, flow, start_s, end_s, from_s, -1, &sum);
    return sum;
}

size_t results_progress_times(const struct results_progress *p, double from_s, double to_s)
{
    return estimate_below(p->time_s, p->n, to_s) - estimate_below(p->time_s, p->n, from_s);
}
