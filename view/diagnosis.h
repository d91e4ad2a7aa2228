/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/diagnosis.h - a host's diagnosis in words, for check, explain, replay, fit and reports alike: the answer, what
 * to do about it, and what to try. */
#pragma once

#include "analysis/rules/resource.h"

#include <jansson.h>

#define VIEW_DIAGNOSIS_TEXT 512

/* "yes", "no", "cannot tell" */
const char *view_diagnosis_answer(const struct judge_diagnosis *d);

/* "host 10.0.0.1", "port sw0-sw1 (the same flows at h2)": what was judged, and what else of the same flows. */
#define VIEW_DIAGNOSIS_NAME (2 * ANALYSIS_CHECK_NAME + 64)
void view_diagnosis_name(const struct analysis_resource *r, char text[static VIEW_DIAGNOSIS_NAME]);

/* "69.2 of 91.1 Mb/s; 24 % lost to waiting ACKs (22 to 27 %, 99.8 % sure), in the steady part, 0.96 to 4.16 s": the
 * answer leads, then how sure it is, then what the figures are of. */
void view_diagnosis_figures(const struct analysis_resource *r, char text[static VIEW_DIAGNOSIS_TEXT]);

/* "round trip: idle 0.5 ms, loaded 181 ms (95 %: 190), bufferbloat: much"; false where it does not show. */
bool view_diagnosis_latency(const struct judge_diagnosis *d, char text[static JUDGE_LATENCY_TEXT]);

/* A display filter of Wireshark's that shows the ACKs that wait, or all the flows where none do. False: there is no
 * capture, or it has no ports. */
bool view_diagnosis_filter(const struct analysis_resource *r, char text[static VIEW_DIAGNOSIS_TEXT]);

/* What to do, or what would tell, without a command. */
void view_diagnosis_what(const struct analysis_resource *r, char text[static VIEW_DIAGNOSIS_TEXT]);

/* The i-th thing to type or to set for it; false when there are no more. */
bool view_diagnosis_remedy(const struct analysis_resource *r, size_t i, char text[static VIEW_DIAGNOSIS_TEXT]);

/* On which queues the i-th works; it is there. */
enum judge_remedy_way view_diagnosis_remedy_way(const struct analysis_resource *r, size_t i);

/* The command that estimates what that wins, for free(); NULL when there is none. `source`: a capture or a
 * run's directory. A capture of a run is played through the run's own network. */
char *view_diagnosis_command(const char *source, const struct analysis_resource *r);

/* The answer, "FILE: host HOST: yes: FIGURES", and a line that says why. */
void view_diagnosis_print_answer(FILE *f, const char *source, const struct analysis_resource *r);

/* Up to six lines: the answer and how sure it is; why; round trips; what to do; what to try; a display
 * filter. */
void view_diagnosis_print(FILE *f, const char *source, const struct analysis_resource *r);

/* {"idle": ..., "loaded": ..., "bufferbloat": "much"}; null when nothing is known. */
json_t *view_diagnosis_latency_json(const struct judge_latency *l);

/* Member "diagnosis" of a host; null when it was not diagnosed. */
json_t *view_diagnosis_json(const char *source, const struct analysis_resource *r);
