/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/evidence.h - what is known of a host's flows in a phase: where their round trips go, and what keeps each
 * from sending more. For judge/diagnosis.h. */
#ifndef ANALYSIS_EVIDENCE_H
#define ANALYSIS_EVIDENCE_H

#include "analysis/flows/flows.h"
#include "judge/diagnosis.h"

#define ANALYSIS_EVIDENCE_QUEUES 1.5 /* ticks of waiting before the tap: a queue, no clock's tick */
#define ANALYSIS_EVIDENCE_BURSTS 0.25 /* more than its rate a shaper lets pass for a while */
#define ANALYSIS_EVIDENCE_TICKS 2    /* and more: stamps show that there is a wait */
#define ANALYSIS_EVIDENCE_SAMPLES 64 /* of waits over the phase */
#define ANALYSIS_SEGMENTS_PER_ACK 2  /* where none shows: delayed ACKs */

/* What one bulk flow of the host did, and what is told of it; slot: of the flow table. */
struct analysis_told {
    size_t slot;
    bool incoming;
    double rate_bps;
    int64_t loss_events, retransmitted;
    enum judge_cause known; /* what its sender's host says limits it; JUDGE_CAUSE_UNKNOWN: it says nothing */
    double paced_odds; /* log odds of a pace by pulses of load: analysis/pulses.h; 0: there were none */
    bool idle; /* analysis/rules/limit.h: its application had nothing to send in a tenth of the time */
    double floor_s, data_wait_s, ack_wait_s; /* filled by the diagnosis: its round trip in the phase; NAN unknown */
    enum judge_cause limit;                  /* likewise: what keeps it from sending more */
};

/* Of a host whose link was given pulses of load (analysis/pulses.h): when the first began; of each direction, in and out,
 * P(the link is always full) by what they did, either as likely before, and the most that passed the tap while one went that
 * way, bit/s on the wire; NAN unknown. */
struct analysis_pulsed {
    double from_s, full[2], passed_bps[2];
};

/* What is known of the host's ways, in and out, on the wire, besides what its flows show. */
struct analysis_told_ways {
    double capacity_bps[2]; /* NAN unknown; INFINITY: unknown, and not the other way's */
    double other_bps[2];    /* of the data of TCP flows that are not among them */
    const struct analysis_pulsed *pulsed; /* borrowed; NULL: nobody sent pulses of load */
};

