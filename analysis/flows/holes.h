/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/holes.h - the parts of a sequence range that have not been seen (yet).
 *
 * A hole opens when a segment skips ahead. It closes when a later segment brings the bytes:
 * an original that was overtaken, or a retransmission. What never comes was missed by the capture. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ANALYSIS_HOLES_MAX 1024 /* beyond, the lowest hole is given up: memory stays bounded on lossy captures */

struct analysis_hole {
    int64_t start, end;   /* relative sequence numbers, end exclusive */
    int64_t opened_ns;    /* when the segment behind it passed */
    uint32_t tsval;       /* of that segment */
    uint32_t dup_acks;    /* the receiver's duplicate ACKs counted so far at that moment */
    uint16_t ip_id;       /* of that segment */
    bool has_timestamps;
};

struct analysis_holes { /* zeroed: no hole */
    struct analysis_hole *hole; /* ascending, disjoint; somewhere in room */
    struct analysis_hole *room; /* owned; `capacity` of them */
    uint32_t n, capacity;
    int64_t given_up_bytes; /* in holes dropped for want of room */
};

void analysis_holes_fini(struct analysis_holes *h);

/* Adds a hole below, between or above the others; it overlaps none. */
void analysis_holes_open(struct analysis_holes *h, const struct analysis_hole *hole);

/* Removes [start, end) from the holes and returns how many bytes of it were missing. *first, when
 * that is not 0, is the lowest hole touched, as it was before. */
int64_t analysis_holes_fill(struct analysis_holes *h, int64_t start, int64_t end, struct analysis_hole *first);

/* Is any of [start, end) missing? */
bool analysis_holes_any(const struct analysis_holes *h, int64_t start, int64_t end);

/* Bytes missing now, given-up ones included. */
int64_t analysis_holes_bytes(const struct analysis_holes *h);
