/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/pendulum.h"

#include <math.h>

/* Weighted sums over the pieces in which neither depth changes. */
struct pendulum_sums {
    double time, a, b, aa, bb, ab, one, both;
};

static void pendulum_add(struct pendulum_sums *s, double time_s, double a, double b, double busy)
{
    bool busy_a = a > busy, busy_b = b > busy;
    s->time += time_s;
    s->a += time_s * a;
    s->b += time_s * b;
    s->aa += time_s * a * a;
    s->bb += time_s * b * b;
    s->ab += time_s * a * b;
    s->one += busy_a != busy_b ? time_s : 0;
    s->both += busy_a && busy_b ? time_s : 0;
}

static double pendulum_peak(const struct analysis_depth *rows, size_t n, double peak)
{
    for (size_t i = 0; i < n; i++)
        peak = fmax(peak, rows[i].depth);
    return peak;
}

bool analysis_pendulum_make(const struct analysis_depth *a, size_t n_a, const struct analysis_depth *b, size_t n_b,
                            double busy, double from_s, double to_s, struct analysis_pendulum *p, struct error *err)
{
    struct pendulum_sums s = {0};
    double now = from_s, depth_a = 0, depth_b = 0, first = NAN, last = NAN;
    double swing = pendulum_peak(b, n_b, pendulum_peak(a, n_a, 0)) / 10;
    size_t i = 0, j = 0, changes = 0;
    int fuller = 0;
    if (!(to_s > from_s))
        return error_set(err, ERROR_INPUT, "no time between %g and %g s", from_s, to_s);
    for (; i < n_a && a[i].time_s <= from_s; i++)
        depth_a = a[i].depth;
    for (; j < n_b && b[j].time_s <= from_s; j++)
        depth_b = b[j].depth;
    while (now < to_s) {
        double next = to_s;
        next = i < n_a ? fmin(next, a[i].time_s) : next;
        next = j < n_b ? fmin(next, b[j].time_s) : next;
        pendulum_add(&s, next - now, depth_a, depth_b, busy);
        int side = depth_a - depth_b > swing ? 1 : depth_b - depth_a > swing ? -1 : fuller;
        if (fuller != 0 && side != fuller) {
            changes++;
            first = changes == 1 ? now : first;
            last = now;
        }
        fuller = side;
        now = next;
        for (; i < n_a && a[i].time_s <= now; i++)
            depth_a = a[i].depth;
        for (; j < n_b && b[j].time_s <= now; j++)
            depth_b = b[j].depth;
    }
    double mean_a = s.a / s.time, mean_b = s.b / s.time;
    double var_a = s.aa / s.time - mean_a * mean_a, var_b = s.bb / s.time - mean_b * mean_b;
    *p = (struct analysis_pendulum){
        .one = s.one / s.time,
        .both = s.both / s.time,
        .neither = 1 - (s.one + s.both) / s.time,
        .correlation = var_a > 0 && var_b > 0 ? (s.ab / s.time - mean_a * mean_b) / sqrt(var_a * var_b) : NAN,
        .period_s = changes > 1 ? 2 * (last - first) / (double)(changes - 1) : INFINITY,
    };
    return true;
}
