/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two sweeps whose figures are chosen here: what is printed and drawn of them is arithmetic on paper. */
#include "test/cm.h"
#include "view/compare.h"

#define POINTS 3

static struct study_compare_sweeps_point points[POINTS];
static struct study_compare_sweeps_mean level;

/* Goodput of 20 +- 3 becomes 25 +- 4 (25 % of 20 are 5, as sqrt(3^2 + 4^2)), 40 +- 0.6 becomes 30 +- 0.8 (1 of 40 are
 * 2.5 %), and 10 +- 0 becomes 11 +- 0. On average 70 / 3 become 66 / 3. */
static struct study_compare_sweeps sweeps(void)
{
    static const double rates[POINTS][4] = {{20e6, 3e6, 25e6, 4e6}, {40e6, 0.6e6, 30e6, 0.8e6}, {10e6, 0, 11e6, 0}};
    struct study_compare_sweeps c = {.point = points, .n = POINTS, .n_both = POINTS, .level = &level, .n_levels = 1,
                                     .main = STUDY_COMPARE_SWEEPS_GOODPUT};
    const int main_figure = STUDY_COMPARE_SWEEPS_GOODPUT;
    const struct study_compare_value mean = {.mean = {70e6 / 3, 22e6}, .ci95 = {1e6, 1e6}, .paired = true, .change_ci95 = 2e6};
    for (int i = 0; i < POINTS; i++) {
        points[i] = (struct study_compare_sweeps_point){.axes = json_pack("{s:i}", "hosts", i + 2), .runs = {2, 3},
                                                        .number = {i + 1, i + 4}};
        for (int k = 0; k < STUDY_COMPARE_SWEEPS_FIGURES; k++)
            points[i].value[k] = (struct study_compare_value){.mean = {NAN, NAN}, .ci95 = {NAN, NAN}};
        points[i].value[main_figure] = (struct study_compare_value){.mean = {rates[i][0], rates[i][2]},
                                                                    .ci95 = {rates[i][1], rates[i][3]}};
    }
    c.all.n = c.all.known[main_figure] = POINTS;
    c.all.value[main_figure] = mean;
    c.all.answers[STUDY_COMPARE_SAME] = c.all.answers[STUDY_COMPARE_LESS] = c.all.answers[STUDY_COMPARE_MORE] = 1;
    level = c.all;
    level.axis = "hosts";
    static char two[] = "2";
    level.level = two;
    return c;
}

static void done(const struct study_compare_sweeps *c)
{
    for (size_t i = 0; i < c->n; i++)
        json_decref(c->point[i].axes);
}

/* -1.33 of 23.33 are 5.7 %, within 2; and the points are in the order of their change: 25, 25, 10 %. */
TEST(test_a_sentence_and_the_points_that_changed_most)
{
    static const char *const rows[] = {"hosts=2 ", "hosts=3 ", "hosts=4 "};
    struct study_compare_sweeps c = sweeps();
    char *text = NULL, *at;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    view_compare_sweeps_print(f, &c);
    fclose(f);
    const char *line = "22 instead of 23.333 Mb/s of all flows, mean of 3 points: -1.33 +- 2 (-5.7 %), which is no change; "
                       "points: 1 more, 1 less, 1 the same\n";
    if (strncmp(text, line, strlen(line)) != 0)
        fail_msg("%s", text);
    at = text;
    for (size_t i = 0; i < POINTS; i++) {
        double before, before_ci95, after, after_ci95, change, ci95, share;
        int64_t seeds, then;
        at = strstr(at, rows[i]);
        assert_non_null(at);
        char *end = at + strlen(rows[i]);
        seeds = strtol(end, &end, 10);
        then = strtol(end, &end, 10);
        assert_true(seeds == 2 && then == 3);
        before = strtod(end, &end), before_ci95 = strtod(end, &end);
        after = strtod(end, &end), after_ci95 = strtod(end, &end);
        change = strtod(end, &end), ci95 = strtod(end, &end), share = strtod(end, &end);
        const struct study_compare_value *v = &points[i].value[c.main];
        assert_near(before, v->mean[0] / 1e6, 1e-3);
        assert_near(after, v->mean[1] / 1e6, 1e-3);
        assert_near(before_ci95, v->ci95[0] / 1e6, 1e-3);
        assert_near(after_ci95, v->ci95[1] / 1e6, 1e-3);
        assert_near(change, (v->mean[1] - v->mean[0]) / 1e6, 1e-3);
        assert_near(ci95, i == 0 ? 5 : i == 1 ? 1 : 0, 1e-3);
        assert_near(share, i == 0 ? 25 : i == 1 ? -25 : 10, 0.05);
    }
    free(text);
    done(&c);
}

