/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/infer/kit.h - what makes flows into and out of one host as fast as they are: a few patterns, measured in the order of
 * what each is expected to tell, and weighed as study/infer/infer.h weighs.
 *
 * First one flow out and one in, alone, which say what windows there are. Then every hypothesis is emulated in every
 * pattern at the first points of its grid. With the weights w_i of these points, after what has been measured, a pattern
 * is expected to tell
 *   sum over points i of w_i (log P(cause of i | the pattern's rates are those of i) - log P(cause of i))
 * nats of the cause (Lindley 1956, On a measure of the information provided by an experiment), where rates are normal about
 * a point's, with the floor below and what lies between a point and its neighbours, d^2 / 12. The pattern that tells most
 * is next, while there is time. What was measured is then weighed in full.
 *
 * Retransmissions count, too: where more than STUDY_KIT_LOSS was sent again, hypotheses that lose nothing are out, and where
 * nothing was in any pattern, those that lose. PAUSE frames count likewise: where a host got some, that is the cause of what
 * is asked here, and where no host got any, it is not. */
#pragma once

#include "study/infer/infer.h"

#define STUDY_KIT_FLOWS 4      /* of a pattern, at most */
#define STUDY_KIT_PATTERNS 6   /* that there are */
#define STUDY_KIT_NAMED 0.7    /* a cause that is less probable has no name in the answer */
#define STUDY_KIT_FLOOR 0.02   /* of a rate's deviation: the native engine beside Linux (doc/below.md, mechanisms) */

#define STUDY_KIT_LOSS 1e-3    /* sent again: more than a probe at the end of a message of some MB (RFC 8985, 7) or a timer in vain */

/* A bus and a processor that both directions share are one cause: both divide by the sum of flows, and no pattern of rates
 * tells one from the other. */
enum study_kit_cause {
    STUDY_KIT_BOTH,
    STUDY_KIT_PORT,
    STUDY_KIT_NIC,
    STUDY_KIT_APART,
    STUDY_KIT_LOSSES,
    STUDY_KIT_PAUSE,
    STUDY_KIT_INSIDE,
    STUDY_KIT_RING,
    STUDY_KIT_CAUSES
};
extern const struct study_kit_words {
    const char *name, *meaning, *remedy;
} study_kit_causes[STUDY_KIT_CAUSES];

struct study_kit_pattern {
    size_t in, out;  /* flows */
    double nats;     /* it was expected to tell; NAN of the first two */
    double resent;         /* sent again, as a share of what was sent; NAN: nobody knows */
    double pauses;         /* PAUSE frames that hosts counted meanwhile; NAN: not all hosts know */
    struct study_kit_rate {
        double bps, spread;  /* standard error as a share of it */
        double window_bytes; /* 0: not known */
    } rate[STUDY_KIT_FLOWS]; /* out first */
};

struct study_kit {
    const struct scenario *base; /* borrowed; network and TCP, in a star */
    int64_t jobs;
    size_t flows;                /* at once, at most; 2 at least */
    bool shared;                 /* flows in and out have the same peers; else each has one of its own */
    double until_s;              /* base/monotonic.h: then no other pattern begins; 0: all */
    bool (*measure)(void *user, struct study_kit_pattern *p, struct error *err); /* p->rate, resent, pauses */
    void *user;

    struct study_kit_pattern pattern[STUDY_KIT_PATTERNS]; /* in the order in which they were measured */
    size_t n;
    struct study_measurement measured; /* owned, as infer */
    struct study_infer infer;
    double weight[STUDY_KIT_CAUSES];
    int signal; /* that ended it early; 0 */
};

/* Measures the first two, of which base need not be known yet. */
bool study_kit_begin(struct study_kit *k, struct error *err);

/* Measures the others, after study_kit_begin(), and weighs all. False and *err as measure() and study_infer_run(). study_kit_fini() is safe on a zeroed one. */
bool study_kit_run(struct study_kit *k, struct error *err);
void study_kit_fini(struct study_kit *k);

/* The cause that is named; -1: none is probable enough, or what fits best misses. infer.n is 0 where counters and rates
 * contradict each other under every hypothesis: then none of these has all the weight. */
int study_kit_named(const struct study_kit *k);

/* Of a hypothesis. */
enum study_kit_cause study_kit_cause_of(const struct study_hypothesis *h);

/* A measure() whose user is a study_kit_emulated: the pattern in the network and with the TCP of a scenario, by its engine,
 * three times with seeds of its own. */
struct study_kit_emulated {
    const struct scenario *hidden; /* borrowed */
    int64_t jobs;
    uint64_t seed;
};
bool study_kit_emulate(void *user, struct study_kit_pattern *p, struct error *err);
