/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/verdict/round_trips.h"

#include "study/verdict/latency.h"

#define BINS 256 /* of a capture: half of a flow's own slots, so that a flow without a sample leaves no gap */

static void trips_take(struct study_round_trips *t, size_t n)
{
    t->n = n;
    t->time_s = memory_zeroed(n + 1, sizeof *t->time_s, "round trips over time");
    t->round_s = memory_zeroed(n + 1, sizeof *t->round_s, "round trips over time");
}

/* Of those that are known; NAN without any. Reorders them. */
static double trips_median_s(double *round_s, size_t n)
{
    struct judge_latency_times t;
    size_t known = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(round_s[i]))
            round_s[known++] = round_s[i];
    judge_latency_times_of(round_s, known, &t);
    return t.median_s;
}

bool study_round_trips_of_run(const char *directory, struct study_round_trips *t, struct error *err)
{
    MEMORY_ENDS(results_summary_fini) struct results_summary s;
    MEMORY_ENDS(results_progress_fini) struct results_progress p = {0};
    *t = (struct study_round_trips){.n = 0};
    if (!results_summary_read(&s, directory, err))
        return false;
    bool ok = results_progress_read(&p, s.flows, s.n_flows, directory, err) &&
              study_latency_of_run(directory, &s, &t->latency, err);
    trips_take(t, ok && p.n > 1 ? p.n - 1 : 0);
    MEMORY_LOCAL double *round_s = memory_zeroed(s.n_flows + 1, sizeof *round_s, "round trips over time");
    for (size_t k = 1; k <= t->n; k++) {
        for (size_t i = 0; i < s.n_flows; i++)
            round_s[i] = s.flows[i].floor_s + study_latency_wait_s(&p, i, k);
        t->time_s[k - 1] = (p.time_s[k - 1] + p.time_s[k]) / 2;
        t->round_s[k - 1] = trips_median_s(round_s, s.n_flows);
    }
    return ok;
}

/* A flow's round trips, bin by bin. Their mean over what is judged is that of the judge's round trip, whatever a slot's own
 * waits are counted from (analysis/diagnosis.c). */
static void trips_of_flow(const struct analysis_flows *f, const struct analysis_resource *r,
                          const struct analysis_check_flow *flow, double end_s, double round_s[static BINS])
{
    MEMORY_LOCAL struct analysis_wait *waits = memory_zeroed(ANALYSIS_LEG_SERIES_SLOTS, sizeof *waits, "the waits of a flow");
    double trip_s = flow->floor_s + flow->data_wait_s + flow->ack_wait_s, counts[BINS] = {0};
    size_t n = isfinite(trip_s) ? analysis_flows_waits(f, flow->slot, waits) : 0;
    double mean_s = analysis_round_trip_wait_s(waits, n, r->steady_start_s, r->end_s);
    for (size_t k = 0; k < n && isfinite(mean_s); k++) {
        double wait_s = waits[k].data_s + waits[k].ack_s;
        size_t bin = (size_t)fmin(BINS - 1, fmax(0, waits[k].start_s / end_s * BINS));
        if (isfinite(wait_s))
            round_s[bin] += (fmax(flow->floor_s, wait_s + trip_s - mean_s) - round_s[bin]) / ++counts[bin];
    }
    for (size_t k = 0; k < BINS; k++)
        round_s[k] = counts[k] > 0 ? round_s[k] : (double)NAN;
}

/* When its last slot begins. */
static double trips_end_s(const struct analysis_flows *f, const struct analysis_resource *r)
{
    MEMORY_LOCAL struct analysis_wait *waits = memory_zeroed(ANALYSIS_LEG_SERIES_SLOTS, sizeof *waits, "the waits of a flow");
    double end_s = 0;
    for (size_t i = 0; i < r->n; i++) {
        size_t n = analysis_flows_waits(f, r->flows[i].slot, waits);
        end_s = n > 0 ? fmax(end_s, waits[n - 1].start_s) : end_s;
    }
    return end_s;
}

void study_round_trips_of_capture(const struct analysis_flows *f, const struct analysis_resource *r,
                                  struct study_round_trips *t)
{
    double end_s = r->diagnosed ? trips_end_s(f, r) : 0;
    MEMORY_LOCAL double *rounds_s = memory_zeroed(r->n + 1, BINS * sizeof *rounds_s, "round trips over time");
    MEMORY_LOCAL double *round_s = memory_zeroed(r->n + 1, sizeof *round_s, "round trips over time");
    *t = (struct study_round_trips){.latency = r->diagnosis.latency};
    for (size_t i = 0; i < r->n && end_s > 0; i++)
        trips_of_flow(f, r, &r->flows[i], end_s, rounds_s + i * BINS);
    trips_take(t, t->latency.loaded.n > 0 && end_s > 0 ? BINS : 0);
    for (size_t k = 0; k < t->n; k++) {
        for (size_t i = 0; i < r->n; i++)
            round_s[i] = rounds_s[i * BINS + k];
        t->time_s[k] = end_s * ((double)k + 0.5) / BINS;
        t->round_s[k] = trips_median_s(round_s, r->n);
    }
}

void study_round_trips_fini(struct study_round_trips *t)
{
    MEMORY_FREE(t->time_s, t->round_s);
    *t = (struct study_round_trips){0};
}