struct analysis_evidence {
    const struct analysis_told *flow; /* borrowed */
    struct analysis_clocking_figures clocking;
    struct analysis_wait *waits;      /* borrowed; over its life; slots without a sample are part of those before */
    size_t n_waits;
    double leg_s[ANALYSIS_LEGS];      /* means over the packets of the phase; without any, what it was before */
    bool leg_seen[ANALYSIS_LEGS];     /* there are some */
    double loop_s[ANALYSIS_TIMED], loop_samples[ANALYSIS_TIMED]; /* likewise of loops; NAN and 0 without */
    size_t fastest_bins;              /* analysis_evidence_fastest_bps() of so many bins */
    double fastest_bps;
    double waited_least_s;            /* over the phase: the least that its data waited in a slot; NAN without one */
    double trips_slope, trips_range_s; /* over the phase, slot by slot: how fast its waits grow; most less least */
    double until_s;                   /* when the first pulse of load began, if any did: nothing after it shows in waits */
    double queued_s;                  /* the most that its data wait before the tap, on average over a slot; pulses count: a link
                                       * that they fill is theirs, too */
    double width_s;                   /* of a slot */
    const struct analysis_bins *bins; /* borrowed */
    double bin_s;                     /* of one of them; NAN without */
    struct capture_address peer;      /* its other end */
    double start_s;
    double tick_s;                    /* of its stamps; NAN without them, 0 where they are not used */
    double clock_off_s;               /* how far the capture's clock and an end's leave any pace that they could have */
    double floor_s;                   /* round trip through empty queues */
    double data_wait_s, ack_wait_s;   /* means in the phase; NAN unknown */
    double loop_least_s, loop_wait_s; /* from the tap to the receiver and back: least; mean beyond it */
    double loop_stands_s;             /* likewise, the least mean of a slot in the phase beyond it; NAN unknown */
    double handshake_s;               /* when that began; NAN: not seen */
    double near_s, far_s;             /* of its handshake: from the tap to the host, to the other end, and back */
    double least_s[ANALYSIS_LOOPS], stamped_s[ANALYSIS_LOOPS]; /* its loops at their least: as timed; by its stamps */
    double own_far_s;                 /* the lesser of its handshake's and its data's, to the other end and back */
    double near_least_s, far_least_s; /* through empty queues: analysis/floors.h */
    double lent_s;                    /* of ack_wait_s: what others wait on the way from the tap to its sender */
    double burst_s;                   /* its data behind those before them in bursts from rest; 0: few are in such */
    double missing_s[2];              /* in data and ACK waits: what its stamps' own least leave out */
    double there_s;                   /* of that, on the way from the tap to the other end */
    double unplaced_s;                /* of its waits: nobody saw whether they are its data's, as they are taken to be, or
                                       * its ACKs'; negative: the other way round */
    float before_s, after_s;          /* outgoing data wait so long before the tap, and hardly after it; after it, and
                                       * more than a tick; 0 otherwise */
    double beyond_s, ack_beyond_s;    /* of data_wait_s and ack_wait_s: after the tap; NAN unknown */
    double ack_far_s;                 /* of ack_wait_s: between the tap and the other end */
    float data_beside_s;              /* the longest that data wait which go to its peer, or come from there, as its ACKs */
    double stood_s;                   /* in the queue on the other side, as long as the capture lasts */
    double host_data_s, host_ack_s;   /* of its waits: in a slow host, analysis/host.h */
    double cycle_s, cycle_wait_s;     /* analysis/link.h: of an application that goes on when it is answered; NAN */
    bool lossless;                    /* all its life */
    bool pauses;                      /* its application seems to stop now and then */
    bool reader;                      /* closes its window again and again */
    bool policed;                     /* analysis/policed.h */
    bool coarse;                      /* its waits are of the size of its stamps' ticks */
};

struct analysis_evidence_set {
    struct capture_address address; /* the host's */
    struct analysis_evidence *flow; /* owned */
    struct analysis_wait *waits;    /* owned */
    size_t *by_peer;                /* owned; flows, those to one peer beside each other, in their order; NULL: not
                                     * sorted yet */
    size_t n;
    double from_s, to_s;            /* the phase */
    double ci95_bps;                /* half the width of the 95 % interval of what all carry together; NAN unknown */
    double full_bytes;              /* payload of a full frame */
    double frame_s;                 /* what one takes on the host's link; NAN unknown */
    double segments_per_ack;
    double stamp_s;                 /* what the capture's stamps are multiples of: nothing shorter shows */
    const struct analysis_pulsed *pulsed; /* borrowed; NULL: nobody sent pulses */
    double followed_bps;            /* analysis/follow.h: of the way from the tap on; NAN unknown */
    double interface_bps;           /* on the wire, of what made the capture; NAN unknown */
    double other_bps[2];            /* in and out, on the wire: of flows that are not among these */
    double others_bps[2];           /* likewise, of all that other hosts exchange with the same peers; 0: nothing shows */
    double paused;                  /* share of the capture's time that PAUSE frames in it stop a line */
    bool stopped;                   /* the host's own line rests although frames wait: analysis/host.h */
    enum judge_cause host;       /* what sets its pace there: analysis/host.h; JUDGE_CAUSE_UNKNOWN: nothing */
    bool stands, may_stand; /* a queue stood as long as the capture lasts, or one may have: analysis/standing.h */
    bool either_may;        /* one each way, so that both may have, or one of them */
    bool stood[2];     /* in, out: the link that only may be full is taken to be */
    bool common[2];    /* in, out: analysis/link.h found that data wait in one queue */
    bool stands_there; /* that is on the way from the tap to the other end */
    bool one_sided; /* data of a flow are there, and no ACK of them: frames of one way alone were captured */
    bool headers_cut; /* of most packets of a flow: so are timestamps, or whether there are any */
    bool beside; /* the capture was made at the host, or shows flows of it to several others: all its traffic is there */
};

