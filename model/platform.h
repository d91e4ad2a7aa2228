/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/platform.h - the cluster that patterns run on: racks of nodes, a NIC each, a backbone.
 *
 * Zhu, Lastovetsky, Ali, Riesen, Hasanov 2014, "Asymmetric communication models for resource-constrained
 * hierarchical ethernet networks", section 4.2 and Fig. 1. Every cable is full duplex: two directed links. */
#pragma once

#include "base/error.h"

#define MODEL_PLATFORM_NODES 500000 /* at most */

/* A full-duplex cable and how it is used, the same in both directions. */
struct model_cable {
    double rate_bps;    /* on the wire */
    double delay_s;     /* propagation, one way */
    double goodput_bps; /* TCP payload one busy direction carries: 1 / beta. The paper measured 940 Mb/s on 1 Gb/s
                           (beta_N and beta_E) and 9.4 Gb/s on 10 Gb/s (beta_O) */
};

struct model_platform {
    int n_nodes;
    int n_racks;               /* 1: a star; 2: one backbone cable; more: each rack has a cable to a core switch */
    const int *rack;           /* [n_nodes] in 0 .. n_racks - 1 (borrowed); NULL: all in rack 0 */
    struct model_cable nic;      /* node to its rack's switch */
    struct model_cable backbone; /* between racks; looked at with two racks or more */
    const struct model_cable *link; /* [n_links] (borrowed): any network, link by link, whose ways the pattern has; nic
                                     * is the fastest then, and racks mean nothing. NULL: as above */
    int n_links;
    const bool *link_ack_first;     /* [n_links] (borrowed): whose queue serves ACKs before data */
    bool nic_ack_first;        /* a node's own output queue serves ACKs before data; else FIFO */
    bool switch_ack_first;     /* the same of every switch port */
    double segment_bytes;      /* TCP payload of a full segment */
    double header_bytes;       /* IP and TCP headers with options */
    double ack_wire_bytes;     /* a pure ACK with preamble, FCS and gap */
    double segments_per_ack;   /* delayed ACKs: 2 */
    double ack_timeout_s;      /* an ACK waits no longer for its segments: 40 ms */
};

/* rate * segment / (segment + header + 38): payload per second of a busy wire, ACKs left out. 38 bytes:
 * Ethernet header, FCS, preamble, gap. */
double model_platform_goodput_bps(const struct model_platform *p, double rate_bps);

/* False and *err (ERROR_INPUT) when a count, rate, delay or size is out of range or not finite. */
bool model_platform_check(const struct model_platform *p, struct error *err);

/* Directed links have numbers; link l ^ 1 is the opposite direction of link l.
 *   2 i, 2 i + 1       node i's cable, from the node and towards it
 *   2 n, 2 n + 1       with two racks: the backbone from rack 0 to rack 1 and back (n = n_nodes)
 *   2 (n + r) (+ 1)    with more: rack r's cable, out of the rack (and into it) */
int model_platform_link_count(const struct model_platform *p);

/* `link` of the platform itself where it has them, else of the NICs or the backbone. */
const struct model_cable *model_platform_cable(const struct model_platform *p, int link);

#define MODEL_PLATFORM_HOPS 12

struct model_route {
    int n; /* directed links the data crosses; ACKs cross the opposite ones */
    int link[MODEL_PLATFORM_HOPS]; /* in the data's order */
};

/* Between two different nodes of racks. The link of a rack is on the route only if it leaves the rack. */
struct model_route model_platform_route(const struct model_platform *p, int source, int destination);

/* Round trip of a full segment and its ACK through empty queues, s:
 *   sum over the route of 2 delay + 8 (segment + header + 38 + ack_wire) / rate */
double model_platform_base_rtt_s(const struct model_platform *p, const struct model_route *route);

/* The same where ACKs take a way of their own:
 *   sum over the data's links of delay + 8 (segment + header + 38) / rate,
 *   and over the ACKs' of delay + 8 ack_wire / rate */
double model_platform_way_rtt_s(const struct model_platform *p, const struct model_route *data,
                                const struct model_route *acks);
