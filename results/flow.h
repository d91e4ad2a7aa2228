/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results/flow.h - what a run knows of one flow: a row of flows.csv, an entry of summary.json, a row of a sweep's table
 * `flow`. A new column is a row here and the place that fills it (scenarios/run/record.c). */
#pragma once

#include "results/columns.h"

/* ROW(field, KIND, WHERE, name in CSV and SQL, key of JSON, object in JSON, meaning): see results/columns.h. */
#define RESULTS_FLOW_COLUMNS(ROW)                                                                                      \
    ROW(name, TEXT, ALL, "flow", NULL, NULL, "name in the scenario")                                                   \
    ROW(src, TEXT, ALL, "src", NULL, NULL, "host that sends")                                                          \
    ROW(dst, TEXT, ALL, "dst", NULL, NULL, "host that receives")                                                       \
    ROW(bytes, COUNT, ALL, "bytes", "delivered_bytes", NULL, "delivered to the receiving application")                 \
    ROW(start_ps, TIME, ALL, "start_s", NULL, NULL, "first payload leaves the source's stack")                         \
    ROW(end_ps, TIME, ALL, "end_s", NULL, NULL, "last payload is delivered")                                           \
    ROW(goodput_bps, RATE, ALL, "goodput_bps", NULL, NULL, "bytes * 8 / (end - start)")                                \
    ROW(steady_goodput_bps, RATE, ALL, "steady_goodput_bps", NULL, NULL, "goodput after the warm-up")                  \
    ROW(steady_ci95_bps, RATE, ALL, "steady_ci95_bps", NULL, NULL, "half-width of its 95 % interval")                  \
    ROW(retransmitted_segments, COUNT, ALL, "retransmitted_segments", NULL, NULL,                                      \
        "data segments the sender put on its NIC more than once")                                                      \
    ROW(retransmitted_bytes, COUNT, JSON, "retransmitted_bytes", NULL, NULL, "payload of those")                       \
    ROW(steady_loss_events, COUNT, JSON, "steady_loss_events", NULL, NULL,                                             \
        "windows with a loss after the warm-up, as far as samples tell them apart")                                    \
    ROW(connected, FLAG, JSON, "connected", NULL, NULL, "the handshake ended")                                         \
    ROW(done, FLAG, JSON, "done", NULL, NULL, "all its bytes are delivered")                                           \
    ROW(delivered_back_bytes, COUNT, JSON, "delivered_back_bytes", NULL, NULL,                                         \
        "duplex: delivered to the source's application")                                                               \
    ROW(floor_s, SECONDS, JSON_SQL, "floor_s", NULL, "round_trip", "round trip through an idle network")               \
    ROW(data_wait_s, SECONDS, JSON_SQL, "data_wait_s", NULL, "round_trip", "mean wait of its data")                    \
    ROW(ack_wait_s, SECONDS, JSON_SQL, "ack_wait_s", NULL, "round_trip", "mean wait of its ACKs")                      \
    ROW(rtt_s, SECONDS, JSON_SQL, "rtt_s", NULL, "round_trip", "mean round trip: the floor and both waits, no hold")   \
    ROW(steady_data_wait_s, SECONDS, JSON, "steady_data_wait_s", NULL, "round_trip", "data_wait_s after the warm-up")  \
    ROW(steady_ack_wait_s, SECONDS, JSON, "steady_ack_wait_s", NULL, "round_trip", "ack_wait_s after the warm-up")     \
    ROW(data_frames, COUNT, JSON, "data_frames", NULL, "round_trip", "data frames that waits are means over")          \
    ROW(ack_frames, COUNT, JSON, "ack_frames", NULL, "round_trip", "ACKs that waits are means over")                   \
    ROW(ack_groups, COUNT, JSON_SQL, "ack_groups", NULL, "round_trip", "groups of ACKs looked at for compression")     \
    ROW(compressed_groups, COUNT, JSON_SQL, "compressed_groups", NULL, "round_trip", "of them, compressed")            \
    ROW(messages, COUNT, ALL, "messages", NULL, NULL, "messages that count, of a flow that repeats them")              \
    ROW(message_s, SECONDS, ALL, "message_s", NULL, NULL, "their mean time")                                           \
    ROW(message_sd_s, SECONDS, ALL, "message_sd_s", NULL, NULL, "standard deviation of their times")                   \
    ROW(message_ci95_s, SECONDS, ALL, "message_ci95_s", NULL, NULL, "half-width of the mean's 95 % interval")
struct results_flow {
    RESULTS_FLOW_COLUMNS(RESULTS_FIELD)
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
