/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/explain_run.h"

#include "analysis/pendulum.h"
#include "cli/queue_trace.h"
#include "cli/table.h"
#include "scenarios/directory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rows of one port. */
static struct analysis_depth *depths_of(const struct queue_trace *t, size_t port, size_t *n)
{
    struct analysis_depth *rows = calloc(t->n_rows + 1, sizeof *rows);
    *n = 0;
    for (size_t i = 0; rows && i < t->n_rows; i++)
        if (t->rows[i].port == port)
            rows[(*n)++] = (struct analysis_depth){t->rows[i].time_s, t->rows[i].depth_bytes};
    return rows;
}

/* "h3" and "sw1-h3": a host's NIC and the port towards it; SIZE_MAX when there is none. */
static size_t port_towards(const struct queue_trace *t, const char *host)
{
    for (size_t i = 0; i < t->n_ports; i++) {
        const char *dash = strstr(t->ports[i].name, "-h");
        if (dash && strcmp(dash + 1, host) == 0)
            return i;
    }
    return SIZE_MAX;
}

static void add_share(struct cli_table *t, double share)
{
    cli_table_add(t, "%.1f %%", 100 * share);
}

static bool explain_host(const struct queue_trace *trace, size_t nic, double from_s, double to_s, struct cli_table *t,
                         json_t *list, bool *any, struct error *err)
{
    size_t port = port_towards(trace, trace->ports[nic].name), n_a, n_b;
    struct analysis_pendulum p;
    if (port == SIZE_MAX)
        return true;
    struct analysis_depth *a = depths_of(trace, nic, &n_a), *b = depths_of(trace, port, &n_b);
    bool ok = a && b ? analysis_pendulum_make(a, n_a, b, n_b, from_s, to_s, &p, err)
                     : error_set(err, ERROR_SYSTEM, "out of memory for queues");
    free(a);
    free(b);
    if (!ok || p.neither > 0.999)
        return ok;
    *any = true;
    cli_table_add(t, "%s", trace->ports[nic].name);
    cli_table_add(t, "%s", trace->ports[port].name);
    add_share(t, p.one);
    add_share(t, p.both);
    add_share(t, p.neither);
    cli_table_add_number(t, p.correlation, 1);
    cli_table_add_number(t, p.period_s * 1e3, 1);
    json_array_append_new(list, json_pack("{s:s, s:s, s:f, s:f, s:f, s:o, s:o}", "nic", trace->ports[nic].name, "port",
                                          trace->ports[port].name, "one_busy", p.one, "both_busy", p.both,
                                          "neither_busy", p.neither, "correlation",
                                          cli_table_json_number(p.correlation), "period_s",
                                          cli_table_json_number(p.period_s)));
    return true;
}

/* Where steady figures begin and the run ended, from its summary. */
static bool run_span(const char *directory, double *from_s, double *to_s, struct error *err)
{
    char *path = scenario_directory_path(directory, "summary.json", err);
    json_t *summary = path ? json_load_file(path, 0, NULL) : NULL;
    bool ok = summary != NULL;
    if (path && !ok)
        error_set(err, ERROR_INPUT, "%s: not the summary of a run", path);
    free(path);
    *from_s = json_number_value(json_object_get(summary, "warmup_s"));
    *to_s = json_number_value(json_object_get(summary, "ended_s"));
    json_decref(summary);
    return ok;
}

bool explain_run(const char *directory, bool as_json, json_t *list, size_t *n, struct error *err)
{
    static const char *const head[] = {"NIC", "port", "one busy", "both", "neither", "correlation", "period ms"};
    struct queue_trace trace;
    double from_s, to_s;
    char *path = scenario_directory_path(directory, "queues.csv", err);
    bool any = false, ok = path && run_span(directory, &from_s, &to_s, err) && queue_trace_read(&trace, path, err);
    free(path);
    if (!ok)
        return false;
    struct cli_table t;
    cli_table_init(&t, sizeof head / sizeof *head);
    for (size_t i = 0; i < t.columns; i++)
        cli_table_add(&t, "%s", head[i]);
    for (size_t i = 0; ok && i < trace.n_ports; i++)
        if (trace.ports[i].name[0] == 'h' && !strchr(trace.ports[i].name, '.'))
            ok = explain_host(&trace, i, from_s, to_s, &t, list, &any, err);
    queue_trace_fini(&trace);
    *n += any;
    if (!ok || as_json || !any) {
        cli_table_fini(&t);
        return ok;
    }
    printf("%s: simulated queues of hosts, %.3f to %.3f s: in which part of the time are one or both busy?\n",
           directory, from_s, to_s);
    return cli_table_print(&t, "  ", 2, stdout, err);
}
