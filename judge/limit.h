/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge/limit.h - what keeps a flow from sending more: its window, so that it would be faster if its ACKs came sooner,
 * or something else, so that it would not.
 *
 * Whatever holds a window can be seen: the window offered (what is in flight comes near its edge), losses, or
 * congestion control that still grows. An application that sends no more leaves other marks: it runs out of data
 * (short segments, silence, starts from nothing), or spaces its segments evenly. Each mark is a number from 0 to 1
 * (judge/noise.h), and
 *
 *   P(not its window) = 1 / (1 + exp(-(w0 + sum of w_k mark_k)))
 *
 * as logistic regression has it on flows whose limit is known. A sender that none of these marks tells apart keeps a
 * probability between. */
#pragma once

#include "judge/fact.h"

/* Probability that something else than its window, congestion window included, sets the rate: its application or its
 * reader. */
double judge_limit_else(const struct judge_flow *f);

/* Is it its reader that does? */
bool judge_limit_reads(const struct judge_flow *f);

/* The likeliest: application, receiver, window, send buffer, losses, policing; or what the source knows. */
enum judge_cause judge_limit_of(const struct judge_flow *f);
