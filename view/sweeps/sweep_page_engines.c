/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Both engines over the same points: one against the other, flow by flow. */
#include "study/fit/fit_engines.h"
#include "view/svg.h"
#include "view/sweeps/sweep_page.h"
#include "view/text.h"

#define ENGINES_WORST 10 /* differences shown one by one */

/* What is compared of a flow: completion times where there are any, as the fit does. */
struct pair {
    double native, ns3;
    const char *unit;
};

static struct pair pair_of(const struct study_fit_engines_difference *d)
{
    if (d->native->time_s > 0 && d->ns3->time_s > 0)
        return (struct pair){d->native->time_s, d->ns3->time_s, "s"};
    return (struct pair){d->native->rate_bps, d->ns3->rate_bps, "b/s"};
}

static void draw_pairs(struct view_sweep_page *p, const struct study_fit_engines *e, bool time)
{
    double low = HUGE_VAL, high = 0;
    char tip[256], text[2][VIEW_TEXT_QUANTITY];
    for (size_t i = 0; i < e->n_differences; i++) {
        struct pair of = pair_of(&e->differences[i]);
        if ((*of.unit == 's') == time && of.native > 0 && of.ns3 > 0) {
            low = fmin(low, fmin(of.native, of.ns3));
            high = fmax(high, fmax(of.native, of.ns3));
        }
    }
    if (!(high > 0))
        return;
    bool wide = high > 5 * low; /* else too few ticks fall on a logarithmic axis */
    double room = wide ? 0.1 * low : 0.1 * (high - low) + 0.01 * high;
    low -= room;
    high = wide ? 1.1 * high : high + room;
    const char *unit = time ? "s" : "b/s";
    struct view_svg_frame a = {.x = {low, high, 74, 440, wide}, .y = {low, high, 380, 14, wide}, .x_ticks = 6,
                               .y_ticks = 6, .x_label = "ns-3", .y_label = "native", .x_unit = unit, .y_unit = unit};
    view_sweep_page_drawing(p, time ? 1 : 2, 460, 424, time ? "Completion times" : "Rates", "A circle a flow, by what "
                            "it had under ns-3 and under the native engine; on the dashed diagonal both are the same.");
    view_svg_axes(p->f, &a);
    fprintf(p->f, "<path class=\"diagonal\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", a.x.first, a.y.first, a.x.last, a.y.last);
    for (size_t i = 0; i < e->n_differences; i++) {
        const struct study_fit_engines_difference *d = &e->differences[i];
        struct pair of = pair_of(d);
        snprintf(tip, sizeof tip, "%s: native %s, ns-3 %s, %+.2f %%", d->native->name,
                 view_text_quantity(of.native, of.unit, text[0]), view_text_quantity(of.ns3, of.unit, text[1]),
                 100 * d->share);
        if ((*of.unit == 's') == time)
            view_svg_mark(p->f, &a, "c-c0 hollow", VIEW_SVG_CIRCLE, of.ns3, of.native, (double)NAN, 0, tip);
    }
    view_svg_end(p->f);
}

static void add_flow(struct view_table *t, const struct study_fit_engines_difference *d)
{
    json_auto_t *axes = json_loads(d->native->point, 0, NULL);
    MEMORY_LOCAL char *point = sweep_axes_label(axes);
    view_table_add(t, "%s|%s", point, d->native->name);
}

bool view_sweep_page_engines(struct view_sweep_page *p, struct error *err UNUSED)
{
    const struct study_fit_engines *e = p->at->fit.state[STUDY_FIT_ENGINES];
    char text[2][VIEW_TEXT_QUANTITY];
    if (e->n_differences == 0) {
        fputs("<p>No flow that both engines have run yet.</p>\n", p->f);
        return true;
    }
    struct view_table t = view_table_of("point|flow|native|ns-3|difference %");
    struct view_table data = view_table_of("point|flow|native_s|ns3_s|native_bps|ns3_bps|difference");
    for (size_t i = 0; i < e->n_differences; i++) {
        const struct study_fit_engines_difference *d = &e->differences[i];
        add_flow(&data, d);
        VIEW_SWEEP_PAGE_NUMBERS(&data, d->native->time_s, d->ns3->time_s, d->native->rate_bps, d->ns3->rate_bps,
                                d->share);
        if (i >= ENGINES_WORST)
            continue;
        struct pair of = pair_of(d);
        add_flow(&t, d);
        view_table_add(&t, "%s|%s|%+.2f", view_text_quantity(of.native, of.unit, text[0]),
                       view_text_quantity(of.ns3, of.unit, text[1]), 100 * d->share);
    }
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "Both engines: native against ns-3");
    fputs("<div class=\"drawings\">\n", p->f);
    draw_pairs(p, e, true);
    draw_pairs(p, e, false);
    fprintf(p->f, "</div>\n<p>%zu flows: mean |difference| %.2f %%, median %.2f %%, 95 %% of them within %.2f %%, "
            "largest %.2f %%; %zu flows lost segments.</p>\n", e->n_differences, 100 * e->mean, 100 * e->median,
            100 * e->p95, 100 * e->largest, e->n_lossy);
    view_table_html(p->f, "The largest differences", &t, 2);
    view_sweep_page_figure_end(p, "Difference: native / ns-3 - 1, of a flow's completion time, or of its rate where it "
                               "has no end.", &data);
    return true;
}
