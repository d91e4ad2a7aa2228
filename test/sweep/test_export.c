/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Points put into a database by hand: what is exported is them, field by field. */
#include "sweep/db.h"
#include "test/cm.h"

#define FILE_NAME "export.db"

static bool fill(struct sweep_db *d, void *user, struct error *err)
{
    return sweep_db_do(d, "INSERT INTO sweep VALUES('', '', '', '', -1, 3, 1, 1)", err) &&
           sweep_db_do(d, "INSERT INTO point(number, axes, scenario, seed, state, error, program, wall_s, engine, version, "
                          "operations, operation_s, operation_ci95_s) VALUES"
                          "(1, '{\"q,1\": \"fi\\\"fo\", \"n\": 3}', '', 7, 'done', NULL, 'native', 0.1, 'native', '1', 4, 0.25, NULL),"
                          "(3, '{\"n\": -5, \"q,1\": \"a,b\"}', '', 8, 'failed', 'no, \"way\"', 'native', NULL, NULL, NULL, NULL, NULL, NULL)",
                       err) &&
           sweep_db_do(d, user, err);
}

static bool exported(const char *more, bool flows, bool json, char **text, struct error *err)
{
    size_t size = 0;
    unlink(FILE_NAME);
    if (!sweep_db_make(FILE_NAME, fill, (void *)(uintptr_t)more, err))
        fail_msg("%s", err->message);
    FILE *f = open_memstream(text, &size);
    bool ok = sweep_export(FILE_NAME, flows, json ? "some:1" : NULL, f, err);
    fclose(f);
    unlink(FILE_NAME);
    return ok;
}

/* RFC 4180: a field with a comma or quotes stands in quotes, and quotes in it twice. Axes are columns, as the first
 * point has them, whatever their order later. */
TEST(test_a_row_a_point)
{
    MEMORY_LOCAL char *text = NULL;
    if (!exported("SELECT 1 WHERE 0", false, false, &text, &err))
        fail_msg("%s", err.message);
    assert_string_equal(text, "point,\"q,1\",n,seed,state,error,wall_s,engine,version,operations,operation_s,operation_ci95_s\n"
                              "1,\"fi\"\"fo\",3,7,done,,0.10000000000000001,native,1,4,0.25,\n"
                              "3,\"a,b\",-5,8,failed,\"no, \"\"way\"\"\",,,,,,\n");
}

TEST(test_json_has_the_same)
{
    MEMORY_LOCAL char *text = NULL;
    assert_true(exported("SELECT 1 WHERE 0", false, true, &text, &err));
    json_auto_t *all = json_loads(text, 0, NULL);
    json_t *rows = json_object_get(all, "rows"), *first = json_array_get(rows, 0), *second = json_array_get(rows, 1);
    assert_string_equal(json_string_value(json_object_get(all, "schema")), "some:1");
    assert_int_equal(json_array_size(rows), 2);
    assert_int_equal(json_integer_value(json_object_get(first, "seed")), 7);
    assert_near(json_real_value(json_object_get(first, "wall_s")), 0.1, 0);
    assert_true(json_is_null(json_object_get(second, "wall_s")));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(second, "axes"), "n")), -5);
    assert_string_equal(json_string_value(json_object_get(second, "error")), "no, \"way\"");
}

TEST(test_other_axes_than_the_first_are_said)
{
    static const char *const others[] = {"{\"n\": 1}", "{\"n\": 1, \"x\": 2}", "{\"n\": 1, \"q,1\": \"\", \"x\": 2}"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        MEMORY_LOCAL char *text = NULL, *sql = memory_text("UPDATE point SET axes = '%s' WHERE number = 3", others[i]);
        assert_false(exported(sql, false, false, &text, &err));
        assert_string_equal(err.message, FILE_NAME ": point 3 has other axes than the first");
    }
}

/* Of the flows of both points, by their names. */
TEST(test_a_row_a_flow)
{
    MEMORY_LOCAL char *text = NULL;
    if (!exported("INSERT INTO flow(point, name, src, dst, bytes, start_s) VALUES (3, 'b', 'h1', 'h0', 5, 0.5),"
                  "(1, 'b', 'h1', 'h0', 6, 1), (1, 'a', 'h2', 'h0', 7, NULL)", true, false, &text, &err))
        fail_msg("%s", err.message);
    const char *head = "point,\"q,1\",n,seed,flow,src,dst,bytes,start_s,", *rows[] = {
        "\n1,\"fi\"\"fo\",3,7,a,h2,h0,7,,", "\n1,\"fi\"\"fo\",3,7,b,h1,h0,6,1,", "\n3,\"a,b\",-5,8,b,h1,h0,5,0.5,"}, *at = text;
    assert_int_equal(strncmp(text, head, strlen(head)), 0);
    for (size_t i = 0; i < 3; i++) {
        at = strchr(at, '\n');
        assert_non_null(at);
        assert_int_equal(strncmp(at, rows[i], strlen(rows[i])), 0);
        at++;
    }
}
