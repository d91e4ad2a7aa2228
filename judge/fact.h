/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge/fact.h - what is known of a host's flows and of its link in a phase, and how well. Adapters measure facts: of a
 * capture (analysis/facts.h), of a run (study/verdict/judge_run_evidence.h). Nobody writes one twice, and the judge writes none.
 * NAN: not seen. Rates are goodput in bit/s unless a name says wire; times are s, sizes bytes of payload. */
#ifndef JUDGE_FACT_H
#define JUDGE_FACT_H

#include "judge/cause.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JUDGE_FULL 1448.0  /* bytes of payload in a full frame of Ethernet with timestamps, where a source does not say */
#define JUDGE_LOSSY 0.001  /* of the segments are sent again: losses set a window */
#define JUDGE_TRIPS 2.0    /* fewer round trips show no rate: what a window brings in one does not show before the next */
#define JUDGE_AROUND 90.0 /* wire bytes of a segment besides its payload, with timestamps; of an ACK, all */

/* What a sender does. */
struct judge_sender {
    double full_bytes;     /* payload of a full segment */
    double flight_bytes;   /* mean in flight; 0 or NAN: does not show */
    double most_bytes;     /* the most that ever was */
    double peak_bytes;     /* likewise in the phase; 0 or NAN: does not show */
    double offered_bytes;  /* the window offered, the least in a slot, mean over slots */
    double offered_most_bytes;
    bool offered_guessed;  /* its scale is not known: the least that has room for most_bytes */
    double offered_swing;  /* mean over slots of how far the window fell, by the most offered */
    double closed_share;   /* of ACKs offer less than two segments */
    double short_share;    /* of segments are short though data follow */
    double tight_share;    /* of segments follow the one before sooner than the mean */
    double idle;           /* share of the time with nothing in flight and nothing to send; may be slightly negative */
    double jitter;         /* in flight from slot to slot, over the mean */
    double fullness;       /* mean over slots of mean / most in flight */
    double grows, grows_ci95; /* segments a round trip by which more is in flight; half of its 95 % interval */
    double fastest_bps;    /* over two round trips and sixteen segments; NAN unknown */
    double free_bps;       /* the fastest it was while nothing waited, neither its ACKs nor its data; NAN: they always did */
    double range;          /* of round trips in the phase, longest less shortest, over the mean; NAN unknown */
};

struct judge_flow {
    bool incoming;
    bool lossless;           /* all its life */
    bool coarse;             /* waits are of the size of its stamps' ticks: data and ACKs are told apart by the tap alone,
                              * and what outgoing data wait after it passes for waits of their ACKs */
    bool behind;             /* its ACKs are known to pass queues of data */
    bool policed;            /* what it loses, it loses at a steady rate and without a queue */
    enum judge_cause known;  /* what limits it, where the source knows; JUDGE_CAUSE_UNKNOWN: it has to be judged */
    double rate_bps;
    int64_t loss_events;
    double floor_s, data_wait_s, ack_wait_s; /* its round trip: through empty queues, and means of what is beyond that */
    double data_least_s;     /* the least that its data waited in a queue that was once seen empty; NAN unknown, or
                              * coarse */
    double data_waits;       /* share of the time in which some queue that they pass does not run empty: even the least that
                              * they wait in a round trip is JUDGE_PATH_STANDS of their mean wait; 0 unknown */
    double wait_sd_s;        /* deviation of either mean */
    double unplaced_s;       /* of its data's waits: they may as well be its ACKs'; negative: the other way round */
    double host_data_s, host_ack_s; /* of these waits: in a slow host, which no order of service spares */
    double beside_s;         /* longest that data wait which pass all queues that its ACKs do */
    double rests;            /* share of the time in which nothing is in flight, as its application has nothing to send */
    double most_bps;         /* what another link on its way lets pass; INFINITY: not known */
    double window_bps;       /* what the windows offered let pass through empty queues; INFINITY: not known */
    double cycle_s, cycle_wait_s; /* of an application that goes on when it is answered: a cycle, and how much of it are
                                   * waits of ACKs */
    double clocked, clocked_sd;   /* how much of a late answer the pause after it makes up for: 0, it waits for answers; 1,
                                   * a clock starts it; with its deviation. NAN: there are no cycles */
    double paced_odds;       /* logarithm of how many times likelier what pulses of load did to it (analysis/pulses.h) is of
                              * a sender with a pace than of a window; 0: there was none */
    struct judge_sender sender;
};

