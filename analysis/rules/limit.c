/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/rules/limit.h"

#include <math.h>

#define LOSSES 2
#define IDLE 0.1
#define OFFERED 0.85
#define STEADY 0.15
#define LEAST_BINS 8

const char *analysis_limit_name(enum analysis_limit limit)
{
    static const char *const names[] = {
        [ANALYSIS_LIMIT_UNKNOWN] = "unknown",         [ANALYSIS_LIMIT_LOSS] = "loss",
        [ANALYSIS_LIMIT_APPLICATION] = "application", [ANALYSIS_LIMIT_RECEIVER] = "receiver",
        [ANALYSIS_LIMIT_WINDOW] = "window",           [ANALYSIS_LIMIT_SENDER] = "sender",
    };
    return names[limit];
}

/* A part of a flow's bins; end may lie after the last one noted. */
struct span {
    const struct analysis_flow *flow;
    size_t begin, end;
};

/* Time without data, in stretches longer than two round trips: shorter ones are bursts of a window that is full. The
 * round trip is what Little's law makes of bytes in flight and goodput; where those in flight are not known, at most
 * what it makes of all that was offered, as no more can be. */
static double limit_idle_share(struct span s)
{
    const struct analysis_bins *b = s.flow->bins;
    double width_s = (double)analysis_bins_width_ns(b) * 1e-9;
    double window = isfinite(s.flow->window_bytes) ? s.flow->window_bytes : s.flow->advertised_bytes;
    double rtt_s = window * 8 / s.flow->goodput_bps;
    size_t idle = 0, run = 0;
    for (size_t i = s.begin; i <= s.end; i++) {
        if (i < s.end && (i >= b->n || (b->bin[i].bytes == 0 && b->bin[i].retransmitted == 0))) {
            run++;
            continue;
        }
        idle += (double)run * width_s > 2 * (isfinite(rtt_s) ? rtt_s : 0) ? run : 0;
        run = 0;
    }
    return (double)idle / (double)(s.end - s.begin);
}

/* Mean and relative deviation of bytes in flight; NAN without enough samples. */
static void limit_window(struct span s, double *mean, double *deviation)
{
    double sum = 0, squares = 0, n = 0;
    for (size_t i = s.begin; i < s.end; i++) {
        struct analysis_bin bin = analysis_bins_get(s.flow->bins, i);
        if (bin.window_samples == 0)
            continue;
        double x = bin.window_sum / bin.window_samples;
        sum += x;
        squares += x * x;
        n++;
    }
    *mean = n >= LEAST_BINS / 2 ? sum / n : NAN;
    *deviation = sqrt(fmax(0, squares / n - *mean * *mean)) / *mean;
}

static uint32_t limit_events(struct span s)
{
    return analysis_bins_sum(s.flow->bins, s.begin, s.end).loss_events;
}

/* Without losses. `in_flight`: where bytes in flight are looked at. */
static enum analysis_limit limit_lossless(struct span s, struct span in_flight)
{
    double mean, deviation;
    if (s.end < s.begin + LEAST_BINS)
        return ANALYSIS_LIMIT_UNKNOWN;
    if (limit_idle_share(s) >= IDLE)
        return ANALYSIS_LIMIT_APPLICATION;
    limit_window(in_flight, &mean, &deviation);
    if (s.flow->window_source == ANALYSIS_WINDOW_UNKNOWN || !isfinite(mean))
        return ANALYSIS_LIMIT_UNKNOWN;
    if (deviation >= STEADY)
        return ANALYSIS_LIMIT_SENDER;
    return mean >= OFFERED * s.flow->advertised_bytes ? ANALYSIS_LIMIT_RECEIVER : ANALYSIS_LIMIT_WINDOW;
}

enum analysis_limit analysis_limit_of(const struct analysis_flow *flow)
{
    if (flow->steady_loss_events >= LOSSES)
        return ANALYSIS_LIMIT_LOSS;
    if (!flow->bins)
        return ANALYSIS_LIMIT_UNKNOWN;
    struct span all = {flow, 0, flow->bins->n};
    return limit_lossless(all, (struct span){flow, all.end / 2, all.end});
}

enum analysis_limit analysis_limit_between(const struct analysis_flow *flow, double from_s, double to_s)
{
    if (!flow->bins)
        return ANALYSIS_LIMIT_UNKNOWN;
    struct span s = {.flow = flow};
    analysis_bins_range(flow->bins, llround(from_s * 1e9), llround(to_s * 1e9), &s.begin, &s.end);
    s.end = s.end < flow->bins->n ? s.end : flow->bins->n; /* it was active: what follows are other flows' bins */
    s.begin = s.begin < s.end ? s.begin : s.end;
    return limit_events(s) >= LOSSES ? ANALYSIS_LIMIT_LOSS : limit_lossless(s, s);
}

static enum analysis_limit limit_slice(struct span s)
{
    if (limit_events(s) > 0)
        return ANALYSIS_LIMIT_LOSS;
    enum analysis_limit limit = limit_lossless(s, s);
    bool free = limit == ANALYSIS_LIMIT_SENDER || limit == ANALYSIS_LIMIT_WINDOW;
    struct span before = {s.flow, 0, s.begin}, after = {s.flow, s.end, s.flow->bins->n};
    return free && limit_events(before) > 0 && limit_events(after) > 0 ? ANALYSIS_LIMIT_LOSS : limit;
}

size_t analysis_limit_phases(const struct analysis_flow *flow,
                             struct analysis_limit_phase phases[ANALYSIS_LIMIT_PHASES])
{
    size_t bins = flow->bins ? flow->bins->n : 0, n = 0, end[ANALYSIS_LIMIT_PHASES];
    size_t slices = bins / LEAST_BINS < ANALYSIS_LIMIT_PHASES ? bins / LEAST_BINS : ANALYSIS_LIMIT_PHASES;
    for (size_t i = 0; i < slices; i++) {
        struct span s = {flow, i * bins / slices, (i + 1) * bins / slices};
        enum analysis_limit limit = limit_slice(s);
        double end_s = (double)analysis_bins_start_ns(flow->bins, s.end) * 1e-9;
        if (n == 0 || phases[n - 1].limit != limit) {
            double start_s = n == 0 ? flow->start_s : phases[n - 1].end_s;
            phases[n++] = (struct analysis_limit_phase){.start_s = start_s, .limit = limit};
        }
        phases[n - 1].end_s = i + 1 == slices ? flow->end_s : end_s;
        end[n - 1] = s.end;
    }
    for (size_t i = 0, first = 0; i < n; first = end[i++])
        phases[i].window_bytes =
            flow->window_source == ANALYSIS_WINDOW_UNKNOWN ? NAN : analysis_bins_window(flow->bins, first, end[i]);
    return n;
}
