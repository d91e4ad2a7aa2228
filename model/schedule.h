/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/schedule.h - who sends to whom when in a complete exchange, and how much may be under way at once.
 *
 * Tam 2001: Algorithm 2 (section 5.3.2), Eq. 6.1-6.4 (chapter 6). */
#pragma once

#include "base/error.h"

#define MODEL_SCHEDULE_IDLE ((size_t)-1)

/* chi, the least number of rounds in which every pair of p processes can meet, one partner at a time:
 * p for odd p (each is idle once), p - 1 for even p; 0 for p < 2. */
size_t model_schedule_rounds(size_t processes);

/* Algorithm 2, an edge colouring of the complete graph: the partner of `me` in `round` of 1 to chi.
 *   me < chi:  v = (round - me) mod chi
 *   me = chi (the last of an even number):  v with 2 v = round mod chi
 *   v = me: idle when p is odd, else the partner is chi
 * A pair meets when its numbers add up to the round, mod chi; who would meet itself waits or meets the last.
 * MODEL_SCHEDULE_IDLE when idle, and when me >= p or the round does not exist. */
size_t model_schedule_partner(size_t processes, size_t round, size_t me);

/* Two levels: processes 0 to d1 - 1 on switch 0, the next d1 on switch 1, ...; every switch has one uplink to the
 * root. p = d1 * d2. */
struct model_schedule_tree {
    size_t nodes_per_switch; /* d1, >= 1 */
    size_t switches;         /* d2, >= 1 */
};

/* Eq. 6.3, contention-aware permutation: neighbours in the logical order are on different switches, so that one step
 * of any schedule spreads over the uplinks, and so do consecutive steps.
 *   logical = floor(physical / d1) + (physical mod d1) d2
 * _physical() is its inverse. A schedule works on logical numbers: partner = physical(schedule(logical(me))).
 * SIZE_MAX when d1, d2 or the product is out of range or the number is not below p. */
size_t model_schedule_logical(const struct model_schedule_tree *tree, size_t physical);
size_t model_schedule_physical(const struct model_schedule_tree *tree, size_t logical);

struct model_schedule_window {
    double uplink_packets; /* nu: packets an uplink gets per step of the schedule, on average */
    double share;          /* B_L / nu, not rounded */
    size_t window_packets; /* W_g: packets a process may have under way, whoever they are for; at least 1 */
    bool overrun;          /* share < 1: a single packet of every process can already overrun the buffer */
};

/* Eq. 6.1 and 6.2, global window:
 *   nu  = (p - d1) d1 / (p - 1) * (1 + control)
 *   W_g = floor(B_L / nu)
 *   B_L -> buffer_packets, > 0: full packets the uplink's buffer holds
 *   control -> control_packets, >= 0: control packets (acknowledgements) for every data packet
 * He has control = 0 in Eq. 6.1 and 1 in section 6.3. The rounding: Eq. 6.2 and its examples disagree over up or
 * down, and of the windows he uses (8x2: 5, 8x3: 4, 6x4: 5, 8x4: 3, from shares of 5.27, 4.04, 4.79, 3.63) no rounding
 * gives all four. Down, because the window is there to keep the sum within the buffer; 6x4 becomes 4. With 47 to 49
 * packets of buffer instead of 45, or 0.9 control packets, all four are his.
 * ERROR_INPUT with fewer than two switches (no uplink: nu = 0), or a parameter out of range. */
bool model_schedule_window(const struct model_schedule_tree *tree, double buffer_packets, double control_packets,
                           struct model_schedule_window *window, struct error *err);

/* Eq. 6.4, the time the busiest uplink needs for its share of a complete exchange, a lower bound:
 *   T = 2 (p - d1) d1 8 M / R                            seconds
 *   M -> message_bytes, > 0: from each process to each other one
 *   R -> rate_bps, > 0: goodput of an uplink, both directions together (he measured 103 MB/s: 824e6)
 * Errors as model_schedule_window(). */
bool model_schedule_uplink_s(const struct model_schedule_tree *tree, double message_bytes, double rate_bps,
                             double *time_s, struct error *err);
