/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/network/topology.h - networks by name, built as graphs (emu/network/graph.h).
 *
 *   star        every host on switch sw0; the first `uplinks` of them on ports of the backbone's rate
 *   tree        the hosts of rack i on switch swi. Two racks without a root: one backbone cable between the switches
 *               (Zhu et al. 2014, Fig. 1). Otherwise every switch has one to the root (Tam 2001, Fig. 6.2; Perseus in
 *               Vaughan et al. 2003)
 *   mesh        a switch for every pair of racks and a NIC a host in each of its pairs; four racks make the tetrahedron
 *               of Bunyip (Vaughan et al. 2003, section 2.2). Within a rack the first NIC is used
 *   dumbbell    the hosts of two racks on switches sw0 and sw1, with `cables` backbone cables between them
 *   access      the hosts of rack 0 on a modem, those of rack 1 on the far end, the backbone between them: its up_bps
 *               is what the modem sends at
 *   leaf-spine  the hosts of rack i on leaf swi, and from each leaf `cables` backbone cables to each of `spines`
 *   fat-tree    of k-port switches (Al-Fares et al. 2008): k pods of k/2 edge switches with k/2 hosts each and k/2
 *               aggregation switches, (k/2)^2 cores; k^3/4 hosts. The link is the hosts', the backbone all others
 *   graph       nodes and links one by one */
#pragma once

#include "emu/network/graph.h"
#include "emu/network/host.h"

/* ROW(NAME, name, "name") */
#define EMU_TOPOLOGIES(ROW)                                                                                           \
    ROW(STAR, star, "star")                                                                                           \
    ROW(TREE, tree, "tree")                                                                                           \
    ROW(MESH, mesh, "mesh")                                                                                           \
    ROW(DUMBBELL, dumbbell, "dumbbell")                                                                               \
    ROW(ACCESS, access, "access")                                                                                     \
    ROW(LEAF_SPINE, leaf_spine, "leaf-spine")                                                                         \
    ROW(FAT_TREE, fat_tree, "fat-tree")                                                                               \
    ROW(GRAPH, graph, "graph")

#define EMU_TOPOLOGY_ENUM(NAME, name, text) EMU_TOPOLOGY_##NAME,
enum emu_topology { EMU_TOPOLOGIES(EMU_TOPOLOGY_ENUM) EMU_TOPOLOGY_COUNT };
extern const char *const emu_topology_names[]; /* for base/names.h */

#define EMU_NETWORK_RACKS 64

struct emu_network_port {
    struct emu_queue_config queue;
};

/* What one end of a cable sends, where that is not the same both ways. */
struct emu_network_way {
    bool on;
    int64_t rate_bps, delay_ps;
    struct emu_fault_config faults; /* where they are on: instead of the cable's */
    bool queues; /* its port has a queue of its own, not its node's */
    struct emu_network_port port;
};

/* A cable, or several side by side. */
struct emu_network_link {
    char from[EMU_GRAPH_NAME], to[EMU_GRAPH_NAME]; /* h0, h1, ... are hosts, other names switches */
    struct emu_link_config link;  /* both ways */
    int cables;
    struct emu_network_way out, back; /* what `from` sends, and `to` */
};

/* A switch that is not as the others. */
struct emu_network_node {
    char name[EMU_GRAPH_NAME];
    struct emu_switch_config sw;
};

struct emu_network_config {
    enum emu_topology topology;
    int hosts;                       /* star, graph: all of them; else what the rest makes of it */
    int racks[EMU_NETWORK_RACKS], n_racks; /* hosts in rack 0 (h0, ...), in rack 1, ... */
    bool root;                       /* tree: the racks' switches meet at a root */
    int uplinks;                     /* star: hosts h0, ... on ports of the backbone's rate and delay */
    int spines;                      /* leaf-spine */
    int k;                           /* fat-tree: ports of a switch, even */
    int cables;                      /* dumbbell, access, leaf-spine: in each place of the backbone */
    struct emu_link_config link;     /* host to switch */
    const int64_t *delays_ps;        /* borrowed; of the cables of hosts h0, ... instead of their link's; no mesh's */
    int n_delays;
    const int64_t *host_times_ps;    /* borrowed; what hosts h0, ... need for each frame they receive, one by one */
    int n_host_times;                /* the other hosts need none */
    struct emu_host_config host;     /* of every host */
    struct emu_link_config backbone; /* switch to switch */
    struct emu_queue_config nic;     /* each host's output queue */
    char nic_kernel[EMU_QUEUE_KERNEL]; /* its `kernel` */
    struct emu_switch_config sw;     /* of every switch but the root */
    struct emu_switch_config root_sw;
    const bool *pause_hosts;         /* borrowed; where sw.pause is on: the hosts whose links know it; NULL: all */
    const struct emu_network_link *links; /* borrowed; graph */
    int n_links;
    const struct emu_network_node *nodes; /* borrowed; graph: switches that are not as sw */
    int n_nodes;
};

/* Does a host of it need time for a frame? */
bool emu_network_takes_time(const struct emu_network_config *config);

/* Which topologies have racks. */
bool emu_topology_has_racks(enum emu_topology topology);

/* Hosts of the network but for a star's, whose number is config->hosts. */
int emu_topology_hosts(const struct emu_network_config *config);

/* Rack of a host; 0 where there are none. */
int emu_topology_rack(const struct emu_network_config *config, int host);

/* Builds it; the graph borrows switches and queues from config. False and *err (ERROR_INPUT) when hosts of a graph do
 * not reach each other. End with emu_graph_fini() in either case. */
bool emu_topology_build(const struct emu_network_config *config, struct emu_graph *g, struct error *err);
