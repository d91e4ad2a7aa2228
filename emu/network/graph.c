/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network/graph.h"

#include "base/text.h"

#define FAR INT32_MAX

static void node_fini(struct emu_graph_node *n)
{
    for (int i = 0; i < n->n_choices; i++)
        free(n->choice[i].port);
    MEMORY_FREE(n->choice, n->alone, n->port, n->towards, n->floods);
}

void emu_graph_fini(struct emu_graph *g)
{
    for (int i = 0; g->nodes && i < g->hosts + g->n_switches; i++)
        node_fini(&g->nodes[i]);
    MEMORY_FREE(g->nodes, g->links, g->switches);
    *g = (struct emu_graph){0};
}

/* Room for one more, by doubling. */
static void *graph_grown(void *entries, int n, size_t size)
{
    bool full = n == 0 || (n >= 8 && (n & (n - 1)) == 0);
    size_t capacity = n < 8 ? 0 : (size_t)n;
    return full ? memory_grown(entries, (size_t)n, &capacity, 8, size, "a network") : entries;
}

int emu_graph_add_switch(struct emu_graph *g, const char *name, const struct emu_switch_config *config)
{
    g->switches = graph_grown(g->switches, g->n_switches, sizeof *g->switches);
    struct emu_graph_switch *s = &g->switches[g->n_switches++];
    snprintf(s->name, sizeof s->name, "%s", name);
    s->config = config;
    return g->hosts + g->n_switches - 1;
}

struct emu_graph_link *emu_graph_add_link(struct emu_graph *g, int a, int b, const struct emu_link_config *link)
{
    g->links = graph_grown(g->links, g->n_links, sizeof *g->links);
    struct emu_graph_link *l = &g->links[g->n_links++];
    *l = (struct emu_graph_link){.end = {a, b}, .way = {*link, *link}};
    if (link->up_bps > 0)
        l->way[0].rate_bps = link->up_bps;
    return l;
}

int emu_graph_far(const struct emu_graph *g, struct emu_graph_port port)
{
    return g->links[port.link].end[1 - port.side];
}

static void graph_node_name(const struct emu_graph *g, int node, char name[static EMU_GRAPH_NAME])
{
    if (node < g->hosts)
        snprintf(name, EMU_GRAPH_NAME, "h%d", node);
    else
        snprintf(name, EMU_GRAPH_NAME, "%s", g->switches[node - g->hosts].name);
}

static uint64_t graph_salt(const struct emu_graph *g, int node)
{
    char name[EMU_GRAPH_NAME];
    uint64_t salt = g->seed;
    graph_node_name(g, node, name);
    for (const char *p = name; *p; p++)
        salt = random_mix(salt + (uint64_t)*p);
    return salt;
}

static void graph_number_ports(struct emu_graph *g)
{
    int nodes = g->hosts + g->n_switches;
    g->nodes = memory_zeroed((size_t)nodes, sizeof *g->nodes, "a network");
    for (int i = 0; i < g->n_links; i++)
        for (int side = 0; side < 2; side++)
            g->nodes[g->links[i].end[side]].n_ports++;
    for (int i = 0; i < nodes; i++) {
        struct emu_graph_node *n = &g->nodes[i];
        n->port = memory_zeroed((size_t)n->n_ports, sizeof *n->port, "a network");
        n->floods = memory_zeroed((size_t)n->n_ports, sizeof *n->floods, "a network");
        n->alone = memory_zeroed((size_t)n->n_ports, sizeof *n->alone, "a network");
        n->n_ports = 0;
        n->salt = graph_salt(g, i);
    }
    for (int i = 0; i < g->n_links; i++) {
        struct emu_graph_link *l = &g->links[i];
        const struct emu_graph_node *a = &g->nodes[l->end[0]];
        for (int k = 0; k < a->n_ports; k++)
            l->parallel += emu_graph_far(g, a->port[k]) == l->end[1];
        for (int side = 0; side < 2; side++) {
            struct emu_graph_node *n = &g->nodes[l->end[side]];
            l->port[side] = n->n_ports;
            n->port[n->n_ports++] = (struct emu_graph_port){i, side};
        }
    }
}

struct graph_search {
    int *distance; /* owned; of each node, in cables */
    int *queue;    /* owned; of nodes, nearest first */
    int reached;
};

/* Breadth first from a node; hosts pass nothing on. `tree`: a cable by which a node is reached first carries
 * broadcasts, and any other between nodes already reached is a loop. */
