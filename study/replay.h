/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/replay.h - the bulk flows of a capture as a scenario, and what would have been with other queues, buffers or
 * windows. */
#ifndef STUDY_REPLAY_H
#define STUDY_REPLAY_H

#include "analysis/flows.h"
#include "scenarios/scenario.h"

#include <limits.h>

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
    double measured_s;    /* between those */
    bool until_the_end;   /* it was still sending when the capture ended: played until then, not for its bytes */
    bool lossy;
    int pauses;           /* of its application */
};

struct study_replay {
    struct scenario scenario;  /* network and TCP of the scenario file, flows of the capture */
    struct study_replay_flow *flows; /* owned; as scenario.flows */
    int n_flows, left_out;     /* flows too small to matter */
    int windows_unknown;       /* of n_flows: played with the scenario's */
    struct study_replay_map maps[STUDY_REPLAY_MAPS];
    int n_maps, n_given;       /* addresses placed; those the user did */
    double floor_s;            /* smallest handshake round trip; NAN when none was seen */
};

/* Fills r, whose scenario is loaded and whose given maps are set, from a table that keeps explanations. ERROR_INPUT
 * when there is no bulk flow, or an address that has no host. */
bool study_replay_build(struct study_replay *r, const struct analysis_flows *table, struct error *err);
void study_replay_fini(struct study_replay *r);

/* "ack-first@nic", "buffer=500kB@port", "window=1MB", "cc=cubic", "pause", ... changed in *s, which owns its flows. */
bool study_replay_what_if(struct scenario *s, const char *text, struct error *err);

/* "500kB" or, of frames, "100p". ERROR_INPUT without the name of an option. */
bool study_replay_queue_limit(const char *text, struct emu_queue_config *queue, struct error *err);
/* Returns false, and leaves *discipline alone, when it is no name of a discipline. */
bool study_replay_discipline(const char *name, enum emu_discipline *discipline);

/* One played variant. */
struct study_replay_run {
    const char *label;     /* borrowed; "baseline" or what was asked */
    char directory[PATH_MAX];
    double *goodput_bps;   /* owned; by flow; NAN when nothing arrived */
    long long retransmitted;
};

/* From its directory, where it has been played; label and directory are set. */
bool study_replay_run_read(struct study_replay_run *run, int n_flows, struct error *err);

#endif
