/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/switch.h - a learning switch, and where it keeps frames that must wait.
 *
 * A frame is for the port its destination was last seen behind, or for all other ports when that is unknown or
 * broadcast (IEEE 802.1D). Addresses do not age: runs are shorter than the 300 s default.
 *
 *   output  a drop-tail queue of its own at every output port (emu/switch_output.c)
 *   shared  the same queues in one pool; a port may have a limit of its own, or a dynamic threshold: alpha times what
 *           is left of the pool (Choudhury and Hahne 1998) (emu/switch_shared.c)
 *   input   one FIFO at every input port: a frame whose output is busy blocks those behind it (emu/fabric.c)
 *   voq     the cure: at every input a FIFO for each output, in one buffer (emu/fabric.c)
 *
 * Tam 2001, section 5.2 names the first three. A frame that is being transmitted is no longer in a buffer. */
#ifndef EMU_SWITCH_H
#define EMU_SWITCH_H

#include "base/random.h"
#include "emu/port.h"
#include "emu/ring.h"

enum emu_architecture {
    EMU_ARCHITECTURE_OUTPUT,
    EMU_ARCHITECTURE_SHARED,
    EMU_ARCHITECTURE_INPUT,
    EMU_ARCHITECTURE_VOQ,
};

/* Which of the inputs that wait for an output it takes next. */
enum emu_arbitration { EMU_ARBITRATION_ROUND_ROBIN, EMU_ARBITRATION_OLDEST, EMU_ARBITRATION_RANDOM };

/* For base/names.h. */
extern const char *const emu_architecture_names[], *const emu_arbitration_names[];

/* How full a buffer is, or may be: whichever of the two comes first. */
struct emu_level {
    int64_t bytes, packets;
};

/* IEEE 802.3x. A buffer is congested from when it is at xoff until it is at xon. Whoever sends into it meanwhile is
 * told to stop, or everybody as soon as it is; then all may go on. The buffer is the output's queue, the pool, or the
 * input's buffer. */
struct emu_pause_config {
    bool on;
    struct emu_level xoff, xon;
    bool everybody;  /* not only who sends into the buffer: what a switch does that watches its memory as a whole */
    uint16_t quanta; /* of 512 bit times; said again after half of it while the buffer stays above xon */
};

struct emu_switch_config {
    enum emu_architecture architecture;
    struct emu_queue_config queue; /* output, shared: of an output port; input, voq: of an input port */
    struct emu_level pool;         /* shared */
    double alpha;                  /* shared: an output holds at most alpha times the free pool; 0: no such limit */
    enum emu_arbitration arbitration; /* which input an output serves: input, voq, and wherever a backplane binds */
    bool cut_through;              /* towards ports of the same rate or slower ones */
    int64_t latency_ps;            /* between a frame's arrival (cut-through: its header's) and its buffer */
    int64_t backplane_bps;         /* frames cross to their outputs one after another at this rate; 0: unlimited */
    uint64_t seed;                 /* of random arbitration */
    struct emu_pause_config pause;
};

/* Output-buffered FIFOs without bounds. */
struct emu_switch_config emu_switch_config_default(void);

struct emu_fabric;
struct emu_pause;

/* A frame in the forwarding pipeline, or one whose last bit must be waited for. */
struct emu_switch_late {
    struct emu_switch *owner; /* borrowed */
    struct emu_frame frame;
    bool waiting;
};

struct emu_switch {
    struct emu_port *ports; /* owned */
    int n_ports;
    bool plain;                       /* output-buffered, and nothing between arrival and queue */
    const struct emu_frame_ops *ops;  /* borrowed */
    int *port_of;                     /* owned; by station; -1: not seen yet */
    uint32_t stations;                /* room in port_of */
    int64_t forwarded, flooded, filtered; /* frames received: to one port, to all others, to none */
    struct emu_switch_config config;
    struct emu_clock clock;
    struct emu_switch_late *late;     /* owned; cut-through: by input port */
    struct emu_ring pipeline;   /* latency: frames and when they are through; frame.out is the input port */
    bool piping;                      /* an event is pending */
    int64_t pool_bytes, pool_packets; /* shared: at most so much is in the pool */
    struct emu_fabric *fabric;        /* owned; NULL without one */
    struct emu_pause *pause;          /* owned; NULL without */
};

/* Ports are named NAME-0, ... until emu_network names them by what they reach. */
void emu_switch_init(struct emu_switch *s, const char *name, int n_ports, const struct emu_clock *clock,
                     const struct emu_frame_ops *ops, const struct emu_switch_config *config);
void emu_switch_fini(struct emu_switch *s);

/* Port behind which `station` was last seen; -1 when unknown. */
int emu_switch_lookup(const struct emu_switch *s, uint32_t station);

/* What is in the buffer that a frame from `in` to `out` goes through, now. */
struct emu_level emu_switch_level(struct emu_switch *s, int in, int out);

/* The room a link takes beyond xoff after a switch has decided to stop it, in bytes of emu_frame_buffer_bytes():
 * what arrives while PAUSE waits for a full frame to pass, crosses, and lets the far port end its own frame. */
int64_t emu_switch_headroom_bytes(const struct emu_link_config *link);

/* Conservation within the switch and at every port. False and a sentence if not. */
bool emu_switch_audit(struct emu_switch *s, struct error *err);

/* The parts, for emu/switch.c. Each takes the frame. */
void emu_switch_output_accept(struct emu_switch *s, int in, int out, const struct emu_frame *frame);
void emu_switch_shared_accept(struct emu_switch *s, int in, int out, const struct emu_frame *frame);

/* Into the output's queue, whatever the architecture: what has crossed the fabric. */
void emu_switch_arrive(struct emu_switch *s, int in, int out, const struct emu_frame *frame);

#endif
