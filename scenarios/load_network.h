/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/load_network.h - the network section of a scenario file. */
#ifndef SCENARIOS_LOAD_NETWORK_H
#define SCENARIOS_LOAD_NETWORK_H

#include "scenarios/fields.h"
#include "scenarios/scenario.h"
#include "scenarios/schema.h"

/* s->tcp, s->gbn and s->transport are there already. Leaves hosts 0 when the traffic decides. */
bool load_network(struct scenario *s, const struct schema_network *y, struct fields *f);

/* What needs the number of hosts: ports that are too few, thresholds of PAUSE without a number. */
bool load_network_fits(struct scenario *s, const struct schema_network *y, struct fields *f);

/* The ports of emu/network.h, by name; `hosts` of them are there whatever point runs. */
bool load_place_known(const struct emu_network_config *n, int hosts, const char *at);

#endif
