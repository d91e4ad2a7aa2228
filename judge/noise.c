/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/noise.h"

/* Weights by logistic regression, each of ten corpora counted alike, on 9,400 flows of test/corpus whose limit is known:
 * emulated ones of all classes, of Linux in virtual time, whole and begun late. Four are set by reason: no application
 * there writes less than whole segments, and few were seen while nothing waited. */
const double judge_noise_odds = 0.6;
const struct judge_noise_mark judge_noise_marks[JUDGE_MARKS] = {
    [JUDGE_MARK_EDGE] = {"the window offered is in flight", -4.5},
    [JUDGE_MARK_REACHED] = {"the window offered was in flight once", -2.4},
    [JUDGE_MARK_LOSSES] = {"losses set the window", -3.8},
    [JUDGE_MARK_GROWS] = {"the congestion window grows", -3.2},
    [JUDGE_MARK_SHORTS] = {"writes end in short segments", 2.0},
    [JUDGE_MARK_IDLE] = {"the sender has nothing to send for a while", 3.2},
    [JUDGE_MARK_RESTARTS] = {"the sender begins anew with nothing in flight", 0.5},
    [JUDGE_MARK_JITTER] = {"what is in flight comes and goes", 0.6},
    [JUDGE_MARK_EVEN] = {"segments leave at even distances", 2.4},
    [JUDGE_MARK_FASTER] = {"the sender was faster", -4.6},
    [JUDGE_MARK_FREED] = {"the sender was faster while its ACKs did not wait", -3.0},
    [JUDGE_MARK_NO_FASTER] = {"the sender was no faster while its ACKs did not wait", 2.0},
    [JUDGE_MARK_LITTLE] = {"never more in flight than a sender begins with", 2.6},
    [JUDGE_MARK_PINNED] = {"as much in flight all the time", 0.1},
    [JUDGE_MARK_BLIND] = {"what is in flight does not show", -1.9},
    [JUDGE_MARK_GUESSED] = {"the window offered does not show", -0.6},
    [JUDGE_MARK_GUESSED_EDGE] = {"likewise, but a power of two makes it what is in flight", -4.8},
};

const struct judge_noise judge_noise = {
    .capacity = 0.004, /* votes are a sixteenth of an octave wide, and their mean is that much better known */
    .wait = 0.03,      /* of waits that are exact in the emulation, five of six are nearer, for stamps with ticks between */
    .model = 0.004,    /* bursts, delayed ACKs and short phases: pairs of runs with and without ACKs first */
    .gain = 0.05,      /* likewise, of what they win */
};

/* Of n paths of test/cli/bench_measure.py (seeds 101, 901 and 902) with a clear truth that lose something for sure k were
 * so: (k + 1) / (n + 2), Laplace's rule, where there are enough. */
const struct judge_noise_trial judge_noise_trial = {
    .accused = 0.98,       /* 59 of 59 */
    .accused_guess = 0.96, /* flows by turns look alike by round trips alone (test/data/iperf3, access-fair): what is lost
                            * has to be certain, by 0.95 / 0.96 */
    .unexplained = 0.5,    /* 5 of 5, too few to lean on */
    .shared = 0.04,        /* none of 23 */
    .wrong = 0.11,         /* 2 of 2; no answer, as 0.11 x 0.5 > 0.05, where much is lost for sure and waits explain too
                            * little of it, and a no where that may be chance */
    .wrong_nowhere = 0.04, /* none of 24, flows by turns */
};
