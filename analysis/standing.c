/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/standing.h"

#include "base/estimate.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

#define DEFAULT_FLOOR_S 10e-6 /* least round trip through a switch and two stacks */
#define MOST_FLOOR_S 0.7      /* longest: 2 x 2 x 35,786 km to a geostationary satellite (0.48 s), and half the Earth by fibre */
#define FULL 0.95             /* of its rate: dispersion shows that to a sixteenth of an octave */
#define JOINS 0.9             /* of its mean, on the way to a queue after the tap: what joins it is less even than what leaves */
#define QUEUE_FRAMES 4        /* in the loop to the host: more than it takes to pass frames on */

struct standing {
    struct analysis_evidence_set *s;
    const struct analysis_capacity_host *frames; /* borrowed */
    double frame_s;
};

/* Does a handshake pass before any data of the direction that the capture has, TCP's or others'? */
static bool standing_met_empty(const struct standing *x, bool incoming)
{
    const struct analysis_capacity_way *w = incoming ? &x->frames->in : &x->frames->out;
    double first_s = w->other_frames > 0 ? (double)w->other_from_ns * 1e-9 : INFINITY, shake_s = INFINITY; /* never */
    for (size_t i = 0; i < x->s->n; i++) {
        const struct analysis_evidence *e = &x->s->flow[i];
        if (e->flow->incoming == incoming)
            first_s = fmin(first_s, e->start_s);
        if (e->near_s >= 0 && e->far_s >= 0)
            shake_s = fmin(shake_s, e->start_s);
    }
    return isfinite(shake_s) && shake_s <= first_s;
}

enum standing_full { STANDING_NO, STANDING_PERHAPS, STANDING_SURE };

/* Of all flows' round trips; INFINITY: none shows. */
static double standing_least_s(const struct standing *x)
{
    double least_s = INFINITY;
    for (size_t i = 0; i < x->s->n; i++)
        least_s = fmin(least_s, x->s->flow[i].near_least_s + x->s->flow[i].far_least_s);
    return least_s;
}

/* Is most of it no TCP? No ACK clocks that: it may keep a pace of its own. */
static bool standing_others(const struct analysis_capacity_way *w)
{
    return w->other_bytes > w->all_bytes / 2;
}

/* Where ACKs alone go, no full frames show a rate: do they follow each other evenly, as after a queue that they fill? */
static bool standing_paced(const struct standing *x, bool incoming, double mean_bps)
{
    const struct analysis_capacity_way *w = incoming ? &x->frames->in : &x->frames->out;
    struct analysis_spacing_figures figures;
    for (size_t i = 0; i < x->s->n; i++)
        if (x->s->flow[i].flow->incoming == incoming)
            return true;
    analysis_spacing_get(&w->spacing, &figures);
    return standing_others(w) || mean_bps > FULL * figures.line_bps;
}

/* Does a direction carry as much in every stretch of a round trip? Shapers serve in steps; what matters is a queue that
 * was empty for a part of one. That is what a full link does, and is one where frames follow each other at that rate, too. */
static enum standing_full standing_full(const struct standing *x, bool incoming)
{
    const struct analysis_capacity_way *w = incoming ? &x->frames->in : &x->frames->out;
    double least_s = standing_least_s(x), share, bps = analysis_capacity_bps(w, &share);
    double mean_bps = analysis_capacity_mean_bps(w, 0, x->s->to_s);
    if (isfinite(analysis_evidence_pulsed_bps(x->s, incoming, mean_bps)) || /* there was room */
        !(isfinite(least_s) && least_s >= 0)) /* a clock that steps back makes them negative */
        return STANDING_NO;
    if (!incoming && x->s->followed_bps > 0)
        return STANDING_SURE;
    if (!analysis_capacity_always(w, (incoming ? FULL : JOINS) * mean_bps, least_s, x->s->to_s) || !standing_paced(x, incoming, mean_bps))
        return STANDING_NO;
    if (mean_bps > FULL * bps && !standing_others(w))
        return STANDING_SURE;
    double full = x->s->pulsed ? x->s->pulsed->full[!incoming] : 0.5; /* pulses of load found room beside it, or none */
    bool told = full > JUDGE_DIAGNOSIS_SURE || full < 1 - JUDGE_DIAGNOSIS_SURE;
    return !told ? STANDING_PERHAPS : full > 0.5 ? STANDING_SURE : STANDING_NO;
}

/* Q(p) of analysis/standing.h. */
static double standing_quantile_s(double least_s, double floor_s, double p)
{
    double most_s = fmin(least_s, MOST_FLOOR_S);
    return least_s > floor_s ? least_s - most_s * pow(floor_s / most_s, p) : 0;
}

