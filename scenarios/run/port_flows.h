/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/run/port_flows.h - what the frames of a capture met in an emulated queue, by flow.
 *
 * A flow is one direction of a TCP connection. Bounded memory: the first PORT_FLOWS of a capture are kept apart, what
 * comes later is counted together. */
#pragma once

#include "capture/decode.h"
#include "capture/pace.h"

#include <stddef.h>

#define PORT_FLOWS 1024

/* frames = frames that left for the wire (waits->n) + dropped + still queued (after an interrupt). */
struct port_flows_count {
    int64_t frames, wire_bytes; /* offered; with FCS, padding, preamble and gap */
    int64_t dropped;
    double wait_sum_ps;         /* of frames that left: from arrival to the first bit */
    struct pace_errors *waits;  /* owned; the same in ps; NULL: none has left */
};

struct port_flow {
    struct capture_address src, dst;
    uint16_t src_port, dst_port;
    uint32_t tag;
    uint16_t mss;                     /* the smaller one of the handshake's two; 0: not seen */
    struct port_flows_count data, ack; /* ack: pure ACKs */
};

struct port_flows {
    struct port_flow flow[PORT_FLOWS + 2]; /* [PORT_FLOWS]: of all other flows; [PORT_FLOWS + 1], data: not TCP */
    size_t n;                              /* kept apart, in order of appearance */
    uint16_t slot[4 * PORT_FLOWS];         /* open addressing: 1 + index, 0 free */
    struct port_flows_count all;
};

#define PORT_FLOWS_REST PORT_FLOWS
#define PORT_FLOWS_OTHER (PORT_FLOWS + 1)

void port_flows_fini(struct port_flows *f);

/* Of the addresses, ports and tag; also where there are no ports. The same in every process: buckets of fair queues are
 * drawn by it. */
uint32_t port_flows_hash(const struct capture_segment *s);

/* Index of the flow a TCP segment belongs to; its MSS is learned on the way. */
size_t port_flows_find(struct port_flows *f, const struct capture_segment *s);

void port_flows_waited(struct port_flows_count *c, int64_t wait_ps);

/* NAN when no frame has left. p99: rounded up by at most 3.2 %. */
double port_flows_mean_wait_s(const struct port_flows_count *c);
double port_flows_p99_wait_s(const struct port_flows_count *c);
double port_flows_max_wait_s(const struct port_flows_count *c);
