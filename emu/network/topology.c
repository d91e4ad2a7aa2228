/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network/topology.h"

#define EMU_TOPOLOGY_TEXT(NAME, name, text) [EMU_TOPOLOGY_##NAME] = (text),
const char *const emu_topology_names[] = {EMU_TOPOLOGIES(EMU_TOPOLOGY_TEXT) NULL};

#define ALONE (-1)

/* A graph that is being built. */
struct build {
    const struct emu_network_config *config; /* borrowed */
    struct emu_graph *graph;                 /* borrowed */
};

bool emu_network_takes_time(const struct emu_network_config *config)
{
    bool takes = emu_host_takes_time(&config->host);
    for (int h = 0; h < config->n_host_times; h++)
        takes = takes || config->host_times_ps[h] > 0;
    return takes;
}

bool emu_topology_has_racks(enum emu_topology topology)
{
    return topology != EMU_TOPOLOGY_STAR && topology != EMU_TOPOLOGY_FAT_TREE && topology != EMU_TOPOLOGY_GRAPH;
}

int emu_topology_rack(const struct emu_network_config *config, int host)
{
    int rack = 0;
    if (!emu_topology_has_racks(config->topology))
        return 0;
    for (int left = host; rack + 1 < config->n_racks && left >= config->racks[rack]; rack++)
        left -= config->racks[rack];
    return rack;
}

/* A graph's hosts are those that its links name. */
static int topology_graph_hosts(const struct emu_network_config *c)
{
    int hosts = 0;
    for (int i = 0; i < c->n_links; i++) {
        int from = emu_graph_host(c->links[i].from), to = emu_graph_host(c->links[i].to);
        hosts = from >= hosts ? from + 1 : hosts;
        hosts = to >= hosts ? to + 1 : hosts;
    }
    return hosts;
}

int emu_topology_hosts(const struct emu_network_config *config)
{
    int hosts = 0;
    if (config->topology == EMU_TOPOLOGY_STAR)
        return config->hosts;
    if (config->topology == EMU_TOPOLOGY_FAT_TREE)
        return config->k * config->k * config->k / 4;
    if (config->topology == EMU_TOPOLOGY_GRAPH)
        return topology_graph_hosts(config);
    for (int i = 0; i < config->n_racks; i++)
        hosts += config->racks[i];
    return hosts;
}

/* A switch of that name, and number unless that is ALONE. */
static int build_switch(struct build *b, const struct emu_switch_config *config, const char *word, int number)
{
    char name[EMU_GRAPH_NAME], digits[12] = "";
    if (number >= 0)
        snprintf(digits, sizeof digits, "%d", number);
    snprintf(name, sizeof name, "%s%.8s", word, digits);
    return emu_graph_add_switch(b->graph, name, config);
}

static void build_host(struct build *b, int host, int sw)
{
    const struct emu_network_config *c = b->config;
    bool uplink = c->topology == EMU_TOPOLOGY_STAR && host < c->uplinks;
    struct emu_link_config link = uplink ? c->backbone : c->link;
    if (host < c->n_delays && c->topology != EMU_TOPOLOGY_MESH)
        link.delay_ps = c->delays_ps[host];
    emu_graph_add_link(b->graph, host, sw, &link);
}

/* Cables of the backbone; the lower switch is the first. */
static void build_backbone(struct build *b, int lower, int upper)
{
    for (int i = 0; i == 0 || i < b->config->cables; i++)
        emu_graph_add_link(b->graph, lower, upper, &b->config->backbone);
}

/* A switch for each rack, with its hosts; the first switch's node. */
static int build_racks(struct build *b, const char *const *names)
{
    const struct emu_network_config *c = b->config;
    int first = c->hosts, host = 0;
    for (int r = 0; r < c->n_racks; r++) {
        int sw = build_switch(b, &c->sw, names ? names[r] : "sw", names ? ALONE : r);
        for (int i = 0; i < c->racks[r]; i++)
            build_host(b, host++, sw);
    }
    return first;
}

static void build_star(struct build *b)
{
    int sw = build_switch(b, &b->config->sw, "sw", 0);
    for (int h = 0; h < b->config->hosts; h++)
        build_host(b, h, sw);
}

static void build_tree(struct build *b)
{
    const struct emu_network_config *c = b->config;
    int first = build_racks(b, NULL);
    if (!c->root) {
        build_backbone(b, first, first + 1);
        return;
    }
    int root = build_switch(b, &c->root_sw, "root", ALONE);
    for (int r = 0; r < c->n_racks; r++)
        build_backbone(b, first + r, root);
}

