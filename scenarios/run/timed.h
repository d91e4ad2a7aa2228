/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/run/timed.h - what a scenario has happen at its times, beside what flows do: frames at a steady rate that
 * nobody acknowledges, and congestion windows that it gives. */
#pragma once

#include "scenarios/scenario.h"

struct datagrams;

/* Schedules those of the scenario; all is borrowed until it is freed. *sent grows with each. NULL: it has none. */
struct datagrams *datagrams_new(const struct scenario *s, struct emu_network *network, const struct emu_clock *clock,
                                int64_t *sent);

struct windows;

/* Schedules them; the flows are added. NULL: no flow is under the control `given`. */
struct windows *windows_new(const struct scenario *s, struct emu_engine *e);
