/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_sweep_db SWEEP.yaml FILE.db PEER.db: makes the database, then claims every point and commits four flows for
 * it, as `contraflow sweep` does between two simulations; and the same rows by bare SQLite in a copy of it, the least
 * that two transactions a point can cost. Prints points; seconds to start, of processor time for that, and to start
 * again; microseconds a point of claim, commit and peer, and of one count. */
#include "sweep/db.h"

#include <time.h>

#define FLOWS 4

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void need(bool ok, const char *why)
{
    if (ok)
        return;
    fprintf(stderr, "bench_sweep_db: %s\n", why);
    exit(3);
}

static json_t *make_summary(void)
{
    json_t *flows = json_array();
    for (int i = 0; i < FLOWS; i++) {
        char name[16];
        snprintf(name, sizeof name, "h%d-h0", i + 1);
        json_array_append_new(flows, json_pack(
            "{s:s, s:s, s:s, s:I, s:f, s:f, s:f, s:f, s:f, s:i, s:{s:f, s:f, s:f, s:i, s:i}}", "flow", name, "src",
            "10.0.0.1", "dst", "10.0.0.2", "delivered_bytes", (json_int_t)58765432, "start_s", 12.345e-6, "end_s", 0.5,
            "goodput_bps", 235.31234e6, "steady_goodput_bps", 235.371829e6, "steady_ci95_bps", 1234.56,
            "retransmitted_segments", 3, "round_trip", "floor_s", 21.3e-6, "data_wait_s", 0.0123, "ack_wait_s", 1.2e-6,
            "ack_groups", 1234, "compressed_groups", 17));
    }
    return json_pack("{s:s, s:s, s:o}", "engine", "native", "contraflow", CONTRAFLOW_VERSION, "flows", flows);
}

static void run_once(sqlite3 *db, sqlite3_stmt *q)
{
    need(sqlite3_step(q) == SQLITE_DONE, sqlite3_errmsg(db));
    sqlite3_reset(q);
}

static double peer(const char *path, int64_t points)
{
    static const char insert[] = "INSERT INTO flow(point, name, src, dst, bytes, goodput_bps, steady_goodput_bps, "
                                 "floor_s, data_wait_s) VALUES(?, ?, '10.0.0.1', '10.0.0.2', 58765432, 2e8, 2.1e8, "
                                 "21e-6, 0.0123)";
    static const char *const sql[] = {"BEGIN IMMEDIATE", "UPDATE point SET state = 'running' WHERE number = ?",
                                      "COMMIT", "UPDATE point SET state = 'done', wall_s = 0.05 WHERE number = ?",
                                      insert};
    sqlite3 *db;
    sqlite3_stmt *q[5];
    need(sqlite3_open(path, &db) == SQLITE_OK, path);
    sqlite3_exec(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
    for (int i = 0; i < 5; i++)
        need(sqlite3_prepare_v2(db, sql[i], -1, &q[i], NULL) == SQLITE_OK, sqlite3_errmsg(db));
    double started = now(CLOCK_MONOTONIC);
    for (int64_t n = 1; n <= points; n++) {
        for (int i = 1; i < 5; i++)
            if (i != 2)
                sqlite3_bind_int64(q[i], 1, n);
        run_once(db, q[0]);
        run_once(db, q[1]);
        run_once(db, q[2]);
        run_once(db, q[0]);
        run_once(db, q[3]);
        for (int i = 0; i < FLOWS; i++) {
            char name[16];
            snprintf(name, sizeof name, "h%d-h0", i + 1);
            sqlite3_bind_text(q[4], 2, name, -1, SQLITE_TRANSIENT);
            run_once(db, q[4]);
        }
        run_once(db, q[2]);
    }
    double seconds = now(CLOCK_MONOTONIC) - started;
    for (int i = 0; i < 5; i++)
        sqlite3_finalize(q[i]);
    sqlite3_close(db);
    return seconds;
}

int main(int argc, char **argv)
{
    struct sweep_db d;
    struct error err = {0};
    need(argc == 4, "usage: bench_sweep_db SWEEP.yaml FILE.db PEER.db");
    struct sweep *s = sweep_grid_load(argv[1], -1, &err);
    need(s != NULL, err.message);
    double started = now(CLOCK_MONOTONIC), busy = now(CLOCK_PROCESS_CPUTIME_ID);
    need(sweep_db_start(&d, argv[2], s, NULL, &err), err.message);
    double start_s = now(CLOCK_MONOTONIC) - started, busy_s = now(CLOCK_PROCESS_CPUTIME_ID) - busy;
    sweep_db_close(&d);
    started = now(CLOCK_MONOTONIC);
    need(sweep_db_start(&d, argv[2], s, NULL, &err), err.message);
    double again_s = now(CLOCK_MONOTONIC) - started;
    char *copy = sqlite3_mprintf("VACUUM INTO %Q", argv[3]);
    need(sweep_db_do(&d, copy, &err), err.message);
    sqlite3_free(copy);
    json_t *object = make_summary();
    struct results_summary summary;
    results_summary_from_json(&summary, object);
    json_decref(object);
    double claim_s = 0, commit_s = 0;
    int64_t points = 0;
    for (;; points++) {
        struct sweep_claim c;
        double a = now(CLOCK_MONOTONIC);
        need(sweep_db_claim(&d, &c, &err), err.message);
        double b = now(CLOCK_MONOTONIC);
        if (!c.number)
            break;
        need(sweep_db_done(&d, c.number, &summary, 0.05, &err), err.message);
        claim_s += b - a;
        commit_s += now(CLOCK_MONOTONIC) - b;
        free(c.yaml);
    }
    struct sweep_counts counts;
    double before = now(CLOCK_MONOTONIC);
    need(sweep_db_count(&d, &counts, &err) && counts.done == points, "count");
    double count_s = now(CLOCK_MONOTONIC) - before, peer_s = peer(argv[3], points), us = 1e6 / (double)points;
    printf("%lld %.6f %.6f %.6f %.3f %.3f %.3f %.1f\n", (long long)points, start_s, busy_s, again_s,
           claim_s * us, commit_s * us, peer_s * us, count_s * 1e6);
    results_summary_fini(&summary);
    sweep_db_close(&d);
    sweep_grid_free(s);
    return 0;
}
