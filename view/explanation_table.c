/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/explanation_table.h"

const char *const view_explanation_table_head[VIEW_EXPLANATION_TABLE_COLUMNS] = {
    "from", "to", "whole Mb/s", "steady Mb/s", "window kB", "floor ms", "data wait", "ACK wait", "ACK share", "compressed", "tap", "limit"};

void view_explanation_table_row(struct view_table *t, const struct study_explanation *e)
{
    view_table_add_flow(t, &e->flow);
    view_table_add(t, "%f|%f|%f|%.3f|%.1f|%.1f|%.0f %%|%.0f %%|%s|%s", e->flow.goodput_bps / 1e6,
                   e->steady_bps / 1e6, e->flow.window_bytes / 1e3, e->floor_s * 1e3, e->data_wait_s * 1e3, e->ack_wait_s * 1e3,
                   100 * e->ack_share, 100 * e->compressed,
                   e->tap == ANALYSIS_TAP_UNKNOWN ? "-" : analysis_flows_tap_name(e->tap),
                   analysis_limit_name(e->limit));
}
