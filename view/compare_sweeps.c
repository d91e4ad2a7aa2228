/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/compare.h"

#include "base/text.h"
#include "results/directory.h"
#include "results/json.h"
#include "sweep/read.h"
#include "view/page.h"
#include "view/svg.h"
#include "view/text.h"

#define TEXT 512
#define PRINTED 20 /* points on a terminal: those that changed most */
#define LISTED 1000 /* on a page */
#define DRAWN 400 /* more marks cannot be told apart */
#define SWEEPS_LEFT 70
#define SWEEPS_RIGHT 20
#define SWEEPS_TOP 14
#define SWEEPS_HEIGHT 200
#define SWEEPS_BELOW 40
#define ROOM 1.08 /* of the drawing's height beyond what it shows */

static const struct figure {
    const char *key, *name, *unit; /* of JSON; of tables; of sentences */
    double scale;
} sweeps_figures[STUDY_COMPARE_SWEEPS_FIGURES] = {
    [STUDY_COMPARE_SWEEPS_OPERATION] = {"operation_s", "time of an operation, ms", "ms an operation", 1e-3},
    [STUDY_COMPARE_SWEEPS_GOODPUT] = {"goodput_bps", "goodput of all flows, Mb/s", "Mb/s of all flows", 1e6},
    [STUDY_COMPARE_SWEEPS_MESSAGE] = {"message_s", "time of a message, ms", "ms a message", 1e-3},
    [STUDY_COMPARE_SWEEPS_DATA_WAIT] = {"data_wait_s", "data wait, ms", "ms of data waiting", 1e-3},
    [STUDY_COMPARE_SWEEPS_ACK_WAIT] = {"ack_wait_s", "ACKs wait, ms", "ms of ACKs waiting", 1e-3},
    [STUDY_COMPARE_SWEEPS_RETRANSMITTED] = {"retransmitted_segments", "segments sent again", "segments sent again", 1},
};

/* "1742.0 instead of 1612.0 Mb/s of all flows, mean of 42 points: +130.0 +- 3.0 (+8.1 %), more; points: 30 ..." */
static void sweeps_say(const struct study_compare_sweeps *c, char text[static TEXT])
{
    const struct study_compare_value *v = &c->all.value[c->main];
    const struct figure *f = &sweeps_figures[c->main];
    const size_t *n = c->all.answers;
    double change = study_compare_change(v) / f->scale, ci95 = study_compare_ci95(v) / f->scale;
    *text = '\0';
    text_add(text, TEXT, "%s instead of %s %s, mean of %zu points: %s%s",
             UNITS_FIGURE(v->mean[STUDY_COMPARE_AFTER] / f->scale, 5),
             UNITS_FIGURE(v->mean[STUDY_COMPARE_BEFORE] / f->scale, 5), f->unit, c->all.known[c->main], change < 0 ? "" : "+",
             UNITS_FIGURE(change, 3));
    if (isfinite(ci95))
        text_add(text, TEXT, " +- %s (%+.1f %%), %s", UNITS_FIGURE(ci95, 2), 100 * study_compare_share(v),
                 study_compare_judge(v) == STUDY_COMPARE_SAME ? "which is no change" : change > 0 ? "more" : "less");
    else
        text_add(text, TEXT, " (%+.1f %%), no interval: some points have none, two seeds or more a point would do",
                 100 * study_compare_share(v));
    text_add(text, TEXT, "; points: %zu more, %zu less, %zu the same", n[STUDY_COMPARE_MORE], n[STUDY_COMPARE_LESS],
             n[STUDY_COMPARE_SAME]);
    if (n[STUDY_COMPARE_OPEN] > 0)
        text_add(text, TEXT, ", %zu without an interval", n[STUDY_COMPARE_OPEN]);
    for (int side = 0; side < STUDY_COMPARE_SIDES; side++)
        if (c->only[side] > 0)
            text_add(text, TEXT, "; %zu are only %s", c->only[side], side == STUDY_COMPARE_BEFORE ? "before" : "after");
}

