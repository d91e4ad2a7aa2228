/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/platform.h"

#define WIRE_OVERHEAD_BYTES 38.0 /* Ethernet header 14, FCS 4, preamble 8, gap 12 */

double model_platform_goodput_bps(const struct model_platform *p, double rate_bps)
{
    return rate_bps * p->segment_bytes / (p->segment_bytes + p->header_bytes + WIRE_OVERHEAD_BYTES);
}

static bool platform_positive(const char *what, double value, struct error *err)
{
    if (isfinite(value) && value > 0)
        return true;
    return error_set(err, ERROR_INPUT, "%s: %g is not a positive number", what, value);
}

static bool platform_cable_check(const char *what, const struct model_cable *c, struct error *err)
{
    if (!platform_positive("rate in bit/s", c->rate_bps, err) ||
        !platform_positive("goodput in bit/s", c->goodput_bps, err))
        return error_prefix(err, "%s ", what);
    if (!isfinite(c->delay_s) || c->delay_s < 0)
        return error_set(err, ERROR_INPUT, "%s delay: %g s is not a time of 0 or more", what, c->delay_s);
    if (c->goodput_bps > c->rate_bps)
        return error_set(err, ERROR_INPUT, "%s goodput: %g bit/s is more than the wire's %g", what, c->goodput_bps,
                         c->rate_bps);
    return true;
}

bool model_platform_check(const struct model_platform *p, struct error *err)
{
    if (p->n_nodes < 2 || p->n_nodes > MODEL_PLATFORM_NODES)
        return error_set(err, ERROR_INPUT, "%d nodes; 2 to %d can be modelled", p->n_nodes, MODEL_PLATFORM_NODES);
    if (p->n_racks < 1 || p->n_racks > p->n_nodes)
        return error_set(err, ERROR_INPUT, "%d racks for %d nodes; 1 to %d are possible", p->n_racks, p->n_nodes,
                         p->n_nodes);
    for (int i = 0; p->rack && i < p->n_nodes; i++)
        if (p->rack[i] < 0 || p->rack[i] >= p->n_racks)
            return error_set(err, ERROR_INPUT, "node %d: rack %d is not one of 0 to %d", i, p->rack[i], p->n_racks - 1);
    for (int l = 0; p->link && l < p->n_links; l++)
        if (!platform_cable_check("link", &p->link[l], err))
            return false;
    if (!platform_cable_check("NIC", &p->nic, err) ||
        (p->n_racks > 1 && !platform_cable_check("backbone", &p->backbone, err)))
        return false;
    if (!isfinite(p->header_bytes) || p->header_bytes < 0)
        return error_set(err, ERROR_INPUT, "header: %g bytes is not a size of 0 or more", p->header_bytes);
    return platform_positive("segment in bytes", p->segment_bytes, err) &&
           platform_positive("ACK on the wire in bytes", p->ack_wire_bytes, err) &&
           platform_positive("segments per ACK", p->segments_per_ack, err);
}

int model_platform_link_count(const struct model_platform *p)
{
    if (p->link)
        return p->n_links;
    int cables = p->n_nodes + (p->n_racks > 2 ? p->n_racks : p->n_racks - 1);
    return 2 * cables;
}

const struct model_cable *model_platform_cable(const struct model_platform *p, int link)
{
    return p->link ? &p->link[link] : link < 2 * p->n_nodes ? &p->nic : &p->backbone;
}

struct model_route model_platform_route(const struct model_platform *p, int source, int destination)
{
    struct model_route r = {.n = 0};
    int from = p->rack ? p->rack[source] : 0, to = p->rack ? p->rack[destination] : 0;
    r.link[r.n++] = 2 * source;
    if (from != to && p->n_racks == 2) {
        r.link[r.n++] = 2 * p->n_nodes + from;
    } else if (from != to) {
        r.link[r.n++] = 2 * (p->n_nodes + from);
        r.link[r.n++] = 2 * (p->n_nodes + to) + 1;
    }
    r.link[r.n++] = 2 * destination + 1;
    return r;
}

double model_platform_base_rtt_s(const struct model_platform *p, const struct model_route *route)
{
    double bits = 8 * (p->segment_bytes + p->header_bytes + WIRE_OVERHEAD_BYTES + p->ack_wire_bytes), rtt_s = 0;
    for (int i = 0; i < route->n; i++) {
        const struct model_cable *c = model_platform_cable(p, route->link[i]);
        rtt_s += 2 * c->delay_s + bits / c->rate_bps;
    }
    return rtt_s;
}

double model_platform_way_rtt_s(const struct model_platform *p, const struct model_route *data,
                                const struct model_route *acks)
{
    double data_bits = 8 * (p->segment_bytes + p->header_bytes + WIRE_OVERHEAD_BYTES), rtt_s = 0;
    for (int i = 0; i < data->n; i++) {
        const struct model_cable *c = model_platform_cable(p, data->link[i]);
        rtt_s += c->delay_s + data_bits / c->rate_bps;
    }
    for (int i = 0; i < acks->n; i++) {
        const struct model_cable *c = model_platform_cable(p, acks->link[i]);
        rtt_s += c->delay_s + 8 * p->ack_wire_bytes / c->rate_bps;
    }
    return rtt_s;
}
