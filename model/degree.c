/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/degree.h"

#define ETHERNET_OVERHEAD_BYTES 38.0

struct model_degree model_degree_count(const struct model_flow *flows, size_t n)
{
    struct model_degree degree = {0, 0};
    for (size_t i = 0; i < n; i++) {
        if (flows[i].incoming)
            degree.indegree++;
        else
            degree.outdegree++;
    }
    return degree;
}

void model_degree_fairness(const struct model_flow *flows, size_t n, double *share)
{
    struct model_degree degree = model_degree_count(flows, n);
    for (size_t i = 0; i < n; i++)
        share[i] = 1.0 / (double)(flows[i].incoming ? degree.indegree : degree.outdegree);
}

void model_degree_asymmetric(const struct model_flow *flows, size_t n, double *share)
{
    struct model_degree degree = model_degree_count(flows, n);
    size_t larger = degree.indegree > degree.outdegree ? degree.indegree : degree.outdegree;
    for (size_t i = 0; i < n; i++)
        share[i] = 1.0 / (double)larger;
}

bool model_degree_window(const struct model_flow *flows, size_t n, double *share)
{
    double in = 0, out = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(flows[i].window_bytes) || flows[i].window_bytes <= 0)
            return false;
        if (flows[i].incoming)
            in += flows[i].window_bytes;
        else
            out += flows[i].window_bytes;
    }
    for (size_t i = 0; i < n; i++)
        share[i] = flows[i].window_bytes / fmax(in, out);
    return true;
}

struct model_link model_link_default(void)
{
    return (struct model_link){.rate_bps = 1e9, .segment_bytes = 1448, .header_bytes = 52, .segments_per_ack = 2};
}

double model_degree_goodput_bps(const struct model_link *link, double reverse_ratio)
{
    bool valid = link->rate_bps > 0 && link->segment_bytes > 0 && link->header_bytes >= 0 &&
                 link->segments_per_ack >= 1 && reverse_ratio >= 0;
    if (!valid)
        return NAN;
    double packet_overhead = link->header_bytes + ETHERNET_OVERHEAD_BYTES;
    double s = (link->segment_bytes + packet_overhead) / link->segment_bytes;
    double a = packet_overhead / (link->segments_per_ack * link->segment_bytes);
    return link->rate_bps / (s + a * reverse_ratio);
}
