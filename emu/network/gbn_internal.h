/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/network/gbn_internal.h - what the host (emu/network/gbn_host.c) and the protocol (emu/network/gbn_flow.c) know of each other. */
#pragma once

#include "emu/network/gbn.h"
#include "emu/ring.h"

enum gbn_kind { GBN_DATA, GBN_DATA_PACK, GBN_PACK, GBN_NACK };

/* A handle's content. seq counts packets of `flow`, ack those of the flow the other way; both modulo the space. */
struct gbn_packet {
    enum gbn_kind kind;
    int flow;
    uint32_t seq, ack;
};

/* Numbers here never wrap; those on the wire are their lowest bits. */
struct gbn_flow {
    struct emu_gbn *g; /* borrowed */
    int index, from, to;
    int back;          /* the flow from `to` to `from`; -1: none */
    int64_t written;   /* packets to send, all in all */
    /* sender */
    int64_t base, next; /* first not acknowledged, first never sent */
    bool stalled;
    int64_t *deadline;  /* owned; of packet n at n % W; INT64_MAX: not set */
    bool *due;          /* owned; likewise: to be sent again */
    int64_t n_due;
    int64_t timer_ps;   /* of the event that is pending; INT64_MAX: none */
    /* receiver */
    int64_t expected;   /* the packet it waits for */
    bool discarding;    /* it has said so with a Nack */
    int64_t owed;       /* packets in order since the last Pack */
    int64_t pack_ps;    /* by when the next Pack goes out; INT64_MAX: none is owed */
    bool pack_pending;  /* an event is */
    struct emu_gbn_stats stats;
};

struct gbn_host {
    struct emu_gbn *g; /* borrowed */
    int index;
    bool working;      /* the processor is busy until an event */
    bool receiving;    /* with the packet at the head of `received`; else with a send */
    int sending;       /* the flow whose packet it sends; -1: the control frame at the head of `control` */
    bool repeating;    /* and it is one that is due */
    bool gap;          /* the NIC has just started a packet */
    struct emu_ring received, control, ring; /* ring: the NIC's */
    int *flows;        /* owned; that start here */
    int n_flows, turn;
    int64_t n_due;     /* packets to repeat, of all its flows */
    int64_t preempt_ps; /* when its processor is next away */
    struct random random;
};

struct emu_gbn {
    struct emu_gbn_config config;
    struct emu_clock clock;
    struct emu_gbn_carrier carrier;
    struct emu_gbn_program program;
    struct gbn_host *hosts; /* owned */
    struct gbn_flow **flows; /* owned */
    int n_hosts, n_flows;
};

struct emu_frame gbn_frame(const struct emu_gbn *g, int from, int to, const struct gbn_packet *p);

/* The host has looked at a packet of this flow, as its receiver or (Pack, Nack) its sender. */
void gbn_flow_data(struct gbn_flow *f, uint32_t seq);
void gbn_flow_pack(struct gbn_flow *f, uint32_t seq);
void gbn_flow_nack(struct gbn_flow *f, uint32_t seq);

/* The first packet to repeat, or a new one, is handed to the NIC now. */
struct gbn_packet gbn_flow_submit(struct gbn_flow *f, bool repeat);

void gbn_flow_init(struct gbn_flow *f, struct emu_gbn *g, int index, int from, int to);
void gbn_flow_fini(struct gbn_flow *f);

void gbn_host_work(struct gbn_host *h);
