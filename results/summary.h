/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results/summary.h - summary.json of a run: versions, seed, whether the run is complete, flows, ports, captures.
 * Nothing in it depends on the wall clock, but for a run in wall time. */
#ifndef RESULTS_SUMMARY_H
#define RESULTS_SUMMARY_H

#include "results/flow.h"

#define RESULTS_VERSION 96 /* of a program, with its name and its NUL */

/* A port at the end of the run. offered = dropped + queued + on the wire + delivered + lost. */
struct results_port {
    char name[RESULTS_NAME];
    int64_t rate_bps;
    int64_t offered_frames, dropped_frames, queued_frames, on_wire_frames, delivered_frames;
    int64_t lost_frames; /* by the link's faults; -1 where it has none */
    int64_t ring_lost_frames; /* of a NIC: that found its host's receive ring full; -1 where that has room for all */
    int64_t sent_frame_bytes, sent_wire_bytes;
    int64_t peak_queue_bytes, peak_queue_packets;
    int64_t pauses_sent, pauses_received, told_to_stop_ps; /* IEEE 802.3x; -1 when there were none */
};

struct results_capture {
    char file[RESULTS_NAME + 16], at[RESULTS_NAME];
    int64_t frames;
};

/* Of traffic.precision. */
struct results_benchmark {
    double precision; /* asked for; 0: there is none */
    double reached;   /* the widest full 95 % interval of a flow's mean message time, over that mean; NAN unknown */
    int64_t messages; /* that each flow counts */
    bool converged;
};

/* Whole operations of exchanges and barriers: until their last process is through. */
struct results_operations {
    int64_t n; /* 0: there are none */
    double mean_s, ci95_s; /* NAN unknown */
};

/* Of a collective, as nccl-tests has it: size over mean time, and that as the links see it. */
struct results_bandwidth {
    int64_t bytes; /* 0: there is none */
    double algorithm_bps, bus_bps; /* NAN: of barrier and halo */
};

/* Messages of a collective or a GOAL text, and what they waited for ACKs that queued behind data
 * (scenarios/run/program_schedule.c). */
struct results_messages {
    int64_t n; /* 0: there are none */
    double time_s, ack_wait_s; /* of all together */
    int64_t worst_from, worst_to, worst_tag, worst_bytes; /* the one that waited most; ranks; bytes 0: none did */
    double worst_wait_s; /* mean of its repetitions */
};

/* Of a run in wall time: how late frames reached their hosts. */
struct results_lateness {
    int64_t frames, late; /* frames 0: the run was in virtual time */
    int64_t bound_ps;     /* a frame later than that is late */
    double share;         /* of frames that may be late: the run is void with more */
    int64_t median_ps, p99_ps, most_ps;
    int64_t overdue_ps;   /* how long a late one had not come, in all */
};

struct results_summary {
    char contraflow[RESULTS_VERSION], engine[RESULTS_VERSION]; /* versions */
    char *title;          /* owned */
    int64_t seed;
    bool complete;
    int64_t ended_ps, warmup_ps;
    struct results_benchmark benchmark;
    struct results_operations operations;
    struct results_bandwidth bandwidth;
    struct results_messages messages;
    struct results_lateness lateness;
    struct results_flow *flows;       /* owned */
    struct results_port *ports;       /* owned */
    struct results_capture *captures; /* owned */
    size_t n_flows, n_ports, n_captures;
};

/* DIRECTORY/summary.json, which whoever reads a run reads first: without it nothing else there is to be believed. On
 * failure *s is empty; a file that is not there, or no summary, is ERROR_INPUT. */
bool results_summary_read(struct results_summary *s, const char *directory, struct error *err);

/* What is to be said of figures of a run that was interrupted, for free(); NULL when it is complete. */
char *results_summary_partial(const struct results_summary *s, const char *directory);

bool results_summary_write(const struct results_summary *s, const char *directory, struct error *err);

/* The same as a JSON object, for what goes from process to process. */
json_t *results_summary_json(const struct results_summary *s);
void results_summary_from_json(struct results_summary *s, const json_t *object);

void results_summary_fini(struct results_summary *s);

#endif
