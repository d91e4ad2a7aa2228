/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/window/window_rule.h"

#include "model/rule.h"

struct model_window_rule {
    struct model_window *window;     /* owned, as the rest */
    struct model_window_network network;
    struct model_window_link *links;
    struct model_window_flow *flows;
    double release_bytes;            /* payload that an ACK lets go */
};

void model_window_rule_free(struct model_window_rule *r)
{
    if (!r)
        return;
    model_window_free(r->window);
    MEMORY_FREE(r->links, r->flows, r);
}

/* An ACK waits for the mates of the first segment, or for the timer. */
static double rule_round_trip_s(const struct model_routes *routes, size_t transfer,
                                const struct model_window_flight *flight)
{
    const struct model_platform *p = &routes->platform;
    const struct model_route *route = &routes->route[transfer];
    double slowest_bps = p->nic.rate_bps;
    for (int h = 0; h < route->n; h++)
        slowest_bps = fmin(slowest_bps, model_platform_cable(p, route->link[h])->rate_bps);
    double frame_s = 8 * p->segment_bytes / model_platform_goodput_bps(p, slowest_bps);
    double base_s = routes->pattern.ways ? model_platform_way_rtt_s(p, route, &routes->acks[transfer])
                                         : model_platform_base_rtt_s(p, route);
    return base_s + flight->mates * frame_s + (flight->waits_timer ? p->ack_timeout_s : 0);
}

static void rule_fill(struct model_window_rule *r, const struct model_routes *routes)
{
    const struct model_platform *p = &routes->platform;
    double s = p->nic.rate_bps / model_platform_goodput_bps(p, p->nic.rate_bps);
    double a = p->ack_wire_bytes / (p->segments_per_ack * p->segment_bytes);
    for (int l = 0; l < routes->n_links; l++) {
        bool of_node = l < 2 * p->n_nodes && l % 2 == 0; /* a node's own queue; every other is a switch port's */
        r->links[l] = (struct model_window_link){
            .rate_bps = model_platform_cable(p, l)->rate_bps,
            .ack_first = p->link ? p->link_ack_first[l] : of_node ? p->nic_ack_first : p->switch_ack_first,
        };
    }
    for (size_t i = 0; i < routes->pattern.n; i++) {
        const struct model_route *route = &routes->route[i];
        /* A message that fits the window flies whole, whatever its last segment. */
        const struct model_transfer *t = &routes->pattern.transfers[i];
        struct model_window_flight flight = model_window_flight(t->window_bytes, p->segment_bytes, p->segments_per_ack);
        if (t->bytes <= t->window_bytes)
            flight = (struct model_window_flight){.bytes = t->bytes};
        r->flows[i] = (struct model_window_flow){
            .window_bytes = flight.bytes,
            .base_rtt_s = rule_round_trip_s(routes, i, &flight),
            .wire_per_byte = s,
            .ack_wire_per_byte = a,
            .data = route->link,
            .ack = routes->acks[i].link,
            .n_data = route->n,
            .n_ack = routes->acks[i].n,
        };
    }
}

struct model_window_rule *model_window_rule_new(const struct model_routes *routes, struct error *err)
{
    struct model_window_rule *r = memory_zeroed(1, sizeof *r, "a rule");
    r->links = memory_zeroed((size_t)routes->n_links, sizeof *r->links, "the links of a rule");
    r->flows = memory_zeroed(routes->pattern.n, sizeof *r->flows, "the transfers of a rule");
    rule_fill(r, routes);
    r->release_bytes = routes->platform.segments_per_ack * routes->platform.segment_bytes;
    r->network = (struct model_window_network){r->links, r->flows, (size_t)routes->n_links, routes->pattern.n};
    r->window = model_window_new(&r->network, err);
    if (r->window)
        return r;
    model_window_rule_free(r);
    return NULL;
}

struct model_window *model_window_rule_window(struct model_window_rule *r)
{
    return r->window;
}

const struct model_window_network *model_window_rule_network(const struct model_window_rule *r)
{
    return &r->network;
}

bool model_window_rule_solve(struct model_window_rule *r, const bool *active, double bursts, struct error *err)
{
    return model_window_solve(r->window, active, err) &&
           (!(bursts > 0) || model_window_add_bursts(r->window, r->release_bytes, bursts, err));
}

static void *window_rule_new(const struct model_routes *routes, bool contra_flow UNUSED, struct error *err)
{
    return model_window_rule_new(routes, err);
}

static void window_rule_free(void *state)
{
    model_window_rule_free(state);
}

static bool window_rule_rates(void *state, const bool *active, double *rate_bps, struct error *err)
{
    struct model_window_rule *r = state;
    if (!model_window_rule_solve(r, active, MODEL_WINDOW_BURSTS_EXPECTED, err))
        return false;
    memcpy(rate_bps, model_window_rates(r->window), r->network.n_flows * sizeof *rate_bps);
    return true;
}

const struct model_rule model_rule_window = {
    .new = window_rule_new,
    .rates = window_rule_rates,
    .free = window_rule_free,
};
