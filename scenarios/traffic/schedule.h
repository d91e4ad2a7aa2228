/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/traffic/schedule.h - what processes do, each at its own pace: operations that wait for earlier ones of the same
 * process, as in GOAL (Hoefler, Siebert and Lumsdaine 2009). Collectives make one (scenarios/traffic/collective.h), a GOAL text
 * is one (scenarios/traffic/goal.h), scenarios/run/program_schedule.c plays it over TCP.
 *
 * A send is over when all its bytes have left its host's TCP, as a write that blocks; a receive when the message is there, a calculation after its
 * time. Messages of one process to another with one tag match receives in the order of both. */
#pragma once

#include "base/error.h"

enum schedule_kind { SCHEDULE_SEND, SCHEDULE_RECEIVE, SCHEDULE_CALC };

#define SCHEDULE_ANY_TAG (-1) /* of a receive */
#define SCHEDULE_CPUS 256
#define SCHEDULE_OPS 1100000       /* of all processes: of a ring allreduce of 500 */
#define SCHEDULE_BYTES (INT64_C(1) << 40) /* of a message */
#define SCHEDULE_NS INT64_C(10000000000000) /* of a calculation: the longest run */

struct schedule_op {
    enum schedule_kind kind;
    int peer, tag;  /* the other process */
    int cpu;        /* calculations of one processor go one after another */
    int line;       /* of the text; 0: there is none */
    int64_t amount; /* bytes; ns of a calculation */
    /* Of collectives: a message carries these blocks of the vector, modulo their number, which a receive puts in place of
     * what is there or adds to it. Nobody computes with them: they say what the message is. */
    int first_block, blocks;
    bool reduce;
};

/* Operation `op` waits for `earlier` of the same process: until that is over, or has started. */
struct schedule_need {
    int op, earlier;
    bool started;
};

struct schedule_rank {
    struct schedule_op *ops;     /* owned */
    struct schedule_need *needs; /* owned */
    size_t n, capacity, n_needs, needs_capacity;
};

struct schedule {
    struct schedule_rank *ranks; /* owned */
    int n;
};

void schedule_init(struct schedule *s, int ranks);
void schedule_fini(struct schedule *s);

/* Its number among the process's operations. */
int schedule_add(struct schedule *s, int rank, const struct schedule_op *op);
void schedule_require(struct schedule *s, int rank, int op, int earlier, bool started);

/* Whether it comes to its end: no operation waits for itself, every message has a receive that is as long or longer, and
 * every receive a message. Messages longer than eager_bytes leave once their receive has begun. False and *err (ERROR_INPUT), with the line where there is one. */
bool schedule_finishes(const struct schedule *s, int64_t eager_bytes, struct error *err);

/* A connection between two processes. */
struct schedule_flow {
    int from, to;
    bool duplex; /* both send on it */
};

/* All that the messages need, in the order of the lesser process and the other: one for each two that talk, or, `apart`,
 * one for each way. *n of them, for free(). */
struct schedule_flow *schedule_flows(const struct schedule *s, bool apart, size_t *n);

/* Operations of all processes. */
size_t schedule_count(const struct schedule *s);

/* As GOAL text. */
void schedule_write(const struct schedule *s, FILE *f);
