/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/rules_table.h"

#include <inttypes.h>

static void rule_row(struct view_table *t, const char *label, const struct analysis_judgement *j,
                     void (*cell)(struct view_table *, const struct analysis_rule_fit *))
{
    view_table_add(t, "%s", label);
    for (int i = 0; i < 7; i++)
        view_table_add(t, "%s", "");
    for (int rule = 0; rule < ANALYSIS_RULES; rule++)
        cell(t, &j->rule[rule]);
}

static void cell_rate(struct view_table *t, const struct analysis_rule_fit *fit)
{
    view_table_add_number(t, fit->fitted_rate_bps, 1e6);
}

void view_rules_table_error(struct view_table *t, const struct analysis_rule_fit *fit)
{
    view_table_add(t, fit->applies ? "%.1f %%" : "-", 100 * fit->max_rel_error);
}

static void cell_holds(struct view_table *t, const struct analysis_rule_fit *fit)
{
    view_table_add(t, "%s", !fit->applies ? "-" : fit->holds ? "yes" : "no");
}

void view_rules_table(struct view_table *t, const char *origin, const struct analysis_resource *r)
{
    static const char *const head[] = {"from", "to", "way", "Mb/s", "+-", "window kB", "retrans", "limit"};
    size_t plain = sizeof head / sizeof *head;
    int rules = r->judgement.verdict == MODEL_REGIME_UNSATURATED ? 0 : ANALYSIS_RULES; /* that speak of these rates */
    view_table_init(t, plain + (size_t)rules);
    for (size_t i = 0; i < plain; i++)
        view_table_add(t, "%s%s%s", i == 3 ? origin : "", i == 3 ? " " : "", head[i]);
    for (int rule = 0; rule < rules; rule++)
        view_table_add(t, "%s", analysis_check_rule_name((enum analysis_rule)rule));
    for (size_t i = 0; i < r->n; i++) {
        const struct analysis_check_flow *flow = &r->flows[i];
        view_table_add(t, "%s", flow->src);
        view_table_add(t, "%s", flow->dst);
        view_table_add(t, "%s", flow->incoming ? "in" : "out");
        view_table_add_number(t, flow->rate_bps, 1e6);
        view_table_add_number(t, flow->ci95_bps, 1e6);
        view_table_add_number(t, flow->window_bytes, 1e3);
        view_table_add(t, "%" PRId64, flow->retransmitted_segments);
        view_table_add(t, "%s", flow->limit == ANALYSIS_LIMIT_UNKNOWN ? "-" : analysis_limit_name(flow->limit));
        for (int rule = 0; rule < rules; rule++)
            view_table_add_number(t, flow->predicted_bps[rule], 1e6);
    }
    if (rules == 0)
        return;
    rule_row(t, "B fitted", &r->judgement, cell_rate);
    rule_row(t, "largest error", &r->judgement, view_rules_table_error);
    rule_row(t, "holds", &r->judgement, cell_holds);
}
