/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/gro.h - frames that come to a host at one interrupt are merged before TCP sees them, as Linux 6.1 does
 * (generic receive offload; names in parentheses are the kernel's functions).
 *
 * What comes within `within_ps` of a first frame comes in with it, in the order in which it came, by polls of 64 frames
 * (NAPI_POLL_WEIGHT). Within a poll data that continue data of the same connection become one segment of up to 64 kB, as
 * long as they acknowledge the same, with the same window and time stamps (tcp_gro_receive()); a short segment, PSH and
 * FIN end it. At most 8 are open at once (MAX_GRO_SKBS); at the end of a poll all leave, the oldest first. */
#ifndef EMU_NATIVE_GRO_H
#define EMU_NATIVE_GRO_H

#include "emu/native/scheduler.h"
#include "emu/native/segment.h"

#include <stddef.h>

struct native_gro {
    int64_t within_ps;             /* from the first frame to its interrupt; 0: frames come alone */
    struct native_segment **came;  /* owned, and their segments until then; waiting */
    size_t n, capacity;
    void (*deliver)(void *user, struct native_gro *g); /* the interrupt: takes `came` */
    void *user;                    /* borrowed */
};

/* A frame has come; `s` is its host's clock. */
void native_gro_add(struct native_gro *g, struct native_scheduler *s, struct native_segment *segment);

/* Merges what came as the polls of one interrupt do, in place: returns how many are left, in the order in which TCP gets
 * them. What was merged into another is given back to the pool. */
size_t native_gro_merge(struct native_segment **came, size_t n, struct native_pool *plain);

#endif
