/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/sweeps/sweep_page_axes.h"
#include "view/svg.h"
#include "view/text.h"
#include "test/cm.h"

static char *text;
static size_t size;

static FILE *start(void **state)
{
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

TEST(test_steps_are_one_two_five)
{
    assert_true(fabs(view_svg_step(10, 5) - 2) < 1e-12);
    assert_true(fabs(view_svg_step(10, 10) - 1) < 1e-12);
    assert_true(fabs(view_svg_step(0.7, 3) - 0.5) < 1e-12); /* 0.2 would be four steps, and 1 none */
    assert_true(fabs(view_svg_step(940, 6) - 200) < 1e-9);
    assert_true(fabs(view_svg_step(8.1, 1) - 10) < 1e-9);
}

TEST(test_values_have_places)
{
    const struct view_svg_scale linear = {-1, 1, 10, 30, false}, decades = {1, 100, 0, 50, true};
    assert_true(fabs(view_svg_place(&linear, 0) - 20) < 1e-9);
    assert_true(fabs(view_svg_place(&decades, 10) - 25) < 1e-9);
    assert_true(isnan(view_svg_place(&linear, (double)NAN)));
    assert_true(isnan(view_svg_place(&linear, (double)INFINITY)));
    assert_true(isnan(view_svg_place(&decades, 0)));
    assert_true(isnan(view_svg_place(&decades, -1)));
}

TEST(test_a_missing_value_breaks_the_line)
{
    const double x[] = {0, 1, 2, 3, 4}, y[] = {5, 0, (double)NAN, 5, 0};
    FILE *f = start(state);
    view_svg_line(f, &frame, "k0", x, y, 5);
    fclose(f);
    /* x: 10 pixels each from 100, y: 40 up each from 300 */
    assert_non_null(strstr(text, "d=\"M100.0 100.0L110.0 300.0M130.0 100.0L140.0 300.0\""));
}

TEST(test_a_missing_value_has_no_marker_and_no_bar)
{
    FILE *f = start(state);
    view_svg_mark(f, &frame, "k0", VIEW_SVG_SQUARE, 1, (double)NAN, 1, 0, "tip");
    view_svg_mark(f, &frame, "k0", VIEW_SVG_SQUARE, (double)NAN, 1, 1, 0, "tip");
    view_svg_bar(f, &frame, "k0", 0, 1, (double)NAN, "tip");
    fclose(f);
    assert_string_equal(text, "");
}

TEST(test_an_unknown_interval_is_not_drawn)
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

TEST(test_an_interval_ends_at_the_foot_of_its_frame)
{
    FILE *f = start(state);
    view_svg_mark(f, &frame, "k0", VIEW_SVG_CIRCLE, 1, 1, 3, 0, "tip");
    fclose(f);
    assert_non_null(strstr(text, "M110.0 300.0V140.0")); /* -2 would lie at 380, among the numbers; 4 at 140 */
}

TEST(test_a_bar_stands_on_zero)
{
    FILE *f = start(state);
    view_svg_bar(f, &frame, "k0", 2, 4, 2.5, "");
    fclose(f);
    assert_non_null(strstr(text, "x=\"120.0\" y=\"200.0\" width=\"20.0\" height=\"100.0\""));
    assert_int_equal(count("<title>"), 0);
}

TEST(test_text_stays_text)
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

TEST(test_axes_have_a_number_a_tick)
{
    FILE *f = start(state);
    view_svg_axes(f, &frame);
    fclose(f);
    assert_int_equal(count("class=\"grid\""), 6 + 6); /* 0 to 5 by 1, 0 to 10 by 2 */
    assert_non_null(strstr(text, ">10</text>"));
    assert_int_equal(count(">0</text>"), 2);
}

TEST(test_logarithmic_ticks_fall_on_decades)
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
    if (column == 1 && row == 0)
        return;
    snprintf(cell->class, sizeof cell->class, "r0");
    snprintf(cell->text, sizeof cell->text, "%zu%zu", column, row);
    cell->edge = column == 2;
}

TEST(test_a_map_has_gaps_and_bounds)
{
    const char *const names[] = {"a", "b", "c"};
    const struct view_svg_map m = {.left = 0, .top = 0, .width = 30, .height = 30, .columns = 3, .rows = 2,
                              .column_name = names, .row_name = names, .cell = cell_of};
    FILE *f = start(state);
    view_svg_map(f, &m);
    fclose(f);
    assert_int_equal(count("<rect"), 5);
    assert_null(strstr(text, ">10</text>"));
    assert_int_equal(count("class=\"end small\""), 2); /* a name a row */
    assert_int_equal(count("class=\"mid tiny\""), 3);
    /* Between columns 1 and 2, x = 60, in row 1, the upper one; there is nothing to part in row 0. */
    assert_non_null(strstr(text, "class=\"bound\" d=\"M60.0 0.0v30.0\""));
}

TEST(test_axes_of_points_are_a_grid)
{
    MEMORY_ENDS(view_sweep_page_axes_free) struct view_sweep_page_axes a;
    json_t *points = json_loads("[{\"q\":\"fifo\",\"w\":\"1MB\",\"n.x.y\":3},"
                                "{\"q\":\"ack\",\"w\":\"90kB\",\"n.x.y\":1},"
                                "{\"q\":\"ack\",\"w\":\"200kB\",\"n.x.y\":1}]", 0, NULL);
    json_t *axes[] = {json_array_get(points, 0), json_array_get(points, 1), json_array_get(points, 2)};
    assert_true(view_sweep_page_axes_make(&a, axes, 3, &err));
    assert_int_equal(a.n, 3);
    assert_int_equal(a.x, 1); /* three sizes */
    assert_int_equal(a.y, 2);
    assert_string_equal(a.axis[2].name, "x.y");
    assert_string_equal(a.axis[0].text[0], "fifo"); /* words as they come */
    assert_string_equal(a.axis[1].text[0], "90kB"); /* numbers by size */
    assert_string_equal(a.axis[1].text[2], "1MB");
    assert_int_equal(view_sweep_page_axes_point(&a, (size_t[]){0, 2, 1}), 0);
    assert_int_equal(view_sweep_page_axes_point(&a, (size_t[]){1, 1, 0}), 2);
    assert_true(view_sweep_page_axes_point(&a, (size_t[]){0, 0, 0}) == SIZE_MAX);
    json_decref(points);
}

