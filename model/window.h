/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/window.h - the window law: rates of window-limited flows on any topology.
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
 * measurements of the mechanism (ns-3 and Linux); a fluid model: no burst, no slow start.
 *
 * How it is solved. Links that the same flows wait in make one unknown, the sum of their q; of their loads the
 * highest relative to C counts. In one unknown that load is a convex falling function, so Newton's method finds
 * the q that brings it to C from anywhere (or 0). A sweep does one such step for each unknown in turn (nonlinear
 * Gauss-Seidel); between sweeps a semismooth Newton step on all of them at once is tried and kept when the residual
 * falls. It ends when the complementarity residual
 *   max over l of | min( q_l / (shortest round trip of a flow waiting in l), 1 - load_l / C_l ) |
 * is under the tolerance, or fails after a bounded number of sweeps. A sweep costs O(sum of path lengths); how many it
 * takes depends on the pattern: over random ones the whole grows with about |E|^1.5 (test/model/bench_rules.c). */
#ifndef MODEL_WINDOW_H
#define MODEL_WINDOW_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define MODEL_WINDOW_TOLERANCE 1e-9 /* residual that solves; 1e-6 is still taken after the last sweep */

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
};

struct model_window; /* scratch and the last solution; opaque */

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

/* The network's arrays are borrowed until model_window_free(). NULL and *err: ERROR_INPUT for no flows, a path
 * that is empty or names an unknown link, a rate, window, round trip or s that is not positive and finite, an
 * `a` that is negative or not finite; ERROR_SYSTEM when out of memory. */
struct model_window *model_window_new(const struct model_window_network *network, struct error *err);
void model_window_free(struct model_window *w);

/* Solves for the active flows (NULL: all), from where the last solution left off. ERROR_INPUT when there is no
 * fixed point within the bound on sweeps (ACKs alone overload a link that serves them first). */
bool model_window_solve(struct model_window *w, const bool *active, struct error *err);

/* Of the last solution; borrowed, valid until the next. */
const double *model_window_rates(const struct model_window *w);  /* [n_flows] payload bit/s; 0 where not active */
const double *model_window_delays(const struct model_window *w); /* [n_links] q in s; of links that the same flows
                                                                     wait in the fullest ones have equal parts */
const double *model_window_loads(const struct model_window *w);  /* [n_links] wire bit/s */
struct model_window_rtt model_window_flow_rtt(const struct model_window *w, size_t flow);
double model_window_residual(const struct model_window *w);

#endif
