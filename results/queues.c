/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/queues.h"

#include "base/decimal.h"
#include "results/csv.h"

#include <assert.h>

#define NOISE 0.005 /* of the deepest: queues that stay below are left out */

/* Index of the port, added when new. */
static size_t queues_port(struct results_queues *t, const char *name)
{
    for (size_t i = 0; i < t->n_ports; i++)
        if (strcmp(t->ports[i].name, name) == 0)
            return i;
    t->ports = memory_resized(t->ports, t->n_ports + 1, sizeof *t->ports, "ports");
    t->ports[t->n_ports] = (struct results_queues_port){.peak_bytes = 0};
    snprintf(t->ports[t->n_ports].name, RESULTS_QUEUES_PORT, "%s", name);
    return t->n_ports++;
}

static void queues_add(struct results_queues *t, size_t *room, const struct results_queues_row *row)
{
    t->rows = memory_grown(t->rows, t->n_rows, room, 64, sizeof *t->rows, "depths of queues");
    t->rows[t->n_rows++] = *row;
    struct results_queues_port *port = &t->ports[row->port];
    port->mean_bytes += port->last_bytes * (row->time_s - port->last_s); /* the integral, until the end is known */
    port->last_s = row->time_s;
    port->last_bytes = row->depth_bytes;
    if (row->depth_bytes > port->peak_bytes)
        port->peak_bytes = row->depth_bytes;
}

void results_queues_write_head(FILE *f)
{
    fputs("time_s,port,depth_bytes,depth_packets,dropped_packets\n", f);
}

void results_queues_write_row(FILE *f, int64_t time_ps, const char *port, int64_t depth_bytes, int64_t depth_packets,
                              int64_t dropped_packets)
{
    char row[4 * DECIMAL_ROOM + RESULTS_QUEUES_PORT];
    const int64_t numbers[] = {depth_bytes, depth_packets, dropped_packets};
    size_t n = results_csv_put_time(row, time_ps), length = strlen(port);
    assert(length < RESULTS_QUEUES_PORT);
    row[n++] = ',';
    memcpy(row + n, port, length);
    n += length;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        row[n++] = ',';
        n += decimal_integer(row + n, numbers[i]);
    }
    row[n++] = '\n';
    fwrite_unlocked(row, 1, n, f);
}

bool results_queues_read(struct results_queues *t, const char *path, struct error *err)
{
    static const char *const columns[] = {"time_s", "depth_bytes", "port"};
    struct results_csv csv;
    char *v[3];
    size_t room = 0;
    enum results_csv_next next = RESULTS_CSV_END;
    *t = (struct results_queues){0};
    if (!results_csv_open(&csv, path, columns, 3, 3, err))
        return false;
    while ((next = results_csv_next(&csv, v, err)) == RESULTS_CSV_ROW) {
        double x[2];
        struct results_queues_row row = {.port = queues_port(t, v[2])};
        bool fit = results_csv_numbers(&csv, v, 2, x, err);
        if (!fit || isnan(row.time_s = x[0]) || isnan(row.depth_bytes = x[1])) {
            if (fit)
                results_csv_fail(&csv, err, "no time, or no depth");
            next = RESULTS_CSV_FAILED;
            break;
        }
        queues_add(t, &room, &row);
    }
    results_csv_close(&csv);
    /* The integrals of depth over time become means. */
    double end_s = t->n_rows ? t->rows[t->n_rows - 1].time_s : 0;
    for (size_t i = 0; i < t->n_ports; i++) {
        struct results_queues_port *p = &t->ports[i];
        p->mean_bytes = end_s > 0 ? (p->mean_bytes + p->last_bytes * (end_s - p->last_s)) / end_s : 0;
    }
    if (next == RESULTS_CSV_FAILED)
        results_queues_fini(t);
    return next != RESULTS_CSV_FAILED;
}

size_t results_queues_deepest(const struct results_queues *t, size_t *chosen, size_t most)
{
    size_t n = 0;
    while (n < most) {
        size_t best = SIZE_MAX;
        for (size_t p = 0; p < t->n_ports; p++) {
            bool taken = false;
            for (size_t i = 0; i < n; i++)
                taken = taken || chosen[i] == p;
            if (!taken && (best == SIZE_MAX || t->ports[p].mean_bytes > t->ports[best].mean_bytes))
                best = p;
        }
        if (best == SIZE_MAX || t->ports[best].mean_bytes < NOISE * t->ports[n ? chosen[0] : best].mean_bytes)
            break;
        chosen[n++] = best;
    }
    return n;
}

void results_queues_bins(const struct results_queues *t, size_t port, double from_s, double width_s, size_t n,
                         struct results_queues_bin *bins)
{
    double since_s = 0, depth = 0;
    for (size_t i = 0; i < n; i++)
        bins[i] = (struct results_queues_bin){.least_bytes = INFINITY};
    for (size_t r = 0; r <= t->n_rows; r++) {
        bool last = r == t->n_rows;
        if (!last && t->rows[r].port != port)
            continue;
        double until_s = last ? from_s + (double)n * width_s : t->rows[r].time_s;
        double begin = fmin((double)n, fmax(0, (since_s - from_s) / width_s));
        double end = fmin((double)n, (until_s - from_s) / width_s);
        for (size_t i = (size_t)begin; (double)i < end; i++) {
            bins[i].mean_bytes += depth * (fmin((double)i + 1, end) - fmax((double)i, begin));
            bins[i].least_bytes = fmin(bins[i].least_bytes, depth);
            bins[i].most_bytes = fmax(bins[i].most_bytes, depth);
        }
        if (!last) {
            since_s = until_s;
            depth = t->rows[r].depth_bytes;
        }
    }
}

void results_queues_fini(struct results_queues *t)
{
    MEMORY_FREE(t->ports, t->rows);
    *t = (struct results_queues){0};
}
