/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/cubic.h - CUBIC congestion control (RFC 9438) as Linux has it (tcp_cubic.c), in whole segments, jiffies of
 * 4 ms and integers: the same on every machine and at every optimization level.
 *
 *   W_cubic(t) = C (t - K)^3 + W_max,  K = cbrt((W_max - cwnd_epoch) / C),  C = 0.4 segments/s^3, beta = 717/1024
 * with fast convergence (section 4.7) and the Reno-friendly region (4.3; 8/15 of a segment a round trip, also beyond
 * W_max). The window grows by a segment for each cwnd / (W_cubic - cwnd), a whole number, that arrive: for 2 at least,
 * and for 20 at most before the first loss. A timeout forgets everything.
 *
 * HyStart (Ha and Rhee 2011) leaves slow start at 16 segments or more when
 *  - eight samples of a round agree that the round trip has grown by an eighth of the least seen (4 to 16 ms), or
 *  - a train of ACKs less than 2 ms apart lasts for half of the least round trip and what four bursts of 64 kB take at
 *    the pacing rate, 1 ms of that at most. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct native_cubic {
    bool hystart, found;  /* found: slow start has been left */
    bool in_epoch;        /* congestion avoidance has begun since the last loss */
    uint32_t epoch;       /* jiffies */
    uint32_t k;           /* 1/1024 s */
    uint32_t origin;      /* W_max of the curve, segments */
    uint32_t w_max;       /* segments; 0: no loss yet */
    uint32_t reno, acked; /* Reno's window, segments; segments acknowledged that it has not grown for */
    uint32_t each;        /* the window grows by one for so many */
    uint32_t last_cwnd, last_jiffy; /* when `each` was found */
    uint32_t credit;      /* segments acknowledged that the window has not yet grown for */
    uint32_t min_rtt_us;  /* 0: none yet */
    uint32_t round_us, train_us, round_rtt_us, round_samples; /* HyStart's round: its start, the train's latest ACK */
    uint64_t round_end;   /* of the stream */
};

/* A round trip. */
struct native_cubic_sample {
    uint64_t now_us;
    uint32_t rtt_us;    /* > 0 */
    uint64_t una, nxt;  /* of the stream */
    uint64_t pacing;    /* bytes a second; 0: not known */
};

void native_cubic_init(struct native_cubic *c, bool hystart);

/* Every ACK with a round trip, before the window grows for it. cwnd, segments. True: slow start ends here. */
bool native_cubic_on_sample(struct native_cubic *c, const struct native_cubic_sample *s, uint32_t cwnd,
                            bool slow_start);

/* `acked` segments are newly acknowledged at now_us. cwnd and ssthresh in segments; returns the new cwnd. */
uint32_t native_cubic_on_ack(struct native_cubic *c, uint32_t acked, uint64_t now_us, uint32_t cwnd, uint32_t ssthresh);

/* Data leave after nothing was out: since the latest left the curve has stood still (CA_EVENT_TX_START). */
void native_cubic_on_resume(struct native_cubic *c, uint64_t now_us, uint64_t sent_us);

/* New ssthresh, segments, after a loss: beta cwnd, 2 at least. */
uint32_t native_cubic_on_loss(struct native_cubic *c, uint32_t cwnd);
/* The same after a timeout. */
uint32_t native_cubic_on_timeout(struct native_cubic *c, uint32_t cwnd);

/* The cube root as Linux has it: of what K is taken from 0.02 % off on average, 0.15 % at most. */
uint32_t native_cubic_root(uint64_t a);
