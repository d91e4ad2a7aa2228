/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/emu/fake_engine.h - a clock and frames without a TCP stack, for tests of emu/. */
#pragma once

#include "emu/clock.h"
#include "emu/frame.h"

void fake_reset(void);
struct emu_clock fake_clock(void);
void fake_run(void); /* until no event is left */

extern const struct emu_frame_ops fake_ops;
extern int64_t fake_live; /* handles made and shared less those released: 0 when nothing leaked */

/* A frame of `payload` bytes from host `src` to host `dst` (MAC = host + 1) numbered `id`. */
struct emu_frame fake_frame(int src, int dst, uint32_t payload, int id);
int fake_id(const struct emu_frame *frame);
