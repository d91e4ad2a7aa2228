/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/sweep_page_axes.h"
#include "view/svg.h"
#include "test/cm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t size;

static FILE *start(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    return open_memstream(&text, &size);
}

static size_t count(const char *what)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        n++;
    return n;
}

static const struct view_svg_frame frame = {.x = {0, 10, 100, 200, false}, .y = {0, 5, 300, 100, false},
                                       .x_label = "x", .y_label = "y", .x_ticks = 5, .y_ticks = 5};

static void test_steps_are_one_two_five(void **state)
{
    (void)state;
    assert_true(fabs(view_svg_step(10, 5) - 2) < 1e-12);
    assert_true(fabs(view_svg_step(10, 10) - 1) < 1e-12);
    assert_true(fabs(view_svg_step(0.7, 3) - 0.5) < 1e-12); /* 0.2 would be four steps, and 1 none */
    assert_true(fabs(view_svg_step(940, 6) - 200) < 1e-9);
    assert_true(fabs(view_svg_step(8.1, 1) - 10) < 1e-9);
}

static void test_values_have_places(void **state)
{
    const struct view_svg_scale linear = {-1, 1, 10, 30, false}, decades = {1, 100, 0, 50, true};
    (void)state;
    assert_true(fabs(view_svg_place(&linear, 0) - 20) < 1e-9);
    assert_true(fabs(view_svg_place(&decades, 10) - 25) < 1e-9);
    assert_true(isnan(view_svg_place(&linear, (double)NAN)));
    assert_true(isnan(view_svg_place(&linear, (double)INFINITY)));
    assert_true(isnan(view_svg_place(&decades, 0)));
    assert_true(isnan(view_svg_place(&decades, -1)));
}

static void test_a_missing_value_breaks_the_line(void **state)
{
    const double x[] = {0, 1, 2, 3, 4}, y[] = {5, 0, (double)NAN, 5, 0};
    FILE *f = start(state);
    view_svg_line(f, &frame, "k0", x, y, 5);
    fclose(f);
    /* x: 10 pixels each from 100, y: 40 up each from 300 */
    assert_non_null(strstr(text, "d=\"M100.0 100.0L110.0 300.0M130.0 100.0L140.0 300.0\""));
}

static void test_a_missing_value_has_no_marker_and_no_bar(void **state)
{
    FILE *f = start(state);
    view_svg_mark(f, &frame, "k0", VIEW_SVG_SQUARE, 1, (double)NAN, 1, 0, "tip");
    view_svg_mark(f, &frame, "k0", VIEW_SVG_SQUARE, (double)NAN, 1, 1, 0, "tip");
    view_svg_bar(f, &frame, "k0", 0, 1, (double)NAN, "tip");
    fclose(f);
    assert_string_equal(text, "");
}

static void test_an_unknown_interval_is_not_drawn(void **state)
{
    FILE *f = start(state);
    view_svg_mark(f, &frame, "k0", VIEW_SVG_CIRCLE, 1, 1, (double)NAN, 0, "tip");
    fclose(f);
    assert_int_equal(count("whisker"), 0);
    f = start(state);
    view_svg_mark(f, &frame, "k0", VIEW_SVG_CIRCLE, 1, 1, 1, 0, "tip");
    fclose(f);
    assert_int_equal(count("whisker"), 1);
    assert_non_null(strstr(text, "M110.0 300.0V220.0")); /* 0 to 2 */
}

static void test_a_bar_stands_on_zero(void **state)
{
    FILE *f = start(state);
    view_svg_bar(f, &frame, "k0", 2, 4, 2.5, "");
    fclose(f);
    assert_non_null(strstr(text, "x=\"120.0\" y=\"200.0\" width=\"20.0\" height=\"100.0\""));
    assert_int_equal(count("<title>"), 0);
}

static void test_text_stays_text(void **state)
{
    FILE *f = start(state);
    view_svg_begin(f, "a", 10, 10, "<script>", "\"&'");
    view_svg_text(f, 1, 1, "mid", "a<b");
    view_svg_mark(f, &frame, "k0", VIEW_SVG_CIRCLE, 1, 1, (double)NAN, 0, "</title><b>");
    view_svg_key_line(f, "k0", "<i>");
    view_svg_end(f);
    fclose(f);
    assert_int_equal(count("<script>") + count("<b>") + count("<i>"), 0);
    assert_non_null(strstr(text, "&lt;script&gt;"));
    assert_non_null(strstr(text, "&quot;&amp;&#39;"));
    assert_non_null(strstr(text, ">a&lt;b</text>"));
}

