/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/explain/explanation.h - the bulk flows of a capture, explained: the parts of each round trip, what limits the
 * flow, and both as a sentence. */
#pragma once

#include "analysis/rules/resource.h"

#define STUDY_EXPLANATION_TEXT 512
#define STUDY_EXPLANATION_MOSTLY 0.5 /* of the round trip: named as its cause */
#define STUDY_EXPLANATION_LEAST_GROUPS 20 /* of ACKs, to speak of a share */

struct study_explanation {
    struct analysis_flow flow;
    size_t slot; /* in the table */
    struct analysis_round_trip_figures x; /* of its life */
    double steady_bps;           /* goodput in the phase judged; else where it is steady itself; NAN unknown */
    bool judged;                 /* with a host it shares; else nobody asked for the next two */
    enum judge_answer answer;
    enum judge_cause cause;
    double floor_s, data_wait_s, ack_wait_s; /* in the phase judged, by the diagnosis; else of its life */
    double stood_s[2]; /* of data and ACK waits: what its own series (analysis_flows_waits()) lacks of them */
    enum analysis_tap_place tap, held; /* held: as late, or early, as its ACKs are over its life */
    enum analysis_limit limit;
    struct compression groups;            /* of ACKs */
    struct analysis_limit_phase phases[ANALYSIS_LIMIT_PHASES];
    size_t n_phases;
    double rtt_s;                /* floor and both waits; NAN without timestamps */
    double ack_share, compressed; /* compressed: NAN with few groups */
};

struct study_explanations { /* zeroed: none */
    struct study_explanation *flow; /* owned; the bulk flows in the table's order */
    size_t n;
    struct analysis_resources hosts; /* owned; those they share, judged */
    bool tap_known;
    struct capture_address tap; /* the host that the capture was made beside */
};

/* Of a table that keeps explanations, from which the result borrows. */
void study_explanation_make(struct study_explanations *x, const struct analysis_flows *f);
void study_explanation_fini(struct study_explanations *x);

/* One sentence for people who do not want to read columns; without the flow's name. */
void study_explanation_say(const struct study_explanation *e, char text[static STUDY_EXPLANATION_TEXT]);

/* "limited by: sender to 0.512 s, receiver to 4.172 s"; empty for a flow with one limit all along. */
void study_explanation_phases(const struct study_explanation *e, char text[static STUDY_EXPLANATION_TEXT]);
