/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/explain.h - where a flow's round trip goes, and what its ACKs look like, from one tap.
 *
 * Round trip: TCP timestamps cut it into four legs at the tap, wherever that is. With t the tap's time and v a
 * timestamp in its sender's clock,
 *   data, sender to tap      t(data) - v(data)        an own NIC's queue before the tap included
 *   data, tap to receiver    v(ACK) - t(data)         of the first ACK that echoes v(data)
 *   ACK, receiver to tap     t(ACK) - v(ACK)
 *   ACK, tap to sender       v(data) - t(ACK)         of the first data that echo v(ACK)
 * Clocks differ by a constant, so each leg is known but for one; its mean less its minimum is what it waited, when the
 * flow met empty queues once (its beginning was captured), else at least that. Half a clock tick is taken off: a
 * stamp is up to a tick old. Ticks of 1 us, 1, 4 and 10 ms are told apart by their pace.
 *
 * ACK compression (Zhang, Shenker and Clark 1991; Paxson 1997, section 15.4): for groups of ANALYSIS_EXPLAIN_GROUP
 * ACKs in a row, xi = span of the ACKs at the tap / span in which the data they acknowledge passed it. Beside the
 * receiver that is what its own host does to them. Compressed: xi < 0.75. Groups whose data passed within 100 us are
 * left out: that is bursts and clocks, not queues. Beside the sender data pass in bursts, and the measure is another:
 * the share of bytes acknowledged by groups whose rate (bytes / span of the ACKs) is above the path's by 1 / 0.75. */
#ifndef ANALYSIS_EXPLAIN_H
#define ANALYSIS_EXPLAIN_H

#include "capture/decode.h"

#include <stdbool.h>
#include <stdint.h>

#define ANALYSIS_EXPLAIN_GROUP 3
#define ANALYSIS_EXPLAIN_COMPRESSED 0.75
#define ANALYSIS_EXPLAIN_FLOOR_NS INT64_C(100000) /* groups of a shorter span: bursts and clocks, not queues */
#define ANALYSIS_EXPLAIN_TICKS 4

enum analysis_leg { ANALYSIS_LEG_DATA_OUT, ANALYSIS_LEG_DATA_IN, ANALYSIS_LEG_ACK_OUT, ANALYSIS_LEG_ACK_IN,
                    ANALYSIS_LEGS };

struct analysis_explain; /* of one direction; opaque */

/* NULL when memory is out. */
struct analysis_explain *analysis_explain_new(void);
void analysis_explain_free(struct analysis_explain *e);

/* A data segment of the flow passes; `end`: its last sequence number + 1, relative, beyond all before. */
void analysis_explain_data(struct analysis_explain *e, const struct capture_segment *s, int64_t end, int64_t time_ns);

/* An acknowledgement of the flow passes; `ack` relative. */
void analysis_explain_ack(struct analysis_explain *e, const struct capture_segment *s, int64_t ack, int64_t time_ns);

struct analysis_explanation {
    double wait_s[ANALYSIS_LEGS]; /* NAN without samples (no timestamps) */
    double data_wait_s, ack_wait_s; /* sums of two; NAN when either is unknown */
    int64_t samples;              /* of the leg with fewest */
    int64_t groups, compressed;   /* of ACKs */
    double hold_s;                /* mean from data passing the tap to their ACK passing it */
};

void analysis_explain_get(const struct analysis_explain *e, struct analysis_explanation *x);

/* Share of bytes in groups of ACKs that came at more than this rate, to a sixteenth of an octave; NAN without any. */
double analysis_explain_faster(const struct analysis_explain *e, double rate_bps);

#endif
