/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/cause.h - what may hold the flows of a host back: a table, a row a cause. */
#ifndef ANALYSIS_CAUSE_H
#define ANALYSIS_CAUSE_H

/* Its evidence is in analysis/diagnosis.c. */
enum analysis_cause {
    ANALYSIS_CAUSE_UNKNOWN,
    ANALYSIS_CAUSE_ACKS,        /* ACKs behind data */
    ANALYSIS_CAUSE_THIN_ACKS,   /* the same, on a line whose slower direction carries them */
    ANALYSIS_CAUSE_OTHER,       /* ACKs behind traffic that is not TCP data of this host */
    ANALYSIS_CAUSE_LOSSES,
    ANALYSIS_CAUSE_APPLICATION,
    ANALYSIS_CAUSE_RECEIVER,    /* a reader that is slow */
    ANALYSIS_CAUSE_WINDOW,      /* buffers, or congestion windows that no loss holds down */
    ANALYSIS_CAUSE_FULL,        /* the link carries what it can */
    ANALYSIS_CAUSE_LINK,        /* another link on the way does; known of a run */
    ANALYSIS_CAUSE_PAUSE,       /* likewise */
    ANALYSIS_CAUSES,
};

struct analysis_cause_row {
    const char *name, *meaning, *remedy; /* remedy: what to do about it, or what would tell */
};
const struct analysis_cause_row *analysis_cause(enum analysis_cause cause);

#endif
