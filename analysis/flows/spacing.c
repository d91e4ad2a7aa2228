/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/spacing.h"

#include "base/octave.h"

#include <math.h>
#include <stdlib.h>

#define PER_OCTAVE 4
#define LEAST_BPS 1e3
#define LONG 4       /* frames' time, and more, apart: silence */
#define FASTEST 0.02 /* of the bytes, or pairs */
#define MOST 0.5     /* of the pairs */
#define UNLIKE 4     /* times as many bytes, and more: in one order a wire passes them at that many times the rate */
#define LEAST_UNLIKE 64 /* pairs: a share is known to 6 % */
#define RARE 4       /* mean distances, and more, apart stand at most a quarter of the frames: their sum is the time */
#define MOST_RARE_NS (INT64_C(1) << 32) /* times the fastest rate it fits into 64 bits */

/* What the frames being added have come to: since the last one before them, together, and how many. */
struct spacing_added {
    int64_t from_ns;
    double since_ns, frames;
};

/* What frames have waited since runs began of these rates, of those that have been added. */
static void spacing_count(struct analysis_spacing *w, int from, int to, const struct spacing_added *added)
{
    for (int i = from; i <= to; i++)
        w->run[i].sum_ns += added->since_ns - w->run[i].since_ns +
                            (added->frames - w->run[i].frames) * (double)(added->from_ns - w->run[i].began_ns);
}

static void spacing_begin(struct analysis_spacing *w, int from, int to, const struct spacing_added *added)
{
    for (int i = from; i <= to; i++) {
        w->run[i].began_ns = w->last_ns;
        w->run[i].since_ns = added->since_ns;
        w->run[i].frames = added->frames;
    }
}

/* Runs of up to a rate go on, faster ones begin again with every frame: noted once one of them goes on from there. */
static void spacing_runs(struct analysis_spacing *w, int rate, const struct spacing_added *added)
{
    spacing_count(w, rate + 1, w->fastest, added);
    spacing_begin(w, w->fastest + 1, rate, added);
    w->fastest = rate;
}

/* Counts a frame, which stands for `weight`, and returns at which step of rates it follows the one before it. */
static int spacing_one(struct analysis_spacing *w, uint32_t bytes, int64_t time_ns, double weight)
{
    uint32_t larger = bytes > w->last_bytes ? bytes : w->last_bytes, smaller = bytes + w->last_bytes - larger;
    double apart_s = (double)(time_ns - w->last_ns) * 1e-9;
    apart_s = apart_s > 1e-9 ? apart_s : 1e-9; /* as captures stamp them */
    double apart = apart_s * 1e9;
    int step = octave_steps_rate(larger * (8 / LEAST_BPS) / apart_s, larger, apart_s, LEAST_BPS, PER_OCTAVE);
    int half = apart > 1 ? octave_steps(apart, 2) : 0;
    step = step < ANALYSIS_SPACING_STEPS ? step : ANALYSIS_SPACING_STEPS - 1;
    half = half < ANALYSIS_SPACING_APARTS ? half : ANALYSIS_SPACING_APARTS - 1;
    w->bytes[step] += weight * bytes;
    w->seconds[step] += weight * apart_s;
    w->apart_s[half] += weight * apart_s;
    w->pairs[smaller * UNLIKE <= larger][step] += weight;
    return step;
}

/* Each of them counts. */
static void spacing_all(struct analysis_spacing *w, const uint32_t *bytes, const int64_t *time_ns, size_t n)
{
    struct spacing_added added = {.from_ns = w->last_ns};
    for (size_t i = 0; i < n; i++) {
        int rate = spacing_one(w, bytes[i], time_ns[i], 1) / PER_OCTAVE;
        if (rate != w->fastest)
            spacing_runs(w, rate, &added);
        added.since_ns += (double)(time_ns[i] - added.from_ns);
        added.frames++;
        w->last_bytes = bytes[i];
        w->last_ns = time_ns[i];
    }
    spacing_count(w, 0, w->fastest, &added);
    for (int k = 0; k <= w->fastest; k++)
        w->run[k].since_ns = w->run[k].frames = 0;
}

