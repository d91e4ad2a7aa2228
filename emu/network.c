/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void network_receive(void *owner, int index, const struct emu_frame *frame)
{
    struct emu_network *n = owner;
    n->deliver(n->user, index, frame);
}

static void network_attach_host(struct emu_network *n, int host, struct emu_switch *s, int sw, int port)
{
    struct emu_port *nic = &n->nics[host];
    nic->receive = network_receive;
    nic->owner = n;
    nic->index = host;
    snprintf(s->ports[port].name, EMU_PORT_NAME, "sw%d-h%d", sw, host);
    emu_port_connect(nic, &s->ports[port], &n->config.link);
}

void emu_network_init(struct emu_network *n, const struct emu_network_config *config, const struct emu_clock *clock,
                      const struct emu_frame_ops *ops,
                      void (*deliver)(void *user, int host, const struct emu_frame *frame), void *user)
{
    bool tree = config->topology == EMU_TOPOLOGY_TREE;
    *n = (struct emu_network){.config = *config, .n_switches = tree ? 2 : 1, .deliver = deliver, .user = user};
    n->nics = calloc((size_t)config->hosts, sizeof *n->nics);
    if (!n->nics) {
        fputs("contraflow: out of memory for hosts\n", stderr);
        abort();
    }
    for (int h = 0; h < config->hosts; h++) {
        char name[EMU_PORT_NAME];
        snprintf(name, sizeof name, "h%d", h);
        emu_port_init(&n->nics[h], name, clock, ops, &config->nic);
    }
    int host = 0;
    for (int i = 0; i < n->n_switches; i++) {
        struct emu_switch *s = &n->switches[i];
        int attached = tree ? config->racks[i] : config->hosts;
        char name[16];
        snprintf(name, sizeof name, "sw%d", i);
        emu_switch_init(s, name, attached + tree, clock, ops, &config->sw);
        for (int port = 0; port < attached; port++)
            network_attach_host(n, host++, s, i, port);
    }
    if (tree) {
        struct emu_port *a = &n->switches[0].ports[config->racks[0]], *b = &n->switches[1].ports[config->racks[1]];
        snprintf(a->name, sizeof a->name, "sw0-sw1");
        snprintf(b->name, sizeof b->name, "sw1-sw0");
        emu_port_connect(a, b, &config->backbone);
    }
}

void emu_network_fini(struct emu_network *n)
{
    for (int h = 0; h < n->config.hosts; h++)
        emu_port_fini(&n->nics[h]);
    free(n->nics);
    for (int i = 0; i < n->n_switches; i++)
        emu_switch_fini(&n->switches[i]);
    *n = (struct emu_network){0};
}

void emu_network_transmit(struct emu_network *n, int host, const struct emu_frame *frame)
{
    emu_port_send(&n->nics[host], frame);
}

int emu_network_port_count(const struct emu_network *n)
{
    int count = n->config.hosts;
    for (int i = 0; i < n->n_switches; i++)
        count += n->switches[i].n_ports;
    return count;
}

struct emu_port *emu_network_port(struct emu_network *n, int i)
{
    if (i < n->config.hosts)
        return &n->nics[i];
    i -= n->config.hosts;
    int sw = 0;
    while (i >= n->switches[sw].n_ports)
        i -= n->switches[sw++].n_ports;
    return &n->switches[sw].ports[i];
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
    for (int i = 0; i < emu_network_port_count(n); i++)
        if (!emu_port_audit(emu_network_port(n, i), err))
            return false;
    return true;
}
