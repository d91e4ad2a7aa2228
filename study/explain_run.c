/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/explain_run.h"

#include "analysis/pendulum.h"
#include "results/queues.h"
#include "view/table.h"
#include "scenarios/directory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct explain_dir {
    const char *path;
    json_t *summary; /* owned */
    struct results_queues trace;
    double from_s, to_s; /* steady figures begin; the run ended */
};

/* The rows of one port. */
static struct analysis_depth *depths_of(const struct results_queues *t, size_t port, size_t *n)
{
    struct analysis_depth *rows = calloc(t->n_rows + 1, sizeof *rows);
    *n = 0;
    for (size_t i = 0; rows && i < t->n_rows; i++)
        if (t->rows[i].port == port)
            rows[(*n)++] = (struct analysis_depth){t->rows[i].time_s, t->rows[i].depth_bytes};
    return rows;
}

/* "sw1" of the port "sw1-h3" towards h3; empty when there is none. */
static void switch_of(const struct results_queues *t, const char *host, char sw[static RESULTS_QUEUES_PORT])
{
    sw[0] = '\0';
    for (size_t i = 0; i < t->n_ports; i++) {
        const char *dash = strchr(t->ports[i].name, '-');
        if (dash && strcmp(dash + 1, host) == 0)
            snprintf(sw, RESULTS_QUEUES_PORT, "%.*s", (int)(dash - t->ports[i].name), t->ports[i].name);
    }
}

/* Is the port one that frames pass from host `a` (of switch sw_a) to host `b` (of sw_b)? Names: emu/network.h. */
static bool on_path(const char *port, const char *a, const char *sw_a, const char *b, const char *sw_b)
{
    const char *dash = strchr(port, '-');
    if (!dash)
        return strcmp(port, a) == 0;
    size_t n = (size_t)(dash - port);
    bool from_a = strlen(sw_a) == n && strncmp(port, sw_a, n) == 0;
    bool from_b = strlen(sw_b) == n && strncmp(port, sw_b, n) == 0;
    bool from_root = n == 4 && strncmp(port, "root", 4) == 0, across = strcmp(sw_a, sw_b) != 0;
    if (from_b && strcmp(dash + 1, b) == 0)
        return true;
    return across && ((from_a && (strcmp(dash + 1, sw_b) == 0 || strcmp(dash + 1, "root") == 0)) ||
                      (from_root && strcmp(dash + 1, sw_b) == 0));
}

/* The queue on the way from one host to another that holds most on average; SIZE_MAX when none does. */
static size_t fullest(const struct results_queues *t, const char *from, const char *to)
{
    char sw_from[RESULTS_QUEUES_PORT], sw_to[RESULTS_QUEUES_PORT];
    size_t best = SIZE_MAX;
    switch_of(t, from, sw_from);
    switch_of(t, to, sw_to);
    for (size_t i = 0; i < t->n_ports; i++)
        if (on_path(t->ports[i].name, from, sw_from, to, sw_to) &&
            (best == SIZE_MAX || t->ports[i].mean_bytes > t->ports[best].mean_bytes))
            best = i;
    return best;
}

static void add_share(struct view_table *t, double share)
{
    if (isfinite(share))
        view_table_add(t, "%.1f %%", fmax(0, 100 * share));
    else
        view_table_add(t, "-");
}

static bool explain_pair(const struct explain_dir *d, size_t ahead, size_t back, struct view_table *t, json_t *list,
                         size_t *n, struct error *err)
{
    const char *a_name = d->trace.ports[ahead].name, *b_name = d->trace.ports[back].name;
    struct analysis_pendulum p;
    size_t n_a, n_b;
    struct analysis_depth *a = depths_of(&d->trace, ahead, &n_a), *b = depths_of(&d->trace, back, &n_b);
    bool ok = a && b ? analysis_pendulum_make(a, n_a, b, n_b, ANALYSIS_PENDULUM_BUSY, d->from_s, d->to_s, &p, err)
                     : error_set(err, ERROR_SYSTEM, "out of memory for queues");
    free(a);
    free(b);
    if (!ok || p.neither > 0.999)
        return ok;
    ++*n;
    view_table_add(t, "%s", a_name);
    view_table_add(t, "%s", b_name);
    add_share(t, p.one);
    add_share(t, p.both);
    add_share(t, p.neither);
    view_table_add_number(t, p.correlation, 1);
    view_table_add_number(t, p.period_s * 1e3, 1);
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:o, s:o}", "source", d->path, "a", a_name,
                                          "b", b_name, "one_busy", p.one, "both_busy", p.both, "neither_busy",
                                          p.neither, "correlation", view_table_json_number(p.correlation), "period_s",
                                          view_table_json_number(p.period_s)));
    return true;
}

/* A pair of queues once, whichever way round. */
static bool seen_before(const json_t *list, const char *source, const char *a, const char *b)
{
    size_t i;
    json_t *pair;
    json_array_foreach(list, i, pair) {
        const char *x = json_string_value(json_object_get(pair, "a"));
        const char *y = json_string_value(json_object_get(pair, "b"));
        if (strcmp(json_string_value(json_object_get(pair, "source")), source) == 0 &&
            ((strcmp(x, a) == 0 && strcmp(y, b) == 0) || (strcmp(x, b) == 0 && strcmp(y, a) == 0)))
            return true;
    }
    return false;
}

