/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/round_trip.h - where a flow's round trip goes, and what its ACKs look like, from one tap.
 *
 * Loops: what the tap times by itself, without stamps. To the receiver: from data to the ACK they caused. To the
 * sender: from an ACK to the data it let go, which are the first that echo its stamp; or, while its window stays as it
 * is, those that begin a window after the ACK before. They tell waits below the stamps' ticks.
 *
 * Round trip: TCP timestamps cut it into four legs at the tap, wherever that is. With t the tap's time and v a
 * timestamp in its sender's clock,
 *   data, sender to tap      t(data) - v(data)        an own NIC's queue before the tap included
 *   data, tap to receiver    v(ACK) - t(data)         of the first ACK that echoes v(data)
 *   ACK, receiver to tap     t(ACK) - v(ACK)
 *   ACK, tap to sender       v(data) - t(ACK)         of the first data that echo v(ACK)
 * Clocks differ by a constant, and by their pace where that shows (analysis/flows/tap_clock.h), so each leg is known but for
 * one; its mean less its minimum is what it waited, when the flow met empty queues once (its beginning was captured), else
 * at least that. Half a clock tick is taken off: a
 * stamp is up to a tick old. Ticks of 1 us, 1, 4 and 10 ms are told apart by their pace. An ACK that a hole held back
 * (duplicate ACKs or selective acknowledgements before it) times neither loop nor leg: it speaks of data that came long
 * before.
 *
 * ACK compression (Zhang, Shenker and Clark 1991; Paxson 1997, section 15.4): groups of ACKs by base/compression.h.
 * They "left" when the data they acknowledge passed the tap. Beside the receiver that is what its own host does to
 * them.
 * Beside the sender data pass in bursts, and the measure is another: the share of bytes acknowledged by runs of three
 * ACKs whose rate (bytes / span of the ACKs) is above the path's by 1 / 0.75. */
#pragma once

#include "base/compression.h"
#include "capture/decode.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANALYSIS_ROUND_TRIP_TICKS 4

/* The sender stopped although everything was acknowledged: it had nothing to send. */
struct analysis_pause {
    int64_t after_bytes; /* relative sequence number */
    int64_t pause_ns;    /* at the tap, from the acknowledgement to the next data */
};

#define ANALYSIS_ROUND_TRIP_PAUSES 1024 /* of at least 5 ms; where there are more, only the longest are kept */

enum analysis_leg { ANALYSIS_LEG_DATA_OUT, ANALYSIS_LEG_DATA_IN, ANALYSIS_LEG_ACK_OUT, ANALYSIS_LEG_ACK_IN,
                    ANALYSIS_LEGS };

/* From the tap to an end and back: what an ACK takes to follow its data, and data the ACK that lets them go. */
enum analysis_loop { ANALYSIS_LOOP_RECEIVER, ANALYSIS_LOOP_SENDER, ANALYSIS_LOOPS };

/* Timed besides: how long after the first of a burst from rest its data pass, while no ACK can have let them go. */
#define ANALYSIS_BURST ANALYSIS_LOOPS
#define ANALYSIS_TIMED (ANALYSIS_LOOPS + 1)

struct analysis_round_trip; /* of one direction; opaque */

/* `to_sender_ns`: from the tap to the sender and back, as the handshake took it; negative unknown. */
struct analysis_round_trip *analysis_round_trip_new(int64_t to_sender_ns);
void analysis_round_trip_free(struct analysis_round_trip *e);

/* A data segment of the flow passes; `end`: its last sequence number + 1, relative, beyond all before. */
void analysis_round_trip_data(struct analysis_round_trip *e, const struct capture_segment *s, int64_t end,
                              int64_t time_ns);

/* An acknowledgement of the flow passes; `ack` relative. */
void analysis_round_trip_ack(struct analysis_round_trip *e, const struct capture_segment *s, int64_t ack,
                             int64_t time_ns);

