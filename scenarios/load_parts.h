/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/load_parts.h - what scenarios/load.c does, part by part, once the keys are read: defaults that depend on
 * other keys, keys that must fit together, flows listed. Each part returns false with l->err set. */
#pragma once

#include "scenarios/keys.h"

struct load {
    struct scenario *s;
    const struct document *doc; /* borrowed, as all here */
    struct error *err;
    const char *path; /* of the scenario's file; NULL: there is none */
    bool (*list)(struct load *l); /* what lists the flows of the kind of traffic that is given */
};

/* A key path that is made up; it lives to the end of the expression: load_given(l, load_path("%s.xon", pause).text). */
struct load_path {
    char text[KEYS_PATH];
};
struct load_path load_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Is the key written, in the file or a set? */
bool load_given(const struct load *l, const char *path);

/* A single value as it is written; "" when it is not there. */
const char *load_text(const struct load *l, const char *path);

/* Sets *err with ERROR_INPUT and blames it on the key. Returns false. */
bool load_fail(const struct load *l, const char *path, const char *format, ...) __attribute__((format(printf, 3, 4)));


/* The path of a file that the scenario names: seen from its own folder. For free(). */
char *load_file(const struct load *l, const char *name);

/* A window holds at least one segment. */
bool load_window_fits(const struct load *l, const char *path, int64_t window_bytes);

/* "repeat" at `path` of messages of so many bytes, 0 when they have no end. */
bool load_repeat(const struct load *l, const char *path, int64_t bytes, int64_t *repeat);

/* Needs s->tcp, s->gbn and s->transport. Leaves hosts 0 when the traffic decides. */
bool load_network(struct load *l);

/* What needs the number of hosts: ports that are too few, thresholds of PAUSE without a number. */
bool load_network_fits(struct load *l);

/* The ports of the network, by name; `hosts` are there whatever point runs. */
bool load_place_known(const struct load *l, int hosts, const char *at);

/* Which kind of traffic is given: one at most. */
bool load_traffic_kind(struct load *l);

/* Lists flows or points. Hosts 0 become as many as the flows need, and stay 0 with points; everything but captures
 * must be there already. */
bool load_traffic(struct load *l);

/* Parts of that: flows of pairs, and traffic that is more than a list of flows. */
bool load_pairs(struct load *l);
bool load_exchange(struct load *l);
bool load_tree(struct load *l);
bool load_played_collective(struct load *l);
bool load_goal(struct load *l);
bool load_csv(struct load *l);
bool load_requests(struct load *l);
bool load_nothing(struct load *l);

/* The lines of traffic.goal, with as many ranks: those that are there, blamed on ranks_key, or h0, h1, ... */
bool load_played_lines(struct load *l, const char *section, const char *ranks_key);

/* Flows beside others, listed or drawn, behind all that are there. */
bool load_background(struct load *l);

/* Entry i of traffic.beside, as of traffic.flows. */
bool load_flow_beside(const struct load *l, int i);
bool load_burst(struct load *l);
bool load_pingpong(struct load *l);
bool load_uniform(struct load *l);
