/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Both engines over the same points: one against the other, flow by flow. */
#include "view/sweep_page.h"
#include "view/capture_page_parts.h"
#include "view/svg.h"
#include "sweep/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORST 10 /* differences shown one by one */

/* What is compared of a flow: completion times where there are any, as fit does. */
struct pair {
    double native, ns3;
    bool time;
};

static struct pair pair_of(const json_t *d)
{
    struct pair p = {view_json_number(d, "native_s"), view_json_number(d, "ns3_s"), true};
    if (!(p.native > 0 && p.ns3 > 0))
        p = (struct pair){view_json_number(d, "native_bps") / 1e6, view_json_number(d, "ns3_bps") / 1e6, false};
    return p;
}

static void draw(struct view_sweep_page *p, const json_t *differences, bool time)
{
    double low = HUGE_VAL, high = 0;
    const json_t *d;
    char tip[256];
    size_t i;
    json_array_foreach(differences, i, d) {
        struct pair of = pair_of(d);
        if (of.time == time && of.native > 0 && of.ns3 > 0) {
            low = fmin(low, fmin(of.native, of.ns3));
            high = fmax(high, fmax(of.native, of.ns3));
        }
    }
    if (!(high > 0))
        return;
    bool wide = high > 5 * low; /* else too few ticks fall on a logarithmic axis */
    double room = wide ? 0.1 * low : 0.1 * (high - low) + 0.01 * high;
    low -= room;
    high *= wide ? 1.1 : 1;
    high += wide ? 0 : room;
    struct view_svg_frame a = {.x = {low, high, 74, 440, wide},
                               .y = {low, high, 380, 14, wide},
                               .x_ticks = 6,
                               .y_ticks = 6,
                               .x_label = time ? "ns-3, s" : "ns-3, Mb/s",
                               .y_label = time ? "native, s" : "native, Mb/s"};
    view_sweep_page_drawing(p, time ? 1 : 2, 460, 424, time ? "Completion times" : "Rates",
                            "A circle a flow, by what it had "
                            "under ns-3 and under the native engine; on the dashed diagonal both are the same.");
    view_svg_axes(p->f, &a);
    fprintf(p->f, "<path class=\"diagonal\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", a.x.first, a.y.first, a.x.last, a.y.last);
    json_array_foreach(differences, i, d) {
        struct pair of = pair_of(d);
        snprintf(tip, sizeof tip, "%s: native %.5g, ns-3 %.5g, %+.2f %%", json_string_value(json_object_get(d, "flow")),
                 of.native, of.ns3, 100 * view_json_number(d, "difference"));
        if (of.time == time)
            view_svg_mark(p->f, &a, time ? "k0 hollow" : "k1 hollow", VIEW_SVG_CIRCLE, of.ns3, of.native, (double)NAN,
                          0, tip);
    }
    view_svg_end(p->f);
}

static void add_point(struct view_table *t, const json_t *d)
{
    char *point = sweep_axes_label(json_object_get(d, "point"));
    view_table_add(t, "%s", point ? point : "");
    view_table_add(t, "%s", json_string_value(json_object_get(d, "flow")));
    free(point);
}

bool page_engines(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const json_t *part,
                  struct error *err)
{
    static const char *const head[] = {"point", "flow", "native_s", "ns3_s", "native_bps", "ns3_bps", "difference"};
    static const char *const shown[] = {"point", "flow", "native", "ns-3", "unit", "difference %"};
    const json_t *differences = json_object_get(part, "differences"), *d;
    struct view_table t, data;
    size_t i;
    if (json_array_size(differences) == 0) {
        fputs("<p>No flow that both engines have run yet.</p>\n", p->f);
        return true;
    }
    view_table_start(&t, shown, sizeof shown / sizeof *shown);
    view_table_start(&data, head, sizeof head / sizeof *head);
    json_array_foreach(differences, i, d) {
        add_point(&data, d);
        for (size_t k = 2; k < sizeof head / sizeof *head; k++)
            view_sweep_page_number(&data, view_json_number(d, head[k]));
        if (i >= WORST)
            continue;
        struct pair of = pair_of(d);
        add_point(&t, d);
        view_table_add(&t, "%.5g", of.native);
        view_table_add(&t, "%.5g", of.ns3);
        view_table_add(&t, "%s", of.time ? "s" : "Mb/s");
        view_table_add(&t, "%+.2f", 100 * view_json_number(d, "difference"));
    }
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "Both engines: native against ns-3");
    fputs("<div class=\"drawings\">\n", p->f);
    draw(p, differences, true);
    draw(p, differences, false);
    fputs("</div>\n<p>", p->f);
    view_capture_page_say(
        p->f,
        "%.0f flows: mean |difference| %.2f %%, median %.2f %%, 95 %% of them within %.2f %%, largest "
        "%.2f %%; %.0f flows lost segments.",
        view_json_number(part, "flows"), 100 * view_json_number(part, "mean_abs_difference"),
        100 * view_json_number(part, "median_abs_difference"), 100 * view_json_number(part, "p95_abs_difference"),
        100 * view_json_number(part, "max_abs_difference"), view_json_number(part, "lossy_flows"));
    fputs("</p>\n", p->f);
    return view_capture_page_table(p->f, "The largest differences", &t, 2, err) &&
           view_sweep_page_figure_end(
               p, s,
               "Difference: native / ns-3 - 1, of a flow's completion time, or of its rate where it "
               "has no end.",
               &data, err);
}
