/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/collective.h - how long a collective operation takes among n processes whose hosts hang on one network without
 * contention, in closed form.
 *
 *   ring allreduce             2 (n - 1) rounds of S/n           Patarasuk and Yuan 2009
 *   recursive-doubling         lg n rounds of S                  Thakur, Rabenseifner and Gropp 2005, section 4.5
 *   Rabenseifner               S/2, S/4, ... S/n, and back       Rabenseifner 2004; Thakur et al., section 4.5
 *   ring allgather             n - 1 rounds of S/n               Thakur et al., section 4.1
 *   Bruck allgather            S/n, 2 S/n, 4 S/n, ... the rest   Bruck et al. 1997; Thakur et al., section 4.1
 *   ring, pairwise
 *   reduce-scatter             n - 1 rounds of S/n               Thakur et al., section 4.3; Chan et al. 2007
 *   binomial broadcast, reduce ceil(lg n) messages of S, one after another    Thakur et al., sections 4.2 and 4.4
 *   dissemination barrier      ceil(lg n) rounds                 Hensgen, Finkel and Manber 1988
 *   halo exchange              all neighbours of a process, one behind the other in its NIC
 *
 * Without a power of two recursive doubling and Rabenseifner fold: with 2^k <= n < 2^(k+1), n - 2^k processes hand all
 * of S to a neighbour first and get it back at the end. Where messages do not wait for their receives and n - 2^k is at most
 * half of 2^k, one round of that is hidden: nobody who was late has a partner in the last round who was, too. A tree that
 * is not full may be faster than its formula.
 *
 * Papers write a round of m bytes as alpha + m beta. Here beta is what m bytes take as TCP segments on the wire, and
 * alpha what their last frame takes behind its host's NIC: cables, and every further link that a frame is sent over
 * whole, less the gap that follows it. Where processes send and receive at once they acknowledge, too: ACKs queue up behind the data of the same round
 * in the NIC's FIFO. They have alpha to leave in before the next round's data come; what is left goes first:
 *   round = m beta + alpha + max(0, acks beta_ack - alpha of the round before)
 * so that rounds that are long against alpha take m beta (1 + a), a the share of ACKs on the wire.
 * No time of processors: neither LogGP's o nor the arithmetic of a reduction. */
#pragma once

#include "base/error.h"

enum model_collective {
    MODEL_COLLECTIVE_RING_ALLREDUCE,
    MODEL_COLLECTIVE_DOUBLING_ALLREDUCE,
    MODEL_COLLECTIVE_RABENSEIFNER_ALLREDUCE,
    MODEL_COLLECTIVE_RING_ALLGATHER,
    MODEL_COLLECTIVE_BRUCK_ALLGATHER,
    MODEL_COLLECTIVE_RING_REDUCE_SCATTER,
    MODEL_COLLECTIVE_PAIRWISE_REDUCE_SCATTER,
    MODEL_COLLECTIVE_BINOMIAL_BROADCAST,
    MODEL_COLLECTIVE_BINOMIAL_REDUCE,
    MODEL_COLLECTIVE_DISSEMINATION_BARRIER,
    MODEL_COLLECTIVE_HALO,
};

extern const char *const model_collective_names[]; /* "ring-allreduce", ...: for base/names.h */

/* The way between any two processes. */
struct model_collective_link {
    double rate_bps;        /* of every link on it, > 0 */
    double latency_s;       /* of cables and switches, one way, >= 0 */
    int stores;             /* links behind the first: on each a frame is sent anew once it is there whole; >= 0 */
    int64_t segment_bytes;  /* payload of a full segment, >= 1 */
    int64_t overhead_bytes; /* on the wire beside the payload: headers, preamble, gap; >= 0 */
    int64_t gap_bytes;      /* of these the gap behind a frame, which the one that receives it does not wait for; >= 0 */
    int64_t least_bytes;    /* of the shortest frame on the wire */
    int segments_per_ack;   /* 0: ACKs cost nothing */
};

/* s that a message of so many bytes, >= 1, takes on one link, in full segments and the rest. */
double model_collective_wire_s(const struct model_collective_link *l, int64_t bytes);

/* s from its first bit into the NIC to its last in the other host's stack: the wire, cables, and one frame a further
 * link: the largest it has, for a short last one waits behind it. */
double model_collective_message_s(const struct model_collective_link *l, int64_t bytes);

/* What is asked for. */
struct model_collective_call {
    enum model_collective algorithm;
    int ranks;          /* n >= 2 */
    int64_t bytes;      /* S: of the whole vector; barrier, halo: of each message. >= 1; a share of less than a byte is
                         * one byte, for TCP carries no empty message */
    int dimensions[3];  /* of the halo's torus; 0: there is none. A process whose row is 1 long has no neighbours there */
};

/* False with ERROR_INPUT when something is out of range. */
bool model_collective_time(const struct model_collective_link *l, const struct model_collective_call *c,
                           double *time_s, struct error *err);

/* Bus bandwidth over algorithm bandwidth, S over time: 2 (n - 1) / n of an allreduce, (n - 1) / n of allgather and
 * reduce-scatter, 1 of broadcast and reduce (NVIDIA, nccl-tests, doc/PERFORMANCE.md); 0 where nccl-tests knows none:
 * barrier, halo. */
double model_collective_bus(enum model_collective algorithm, int ranks);

/* The same of MPI_Alltoall, of whose S = n m bytes a process keeps m: (n - 1) / n. */
double model_collective_bus_alltoall(int ranks);

/* Blocks of a vector that is cut among `blocks`: the first S mod blocks are a byte longer. Of blocks first, first + 1,
 * ... first + n - 1, modulo `blocks`, together. */
int64_t model_collective_blocks_bytes(int64_t bytes, int blocks, int first, int n);
