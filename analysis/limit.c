/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/limit.h"

#include <math.h>

#define LOSSES 2
#define IDLE 0.1
#define OFFERED 0.85
#define STEADY 0.15
#define LEAST_BINS 8

const char *analysis_limit_name(enum analysis_limit limit)
{
    static const char *const names[] = {"unknown", "loss", "application", "receiver", "window", "sender"};
    return names[limit];
}

/* Time without data, in stretches longer than two round trips: shorter ones are bursts of a window that is full. The
 * round trip is what Little's law makes of bytes in flight and goodput. */
static double limit_idle_share(const struct analysis_flow *flow)
{
    const struct analysis_bins *b = flow->bins;
    double width_s = (double)analysis_bins_width_ns(b) * 1e-9, rtt_s = flow->window_bytes * 8 / flow->goodput_bps;
    size_t idle = 0, run = 0;
    for (size_t i = 0; i <= b->n; i++) {
        if (i < b->n && b->bin[i].bytes == 0 && b->bin[i].retransmitted == 0) {
            run++;
            continue;
        }
        idle += (double)run * width_s > 2 * (isfinite(rtt_s) ? rtt_s : 0) ? run : 0;
        run = 0;
    }
    return (double)idle / (double)b->n;
}

/* Mean and relative deviation of bytes in flight over the second half; NAN without enough samples. */
static void limit_window(const struct analysis_bins *b, double *mean, double *deviation)
{
    double sum = 0, squares = 0, n = 0;
    for (size_t i = b->n / 2; i < b->n; i++) {
        if (b->bin[i].window_samples == 0)
            continue;
        double x = b->bin[i].window_sum / b->bin[i].window_samples;
        sum += x;
        squares += x * x;
        n++;
    }
    *mean = n >= LEAST_BINS / 2 ? sum / n : NAN;
    *deviation = sqrt(fmax(0, squares / n - *mean * *mean)) / *mean;
}

enum analysis_limit analysis_limit_of(const struct analysis_flow *flow)
{
    double mean, deviation;
    if (flow->steady_loss_events >= LOSSES)
        return ANALYSIS_LIMIT_LOSS;
    if (!flow->bins || flow->bins->n < LEAST_BINS)
        return ANALYSIS_LIMIT_UNKNOWN;
    if (limit_idle_share(flow) >= IDLE)
        return ANALYSIS_LIMIT_APPLICATION;
    limit_window(flow->bins, &mean, &deviation);
    if (flow->window_source == ANALYSIS_WINDOW_UNKNOWN || !isfinite(mean))
        return ANALYSIS_LIMIT_UNKNOWN;
    if (deviation >= STEADY)
        return ANALYSIS_LIMIT_SENDER;
    return mean >= OFFERED * flow->advertised_bytes ? ANALYSIS_LIMIT_RECEIVER : ANALYSIS_LIMIT_WINDOW;
}
