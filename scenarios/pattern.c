/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/pattern.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

bool scenario_pattern_init(struct scenario_pattern *p, const struct scenario *s, struct error *err)
{
    const struct emu_network_config *n = &s->network;
    bool tree = n->topology == EMU_TOPOLOGY_TREE;
    if (s->traffic != SCENARIO_TRAFFIC_FLOWS || s->transport != SCENARIO_TRANSPORT_TCP)
        return error_set(err, ERROR_INPUT, "these models know flows over TCP; for others: contraflow predict exchange, "
                                           "contraflow predict loss");
    if (n->topology == EMU_TOPOLOGY_MESH || n->uplinks > 0)
        return error_set(err, ERROR_INPUT, "these models know a star of equal links and a tree, no %s",
                         n->uplinks > 0 ? "uplinks" : "mesh");
    const struct emu_discipline_ops *nic = emu_disciplines[n->nic.discipline];
    const struct emu_discipline_ops *port = emu_disciplines[n->sw.queue.discipline];
    if (!pattern_knows(nic) || !pattern_knows(port))
        return error_set(err, ERROR_INPUT, "these models know fifo and ack-first queues, not '%s'",
                         emu_discipline_names[pattern_knows(nic) ? n->sw.queue.discipline : n->nic.discipline]);
    *p = (struct scenario_pattern){
        .rack = memory_zeroed((size_t)n->hosts, sizeof *p->rack, "the hosts of a pattern"),
        .transfers = memory_zeroed((size_t)s->n_flows, sizeof *p->transfers, "the transfers of a pattern"),
    };
    for (int i = 0; tree && i < n->hosts; i++)
        p->rack[i] = emu_network_rack(n, i);
    p->platform = (struct model_platform){
        .n_nodes = n->hosts,
        .n_racks = tree ? n->n_racks : 1,
        .rack = p->rack,
        .nic = pattern_cable(&n->link, s->link_goodput_bps),
        .backbone = pattern_cable(&n->backbone, s->backbone_goodput_bps),
        .nic_ack_first = nic->acks == EMU_DISCIPLINE_ACKS_LEAD,
        .switch_ack_first = port->acks == EMU_DISCIPLINE_ACKS_LEAD,
        .segment_bytes = (double)s->tcp.segment_bytes,
        .header_bytes = HEADER_BYTES,
        .ack_wire_bytes = HEADER_BYTES + EMU_FRAME_OVERHEAD_BYTES,
        .segments_per_ack = (double)s->tcp.delayed_ack,
        .ack_timeout_s = (double)s->tcp.delayed_ack_timeout_ps * 1e-12,
    };
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
    p->pattern = (struct model_pattern){p->transfers, (size_t)s->n_flows};
    return true;
}

void scenario_pattern_fini(struct scenario_pattern *p)
{
    free(p->rack);
    free(p->transfers);
    *p = (struct scenario_pattern){0};
}

void scenario_pattern_link_name(const struct scenario_pattern *p, int link, char name[static SCENARIO_NAME])
{
    int node = link / 2;
    if (node >= p->platform.n_nodes)
        snprintf(name, SCENARIO_NAME, link % 2 ? "sw1-sw0" : "sw0-sw1");
    else if (link % 2)
        snprintf(name, SCENARIO_NAME, "sw%d-h%d", p->rack[node], node);
    else
        snprintf(name, SCENARIO_NAME, "h%d", node);
}
