/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/sack.h - which parts of a stream have arrived: a receiver's out-of-order data, a sender's scoreboard.
 *
 * Both are sorted lists of disjoint, not touching [from, to) of 64-bit stream offsets; a change costs a binary search
 * and a move of what comes after. They grow by doubling and never shrink: no allocation in steady state. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct native_interval {
    uint64_t from, to;
};

struct native_intervals {
    struct native_interval *at; /* owned */
    int n;
    size_t capacity;
    uint64_t bytes; /* sum of lengths */
};

/* Adds [from, to), from < to; returns how many bytes were not there before. */
uint64_t native_intervals_add(struct native_intervals *l, uint64_t from, uint64_t to);
/* Removes everything below `to`. */
void native_intervals_cut(struct native_intervals *l, uint64_t to);
/* Bytes of [from, to) that are there. */
uint64_t native_intervals_within(const struct native_intervals *l, uint64_t from, uint64_t to);
void native_intervals_fini(struct native_intervals *l);

#define NATIVE_RECENT 3

struct native_reassembly {
    struct native_intervals held;
    uint64_t recent[NATIVE_RECENT]; /* offsets in the intervals changed last, the latest first */
    int n_recent;
};

void native_reassembly_insert(struct native_reassembly *r, uint64_t from, uint64_t to);
/* The stream has arrived up to `to`. Returns how far it continues in what is held, and forgets that part. */
uint64_t native_reassembly_advance(struct native_reassembly *r, uint64_t to);
/* SACK blocks to report, the latest change first (RFC 2018, section 4); returns how many, `most` at most. */
int native_reassembly_blocks(const struct native_reassembly *r, uint64_t (*blocks)[2], int most);

/* Of a scoreboard, the intervals that the peer has SACKed: where the highest one ends. */
static inline uint64_t native_scoreboard_highest(const struct native_intervals *sacked)
{
    return sacked->n > 0 ? sacked->at[sacked->n - 1].to : 0;
}

/* Where certain loss ends (RFC 6675, IsLost()): below it everything that is not SACKed has three SACKed stretches
 * above it, or more than two segments' worth of SACKed bytes. `una` when nothing is lost. */
uint64_t native_scoreboard_lost_end(const struct native_intervals *sacked, uint64_t una, uint32_t segment_bytes);
/* The first stretch of [from, limit) that is not SACKed; false when there is none. */
bool native_scoreboard_hole(const struct native_intervals *sacked, uint64_t from, uint64_t limit, uint64_t *start,
                            uint64_t *end);
