/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cross_check_show.h"

#include "cli/cli.h"

#include "results/json.h"
#include "view/table.h"

#include <inttypes.h>
#include <math.h>

enum { NS3 = STUDY_CROSS_CHECK_NS3, NATIVE = STUDY_CROSS_CHECK_NATIVE, ENGINES = STUDY_CROSS_CHECK_ENGINES };

void cli_cross_check_show_run(const struct study_cross_check_run *run)
{
    struct view_table t;
    view_table_head(&t, "flow|ns3 Mb/s|+-|native Mb/s|+-|differ|ns3 s|native s|differ|ns3 retrans|native retrans");
    for (size_t i = 0; i < run->n; i++) {
        view_table_add(&t, "%s", run->summary[NS3].flows[i].name);
        for (int e = 0; e < ENGINES; e++) {
            view_table_add(&t, "%f|%f", run->summary[e].flows[i].steady_goodput_bps / 1e6,
                           run->summary[e].flows[i].steady_ci95_bps / 1e6);
        }
        view_table_add(&t, "%+.2f %%", 100 * run->difference[i].rate);
        for (int e = 0; e < ENGINES; e++)
            view_table_add(&t, "%f", study_cross_check_duration_s(&run->summary[e].flows[i]));
        view_table_add(&t, "%+.2f %%", 100 * run->difference[i].duration);
        for (int e = 0; e < ENGINES; e++)
            view_table_add(&t, "%" PRId64, run->summary[e].flows[i].retransmitted_segments);
    }
    printf("%s: %s against %s, simulated steady goodput%s\n", cli_name(run->label), run->summary[NATIVE].engine,
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
    return results_json("flow:s ns3_steady_goodput_bps:f native_steady_goodput_bps:f rate_difference:f "
                        "ns3_duration_s:f native_duration_s:f duration_difference:f ns3_retransmitted_segments:l "
                        "native_retransmitted_segments:l", ns3->name, ns3->steady_goodput_bps,
                        native->steady_goodput_bps, run->difference[i].rate, study_cross_check_duration_s(ns3),
                        study_cross_check_duration_s(native), run->difference[i].duration, ns3->retransmitted_segments,
                        native->retransmitted_segments);
}

void cli_cross_check_show_json(const struct study_cross_check *c)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < c->n; i++) {
        const struct study_cross_check_run *run = &c->run[i];
        json_t *flows = json_array();
        for (size_t k = 0; k < run->n; k++)
            json_array_append_new(flows, show_flow_json(run, k));
        json_array_append_new(runs, results_json("run:s judged:b flows:o", run->label, run->judged, flows));
    }
    json_t *all = results_json("runs:o judged:i failed:i worst_difference:f", runs, c->judged, c->failed, c->worst);
    json_dumpf(all, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(all);
}
