/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/export.h"

#include "results/csv.h"
#include "sweep/db.h"

#include <stdio.h>
#include <string.h>

static void put_column(sqlite3_stmt *q, int i)
{
    switch (sqlite3_column_type(q, i)) {
    case SQLITE_NULL: break;
    case SQLITE_FLOAT: printf("%.17g", sqlite3_column_double(q, i)); break; /* SQLite itself says 15 digits */
    default: results_csv_text(stdout, (const char *)sqlite3_column_text(q, i));
    }
}

/* The axes' names or their values: a field each, a comma before it. */
static void put_axes(const char *json, bool names)
{
    json_t *axes = json_loads(json, 0, NULL), *value;
    const char *key;
    json_object_foreach(axes, key, value)
    {
        putchar(',');
        if (names || json_is_string(value))
            results_csv_text(stdout, names ? key : json_string_value(value));
        else
            printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    }
    json_decref(axes);
}

bool sweep_export(const char *path, bool flows, struct error *err)
{
    struct sweep_db d;
    if (!sweep_db_open(&d, path, err))
        return false;
    sqlite3_stmt *q = sweep_db_prepare(
        &d, flows ? "SELECT number AS point, axes, seed, name AS flow, src, dst, bytes, start_s, end_s, goodput_bps, "
                    "steady_goodput_bps, steady_ci95_bps, retransmitted_segments, floor_s, data_wait_s, ack_wait_s, "
                    "ack_groups, compressed_groups, messages, message_s, message_sd_s, message_ci95_s "
                    "FROM point JOIN flow ON flow.point = number ORDER BY number, name"
                  : "SELECT number AS point, axes, seed, state, error, wall_s, engine, version FROM point "
                    "ORDER BY number", err);
    sqlite3_stmt *first = q ? sweep_db_prepare(&d, "SELECT axes FROM point LIMIT 1", err) : NULL;
    int status = first ? sqlite3_step(first) : SQLITE_DONE;
    bool ok = first && (status == SQLITE_ROW || status == SQLITE_DONE || sweep_db_fail(&d, err));
    for (int i = 0; ok && i < sqlite3_column_count(q); i++) {
        if (i == 1 && status == SQLITE_ROW) /* a shard may have no point */
            put_axes((const char *)sqlite3_column_text(first, 0), true);
        else if (i != 1)
            printf("%s%s", i ? "," : "", sqlite3_column_name(q, i));
    }
    status = SQLITE_DONE;
    while (ok && !ferror(stdout)) {
        putchar('\n');
        if ((status = sqlite3_step(q)) != SQLITE_ROW)
            break;
        for (int i = 0; i < sqlite3_column_count(q); i++) {
            if (i == 1) {
                put_axes((const char *)sqlite3_column_text(q, 1), false);
                continue;
            }
            if (i)
                putchar(',');
            put_column(q, i);
        }
    }
    if (ok && status != SQLITE_DONE && status != SQLITE_ROW)
        ok = sweep_db_fail(&d, err);
    sqlite3_finalize(first);
    sqlite3_finalize(q);
    sweep_db_close(&d);
    return ok;
}
