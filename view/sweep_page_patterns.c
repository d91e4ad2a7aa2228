/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fig. 6 and 7: histograms of how far off the models' completion times are for patterns of messages. */
#include "view/sweep_page_patterns.h"

#include "view/capture_page_parts.h"
#include "view/svg.h"
#include "sweep/read.h"
#include "study/zhu2014.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PANELS 3      /* histograms in a row */
#define BINS 64       /* of a histogram, at most */
#define NEAR 0.1      /* the paper counts links within */
#define PANEL_WIDTH 320
#define PANEL_HEIGHT 134

/* Cells whose histograms are one: the same d, message size and window; or one cell that is no random pattern. */
struct column {
    int d;
    double bytes, window;
    const json_t *first; /* borrowed; a cell */
    size_t links;
};

size_t view_sweep_page_models(const json_t *cells, const char *name[static VIEW_SWEEP_PAGE_MODELS])
{
    size_t n = 2, i;
    const json_t *model;
    name[0] = "algorithm1";
    name[1] = "fairness";
    json_array_foreach(json_object_get(json_array_get(cells, 0), "models"), i, model) {
        const char *other = json_string_value(json_object_get(model, "model"));
        if (other && n < VIEW_SWEEP_PAGE_MODELS && strcmp(other, name[0]) != 0 && strcmp(other, name[1]) != 0)
            name[n++] = other;
    }
    return n;
}

static const char *model_says(const char *name)
{
    return strcmp(name, "algorithm1") == 0 ? "algorithm1 (proposed)" : name;
}

