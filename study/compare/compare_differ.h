/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/compare/compare_differ.h - in what else two sources differ than in what they carried. */
#pragma once

#include "study/compare/compare_host.h"

/* Fills h->difference: of flows, windows and links as judged, and of emulated runs (`run`, their directories; NULL:
 * a capture or a measurement) the keys of their scenarios. What cannot be read is left out: both have been judged. */
void study_compare_differ(struct study_compare_host *h, const char *const run[STUDY_COMPARE_SIDES]);
