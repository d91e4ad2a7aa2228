/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/run/program_gbn.h - what programs over Go-Back-N share: the stack on the run's network. */
#pragma once

#include "scenarios/run/program.h"

/* Sets p->gbn, with the scenario's flows, nothing written to them yet. `config` NULL: the scenario's. */
void program_gbn_start(struct program *p, const struct emu_gbn_config *config, const struct emu_gbn_program *callbacks);

/* Fits struct program_ops. */
void program_gbn_deliver(struct program *p, int host, const struct emu_frame *frame);

/* A flow's figures as every flow's. */
struct emu_flow_stats program_gbn_stats(const struct program *p, int flow);
