/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/rules/resource.h - a shared resource, judged: the one path for captures (analysis/rules/check_capture.h) and for runs
 * (study/verdict/judge_run.h). A source lists the flows that use a resource and measures those that are judged. */
#pragma once

#include "analysis/flows/degree.h"
#include "analysis/rules/check.h"
#include "judge/diagnosis.h"

#define ANALYSIS_RESOURCE_ALSO (ANALYSIS_CHECK_NAME + 24)

/* Data that passed a tap in super-segments, longer than a frame: an interface is still to cut them (TSO, GSO), or has
 * merged them (GRO, LRO). When each of their frames passes the tap does not see. */
struct analysis_merged {
    double share;           /* of the payload of one direction's judged flows, over their lives; 0: none */
    uint32_t longest_bytes; /* payload */
};

/* A flow of UDP to a host or from it (analysis/flows/datagrams.h), over its life. */
struct analysis_udp {
    char src[ANALYSIS_CHECK_NAME], dst[ANALYSIS_CHECK_NAME];
    bool incoming, quic;
    double rate_bps;     /* on the wire */
    double share;        /* of all bytes that the capture has of that direction */
    double packet_bytes; /* mean, on the wire */
    double run_packets;  /* mean number that follow each other by less than the mean gap */
};

#define ANALYSIS_UDP 4          /* the largest */
#define ANALYSIS_UDP_LEAST 0.02 /* of a direction's bytes: less is none, as in study/replay/replay.h */

struct analysis_resource {
    char host[ANALYSIS_CHECK_NAME]; /* or the name of a port, whose link is meant */
    bool port;
    double start_s, end_s;  /* the phase judged: the same flows active all the time */
    double steady_start_s;  /* rates, windows and loss events are those from here to end_s */
    struct analysis_check_flow *flows; /* owned */
    size_t n; /* 0: there is none but UDP's */
    struct analysis_judgement judgement;
    bool diagnosed;
    bool live; /* measured (measure/), or read from an interface: there is no capture to replay */
    struct judge_diagnosis diagnosis; /* if so */
    struct judge_facts facts;  /* of a capture: what that was judged by, in its likeliest case; no flows: not kept */
    struct judge_flow *judged; /* owned; those of facts, in the order of `flows` */
    /* Of one loss there is one answer: resources that have all flows and the answer in common are one, and those are
     * silent that cannot tell where another one can. The one where ACKs wait speaks for them, or the first that is not
     * behind another link. A host that stops its flows (pause, slow_host), which only shows there, speaks for whatever
     * else has them, whichever answer that would have. */
    char same_as[ANALYSIS_CHECK_NAME]; /* who speaks for it; "": it does itself */
    char also[ANALYSIS_RESOURCE_ALSO]; /* for whom it speaks, besides itself: "h2", "h2 and 3 more"; "" */
    struct analysis_merged merged[2]; /* from the host and to it; of a capture */
    struct analysis_udp beside[ANALYSIS_UDP]; /* largest first; of a capture, while the phase lasts */
    size_t n_beside;
};

/* Where a capture's flow is judged. */
struct analysis_resource_place {
    size_t slot; /* of the flow table */
    const struct analysis_resource *resource;
    const struct analysis_check_flow *flow;
};

struct analysis_resources { /* zeroed: none */
    struct analysis_resource *resource; /* owned */
    size_t n;
    struct analysis_resource *alone; /* owned; of a capture without any: its hosts of one flow, for their diagnoses */
    size_t n_alone;
    struct analysis_resource_place *place; /* owned; by slot, of a capture's that are spoken of, in their order */
    size_t n_places;
    size_t pulses; /* of load, by the probe that was named (analysis/pulses.h) */
};

/* The i-th to speak of: the shared ones, or, where nothing is shared, those of one flow. NULL after the last. */
const struct analysis_resource *analysis_resources_get(const struct analysis_resources *all, size_t i);

/* A flow as a user of one resource. */
struct analysis_resource_use {
    struct analysis_activity activity;
    int64_t payload_bytes;
    const void *flow; /* borrowed; the source knows its type */
};

/* Where the figures of a use come from. */
struct analysis_resource_source {
    /* When the flow has settled; the phase began at start_s and lasts until end_s. */
    double (*settled_s)(const void *flow, double start_s, double end_s);
    /* Fills *measured, but for its direction: what the flow did from resource->start_s to end_s, once steady. A rate
     * that is not above 0 leaves the flow out. */
    void (*measure)(const void *flow, const struct analysis_resource *resource, struct analysis_check_flow *measured);
    /* Diagnoses r, of whose flows uses[] has those with used[i]; NULL: nobody can. */
    void (*diagnose)(void *user, struct analysis_resource *r, const struct analysis_resource_use *const *uses);
    void *user;
    size_t least;     /* bulk flows at once that make a resource shared */
    bool whole_lives; /* measured rates are means over each flow's life, not over the phase */
};

/* Adds the resource to *all when two bulk flows or more use it at once: those active all through the dominant phase
 * (analysis/flows/degree.h), judged over what follows the latest of their settling times. `link`: NULL unknown. The bulk
 * flows of uses[n] come first afterwards. */
void analysis_resource_judge(const struct analysis_resource_source *source, const char *name,
                             struct analysis_resource_use *uses, size_t n, const struct model_link *link,
                             double tolerance, struct analysis_resources *all);

/* Most flows first, then by name; and who speaks for whom. */
void analysis_resources_sort(struct analysis_resources *resources);

/* Has it an answer to say: one of its own, which nobody speaks for? */
bool analysis_resource_speaks(const struct analysis_resource *r);

void analysis_resources_fini(struct analysis_resources *resources);
