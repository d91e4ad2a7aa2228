/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network.h"

#include "base/memory.h"
#include "emu/ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const emu_topology_names[] = {
    [EMU_TOPOLOGY_STAR] = "star",
    [EMU_TOPOLOGY_TREE] = "tree",
    [EMU_TOPOLOGY_MESH] = "mesh",
    NULL,
};

/* Frames that a host has received and not yet taken. */
struct emu_network_intake {
    struct emu_network *network; /* borrowed */
    struct emu_ring ring;
    int host;
    bool busy;
};

static int64_t network_host_time_ps(const struct emu_network *n, int host)
{
    return host < n->config.n_host_times ? n->config.host_times_ps[host] : 0;
}

/* The host has taken the oldest frame. */
static void network_taken(void *arg)
{
    struct emu_network_intake *intake = arg;
    struct emu_network *n = intake->network;
    struct emu_frame frame;
    emu_ring_pop(&intake->ring, &frame);
    intake->busy = intake->ring.count > 0;
    if (intake->busy)
        emu_clock_schedule(&n->nics[0].clock, network_host_time_ps(n, intake->host), network_taken, intake);
    n->deliver(n->user, intake->host, &frame);
}

static void network_receive(void *owner, int index, const struct emu_frame *frame)
{
    struct emu_network *n = owner;
    int host = index / n->nics_per_host;
    int64_t takes_ps = network_host_time_ps(n, host);
    if (takes_ps == 0) {
        n->deliver(n->user, host, frame);
        return;
    }
    struct emu_network_intake *intake = &n->intakes[host];
    emu_ring_push(&intake->ring, frame, 0);
    if (intake->busy)
        return;
    intake->busy = true;
    emu_clock_schedule(&n->nics[0].clock, takes_ps, network_taken, intake);
}

int emu_network_rack(const struct emu_network_config *config, int host)
{
    int rack = 0;
    for (int left = host; rack + 1 < config->n_racks && left >= config->racks[rack]; rack++)
        left -= config->racks[rack];
    return rack;
}

/* A cable; PAUSE stops either end that the other's switch can tell to. */
static void network_connect(struct emu_port *a, struct emu_port *b, const struct emu_link_config *link, bool pause)
{
    if (pause) {
        emu_port_make_eager(a);
        emu_port_make_eager(b);
    }
    emu_port_connect(a, b, link);
}

static void network_attach_host(struct emu_network *n, int host, int nic, int sw, int port)
{
    struct emu_port *a = &n->nics[host * n->nics_per_host + nic], *b = &n->switches[sw].ports[port];
    bool uplink = n->config.topology == EMU_TOPOLOGY_STAR && host < n->config.uplinks;
    snprintf(b->name, EMU_PORT_NAME, "sw%d-h%d", sw, host);
    b->no_pause = n->config.pause_hosts && !n->config.pause_hosts[host];
    struct emu_link_config link = uplink ? n->config.backbone : n->config.link;
    if (host < n->config.n_delays && n->config.topology == EMU_TOPOLOGY_STAR)
        link.delay_ps = n->config.delays_ps[host];
    network_connect(a, b, &link, n->config.sw.pause.on && !b->no_pause);
}

static void network_add_switch(struct emu_network *n, int n_ports, const struct emu_clock *clock, bool root)
{
    char name[24];
    struct emu_switch_config config = root ? n->config.root_sw : n->config.sw;
    snprintf(name, sizeof name, "sw%d", n->n_switches);
    config.seed += (uint64_t)n->n_switches;
    emu_switch_init(&n->switches[n->n_switches++], root ? "root" : name, n_ports, clock, n->ops, &config);
}

static int network_first_host(const struct emu_network *n, int rack)
{
    int first = 0;
    for (int i = 0; i < rack; i++)
        first += n->config.racks[i];
    return first;
}

static void network_make_tree(struct emu_network *n, const struct emu_clock *clock)
{
    const struct emu_network_config *c = &n->config;
    n->switches = memory_zeroed((size_t)c->n_racks + 1, sizeof *n->switches, "the network");
    for (int r = 0; r < c->n_racks; r++) {
        network_add_switch(n, c->racks[r] + 1, clock, false);
        for (int i = 0; i < c->racks[r]; i++)
            network_attach_host(n, network_first_host(n, r) + i, 0, r, i);
    }
    if (!c->root) {
        struct emu_port *a = &n->switches[0].ports[c->racks[0]], *b = &n->switches[1].ports[c->racks[1]];
        snprintf(a->name, sizeof a->name, "sw0-sw1");
        snprintf(b->name, sizeof b->name, "sw1-sw0");
        network_connect(a, b, &c->backbone, c->sw.pause.on);
        return;
    }
    network_add_switch(n, c->n_racks, clock, true);
    for (int r = 0; r < c->n_racks; r++) {
        struct emu_port *up = &n->switches[r].ports[c->racks[r]], *down = &n->switches[c->n_racks].ports[r];
        snprintf(up->name, sizeof up->name, "sw%d-root", r);
        snprintf(down->name, sizeof down->name, "root-sw%d", r);
        network_connect(up, down, &c->backbone, c->sw.pause.on || c->root_sw.pause.on);
    }
}

/* Which of its NICs a host of rack `from` has towards rack `to`. */
static int network_mesh_nic(int from, int to)
{
    return from == to ? 0 : to - (to > from);
}

