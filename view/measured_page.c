/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/measured_page.h"

#include "results/directory.h"
#include "view/capture_page_parts.h"
#include "view/page.h"
#include "view/svg.h"

#define WIDTH 960
#define LEFT 70
#define RIGHT 16
#define TOP 34
#define HEIGHT 190
#define BELOW 42
#define NAME_Y 16

bool view_measured_page_open(struct outfile *page, const char *directory, struct error *err)
{
    MEMORY_LOCAL char *name = results_directory_path(directory, "report.html");
    bool ok = outfile_make_directory(directory, err) && outfile_open(page, name, err);
    if (ok) {
        view_page_begin(page->stream, "contraflow measure", "measure --report", false);
        fputs("<h1>What this network carries, in, out and both ways at once</h1>\n", page->stream);
    }
    return ok;
}

/* What is drawn over time: a line each way, or one, with a level. */
struct measured_lines {
    const double *values[2]; /* the second one may be NULL */
    double level;            /* NAN: none */
    const char *label, *unit, *title;
};

static double measured_top(const struct measured_lines *l, size_t n)
{
    double top = isfinite(l->level) ? l->level : 0;
    for (int way = 0; way < 2 && l->values[way]; way++)
        for (size_t i = 0; i < n; i++)
            top = isfinite(l->values[way][i]) ? fmax(top, l->values[way][i]) : top;
    return top > 0 ? 1.06 * top : 1;
}

/* Over time; above it, the kinds of traffic, and a line under what is judged of each. */
static void measured_draw(FILE *f, const struct view_measured *m, const char *name, size_t number,
                          const struct measured_lines *l)
{
    double end_s = m->width_s * (double)m->n;
    struct view_svg_frame a = {.x = {0, end_s > 0 ? end_s : 1, LEFT, WIDTH - RIGHT, false},
                               .y = {0, measured_top(l, m->n), TOP + HEIGHT, TOP, false},
                               .x_label = "time", .x_unit = "s", .x_ticks = 10, .y_label = l->label, .y_unit = l->unit,
                               .y_ticks = 5};
    MEMORY_LOCAL double *at_s = memory_zeroed(m->n, sizeof *at_s, "times of a drawing");
    char id[32];
    snprintf(id, sizeof id, "%s%zu", name, number);
    for (size_t i = 0; i < m->n; i++)
        at_s[i] = m->width_s * ((double)i + 0.5);
    fputs("<figure>\n<div>", f);
    view_svg_key_line(f, l->values[1] ? "c-in" : "c-c0", l->values[1] ? "into the host" : "round trip");
    view_svg_key_line(f, l->values[1] ? "c-out" : "thin", l->values[1] ? "out of it" : "idle, as nothing else is on the way");
    fputs("</div>\n", f);
    view_svg_begin(f, id, WIDTH, TOP + HEIGHT + BELOW, l->title, "over time");
    view_svg_axes(f, &a);
    for (size_t i = 0; i < m->phases; i++) {
        const struct view_measured_phase *p = &m->phase[i];
        double middle = (view_svg_place(&a.x, p->from_s) + view_svg_place(&a.x, p->to_s)) / 2;
        if (isfinite(middle))
            view_svg_text(f, middle, NAME_Y, "mid small", p->name);
        view_svg_level(f, &a, "edge", p->from_s, p->to_s, a.y.to);
    }
    view_svg_line(f, &a, l->values[1] ? "c-out" : "c-c0", at_s, l->values[0], m->n);
    if (l->values[1])
        view_svg_line(f, &a, "c-in", at_s, l->values[1], m->n);
    view_svg_level(f, &a, "thin", a.x.from, a.x.to, l->level);
    view_svg_end(f);
    view_text_markup(f, "<figcaption>%s. The line above each phase spans what is judged of it, "
                     "which is not its beginning.</figcaption>\n</figure>\n", l->title);
}

void view_measured_page_add(FILE *f, size_t number, const struct view_measured *m, struct view_table *figures,
                            size_t texts)
{
    const struct analysis_resource *r = m->resource;
    const struct measured_lines rates = {{m->rate_bps[0], m->rate_bps[1]}, NAN, "goodput", "b/s", "What went each way"};
    const struct measured_lines waits = {{m->wait_s[0], m->wait_s[1]}, NAN, "wait", "s",
                                         "What a small packet that goes this way waits, beyond the least"};
    const struct measured_lines rounds = {{m->round_s, NULL}, m->idle_s, "round trip", "s",
                                          "How long a small packet and its answer take"};
    fputs("<article class=\"sweeps\">\n", f);
    view_text_markup(f, "<h2>%s", m->servers);
    view_page_origin(f, "measured");
    fputs("</h2>\n", f);
    fprintf(f, "<dl><dt>origin</dt><dd>measured: traffic of contraflow's own between this host and its servers, for "
            "%.1f s</dd><dt>rates</dt><dd>goodput: payload delivered over time, neither headers nor retransmissions"
            "</dd></dl>\n", r->end_s);
    view_capture_page_verdict(f, m->servers, "measured", r);
    measured_draw(f, m, "rates", number, &rates);
    measured_draw(f, m, "rounds", number, &rounds);
    measured_draw(f, m, "waits", number, &waits);
    fputs("<h3>By kind of traffic</h3>\n", f);
    view_table_html(f, NULL, figures, texts);
    fputs("</article>\n", f);
}

bool view_measured_page_finish(struct outfile *page, struct error *err)
{
    fputs("</body>\n</html>\n", page->stream);
    return outfile_commit(page, err) || (outfile_discard(page), false);
}
