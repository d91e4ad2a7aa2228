/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/engine.h - the door to an engine: a clock, hosts with an IPv4/TCP stack, bulk flows.
 *
 * The engine hands each frame that a host sends to `transmit` (our NIC) and takes each frame that our NIC delivers
 * through emu_engine_deliver(). Queues, wires and switches are not its business. There is one engine per process, as it
 * may have process-wide state. */
#pragma once

#include "base/error.h"
#include "emu/clock.h"
#include "emu/congestion.h"
#include "emu/frame.h"
#include "emu/lateness.h"

struct emu_engine;
struct emu_port;

/* A direction of a TCP connection that a program uses. */
struct emu_flow_found {
    int source, sink; /* hosts */
    uint16_t source_port, sink_port;
};

struct emu_engine_config {
    uint64_t seed; /* of everything the engine draws itself */
    /* Takes ownership of frame->packet. `host` is what emu_engine_add_host() returned. */
    void (*transmit)(void *user, int host, const struct emu_frame *frame);
    /* A flow with `written` has delivered that many bytes in all (duplex: in the direction that has fewer). */
    void (*delivered)(void *user, int flow, int64_t bytes);
    /* Everything that a flow with `written` was given is acknowledged. NULL: nobody asks */
    void (*drained)(void *user, int flow);
    /* A program's flow has its first data: flow number 0, 1, ... in order. NULL: there are no programs */
    void (*found)(void *user, const struct emu_flow_found *flow);
    void *user; /* borrowed */
    /* Wall time: events wait for the system's clock, hosts are its own kernel's, and how late frames reach them is
     * counted here; borrowed. NULL: virtual time. Only Linux's engine has it */
    struct emu_lateness *lateness;
    /* The port that everything which `host` sends to anybody leaves by, from now on to the end: then frames go straight
     * there, with their sent_ps. NULL, or the answer NULL: frames go to transmit() */
    struct emu_port *(*port)(void *user, int host);
};

/* What only Linux's own TCP has. */
struct emu_tcp_linux {
    bool gso;            /* segments leave TCP in bursts of up to 64 kB and are cut behind it */
    bool timestamps;     /* RFC 7323 */
    bool ecn;            /* asked for, and granted (RFC 3168) */
    bool rack, tail_probe; /* RFC 8985 */
    bool autotuning;     /* buffers grow as they are needed, up to the window */
    int64_t pacing_bps;  /* of payload, at most; 0: as the congestion control wants */
    int64_t gro_ps;      /* what comes within so much of a first frame comes in together and is merged; 0: each alone */
};

struct emu_tcp_config {
    enum emu_congestion congestion;
    int64_t send_buffer_bytes;     /* bounds unacknowledged bytes */
    int64_t receive_buffer_bytes;  /* bounds the advertised window */
    int64_t initial_window_segments; /* first congestion window, segments; large for a connection already warm */
    int64_t segment_bytes;         /* TCP payload of a full segment */
    int64_t delayed_ack;           /* segments per ACK, from 1; Linux's own receivers have 1 or 2 */
    int64_t delayed_ack_timeout_ps;
    int64_t small_queue_bytes; /* a sender keeps at most this much of its own data in its NIC; 0: no bound */
    int64_t min_rto_ps;
    int64_t max_rto_ps;            /* however often it is doubled; 0: 120 s. Native alone has it */
    bool sack;
    bool ecn;                 /* asked for, and granted (RFC 3168); DCTCP always is */
    bool nagle;               /* a short segment waits while anything is unacknowledged (RFC 896). Native alone has it */
    bool idle_restart;        /* after an idle retransmission timeout the window is the initial one again, if that is
                               * less (RFC 5681, section 4.1). Native alone has it */
    bool hystart;             /* CUBIC leaves slow start when the delay grows, as Linux's does */
    bool quic; /* QUIC instead: delayed_ack and its timeout are what it may ask its peer for. Native alone has it */
    struct emu_tcp_linux linux_own;
};

struct emu_flow_config {
    int source, sink;      /* hosts */
    int64_t start_ps;      /* when the source connects */
    int64_t bytes;         /* to send, then close; 0: send until the engine stops */
    struct emu_tcp_config tcp;
    bool duplex;             /* the same both ways, on the one connection */
    bool written;            /* sends what emu_engine_write() gives it and stays open; `bytes`, or 0, only decides when
                              * it is done. Only the native engine has it */
};

/* A user's own command on a host, which opens connections as it likes. The engine linux alone has them, and then no
 * flows of its own. */
struct emu_program_config {
    int host;
    int64_t start_ps;
    const char *const *command; /* what to start and its arguments, NULL after the last; borrowed, as what follows */
    const char *directory; /* where it runs, */
    const char *output;    /* with a file there for what it prints */
    struct emu_tcp_config tcp; /* what all hosts' connections begin with; the window bounds autotuning. Every program's
                                * is the same */
};

