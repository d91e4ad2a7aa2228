/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regime maps: two axes of a sweep as a map of cells, a map for each combination of the others. */
#include "view/sweep_page.h"
#include "view/sweep_page_axes.h"
#include "view/capture_page_parts.h"
#include "view/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELL 34        /* pixels */
#define SHADES 4
#define WIDEST_SPREAD 0.4 /* sd / mean of the darkest shade */

static const struct {
    const char *name, *letter, *says;
} regimes[] = {
    {"eq6", "E", "eq6: B / max(in, out), the asymmetry"}, {"window", "W", "window law"},
    {"eq5", "F", "eq5: fairness, full duplex works"},     {"loss", "L", "losses decide"},
    {"none", "N", "no rule"},                             {"unsaturated", "U", "unsaturated"},
    {"unknown", "?", "no closed form"},
};
enum { REGIMES = sizeof regimes / sizeof *regimes, UNKNOWN = REGIMES - 1 };

static int regime_of(const json_t *point, const char *key)
{
    const char *name = json_string_value(json_object_get(point, key));
    for (int i = 0; name && i < REGIMES; i++)
        if (strcmp(regimes[i].name, name) == 0)
            return i;
    return UNKNOWN;
}

/* sd / mean of a flow's rate over the seeds, of the direction that has more; NAN with fewer than two. */
static double spread_of(const json_t *point)
{
    const json_t *in = json_object_get(point, "in_bps"), *out = json_object_get(point, "out_bps");
    if (view_json_number(point, "runs") < 2)
        return (double)NAN;
    return fmax(view_json_number(in, "sd") / view_json_number(in, "mean"),
                view_json_number(out, "sd") / view_json_number(out, "mean"));
}

/* What one map shows: points of the grid at these values of the other axes. */
struct view {
    const struct view_sweep_page_axes *axes;
    size_t at[VIEW_SWEEP_PAGE_AXES]; /* of each axis; that of x and y changes with the cell */
    bool spread;          /* shown instead of the regime */
};

static void text_of(const json_t *point, char *text, size_t size)
{
    char *observed = json_dumps(json_object_get(point, "observed"), JSON_COMPACT);
    snprintf(text, size, "seen %s in %.0f runs, closed form %s; a flow in %.4g, out %.4g Mb/s",
             observed ? observed : "?", view_json_number(point, "runs"), regimes[regime_of(point, "predicted")].name,
             view_json_number(json_object_get(point, "in_bps"), "mean") / 1e6,
             view_json_number(json_object_get(point, "out_bps"), "mean") / 1e6);
    free(observed);
}

static void cell_of(void *user, size_t column, size_t row, struct view_svg_cell *cell)
{
    struct view *v = user;
    v->at[v->axes->x] = column;
    v->at[v->axes->y] = row;
    const json_t *point = view_sweep_page_axes_point(v->axes, v->at);
    if (!point)
        return;
    int most = regime_of(point, "most"), predicted = regime_of(point, "predicted");
    double spread = spread_of(point);
    text_of(point, cell->tip, sizeof cell->tip);
    cell->edge = predicted == UNKNOWN ? -1 : predicted;
    if (!v->spread) {
        bool split = json_object_size(json_object_get(point, "observed")) > 1;
        bool off = predicted != most; /* unknown: "?" */
        snprintf(cell->class, sizeof cell->class, "r%d", most);
        snprintf(cell->text, sizeof cell->text, "%s%s%s%s", regimes[most].letter, split ? "*" : "",
                 off && predicted != UNKNOWN ? "/" : "", off ? regimes[predicted].letter : "");
    } else if (isfinite(spread)) {
        snprintf(cell->class, sizeof cell->class, "q%ld", SHADES + lround(fmin(1, spread / WIDEST_SPREAD) * SHADES));
        snprintf(cell->text, sizeof cell->text, "%.0f", 100 * spread);
    }
}

static void draw_map(FILE *f, struct view *v, double left, double top)
{
    const struct view_sweep_page_axis *x = &v->axes->axis[v->axes->x], *y = &v->axes->axis[v->axes->y];
    const char *column[VIEW_SWEEP_PAGE_VALUES], *row[VIEW_SWEEP_PAGE_VALUES];
    struct view_svg_map m = {.left = left, .top = top, .width = CELL, .height = CELL, .columns = x->n, .rows = y->n,
                        .column_name = column, .row_name = row, .x_label = x->name,
                        .y_label = y == x ? NULL : y->name, .cell = cell_of, .user = v};
    for (size_t i = 0; i < x->n; i++)
        column[i] = x->text[i];
    for (size_t i = 0; i < y->n; i++)
        row[i] = y == x ? "" : y->text[i];
    m.rows = y == x ? 1 : m.rows;
    view_svg_map(f, &m);
}

