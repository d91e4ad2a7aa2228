/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/verdict/judge_run_evidence.h - facts for the judge (judge/fact.h) that a run knows exactly: waits after
 * the warm-up, floors, windows, pauses of applications, and the links on each flow's way. */
#pragma once

#include "judge/fact.h"
#include "results/progress.h"
#include "results/summary.h"
#include "scenarios/scenario.h"

#define STUDY_RUN_BUSY 0.95 /* of its time a host that does nothing but take frames needs for them */

struct study_run_link {
    const struct results_port *port; /* borrowed; NULL: nothing is known of it */
    struct emu_graph_port at;        /* whose port that is, in the graph */
    char name[EMU_PORT_NAME];
    double rate_bps;                 /* that full segments see: slower where its framing makes them longer */
    double busy;                     /* share of the run for which it sent */
    double data_bps, ack_bps;        /* on the wire, of all flows */
    double wanted_bps;               /* data_bps, were each as much faster as its ACKs' waits make it slower */
    double stopped;                  /* share of the time for which PAUSE frames stopped it */
};

struct study_run_links {
    const struct scenario *scenario; /* borrowed */
    struct emu_graph graph;
    struct study_run_link *link;     /* owned; by cable, what its first end sends and what its second does */
    struct study_run_link **by_name; /* owned */
    size_t n;
};

/* A flow of the run; `back`: what a duplex one carries from its sink to its source. */
struct study_run_flow {
    const struct scenario_flow *flow; /* borrowed, as the row is */
    const struct results_flow *row;
    bool back;
    const struct results_progress *progress; /* borrowed; NULL: only means over its life are known */
    size_t index;                            /* there */
    double start_s, end_s;
};

void study_run_links_init(struct study_run_links *l, const struct scenario *s, const struct results_summary *summary);
void study_run_links_fini(struct study_run_links *l);

/* Takes the links empty, and adds what a flow carried in [from_s, to_s), or in its life, to those on its way. */
void study_run_links_empty(struct study_run_links *l);
void study_run_links_add(struct study_run_links *l, const struct study_run_flow *f, double from_s, double to_s);

/* Does the flow use the resource: a host, or a port between switches, whose opposite one is incoming? */
bool study_run_links_use(const struct study_run_links *l, const struct study_run_flow *f, const char *resource,
                         bool *incoming);

/* Wire rate of what leads to a host, or from it, or of a port between switches and its opposite one; NAN unknown. */
double study_run_links_rate_bps(const struct study_run_links *l, const char *resource, bool incoming);

/* Share of the run for which the fullest of these sent; 0 unknown. */
double study_run_links_busy(const struct study_run_links *l, const char *resource, bool incoming);

/* The port where the flow's ACKs wait behind data when it is not the resource's own, nor one towards it: the fullest on
 * their way. "" otherwise. Borrowed from *l. */
const char *study_run_links_place(const struct study_run_links *l, const struct study_run_flow *f,
                                  const char *resource);

/* Goodput in [from_s, to_s) of a flow whose progress is known. */
double study_run_goodput_bps(const struct study_run_flow *f, double from_s, double to_s);

/* Share of its time that a host needs for the frames of these flows that it receives; 0 where it needs none. */
double study_run_host_busy(const struct scenario *s, const char *resource, const struct judge_facts *set);

/* Adds what a flow's goodput takes on the wire, as data and as ACKs the other way. */
void study_run_wire_bps(const struct study_run_flow *f, double goodput_bps, double *data_bps, double *ack_bps);

/* Fills *e, whose direction and rate are set, with what the flow of a resource did in [from_s, to_s). */
void study_run_evidence(const struct study_run_links *l, const struct study_run_flow *f, const char *resource,
                        double from_s, double to_s, struct judge_flow *e);
