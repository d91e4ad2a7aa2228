/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/traffic/pattern.h"

#define HEADER_BYTES 52 /* IPv4 20, TCP 20, timestamps 12: what every engine sends */

static struct model_cable pattern_cable(const struct emu_link_config *link, int64_t goodput_bps)
{
    return (struct model_cable){(double)link->rate_bps, (double)link->delay_ps * 1e-12, (double)goodput_bps};
}

/* Queues in which ACKs wait behind data or lead them, and that only a full buffer makes lose anything. */
static bool pattern_knows(const struct emu_discipline_ops *queue)
{
    return queue->acks != EMU_DISCIPLINE_ACKS_TAKE_TURNS && emu_discipline_is_plain(queue);
}

static void pattern_racks(struct scenario_pattern *p, const struct scenario *s)
{
    const struct emu_network_config *n = &s->network;
    bool tree = n->topology == EMU_TOPOLOGY_TREE;
    p->rack = memory_zeroed((size_t)n->hosts, sizeof *p->rack, "the hosts of a pattern");
    for (int i = 0; tree && i < n->hosts; i++)
        p->rack[i] = emu_topology_rack(n, i);
    p->platform.n_racks = tree ? n->n_racks : 1;
    p->platform.rack = p->rack;
    p->platform.nic = pattern_cable(&n->link, s->link_goodput_bps);
    p->platform.backbone = pattern_cable(&n->backbone, s->backbone_goodput_bps);
}

static const struct emu_queue_config *pattern_queue(const struct scenario_pattern *p, const struct scenario *s, int l)
{
    const struct emu_graph_link *link = &p->graph.links[l / 2];
    int node = link->end[l % 2];
    if (link->queue[l % 2])
        return link->queue[l % 2];
    return node < p->graph.hosts ? &s->network.nic : &p->graph.switches[node - p->graph.hosts].config->queue;
}

/* What it carries of full segments; a framing of its own makes a link slower by as much as frames are longer. */
static bool pattern_link(struct scenario_pattern *p, const struct scenario *s, int l, struct error *err)
{
    const struct emu_link_config *way = &p->graph.links[l / 2].way[l % 2];
    const struct emu_queue_config *queue = pattern_queue(p, s, l);
    const struct emu_frame full = {.payload_bytes = (uint16_t)(s->tcp.segment_bytes + HEADER_BYTES)};
    double longer = (double)emu_port_frame_bytes(way, &full) / (double)emu_frame_wire_bytes(&full);
    double rate_bps = (double)way->rate_bps / longer;
    p->links[l] = (struct model_cable){rate_bps, (double)way->delay_ps * 1e-12,
                                       rate_bps * (double)s->tcp.segment_bytes / (double)emu_frame_wire_bytes(&full)};
    p->ack_first[l] = emu_disciplines[queue->discipline]->acks == EMU_DISCIPLINE_ACKS_LEAD;
    if (rate_bps > p->platform.nic.rate_bps)
        p->platform.nic = p->links[l];
    if (way->faults.on)
        return error_set(err, ERROR_INPUT, "these models know links without faults");
    return pattern_knows(emu_disciplines[queue->discipline]) ||
           error_set(err, ERROR_INPUT, "these models know fifo and ack-first queues, not '%s'",
                     emu_discipline_names[queue->discipline]);
}

static bool pattern_route(const struct scenario_pattern *p, int from, int to, uint32_t flow, struct model_route *r,
                          struct error *err)
{
    struct emu_graph_port path[MODEL_PLATFORM_HOPS];
    r->n = emu_graph_path(&p->graph, from, to, flow, MODEL_PLATFORM_HOPS, path);
    for (int h = 0; h < r->n && h < MODEL_PLATFORM_HOPS; h++)
        r->link[h] = 2 * path[h].link + path[h].side;
    return r->n <= MODEL_PLATFORM_HOPS ||
           error_set(err, ERROR_INPUT, "%d cables from h%d to h%d; these models know ways of at most %d", r->n, from, to,
                     MODEL_PLATFORM_HOPS);
}

