/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/show.h"
#include "results/json.h"
#include "view/diagnosis.h"
#include "view/rules_table.h"

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
                            results_json_number(flow->predicted_bps[rule]));
    return results_json("src:s dst:s direction:s rate_bps:f ci95_bps:f whole_bps:f window_bytes:f buffer_bytes:f "
                        "retransmitted_segments:l loss_events:o limit:s predicted_bps:o floor_s:f data_wait_s:f "
                        "ack_wait_s:f", flow->src, flow->dst, flow->incoming ? "in" : "out", flow->rate_bps,
                        flow->ci95_bps, flow->whole_bps > 0 ? flow->whole_bps : (double)NAN, flow->window_bytes,
                        flow->buffer_bytes, (int64_t)flow->retransmitted_segments,
                        flow->loss_events == ANALYSIS_CHECK_LOSS_UNKNOWN ? json_null() : json_integer(flow->loss_events),
                        analysis_limit_name(flow->limit), predicted, flow->floor_s, flow->data_wait_s,
                        flow->ack_wait_s);
}

json_t *cli_check_show_resource_json(const char *source, bool simulated, const struct analysis_resource *r)
{
    const struct analysis_judgement *j = &r->judgement;
    json_t *rules = json_object(), *flows = json_array();
    for (int i = 0; i < ANALYSIS_RULES; i++) {
        const struct analysis_rule_fit *fit = &j->rule[i];
        json_object_set_new(rules, analysis_check_rule_name((enum analysis_rule)i),
                            results_json("max_rel_error:f holds:b fitted_rate_bps:f", fit->max_rel_error, fit->holds,
                                         fit->fitted_rate_bps));
    }
    for (size_t i = 0; i < r->n; i++)
        json_array_append_new(flows, check_flow_json(&r->flows[i]));
    return results_json("source:s simulated:b host:s port:b indegree:l outdegree:l fitted_rate_bps:f rules:o verdict:s "
                        "indistinguishable:b why:s start_s:f end_s:f steady_start_s:f flows:o diagnosis:o", source,
                        simulated, r->host, r->port, (int64_t)j->indegree, (int64_t)j->outdegree, j->fitted_rate_bps,
                        rules, model_regime_name(j->verdict), j->indistinguishable, j->why, r->start_s, r->end_s,
                        r->steady_start_s, flows, view_diagnosis_json(source, r));
}

void cli_check_show_summary_start(struct view_table *t)
{
    *t = view_table_with(6 + ANALYSIS_RULES + 2);
    view_table_add(t, "source|host|in|out|steady in Mb/s|steady out Mb/s");
    for (int rule = 0; rule < ANALYSIS_RULES; rule++)
        view_table_add(t, "%s error", analysis_check_rule_name((enum analysis_rule)rule));
    view_table_add(t, "verdict|B Mb/s");
}

void cli_check_show_summary(struct view_table *t, const char *source, const struct analysis_resource *r)
{
    const struct analysis_judgement *j = &r->judgement;
    view_table_add(t, "%s|%s|%zu|%zu|%f|%f", source, r->host, j->indegree, j->outdegree, j->in_bps / 1e6,
                   j->out_bps / 1e6);
    for (int rule = 0; rule < ANALYSIS_RULES; rule++)
        view_rules_table_error(t, &j->rule[rule]);
    view_table_add(t, "%s|%f", model_regime_name(j->verdict),
                   j->verdict == MODEL_REGIME_UNSATURATED ? (double)NAN : j->fitted_rate_bps / 1e6);
}
