/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/linux/connections.h - the TCP connections of programs, found in the frames that hosts send and get.
 *
 * A flow is a direction of a connection, from its first byte of data on: what carries data or ends the direction is the
 * flow's, and so are the pure ACKs for it. Its statistics are emu_flow_stats': delivered is what is in order at the
 * receiving stack; done: the sender has closed, or one of both has reset the connection, and what was sent has come. */
#pragma once

#include "emu/linux/packet.h"

struct linux_connections {
    void *tree;                   /* owned; directions, by hosts and ports */
    struct linux_connections_flow {
        struct emu_flow_stats stats;
        bool arrived; /* all that was sent */
    } *flows; /* owned */
    size_t n_flows, capacity;
};

/* A host hands a frame to its NIC: the frame gets its flow. `found`, with what a flow is between, is told when that is new. */
void linux_connections_sent(struct linux_connections *c, struct linux_packet *p, int source, int sink, int64_t now_ps,
                            void (*found)(void *user, const struct emu_flow_found *flow), void *user);

/* The frame has come to its stack. */
void linux_connections_arrived(struct linux_connections *c, const struct linux_packet *p, int source, int sink,
                               int64_t now_ps);

/* `over`: nobody is left to send, so that what has come is all of a flow that nobody closed. */
struct emu_flow_stats linux_connections_stats(const struct linux_connections *c, int flow, bool over);

void linux_connections_fini(struct linux_connections *c);
