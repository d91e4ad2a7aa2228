/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/scenario.h - an experiment as plain data: network, TCP, traffic, captures.
 *
 * scenario_load() (scenarios/load.h) makes one from YAML with every default filled in,
 * every flow listed and every value checked; scenario_save() (scenarios/save.h) writes it back. */
#ifndef SCENARIOS_SCENARIO_H
#define SCENARIOS_SCENARIO_H

#include "emu/engine.h"
#include "emu/network.h"

#include <stdint.h>

#define SCENARIO_NAME 32
#define SCENARIO_WARM 0 /* initial window "warm": enough segments to cover the flow's window */

enum scenario_engine { SCENARIO_ENGINE_NS3 };
enum scenario_format { SCENARIO_FORMAT_PCAP, SCENARIO_FORMAT_PCAPNG };

struct scenario_flow {
    char name[SCENARIO_NAME]; /* f0, f1, ... unless named */
    int from, to;             /* hosts */
    int64_t bytes;            /* 0: until the run ends */
    int64_t start_ps;
    struct emu_tcp_config tcp; /* resolved: scenario's tcp with this flow's window and congestion */
};

struct scenario_capture {
    char at[SCENARIO_NAME]; /* host ("h0": its NIC) or switch port ("sw0-h0": port of sw0 towards h0) */
    int64_t snaplen;
    enum scenario_format format;
};

/* One in/out point of a star experiment: h0 has `incoming` flows towards it and `outgoing` from it. */
struct scenario_point {
    int incoming, outgoing;
};

struct scenario {
    char title[128];
    enum scenario_engine engine;
    uint64_t seed;
    int64_t duration_ps; /* end of the run; sooner when every flow has bytes and is done */
    int64_t warmup_ps;   /* steady figures count from here */
    struct emu_network_config network; /* hosts 0 with points: as many as each point needs */
    struct emu_tcp_config tcp; /* defaults for flows: send buffer = receive buffer = window; initial window may be SCENARIO_WARM */
    struct scenario_flow *flows; /* owned; empty when there are points */
    int n_flows;
    struct scenario_point *points; /* owned; a list of star points, each a run of its own; usually empty */
    int n_points;
    int64_t incoming_window_bytes; /* of star flows; tcp's window unless said otherwise */
    int64_t outgoing_window_bytes;
    int64_t start_spread_ps; /* of flows without a start; used to draw start_ps */
    struct scenario_capture *captures; /* owned */
    int n_captures;
};

void scenario_fini(struct scenario *s);

#endif
