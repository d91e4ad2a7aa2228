/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/bounds.h"

#include <math.h>

#define FULL 0.97     /* of the most in flight, on average */
#define CONSTANT 0.01 /* jitter, from slot to slot */
#define HARDLY_MORE 1.3 /* times that was ever in flight */
#define SEGMENTS 2    /* of a small window are not filled: it is no whole number of them */
#define CHANGES 0.1   /* of the round trip */
#define OFFERED 0.85  /* of the window offered: more is that window */

#define EVENTS 8      /* of losses, and more: again and again */
#define FRAMES 2      /* of its rate its data wait, on average: it has no queue */
#define PINNED 0.2    /* deviation of what the direction carries in SLOT_S, over the mean */
#define SLOT_S 0.1
#define SLOTS 128     /* of them are looked at */
#define LEAST_SLOTS 8

/* From its shortest to its longest in the phase, over its mean. */
static double bounds_round_trip_range(const struct analysis_evidence_set *s, const struct analysis_evidence *e)
{
    double least_s = INFINITY, most_s = -INFINITY;
    for (size_t i = 0; i < e->n_waits; i++) {
        double wait_s = e->waits[i].data_s + e->waits[i].ack_s;
        if (e->waits[i].start_s < s->from_s || e->waits[i].start_s >= s->to_s || !isfinite(wait_s))
            continue;
        least_s = fmin(least_s, wait_s);
        most_s = fmax(most_s, wait_s);
    }
    return (most_s - least_s) / analysis_evidence_rtt_s(e);
}

bool analysis_bounds_send_buffer(const struct analysis_evidence_set *s, const struct analysis_evidence *e)
{
    const struct analysis_clocking_figures *k = &e->clocking;
    return bounds_round_trip_range(s, e) > CHANGES && e->lossless && k->fullness > FULL && k->jitter < CONSTANT &&
           k->most_bytes < HARDLY_MORE * k->flight_bytes &&
           k->most_bytes + SEGMENTS * k->full_bytes < OFFERED * k->offered_bytes;
}

static double bounds_carried_bps(const struct analysis_evidence_set *s, bool incoming, double from_s)
{
    double bps = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct analysis_evidence *e = &s->flow[i];
        size_t begin, end;
        if (e->flow->incoming != incoming || !e->bins)
            continue;
        analysis_bins_range(e->bins, llround(from_s * 1e9), llround((from_s + SLOT_S) * 1e9), &begin, &end);
        bps += analysis_bins_rate_bps(e->bins, begin, end);
    }
    return bps;
}

/* Is what a direction carries the same all the time? */
static bool bounds_pinned(const struct analysis_evidence_set *s, bool incoming)
{
    double sum = 0, squares = 0;
    int n = 0;
    for (; n < SLOTS && s->from_s + (n + 1) * SLOT_S <= s->to_s; n++) {
        double bps = bounds_carried_bps(s, incoming, s->from_s + n * SLOT_S);
        sum += bps;
        squares += bps * bps;
    }
    double mean = sum / n;
    return n >= LEAST_SLOTS && sqrt(fmax(0, squares / n - mean * mean)) < PINNED * mean;
}

void analysis_bounds_policing(struct analysis_evidence_set *s, bool incoming)
{
    double events = 0, waiting_bits = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct analysis_diagnosis_flow *flow = s->flow[i].flow;
        if (flow->incoming != incoming)
            continue;
        events += (double)flow->loss_events;
        waiting_bits += flow->rate_bps * s->flow[i].data_wait_s;
    }
    double most_bits = FRAMES * analysis_evidence_frame_bits(s->full_bytes);
    if (!(events >= EVENTS && waiting_bits < most_bits && bounds_pinned(s, incoming)))
        return;
    for (size_t i = 0; i < s->n; i++) {
        struct analysis_evidence *e = &s->flow[i];
        if (e->flow->incoming != incoming || e->limit != ANALYSIS_CAUSE_LOSSES)
            continue;
        e->limit = ANALYSIS_CAUSE_POLICING;
        e->unsure = true;
    }
}