/* The other axes' values of a map, in lines above it. */
static void draw_title(FILE *f, const struct view *v, double left, double top)
{
    char text[128];
    double y = top + 14;
    for (size_t i = v->axes->n; i-- > 0;) {
        const struct view_sweep_page_axis *a = &v->axes->axis[i];
        if (i == v->axes->x || i == v->axes->y || a->n < 2)
            continue;
        snprintf(text, sizeof text, "%s %s", a->name, a->text[v->at[i]]);
        view_svg_text(f, left, y -= 14, "name", text);
    }
}

static size_t titles(const struct view_sweep_page_axes *axes)
{
    size_t n = 0;
    for (size_t i = 0; i < axes->n; i++)
        n += i != axes->x && i != axes->y && axes->axis[i].n > 1;
    return n;
}

/* Is there a point at these values of the other axes? */
static bool any_point(struct view *v)
{
    struct view_svg_cell cell;
    for (size_t column = 0; column < v->axes->axis[v->axes->x].n; column++)
        for (size_t row = 0; row < (v->axes->y == v->axes->x ? 1 : v->axes->axis[v->axes->y].n); row++) {
            cell = (struct view_svg_cell){0};
            cell_of(v, column, v->axes->y == v->axes->x ? column : row, &cell);
            if (cell.class[0])
                return true;
        }
    return false;
}

/* The next combination of the other axes, the last one fastest; false behind the last. */
static bool step(struct view *v)
{
    for (size_t i = v->axes->n; i-- > 0;) {
        if (i == v->axes->x || i == v->axes->y)
            continue;
        if (++v->at[i] < v->axes->axis[i].n)
            return true;
        v->at[i] = 0;
    }
    return false;
}

static void legend(FILE *f, bool spread)
{
    char class[16], text[32];
    fputs("<p>", f);
    for (int i = 0; !spread && i < UNKNOWN; i++) {
        snprintf(class, sizeof class, "r%d", i);
        view_svg_key_cell(f, class, regimes[i].letter, regimes[i].says);
    }
    for (int i = 0; spread && i <= SHADES; i++) {
        snprintf(class, sizeof class, "q%d", SHADES + i);
        snprintf(text, sizeof text, "%.0f %%%s", 100 * WIDEST_SPREAD * i / SHADES, i == SHADES ? " and more" : "");
        view_svg_key_cell(f, class, NULL, text);
    }
    view_svg_key_line(f, "bound", "boundary of the closed form");
    fputs("</p>\n", f);
}

static void points_data(struct view_table *t, const struct view_sweep_page_axes *axes)
{
    static const char *const plain[] = {"in", "out", "runs", "margin_bytes", "rate_error", "retransmitted_segments"};
    static const char *const rates[] = {"mean", "sd", "min", "max", "jain"};
    char name[32];
    view_table_init(t, axes->n + 3 + 6 + 10);
    for (size_t i = 0; i < axes->n; i++)
        view_table_add(t, "%s", axes->axis[i].key);
    for (size_t i = 0; i < 3; i++)
        view_table_add(t, "%s", (const char *const[]){"most", "predicted", "observed"}[i]);
    for (size_t i = 0; i < 6; i++)
        view_table_add(t, "%s", plain[i]);
    for (size_t i = 0; i < 10; i++)
        view_table_add(t, "%s_bps_%s", i < 5 ? "in" : "out", rates[i % 5]);
    for (size_t k = 0; k < axes->points; k++) {
        const json_t *point = axes->point[k];
        char *observed = json_dumps(json_object_get(point, "observed"), JSON_COMPACT);
        for (size_t i = 0; i < axes->n; i++)
            view_table_add(
                t, "%s",
                view_sweep_page_axes_text(json_object_get(json_object_get(point, "axes"), axes->axis[i].key), name));
        view_table_add(t, "%s", regimes[regime_of(point, "most")].name);
        view_table_add(t, "%s", regimes[regime_of(point, "predicted")].name);
        view_table_add(t, "%s", observed ? observed : "");
        free(observed);
        for (size_t i = 0; i < 6; i++)
            view_sweep_page_number(t, view_json_number(point, plain[i]));
        for (size_t i = 0; i < 10; i++)
            view_sweep_page_number(
                t, view_json_number(json_object_get(point, i < 5 ? "in_bps" : "out_bps"), rates[i % 5]));
    }
}

static const char regimes_caption[] =
    "A cell a point of the sweep, by what most of its seeds show. Lines: where the closed form says that one regime "
    "ends and another begins. A letter alone: the closed form says the same; L/E: seen L, the closed form says E; N?: "
    "seen N, there is no closed form; *: seeds differ. Empty: not in the sweep, or not done.";
static const char spread_caption[] =
    "Standard deviation of a flow's rate over its mean, in %, over all seeds and flows of a direction, of the "
    "direction where it is larger. Cells with one seed are empty.";

