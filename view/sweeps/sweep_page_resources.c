/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fig. 4: what flows over one shared link get, against how many there are each way. */
#include "base/order.h"
#include "base/text.h"
#include "study/fit/fit_resources.h"
#include "view/sweeps/sweep_page.h"
#include "view/sweeps/sweep_page_axes.h"
#include "view/text.h"
#include "view/svg.h"

#define WORST 0.5     /* deviation of the darkest shade, at most: one far off would pale the others */
#define DEGREES 128   /* of a direction, at most: the larger ones are in the data alone */
#define SERIES 5      /* outdegrees drawn as lines */
#define SHADES 4      /* of a deviation, each way */
#define GROUPS 4      /* of runs that differ by more than their seed and their flows */
#define MAP_SIDE 400  /* of a heat map, about */

/* The runs over one link, borrowed. */
struct link {
    const struct study_fit_point *points;
    const struct study_fit_outcome *outcome; /* of all of them */
    size_t n;
};

static const struct study_fit_point *link_run(const struct link *l, size_t i)
{
    return &l->points[l->outcome->index[i]];
}

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
static double flow_mean(double in, double out, double in_value, double out_value)
{
    return ((in > 0 ? in * in_value : 0) + (out > 0 ? out * out_value : 0)) / (in + out);
}

static void mean_add(double *mean, double value, size_t n)
{
    *mean += (value - *mean) / (double)n;
}

static void grid_add(struct grid *g, const struct study_fit_point *run, const struct study_fit_predicted *eq6)
{
    int in = (int)run->n_in, out = (int)run->n_out;
    size_t i = 0;
    while (i < g->n && (g->place[i].in != in || g->place[i].out != out))
        i++;
    struct place *p = &g->place[i];
    if (i == g->n)
        *p = (struct place){.in = in, .out = out};
    g->n += i == g->n;
    p->runs++;
    mean_add(&p->in_bps, run->in_bps, p->runs);
    mean_add(&p->out_bps, run->out_bps, p->runs);
    mean_add(&p->eq6_in, eq6->in_bps, p->runs);
    mean_add(&p->eq6_out, eq6->out_bps, p->runs);
    estimate_add(&p->means, flow_mean(in, out, run->in_bps, run->out_bps));
    if (p->runs == 1)
        p->first_ci95 = hypot(in > 0 ? in * run->in_ci95_bps : 0, out > 0 ? out * run->out_ci95_bps : 0) / (in + out);
}

static ORDER_OF(by_degree, struct place, 2 * ORDER(out) + ORDER(in))

/* The axes in which runs with as many flows each way differ, as keys of an object: all but the numbers of flows. */
static json_t *other_axes(const struct link *l)
{
    json_t *others = json_object(), *value;
    const char *key;
    for (size_t i = 0; i < l->n; i++) {
        const struct study_fit_point *run = link_run(l, i), *first = link_run(l, 0);
        for (size_t k = 0; first->n_in != run->n_in || first->n_out != run->n_out; k++)
            first = link_run(l, k);
        json_object_foreach(run->axes, key, value)
            if (!json_equal(json_object_get(first->axes, key), value))
                json_object_set_new(others, key, json_true());
    }
    return others;
}

/* A run's values on them: "engine native, tcp.small_queues 0B". */
static void group_of(const struct study_fit_point *run, json_t *others, char text[static 128])
{
    const char *key;
    json_t *ignored;
    char value[32];
    text[0] = '\0';
    json_object_foreach(others, key, ignored)
        text_add(text, 128, "%s%s %s", *text ? ", " : "", view_sweep_page_axes_name(key),
                 view_sweep_page_axes_text(json_object_get(run->axes, key), value));
}

