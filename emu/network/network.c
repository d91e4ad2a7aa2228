/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network/network.h"

#include <assert.h>

/* NULL: it needs no time for a frame. */
static struct emu_host *network_inside(const struct emu_network *n, int host)
{
    return host < n->n_inside ? n->inside[host] : NULL;
}

static void network_receive(void *owner, int index, const struct emu_frame *frame)
{
    struct emu_network *n = owner;
    int host = n->host_of[index];
    struct emu_host *inside = network_inside(n, host);
    if (!inside)
        n->deliver(n->user, host, frame);
    else if (!emu_host_receive(inside, frame))
        n->ops->release(frame->packet);
}

/* The host's stack gets it. */
static void network_taken(void *user, int host, const struct emu_frame *frame)
{
    struct emu_network *n = user;
    n->deliver(n->user, host, frame);
}

/* Frames for everybody, and for stations that are nobody's, have no port. */
static int network_route(void *user, int node, const struct emu_frame *frame)
{
    const struct emu_network *n = user;
    if (frame->dst >= (uint32_t)n->graph.hosts)
        return -1;
    return emu_graph_route(&n->graph, node, (int)frame->src, (int)frame->dst, emu_frame_fair_key(n->ops, frame));
}

static struct emu_port *network_node_port(const struct emu_network *n, int node, int port)
{
    int hosts = n->graph.hosts;
    return node < hosts ? &n->nics[n->first_nic[node] + port] : &n->switches[node - hosts].ports[port];
}

static bool network_pauses(const struct emu_network *n, int node)
{
    return node >= n->graph.hosts && n->graph.switches[node - n->graph.hosts].config->pause.on;
}

/* A cable. PAUSE stops either end that the other's switch can tell to. */
static void network_connect(struct emu_network *n, const struct emu_graph_link *l)
{
    struct emu_port *ends[2];
    bool pause = network_pauses(n, l->end[0]) || network_pauses(n, l->end[1]);
    for (int side = 0; side < 2; side++) {
        int far = l->end[1 - side];
        struct emu_port *p = ends[side] = network_node_port(n, l->end[side], l->port[side]);
        emu_graph_port_name(&n->graph, n->graph.nodes[l->end[side]].port[l->port[side]], p->name);
        p->no_pause = far < n->graph.hosts && n->config.pause_hosts && !n->config.pause_hosts[far];
        pause = pause && !p->no_pause;
        if (l->queue[side])
            emu_port_set_queue(p, l->queue[side]);
    }
    for (int side = 0; side < 2 && pause; side++)
        emu_port_make_eager(ends[side]);
    emu_port_join(ends[0], &l->way[0], ends[1], &l->way[1]);
}

static void network_add_switch(struct emu_network *n, const struct emu_clock *clock)
{
    const struct emu_graph_switch *of = &n->graph.switches[n->n_switches];
    const struct emu_graph_node *node = &n->graph.nodes[n->graph.hosts + n->n_switches];
    struct emu_switch *s = &n->switches[n->n_switches];
    struct emu_switch_config config = *of->config;
    config.seed += (uint64_t)n->n_switches;
    emu_switch_init(s, of->name, node->n_ports, clock, n->ops, &config);
    if (n->graph.loops)
        s->routes = (struct emu_switch_routes){network_route, n, n->graph.hosts + n->n_switches, node->floods};
    n->n_switches++;
}

static void network_add_host(struct emu_network *n, int host, const struct emu_clock *clock)
{
    struct emu_queue_config queue = n->config.nic;
    queue.kernel = n->config.nic_kernel;
    n->first_nic[host + 1] = n->first_nic[host] + n->graph.nodes[host].n_ports;
    for (int i = n->first_nic[host]; i < n->first_nic[host + 1]; i++) {
        char name[EMU_PORT_NAME];
        emu_graph_port_name(&n->graph, n->graph.nodes[host].port[i - n->first_nic[host]], name);
        emu_port_init(&n->nics[i], name, clock, n->ops, &queue);
        n->nics[i].receive = network_receive;
        n->nics[i].owner = n;
        n->nics[i].index = i;
        n->host_of[i] = host;
    }
}

/* To its NIC's queue. */
static void network_out(void *user, int host, const struct emu_frame *frame)
{
    struct emu_network *n = user;
    if (frame->dst != EMU_FRAME_BROADCAST) {
        emu_port_send(emu_network_nic(n, host, frame), frame);
        return;
    }
    const struct emu_graph_node *node = &n->graph.nodes[host];
    for (int i = 1; i <= node->n_ports; i++) {
        int port = i % node->n_ports;
        if (!node->floods[port])
            continue;
        struct emu_frame copy = *frame;
        copy.packet = emu_frame_share(n->ops, frame->packet);
        emu_port_send(&n->nics[n->first_nic[host] + port], &copy);
    }
    emu_frame_release(n->ops, frame->packet);
}

