/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes nobody chose as the database of a sweep: opened, exported, merged, and its points read. An input that does not
 * begin like a database is SQL that a small one of ours has seen, with no constraint in its way: mutations meet values,
 * not checksums of pages. */
#include "sweep/read.h"
#include "test/fuzzing/captures.h"

#define INPUT_MAX 65536
#define SQL_TICKS 100 /* of 1000 instructions: an input that counts for ever is no finding */

static char directory[64], database[80], merged[80];

static void remove_files(void)
{
    char part[96];
    snprintf(part, sizeof part, "%s.part", merged);
    unlink(part);
    unlink(merged);
    unlink(database);
    rmdir(directory);
}

static void start(void)
{
    const char *memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(directory, sizeof directory, "%s/contraflow-fuzz-XXXXXX", memory);
    MUST(mkdtemp(directory) != NULL);
    snprintf(database, sizeof database, "%s/x.db", directory);
    snprintf(merged, sizeof merged, "%s/all.db", directory);
    atexit(remove_files);
}

/* What is refused is refused as bad input, in one line that names the file. */
static void check_error(bool ok, const struct error *err)
{
    MUST(ok || (err->code == ERROR_INPUT && strstr(err->message, "x.db") && !strchr(err->message, '\n')));
}

static bool check_result(void *user, const struct sweep_result *r, struct error *err)
{
    (void)err;
    int64_t *last = user;
    MUST(r->number > *last && r->number <= SWEEP_GRID_POINTS && r->seed >= 0);
    *last = r->number;
    free(sweep_axes_label(r->axes));
    for (int i = 0; i < r->scenario->n_flows; i++) {
        const struct results_flow *f = &r->flows[i];
        MUST(memchr(f->name, '\0', sizeof f->name) && strcmp(f->name, r->scenario->flows[i].name) == 0);
        MUST(f->bytes >= -1 && f->start_ps >= -1 && f->end_ps >= -1 && !(f->goodput_bps < 0) && !(f->rtt_s < 0));
    }
    return true;
}

