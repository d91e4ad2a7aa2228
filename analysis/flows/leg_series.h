/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/leg_series.h - the legs of a flow's round trip over time: sums of tap times and timestamps in equal slots.
 *
 * Slots lie on a grid of 2^shift us from the origin; when time outgrows them,
 * neighbours merge. Which tick the timestamps have is known only in the end, so both sums are kept. */
#ifndef ANALYSIS_LEG_SERIES_H
#define ANALYSIS_LEG_SERIES_H

#include <stddef.h>
#include <stdint.h>

#define ANALYSIS_LEG_SERIES_SLOTS 512
#define ANALYSIS_LEG_SERIES_LEGS 7 /* the last three: the loops to the receiver and to the sender, and bursts */

#define ANALYSIS_LEG_SERIES_LEAST 2 /* the first two, of data, have their least kept, too */
#define ANALYSIS_LEG_SERIES_TICKS 4 /* that stamps may have */

struct analysis_leg_series_cell {
    double time_sum_ns, ticks_sum; /* of the tap, less where its clock began; of the stamps, likewise */
    uint32_t n;
};

struct analysis_leg_series {
    int64_t first; /* slot 0 covers [first, first + 1) << shift, in us */
    unsigned shift;
    size_t n;
    struct analysis_leg_series_cell cell[ANALYSIS_LEG_SERIES_SLOTS][ANALYSIS_LEG_SERIES_LEGS];
    double least_ns[ANALYSIS_LEG_SERIES_SLOTS][ANALYSIS_LEG_SERIES_LEAST][ANALYSIS_LEG_SERIES_TICKS]; /* where cell.n > 0 */
};

/* Free it with free(). */
struct analysis_leg_series *analysis_leg_series_new(int64_t time_ns);

/* A sample of a leg at time_ns; earlier than the first slot counts there. leg_ns: how long it is by each tick, of the legs
 * whose least is kept; NULL otherwise. */
void analysis_leg_series_add(struct analysis_leg_series *s, int64_t time_ns, int leg, double t_ns, double ticks,
                             const double *leg_ns);

double analysis_leg_series_width_s(const struct analysis_leg_series *s);
double analysis_leg_series_start_s(const struct analysis_leg_series *s, size_t slot);

/* Mean of time less stamps of `tick_ns` in a slot, in ns; NAN without samples. */
double analysis_leg_series_mean_ns(const struct analysis_leg_series *s, size_t slot, int leg, double tick_ns);

#endif
