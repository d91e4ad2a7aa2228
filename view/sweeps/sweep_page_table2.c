/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Table II: mean errors, as a picture and as a table beside the paper's, then those of every model. */
#include "view/sweeps/sweep_page_table2.h"

#include "study/fit/zhu2014.h"
#include "view/svg.h"

/* A mean |error| in percent with its interval, as people read it. */
static void error_text(char text[static 48], const struct study_fit_patterns_mean *m)
{
    double mean = study_fit_patterns_mean(m), ci95 = study_fit_patterns_ci95(m);
    if (isfinite(mean) && isfinite(ci95))
        snprintf(text, 48, "%.2f +- %.2f", 100 * mean, 100 * ci95);
    else
        snprintf(text, 48, isfinite(mean) ? "%.2f" : "-", 100 * mean);
}

static double steps_of(const struct study_fit_patterns_cell *c)
{
    return (double)c->steps / (double)c->patterns;
}

static void errors_data(struct view_table *t, const struct view_sweep_page_cells *cells, size_t i)
{
    const struct study_fit_patterns_cell *c = cells->cell[i];
    for (size_t k = 0; k < cells->fit->n_models; k++) {
        const struct study_fit_patterns_errors *m = &c->model[k];
        view_table_add(t, "%s", cells->setting[i]);
        VIEW_SWEEP_PAGE_NUMBERS(t, c->nodes, c->d, c->bytes, c->window_bytes, (double)c->patterns, (double)c->n,
                                steps_of(c));
        view_table_add(t, "%s", cells->fit->model[k]->name);
        VIEW_SWEEP_PAGE_NUMBERS(t, study_fit_patterns_mean(&m->all), study_fit_patterns_ci95(&m->all),
                                m->bias / (double)m->all.links, (double)m->near / (double)m->all.links,
                                study_fit_patterns_mean(&m->both), study_fit_patterns_ci95(&m->both), m->worst);
    }
}

void view_sweep_page_errors(struct view_sweep_page *p, const struct view_sweep_page_cells *cells)
{
    char text[48];
    struct view_table t = view_table_with(8 + cells->fit->n_models);
    view_table_add(&t, "setting|nodes|d|MB|window kB|patterns|links|steps");
    for (size_t k = 0; k < cells->fit->n_models; k++)
        view_table_add(&t, "%s", cells->fit->model[cells->order[k]]->name);
    struct view_table data = view_table_of(
        "setting|nodes|d|message_bytes|window_bytes|patterns|links|steps|model|mean_abs_error|"
        "ci95|bias|within_10_percent|mean_abs_error_both_ways|ci95_both_ways|worst_error");
    for (size_t i = 0; i < cells->n; i++) {
        const struct study_fit_patterns_cell *c = cells->cell[i];
        view_table_add(&t, "%s|%d", cells->setting[i], c->nodes);
        view_table_add(&t, c->d > 0 ? "%d" : "-", c->d);
        view_table_add(&t, "%f|%f|%zu|%zu|%.1f", c->bytes / 1e6, c->window_bytes / 1e3, c->patterns, c->n, steps_of(c));
        for (size_t k = 0; k < cells->fit->n_models; k++) {
            error_text(text, &c->model[cells->order[k]].all);
            view_table_add(&t, "%s", text);
        }
        errors_data(&data, cells, i);
    }
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "Mean |error| of every model");
    view_table_html(p->f, "Mean |predicted / simulated - 1| in %, with 95 % intervals that take patterns as "
                    "independent", &t, 1);
    view_sweep_page_figure_end(p, "Steps: of Algorithm 2, a pattern. The data also have the errors' mean with its sign "
                               "(bias), the worst link's, and the share within 10 %.", &data);
}

/* A cell of ours that the paper has, too. */
struct row {
    const struct study_fit_patterns_cell *cell;
    const struct study_fit_patterns_errors *proposed, *fair;
    const struct study_zhu2014_table2 *paper;
};

/* False: the paper has none. */
static bool row_of(const struct view_sweep_page_cells *cells, size_t i, struct row *r)
{
    const struct study_fit_patterns_cell *c = cells->cell[i];
    *r = (struct row){c, study_fit_patterns_of(cells->fit, c, "algorithm1"),
                      study_fit_patterns_of(cells->fit, c, "fairness"), study_zhu2014_cell(c->nodes, c->d)};
    return r->paper;
}

