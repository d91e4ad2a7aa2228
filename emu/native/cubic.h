/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/cubic.h - CUBIC congestion control (RFC 9438), in integers: the same on every machine and at every
 * optimization level.
 *
 *   W_cubic(t) = C (t - K)^3 + W_max,  K = cbrt((W_max - cwnd_epoch) / C),  C = 0.4 segments/s^3, beta = 0.7
 * with fast convergence (section 4.7) and the Reno-friendly region (4.3, alpha = 3 (1 - beta)/(1 + beta) = 0.529).
 * Windows are segments in 1/1024, times 1/1024 s.
 *
 * HyStart, as Linux has it (Ha and Rhee 2011): once a round trip in slow start with 16 segments or more, if eight
 * samples agree that the round trip has grown by an eighth of the least seen (4 to 16 ms), ssthresh is the window. */
#ifndef EMU_NATIVE_CUBIC_H
#define EMU_NATIVE_CUBIC_H

#include <stdbool.h>
#include <stdint.h>

struct native_cubic {
    bool hystart;
    bool in_epoch;        /* congestion avoidance has begun since the last loss */
    uint64_t epoch_us;
    uint64_t k;           /* 1/1024 s */
    uint64_t origin;      /* W_max of the curve, 1/1024 segments */
    uint64_t w_max;       /* 1/1024 segments; 0: no loss yet */
    uint64_t w_est;       /* Reno's window, 1/2^20 segments: it grows in small steps */
    uint64_t credit;      /* segments acknowledged that the window has not yet grown for, 1/1024 */
    uint64_t min_rtt_us;  /* 0: none yet */
    uint64_t round_end_us, round_rtt_us; /* HyStart's round: its end, the least round trip within */
    uint32_t round_samples;
};

void native_cubic_init(struct native_cubic *c, bool hystart);

/* `acked` segments are newly acknowledged at now_us, with this round trip (0: none). cwnd in segments; returns the new
 * one. *ssthresh, segments, is lowered when HyStart ends slow start. */
uint32_t native_cubic_on_ack(struct native_cubic *c, uint32_t acked, uint64_t now_us, uint64_t rtt_us, uint32_t cwnd,
                             uint32_t *ssthresh);

/* New ssthresh, segments, after a loss: beta cwnd, 2 at least. */
uint32_t native_cubic_on_loss(struct native_cubic *c, uint32_t cwnd);
/* The same after a timeout. */
uint32_t native_cubic_on_timeout(struct native_cubic *c, uint32_t cwnd);

/* C (t - K)^3 + W_max in 1/1024 segments, t in 1/1024 s since the epoch; 0 where it would be below. */
uint64_t native_cubic_window(const struct native_cubic *c, uint64_t t);

/* Floor of the cube root. */
uint64_t native_cubic_root(uint64_t x);

#endif
