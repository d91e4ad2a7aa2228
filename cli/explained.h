/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/explained.h - what explain and analyze --report say of a flow: its round trip's parts, and a sentence. */
#ifndef CLI_EXPLAINED_H
#define CLI_EXPLAINED_H

#include "analysis/limit.h"
#include "cli/table.h"

#define EXPLAINED_TEXT 512
#define EXPLAINED_MOSTLY 0.5 /* of the round trip: named as its cause */
#define EXPLAINED_COLUMNS 11
#define EXPLAINED_LEAST_GROUPS 20 /* of ACKs, to speak of a share */

struct explained {
    struct analysis_flow flow;
    size_t slot; /* in the table */
    struct analysis_explanation x;
    enum analysis_tap_place tap;
    enum analysis_limit limit;
    struct xi groups;            /* of ACKs */
    struct analysis_limit_phase phases[ANALYSIS_LIMIT_PHASES];
    size_t n_phases;
    double rtt_s;                /* floor and both waits; NAN without timestamps */
    double ack_share, compressed; /* compressed: NAN with few groups */
};

/* The bulk flows of a table that keeps explanations, in its order; *list is for free(). `flow.bins` in it borrow
 * from the table. */
bool explained_bulk(const struct analysis_flows *f, struct explained **list, size_t *n, struct error *err);

/* A row of explain's table; the first two columns are texts. */
void explained_row(struct cli_table *t, const struct explained *e);
extern const char *const explained_head[EXPLAINED_COLUMNS];

/* One sentence for people who do not want to read columns; without the flow's name. */
void explained_say(const struct explained *e, char text[static EXPLAINED_TEXT]);

/* "limited by: sender to 0.512 s, receiver to 4.172 s"; empty for a flow with one limit all along. */
void explained_phases(const struct explained *e, char text[static EXPLAINED_TEXT]);

json_t *explained_json(const char *source, const struct explained *e);

#endif
