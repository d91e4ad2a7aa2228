/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/run/windows.h - congestion windows that the scenario gives, each at its time. */
#pragma once

#include "scenarios/scenario.h"

struct windows;

/* Schedules them; the flows are added. NULL: no flow is under the control `given`. */
struct windows *windows_new(const struct scenario *s, struct emu_engine *e);
