/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/rules_table.h"

void view_rules_table_error(struct view_table *t, const struct analysis_rule_fit *fit)
{
    view_table_add(t, fit->applies ? "%.1f %%" : "-", 100 * fit->max_rel_error);
}

void view_rules_table(struct view_table *t, const struct analysis_resource *r)
{
    const struct analysis_rule_fit *fit = r->judgement.rule;
    int rules = r->judgement.verdict == MODEL_REGIME_UNSATURATED ? 0 : ANALYSIS_RULES; /* that speak of these rates */
    *t = view_table_with(9 + (size_t)rules);
    view_table_add(t, "from|to|way|steady Mb/s|+-|whole Mb/s|window kB|retrans|limit");
    for (int rule = 0; rule < rules; rule++)
        view_table_add(t, "%s", analysis_check_rule_name((enum analysis_rule)rule));
    for (size_t i = 0; i < r->n; i++) {
        const struct analysis_check_flow *flow = &r->flows[i];
        view_table_add(t, "%s|%s|%s|%f|%f|%f|%f|%" PRId64 "|%s", flow->src, flow->dst, flow->incoming ? "in" : "out",
                       flow->rate_bps / 1e6, flow->ci95_bps / 1e6, flow->whole_bps > 0 ? flow->whole_bps / 1e6 : (double)NAN,
                       flow->window_bytes / 1e3,
                       flow->retransmitted_segments,
                       flow->limit == ANALYSIS_LIMIT_UNKNOWN ? "-" : analysis_limit_name(flow->limit));
        for (int rule = 0; rule < rules; rule++)
            view_table_add(t, "%f", flow->predicted_bps[rule] / 1e6);
    }
    if (rules == 0)
        return;
    view_table_add(t, "B fitted||||||||");
    for (int rule = 0; rule < rules; rule++)
        view_table_add(t, "%f", fit[rule].fitted_rate_bps / 1e6);
    view_table_add(t, "largest error||||||||");
    for (int rule = 0; rule < rules; rule++)
        view_rules_table_error(t, &fit[rule]);
    view_table_add(t, "holds||||||||");
    for (int rule = 0; rule < rules; rule++)
        view_table_add(t, "%s", !fit[rule].applies ? "-" : fit[rule].holds ? "yes" : "no");
}

void view_explanation_table_row(struct view_table *t, const struct study_explanation *e)
{
    view_table_add_flow(t, &e->flow);
    view_table_add(t, "%f|%f|%f|%.3f|%.1f|%.1f|%.0f %%|%.0f %%|%s|%s", e->flow.goodput_bps / 1e6,
                   e->steady_bps / 1e6, e->flow.window_bytes / 1e3, e->floor_s * 1e3, e->data_wait_s * 1e3, e->ack_wait_s * 1e3,
                   100 * e->ack_share, 100 * e->compressed,
                   e->tap == ANALYSIS_TAP_UNKNOWN ? "-" : analysis_flows_tap_name(e->tap),
                   analysis_limit_name(e->limit));
}
