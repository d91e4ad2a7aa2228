/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/traffic/pattern.h - a scenario as the models see it: a platform and a pattern of transfers.
 *
 * Fills model/'s plain structs and calls nothing of it: this library does without GSL. */
#pragma once

#include "model/pattern.h"
#include "scenarios/scenario.h"

struct scenario_pattern {
    struct model_platform platform;
    struct model_pattern pattern;
    int *rack;                        /* owned: platform.rack; NULL in a graph */
    struct emu_graph graph;           /* where the platform has links: link l is what end l % 2 of cable l / 2 sends */
    struct model_cable *links;        /* owned: platform.link */
    bool *ack_first;                  /* owned: platform.link_ack_first */
    struct model_way *ways;           /* owned: pattern.ways */
    struct model_transfer *transfers; /* owned: pattern.transfers, one a flow in the scenario's order */
};

/* Node i is host h<i>; a star of equal cables and a tree are racks, any other network is taken link by link. A flow
 * without bytes is a transfer of INFINITY; an ACK has the scenario's 52 bytes of headers. The scenario's flows must be
 * listed (no points). Free with scenario_pattern_fini(). */
bool scenario_pattern_init(struct scenario_pattern *p, const struct scenario *s, struct error *err);
void scenario_pattern_fini(struct scenario_pattern *p);

/* The port whose queue (and tap) it is, as in emu/network/graph.h: "h3" for the link out of host 3, "sw0-h3" for the one that
 * leads to it. */
void scenario_pattern_link_name(const struct scenario_pattern *p, int link, char name[static SCENARIO_NAME]);