TEST(test_too_many_values_are_refused)
{
    MEMORY_ENDS(view_sweep_page_axes_free) struct view_sweep_page_axes a;
    json_t *points[VIEW_SWEEP_PAGE_VALUES + 1];
    json_t *all = json_array();
    for (int i = 0; i < VIEW_SWEEP_PAGE_VALUES + 1; i++) {
        json_array_append_new(all, json_pack("{s:i}", "many", i));
        points[i] = json_array_get(all, (size_t)i);
    }
    assert_false(view_sweep_page_axes_make(&a, points, VIEW_SWEEP_PAGE_VALUES + 1, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_non_null(strstr(err.message, "many"));
    json_decref(all);
}

TEST(test_a_band_is_the_least_and_the_most)
{
    const double low[] = {0, 1}, high[] = {5, 2};
    FILE *f = start(state);
    view_svg_band(f, &frame, "c-c0", 0, 2, low, high, 2);
    fclose(f);
    /* x: 20 pixels a bin from 100; y: 40 up each from 300 */
    assert_non_null(strstr(text, "d=\"M100.0 100.0H120.0L120.0 220.0H140.0L140.0 260.0H120.0L120.0 300.0H100.0z\""));
}

TEST(test_an_axis_has_the_unit_that_fits)
{
    struct view_svg_frame a = frame;
    a.y = (struct view_svg_scale){0, 22.5e9, 300, 100, false};
    a.x = (struct view_svg_scale){0, 0.0015, 100, 200, false};
    a.y_label = "goodput";
    a.y_unit = "b/s";
    a.x_label = "time";
    a.x_unit = "s";
    FILE *f = start(state);
    view_svg_axes(f, &a);
    fclose(f);
    assert_non_null(strstr(text, ">goodput, Gb/s</text>"));
    assert_non_null(strstr(text, ">20</text>"));
    assert_non_null(strstr(text, ">time, ms</text>"));
    assert_non_null(strstr(text, ">1.5</text>"));
    assert_null(strstr(text, "00</text>"));
}

TEST(test_labels_keep_apart)
{
    struct view_svg_label labels[] = {
        {10, 100, "c-eq5", "low"}, {10, 97, "c-eq6", "high"}, {10, (double)NAN, "", "none"}};
    FILE *f = start(state);
    view_svg_labels(f, labels, 3);
    fclose(f);
    assert_string_equal(text, "<text class=\"own c-eq6\" x=\"10.0\" y=\"97.0\">high</text>\n"
                              "<text class=\"own c-eq5\" x=\"10.0\" y=\"110.5\">low</text>\n"); /* 13.5 below */
}

/* Programs other than browsers know neither variables nor the dark: what they read must stand for itself. */
TEST(test_a_picture_needs_nothing_else)
{
    FILE *f = start(state);
    view_svg_begin_picture(f, 700, 300, "<b>", "&");
    view_svg_end(f);
    fclose(f);
    assert_int_equal(count("var(") + count("<b>") + count("href") + count("url(") + count("@import"), 0);
    assert_int_equal(count("xmlns=\"http://www.w3.org/2000/svg\""), 1);
    assert_int_equal(count("http"), 1);
    assert_int_equal(count(".c-eq6{color:#0072b2}"), 1);
    assert_int_equal(count(".c-eq6{color:#4fa8e8}"), 1);
    assert_true(strstr(text, "prefers-color-scheme: dark") < strstr(text, ".c-eq6{color:#4fa8e8}"));
    assert_int_equal(count("&lt;b&gt;"), 2);
}

TEST(test_quantities_have_the_unit_that_fits)
{
    char at[VIEW_TEXT_QUANTITY];
    assert_string_equal(view_text_quantity(941.54e6, "b/s", at), "941.5 Mb/s");
    assert_string_equal(view_text_quantity(22.5e9, "b/s", at), "22.5 Gb/s");
    assert_string_equal(view_text_quantity(1500, "B", at), "1.5 kB");
    assert_string_equal(view_text_quantity(0.0123, "s", at), "12.3 ms");
    assert_string_equal(view_text_quantity(0, "s", at), "0 us");
    assert_string_equal(view_text_quantity((double)NAN, "s", at), "-");
}

TEST(test_markup_escapes_what_it_is_given)
{
    FILE *f = start(state);
    view_text_markup(f, "<b>%s</b> 5 %% <i>%s</i>", "<s>&", "a\n");
    fclose(f);
    assert_string_equal(text, "<b>&lt;s&gt;&amp;</b> 5 % <i>a&#xfffd;</i>");
}

TEST(test_a_shell_word_is_one_word)
{
    static const char *const words[][2] = {
        {"a.yaml", "a.yaml"}, {"-x", "./-x"}, {"a b", "'a b'"},
        {"a'b", "'a'\\''b'"}, {"$(id)\n", "'$(id)\n'"}, {"", "''"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        MEMORY_LOCAL char *word = view_text_shell_word(words[i][0]);
        assert_string_equal(word, words[i][1]);
    }
}

static int forget(void **state)
{
    free(text);
    text = NULL;
    return 0;
}

CM_GROUP(NULL, forget)