const json_t *view_sweep_page_model(const json_t *cell, const char *name)
{
    const json_t *model;
    size_t i;
    json_array_foreach(json_object_get(cell, "models"), i, model)
        if (strcmp(json_string_value(json_object_get(model, "model")), name) == 0)
            return model;
    return NULL;
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool in_column(const struct column *c, const json_t *cell)
{
    int d = (int)view_json_number(cell, "d");
    return c->first == cell || (d > 0 && d == c->d && same(c->bytes, view_json_number(cell, "message_bytes")) &&
                                same(c->window, view_json_number(cell, "window_bytes")));
}

static int by_column(const void *a, const void *b)
{
    const struct column *x = a, *y = b;
    double order = x->bytes != y->bytes ? x->bytes - y->bytes : x->window != y->window ? x->window - y->window
                                                                                       : x->d - y->d;
    return (order > 0) - (order < 0);
}

static struct column *columns_make(const json_t *cells, size_t *n)
{
    struct column *column = calloc(json_array_size(cells) + 1, sizeof *column);
    const json_t *cell;
    size_t i, k;
    *n = 0;
    json_array_foreach(cells, i, cell) {
        for (k = 0; column && k < *n && !in_column(&column[k], cell); k++)
            ;
        if (!column)
            break;
        if (k == *n)
            column[(*n)++] = (struct column){(int)view_json_number(cell, "d"), view_json_number(cell, "message_bytes"),
                                             view_json_number(cell, "window_bytes"), cell, 0};
        column[k].links += (size_t)view_json_number(cell, "links");
    }
    if (column)
        qsort(column, *n, sizeof *column, by_column);
    return column;
}

static void column_name(const struct column *c, char text[static 96])
{
    char *axes = sweep_axes_label(json_object_get(c->first, "axes"));
    if (c->d > 0)
        snprintf(text, 96, "d = %d, messages of %g MB, windows of %g kB", c->d, c->bytes / 1e6, c->window / 1e3);
    else
        snprintf(text, 96, "%s", axes && axes[0] ? axes : "all");
    free(axes);
}

/* The histogram of a model over a column's cells, as counts. */
struct histogram {
    double from, step, count[BINS], links, near;
    size_t n;
};

static struct histogram histogram_of(const json_t *cells, const struct column *c, const char *name)
{
    struct histogram h = {0};
    const json_t *cell, *value;
    size_t i, k;
    json_array_foreach(cells, i, cell) {
        const json_t *model = in_column(c, cell) ? view_sweep_page_model(cell, name) : NULL;
        const json_t *given = model ? json_object_get(model, "histogram") : NULL;
        if (!given)
            continue;
        double links = 0;
        h.from = view_json_number(given, "from");
        h.step = view_json_number(given, "step");
        json_array_foreach(json_object_get(given, "counts"), k, value)
            if (k < BINS) {
                h.count[k] += (double)json_integer_value(value);
                links += (double)json_integer_value(value);
                h.n = k + 1;
            }
        h.links += links;
        h.near += links * view_json_number(model, "within_10_percent");
    }
    return h;
}

static void draw_panel(FILE *f, const struct histogram *h, double left, double top, double most, int colour)
{
    char class[8], tip[128];
    struct view_svg_frame a = {
        .x = {-100, 100, left, left + PANEL_WIDTH - 44, false},
        .y = {0, most, top + PANEL_HEIGHT - 34, top, false}, .x_ticks = 5, .y_ticks = 3,
    };
    double near = view_svg_place(&a.x, -100 * NEAR), beyond = view_svg_place(&a.x, 100 * NEAR);
    fprintf(f, "<rect class=\"near\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", near, top,
            beyond - near, PANEL_HEIGHT - 34.0);
    view_svg_axes(f, &a);
    snprintf(class, sizeof class, "k%d", colour);
    for (size_t i = 0; i < h->n; i++) {
        double from = 100 * (h->from + h->step * (double)i), to = from + 100 * h->step;
        if (h->count[i] == 0)
            continue;
        snprintf(tip, sizeof tip, "errors from %+.0f to %+.0f %%: %.0f links, %.1f %%", from, to, h->count[i],
                 100 * h->count[i] / h->links);
        view_svg_bar(f, &a, class, from, to, 100 * h->count[i] / h->links, tip);
    }
    snprintf(tip, sizeof tip, "%.1f %%", 100 * h->near / h->links);
    view_svg_text(f, left + PANEL_WIDTH - 46, top + 12, "end name", h->links > 0 ? tip : "-");
    view_svg_text(f, left + PANEL_WIDTH - 46, top + 26, "end small", "within 10 %");
}

static void histogram_rows(struct view_table *t, const struct histogram *h, const char *column, const char *model)
{
    for (size_t i = 0; i < h->n; i++) {
        view_table_add(t, "%s", column);
        view_table_add(t, "%s", model);
        view_sweep_page_number(t, h->from + h->step * (double)i);
        view_sweep_page_number(t, h->from + h->step * (double)(i + 1));
        view_sweep_page_number(t, h->count[i]);
        view_sweep_page_number(t, h->count[i] / h->links);
    }
}

/* Over a column of panels, in two lines. */
static void draw_title(FILE *f, const struct column *c, const char *name, double middle)
{
    char first[96], second[96] = "";
    if (c->d > 0) {
        snprintf(first, sizeof first, "d = %d", c->d);
        snprintf(second, sizeof second, "%g MB, windows %g kB, %zu links", c->bytes / 1e6, c->window / 1e3, c->links);
    } else {
        size_t at = strlen(name) / 2; /* "a=1 b=2": at the first gap from the middle on */
        at += strcspn(name + at, " ");
        snprintf(first, sizeof first, "%.*s", (int)at, name);
        if (name[at])
            snprintf(second, sizeof second, "%s", name + at + 1);
    }
    view_svg_text(f, middle, 14, c->d > 0 ? "mid name" : "mid small", first);
    view_svg_text(f, middle, 29, "mid small", second);
}

/* Up to PANELS columns beside each other, a row a model. */
static bool draw_histograms(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const json_t *cells,
                            const char *setting, const struct column *c, size_t n, struct error *err)
{
    static const char *const head[] = {"patterns", "model", "error_from", "error_to", "links", "share"};
    const char *model[VIEW_SWEEP_PAGE_MODELS];
    size_t models = view_sweep_page_models(cells, model), pitch = PANEL_HEIGHT + 26;
    struct view_table data;
    double most[VIEW_SWEEP_PAGE_MODELS] = {0}; /* of a row */
    char name[96];
    for (size_t i = 0; i < n * models; i++) {
        struct histogram h = histogram_of(cells, &c[i / models], model[i % models]);
        for (size_t k = 0; k < h.n; k++)
            most[i % models] = fmax(most[i % models], h.links > 0 ? 100 * h.count[k] / h.links : 1);
    }
    view_table_start(&data, head, sizeof head / sizeof *head);
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "Fig. 6 and 7: errors of predicted completion times%s",
                c->d > 0 ? setting : ", by pattern");
    view_sweep_page_drawing(p, 1, 56 + PANEL_WIDTH * (int)n, 44 + (int)(pitch * models),
                            "Histograms of the errors of predicted "
                            "completion times",
                            "A row of panels a model, a column for each kind of patterns; shares of links in "
                            "%, by signed error in %. The band marks errors up to 10 %.");
    for (size_t i = 0; i < n; i++) {
        column_name(&c[i], name);
        double left = 44 + PANEL_WIDTH * (double)i, middle = left + (PANEL_WIDTH - 44) / 2.0;
        draw_title(p->f, &c[i], name, middle);
        for (size_t m = 0; m < models; m++) {
            struct histogram h = histogram_of(cells, &c[i], model[m]);
            double top = 60 + (double)(pitch * m);
            view_svg_text(p->f, left, top - 6, "name", model_says(model[m]));
            draw_panel(p->f, &h, left, top, most[m] * 1.05, (int)(m % 7));
            histogram_rows(&data, &h, name, model[m]);
        }
        view_svg_text(p->f, middle, 60 + (double)(pitch * models) - 26 - 34 + 36, "mid", "error, %");
    }
    view_svg_text_up(p->f, 12, 60 + (double)(pitch * models) / 2 - 30, "mid", "links, %");
    view_svg_end(p->f);
    return view_sweep_page_figure_end(
        p, s,
        "As the rows of Fig. 6 (main testbed) and Fig. 7 (Grid5000) of Zhu et al. 2014: the "
        "proposed model, then fairness alone; more models below. Error: predicted / simulated "
        "completion time - 1, of each link; bars are shares of links, on a scale for each row, and "
        "the outermost hold what lies beyond; the band is what the paper counts, |error| up to 10 "
        "%. The paper's own histograms are not published as numbers: its shares within 10 % stand "
        "in the table below.",
        &data, err);
}

