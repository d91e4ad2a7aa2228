/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/noise.h"

/* Weights by logistic regression, each of 17 corpora counted alike, on 16,700 flows of test/corpus whose limit is known:
 * emulated ones of all classes, of Linux in virtual time, whole and begun late. Two are set by reason: no application
 * there writes less than whole segments, and few make what is in flight come and go. */
const double judge_noise_odds = 0.6;
const struct judge_noise_mark judge_noise_marks[JUDGE_MARKS] = {
    [JUDGE_MARK_EDGE] = {"the window offered is in flight", -4.6},
    [JUDGE_MARK_REACHED] = {"the window offered was in flight once", -2.4},
    [JUDGE_MARK_LOSSES] = {"losses set the window", -3.5},
    [JUDGE_MARK_GROWS] = {"the congestion window grows", -3.1},
    [JUDGE_MARK_SHORTS] = {"writes end in short segments", 2.0},
    [JUDGE_MARK_IDLE] = {"the sender has nothing to send for a while", 3.6},
    [JUDGE_MARK_JITTER] = {"what is in flight comes and goes", 0.6},
    [JUDGE_MARK_EVEN] = {"segments leave at even distances", 2.6},
    [JUDGE_MARK_FASTER] = {"the sender was faster", -4.2},
    [JUDGE_MARK_NO_FASTER] = {"the sender was no faster while its ACKs did not wait", 1.4},
    [JUDGE_MARK_LITTLE] = {"never more in flight than a sender begins with", 2.3},
    [JUDGE_MARK_BLIND] = {"what is in flight does not show", -2.0},
    [JUDGE_MARK_GUESSED_EDGE] = {"a power of two would make the window offered what is in flight", -5.2},
};

const struct judge_noise judge_noise = {
    .capacity = 0.004, /* votes are a sixteenth of an octave wide, and their mean is that much better known */
    .wait = 0.03,      /* of waits that are exact in the emulation, five of six are nearer, for stamps with ticks between */
    .model = 0.004,    /* bursts, delayed ACKs and short phases: pairs of runs with and without ACKs first */
    .gain = {[JUDGE_CAPACITY_UNKNOWN] = 0.3,
             [JUDGE_CAPACITY_DISPERSION] = 0.05,
             [JUDGE_CAPACITY_QUEUE] = 0.45,
             [JUDGE_CAPACITY_ASSUMED] = 0.1,
             [JUDGE_CAPACITY_INTERFACE] = 0.05,
             [JUDGE_CAPACITY_KNOWN] = 0.05},
};
