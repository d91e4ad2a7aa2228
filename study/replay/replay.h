/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/replay/replay.h - the bulk flows of a capture as a scenario, and what would have been with other queues, buffers or
 * windows. */
#pragma once

#include "analysis/rules/resource.h"
#include "scenarios/scenario.h"

#define STUDY_REPLAY_VARIANTS 64
#define STUDY_REPLAY_MAPS 256

struct study_replay_map {
    struct capture_address address;
    int host;
};

/* A flow of the capture beside the one that plays it. */
struct study_replay_flow {
    char from[ANALYSIS_ENDPOINT_TEXT], to[ANALYSIS_ENDPOINT_TEXT];
    double measured_bps;  /* unique payload from its first to its last packet */
    bool until_the_end;   /* it was still sending when the capture ended: played until then, not for its bytes */
    bool lossy;
    bool shrinks;         /* its window did though nothing was lost, as BBR's does */
    enum judge_cause limit; /* judge_limit_of(), or the full link; by it the flow is played */
    double otherwise;     /* the judge's probability that something else than its window holds it; NAN: not asked */
    bool window_unknown;  /* nobody stamped: what was in flight at the sender is not known */
    double windows_by;    /* its captured windows are played so many times as large */
    double settled_bps;   /* its goodput once all flows were active and settled */
    double paced_bps;     /* mean rate of one that takes turns with the other end, or fills its link with what its application
                           * sends; 0: of any other */
    int pauses;           /* of its application */
};

/* What comes of the what-ifs. */
enum study_replay_answer {
    STUDY_REPLAY_TOLD,
    STUDY_REPLAY_REFUSED,  /* this is no replay of the capture, or knows nothing of the change */
    STUDY_REPLAY_UNKNOWN,  /* study_replay_doubts(): nobody can tell */
};
const char *study_replay_answer_name(enum study_replay_answer answer); /* "told", "refused", "unknown" */

struct study_replay {
    struct scenario scenario;  /* network and TCP of the scenario file, flows of the capture */
    struct study_replay_flow *flows; /* owned; as scenario.flows */
    int n_flows, left_out;     /* flows too small to matter */
    char frames[32];           /* option of the engine: what a play may cost, by what was captured */
    int windows_unknown;       /* of n_flows: played with the scenario's */
    enum study_replay_answer answer;
    char refused[240];         /* why it is not STUDY_REPLAY_TOLD; "" */
    char assumed[80];          /* of study_replay_guesses(): what comes nearest; "" */
    struct analysis_resources hosts; /* owned; the capture as judged, whose facts the network is */
    int judged_host;           /* the first of them, of which the answer speaks; h0 unless it was placed otherwise */
    struct study_replay_map maps[STUDY_REPLAY_MAPS];
    int n_maps, n_given;       /* addresses placed; those the user did */
    bool reads_network;        /* given: the scenario leaves the link's rate to the capture */
    bool reads_start;          /* given: and the first congestion window: its usual ten segments, or warm */
    bool reads_acks;           /* given: and how many segments an ACK is for */
    double segments_per_ack;   /* of the capture, if so; 0: that does not show */
    bool reads_segment;        /* given: and the payload of a full segment, where that is a jumbo frame's */
    double rate_bps[2];        /* of the shared host's link, towards it and from it */
    enum judge_capacity_source rate_source[2]; /* the judge's; JUDGE_CAPACITY_UNKNOWN: it is only taken to be so fast */
    double rate_most_bps[2];   /* it is no faster, by how long data wait; the same where the capture shows it */
    double carried_most_bps[2]; /* on the wire, in 100 ms */
    bool apart[2];             /* its flows wait each behind a slower link of their own, and here behind one */
    double buffer_bytes[2];    /* what the queues before it held at most, where data were lost; 0: nothing was lost */
    double settled_s;          /* all flows are active and settled, seconds since the first frame of the capture */
    double other_share[2];     /* of a direction's bytes: traffic that is not TCP, played at its mean rate */
    bool overfull[2];          /* beside it a direction had no room left: more may have been sent than arrived */
    long long retransmitted;   /* segments in the capture, of all flows */
    double floor_s;            /* smallest handshake round trip; NAN when none was seen */
};

#define STUDY_REPLAY_ACKS 2     /* segments an ACK, at most: Linux's own receivers, without a NIC that merges segments */
#define STUDY_REPLAY_OTHER 0.02 /* of a direction's bytes: less than that of other traffic is none */

#define STUDY_REPLAY_FLOWS 4096

/* Fills r, whose scenario is loaded and whose given maps are set, from a table that keeps explanations. ERROR_INPUT
 * when there is no bulk flow, or more than STUDY_REPLAY_FLOWS, or an address that has no host. */
bool study_replay_build(struct study_replay *r, const struct analysis_flows *table, struct error *err);
void study_replay_fini(struct study_replay *r);

/* Bytes in flight at most: flow i's window, or the mean of its captured ones where those are played. */
double study_replay_window(const struct study_replay *r, int i);

/* "ack-first@nic", "buffer=500kB@port", "window=1MB", "cc=cubic", "pause", ... changed in *s, which owns its flows. */
bool study_replay_what_if(struct scenario *s, const char *text, struct error *err);

