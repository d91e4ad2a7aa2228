/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge/noise.h - how far facts and the model are off, and how much each mark of a sender weighs: the one table of the
 * judge's numbers, each with where it comes from. */
#pragma once

#include "judge/fact.h"

/* Marks of a sender, each from 0 (no) to 1 (without doubt). */
enum judge_mark {
    JUDGE_MARK_EDGE,      /* the window offered is in flight, on average */
    JUDGE_MARK_REACHED,   /* it once was */
    JUDGE_MARK_LOSSES,
    JUDGE_MARK_GROWS,     /* by a segment a round trip, as congestion control has it (RFC 5681, section 3.1) */
    JUDGE_MARK_SHORTS,    /* segments are short though the window has room */
    JUDGE_MARK_IDLE,
    JUDGE_MARK_JITTER,    /* what is in flight comes and goes, and nothing is lost */
    JUDGE_MARK_EVEN,      /* segments at even distances, far from the edge */
    JUDGE_MARK_FASTER,    /* it was faster for a while, far from the edge */
    JUDGE_MARK_NO_FASTER, /* it was not while its ACKs did not wait */
    JUDGE_MARK_LITTLE,    /* never more in flight than a sender begins with */
    JUDGE_MARK_BLIND,     /* what is in flight does not show */
    JUDGE_MARK_GUESSED_EDGE, /* what is offered does not show, but a power of two makes it what is in flight */
    JUDGE_MARKS,
};

struct judge_noise_mark {
    const char *what;
    double weight; /* log odds for something else than the window */
};

extern const struct judge_noise_mark judge_noise_marks[JUDGE_MARKS];
extern const double judge_noise_odds; /* log odds without any mark */

/* Deviations, as shares. */
struct judge_noise {
    double none;      /* probability of something that no hypothesis here has, either answer as likely */
    double shared;    /* probability of one medium for both directions, where they carry together what one would */
    double capacity;  /* of a link's rate, by where it comes from */
    double wait;      /* of a wait that stamps show */
    double model;     /* of what is possible */
    double gain_lossy; /* likewise as below, more where flows lose segments */
    double gain[JUDGE_CAPACITY_SOURCES]; /* of what waiting ACKs cost, by where the lesser known link's rate comes from */
};

extern const struct judge_noise judge_noise;

/* Probabilities about what a path that was tried one way at a time loses with both at once (judge/trial.h). */
struct judge_noise_trial {
    double accused;       /* it is lost to waits of ACKs, where all marks say so; */
    double accused_guess; /* likewise where how long these wait is a guess; */
    double unexplained;   /* where they do not say so; */
    double shared;        /* times either, where it looks like one medium for both directions */
    double wrong;         /* waits that were measured are not those of ACKs */
    double wrong_nowhere; /* likewise, where nothing waits at all */
};

extern const struct judge_noise_trial judge_noise_trial;
