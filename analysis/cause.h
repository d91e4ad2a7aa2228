/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/cause.h - what may hold the flows of a host back, and what to do about it: a table, a row a cause. */
#ifndef ANALYSIS_CAUSE_H
#define ANALYSIS_CAUSE_H

/* Its evidence is in analysis/diagnosis.c. */
enum analysis_cause {
    ANALYSIS_CAUSE_UNKNOWN,
    ANALYSIS_CAUSE_ACKS,        /* ACKs behind data */
    ANALYSIS_CAUSE_THIN_ACKS,   /* the same, on a line whose slower direction carries them */
    ANALYSIS_CAUSE_OTHER,       /* ACKs behind traffic that is not TCP data of this host */
    ANALYSIS_CAUSE_THIN_PATH,   /* ACKs behind nothing but ACKs */
    ANALYSIS_CAUSE_LOSSES,
    ANALYSIS_CAUSE_POLICING,    /* losses without a queue */
    ANALYSIS_CAUSE_APPLICATION,
    ANALYSIS_CAUSE_RECEIVER,    /* a reader that is slow */
    ANALYSIS_CAUSE_WINDOW,      /* buffers, or congestion windows that no loss holds down */
    ANALYSIS_CAUSE_SEND_BUFFER, /* bytes in flight that never change, below the window offered */
    ANALYSIS_CAUSE_FULL,        /* the link carries what it can */
    ANALYSIS_CAUSE_ONE_WAY,     /* likewise, and there are no data the other way */
    ANALYSIS_CAUSE_LINK,        /* another link on the way does */
    ANALYSIS_CAUSE_PAUSE,       /* a line rests although frames wait */
    ANALYSIS_CAUSE_SLOW_HOST,   /* frames wait in the host that receives them */
    ANALYSIS_CAUSE_SHARED,      /* both directions take turns; only a measurement of its own (measure/) can tell */
    ANALYSIS_CAUSES,
};

/* Where a remedy works: against queues on the way out of the host, on the way to it, or wherever the loss is. */
enum analysis_remedy_way { ANALYSIS_REMEDY_ANY, ANALYSIS_REMEDY_OUT, ANALYSIS_REMEDY_IN };

/* What to type or to set. DEV is a device; HOST, WHERE (the queue) and RATE (a little below that of the queue) follow
 * from the diagnosis. */
struct analysis_remedy {
    enum analysis_remedy_way way;
    const char *text;
};

#define ANALYSIS_CAUSE_REMEDIES 10

struct analysis_cause_row {
    const char *name, *meaning;
    const char *what;    /* to do about it, or what would tell */
    const char *what_if; /* options of 'contraflow replay' that estimate it; NULL: it cannot */
    struct analysis_remedy remedies[ANALYSIS_CAUSE_REMEDIES]; /* the first is the plainest; ends with a NULL text */
};
const struct analysis_cause_row *analysis_cause(enum analysis_cause cause);

#endif
