/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/capacity.h - how fast a bottleneck lets frames go, from how they follow each other.
 *
 * * Behind a standing queue full frames leave back to back: the rate of a few of them is the link's (packet trains,
 * Jain and Routhier 1986; dispersion, Dovrolis, Ramanathan and Moore 2001). Groups of frames towards, or from, one host
 * vote for their rate with their bytes, in steps of a sixteenth of an octave. Wire bytes: with preamble, gap, FCS. A
 * tap stamps frames as they begin (a port that sends) or end (one that receives), and with frames of two sizes only one
 * of them gives the link's rate: each way votes apart, and the one that agrees most is taken. Groups that take few ticks
 * of the capture's clock have no vote. */
#ifndef ANALYSIS_CAPACITY_H
#define ANALYSIS_CAPACITY_H

#include "analysis/flows/batches.h"
#include "analysis/flows/spacing.h"
#include "capture/decode.h"

#include <stddef.h>

#define ANALYSIS_CAPACITY_STEPS 480 /* from 1 kbit/s on: 30 octaves */
#define ANALYSIS_CAPACITY_GROUPS 2  /* sizes of groups: shapers let some frames go at once, batches arrive at once */
#define ANALYSIS_CAPACITY_VOTES 4   /* a size of groups, stamped at its end or its beginning */
#define ANALYSIS_CAPACITY_MOST 12   /* frames of the larger */
#define ANALYSIS_CAPACITY_TRAIN 256 /* frames: more than a shaper or an interface lets go at once */

#define ANALYSIS_CAPACITY_BEFORE ANALYSIS_CAPACITY_TRAIN /* frames remembered; more than ANALYSIS_CAPACITY_MOST, too */
#define ANALYSIS_CAPACITY_FRAMING 38 /* bytes of a frame of Ethernet besides its packet: FCS, header, preamble, gap */
#define ANALYSIS_CAPACITY_STAMPS 12U /* bytes of the option of timestamps, padded */
#define ANALYSIS_CAPACITY_ADDED 256 /* frames that are counted at once: many times faster than one by one */

struct analysis_capacity_vote {
    double bytes, seconds;
};

#define ANALYSIS_CAPACITY_SLOTS 256
#define ANALYSIS_CAPACITY_SLOT_NS INT64_C(10000) /* at first; slots double as time goes on */

/* Bytes on the wire over time: slot i covers [first + i, first + i + 1) * SLOT_NS << shift. */
struct analysis_capacity_series {
    int64_t first;
    unsigned shift;
    size_t n;
    int64_t from_ns, to_ns; /* what slot `at` covers; nothing at first */
    size_t at;
    double bytes[ANALYSIS_CAPACITY_SLOTS];
};

/* Frames of one way: those before that are remembered, then those to be counted. What precedes the first is all zero. */
struct analysis_capacity_way {
    int64_t time_ns[ANALYSIS_CAPACITY_BEFORE + ANALYSIS_CAPACITY_ADDED];
    int64_t sum_bytes[ANALYSIS_CAPACITY_BEFORE + ANALYSIS_CAPACITY_ADDED]; /* of all frames until then */
    uint32_t sum_full[ANALYSIS_CAPACITY_BEFORE + ANALYSIS_CAPACITY_ADDED]; /* how many of them were full, modulo 2^32 */
    uint32_t bytes[ANALYSIS_CAPACITY_ADDED]; /* of each */
    size_t added;         /* to be counted */
    uint64_t frames;      /* counted */
    struct analysis_capacity_vote votes[ANALYSIS_CAPACITY_VOTES][ANALYSIS_CAPACITY_STEPS + 1]; /* the last: no vote */
    int64_t slot_from_ns, slot_to_ns; /* of 100 ms, under way */
    double slot_bytes, most_slot_bytes, all_bytes;
    struct analysis_capacity_series carried;
    double other_bytes, other_frames; /* not TCP */
    int64_t other_from_ns, other_to_ns;
    double train_bps;     /* the fastest of ANALYSIS_CAPACITY_TRAIN frames */
    struct analysis_spacing spacing;
    int64_t common_ns;    /* greatest common divisor of the first frames' stamps; 0: none yet */
    bool same;            /* two of them have one stamp */
};