struct emu_flow_stats {
    int64_t delivered_bytes;   /* to the receiving application, in order */
    int64_t delivered_back_bytes; /* duplex: to the source's */
    int64_t retransmitted_segments; /* data segments the sender put on its NIC more than once */
    int64_t retransmitted_bytes;
    int64_t first_data_ps;     /* first payload leaves the source's stack; -1 before */
    int64_t last_delivery_ps;  /* latest payload reaches the receiving application; -1 before */
    bool connected, done;      /* done: `bytes` delivered (duplex: both ways) */
};

/* NULL and *err on failure (or when the process already has one). */
struct emu_engine *emu_engine_new(const struct emu_engine_config *config, struct error *err);
void emu_engine_free(struct emu_engine *e);

/* e.g. "ns-3 3.37": goes into summary.json. */
const char *emu_engine_name(void);

#define EMU_ENGINE_FIRST_PORT 5001 /* flow i's sink listens at that + i */

/* Address of a host in the network 10.0.0.0/8, host byte order: 10.0.0.1 is host 0's. */
static inline uint32_t emu_engine_ipv4(int host)
{
    return UINT32_C(0x0a000001) + (uint32_t)host;
}

/* Host number (0, 1, ... in order), or -1. Its station is that number, its address emu_engine_ipv4(). */
int emu_engine_add_host(struct emu_engine *e, struct error *err);

/* Flow number (0, 1, ... in order), or -1. */
int emu_engine_add_flow(struct emu_engine *e, const struct emu_flow_config *config, struct error *err);

/* After all hosts. It is killed when the engine ends before it does; if it fails, the engine does. */
bool emu_engine_add_program(struct emu_engine *e, const struct emu_program_config *config, struct error *err);

/* Whether all programs have been started and have ended. */
bool emu_engine_programs_done(const struct emu_engine *e);

/* Adds bytes (duplex: in each direction) to a flow with `written`; they wait until it is connected. */
void emu_engine_write(struct emu_engine *e, int flow, int64_t bytes);

/* The same in one direction of a duplex flow: from its source, or `back` from its sink. emu_engine_flow_stats() says what
 * has been delivered in each. */
void emu_engine_write_way(struct emu_engine *e, int flow, bool back, int64_t bytes);

/* The congestion window of a flow under the control `given`, at its source. */
void emu_engine_set_window(struct emu_engine *e, int flow, int64_t bytes);

struct emu_clock emu_engine_clock(struct emu_engine *e);

/* No frame that a host sends reaches one, or has one reached, sooner than ahead_ps after it. Where the clock asks for
 * that (schedule_ahead), before the run. */
void emu_engine_set_ahead(struct emu_engine *e, int64_t ahead_ps);

const struct emu_frame_ops *emu_engine_frame_ops(void);

/* A frame reaches a host's stack; takes ownership of frame->packet. */
void emu_engine_deliver(struct emu_engine *e, int host, const struct emu_frame *frame);

/* A frame has left the queue of its host's NIC, for the wire or dropped; needed with small_queue_bytes. */
void emu_engine_left(struct emu_engine *e, int host, const struct emu_frame *frame);

struct emu_flow_stats emu_engine_flow_stats(const struct emu_engine *e, int flow);

/* Runs until `until_ps` or until emu_engine_stop(). False when the engine failed. */
bool emu_engine_run(struct emu_engine *e, int64_t until_ps, struct error *err);

/* From within an event: emu_engine_run() returns after the current event. */
void emu_engine_stop(struct emu_engine *e);

/* An engine whose hosts share nothing but frames, as threads may run it: what happens at a host, frames that reach it and
 * its own timers, touches nothing that another host has. */
struct emu_engine_hosts {
    /* From now on each host goes by a clock of its own. emu_engine_run() runs what is left, at times that all hosts have
     * then: the events of others, and what hosts have set before. */
    void (*part)(struct emu_engine *e);
    struct emu_clock (*clock)(struct emu_engine *e, int host); /* each host's own */
    int64_t (*next_ps)(struct emu_engine *e, int host); /* of its next event; INT64_MAX: it has none */
    void (*visit)(struct emu_engine *e, int host); /* this thread runs it now: */
    void (*run)(struct emu_engine *e, int host, int64_t until_ps); /* events before that, which the host's time is then */
    void (*run_to)(struct emu_engine *e, int host, int64_t time_ps); /* those at that time, too */
    void (*look)(const struct emu_engine *e, int host); /* it will soon run: brings it into the cache */
    int64_t (*rest_ps)(struct emu_engine *e); /* of what emu_engine_run() still runs; INT64_MAX: nothing */
    bool (*stopped)(const struct emu_engine *e); /* emu_engine_stop() was called since emu_engine_run() was */
    /* Each thread that runs hosts, before it does and when it is over; the one that made the engine need not. */
    void (*thread_begin)(struct emu_engine *e);
    void (*thread_end)(struct emu_engine *e);
};

/* After all flows. NULL: the hosts of this engine, or of these flows, share more than frames. */
const struct emu_engine_hosts *emu_engine_hosts_apart(const struct emu_engine *e);
