/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/packets.h - every packet of a connection, packed as it passes, so that a page can carry millions of them.
 *
 * ASCII, in numbers as source maps write them (ECMA-426, "VLQ"): base64 digits of which five bits count, lowest first, the
 * sixth says that another follows; a number that may be negative has its sign in its lowest bit. A packet is
 *
 *   head       bit 0: the end that sent it; 1: frame follows; 2, 3: its payload: 0 none, 1 as long as the last one of
 *              this end that had any, 2 its bytes follow; 4: ack follows; 5: window follows; 6: seq follows; 7: what follows
 *   time       signed, ns since the packet before
 *   frame      signed, its number in the file less the one after the packet before; left out: 0
 *   payload    bytes, left out likewise
 *   ack        signed, less the last one of this end
 *   window     signed, less the last one of this end, unscaled
 *   seq        signed, less the end of this end's last payload
 *   what       ANALYSIS_PACKET_*, and SACK blocks * ANALYSIS_PACKET_SACK; then for each block its start, signed, less
 *              ack, and its bytes
 *
 * in this order, and each is relative to 0 at first. seq and ack are relative as in analysis/flows/direction.h. Five to eight
 * bytes a packet, as a rule. */
#pragma once

#include "capture/decode.h"

#include <stddef.h>

enum {
    ANALYSIS_PACKET_SYN = 1, ANALYSIS_PACKET_FIN = 2, ANALYSIS_PACKET_RST = 4,
    ANALYSIS_PACKET_AGAIN = 8,     /* sent again, as analysis/flows/direction.h has it */
    ANALYSIS_PACKET_LATE = 16,     /* reordered, likewise */
    ANALYSIS_PACKET_UNPLACED = 32, /* no acknowledgement, or none that can be one of this stream */
    ANALYSIS_PACKET_SACK = 64,
};

#define ANALYSIS_PACKETS_AGAIN 8           /* packets sent again that are remembered by number, an end */
#define ANALYSIS_PACKETS_CONNECTIONS 100  /* of more, a capture's later ones are kept from their eighth segment on: */
#define ANALYSIS_PACKETS_FEW 8             /* hundreds of thousands of flows may be of one segment */
#define ANALYSIS_PACKETS_ROOM ((size_t)48 << 20) /* bytes a capture; eight million packets or so */

struct analysis_packets {
    char *text; /* owned; without a final zero */
    size_t bytes, room;
    int64_t time_ns, frame;
    struct analysis_packets_end {
        int64_t next, ack; /* end of its last payload; its last acknowledgement */
        uint32_t payload_bytes, window;
        uint32_t data, acks, sacks; /* packets with payload, SYN or FIN; with an acknowledgement; SACK blocks */
        uint32_t again, again_frame[ANALYSIS_PACKETS_AGAIN];
        uint32_t first_frame, last_frame;
    } end[2];
};

/* One to be packed. */
struct analysis_packet {
    int64_t time_ns, frame;     /* since the capture's origin; number in the file, from 1 */
    const struct capture_segment *segment; /* its window and SACK blocks */
    int64_t seq, ack;           /* relative; seq of payload, SYN or FIN, ack unless ANALYSIS_PACKET_UNPLACED */
    uint32_t payload_bytes;     /* that has its place at seq */
    unsigned what;              /* ANALYSIS_PACKET_* without SACK */
    int end;
};

/* Into *p, made when NULL. *left: bytes that a capture may still keep; false when they are used up, and nothing is kept. */
bool analysis_packets_add(struct analysis_packets **p, const struct analysis_packet *packet, size_t *left);
void analysis_packets_free(struct analysis_packets *p);
