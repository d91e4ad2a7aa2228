/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/ends/both_ends.h - what happens to a connection's data and ACKs between two captures, one beside either end.
 *
 * A packet is found in both files by what is in it (analysis/ends/match.h); file 0 saw it at t0, file 1 at t1, each by its
 * own clock. Times count from each file's first segment.
 *
 *   place       a packet of one end has t1 - t0 = transit + offset where file 0 is beside that end, offset - transit
 *               where file 1 is: the difference of neighbouring packets of both ways tells which, whatever the clocks
 *   wait        mean less least transit (analysis/ends/transit.h): the queues between the taps, and no other. Taps see
 *               packets leave, Linux's and emulated ones alike: what waits in a host's own queue does so before
 *   groups      of pure ACKs, by base/compression.h: when they passed beside their sender, and beside their receiver.
 *               One lost between the taps does not end a group, one overtaken does
 *   lost        pure ACKs seen beside their sender only, between the first and the last that were seen by both
 *   hold        mean from a byte passing the receiver's tap to its ACK passing it: delayed ACKs, and what they wait in
 *               the receiver's own queue
 *
 * Two passes, as the clocks of two hosts may be hours apart: the first counts and samples packets to see how far apart
 * they are, the second reads both files in step. Memory: under 2 kB for each connection, some 12 kB for a bulk one in
 * both files, and the packets of those that have not arrived, for ANALYSIS_BOTH_ENDS_FLIGHT_NS at most. */
#pragma once

#include "analysis/flows/source.h"
#include "base/error.h"
#include "capture/decode.h"

#include <stddef.h>
#include <stdint.h>

#define ANALYSIS_BOTH_ENDS_FLIGHT_NS INT64_C(5000000000) /* a packet that long on its way is lost */

struct analysis_both_ends; /* opaque */

struct analysis_both_ends *analysis_both_ends_new(void);
void analysis_both_ends_free(struct analysis_both_ends *e);

/* First pass: each segment of file 0 or 1, in the file's order; time_ns since the epoch. */
void analysis_both_ends_note(struct analysis_both_ends *e, int file, int64_t time_ns, const struct capture_segment *s);

/* Between the passes: which connections count. */
void analysis_both_ends_align(struct analysis_both_ends *e);

/* A file's time by the clock of file 0, as far as is known: the second pass goes in its order, roughly. */
int64_t analysis_both_ends_time(const struct analysis_both_ends *e, int file, int64_t time_ns);

/* Second pass: the same segments. */
void analysis_both_ends_add(struct analysis_both_ends *e, int file, int64_t time_ns, const struct capture_segment *s);

/* After the last one. */
void analysis_both_ends_finish(struct analysis_both_ends *e);

/* Both passes over two files, which may not be pipes. capture[2]: what was read of each. */
bool analysis_both_ends_read(struct analysis_both_ends *e, const char *const path[2], analysis_progress *progress,
                             struct analysis_capture capture[2], struct error *err);

struct analysis_both_ends_flow {
    struct capture_address src, dst; /* of the data */
    uint16_t src_port, dst_port;
    int sender_file;                 /* 0 or 1: the one beside the data's sender */
    int64_t data, acks, lost_acks;   /* found in both; found in both; lost */
    int64_t groups, compressed;
    double base_s;                   /* least transit of data and of ACKs together */
    double data_wait_s, ack_wait_s;  /* between the taps */
    double hold_s;                   /* NAN without */
};

/* Slots for analysis_both_ends_get(): two a connection, data of one end each. */
size_t analysis_both_ends_slots(const struct analysis_both_ends *e);

enum analysis_both_ends_answer {
    ANALYSIS_BOTH_ENDS_NONE,     /* no bulk data, or in one of the files only */
    ANALYSIS_BOTH_ENDS_NO_PLACE, /* in both; nothing takes time between them, or no ACK was found twice: names only */
    ANALYSIS_BOTH_ENDS_FLOW,
};
enum analysis_both_ends_answer analysis_both_ends_get(const struct analysis_both_ends *e, size_t i,
                                                      struct analysis_both_ends_flow *flow);

/* Seconds a second that file 1's clock gains on file 0's; 0 when the transits show none. Taken off the waits. */
double analysis_both_ends_drift(const struct analysis_both_ends *e);

/* Of its time stamps: 1e-9 or, when all are whole microseconds, 1e-6. */
double analysis_both_ends_resolution_s(const struct analysis_both_ends *e, int file);

/* Packets there is room for that wait for the other file: the most at once, up to the next power of two. */
size_t analysis_both_ends_room(const struct analysis_both_ends *e);
