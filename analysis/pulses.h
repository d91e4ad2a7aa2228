/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/pulses.h - pulses of load that somebody sent while a capture was made (measure/pulse.h), and what flows did then.
 *
 * In a steady state a sender that a window W holds and one that an application paces look alike. A pulse that shares a
 * queue with a flow's data or its ACKs makes its round trip T longer for a while, and nobody but us chose when. A window
 * comes round that much later, and what it then does not carry is never made up for; a pace stays, or catches up:
 *
 *   r = x / x0,  h = mean of T0 / T over the pulse and what follows it,  1 - r = y (1 - h)
 *
 * with y = 1 of a window and y = 0 of a pace; x0 and T0 are those of the time before. Over pulses y is that of least squares,
 * and its variance (v_r + v_h) / sum (1 - h)^2 with v those of r and h from one such stretch to the next while nobody sends a
 * pulse. Where no round trip became longer nothing is known: y's deviation is large then.
 *
 * Of a pulse of P bytes the link's other flows in its direction lack g P afterwards, by what they carried before: all of it
 * on a link that is always full, g = 1, and hardly any of it where there is room for both. */
#ifndef ANALYSIS_PULSES_H
#define ANALYSIS_PULSES_H

#include "analysis/flows/flows.h"

#define ANALYSIS_PULSES 64

/* Who is at the other end of the pulses. */
struct analysis_probe {
    struct capture_address server;
    uint16_t port; /* 0: nobody sent any */
};

struct analysis_pulses {
    struct capture_address host; /* the other end of the first */
    struct analysis_pulse {
        double from_s, to_s;     /* first and last data */
        double bytes[2];         /* from that host, and to it */
    } pulse[ANALYSIS_PULSES];
    size_t n;
};

/* When the first began, and P(the link is always full), by g, in and out of the probe's host, either as likely before. */
struct analysis_pulsed {
    double from_s, full[2];
};

/* Is this flow one of the probe's, with data or not? */
bool analysis_probe_has(const struct analysis_probe *p, const struct analysis_flow *flow);

/* In order of time; connections are of one pulse that begin sooner after it than it lasts. probe NULL: none. */
void analysis_pulses_find(const struct analysis_flows *f, const struct analysis_probe *probe, struct analysis_pulses *p);

/* Log odds of slot i, whose quiet time is [from_s, to_s). */
double analysis_pulses_odds(const struct analysis_pulses *p, const struct analysis_flows *f, size_t i, double from_s,
                            double to_s);

/* Of a host by its n flows, slot[i] of which is incoming[i]. */
void analysis_pulses_gave(const struct analysis_pulses *p, const struct analysis_flows *f,
                          const struct capture_address *host, const size_t *slot, const bool *incoming, size_t n,
                          double from_s, double to_s, struct analysis_pulsed *pulsed);

#endif
