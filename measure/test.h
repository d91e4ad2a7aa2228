/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/test.h - what a measurement leaves: phases, their flows, and what both ends saw.
 *
 * A phase has one kind of traffic between the shared host, which runs the client, and its servers: in alone, out alone,
 * both at once, or both at once at a pace that leaves queues empty. Kinds alternate, in blocks, so that a drift of the
 * network shows as a difference between blocks and not between kinds. Every phase has connections of its own, all as
 * old as those of other phases: what a young connection carries is compared with what a young connection carries. */
#pragma once

#include "measure/flow.h"

enum measure_kind { MEASURE_IN, MEASURE_OUT, MEASURE_BOTH, MEASURE_PACED, MEASURE_KINDS };

extern const char *const measure_kind_names[]; /* "in", "out", "both", "paced", NULL */

#define MEASURE_HOSTS 8   /* servers, at most */
#define MEASURE_STREAMS 16 /* connections between the host and a server, each way, at most */
#define MEASURE_FLOWS (2 * MEASURE_HOSTS * MEASURE_STREAMS)
#define MEASURE_BLOCKS 4
#define MEASURE_PHASES (4 * MEASURE_BLOCKS)
/* Of a phase of both directions, by which one of them begins before the other. Were it less than some round trips,
 * chance would decide which one leaves slow start first, and not the order, which can be turned. */
#define MEASURE_LEAD 0.15
#define MEASURE_PACE 0.95 /* of what there is room for, in a paced phase */

struct measure_end {
    size_t host; /* index of the server */
    bool incoming;
    double pace_bps;                   /* 0: none */
    struct measure_samples near, far;  /* owned; of the shared host; of the server, in the shared host's time */
};

/* A word on a control connection, there and back. One-way times have the clocks' difference in them, which is the same
 * in all phases but for drift. */
struct measure_echo {
    double at_s;
    double there_s, back_s;
};

struct measure_phase {
    enum measure_kind kind;
    double from_s, to_s; /* what is judged: without the beginning */
    double length_s;     /* of its younger connections; 0 unknown */
    bool out_first;      /* of two directions data out began first, and data in MEASURE_LEAD of the phase later */
    double processor;    /* share of a processor that this program took */
    struct measure_end end[MEASURE_FLOWS]; /* in the same order in all phases of a kind */
    size_t n;
    struct measure_echo *echo[MEASURE_HOSTS]; /* owned; by server */
    size_t n_echoes[MEASURE_HOSTS], room[MEASURE_HOSTS];
};

/* Words while nothing else is on the way, there and back. */
struct measure_idle {
    double *round_s; /* owned */
    size_t n, room;
};

struct measure_test {
    size_t in, out;                     /* degrees: servers that send, and that are sent to */
    struct measure_phase phase[MEASURE_PHASES];
    size_t n;
    size_t hosts;
    double there_s[MEASURE_HOSTS], back_s[MEASURE_HOSTS]; /* the least of all phases, clocks' difference included */
    size_t streams;                     /* connections between the host and a server, each way */
    struct measure_idle idle;
    double limit_bps;                   /* of the servers, each way; 0: none */
    double took_s;
};

/* The end that sends. */
const struct measure_samples *measure_end_sender(const struct measure_end *e);

void measure_test_drop(struct measure_test *t); /* its phases so far */
void measure_test_fini(struct measure_test *t);
