/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/clocking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNIT_NS INT64_C(1000000)
#define TIGHT 0.7 /* of the mean gap */
#define LEAST_RESTARTS 8
#define GAPS 32   /* it is a mean over so many, about */

struct analysis_clocking *analysis_clocking_new(int64_t time_ns)
{
    struct analysis_clocking *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->first = time_ns / UNIT_NS;
    c->all_acked = -1;
    return c;
}

static int64_t clocking_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void clocking_merge(struct analysis_clocking_slot *to, const struct analysis_clocking_slot *from)
{
    if (from->acks > 0)
        to->offered_least = to->acks > 0 ? clocking_least(to->offered_least, from->offered_least) : from->offered_least;
    to->offered_most = to->offered_most > from->offered_most ? to->offered_most : from->offered_most;
    to->flight_sum += from->flight_sum;
    to->gaps_s += from->gaps_s;
    to->flight_most = to->flight_most > from->flight_most ? to->flight_most : from->flight_most;
    to->flight_n += from->flight_n;
    to->restarts += from->restarts;
    to->segments += from->segments;
    to->tight += from->tight;
    to->shorts += from->shorts;
    to->acks += from->acks;
    to->closed += from->closed;
}

/* Neighbours merge. */
static void clocking_double(struct analysis_clocking *c)
{
    int64_t first = c->first >> 1;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        size_t to = (size_t)(((c->first + (int64_t)i) >> 1) - first);
        struct analysis_clocking_slot moved = c->slot[i];
        if (to == n)
            c->slot[n++] = moved;
        else
            clocking_merge(&c->slot[to], &moved);
    }
    memset(&c->slot[n], 0, (c->n - n) * sizeof c->slot[0]);
    c->n = n;
    c->first = first;
    c->shift++;
}

static struct analysis_clocking_slot *clocking_at(struct analysis_clocking *c, int64_t time_ns)
{
    int64_t i;
    while ((i = (time_ns / UNIT_NS >> c->shift) - c->first) >= ANALYSIS_CLOCKING_SLOTS)
        clocking_double(c);
    i = i < 0 ? 0 : i;
    c->n = (size_t)i >= c->n ? (size_t)i + 1 : c->n;
    return &c->slot[i];
}

void analysis_clocking_data(struct analysis_clocking *c, const struct capture_segment *s, int64_t end,
                            uint32_t full_bytes, int64_t time_ns)
{
    struct analysis_clocking_slot *slot = clocking_at(c, time_ns);
    int64_t bytes;
    double gap_ns = (double)(time_ns - c->last_ns);
    c->full_bytes = full_bytes;
    slot->tight += c->gap_ns > 0 && gap_ns < TIGHT * c->gap_ns;
    c->gap_ns += c->last_ns > 0 ? (gap_ns - c->gap_ns) / GAPS : 0;
    c->newest_end = end;
    slot->segments++;
    slot->shorts += s->payload_bytes < c->full_bytes - c->full_bytes / 8;
    if (c->all_acked >= 0 && c->all_acked == end - s->payload_bytes && s->has_timestamps &&
        (int32_t)(s->tsecr - c->all_acked_tsval) >= 0) {
        double pause_s = (double)(time_ns - c->all_acked_ns) * 1e-9,
               period_s = (double)(time_ns - c->restart_ns) * 1e-9;
        slot->restarts++;
        c->pauses++;
        c->pause_s += pause_s;
        c->pause_squares += pause_s * pause_s;
        c->periods += c->restart_ns > 0;
        c->period_s += c->restart_ns > 0 ? period_s : 0;
        c->period_squares += c->restart_ns > 0 ? period_s * period_s : 0;
        c->restart_ns = time_ns;
        slot->gaps_s += (double)(time_ns - c->last_ns) * 1e-9;
    }
    c->all_acked = -1;
    c->last_ns = time_ns;
    if (!s->has_timestamps || !analysis_inflight_data(&c->inflight, end, s->tsecr, &bytes))
        return;
    slot->flight_n++;
    slot->flight_sum += (double)bytes;
    slot->flight_most = bytes > slot->flight_most ? bytes : slot->flight_most;
    c->life_most = bytes > c->life_most ? bytes : c->life_most;
}

void analysis_clocking_ack(struct analysis_clocking *c, const struct capture_segment *s, int64_t ack,
                           int64_t offered_bytes, int64_t time_ns)
{
    struct analysis_clocking_slot *slot = clocking_at(c, time_ns);
    if (s->has_timestamps)
        analysis_inflight_ack(&c->inflight, ack, s->tsval);
    if (s->has_timestamps && ack == c->newest_end) {
        c->all_acked = ack;
        c->all_acked_tsval = s->tsval;
        c->all_acked_ns = time_ns;
    }
    if (offered_bytes < 0)
        return;
    slot->offered_least = slot->acks > 0 ? clocking_least(slot->offered_least, offered_bytes) : offered_bytes;
    slot->offered_most = slot->offered_most > offered_bytes ? slot->offered_most : offered_bytes;
    slot->acks++;
    slot->closed += offered_bytes < 2 * (int64_t)c->full_bytes;
}

static double clocking_spread(double n, double sum, double squares)
{
    double mean = sum / n;
    return sqrt(fmax(0, squares / n - mean * mean)) / mean;
}

void analysis_clocking_get(const struct analysis_clocking *c, double from_s, double to_s,
                           struct analysis_clocking_figures *x)
{
    double width_s = (double)(UNIT_NS << c->shift) * 1e-9, n = 0, sum = 0, before = 0, steps = 0, full = 0, offers = 0,
           offered = 0;
    double segments = 0, shorts = 0, gaps_s = 0, restarts = 0, acks = 0, closed = 0, most = 0, tight = 0, swing = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct analysis_clocking_slot *s = &c->slot[i];
        double at_s = ((double)c->first + (double)i + 0.5) * width_s;
        most = s->acks > 0 ? fmax(most, (double)s->offered_least) : most;
        if (at_s < from_s || at_s >= to_s)
            continue;
        segments += s->segments;
        shorts += s->shorts;
        tight += s->tight;
        acks += s->acks;
        closed += s->closed;
        restarts += s->restarts;
        gaps_s += s->gaps_s;
        if (s->acks > 0) {
            offers++;
            offered += (double)s->offered_least;
            swing += s->offered_most > 0 ? 1 - (double)s->offered_least / (double)s->offered_most : 0;
        }
        if (s->flight_n == 0)
            continue;
        double mean = s->flight_sum / s->flight_n;
        n++;
        sum += mean;
        steps += n > 1 ? fabs(mean - before) : 0;
        before = mean;
        full += mean / (double)s->flight_most;
    }
    *x = (struct analysis_clocking_figures){
        .flight_bytes = n > 0 ? sum / n : NAN,
        .fullness = n > 0 ? full / n : NAN,
        .jitter = n > 1 ? steps / (n - 1) / (sum / n) : NAN,
        .most_bytes = (double)c->life_most,
        .offered_bytes = offers > 0 ? offered / offers : NAN,
        .offered_most_bytes = most,
        .offered_swing = offers > 0 ? swing / offers : NAN,
        .tight_share = segments > 0 ? tight / segments : NAN,
        .short_share = segments > 0 ? shorts / segments : NAN,
        .closed_loop = c->periods >= LEAST_RESTARTS &&
                       clocking_spread(c->pauses, c->pause_s, c->pause_squares) <
                           clocking_spread(c->periods, c->period_s, c->period_squares),
        .restarts = restarts,
        .gaps_s = gaps_s,
        .closed_share = acks > 0 ? closed / acks : NAN,
        .full_bytes = c->full_bytes,
    };
}
