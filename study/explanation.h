/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/explanation.h - the bulk flows of a capture, explained: the parts of each round trip, what limits the
 * flow, and both as a sentence. */
#ifndef STUDY_EXPLANATION_H
#define STUDY_EXPLANATION_H

#include "analysis/limit.h"

#define STUDY_EXPLANATION_TEXT 512
#define STUDY_EXPLANATION_MOSTLY 0.5 /* of the round trip: named as its cause */
#define STUDY_EXPLANATION_LEAST_GROUPS 20 /* of ACKs, to speak of a share */

struct study_explanation {
    struct analysis_flow flow;
    size_t slot; /* in the table */
    struct analysis_round_trip_figures x;
    enum analysis_tap_place tap;
    enum analysis_limit limit;
    struct compression groups;            /* of ACKs */
    struct analysis_limit_phase phases[ANALYSIS_LIMIT_PHASES];
    size_t n_phases;
    double rtt_s;                /* floor and both waits; NAN without timestamps */
    double ack_share, compressed; /* compressed: NAN with few groups */
};

/* The n bulk flows of a table that keeps explanations, in its order, for free(). `flow.bins` in them borrow from the
 * table. */
struct study_explanation *study_explanation_bulk(const struct analysis_flows *f, size_t *n);

/* One sentence for people who do not want to read columns; without the flow's name. */
void study_explanation_say(const struct study_explanation *e, char text[static STUDY_EXPLANATION_TEXT]);

/* "limited by: sender to 0.512 s, receiver to 4.172 s"; empty for a flow with one limit all along. */
void study_explanation_phases(const struct study_explanation *e, char text[static STUDY_EXPLANATION_TEXT]);

#endif