static void network_make_mesh(struct emu_network *n, const struct emu_clock *clock)
{
    const struct emu_network_config *c = &n->config;
    n->switches = memory_zeroed((size_t)c->n_racks * (size_t)(c->n_racks - 1) / 2, sizeof *n->switches, "the network");
    for (int a = 0; a < c->n_racks; a++)
        for (int b = a + 1; b < c->n_racks; b++) {
            int sw = n->n_switches;
            network_add_switch(n, c->racks[a] + c->racks[b], clock, false);
            for (int i = 0; i < c->racks[a]; i++)
                network_attach_host(n, network_first_host(n, a) + i, network_mesh_nic(a, b), sw, i);
            for (int i = 0; i < c->racks[b]; i++)
                network_attach_host(n, network_first_host(n, b) + i, network_mesh_nic(b, a), sw, c->racks[a] + i);
        }
}

void emu_network_init(struct emu_network *n, const struct emu_network_config *config, const struct emu_clock *clock,
                      const struct emu_frame_ops *ops,
                      void (*deliver)(void *user, int host, const struct emu_frame *frame), void *user)
{
    bool mesh = config->topology == EMU_TOPOLOGY_MESH, star = config->topology == EMU_TOPOLOGY_STAR;
    *n = (struct emu_network){.config = *config, .ops = ops, .deliver = deliver, .user = user};
    n->nics_per_host = mesh ? config->n_racks - 1 : 1;
    n->nics = memory_zeroed((size_t)emu_network_nic_count(n), sizeof *n->nics, "the network");
    n->rack = memory_zeroed((size_t)config->hosts, sizeof *n->rack, "the network");
    n->intakes = memory_zeroed((size_t)config->n_host_times, sizeof *n->intakes, "the network");
    for (int h = 0; h < config->n_host_times; h++)
        n->intakes[h] = (struct emu_network_intake){.network = n, .host = h};
    struct emu_queue_config nic_queue = n->config.nic;
    nic_queue.kernel = n->config.nic_kernel;
    for (int i = 0; i < emu_network_nic_count(n); i++) {
        char name[EMU_PORT_NAME];
        int host = i / n->nics_per_host, nic = i % n->nics_per_host;
        if (nic > 0)
            snprintf(name, sizeof name, "h%d.%d", host, nic);
        else
            snprintf(name, sizeof name, "h%d", host);
        emu_port_init(&n->nics[i], name, clock, ops, &nic_queue);
        n->nics[i].receive = network_receive;
        n->nics[i].owner = n;
        n->nics[i].index = i;
        n->rack[host] = star ? 0 : emu_network_rack(config, host);
    }
    if (mesh) {
        network_make_mesh(n, clock);
    } else if (!star) {
        network_make_tree(n, clock);
    } else {
        n->switches = memory_zeroed(1, sizeof *n->switches, "the network");
        network_add_switch(n, config->hosts, clock, false);
        for (int h = 0; h < config->hosts; h++)
            network_attach_host(n, h, 0, 0, h);
    }
}

void emu_network_fini(struct emu_network *n)
{
    for (int i = 0; n->nics && i < emu_network_nic_count(n); i++)
        emu_port_fini(&n->nics[i]);
    for (int i = 0; i < n->n_switches; i++)
        emu_switch_fini(&n->switches[i]);
    for (int h = 0; n->intakes && h < n->config.n_host_times; h++)
        emu_ring_fini(&n->intakes[h].ring, n->ops);
    free(n->intakes);
    free(n->classes);
    free(n->nics);
    free(n->rack);
    free(n->switches);
    *n = (struct emu_network){0};
}

struct emu_port *emu_network_nic(const struct emu_network *n, int host, uint32_t to)
{
    int nic = n->nics_per_host == 1 || to >= (uint32_t)n->config.hosts ? 0
                                                                       : network_mesh_nic(n->rack[host], n->rack[to]);
    return &n->nics[host * n->nics_per_host + nic];
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
    struct emu_port *nic = emu_network_nic(n, host, frame->dst);
    struct emu_frame sent = *frame;
    sent.sent_ps = emu_clock_now(&nic->clock);
    if (n->n_classes > 0) {
        uint32_t flow = emu_frame_flow(n->ops, frame) / 2;
        if (flow < (uint32_t)n->n_classes)
            sent.traffic_class = n->classes[flow];
    }
    for (int i = 1; frame->dst == EMU_FRAME_BROADCAST && i < n->nics_per_host; i++) {
        struct emu_frame copy = sent;
        copy.packet = emu_frame_share(n->ops, frame->packet);
        emu_port_send(&n->nics[host * n->nics_per_host + i], &copy);
    }
    emu_port_send(nic, &sent);
}

int64_t emu_network_transit_ps(const struct emu_network *n, int host, const struct emu_frame *frame)
{
    const struct emu_port *p = emu_network_nic(n, host, frame->dst);
    const int64_t whole = emu_frame_wire_bytes(frame) - EMU_PORT_GAP_BYTES;
    int64_t transit_ps = 0;
    for (;;) {
        const struct emu_switch *s = network_owner(n, p->far);
        int out = s ? emu_switch_lookup(s, frame->dst) : -1;
        if (s && out < 0)
            return -1;
        bool early = s && p->early && s->ports[out].link.rate_bps <= p->link.rate_bps;
        transit_ps += emu_port_wire_ps(&p->link, early ? EMU_PORT_EARLY_BYTES : whole) + p->link.delay_ps;
        if (!s)
            return transit_ps + network_host_time_ps(n, p->far->index / n->nics_per_host);
        transit_ps += s->config.latency_ps;
        p = &s->ports[out];
    }
}

/* Bounds from below that get better with each round: a tree is four cables deep. */
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

int emu_network_nic_count(const struct emu_network *n)
{
    return n->config.hosts * n->nics_per_host;
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
