/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/explain/both_ends.h"

#include "study/explain/explanation.h"

static struct study_both_ends_flow both_ends_flow(const struct analysis_both_ends_flow *f, bool placed)
{
    struct study_both_ends_flow flow = {.placed = placed, .between = *f};
    struct compression groups = {.groups = f->groups, .compressed = f->compressed};
    analysis_flows_endpoint(&f->src, f->src_port, flow.src);
    analysis_flows_endpoint(&f->dst, f->dst_port, flow.dst);
    flow.compressed_share = compression_share(&groups, STUDY_EXPLANATION_LEAST_GROUPS);
    flow.ack_share = f->ack_wait_s / (f->base_s + f->data_wait_s + f->ack_wait_s + f->hold_s);
    return flow;
}

bool study_both_ends_read(const char *const path[2], const struct study_capture_listener *listener,
                          struct study_both_ends *b, struct error *err)
{
    struct analysis_both_ends *e = analysis_both_ends_new();
    *b = (struct study_both_ends){.n = 0};
    bool ok = study_capture_read_both_ends(e, path, listener, err);
    size_t slots = ok ? analysis_both_ends_slots(e) : 0;
    b->flow = memory_zeroed(slots, sizeof *b->flow, "flows seen at both ends");
    for (size_t i = 0; ok && i < slots; i++) {
        struct analysis_both_ends_flow f;
        enum analysis_both_ends_answer answer = analysis_both_ends_get(e, i, &f);
        if (answer == ANALYSIS_BOTH_ENDS_NONE)
            continue;
        b->flow[b->n] = both_ends_flow(&f, answer == ANALYSIS_BOTH_ENDS_FLOW);
        b->placed += b->flow[b->n++].placed;
    }
    if (ok) {
        b->drift = analysis_both_ends_drift(e);
        for (int i = 0; i < 2; i++)
            b->resolution_s[i] = analysis_both_ends_resolution_s(e, i);
    }
    analysis_both_ends_free(e);
    return ok;
}

void study_both_ends_fini(struct study_both_ends *b)
{
    free(b->flow);
    *b = (struct study_both_ends){.n = 0};
}
