/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/record.h - what a run writes beside its captures: flows.csv, queues.csv, summary.json. */
#ifndef SCENARIOS_RECORD_H
#define SCENARIOS_RECORD_H

#include "base/estimate.h"
#include "base/outfile.h"
#include "emu/network.h"
#include "scenarios/scenario.h"
#include "scenarios/waits.h"

struct record_flow {
    struct emu_flow_stats stats;
    struct estimate steady_bps; /* goodput after the warm-up; NAN when the flow ended before */
    struct waits_flow waits;
    struct estimate_running message_s; /* times of its messages that count */
};

/* DIRECTORY/name, to be committed; a time in seconds with every picosecond, nothing when negative. */
bool record_open(struct outfile *f, const char *directory, const char *name, struct error *err);
void record_time(FILE *f, int64_t time_ps);

/* Columns: flow,src,dst,bytes,start_s,end_s,goodput_bps,steady_goodput_bps,steady_ci95_bps,
 * retransmitted_segments,messages,message_s,message_sd_s,message_ci95_s. bytes: delivered to the application. start:
 * first payload leaves the source's stack; end: last payload delivered; goodput: bytes * 8 / (end - start). messages:
 * how many count, of flows that repeat them; message_s: their mean time, with standard deviation and half-width of its
 * 95 % interval. Empty: unknown. */
bool record_flows(const struct scenario *s, const struct record_flow *flows, const char *directory, struct error *err);

/* Queue depths over time: time_s,port,depth_bytes,depth_packets,dropped_packets (cumulative).
 * A port has a row when its depth or drops differ from its row before. */
struct record_queues {
    struct outfile file;
    struct record_queue_row *last; /* owned; one a port */
};

bool record_queues_open(struct record_queues *r, int ports, const char *directory, struct error *err);
/* Port i, settled, whose frames wait in `buffer`. */
void record_queues_port(struct record_queues *r, int i, const struct emu_port *p, const struct emu_queue *buffer,
                        int64_t time_ps);
void record_queues_sample(struct record_queues *r, struct emu_network *n, int64_t time_ps);
/* keep: the file appears; otherwise it is removed. */
bool record_queues_close(struct record_queues *r, bool keep, struct error *err);

struct record_capture {
    char file[SCENARIO_NAME + 16];
    const char *at;
    int64_t frames;
};

/* summary.json: versions, seed, whether the run is complete, flows, ports, captures. Nothing in it
 * depends on the wall clock. With traffic.precision "benchmark": {precision, reached, messages, converged} - reached:
 * the widest full 95 % interval of a flow's mean message time, over that mean; messages: what each flow counts. */
bool record_summary(const struct scenario *s, const struct record_flow *flows, struct emu_network *n,
                    const struct record_capture *captures, int64_t ended_ps, bool complete, const char *directory,
                    struct error *err);

#endif
