/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/datagrams.h - flows of UDP: who sends what beside TCP, how much of it and how evenly.
 *
 * What is inside is not seen: a datagram of QUIC is encrypted, its acknowledgements among it. QUIC is told by the long
 * headers that begin a connection; one that had begun before the capture is UDP. */
#pragma once

#include "capture/decode.h"

#include <stddef.h>

#define ANALYSIS_DATAGRAMS_FLOWS 512 /* directions; a name server's thousands of one packet each make no table */

/* One direction. */
struct analysis_datagrams_flow {
    struct capture_address src, dst;
    uint16_t src_port, dst_port;
    uint32_t tag;
    bool quic;               /* long headers were seen, either way */
    int64_t first_ns, last_ns; /* since the origin */
    double bytes;            /* on the wire, with preamble, gap and FCS */
    int64_t packets;
    int64_t runs;            /* beginnings: after more than the mean gap until then */
};

struct analysis_datagrams; /* opaque; the first flows that come */

struct analysis_datagrams *analysis_datagrams_new(void);
void analysis_datagrams_free(struct analysis_datagrams *d);

/* A datagram passes, so long on the wire. */
void analysis_datagrams_add(struct analysis_datagrams *d, const struct capture_segment *s, uint32_t bytes, int64_t time_ns);

/* In order of appearance; *n of them, borrowed. */
const struct analysis_datagrams_flow *analysis_datagrams_all(const struct analysis_datagrams *d, size_t *n);