static void sweeps_means_table(struct view_table *t, const struct study_compare_sweeps *c)
{
    *t = view_table_of("mean of the points|points|" VIEW_COMPARE_HEAD);
    for (int i = 0; i < STUDY_COMPARE_SWEEPS_FIGURES; i++) {
        if (c->all.known[i] == 0)
            continue;
        view_table_add(t, "%s|%zu", sweeps_figures[i].name, c->all.known[i]);
        view_compare_row(t, &c->all.value[i], sweeps_figures[i].scale);
    }
}

static void sweeps_levels_table(struct view_table *t, const struct study_compare_sweeps *c)
{
    char head[128] = "";
    text_add(head, sizeof head, "%s|at|points|%s", sweeps_figures[c->main].name, VIEW_COMPARE_HEAD);
    *t = view_table_of(head);
    for (size_t i = 0; i < c->n_levels; i++) {
        const struct study_compare_sweeps_mean *m = &c->level[i];
        view_table_add(t, "%s|%s|%zu", m->axis, m->level, m->n);
        view_compare_row(t, &m->value[c->main], sweeps_figures[c->main].scale);
    }
}

/* A point, or why it has no partner. */
static void sweeps_point_row(struct view_table *t, const struct study_compare_sweeps *c,
                             const struct study_compare_sweeps_point *p)
{
    MEMORY_LOCAL char *label = sweep_axes_label(p->axes);
    view_table_add(t, "%s", label ? label : "");
    for (int side = 0; side < STUDY_COMPARE_SIDES; side++)
        view_table_add(t, "%" PRId64, p->runs[side]);
    view_compare_row(t, &p->value[c->main], sweeps_figures[c->main].scale);
}

static void sweeps_points_head(struct view_table *t, const struct study_compare_sweeps *c)
{
    char head[160] = "";
    text_add(head, sizeof head, "%s|seeds|then|%s", sweeps_figures[c->main].name, VIEW_COMPARE_HEAD);
    *t = view_table_of(head);
}

struct ranked {
    double change; /* first: see estimate_ascending() */
    const struct study_compare_sweeps_point *point;
};

static int ranked_order(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->change == y->change)
        return x->point < y->point ? -1 : x->point > y->point;
    return x->change > y->change ? -1 : 1;
}

/* The points whose main figure changed most, as a share. */
static void sweeps_most_table(struct view_table *t, const struct study_compare_sweeps *c, size_t most)
{
    MEMORY_LOCAL struct ranked *ranked = memory_zeroed(c->n_both, sizeof *ranked, "points to compare");
    for (size_t i = 0; i < c->n_both; i++) {
        double share = fabs(study_compare_share(&c->point[i].value[c->main]));
        ranked[i] = (struct ranked){isfinite(share) ? share : -1, &c->point[i]};
    }
    qsort(ranked, c->n_both, sizeof *ranked, ranked_order);
    sweeps_points_head(t, c);
    for (size_t i = 0; i < c->n_both && i < most; i++)
        sweeps_point_row(t, c, ranked[i].point);
}

void view_compare_sweeps_print(FILE *f, const struct study_compare_sweeps *c)
{
    char text[TEXT];
    struct view_table t;
    sweeps_say(c, text);
    fprintf(f, "%s\n", text);
    sweeps_means_table(&t, c);
    view_table_print(&t, "  ", 1, f);
    if (c->n_levels > 0) {
        sweeps_levels_table(&t, c);
        view_table_print(&t, "  ", 2, f);
    }
    if (c->n_both > PRINTED)
        fprintf(f, "  the %d of %zu points that changed most; --json and --report have all\n", PRINTED, c->n_both);
    sweeps_most_table(&t, c, PRINTED);
    view_table_print(&t, "  ", 1, f);
}

static void sweeps_add_figures(json_t *to, const struct study_compare_value *value)
{
    for (int i = 0; i < STUDY_COMPARE_SWEEPS_FIGURES; i++)
        json_object_set_new(to, sweeps_figures[i].key, view_compare_value_json(&value[i]));
}