static bool explain_pairs(const struct explain_dir *d, bool as_json, json_t *list, size_t *n, struct error *err)
{
    static const char *const head[] = {"queue", "queue", "one busy", "both", "neither", "correlation", "period ms"};
    size_t i, pairs = 0;
    json_t *flow;
    struct view_table t;
    bool ok = true;
    view_table_start(&t, head, sizeof head / sizeof *head);
    json_array_foreach(json_object_get(d->summary, "flows"), i, flow) {
        const char *src = json_string_value(json_object_get(flow, "src"));
        const char *dst = json_string_value(json_object_get(flow, "dst"));
        size_t a = src && dst ? fullest(&d->trace, src, dst) : SIZE_MAX;
        size_t b = src && dst ? fullest(&d->trace, dst, src) : SIZE_MAX;
        if (!ok || a == SIZE_MAX || b == SIZE_MAX ||
            seen_before(list, d->path, d->trace.ports[a].name, d->trace.ports[b].name))
            continue;
        ok = explain_pair(d, a, b, &t, list, &pairs, err);
    }
    *n += pairs;
    if (!ok || as_json || pairs == 0) {
        view_table_fini(&t);
        return ok;
    }
    printf("%s: simulated queues that flows' data and ACKs meet, %.3f to %.3f s: when is one busy, when both?\n",
           d->path, d->from_s, d->to_s);
    return view_table_print(&t, "  ", 2, stdout, err);
}

/* Null, or missing in the directory of an older version: nothing is known. */
static bool explain_waits(const struct explain_dir *d, bool as_json, json_t *list, size_t *n, struct error *err)
{
    static const char *const head[] = {"flow", "from", "to", "Mb/s", "floor ms", "data wait", "ACK wait", "ACK share",
                                       "compressed"};
    size_t i, before = *n;
    json_t *flow;
    struct view_table t;
    view_table_start(&t, head, sizeof head / sizeof *head);
    json_array_foreach(json_object_get(d->summary, "flows"), i, flow) {
        json_t *trip = json_object_get(flow, "round_trip");
        if (!json_is_object(trip))
            continue;
        double floor_s = view_json_number(trip, "floor_s");
        double data_s = view_json_number(trip, "data_wait_s"), ack_s = view_json_number(trip, "ack_wait_s");
        double share = ack_s / (floor_s + data_s + ack_s), groups = view_json_number(trip, "ack_groups");
        double compressed = groups > 0 ? view_json_number(trip, "compressed_groups") / groups : NAN;
        const char *name = json_string_value(json_object_get(flow, "flow"));
        const char *src = json_string_value(json_object_get(flow, "src"));
        const char *dst = json_string_value(json_object_get(flow, "dst"));
        view_table_add(&t, "%s", name ? name : "?");
        view_table_add(&t, "%s", src ? src : "?");
        view_table_add(&t, "%s", dst ? dst : "?");
        view_table_add_number(&t, view_json_number(flow, "goodput_bps"), 1e6);
        view_table_add(&t, "%.3f", floor_s * 1e3);
        view_table_add(&t, "%.3f", data_s * 1e3);
        view_table_add(&t, "%.3f", ack_s * 1e3);
        add_share(&t, share);
        add_share(&t, compressed);
        json_array_append_new(
            list, json_pack("{s:s, s:s?, s:s?, s:s?, s:o, s:o, s:o, s:o, s:o, s:o}", "source", d->path, "flow", name,
                            "src", src, "dst", dst, "floor_s", view_table_json_number(floor_s), "data_wait_s",
                            view_table_json_number(data_s), "ack_wait_s", view_table_json_number(ack_s), "ack_share",
                            view_table_json_number(share), "ack_groups", view_table_json_number(groups),
                            "compressed_share", view_table_json_number(compressed)));
        ++*n;
    }
    if (as_json || *n == before) {
        view_table_fini(&t);
        return true;
    }
    printf("%s: simulated, and exact: what every frame waited between stacks\n", d->path);
    return view_table_print(&t, "  ", 3, stdout, err);
}

static bool explain_load(struct explain_dir *d, struct error *err)
{
    char *path = scenario_directory_path(d->path, "summary.json", err);
    d->summary = path ? json_load_file(path, 0, NULL) : NULL;
    if (path && !d->summary)
        error_set(err, ERROR_INPUT, "%s: not the summary of a run", path);
    free(path);
    if (!d->summary)
        return false;
    d->from_s = view_json_number(d->summary, "warmup_s");
    d->to_s = view_json_number(d->summary, "ended_s");
    path = scenario_directory_path(d->path, "queues.csv", err);
    bool ok = path && results_queues_read(&d->trace, path, err);
    free(path);
    return ok;
}

bool study_explain_run(const char *directory, bool as_json, json_t *simulated, json_t *queues, size_t *n,
                       struct error *err)
{
    struct explain_dir d = {.path = directory};
    bool ok = explain_load(&d, err) && explain_waits(&d, as_json, simulated, n, err) &&
              explain_pairs(&d, as_json, queues, n, err);
    results_queues_fini(&d.trace);
    json_decref(d.summary);
    return ok;
}
