/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fig. 4: what flows over one shared link get, against how many there are each way. */
#include "base/estimate.h"
#include "study/fit_resources.h"
#include "view/sweep_page.h"
#include "view/sweep_page_axes.h"
#include "view/capture_page_parts.h"
#include "view/svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORST 0.5     /* deviation of the darkest shade, at most: one far off would pale the others */
#define DEGREES 128   /* of a direction, at most: the larger ones are in the data alone */
#define SERIES 5      /* outdegrees drawn as lines */
#define SHADES 4      /* of a deviation, each way */
#define GROUPS 4      /* of runs that differ by more than their seed and their flows */
#define MAP_SIDE 400  /* of a heat map, about */

/* All runs with this many flows each way: bit/s of a flow, means over the runs. */
struct place {
    int in, out;
    size_t runs;
    double mean, ci95, in_bps, out_bps; /* mean: of all flows; ci95: half an interval */
    double eq6, eq6_in, eq6_out;
    double first_ci95;                  /* as the first run alone knows it */
    struct estimate_running means;
};

/* Numbers of flows that there are, by size. */
struct degrees {
    int value[DEGREES];
    size_t n;
};

struct grid {
    struct place *place; /* owned; by outdegree, then indegree */
    size_t n;
    struct degrees in, out;
};

/* Of all flows, from that of either direction. */
static double both(double in, double out, double in_value, double out_value)
{
    return ((in > 0 ? in * in_value : 0) + (out > 0 ? out * out_value : 0)) / (in + out);
}

static void add(double *mean, double value, size_t n)
{
    *mean += (value - *mean) / (double)n;
}

static void grid_add(struct grid *g, const json_t *run)
{
    int in = (int)view_json_number(run, "in"), out = (int)view_json_number(run, "out");
    double ci95_in = view_json_number(run, "in_ci95_bps"), ci95_out = view_json_number(run, "out_ci95_bps");
    size_t i = 0;
    while (i < g->n && (g->place[i].in != in || g->place[i].out != out))
        i++;
    struct place *p = &g->place[i];
    if (i == g->n)
        *p = (struct place){.in = in, .out = out};
    g->n += i == g->n;
    p->runs++;
    add(&p->in_bps, view_json_number(run, "in_bps"), p->runs);
    add(&p->out_bps, view_json_number(run, "out_bps"), p->runs);
    add(&p->eq6_in, view_json_number(run, "eq6_in_bps"), p->runs);
    add(&p->eq6_out, view_json_number(run, "eq6_out_bps"), p->runs);
    estimate_add(&p->means, both(in, out, view_json_number(run, "in_bps"), view_json_number(run, "out_bps")));
    if (p->runs == 1)
        p->first_ci95 = hypot(in > 0 ? in * ci95_in : 0, out > 0 ? out * ci95_out : 0) / (in + out);
}

static int by_degree(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->out != y->out ? x->out - y->out : x->in - y->in;
}

/* The axes that tell runs with as many flows each way apart, as keys of an object: all but the numbers of flows. */
static json_t *other_axes(const json_t *measured)
{
    json_t *others = json_object(), *firsts = json_object(), *value;
    const json_t *run;
    const char *key;
    char place[32];
    size_t i;
    json_array_foreach(measured, i, run) {
        json_t *axes = json_object_get(run, "axes");
        snprintf(place, sizeof place, "%.0f %.0f", view_json_number(run, "in"), view_json_number(run, "out"));
        const json_t *first = json_object_get(firsts, place);
        if (!first)
            json_object_set(firsts, place, axes);
        json_object_foreach(axes, key, value)
            if (first && !json_equal(json_object_get(first, key), value))
                json_object_set_new(others, key, json_true());
    }
    json_decref(firsts);
    return others;
}

/* A run's values on them: "engine native, tcp.small_queues 0B". */
static void group_of(const json_t *run, const json_t *others, char text[static 128])
{
    const char *key;
    json_t *ignored;
    char value[32];
    text[0] = '\0';
    json_object_foreach((json_t *)others, key, ignored) {
        size_t used = strlen(text);
        snprintf(text + used, 128 - used, "%s%s %s", used ? ", " : "", view_sweep_page_axes_name(key),
                 view_sweep_page_axes_text(json_object_get(json_object_get(run, "axes"), key), value));
    }
}

