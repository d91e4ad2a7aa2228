/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge/posterior.h - from facts to an answer.
 *
 * What facts leave open (judge/path.h) is drawn JUDGE_POSTERIOR_DRAWS times, evenly: the points of a Kronecker sequence
 * (alpha_d = phi^-(d + 1), phi the root of phi^(D + 1) = phi + 1; Roberts 2018), so that the same facts have the same
 * answer. Each draw predicts what would be possible. The share Y of them for which that is enough for a yes decides: more
 * than 95 % yes, less than 5 % no. Besides, nature may do what no hypothesis here has, with probability N (judge/noise.h),
 * so the answer's probability is (1 - N) Y + N / 2. What is possible and lost are medians, and 95 % / (1 - N) of the draws
 * are within ci95 of what is lost. */
#pragma once

#include "judge/diagnosis.h"

#define JUDGE_POSTERIOR_DRAWS 512

/* What may be so, and how likely it was before: the same flows, under different assumptions that only one capture
 * cannot tell apart. Weights need not add up to 1. */
struct judge_case {
    const struct judge_facts *facts; /* borrowed */
    double weight;
};

/* Cases have the same flows in the same order; the first is the likeliest, by which causes are named. */
void judge_posterior_decide(const struct judge_case *cases, size_t n, struct judge_diagnosis *out);

/* The same of cases that are made one after the other, so that of many flows there are two at a time: the facts of the first are
 * borrowed all the time, of any other until the next one is made. */
typedef struct judge_case judge_posterior_make(void *user, size_t i);
void judge_posterior_decide_each(judge_posterior_make *make, void *user, size_t n, struct judge_diagnosis *out);
