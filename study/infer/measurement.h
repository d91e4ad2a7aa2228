/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/infer/measurement.h - completion times or rates that somebody measured, from whatever file they stand in.
 *
 * A measurement has patterns: flows that ran at the same time. Each flow has one quantity, measured once or more often:
 * the seconds that its bytes took, or, without an end, its rate. A rate of a flow with an end becomes a time. What is
 * kept of repeated values is of their logarithms. */
#pragma once

#include "study/capture.h"
#include "study/replay/replay.h"

#define STUDY_MEASUREMENT_NAME 64
#define STUDY_MEASUREMENT_WINDOW (65535 << 14) /* RFC 7323, 2.3 */
#define STUDY_MEASUREMENT_START_S 1000 /* of a flow, at most: patterns are of flows that run at the same time */

struct study_measurement_flow {
    char name[STUDY_MEASUREMENT_NAME]; /* "" without one */
    size_t from, to;                   /* hosts of the measurement */
    int64_t bytes;                     /* 0: no end; its rate was measured */
    int64_t window_bytes;              /* unacknowledged at most; 0: not known of every flow of the measurement */
    double start_s;
    double spread;                     /* deviation of one value, as a share of it; NAN unknown */
    bool life;                         /* the rate is that of its whole life, as a capture shows it; else steady */
    struct estimate_running log;       /* of logarithms of seconds, or of s/bit */
};

struct study_measurement_pattern {
    char *name; /* owned; "" without one */
    struct study_measurement_flow *flows; /* owned */
    size_t n, capacity;
    struct study_replay *replay; /* owned; a capture: its flows are the scenario's; else NULL */
    char *scenario_path;         /* owned; where the table names the network and TCP of this pattern; else NULL */
    struct scenario *scenario;   /* owned; of that file, once somebody has read it; else NULL */
};

/* Where flows are, when that is not known: hosts of all flows, pattern by pattern. */
struct study_measurement_placement {
    char *name;        /* owned */
    size_t (*at)[2];   /* owned; from and to, of all flows one after the other */
};

struct study_measurement {
    struct study_measurement_pattern *patterns; /* owned */
    struct study_measurement_placement *placements; /* owned; none: flows are where they say */
    char (*hosts)[STUDY_MEASUREMENT_NAME];      /* owned; as they are called, in order of appearance */
    size_t n, n_hosts, n_placements, flows; /* flows: of all patterns */
    size_t capacity, hosts_capacity;
};

void study_measurement_fini(struct study_measurement *m); /* safe on a zeroed one */

/* Adds what a CSV has (doc/commands/infer.md lists its columns). Windows that not every flow has are forgotten.
 * ERROR_INPUT names file, line and column. */
bool study_measurement_read_csv(struct study_measurement *m, const char *path, struct error *err);

/* Adds what another program measured (foreign/): a pattern for all flows of tests that ran at the same time. Unless `paced`,
 * tests with a flow that keeps to a pace are left out: what they carry is what they were asked to. */
bool study_measurement_read_foreign(struct study_measurement *m, const char *path, bool paced, struct error *err);

/* Adds the bulk flows of a capture, a pattern of its own: their rates, and how they are replayed in the network and TCP
 * of `base`, whose rate and first window the capture gives where `reads_network` and `reads_start` (study/replay/replay.h). */
bool study_measurement_read_capture(struct study_measurement *m, const char *path, const struct scenario *base,
                                    bool reads_network, bool reads_start,
                                    const struct study_capture_listener *listener, struct error *err);

/* Adds placements from a CSV with columns placement, flow, from, to, and pattern where there are several: flows that a
 * placement does not name stay. After all measurements. */
bool study_measurement_read_placements(struct study_measurement *m, const char *path, struct error *err);

/* The network and TCP of a pattern: a capture's, its own, or else `base`. */
const struct scenario *study_measurement_base(const struct study_measurement_pattern *p, const struct scenario *base);

/* Which host of a scenario each of the measurement's is: its number where all are called h0, h1, ...; else, in a star,
 * they are numbered as they appear. *number is for free(). ERROR_INPUT where the scenario has no such host; `only`: of
 * those that this pattern's flows use, NULL: of all. */
bool study_measurement_hosts(const struct study_measurement *m, const struct study_measurement_pattern *only,
                             const struct scenario *s, int **number, struct error *err);

/* Is it known how large each flow's window was? */
bool study_measurement_windows(const struct study_measurement *m);

/* When the first flow of a pattern started; INFINITY without flows. */
double study_measurement_first_s(const struct study_measurement_pattern *p);

/* When a flow started, after the first of its pattern at first_s. */
int64_t study_measurement_start_ps(const struct study_measurement_flow *f, double first_s);

/* A pattern in the network and with the TCP of a scenario: *s borrows all of it but the flows, which are named f0, f1,
 * ..., and lie between these hosts. */
void study_measurement_scenario(const struct study_measurement_pattern *p, const int (*host)[2],
                                const struct scenario *base, struct scenario *s);

/* For readers: the pattern of this name, made where there is none; a flow of it, the one that is the same in all but
 * its values; a host. */
struct study_measurement_pattern *study_measurement_pattern_of(struct study_measurement *m, const char *name);
struct study_measurement_flow *study_measurement_flow_of(struct study_measurement *m,
                                                         struct study_measurement_pattern *p,
                                                         const struct study_measurement_flow *like);
size_t study_measurement_host(struct study_measurement *m, const char *name);

/* Adds a value in seconds or bit/s. */
void study_measurement_add_s(struct study_measurement_flow *f, double seconds);
void study_measurement_add_bps(struct study_measurement_flow *f, double bps);

/* One over the root of how many values a flow has. */
double study_measurement_share(const struct study_measurement_flow *f);

/* The deviation of one value's logarithm, pooled over all flows that have several, and its degrees of freedom; 0 with
 * none. */
double study_measurement_pooled(const struct study_measurement *m, double *degrees);
