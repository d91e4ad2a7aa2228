/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/pattern.h - who sends how much to whom: point-to-point transfers over a platform.
 *
 * A transfer is what Zhu et al. 2014 call a logical (communication) link e(a,b). */
#pragma once

#include "model/platform.h"

struct model_transfer {
    int source, destination; /* nodes, different ones */
    double bytes;            /* TCP payload; INFINITY: never done */
    double window_bytes;     /* bytes in flight it may have; only the window law looks */
    double start_s;
};

/* Links that a transfer's data cross, and its ACKs. */
struct model_way {
    struct model_route data, acks;
};

struct model_pattern {
    const struct model_transfer *transfers; /* borrowed */
    size_t n;
    const struct model_way *ways; /* borrowed; one a transfer, where the platform has links of its own; NULL: as
                                   * model_platform_route() has it, and ACKs go back the same way */
};

/* False and *err (ERROR_INPUT) for a platform that model_platform_check() refuses, a pattern without
 * transfers, or the first transfer (named by its number, from 0) with an unknown node, itself as
 * destination, bytes that are not positive, a window that is not positive and finite, or a start
 * that is negative or not finite. */
bool model_pattern_check(const struct model_platform *platform, const struct model_pattern *pattern, struct error *err);

/* A pattern with its routes, ready for any rule. */
struct model_routes {
    struct model_platform platform; /* its rack list stays borrowed */
    struct model_pattern pattern;   /* borrowed transfers */
    struct model_route *route;      /* owned; one a transfer */
    struct model_route *acks;       /* owned; one a transfer, in the order in which its ACKs pass */
    double *goodput_bps;            /* owned; one a directed link: 1 / beta */
    int n_links;
};

/* Checks both and finds the routes; free with model_routes_fini(). On failure *routes is zeroed. */
bool model_routes_init(struct model_routes *routes, const struct model_platform *platform,
                       const struct model_pattern *pattern, struct error *err);
void model_routes_fini(struct model_routes *routes);
