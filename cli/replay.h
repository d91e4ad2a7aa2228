/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/replay.h - the bulk flows of a capture as a scenario, and what would have been with other queues, buffers or
 * windows. */
#ifndef CLI_REPLAY_H
#define CLI_REPLAY_H

#include "analysis/flows.h"
#include "scenarios/scenario.h"

#include <jansson.h>
#include <limits.h>

#define REPLAY_VARIANTS 64
#define REPLAY_MAPS 256

struct replay_map {
    struct capture_address address;
    int host;
};

/* A flow of the capture beside the one that plays it. */
struct replay_flow {
    char from[ANALYSIS_ENDPOINT_TEXT], to[ANALYSIS_ENDPOINT_TEXT];
    double measured_bps;  /* unique payload from its first to its last packet */
    double measured_s;    /* between those */
    bool until_the_end;   /* it was still sending when the capture ended: played until then, not for its bytes */
    bool lossy;
    int pauses;           /* of its application */
};

struct replay {
    struct scenario scenario;  /* network and TCP of the scenario file, flows of the capture */
    struct replay_flow *flows; /* owned; as scenario.flows */
    int n_flows, left_out;     /* flows too small to matter */
    int windows_unknown;       /* of n_flows: played with the scenario's */
    struct replay_map maps[REPLAY_MAPS];
    int n_maps, n_given;       /* addresses placed; those the user did */
    double floor_s;            /* smallest handshake round trip; NAN when none was seen */
};

/* Reads `path` and fills r, whose scenario is loaded and whose given maps are set. ERROR_INPUT when there is no bulk
 * flow, or an address that has no host. */
bool replay_build(struct replay *r, const char *path, struct error *err);
void replay_fini(struct replay *r);

/* "ack-first@nic", "buffer=500kB@port", "window=1MB", "cc=cubic", "pause", ... changed in *s, which owns its flows. */
bool replay_what_if(struct scenario *s, const char *text, struct error *err);
extern const char replay_what_if_help[];

/* "500kB" or, of frames, "100p". ERROR_INPUT without the name of an option. */
bool replay_queue_limit(const char *text, struct emu_queue_config *queue, struct error *err);
/* "fifo", "ack-first", "fair"; else false, and *discipline stays. */
bool replay_discipline(const char *name, enum emu_discipline *discipline);

/* One played variant. */
struct replay_run {
    const char *label;     /* borrowed; "baseline" or what was asked */
    char directory[PATH_MAX];
    double *goodput_bps;   /* owned; by flow; NAN when nothing arrived */
    long long retransmitted;
};

bool replay_run_read(struct replay_run *run, int n_flows, struct error *err);

/* The tables; runs[0] is the baseline. */
bool replay_show(const struct replay *r, const struct replay_run *runs, int n, struct error *err);
json_t *replay_json(const struct replay *r, const struct replay_run *runs, int n);

#endif
