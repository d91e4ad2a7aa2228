/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/latency.h - round trips of words on control connections: while nothing else is on the way, and while data go
 * both ways. Pure. */
#pragma once

#include "judge/latency.h"
#include "measure/test.h"

/* Loaded: what is judged of phases with both directions at once. */
void measure_latency_of(const struct measure_test *t, struct judge_latency *l);
