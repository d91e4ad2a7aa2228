/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/run_network.h - windows and links of a scenario as model/ sees them. */
#pragma once

#include "model/degree.h"
#include "scenarios/scenario.h"

/* A flow's window: the smaller of its two socket buffers. */
double study_run_network_window(const struct emu_tcp_config *tcp);

/* A host's link as flows of the scenario use it. */
struct model_link study_run_network_link(const struct scenario *s);