static size_t groups_of(const struct link *l, json_t *others, char text[static GROUPS + 1][128])
{
    size_t n = 0, k;
    for (size_t i = 0; i < l->n && n <= GROUPS; i++) {
        group_of(link_run(l, i), others, text[n]);
        for (k = 0; strcmp(text[k], text[n]) != 0; k++)
            ;
        n += k == n;
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

static void grid_make(struct grid *g, const struct link *l, json_t *others, const char *group)
{
    char text[128];
    *g = (struct grid){.place = memory_zeroed(l->n, sizeof *g->place, "the points of a figure")};
    for (size_t i = 0; i < l->n; i++) {
        group_of(link_run(l, i), others, text);
        if (strcmp(text, group) == 0)
            grid_add(g, link_run(l, i), &l->outcome->eq6[i]);
    }
    qsort(g->place, g->n, sizeof *g->place, by_degree);
    for (size_t i = 0; i < g->n; i++) {
        struct place *p = &g->place[i];
        p->mean = p->means.mean;
        p->ci95 = p->runs > 1 ? estimate_of(&p->means).ci95 : p->first_ci95;
        p->eq6 = flow_mean(p->in, p->out, p->eq6_in, p->eq6_out);
        degrees_add(&g->in, p->in);
        degrees_add(&g->out, p->out);
    }
}

/* NULL: no such run. */
static const struct place *grid_at(const struct grid *g, int in, int out)
{
    struct place key = {.in = in, .out = out};
    return bsearch(&key, g->place, g->n, sizeof *g->place, by_degree);
}

static void grid_data(const struct grid *g, struct view_table *t)
{
    *t = view_table_of("in|out|runs|mean_bps|ci95_bps|in_bps|out_bps|eq6_in_bps|eq6_out_bps");
    for (size_t i = 0; i < g->n; i++) {
        const struct place *p = &g->place[i];
        view_table_add(t, "%d|%d|%zu", p->in, p->out, p->runs);
        VIEW_SWEEP_PAGE_NUMBERS(t, p->mean, p->ci95, p->in_bps, p->out_bps, p->eq6_in, p->eq6_out);
    }
}

/* Outdegrees to draw, spread over those there are. */
static size_t grid_choose(const struct grid *g, int chosen[static SERIES])
{
    size_t n = g->out.n < SERIES ? g->out.n : SERIES;
    for (size_t i = 0; i < n; i++)
        chosen[i] = g->out.value[n == 1 ? 0 : i * (g->out.n - 1) / (n - 1)];
    return n;
}

/* Draws one outdegree; what names its line begins at *x and *y. */
static void draw_series(FILE *f, const struct view_svg_frame *a, const struct grid *g, int out, size_t slot,
                        struct view_svg_label *label)
{
    double x[DEGREES], y[DEGREES];
    char class[32], tip[200], text[3][VIEW_TEXT_QUANTITY];
    *label = (struct view_svg_label){.x = NAN, .y = NAN};
    for (size_t i = g->in.n; i-- > 0;) {
        const struct place *p = grid_at(g, g->in.value[i], out);
        x[i] = g->in.value[i];
        y[i] = p ? p->eq6 : (double)NAN;
        if (isfinite(y[i])) {
            label->x = view_svg_place(&a->x, x[i]) + 7;
            label->y = view_svg_place(&a->y, y[i]) - 7;
        }
    }
    snprintf(label->class, sizeof label->class, "c-c%zu", slot);
    snprintf(label->text, sizeof label->text, "%d out", out);
    snprintf(class, sizeof class, "dashed c-c%zu", slot);
    view_svg_line(f, a, class, x, y, g->in.n);
    snprintf(class, sizeof class, "c-c%zu open", slot);
    for (size_t i = 0; i < g->n; i++) {
        const struct place *p = &g->place[i];
        if (p->out != out)
            continue;
        snprintf(tip, sizeof tip, "%d in, %d out: simulated %s a flow, +- %s; Eq. 6 %s", p->in, p->out,
                 view_text_quantity(p->mean, "b/s", text[0]), view_text_quantity(p->ci95, "b/s", text[1]),
                 view_text_quantity(p->eq6, "b/s", text[2]));
        view_svg_mark(f, a, class, (enum view_svg_shape)(slot % VIEW_SVG_SHAPES), p->in, p->mean, p->ci95, 0, tip);
    }
}

static void draw_lines(struct view_sweep_page *p, const struct grid *g)
{
    int chosen[SERIES];
    struct view_svg_label label[SERIES];
    double top = 0;
    size_t n = grid_choose(g, chosen);
    for (size_t i = 0; i < g->n; i++)
        top = fmax(top, fmax(g->place[i].mean + (isfinite(g->place[i].ci95) ? g->place[i].ci95 : 0), g->place[i].eq6));
    int least = g->in.value[0], largest = g->in.value[g->in.n - 1];
    struct view_svg_frame a = {
        .x = {least - 0.4, largest + 0.4, 64, 690, false},
        .y = {0, top * 1.06, 372, 12, false},
        .x_label = "indegree: flows in", .y_label = "mean goodput of a flow", .y_unit = "b/s",
        .x_ticks = largest - least < 14 ? largest - least + 1 : 14, .y_ticks = 6,
    };
    fputs("<p>", p->f);
    view_svg_key_line(p->f, "c-c0", "Eq. 6, a line for each number of flows out");
    view_svg_key_mark(p->f, "c-c0 open", VIEW_SVG_CIRCLE, "simulated, with its 95 % interval");
    fputs("</p>\n", p->f);
    view_sweep_page_drawing(p, 1, 700, 412, "Mean bandwidth of a flow against the number of flows in",
                            "Lines: Eq. 6, a line for each number of flows out. Markers: simulated, with 95 % "
                            "intervals. All lines fall as one over the larger number of flows.");
    view_svg_axes(p->f, &a);
    for (size_t i = 0; i < n; i++)
        draw_series(p->f, &a, g, chosen[i], i, &label[i]);
    view_svg_labels(p->f, label, n);
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
    snprintf(cell->class, sizeof cell->class, "c-q%d", shade + SHADES);
    double percent = round(1000 * value) / 10;
    snprintf(cell->text, sizeof cell->text, percent == 0 ? "0" : fabs(percent) < 100 ? "%+.1f" : "%+.0f", percent);
    snprintf(cell->tip, sizeof cell->tip, "%d in, %d out: flows %s %+.2f %% of Eq. 6", in, out,
             d->incoming ? "in" : "out", 100 * value);
}

static void degree_names(char name[static DEGREES][12], const char *list[static DEGREES], const struct degrees *d)
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
    degree_names(column, columns, &g->in);
    degree_names(row, rows, &g->out);
    m.width = m.height = fmax(8, floor(MAP_SIDE / (double)(m.columns > m.rows ? m.columns : m.rows)));
    m.width = m.height = fmin(m.width, 34);
    int width = (int)(m.left + m.width * (double)m.columns + 12);
    int height = (int)(m.top + m.height * (double)m.rows + VIEW_SVG_MAP_BELOW);
    fputs("<p>", p->f);
    for (int i = -SHADES; i <= SHADES; i++) {
        char class[8], text[32];
        snprintf(class, sizeof class, "c-q%d", i + SHADES);
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

/* "941.54 [941.43, 941.65]" */
static void value_text(char text[static 96], const struct analysis_fit_value *v, double scale, int digits)
{
    const double value[] = {v->value / scale, v->low / scale, v->high / scale};
    char part[3][24];
    for (int i = 0; i < 3; i++)
        snprintf(part[i], sizeof part[i], isfinite(value[i]) ? "%.*g" : "-", digits, value[i]);
    snprintf(text, 96, "%s [%s, %s]", part[0], part[1], part[2]);
}

static void form_row(struct view_table *t, const struct analysis_fit *form, double best_aic)
{
    const struct analysis_fit_value *e = form->exponent;
    char a[96], b[96];
    view_table_add(t, "%s%s", analysis_fit_form_name(form->form), form->acks ? "+acks" : "");
    value_text(a, &form->rate_bps, 1e6, 5);
    view_table_add(t, "%s", a);
    if (form->form == ANALYSIS_FIT_POWER) {
        value_text(a, &e[0], 1, 3);
        value_text(b, &e[1], 1, 3);
        view_table_add(t, "a = %s, b = %s", a, b);
    } else if (form->form == ANALYSIS_FIT_NORM) { /* 1/p is finite; p may not be */
        value_text(a, &(struct analysis_fit_value){1 / e[0].value, 1 / e[0].high, 1 / e[0].low}, 1, 3);
        view_table_add(t, "1/p = %s", a);
    } else {
        view_table_add(t, "-");
    }
    double aic = form->aic - best_aic; /* ties differ by rounding */
    view_table_add(t, "%.1f|%.2f|%.2f|%.2f|%.2f", isfinite(aic) ? fmax(aic, 0) : aic, 100 * form->rms_error,
                   100 * form->mean_error, 100 * form->worst_error, 100 * form->cross_validated_error);
}

static void form_data(struct view_table *t, const struct analysis_fit *form)
{
    view_table_add(t, "%s|%s", analysis_fit_form_name(form->form), form->acks ? "yes" : "no");
    VIEW_SWEEP_PAGE_NUMBERS(t, form->rate_bps.value, form->rate_bps.low, form->rate_bps.high, (double)form->parameters,
                            form->aic, form->rms_error, form->mean_error, form->worst_error,
                            form->cross_validated_error);
}

static void show_forms(struct view_sweep_page *p, const char *link, const struct analysis_fit *forms)
{
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "Forms fitted to all of them (%s)", link);
    struct view_table t = view_table_of("form|B Mb/s, 95 %|parameters|dAIC|rms %|mean %|worst %|cross-validated %");
    struct view_table data = view_table_of(
        "form|acks|B_bps|B_low_bps|B_high_bps|parameters|aic|rms_error|mean_error|worst_error|"
        "cross_validated_error");
    for (int i = 0; i < ANALYSIS_FIT_ALL; i++) {
        form_data(&data, &forms[i]);
        if (forms[i].applies)
            form_row(&t, &forms[i], forms[0].aic);
    }
    if (forms[0].rms_error > STUDY_FIT_RESOURCES_MIXED)
        fprintf(p->f, "<p><b>The best is off by %.0f %% (rms): no form fits all of these points, and the bandwidth "
                "means little.</b></p>\n", 100 * forms[0].rms_error);
    view_table_html(p->f, "Which rule these points obey together, best first", &t, 3);
    view_sweep_page_figure_end(
        p, "B is the goodput that one direction alone can carry. eq5 and eq6 are the paper's equations, '+acks' takes "
        "the bytes of ACKs into account; dAIC is Akaike's criterion above the best form's (2 is little, 10 decides); "
        "cross-validated: the rms error of points predicted from all the others. <code>contraflow fit --help</code> "
        "has the formulas.", &data);
}

static void show_grid(struct view_sweep_page *p, const struct grid *g, const char *shown, bool backbone)
{
    struct view_table data;
    char caption[800];
    char letter = backbone ? 'b' : 'a';
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "Fig. 4%c: bandwidth both ways over the %s", letter, shown);
    draw_lines(p, g);
    grid_data(g, &data);
    snprintf(caption, sizeof caption, "As Fig. 4%c of Zhu et al. 2014, whose points are not published as numbers. "
             "Markers: simulated here, mean goodput of all flows with its 95 %% interval. From as many flows in as out "
             "on the lines are one, and markers lie on each other where the rule holds. Lines: Eq. 6, B / max(in, "
             "out)%s, with B fitted to all points. The paper measured B = 940 Mb/s for a 1 Gb/s NIC%s, with deviations "
             "up to 2 %% (sections 5.1 and 5.2).", letter,
             backbone ? ", and no more than the hosts' own links let through" : "",
             backbone ? " and 9.4 Gb/s for the backbone" : "");
    view_sweep_page_figure_end(p, caption, &data);
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "Fig. 4%c: how far off Eq. 6 is (%s)", letter, shown);
    draw_maps(p, g);
    grid_data(g, &data);
    view_sweep_page_figure_end(p, "Simulated bandwidth / Eq. 6 - 1, in %: blue below the rule, orange above. Empty: no "
                               "flow in that direction, or no run.", &data);
}

