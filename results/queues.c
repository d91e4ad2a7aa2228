/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/queues.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOISE 0.005 /* of the deepest: queues that stay below are left out */

/* Index of the port, added when new; SIZE_MAX when memory is out. */
static size_t trace_port(struct results_queues *t, const char *name)
{
    for (size_t i = 0; i < t->n_ports; i++)
        if (strcmp(t->ports[i].name, name) == 0)
            return i;
    struct results_queues_port *ports = realloc(t->ports, (t->n_ports + 1) * sizeof *ports);
    if (!ports)
        return SIZE_MAX;
    t->ports = ports;
    ports[t->n_ports] = (struct results_queues_port){.peak_bytes = 0};
    snprintf(ports[t->n_ports].name, RESULTS_QUEUES_PORT, "%s", name);
    return t->n_ports++;
}

static bool trace_add(struct results_queues *t, const struct results_queues_row *row)
{
    if ((t->n_rows & (t->n_rows - 1)) == 0) { /* room doubles at every power of two */
        struct results_queues_row *rows = realloc(t->rows, (t->n_rows ? 2 * t->n_rows : 1) * sizeof *rows);
        if (!rows)
            return false;
        t->rows = rows;
    }
    t->rows[t->n_rows++] = *row;
    struct results_queues_port *port = &t->ports[row->port];
    port->mean_bytes += port->last_bytes * (row->time_s - port->last_s); /* the integral, until the end is known */
    port->last_s = row->time_s;
    port->last_bytes = row->depth_bytes;
    if (row->depth_bytes > port->peak_bytes)
        port->peak_bytes = row->depth_bytes;
    return true;
}

bool results_queues_read(struct results_queues *t, const char *path, struct error *err)
{
    *t = (struct results_queues){0};
    FILE *f = fopen(path, "r");
    if (!f)
        return error_set(err, errno == EACCES ? ERROR_SYSTEM : ERROR_INPUT, "%s: %s", path, strerror(errno));
    char line[256];
    bool ok = true;
    for (int number = 1; ok && fgets(line, sizeof line, f); number++) {
        if (number == 1)
            continue; /* column names */
        struct results_queues_row row;
        char name[RESULTS_QUEUES_PORT];
        if (sscanf(line, "%lf,%31[^,],%lf,", &row.time_s, name, &row.depth_bytes) != 3)
            ok = error_set(err, ERROR_INPUT, "%s:%d: not a row of time_s,port,depth_bytes,...", path, number);
        else if ((row.port = trace_port(t, name)) == SIZE_MAX || !trace_add(t, &row))
            ok = error_set(err, ERROR_SYSTEM, "%s: out of memory", path);
    }
    fclose(f);
    double end_s = t->n_rows ? t->rows[t->n_rows - 1].time_s : 0;
    for (size_t i = 0; i < t->n_ports; i++) {
        struct results_queues_port *p = &t->ports[i];
        p->mean_bytes = end_s > 0 ? (p->mean_bytes + p->last_bytes * (end_s - p->last_s)) / end_s : 0;
    }
    if (!ok)
        results_queues_fini(t);
    return ok;
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

void results_queues_fini(struct results_queues *t)
{
    free(t->ports);
    free(t->rows);
    *t = (struct results_queues){0};
}
