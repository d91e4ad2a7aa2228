/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/tap_clock.h"

#include "base/estimate.h"

#include <math.h>
#include <stdlib.h>

#define SLOTS ANALYSIS_TAP_CLOCK_SLOTS
#define UNIT_NS INT64_C(1000000)
#define PACE 1e-3  /* crystals of both, NTP's slew, and as much again: a clock that is farther off is set all the time */
#define STEPS 64   /* of the golden section: 1e-3 to 1e-16 */
#define GOLDEN 0.6180339887498949

static inline void tap_clock_bound(struct analysis_tap_clock_slot *s, int which, int64_t theta_ns)
{
    const bool tighter = which == 0 ? theta_ns > s->bound_ns[0] : theta_ns < s->bound_ns[1];
    if (s->has[which] && !tighter)
        return;
    s->has[which] = true;
    s->bound_ns[which] = theta_ns;
}

/* Neighbours merge, so often that a time finds its slot. */
__attribute__((noinline)) static void tap_clock_reach(struct analysis_tap_clock *c, int64_t time_ns)
{
    unsigned by = 0;
    while ((time_ns / UNIT_NS >> (c->shift + by)) - (c->first >> by) >= SLOTS)
        by++;
    for (int i = 0; i < SLOTS && by > 0; i++) {
        const struct analysis_tap_clock_slot from = c->slot[i];
        if (!from.has[0] && !from.has[1])
            continue;
        c->slot[i] = (struct analysis_tap_clock_slot){.has = {false, false}};
        for (int k = 0; k < 2; k++)
            if (from.has[k])
                tap_clock_bound(&c->slot[((c->first + i) >> by) - (c->first >> by)], k, from.bound_ns[k]);
    }
    c->first >>= by;
    c->shift += by;
}

void analysis_tap_clock_note(struct analysis_tap_clock *c, int unit_ns, int64_t time_ns, bool sent, int64_t theta_ns)
{
    if (!c->begun || c->unit_ns != unit_ns)
        *c = (struct analysis_tap_clock){.begun = true, .unit_ns = unit_ns, .first = time_ns / UNIT_NS, .latest_ns = time_ns};
    int64_t at = (time_ns / UNIT_NS >> c->shift) - c->first;
    if (at >= SLOTS) {
        tap_clock_reach(c, time_ns);
        at = (time_ns / UNIT_NS >> c->shift) - c->first;
    }
    if (sent) { /* as it passes */
        c->back_ns = c->latest_ns - time_ns > c->back_ns ? c->latest_ns - time_ns : c->back_ns;
        c->latest_ns = time_ns > c->latest_ns ? time_ns : c->latest_ns;
    }
    tap_clock_bound(&c->slot[at < 0 ? 0 : at], sent, theta_ns);
}

static double tap_clock_width_ns(const struct analysis_tap_clock *c)
{
    return (double)(UNIT_NS << c->shift);
}

/* By how much the bounds contradict each other within most slots that have both. */
static double tap_clock_slack_ns(const struct analysis_tap_clock *c)
{
    double off_ns[SLOTS];
    int n = 0;
    for (int i = 0; i < SLOTS; i++)
        if (c->slot[i].has[0] && c->slot[i].has[1])
            off_ns[n++] = (double)(c->slot[i].bound_ns[0] - c->slot[i].bound_ns[1]);
    if (n == 0)
        return 0;
    qsort(off_ns, (size_t)n, sizeof *off_ns, estimate_ascending);
    return fmax(0, off_ns[(n - 1) / 2]);
}

/* Does a constant lie within all bounds? For nearly all clocks that is all there is to do. */
static bool tap_clock_constant(const struct analysis_tap_clock *c)
{
    int64_t below_ns = INT64_MIN, above_ns = INT64_MAX;
    for (int i = 0; i < SLOTS; i++) {
        const struct analysis_tap_clock_slot *s = &c->slot[i];
        below_ns = s->has[0] && s->bound_ns[0] > below_ns ? s->bound_ns[0] : below_ns;
        above_ns = s->has[1] && s->bound_ns[1] < above_ns ? s->bound_ns[1] : above_ns;
    }
    return below_ns <= above_ns;
}

