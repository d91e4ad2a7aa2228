/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/verdict/regime_setup.h - a star scenario as model/regime.h sees it. */
#pragma once

#include "model/regime.h"
#include "scenarios/scenario.h"

/* Flows in and out of h0, all without end, some of either, no two of which share another host. */
bool study_regime_setup_is_star(const struct scenario *s);

/* Of such a star. NULL, or why it has no closed form: the switch buffers at its inputs, a congestion control that sets
 * windows of its own, ... */
const char *study_regime_setup(const struct scenario *s, struct model_regime_setup *setup);
