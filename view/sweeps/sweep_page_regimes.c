/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regime maps: two axes of a sweep as a map of cells, a map for each combination of the others. */
#include "base/text.h"
#include "study/fit/fit_regimes.h"
#include "view/sweeps/sweep_page.h"
#include "view/sweeps/sweep_page_axes.h"
#include "view/text.h"
#include "view/svg.h"

#define CELL 34        /* pixels */
#define SHADES 4
#define OBSERVED_TEXT 160
#define WIDEST_SPREAD 0.4 /* sd / mean of the darkest shade */

static const char *regime_name(int regime)
{
    return model_regime_name((enum model_regime)regime);
}

/* Points of all sweeps with the same axes. */
struct points {
    const struct study_fit_regimes_point **point; /* owned; borrowed points */
    json_t **axes;                                /* owned; theirs, borrowed */
    size_t n;
    struct view_sweep_page_axes grid;
};

/* sd / mean of a flow's rate over the seeds, of the direction that has more; NAN with fewer than two. */
static double spread_of(const struct study_fit_regimes_point *p)
{
    const struct estimate_running *in = &p->rate[0].rate_bps, *out = &p->rate[1].rate_bps;
    if (p->runs < 2)
        return (double)NAN;
    return fmax(estimate_deviation(in) / in->mean, estimate_deviation(out) / out->mean);
}

/* "{"loss":2}": how many seeds show what. */
static const char *observed_of(const struct study_fit_regimes_point *p, char text[static OBSERVED_TEXT])
{
    text[0] = '\0';
    for (int i = 0; i < MODEL_REGIMES; i++)
        if (p->observed[i] > 0)
            text_add(text, OBSERVED_TEXT, "%c\"%s\":%" PRId64, *text ? ',' : '{', regime_name(i), p->observed[i]);
    text_add(text, OBSERVED_TEXT, *text ? "}" : "{}");
    return text;
}

/* What one map shows: points of the grid at these values of the other axes. */
struct map {
    const struct points *points;
    const struct view_sweep_page_axes *axes;
    size_t at[VIEW_SWEEP_PAGE_AXES]; /* of each axis; that of x and y changes with the cell */
    bool spread;          /* shown instead of the regime */
};

static void regime_cell(void *user, size_t column, size_t row, struct view_svg_cell *cell)
{
    struct map *v = user;
    v->at[v->axes->y] = row;
    v->at[v->axes->x] = column; /* last: with one axis of numbers, it is y as well */
    size_t index = view_sweep_page_axes_point(v->axes, v->at);
    if (index == SIZE_MAX)
        return;
    const struct study_fit_regimes_point *p = v->points->point[index];
    enum model_regime most = study_fit_regimes_most(p), predicted = p->predicted.regime;
    double spread = spread_of(p);
    char observed[OBSERVED_TEXT], text[2][VIEW_TEXT_QUANTITY];
    snprintf(cell->tip, sizeof cell->tip, "seen %s in %" PRId64 " runs, closed form %s; a flow in %s, out %s",
             observed_of(p, observed), p->runs, model_regime_name(predicted),
             view_text_quantity(p->rate[0].rate_bps.mean, "b/s", text[0]),
             view_text_quantity(p->rate[1].rate_bps.mean, "b/s", text[1]));
    cell->edge = predicted == MODEL_REGIME_UNKNOWN ? -1 : (int)predicted;
    if (!v->spread) {
        bool split = p->observed[most] < p->runs, off = predicted != most; /* unknown: "?" */
        snprintf(cell->class, sizeof cell->class, "c-cell-%s", model_regime_name(most));
        snprintf(cell->text, sizeof cell->text, "%s%s%s%s", model_regime_rows[most].letter, split ? "*" : "",
                 off && predicted != MODEL_REGIME_UNKNOWN ? "/" : "", off ? model_regime_rows[predicted].letter : "");
    } else if (isfinite(spread)) {
        snprintf(cell->class, sizeof cell->class, "c-q%ld", SHADES + lround(fmin(1, spread / WIDEST_SPREAD) * SHADES));
        snprintf(cell->text, sizeof cell->text, "%.0f", 100 * spread);
    }
}

static void map_draw(FILE *f, struct map *v, double left, double top)
{
    const struct view_sweep_page_axis *x = &v->axes->axis[v->axes->x], *y = &v->axes->axis[v->axes->y];
    const char *column[VIEW_SWEEP_PAGE_VALUES], *row[VIEW_SWEEP_PAGE_VALUES];
    struct view_svg_map m = {.left = left, .top = top, .width = CELL, .height = CELL, .columns = x->n, .rows = y->n,
                        .column_name = column, .row_name = row, .x_label = x->name,
                        .y_label = y == x ? NULL : y->name, .cell = regime_cell, .user = v};
    for (size_t i = 0; i < x->n; i++)
        column[i] = x->text[i];
    for (size_t i = 0; i < y->n; i++)
        row[i] = y == x ? "" : y->text[i];
    m.rows = y == x ? 1 : m.rows;
    view_svg_map(f, &m);
}