/* What a frame carries of segments of so many bytes: as many, up to jumbo frames; of a longer one, which is cut on the
 * wire, or an unknown one (NAN), 1448. */
double analysis_evidence_payload(double full_bytes);

/* On the wire, of a frame that carries so many; of 1538 bytes at least, or where NAN is given. */
double analysis_evidence_frame_bits(double full_bytes);

/* Which of a flow's loops is the one to the host, and to the other end. */
enum analysis_loop analysis_evidence_near(const struct analysis_evidence *e);
enum analysis_loop analysis_evidence_far(const struct analysis_evidence *e);

/* What the capture shows of n flows of a host, whatever stood in queues; free it. frames: how those of the host follow each
 * other; NULL unknown. ways: NULL: nothing is known.
 * Round trips through empty queues come next, by analysis/floors.h and standing.h.
 * before: what was gathered of the same capture's host before this, with the flows that it borrows; where they are these and
 * the phase is this, most is taken from there. It is free'd. Zeroed: nothing was. */
void analysis_evidence_gather(struct analysis_evidence_set *s, struct analysis_evidence_set *before,
                              const struct analysis_flows *f, const struct analysis_capacity_host *frames,
                              const struct analysis_told *flows, size_t n, const struct analysis_told_ways *ways,
                              double from_s, double to_s);

/* What gathering ends with: what waits are over the phase, and the flows' order by peer. */
void analysis_evidence_prepare(struct analysis_evidence_set *s);

/* A set of the same evidence, whose flows alone are its own: free(its flow). */
struct analysis_evidence_set analysis_evidence_again(const struct analysis_evidence_set *s);

/* Divides round trips into what data and ACKs wait, once it is known what they take through empty queues. */
void analysis_evidence_divide(struct analysis_evidence_set *s);
void analysis_evidence_free(struct analysis_evidence_set *s);

/* The set's flows, those to one peer beside each other; for free(). */
struct analysis_evidence **analysis_evidence_by_peer(const struct analysis_evidence_set *s);
bool analysis_evidence_same_peer(const struct analysis_evidence *x, const struct analysis_evidence *y);

/* What passed a direction while a pulse of load went that way, bit/s on the wire, where that is a quarter more than bps, as
 * shapers let bursts pass, and its flows' data waited before the tap: then the link carries that. NAN otherwise. */
double analysis_evidence_pulsed_bps(const struct analysis_evidence_set *s, bool incoming, double bps);

/* Mean round trip in the phase. */
double analysis_evidence_rtt_s(const struct analysis_evidence *e);

/* Does that take more than a few ticks of the capture's clock? */
bool analysis_evidence_shows(const struct analysis_evidence_set *s, const struct analysis_evidence *e);

/* Share of the phase in which the sender had nothing in flight and nothing to send; may be slightly negative; 0 where its round trip
 * does not show. */
double analysis_evidence_idle(const struct analysis_evidence_set *s, const struct analysis_evidence *e);

/* The fastest it ever was, over sixteen segments and more, and so long; NAN unknown. */
double analysis_evidence_fastest_bps(const struct analysis_evidence *e, double least_s);

/* The fastest it was, over sixteen segments and more, while neither its ACKs nor its data waited; NAN when they always did. */
double analysis_evidence_unhindered_bps(const struct analysis_evidence *e);

/* The least that its data waited within span_s about a time, or less; NAN outside its life. */
double analysis_evidence_least_s(const struct analysis_evidence *e, double at_s, double span_s);

#endif
