/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/db.h"
#include "test/cm.h"

#include <sys/wait.h>

static bool fill(struct sweep_db *d, void *user, struct error *err)
{
    return sweep_db_do(d, "INSERT INTO sweep VALUES('', '', '', '', -1, 9, 1, 1)", err);
}

static void make(struct sweep_db *d)
{
    struct error err;
    unlink("limits.db");
    assert_true(sweep_db_make("limits.db", fill, NULL, &err));
    assert_true(sweep_db_open(d, "limits.db", &err));
}

TEST(test_a_statement_without_an_end_has_one)
{
    MEMORY_ENDS(sweep_db_close) struct sweep_db d;
    int status;
    make(&d);
    sqlite3_stmt *q = sweep_db_prepare(&d, "WITH RECURSIVE r(seed) AS (SELECT 1 UNION ALL SELECT seed FROM r) SELECT "
                                       "count(*) FROM r", &err);
    assert_non_null(q);
    while ((status = sweep_db_step(&d, q, &err)) == SQLITE_ROW)
        ;
    assert_ints({status, SQLITE_ERROR}, {err.code, ERROR_INPUT});
    assert_string_equal(err.message, "limits.db: damaged: it has no end");
    sqlite3_finalize(q);
}

TEST(test_a_column_that_nobody_knows_is_not_read)
{
    MEMORY_ENDS(sweep_db_close) struct sweep_db d;
    make(&d);
    sqlite3_stmt *q = sweep_db_prepare(&d, "SELECT points AS other FROM sweep", &err);
    assert_int_equal(sweep_db_step(&d, q, &err), SQLITE_ERROR);
    assert_string_equal(err.message, "limits.db: nobody says what a column other may hold");
    sqlite3_finalize(q);
}

TEST(test_who_opened_it_to_read_cannot_write)
{
    MEMORY_ENDS(sweep_db_close) struct sweep_db d;
    make(&d);
    assert_false(sweep_db_do(&d, "DELETE FROM sweep", &err));
    assert_int_equal(err.code, ERROR_SYSTEM);
}

TEST(test_its_schema_runs_nothing)
{
    static const int off[] = {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                              SQLITE_DBCONFIG_ENABLE_VIEW};
    struct sweep_db d;
    int is;
    make(&d);
    for (int joined = 0; joined < 2; joined++) {
        sqlite3_db_config(d.db, SQLITE_DBCONFIG_DEFENSIVE, -1, &is);
        assert_true(is);
        for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
            sqlite3_db_config(d.db, off[i], -1, &is);
            assert_false(is);
        }
        sweep_db_close(&d);
        assert_true(sweep_db_join(&d, "limits.db", &err));
    }
    sweep_db_close(&d);
    assert_int_equal(access("limits.db-wal", F_OK), -1);
}

static bool is_wal(void)
{
    char header[20] = "";
    FILE *f = fopen("limits.db", "rb");
    assert_non_null(f);
    assert_int_equal(fread(header, 1, sizeof header, f), sizeof header);
    fclose(f);
    return header[18] == 2;
}

/* Two that end at once must not each leave it to the other. */
TEST(test_who_ends_waits_for_who_is_about_to)
{
    struct sweep_db d;
    int go[2], ready[2];
    char byte = 0;
    assert_int_equal(pipe(go), 0);
    assert_int_equal(pipe(ready), 0);
    pid_t other = fork(); /* before SQLite knows the file: what it knows is a process's own */
    if (other == 0) {
        bool ok = read(go[0], &byte, 1) == 1 && sweep_db_open(&d, "limits.db", &err) && write(ready[1], &byte, 1) == 1;
        usleep(100000);
        _exit(!ok);
    }
    make(&d);
    sweep_db_close(&d);
    assert_true(sweep_db_join(&d, "limits.db", &err));
    assert_true(sweep_db_do(&d, "UPDATE sweep SET title = 'written'", &err));
    assert_int_equal(write(go[1], &byte, 1), 1);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    sweep_db_close(&d);
    assert_false(is_wal());
    assert_int_equal(access("limits.db-wal", F_OK), -1);
    waitpid(other, NULL, 0);
    for (int i = 0; i < 2; i++) {
        close(go[i]);
        close(ready[i]);
    }
}

int main(void)
{
    int failed = cm_run(NULL);
    unlink("limits.db");
    return failed;
}
