/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/window/window.h - the window law: rates of window-limited flows on any topology.
 *
 * A flow may have W bytes in flight and its round trip is the empty one plus what its data wait behind data
 * (and ACKs) on the way out, and its ACKs on the way back:
 *   x_f    = 8 W_f / (d_f + sum of q_l over f's data path + sum of q_l over f's ACK path)      bit/s of payload
 *   load_l = sum of s_f x_f over data crossing l + sum of a_f x_f over ACKs crossing l  <=  C_l
 *   q_l >= 0,  q_l (C_l - load_l) = 0
 * Where a link serves ACKs before data, q_l is no part of the round trip of flows whose ACKs cross it (their load
 * is); a link that carries ACKs alone has nothing to serve them before, and is FIFO.
 *
 * Between a pair of FIFO queues of one cable only the sum q_up + q_down is determined, since each flow
 * waits in both: as data in one, as ACK in the other. So with equal windows a cable's flows share it by
 * max(incoming, outgoing), Eq. 6 of Zhu et al. 2014; without ACKs waiting it is window-weighted
 * proportional fairness. Valid while windows, not losses, bound the flows. After the project's own
 * measurements of the mechanism (ns-3 and Linux); a fluid model: no slow start, and of bursts only what follows.
 *
 * Bursts. Where a link is busy but not full the law has q_l = 0, while windows travel in clumps that meet and wait. A
 * frame that arrives at random meets the rest of another flow's clump (as in M/G/1: Kleinrock 1975, Queueing Systems I,
 * Eq. 5.63 without the queue's own factor 1 / (1 - rho), since clumps that have met do not meet again at once). With
 * x, q and load of the law above, rho_l = min(1, load_l / C_l), b_jl = 8 s_j W_j / C_l and g_l = 8 s r / C_l, r the
 * payload that one ACK lets go,
 *   P_jl = s_j x_j / C_l              share of the time that l sends data of j
 *   w_fl = max(0, n (rho_l^2 / 4 sum of P_jl k_j b_jl + 1/8 sum of P_jl g_l) - q_l)      data of f at l; j other than f
 *   w_fl = max(0, n (rho_l^2 / 8 sum of P_jl k_j b_jl + 1/8 sum of P_jl g_l) - q_l)      ACKs of f at l; all j
 *   k_j  = max(0, 1 - q_l / (n rho_l^2 / 4 sum of P_jl b_jl)), the least over links l where j waits with q_l > 0
 * and the law is solved again with d_f + sum of w_fl. k: a standing queue spaces clumps out. So where a queue stands
 * that is longer than bursts would wait, nothing changes. n = 1 is the wait to expect, and 0 to 4 its range: clumps of
 * equal round trips settle where they do not meet; those of unequal ones may lock into each other. The form and its
 * factors (1/4, 1/8, rho^2) were fitted to the native engine, 260 random patterns of 1 to 70 flows on stars and two
 * racks, 100 Mb/s to 100 Gb/s, windows of 2 to 680 segments, links 15 to 100 % loaded; doc/models.md has the errors.
 *
 * How it is solved, all at once. Links that the same flows wait in make one unknown, the sum of their q; of their loads the
 * highest relative to C counts. In one unknown that load is a convex falling function, so Newton's method finds
 * the q that brings it to C from anywhere (or 0). A sweep does one such step for each unknown in turn (nonlinear
 * Gauss-Seidel); between sweeps a semismooth Newton step on all of them at once is tried and kept when the residual
 * falls; where waits trade off without an end, what sweeps do is gone on with until a queue is empty. It ends when the
 * complementarity residual
 *   max over l of | min( q_l / (shortest round trip of a flow waiting in l), 1 - load_l / C_l ) |
 * is under the tolerance, or fails after a bounded number of sweeps. A sweep costs O(sum of path lengths); how many it
 * takes depends on the pattern: over random ones the whole grows with about |E|^1.5 (test/model/bench_rules.c).
 *
 * How a change is solved. Where few flows start or end, only their links are looked at first, and a link joins whose
 * load that takes out of the tolerance: from C by more than MODEL_WINDOW_NEAR. What nobody reaches stays as it was, so
 * that the residual of the whole network is under that all the same, and rates are those of solving everything, within
 * 1e-3 where ACKs have no priority (where they have, a network may have two solutions). Waits of bursts are found again
 * where they moved by MODEL_WINDOW_CLOSE of the shortest round trip at a link. In a network of more than MODEL_WINDOW_FEW
 * flows both tolerances are wider, since a change reaches more links the smaller it may be: rates are within 1e-5 on
 * average, and single ones within 1e-2 (slow flows beside fast ones; over a full backbone more); completion times of
 * 1,475 random transfers move by 3e-6 on average, the worst by 4e-5. Most changes reach a handful of links, whatever the
 * size of the network (test/model/bench_scale.c). */
