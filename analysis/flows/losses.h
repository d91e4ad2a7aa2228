/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/losses.h - which retransmissions were in vain, and what the network, not the sender, doubled or reordered.
 *
 * The receiver says so in its SACK blocks. A first block below the acknowledgement, or inside the second, reports bytes
 * that came twice (DSACK, RFC 2883): of a retransmission that passed the tap the original had arrived, too; without one
 * the network made the copy. A block above a gap whose bytes passed the tap, and a later acknowledgement of the gap
 * without any retransmission of it: they were overtaken beyond the tap. One of these is made for a direction when there
 * is something to remember. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ANALYSIS_LOSSES_RANGES 16

struct analysis_range {
    int64_t start, end; /* relative sequence numbers, end exclusive */
};

struct analysis_losses { /* zeroed: nothing yet */
    uint32_t told_twice;      /* segments of retransmissions that DSACK reported */
    uint32_t known_acked;     /* segments sent again although their acknowledgement had passed the tap before */
    uint32_t copied;          /* segments that DSACK reported and nobody sent again */
    uint32_t overtaken;       /* segments reordered beyond the tap */
    uint32_t guessed;         /* segments called lost or reordered though the signs disagree */
    uint32_t next;            /* of the ring */
    struct analysis_range again[ANALYSIS_LOSSES_RANGES]; /* retransmitted, adjacent ones merged; a ring */
    int64_t forgotten;        /* below that, retransmissions may have been forgotten */
    struct analysis_range gap; /* below SACKed data; its bytes have passed the tap. Empty: none */
};

/* Bytes sent again; adjacent to what was last sent again or not. */
void analysis_losses_again(struct analysis_losses *l, int64_t start, int64_t end);

/* A DSACK block of so many segments. */
void analysis_losses_twice(struct analysis_losses *l, int64_t start, int64_t end, uint32_t segments);

/* An acknowledgement passes; `full`: bytes of a full segment. */
void analysis_losses_ack(struct analysis_losses *l, int64_t ack, uint32_t full);

/* SACK says that [start, end) has not arrived, and it has passed the tap. */
void analysis_losses_gap(struct analysis_losses *l, int64_t start, int64_t end);