static void show_link(struct view_sweep_page *p, const struct study_fit_resources *r, const struct study_fit_group *of)
{
    const struct link link = {r->points, &of->all, of->all.n};
    bool backbone = strncmp(of->name, "sw", 2) == 0;
    char shown[256], title[400], group[GROUPS + 1][128], rate[VIEW_TEXT_QUANTITY];
    json_auto_t *others = other_axes(&link);
    size_t n = groups_of(&link, others, group);
    snprintf(shown, sizeof shown, "%s %s, %s", backbone ? "backbone" : "link of", of->name,
             view_text_quantity(of->rate_bps, "b/s", rate));
    if (n > GROUPS)
        fputs("<p>Nothing like Fig. 4 here: runs with as many flows each way differ by more than their seeds.</p>\n",
              p->f);
    for (size_t i = 0; n <= GROUPS && i < n; i++) {
        struct grid g;
        snprintf(title, sizeof title, "%s%s%.127s", shown, group[i][0] ? "; " : "", group[i]);
        grid_make(&g, &link, others, group[i]);
        show_grid(p, &g, title, backbone);
        free(g.place);
    }
    show_forms(p, shown, of->all.fit);
}

bool view_sweep_page_resources(struct view_sweep_page *p, struct error *err UNUSED)
{
    const struct study_fit_resources *r = p->at->fit.state[STUDY_FIT_RESOURCES];
    for (size_t i = 0; i < r->n_groups; i++)
        if (r->groups[i].points > 0)
            show_link(p, r, &r->groups[i]);
    if (r->starved > 0 || r->unfilled > 0)
        fprintf(p->f, "<p>Left out: %zu runs where a flow moved nothing, %zu whose windows do not fill the link.</p>\n",
                r->starved, r->unfilled);
    return true;
}