static json_t *sweeps_mean_json(const struct study_compare_sweeps_mean *m)
{
    json_t *object = results_json("points:l more:l less:l same:l open:l", (int64_t)m->n,
                                  (int64_t)m->answers[STUDY_COMPARE_MORE], (int64_t)m->answers[STUDY_COMPARE_LESS],
                                  (int64_t)m->answers[STUDY_COMPARE_SAME], (int64_t)m->answers[STUDY_COMPARE_OPEN]);
    sweeps_add_figures(object, m->value);
    return object;
}

static json_t *sweeps_side_json(const struct study_compare_sweeps_point *p, enum study_compare_side side)
{
    return p->runs[side] ? results_json("point:l runs:l", (int64_t)p->number[side], (int64_t)p->runs[side])
                         : json_null();
}

json_t *view_compare_sweeps_json(const struct study_compare_sweeps *c)
{
    json_t *points = json_array(), *levels = json_array();
    for (size_t i = 0; i < c->n_levels; i++) {
        json_t *level = results_json("axis:s value:s", c->level[i].axis, c->level[i].level);
        json_object_update_new(level, sweeps_mean_json(&c->level[i]));
        json_array_append_new(levels, level);
    }
    for (size_t i = 0; i < c->n; i++) {
        const struct study_compare_sweeps_point *p = &c->point[i];
        json_t *point = results_json("axes:o before:o after:o", json_incref(p->axes),
                                     sweeps_side_json(p, STUDY_COMPARE_BEFORE),
                                     sweeps_side_json(p, STUDY_COMPARE_AFTER));
        sweeps_add_figures(point, p->value);
        json_array_append_new(points, point);
    }
    return results_json("figure:s all:o levels:o points:o", sweeps_figures[c->main].key, sweeps_mean_json(&c->all), levels,
                        points);
}

/* By how many percent each point changed, with its interval. */
static void sweeps_draw(FILE *f, const struct study_compare_sweeps *c, int width)
{
    char id[32];
    size_t n = c->n_both < DRAWN ? c->n_both : DRAWN;
    double least = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        const struct study_compare_value *v = &c->point[i].value[c->main];
        double share = study_compare_share(v), half = study_compare_ci95(v) / v->mean[STUDY_COMPARE_BEFORE];
        half = isfinite(half) && half < 1 ? half : 0;
        least = fmin(least, share - half); /* which leave out what is no number */
        most = fmax(most, share + half);
    }
    if (!(most > least))
        most = 0.01;
    struct view_svg_frame a = {.x = {0.5, (double)n + 0.5, SWEEPS_LEFT, width - SWEEPS_RIGHT, false},
                               .y = {100 * ROOM * least, 100 * ROOM * most, SWEEPS_TOP + SWEEPS_HEIGHT, SWEEPS_TOP, false},
                               .x_label = "point", .y_label = "change, %",
                               .x_ticks = n < 8 ? (int)n : 8, .y_ticks = 5};
    snprintf(id, sizeof id, "points-%d", width);
    fprintf(f, "<figure class=\"%s\">\n<div>", VIEW_COMPARE_CLASS(width));
    view_svg_key_mark(f, "c-in", VIEW_SVG_CIRCLE, "more");
    view_svg_key_mark(f, "c-out", VIEW_SVG_TRIANGLE, "less");
    view_svg_key_mark(f, "hollow c-c6", VIEW_SVG_CIRCLE, "no change, or no interval");
    fputs("</div>\n", f);
    view_svg_begin(f, id, width, SWEEPS_TOP + SWEEPS_HEIGHT + SWEEPS_BELOW, "Change of each point", "marks with 95 % intervals");
    view_svg_axes(f, &a);
    view_svg_level(f, &a, "edge", a.x.from, a.x.to, 0);
    for (size_t i = 0; i < n; i++) {
        const struct study_compare_value *v = &c->point[i].value[c->main];
        enum study_compare_answer answer = study_compare_judge(v);
        char *label MEMORY_LOCAL = sweep_axes_label(c->point[i].axes), *tip MEMORY_LOCAL;
        double before = v->mean[STUDY_COMPARE_BEFORE], half = study_compare_ci95(v);
        tip = memory_text("%s: %+.2f %%, +- %.2f", label ? label : "", 100 * study_compare_share(v), 100 * half / before);
        view_svg_mark(f, &a, answer == STUDY_COMPARE_MORE ? "c-in" : answer == STUDY_COMPARE_LESS ? "c-out" : "hollow c-c6",
                      answer == STUDY_COMPARE_LESS ? VIEW_SVG_TRIANGLE : VIEW_SVG_CIRCLE, (double)i + 1,
                      100 * study_compare_share(v), 100 * half / before, 0, tip);
    }
    view_svg_end(f);
    fprintf(f, "<figcaption>By how much the %.*s changed at %s, in the order of the sweep before, with 95 %% "
            "intervals.</figcaption>\n</figure>\n", (int)strcspn(sweeps_figures[c->main].name, ","), sweeps_figures[c->main].name,
            n < c->n_both ? "the first points" : "each point");
}