static void graph_search(struct emu_graph *g, int from, bool tree, struct graph_search *s)
{
    int nodes = g->hosts + g->n_switches, head = 0;
    for (int i = 0; i < nodes && !tree; i++)
        s->distance[i] = FAR;
    s->distance[from] = 0;
    s->reached = 0;
    s->queue[s->reached++] = from;
    while (head < s->reached) {
        int at = s->queue[head++];
        struct emu_graph_node *n = &g->nodes[at];
        for (int k = 0; k < n->n_ports && (at == from || at >= g->hosts); k++) {
            int far = emu_graph_far(g, n->port[k]);
            if (s->distance[far] != FAR)
                continue;
            s->distance[far] = s->distance[at] + 1;
            s->queue[s->reached++] = far;
            if (tree)
                n->floods[k] = g->nodes[far].floods[g->links[n->port[k].link].port[1 - n->port[k].side]] = true;
        }
    }
}

/* Broadcasts go over a tree of cables that reaches every node of a part once. */
static void graph_make_trees(struct emu_graph *g, struct graph_search *s)
{
    int nodes = g->hosts + g->n_switches, in_trees = 0;
    for (int i = 0; i < nodes; i++)
        s->distance[i] = FAR;
    for (int i = g->hosts; i < nodes; i++) {
        if (s->distance[i] != FAR)
            continue;
        for (int h = 0; h < g->hosts; h++)
            s->distance[h] = FAR; /* a host with two NICs hears of two parts */
        graph_search(g, i, true, s);
        in_trees += s->reached - 1;
    }
    for (int h = 0; h < g->hosts; h++)
        for (int k = 0; k < g->nodes[h].n_ports; k++) /* host to host, without a switch */
            if (emu_graph_far(g, g->nodes[h].port[k]) < g->hosts) {
                g->nodes[h].floods[k] = true;
                in_trees += emu_graph_far(g, g->nodes[h].port[k]) > h;
            }
    g->loops = g->loops || in_trees < g->n_links;
}

/* The choice of these ports among a node's, which is made when it is not there. */
static uint16_t node_choice(struct emu_graph_node *n, const int *port, int count)
{
    if (count == 1 && n->alone[*port] > 0)
        return (uint16_t)(n->alone[*port] - 1);
    for (int i = 0; count != 1 && i < n->n_choices; i++)
        if (n->choice[i].n == count && memcmp(n->choice[i].port, port, (size_t)count * sizeof *port) == 0)
            return (uint16_t)i;
    n->choice = graph_grown(n->choice, n->n_choices, sizeof *n->choice);
    struct emu_graph_choice *c = &n->choice[n->n_choices++];
    c->n = count;
    c->port = memory_zeroed((size_t)count, sizeof *port, "a network");
    memcpy(c->port, port, (size_t)count * sizeof *port);
    if (count == 1)
        n->alone[*port] = n->n_choices;
    return (uint16_t)(n->n_choices - 1);
}

/* What is being worked out: one search serves all hosts that have one cable, to the same switch. */
struct graph_routes {
    struct graph_search search;
    int *ports;   /* owned; of a node, room for all cables */
    int *several; /* owned; nodes with more than one port, n_several of them */
    int n_several;
    uint16_t *choice; /* owned; of each of these */
    bool *done;       /* owned; hosts that all nodes know a way to */
};

/* The ports of a node that are nearer to where the search began; a host passes on nothing, but may be where it did. */
static uint16_t graph_nearer(const struct emu_graph *g, int node, int from, const struct graph_routes *r)
{
    struct emu_graph_node *n = &g->nodes[node];
    const int *distance = r->search.distance;
    int count = 0;
    for (int k = 0; k < n->n_ports; k++) {
        int far = emu_graph_far(g, n->port[k]);
        if (distance[far] == distance[node] - 1 && (far >= g->hosts || far == from))
            r->ports[count++] = k;
    }
    return node_choice(n, r->ports, count);
}

/* The switch that a host's only cable leads to, with *port of it; -1: it has another or several. */
static int graph_only_switch(const struct emu_graph *g, int host, int *port)
{
    const struct emu_graph_node *n = &g->nodes[host];
    if (n->n_ports != 1 || emu_graph_far(g, n->port[0]) < g->hosts)
        return -1;
    *port = g->links[n->port[0].link].port[1 - n->port[0].side];
    return emu_graph_far(g, n->port[0]);
}

/* All nodes learn the way to a host, which is the same as to its switch. */
static void graph_route_to(struct emu_graph *g, int host, struct graph_routes *r)
{
    int port = 0, sw = graph_only_switch(g, host, &port);
    for (int i = 0; i < r->n_several; i++) {
        struct emu_graph_node *n = &g->nodes[r->several[i]];
        if (r->several[i] != host)
            n->towards[host] = r->several[i] == sw ? node_choice(n, &port, 1) : r->choice[i];
    }
    r->done[host] = true;
}

static bool graph_connected(const struct emu_graph *g, int host, const struct graph_search *s, struct error *err)
{
    for (int h = 0; h < g->hosts; h++)
        if (s->distance[h] == FAR)
            return error_set(err, ERROR_INPUT, "no cables lead from h%d to h%d", host, h);
    return true;
}

