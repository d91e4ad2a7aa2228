/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/connection.h - the TCP connections of a capture, found by addresses, ports and tag. */
#pragma once

#include "analysis/flows/direction.h"
#include "analysis/flows/explained.h"
#include "analysis/flows/packets.h"

#include <stddef.h>

struct analysis_key {
    struct capture_address address[2]; /* of the two ends, in ascending order of (address, port) */
    uint16_t port[2];
    uint32_t tag;
};

struct analysis_connection {
    struct analysis_key key;
    uint32_t number;                        /* in order of appearance, from 0 */
    struct analysis_direction direction[2]; /* [0]: data from end 0 to end 1 */
    struct analysis_explained *explain[2];  /* owned; likewise; NULL unless somebody asked */
    struct analysis_packets *packets;       /* owned; likewise */
    int64_t syn_ns, synack_ns;              /* latest before data; -1 when not seen */
    int64_t client_side_ns, server_side_ns; /* tap to client and back, tap to server and back; -1 unknown */
    int8_t client;                          /* the end that sent the SYN; -1 unknown */
    int8_t opener;                          /* the end whose packet was seen first */
    bool closed;                            /* a FIN or RST passed */
};

/* All that there is of a connection so far, 128 B instead of 816. Of many connections most may never have more: who scans
 * a network, or means to fill memory, sends one segment each. */
struct analysis_first {
    int64_t time_ns;
    struct capture_segment segment;
    uint32_t number; /* of the connection */
};

/* Has a new connection take its first segment, as though it came now. */
typedef void analysis_connections_begin(struct analysis_connection *c, const struct analysis_first *first, void *user);

struct analysis_connections; /* opaque */

/* With `begin`, connections beyond ANALYSIS_CONNECTIONS_WHOLE are their first segments until a second one comes. Without
 * it each is there from the first on. */
#define ANALYSIS_CONNECTIONS_WHOLE 256
struct analysis_connections *analysis_connections_new(analysis_connections_begin *begin, void *user);
void analysis_connections_free(struct analysis_connections *t);

/* The connection a segment belongs to and, in *end, which end sent it. NULL: it is the first of one, of which only it is
 * kept, with `time_ns`. `expected`: see below; NULL unknown. A SYN with another initial sequence number, after data, FIN
 * or RST, starts a new connection of the same key. */
struct analysis_connection *analysis_connections_find(struct analysis_connections *t, const struct capture_segment *s,
                                                      int64_t time_ns, const uint32_t *expected, int *end);

/* A connection of that number whose first segment `s` is, into room that is not set; *end sent it. */
void analysis_connection_init(struct analysis_connection *c, const struct capture_segment *s, uint32_t number, int *end);
void analysis_connection_fini(struct analysis_connection *c);

/* Of one connection, whichever way? */
bool analysis_connections_same(const struct capture_segment *a, const struct capture_segment *b);

/* For a caller that knows what it will look for: the first says what is expected, in whichever thread; with that, the
 * second brings the table's entry nearer, the third the connection. Among many connections nearly all the time goes into
 * waiting for memory otherwise. */
uint32_t analysis_connections_expect(const struct analysis_connections *t, const struct capture_segment *s);
void analysis_connections_expected(const struct analysis_connections *t, uint32_t expected);
void analysis_connections_expected_again(const struct analysis_connections *t, uint32_t expected);

/* In whichever thread, now and then: memory for the next connections, when there will be some. The kernel clears it at the
 * first touch, which takes a fifth of the time that so many connections do. */
void analysis_connections_prepare(struct analysis_connections *t);

/* In order of appearance. One that is its first segment alone is put together in *room, which is to be finished when the
 * connection returned is there. */
size_t analysis_connections_count(const struct analysis_connections *t);
const struct analysis_connection *analysis_connections_at(const struct analysis_connections *t, size_t i,
                                                          struct analysis_connection *room);

/* What all of it is, until it is whole; else NULL. */
const struct analysis_first *analysis_connections_first(const struct analysis_connections *t, size_t i);