static void network_furnish(struct emu_network *n, const struct emu_clock *clock)
{
    const struct emu_network_config *c = &n->config;
    n->n_inside = emu_host_takes_time(&c->host) ? n->graph.hosts : c->n_host_times;
    n->inside = memory_zeroed((size_t)n->n_inside, sizeof *n->inside, "the network");
    for (int h = 0; h < n->n_inside; h++)
        n->inside[h] = emu_host_new(&c->host, h, h < c->n_host_times ? c->host_times_ps[h] : 0, clock, network_taken,
                                    network_out, n);
    for (int i = 0; i < n->n_nics; i++)
        if (!network_inside(n, n->host_of[i]))
            n->nics[i].hand = (struct emu_port_hand){n->deliver, n->user, n->host_of[i]};
}

void emu_network_init(struct emu_network *n, const struct emu_network_config *config, const struct emu_clock *clock,
                      const struct emu_frame_ops *ops,
                      void (*deliver)(void *user, int host, const struct emu_frame *frame), void *user)
{
    struct error unreachable; /* told to whoever checked the config */
    *n = (struct emu_network){.config = *config, .ops = ops, .deliver = deliver, .user = user};
    bool built = emu_topology_build(&n->config, &n->graph, &unreachable);
    assert(built);
    (void)built;
    size_t hosts = (size_t)n->graph.hosts;
    for (size_t h = 0; h < hosts; h++)
        n->n_nics += n->graph.nodes[h].n_ports;
    n->nics = emu_port_array((size_t)n->n_nics);
    n->host_of = memory_zeroed((size_t)n->n_nics, sizeof *n->host_of, "the network");
    n->first_nic = memory_zeroed(hosts + 1, sizeof *n->first_nic, "the network");
    n->switches = memory_zeroed((size_t)n->graph.n_switches, sizeof *n->switches, "the network");
    for (size_t h = 0; h < hosts; h++)
        network_add_host(n, (int)h, clock);
    while (n->n_switches < n->graph.n_switches)
        network_add_switch(n, clock);
    for (int i = 0; i < n->graph.n_links; i++)
        network_connect(n, &n->graph.links[i]);
    network_furnish(n, &n->nics[0].clock);
}

void emu_network_fini(struct emu_network *n)
{
    for (int i = 0; n->nics && i < emu_network_nic_count(n); i++)
        emu_port_fini(&n->nics[i]);
    for (int i = 0; i < n->n_switches; i++)
        emu_switch_fini(&n->switches[i]);
    for (int h = 0; h < n->n_inside; h++)
        emu_host_free(n->inside[h], n->ops);
    MEMORY_FREE(n->inside, n->classes, n->nics, n->first_nic, n->host_of, n->switches);
    emu_graph_fini(&n->graph);
    *n = (struct emu_network){0};
}

struct emu_port *emu_network_nic(const struct emu_network *n, int host, const struct emu_frame *frame)
{
    bool known = frame->dst < (uint32_t)n->graph.hosts && frame->dst != (uint32_t)host;
    uint32_t flow = n->graph.nodes[host].n_ports > 1 && known ? emu_frame_fair_key(n->ops, frame) : 0;
    int nic = known ? emu_graph_route(&n->graph, host, host, (int)frame->dst, flow) : 0;
    return &n->nics[n->first_nic[host] + nic];
}

struct emu_port *emu_network_only_nic(const struct emu_network *n, int host)
{
    return n->graph.nodes[host].n_ports == 1 && n->n_classes == 0 && !network_inside(n, host) ? &n->nics[n->first_nic[host]] : NULL;
}

/* The switch whose port this is; NULL: a NIC. */
static const struct emu_switch *network_owner(const struct emu_network *n, const struct emu_port *p)
{
    for (int i = 0; i < n->n_switches; i++)
        if (p->owner == &n->switches[i])
            return &n->switches[i];
    return NULL;
}

void emu_network_classify(struct emu_network *n, int flow, uint8_t traffic_class)
{
    if (flow >= n->n_classes) {
        n->classes = memory_resized(n->classes, (size_t)flow + 1, sizeof *n->classes, "classes");
        while (n->n_classes <= flow)
            n->classes[n->n_classes++] = 0;
    }
    n->classes[flow] = traffic_class;
}

void emu_network_transmit(struct emu_network *n, int host, const struct emu_frame *frame)
{
    struct emu_host *inside = network_inside(n, host);
    struct emu_frame sent = *frame;
    sent.sent_ps = emu_clock_now(&n->nics[n->first_nic[host]].clock);
    if (n->n_classes > 0) {
        uint32_t flow = emu_frame_flow(n->ops, frame) / 2;
        if (flow < (uint32_t)n->n_classes)
            sent.traffic_class = n->classes[flow];
    }
    if (inside)
        emu_host_send(inside, &sent);
    else
        network_out(n, host, &sent);
}

