/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/check_table.h"

#include <inttypes.h>

static void rule_row(struct cli_table *t, const char *label, const struct analysis_judgement *j,
                     void (*cell)(struct cli_table *, const struct analysis_rule_fit *))
{
    cli_table_add(t, "%s", label);
    for (int i = 0; i < 7; i++)
        cli_table_add(t, "%s", "");
    for (int rule = 0; rule < ANALYSIS_RULES; rule++)
        cell(t, &j->rule[rule]);
}

static void cell_rate(struct cli_table *t, const struct analysis_rule_fit *fit)
{
    cli_table_add_number(t, fit->fitted_rate_bps, 1e6);
}

void check_table_error(struct cli_table *t, const struct analysis_rule_fit *fit)
{
    if (fit->applies)
        cli_table_add(t, "%.1f %%", 100 * fit->max_rel_error);
    else
        cli_table_add(t, "-");
}

static void cell_holds(struct cli_table *t, const struct analysis_rule_fit *fit)
{
    cli_table_add(t, "%s", !fit->applies ? "-" : fit->holds ? "yes" : "no");
}

void check_table(struct cli_table *t, const char *origin, const struct analysis_resource *r)
{
    static const char *const head[] = {"from", "to", "way", "Mb/s", "+-", "window kB", "retrans", "limit", "eq5",
                                       "eq6", "window"};
    cli_table_init(t, sizeof head / sizeof *head);
    for (size_t i = 0; i < t->columns; i++)
        cli_table_add(t, "%s%s%s", i == 3 ? origin : "", i == 3 ? " " : "", head[i]);
    for (size_t i = 0; i < r->n; i++) {
        const struct analysis_check_flow *flow = &r->flows[i];
        cli_table_add(t, "%s", flow->src);
        cli_table_add(t, "%s", flow->dst);
        cli_table_add(t, "%s", flow->incoming ? "in" : "out");
        cli_table_add_number(t, flow->rate_bps, 1e6);
        cli_table_add_number(t, flow->ci95_bps, 1e6);
        cli_table_add_number(t, flow->window_bytes, 1e3);
        cli_table_add(t, "%" PRId64, flow->retransmitted_segments);
        cli_table_add(t, "%s", flow->limit == ANALYSIS_LIMIT_UNKNOWN ? "-" : analysis_limit_name(flow->limit));
        for (int rule = 0; rule < ANALYSIS_RULES; rule++)
            cli_table_add_number(t, flow->predicted_bps[rule], 1e6);
    }
    rule_row(t, "B fitted", &r->judgement, cell_rate);
    rule_row(t, "largest error", &r->judgement, check_table_error);
    rule_row(t, "holds", &r->judgement, cell_holds);
}
