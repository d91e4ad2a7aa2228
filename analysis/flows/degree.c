/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/degree.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

#define BULK_BYTES 20000
#define BULK_DIVISOR 200 /* 0.5 % */
#define SLIVER 0.01      /* phases shorter than this part of the traffic are not looked at */

struct event {
    double time_s;
    int change; /* +1 a flow starts, -1 it ends */
    bool incoming;
};

int64_t analysis_degree_bulk_bytes(int64_t largest_flow_bytes)
{
    int64_t share = largest_flow_bytes / BULK_DIVISOR;
    return share > BULK_BYTES ? share : BULK_BYTES;
}

static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return (x->time_s > y->time_s) - (x->time_s < y->time_s);
}

void analysis_degree_phases(const struct analysis_activity *flows, size_t n, double sliver_s,
                            struct analysis_phase **phases, size_t *count)
{
    *phases = NULL;
    *count = 0;
    if (n == 0)
        return;
    struct event *events = memory_zeroed(2 * n, sizeof *events, "phases");
    *phases = memory_zeroed(2 * n, sizeof **phases, "phases");
    for (size_t i = 0; i < n; i++) {
        events[2 * i] = (struct event){flows[i].start_s, 1, flows[i].incoming};
        events[2 * i + 1] = (struct event){flows[i].end_s, -1, flows[i].incoming};
    }
    qsort(events, 2 * n, sizeof *events, by_time);
    int in = 0, out = 0;
    for (size_t i = 0; i + 1 < 2 * n; i++) {
        if (events[i].incoming)
            in += events[i].change;
        else
            out += events[i].change;
        double length_s = events[i + 1].time_s - events[i].time_s;
        if (length_s > 0 && length_s >= sliver_s && in + out > 0)
            (*phases)[(*count)++] = (struct analysis_phase){events[i].time_s, events[i + 1].time_s, (size_t)in,
                                                            (size_t)out};
    }
    free(events);
}

const struct analysis_phase *analysis_degree_dominant(const struct analysis_phase *phases, size_t count)
{
    const struct analysis_phase *best = NULL;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        double flow_seconds = (double)(phases[i].indegree + phases[i].outdegree) *
                              (phases[i].end_s - phases[i].start_s);
        if (phases[i].indegree + phases[i].outdegree >= 2 && flow_seconds > most) {
            most = flow_seconds;
            best = &phases[i];
        }
    }
    return best;
}

struct analysis_phase analysis_degree_dominant_phase(const struct analysis_activity *flows, size_t n)
{
    double first_s = INFINITY, last_s = 0;
    for (size_t i = 0; i < n; i++) {
        first_s = fmin(first_s, flows[i].start_s);
        last_s = fmax(last_s, flows[i].end_s);
    }
    struct analysis_phase *phases, phase = {0};
    size_t count;
    analysis_degree_phases(flows, n, SLIVER * (last_s - first_s), &phases, &count);
    const struct analysis_phase *dominant = analysis_degree_dominant(phases, count);
    if (dominant)
        phase = *dominant;
    free(phases);
    return phase;
}