/* The other axes' values of a map, in lines above it. */
static void map_title(FILE *f, const struct map *v, double left, double top)
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

static size_t map_titles(const struct view_sweep_page_axes *axes)
{
    size_t n = 0;
    for (size_t i = 0; i < axes->n; i++)
        n += i != axes->x && i != axes->y && axes->axis[i].n > 1;
    return n;
}

/* Is there a point at these values of the other axes? */
static bool map_any(struct map *v)
{
    for (size_t column = 0; column < v->axes->axis[v->axes->x].n; column++)
        for (size_t row = 0; row < v->axes->axis[v->axes->y].n; row++) {
            struct view_svg_cell cell = {0};
            regime_cell(v, column, row, &cell);
            if (cell.class[0])
                return true;
        }
    return false;
}

/* The next combination of the other axes, the last one fastest; false after the last. */
static bool map_next(struct map *v)
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

static void map_legend(FILE *f, bool spread)
{
    char class[32], text[32];
    fputs("<p>", f);
    for (int i = 0; !spread && i < MODEL_REGIME_UNKNOWN; i++) {
        snprintf(class, sizeof class, "c-cell-%s", regime_name(i));
        view_svg_key_cell(f, class, model_regime_rows[i].letter, model_regime_rows[i].meaning);
    }
    for (int i = 0; spread && i <= SHADES; i++) {
        snprintf(class, sizeof class, "c-q%d", SHADES + i);
        snprintf(text, sizeof text, "%.0f %%%s", 100 * WIDEST_SPREAD * i / SHADES, i == SHADES ? " and more" : "");
        view_svg_key_cell(f, class, NULL, text);
    }
    view_svg_key_line(f, "bound", "boundary of the closed form");
    fputs("</p>\n", f);
}

static void points_data(struct view_table *t, const struct points *p)
{
    static const char *const rates[] = {"mean", "sd", "min", "max", "jain"};
    char text[OBSERVED_TEXT];
    *t = view_table_with(p->grid.n + 9 + 10);
    for (size_t i = 0; i < p->grid.n; i++)
        view_table_add(t, "%s", p->grid.axis[i].key);
    view_table_add(t, "most|predicted|observed|in|out|runs|margin_bytes|rate_error|retransmitted_segments");
    for (size_t i = 0; i < 10; i++)
        view_table_add(t, "%s_bps_%s", i < 5 ? "in" : "out", rates[i % 5]);
    for (size_t k = 0; k < p->n; k++) {
        const struct study_fit_regimes_point *point = p->point[k];
        for (size_t i = 0; i < p->grid.n; i++)
            view_table_add(t, "%s", view_sweep_page_axes_text(json_object_get(point->axes, p->grid.axis[i].key), text));
        view_table_add(t, "%s|%s|%s|%d|%d|%" PRId64, model_regime_name(study_fit_regimes_most(point)),
                       model_regime_name(point->predicted.regime), observed_of(point, text), point->incoming,
                       point->outgoing, point->runs);
        VIEW_SWEEP_PAGE_NUMBERS(t, point->predicted.margin_bytes, point->rate_error, point->retransmitted);
        for (int way = 0; way < STUDY_FIT_REGIMES_CLASSES; way++) {
            const struct study_fit_regimes_spread *s = &point->rate[way];
            VIEW_SWEEP_PAGE_NUMBERS(t, s->rate_bps.mean, estimate_deviation(&s->rate_bps), s->min_bps, s->max_bps,
                                    s->jain / (double)point->runs);
        }
    }
}

static const char regimes_caption[] =
    "Each cell is a point of the sweep, with the regime that most of its seeds show. Lines: boundaries between regimes "
    "by the closed form. A letter alone: the closed form has the same regime; L/E: L is seen, the closed form has E; "
    "N?: N is seen, there is no closed form; *: seeds differ. Empty: not in the sweep, or not done.";
static const char spread_caption[] =
    "Standard deviation of a flow's rate over its mean, in %, over all seeds and flows of a direction, of the "
    "direction where it is larger. Cells with one seed are empty.";