static void test_axes_have_a_number_a_tick(void **state)
{
    FILE *f = start(state);
    view_svg_axes(f, &frame);
    fclose(f);
    assert_int_equal(count("class=\"grid\""), 6 + 6); /* 0 to 5 by 1, 0 to 10 by 2 */
    assert_non_null(strstr(text, ">10</text>"));
    assert_int_equal(count(">0</text>"), 2);
}

static void test_logarithmic_ticks_fall_on_decades(void **state)
{
    struct view_svg_frame a = frame;
    a.x = (struct view_svg_scale){0.5, 20, 0, 100, true};
    a.y_ticks = 0;
    FILE *f = start(state);
    view_svg_axes(f, &a);
    fclose(f);
    assert_int_equal(count("class=\"grid\""), 6); /* 0.5 1 2 5 10 20 */
    a.x.to = 5000;
    f = start(state);
    view_svg_axes(f, &a);
    fclose(f);
    assert_int_equal(count("class=\"grid\""), 4); /* 1 10 100 1000 */
}

/* A map of three columns and two rows, whose cell (1, 0) is missing and (2, *) belongs to another group. */
static void cell_of(void *user, size_t column, size_t row, struct view_svg_cell *cell)
{
    (void)user;
    if (column == 1 && row == 0)
        return;
    strcpy(cell->class, "r0");
    snprintf(cell->text, sizeof cell->text, "%zu%zu", column, row);
    cell->edge = column == 2;
}

static void test_a_map_has_gaps_and_bounds(void **state)
{
    const char *const names[] = {"a", "b", "c"};
    const struct view_svg_map m = {.left = 0, .top = 0, .width = 30, .height = 30, .columns = 3, .rows = 2,
                              .column_name = names, .row_name = names, .cell = cell_of};
    FILE *f = start(state);
    view_svg_map(f, &m);
    fclose(f);
    assert_int_equal(count("<rect"), 5);
    assert_null(strstr(text, ">10</text>"));
    /* Between columns 1 and 2, x = 60, in row 1, the upper one; there is nothing to part in row 0. */
    assert_non_null(strstr(text, "class=\"bound\" d=\"M60.0 0.0v30.0\""));
}

static void test_axes_of_points_are_a_grid(void **state)
{
    struct error err = {0};
    struct view_sweep_page_axes a;
    (void)state;
    json_t *points = json_loads("[{\"axes\":{\"q\":\"fifo\",\"w\":\"1MB\",\"n.x.y\":3}},"
                                "{\"axes\":{\"q\":\"ack\",\"w\":\"90kB\",\"n.x.y\":1}},"
                                "{\"axes\":{\"q\":\"ack\",\"w\":\"200kB\",\"n.x.y\":1}}]", 0, NULL);
    assert_true(view_sweep_page_axes_make(&a, points, &err));
    assert_int_equal(a.n, 3);
    assert_int_equal(a.x, 1); /* three sizes */
    assert_int_equal(a.y, 2);
    assert_string_equal(a.axis[2].name, "x.y");
    assert_string_equal(a.axis[0].text[0], "fifo"); /* words as they come */
    assert_string_equal(a.axis[1].text[0], "90kB"); /* numbers by size */
    assert_string_equal(a.axis[1].text[2], "1MB");
    assert_ptr_equal(view_sweep_page_axes_point(&a, (size_t[]){0, 2, 1}), json_array_get(points, 0));
    assert_null(view_sweep_page_axes_point(&a, (size_t[]){0, 0, 0}));
    view_sweep_page_axes_free(&a);
    json_decref(points);
}

static void test_too_many_values_are_refused(void **state)
{
    struct error err = {0};
    struct view_sweep_page_axes a;
    json_t *points = json_array();
    (void)state;
    for (int i = 0; i < VIEW_SWEEP_PAGE_VALUES + 1; i++)
        json_array_append_new(points, json_pack("{s:{s:i}}", "axes", "many", i));
    assert_false(view_sweep_page_axes_make(&a, points, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_non_null(strstr(err.message, "many"));
    view_sweep_page_axes_free(&a);
    json_decref(points);
}

static int forget(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_are_one_two_five),
        cmocka_unit_test(test_values_have_places),
        cmocka_unit_test(test_a_missing_value_breaks_the_line),
        cmocka_unit_test(test_a_missing_value_has_no_marker_and_no_bar),
        cmocka_unit_test(test_an_unknown_interval_is_not_drawn),
        cmocka_unit_test(test_a_bar_stands_on_zero),
        cmocka_unit_test(test_text_stays_text),
        cmocka_unit_test(test_axes_have_a_number_a_tick),
        cmocka_unit_test(test_logarithmic_ticks_fall_on_decades),
        cmocka_unit_test(test_a_map_has_gaps_and_bounds),
        cmocka_unit_test(test_axes_of_points_are_a_grid),
        cmocka_unit_test(test_too_many_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, forget);
}
