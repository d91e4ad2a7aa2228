/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/network.h - hosts, switches and cables put together.
 *
 * Two topologies. Star: every host on switch sw0. Tree (Zhu et al. 2014, Fig. 1): the hosts
 * of rack 0 on sw0, those of rack 1 on sw1, one backbone cable between the switches.
 * Ports are named by what they are: "h3" is h3's NIC, "sw0-h3" sw0's port towards h3,
 * "sw0-sw1" and "sw1-sw0" the two ends of the backbone. */
#ifndef EMU_NETWORK_H
#define EMU_NETWORK_H

#include "emu/port.h"
#include "emu/switch.h"

enum emu_topology { EMU_TOPOLOGY_STAR, EMU_TOPOLOGY_TREE };

struct emu_network_config {
    enum emu_topology topology;
    int hosts;                       /* star: all of them; tree: racks[0] + racks[1] */
    int racks[2];                    /* tree: hosts in rack 0 (h0, ...) and in rack 1 */
    struct emu_link_config link;     /* host to switch */
    struct emu_link_config backbone; /* tree: switch to switch */
    struct emu_queue_config nic;     /* each host's output queue */
    struct emu_queue_config sw;      /* each switch port's output queue */
};

struct emu_network {
    struct emu_network_config config;
    struct emu_port *nics; /* owned; one a host */
    struct emu_switch switches[2];
    int n_switches;
    void (*deliver)(void *user, int host, const struct emu_frame *frame);
    void *user;
};

/* `deliver` gets each frame that reaches a host (and owns it). */
void emu_network_init(struct emu_network *n, const struct emu_network_config *config, const struct emu_clock *clock,
                      const struct emu_frame_ops *ops,
                      void (*deliver)(void *user, int host, const struct emu_frame *frame), void *user);
void emu_network_fini(struct emu_network *n);

/* A frame leaves host's stack for its NIC; takes ownership. */
void emu_network_transmit(struct emu_network *n, int host, const struct emu_frame *frame);

int emu_network_port_count(const struct emu_network *n);
/* 0 <= i < count: NICs first, then switch ports. */
struct emu_port *emu_network_port(struct emu_network *n, int i);
/* By name; NULL when there is none. */
struct emu_port *emu_network_find(struct emu_network *n, const char *name);

/* Conservation at every port: emu_port_audit(). */
bool emu_network_audit(struct emu_network *n, struct error *err);

#endif