#define STUDY_REPLAY_GUESSES 44

/* What a capture does not show and its rates decide: how queues are served, the congestion control, how deep the
 * buffers are where frames were lost. Texts for study_replay_what_if(), *n of them, the plainest first; "": as it is.
 * What the scenario gives is no guess: `queues`, `congestion`, `buffers` say which are open. */
typedef char study_replay_guess[80];
void study_replay_guesses(const struct study_replay *r, bool queues, bool congestion, bool buffers,
                          study_replay_guess guess[STUDY_REPLAY_GUESSES], int *n);

/* Does the capture show how fast the link is, towards h0 or from it? Not where the other direction's rate is taken. */
bool study_replay_rate_known(const struct study_replay *r, int way);

/* The i-th of what was assumed, in words; false after the last. */
#define STUDY_REPLAY_TEXT 240
bool study_replay_assumes(const struct study_replay *r, int i, char text[static STUDY_REPLAY_TEXT]);

/* Windows as they were captured, whatever made them: see study_replay_needs_windows(). */
void study_replay_guesses_given(study_replay_guess guess[STUDY_REPLAY_GUESSES], int *n);

/* Buffers somewhat smaller and larger than those of a guess; none when it has none. */
void study_replay_guesses_around(const char *best, study_replay_guess guess[STUDY_REPLAY_GUESSES], int *n);

/* "500kB" or, of frames, "100p". ERROR_INPUT without the name of an option. */
bool study_replay_queue_limit(const char *text, struct emu_queue_config *queue, struct error *err);
/* Returns false, and leaves *discipline alone, when it is no name of a discipline. */
bool study_replay_discipline(const char *name, enum emu_discipline *discipline);

/* Whether it can be asked for by its name alone, of TCP segments or of frames without their headers; false and *err. */
bool study_replay_discipline_fits(enum emu_discipline discipline, bool segments, struct error *err);

/* One played variant. */
struct study_replay_run {
    const char *label;     /* borrowed; "baseline" or what was asked */
    bool skipped;          /* there was no time for it */
    char directory[PATH_MAX];
    double *goodput_bps;   /* owned; by flow; NAN when nothing arrived */
    double *settled_bps;   /* the same memory; once all flows were active and settled; NAN for one that had ended */
    double *settled_ci95_bps; /* the same memory; half the width of that one's 95 % interval; NAN unknown */
    long long retransmitted;
};

typedef double study_replay_measure(const struct study_replay *r, const struct study_replay_run *run);
/* The worst flow's error, relative; a flow that did not send at all is off by 1. */
double study_replay_error(const struct study_replay *r, const struct study_replay_run *run);
/* The same with what was retransmitted: the smallest is the best guess. */
double study_replay_distance(const struct study_replay *r, const struct study_replay_run *run);

/* What a change wins: the share of what is carried with it that is lost without, and half the width of its 95 %
 * interval. `way`: 0 both directions together, 1 towards r->judged_host, 2 from it. */
#define STUDY_REPLAY_WAYS 3
struct study_replay_lost {
    double share, ci95;
};

/* By the replay. The interval: of the rates played, by chance; by as much as the baseline is off what was captured; and of
 * replays in general (test/corpus). NAN without settled rates. */
struct study_replay_lost study_replay_lost(const struct study_replay *r, const struct study_replay_run *baseline,
                                           const struct study_replay_run *played, int way);

/* By the judge. ACKs first and fair queues end the waits of ACKs; at one place only that is known
 * where just one direction loses. NAN for changes that it knows nothing of. */
struct study_replay_lost study_replay_expected(const struct judge_diagnosis *d, const char *what_if, int way);

/* Is no congestion control near enough, or is there one that shrinks windows without losses, which we lack? */
bool study_replay_needs_windows(const struct study_replay *r, const struct study_replay_run *run);

/* Why a what-if of this baseline would not be worth its figures; false when it is near enough. */
#define STUDY_REPLAY_NEAR 0.1
bool study_replay_refuses(const struct study_replay *r, const struct study_replay_run *baseline, char why[static 240]);

/* Why this change would not be answered, though the baseline is near: windows as they were captured know no losses and
 * no control. */
bool study_replay_refuses_change(const struct study_replay *r, const char *what_if, char why[static 240]);

/* Why nobody can tell what this change wins, though the baseline is near: it fills a link whose rate does not show; or
 * it ends waits of ACKs, and the judge cannot tell what these cost, or says something else, by more than its interval and
 * the replay's together. `d` NULL: nobody judged. */
bool study_replay_doubts(const struct study_replay *r, const struct judge_diagnosis *d,
                         const struct study_replay_run *baseline, const struct study_replay_run *played,
                         char why[static 240]);

/* Moves the hosts so that each flow's round trip W/x comes nearer to the captured one's; or, under the control `given`,
 * makes its windows larger or smaller. */
void study_replay_calibrate(struct study_replay *r, const struct study_replay_run *run);

/* Gives flows with a paced_bps that rate instead. False: there is none. */
bool study_replay_pace(struct study_replay *r);

void study_replay_scale_windows(struct study_replay *r, int flow, double by);

/* From its directory, where it has been played; label and directory are set. */
bool study_replay_run_read(struct study_replay_run *run, int n_flows, struct error *err);
