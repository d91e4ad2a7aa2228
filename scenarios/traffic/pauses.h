/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/traffic/pauses.h - applications that stop and think: when so many bytes in all are acknowledged, a flow's next ones
 * are handed over a pause later. One with a rate of its own hands over segment by segment and waits for no ACK: its
 * pauses begin when so many bytes are written. */
#pragma once

#include "scenarios/scenario.h"

struct pauses;

/* Does the flow have pauses or a rate? Then it wants `written` of the engine. */
bool pauses_has(const struct scenario_flow *f);
bool pauses_any(const struct scenario *s);

/* Hands over what comes before the first pauses; the flows are added. *written, which is borrowed, grows with what is. */
struct pauses *pauses_new(const struct scenario *s, struct emu_engine *e, int64_t *written);

/* Everything handed over is acknowledged. */
void pauses_drained(struct pauses *p, int flow);
