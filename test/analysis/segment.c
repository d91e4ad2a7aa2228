/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/analysis/segment.h"

struct capture_segment segment(enum side side, uint32_t seq, uint32_t payload, uint32_t ack)
{
    static uint16_t ip_id;
    struct capture_segment s = {
        .src = {.bytes = {10, 0, 0, side == A_TO_B ? 1 : 2}, .family = 4},
        .dst = {.bytes = {10, 0, 0, side == A_TO_B ? 2 : 1}, .family = 4},
        .src_port = side == A_TO_B ? 1000 : 2000,
        .dst_port = side == A_TO_B ? 2000 : 1000,
        .seq = seq,
        .ack = ack,
        .payload_bytes = payload,
        .window = 60000,
        .ip_id = ++ip_id ? ip_id : ++ip_id,
        .flags = CAPTURE_TCP_ACK,
    };
    return s;
}

struct capture_segment stamped(enum side side, uint32_t seq, uint32_t payload, uint32_t ack, uint32_t tsval,
                               uint32_t tsecr)
{
    struct capture_segment s = segment(side, seq, payload, ack);
    s.has_timestamps = true;
    s.tsval = tsval;
    s.tsecr = tsecr;
    return s;
}

struct capture_segment syn(enum side side, uint32_t seq)
{
    struct capture_segment s = segment(side, seq, 0, 0);
    s.flags = CAPTURE_TCP_SYN;
    s.has_mss = true;
    s.mss = 1460;
    return s;
}

struct capture_segment syn_ack(enum side side, uint32_t seq, uint32_t ack)
{
    struct capture_segment s = syn(side, seq);
    s.flags = CAPTURE_TCP_SYN | CAPTURE_TCP_ACK;
    s.ack = ack;
    return s;
}

void feed(struct analysis_flows *f, int64_t time_ns, struct capture_segment s)
{
    analysis_flows_add(f, time_ns, &s);
}

struct analysis_flows *new_flows(void)
{
    struct analysis_flows *f = analysis_flows_new();
    assert_non_null(f);
    analysis_flows_set_origin(f, 0);
    return f;
}

size_t flow_count(const struct analysis_flows *f)
{
    size_t n = 0;
    struct analysis_flow flow;
    for (size_t i = 0; i < analysis_flows_slots(f); i++)
        n += analysis_flows_get(f, i, &flow);
    return n;
}

struct analysis_flow flow_at(const struct analysis_flows *f, size_t i)
{
    struct analysis_flow flow;
    size_t n = 0;
    for (size_t slot = 0; slot < analysis_flows_slots(f); slot++) {
        if (analysis_flows_get(f, slot, &flow) && n++ == i)
            return flow;
    }
    fail_msg("no flow %zu", i);
    return flow;
}
