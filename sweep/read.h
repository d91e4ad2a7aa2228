/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep/read.h - a sweep's done points one after another, each with its scenario and what its flows did. */
#pragma once

#include "sweep/db.h"

struct sweep_result {
    int64_t number, seed;
    json_t *axes;                    /* {"traffic.star.incoming":2,"tcp.window":"10kB"}: only to read, though jansson
                                      * walks no const */
    const char *engine;              /* that ran it */
    const struct scenario *scenario; /* resolved, its flows listed */
    struct results_operations operations;
    const struct results_flow *flows;  /* [scenario->n_flows], in the scenario's order */
};

/* Calls visit() for every done point in order; what it gets is borrowed until it returns. Memory does not grow with the
 * points. False and *err when the database cannot be read or visit() says false. */
bool sweep_read(struct sweep_db *d, bool (*visit)(void *user, const struct sweep_result *r, struct error *err),
                void *user, struct error *err);

/* "incoming=2 outgoing=1": owned by the caller. */
char *sweep_axes_label(json_t *axes);
