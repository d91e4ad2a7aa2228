/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/predict/predict.h"
#include "results/json.h"
#include "view/table.h"

static const char *message_source(const struct model_tam_cost *cost, bool both)
{
    if (both)
        return "Tam 2001, Eq. 2.7";
    return cost->stage == MODEL_TAM_RECEIVE ? "Tam 2001, Eq. 3.1" : "Tam 2001, Eq. 2.6";
}

static double message_goodput_bps(const struct cli_predict_host *h, const struct model_tam_cost *cost)
{
    return 8 * (double)h->message_bytes / cost->time_s;
}

static json_t *message_json(const struct cli_predict_host *h, const struct model_tam_cost *cost, bool both)
{
    return results_json("time_s:f goodput_bps:f gap_s:f bottleneck:s source:s", cost->time_s,
                        message_goodput_bps(h, cost), cost->gap_s, model_tam_stage_name(cost->stage),
                        message_source(cost, both));
}

static void message_row(struct view_table *t, const struct cli_predict_host *h, const char *name,
                        const struct model_tam_cost *cost, bool both)
{
    view_table_add(t, "%s|%.3f|%.2f|%.3f|%s|%s", name, cost->time_s * 1e6, message_goodput_bps(h, cost) / 8e6,
                   cost->gap_s * 1e6, model_tam_stage_name(cost->stage), message_source(cost, both));
}

int cmd_predict_message(int argc, char **argv)
{
    struct cli_predict_host h;
    struct model_tam_cost one, both;
    struct error err = {0};
    int at = cli_predict_host_read("predict message", argc, argv, &h, &err);
    if (at <= 0)
        return at ? cli_fail(&err) : 0;
    if (!model_tam_point_to_point(&h.t, (size_t)h.processes, h.k, &one, &err) ||
        !model_tam_exchange(&h.t, (size_t)h.processes, h.k, &both, &err))
        return cli_fail(&err);
    if (h.json) {
        json_t *json = cli_predict_host_json(&h);
        json_object_update_new(json, results_json("one_way:o both_ways:o", message_json(&h, &one, false),
                                                  message_json(&h, &both, true)));
        cli_print_json(cli_json("predict-message:1", json));
        return 0;
    }
    cli_predict_host_show(&h);
    struct view_table t = view_table_of("|time us|MB/s|each further packet us|bottleneck|source");
    message_row(&t, &h, "one way", &one, false);
    message_row(&t, &h, "both ways", &both, true);
    view_table_print(&t, "  ", 1, stdout);
    return 0;
}
