/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/figures.h - a phase in numbers: what each direction carried, how long things waited, what held it. Pure. */
#pragma once

#include "measure/test.h"

/* Bytes on the wire of a pure ACK of IPv4 with timestamps: 52, and 38 of Ethernet. */
#define MEASURE_ACK_WIRE 90

/* One direction in a phase, its flows together; shares and times are means over its flows. */
struct measure_way {
    size_t flows;
    double rate_bps;       /* goodput: delivered, by the senders' account; else read by the receivers */
    double early_bps, late_bps; /* the same of the first and of the second half */
    double acks_bps;       /* of their ACKs, on the wire, the other way */
    double rtt_s;          /* as the senders' TCP has it; NAN unknown */
    double window_bytes;   /* congestion window, together */
    double busy;           /* share of the time in which the senders had data to send */
    double rwnd_limited, sndbuf_limited; /* shares of the time */
    double segments;       /* sent, all flows and, of a mean, all phases together */
    double retransmitted;  /* share of those, not a mean of shares: a phase that waited for a timer sends few */
    /* Of words on control connections that go this way, beyond their least: the median, and what nine of ten do not
     * exceed; NAN unknown. */
    double wait_s, most_wait_s;
};

struct measure_figures {
    struct measure_way in, out;
};

/* Adds what another flow or phase sent to the share that was sent again. */
void measure_figures_again(struct measure_way *all, const struct measure_way *w);

/* Over [from_s, to_s) of the phase: of one of its flows, but for wait_s; and of all. */
void measure_figures_end(const struct measure_phase *p, const struct measure_end *e, struct measure_way *w);
void measure_figures_of(const struct measure_test *t, const struct measure_phase *p, struct measure_figures *f);

/* The least round trip of any flow of the direction in the whole test; NAN unknown. */
double measure_figures_floor_s(const struct measure_test *t, bool incoming);

/* Bytes at a time, between the samples; at the ends those of the first and of the last. What was delivered where the
 * end knows that: one lost segment keeps a whole window from being read, or acknowledged, and a phase that ends
 * meanwhile would seem slow. */
double measure_figures_bytes(const struct measure_samples *s, double at_s);
