/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/network/graph.h - which cables join which hosts and switches, and which of them a frame takes.
 *
 * Nodes are numbered: host h is node h, switch s is node hosts + s. A node's ports are numbered in the order of its
 * cables. Hosts pass nothing on. Ports are named by what they are: "h3" is h3's NIC ("h3.1" its second), "sw0-h3" sw0's
 * port towards h3, "sw0-sw1" and "sw1-sw0" the two ends of a cable between switches, "sw0-sw1.1" that of a second one.
 *
 * Frames take a path of fewest cables. Where several begin at a node, a hash of the frame's source, destination, flow
 * and direction, of the node's name and of the seed chooses, as equal-cost multipath by the five-tuple (RFC 2992). */
#pragma once

#include "emu/network/switch.h"

#define EMU_GRAPH_NAME 16 /* of a node, with its end */

/* A cable. It leads from node end[0] to end[1]; `way` is what each of these sends. */
struct emu_graph_link {
    int end[2];
    int port[2];  /* which of that node's; emu_graph_finish() fills it */
    int parallel; /* how many cables before it join the same two nodes; likewise */
    struct emu_link_config way[2];
    const struct emu_queue_config *queue[2]; /* borrowed; NULL: as its node's ports have */
};

struct emu_graph_switch {
    char name[EMU_GRAPH_NAME];
    const struct emu_switch_config *config; /* borrowed */
};

struct emu_graph_port {
    int link, side; /* end[side] of that cable is here */
};

/* Ports of a node that are as near to some destination. */
struct emu_graph_choice {
    int n;
    int *port; /* owned */
};

struct emu_graph_node {
    int n_ports;
    struct emu_graph_port *port;     /* owned */
    struct emu_graph_choice *choice; /* owned; n_choices of them */
    int n_choices;
    int *alone;        /* owned; by port, 1 + the choice of it alone; 0: there is none yet */
    uint16_t *towards; /* owned; by host, which choice; NULL: there is one port */
    bool *floods;      /* owned; by port, whether broadcasts go there */
    uint64_t salt;     /* of its hash, by its name */
};

struct emu_graph {
    int hosts, n_switches, n_links;
    struct emu_graph_switch *switches; /* owned */
    struct emu_graph_link *links;      /* owned */
    struct emu_graph_node *nodes;      /* owned; after emu_graph_finish() */
    bool loops;    /* there is more than one path between some nodes: switches are told where hosts are. Otherwise they
                    * learn it and flood what they do not know */
    bool first_of; /* no hash: of several paths the first */
    uint64_t seed; /* of the hash */
};

/* Of one that begins with its number of hosts and its seed. */
void emu_graph_fini(struct emu_graph *g);

/* Returns the new switch's node. */
int emu_graph_add_switch(struct emu_graph *g, const char *name, const struct emu_switch_config *config);

/* A cable, the same both ways but for link->up_bps, which a sends at. Returns it; it moves when another is added. */
struct emu_graph_link *emu_graph_add_link(struct emu_graph *g, int a, int b, const struct emu_link_config *link);

/* After all links: numbers ports, finds paths. ERROR_INPUT when a host cannot reach another, in words that name both.
 * `loops` may be set before; it is set where it must be. */
bool emu_graph_finish(struct emu_graph *g, struct error *err);

/* Returns the port of `node` for a frame from host `source` to host `destination`, which is not at the node; `flow` is
 * emu_frame_fair_key(). After emu_graph_finish(). */
int emu_graph_route(const struct emu_graph *g, int node, int source, int destination, uint32_t flow);

/* The ports that such a frame leaves by, in order; returns how many, at most `most` of which are written. */
int emu_graph_path(const struct emu_graph *g, int source, int destination, uint32_t flow, int most,
                   struct emu_graph_port path[]);

/* The node at the far end of a port's cable. */
int emu_graph_far(const struct emu_graph *g, struct emu_graph_port port);

/* What a port is called. */
void emu_graph_port_name(const struct emu_graph *g, struct emu_graph_port port, char name[static EMU_PORT_NAME]);

/* The port called so; false when there is none. */
bool emu_graph_find(const struct emu_graph *g, const char *name, struct emu_graph_port *port);

/* Host of a name such as "h3", or -1: of a switch. */
int emu_graph_host(const char *name);
