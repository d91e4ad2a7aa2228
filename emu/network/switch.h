/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/network/switch.h - a learning switch, and where it keeps frames that must wait.
 *
 * A frame goes to the port where its destination was last seen, or to all other ports when that is unknown or the
 * destination is broadcast (IEEE 802.1D). Addresses do not age: runs are shorter than the 300 s default.
 *
 * Where frames wait is an architecture's business (emu/network/architecture.h); between the inputs' buffers and the outputs, or
 * over a backplane, they cross a fabric (emu/network/fabric.h). A frame that is being transmitted is no longer in a buffer. */
#pragma once

#include "emu/network/fabric.h"
#include "emu/network/pause.h"

struct emu_switch_config {
    enum emu_architecture architecture;
    struct emu_queue_config queue; /* of a port: at its output, or of its input's buffer */
    char kernel[EMU_QUEUE_KERNEL]; /* its `kernel` */
    struct emu_level pool;         /* where there is one */
    double alpha;                  /* pool: an output holds at most alpha times the free pool; 0: no such limit */
    enum emu_arbitration arbitration; /* which input an output serves, where inputs wait */
    bool cut_through;              /* towards ports of the same rate or slower ones */
    int64_t latency_ps;            /* between a frame's arrival (cut-through: its header's) and its buffer */
    int64_t backplane_bps;         /* frames cross to their outputs one after another at this rate; 0: unlimited */
    uint64_t seed;                 /* of random arbitration */
    struct emu_pause_config pause;
};

/* Output-buffered FIFOs without bounds. */
struct emu_switch_config emu_switch_config_default(void);

/* Where frames go in a network with loops, which is told to its switches. */
struct emu_switch_routes {
    int (*port)(void *user, int node, const struct emu_frame *frame); /* -1: to all; NULL: the switch learns */
    void *user;         /* borrowed */
    int node;
    const bool *floods; /* borrowed; by port, whether frames for all go there; NULL: to every port */
};

/* A frame in the forwarding pipeline, or one whose last bit must be waited for. */
struct emu_switch_late {
    struct emu_switch *owner; /* borrowed */
    struct emu_frame frame;
    bool waiting;
};

struct emu_switch {
    struct emu_port *ports; /* owned */
    int n_ports;
    const struct emu_architecture_ops *architecture; /* borrowed */
    bool plain;                       /* nothing between arrival and the output's queue */
    const struct emu_frame_ops *ops;  /* borrowed */
    int *port_of;                     /* owned; by station; -1: not seen yet */
    uint32_t stations;                /* room in port_of */
    uint32_t straight;                /* the same where the switch learns and is plain; else 0 */
    int64_t flooded, filtered;        /* frames received: to all other ports, to none */
    struct emu_switch_routes routes;  /* may be set before the first frame */
    struct emu_switch_config config;
    struct emu_clock clock;
    struct emu_switch_late *late;     /* owned; cut-through: by input port */
    struct emu_ring pipeline;         /* latency: frames and when they are through; frame.out is the input port */
    bool piping;                      /* an event is pending */
    int64_t pool_bytes, pool_packets; /* pool: at most so much is in the pool */
    struct emu_fabric *fabric;        /* owned; NULL without one */
    struct emu_pause *pause;          /* owned; NULL without */
};

/* Ports are named NAME-0, ... until emu_network names them by what they reach. */
void emu_switch_init(struct emu_switch *s, const char *name, int n_ports, const struct emu_clock *clock,
                     const struct emu_frame_ops *ops, const struct emu_switch_config *config);
void emu_switch_fini(struct emu_switch *s);

/* Returns the port where `station` was last seen; -1 when unknown. */
int emu_switch_lookup(const struct emu_switch *s, uint32_t station);

/* Returns the port that a frame goes to; -1: to all others. */
int emu_switch_route(const struct emu_switch *s, const struct emu_frame *frame);

/* Returns the buffer of a port: its output queue, or its input buffer where frames wait at inputs. */
const struct emu_queue *emu_switch_buffer(const struct emu_switch *s, int port);

/* Returns the room that a link needs beyond xoff, in bytes of emu_frame_buffer_bytes(): what still arrives while PAUSE
 * waits for a full frame to pass, crosses the link, and lets the far port finish its own frame. `packet_bytes`: payload
 * of the largest frames. */
int64_t emu_switch_headroom_bytes(const struct emu_link_config *link, int64_t packet_bytes);

/* Conservation within the switch and at every port. Returns false and a sentence if something is lost. */
bool emu_switch_audit(struct emu_switch *s, struct error *err);
