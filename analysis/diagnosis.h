/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/diagnosis.h - does a host lose bandwidth because ACKs wait behind data, how much, and if not, what else?
 *
 * For each direction of a host's link, over the phase in which the same flows are active:
 *   carried   x = goodput of its flows
 *   possible  what it would carry if no ACK waited behind data. A flow that its application (or its reader) limits
 *             carries x_i, one that goes on when it is answered as many cycles as fit without waits of ACKs, any other
 *             W_i / d_i: W_i bytes in flight, d_i its round trip through empty queues; together no more than the
 *             link's goodput less the other direction's ACKs, (C - a possible_other) / s, s and a as in
 *             model/degree.h. Flows whose ACKs hardly wait carry what they carry.
 *   lost      1 - carried / possible
 * C is what back-to-back frames show (analysis/capacity.h) where data queue before the tap; else the other direction's,
 * which is an assumption and is named so; else unknown. Waits are those of the phase (analysis/round_trip.h). A flow
 * that begins behind a standing queue never meets it empty; what it lacks is taken from a flow that saw more of the
 * same queue: both see that queue's wait at the same time. Without timestamps it is what data that fill the other
 * direction wait, by Little's law. Frames spaced so that their direction would be full, whose data hardly wait while
 * their ACKs do, are let go by these ACKs: they show no C.
 *
 * What is in flight one way bounds how long anything waits in the host's queue: ACKs that wait longer do so elsewhere. Yet
 * data that go to the same host pass all the same queues: where these wait as long, ACKs wait behind them, wherever that
 * is. Outgoing data that pass the tap at an Ethernet's rate and wait after it have a slower link on their way, which is
 * what they fill. Where waits are of the size of the stamps' ticks, three quarters of a gain are sure.
 *
 * Of a run that was emulated once more, with ACKs first at every queue, `possible` is what the flows carry then, and the
 * answer is unknown only where the interval of what is lost has a threshold in it, and the above says otherwise.
 *
 * Yes: 5 % of the total are lost, or 10 % of a direction, by the least that is possible; no: by the most that is, they
 * are not. Unknown: what would have to be known to tell one from the other is not: so where an application is only
 * likely what limits a flow (a window that Vegas shrinks while ACKs wait is not used either), where a flow without
 * timestamps has less than a quarter of its window in flight, and where ACKs wait a little longer than what is in
 * flight takes to pass the link. */
#ifndef ANALYSIS_DIAGNOSIS_H
#define ANALYSIS_DIAGNOSIS_H

#include "analysis/cause.h"
#include "analysis/flows.h"

#define ANALYSIS_DIAGNOSIS_TOTAL 0.05
#define ANALYSIS_DIAGNOSIS_DIRECTION 0.1
#define ANALYSIS_DIAGNOSIS_BOTH 0.5 /* of what the worse direction loses: the other one is worth a word, and a remedy */

enum analysis_answer { ANALYSIS_ANSWER_UNKNOWN, ANALYSIS_ANSWER_NO, ANALYSIS_ANSWER_YES };

const char *analysis_answer_name(enum analysis_answer answer); /* "unknown", "no", "yes" */

enum analysis_capacity_source {
    ANALYSIS_CAPACITY_UNKNOWN,
    ANALYSIS_CAPACITY_DISPERSION, /* frames back to back */
    ANALYSIS_CAPACITY_QUEUE,      /* what passes a queue that never runs empty */
    ANALYSIS_CAPACITY_ASSUMED,    /* the other direction's */
    ANALYSIS_CAPACITY_INTERFACE,  /* the capturing one's, where data wait nowhere */
    ANALYSIS_CAPACITY_KNOWN,      /* a run's, or said */
};
const char *analysis_capacity_source_name(enum analysis_capacity_source source);

/* Where `possible` comes from. */
enum analysis_possible {
    ANALYSIS_POSSIBLE_MODEL,    /* as above */
    ANALYSIS_POSSIBLE_EMULATED, /* the same run with ACKs first at every queue */
    ANALYSIS_POSSIBLE_MEASURED, /* what the path carried one way at a time */
};
const char *analysis_possible_name(enum analysis_possible from);

struct analysis_diagnosis_way {
    size_t flows;
    double carried_bps;           /* goodput */
    double possible_bps;          /* NAN unknown */
    double room_bps;              /* goodput that fits beside the ACKs of the other direction; NAN unknown */
    double lost_share;            /* NAN unknown; may be slightly negative */
    double capacity_bps;          /* on the wire; NAN unknown */
    enum analysis_capacity_source source;
    bool saturated;               /* carries 95 % of what it can, or more */
    double acks_bps;              /* on the wire: most that ACKs can take of it, first; NAN unknown */
    double data_wait_s, ack_wait_s, floor_s; /* means over its flows, weighted by their rates; ACKs of its data */
};

#define ANALYSIS_DIAGNOSIS_PLACE 32

struct analysis_diagnosis {
    enum analysis_answer answer;
    enum analysis_cause cause, second; /* second: ANALYSIS_CAUSE_UNKNOWN when there is none */
    struct analysis_diagnosis_way in, out;
    enum analysis_possible possible_from;
    double lost_share, ci95; /* of both together, with half the width of its 95 % interval; NAN unknown */
    char why[240];
    char place[ANALYSIS_DIAGNOSIS_PLACE]; /* the port where ACKs wait, where that is known and not the host's own nor one
                                           * towards it; "" otherwise */
};

/* What one bulk flow of the host did; slot: of the flow table. */
struct analysis_diagnosis_flow {
    size_t slot;
    bool incoming;
    double rate_bps;
    int64_t loss_events, retransmitted;
    double floor_s, data_wait_s, ack_wait_s; /* filled by the diagnosis: its round trip in the phase; NAN unknown */
    enum analysis_cause limit;               /* likewise: application, receiver, window or losses */
    bool idle; /* analysis/limit.h: its application had nothing to send in a tenth of the time */
};

/* Decides from evidence, wherever it comes from: of a capture (analysis/evidence.h), or of a run (study/judge_run.h).
 * `host`: how the capture's frames follow each other; NULL unknown. `capacity_bps`: of each direction's link, in and
 * out, on the wire; NAN unknown. Fills the flows' round trips and limits, too. */
struct analysis_evidence_set;
void analysis_diagnosis_decide(struct analysis_evidence_set *s, const struct analysis_capacity_host *host,
                               const double capacity_bps[2], struct analysis_diagnosis *d);

/* Puts a yes or a no into words, d->why, by what else *d says. */
void analysis_diagnosis_say(struct analysis_diagnosis *d);

/* The host's flows over [start_s, steady_start_s, end_s). `capacity_bps`: as above.
 * The table must keep explanations. */
void analysis_diagnose(const struct analysis_flows *f, const struct capture_address *host, uint32_t tag,
                       struct analysis_diagnosis_flow *flows, size_t n, double start_s, double end_s,
                       const double capacity_bps[2], struct analysis_diagnosis *d);

#endif