static size_t groups_of(const json_t *measured, const json_t *others, char text[static GROUPS + 1][128])
{
    const json_t *run;
    size_t n = 0, i, k;
    json_array_foreach(measured, i, run) {
        group_of(run, others, text[n]);
        for (k = 0; strcmp(text[k], text[n]) != 0; k++)
            ;
        n += k == n;
        if (n > GROUPS)
            break;
    }
    return n;
}

/* Of the runs of one group. */
static void degrees_add(struct degrees *d, int value)
{
    size_t i = d->n;
    for (size_t k = 0; k < d->n; k++)
        if (d->value[k] == value)
            return;
    if (d->n == DEGREES)
        return;
    for (d->n++; i > 0 && d->value[i - 1] > value; i--)
        d->value[i] = d->value[i - 1];
    d->value[i] = value;
}

static bool grid_make(struct grid *g, const json_t *measured, const json_t *others, const char *group,
                      struct error *err)
{
    const json_t *run;
    char text[128];
    size_t i;
    *g = (struct grid){.place = calloc(json_array_size(measured) + 1, sizeof *g->place)};
    if (!g->place)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    json_array_foreach(measured, i, run) {
        group_of(run, others, text);
        if (strcmp(text, group) == 0)
            grid_add(g, run);
    }
    qsort(g->place, g->n, sizeof *g->place, by_degree);
    for (i = 0; i < g->n; i++) {
        struct place *p = &g->place[i];
        p->mean = p->means.mean;
        p->ci95 = p->runs > 1 ? estimate_of(&p->means).ci95 : p->first_ci95;
        p->eq6 = both(p->in, p->out, p->eq6_in, p->eq6_out);
        degrees_add(&g->in, p->in);
        degrees_add(&g->out, p->out);
    }
    return true;
}

/* NULL: no such run. */
static const struct place *grid_at(const struct grid *g, int in, int out)
{
    struct place key = {.in = in, .out = out};
    return bsearch(&key, g->place, g->n, sizeof *g->place, by_degree);
}

static void grid_data(const struct grid *g, struct view_table *t)
{
    static const char *const head[] = {"in", "out", "runs", "mean_bps", "ci95_bps", "in_bps", "out_bps", "eq6_in_bps",
                                       "eq6_out_bps"};
    view_table_start(t, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < g->n; i++) {
        const struct place *p = &g->place[i];
        view_table_add(t, "%d", p->in);
        view_table_add(t, "%d", p->out);
        view_table_add(t, "%zu", p->runs);
        const double value[] = {p->mean, p->ci95, p->in_bps, p->out_bps, p->eq6_in, p->eq6_out};
        for (size_t k = 0; k < sizeof value / sizeof *value; k++)
            view_sweep_page_number(t, value[k]);
    }
}

/* Outdegrees to draw, spread over those there are. */
static size_t choose(const struct grid *g, int chosen[static SERIES])
{
    size_t n = g->out.n < SERIES ? g->out.n : SERIES;
    for (size_t i = 0; i < n; i++)
        chosen[i] = g->out.value[n == 1 ? 0 : i * (g->out.n - 1) / (n - 1)];
    return n;
}

static void draw_series(FILE *f, const struct view_svg_frame *a, const struct grid *g, int out, size_t slot)
{
    double x[DEGREES], y[DEGREES];
    char class[24], tip[160];
    snprintf(class, sizeof class, "k%zu", slot);
    for (size_t i = 0; i < g->in.n; i++) {
        const struct place *p = grid_at(g, g->in.value[i], out);
        x[i] = g->in.value[i];
        y[i] = p ? p->eq6 / 1e6 : (double)NAN;
    }
    view_svg_line(f, a, class, x, y, g->in.n);
    snprintf(class, sizeof class, "k%zu open", slot);
    for (size_t i = 0; i < g->n; i++) {
        const struct place *p = &g->place[i];
        if (p->out != out)
            continue;
        snprintf(tip, sizeof tip, "%d in, %d out: simulated %.2f +- %.2f Mb/s a flow, Eq. 6 %.2f", p->in, p->out,
                 p->mean / 1e6, p->ci95 / 1e6, p->eq6 / 1e6);
        view_svg_mark(f, a, class, (enum view_svg_shape)(slot % VIEW_SVG_SHAPES), p->in, p->mean / 1e6, p->ci95 / 1e6,
                 0, tip);
    }
}