static void build_mesh(struct build *b)
{
    const struct emu_network_config *c = b->config;
    int first[EMU_NETWORK_RACKS + 1] = {0}, number = 0;
    for (int r = 0; r < c->n_racks; r++)
        first[r + 1] = first[r] + c->racks[r];
    for (int i = 0; i < c->n_racks; i++)
        for (int k = i + 1; k < c->n_racks; k++) {
            int sw = build_switch(b, &c->sw, "sw", number++);
            for (int h = first[i]; h < first[i + 1]; h++)
                build_host(b, h, sw);
            for (int h = first[k]; h < first[k + 1]; h++)
                build_host(b, h, sw);
        }
    b->graph->first_of = true;
}

static void build_dumbbell(struct build *b)
{
    int first = build_racks(b, NULL);
    build_backbone(b, first, first + 1);
}

static void build_access(struct build *b)
{
    static const char *const names[] = {"modem", "far"};
    int first = build_racks(b, names);
    build_backbone(b, first, first + 1);
}

static void build_leaf_spine(struct build *b)
{
    const struct emu_network_config *c = b->config;
    int first = build_racks(b, NULL);
    for (int s = 0; s < c->spines; s++) {
        int spine = build_switch(b, &c->sw, "spine", s);
        for (int r = 0; r < c->n_racks; r++)
            build_backbone(b, first + r, spine);
    }
}

static void build_fat_tree(struct build *b)
{
    const struct emu_network_config *c = b->config;
    int half = c->k / 2, host = 0, edges = c->hosts, aggregations = edges + c->k * half;
    for (int e = 0; e < c->k * half; e++)
        build_switch(b, &c->sw, "edge", e);
    for (int a = 0; a < c->k * half; a++)
        build_switch(b, &c->sw, "agg", a);
    for (int i = 0; i < half * half; i++)
        build_switch(b, &c->sw, "core", i);
    for (int e = 0; e < c->k * half; e++) {
        for (int i = 0; i < half; i++)
            build_host(b, host++, edges + e);
        for (int i = 0; i < half; i++)
            build_backbone(b, edges + e, aggregations + e / half * half + i);
    }
    for (int a = 0; a < c->k * half; a++)
        for (int i = 0; i < half; i++)
            build_backbone(b, aggregations + a, aggregations + c->k * half + a % half * half + i);
}

/* The node of a name, made when it is a switch that is new. */
static int build_named(struct build *b, const char *name)
{
    const struct emu_network_config *c = b->config;
    const struct emu_switch_config *sw = &c->sw;
    int host = emu_graph_host(name);
    if (host >= 0)
        return host;
    for (int i = 0; i < b->graph->n_switches; i++)
        if (strcmp(b->graph->switches[i].name, name) == 0)
            return c->hosts + i;
    for (int i = 0; i < c->n_nodes; i++)
        if (strcmp(c->nodes[i].name, name) == 0)
            sw = &c->nodes[i].sw;
    return emu_graph_add_switch(b->graph, name, sw);
}

static void build_way(struct emu_graph_link *l, int side, const struct emu_network_way *way)
{
    if (!way->on)
        return;
    l->way[side].rate_bps = way->rate_bps;
    l->way[side].delay_ps = way->delay_ps;
    if (way->faults.on)
        l->way[side].faults = way->faults;
    if (way->queues)
        l->queue[side] = &way->port.queue;
}

static void build_graph(struct build *b)
{
    for (int i = 0; i < b->config->n_links; i++) {
        const struct emu_network_link *link = &b->config->links[i];
        int from = build_named(b, link->from), to = build_named(b, link->to);
        for (int k = 0; k == 0 || k < link->cables; k++) {
            struct emu_graph_link *l = emu_graph_add_link(b->graph, from, to, &link->link);
            build_way(l, 0, &link->out);
            build_way(l, 1, &link->back);
        }
    }
}

bool emu_topology_build(const struct emu_network_config *config, struct emu_graph *g, struct error *err)
{
#define EMU_TOPOLOGY_BUILD(NAME, name, text) [EMU_TOPOLOGY_##NAME] = build_##name,
    static void (*const builders[])(struct build *) = {EMU_TOPOLOGIES(EMU_TOPOLOGY_BUILD)};
    struct build b = {config, g};
    *g = (struct emu_graph){.hosts = config->hosts, .seed = config->sw.seed};
    builders[config->topology](&b);
    return emu_graph_finish(g, err);
}
