/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/save.h"

static void spell_name(const struct emu_graph *g, int node, char name[static EMU_GRAPH_NAME])
{
    if (node < g->hosts)
        snprintf(name, EMU_GRAPH_NAME, "h%d", node);
    else
        snprintf(name, EMU_GRAPH_NAME, "%s", g->switches[node - g->hosts].name);
}

static void spell_cable(const struct emu_graph *g, const struct emu_graph_link *from, struct emu_network_link *to)
{
    spell_name(g, from->end[0], to->from);
    spell_name(g, from->end[1], to->to);
    to->cables = 1;
    to->link = from->way[1]; /* what the upper end sends; the lower one's may differ */
    to->link.up_bps = 0;
    to->out = (struct emu_network_way){.on = from->way[0].rate_bps != from->way[1].rate_bps,
                                       .rate_bps = from->way[0].rate_bps,
                                       .delay_ps = from->way[0].delay_ps};
}

bool scenario_spell(struct scenario *s, struct error *err)
{
    struct emu_network_config *n = &s->network;
    struct emu_graph g;
    if (n->topology == EMU_TOPOLOGY_GRAPH)
        return true;
    if (s->n_points > 0)
        return error_set(err, ERROR_INPUT, "a list of points has no network to spell out; give one, with traffic.star."
                                           "incoming and outgoing");
    if (!emu_topology_build(n, &g, err)) {
        emu_graph_fini(&g);
        return false;
    }
    MEMORY_FREE(s->links, s->nodes);
    n->links = s->links = memory_zeroed((size_t)g.n_links, sizeof *s->links, "the cables of a network");
    n->n_links = g.n_links;
    for (int i = 0; i < g.n_links; i++)
        spell_cable(&g, &g.links[i], &s->links[i]);
    n->nodes = s->nodes = memory_zeroed(1, sizeof *s->nodes, "the switches of a network");
    n->n_nodes = n->root;
    snprintf(s->nodes->name, sizeof s->nodes->name, "root");
    s->nodes->sw = n->root_sw;
    n->root = false;
    n->topology = EMU_TOPOLOGY_GRAPH;
    n->n_delays = 0;
    n->uplinks = 0;
    emu_graph_fini(&g);
    return true;
}
