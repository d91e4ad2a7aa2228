/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/show.h"
#include "results/json.h"

void cli_cross_check_show_run(const struct study_cross_check_run *run, const char *const *names)
{
    char head[256] = "flow";
    for (size_t e = 0; e < run->n_engines; e++)
        text_add(head, sizeof head, "|%s Mb/s|+-%s", names[e], e > 0 ? "|differ" : "");
    for (size_t e = 0; e < run->n_engines; e++)
        text_add(head, sizeof head, "|%s s%s", names[e], e > 0 ? "|differ" : "");
    for (size_t e = 0; e < run->n_engines; e++)
        text_add(head, sizeof head, "|%s retrans", names[e]);
    struct view_table t = view_table_of(head);
    for (size_t i = 0; i < run->n; i++) {
        view_table_add(&t, "%s", run->summary[0].flows[i].name);
        for (size_t e = 0; e < run->n_engines; e++) {
            view_table_add(&t, "%f|%f", run->summary[e].flows[i].steady_goodput_bps / 1e6,
                           run->summary[e].flows[i].steady_ci95_bps / 1e6);
            if (e > 0)
                view_table_add(&t, "%+.2f %%", 100 * run->difference[e][i].rate);
        }
        for (size_t e = 0; e < run->n_engines; e++) {
            view_table_add(&t, "%f", study_cross_check_duration_s(&run->summary[e].flows[i]));
            if (e > 0)
                view_table_add(&t, "%+.2f %%", 100 * run->difference[e][i].duration);
        }
        for (size_t e = 0; e < run->n_engines; e++)
            view_table_add(&t, "%" PRId64, run->summary[e].flows[i].retransmitted_segments);
    }
    printf("%s: %s%s%s against %s, simulated steady goodput%s\n", cli_name(run->label), run->summary[1].engine,
           run->n_engines > 2 ? " and " : "", run->n_engines > 2 ? run->summary[2].engine : "",
           run->summary[0].engine, run->judged ? "" : "; losses: not judged");
    view_table_print(&t, "  ", 1, stdout);
}

void cli_cross_check_show_end(const struct study_cross_check *c)
{
    printf("%d figures judged, largest difference %.2f %%: %s\n", c->judged, 100 * c->worst,
           c->failed ? "the engines disagree" : c->judged ? "the engines agree" : "nothing to judge");
}

static void show_add(json_t *flow, const char *engine, const char *name, double value)
{
    char key[96];
    snprintf(key, sizeof key, "%s%s%s", engine, engine[0] ? "_" : "", name);
    json_object_set_new(flow, key, results_json_number(value));
}

/* The differences of two engines need no name. */
static json_t *cross_check_flow_json(const struct study_cross_check_run *run, const char *const *names, size_t i)
{
    json_t *flow = results_json("flow:s", run->summary[0].flows[i].name);
    for (size_t e = 0; e < run->n_engines; e++) {
        const struct results_flow *f = &run->summary[e].flows[i];
        const char *whose = run->n_engines > 2 ? names[e] : "";
        char key[96];
        show_add(flow, names[e], "steady_goodput_bps", f->steady_goodput_bps);
        show_add(flow, names[e], "duration_s", study_cross_check_duration_s(f));
        snprintf(key, sizeof key, "%s_retransmitted_segments", names[e]);
        json_object_set_new(flow, key, json_integer(f->retransmitted_segments));
        if (e > 0) {
            show_add(flow, whose, "rate_difference", run->difference[e][i].rate);
            show_add(flow, whose, "duration_difference", run->difference[e][i].duration);
        }
    }
    return flow;
}

void cli_cross_check_show_json(const struct study_cross_check *c, const char *const *names)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < c->n; i++) {
        const struct study_cross_check_run *run = &c->run[i];
        json_t *flows = json_array();
        for (size_t k = 0; k < run->n; k++)
            json_array_append_new(flows, cross_check_flow_json(run, names, k));
        results_json_append(runs, "run:s judged:b flows:o", run->label, run->judged, flows);
    }
    json_t *all = results_json("runs:o judged:i failed:i worst_difference:f", runs, c->judged, c->failed, c->worst);
    cli_print_json(cli_json("cross-check:1", all));
}
