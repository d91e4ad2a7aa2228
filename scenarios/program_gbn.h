/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/program_gbn.h - what programs over Go-Back-N share: the stack on the run's network. */
#ifndef SCENARIOS_PROGRAM_GBN_H
#define SCENARIOS_PROGRAM_GBN_H

#include "scenarios/program.h"

/* With the scenario's flows, nothing written to them yet. `config` NULL: the scenario's. */
struct emu_gbn *program_gbn_new(struct program *p, const struct emu_gbn_config *config,
                                const struct emu_gbn_program *callbacks);

/* A flow's figures as every flow's. */
struct emu_flow_stats program_gbn_stats(const struct program *p, const struct emu_gbn *g, int flow);

#endif
