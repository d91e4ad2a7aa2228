/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/run/samples.h - what every flow of a run has had done so far, sampled again and again, in few bytes.
 *
 * A flow costs what its growth since the last sample takes at seven bits a byte, two bytes mostly, and next to nothing
 * once it is done: a hundred thousand flows are sampled a thousand times. */
#pragma once

#include "base/std.h"

struct samples {
    size_t n;         /* samples taken */
    size_t *end;      /* owned; of each of them in `packed` */
    uint8_t *packed;  /* owned; growth of flow 0, 1, ..., zigzag; a 0 is followed by how many flows stood still */
    size_t used, end_room, packed_room;
    int64_t *last;    /* owned; of each flow at the latest sample */
    size_t flows, still; /* of the sample that is being taken: flows so far, of which the latest stood still */
};

/* Room for so many flows; end with samples_fini(). */
void samples_init(struct samples *s, size_t flows);
void samples_fini(struct samples *s);

/* A sample: samples_add() for flow 0, 1, ..., then samples_end(). Flows that come later had nothing done before. */
void samples_add(struct samples *s, int64_t value);
void samples_end(struct samples *s);

/* Reads flow after flow, from flow 0 on. */
struct samples_reader {
    const struct samples *samples; /* borrowed */
    struct samples_place {
        size_t at, still; /* in `packed`; flows that stand still there yet */
    } *place; /* owned; of each sample */
};

void samples_reader_init(struct samples_reader *r, const struct samples *s);
void samples_reader_fini(struct samples_reader *r);

/* The next flow's value at each sample. */
void samples_read(struct samples_reader *r, double *values);
