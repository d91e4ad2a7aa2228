/* SPDX-License-Identifier: GPL-2.0-or-later */
/* foreign/sockets.h - what a host's TCP knows of its connections, beside a capture: samples of `ss -tin`, one or several,
 * as foreign/ss.c reads them. */
#pragma once

#include "base/error.h"
#include "foreign/test.h"

/* One end; what it sends. Bytes and times are since the connection began, as the last sample has them; NAN: not said. */
struct foreign_socket {
    char local[FOREIGN_NAME], peer[FOREIGN_NAME]; /* addresses */
    unsigned local_port, peer_port;
    size_t samples;
    size_t floods; /* of them: data wait to be sent, or all that the congestion window lets pass is on its way */
    size_t idles;  /* of them: its latest rate is one that its application set (app_limited) */
    double acked_bytes, again_bytes;
    double busy_s, rwnd_limited_s, sndbuf_limited_s; /* had data to send; of that, held by a window of the receiver; by
                                                      * its own buffer */
};

struct foreign_sockets {
    struct foreign_socket *socket; /* owned */
    size_t n;
};

/* Established sockets of a file; free in any case. ERROR_INPUT names file and line. */
bool foreign_sockets_read(struct foreign_sockets *s, const char *path, struct error *err);
bool foreign_sockets_read_text(struct foreign_sockets *s, const char *path, const char *text, struct error *err);
void foreign_sockets_fini(struct foreign_sockets *s);