/* By how much no line of that pace lies within all bounds; convex in the pace. A slot that contradicts itself by more than most
 * do has a stray sample, or the clock was set in it: then others contradict each other. */
static double tap_clock_off_ns(const struct analysis_tap_clock *c, double pace, double slack_ns)
{
    double below_ns = -INFINITY, above_ns = INFINITY, width_ns = tap_clock_width_ns(c);
    for (int i = 0; i < SLOTS; i++) {
        const struct analysis_tap_clock_slot *s = &c->slot[i];
        if (s->has[0] && s->has[1] && (double)(s->bound_ns[0] - s->bound_ns[1]) > slack_ns)
            continue;
        below_ns = s->has[0] ? fmax(below_ns, (double)s->bound_ns[0] - pace * width_ns * i) : below_ns;
        above_ns = s->has[1] ? fmin(above_ns, (double)s->bound_ns[1] - pace * width_ns * i) : above_ns;
    }
    return below_ns - above_ns;
}

/* The pace nearest to `in` at which a line lies within the bounds, between `out`, where none does, and that. */
static double tap_clock_edge(const struct analysis_tap_clock *c, double in, double out, double slack_ns)
{
    for (int k = 0; k < STEPS; k++) {
        const double mid = (in + out) / 2;
        if (tap_clock_off_ns(c, mid, slack_ns) <= slack_ns)
            in = mid;
        else
            out = mid;
    }
    return in;
}

struct analysis_tap_clock_fit analysis_tap_clock_fit(const struct analysis_tap_clock *c)
{
    if (!c->begun || c->back_ns > 0)
        return (struct analysis_tap_clock_fit){0, (double)c->back_ns};
    if (tap_clock_constant(c))
        return (struct analysis_tap_clock_fit){0, 0};
    const double slack_ns = tap_clock_slack_ns(c);
    double low = -PACE, high = PACE;
    if (tap_clock_off_ns(c, 0, slack_ns) <= slack_ns)
        return (struct analysis_tap_clock_fit){0, 0};
    for (int k = 0; k < STEPS; k++) {
        const double span = GOLDEN * (high - low), left = high - span, right = low + span;
        if (tap_clock_off_ns(c, left, slack_ns) < tap_clock_off_ns(c, right, slack_ns))
            high = right;
        else
            low = left;
    }
    const double best = (low + high) / 2, off_ns = tap_clock_off_ns(c, best, slack_ns) - slack_ns;
    if (off_ns > 0) /* while it drifts within a slot nobody looks */
        return (struct analysis_tap_clock_fit){best, fmax(0, off_ns - fabs(best) * tap_clock_width_ns(c))};
    const double least = tap_clock_edge(c, best, -PACE, slack_ns), most = tap_clock_edge(c, best, PACE, slack_ns);
    return (struct analysis_tap_clock_fit){(least + most) / 2, 0};
}

struct analysis_tap_clock analysis_tap_clock_older(const struct analysis_tap_clock *c, double by_ns)
{
    struct analysis_tap_clock older = *c;
    for (int i = 0; i < SLOTS; i++)
        older.slot[i].bound_ns[0] -= (int64_t)by_ns;
    return older;
}

double analysis_tap_clock_least_ns(const struct analysis_tap_clock *c, bool sent, double pace, int64_t since_ns)
{
    const double width_ns = tap_clock_width_ns(c), first_ns = (double)c->first * width_ns - (double)since_ns;
    double least_ns = INFINITY;
    for (int i = 0; i < SLOTS; i++) {
        const struct analysis_tap_clock_slot *s = &c->slot[i];
        const double gained_ns = pace * (first_ns + width_ns * (i + 0.5));
        if (s->has[sent])
            least_ns = fmin(least_ns, sent ? (double)s->bound_ns[1] - gained_ns
                                           : -(double)(s->bound_ns[0] + c->unit_ns) + gained_ns);
    }
    return least_ns;
}