static bool show_near(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const json_t *cells,
                      const char *setting, const struct column *c, size_t n, struct error *err)
{
    static const char *const head[] = {"d", "MB", "window kB", "algorithm1, simulated", "measured, main",
                                       "measured, Grid5000", "fairness, simulated", "measured, main",
                                       "measured, Grid5000"};
    static const char *const names[] = {"d", "message_bytes", "window_bytes", "simulated_algorithm1",
                                        "measured_main_algorithm1", "measured_grid5000_algorithm1",
                                        "simulated_fairness", "measured_main_fairness", "measured_grid5000_fairness"};
    struct view_table t, data;
    bool any = false;
    view_table_start(&t, head, sizeof head / sizeof *head);
    view_table_start(&data, names, sizeof names / sizeof *names);
    for (size_t i = 0; i < n; i++) {
        if (c[i].d < 1 || c[i].d > 3)
            continue;
        any = true;
        const struct study_zhu2014_within10 *z = &study_zhu2014_within10[c[i].d - 1];
        struct histogram h = histogram_of(cells, &c[i], "algorithm1"), fair = histogram_of(cells, &c[i], "fairness");
        const double value[] = {h.near / h.links, z->err / 100, z->g5k_err / 100, fair.near / fair.links, z->fair / 100,
                                z->g5k_fair / 100};
        view_table_add(&t, "%d", c[i].d);
        view_table_add_number(&t, c[i].bytes, 1e6);
        view_table_add_number(&t, c[i].window, 1e3);
        view_sweep_page_number(&data, c[i].d);
        view_sweep_page_number(&data, c[i].bytes);
        view_sweep_page_number(&data, c[i].window);
        for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
            view_table_add_share(&t, value[k]);
            view_sweep_page_number(&data, value[k]);
        }
    }
    if (!any) {
        view_table_fini(&t);
        view_table_fini(&data);
        return true;
    }
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_BESIDE_MEASURED, "Links within 10 %%%s", setting);
    return view_capture_page_table(p->f, "Links with |error| up to 10 %, in %; measured: Zhu et al. 2014, section 7.2",
                                   &t, 0, err) &&
           view_sweep_page_figure_end(
               p, s,
               "'Measured' are the shares that the paper's text gives for Fig. 6 (main testbed) and "
               "Fig. 7 (Grid5000).",
               &data, err);
}

char *view_sweep_page_setting(const json_t *cell)
{
    static const char *const shown[] = {"network.hosts", "network.racks", "traffic.random.d"};
    json_t *axes = json_copy(json_object_get(cell, "axes"));
    if (!(view_json_number(cell, "d") > 0)) /* stands for itself */
        json_object_clear(axes);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        json_object_del(axes, shown[i]);
    char *text = sweep_axes_label(axes);
    json_decref(axes);
    return text;
}

static bool show_setting(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const json_t *cells,
                         const char *setting, struct error *err)
{
    char which[160];
    size_t n;
    struct column *column = columns_make(cells, &n);
    bool ok = column || error_set(err, ERROR_SYSTEM, "out of memory");
    snprintf(which, sizeof which, "%s%s", *setting ? "; " : "", setting);
    for (size_t i = 0; ok && i < n; i += PANELS)
        ok = draw_histograms(p, s, cells, which, column + i, n - i < PANELS ? n - i : PANELS, err);
    ok = ok && show_near(p, s, cells, which, column, n, err) && view_sweep_page_table2(p, s, cells, which, err);
    free(column);
    return ok;
}

bool page_patterns(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const json_t *part,
                   struct error *err)
{
    const json_t *cells = json_object_get(part, "cells"), *cell;
    json_t *settings = json_object(), *of; /* cells by their setting */
    const char *setting;
    size_t i;
    bool ok = true;
    json_array_foreach(cells, i, cell) {
        char *text = view_sweep_page_setting(cell);
        if (text && !json_object_get(settings, text))
            json_object_set_new(settings, text, json_array());
        ok = ok && text && json_array_append(json_object_get(settings, text), (json_t *)cell) == 0;
        free(text);
    }
    if (!ok)
        error_set(err, ERROR_SYSTEM, "out of memory");
    json_object_foreach(settings, setting, of)
        ok = ok && show_setting(p, s, of, setting, err);
    json_decref(settings);
    return ok && view_sweep_page_errors(p, s, cells, err);
}
