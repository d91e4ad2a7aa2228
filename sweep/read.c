/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/read.h"

#include "base/order.h"
#include "scenarios/load.h"

struct flow_name {
    const char *name; /* borrowed from the scenario */
    int flow;
};

struct sweep_reader {
    struct sweep_db *db;
    sqlite3_stmt *points, *flows;
};

static ORDER_OF(name_order, struct flow_name, ORDER_TEXT(name))

static void read_flow(const struct sweep_reader *r, struct results_flow *flow)
{
    results_columns_clear(&results_flow_columns, flow);
    for (size_t i = 0, n = 0; i < results_flow_columns.n; i++) {
        const struct results_column *c = &results_flow_columns.column[i];
        if (!(c->in & RESULTS_IN_SQL))
            continue;
        int column = 1 + (int)n++; /* after the point */
        char *place = (char *)flow + c->offset;
        if (c->kind == RESULTS_TEXT)
            snprintf(place, RESULTS_NAME, "%s", sweep_db_text(r->flows, column));
        else if (sqlite3_column_type(r->flows, column) != SQLITE_NULL)
            results_columns_put_number(c, sqlite3_column_double(r->flows, column), flow);
    }
}

/* The database has flows by name, the scenario in an order of its own. */
static bool read_flows(struct sweep_reader *r, int64_t number, const struct scenario *s, struct results_flow *flows,
                       struct flow_name *names, struct error *err)
{
    int status, seen = 0;
    for (int i = 0; i < s->n_flows; i++)
        names[i] = (struct flow_name){s->flows[i].name, i};
    qsort(names, (size_t)s->n_flows, sizeof *names, name_order);
    sqlite3_reset(r->flows);
    sqlite3_bind_int64(r->flows, 1, number);
    while ((status = sweep_db_step(r->db, r->flows, err)) == SQLITE_ROW) {
        struct flow_name key = {sweep_db_text(r->flows, 1), 0};
        const struct flow_name *found = bsearch(&key, names, (size_t)s->n_flows, sizeof *names, name_order);
        if (!found)
            return error_set(err, ERROR_INPUT, "%s: point %" PRId64 " has a flow '%s' that is not in its scenario",
                             r->db->path, number, key.name);
        read_flow(r, &flows[found->flow]);
        seen++;
    }
    if (status == SQLITE_ERROR)
        return false;
    return seen == s->n_flows || error_set(err, ERROR_INPUT, "%s: point %" PRId64 " has %d flows, its scenario %d",
                                           r->db->path, number, seen, s->n_flows);
}

static double read_number(sqlite3_stmt *q, int column)
{
    return sqlite3_column_type(q, column) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(q, column);
}

static bool read_point(struct sweep_reader *r, bool (*visit)(void *, const struct sweep_result *, struct error *),
                       void *user, struct error *err)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = {0};
    int64_t number = sqlite3_column_int64(r->points, 0);
    char name[64];
    snprintf(name, sizeof name, "scenario of point %" PRId64, number);
    json_auto_t *axes = json_loads(sweep_db_text(r->points, 1), 0, NULL);
    bool ok = scenario_load_text(&s, name, sweep_db_text(r->points, 2), err);
    if (!ok)
        error_prefix(err, "%s: ", r->db->path);
    MEMORY_LOCAL struct results_flow *flows = memory_zeroed((size_t)s.n_flows, sizeof *flows, "the flows of a point");
    MEMORY_LOCAL struct flow_name *names = memory_zeroed((size_t)s.n_flows, sizeof *names, "the flows of a point");
    ok = ok && read_flows(r, number, &s, flows, names, err);
    if (ok) {
        struct sweep_result result = {
            .number = number,
            .seed = sqlite3_column_int64(r->points, 3),
            .axes = axes,
            .engine = sweep_db_text(r->points, 4),
            .scenario = &s,
            .operations = {sqlite3_column_int64(r->points, 5), read_number(r->points, 6), read_number(r->points, 7)},
            .flows = flows,
        };
        ok = visit(user, &result, err);
    }
    return ok;
}

bool sweep_read(struct sweep_db *d, bool (*visit)(void *user, const struct sweep_result *r, struct error *err),
                void *user, struct error *err)
{
    struct sweep_reader r = {.db = d};
    r.flows = sweep_db_flow_prepare(d, "SELECT point, ", SWEEP_DB_FLOW_NAMES, " FROM flow WHERE point = ?", err);
    r.points = r.flows ? sweep_db_prepare(d, "SELECT number, axes, scenario, seed, engine, operations, operation_s, "
                                          "operation_ci95_s FROM point "
                                          "WHERE state = 'done' ORDER BY number", err) : NULL;
    bool ok = r.points != NULL;
    int status = SQLITE_DONE;
    while (ok && (status = sweep_db_step(d, r.points, err)) == SQLITE_ROW)
        ok = read_point(&r, visit, user, err);
    sqlite3_finalize(r.points);
    sqlite3_finalize(r.flows);
    return ok && status == SQLITE_DONE;
}

char *sweep_axes_label(json_t *axes)
{
    char *text = NULL;
    size_t size;
    FILE *f = memory_stream(&text, &size);
    const char *key, *space = "";
    json_t *value;
    json_object_foreach(axes, key, value) {
        const char *dot = strrchr(key, '.');
        MEMORY_LOCAL char *plain = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        if (plain)
            fprintf(f, "%s%s=%s", space, dot ? dot + 1 : key, json_is_string(value) ? json_string_value(value) : plain);
        space = " ";
    }
    memory_stream_end(f, &text);
    return text;
}