/* Where a capacity comes from. */
enum judge_capacity_source {
    JUDGE_CAPACITY_UNKNOWN,
    JUDGE_CAPACITY_DISPERSION, /* frames back to back */
    JUDGE_CAPACITY_QUEUE,      /* what passes a queue that never runs empty */
    JUDGE_CAPACITY_FOLLOWED,   /* waits in such a queue, which follow the bytes that join it */
    JUDGE_CAPACITY_ASSUMED,    /* the other direction's */
    JUDGE_CAPACITY_INTERFACE,  /* the capturing one's, where data wait nowhere */
    JUDGE_CAPACITY_KNOWN,      /* a run's, or said */
    JUDGE_CAPACITY_SOURCES,
};
const char *judge_capacity_source_name(enum judge_capacity_source source);

/* One direction of the link that the flows share. */
struct judge_link {
    double capacity_bps;       /* on the wire */
    enum judge_capacity_source source;
    double other_bps;          /* on the wire, of flows that are not among these */
    double works;              /* the least share of the time that it works, where data wait at a link whose rate does
                                * not show; 0: not so */
    double drain_s;            /* how long all that is in flight that way takes to pass it; INFINITY unknown */
    bool unlike;               /* its rate is taken to be the other direction's, which is none of an Ethernet's, and windows
                                * are equal both ways: so as much passes as there, whatever it could carry (Eq. 6) */
    bool hidden;               /* frames may be back to back for all that the capture's clock shows */
    bool apart;                /* its flows wait each behind a slower link of their own */
    bool slower;               /* they seem to wait behind a slower link after the tap */
    bool acks_stand;           /* ACKs of its data wait in a queue that never runs empty */
    bool acks_beyond;          /* and that is after the tap */
    bool acks_hidden;          /* they wait where queues may hold what is not the host's */
    bool acks_beside;          /* data of other hosts are seen to go their way, to the same peers */
    bool acks_mixed;           /* and follow each other there less evenly than a queue of ACKs alone serves them */
};

/* What flows carried with ACKs first at every queue, where that was tried: in, out, and both together; and half the
 * width of the 95 % interval of the share that they lose without, in the long run. NAN: nobody knows it, or there is no
 * long run, as the flows end. */
struct judge_tried {
    double bps[3], lost_ci95[3];
};

struct judge_trial; /* judge/trial.h */

struct judge_facts {
    const struct judge_flow *flow; /* borrowed */
    size_t n;
    struct judge_link in, out;
    double full_bytes;          /* payload of a full frame */
    double segments_per_ack;
    double ci95_bps;            /* half the width of the 95 % interval of what all carry together; NAN unknown */
    bool beside;                /* all of the host's traffic is there */
    bool one_sided;             /* but for one way: ACKs of data that are there are not */
    bool headers_cut;           /* without timestamps, but for what the capture left of them */
    double clock_off_s;         /* the capture's clock or a host's was set meanwhile, by so much at least; 0: none was, so
                                 * that it matters */
    double trips;               /* round trips that the phase lasts, the longer of both ways' means; 0: not known */
    bool stood;                 /* a queue may have stood since before the capture began: this is one case of several */
    bool stopped;               /* the host's line rests although frames wait */
    enum judge_cause host;      /* what sets the pace there: PAUSE or a slow host; JUDGE_CAUSE_UNKNOWN: nothing */
    const struct judge_tried *tried; /* borrowed; NULL: nobody tried */
    const struct judge_trial *trial; /* borrowed; likewise one way at a time, which decides; NULL */
    struct judge_sums {
        bool known;             /* false: they are summed up each time, which a draw of each flow would do */
        double carried_bps[2];  /* incoming, outgoing */
        double data_wait_s[2];  /* of their data, means by their rates, */
        double trip_s[2];       /* and of their round trips */
        bool lossy;             /* some flow loses segments */
    } sums;                     /* judge_facts_summed() */
};

/* The same, with its sums, for as long as nobody changes its flows. */
struct judge_facts judge_facts_summed(const struct judge_facts *s);

/* Bytes on the wire that ACKs take the other way, for each byte of payload that they acknowledge: A / (k S) of judge/path.h. */
static inline double judge_facts_acks(double segments_per_ack, double full_bytes)
{
    return JUDGE_AROUND / (segments_per_ack * full_bytes);
}

/* Does the phase last too few round trips to show rates? */
static inline bool judge_facts_brief(const struct judge_facts *s)
{
    return s->trips > 0 && s->trips < JUDGE_TRIPS;
}

/* Mean round trip. */
double judge_flow_trip_s(const struct judge_flow *f);

/* One direction: its link, and the goodput of its flows. */
const struct judge_link *judge_facts_link(const struct judge_facts *s, bool incoming);
double judge_facts_carried_bps(const struct judge_facts *s, bool incoming);
bool judge_facts_lossy(const struct judge_facts *s);
/* Of one direction, means by rates; NAN without any flow. */
double judge_facts_data_wait_s(const struct judge_facts *s, bool incoming);
double judge_facts_trip_s(const struct judge_facts *s, bool incoming);

#endif
