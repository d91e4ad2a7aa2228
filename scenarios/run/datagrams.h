/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/run/datagrams.h - frames at a steady rate that nobody acknowledges, beside the flows. */
#pragma once

#include "scenarios/scenario.h"

struct datagrams;

/* Schedules those of the scenario; all is borrowed until it is freed. *sent grows with each. NULL: it has none. */
struct datagrams *datagrams_new(const struct scenario *s, struct emu_network *network, const struct emu_clock *clock,
                                int64_t *sent);
