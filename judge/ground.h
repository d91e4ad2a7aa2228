/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge/ground.h - the cause of an answer, and its words. */
#ifndef JUDGE_GROUND_H
#define JUDGE_GROUND_H

#include "judge/diagnosis.h"

/* Fills d->cause, d->second and d->why by the rest of *d. Of a yes: what the ACKs of the direction that loses more wait
 * behind. Of a no: full links, or what limits most of the direction that uses its link least. */
void judge_ground_of(const struct judge_facts *s, struct judge_diagnosis *d);

#endif
