/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/pulses.h - pulses of load that somebody sent while a capture was made (measure/pulse.h), and what flows did then.
 *
 * In a steady state a sender that a window holds and one that keeps a pace look alike. A pulse that shares a queue with a
 * flow's data or its ACKs makes its round trip T longer for a while, and nobody but its sender chose when. A window comes
 * round that much later, and what it then does not carry is never made up for; a pace goes on, or catches up, up to a
 * headroom w: how many times T before the pulse its window would have room for. With x and T of the time before a pulse (0)
 * and from there to the next one,
 *
 *   r = 1 - x / x0,  h = 1 - T0 / T
 *   window: r = h;  pace: r = max(0, 1 - w (1 - h)), log w even from 1 to MOST_HEADROOM
 *
 * The odds of a pace are the ratio of their likelihoods over all pulses that T shows, with the deviation that r has while
 * nobody sends a pulse.
 *
 * Of a pulse of P bytes the other flows of its direction lack g P afterwards, by what they carried before: as much as that on
 * a link that is always full, and hardly any of it where there is room for both. */
#pragma once

#include "analysis/evidence.h"

#define ANALYSIS_PULSES 64

/* Who is at the other end of the pulses. */
struct analysis_probe {
    struct capture_address server;
    uint16_t port; /* 0: nobody sent any */
};

struct analysis_pulses {
    struct capture_address host, server; /* the ends of the last */
    struct analysis_pulse {
        double from_s, to_s;     /* first and last data */
        double bytes[2];         /* from that host, and to it */
    } pulse[ANALYSIS_PULSES];
    size_t n;
};

/* Is this flow one of the probe's, with data or not? */
bool analysis_probe_has(const struct analysis_probe *p, const struct analysis_flow *flow);

/* In order of time; connections are of one pulse that begin sooner after it than it lasts. probe NULL: none. */
void analysis_pulses_find(const struct analysis_flows *f, const struct analysis_probe *probe, struct analysis_pulses *p);

/* Fills the odds of the host's n flows, whose quiet time is [from_s, to_s), and what is known of its links. frames: of the
 * host; NULL unknown. */
void analysis_pulses_tell(const struct analysis_pulses *p, const struct analysis_flows *f,
                          const struct capture_address *host, const struct analysis_capacity_host *frames, struct analysis_told *told, size_t n, double from_s,
                          double to_s, struct analysis_pulsed *pulsed);
