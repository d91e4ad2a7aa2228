/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/measured_page.h"

#include "base/memory.h"
#include "results/directory.h"
#include "view/capture_page_parts.h"
#include "view/page.h"
#include "view/svg.h"
#include "view/text.h"

#include <math.h>
#include <stdlib.h>

#define WIDTH 960
#define LEFT 70
#define RIGHT 16
#define TOP 34
#define HEIGHT 190
#define BELOW 42
#define NAME_Y 16

bool view_measured_page_open(struct outfile *page, const char *directory, struct error *err)
{
    char *name = results_directory_path(directory, "report.html");
    bool ok = outfile_make_directory(directory, err) && outfile_open(page, name, err);
    free(name);
    if (ok) {
        view_page_begin(page->stream, "contraflow measure", "measure --report", false);
        fputs("<h1>What this network carries, in, out and both ways at once</h1>\n", page->stream);
    }
    return ok;
}

static double measured_top(const double *const values[2], size_t n)
{
    double top = 0;
    for (int way = 0; way < 2; way++)
        for (size_t i = 0; i < n; i++)
            top = isfinite(values[way][i]) ? fmax(top, values[way][i]) : top;
    return top > 0 ? 1.06 * top : 1;
}

/* Both ways over time; above it, the kinds of traffic, and a line under what is judged of each. */
static void measured_draw(FILE *f, const struct view_measured *m, const char *id, const double *const values[2],
                          const char *label, const char *unit, const char *title)
{
    double end_s = m->width_s * (double)m->n;
    struct view_svg_frame a = {.x = {0, end_s > 0 ? end_s : 1, LEFT, WIDTH - RIGHT, false},
                               .y = {0, measured_top(values, m->n), TOP + HEIGHT, TOP, false},
                               .x_label = "time", .x_unit = "s", .x_ticks = 10, .y_label = label, .y_unit = unit,
                               .y_ticks = 5};
    double *at_s = memory_zeroed(m->n, sizeof *at_s, "times of a drawing");
    for (size_t i = 0; i < m->n; i++)
        at_s[i] = m->width_s * ((double)i + 0.5);
    fputs("<figure>\n<div>", f);
    view_svg_key_line(f, "c-in", "into the host");
    view_svg_key_line(f, "c-out", "out of it");
    fputs("</div>\n", f);
    view_svg_begin(f, id, WIDTH, TOP + HEIGHT + BELOW, title, "a line a direction, over time");
    view_svg_axes(f, &a);
    for (size_t i = 0; i < m->phases; i++) {
        const struct view_measured_phase *p = &m->phase[i];
        double middle = (view_svg_place(&a.x, p->from_s) + view_svg_place(&a.x, p->to_s)) / 2;
        if (isfinite(middle))
            view_svg_text(f, middle, NAME_Y, "mid small", p->name);
        view_svg_level(f, &a, "edge", p->from_s, p->to_s, a.y.to);
    }
    view_svg_line(f, &a, "c-out", at_s, values[0], m->n);
    view_svg_line(f, &a, "c-in", at_s, values[1], m->n);
    view_svg_end(f);
    view_text_markup(f, "<figcaption>%s. The line above each phase spans what is judged of it, "
                     "which is not its beginning.</figcaption>\n</figure>\n", title);
    free(at_s);
}

void view_measured_page_add(FILE *f, size_t number, const struct view_measured *m, struct view_table *figures,
                            size_t texts)
{
    char id[32];
    const struct analysis_resource *r = m->resource;
    fputs("<article class=\"sweeps\">\n", f);
    view_text_markup(f, "<h2>%s", m->servers);
    view_page_origin(f, "measured");
    fputs("</h2>\n", f);
    fprintf(f, "<dl><dt>origin</dt><dd>measured: traffic of contraflow's own between this host and its servers, for "
            "%.1f s</dd><dt>rates</dt><dd>goodput: payload delivered over time, neither headers nor retransmissions"
            "</dd></dl>\n", r->end_s);
    view_capture_page_verdict(f, m->servers, "measured", r);
    view_text_markup(f, "<p>%s</p>\n", m->latency);
    snprintf(id, sizeof id, "rates%zu", number);
    measured_draw(f, m, id, m->rate_bps, "goodput", "b/s", "What went each way");
    snprintf(id, sizeof id, "waits%zu", number);
    measured_draw(f, m, id, m->wait_s, "wait", "s", "What a small packet that goes this way waits, beyond the least");
    fputs("<h3>By kind of traffic</h3>\n", f);
    view_table_html(f, NULL, figures, texts);
    fputs("</article>\n", f);
}

bool view_measured_page_finish(struct outfile *page, struct error *err)
{
    fputs("</body>\n</html>\n", page->stream);
    return outfile_commit(page, err) || (outfile_discard(page), false);
}
