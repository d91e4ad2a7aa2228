/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/verdict/workload.h - judges runs whose hosts do more than send bulk flows over TCP: what their files show, against the
 * papers' formulas. A kind is a function of study/verdict/workload_*.c, a member of the union and a line in
 * study_workload_judge(). */
#pragma once

#include "analysis/rules/distribution.h"
#include "model/buffer.h"
#include "model/exchange/exchange.h"
#include "model/exchange/signature.h"
#include "model/loss_trace.h"
#include "scenarios/scenario.h"

/* Go-Back-N, what many senders reach at one receiver. */
struct study_workload_receiver {
    int receiver, senders;
    double window, buffer, to_gr; /* packets; packets; timeout in packet times */
    bool input;                   /* buffered at the senders' own input ports; else at one place for all */
    double efficiency, ci95;      /* in-order packets for each g_r */
    double in_order_share;        /* Eq. 4.1, of all packets that reached it in the run; NAN where it sends, too */
    struct model_loss_counts pooled;
    struct model_loss_chain chain;
    bool has_chain;
    double predicted;             /* NAN: no formula */
    const char *rule;             /* static text */
    bool holds;                   /* within twice the tolerance: probabilities are estimates. True without a formula */
};

struct study_workload_losses {
    struct study_workload_receiver *receiver; /* owned */
    size_t n;
};

/* One process of a repeated operation. */
struct study_workload_process {
    size_t n, late; /* times; those beyond the first cluster of all */
    double mean_s;
};

/* Completion times of a repeated operation. */
struct study_workload_operations {
    size_t n_processes, n_whole; /* times of single processes; operations */
    struct analysis_distribution processes;
    struct estimate whole;       /* until the last process is through: what each costs when all wait for the slowest */
    size_t late_whole;           /* operations in which some process was late */
    struct study_workload_process *process; /* owned; by its number, [n_own] */
    size_t n_own;
    bool has_optimum;
    struct model_exchange_cost cost;
    double timer_s;              /* whose expiry makes clusters */
    const char *timer;           /* which it is; static text */
};

/* The bursts of one number of sources and sinks. */
struct study_workload_series {
    double sources, sinks, send_gap_s, receive_gap_s;
    struct model_buffer_point *points; /* owned */
    size_t n;
    struct model_buffer_fit fit;
    bool fits;
};

struct study_workload_bursts {
    struct study_workload_series *series; /* owned */
    size_t n;
    struct model_buffer_reading reading;
};

/* Ping-pong: a latency that grows with the hosts at once. */
struct study_workload_latency {
    double constant_s, per_process_s, mean_s;
};

struct study_workload_uniform {
    int64_t ports;
    double load, known; /* what theory predicts */
    struct estimate throughput;
    bool fifo;          /* saturated input FIFOs; else `known` is what is offered */
    bool table;         /* of few ports, which have a row in the paper */
};

enum study_workload_kind {
    STUDY_WORKLOAD_LOSSES,
    STUDY_WORKLOAD_OPERATIONS,
    STUDY_WORKLOAD_BURSTS,
    STUDY_WORKLOAD_LATENCY,
    STUDY_WORKLOAD_UNIFORM,
};

struct study_workload {
    enum study_workload_kind kind;
    union {
        struct study_workload_losses losses;
        struct study_workload_operations operations;
        struct study_workload_bursts bursts;
        struct study_workload_latency latency;
        struct study_workload_uniform uniform;
    };
};

/* Runs of MPI_Alltoall, towards their contention signature. */
struct study_workload_signature { /* zeroed: none */
    struct model_signature_point *points; /* owned */
    size_t n;
    struct model_alltoall_link link;      /* of the first of them */
};

/* Whether a run directory holds such a run: its scenario has a program, or its flows repeat messages. *flows: it has
 * bulk flows over TCP as well. False with *err's code set when the scenario cannot be read. */
bool study_workload_is(const char *directory, bool *flows, struct error *err);

/* A message of m bytes alone: alpha is a segment's way through the switch, beta its payload's share of the wire. */
struct model_alltoall_link study_workload_link(const struct scenario *s);

/* Judges such a run. A run of MPI_Alltoall is a point of the signature, too. `tolerance`: of a rule. */
bool study_workload_judge(const char *directory, double tolerance, struct study_workload *w,
                          struct study_workload_signature *signature, struct error *err);
void study_workload_fini(struct study_workload *w);

enum study_workload_signature_answer {
    STUDY_WORKLOAD_SIGNATURE_NONE,    /* fewer than four runs */
    STUDY_WORKLOAD_SIGNATURE_REFUSED, /* they have none: *err names the reason */
    STUDY_WORKLOAD_SIGNATURE_FITTED,
};
enum study_workload_signature_answer study_workload_signature_fit(const struct study_workload_signature *signature,
                                                                  struct model_signature_fit *fit, struct error *err);
void study_workload_signature_fini(struct study_workload_signature *signature);

/* The kinds, for study/verdict/workload.c. */
bool study_workload_loss(const char *directory, const struct scenario *s, double tolerance,
                         struct study_workload_losses *l, struct error *err);
bool study_workload_operations(const char *directory, const struct scenario *s, struct study_workload_operations *o,
                               struct study_workload_signature *signature, struct error *err);
bool study_workload_bursts(const char *directory, struct study_workload_bursts *b, struct error *err);
bool study_workload_pingpong(const char *directory, const struct scenario *s, struct study_workload_latency *l,
                             struct error *err);
bool study_workload_uniform(const char *directory, const struct scenario *s, struct study_workload_uniform *u,
                            struct error *err);