static bool show_maps(struct view_sweep_page *p, const struct view_sweep_page_sweep *s,
                      const struct view_sweep_page_axes *axes, bool spread, struct error *err)
{
    struct view v = {.axes = axes, .spread = spread};
    const struct view_sweep_page_axis *x = &axes->axis[axes->x], *y = &axes->axis[axes->y];
    size_t rows = axes->y == axes->x ? 1 : y->n, left = 62, top = 14 * titles(axes) + 10;
    size_t width = left + CELL * x->n + 14, height = top + CELL * rows + VIEW_SVG_MAP_BELOW + 10;
    struct view_table data;
    int n = 0;
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED,
                           spread ? "Spread of rates over seeds: %s against %s" : "Regimes: %s against %s", x->name,
                           y->name);
    legend(p->f, spread);
    fputs("<div class=\"drawings\">\n", p->f);
    do {
        if (!any_point(&v))
            continue;
        view_sweep_page_drawing(p, ++n, (int)(width > 210 ? width : 210), (int)height,
                     spread ? "Map of spreads" : "Map of regimes", "A cell for each pair of values of two axes; the "
                     "text above says the others. All values are in the data below.");
        draw_title(p->f, &v, (double)left, (double)top - 8);
        draw_map(p->f, &v, (double)left, (double)top);
        view_svg_end(p->f);
    } while (step(&v));
    fputs("</div>\n", p->f);
    points_data(&data, axes);
    return view_sweep_page_figure_end(p, s, spread ? spread_caption : regimes_caption, &data, err);
}

/* What was seen against what the closed form says. */
static bool show_counts(struct view_sweep_page *p, const struct view_sweep_page_sweep *s,
                        const struct view_sweep_page_axes *axes, struct error *err)
{
    size_t count[REGIMES][REGIMES] = {0}, known = 0, agree = 0;
    struct view_table t, data;
    char caption[256];
    for (size_t i = 0; i < axes->points; i++) {
        int predicted = regime_of(axes->point[i], "predicted"), most = regime_of(axes->point[i], "most");
        count[predicted][most]++;
        known += predicted != UNKNOWN;
        agree += predicted == most && predicted != UNKNOWN;
    }
    view_table_init(&t, REGIMES);
    view_table_init(&data, REGIMES);
    view_table_add(&t, "closed form says");
    view_table_add(&data, "predicted");
    for (int i = 0; i < UNKNOWN; i++) {
        view_table_add(&t, "seen %s", regimes[i].name);
        view_table_add(&data, "%s", regimes[i].name);
    }
    for (int i = 0; i < REGIMES; i++) {
        view_table_add(&t, "%s", regimes[i].name);
        view_table_add(&data, "%s", regimes[i].name);
        for (int k = 0; k < UNKNOWN; k++) {
            view_table_add(&t, "%zu", count[i][k]);
            view_table_add(&data, "%zu", count[i][k]);
        }
    }
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "Regimes: seen against the closed form");
    snprintf(caption, sizeof caption, "%zu of %zu points that have a closed form agree with it: %.2f %%. %zu points "
             "have none.", agree, known, 100 * (double)agree / (double)known, axes->points - known);
    return view_capture_page_table(p->f, "Points by regime", &t, 1, err) &&
           view_sweep_page_figure_end(p, s, caption, &data, err);
}

/* The sweep with whose points those of this one are drawn: the first with the same axes. */
static const struct view_sweep_page_sweep *leader(const struct view_sweep_page *p,
                                                  const struct view_sweep_page_sweep *s)
{
    const struct view_sweep_page_sweep *first = p->sweep;
    while (first != s && (strcmp(first->axes, s->axes) != 0 || !json_object_get(first->fit, "regimes")))
        first++;
    return first;
}

bool page_regimes(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const json_t *part,
                  struct error *err)
{
    const struct view_sweep_page_sweep *first = leader(p, s);
    struct view_sweep_page_axes axes;
    json_t *all = json_array();
    (void)part;
    if (first != s) {
        fprintf(p->f, "<p>Its regimes are drawn <a href=\"#sweep%td\">together with those above</a>, which have the "
                "same axes.</p>\n", first - p->sweep + 1);
        json_decref(all);
        return true;
    }
    for (size_t i = 0; i < p->n; i++) {
        const json_t *points = json_object_get(json_object_get(p->sweep[i].fit, "regimes"), "points");
        if (!points || strcmp(p->sweep[i].axes, s->axes) != 0)
            continue;
        json_array_extend(all, (json_t *)points);
        if (&p->sweep[i] != s) {
            fprintf(p->f, "<p>Its regimes are drawn together with those of <a href=\"#sweep%zu\">", i + 1);
            view_capture_page_say(p->f, "%s.db", p->sweep[i].name);
            fputs("</a>, which has the same axes: its commands, too, make the figures again.</p>\n", p->f);
        }
    }
    bool ok = view_sweep_page_axes_make(&axes, all, err), spread = false;
    for (size_t i = 0; ok && i < axes.points; i++)
        spread = spread || isfinite(spread_of(axes.point[i]));
    ok = ok && show_counts(p, s, &axes, err) && show_maps(p, s, &axes, false, err) &&
         (!spread || show_maps(p, s, &axes, true, err));
    view_sweep_page_axes_free(&axes);
    json_decref(all);
    return ok;
}