/* "3.33 +- 2.29", and what the paper measured on either testbed. */
static void table2_errors(struct view_table *t, const struct study_fit_patterns_mean *ours, double main,
                          double grid5000)
{
    char text[48];
    error_text(text, ours);
    view_table_add(t, "%s|%.2f|%.2f", text, main, grid5000);
}

static void table2(struct view_sweep_page *p, const struct view_sweep_page_cells *cells)
{
    struct row r;
    struct view_table t = view_table_of("nodes|d|MB|window kB|links simulated|paper|steps simulated|paper|"
                                        "(a) algorithm1, all patterns: simulated|paper, main|paper, Grid5000|"
                                        "pi(a): simulated|paper, main|paper, Grid5000|"
                                        "(b) algorithm1, both ways: simulated|paper, main|paper, Grid5000|"
                                        "(c) fairness, both ways: simulated|paper, main|paper, Grid5000");
    for (size_t i = 0; i < cells->n; i++) {
        if (!row_of(cells, i, &r))
            continue;
        view_table_add(&t, "%d|%d|%.6g|%.6g|%zu|%d|%.1f|%.1f", r.cell->nodes, r.cell->d, r.cell->bytes / 1e6,
                       r.cell->window_bytes / 1e3, r.cell->n, r.paper->links, steps_of(r.cell), r.paper->steps);
        table2_errors(&t, &r.proposed->all, r.paper->err, r.paper->g5k_err);
        view_table_add(&t, "%.3f|%.3f|%.3f", study_fit_patterns_precision(&r.proposed->all), r.paper->precision,
                       r.paper->g5k_precision);
        table2_errors(&t, &r.proposed->both, r.paper->err_both, r.paper->g5k_err_both);
        table2_errors(&t, &r.fair->both, r.paper->fair_both, r.paper->g5k_fair_both);
    }
    view_table_html(p->f, "Table II: mean |error| of predicted completion times in %; pi: half its 95 % interval over it. "
                    "Paper: measured, Zhu et al. 2014, Table II", &t, 0);
}

static void table2_data(struct view_table *t, const struct view_sweep_page_cells *cells)
{
    struct row r;
    *t = view_table_of("nodes|d|message_bytes|window_bytes|simulated_links|simulated_steps|simulated_algorithm1|"
                       "simulated_algorithm1_both_ways|simulated_fairness_both_ways|measured_links|measured_steps|"
                       "measured_main_algorithm1|measured_main_algorithm1_both_ways|measured_main_fairness_both_ways|"
                       "measured_grid5000_algorithm1|measured_grid5000_algorithm1_both_ways|"
                       "measured_grid5000_fairness_both_ways|simulated_pi|measured_main_pi|measured_grid5000_pi");
    for (size_t i = 0; i < cells->n; i++) {
        if (!row_of(cells, i, &r))
            continue;
        const struct study_zhu2014_table2 *z = r.paper;
        VIEW_SWEEP_PAGE_NUMBERS(t, r.cell->nodes, r.cell->d, r.cell->bytes, r.cell->window_bytes, (double)r.cell->n,
                                steps_of(r.cell), study_fit_patterns_mean(&r.proposed->all),
                                study_fit_patterns_mean(&r.proposed->both), study_fit_patterns_mean(&r.fair->both),
                                z->links, z->steps, z->err / 100, z->err_both / 100, z->fair_both / 100,
                                z->g5k_err / 100, z->g5k_err_both / 100, z->g5k_fair_both / 100,
                                study_fit_patterns_precision(&r.proposed->all), z->precision, z->g5k_precision);
    }
}

#define TABLE2_SERIES 6

static const struct {
    const char *class, *name;
    enum view_svg_shape shape;
} series[TABLE2_SERIES] = {
    {"c-eq6", "algorithm1, simulated", VIEW_SVG_CIRCLE},
    {"c-eq6 hollow", "algorithm1, measured, main testbed", VIEW_SVG_SQUARE},
    {"c-eq6 hollow", "algorithm1, measured, Grid5000", VIEW_SVG_TRIANGLE},
    {"c-eq5", "fairness, simulated", VIEW_SVG_CIRCLE},
    {"c-eq5 hollow", "fairness, measured, main testbed", VIEW_SVG_SQUARE},
    {"c-eq5 hollow", "fairness, measured, Grid5000", VIEW_SVG_TRIANGLE},
};

