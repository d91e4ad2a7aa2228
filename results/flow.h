/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results/flow.h - what a run knows of one flow: a row of flows.csv, an entry of summary.json, a row of a sweep's table
 * `flow`. A new column is a field here, its row in results_flow_columns, and the place that fills it
 * (scenarios/run/record.c). */
#ifndef RESULTS_FLOW_H
#define RESULTS_FLOW_H

#include "results/columns.h"

struct results_flow {
    char name[RESULTS_NAME], src[RESULTS_NAME], dst[RESULTS_NAME];
    int64_t bytes, delivered_back_bytes;
    int64_t start_ps, end_ps;
    double goodput_bps, steady_goodput_bps, steady_ci95_bps;
    int64_t retransmitted_segments, retransmitted_bytes;
    bool connected, done;
    double floor_s, data_wait_s, ack_wait_s, rtt_s;
    double steady_data_wait_s, steady_ack_wait_s;
    int64_t steady_loss_events;
    int64_t data_frames, ack_frames, ack_groups, compressed_groups;
    int64_t messages;
    double message_s, message_sd_s, message_ci95_s;
};

extern const struct results_columns results_flow_columns;

#define RESULTS_FLOW_REQUIRED 10 /* columns of flows.csv that every version wrote: up to retransmitted_segments */

/* DIRECTORY/flows.csv; *flows is for free(). */
bool results_flow_read(const char *directory, struct results_flow **flows, size_t *n, struct error *err);

/* Seconds from its first payload to its last; NAN when one of them is unknown. */
double results_flow_duration_s(const struct results_flow *f);

/* Seconds it took: the mean of its messages where it repeats them, or else its duration. */
double results_flow_time_s(const struct results_flow *f);

/* Its rate: of repeated messages of `message_bytes` without the waits between them; else steady where there is one, or
 * over its life. */
double results_flow_rate_bps(const struct results_flow *f, int64_t message_bytes);

/* Half-width of the 95 % interval of that rate, by the same estimator; NAN where it has none. */
double results_flow_ci95_bps(const struct results_flow *f, int64_t message_bytes);

#endif
