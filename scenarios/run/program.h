/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/run/program.h - what the hosts of a run do, where that is not the engine's own flows.
 *
 * Messages repeated on open connections; flows over Go-Back-N; complete exchange over it or over the engine's TCP;
 * barriers over a tree; ping-pong; frames without a protocol. Each leaves a file of its own in the run directory:
 *
 *   operations.csv  exchange, tree: operation,process,start_s,end_s - a line for each process of each that ended; messages:
 *                   a line for each that counts, from when it was written to when its last byte was delivered; process
 *                   is the flow
 *   messages.csv    collectives and GOAL: from_rank,from,to_rank,to,tag,bytes,messages,mean_s,ack_wait_s,ack_wait_most_s -
 *                   a line for each message of a repetition, those that waited longest for ACKs behind data first:
 *                   mean time from when it was handed to TCP until all of it was there; mean and longest time that it
 *                   waited so (scenarios/run/program_schedule.c)
 *   FLOW.events     Go-Back-N flows: the sender's events in order, as words P, N and TO (Tam 2001, Fig. 4.5)
 *   pingpong.csv    pairs,pair,rounds,rtt_s - mean round trip of a pair while so many ran at once
 *   bursts.csv      sources,sinks,packets,received,send_gap_s,receive_gap_s - a line a burst (appendix A.1); gaps are
 *                   means between full frames of one source, at one sink
 *   uniform.csv     sink,offered_frames,received_frames,utilization - after the warm-up; share of the sink's link */
#pragma once

#include "results/summary.h"
#include "scenarios/run/operations.h"

struct program;

/* What a program works with; all borrowed. */
struct program_env {
    const struct scenario *scenario;
    struct emu_engine *engine;
    struct emu_network *network;
    const char *directory;
};

/* Whether the scenario has one. */
bool program_wanted(const struct scenario *s);

/* Whether a program writes flow i step by step. */
bool program_writes(const struct scenario *s, int flow);

/* Its kind's functions. start() gets the program with env and clock in place, and fills its state. */
struct program_ops {
    size_t state_bytes;
    void (*start)(struct program *p);
    void (*deliver)(struct program *p, int host, const struct emu_frame *frame); /* takes the frame; NULL: TCP's only */
    void (*delivered)(struct program *p, int flow, int64_t bytes);               /* by TCP, in all; NULL: Go-Back-N */
    void (*sent)(struct program *p, const struct emu_frame *frame);              /* by a host's TCP; NULL: nobody looks */
    void (*left)(struct program *p, const struct emu_frame *frame);              /* the queue of its NIC; NULL: nobody looks */
    void (*arrives)(struct program *p, int host, const struct emu_frame *frame); /* at a host's TCP; NULL: nobody looks */
    bool (*done)(const struct program *p);
    struct emu_flow_stats (*stats)(const struct program *p, int flow);           /* NULL: the engine's */
    struct estimate_running (*times)(const struct program *p, int flow);         /* s, of messages; NULL: none */
    struct estimate_running (*operations)(const struct program *p);              /* s, whole ones; NULL: none */
    void (*messages)(const struct program *p, struct results_messages *messages); /* NULL: none */
    bool (*finish)(struct program *p, struct error *err);                        /* writes its file */
    void (*free)(void *state);                                                   /* what grew; NULL: nothing did */
};

struct program {
    struct program_env env;
    struct emu_clock clock;
    const struct program_ops *ops;
    struct emu_gbn *gbn; /* owned; NULL: not over Go-Back-N */
    struct operations operations; /* of a collective, or of messages; else none */
    void *state;         /* owned; zeroed memory for `state_bytes` */
    void **memory;       /* owned, as what it leads to: program_memory() */
    size_t n_memory, memory_room;
};

/* n zeroed items that end with the program. */
void *program_memory(struct program *p, size_t n, size_t size, const char *what);

/* Every host says who it is, so that no switch needs to flood: a small frame from each to the next, now. Traffic of its
 * own had better begin PROGRAM_SETTLE_PS later. */
#define PROGRAM_SETTLE_PS INT64_C(10000000000)
#define PROGRAM_RAW_ETHERTYPE 0x88b6 /* IEEE 802 local experimental 2: frames without a protocol */
void program_introduce(const struct program *p);

/* Collectives' own parts of struct program_ops: done when all repetitions are; their times; operations.csv. */
bool program_operations_done(const struct program *p);
struct estimate_running program_operations(const struct program *p);
bool program_operations_finish(struct program *p, struct error *err);

/* Over TCP the first operation begins when connections are there. */
#define PROGRAM_CONNECTING_PS (100 * UNITS_PS_PER_MS)

/* Free it before the network. */
struct program *program_new(const struct program_env *env);
void program_free(struct program *p);

extern const struct program_ops program_flows, program_exchange_gbn, program_exchange_tcp, program_messages,
    program_tree_tcp, program_schedule, program_pingpong, program_burst, program_uniform;
