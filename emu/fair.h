/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/fair.h - fair queueing: deficit round robin over flows (Shreedhar and Varghese 1996), as Linux's fq and fq_codel
 * serve theirs, without a delay target.
 *
 * Flows hash into buckets; each bucket with frames gets a quantum of a full frame a turn. A full buffer drops the
 * oldest frame of the bucket with most bytes, whoever's frame comes. */
#ifndef EMU_FAIR_H
#define EMU_FAIR_H

#include "emu/queue.h"

#define EMU_FAIR_BUCKETS 1024 /* a power of two, as fq_codel's default */

struct emu_fair;

struct emu_fair *emu_fair_new(void);
void emu_fair_free(struct emu_fair *f, const struct emu_frame_ops *ops);

/* `flow`: whatever tells flows apart. */
void emu_fair_push(struct emu_fair *f, const struct emu_frame *frame, uint32_t flow);
bool emu_fair_pop(struct emu_fair *f, struct emu_frame *frame);

/* Buffer bytes of the frame a full buffer gives up, 0 when empty; and takes it. */
int64_t emu_fair_evictable_bytes(const struct emu_fair *f);
void emu_fair_evict(struct emu_fair *f, struct emu_frame *frame);

#endif
