/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fig. 6 and 7: histograms of how far off the models' completion times are for patterns of messages. */
#include "base/order.h"
#include "study/fit/zhu2014.h"
#include "view/sweeps/sweep_page_table2.h"
#include "view/svg.h"

#define PANELS 3      /* histograms in a row */
#define PANEL_WIDTH 320
#define PANEL_HEIGHT 134
#define BINS STUDY_FIT_PATTERNS_BINS
#define NEAR 10 /* %; the paper counts links within */

/* Cells of one setting whose histograms are one: the same d, whatever the number of hosts; or one cell that is no
 * random pattern. */
struct column {
    const struct study_fit_patterns_cell *first; /* borrowed */
    size_t links;
};

/* A model has the colour of the rule that it extends. */
static const char *model_class(const char *name)
{
    static const char *const class[][2] = {
        {"algorithm1", "c-eq6"}, {"fairness", "c-eq5"}, {"window", "c-window"}, {"fluid", "c-c4"}};
    for (size_t i = 0; i < sizeof class / sizeof *class; i++)
        if (strcmp(name, class[i][0]) == 0)
            return class[i][1];
    return "c-none";
}

static bool in_column(const struct column *c, const struct study_fit_patterns_cell *cell)
{
    return c->first == cell || (cell->d > 0 && cell->d == c->first->d);
}

static ORDER_OF(by_column, struct column, 2 * ORDER(first->d) + ORDER(first))

/* For free(). */
static struct column *columns_make(const struct view_sweep_page_cells *cells, size_t *n)
{
    struct column *column = memory_zeroed(cells->n, sizeof *column, "columns of histograms");
    size_t k;
    *n = 0;
    for (size_t i = 0; i < cells->n; i++) {
        for (k = 0; k < *n && !in_column(&column[k], cells->cell[i]); k++)
            ;
        if (k == *n)
            column[(*n)++].first = cells->cell[i];
        column[k].links += cells->cell[i]->n;
    }
    qsort(column, *n, sizeof *column, by_column);
    return column;
}

static void column_name(const struct column *c, char text[static 96])
{
    json_auto_t *json = json_loads(c->first->axes, 0, NULL);
    MEMORY_LOCAL char *axes = c->first->d > 0 ? NULL : sweep_axes_label(json);
    if (c->first->d > 0)
        snprintf(text, 96, "d = %d, messages of %g MB, windows of %g kB", c->first->d, c->first->bytes / 1e6,
                 c->first->window_bytes / 1e3);
    else
        snprintf(text, 96, "%s", axes && axes[0] ? axes : "all");
}

/* A model's errors over a column's cells, as counts of links. */
struct histogram {
    double count[BINS], links, near;
};

static struct histogram histogram_of(const struct view_sweep_page_cells *cells, const struct column *c, size_t model)
{
    struct histogram h = {0};
    for (size_t i = 0; i < cells->n; i++) {
        const struct study_fit_patterns_errors *m = &cells->cell[i]->model[model];
        if (!in_column(c, cells->cell[i]))
            continue;
        for (int k = 0; k < BINS; k++)
            h.count[k] += (double)m->histogram[k];
        h.links += (double)m->all.links;
        h.near += (double)m->near;
    }
    return h;
}

static double bin_from(int i)
{
    return STUDY_FIT_PATTERNS_BIN * i - 1;
}

