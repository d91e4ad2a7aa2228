/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/sockets.h - the connections of TCP that this process has, whoever opened them: a library's, which keeps them to
 * itself. */
#pragma once

#include "base/std.h"

#include <poll.h>

struct measure_sockets {
    struct pollfd *fds; /* owned; n of them, for reading */
    size_t n, room;
};

/* Those that are connected now, in place of those before; none where /proc does not say. */
void measure_sockets_find(struct measure_sockets *s);

/* Returns when one of them has something to read, after most_ns (below a second), or at a signal. */
void measure_sockets_wait(const struct measure_sockets *s, long most_ns);

/* Names them for the other end, which calls each connection the same: `most` names, 0 where there are fewer. */
void measure_sockets_name(const struct measure_sockets *s, uint64_t *names, size_t most);

/* Of all connections into *found those that the other end named. */
void measure_sockets_match(const struct measure_sockets *all, const uint64_t *names, size_t n,
                           struct measure_sockets *found);

/* What they may have unacknowledged by now, in all, in bytes: of each the smaller of the congestion window and what the
 * other end takes (TCP_INFO of Linux 5.4 and later). 0: nobody says. */
double measure_sockets_window(const struct measure_sockets *s);

void measure_sockets_fini(struct measure_sockets *s); /* safe on a zeroed one */
