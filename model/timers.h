/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/timers.h - windows and retransmission timeouts that suit a port to which many hosts send.
 *
 * n hosts send to one port, each at the port's rate. It buffers B packets and sends one in g_r = 8 b / R seconds; a
 * window of W packets each goes round an empty path in T seconds, of which T / g_r packets are not in the buffer. */
#pragma once

#include "base/error.h"

struct model_timers_port {
    double rate_bps;       /* R > 0 */
    double rtt_s;          /* T >= 0: round trip while the buffer is empty, a packet's time on each wire included */
    double packet_bytes;   /* b > 0: a full packet as long as it takes the wire */
    double buffer_packets; /* B > 0, Tam's B_L; may be a fraction */
    double hosts;          /* n: whole, 1 to 1e9 */
};

struct model_timers {
    double gap_s; /* g_r */
    /* Largest windows that lose nothing, packets; INFINITY for one host, for which no queue grows. */
    double burst_packets;  /* B / (n - 1): all windows arrive at once, and the port sends one of n meanwhile */
    double steady_packets; /* (B + T / g_r) / n: all windows are on the way, and the path holds T / g_r of them */
    double window_packets; /* the smaller one */
    double drained_s;      /* T + B g_r: round trip of a packet that finds the buffer full */
    /* Tam 2001, section 4.3.4, his TO (with a bar) being TO / g_r. They are for Go-Back-N, his e is exp(1). */
    double output_low_s, output_high_s; /* B_L e < TO / g_r <= B_L e^2, output-buffered */
    double input_low_s, input_high_s;   /* 2 B_L n <= TO / g_r <= 3 B_L n, input-buffered */
    /* The output-buffered range, neither end of which may be shorter than drained_s: a shorter timer would expire while
     * the packet still waits. This bound is ours; his round trips are short. */
    double least_s, most_s;
};

/* ERROR_INPUT for a value out of its range. */
bool model_timers(const struct model_timers_port *port, struct model_timers *t, struct error *err);

/* Packets that stand in the port at most, when `hosts` windows of window_packets meet and nothing is lost:
 * max((n - 1) W, n W - T / g_r), 0 for one host. More than B: packets are lost. */
double model_timers_peak(const struct model_timers_port *port, double hosts, double window_packets);

/* The most hosts whose windows fit together, at least 1; window_packets > 0. */
double model_timers_fit(const struct model_timers_port *port, double window_packets);
