/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/clocking.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNIT_NS INT64_C(1000000)
#define TIGHT 0.7 /* of the mean gap */
#define LEAST_CYCLES 8
#define GAPS 32   /* it is a mean over so many, about */
#define PERIODS 8 /* likewise */
#define MOST 0.6  /* of them are usual: else it has no period */
#define TICKS 4   /* and more in a period: stamps tell when it begins */
#define USUAL 1.5 /* times longer or shorter than the mean period */

struct analysis_clocking *analysis_clocking_new(int64_t time_ns, int64_t to_sender_ns)
{
    struct analysis_clocking *c = memory_zeroed(1, sizeof *c, "the ACKs of a flow");
    c->first = time_ns / UNIT_NS;
    c->to_sender_ns = to_sender_ns;
    c->all_acked = -1;
    return c;
}

void analysis_clocking_free(struct analysis_clocking *c)
{
    if (c)
        free(c->slot);
    free(c);
}

static int64_t clocking_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void clocking_merge(struct analysis_clocking_slot *to, const struct analysis_clocking_slot *from)
{
    if (from->acks > 0)
        to->offered_least = to->acks > 0 ? clocking_least(to->offered_least, from->offered_least) : from->offered_least;
    to->offered_fall = to->offered_fall > from->offered_fall ? to->offered_fall : from->offered_fall;
    if (to->acks > 0 && from->acks > 0 && to->offered_most - from->offered_least > to->offered_fall)
        to->offered_fall = to->offered_most - from->offered_least;
    to->offered_most = to->offered_most > from->offered_most ? to->offered_most : from->offered_most;
    to->flight_sum += from->flight_sum;
    to->gaps_s += from->gaps_s;
    to->flight_most = to->flight_most > from->flight_most ? to->flight_most : from->flight_most;
    to->flight_n += from->flight_n;
    to->restarts += from->restarts;
    to->prompted += from->prompted;
    to->segments += from->segments;
    to->tight += from->tight;
    to->shorts += from->shorts;
    to->acks += from->acks;
    to->closed += from->closed;
    to->pure += from->pure;
}

/* Neighbours merge. */
static void clocking_double(struct analysis_clocking *c)
{
    const uint32_t odd = (uint32_t)(c->first & 1);
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        struct analysis_clocking_slot *from = &c->slot[i];
        from->at = (from->at + odd) >> 1;
        if (n > 0 && c->slot[n - 1].at == from->at)
            clocking_merge(&c->slot[n - 1], from);
        else
            c->slot[n++] = *from;
    }
    c->n = n;
    c->first >>= 1;
    c->shift++;
}

void analysis_clocking_go(struct analysis_clocking *c, int64_t time_ns)
{
    int64_t slot;
    while ((slot = (time_ns / UNIT_NS >> c->shift) - c->first) >= ANALYSIS_CLOCKING_SLOTS)
        clocking_double(c);
    const uint32_t at = slot < 0 ? 0 : (uint32_t)slot;
    size_t i = c->n < at + 1 ? c->n : at + 1; /* no more come before it than there are */
    while (i > 0 && c->slot[i - 1].at >= at)
        i--;
    if (i == c->n || c->slot[i].at != at) {
        c->slot = memory_grown(c->slot, c->n, &c->room, 16, sizeof *c->slot, "the ACKs of a flow");
        memmove(&c->slot[i + 1], &c->slot[i], (c->n++ - i) * sizeof *c->slot);
        c->slot[i] = (struct analysis_clocking_slot){.at = at};
    }
    c->now = &c->slot[i];
    c->offered = false;
    c->from_ns = (c->first + at) * (UNIT_NS << c->shift);
    c->until_ns = c->from_ns + (UNIT_NS << c->shift);
}

static void clocking_began(struct clocking_began *b, double began, double answered_s)
{
    b->sum += began;
    b->squares += began * began;
    b->products += began * answered_s;
}

