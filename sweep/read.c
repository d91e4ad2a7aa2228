/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/read.h"

#include "scenarios/load.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct column {
    const char *name;
    size_t offset;
} columns[] = {
    {"bytes", offsetof(struct sweep_flow, bytes)},
    {"start_s", offsetof(struct sweep_flow, start_s)},
    {"end_s", offsetof(struct sweep_flow, end_s)},
    {"goodput_bps", offsetof(struct sweep_flow, goodput_bps)},
    {"steady_goodput_bps", offsetof(struct sweep_flow, steady_bps)},
    {"steady_ci95_bps", offsetof(struct sweep_flow, steady_ci95_bps)},
    {"retransmitted_segments", offsetof(struct sweep_flow, retransmitted_segments)},
    {"floor_s", offsetof(struct sweep_flow, floor_s)},
    {"messages", offsetof(struct sweep_flow, messages)},
    {"message_s", offsetof(struct sweep_flow, message_s)},
    {"message_sd_s", offsetof(struct sweep_flow, message_sd_s)},
    {"message_ci95_s", offsetof(struct sweep_flow, message_ci95_s)},
};
#define COLUMNS (sizeof columns / sizeof columns[0])

struct flow_name {
    const char *name; /* borrowed from the scenario */
    int flow;
};

struct sweep_reader {
    struct sweep_db *db;
    sqlite3_stmt *points, *flows;
    int column[COLUMNS]; /* of the statement */
};

static int name_order(const void *a, const void *b)
{
    return strcmp(((const struct flow_name *)a)->name, ((const struct flow_name *)b)->name);
}

static void read_flow(const struct sweep_reader *r, struct sweep_flow *flow)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        bool none = sqlite3_column_type(r->flows, r->column[i]) == SQLITE_NULL;
        double value = none ? (double)NAN : sqlite3_column_double(r->flows, r->column[i]);
        memcpy((char *)flow + columns[i].offset, &value, sizeof value);
    }
}

/* The database has flows by name, the scenario in an order of its own. */
static bool read_flows(struct sweep_reader *r, int64_t number, const struct scenario *s, struct sweep_flow *flows,
                       struct flow_name *names, struct error *err)
{
    int status, seen = 0;
    for (int i = 0; i < s->n_flows; i++)
        names[i] = (struct flow_name){s->flows[i].name, i};
    qsort(names, (size_t)s->n_flows, sizeof *names, name_order);
    sqlite3_reset(r->flows);
    sqlite3_bind_int64(r->flows, 1, number);
    while ((status = sqlite3_step(r->flows)) == SQLITE_ROW) {
        struct flow_name key = {(const char *)sqlite3_column_text(r->flows, 0), 0};
        const struct flow_name *found =
            key.name ? bsearch(&key, names, (size_t)s->n_flows, sizeof *names, name_order) : NULL;
        if (!found)
            return error_set(err, ERROR_INPUT, "%s: point %" PRId64 " has a flow '%s' that is not in its scenario",
                             r->db->path, number, key.name ? key.name : "");
        read_flow(r, &flows[found->flow]);
        flows[found->flow].message_bytes = (double)s->flows[found->flow].bytes;
        seen++;
    }
    if (status != SQLITE_DONE)
        return sweep_db_fail(r->db, err);
    return seen == s->n_flows || error_set(err, ERROR_INPUT, "%s: point %" PRId64 " has %d flows, its scenario %d",
                                           r->db->path, number, seen, s->n_flows);
}

static bool read_point(struct sweep_reader *r, bool (*visit)(void *, const struct sweep_result *, struct error *),
                       void *user, struct error *err)
{
    struct scenario s = {0};
    int64_t number = sqlite3_column_int64(r->points, 0);
    const char *text = (const char *)sqlite3_column_text(r->points, 2);
    char name[64];
    snprintf(name, sizeof name, "scenario of point %" PRId64, number);
    json_t *axes = json_loads((const char *)sqlite3_column_text(r->points, 1), 0, NULL);
    bool ok = text && axes && scenario_load_text(&s, name, text, err);
    if (!ok)
        error_prefix(err, "%s: ", r->db->path);
    struct sweep_flow *flows = calloc((size_t)s.n_flows + 1, sizeof *flows);
    struct flow_name *names = calloc((size_t)s.n_flows + 1, sizeof *names);
    if (ok && (!flows || !names))
        ok = error_set(err, ERROR_SYSTEM, "%s: out of memory", r->db->path);
    ok = ok && read_flows(r, number, &s, flows, names, err);
    if (ok) {
        struct sweep_result result = {
            .number = number,
            .seed = sqlite3_column_int64(r->points, 3),
            .axes = axes,
            .engine = (const char *)sqlite3_column_text(r->points, 4),
            .scenario = &s,
            .flows = flows,
        };
        ok = visit(user, &result, err);
    }
    free(flows);
    free(names);
    json_decref(axes);
    scenario_fini(&s);
    return ok;
}

bool sweep_read(struct sweep_db *d, bool (*visit)(void *user, const struct sweep_result *r, struct error *err),
                void *user, struct error *err)
{
    struct sweep_reader r = {.db = d};
    char sql[512] = "SELECT name";
    for (size_t i = 0; i < COLUMNS; i++) {
        size_t n = strlen(sql);
        snprintf(sql + n, sizeof sql - n, ", %s", columns[i].name);
        r.column[i] = (int)i + 1;
    }
    strcat(sql, " FROM flow WHERE point = ?");
    r.flows = sweep_db_prepare(d, sql, err);
    r.points = r.flows ? sweep_db_prepare(d, "SELECT number, axes, scenario, seed, engine FROM point "
                                          "WHERE state = 'done' ORDER BY number", err) : NULL;
    bool ok = r.points != NULL;
    int status = SQLITE_DONE;
    while (ok && (status = sqlite3_step(r.points)) == SQLITE_ROW)
        ok = read_point(&r, visit, user, err);
    if (ok && status != SQLITE_DONE)
        ok = sweep_db_fail(d, err);
    sqlite3_finalize(r.points);
    sqlite3_finalize(r.flows);
    return ok;
}

double sweep_flow_time_s(const struct sweep_flow *f)
{
    return f->message_s > 0 ? f->message_s : f->end_s - f->start_s;
}

double sweep_flow_rate_bps(const struct sweep_flow *f)
{
    if (f->message_s > 0)
        return 8 * f->message_bytes / f->message_s;
    return isfinite(f->steady_bps) ? f->steady_bps : f->goodput_bps;
}

char *sweep_axes_label(const json_t *axes)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    const char *key, *space = "";
    json_t *value;
    json_object_foreach((json_t *)axes, key, value) {
        const char *dot = strrchr(key, '.');
        char *plain = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        if (f && plain)
            fprintf(f, "%s%s=%s", space, dot ? dot + 1 : key, json_is_string(value) ? json_string_value(value) : plain);
        free(plain);
        space = " ";
    }
    if (f)
        fclose(f);
    return text;
}
