/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/bins.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void analysis_bins_init(struct analysis_bins *b, int64_t time_ns)
{
    *b = (struct analysis_bins){.first = time_ns / ANALYSIS_BINS_UNIT_NS};
}

void analysis_bins_fini(struct analysis_bins *b)
{
    free(b->bin);
    *b = (struct analysis_bins){0};
}

static void add(struct analysis_bin *to, const struct analysis_bin *from)
{
    to->bytes += from->bytes;
    to->window_sum += from->window_sum;
    to->window_samples += from->window_samples;
    to->retransmitted += from->retransmitted;
    to->loss_events += from->loss_events;
}

static void double_width(struct analysis_bins *b)
{
    int64_t first = b->first >> 1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t to = (uint32_t)(((b->first + i) >> 1) - first);
        struct analysis_bin moved = b->bin[i];
        if (to == n) {
            b->bin[n++] = moved;
        } else {
            add(&b->bin[to], &moved);
        }
    }
    b->n = n;
    b->first = first;
    b->shift++;
}

static void grow(struct analysis_bins *b, uint32_t n)
{
    if (n > b->capacity) {
        uint32_t capacity = b->capacity ? b->capacity : 16;
        while (capacity < n)
            capacity *= 2;
        b->bin = memory_resized(b->bin, capacity, sizeof *b->bin, "a flow over time");
        b->capacity = capacity;
    }
    memset(&b->bin[b->n], 0, (n - b->n) * sizeof *b->bin);
    b->n = n;
}

struct analysis_bin *analysis_bins_at(struct analysis_bins *b, int64_t time_ns)
{
    int64_t unit = time_ns / ANALYSIS_BINS_UNIT_NS;
    while ((unit >> b->shift) - b->first >= ANALYSIS_BINS_MAX)
        double_width(b);
    int64_t i = (unit >> b->shift) - b->first;
    if (i < 0)
        i = 0;
    if ((uint32_t)i >= b->n)
        grow(b, (uint32_t)i + 1);
    return &b->bin[i];
}

int64_t analysis_bins_width_ns(const struct analysis_bins *b)
{
    return ANALYSIS_BINS_UNIT_NS << b->shift;
}

void analysis_bins_range(const struct analysis_bins *b, int64_t from_ns, int64_t to_ns, size_t *begin, size_t *end)
{
    int64_t width = analysis_bins_width_ns(b);
    int64_t low = (from_ns + width - 1) / width - b->first, high = to_ns / width - b->first;
    *begin = low > 0 ? (size_t)low : 0;
    *end = high > (int64_t)*begin ? (size_t)high : *begin;
}

struct analysis_bin analysis_bins_get(const struct analysis_bins *b, size_t i)
{
    return i < b->n ? b->bin[i] : (struct analysis_bin){0};
}

int64_t analysis_bins_start_ns(const struct analysis_bins *b, size_t i)
{
    return (b->first + (int64_t)i) * analysis_bins_width_ns(b);
}

struct analysis_bin analysis_bins_sum(const struct analysis_bins *b, size_t begin, size_t end)
{
    struct analysis_bin sum = {0};
    for (size_t i = begin; i < end && i < b->n; i++)
        add(&sum, &b->bin[i]);
    return sum;
}

double analysis_bins_rate_bps(const struct analysis_bins *b, size_t begin, size_t end)
{
    double bytes = (double)analysis_bins_sum(b, begin, end).bytes;
    return end > begin ? bytes * 8e9 / ((double)(end - begin) * (double)analysis_bins_width_ns(b)) : 0;
}

size_t analysis_bins_series(const struct analysis_bins *b, size_t begin, size_t end, double *series)
{
    double width_s = (double)analysis_bins_width_ns(b) / 1e9;
    size_t n = end - begin < ANALYSIS_BINS_MAX ? end - begin : ANALYSIS_BINS_MAX;
    for (size_t i = 0; i < n; i++)
        series[i] = (double)analysis_bins_get(b, begin + i).bytes * 8 / width_s;
    return n;
}

double analysis_bins_window(const struct analysis_bins *b, size_t begin, size_t end)
{
    double sum = 0, now = 0;
    size_t n = 0;
    size_t i = begin;
    for (; i < end && i < b->n; i++) {
        if (b->bin[i].window_samples > 0)
            now = b->bin[i].window_sum / b->bin[i].window_samples;
        else if (n == 0)
            continue;
        sum += now;
        n++;
    }
    if (n == 0)
        return NAN;
    size_t beyond = end > i ? end - i : 0;
    return (sum + now * (double)beyond) / (double)(n + beyond);
}