/* The step whose bytes, with those of its neighbours, are the most. */
static int spacing_line(const struct analysis_spacing *w)
{
    int line = 1;
    double most = 0;
    for (int i = 1; i + 1 < ANALYSIS_SPACING_STEPS; i++) {
        double bytes = w->bytes[i - 1] + w->bytes[i] + w->bytes[i + 1];
        line = bytes > most ? i : line;
        most = fmax(most, bytes);
    }
    return line;
}

/* Of runs of a half to a quarter of the rate at which most bytes stand. */
static int spacing_run(int at)
{
    return at / PER_OCTAVE > 0 ? at / PER_OCTAVE - 1 : 0;
}

/* From now on not all count. */
static void spacing_spare(struct analysis_spacing *w)
{
    double sum_s = 0;
    for (int i = 0; i < ANALYSIS_SPACING_STEPS; i++)
        sum_s += w->seconds[i];
    double rare_ns = ceil(RARE * sum_s * 1e9 / w->frames);
    w->rare_ns = rare_ns < (double)MOST_RARE_NS ? (int64_t)rare_ns : MOST_RARE_NS;
    w->watched = -1;
    for (int i = 0; i < ANALYSIS_SPACING_RUNS; i++)
        w->run[i].counted = w->frames;
    for (int i = w->fastest + 1; i < ANALYSIS_SPACING_RUNS; i++) /* as the latest frame ended them */
        w->run[i].began_ns = w->last_ns;
}

static void spacing_watch(struct analysis_spacing *w)
{
    int run = spacing_run(spacing_line(w));
    if (w->watched >= 0 && w->watched != run)
        w->run[run].began_ns = w->last_ns;
    w->watched = run;
}

static void spacing_some(struct analysis_spacing *w, const uint32_t *bytes, const int64_t *time_ns, size_t n,
                         unsigned weight)
{
    if (weight > 0 || w->watched < 0)
        spacing_watch(w);
    const uint64_t bit_ns = (uint64_t)(8e9 / LEAST_BPS); /* of a byte at the least rate, a half at twice that, ... */
    const int watched = w->watched;
    const int64_t rare_ns = weight > 0 ? INT64_MIN : w->rare_ns; /* at most MOST_RARE_NS, from which on any run ends */
    int64_t began_ns = w->run[watched].began_ns, last_ns = w->last_ns;
    uint64_t sum_ns = 0; /* of whole numbers: modulo 2^64, after a year of one run */
    uint32_t last_bytes = w->last_bytes;
    for (size_t i = 0; i < n; i++) {
        const int64_t apart_ns = time_ns[i] - last_ns;
        if (__builtin_expect(apart_ns >= rare_ns, 0)) {
            w->last_bytes = last_bytes;
            w->last_ns = last_ns;
            spacing_one(w, bytes[i], time_ns[i], apart_ns >= w->rare_ns ? 1 : weight);
            began_ns = apart_ns >= MOST_RARE_NS ? time_ns[i] : began_ns;
        }
        /* By the larger of both, which mostly need not be known. */
        if (apart_ns > (int64_t)(bytes[i] * bit_ns >> watched) && apart_ns > (int64_t)(last_bytes * bit_ns >> watched))
            began_ns = time_ns[i];
        sum_ns += (uint64_t)(time_ns[i] - began_ns);
        last_bytes = bytes[i];
        last_ns = time_ns[i];
    }
    w->last_bytes = last_bytes;
    w->last_ns = last_ns;
    w->run[watched].began_ns = began_ns;
    w->run[watched].sum_ns += (double)(int64_t)sum_ns;
    w->run[watched].counted += (double)n;
}

void analysis_spacing_add(struct analysis_spacing *w, const uint32_t *bytes, const int64_t *time_ns, size_t n,
                          unsigned weight)
{
    if (n > 0 && w->last_bytes == 0) {
        w->last_bytes = bytes[0];
        w->last_ns = time_ns[0];
        w->fastest = ANALYSIS_SPACING_RUNS - 1;
        spacing_begin(w, 0, w->fastest, &(struct spacing_added){.frames = 0});
        bytes++;
        time_ns++;
        n--;
    }
    if (weight != 1 && w->rare_ns == 0)
        spacing_spare(w);
    if (w->rare_ns == 0)
        spacing_all(w, bytes, time_ns, n);
    else
        spacing_some(w, bytes, time_ns, n, weight);
    w->frames += (double)n;
}

