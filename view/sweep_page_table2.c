/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Table II: mean errors, as a picture and as a table beside the paper's, then those of every model. */
#include "view/sweep_page_patterns.h"
#include "view/capture_page_parts.h"
#include "view/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A mean |error| in percent with its interval, as people read it. */
static void add_error(struct view_table *t, const json_t *model, bool both)
{
    double mean = view_json_number(model, both ? "mean_abs_error_both_ways" : "mean_abs_error");
    double ci95 = view_json_number(model, both ? "ci95_both_ways" : "ci95");
    if (isfinite(mean) && isfinite(ci95))
        view_table_add(t, "%.2f +- %.2f", 100 * mean, 100 * ci95);
    else
        view_table_add_share(t, mean);
}

static void add_setting(struct view_table *t, const json_t *cell)
{
    char *setting = view_sweep_page_setting(cell);
    view_table_add(t, "%s", setting ? setting : "");
    free(setting);
}

static void add_size(struct view_table *t, const json_t *cell)
{
    double d = view_json_number(cell, "d");
    view_table_add(t, "%.0f", view_json_number(cell, "nodes"));
    view_table_add(t, d > 0 ? "%.0f" : "-", d);
    view_table_add_number(t, view_json_number(cell, "message_bytes"), 1e6);
    view_table_add_number(t, view_json_number(cell, "window_bytes"), 1e3);
}

static void errors_data(struct view_table *t, const json_t *cells)
{
    static const char *const head[] = {"setting", "nodes", "d", "message_bytes", "window_bytes", "patterns", "links",
                                       "steps", "model", "mean_abs_error", "ci95", "bias", "within_10_percent",
                                       "mean_abs_error_both_ways", "ci95_both_ways", "worst_error"};
    const json_t *cell, *model;
    size_t i, k, m;
    view_table_start(t, head, sizeof head / sizeof *head);
    json_array_foreach(cells, i, cell)
        json_array_foreach(json_object_get(cell, "models"), k, model)
            for (m = 0; m < sizeof head / sizeof *head; m++) {
                if (m == 0)
                    add_setting(t, cell);
                else if (m == 8)
                    view_table_add(t, "%s", json_string_value(json_object_get(model, "model")));
                else
                    view_sweep_page_number(t, view_json_number(m < 8 ? cell : model, head[m]));
            }
}

bool view_sweep_page_errors(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const json_t *cells,
                            struct error *err)
{
    static const char *const settings[] = {"setting", "nodes", "d", "MB", "window kB", "patterns", "links", "steps"};
    const char *model[VIEW_SWEEP_PAGE_MODELS];
    size_t n = view_sweep_page_models(cells, model), i;
    const json_t *cell;
    struct view_table t, data;
    view_table_init(&t, 8 + n);
    for (i = 0; i < 8; i++)
        view_table_add(&t, "%s", settings[i]);
    for (i = 0; i < n; i++)
        view_table_add(&t, "%s", model[i]);
    json_array_foreach(cells, i, cell) {
        add_setting(&t, cell);
        add_size(&t, cell);
        view_table_add(&t, "%.0f", view_json_number(cell, "patterns"));
        view_table_add(&t, "%.0f", view_json_number(cell, "links"));
        view_table_add(&t, "%.1f", view_json_number(cell, "steps"));
        for (size_t m = 0; m < n; m++)
            add_error(&t, view_sweep_page_model(cell, model[m]), false);
    }
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "Mean |error| of every model");
    errors_data(&data, cells);
    return view_capture_page_table(p->f,
                                   "Mean |predicted / simulated - 1| in %, with 95 % intervals that take patterns as "
                                   "independent",
                                   &t, 1, err) &&
           view_sweep_page_figure_end(
               p, s,
               "Steps: of Algorithm 2, a pattern. The data also have the errors' mean with its sign "
               "(bias), the worst link's, and the share within 10 %.",
               &data, err);
}

/* decimals -1: as many as it has. */
static void table2_cell(FILE *f, const char *class, int decimals, double value)
{
    fprintf(f, "<td class=\"n%s\">", class);
    if (!isfinite(value))
        fputs("-", f);
    else if (decimals < 0)
        fprintf(f, "%.6g", value);
    else
        fprintf(f, "%.*f", decimals, value);
    fputs("</td>", f);
}

static void table2_error(FILE *f, const json_t *model, bool both)
{
    struct view_table t;
    view_table_init(&t, 1);
    add_error(&t, model, both);
    fputs("<td class=\"n\">", f);
    view_capture_page_text(f, t.n ? t.cell[0] : "");
    fputs("</td>", f);
    view_table_fini(&t);
}

