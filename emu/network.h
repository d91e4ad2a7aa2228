/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/network.h - hosts, switches and cables put together.
 *
 *   star  every host on switch sw0; the first `uplinks` of them on ports of the backbone's rate
 *   tree  the hosts of rack i on switch swi. Two racks without a root: one backbone cable between the switches (Zhu et
 *         al. 2014, Fig. 1). Otherwise every switch has one to the root (Tam 2001, Fig. 6.2; Perseus in Vaughan et al.
 *         2003)
 *   mesh  a switch for every pair of racks and a NIC a host in each of its pairs; four racks make the tetrahedron of
 *         Bunyip (Vaughan et al. 2003, section 2.2). Within a rack the first NIC is used
 *
 * A host that needs time for a frame takes one after the other from what its NICs received: the rest wait in the host,
 * behind every tap, for as long as it takes. There they are not lost.
 *
 * Ports are named by what they are: "h3" is h3's NIC ("h3.1" its second), "sw0-h3" sw0's port towards h3, "sw0-sw1"
 * and "sw1-sw0" the two ends of a backbone, "sw0-root" and "root-sw0" with a root. */
#ifndef EMU_NETWORK_H
#define EMU_NETWORK_H

#include "emu/port.h"
#include "emu/switch.h"

enum emu_topology { EMU_TOPOLOGY_STAR, EMU_TOPOLOGY_TREE, EMU_TOPOLOGY_MESH };
extern const char *const emu_topology_names[]; /* for base/names.h */

#define EMU_NETWORK_RACKS 64

struct emu_network_config {
    enum emu_topology topology;
    int hosts;                       /* star: all of them; else the sum of racks */
    int racks[EMU_NETWORK_RACKS], n_racks; /* tree, mesh: hosts in rack 0 (h0, ...), in rack 1, ... */
    bool root;                       /* tree: the racks' switches meet at a root */
    int uplinks;                     /* star: hosts h0, ... on ports of the backbone's rate and delay */
    struct emu_link_config link;     /* host to switch */
    const int64_t *delays_ps;        /* borrowed; star: of the cables of hosts h0, ... instead of their link's */
    int n_delays;
    const int64_t *host_times_ps;    /* borrowed; what hosts h0, ... need for each frame they receive, one by one */
    int n_host_times;                /* the other hosts need none */
    struct emu_link_config backbone; /* tree: switch to switch */
    struct emu_queue_config nic;     /* each host's output queue */
    char nic_kernel[EMU_QUEUE_KERNEL]; /* its `kernel` */
    struct emu_switch_config sw;     /* of every switch but the root */
    struct emu_switch_config root_sw;
    const bool *pause_hosts;         /* borrowed; where sw.pause is on: the hosts whose links know it; NULL: all */
};

struct emu_network {
    struct emu_network_config config;
    struct emu_port *nics; /* owned; nics_per_host a host */
    int nics_per_host;
    int *rack;             /* owned; of each host; 0 in a star */
    uint8_t *classes;      /* owned; of flows 0, ..., n_classes - 1 */
    int n_classes;
    struct emu_network_intake *intakes; /* owned; of hosts that need time for a frame, n_host_times of them */
    struct emu_switch *switches; /* owned; the root last */
    int n_switches;
    const struct emu_frame_ops *ops; /* borrowed */
    void (*deliver)(void *user, int host, const struct emu_frame *frame);
    void *user;
};

/* Tells every port how long what it sends is from reaching a host (struct emu_port's ahead_ps), for clocks that ask.
 * Returns the least time from a host's sending of a frame until one reaches a host because of it. */
int64_t emu_network_look_ahead(struct emu_network *n);

/* Returns the time, in ps, that a frame takes from `host`'s stack to its destination's when it waits nowhere, until that
 * has taken it; -1 while a switch does not know where the destination is. */
int64_t emu_network_transit_ps(const struct emu_network *n, int host, const struct emu_frame *frame);

/* Gives a flow's frames, both ways, a class from then on; without one it is 0. */
void emu_network_classify(struct emu_network *n, int flow, uint8_t traffic_class);

/* Rack of a host; 0 in a star. */
int emu_network_rack(const struct emu_network_config *config, int host);

/* `deliver` gets each frame that a host has taken (and owns it). */
void emu_network_init(struct emu_network *n, const struct emu_network_config *config, const struct emu_clock *clock,
                      const struct emu_frame_ops *ops,
                      void (*deliver)(void *user, int host, const struct emu_frame *frame), void *user);
void emu_network_fini(struct emu_network *n);

/* The NIC a host uses towards another. */
struct emu_port *emu_network_nic(const struct emu_network *n, int host, uint32_t to);

/* A frame leaves the host's stack for its NIC, a broadcast for all its NICs, and is stamped with the time and with its
 * flow's class. Takes ownership. */
void emu_network_transmit(struct emu_network *n, int host, const struct emu_frame *frame);

int emu_network_nic_count(const struct emu_network *n); /* of all hosts together */
int emu_network_port_count(const struct emu_network *n);
/* 0 <= i < count: NICs first, then switch ports. */
struct emu_port *emu_network_port(struct emu_network *n, int i);
/* By name; NULL when there is none. */
struct emu_port *emu_network_find(struct emu_network *n, const char *name);

/* Returns the buffer of a port: its output queue, or its input buffer where the switch buffers at inputs. */
const struct emu_queue *emu_network_buffer(struct emu_network *n, int i);

/* Conservation at every port and in every switch. */
bool emu_network_audit(struct emu_network *n, struct error *err);

#endif
