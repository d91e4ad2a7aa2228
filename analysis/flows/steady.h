/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/steady.h - where a series has settled. */
#pragma once

#include <stddef.h>

/* Truncation point d in [0, n/2] that minimises
 *   MSER(d) = sum over i >= d of (x_i - mean_d)^2 / (n - d)^2,    mean_d over the same i
 * over at most 32 batches x_i of the samples (White 1997, "An effective truncation heuristic for bias
 * reduction in simulation output"; batches: White and Spratt 2000, MSER-5). Batches because TCP's
 * bandwidth jumps from one round trip to the next by more than a slow start drifts in that time.
 * 0 when n < 4. The smallest d wins a tie. */
size_t analysis_steady_start(const double *samples, size_t n);