static void draw_panel(FILE *f, const struct histogram *h, double left, double top, double most, const char *class)
{
    char tip[128];
    struct view_svg_frame a = {
        .x = {-100, 100, left, left + PANEL_WIDTH - 44, false},
        .y = {0, most, top + PANEL_HEIGHT - 34, top, false}, .x_ticks = 5, .y_ticks = 3,
    };
    double near = view_svg_place(&a.x, -NEAR), beyond = view_svg_place(&a.x, NEAR);
    fprintf(f, "<rect class=\"near\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", near, top,
            beyond - near, PANEL_HEIGHT - 34.0);
    view_svg_axes(f, &a);
    for (int i = 0; i < BINS; i++) {
        double from = 100 * bin_from(i), to = 100 * bin_from(i + 1);
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
    for (int i = 0; i < BINS; i++) {
        view_table_add(t, "%s|%s", column, model);
        VIEW_SWEEP_PAGE_NUMBERS(t, bin_from(i), bin_from(i + 1), h->count[i], h->count[i] / h->links);
    }
}

/* Over a column of panels, in two lines. */
static void draw_title(FILE *f, const struct column *c, const char *name, double middle)
{
    char first[96], second[96] = "";
    bool random = c->first->d > 0;
    if (random) {
        snprintf(first, sizeof first, "d = %d", c->first->d);
        snprintf(second, sizeof second, "%g MB, windows %g kB, %zu links", c->first->bytes / 1e6,
                 c->first->window_bytes / 1e3, c->links);
    } else {
        size_t at = strlen(name) / 2; /* "a=1 b=2": at the first gap from the middle on */
        at += strcspn(name + at, " ");
        snprintf(first, sizeof first, "%.*s", (int)at, name);
        if (name[at])
            snprintf(second, sizeof second, "%s", name + at + 1);
    }
    view_svg_text(f, middle, 14, random ? "mid name" : "mid small", first);
    view_svg_text(f, middle, 29, "mid small", second);
}

/* Up to PANELS columns beside each other, a row a model; all panels have one scale. */
static void draw_histograms(struct view_sweep_page *p, const struct view_sweep_page_cells *cells, const char *setting,
                            const struct column *c, size_t n)
{
    size_t models = cells->fit->n_models, pitch = PANEL_HEIGHT + 26;
    double most = 1;
    char name[96];
    struct view_table data = view_table_of("patterns|model|error_from|error_to|links|share");
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "Fig. 6 and 7: errors of predicted completion times%s",
                           c->first->d > 0 ? setting : ", by pattern");
    view_sweep_page_drawing(p, 1, 56 + PANEL_WIDTH * (int)n, 44 + (int)(pitch * models),
                            "Histograms of the errors of predicted completion times",
                            "A row of panels a model, a column for each kind of patterns; shares of links in %, by "
                            "signed error in %. The band marks errors up to 10 %.");
    for (size_t i = 0; i < n * models; i++) {
        struct histogram h = histogram_of(cells, &c[i / models], i % models);
        for (size_t k = 0; k < BINS && h.links > 0; k++)
            most = fmax(most, 100 * h.count[k] / h.links);
    }
    for (size_t m = 0; m < models; m++)
        for (size_t i = 0; i < n; i++) {
            const char *model = cells->fit->model[cells->order[m]]->name;
            double left = 44 + PANEL_WIDTH * (double)i, top = 60 + (double)(pitch * m);
            struct histogram h = histogram_of(cells, &c[i], cells->order[m]);
            column_name(&c[i], name);
            view_svg_text(p->f, left, top - 6, "name", m == 0 ? "algorithm1 (proposed)" : model);
            draw_panel(p->f, &h, left, top, most * 1.05, model_class(model));
            histogram_rows(&data, &h, name, model);
        }
    for (size_t i = 0; i < n; i++) {
        double middle = 44 + PANEL_WIDTH * (double)i + (PANEL_WIDTH - 44) / 2.0;
        column_name(&c[i], name);
        draw_title(p->f, &c[i], name, middle);
        view_svg_text(p->f, middle, 36 + (double)(pitch * models), "mid", "error, %");
    }
    view_svg_text_up(p->f, 12, 30 + (double)(pitch * models) / 2, "mid", "links, %");
    view_svg_end(p->f);
    view_sweep_page_figure_end(
        p, "As the rows of Fig. 6 (main testbed) and Fig. 7 (Grid5000) of Zhu et al. 2014: the proposed model, then "
        "fairness alone; more models below. Error: predicted / simulated completion time - 1, of each link. Bars are "
        "shares of links, on one scale, and the outermost hold what lies beyond; the band is what the paper "
        "counts, |error| up to 10 %. The paper's own histograms are not published as numbers: its shares within 10 % "
        "are in the table below.", &data);
}