static void draw_lines(struct view_sweep_page *p, const struct grid *g)
{
    int chosen[SERIES];
    char text[160];
    double top = 0;
    size_t n = choose(g, chosen);
    for (size_t i = 0; i < g->n; i++)
        top = fmax(top, fmax(g->place[i].mean + (isfinite(g->place[i].ci95) ? g->place[i].ci95 : 0), g->place[i].eq6));
    int least = g->in.value[0], largest = g->in.value[g->in.n - 1];
    struct view_svg_frame a = {
        .x = {least - 0.4, largest + 0.4, 64, 740, false},
        .y = {0, top * 1.04 / 1e6, 372, 12, false},
        .x_label = "indegree: flows in", .y_label = "mean bandwidth of a flow, Mb/s",
        .x_ticks = largest - least < 14 ? largest - least + 1 : 14, .y_ticks = 6,
    };
    fputs("<p>", p->f);
    for (size_t i = 0; i < n; i++) {
        char class[16];
        snprintf(class, sizeof class, "k%zu", i);
        snprintf(text, sizeof text, "Eq. 6, %d out", chosen[i]);
        view_svg_key_line(p->f, class, text);
        snprintf(class, sizeof class, "k%zu open", i);
        snprintf(text, sizeof text, "simulated, %d out", chosen[i]);
        view_svg_key_mark(p->f, class, (enum view_svg_shape)(i % VIEW_SVG_SHAPES), text);
    }
    fputs("</p>\n", p->f);
    view_sweep_page_drawing(
        p, 1, 760, 412, "Mean bandwidth of a flow against the number of flows in",
        "Lines: Eq. 6, a line for "
        "each number of flows out. Markers: simulated, with 95 % intervals. All lines fall as one over the "
        "larger number of flows.");
    view_svg_axes(p->f, &a);
    for (size_t i = 0; i < n; i++)
        draw_series(p->f, &a, g, chosen[i], i);
    view_svg_end(p->f);
}

/* A map of simulated / Eq. 6 - 1. */
struct deviations {
    const struct grid *grid;
    bool incoming;
    double limit; /* of the darkest shade */
};

static double deviation(const struct place *p, bool incoming)
{
    if (!p || (incoming ? p->in : p->out) == 0)
        return (double)NAN;
    return incoming ? p->in_bps / p->eq6_in - 1 : p->out_bps / p->eq6_out - 1;
}

static void deviation_cell(void *user, size_t column, size_t row, struct view_svg_cell *cell)
{
    const struct deviations *d = user;
    int in = d->grid->in.value[column], out = d->grid->out.value[row];
    double value = deviation(grid_at(d->grid, in, out), d->incoming);
    if (!isfinite(value))
        return;
    int shade = (int)lround(fmax(-1, fmin(1, value / d->limit)) * SHADES);
    snprintf(cell->class, sizeof cell->class, "q%d", shade + SHADES);
    double percent = round(1000 * value) / 10;
    snprintf(cell->text, sizeof cell->text, percent == 0 ? "0" : fabs(percent) < 100 ? "%+.1f" : "%+.0f", percent);
    snprintf(cell->tip, sizeof cell->tip, "%d in, %d out: flows %s %+.2f %% of Eq. 6", in, out,
             d->incoming ? "in" : "out", 100 * value);
}

static void names(char name[static DEGREES][12], const char *list[static DEGREES], const struct degrees *d)
{
    for (size_t i = 0; i < d->n; i++) {
        snprintf(name[i], sizeof name[i], "%d", d->value[i]);
        list[i] = name[i];
    }
}

static void draw_maps(struct view_sweep_page *p, const struct grid *g)
{
    char column[DEGREES][12], row[DEGREES][12];
    const char *columns[DEGREES], *rows[DEGREES];
    double most = 0;
    for (size_t i = 0; i < g->n; i++)
        most = fmax(most, fmax(fabs(deviation(&g->place[i], true)), fabs(deviation(&g->place[i], false))));
    struct deviations d = {.grid = g, .limit = fmin(view_svg_step(most > 0 ? most : 0.01, 1), WORST)};
    struct view_svg_map m = {.left = 46, .top = 26, .columns = g->in.n, .rows = g->out.n, .column_name = columns,
                        .row_name = rows, .x_label = "flows in", .y_label = "flows out", .cell = deviation_cell,
                        .user = &d};
    names(column, columns, &g->in);
    names(row, rows, &g->out);
    m.width = m.height = fmax(8, floor(MAP_SIDE / (double)(m.columns > m.rows ? m.columns : m.rows)));
    m.width = m.height = fmin(m.width, 34);
    int width = (int)(m.left + m.width * (double)m.columns + 12);
    int height = (int)(m.top + m.height * (double)m.rows + VIEW_SVG_MAP_BELOW);
    fputs("<p>", p->f);
    for (int i = -SHADES; i <= SHADES; i++) {
        char class[8], text[32];
        snprintf(class, sizeof class, "q%d", i + SHADES);
        snprintf(text, sizeof text, "%+.3g %%", 100 * d.limit * i / SHADES);
        view_svg_key_cell(p->f, class, NULL, i ? text : "0");
    }
    fputs("</p>\n<div class=\"drawings\">\n", p->f);
    for (int i = 0; i < 2; i++) {
        d.incoming = i == 0;
        m.title = d.incoming ? "Flows in" : "Flows out";
        view_sweep_page_drawing(p, i + 1, width > 150 ? width : 150, height, m.title,
                                "Simulated bandwidth against Eq. 6, as a "
                                "share, for each number of flows in and out. The numbers are in the data below.");
        view_svg_map(p->f, &m);
        view_svg_end(p->f);
    }
    fputs("</div>\n", p->f);
}

