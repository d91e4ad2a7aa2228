/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/pause.h - whom a switch has told to stop (IEEE 802.3x), and when they may go on. */
#ifndef EMU_PAUSE_H
#define EMU_PAUSE_H

#include "emu/switch.h"

struct emu_pause *emu_pause_new(struct emu_switch *s);
void emu_pause_free(struct emu_pause *p);

/* A frame from `in` has entered its buffer on the way to `out`, or has left it. */
void emu_pause_entered(struct emu_pause *p, int in, int out);
void emu_pause_left(struct emu_pause *p, int in, int out);

#endif
