/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What waiting ACKs cost, queue by queue: a figure a rate, in it a map of queues and senders for each number of flows. */
#include "study/fit/fit_remedies.h"
#include "view/svg.h"
#include "view/sweeps/sweep_page.h"
#include "view/text.h"

#define REMEDIES_WIDTH 116
#define WIDTH_NICS 150 /* where NICs have names, too */
#define REMEDIES_HEIGHT 24
#define REMEDIES_LEFT 250
#define REMEDIES_TOP 26
#define MIDDLE 4    /* the shade that says even */
#define DARKEST 0.4 /* lost, of the darkest shade */

/* The points of a panel of a rate: queues by column. */
struct remedies_map {
    const struct study_fit_remedies *m;
    double rate_bps;
    const char *collective, *panel;
    const char **row, **queues; /* owned; borrowed names; the first row is at the bottom */
    size_t rows, columns;
};

static bool map_has(const struct remedies_map *v, const struct study_fit_remedies_point *p)
{
    return p->rate_bps == v->rate_bps && p->collective == v->collective;
}

static const struct study_fit_remedies_point *map_point(const struct remedies_map *v, size_t column, size_t row)
{
    for (size_t i = 0; i < v->m->n; i++) {
        const struct study_fit_remedies_point *p = &v->m->points[i];
        if (map_has(v, p) && strcmp(p->panel, v->panel) == 0 && strcmp(p->row, v->row[row]) == 0 && strcmp(p->queues, v->queues[column]) == 0)
            return p;
    }
    return NULL;
}

static void map_cell(void *user, size_t column, size_t row, struct view_svg_cell *cell)
{
    const struct study_fit_remedies_point *p = map_point(user, column, row);
    char text[2][VIEW_TEXT_QUANTITY];
    if (!p || !isfinite(p->lost))
        return;
    long shade = MIDDLE + lround(fmax(-1, fmin(1, p->lost / DARKEST)) * MIDDLE);
    cell->edge = -1;
    snprintf(cell->class, sizeof cell->class, "c-q%ld", shade);
    snprintf(cell->text, sizeof cell->text, "%.0f", fabs(p->lost) < 0.005 ? 0.0 : 100 * p->lost);
    if (p->collective)
        snprintf(cell->tip, sizeof cell->tip, "bus %s: %.1f %% less", view_text_quantity(p->in_bps, "b/s", text[0]),
                 100 * p->lost);
    else
        snprintf(cell->tip, sizeof cell->tip, "in %s, out %s: %.1f %% less together, %.1f %% in the worse way",
             view_text_quantity(p->in_bps, "b/s", text[0]), view_text_quantity(p->out_bps, "b/s", text[1]), 100 * p->lost,
             100 * p->lost_most);
}

/* Adds a name that is not among them. */
static size_t map_name(const char **names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return n;
    names[n] = name;
    return n + 1;
}

static void remedies_map_draw(struct view_sweep_page *p, struct remedies_map *v, int part)
{
    int cell = v->collective ? WIDTH_NICS : REMEDIES_WIDTH, width = REMEDIES_LEFT + cell * (int)v->columns + 10;
    view_sweep_page_drawing(p, part, width, REMEDIES_TOP + REMEDIES_HEIGHT * (int)v->rows + VIEW_SVG_MAP_BELOW, v->panel,
                            v->collective ? "What is lost of the bus bandwidth, in percent, by hosts, bytes and queues."
                                          : "What both ways lose together, in percent, by senders and queues.");
    view_svg_map(p->f, &(struct view_svg_map){.left = REMEDIES_LEFT, .top = REMEDIES_TOP, .width = cell, .height = REMEDIES_HEIGHT,
                                              .columns = v->columns, .rows = v->rows, .column_name = v->queues,
                                              .row_name = v->row, .title = v->panel,
                                              .x_label = "queue at the switch's ports", .cell = map_cell, .user = v});
    view_svg_end(p->f);
}

/* The maps of a rate: rows[from..to) are its queues. */
static void rate_draw(struct view_sweep_page *p, const struct study_fit_remedies *m, size_t from, size_t to)
{
    struct remedies_map v = {.m = m, .rate_bps = m->rows[from].rate_bps, .collective = m->rows[from].collective,
                    .row = memory_zeroed(m->n, sizeof *v.row, "a map of queues"),
                    .queues = memory_zeroed(m->n, sizeof *v.queues, "a map of queues")};
    int part = 0;
    for (size_t i = from; i < to; i++)
        v.queues[v.columns++] = m->rows[i].queues;
    for (size_t i = m->n; i-- > 0;)
        if (map_has(&v, &m->points[i]))
            v.rows = map_name(v.row, v.rows, m->points[i].row);
    for (size_t i = 0; i < m->n; i++) {
        const struct study_fit_remedies_point *a = &m->points[i];
        bool seen = !map_has(&v, a);
        for (size_t k = 0; k < i && !seen; k++)
            seen = map_has(&v, &m->points[k]) && strcmp(m->points[k].panel, a->panel) == 0;
        v.panel = a->panel;
        if (!seen)
            remedies_map_draw(p, &v, ++part);
    }
    MEMORY_FREE(v.row, v.queues);
}

