/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/verdict/experiment.h - ACKs first against FIFO on the same live flows, in random order: the plan, and the
 * analysis that is fixed before.
 *
 * Blocks of time come in fours. A block has one queue and one setting of segmentation offloads; each pair of settings
 * comes once in a four, in an order drawn from the seed, and the block's capture begins at a moment drawn, too, so that it
 * never shows how anything began. */
#ifndef STUDY_EXPERIMENT_H
#define STUDY_EXPERIMENT_H

#include "base/error.h"
#include "base/estimate.h"
#include "judge/diagnosis.h"

#define STUDY_EXPERIMENT_FOURS 16   /* at most: all ways to put signs to them are counted */
#define STUDY_EXPERIMENT_SETTLE 0.25 /* of a block: before any capture begins */
#define STUDY_EXPERIMENT_CAPTURE (1.0 / 3) /* of a block: a capture's length */

struct study_experiment_block {
    size_t four;
    bool ack_first, offloads;
    double capture_at_s; /* after the block's beginning */
    double bps; /* by its capture: payload of all TCP, once, both directions together, over the time that data pass */
    /* What is said of the host whose flows carry most: unknown and NAN where none shares anything. */
    double lost_share;
    enum judge_answer answer;
};

struct study_experiment {
    int64_t seed, fours; /* 2 to STUDY_EXPERIMENT_FOURS */
    double block_s;
    struct study_experiment_block block[4 * STUDY_EXPERIMENT_FOURS];
};

/* Draws all of block[4 * fours] from the seed. */
void study_experiment_plan(struct study_experiment *e);

/* Fills what a block's capture says. ERROR_INPUT where it has no data. */
bool study_experiment_judge(struct study_experiment_block *b, const char *path, struct error *err);

enum study_experiment_kind {
    STUDY_EXPERIMENT_QUEUE,    /* ACKs first over FIFO */
    STUDY_EXPERIMENT_OFFLOADS, /* off over on */
    STUDY_EXPERIMENT_BOTH,     /* the queue's effect with offloads off over that with them on */
    STUDY_EXPERIMENT_KINDS,
};

/* d_f of four f is the mean of ln(bps) of its blocks with one level, less that with the other; of BOTH the difference
 * between the queue's two differences. */
struct study_experiment_effect {
    struct estimate log; /* of d: mean, and Student's t over the fours, which are what was drawn */
    double p; /* the share of all signs of d_1 .. d_n whose mean is as far from 0 or farther (Fisher 1935, The Design of
               * Experiments, sec. 21): within a four either level was as likely at each place */
};

struct study_experiment_effect study_experiment_effect(const struct study_experiment *e, enum study_experiment_kind kind);

#define STUDY_EXPERIMENT_P 0.05

/* Do ACKs first carry more? Yes: by chance p <= STUDY_EXPERIMENT_P and they do. No: all of the 95 % interval is below
 * JUDGE_DIAGNOSIS_TOTAL, which is what the judge's yes asks for. Else unknown. */
enum judge_answer study_experiment_answer(const struct study_experiment_effect *queue);

/* What the judge said that ACKs first would carry more, 1 / (1 - lost) - 1, by the mean over FIFO's blocks; NAN where it did
 * not know. */
double study_experiment_foretold(const struct study_experiment *e);

#endif
