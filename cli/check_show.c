/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/check_show.h"

#include "cli/cli.h"

#include "view/diagnosis.h"
#include "view/rules_table.h"

#include <math.h>

#define STATUS_LOST 1

void cli_check_answers_add(struct cli_check_answers *a, const struct analysis_resource *r)
{
    if (*r->same_as)
        return;
    a->lost = a->lost || (r->diagnosed && r->diagnosis.answer == JUDGE_ANSWER_YES);
    a->unknown = a->unknown || !r->diagnosed || r->diagnosis.answer == JUDGE_ANSWER_UNKNOWN;
}

int cli_check_answers_status(const struct cli_check_answers *a)
{
    return a->lost ? STATUS_LOST : a->unknown ? CLI_STATUS_UNKNOWN : 0;
}

void cli_check_show_resource(const char *source, bool simulated, const struct analysis_resource *r)
{
    const struct analysis_judgement *j = &r->judgement;
    printf("%s: %s %s: %zu in, %zu out, %s, %.3f to %.3f s (steady from %.3f)\n", cli_name(source),
           r->port ? "port" : "host", r->host, j->indegree, j->outdegree, simulated ? "simulated" : "measured", r->start_s,
           r->end_s, r->steady_start_s);
    printf("  verdict %s", model_regime_name(j->verdict));
    if (j->verdict != MODEL_REGIME_UNSATURATED)
        printf(", B = %.1f Mb/s", j->fitted_rate_bps / 1e6);
    printf(": %s\n", j->why);
    struct view_table t;
    view_rules_table(&t, r);
    view_table_print(&t, "  ", 3, stdout);
}

static json_t *check_flow_json(const struct analysis_check_flow *flow)
{
    json_t *predicted = json_object();
    for (int rule = 0; rule < ANALYSIS_RULES; rule++)
        json_object_set_new(predicted, analysis_check_rule_name((enum analysis_rule)rule),
                            view_table_json_number(flow->predicted_bps[rule]));
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:s, s:o, s:o, s:o, s:o}", "src", flow->src, "dst",
                     flow->dst, "direction", flow->incoming ? "in" : "out", "rate_bps",
                     view_table_json_number(flow->rate_bps), "ci95_bps", view_table_json_number(flow->ci95_bps),
                     "whole_bps", view_table_json_number(flow->whole_bps > 0 ? flow->whole_bps : (double)NAN),
                     "window_bytes", view_table_json_number(flow->window_bytes), "buffer_bytes",
                     view_table_json_number(flow->buffer_bytes), "retransmitted_segments",
                     (json_int_t)flow->retransmitted_segments, "loss_events",
                     flow->loss_events == ANALYSIS_CHECK_LOSS_UNKNOWN ? json_null() : json_integer(flow->loss_events),
                     "limit", analysis_limit_name(flow->limit), "predicted_bps", predicted, "floor_s",
                     view_table_json_number(flow->floor_s), "data_wait_s", view_table_json_number(flow->data_wait_s),
                     "ack_wait_s", view_table_json_number(flow->ack_wait_s));
}

json_t *cli_check_show_resource_json(const char *source, bool simulated, const struct analysis_resource *r)
{
    const struct analysis_judgement *j = &r->judgement;
    json_t *rules = json_object(), *flows = json_array();
    for (int i = 0; i < ANALYSIS_RULES; i++) {
        const struct analysis_rule_fit *fit = &j->rule[i];
        json_object_set_new(rules, analysis_check_rule_name((enum analysis_rule)i),
                            json_pack("{s:o, s:b, s:o}", "max_rel_error", view_table_json_number(fit->max_rel_error),
                                      "holds", fit->holds, "fitted_rate_bps",
                                      view_table_json_number(fit->fitted_rate_bps)));
    }
    for (size_t i = 0; i < r->n; i++)
        json_array_append_new(flows, check_flow_json(&r->flows[i]));
    return json_pack("{s:s, s:b, s:s, s:b, s:I, s:I, s:o, s:o, s:s, s:b, s:s, s:o, s:o, s:o, s:o, s:o}", "source", source,
                     "simulated", simulated, "host", r->host, "port", r->port, "indegree", (json_int_t)j->indegree,
                     "outdegree", (json_int_t)j->outdegree,
                     "fitted_rate_bps", view_table_json_number(j->fitted_rate_bps), "rules", rules,
                     "verdict", model_regime_name(j->verdict), "indistinguishable", j->indistinguishable,
                     "why", j->why, "start_s", view_table_json_number(r->start_s),
                     "end_s", view_table_json_number(r->end_s),
                     "steady_start_s", view_table_json_number(r->steady_start_s), "flows", flows, "diagnosis",
                     view_diagnosis_json(source, r));
}

void cli_check_show_summary_start(struct view_table *t)
{
    static const char *const head[] = {"source", "host", "in", "out", "steady in Mb/s", "steady out Mb/s"};
    view_table_init(t, sizeof head / sizeof *head + ANALYSIS_RULES + 2);
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        view_table_add(t, "%s", head[i]);
    for (int rule = 0; rule < ANALYSIS_RULES; rule++)
        view_table_add(t, "%s error", analysis_check_rule_name((enum analysis_rule)rule));
    view_table_add(t, "verdict");
    view_table_add(t, "B Mb/s");
}

void cli_check_show_summary(struct view_table *t, const char *source, const struct analysis_resource *r)
{
    const struct analysis_judgement *j = &r->judgement;
    view_table_add(t, "%s", source);
    view_table_add(t, "%s", r->host);
    view_table_add(t, "%zu", j->indegree);
    view_table_add(t, "%zu", j->outdegree);
    view_table_add_number(t, j->in_bps, 1e6);
    view_table_add_number(t, j->out_bps, 1e6);
    for (int rule = 0; rule < ANALYSIS_RULES; rule++)
        view_rules_table_error(t, &j->rule[rule]);
    view_table_add(t, "%s", model_regime_name(j->verdict));
    view_table_add_number(t, j->verdict == MODEL_REGIME_UNSATURATED ? (double)NAN : j->fitted_rate_bps, 1e6);
}
