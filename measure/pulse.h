/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/pulse.h - pulses of load between this host and a server, for whoever captures meanwhile (analysis/pulses.h). */
#pragma once

#include "base/error.h"

#define MEASURE_PULSE_S 0.2   /* so long data go, and a round trip more */
#define MEASURE_PULSE_APART_S 1.5 /* from one to the next, and four round trips at least: queues and flows recover */
#define MEASURE_PULSE_QUIET_S 8 /* before the first: what flows carry by themselves */

struct measure_pulse {
    const char *host, *port, *token; /* borrowed */
};

/* Waits, and sends eight pulses, in and out by turns, of four connections, each of which has the first window of TCP to send at
 * once (RFC 6928: ten segments) and grows as long as a pulse lasts; of twice as many, up to 16, after one whose first windows
 * arrived while it lasted. And waits once more: 20 s together. ERROR_INPUT
 * where a server is not to be found or refuses, before any wait; ERROR_SYSTEM when it goes away. */
bool measure_pulse_send(const struct measure_pulse *o, struct error *err);
