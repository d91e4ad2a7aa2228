/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/explanation.h"

#include "analysis/degree.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BURSTS 0.25 /* of ACK groups are compressed: worth saying */

/* Where handshakes are too short to tell, the host that most flows share is where the capture was made. */
static enum analysis_tap_place tap_by_host(const struct analysis_flow *flow, const struct analysis_flow *all, size_t n)
{
    size_t src = 0, dst = 0;
    for (size_t i = 0; i < n; i++) {
        src += analysis_flow_touches(&all[i], &flow->src);
        dst += analysis_flow_touches(&all[i], &flow->dst);
    }
    return src > dst ? ANALYSIS_TAP_SENDER : dst > src ? ANALYSIS_TAP_RECEIVER : ANALYSIS_TAP_UNKNOWN;
}

static struct study_explanation explained_one(const struct analysis_flows *f, size_t slot,
                                              const struct analysis_flow *flow, const struct analysis_flow *all,
                                              size_t n)
{
    struct study_explanation e = {
        .flow = *flow, .slot = slot, .tap = analysis_flows_tap(f, slot), .limit = analysis_limit_of(flow)};
    analysis_flows_explain(f, slot, &e.x);
    e.n_phases = analysis_limit_phases(flow, e.phases);
    double floor_s = isfinite(flow->rtt_floor_s) ? flow->rtt_floor_s : 0;
    e.rtt_s = floor_s + e.x.data_wait_s + e.x.ack_wait_s;
    e.ack_share = e.rtt_s > 0 ? e.x.ack_wait_s / e.rtt_s : NAN;
    if (e.tap == ANALYSIS_TAP_UNKNOWN)
        e.tap = tap_by_host(flow, all, n);
    if (e.tap == ANALYSIS_TAP_UNKNOWN && isfinite(e.rtt_s) && isfinite(e.x.hold_s)) /* too near to tell by handshakes */
        e.tap = e.x.hold_s >= STUDY_EXPLANATION_MOSTLY * e.rtt_s ? ANALYSIS_TAP_SENDER : ANALYSIS_TAP_RECEIVER;
    e.groups = e.tap == ANALYSIS_TAP_SENDER ? e.x.stamped : e.x.passed;
    e.compressed = compression_share(&e.groups, STUDY_EXPLANATION_LEAST_GROUPS);
    if (e.tap == ANALYSIS_TAP_SENDER && !isfinite(e.compressed))
        e.compressed = analysis_flows_fast_acks(f, slot);
    return e;
}

bool study_explanation_bulk(const struct analysis_flows *f, struct study_explanation **list, size_t *n,
                            struct error *err)
{
    size_t slots = analysis_flows_slots(f), bulk = 0;
    struct study_explanation *all = calloc(slots + 1, sizeof *all);
    struct analysis_flow *flows = calloc(slots + 1, sizeof *flows), flow;
    size_t *slot_of = calloc(slots + 1, sizeof *slot_of);
    int64_t largest = 0;
    bool ok = (all && flows && slot_of) || error_set(err, ERROR_SYSTEM, "out of memory for %zu flows", slots);
    for (size_t i = 0; ok && i < slots; i++)
        if (analysis_flows_get(f, i, &flow) && flow.payload_bytes > largest)
            largest = flow.payload_bytes;
    for (size_t i = 0; ok && i < slots; i++)
        if (analysis_flows_get(f, i, &flow) && flow.payload_bytes >= analysis_degree_bulk_bytes(largest)) {
            slot_of[bulk] = i;
            flows[bulk++] = flow;
        }
    for (size_t i = 0; ok && i < bulk; i++)
        all[i] = explained_one(f, slot_of[i], &flows[i], flows, bulk);
    free(flows);
    free(slot_of);
    if (!ok) {
        free(all);
        return false;
    }
    *list = all;
    *n = bulk;
    return true;
}

const char *const study_explanation_head[STUDY_EXPLANATION_COLUMNS] = {
    "from", "to", "Mb/s", "window kB", "floor ms", "data wait", "ACK wait", "ACK share", "compressed", "tap", "limit"};

