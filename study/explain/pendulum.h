/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/explain/pendulum.h - do a host's two directions take turns, by a capture alone? */
#pragma once

#include "analysis/pendulum.h"
#include "study/explain/explanation.h"

struct study_pendulum {
    bool known; /* else nothing below is: the capture is beside no host, or nobody waits there both ways */
    struct capture_address host;
    double busy_s; /* waits above it count */
    struct analysis_pendulum waits; /* from the host, and to it */
};

/* Of the host that the capture was made beside. */
bool study_pendulum_make(const struct analysis_flows *f, const struct study_explanations *x, struct study_pendulum *s,
                         struct error *err);

/* What is known, as a sentence without its full stop. */
void study_pendulum_say(const struct study_pendulum *s, char text[static STUDY_EXPLANATION_TEXT]);