static void show_maps(struct view_sweep_page *p, const struct points *points, bool spread)
{
    const struct view_sweep_page_axes *axes = &points->grid;
    struct map v = {.points = points, .axes = axes, .spread = spread};
    const struct view_sweep_page_axis *x = &axes->axis[axes->x], *y = &axes->axis[axes->y];
    size_t rows = axes->y == axes->x ? 1 : y->n, left = 62, top = 14 * map_titles(axes) + 10;
    size_t width = left + CELL * x->n + 14, height = top + CELL * rows + VIEW_SVG_MAP_BELOW + 10;
    struct view_table data;
    int n = 0;
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "%s: %s%s%s",
                           spread ? "Spread of rates over seeds" : "Regimes", x->name, y == x ? "" : " against ",
                           y == x ? "" : y->name);
    map_legend(p->f, spread);
    fputs("<div class=\"drawings\">\n", p->f);
    do {
        if (!map_any(&v))
            continue;
        view_sweep_page_drawing(p, ++n, (int)(width > 210 ? width : 210), (int)height,
                                spread ? "Map of spreads" : "Map of regimes",
                                "A cell for each pair of values of two axes; the text above names those of the others. "
                                "All values are in the data below.");
        map_title(p->f, &v, (double)left, (double)top - 8);
        map_draw(p->f, &v, (double)left, (double)top);
        view_svg_end(p->f);
    } while (map_next(&v));
    fputs("</div>\n", p->f);
    points_data(&data, points);
    view_sweep_page_figure_end(p, spread ? spread_caption : regimes_caption, &data);
}

/* What was seen against what the closed form has. */
static void show_counts(struct view_sweep_page *p, const struct points *points)
{
    size_t count[MODEL_REGIMES][MODEL_REGIMES] = {0}, known = 0, agree = 0;
    struct view_table t[2]; /* to be seen, and the data */
    char caption[256];
    for (size_t i = 0; i < points->n; i++) {
        enum model_regime predicted = points->point[i]->predicted.regime;
        enum model_regime most = study_fit_regimes_most(points->point[i]);
        count[predicted][most]++;
        known += predicted != MODEL_REGIME_UNKNOWN;
        agree += predicted == most && predicted != MODEL_REGIME_UNKNOWN;
    }
    for (int data = 0; data < 2; data++) {
        t[data] = view_table_with(MODEL_REGIMES);
        view_table_add(&t[data], data ? "predicted" : "closed form");
        for (int i = 0; i < MODEL_REGIME_UNKNOWN; i++)
            view_table_add(&t[data], "%s%s", data ? "" : "seen ", regime_name(i));
        for (int i = 0; i < MODEL_REGIMES; i++) {
            view_table_add(&t[data], "%s", regime_name(i));
            for (int k = 0; k < MODEL_REGIME_UNKNOWN; k++)
                view_table_add(&t[data], "%zu", count[i][k]);
        }
    }
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "Regimes: seen against the closed form");
    snprintf(caption, sizeof caption, "%zu of %zu points that have a closed form agree with it: %.2f %%. %zu points "
             "have none.", agree, known, 100 * (double)agree / (double)known, points->n - known);
    view_table_html(p->f, "Points by regime", &t[0], 1);
    view_sweep_page_figure_end(p, caption, &t[1]);
}

/* Does it have regimes over the same axes as the sweep being shown? */
static bool belongs(const struct view_sweep_page *p, const struct view_sweep_page_sweep *s)
{
    return strcmp(s->axes, p->at->axes) == 0 && study_fit_read_has(&s->fit, STUDY_FIT_REGIMES);
}

static void add_points(struct points *all, const struct study_fit_regimes *r)
{
    size_t n = all->n + r->n;
    all->point = memory_resized(all->point, n, sizeof *all->point, "points of regimes");
    all->axes = memory_resized(all->axes, n, sizeof *all->axes, "points of regimes");
    for (size_t i = 0; i < r->n; i++) {
        all->axes[all->n] = r->point[i].axes;
        all->point[all->n++] = &r->point[i];
    }
}

bool view_sweep_page_regimes(struct view_sweep_page *p, struct error *err)
{
    const struct view_sweep_page_sweep *s = p->sweep;
    struct points points = {.n = 0};
    bool spread = false;
    while (!belongs(p, s))
        s++;
    if (s != p->at) {
        fprintf(p->f, "<p>Its regimes are drawn <a href=\"#sweep%td\">together with those above</a>, which have the "
                "same axes.</p>\n", s - p->sweep + 1);
        return true;
    }
    for (; s < p->sweep + p->n; s++) {
        if (!belongs(p, s))
            continue;
        add_points(&points, s->fit.state[STUDY_FIT_REGIMES]);
        if (s != p->at) {
            fprintf(p->f, "<p>Its regimes are drawn together with those of <a href=\"#sweep%td\">", s - p->sweep + 1);
            view_text_markup(p->f, "%s.db</a>, which has the same axes: its commands, too, make the figures "
                             "again.</p>\n", s->name);
        }
    }
    bool ok = view_sweep_page_axes_make(&points.grid, points.axes, points.n, err);
    for (size_t i = 0; ok && i < points.n; i++)
        spread = spread || isfinite(spread_of(points.point[i]));
    if (ok) {
        show_counts(p, &points);
        show_maps(p, &points, false);
    }
    if (ok && spread)
        show_maps(p, &points, true);
    view_sweep_page_axes_free(&points.grid);
    MEMORY_FREE(points.point, points.axes);
    return ok;
}
