/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/cross_check.h"

#include "view/table.h"
#include "scenarios/directory.h"

#include <math.h>
#include <stdlib.h>

bool study_cross_check_init(struct study_cross_check *c, struct error *err)
{
    *c = (struct study_cross_check){.runs = json_array()};
    return c->runs || error_set(err, ERROR_SYSTEM, "out of memory");
}

void study_cross_check_fini(struct study_cross_check *c)
{
    json_decref(c->runs);
}

static json_t *summary_load(const char *directory, struct error *err)
{
    char *path = scenario_directory_path(directory, "summary.json", err);
    json_error_t why;
    json_t *summary = path ? json_load_file(path, 0, &why) : NULL;
    if (path && !summary)
        error_set(err, ERROR_SYSTEM, "%s: %s", path, why.text);
    free(path);
    return summary;
}

static double duration(const json_t *flow)
{
    bool done = json_is_true(json_object_get(flow, "done"));
    return done ? view_json_number(flow, "end_s") - view_json_number(flow, "start_s") : NAN;
}

static bool loses(const json_t *flows)
{
    size_t i;
    const json_t *flow;
    json_array_foreach(flows, i, flow) if (view_json_number(flow, "retransmitted_segments") > 0) return true;
    return false;
}

/* Native against ns-3, relative; counts it when it is to be judged. */
static double difference(struct study_cross_check *c, double ns3, double native, bool judge, double tolerance)
{
    double d = native / ns3 - 1;
    if (!judge || !isfinite(d))
        return d;
    c->judged++;
    c->failed += fabs(d) > tolerance;
    c->worst = fmax(c->worst, fabs(d));
    return d;
}

static void add_percent(struct view_table *t, double d)
{
    if (isfinite(d))
        view_table_add(t, "%+.2f %%", 100 * d);
    else
        view_table_add(t, "-");
}

static void add_rate(struct view_table *t, const json_t *flow)
{
    view_table_add_number(t, view_json_number(flow, "steady_goodput_bps"), 1e6);
    view_table_add_number(t, view_json_number(flow, "steady_ci95_bps"), 1e6);
}

static json_t *compare_flow(struct study_cross_check *c, const json_t *ns3, const json_t *native, bool judge,
                            struct view_table *t)
{
    double rates[2] = {view_json_number(ns3, "steady_goodput_bps"), view_json_number(native, "steady_goodput_bps")};
    double times[2] = {duration(ns3), duration(native)};
    double by_rate = difference(c, rates[0], rates[1], judge && !isfinite(times[0]), STUDY_CROSS_CHECK_RATE);
    double by_time = difference(c, times[0], times[1], judge, STUDY_CROSS_CHECK_COMPLETION);
    view_table_add(t, "%s", json_string_value(json_object_get(ns3, "flow")));
    add_rate(t, ns3);
    add_rate(t, native);
    add_percent(t, by_rate);
    for (int i = 0; i < 2; i++)
        view_table_add_number(t, times[i], 1);
    add_percent(t, by_time);
    view_table_add(t, "%.0f", view_json_number(ns3, "retransmitted_segments"));
    view_table_add(t, "%.0f", view_json_number(native, "retransmitted_segments"));
    return json_pack("{s:O, s:o, s:o, s:o, s:o, s:o, s:o, s:O, s:O}", "flow", json_object_get(ns3, "flow"),
                     "ns3_steady_goodput_bps", view_table_json_number(rates[0]), "native_steady_goodput_bps",
                     view_table_json_number(rates[1]), "rate_difference", view_table_json_number(by_rate),
                     "ns3_duration_s", view_table_json_number(times[0]), "native_duration_s",
                     view_table_json_number(times[1]), "duration_difference", view_table_json_number(by_time),
                     "ns3_retransmitted_segments", json_object_get(ns3, "retransmitted_segments"),
                     "native_retransmitted_segments", json_object_get(native, "retransmitted_segments"));
}

bool study_cross_check_add(struct study_cross_check *c, const char *label, const char *ns3_directory,
                           const char *native_directory, bool quiet, struct error *err)
{
    static const char *const head[] = {"flow", "ns3 Mb/s", "+-", "native Mb/s", "+-", "differ",
                                       "ns3 s", "native s", "differ", "ns3 retrans", "native retrans"};
    json_t *ns3 = summary_load(ns3_directory, err), *native = ns3 ? summary_load(native_directory, err) : NULL;
    bool ok = native != NULL;
    const json_t *a = json_object_get(ns3, "flows"), *b = json_object_get(native, "flows");
    bool judge = !loses(a) && !loses(b);
    json_t *flows = json_array();
    struct view_table t;
    view_table_start(&t, head, sizeof head / sizeof *head);
    for (size_t i = 0; ok && i < json_array_size(a); i++)
        json_array_append_new(flows, compare_flow(c, json_array_get(a, i), json_array_get(b, i), judge, &t));
    if (ok && !quiet) {
        printf("%s: %s against %s, simulated steady goodput%s\n", label,
               json_string_value(json_object_get(native, "engine")), json_string_value(json_object_get(ns3, "engine")),
               judge ? "" : "; losses: not judged");
        ok = view_table_print(&t, "  ", 1, stdout, err);
    } else {
        view_table_fini(&t);
    }
    json_array_append_new(c->runs, json_pack("{s:s, s:b, s:o}", "run", label, "judged", judge, "flows", flows));
    json_decref(ns3);
    json_decref(native);
    return ok;
}
