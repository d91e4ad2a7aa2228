/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge/marks.h - the marks of a sender by which judge/limit.h tells what limits it; apart for those who fit their
 * weights. */
#pragma once

#include "judge/fact.h"
#include "judge/noise.h"

void judge_marks_of(const struct judge_flow *f, double m[JUDGE_MARKS]);