#pragma once

#include "base/error.h"

#define MODEL_WINDOW_TOLERANCE 1e-9 /* residual that solves; 1e-6 is still taken after the last sweep */
/* Of what few flows that start or end change: loads over capacities, waits of bursts over round trips; OF_MANY: in
 * networks of more than MODEL_WINDOW_FEW flows. */
#define MODEL_WINDOW_FEW 500
#define MODEL_WINDOW_NEAR 1e-7
#define MODEL_WINDOW_NEAR_OF_MANY 1e-5
#define MODEL_WINDOW_CLOSE 1e-5
#define MODEL_WINDOW_CLOSE_OF_MANY 1e-4

struct model_window_link {
    double rate_bps; /* C: on the wire */
    bool ack_first;  /* else FIFO */
};

struct model_window_flow {
    double window_bytes;     /* W */
    double base_rtt_s;       /* d: round trip through empty queues */
    double wire_per_byte;    /* s: wire bytes of data per byte of payload, e.g. 1538 / 1448 */
    double ack_wire_per_byte; /* a: wire bytes of ACKs per byte of payload, e.g. 90 / (2 * 1448) with delayed ACKs */
    const int *data, *ack;   /* links of the two paths (borrowed) */
    int n_data, n_ack;
};

/* What TCP lets fly of a window. */
struct model_window_flight {
    double bytes;     /* whole segments, and whole groups of as many as an ACK waits for */
    double mates;     /* segments that the ACK of the first one in a burst waits for */
    bool waits_timer; /* the window is shorter than a group: every ACK waits for the delayed ACK timer */
};

/* n = floor(W / segment) segments are sent at most. With an ACK for k segments, n mod k of them always stay at the
 * receiver without one, so that groups of k go round:
 *   bytes = (n - n mod k) segment,   mates = k - 1 - n mod k        n >= k
 *   bytes = n segment,               mates = 0                      n < k
 * (RFC 9293, 3.8.6.2.1: no part of a segment; RFC 5681, 4.2: an ACK at least for every second segment.) A window below
 * one segment is sent as it is. */
struct model_window_flight model_window_flight(double window_bytes, double segment_bytes, double segments_per_ack);

/* Any directed graph: a path is a list of links. */
struct model_window_network {
    const struct model_window_link *links; /* borrowed */
    const struct model_window_flow *flows; /* borrowed */
    size_t n_links, n_flows;
};

struct model_window_rtt {
    double propagation_s; /* d */
    double data_wait_s;   /* sum of q over the data path */
    double ack_wait_s;    /* sum of q over the ACK path */
    double burst_wait_s;  /* sum of w over both */
};

struct model_window; /* scratch and the last solution; opaque */

/* The network's arrays are borrowed until model_window_free(). NULL and *err: ERROR_INPUT for no flows, a path
 * that is empty or names an unknown link, a rate, window, round trip or s that is not positive and finite, an
 * `a` that is negative or not finite. */
struct model_window *model_window_new(const struct model_window_network *network, struct error *err);
void model_window_free(struct model_window *w);

/* Solves for the active flows (NULL: all), from where the last solution left off: all, or what the change reaches. ERROR_INPUT when there is no
 * fixed point within the bound on sweeps (ACKs alone overload a link that serves them first). */
bool model_window_solve(struct model_window *w, const bool *active, struct error *err);

#define MODEL_WINDOW_BURSTS_EXPECTED 1.0
#define MODEL_WINDOW_BURSTS_MOST 4.0

/* After model_window_solve(): bursts, n = `times`, on top of that solution; else as
 * model_window_solve(). */
bool model_window_add_bursts(struct model_window *w, double release_bytes, double times, struct error *err);

/* Of the last solution; borrowed, valid until the next. */
const double *model_window_rates(const struct model_window *w);  /* [n_flows] payload bit/s; 0 where not active */
const double *model_window_delays(const struct model_window *w); /* [n_links] q in s; of links that the same flows
                                                                     wait in the fullest ones have equal parts */
const double *model_window_loads(const struct model_window *w);  /* [n_links] wire bit/s */
struct model_window_rtt model_window_flow_rtt(const struct model_window *w, size_t flow);
double model_window_residual(const struct model_window *w);

/* What has been done since model_window_new(), for benchmarks. */
struct model_window_cost {
    size_t solved_whole, solved_near; /* solutions from all unknowns, and from what changed */
    size_t relaxed;                   /* single steps of one unknown */
};
struct model_window_cost model_window_costs(const struct model_window *w);
