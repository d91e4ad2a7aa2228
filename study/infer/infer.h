/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/infer/infer.h - which hypothesis explains a measurement best: each is emulated, pattern by pattern, over the range of
 * what nobody knows of it, and weighed by model/posterior.h.
 *
 * A grid over the range begins with a few points, each with a seed of its own, in the first patterns alone. Hypotheses
 * that are far behind then get no more. The others are emulated in all patterns, and at more points where the
 * probability is: between two that have more than a twentieth of it, until a step is small.
 *
 * "None of these" is a hypothesis, too, as probable before as each of the others: a mechanism that nobody has thought of,
 * by which a flow takes any time between half of what its bytes need alone on its link and twice what those of all flows
 * of its pattern need, one after the other. Of logarithms, with b_i the bytes of a flow,
 *   log evidence = -sum over flows of log log(4 sum of b / b_i)
 * and of flows without an end all b are the same. It is broad on purpose: what fits within its spread beats it by some
 * nats a flow, and what misses by many spreads does not. */
#pragma once

#include "study/infer/hypothesis.h"
#include "study/infer/measurement.h"

#define STUDY_INFER_RATE 0.05   /* deviation of the links' rate from what the network says, before the measurement */
#define STUDY_INFER_SPREAD 0.03 /* of a value that nobody repeated: the middle of what it may be */
#define STUDY_INFER_EXPERIMENTS 32

struct study_infer_options {
    const struct scenario *base; /* borrowed: network and TCP; of captures each pattern has its own */
    double range[STUDY_HYPOTHESIS_PARAMETERS][2]; /* least and most of each parameter; the same twice: known */
    double spread;     /* of a value, given; 0: read off its repeats, or fitted */
    int64_t messages;  /* that a flow's time is the mean of, all flows' together behind a barrier; 1 */
    int64_t jobs;
    double until_s;    /* base/monotonic.h: nothing more is emulated then; 0: as much as is needed */
    void (*show)(void *user, size_t done, size_t all, double elapsed_s); /* now and then, and with -1 s; may be NULL */
    void *user;
};

/* A point of a hypothesis' grid: emulated in the first patterns, or in all. */
struct study_infer_point {
    double at[MODEL_POSTERIOR_AXES]; /* logarithms */
    double *m;                       /* owned; a value a flow of the measurement */
    size_t patterns;                 /* that were emulated */
};

struct study_infer_hypothesis {
    struct study_hypothesis is;
    enum study_hypothesis_parameter of[MODEL_POSTERIOR_AXES]; /* what an axis is */
    struct model_posterior_grid grid;
    struct study_infer_point *points; /* owned */
    size_t n, capacity, weighed;      /* the first of them, in the posterior */
    struct model_posterior posterior;
    double weight;  /* probability among those that are emulated and none of these, or, of a model, beside them */
    size_t group;   /* the first of the ranking that this measurement does not tell it from, by its index there */
    bool refined;   /* false: too far behind to be looked at closely, or, without `whole`, to be looked at in all
                     * patterns: its evidence is then behind the best by what it was in the first ones */
    bool whole;
};

/* An experiment to do next. */
struct study_infer_experiment {
    char name[64];
    struct study_measurement_pattern pattern; /* its flows' `from` and `to` are hosts of the network */
    double *value[2];  /* owned; what the first and the second hypothesis say: log seconds */
    double nats;       /* that one such measurement is expected to tell, of log odds */
};

/* What the answer lacks where time was over, the most last: experiments; points of grids; patterns, for the hypotheses
 * without `whole`. */
enum study_infer_lacks {
    STUDY_INFER_LACKS_NOTHING,
    STUDY_INFER_LACKS_EXPERIMENTS,
    STUDY_INFER_LACKS_POINTS,
    STUDY_INFER_LACKS_PATTERNS
};

struct study_infer {
    struct study_infer_options options;
    const struct study_measurement *measured; /* borrowed */
    struct study_infer_hypothesis *h; /* owned; after study_infer_run() ranked: emulated ones, then models */
    size_t n, n_emulated, capacity;
    enum model_posterior_spread how;
    double spread, degrees;  /* of a value; see model/posterior.h */
    double *y, *k, *r, *known; /* owned as one; of each flow, what model/posterior.h says of them */
    size_t *group;           /* owned; which pattern each flow is of */
    size_t emulations;
    struct study_infer_experiment *experiments; /* owned; the best first */
    size_t n_experiments;
    size_t against;          /* index of the hypothesis that the experiments tell from the first; 0: none */
    enum study_infer_lacks lacks; /* because of until_s */
    double none_log_evidence, none_weight; /* of "none of these" */
    size_t left_out;         /* hypotheses that were not emulated before until_s: they are not in the ranking */
    int signal;              /* that ended it early; 0 */
};

/* Adds a hypothesis, once for each placement of the measurement. */
bool study_infer_add(struct study_infer *x, const char *text, struct error *err);

/* Emulates, weighs and ranks. Where no hypothesis was emulated before until_s, n is 0. ERROR_INPUT when a host is not in the network, ERROR_SYSTEM when an engine fails. */
bool study_infer_run(struct study_infer *x, struct error *err);

/* Emulates the first points of every hypothesis' grid in all patterns, `most` of each evenly, one where nothing is searched
 * for; and weighs nothing: h[].points has what they say. */
bool study_infer_points(struct study_infer *x, size_t most, struct error *err);

/* What the first of the ranking and the next one that is another say of patterns in this network. */
bool study_infer_next(struct study_infer *x, struct error *err);

void study_infer_fini(struct study_infer *x); /* safe on a zeroed one */

/* Does the hypothesis miss what was measured by more than it can by chance, but once in a hundred times? False where it
 * was not emulated in all patterns. */
bool study_infer_misses(const struct study_infer_hypothesis *h);

/* A parameter's most probable value; NAN where it is not searched for. */
double study_infer_best(const struct study_infer_hypothesis *h, enum study_hypothesis_parameter parameter);
