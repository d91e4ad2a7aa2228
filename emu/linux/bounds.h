/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/linux/bounds.h - until when the kernel inside may run while events wait: no event reaches a host before. */
#pragma once

#include "base/std.h"

struct linux_bounds {
    struct linux_bound {
        int64_t bound_ps, time_ps;
    } *heap; /* owned; the least bound first */
    size_t n, capacity;
};

/* An event at time_ps reaches a host at bound_ps, not below that, at the earliest. */
void linux_bounds_add(struct linux_bounds *b, int64_t time_ps, int64_t bound_ps);

/* Returns the least bound of events after now_ps; INT64_MAX without any. Forgets events that have run. */
int64_t linux_bounds_least(struct linux_bounds *b, int64_t now_ps);

void linux_bounds_fini(struct linux_bounds *b);