static void read_as_file(const void *bytes, size_t size)
{
    struct error err = {0};
    struct sweep_db d;
    struct sweep_counts counts;
    int64_t last = 0;
    char *text = NULL, *const shards[] = {database};
    FILE *f = fopen(database, "wb");
    MUST(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
    bool opened = sweep_db_open(&d, database, &err);
    check_error(opened, &err);
    if (opened) {
        check_error(sweep_read(&d, check_result, &last, &err), &err);
        sweep_db_close(&d);
    }
    for (int flows = 0; opened && flows < 2; flows++) {
        f = memory_stream(&text, &size);
        check_error(sweep_export(database, flows, NULL, f, &err), &err);
        memory_stream_end(f, &text);
        free(text);
    }
    bool joined = sweep_merge(merged, shards, 1, &counts, &err);
    MUST(joined || (err.code == ERROR_INPUT && !strchr(err.message, '\n') && access(merged, F_OK) != 0));
    MUST(!joined || (counts.done >= 0 && counts.done + counts.failed <= counts.points));
    unlink(merged);
}

static int sql_tick(void *user)
{
    return --*(int *)user < 0;
}

static int sql_allowed(void *user, int action, const char *a, const char *b, const char *c, const char *d)
{
    (void)user, (void)b, (void)c, (void)d;
    return action == SQLITE_ATTACH || action == SQLITE_TRANSACTION ||
           (action == SQLITE_PRAGMA && strcmp(a, "writable_schema") != 0) ? SQLITE_DENY : SQLITE_OK;
}

static void sql_run(sqlite3 *db, const char *sql)
{
    char *why = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fprintf(stderr, "%s\n", why);
    MUST(why == NULL);
}

/* The tables as we make them, and a row of `sweep`, two of `point` and one of `flow`. */
static void sql_start(sqlite3 *db, char *(*schema)[2], size_t n)
{
    struct sweep_db made = {.path = ":memory:"};
    struct error err;
    sqlite3_stmt *q = NULL;
    MUST(sqlite3_open(made.path, &made.db) == SQLITE_OK && sweep_db_create_tables(&made, &err));
    sqlite3_prepare_v2(made.db, "SELECT name, sql FROM sqlite_master WHERE sql NOT NULL ORDER BY type DESC", -1, &q,
                       NULL);
    for (size_t i = 0; sqlite3_step(q) == SQLITE_ROW; i++) {
        MUST(i < n);
        char *loose = memory_text("%s", sweep_db_text(q, 1)), *at;
        while ((at = strstr(loose, " NOT NULL")))
            memset(at, ' ', strlen(" NOT NULL"));
        sql_run(db, loose);
        free(loose);
        schema[i][0] = memory_text("%s", sweep_db_text(q, 0));
        schema[i][1] = memory_text("%s", sweep_db_text(q, 1));
    }
    sqlite3_finalize(q);
    sweep_db_close(&made);
    char *more = memory_text("PRAGMA user_version = %d", SWEEP_DB_VERSION);
    sql_run(db, more);
    free(more);
    sql_run(db, "INSERT INTO sweep VALUES('Two', 'scenario: s.yaml', '0.1.0', 'traffic: {}', -1, 2, 1, 1);"
            "INSERT INTO point(number, axes, scenario, seed, state, program, wall_s, engine, version) VALUES"
            "(1, '{\"tcp.window\":\"10kB\"}', 'traffic: {flows: [{from: h1, to: h0}]}', 1, 'done', 'native', 0.5,"
            " 'native 0.1.0', '0.1.0'), (2, '{\"tcp.window\":1000}', 'traffic: {}', 1, 'waiting', 'ns3', NULL, NULL,"
            " NULL); INSERT INTO flow(point, name, src, dst, bytes, start_s, end_s, goodput_bps) "
            "VALUES(1, 'f0', 'h1', 'h0', 1000, 0, 1, 8000)");
}

static void run_sql(const uint8_t *data, size_t size)
{
    char *schema[8][2] = {{NULL}};
    int ticks = SQL_TICKS;
    sqlite3 *db = NULL;
    sqlite3_int64 bytes;
    MUST(sqlite3_open(":memory:", &db) == SQLITE_OK);
    sqlite3_exec(db, "PRAGMA page_size = 512; PRAGMA writable_schema = ON", NULL, NULL, NULL);
    sql_start(db, schema, sizeof schema / sizeof *schema);
    char *sql = memory_text("%.*s", (int)size, (const char *)data);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_set_authorizer(db, sql_allowed, NULL);
    sqlite3_progress_handler(db, 1000, sql_tick, &ticks);
    sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_progress_handler(db, 0, NULL, NULL);
    sqlite3_set_authorizer(db, NULL, NULL);
    free(sql);
    for (size_t i = 0; i < sizeof schema / sizeof *schema && schema[i][0]; i++) {
        char *change = sqlite3_mprintf("UPDATE sqlite_master SET sql = %Q WHERE name = %Q AND sql = replace(%Q, "
                                       "' NOT NULL', '         ')", schema[i][1], schema[i][0], schema[i][1]);
        sqlite3_exec(db, change, NULL, NULL, NULL); /* the input may have broken the schema */
        sqlite3_free(change);
        free(schema[i][0]);
        free(schema[i][1]);
    }
    unsigned char *file = sqlite3_serialize(db, "main", &bytes, 0);
    if (file)
        read_as_file(file, (size_t)bytes);
    sqlite3_free(file);
    sqlite3_close(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char magic[] = "SQLite format 3";
    if (!*directory)
        start();
    if (size > INPUT_MAX)
        return 0;
    if (size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0)
        read_as_file(data, size);
    else
        run_sql(data, size);
    return 0;
}