/* Finds the way to a host, and to those beside it. */
static bool graph_find(struct emu_graph *g, int host, struct graph_routes *r, struct error *err)
{
    int port, sw = graph_only_switch(g, host, &port), from = sw < 0 ? host : sw;
    graph_search(g, from, false, &r->search);
    if (!graph_connected(g, host, &r->search, err))
        return false;
    for (int i = 0; i < r->n_several; i++)
        r->choice[i] = r->several[i] == from ? 0 : graph_nearer(g, r->several[i], from, r);
    if (sw < 0)
        graph_route_to(g, host, r);
    for (int k = 0; sw >= 0 && k < g->nodes[sw].n_ports; k++) {
        int beside = emu_graph_far(g, g->nodes[sw].port[k]);
        if (beside < g->hosts && graph_only_switch(g, beside, &port) >= 0)
            graph_route_to(g, beside, r);
    }
    return true;
}

bool emu_graph_finish(struct emu_graph *g, struct error *err)
{
    const char *what = "a network";
    int nodes = g->hosts + g->n_switches;
    struct graph_routes r = {.search = {.distance = memory_zeroed((size_t)nodes, sizeof *r.search.distance, what),
                                        .queue = memory_zeroed((size_t)nodes, sizeof *r.search.queue, what)},
                             .ports = memory_zeroed(2 * (size_t)g->n_links, sizeof *r.ports, what),
                             .several = memory_zeroed((size_t)nodes, sizeof *r.several, what),
                             .choice = memory_zeroed((size_t)nodes, sizeof *r.choice, what),
                             .done = memory_zeroed((size_t)g->hosts, sizeof *r.done, what)};
    bool ok = true;
    graph_number_ports(g);
    graph_make_trees(g, &r.search);
    for (int i = 0; i < nodes; i++)
        if (g->nodes[i].n_ports > 1) {
            r.several[r.n_several++] = i;
            g->nodes[i].towards = memory_zeroed((size_t)g->hosts, sizeof *g->nodes[i].towards, what);
        }
    for (int h = 0; ok && h < g->hosts; h++)
        ok = r.done[h] || graph_find(g, h, &r, err);
    MEMORY_FREE(r.search.distance, r.search.queue, r.ports, r.several, r.choice, r.done);
    return ok;
}

int emu_graph_route(const struct emu_graph *g, int node, int source, int destination, uint32_t flow)
{
    const struct emu_graph_node *n = &g->nodes[node];
    if (!n->towards)
        return 0;
    const struct emu_graph_choice *c = &n->choice[n->towards[destination]];
    if (c->n == 1 || g->first_of)
        return c->port[0];
    uint64_t ends = (uint64_t)source << 32 | (uint32_t)destination;
    uint64_t hash = random_mix(random_mix(n->salt ^ ends) ^ flow);
    return c->port[hash % (uint64_t)c->n];
}

int emu_graph_path(const struct emu_graph *g, int source, int destination, uint32_t flow, int most,
                   struct emu_graph_port path[])
{
    int n = 0;
    for (int at = source; at != destination; n++) {
        struct emu_graph_port port = g->nodes[at].port[emu_graph_route(g, at, source, destination, flow)];
        if (n < most)
            path[n] = port;
        at = emu_graph_far(g, port);
    }
    return n;
}

void emu_graph_port_name(const struct emu_graph *g, struct emu_graph_port port, char name[static EMU_PORT_NAME])
{
    const struct emu_graph_link *l = &g->links[port.link];
    char here[EMU_GRAPH_NAME], there[EMU_GRAPH_NAME];
    int number = l->end[port.side] < g->hosts ? l->port[port.side] : l->parallel;
    graph_node_name(g, l->end[port.side], here);
    graph_node_name(g, l->end[1 - port.side], there);
    name[0] = '\0';
    text_add(name, EMU_PORT_NAME, "%s", here);
    if (l->end[port.side] >= g->hosts)
        text_add(name, EMU_PORT_NAME, "-%s", there);
    if (number > 0)
        text_add(name, EMU_PORT_NAME, ".%d", number);
}

bool emu_graph_find(const struct emu_graph *g, const char *name, struct emu_graph_port *port)
{
    char other[EMU_PORT_NAME];
    for (int i = 0; i < 2 * g->n_links; i++) {
        *port = (struct emu_graph_port){i / 2, i % 2};
        emu_graph_port_name(g, *port, other);
        if (strcmp(name, other) == 0)
            return true;
    }
    return false;
}

int emu_graph_host(const char *name)
{
    char *end;
    if (name[0] != 'h' || name[1] < '0' || name[1] > '9' || (name[1] == '0' && name[2]))
        return -1;
    long host = strtol(name + 1, &end, 10);
    return *end || host > INT32_MAX / 2 ? -1 : (int)host;
}