static const char table2_head[] =
    "<div class=\"wide\"><table class=\"tight\">\n<caption>Table II: mean |error| of predicted completion times in %. "
    "Shaded: measured, Zhu et al. 2014, Table II</caption>\n<thead><tr><th rowspan=\"2\" scope=\"col\" "
    "class=\"n\">nodes</th><th rowspan=\"2\" scope=\"col\" class=\"n\">d</th><th rowspan=\"2\" scope=\"col\" "
    "class=\"n\">MB</th><th rowspan=\"2\" scope=\"col\" class=\"n\">window kB</th><th colspan=\"2\" scope=\"colgroup\" "
    "class=\"group\">links</th><th colspan=\"2\" scope=\"colgroup\" class=\"group\">steps</th><th colspan=\"3\" "
    "scope=\"colgroup\" class=\"group\">algorithm1, all patterns (a)</th><th colspan=\"3\" scope=\"colgroup\" "
    "class=\"group\">algorithm1, both ways (b)</th><th colspan=\"3\" scope=\"colgroup\" class=\"group\">fairness, "
    "both ways (c)</th></tr>\n<tr>";

static void table2(FILE *f, const json_t *cells)
{
    static const char *const member[3][2] = {
        {"main_algorithm1", "grid5000_algorithm1"},
        {"main_algorithm1_both_ways", "grid5000_algorithm1_both_ways"},
        {"main_fairness_both_ways", "grid5000_fairness_both_ways"},
    };
    const json_t *cell;
    size_t i;
    fputs(table2_head, f);
    for (i = 0; i < 5; i++)
        fprintf(f, "<th scope=\"col\" class=\"n\">simulated</th><th scope=\"col\" class=\"n told\">%s</th>%s",
                i < 2 ? "paper" : "main", i < 2 ? "" : "<th scope=\"col\" class=\"n told\">Grid5000</th>");
    fputs("</tr></thead>\n<tbody>", f);
    json_array_foreach(cells, i, cell) {
        const json_t *z = json_object_get(cell, "zhu2014"), *proposed = view_sweep_page_model(cell, "algorithm1");
        if (!json_is_object(z))
            continue;
        fputs("<tr>", f);
        table2_cell(f, "", 0, view_json_number(cell, "nodes"));
        table2_cell(f, "", 0, view_json_number(cell, "d"));
        table2_cell(f, "", -1, view_json_number(cell, "message_bytes") / 1e6);
        table2_cell(f, "", -1, view_json_number(cell, "window_bytes") / 1e3);
        table2_cell(f, "", 0, view_json_number(cell, "links"));
        table2_cell(f, " told", 0, view_json_number(z, "links"));
        table2_cell(f, "", 1, view_json_number(cell, "steps"));
        table2_cell(f, " told", 1, view_json_number(z, "steps"));
        for (size_t k = 0; k < 3; k++) {
            table2_error(f, k < 2 ? proposed : view_sweep_page_model(cell, "fairness"), k > 0);
            table2_cell(f, " told", 2, 100 * view_json_number(z, member[k][0]));
            table2_cell(f, " told", 2, 100 * view_json_number(z, member[k][1]));
        }
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div>\n", f);
}

static void table2_data(struct view_table *t, const json_t *cells)
{
    static const char *const head[] = {
        "nodes", "d", "message_bytes", "window_bytes", "simulated_links", "simulated_steps",
        "simulated_algorithm1", "simulated_algorithm1_both_ways", "simulated_fairness_both_ways", "measured_links",
        "measured_steps", "measured_main_algorithm1", "measured_main_algorithm1_both_ways",
        "measured_main_fairness_both_ways", "measured_grid5000_algorithm1", "measured_grid5000_algorithm1_both_ways",
        "measured_grid5000_fairness_both_ways"};
    const json_t *cell;
    size_t i, k;
    view_table_start(t, head, sizeof head / sizeof *head);
    json_array_foreach(cells, i, cell) {
        const json_t *z = json_object_get(cell, "zhu2014");
        if (!json_is_object(z))
            continue;
        for (k = 0; k < 6; k++)
            view_sweep_page_number(t, view_json_number(cell, k < 4 ? head[k] : head[k] + strlen("simulated_")));
        view_sweep_page_number(t, view_json_number(view_sweep_page_model(cell, "algorithm1"), "mean_abs_error"));
        view_sweep_page_number(t,
                               view_json_number(view_sweep_page_model(cell, "algorithm1"), "mean_abs_error_both_ways"));
        view_sweep_page_number(t,
                               view_json_number(view_sweep_page_model(cell, "fairness"), "mean_abs_error_both_ways"));
        for (k = 9; k < sizeof head / sizeof *head; k++)
            view_sweep_page_number(t, view_json_number(z, head[k] + strlen("measured_")));
    }
}

/* Table II as a picture: experiments along x. */
static void draw_table2(struct view_sweep_page *p, const json_t *cells, size_t n)
{
    static const struct {
        const char *class, *says, *member, *model;
        enum view_svg_shape shape;
    } series[] = {
        {"k0", "algorithm1, simulated", NULL, "algorithm1", VIEW_SVG_CIRCLE},
        {"k0 hollow", "algorithm1, measured, main testbed", "main_algorithm1_both_ways", NULL, VIEW_SVG_SQUARE},
        {"k0 hollow", "algorithm1, measured, Grid5000", "grid5000_algorithm1_both_ways", NULL, VIEW_SVG_TRIANGLE},
        {"k1", "fairness, simulated", NULL, "fairness", VIEW_SVG_CIRCLE},
        {"k1 hollow", "fairness, measured, main testbed", "main_fairness_both_ways", NULL, VIEW_SVG_SQUARE},
        {"k1 hollow", "fairness, measured, Grid5000", "grid5000_fairness_both_ways", NULL, VIEW_SVG_TRIANGLE},
    };
    double top = 1;
    char text[128];
    const json_t *cell;
    size_t i, k, column = 0;
    fputs("<p>", p->f);
    for (k = 0; k < sizeof series / sizeof *series; k++)
        view_svg_key_mark(p->f, series[k].class, series[k].shape, series[k].says);
    fputs("</p>\n", p->f);
    for (int draw = 0; draw < 2; draw++) {
        const struct view_svg_frame a = {.x = {0, (double)n, 56, 56 + 84 * (double)n, false},
                                    .y = {0, top * 1.08, 240, 10, false}, .y_label = "mean |error|, %", .y_ticks = 6};
        if (draw) {
            view_sweep_page_drawing(
                p, 1, (int)a.x.last + 20, 290, "Table II as a picture",
                "Mean |error| of patterns with "
                "traffic both ways, simulated and as measured by Zhu et al. 2014, for each experiment.");
            view_svg_axes(p->f, &a);
        }
        column = 0;
        json_array_foreach(cells, i, cell) {
            const json_t *z = json_object_get(cell, "zhu2014");
            if (!json_is_object(z))
                continue;
            for (k = 0; k < sizeof series / sizeof *series; k++) {
                const json_t *model = series[k].model ? view_sweep_page_model(cell, series[k].model) : NULL;
                double value = 100 * (model ? view_json_number(model, "mean_abs_error_both_ways")
                                            : view_json_number(z, series[k].member));
                double half = model ? 100 * view_json_number(model, "ci95_both_ways") : (double)NAN;
                top = isfinite(value) ? fmax(top, value + (isfinite(half) ? half : 0)) : top;
                snprintf(text, sizeof text, "%s: %.2f %%", series[k].says, value);
                if (draw)
                    view_svg_mark(p->f, &a, series[k].class, series[k].shape, (double)column + 0.5, value, half,
                             11 * ((double)k - 2.5), text);
            }
            double middle = 56 + 84 * ((double)column + 0.5);
            snprintf(text, sizeof text, "%.0f nodes", view_json_number(cell, "nodes"));
            if (draw)
                view_svg_text(p->f, middle, 258, "mid", text);
            snprintf(text, sizeof text, "d = %.0f", view_json_number(cell, "d"));
            if (draw)
                view_svg_text(p->f, middle, 274, "mid", text);
            column++;
        }
    }
    view_svg_end(p->f);
}

bool view_sweep_page_table2(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const json_t *cells,
                            const char *setting, struct error *err)
{
    const json_t *cell;
    size_t i, n = 0;
    json_array_foreach(cells, i, cell)
        n += json_is_object(json_object_get(cell, "zhu2014"));
    if (n == 0)
        return true;
    struct view_table data;
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_BESIDE_MEASURED, "Table II%s", setting);
    draw_table2(p, cells, n);
    table2(p->f, cells);
    table2_data(&data, cells);
    return view_sweep_page_figure_end(
        p, s,
        "Drawn are patterns with traffic both ways on a shared resource, columns (b) and (c) "
        "of the paper. <b>Filled: simulated here</b>, with 95 % intervals; <b>hollow: measured by "
        "Zhu et al. 2014, Table II</b>, on the main testbed and on Grid5000. The patterns are drawn "
        "by the paper's rule, not the paper's own.",
        &data, err);
}