struct analysis_round_trip_figures {
    double wait_s[ANALYSIS_LEGS]; /* NAN without samples (no timestamps) */
    double data_wait_s, ack_wait_s; /* sums of two; NAN when either is unknown */
    double floor_s;               /* the legs' minima together: through empty queues, if it met them; NAN unknown */
    double tick_s;                /* the coarser of the two clocks' ; NAN unknown */
    struct compression passed, stamped;    /* groups of ACKs: left when their data passed; or by their own timestamps */
    double loop_least_s[ANALYSIS_LOOPS]; /* no ACK delayed; NAN unknown */
    double stamped_least_s[ANALYSIS_LOOPS]; /* sum of its legs' minima: what their waits are counted from */
    double hold_s;                /* mean from data passing the tap to their ACK passing it */
    double clock_off_s;           /* how far the tap's clock and an end's leave any pace that they could have: one was set */
};

/* In order of time; *n of them, borrowed. */
const struct analysis_pause *analysis_round_trip_pauses(const struct analysis_round_trip *e, size_t *n);

/* Waits over time, in equal slots; from start_s on, seconds since the origin. */
struct analysis_wait {
    double start_s, width_s, data_s, ack_s; /* width_s: of a slot */
    double leg_s[ANALYSIS_LEGS];
    double least_s;                  /* the least that data waited in the slot: of their two legs together, or less */
    double loop_s[ANALYSIS_TIMED];   /* NAN without a sample yet */
    uint32_t leg_samples[ANALYSIS_LEGS], loop_samples[ANALYSIS_TIMED]; /* 0: the values of the slot before */
    uint32_t slots; /* it and those after it that have no sample, whose values are its own, too; 1: each stands alone */
};

/* When the k-th of its slots begins. */
static inline double analysis_wait_start_s(const struct analysis_wait *w, uint32_t k)
{
    return k == 0 ? w->start_s : (nearbyint(w->start_s / w->width_s) + k) * w->width_s;
}

/* How many of them begin in [from_s, to_s). */
static inline uint32_t analysis_wait_slots(const struct analysis_wait *w, double from_s, double to_s)
{
    uint32_t first = 0, n = 0;
    const double last_s = w->slots > 0 ? analysis_wait_start_s(w, w->slots - 1) : (double)-INFINITY;
    if (w->start_s >= from_s && last_s < to_s)
        return w->slots;
    if (last_s < from_s || w->start_s >= to_s)
        return 0;
    while (first < w->slots && analysis_wait_start_s(w, first) < from_s)
        first++;
    while (first + n < w->slots && analysis_wait_start_s(w, first + n) < to_s)
        n++;
    return n;
}

/* Mean from data passing the tap to their ACK passing it, over slots that begin in [from_s, to_s), with stamps or without, and
 * the least mean of one of them; NAN unknown. */
double analysis_round_trip_hold_s(const struct analysis_round_trip *e, double from_s, double to_s, double *least_s);

/* At most ANALYSIS_LEG_SERIES_SLOTS (analysis/flows/leg_series.h) of them; 0 for a small flow, or without timestamps.
 * each: every slot; otherwise those without a sample are part of the one before. waits NULL: how many there may be. */
size_t analysis_round_trip_waits(const struct analysis_round_trip *e, bool each, struct analysis_wait *waits);

/* Returns the mean of what data and ACKs waited, over the slots that begin in [from_s, to_s) and of which both are known;
 * NAN without any. A slot's round trip is its own wait, and what the flow's has beyond this mean. */
double analysis_round_trip_wait_s(const struct analysis_wait *waits, size_t n, double from_s, double to_s);

/* How long each of the n > 0 slots is; a lone one is 1 us. */
double analysis_round_trip_width_s(const struct analysis_wait *waits, size_t n);

void analysis_round_trip_get(const struct analysis_round_trip *e, struct analysis_round_trip_figures *x);

/* Share of bytes in groups of ACKs that came at more than this rate, to a sixteenth of an octave; NAN without any. */
double analysis_round_trip_faster(const struct analysis_round_trip *e, double rate_bps);
