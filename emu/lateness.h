/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/lateness.h - how late frames are in wall time.
 *
 * A frame's lateness is the time by which a host's stack gets it after the emulated network says so. A histogram of
 * 8 steps an octave keeps them all; what it says is never below the truth, and at most an eighth above it. While the
 * machine stands still few frames are late, however long that takes: so the time in which one is overdue counts,
 * too. */
#pragma once

#include "base/std.h"

#define EMU_LATENESS_STEPS 8                           /* an octave: a power of two */
#define EMU_LATENESS_BINS ((63 - 3 + 1) * EMU_LATENESS_STEPS) /* of int64_t, in ns */

struct emu_lateness {
    int64_t bound_ps;     /* a frame later than that is late */
    int64_t frames, late;
    int64_t most_ps;
    int64_t overdue_ps;   /* how long a frame that is late had not come, in all; each moment once */
    int64_t overdue_to_ps; /* counted so far */
    int64_t lost; /* frames that the kernel lost on their way between a stack and the emulated network */
    int64_t bins[EMU_LATENESS_BINS];
};

/* Counts a frame that comes at at_ps, not below the one before's, so late. late_ps below 0 counts as 0. */
void emu_lateness_add(struct emu_lateness *l, int64_t at_ps, int64_t late_ps);

/* Returns the lateness, in ps, that a share (0 to 1) of the frames does not exceed: the upper end of its step, and
 * never more than the largest. 0 without frames. */
int64_t emu_lateness_quantile_ps(const struct emu_lateness *l, double share);

/* Returns late frames over all frames; 0 without any. */
double emu_lateness_share(const struct emu_lateness *l);
