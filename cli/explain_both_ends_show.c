/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/read.h"
#include "cli/show.h"
#include "results/json.h"
#include "study/explain/both_ends.h"

static void ends_row(struct view_table *t, const char *const path[2], const struct study_both_ends_flow *flow)
{
    const struct analysis_both_ends_flow *f = &flow->between;
    view_table_add(t, "%s|%s|%" PRId64 "|%" PRId64 "|%" PRId64 "|%.0f %%|%.1f|%.1f|%.1f|%.1f|%.0f %%|%s", flow->src,
                   flow->dst, f->acks, f->lost_acks, f->groups, 100 * flow->compressed_share, f->base_s * 1e3,
                   f->data_wait_s * 1e3, f->ack_wait_s * 1e3, f->hold_s * 1e3, 100 * flow->ack_share,
                   path[f->sender_file]);
}

static json_t *ends_flow_json(const char *const path[2], const struct study_both_ends_flow *flow)
{
    const struct analysis_both_ends_flow *f = &flow->between;
    return results_json("src:s dst:s sender:s receiver:s data:l acks:l lost_acks:l ack_groups:l compressed:l "
                        "compressed_share:f base_s:f data_wait_s:f ack_wait_s:f ack_share:f hold_s:f", flow->src,
                        flow->dst, path[f->sender_file], path[!f->sender_file], (int64_t)f->data, (int64_t)f->acks,
                        (int64_t)f->lost_acks, (int64_t)f->groups, (int64_t)f->compressed, flow->compressed_share,
                        f->base_s, f->data_wait_s, f->ack_wait_s, flow->ack_share, f->hold_s);
}

static void ends_print_json(const char *const path[2], const struct study_both_ends *b)
{
    json_t *list = json_array();
    for (size_t i = 0; i < b->n; i++)
        if (b->flow[i].placed)
            json_array_append_new(list, ends_flow_json(path, &b->flow[i]));
    json_t *all = json_pack("{s:o, s:f, s:[f, f]}", "both_ends", list, "drift", b->drift, "resolution_s",
                            b->resolution_s[0], b->resolution_s[1]);
    cli_print_json(cli_json("explain-both-ends:1", all));
}

static void ends_print(const char *const path[2], const struct study_both_ends *b)
{
    struct view_table t = view_table_of(
        "from|to|ACKs|lost|groups|compressed|base ms|data wait|ACK wait|hold|ACK share|beside the sender");
    for (size_t i = 0; i < b->n; i++)
        if (b->flow[i].placed)
            ends_row(&t, path, &b->flow[i]);
    view_table_print(&t, "", 2, stdout);
    if (b->drift != 0)
        printf("The second file's clock gains %.1f ppm on the first one's; taken off the waits.\n", b->drift * 1e6);
}

bool cli_explain_show_both_ends(const char *const path[2], bool as_json, size_t *n, struct error *err)
{
    MEMORY_ENDS(study_both_ends_fini) struct study_both_ends b;
    bool ok = study_both_ends_read(path, &cli_read_listener, &b, err);
    for (size_t i = 0; ok && i < b.n; i++)
        if (!b.flow[i].placed)
            fprintf(stderr, "contraflow: warning: %s > %s is in both captures, but no transit between them shows: were "
                            "they made at different ends, at the same time?\n", b.flow[i].src, b.flow[i].dst);
    *n = b.placed;
    if (ok && b.placed == 0)
        fprintf(stderr, "contraflow: %s, %s: no bulk TCP flow passes from one to the other\n", cli_name(path[0]),
                cli_name(path[1]));
    if (ok && as_json)
        ends_print_json(path, &b);
    else if (ok && b.placed > 0)
        ends_print(path, &b);
    return ok;
}
