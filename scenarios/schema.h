/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/schema.h - the shape of a scenario file: which keys there are and how they nest.
 *
 * Every value is still the text people wrote (NULL when they did not): scenarios/fields.h turns it
 * into numbers. libcyaml checks the structure and writes it back. */
#ifndef SCENARIOS_SCHEMA_H
#define SCENARIOS_SCHEMA_H

#include "scenarios/document.h"

#include <stdio.h>

struct schema_link {
    char *rate, *delay, *goodput;
};

struct schema_queue {
    char *queue, *limit;
};

struct schema_pause {
    char *on, *stops, *xoff, *xon, *quanta;
    char **hosts;
    unsigned hosts_count;
};

struct schema_switch {
    char *queue, *limit, *architecture, *pool, *alpha, *arbitration, *forwarding, *latency, *backplane, *ports;
    struct schema_pause *pause; /* NULL: not there */
};

struct schema_network {
    char *topology, *hosts;
    char **racks;
    unsigned racks_count;
    char *uplinks;
    struct schema_link link;
    struct schema_link *backbone; /* NULL: not there */
    struct schema_queue nic;
    struct schema_switch sw;
    struct schema_switch *root; /* NULL: not there */
};

struct schema_gbn {
    char *window, *timeout, *simple, *sequence_bits, *packet, *ack_every, *ack_delay, *send_overhead, *send_gap,
        *receive_overhead, *user_overhead, *jitter, *preempt_every, *preempt, *ring;
};

struct schema_tcp {
    char *congestion, *window, *initial_window, *segment, *delayed_ack, *delayed_ack_timeout, *min_rto, *sack,
        *hystart, *small_queues;
};

struct schema_star {
    char *incoming, *outgoing, *incoming_window, *outgoing_window, *bytes, *repeat;
    char **points;
    unsigned points_count;
};

struct schema_flow {
    char *name, *from, *to, *bytes, *window, *congestion, *start, *repeat, *duplex;
    char **pauses;
    unsigned pauses_count;
};

struct schema_random {
    char *d, *probability, *bytes, *repeat;
};

struct schema_pairs {
    char *count, *back, *both_ways, *bytes, *repeat;
};

struct schema_exchange {
    char *algorithm, *packets, *bytes, *group, *global_window, *contention_aware, *repeat, *period;
};

struct schema_burst {
    char **sources;
    unsigned sources_count;
    char **sinks;
    unsigned sinks_count;
    char **packets;
    unsigned packets_count;
};

struct schema_pingpong {
    char **pairs;
    unsigned pairs_count;
    char *rounds;
};

struct schema_uniform {
    char *ports, *load;
};

/* One of them; the others NULL. */
struct schema_traffic {
    struct schema_star *star;
    struct schema_random *random;
    struct schema_pairs *pairs;
    struct schema_exchange *exchange;
    struct schema_burst *burst;
    struct schema_pingpong *pingpong;
    struct schema_uniform *uniform;
    struct schema_flow *flows;
    unsigned flows_count;
    char *start_spread, *barrier, *precision;
};

struct schema_capture {
    char *at, *snaplen, *format;
};

struct schema_scenario {
    char *title, *engine, *transport, *seed, *duration, *warmup;
    struct schema_network network;
    struct schema_tcp tcp;
    struct schema_gbn gbn;
    struct schema_traffic traffic;
    struct schema_capture *capture;
    unsigned capture_count;
};

/* NULL and *err, blamed on line or set, for a key that is not known or a value of the wrong kind. */
struct schema_scenario *schema_parse(const struct document *d, struct error *err);

/* Also for one filled by hand, every pointer of it malloc'ed. NULL is fine. */
void schema_free(struct schema_scenario *s);

/* Block style; NULL values are left out. False and *err when out of memory or the text is no UTF-8. */
bool schema_write(const struct schema_scenario *s, FILE *f, struct error *err);

#endif