static void rate_table(struct view_sweep_page *p, const struct study_fit_remedies *m, size_t from, size_t to)
{
    struct view_table t = view_table_of(
        "queue at the ports|points|lost %, mean|of the worse way %|lose over 5 %|data wait ms|worst %|by");
    for (size_t i = from; i < to; i++) {
        const struct study_fit_remedies_row *r = &m->rows[i];
        view_table_add(&t, "%s|%zu|%.1f|%.1f|%zu|%.2f|%.1f|%s, %d/%d", r->queues, r->n, 100 * r->lost, 100 * r->lost_most,
                       r->suffer, 1e3 * r->data_wait_s, 100 * r->worst->lost, r->worst->stack, r->worst->in,
                       r->worst->out);
    }
    view_table_html(p->f, "All senders and numbers of flows together", &t, 1);
}

static void collective_table(struct view_sweep_page *p, const struct study_fit_remedies *m, size_t from, size_t to)
{
    struct view_table t = view_table_of(
        "queue at the ports|points|bus bandwidth lost %, mean|lose over 5 %|data wait ms|ACK wait ms|"
        "ACKs compressed %|short of none %, mean|worst %|by");
    for (size_t i = from; i < to; i++) {
        const struct study_fit_remedies_row *r = &m->rows[i];
        view_table_add(&t, "%s|%zu|%.1f|%zu|%.3f|%.3f|%.0f|%.1f|%.1f|%s, %s", r->queues, r->n, 100 * r->lost, r->suffer,
                       1e3 * r->data_wait_s, 1e3 * r->ack_wait_s, 100 * r->compressed, 100 * r->lacks,
                       100 * r->worst->lost, r->worst->panel, r->worst->row);
    }
    view_table_html(p->f, "All senders, hosts and bytes together", &t, 1);
}

/* The figure of a rate's flows, or of a collective's at a rate. */
static void rate_figure(struct view_sweep_page *p, const struct study_fit_remedies *m, size_t from, size_t to)
{
    double rate_bps = m->rows[from].rate_bps;
    const char *collective = m->rows[from].collective;
    char rate[UNITS_TEXT];
    units_format_rate((int64_t)rate_bps, rate);
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "What waiting ACKs cost%s%s at %s, queue by queue",
                           collective ? " a " : "", collective ? collective : "", rate);
    fputs("<div class=\"drawings\">\n", p->f);
    rate_draw(p, m, from, to);
    fputs("</div>\n", p->f);
    (collective ? collective_table : rate_table)(p, m, from, to);
    struct view_table data = view_table_of(
        collective ? "point|stack|what|queues|bus_bps|ideal_bus_bps|data_wait_s|ack_wait_s|compressed_share|lost_share"
        : "point|stack|in|out|queues|in_bps|out_bps|data_wait_s|lost_share|lost_share_worse_way");
    for (size_t i = 0; i < m->n; i++) {
        const struct study_fit_remedies_point *a = &m->points[i];
        if (a->rate_bps != rate_bps || a->collective != collective)
            continue;
        view_table_add(&data, "%" PRId64 "|%s", a->number, a->stack);
        if (collective) {
            view_table_add(&data, "%s|%s", a->row, a->queues);
            VIEW_SWEEP_PAGE_NUMBERS(&data, a->in_bps, a->ideal_bps, a->data_wait_s, a->ack_wait_s, a->compressed, a->lost);
        } else {
            view_table_add(&data, "%d|%d|%s", a->in, a->out, a->queues);
            VIEW_SWEEP_PAGE_NUMBERS(&data, a->in_bps, a->out_bps, a->data_wait_s, a->lost, a->lost_most);
        }
    }
    view_sweep_page_figure_end(p, collective
        ? "Lost: 1 - bus bandwidth / that with ACKs first at every NIC and port, in percent; below 0: more than that. Short of "
          "none: of what a network without ACKs and with open windows would carry."
        : "Lost: 1 - goodput / goodput of the same flows with ACKs first at every NIC and port, both ways together, in percent; "
          "below 0: more than that.", &data);
}

bool view_sweep_page_remedies(struct view_sweep_page *p, struct error *err UNUSED)
{
    const struct study_fit_remedies *m = p->at->fit.state[STUDY_FIT_REMEDIES];
    for (size_t from = 0, to; from < m->n_rows; from = to) {
        for (to = from; to < m->n_rows && m->rows[to].rate_bps == m->rows[from].rate_bps &&
                        m->rows[to].collective == m->rows[from].collective; to++)
            ;
        rate_figure(p, m, from, to);
    }
    return true;
}