void study_explanation_row(struct view_table *t, const struct study_explanation *e)
{
    static const char *const places[] = {"-", "sender", "receiver"};
    view_table_add_flow(t, &e->flow);
    view_table_add_number(t, e->flow.goodput_bps, 1e6);
    view_table_add_number(t, e->flow.window_bytes, 1e3);
    view_table_add_ms(t, e->flow.rtt_floor_s);
    view_table_add_ms(t, e->x.data_wait_s);
    view_table_add_ms(t, e->x.ack_wait_s);
    view_table_add_percent(t, e->ack_share);
    view_table_add_percent(t, e->compressed);
    view_table_add(t, "%s", places[e->tap]);
    view_table_add(t, "%s", analysis_limit_name(e->limit));
}

void study_explanation_say(const struct study_explanation *e, char text[static STUDY_EXPLANATION_TEXT])
{
    if (!isfinite(e->rtt_s)) {
        snprintf(text, STUDY_EXPLANATION_TEXT, "%s",
                 isfinite(e->x.wait_s[ANALYSIS_LEG_DATA_OUT])
                     ? "its ACKs are not in the capture, or echo no timestamp: nothing to split its round trip by"
                     : "no timestamps to split its round trip by");
        return;
    }
    int n = snprintf(text, STUDY_EXPLANATION_TEXT, "round trip %.1f ms; ", e->rtt_s * 1e3);
    char *rest = text + n;
    size_t room = STUDY_EXPLANATION_TEXT - (size_t)n;
    if (e->limit == ANALYSIS_LIMIT_LOSS)
        snprintf(rest, room, "losses set its rate (%" PRIu32 " loss events)", e->flow.steady_loss_events);
    else if (e->ack_share >= STUDY_EXPLANATION_MOSTLY)
        snprintf(rest, room, "%.0f %% of it its ACKs wait behind other data", 100 * e->ack_share);
    else if (e->x.data_wait_s >= STUDY_EXPLANATION_MOSTLY * e->rtt_s)
        snprintf(rest, room, "%.0f %% of it its data wait%s", 100 * e->x.data_wait_s / e->rtt_s,
                 e->ack_share < 0.1 ? ", its ACKs hardly do" : "");
    else if (e->compressed >= BURSTS)
        snprintf(rest, room, "its ACKs come in bursts (%.0f %% of groups compressed): between them links may run dry",
                 100 * e->compressed);
    else
        snprintf(rest, room, "data and ACKs wait alike, or hardly at all");
}

void study_explanation_phases(const struct study_explanation *e, char text[static STUDY_EXPLANATION_TEXT])
{
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; e->n_phases > 1 && i < e->n_phases && at < STUDY_EXPLANATION_TEXT; i++)
        at += (size_t)snprintf(text + at, STUDY_EXPLANATION_TEXT - at, "%s%s to %.3f s", i == 0 ? "limited by: " : ", ",
                               analysis_limit_name(e->phases[i].limit), e->phases[i].end_s);
}

static json_t *phases_json(const struct study_explanation *e)
{
    json_t *list = json_array();
    for (size_t i = 0; i < e->n_phases; i++)
        json_array_append_new(list, json_pack("{s:f, s:f, s:s, s:o}", "start_s", e->phases[i].start_s, "end_s",
                                              e->phases[i].end_s, "limit", analysis_limit_name(e->phases[i].limit),
                                              "window_bytes", view_table_json_number(e->phases[i].window_bytes)));
    return list;
}

json_t *study_explanation_json(const char *source, const struct study_explanation *e)
{
    static const char *const taps[] = {"unknown", "sender", "receiver"};
    char src[ANALYSIS_ENDPOINT_TEXT], dst[ANALYSIS_ENDPOINT_TEXT];
    analysis_flows_endpoint(&e->flow.src, e->flow.src_port, src);
    analysis_flows_endpoint(&e->flow.dst, e->flow.dst_port, dst);
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:s, s:s, s:o}", "source", source,
                     "src", src, "dst", dst, "goodput_bps", view_table_json_number(e->flow.goodput_bps), "rtt_floor_s",
                     view_table_json_number(e->flow.rtt_floor_s), "data_wait_s",
                     view_table_json_number(e->x.data_wait_s), "ack_wait_s", view_table_json_number(e->x.ack_wait_s),
                     "rtt_s", view_table_json_number(e->rtt_s), "ack_share", view_table_json_number(e->ack_share),
                     "ack_groups", (json_int_t)e->groups.groups, "compressed_share",
                     view_table_json_number(e->compressed), "hold_s", view_table_json_number(e->x.hold_s), "tap",
                     taps[e->tap], "limit", analysis_limit_name(e->limit), "phases", phases_json(e));
}
