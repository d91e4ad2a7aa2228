/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge/cause.h - what may hold the flows of a host back, and what to do about it: a table, a row a cause. */
#ifndef JUDGE_CAUSE_H
#define JUDGE_CAUSE_H

/* judge/limit.c and judge/ground.c find it. */
enum judge_cause {
    JUDGE_CAUSE_UNKNOWN,
    JUDGE_CAUSE_ACKS,        /* ACKs behind data */
    JUDGE_CAUSE_THIN_ACKS,   /* the same, on a line whose slower direction carries them */
    JUDGE_CAUSE_OTHER,       /* ACKs behind traffic that is not data of these flows */
    JUDGE_CAUSE_THIN_PATH,   /* ACKs behind nothing but ACKs */
    JUDGE_CAUSE_LOSSES,
    JUDGE_CAUSE_POLICING,    /* losses without a queue */
    JUDGE_CAUSE_APPLICATION,
    JUDGE_CAUSE_RECEIVER,    /* a reader that is slow */
    JUDGE_CAUSE_WINDOW,      /* buffers, or congestion windows that no loss holds down */
    JUDGE_CAUSE_SEND_BUFFER, /* bytes in flight that never change, below the window offered */
    JUDGE_CAUSE_FULL,        /* the link carries what it can */
    JUDGE_CAUSE_ONE_WAY,     /* likewise, and there are no data the other way */
    JUDGE_CAUSE_LINK,        /* another link on the way does */
    JUDGE_CAUSE_PAUSE,       /* a line rests although frames wait */
    JUDGE_CAUSE_SLOW_HOST,   /* frames wait in the host that receives them */
    JUDGE_CAUSE_SHARED,      /* both directions take turns; only a measurement of its own (measure/) can tell */
    JUDGE_CAUSE_ONE_SIDED,   /* packets of one way are not in the capture: that is why the answer is unknown */
    JUDGE_CAUSE_COARSE,      /* likewise, the capture's clock */
    JUDGE_CAUSES,
};

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

struct judge_cause_row {
    const char *name, *meaning;
    const char *what;    /* to do about it, or what would tell */
    enum judge_gains gains;
    const char *what_if; /* options of 'contraflow replay' that estimate it; NULL: it cannot */
    struct judge_remedy remedies[JUDGE_CAUSE_REMEDIES]; /* the first is the plainest; ends with a NULL text */
};
const struct judge_cause_row *judge_cause(enum judge_cause cause);

/* The same of flows of QUIC: nobody on the way knows their ACKs, no sysctl sets their windows, and receivers may be asked
 * for fewer ACKs. */
const struct judge_cause_row *judge_cause_quic(enum judge_cause cause);

#endif
