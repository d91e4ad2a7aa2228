/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/ends/match.h - the same packet in two captures: recognised by its contents, never by when it came.
 *
 * Three pieces: an identity; a sample of the packets of each file, drawn alike, to see how far their clocks are apart;
 * and the packets that one file has shown and the other not yet. */
#pragma once

#include "capture/decode.h"

#include <stddef.h>

/* Of addresses, ports, IP identification, sequence and acknowledgement numbers, SYN, FIN and RST, window, timestamps,
 * SACK, and whether it carries payload. Not of its length, which segmentation and receive offload change, nor of tags
 * and checksums, which hosts and NICs add. Two packets alike in all that, as IPv6 without timestamps may send, count
 * as one. */
uint64_t analysis_match_identity(const struct capture_segment *s);

/* The packets of least identity: a sample of every file that holds, of two files, the same packets (bottom-k sketch,
 * Broder 1997). */
#define ANALYSIS_SAMPLE 4096

struct analysis_sampled {
    uint64_t identity;
    int64_t time_ns;
};

struct analysis_sample { /* zeroed: empty; a heap, greatest on top */
    size_t n;
    struct analysis_sampled packet[ANALYSIS_SAMPLE];
};

void analysis_sample_add(struct analysis_sample *sample, uint64_t identity, int64_t time_ns);

/* Median of b's time less a's for the packets in both; sorts both. False when there is none. */
bool analysis_sample_offset(struct analysis_sample *a, struct analysis_sample *b, int64_t *offset_ns);

struct analysis_match; /* opaque: packets that wait for their other self */

struct analysis_waiting {
    uint64_t identity;
    int64_t time_ns;
    uint32_t owner; /* the caller's */
    uint8_t file;   /* 0 or 1 */
    bool counts;    /* the caller's, too */
};

struct analysis_match *analysis_match_new(void);
void analysis_match_free(struct analysis_match *m);

enum analysis_met { ANALYSIS_MET_NONE,   /* it waits now */
                    ANALYSIS_MET_COPY,   /* the same file has shown it already, and it still waits */
                    ANALYSIS_MET_OTHER };/* *other_ns: when the other file saw it; it waits no more */
enum analysis_met analysis_match_add(struct analysis_match *m, const struct analysis_waiting *packet,
                                     int64_t *other_ns);

/* Takes those of a file out, from the oldest on, that came before `before_ns`, telling the caller. */
typedef void analysis_match_lost(void *user, const struct analysis_waiting *packet);
void analysis_match_expire(struct analysis_match *m, int file, int64_t before_ns, analysis_match_lost *lost,
                           void *user);

/* Room taken, in packets: the most that ever waited at once, up to the next power of two. */
size_t analysis_match_room(const struct analysis_match *m);
