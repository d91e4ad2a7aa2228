/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/policed.h"

#include <math.h>

#define EVENTS 8      /* of losses, and more: again and again */
#define FRAMES 2      /* of its rate its data wait, on average: it has no queue */
#define PINNED 0.2    /* deviation of what the direction carries in SLOT_S, over the mean */
#define SLOT_S 0.1
#define SLOTS 128     /* of them are looked at */
#define LEAST_SLOTS 8

static double policed_carried_bps(const struct analysis_evidence_set *s, bool incoming, double from_s)
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
static bool policed_pinned(const struct analysis_evidence_set *s, bool incoming)
{
    double sum = 0, squares = 0;
    int n = 0;
    for (; n < SLOTS && s->from_s + (n + 1) * SLOT_S <= s->to_s; n++) {
        double bps = policed_carried_bps(s, incoming, s->from_s + n * SLOT_S);
        sum += bps;
        squares += bps * bps;
    }
    double mean = sum / n;
    return n >= LEAST_SLOTS && sqrt(fmax(0, squares / n - mean * mean)) < PINNED * mean;
}

static void policed_way(struct analysis_evidence_set *s, bool incoming)
{
    double events = 0, waiting_bits = 0, most_bits = FRAMES * analysis_evidence_frame_bits(s->full_bytes);
    for (size_t i = 0; i < s->n; i++) {
        const struct analysis_evidence *e = &s->flow[i];
        events += e->flow->incoming == incoming ? (double)e->flow->loss_events : 0;
        waiting_bits += e->flow->incoming == incoming ? e->flow->rate_bps * e->data_wait_s : 0;
    }
    bool policed = events >= EVENTS && waiting_bits < most_bits && policed_pinned(s, incoming);
    for (size_t i = 0; i < s->n; i++)
        s->flow[i].policed = s->flow[i].policed || (policed && s->flow[i].flow->incoming == incoming);
}

void analysis_policed_find(struct analysis_evidence_set *s)
{
    policed_way(s, true);
    policed_way(s, false);
}
