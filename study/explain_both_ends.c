/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/explain_both_ends.h"

#include "analysis/both_ends.h"
#include "analysis/flows.h"
#include "study/explanation.h"
#include "cli/read.h"
#include "view/table.h"

#include <inttypes.h>
#include <math.h>

static double compressed_share(const struct analysis_both_ends_flow *f)
{
    return compression_share(&(struct compression){.groups = f->groups, .compressed = f->compressed},
                             STUDY_EXPLANATION_LEAST_GROUPS);
}

/* Of the round trip from the sender's tap and back. */
static double ack_share(const struct analysis_both_ends_flow *f)
{
    return f->ack_wait_s / (f->base_s + f->data_wait_s + f->ack_wait_s + f->hold_s);
}

static void ends_row(struct view_table *t, const char *const path[2], const struct analysis_both_ends_flow *f,
                     const char *src, const char *dst)
{
    view_table_add(t, "%s", src);
    view_table_add(t, "%s", dst);
    view_table_add(t, "%" PRId64, f->acks);
    view_table_add(t, "%" PRId64, f->lost_acks);
    view_table_add(t, "%" PRId64, f->groups);
    view_table_add_percent(t, compressed_share(f));
    view_table_add_ms(t, f->base_s);
    view_table_add_ms(t, f->data_wait_s);
    view_table_add_ms(t, f->ack_wait_s);
    view_table_add_ms(t, f->hold_s);
    view_table_add_percent(t, ack_share(f));
    view_table_add(t, "%s", path[f->sender_file]);
}

static json_t *ends_json(const char *const path[2], const struct analysis_both_ends_flow *f, const char *src,
                         const char *dst)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "src", src, "dst",
                     dst, "sender", path[f->sender_file], "receiver", path[!f->sender_file], "data",
                     (json_int_t)f->data, "acks", (json_int_t)f->acks, "lost_acks", (json_int_t)f->lost_acks,
                     "ack_groups", (json_int_t)f->groups, "compressed", (json_int_t)f->compressed, "compressed_share",
                     view_table_json_number(compressed_share(f)), "base_s", view_table_json_number(f->base_s),
                     "data_wait_s", view_table_json_number(f->data_wait_s), "ack_wait_s",
                     view_table_json_number(f->ack_wait_s), "ack_share", view_table_json_number(ack_share(f)), "hold_s",
                     view_table_json_number(f->hold_s));
}

/* Rows of the table, or of `list`. */
static size_t ends_flows(const struct analysis_both_ends *e, const char *const path[2], struct view_table *t, json_t *list)
{
    size_t n = 0;
    for (size_t i = 0; i < analysis_both_ends_slots(e); i++) {
        struct analysis_both_ends_flow f;
        enum analysis_both_ends_answer answer = analysis_both_ends_get(e, i, &f);
        if (answer == ANALYSIS_BOTH_ENDS_NONE)
            continue;
        char src[ANALYSIS_ENDPOINT_TEXT], dst[ANALYSIS_ENDPOINT_TEXT];
        analysis_flows_endpoint(&f.src, f.src_port, src);
        analysis_flows_endpoint(&f.dst, f.dst_port, dst);
        if (answer == ANALYSIS_BOTH_ENDS_NO_PLACE) {
            fprintf(stderr, "contraflow: warning: %s > %s is in both captures, but no transit between them shows: were "
                            "they made at different ends, at the same time?\n", src, dst);
            continue;
        }
        n++;
        ends_row(t, path, &f, src, dst);
        json_array_append_new(list, ends_json(path, &f, src, dst));
    }
    return n;
}

static void ends_print_json(const struct analysis_both_ends *e, json_t *list)
{
    json_t *all = json_pack("{s:O, s:f, s:[f, f]}", "both_ends", list, "drift", analysis_both_ends_drift(e),
                            "resolution_s", analysis_both_ends_resolution_s(e, 0), analysis_both_ends_resolution_s(e, 1));
    json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    putchar('\n');
    json_decref(all);
}

bool study_explain_both_ends(const char *const path[2], bool as_json, size_t *n, struct error *err)
{
    static const char *const head[] = {"from", "to", "ACKs", "lost", "groups", "compressed", "base ms", "data wait",
                                       "ACK wait", "hold", "ACK share", "beside the sender"};
    struct analysis_capture capture[2];
    struct analysis_both_ends *e = analysis_both_ends_new(err);
    if (!e || !cli_read_ends(e, path, capture, err)) {
        analysis_both_ends_free(e);
        return false;
    }
    struct view_table t;
    view_table_start(&t, head, sizeof head / sizeof *head);
    json_t *list = json_array();
    *n = ends_flows(e, path, &t, list);
    bool ok = true;
    if (*n == 0)
        fprintf(stderr, "contraflow: %s, %s: no bulk TCP flow passes from one to the other\n", path[0], path[1]);
    if (as_json)
        ends_print_json(e, list);
    if (as_json || *n == 0)
        view_table_fini(&t);
    else
        ok = view_table_print(&t, "", 2, stdout, err);
    if (ok && !as_json && analysis_both_ends_drift(e) != 0)
        printf("The second file's clock gains %.1f ppm on the first one's; taken off the waits.\n",
               analysis_both_ends_drift(e) * 1e6);
    json_decref(list);
    analysis_both_ends_free(e);
    return ok;
}