static void show_near(struct view_sweep_page *p, const struct view_sweep_page_cells *cells, const char *setting,
                      const struct column *c, size_t n)
{
    struct view_table t = view_table_of(
        "d|MB|window kB|algorithm1, simulated|measured, main|measured, Grid5000|fairness, simulated|"
        "measured, main|measured, Grid5000");
    struct view_table data = view_table_of("d|message_bytes|window_bytes|simulated_algorithm1|measured_main_algorithm1|"
                                           "measured_grid5000_algorithm1|simulated_fairness|measured_main_fairness|"
                                           "measured_grid5000_fairness");
    for (size_t i = 0; i < n; i++) {
        const struct study_fit_patterns_cell *cell = c[i].first;
        if (cell->d < 1 || cell->d > 3)
            continue;
        const struct study_zhu2014_within10 *z = &study_zhu2014_within10[cell->d - 1];
        struct histogram h = histogram_of(cells, &c[i], cells->order[0]);
        struct histogram fair = histogram_of(cells, &c[i], cells->order[1]);
        const double value[] = {h.near / h.links, z->err / 100, z->g5k_err / 100, fair.near / fair.links, z->fair / 100,
                                z->g5k_fair / 100};
        view_table_add(&t, "%d|%f|%f", cell->d, cell->bytes / 1e6, cell->window_bytes / 1e3);
        VIEW_SWEEP_PAGE_NUMBERS(&data, cell->d, cell->bytes, cell->window_bytes);
        view_sweep_page_numbers(&data, value, sizeof value / sizeof *value);
        for (size_t k = 0; k < sizeof value / sizeof *value; k++)
            view_table_add(&t, "%.2f", 100 * value[k]);
    }
    if (t.n == t.columns) {
        view_table_fini(&t);
        view_table_fini(&data);
        return;
    }
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_BESIDE_MEASURED, "Links within 10 %%%s", setting);
    view_table_html(p->f, "Links with |error| up to 10 %, in %; measured: Zhu et al. 2014, section 7.2", &t, 0);
    view_sweep_page_figure_end(p, "'Measured' are the shares that the paper's text gives for Fig. 6 (main testbed) and "
                               "Fig. 7 (Grid5000).", &data);
}

/* For free(). */
static char *setting_of(const struct study_fit_patterns_cell *c)
{
    static const char *const shown[] = {"network.hosts", "network.racks", "traffic.random.d"};
    json_auto_t *axes = c->d > 0 ? json_loads(c->axes, 0, NULL) : json_object(); /* no random pattern: stands for itself */
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        json_object_del(axes, shown[i]);
    return sweep_axes_label(axes);
}

/* Cells of one setting. */
static void show_setting(struct view_sweep_page *p, const struct view_sweep_page_cells *cells)
{
    char which[160];
    size_t n;
    MEMORY_LOCAL struct column *column = columns_make(cells, &n);
    snprintf(which, sizeof which, "%s%s", cells->setting[0][0] ? "; " : "", cells->setting[0]);
    for (size_t i = 0; i < n; i += PANELS)
        draw_histograms(p, cells, which, column + i, n - i < PANELS ? n - i : PANELS);
    show_near(p, cells, which, column, n);
    view_sweep_page_table2(p, cells, which);
}

/* The models, the paper's two first. */
static void order_models(struct view_sweep_page_cells *cells)
{
    static const char *const first[] = {"algorithm1", "fairness"};
    size_t n = 0;
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < cells->fit->n_models; i++) {
            const char *name = cells->fit->model[i]->name;
            int place = strcmp(name, first[0]) == 0 ? 0 : strcmp(name, first[1]) == 0 ? 1 : 2;
            if (place == pass)
                cells->order[n++] = i;
        }
}

bool view_sweep_page_patterns(struct view_sweep_page *p, struct error *err UNUSED)
{
    const struct study_fit_patterns *fit = p->at->fit.state[STUDY_FIT_PATTERNS];
    struct view_sweep_page_cells all = {.fit = fit, .cell = memory_zeroed(fit->n, sizeof *all.cell, "cells"),
                                        .setting = memory_zeroed(fit->n, sizeof *all.setting, "cells")};
    for (size_t i = 0; i < fit->n; i++) {
        char *setting = setting_of(&fit->cells[i]);
        size_t at = all.n; /* after the last of its setting */
        while (at > 0 && strcmp(all.setting[at - 1], setting) != 0)
            at--;
        at = at > 0 ? at : all.n;
        memmove(all.cell + at + 1, all.cell + at, (all.n - at) * sizeof *all.cell);
        memmove(all.setting + at + 1, all.setting + at, (all.n - at) * sizeof *all.setting);
        all.cell[at] = &fit->cells[i];
        all.setting[at] = setting;
        all.n++;
    }
    order_models(&all);
    for (size_t i = 0; i < all.n;) {
        struct view_sweep_page_cells some = all;
        some.cell += i;
        some.setting += i;
        for (some.n = 1; i + some.n < all.n && strcmp(some.setting[some.n], some.setting[0]) == 0;)
            some.n++;
        show_setting(p, &some);
        i += some.n;
    }
    view_sweep_page_errors(p, &all);
    for (size_t i = 0; i < all.n; i++)
        free(all.setting[i]);
    MEMORY_FREE(all.setting, all.cell);
    return true;
}
