/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/degree.h - rates of bulk flows on one full-duplex link, from their number, direction and windows.
 *
 * Zhu, Lastovetsky, Ali, Riesen, Hasanov 2014, "Asymmetric communication models for resource-constrained
 * hierarchical Ethernet networks", Eq. 5 and 6 (written there for inverse bandwidths beta), and
 * the window law behind Eq. 6. All rates are shares of B, the goodput of the link in one direction. */
#pragma once

#include "base/std.h"

struct model_flow {
    bool incoming;       /* data flows towards the shared host */
    double window_bytes; /* bytes in flight the flow may have; only model_degree_window() looks */
};

struct model_degree {
    size_t indegree, outdegree; /* delta+, delta-: flows towards and from the shared host */
};

struct model_degree model_degree_count(const struct model_flow *flows, size_t n);

/* Eq. 5, fairness: the directions do not know of each other.
 *   share_i = 1 / (number of flows in i's own direction)
 * share[n] is filled; n = 0 fills nothing. */
void model_degree_fairness(const struct model_flow *flows, size_t n, double *share);

/* Eq. 6, asymmetric property:
 *   share_i = 1 / max(delta+, delta-)     whichever way i points */
void model_degree_asymmetric(const struct model_flow *flows, size_t n, double *share);

/* The window law: with FIFO queues shared by data and ACKs, every flow sees the same round trip,
 *   share_i = W_i / max(sum of W over incoming, sum of W over outgoing)
 * Equal windows make it Eq. 6. Valid while windows, not losses, bound the flows and the larger sum
 * exceeds the path's own capacity (B times the empty round trip). False, and share is untouched,
 * when a window is not a positive finite number. */
bool model_degree_window(const struct model_flow *flows, size_t n, double *share);

struct model_link {
    double rate_bps;         /* on the wire, each direction */
    double segment_bytes;    /* TCP payload of a full segment: 1448 */
    double header_bytes;     /* IP and TCP headers with options: 52 with timestamps */
    double segments_per_ack; /* delayed ACKs: 2 */
};

/* 1 Gb/s Ethernet, 1500-byte packets, TCP timestamps, delayed ACKs. */
struct model_link model_link_default(void);

/* B, the goodput of the saturated direction, in bit/s. It carries its own data and the ACKs of
 * the other direction's:
 *   s = (segment + header + 38) / segment            wire bytes per payload byte
 *   a = (header + 38) / (segments_per_ack * segment) ACK bytes on the wire per payload byte acknowledged
 *   B = rate / (s + a * reverse_ratio)
 * reverse_ratio = goodput of the other direction / goodput of this one, >= 0 (0: one-way traffic).
 * 38 bytes: Ethernet header, FCS, preamble, gap. Holds while ACKs are not shorter than the 46 bytes
 * Ethernet pads to. NAN when a rate, size or ratio is out of range. */
double model_degree_goodput_bps(const struct model_link *link, double reverse_ratio);