/* A write that came before all was acknowledged makes one cycle of two: such are left out. */
static void clocking_cycle(struct analysis_clocking *c, int64_t time_ns, uint32_t ticks)
{
    double answered_s = (double)(c->all_acked_ns - c->restart_ns) * 1e-9;
    double period_s = (double)(time_ns - c->restart_ns) * 1e-9;
    bool usual = period_s < USUAL * c->period_s && period_s * USUAL > c->period_s;
    c->cycles++;
    c->period_s += (period_s - c->period_s) / (c->period_s > 0 ? PERIODS : 1);
    if (!usual)
        return;
    c->usual++;
    c->answered += answered_s;
    c->answered_squares += answered_s * answered_s;
    clocking_began(&c->tapped, period_s, answered_s);
    clocking_began(&c->stamped, ticks, answered_s);
}

/* Had the sender everything acknowledged? Either it echoes an ACK that it had not before, or there was time for it. Without stamps
 * there has to be time to it and back. */
static bool clocking_restarts(const struct analysis_clocking *c, const struct capture_segment *s, int64_t end,
                              int64_t time_ns)
{
    const int64_t since_ns = time_ns - c->all_acked_ns;
    if (c->all_acked < 0 || c->all_acked != end - s->payload_bytes)
        return false;
    if (!s->has_timestamps)
        return c->to_sender_ns >= 0 && since_ns >= c->to_sender_ns;
    return (int32_t)(s->tsecr - c->all_acked_tsval) >= 0 && (s->tsecr != c->last_tsecr || since_ns >= c->to_sender_ns / 2);
}

void analysis_clocking_rested(struct analysis_clocking *c, const struct capture_segment *s, int64_t end, int64_t time_ns)
{
    struct analysis_clocking_slot *slot = c->now;
    if (!clocking_restarts(c, s, end, time_ns))
        return;
    slot->restarts++;
    slot->prompted += c->prompted;
    if (c->restart_ns > 0)
        clocking_cycle(c, time_ns, s->tsval - c->restart_tsval);
    c->restart_ns = time_ns;
    c->restart_tsval = s->tsval;
    slot->gaps_s += (double)(time_ns - c->last_ns) * 1e-9;
}

void analysis_clocking_pace(struct analysis_clocking *c, const struct capture_segment *s, int64_t time_ns)
{
    const uint32_t weight = c->taken.n > ANALYSIS_THIN_SPARED ? ANALYSIS_THIN_EVERY : 1;
    double gap_ns = (double)(time_ns - c->last_ns);
    c->now->tight += c->gap_ns > 0 && gap_ns < TIGHT * c->gap_ns ? weight : 0;
    c->gap_ns += c->last_ns > 0 ? (gap_ns - c->gap_ns) / GAPS : 0;
    c->now->segments += weight;
    c->now->shorts += s->payload_bytes < c->full_bytes - c->full_bytes / 8 ? weight : 0;
}

void analysis_clocking_flight(struct analysis_clocking *c, const struct capture_segment *s, int64_t end)
{
    struct analysis_clocking_slot *slot = c->now;
    int64_t bytes;
    if (!analysis_inflight_data(&c->inflight, end, s->tsecr, &bytes))
        return;
    slot->flight_n++;
    slot->flight_sum += (double)bytes;
    slot->flight_most = bytes > slot->flight_most ? bytes : slot->flight_most;
    c->life_most = bytes > c->life_most ? bytes : c->life_most;
}

void analysis_clocking_offer(struct analysis_clocking *c, int64_t offered_bytes)
{
    struct analysis_clocking_slot *slot = c->now;
    slot->offered_least = slot->acks > 0 ? clocking_least(slot->offered_least, offered_bytes) : offered_bytes;
    int64_t before = slot->acks > 0 ? slot->offered_most : c->offered_last;
    if (before - offered_bytes > slot->offered_fall)
        slot->offered_fall = before - offered_bytes;
    c->offered_last = offered_bytes;
    c->offered = true;
    slot->offered_most = slot->offered_most > offered_bytes ? slot->offered_most : offered_bytes;
}

/* Regression of when it begins again on when it was answered: by the sender's stamps, which no queue before the tap
 * delays, unless they are too coarse. */
static double clocking_clocked(const struct analysis_clocking *c, double *sd)
{
    double n = c->usual, answered = c->answered / n, variance = c->answered_squares / n - answered * answered;
    double tick_s = c->tapped.sum / c->stamped.sum;
    bool coarse = !(c->stamped.sum > TICKS * n);
    const struct clocking_began *b = coarse ? &c->tapped : &c->stamped;
    double unit_s = coarse ? 1 : tick_s, began = b->sum / n;
    double slope = (b->products / n - answered * began) / variance;
    double left = b->squares / n - began * began - slope * slope * variance;
    bool known = n >= LEAST_CYCLES && n > MOST * c->cycles && variance > 0;
    *sd = known ? unit_s * sqrt(fmax(0, left) / (n - 2) / variance) : NAN;
    return known ? 1 - unit_s * slope : NAN;
}