static void sweeps_page_tables(FILE *f, const struct study_compare_sweeps *c)
{
    struct view_table t;
    fputs("<div>\n<h4>All points</h4>\n", f);
    sweeps_means_table(&t, c);
    view_table_html(f, NULL, &t, 1);
    if (c->n_levels > 0) {
        fputs("<h4>By axis</h4>\n", f);
        sweeps_levels_table(&t, c);
        view_table_html(f, NULL, &t, 2);
    }
    fputs("<h4>Points, those that changed most first</h4>\n", f);
    sweeps_most_table(&t, c, LISTED);
    view_table_html(f, NULL, &t, 1);
    if (c->n_both > LISTED)
        fprintf(f, "<p>%zu more points: <code>--json</code> has them.</p>\n", c->n_both - LISTED);
    if (c->n > c->n_both) {
        fputs("<h4>Points of one sweep alone</h4>\n", f);
        sweeps_points_head(&t, c);
        for (size_t i = c->n_both; i < c->n && i < c->n_both + LISTED; i++)
            sweeps_point_row(&t, c, &c->point[i]);
        view_table_html(f, NULL, &t, 1);
    }
    fputs("</div>\n", f);
}

bool view_compare_sweeps_page(const char *directory, const char *const path[STUDY_COMPARE_SIDES],
                              const struct study_compare_sweeps *c, struct error *err)
{
    static const char *const sides[] = {"before", "after"};
    struct outfile file = {0};
    char text[TEXT], *name MEMORY_LOCAL = results_directory_path(directory, "compare.html");
    bool ok = outfile_make_directory(directory, err) && outfile_open(&file, name, err);
    if (!ok)
        return false;
    FILE *f = file.stream;
    enum study_compare_answer answer = study_compare_judge(&c->all.value[c->main]);
    bool rate = c->main == STUDY_COMPARE_SWEEPS_GOODPUT; /* of times, less is better */
    view_page_begin(f, "contraflow compare", "compare --report", false);
    fputs("<h1>What changed</h1>\n<dl>", f);
    for (int side = 0; side < STUDY_COMPARE_SIDES; side++) {
        view_text_markup(f, "<dt>%s</dt><dd>%s", sides[side], path[side]);
        view_page_origin(f, "emulated");
        fputs("</dd>\n", f);
    }
    fputs("<dt>intervals</dt><dd>over a point's seeds; of one seed, the run's own. The change has that of its seeds "
          "one by one where both sides have the same, else that of both together, "
          "&radic;(before&sup2; + after&sup2;), and is called one where it is larger</dd></dl>\n", f);
    fprintf(f, "<section class=\"verdict%s\">\n", answer == (rate ? STUDY_COMPARE_MORE : STUDY_COMPARE_LESS) ? " good"
                                                  : answer == (rate ? STUDY_COMPARE_LESS : STUDY_COMPARE_MORE) ? " bad"
                                                                                                               : "");
    sweeps_say(c, text);
    view_text_markup(f, "<h3>All points</h3>\n<p class=\"headline\">%s.</p>\n</section>\n", text);
    fputs("<div class=\"beside\">\n", f);
    sweeps_draw(f, c, VIEW_COMPARE_WIDE);
    sweeps_draw(f, c, VIEW_COMPARE_NARROW);
    sweeps_page_tables(f, c);
    fputs("</div>\n", f);
    fputs("</body>\n</html>\n", f);
    return outfile_commit(&file, err) || (outfile_discard(&file), false);
}
