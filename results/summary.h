/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results/summary.h - summary.json of a run: versions, seed, whether the run is complete, flows, ports, captures.
 * Nothing in it depends on the wall clock, but for a run in wall time. */
#pragma once

#include "results/flow.h"

#define RESULTS_VERSION 96 /* of a program, with its name and its NUL */

/* A port at the end of the run. offered = dropped + queued + on the wire + delivered + lost.
 * lost_frames are unknown where the link has no faults, ring_lost_frames where a ring has room for all or the port is no
 * NIC, those of IEEE 802.3x PAUSE where there were none. */
#define RESULTS_PORT_COLUMNS(ROW)                                                                                      \
    ROW(name, TEXT, JSON, "port", NULL, NULL, "h0: a host's NIC; sw0-h0: the port of switch sw0 towards h0")           \
    ROW(rate_bps, COUNT, JSON, "rate_bps", NULL, NULL, "of the link, on the wire")                                     \
    ROW(offered_frames, COUNT, JSON, "offered_frames", NULL, NULL, "that came to its queue")                           \
    ROW(dropped_frames, COUNT, JSON, "dropped_frames", NULL, NULL, "that found no room")                               \
    ROW(queued_frames, COUNT, JSON, "queued_frames", NULL, NULL, "that still wait")                                    \
    ROW(on_wire_frames, COUNT, JSON, "on_wire_frames", NULL, NULL, "that are being sent")                              \
    ROW(delivered_frames, COUNT, JSON, "delivered_frames", NULL, NULL, "that reached the far end")                     \
    ROW(lost_frames, COUNT, JSON_KNOWN, "lost_frames", NULL, NULL, "that the link's faults lost")                      \
    ROW(ring_lost_frames, COUNT, JSON_KNOWN, "ring_lost_frames", NULL, NULL,                                           \
        "of what it received, that found its host's receive ring full")                                                \
    ROW(sent_frame_bytes, COUNT, JSON, "sent_frame_bytes", NULL, NULL, "of frames sent, without preamble and gap")     \
    ROW(sent_wire_bytes, COUNT, JSON, "sent_wire_bytes", NULL, NULL, "the same with them")                             \
    ROW(peak_queue_bytes, COUNT, JSON, "peak_queue_bytes", NULL, NULL, "at most in its buffer")                        \
    ROW(peak_queue_packets, COUNT, JSON, "peak_queue_packets", NULL, NULL, "at most in its buffer")                    \
    ROW(pauses_sent, COUNT, JSON, "sent", NULL, "pause", "MAC control frames sent")                                    \
    ROW(pauses_received, COUNT, JSON, "received", NULL, "pause", "MAC control frames received")                        \
    ROW(told_to_stop_ps, TIME, JSON, "told_to_stop_s", NULL, "pause", "how long it had to stop")
struct results_port {
    RESULTS_PORT_COLUMNS(RESULTS_FIELD)
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