/* Scales are powers of two. */
static void clocking_guess(struct analysis_clocking_figures *x)
{
    double most = fmax(x->most_bytes, x->burst_bytes), edge = 2 * x->full_bytes; /* of one ACK more, in a slot's least */
    double scale = exp2(ceil(log2(fmax(most - edge, 1) / x->offered_most_bytes)));
    x->offered_guessed = true;
    scale = most > 0 && x->offered_most_bytes > 0 ? fmax(1, scale) : (double)NAN;
    x->offered_bytes *= scale;
    x->offered_most_bytes *= scale;
}

void analysis_clocking_get(const struct analysis_clocking *c, double from_s, double to_s,
                           struct analysis_clocking_figures *x)
{
    double width_s = (double)(UNIT_NS << c->shift) * 1e-9, n = 0, sum = 0, before = 0, steps = 0, full = 0, offers = 0,
           offered = 0;
    double segments = 0, shorts = 0, gaps_s = 0, restarts = 0, prompted = 0, pure = 0, acks = 0, closed = 0, most = 0, widest = 0,
           tight = 0, swing = 0, peak = 0;
    struct estimate_line line = {0};
    for (size_t i = 0; i < c->n; i++) {
        const struct analysis_clocking_slot *s = &c->slot[i];
        double at_s = ((double)c->first + s->at + 0.5) * width_s;
        most = s->acks > 0 ? fmax(most, (double)s->offered_least) : most;
        if (at_s < from_s || at_s >= to_s)
            continue;
        segments += s->segments;
        shorts += s->shorts;
        tight += s->tight;
        acks += s->acks;
        closed += s->closed;
        pure += s->pure;
        restarts += s->restarts;
        prompted += s->prompted;
        gaps_s += s->gaps_s;
        if (s->acks > 0) {
            offers++;
            offered += (double)s->offered_least;
            widest = fmax(widest, (double)s->offered_most);
            double fall = (double)s->offered_fall - c->full_bytes; /* a segment that came while another was acknowledged */
            swing += s->offered_most > 0 ? fmax(0, fmin(1, fall / (double)s->offered_most)) : 0;
        }
        if (s->flight_n == 0)
            continue;
        double mean = s->flight_sum / s->flight_n;
        n++;
        sum += mean;
        peak = fmax(peak, (double)s->flight_most);
        estimate_line_add(&line, at_s, mean);
        steps += n > 1 ? fabs(mean - before) : 0;
        before = mean;
        full += mean / (double)s->flight_most;
    }
    *x = (struct analysis_clocking_figures){
        .flight_bytes = n > 0 ? sum / n : NAN,
        .flight_line = line,
        .fullness = n > 0 ? full / n : NAN,
        .jitter = n > 1 ? steps / (n - 1) / (sum / n) : NAN,
        .most_bytes = (double)c->life_most,
        .peak_bytes = n > 0 ? peak : NAN,
        .offered_bytes = offers > 0 ? offered / offers : NAN,
        .offered_most_bytes = most,
        .offered_swing = offers > 0 ? swing / offers : NAN,
        .tight_share = segments > 0 ? tight / segments : NAN,
        .short_share = segments > 0 ? shorts / segments : NAN,
        .restarts = restarts,
        .prompted = restarts > 0 ? prompted / restarts : NAN,
        .burst_bytes = (double)c->burst_most,
        .gaps_s = gaps_s,
        .answered_s = c->answered / c->usual,
        .closed_share = acks == 0 ? NAN : widest > 4 * c->full_bytes ? closed / acks : 0, /* so small a buffer never offers more */
        .full_bytes = c->full_bytes,
        .pure_acks = pure,
        .span_s = (ceil(to_s / width_s - 0.5) - ceil(from_s / width_s - 0.5)) * width_s,
        .acked = c->acked,
    };
    x->clocked = clocking_clocked(c, &x->clocked_sd);
    if (c->unscaled)
        clocking_guess(x);
}
