/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/client.h - the shared host's end of a measurement: asks servers for flows, phase by phase. */
#pragma once

#include "base/error.h"
#include "measure/test.h"

struct measure_progress {
    size_t in, out;            /* degrees of the test at hand */
    enum measure_kind kind;
    double elapsed_s, total_s; /* of the test */
    double in_bps, out_bps;    /* since the last call */
};

struct measure_client {
    const char *const *host; /* borrowed; servers, 1 to MEASURE_HOSTS */
    size_t hosts;
    const char *port, *token;
    double time_s; /* of a test */
    size_t streams; /* connections to each server, each way, 1 to MEASURE_STREAMS */
    const char *congestion; /* borrowed; at both ends; NULL: what either system prefers */
    void *user;
    void (*progress)(void *user, const struct measure_progress *p); /* several times a second; NULL: nobody asks */
};

#define MEASURE_CLIENT_LEAST_S 8 /* a phase has to outlast the beginning of its connections */

/* Connects, and has one test of `in` flows in, from as many of the servers, and `out` flows out. ERROR_INPUT where a
 * server is not to be found or refuses, or either end's kernel lacks the congestion control; ERROR_SYSTEM when it
 * goes away. Free *t in any case. */
bool measure_client_run(const struct measure_client *c, size_t in, size_t out, struct measure_test *t,
                        struct error *err);