/* The step at which, or faster, such a share of pairs stand; -1 where that is less than one. */
static int spacing_fastest(const double *pairs, double share)
{
    double all = 0, above = 0;
    int top = ANALYSIS_SPACING_STEPS;
    for (int i = 0; i < ANALYSIS_SPACING_STEPS; i++)
        all += pairs[i];
    while (top > 0 && above < share * all)
        above += pairs[--top];
    return share * all < 1 ? -1 : top;
}

/* In batches unlike frames are as far apart as others, nearly all of them; on a wire UNLIKE times nearer, in one order, and at
 * rest farther. */
double analysis_spacing_batch_s(const struct analysis_spacing *w)
{
    const int alike = spacing_fastest(w->pairs[0], MOST), unlike = spacing_fastest(w->pairs[1], MOST);
    const int nearest = spacing_fastest(w->pairs[1], FASTEST);
    double time_s = 0, above_s = 0;
    int half = ANALYSIS_SPACING_APARTS;
    if (alike < 0 || nearest < 0 || abs(unlike - alike) > 1 || abs(nearest - alike) > 1)
        return 0;
    for (int i = 0; i < ANALYSIS_SPACING_APARTS; i++)
        time_s += w->apart_s[i];
    while (half > 0 && above_s < time_s / 2)
        above_s += w->apart_s[--half];
    return exp2(half / 2.0) * 1e-9;
}

double analysis_spacing_between(const struct analysis_spacing *w, double bps)
{
    const int at = octave_steps(bps / LEAST_BPS, PER_OCTAVE);
    double between = 0, all = 0;
    for (int i = at > PER_OCTAVE ? at - PER_OCTAVE : 0; i < ANALYSIS_SPACING_STEPS; i++) {
        all += w->pairs[1][i];
        between += i >= at + PER_OCTAVE / 2 && i < at + 2 * PER_OCTAVE - 1 ? w->pairs[1][i] : 0;
    }
    return all >= LEAST_UNLIKE ? between / all : (double)NAN;
}

void analysis_spacing_get(const struct analysis_spacing *w, struct analysis_spacing_figures *x)
{
    int line = spacing_line(w), top = ANALYSIS_SPACING_STEPS - 1;
    double all = 0, time_s = 0, fast = 0, above = 0, silent_s = 0;
    for (int i = 0; i < ANALYSIS_SPACING_STEPS; i++) {
        all += w->bytes[i];
        time_s += w->seconds[i];
        fast += i >= line - 1 ? w->bytes[i] : 0;
    }
    for (; top > 0 && above + w->bytes[top] < FASTEST * all; top--)
        above += w->bytes[top];
    double line_bytes = w->bytes[line - 1] + w->bytes[line] + w->bytes[line + 1], frame_s = time_s / w->frames;
    double seconds = w->seconds[line - 1] + w->seconds[line] + w->seconds[line + 1];
    double line_bps = seconds > 0 ? line_bytes * 8 / seconds : (double)NAN;
    double silence = ceil(2 * log2(1e9 * LONG * fmax(frame_s, ANALYSIS_SPACING_FULL_BITS / line_bps)));
    for (int i = silence > 0 ? (int)fmin(silence, ANALYSIS_SPACING_APARTS) : 0; i < ANALYSIS_SPACING_APARTS; i++)
        silent_s += w->apart_s[i];
    int run = spacing_run(line);
    *x = (struct analysis_spacing_figures){
        .line_bps = line_bps,
        .line_share = fast / all,
        .fastest_bps = all > 0 ? LEAST_BPS * exp2((double)top / PER_OCTAVE) : (double)NAN,
        .silent = silent_s / time_s,
        .run_s = w->run[run].sum_ns * 1e-9 / (w->rare_ns > 0 ? w->run[run].counted : w->frames),
        .mean_bps = all * 8 / time_s,
        .frame_s = frame_s,
    };
}
