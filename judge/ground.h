/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge/ground.h - the cause of an answer, and its words. */
#pragma once

#include "judge/diagnosis.h"

/* Fills d->cause, d->second and d->why by the rest of *d. Of a yes: what the ACKs of the direction that loses more wait
 * behind. Of a no: full links, or what limits most of the direction that uses its link least. */
void judge_ground_of(const struct judge_facts *s, struct judge_diagnosis *d);

/* Does what is to be done about the cause bring bandwidth, enough of it for a yes? SEEN: a yes, whose possible rates are
 * just that; or windows, send buffers and losses of flows whose link has room for more, of a rate that is known; or fewer ACKs, once they are tried. NONE:
 * it has no room, or nothing of the kind is promised. UNSEEN: nothing here estimates it. */
enum judge_gain { JUDGE_GAIN_NONE, JUDGE_GAIN_UNSEEN, JUDGE_GAIN_SEEN };
enum judge_gain judge_ground_gain(const struct judge_diagnosis *d);
