/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/server.h - the far end of a measurement: takes and sends data of clients that know the token.
 *
 * Text lines over TCP, a control connection a client and a connection a flow, all to one port:
 *   client                                        server
 *   contraflow-measure 2 NONCE
 *                                                 challenge NONCE
 *   proof HMAC(client)
 *                                                 welcome HMAC(server) MAX_BPS MAX_S | refused WORDS
 *   streams N                                     streams N
 *   congestion NAME                               congestion NAME | lacks WORDS
 *   ping WORD                                     pong WORD SERVER_NS
 *   stop LAST                                     flow K down|up N, N samples, ...; end
 *   of a flow's own connection:
 *   flow SESSION K down|up PACE_BPS HMAC(flow)    (data)
 * A session has one flow each way at once, or as many as it asked for with "streams", 1 to MEASURE_SERVER_STREAMS; the
 * server's rate is that of all of them together. "congestion" is of flows to come, at the server's end. "stop" ends all
 * flows up to number LAST, those, too, whose first line comes after it: nobody would end them, and they would have the
 * places of flows to come.
 * A server is silent to whoever has not spoken first, and sends no data before a proof. A connection that has proved
 * nothing 5 s after it was made is closed, whatever it says meanwhile, as is a session without a whole word for 20 s, and
 * any after its time. Connections that have proved nothing yet have places: an address (of IPv6 its /64) 128 of 512, or, if
 * it has sessions, 256 for each, and nobody else those. Where there is none left the oldest goes. */
#pragma once

#include "base/error.h"

#define MEASURE_SERVER_PORT "4717"
#define MEASURE_SERVER_VERSION "2"
#define MEASURE_SERVER_CLIENTS 64 /* at once, at most */
#define MEASURE_SERVER_RATE INT64_C(10000000000000) /* bit/s, at most, in words of either end */
#define MEASURE_SERVER_STREAMS 16 /* of a client, each way, at once, at most */

struct measure_server {
    const char *bind, *port; /* borrowed; a numeric address or a name; port "0": any that is free */
    const char *token;       /* borrowed */
    const char *congestion;  /* borrowed; of every connection that asks for no other; NULL: the system's. Who has given
                              * up root may take one that the kernel keeps for it (tcp(7)) in no other way */
    int64_t max_clients;     /* at once; the next is refused */
    double max_time_s;       /* of a client */
    double max_rate_bps;     /* of a client, each way, whatever connections and sessions it has; 0: none */
    void *user;
    /* Before anybody is served; what only opens files and makes privileged sockets may be given up now. */
    bool (*ready)(void *user, const char *address, const char *port, struct error *err);
    void (*log)(void *user, const char *line); /* a line a client that is gone, or was refused */
    bool (*stopped)(void *user);               /* asked several times a second, and after a signal */
};

/* Serves until stopped. False with *err when nobody can be served: ERROR_INPUT where the process may not have the
 * descriptors that so many clients take, or has no such congestion control. */
bool measure_server_run(const struct measure_server *s, struct error *err);
