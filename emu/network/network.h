/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/network/network.h - hosts, switches and cables put together.
 *
 * Where hosts need time for a frame (emu/network/host.h), frames wait in them, inside every tap. emu/network/topology.h has the networks, emu/network/graph.h the
 * names of their ports. */
#pragma once

#include "emu/network/topology.h"

struct emu_network {
    struct emu_network_config config;
    struct emu_graph graph;
    struct emu_port *nics; /* owned */
    int n_nics;
    int *first_nic;        /* owned; of each host, and n_nics */
    int *host_of;          /* owned; whose NIC it is */
    uint8_t *classes;      /* owned; of flows 0, ..., n_classes - 1 */
    int n_classes;
    struct emu_host **inside; /* owned; of hosts that need time for a frame, n_inside of them: the first, or all */
    int n_inside;
    struct emu_switch *switches; /* owned; as the graph's */
    int n_switches;
    const struct emu_frame_ops *ops; /* borrowed */
    void (*deliver)(void *user, int host, const struct emu_frame *frame);
    void (*look)(void *user, const struct emu_frame *frame); /* one will soon be delivered: brings what that touches into the
                                                              * cache. NULL: nothing */
    void *user;
};

/* Tells every port how long what it sends is from reaching a host (struct emu_port's ahead_ps), for clocks that ask.
 * Returns the least time from a host's sending of a frame until one reaches a host because of it. */
int64_t emu_network_look_ahead(struct emu_network *n);

/* Returns the time, in ps, that a frame takes from `host`'s stack to its destination's when it waits nowhere, until that
 * has taken it; -1 while a switch does not know where the destination is. */
int64_t emu_network_transit_ps(const struct emu_network *n, int host, const struct emu_frame *frame);

/* Returns whether switches know the ways of frames between two hosts, there and back: none is flooded. */
bool emu_network_knows(const struct emu_network *n, int host, int other);

/* Gives a flow's frames, both ways, a class from then on; without one it is 0. */
void emu_network_classify(struct emu_network *n, int flow, uint8_t traffic_class);

/* `deliver` gets each frame that a host has taken (and owns it). The config makes a graph in which all hosts reach each
 * other: whoever does not know asks emu_topology_build(). */
void emu_network_init(struct emu_network *n, const struct emu_network_config *config, const struct emu_clock *clock,
                      const struct emu_frame_ops *ops,
                      void (*deliver)(void *user, int host, const struct emu_frame *frame), void *user);
void emu_network_fini(struct emu_network *n);

/* The NIC a host sends the frame by. */
struct emu_port *emu_network_nic(const struct emu_network *n, int host, const struct emu_frame *frame);

/* The port where emu_network_transmit() sends every frame of a host to another, and notes no more than the time; NULL: it
 * asks for each. */
struct emu_port *emu_network_only_nic(const struct emu_network *n, int host);

/* A frame leaves the host's stack for its NIC, a broadcast for all its NICs, and is stamped with the time and with its
 * flow's class. Takes ownership. */
void emu_network_transmit(struct emu_network *n, int host, const struct emu_frame *frame);

int emu_network_nic_count(const struct emu_network *n); /* of all hosts together */

/* What a host's receive ring had no place for, by its first NIC's number among all ports; -1: it has room for all, or it is
 * another NIC. */
int64_t emu_network_ring_lost(const struct emu_network *n, int nic);
int emu_network_port_count(const struct emu_network *n);
/* 0 <= i < count: NICs first, then switch ports. */
struct emu_port *emu_network_port(struct emu_network *n, int i);
/* By name; NULL when there is none. */
struct emu_port *emu_network_find(struct emu_network *n, const char *name);

/* Returns the buffer of a port: its output queue, or its input buffer where the switch buffers at inputs. */
const struct emu_queue *emu_network_buffer(struct emu_network *n, int i);

/* Conservation at every port and in every switch. */
bool emu_network_audit(struct emu_network *n, struct error *err);