static void add_value(struct view_table *t, const json_t *value, double scale)
{
    char text[3][32];
    static const char *const key[] = {"value", "low", "high"};
    for (int i = 0; i < 3; i++) {
        double number = view_json_number(value, key[i]) / scale;
        snprintf(text[i], sizeof text[i], isfinite(number) ? "%.5g" : "-", number);
    }
    view_table_add(t, "%s [%s, %s]", text[0], text[1], text[2]);
}

static void form_row(struct view_table *t, const json_t *form, double best_aic)
{
    const char *name = json_string_value(json_object_get(form, "form"));
    view_table_add(t, "%s%s", name, json_is_true(json_object_get(form, "acks")) ? "+acks" : "");
    add_value(t, json_object_get(form, "fitted_rate_bps"), 1e6);
    if (json_object_get(form, "a")) {
        const json_t *a = json_object_get(form, "a"), *b = json_object_get(form, "b");
        view_table_add(t, "a = %.3g [%.3g, %.3g], b = %.3g [%.3g, %.3g]", view_json_number(a, "value"),
                      view_json_number(a, "low"), view_json_number(a, "high"), view_json_number(b, "value"),
                      view_json_number(b, "low"), view_json_number(b, "high"));
    } else if (json_object_get(form, "inverse_p")) {
        const json_t *p = json_object_get(form, "inverse_p");
        view_table_add(t, "1/p = %.3g [%.3g, %.3g]", view_json_number(p, "value"), view_json_number(p, "low"),
                      view_json_number(p, "high"));
    } else {
        view_table_add(t, "-");
    }
    double aic = view_json_number(form, "aic") - best_aic;
    view_table_add(t, isfinite(aic) ? "%.1f" : "-", fmax(aic, 0)); /* ties differ by rounding */
    view_table_add_share(t, view_json_number(form, "rms_error"));
    view_table_add_share(t, view_json_number(form, "mean_error"));
    view_table_add_share(t, view_json_number(form, "worst_error"));
    view_table_add_share(t, view_json_number(form, "cross_validated_error"));
}

static void form_data(struct view_table *t, const json_t *forms)
{
    static const char *const head[] = {"form", "acks", "B_bps", "B_low_bps", "B_high_bps", "parameters", "aic",
                                       "rms_error", "mean_error", "worst_error", "cross_validated_error"};
    static const char *const numbers[] = {"parameters", "aic", "rms_error", "mean_error", "worst_error",
                                          "cross_validated_error"};
    const json_t *form;
    size_t i;
    view_table_start(t, head, sizeof head / sizeof *head);
    json_array_foreach(forms, i, form) {
        const json_t *rate = json_object_get(form, "fitted_rate_bps");
        view_table_add(t, "%s", json_string_value(json_object_get(form, "form")));
        view_table_add(t, "%s", json_is_true(json_object_get(form, "acks")) ? "yes" : "no");
        view_sweep_page_number(t, view_json_number(rate, "value"));
        view_sweep_page_number(t, view_json_number(rate, "low"));
        view_sweep_page_number(t, view_json_number(rate, "high"));
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            view_sweep_page_number(t, view_json_number(form, numbers[k]));
    }
}

