/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge/cause.h - what may hold the flows of a host back, and what to do about it: the rows of judge/causes.h. */
#pragma once

#include "judge/causes.h"

#include <stdbool.h>

#define JUDGE_CAUSE_ENUM(NAME, ...) JUDGE_CAUSE_##NAME,
enum judge_cause { JUDGE_CAUSE_ROWS(JUDGE_CAUSE_ENUM) JUDGE_CAUSES };

/* Where a remedy works: against queues on the way out of the host, on the way to it, or wherever the loss is. */
enum judge_remedy_way { JUDGE_REMEDY_ANY, JUDGE_REMEDY_OUT, JUDGE_REMEDY_IN };

/* What to type or to set. DEV is a device; HOST, WHERE (the queue), RATE (a little below that of the queue) and FEWER
 * (what fewer ACKs win; where they win nothing, it does not apply) follow from the diagnosis. */
struct judge_remedy {
    enum judge_remedy_way way;
    const char *text;
};

/* What following them would bring: judge/ground.h says how much of it there is. */
enum judge_gains {
    JUDGE_GAINS_NOTHING, /* no bandwidth: they only show more, or what holds the flows is not in the network */
    JUDGE_GAINS_WAITS,   /* what would be possible if no ACK waited */
    JUDGE_GAINS_ROOM,    /* what the link has room for */
    JUDGE_GAINS_UNSEEN,  /* what nothing here shows */
};

#define JUDGE_CAUSE_REMEDIES 10
#define JUDGE_CAUSE_FEWER_ACKS 10 /* packets of an ACK that QUIC's receivers may be asked for
                                   * (draft-fairhurst-quic-ack-scaling) */

struct judge_advice {
    const char *what;    /* to do about it, or what would tell */
    const char *what_if; /* options of 'contraflow replay' that estimate it; NULL: it cannot */
    struct judge_remedy remedies[JUDGE_CAUSE_REMEDIES]; /* the first is the plainest; ends with a NULL text */
};

struct judge_cause_row {
    const char *name, *meaning;
    enum judge_gains gains;
    struct judge_advice advice;
};
const struct judge_cause_row *judge_cause(enum judge_cause cause);

/* To flows of QUIC: nobody on the way knows their ACKs, no sysctl sets their windows, and receivers may be asked for fewer
 * ACKs. */
const struct judge_advice *judge_cause_advice(enum judge_cause cause, bool quic);
