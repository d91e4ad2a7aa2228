/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge/diagnosis.h - the answer: does a host lose bandwidth because ACKs wait behind data, how much, how sure, and if
 * not, what else?
 *
 * Of each direction of a host's link, over the phase in which the same flows are active:
 *   carried   x = goodput of its flows
 *   possible  what it would carry if no ACK waited behind data (judge/path.h)
 *   lost      1 - carried / possible
 * Yes: at least 5 % of the total or 10 % of a direction are lost, with a probability above 0.95; no: below 0.05
 * (judge/posterior.h). Else nobody can tell. */
#pragma once

#include "judge/cause.h"
#include "judge/fact.h"
#include "judge/latency.h"

#include <stdbool.h>
#include <stddef.h>

#define JUDGE_DIAGNOSIS_TOTAL 0.05 /* of both directions together, and more, is a loss: what could not be that much counts not */
#define JUDGE_DIAGNOSIS_DIRECTION 0.1
#define JUDGE_DIAGNOSIS_SURE 0.95
#define JUDGE_DIAGNOSIS_MOST 0.5 /* the greater part; and who loses as much as half of another is worth a word, too */

enum judge_answer { JUDGE_ANSWER_UNKNOWN, JUDGE_ANSWER_NO, JUDGE_ANSWER_YES };

const char *judge_answer_name(enum judge_answer answer); /* "unknown", "no", "yes" */

/* Where `possible` comes from. */
enum judge_possible {
    JUDGE_POSSIBLE_MODEL,    /* judge/path.h */
    JUDGE_POSSIBLE_EMULATED, /* the same run with ACKs first at every queue */
    JUDGE_POSSIBLE_MEASURED, /* what the path carried one way at a time */
};
const char *judge_possible_name(enum judge_possible from);

struct judge_way {
    size_t flows;
    double carried_bps;           /* goodput */
    double possible_bps;          /* NAN unknown */
    double room_bps;              /* goodput that fits beside the ACKs of the other direction; NAN unknown */
    double lost_share;            /* NAN unknown; may be slightly negative */
    double lost_ci95;             /* half the width of its 95 % interval; NAN unknown */
    double capacity_bps;          /* on the wire; NAN unknown */
    enum judge_capacity_source source;
    bool saturated;               /* carries 95 % of what it can, or more */
    double acks_bps;              /* on the wire: most that ACKs can take of it, first; NAN unknown */
    double data_wait_s, ack_wait_s, floor_s; /* means over its flows, weighted by their rates; ACKs of its data */
};

#define JUDGE_DIAGNOSIS_PLACE 32

struct judge_diagnosis {
    enum judge_answer answer;
    enum judge_cause cause, second; /* second: JUDGE_CAUSE_UNKNOWN when there is none */
    struct judge_way in, out;
    enum judge_possible possible_from;
    double probability;      /* that waiting ACKs cost enough for a yes; NAN: not judged by one */
    double lost_share, ci95; /* of both together, with half the width of its 95 % interval; NAN unknown */
    struct judge_latency latency; /* of its flows, while they are judged; loaded: means over stretches of each of them */
    double full_bytes, segments_per_ack; /* as in judge/fact.h; 0: not known */
    bool quic;               /* its flows are */
    double fewer_acks_bps;   /* what all carry more, beyond what is possible, with an ACK of QUIC for ten packets; 0:
                              * nobody knows */
    char why[240];           /* figures, and after the first ": " that follows one the reason */
    char place[JUDGE_DIAGNOSIS_PLACE]; /* the port where ACKs wait, where that is known and not the host's own nor one
                                        * towards it; "" otherwise */
};

/* Do these shares lose enough for a yes? */
bool judge_diagnosis_matters(const double carried_bps[2], const double possible_bps[2]);

/* What the probability of enough loss for a yes makes of it. */
enum judge_answer judge_diagnosis_answer(double probability);

/* A direction's capacity as tc counts it: frames from their Ethernet header on, without preamble, gap and FCS, which are
 * L = 24 bytes of each on the wire. Of what passes it,
 *
 *   tc = C (1 - L (x / S + y / (k S)) / (x (S + A) / S + y A / (k S)))
 *
 * with x of data its way and y the other way, S, A and k as in judge/path.h: of S = 1448 and no ACKs 98.4 % of C, of ACKs
 * alone 73 %. NAN unknown. */
double judge_diagnosis_tc_bps(const struct judge_diagnosis *d, const struct judge_way *w);

/* The figures of d->why; what follows them, "" where nothing does. Neither has the other's words. */
void judge_diagnosis_figures(const struct judge_diagnosis *d, char *text, size_t size);
const char *judge_diagnosis_reason(const struct judge_diagnosis *d);

/* Puts a yes or a no into words, d->why, by what else *d says. */
void judge_diagnosis_say(struct judge_diagnosis *d);