static bool show_forms(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const char *link,
                       const json_t *forms, struct error *err)
{
    static const char *const head[] = {"form", "B Mb/s, 95 %", "parameters", "dAIC", "rms %", "mean %", "worst %",
                                       "cross-validated %"};
    struct view_table t, data;
    const json_t *form;
    size_t i;
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "Forms fitted to all of them (%s)", link);
    view_table_start(&t, head, sizeof head / sizeof *head);
    json_array_foreach(forms, i, form)
        if (json_is_true(json_object_get(form, "applies")))
            form_row(&t, form, view_json_number(json_array_get(forms, 0), "aic"));
    form_data(&data, forms);
    double rms = view_json_number(json_array_get(forms, 0), "rms_error");
    if (rms > STUDY_FIT_RESOURCES_MIXED)
        fprintf(p->f, "<p><b>The best is off by %.0f %% (rms): no form has all of these points, and the bandwidth "
                "means little.</b></p>\n", 100 * rms);
    return view_capture_page_table(p->f, "Which rule these points obey together, best first", &t, 3, err) &&
           view_sweep_page_figure_end(
               p, s,
               "B is the goodput one direction alone can carry. eq5 and eq6 are the paper's "
               "equations, '+acks' takes the bytes of ACKs into account; dAIC is Akaike's criterion above "
               "the best form's (2 is little, 10 decides); cross-validated: the rms error of points "
               "predicted from all the others. <code>contraflow fit --help</code> has the formulas.",
               &data, err);
}

static bool show_grid(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const struct grid *g,
                      const char *shown, bool backbone, struct error *err)
{
    struct view_table data;
    char caption[800];
    char letter = backbone ? 'b' : 'a';
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "Fig. 4%c: bandwidth both ways over the %s", letter, shown);
    draw_lines(p, g);
    grid_data(g, &data);
    snprintf(caption, sizeof caption, "As Fig. 4%c of Zhu et al. 2014, whose points are not published as numbers. "
             "Markers: simulated here, mean goodput of all flows with its 95 %% interval; from as many flows in as out "
             "on, lines are one, and markers lie on each other where the rule holds. Lines: Eq. 6, B / max(in, out)%s, "
             "with B fitted to all points. The paper measured B = 940 Mb/s for a 1 Gb/s NIC%s, with deviations up to 2 "
             "%% (sections 5.1 and 5.2).", letter,
             backbone ? ", and no more than the hosts' own links let through" : "",
             backbone ? " and 9.4 Gb/s for the backbone" : "");
    if (!view_sweep_page_figure_end(p, s, caption, &data, err))
        return false;
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "Fig. 4%c: how far off Eq. 6 is (%s)", letter, shown);
    draw_maps(p, g);
    grid_data(g, &data);
    return view_sweep_page_figure_end(
        p, s,
        "Simulated bandwidth / Eq. 6 - 1, in %: blue below the rule, orange above. Empty: no "
        "flow in that direction, or no run.",
        &data, err);
}

static bool show_link(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const json_t *link,
                      struct error *err)
{
    const char *name = json_string_value(json_object_get(link, "resource"));
    const json_t *measured = json_object_get(link, "measured");
    bool backbone = name && strncmp(name, "sw", 2) == 0, ok = true;
    char shown[96], title[256], group[GROUPS + 1][128];
    json_t *others = other_axes(measured);
    size_t n = groups_of(measured, others, group);
    snprintf(shown, sizeof shown, "%s %s, %.0f Mb/s", backbone ? "backbone" : "link of", name ? name : "?",
             view_json_number(link, "rate_bps") / 1e6);
    if (n > GROUPS)
        fputs("<p>Nothing like Fig. 4 here: runs with as many flows each way differ by more than their seeds.</p>\n",
              p->f);
    for (size_t i = 0; ok && n <= GROUPS && i < n; i++) {
        struct grid g;
        snprintf(title, sizeof title, "%s%s%.127s", shown, group[i][0] ? "; " : "", group[i]);
        ok = grid_make(&g, measured, others, group[i], err) && show_grid(p, s, &g, title, backbone, err);
        free(g.place);
    }
    json_decref(others);
    return ok && show_forms(p, s, shown, json_object_get(link, "forms"), err);
}

bool page_resources(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const json_t *part,
                    struct error *err)
{
    const json_t *link;
    size_t i;
    json_array_foreach(json_object_get(part, "links"), i, link)
        if (!show_link(p, s, link, err))
            return false;
    double starved = view_json_number(part, "starved_runs"), unfilled = view_json_number(part, "unfilled_runs");
    if (starved > 0 || unfilled > 0)
        fprintf(p->f, "<p>Left out: %.0f runs where a flow moved nothing, %.0f whose windows do not fill the "
                "link.</p>\n", starved, unfilled);
    return true;
}