/* In the loop to the host all flows share the queue: their least is one. */
static bool standing_near(struct standing *x, double floor_s, double p)
{
    double least_s = x->s->n > 0 ? x->s->flow[0].near_least_s : NAN;
    if (!(least_s > QUEUE_FRAMES * x->frame_s))
        return false;
    double stood_s = standing_quantile_s(least_s, floor_s, p);
    for (size_t i = 0; i < x->s->n; i++)
        x->s->flow[i].near_least_s -= stood_s;
    return true;
}

/* How far a loop is from the nearest of these; INFINITY: there is none. */
static double standing_apart_s(const double *sorted_s, size_t n, double least_s)
{
    const size_t below = estimate_below(sorted_s, n, least_s);
    return fmin(below < n ? fabs(sorted_s[below] - least_s) : (double)INFINITY,
                below > 0 ? fabs(sorted_s[below - 1] - least_s) : (double)INFINITY);
}

/* On the other side, each flow has a way of its own besides. Where what fills the direction is not TCP, it shows in the
 * loops of those whose ACKs come that way, and without timestamps no others do. */
static void standing_far(struct standing *x, bool incoming, double floor_s, double p)
{
    double least_s = INFINITY;
    bool tcp = false;
    for (size_t i = 0; i < x->s->n; i++)
        tcp = tcp || (x->s->flow[i].flow->incoming == incoming && isfinite(x->s->flow[i].far_least_s));
    const bool way = tcp ? incoming : !incoming;
    for (size_t i = 0; i < x->s->n; i++)
        if (x->s->flow[i].flow->incoming == way)
            least_s = fmin(least_s, x->s->flow[i].far_least_s);
    double stood_s = isfinite(least_s) ? standing_quantile_s(least_s, floor_s, p) : 0;
    double *sorted_s = memory_zeroed(x->s->n + 1, sizeof *sorted_s, "a diagnosis");
    size_t n = 0;
    for (size_t i = 0; i < x->s->n; i++)
        if (x->s->flow[i].flow->incoming == way && !isnan(x->s->flow[i].far_least_s))
            sorted_s[n++] = x->s->flow[i].far_least_s;
    qsort(sorted_s, n, sizeof *sorted_s, estimate_ascending);
    for (size_t i = 0; i < x->s->n; i++) {
        struct analysis_evidence *e = &x->s->flow[i];
        double shared = 1 / (1 + standing_apart_s(sorted_s, n, e->far_least_s) / e->far_least_s);
        if (e->flow->incoming == way || (p >= 1 - shared && e->far_least_s > stood_s))
            e->stood_s = stood_s;
    }
    free(sorted_s);
    for (size_t i = 0; i < x->s->n; i++)
        x->s->flow[i].far_least_s -= x->s->flow[i].stood_s;
}

/* All loops are longer than any way, and no direction is full as far as shows: what stood did so before a link beyond the
 * tap, which outgoing frames have not passed yet. */
static bool standing_beyond(const struct standing *x)
{
    double least_s = standing_least_s(x);
    return isfinite(least_s) && least_s > MOST_FLOOR_S && standing_full(x, false) == STANDING_NO &&
           standing_full(x, true) == STANDING_NO;
}

void analysis_standing_take(struct analysis_evidence_set *s, const struct analysis_capacity_host *frames,
                            const struct analysis_standing *p)
{
    struct standing x = {s, frames, s->frame_s};
    double floor_s = fmax(DEFAULT_FLOOR_S, s->frame_s);
    const bool beyond = frames && standing_beyond(&x);
    for (int incoming = 0; frames && incoming < 2; incoming++) {
        enum standing_full full = standing_met_empty(&x, incoming) ? STANDING_NO
                                  : beyond && !incoming            ? STANDING_SURE
                                                                   : standing_full(&x, incoming);
        double quantile = full == STANDING_SURE ? p->sure : p->perhaps;
        s->stands = s->stands || full == STANDING_SURE;
        s->either_may = s->may_stand && full == STANDING_PERHAPS;
        s->may_stand = s->may_stand || full == STANDING_PERHAPS;
        bool but = full == STANDING_PERHAPS && p->but == (incoming ? ANALYSIS_STANDING_NOT_IN : ANALYSIS_STANDING_NOT_OUT);
        if (full == STANDING_NO || !(quantile > 0) || but)
            continue;
        s->stood[!incoming] = full == STANDING_PERHAPS;
        if (incoming || !standing_near(&x, floor_s, quantile)) {
            s->stands_there = !incoming;
            standing_far(&x, incoming, floor_s, quantile);
        }
    }
}
