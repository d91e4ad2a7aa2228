/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/pauses.h - applications that stop and think: when so many bytes in all are acknowledged, a flow's next ones
 * are handed over a pause later. */
#ifndef SCENARIOS_PAUSES_H
#define SCENARIOS_PAUSES_H

#include "emu/engine.h"
#include "scenarios/scenario.h"

struct pauses;

/* Has any flow pauses? Such a flow wants `written` of the engine. */
bool pauses_any(const struct scenario *s);

/* Hands over what comes before the first pauses; the flows are added. NULL and *err when memory is out. */
struct pauses *pauses_new(const struct scenario *s, struct emu_engine *e);
void pauses_free(struct pauses *p);

/* Everything handed over is acknowledged. */
void pauses_drained(struct pauses *p, int flow);

#endif