/* In percent, of patterns with traffic both ways; half: of the interval. */
static void series_of(const struct row *r, double value[static TABLE2_SERIES], double half[static TABLE2_SERIES])
{
    const struct study_zhu2014_table2 *z = r->paper;
    const double all[TABLE2_SERIES] = {100 * study_fit_patterns_mean(&r->proposed->both), z->err_both, z->g5k_err_both,
                                100 * study_fit_patterns_mean(&r->fair->both), z->fair_both, z->g5k_fair_both};
    memcpy(value, all, sizeof all);
    for (int k = 0; k < TABLE2_SERIES; k++)
        half[k] = (double)NAN;
    half[0] = 100 * study_fit_patterns_ci95(&r->proposed->both);
    half[3] = 100 * study_fit_patterns_ci95(&r->fair->both);
}

/* Table II as a picture: its cells, of which there are n, along x. */
static void draw_table2(struct view_sweep_page *p, const struct view_sweep_page_cells *cells, size_t n, double top)
{
    const struct view_svg_frame a = {.x = {0, (double)n, 56, 56 + 84 * (double)n, false},
                                     .y = {0, top * 1.08, 240, 10, false}, .y_label = "mean |error|, %", .y_ticks = 6};
    double value[TABLE2_SERIES], half[TABLE2_SERIES], column = 0.5;
    char text[128];
    struct row r;
    fputs("<p>", p->f);
    for (int k = 0; k < TABLE2_SERIES; k++)
        view_svg_key_mark(p->f, series[k].class, series[k].shape, series[k].name);
    fputs("</p>\n", p->f);
    view_sweep_page_drawing(p, 1, (int)a.x.last + 20, 290, "Table II as a picture", "Mean |error| of patterns with "
                            "traffic both ways, simulated and as measured by Zhu et al. 2014, for each experiment.");
    view_svg_axes(p->f, &a);
    for (size_t i = 0; i < cells->n; i++) {
        if (!row_of(cells, i, &r))
            continue;
        series_of(&r, value, half);
        for (int k = 0; k < TABLE2_SERIES; k++) {
            snprintf(text, sizeof text, "%s: %.2f %%", series[k].name, value[k]);
            view_svg_mark(p->f, &a, series[k].class, series[k].shape, column, value[k], half[k], 11 * (k - 2.5), text);
        }
        snprintf(text, sizeof text, "%d nodes", r.cell->nodes);
        view_svg_text(p->f, view_svg_place(&a.x, column), 258, "mid", text);
        snprintf(text, sizeof text, "d = %d", r.cell->d);
        view_svg_text(p->f, view_svg_place(&a.x, column), 274, "mid", text);
        column++;
    }
    view_svg_end(p->f);
}

void view_sweep_page_table2(struct view_sweep_page *p, const struct view_sweep_page_cells *cells, const char *setting)
{
    double value[TABLE2_SERIES], half[TABLE2_SERIES], top = 1;
    struct view_table data;
    struct row r;
    size_t n = 0;
    for (size_t i = 0; i < cells->n; i++) {
        if (!row_of(cells, i, &r))
            continue;
        n++;
        series_of(&r, value, half);
        for (int k = 0; k < TABLE2_SERIES; k++)
            top = isfinite(value[k]) ? fmax(top, value[k] + (isfinite(half[k]) ? half[k] : 0)) : top;
    }
    if (n == 0)
        return;
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_BESIDE_MEASURED, "Table II%s", setting);
    draw_table2(p, cells, n, top);
    table2_data(&data, cells);
    table2(p, cells);
    view_sweep_page_figure_end(
        p, "The picture shows patterns with traffic both ways on a shared resource, columns (b) and (c) of the paper. "
        "<b>Filled: simulated here</b>, with 95 % intervals; <b>hollow: measured by Zhu et al. 2014, Table II</b>, on "
        "the main testbed and on Grid5000. The patterns are drawn by the paper's rule; they are not the paper's own.",
        &data);
}