struct analysis_capacity_host {
    struct capture_address host;
    uint32_t tag;
    uint32_t bulk, others; /* directions of bulk data, to it or from it; others', by analysis_capacity_find() */
    bool passed_over;
    struct analysis_capacity_way in, out;
};

struct analysis_capacity; /* of the first ANALYSIS_CAPACITY_HOSTS hosts; opaque */
#define ANALYSIS_CAPACITY_HOSTS 64

struct analysis_capacity *analysis_capacity_new(void);
void analysis_capacity_free(struct analysis_capacity *c);

/* Wire bytes of a segment besides its payload, as they are counted here: no options but timestamps. */
static inline uint32_t analysis_capacity_around_bytes(const struct capture_address *address, bool timestamps)
{
    return (address->family == 4 ? 40U : 60U) + (timestamps ? ANALYSIS_CAPACITY_STAMPS : 0U) + ANALYSIS_CAPACITY_FRAMING;
}

/* A TCP segment of that slot, which is the same for its flow and no other, in frames of frame_bytes of payload and what
 * remains; or with other_bytes > 0 a frame of so many bytes that is none, and has no slot. Of the first slots it is
 * remembered whose hosts they are. A super-segment stays one in groups and trains, with the bytes of all its frames, as
 * when each of them passed is not known. */
#define ANALYSIS_CAPACITY_SLOTTED 512
#define ANALYSIS_CAPACITY_NO_SLOT UINT32_MAX
void analysis_capacity_add(struct analysis_capacity *c, const struct capture_segment *s, uint32_t slot, uint32_t frame_bytes,
                           uint32_t other_bytes, int64_t time_ns);

/* The same of frames of a batch, up to the first that is more than a segment of its flow's hosts, which are known; returns how
 * many they are. */
size_t analysis_capacity_add_plain(struct analysis_capacity *c, const struct analysis_frame *frame, size_t n);

/* Hosts that share nothing need not be counted: nobody judges a host of fewer than two bulk flows, and what it exchanges
 * with one of two and more is counted there. A direction of a segment's hosts has become bulk. */
void analysis_capacity_bulk(struct analysis_capacity *c, const struct capture_segment *s);

/* With all its frames counted. NULL: not seen, or beyond the first hosts. */
const struct analysis_capacity_host *analysis_capacity_find(const struct analysis_capacity *c,
                                                            const struct capture_address *host, uint32_t tag);

/* The tick of the capture's clock, s, which the stamps of frames are multiples of. Nothing shorter shows. 0: no frames. */
double analysis_capacity_stamp_s(const struct analysis_capacity_host *h);

/* Would full frames back to back at such a rate, or a higher one, have a vote with a clock of such ticks, or in batches so far
 * apart? */
bool analysis_capacity_shows(double stamp_s, double bps);

/* The rate of back-to-back frames, bit/s on the wire, at which a quarter of the bytes and more pass and which is not
 * below what 100 ms carried, by the size of groups that agree most; NAN when there is none, or where frames are stamped in
 * batches that tell no such rate. *share: of bytes in such groups. */
double analysis_capacity_bps(const struct analysis_capacity_way *w, double *share);

/* What it carries on average from from_s until to_s, but for the ends, bit/s on the wire; NAN where it is too short. */
double analysis_capacity_mean_bps(const struct analysis_capacity_way *w, double from_s, double to_s);

/* Does a way carry at least so much, bit/s on the wire, in every stretch of span_s from its first frame until to_s, but for
 * the ends? False where there is no whole stretch. */
bool analysis_capacity_always(const struct analysis_capacity_way *w, double least_bps, double span_s, double to_s);

/* The most that 100 ms carried, bit/s on the wire. */
double analysis_capacity_peak_bps(const struct analysis_capacity_way *w);

/* The same, or a long train of frames: the link is no slower. */
double analysis_capacity_least_bps(const struct analysis_capacity_way *w);

#endif
