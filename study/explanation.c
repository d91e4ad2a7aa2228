/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/explanation.h"

#include "base/memory.h"
#include "analysis/degree.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BURSTS 0.25 /* of ACK groups are compressed: worth saying */

/* Where handshakes are too short to show the place, the host that most flows share is where the capture was made. */
static enum analysis_tap_place explanation_tap_by_host(const struct analysis_flow *flow,
                                                       const struct analysis_flow *all, size_t n)
{
    size_t src = 0, dst = 0;
    for (size_t i = 0; i < n; i++) {
        src += analysis_flow_touches(&all[i], &flow->src);
        dst += analysis_flow_touches(&all[i], &flow->dst);
    }
    return src > dst ? ANALYSIS_TAP_SENDER : dst > src ? ANALYSIS_TAP_RECEIVER : ANALYSIS_TAP_UNKNOWN;
}

static struct study_explanation explanation_of_flow(const struct analysis_flows *f, size_t slot,
                                                    const struct analysis_flow *flow,
                                                    const struct analysis_flow *all, size_t n)
{
    struct study_explanation e = {
        .flow = *flow, .slot = slot, .tap = analysis_flows_tap(f, slot), .limit = analysis_limit_of(flow)};
    analysis_flows_explain(f, slot, &e.x);
    e.n_phases = analysis_limit_phases(flow, e.phases);
    double floor_s = isfinite(flow->rtt_floor_s) ? flow->rtt_floor_s : 0;
    e.rtt_s = floor_s + e.x.data_wait_s + e.x.ack_wait_s;
    e.ack_share = e.rtt_s > 0 ? e.x.ack_wait_s / e.rtt_s : NAN;
    if (e.tap == ANALYSIS_TAP_UNKNOWN)
        e.tap = explanation_tap_by_host(flow, all, n);
    if (e.tap == ANALYSIS_TAP_UNKNOWN && isfinite(e.rtt_s) && isfinite(e.x.hold_s)) /* handshakes do not show it */
        e.tap = e.x.hold_s >= STUDY_EXPLANATION_MOSTLY * e.rtt_s ? ANALYSIS_TAP_SENDER : ANALYSIS_TAP_RECEIVER;
    e.groups = e.tap == ANALYSIS_TAP_SENDER ? e.x.stamped : e.x.passed;
    e.compressed = compression_share(&e.groups, STUDY_EXPLANATION_LEAST_GROUPS);
    if (e.tap == ANALYSIS_TAP_SENDER && !isfinite(e.compressed))
        e.compressed = analysis_flows_fast_acks(f, slot);
    return e;
}

struct study_explanation *study_explanation_bulk(const struct analysis_flows *f, size_t *n)
{
    size_t slots = analysis_flows_slots(f), bulk = 0;
    struct study_explanation *all = memory_zeroed(slots, sizeof *all, "explanations");
    struct analysis_flow *flows = memory_zeroed(slots, sizeof *flows, "explanations"), flow;
    size_t *slot_of = memory_zeroed(slots, sizeof *slot_of, "explanations");
    int64_t largest = 0;
    for (size_t i = 0; i < slots; i++)
        if (analysis_flows_get(f, i, &flow) && flow.payload_bytes > largest)
            largest = flow.payload_bytes;
    for (size_t i = 0; i < slots; i++)
        if (analysis_flows_get(f, i, &flow) && flow.payload_bytes >= analysis_degree_bulk_bytes(largest)) {
            slot_of[bulk] = i;
            flows[bulk++] = flow;
        }
    for (size_t i = 0; i < bulk; i++)
        all[i] = explanation_of_flow(f, slot_of[i], &flows[i], flows, bulk);
    free(flows);
    free(slot_of);
    *n = bulk;
    return all;
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
