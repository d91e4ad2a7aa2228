/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/pendulum_waits.h"

#include "analysis/flows/leg_series.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* One flow's waits; slots without a sample are part of those before. */
struct waits_part {
    struct analysis_wait *waits; /* owned */
    size_t n;
    double width_s;
    bool outgoing;
    size_t at, slots; /* that is looked at, and how many slots come before it: times rise */
};

static double part_end_s(const struct waits_part *p)
{
    const struct analysis_wait *last = &p->waits[p->n - 1];
    return analysis_wait_start_s(last, last->slots - 1) + p->width_s;
}

/* When both directions are there, and the coarsest slots. */
static bool waits_span(const struct waits_part *parts, size_t n, double *from_s, double *to_s, double *width_s)
{
    double from[2] = {INFINITY, INFINITY}, to[2] = {0, 0};
    *width_s = 0;
    for (size_t i = 0; i < n; i++) {
        if (parts[i].n == 0)
            continue;
        double *begin = &from[parts[i].outgoing], *end = &to[parts[i].outgoing];
        *begin = fmin(*begin, parts[i].waits[0].start_s);
        *end = fmax(*end, part_end_s(&parts[i]));
        *width_s = fmax(*width_s, parts[i].width_s);
    }
    *from_s = fmax(from[0], from[1]);
    *to_s = fmin(to[0], to[1]);
    return *to_s > *from_s && *width_s > 0;
}

/* The longest waits at a time, out of the host and into it. */
static void waits_at(struct waits_part *parts, size_t n, double time_s, double *out_s, double *in_s)
{
    *out_s = *in_s = 0;
    for (size_t i = 0; i < n; i++) {
        struct waits_part *p = &parts[i];
        if (p->n == 0 || time_s < p->waits[0].start_s || time_s >= part_end_s(p))
            continue;
        size_t at = (size_t)((time_s - p->waits[0].start_s) / p->width_s);
        for (; p->at + 1 < p->n && at >= p->slots + p->waits[p->at].slots; p->at++)
            p->slots += p->waits[p->at].slots;
        const struct analysis_wait *w = &p->waits[p->at];
        *out_s = fmax(*out_s, p->outgoing ? w->data_s : w->ack_s);
        *in_s = fmax(*in_s, p->outgoing ? w->ack_s : w->data_s);
    }
}

static bool waits_judge(struct waits_part *parts, size_t n, double busy_s, double width_s, double from_s,
                        double to_s, struct analysis_pendulum *p, struct error *err)
{
    size_t rows = 0;
    static const size_t most = 2 * ANALYSIS_LEG_SERIES_SLOTS;
    struct analysis_depth *out = memory_zeroed(most, sizeof *out, "waits");
    struct analysis_depth *in = memory_zeroed(most, sizeof *in, "waits");
    bool any = false;
    for (; rows < most && from_s + (double)rows * width_s < to_s; rows++) {
        double time_s = from_s + (double)rows * width_s;
        out[rows].time_s = in[rows].time_s = time_s;
        waits_at(parts, n, time_s + width_s / 2, &out[rows].depth, &in[rows].depth);
        any = any || out[rows].depth > busy_s || in[rows].depth > busy_s;
    }
    bool ok = any && analysis_pendulum_make(out, rows, in, rows, busy_s, from_s, to_s, p, err);
    free(out);
    free(in);
    return ok;
}

bool analysis_pendulum_waits_make(const struct analysis_flows *f, const struct analysis_pendulum_waits_flow *flows,
                                  size_t n, double busy_s, struct analysis_pendulum *p, double *from_s, double *to_s,
                                  struct error *err)
{
    bool both = false;
    for (size_t i = 0; i < n; i++)
        both = both || flows[i].outgoing != flows[0].outgoing;
    if (!both)
        return false;
    struct waits_part *parts = memory_zeroed(n, sizeof *parts, "the waits of flows");
    double width_s;
    for (size_t i = 0; i < n; i++) {
        const size_t room = analysis_flows_wait_runs(f, flows[i].slot, NULL);
        parts[i].waits = memory_zeroed(room, sizeof *parts[i].waits, "the waits of flows");
        parts[i].n = analysis_flows_wait_runs(f, flows[i].slot, parts[i].waits);
        parts[i].outgoing = flows[i].outgoing;
        parts[i].width_s = analysis_round_trip_width_s(parts[i].waits, parts[i].n);
    }
    bool ok = waits_span(parts, n, from_s, to_s, &width_s) &&
              waits_judge(parts, n, busy_s, width_s, *from_s, *to_s, p, err);
    for (size_t i = 0; i < n; i++)
        free(parts[i].waits);
    free(parts);
    return ok;
}
