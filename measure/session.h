/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/session.h - a client's session with a server (measure/server.h has the protocol): proofs of both ends, and
 * connections for data. */
#pragma once

#include "measure/line.h"
#include "measure/proof.h"

#include <sys/socket.h>

#define MEASURE_SESSION_PATIENCE_MS 10000 /* for a server's answer; all of them until it welcomes */

struct measure_session {
    const char *name; /* borrowed */
    struct sockaddr_storage address;
    socklen_t size;
    struct measure_line line; /* the control connection */
    char id[MEASURE_PROOF_HEX];
    double limit_bps; /* of all data each way; 0: none */
    int64_t until_ns; /* of answers before a test */
};

/* Connects, and proves the token. ERROR_INPUT where the server is not to be found, refuses or takes nobody for so long;
 * close s->line in any case. */
bool measure_session_open(struct measure_session *s, const char *name, const char *port, const char *token,
                          double time_s, struct error *err);

/* Asks for streams each way and a congestion control (NULL: the system's), where they are not what a session begins with. */
bool measure_session_agree(struct measure_session *s, size_t streams_each, const char *congestion, struct error *err);

/* Begins a connection for data; -1 and errno. */
int measure_session_dial(const struct measure_session *s, const char *congestion);

/* Is it made? 0: yes; ETIMEDOUT: not within so long; else why it never will be. */
int measure_session_dialed(int fd, int wait_ms);

/* Says whose it is and what for, on one that is made: data begin. */
bool measure_session_flow(const struct measure_session *s, const char *token, int fd, int64_t number, bool incoming,
                          double pace_bps, struct error *err);
