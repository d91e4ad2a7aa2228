/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/policed.h - losses by a policer. */
#pragma once

#include "analysis/evidence.h"

/* A token bucket without a queue drops what is beyond its rate: losses again and again at a rate that does not change,
 * and nothing waits, while a queue that drops holds frames. Says so of the flows that lose. */
void analysis_policed_find(struct analysis_evidence_set *s);
