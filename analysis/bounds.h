/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/bounds.h - what bounds a flow without making it wait: a send buffer, a policer. */
#ifndef ANALYSIS_BOUNDS_H
#define ANALYSIS_BOUNDS_H

#include "analysis/evidence.h"

/* In flight is always the same and less than the window offered, though nothing was ever lost: no window stays so by
 * itself. And its round trip changes: what an application paces follows that. */
bool analysis_bounds_send_buffer(const struct analysis_evidence_set *s, const struct analysis_evidence *e);

/* A token bucket without a queue drops what is beyond its rate: losses again and again at a rate that does not change,
 * and nothing waits, while a queue that drops holds frames. Says so of the flows of that direction whose limit is
 * losses; what they would carry if no ACK waited is not sure then. */
void analysis_bounds_policing(struct analysis_evidence_set *s, bool incoming);

#endif
