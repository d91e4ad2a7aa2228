/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/exchange/tam.h - cost of point-to-point messages and broadcasts from what one packet costs each part of a host.
 *
 * Tam 2001, "Performance analysis and design of algorithms for message passing on commodity clusters" (thesis),
 * section 2.2.3 (parameters), Eq. 2.1-2.9 and 3.1. All parameters are those of one full packet of b bytes. */
#pragma once

#include "base/error.h"

struct model_tam {
    double send_overhead_s;       /* O_s: processor time to hand a packet to the adapter */
    double send_gap_s;            /* g_s: least time between packets sent */
    double receive_overhead_s;    /* O_r: processor time for an arriving packet (interrupt, kernel copy) */
    double receive_gap_s;         /* g_r: least time between packets received */
    double user_overhead_s;       /* U_r: processor time of the receiving process per packet */
    double latency_s;             /* L = latency_s + latency_per_process_s * p: memory to memory, no contention */
    double latency_per_process_s;
    double packet_bytes;          /* b: payload of a full packet */
    double buffer_packets;        /* B_L: full packets the bottleneck buffer holds */
    struct {                      /* local copies, seconds per byte: M_ctc, M_ctm, M_mtm */
        double cache_to_cache_s_per_byte, cache_to_memory_s_per_byte, memory_to_memory_s_per_byte;
    } copy;
};

enum model_tam_switch {
    MODEL_TAM_IBM_326, /* IBM 8275-326: virtual cut-through, input-buffered */
    MODEL_TAM_IBM_416, /* IBM 8275-416: store and forward, output-buffered */
};

/* Table 5.2: Fast Ethernet, 450 MHz Pentium III, 1492-byte payloads; B_L from Table A.1. Copies cost nothing:
 * Table 5.2 has no figure for them. */
struct model_tam model_tam_default(enum model_tam_switch kind);

/* False and ERROR_INPUT unless times are finite and >= 0, gaps > 0, b > 0 and B_L >= 0.
 * Every function below checks its parameters so. */
bool model_tam_check(const struct model_tam *t, struct error *err);

/* What a packet of m bytes costs, fixed_s + per_byte_s * m (Eq. 2.1-2.5). */
struct model_tam_line {
    double fixed_s, per_byte_s;
};

struct model_tam_lines {
    struct model_tam_line send_overhead;    /* Eq. 2.1: kappa_s + tau_s m */
    struct model_tam_line send_gap;         /* Eq. 2.2: g_1 + tau_1 m */
    struct model_tam_line latency;          /* Eq. 2.3: l(p) + tau_L m, l(p) = fixed_s + latency_per_process_s p */
    struct model_tam_line receive_gap;      /* Eq. 2.4: g_2 + tau_2 m */
    struct model_tam_line receive_overhead; /* Eq. 2.5: kappa_r + tau_r m */
    struct model_tam_line user_overhead;    /* U_r, which he prints no line for: it is one when it copies */
};

/* Sets O_s, g_s, L, g_r, O_r and U_r of *t to those of packets of `bytes`, and b to that; leaves the rest. False and
 * ERROR_INPUT as model_tam_check(). */
bool model_tam_of_size(const struct model_tam_lines *lines, double bytes, struct model_tam *t, struct error *err);

/* L(p) in seconds; p as it is counted by the caller. */
double model_tam_latency_s(const struct model_tam *t, size_t processes);

/* k = M / b rounded up, packets; at least 1. False when message_bytes is not finite and > 0, or k exceeds 1e15. */
bool model_tam_packets(const struct model_tam *t, double message_bytes, size_t *packets, struct error *err);

/* O_s + O_r + U_r < g < L(p), g = max(g_s, g_r): a host can send and receive a packet within each gap, so that the
 * network alone bounds the rate (section 2.2.4). */
bool model_tam_is_full_duplex(const struct model_tam *t, size_t processes);

/* Which part of the path takes longest for each packet. */
enum model_tam_stage {
    MODEL_TAM_NETWORK, /* g */
    MODEL_TAM_SEND,    /* O_s: the sender's processor */
    MODEL_TAM_RECEIVE, /* O_r + U_r: the receiver's processor */
    MODEL_TAM_HOST,    /* O_s + O_r + U_r: one processor that does both */
};
const char *model_tam_stage_name(enum model_tam_stage stage);

struct model_tam_cost {
    double time_s;
    double gap_s;               /* what each further packet adds: the bottleneck stage's time */
    enum model_tam_stage stage; /* on a tie the network */
};

/* Eq. 2.6, one way:     T = O_s + (k - 1) G + L + O_r + U_r
 *   k -> packets, >= 1; p -> processes, >= 2, for L(p); seconds.
 *   G = max(g, O_s, O_r + U_r): g when the full-duplex condition holds, as he prints. Otherwise the slowest stage of
 *   the pipeline; with O_r + U_r it is his Eq. 3.1, T = O_s + L + k (O_r + U_r). */
bool model_tam_point_to_point(const struct model_tam *t, size_t processes, size_t packets, struct model_tam_cost *cost,
                              struct error *err);

/* Eq. 2.7, both ways at once: the same with G = max(g, O_s + O_r + U_r), since each processor now sends and
 * receives. He prints the full-duplex case, G = g; the other is the same pipeline, ours: the steady rate is right,
 * the fill of the pipeline an approximation (an idle processor may send ahead during the first L). */
bool model_tam_exchange(const struct model_tam *t, size_t processes, size_t packets, struct model_tam_cost *cost,
                        struct error *err);

enum model_tam_broadcast_bottleneck {
    MODEL_TAM_BROADCAST_ROOT,         /* Eq. 2.8: no send waits for a receive */
    MODEL_TAM_BROADCAST_INTERFERENCE, /* Eq. 2.9: at process p/2 sends and receives wait for each other */
};

struct model_tam_broadcast {
    double time_s;         /* what the rule picks */
    double root_s;         /* Eq. 2.8 */
    double interference_s; /* Eq. 2.9 */
    enum model_tam_broadcast_bottleneck bottleneck;
};

/* Broadcast of k packets to p - 1 processes along a binomial tree, packet after packet.
 *   d  = ceil(log2 p), depth of the tree (he has p a power of two); p -> processes, >= 2
 *   s  = max(g, O_s), T0 = O_r + U_r + O_s
 *   Eq. 2.8: B = ctm(M) + d ((k - 1) s + L + T0)
 *   Eq. 2.9: B = ctm(M) + (k - 1) (T0 + (d - 2) s) + d (L + T0)
 *   rule:    2.8 when T0 < 2 s, else 2.9
 *   ctm(M) = M_ctm * b k: the copy at the root.
 * He prints g for s in 2.8 and O_s for s in 2.9, while his rule is derived with s in both. The printed forms are these
 * when g >= O_s, or g <= O_s, respectively; kept elsewhere, they would let a tree with interference finish before the
 * root could send its packets. With s the two meet at T0 = 2 s, where the rule changes over. */
bool model_tam_broadcast(const struct model_tam *t, size_t processes, size_t packets, struct model_tam_broadcast *b,
                         struct error *err);