int64_t emu_network_transit_ps(const struct emu_network *n, int host, const struct emu_frame *frame)
{
    const struct emu_port *p = emu_network_nic(n, host, frame);
    int64_t transit_ps = emu_host_least_ps(network_inside(n, host), frame, true);
    for (;;) {
        const struct emu_switch *s = network_owner(n, p->far);
        const int64_t whole = emu_port_frame_bytes(&p->link, frame) - EMU_PORT_GAP_BYTES;
        int out = s ? emu_switch_route(s, frame) : -1;
        if (s && out < 0)
            return -1;
        bool early = s && p->early && s->ports[out].link.rate_bps <= p->link.rate_bps;
        transit_ps += emu_port_wire_ps(&p->link, early ? EMU_PORT_EARLY_BYTES : whole) + p->link.delay_ps;
        if (!s)
            return transit_ps + emu_host_least_ps(network_inside(n, n->host_of[p->far->index]), frame, false);
        transit_ps += s->config.latency_ps;
        p = &s->ports[out];
    }
}

bool emu_network_knows(const struct emu_network *n, int host, int other)
{
    struct emu_frame there = {.packet = emu_frame_tag(0), .src = (uint32_t)host, .dst = (uint32_t)other};
    struct emu_frame back = {.packet = there.packet, .src = there.dst, .dst = there.src};
    return emu_network_transit_ps(n, host, &there) >= 0 && emu_network_transit_ps(n, other, &back) >= 0;
}

/* Bounds from below that get better with each round; a tree is four cables deep. */
int64_t emu_network_look_ahead(struct emu_network *n)
{
    int64_t least_ps = EMU_CLOCK_NEVER;
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < n->n_switches; i++) {
            struct emu_switch *s = &n->switches[i];
            int64_t ahead_ps = EMU_CLOCK_NEVER;
            for (int k = 0; k < s->n_ports; k++) {
                int64_t reach_ps = s->ports[k].far ? emu_port_reach_ps(&s->ports[k]) : EMU_CLOCK_NEVER;
                ahead_ps = reach_ps < ahead_ps ? reach_ps : ahead_ps;
            }
            if (s->n_ports > 0 && s->ports[0].queue.ops->open)
                ahead_ps = 0; /* its kernel's clock tells when a frame comes */
            for (int k = 0; k < s->n_ports; k++)
                if (s->ports[k].far)
                    s->ports[k].far->ahead_ps = ahead_ps;
        }
    for (int i = 0; i < emu_network_nic_count(n); i++) {
        int64_t reach_ps = n->nics[i].far ? emu_port_reach_ps(&n->nics[i]) : EMU_CLOCK_NEVER;
        least_ps = reach_ps < least_ps ? reach_ps : least_ps;
        if (n->nics[i].queue.ops->open)
            least_ps = 0;
    }
    return least_ps;
}

int64_t emu_network_ring_lost(const struct emu_network *n, int nic)
{
    const int host = n->host_of[nic];
    return nic == n->first_nic[host] ? emu_host_lost(network_inside(n, host)) : -1;
}

int emu_network_nic_count(const struct emu_network *n)
{
    return n->n_nics;
}

int emu_network_port_count(const struct emu_network *n)
{
    int count = emu_network_nic_count(n);
    for (int i = 0; i < n->n_switches; i++)
        count += n->switches[i].n_ports;
    return count;
}

/* The switch a port belongs to, and *i its number there; NULL for a NIC. */
static struct emu_switch *network_switch_of(struct emu_network *n, int *i)
{
    if (*i < emu_network_nic_count(n))
        return NULL;
    *i -= emu_network_nic_count(n);
    int sw = 0;
    while (*i >= n->switches[sw].n_ports)
        *i -= n->switches[sw++].n_ports;
    return &n->switches[sw];
}

struct emu_port *emu_network_port(struct emu_network *n, int i)
{
    struct emu_switch *s = network_switch_of(n, &i);
    return s ? &s->ports[i] : &n->nics[i];
}

const struct emu_queue *emu_network_buffer(struct emu_network *n, int i)
{
    struct emu_switch *s = network_switch_of(n, &i);
    return s ? emu_switch_buffer(s, i) : &n->nics[i].queue;
}

struct emu_port *emu_network_find(struct emu_network *n, const char *name)
{
    for (int i = 0; i < emu_network_port_count(n); i++)
        if (strcmp(emu_network_port(n, i)->name, name) == 0)
            return emu_network_port(n, i);
    return NULL;
}

bool emu_network_audit(struct emu_network *n, struct error *err)
{
    for (int i = 0; i < emu_network_nic_count(n); i++)
        if (!emu_port_audit(&n->nics[i], err))
            return false;
    for (int i = 0; i < n->n_switches; i++)
        if (!emu_switch_audit(&n->switches[i], err))
            return false;
    return true;
}