/* What is drawn of a point says its share and its interval, in per cent of before, and its whisker goes from one end
 * to the other: 200 pixels, from 14 on, are 1.08 times what there is to show, from -27.5 to 50 %. */
TEST(test_marks_say_what_they_show)
{
    static const char *const tips[] = {"hosts=2: +25.00 %, +- 25.00", "hosts=3: -25.00 %, +- 2.50", "hosts=4: +10.00 %, +- 0.00"};
    static const char *const path[] = {"before.db", "after.db"};
    char directory[] = "/tmp/contraflow-sweeps-XXXXXX", name[64], *page = NULL;
    struct study_compare_sweeps c = sweeps();
    size_t room = 0;
    assert_non_null(mkdtemp(directory));
    if (!view_compare_sweeps_page(directory, path, &c, &err))
        fail_msg("%s", err.message);
    snprintf(name, sizeof name, "%s/compare.html", directory);
    FILE *f = fopen(name, "r");
    assert_non_null(f);
    assert_true(getdelim(&page, &room, '\0', f) > 0);
    fclose(f);
    static const double share[] = {25, -25, 10}, half[] = {25, 2.5, 0};
    for (size_t i = 0; i < POINTS; i++) {
        const char *mark = strstr(page, tips[i]), *whisker = mark ? strstr(mark, "class=\"whisker\" d=\"M") : NULL;
        double low = NAN, high = NAN, pixels = 200 / (1.08 * (27.5 + 50));
        assert_non_null(whisker);
        assert_int_equal(sscanf(whisker, "class=\"whisker\" d=\"M%*f %lfV%lf", &low, &high), 2);
        assert_near(low, 14 + pixels * (1.08 * 50 - (share[i] - half[i])), 0.06);
        assert_near(high, 14 + pixels * (1.08 * 50 - (share[i] + half[i])), 0.06);
    }
    free(page);
    assert_true(remove(name) == 0 && rmdir(directory) == 0);
    done(&c);
}

TEST(test_json_has_every_point_of_both_sides)
{
    struct study_compare_sweeps c = sweeps();
    json_auto_t *all = view_compare_sweeps_json(&c);
    const json_t *point = json_array_get(json_object_get(all, "points"), 1), *v = json_object_get(point, "goodput_bps");
    assert_string_equal(json_string_value(json_object_get(all, "figure")), "goodput_bps");
    assert_int_equal(json_array_size(json_object_get(all, "points")), POINTS);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(point, "before"), "point")), 2);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(point, "after"), "point")), 5);
    assert_near(json_number_value(json_object_get(v, "change")), -10e6, 1);
    assert_near(json_number_value(json_object_get(v, "change_ci95")), 1e6, 1);
    assert_near(json_number_value(json_object_get(v, "change_share")), -0.25, 1e-9);
    assert_string_equal(json_string_value(json_object_get(v, "changed")), "less");
    const json_t *of_level = json_array_get(json_object_get(all, "levels"), 0);
    assert_string_equal(json_string_value(json_object_get(of_level, "axis")), "hosts");
    assert_int_equal(json_integer_value(json_object_get(of_level, "more")), 1);
    done(&c);
}
