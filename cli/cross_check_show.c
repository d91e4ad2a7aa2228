/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cross_check_show.h"

#include "view/table.h"

#include <inttypes.h>
#include <math.h>

enum { NS3 = STUDY_CROSS_CHECK_NS3, NATIVE = STUDY_CROSS_CHECK_NATIVE, ENGINES = STUDY_CROSS_CHECK_ENGINES };

static void show_difference(struct view_table *t, double difference)
{
    view_table_add(t, isfinite(difference) ? "%+.2f %%" : "-", 100 * difference);
}

void cli_cross_check_show_run(const struct study_cross_check_run *run)
{
    static const char *const head[] = {"flow", "ns3 Mb/s", "+-", "native Mb/s", "+-", "differ",
                                       "ns3 s", "native s", "differ", "ns3 retrans", "native retrans"};
    struct view_table t;
    view_table_start(&t, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < run->n; i++) {
        view_table_add(&t, "%s", run->summary[NS3].flows[i].name);
        for (int e = 0; e < ENGINES; e++) {
            view_table_add_number(&t, run->summary[e].flows[i].steady_goodput_bps, 1e6);
            view_table_add_number(&t, run->summary[e].flows[i].steady_ci95_bps, 1e6);
        }
        show_difference(&t, run->difference[i].rate);
        for (int e = 0; e < ENGINES; e++)
            view_table_add_number(&t, study_cross_check_duration_s(&run->summary[e].flows[i]), 1);
        show_difference(&t, run->difference[i].duration);
        for (int e = 0; e < ENGINES; e++)
            view_table_add(&t, "%" PRId64, run->summary[e].flows[i].retransmitted_segments);
    }
    printf("%s: %s against %s, simulated steady goodput%s\n", run->label, run->summary[NATIVE].engine,
           run->summary[NS3].engine, run->judged ? "" : "; losses: not judged");
    view_table_print(&t, "  ", 1, stdout);
}

void cli_cross_check_show_end(const struct study_cross_check *c)
{
    printf("%d figures judged, largest difference %.2f %%: %s\n", c->judged, 100 * c->worst,
           c->failed ? "the engines disagree" : c->judged ? "the engines agree" : "nothing to judge");
}

static json_t *show_flow_json(const struct study_cross_check_run *run, size_t i)
{
    const struct results_flow *ns3 = &run->summary[NS3].flows[i], *native = &run->summary[NATIVE].flows[i];
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I}", "flow", ns3->name, "ns3_steady_goodput_bps",
                     view_table_json_number(ns3->steady_goodput_bps), "native_steady_goodput_bps",
                     view_table_json_number(native->steady_goodput_bps), "rate_difference",
                     view_table_json_number(run->difference[i].rate), "ns3_duration_s",
                     view_table_json_number(study_cross_check_duration_s(ns3)), "native_duration_s",
                     view_table_json_number(study_cross_check_duration_s(native)), "duration_difference",
                     view_table_json_number(run->difference[i].duration), "ns3_retransmitted_segments",
                     (json_int_t)ns3->retransmitted_segments, "native_retransmitted_segments",
                     (json_int_t)native->retransmitted_segments);
}

void cli_cross_check_show_json(const struct study_cross_check *c)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < c->n; i++) {
        const struct study_cross_check_run *run = &c->run[i];
        json_t *flows = json_array();
        for (size_t k = 0; k < run->n; k++)
            json_array_append_new(flows, show_flow_json(run, k));
        json_array_append_new(runs, json_pack("{s:s, s:b, s:o}", "run", run->label, "judged", run->judged, "flows",
                                              flows));
    }
    json_t *all = json_pack("{s:o, s:i, s:i, s:f}", "runs", runs, "judged", c->judged, "failed", c->failed,
                            "worst_difference", c->worst);
    json_dumpf(all, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(all);
}
