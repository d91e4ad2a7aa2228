/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/explanation_table.h"

const char *const view_explanation_table_head[VIEW_EXPLANATION_TABLE_COLUMNS] = {
    "from", "to", "Mb/s", "window kB", "floor ms", "data wait", "ACK wait", "ACK share", "compressed", "tap", "limit"};

void view_explanation_table_row(struct view_table *t, const struct study_explanation *e)
{
    view_table_add_flow(t, &e->flow);
    view_table_add_number(t, e->flow.goodput_bps, 1e6);
    view_table_add_number(t, e->flow.window_bytes, 1e3);
    view_table_add_ms(t, e->floor_s);
    view_table_add_ms(t, e->data_wait_s);
    view_table_add_ms(t, e->ack_wait_s);
    view_table_add_percent(t, e->ack_share);
    view_table_add_percent(t, e->compressed);
    view_table_add(t, "%s", e->tap == ANALYSIS_TAP_UNKNOWN ? "-" : analysis_flows_tap_name(e->tap));
    view_table_add(t, "%s", analysis_limit_name(e->limit));
}