static bool pattern_links(struct scenario_pattern *p, const struct scenario *s, struct error *err)
{
    bool ok = emu_topology_build(&s->network, &p->graph, err);
    int n = p->platform.n_links = ok ? 2 * p->graph.n_links : 0;
    p->platform.n_racks = 1;
    p->platform.link = p->links = memory_zeroed((size_t)n, sizeof *p->links, "the links of a pattern");
    p->platform.link_ack_first = p->ack_first = memory_zeroed((size_t)n, sizeof *p->ack_first, "the links of a pattern");
    p->pattern.ways = p->ways = memory_zeroed((size_t)s->n_flows, sizeof *p->ways, "the transfers of a pattern");
    for (int l = 0; ok && l < n; l++)
        ok = pattern_link(p, s, l, err);
    for (int i = 0; ok && i < s->n_flows; i++) {
        const struct scenario_flow *f = &s->flows[i];
        ok = pattern_route(p, f->from, f->to, EMU_FRAME_FLOW_OF(i, false), &p->ways[i].data, err) &&
             pattern_route(p, f->to, f->from, EMU_FRAME_FLOW_OF(i, true), &p->ways[i].acks, err);
    }
    return ok;
}

bool scenario_pattern_init(struct scenario_pattern *p, const struct scenario *s, struct error *err)
{
    const struct emu_network_config *n = &s->network;
    *p = (struct scenario_pattern){0};
    if (s->traffic != SCENARIO_TRAFFIC_FLOWS || !scenario_has_streams(s))
        return error_set(err, ERROR_INPUT, "these models know flows over TCP; for others: contraflow predict exchange, "
                                           "contraflow predict loss");
    const struct emu_discipline_ops *nic = emu_disciplines[n->nic.discipline];
    const struct emu_discipline_ops *port = emu_disciplines[n->sw.queue.discipline];
    if (!pattern_knows(nic) || !pattern_knows(port))
        return error_set(err, ERROR_INPUT, "these models know fifo and ack-first queues, not '%s'",
                         emu_discipline_names[pattern_knows(nic) ? n->sw.queue.discipline : n->nic.discipline]);
    if (n->nic.mark_bytes > 0 || n->sw.queue.mark_bytes > 0)
        return error_set(err, ERROR_INPUT, "these models know queues that lose, none that mark (mark)");
    if (n->link.faults.on || n->backbone.faults.on)
        return error_set(err, ERROR_INPUT, "these models know links without faults");
    p->transfers = memory_zeroed((size_t)s->n_flows, sizeof *p->transfers, "the transfers of a pattern");
    p->platform = (struct model_platform){
        .n_nodes = n->hosts,
        .nic_ack_first = nic->acks == EMU_DISCIPLINE_ACKS_LEAD,
        .switch_ack_first = port->acks == EMU_DISCIPLINE_ACKS_LEAD,
        .segment_bytes = (double)s->tcp.segment_bytes,
        .header_bytes = HEADER_BYTES,
        .ack_wire_bytes = HEADER_BYTES + EMU_FRAME_OVERHEAD_BYTES,
        .segments_per_ack = (double)s->tcp.delayed_ack,
        .ack_timeout_s = (double)s->tcp.delayed_ack_timeout_ps * 1e-12,
    };
    /* A star of equal cables, or a tree of two kinds of them. */
    if ((n->topology == EMU_TOPOLOGY_STAR && n->uplinks == 0) || n->topology == EMU_TOPOLOGY_TREE) {
        pattern_racks(p, s);
    } else if (!pattern_links(p, s, err)) {
        scenario_pattern_fini(p);
        return false;
    }
    for (int i = 0; i < s->n_flows; i++) {
        const struct scenario_flow *f = &s->flows[i];
        p->transfers[i] = (struct model_transfer){
            .source = f->from,
            .destination = f->to,
            .bytes = f->bytes > 0 ? (double)f->bytes : (double)INFINITY,
            .window_bytes = (double)f->tcp.receive_buffer_bytes,
            .start_s = (double)f->start_ps * 1e-12,
        };
    }
    p->pattern.transfers = p->transfers;
    p->pattern.n = (size_t)s->n_flows;
    return true;
}

void scenario_pattern_fini(struct scenario_pattern *p)
{
    MEMORY_FREE(p->rack, p->transfers, p->links, p->ack_first, p->ways);
    emu_graph_fini(&p->graph);
    *p = (struct scenario_pattern){0};
}

void scenario_pattern_link_name(const struct scenario_pattern *p, int link, char name[static SCENARIO_NAME])
{
    int node = link / 2;
    if (p->platform.link)
        emu_graph_port_name(&p->graph, (struct emu_graph_port){link / 2, link % 2}, name);
    else if (node >= p->platform.n_nodes)
        snprintf(name, SCENARIO_NAME, link % 2 ? "sw1-sw0" : "sw0-sw1");
    else if (link % 2)
        snprintf(name, SCENARIO_NAME, "sw%d-h%d", p->rack[node], node);
    else
        snprintf(name, SCENARIO_NAME, "h%d", node);
}
