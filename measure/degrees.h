/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/degrees.h - what Zhu et al. 2014 vary in Fig. 4: how many flows come into one host while how many leave it,
 * and between which processes they run. */
#pragma once

#include "base/error.h"

#define MEASURE_DEGREES_MOST 256 /* flows of a pattern */

struct measure_degrees {
    size_t in, out; /* one of them at least above 0 */
};

/* Sender and receiver, by number. */
struct measure_degrees_flow {
    int from, to;
};

/* Every way to split up to `flows` flows, >= 1, into those in and those out, one direction alone as well, where neither
 * is any other number than 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, ...: all of them up to four flows, and steps of half or a
 * third beyond. One way out comes first, then by the larger degree. *list is for free(); returns how many. */
size_t measure_degrees_all(size_t flows, struct measure_degrees **list);

/* "1/1,2/1,1/2": in and out, of up to `flows` flows together. *list is for free(). ERROR_INPUT names what is wrong. */
bool measure_degrees_parse(const char *text, size_t flows, struct measure_degrees **list, size_t *n, struct error *err);

/* How many flows into and out of the host of process 0 there can be: each has a process of its own on another host, for
 * two processes have one connection of TCP between them. host[i] is the same for processes on one host. */
size_t measure_degrees_flows_most(const int *host, int n);

/* Those flows, at most measure_degrees_flows_most() of them: out first. On the shared host they take its processes in
 * turn; elsewhere each host's first process comes before any host's second, so that flows share no host but that one
 * for as long as there are hosts. */
void measure_degrees_place(const int *host, int n, struct measure_degrees d, struct measure_degrees_flow *flows);
