/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/explained.h - what explains one direction of a connection: its round trips, and what its sender does.
 *
 * A flow of some hundred packets, of which a large capture has most, would take 10 kB and more of these, all of which left
 * the cache since its last packet. Until its packets take ANALYSIS_EXPLAINED_LOG bytes, some 10 each, they themselves are all
 * that is kept, and who asks has them pass again. */
#ifndef ANALYSIS_EXPLAINED_H
#define ANALYSIS_EXPLAINED_H

#include "analysis/flows/clocking.h"
#include "analysis/flows/round_trip.h"
#include "capture/segment.h"

#define ANALYSIS_EXPLAINED_LOG 4096 /* half of what a flow of so many takes else, at least */

/* What an event is told by besides what differs from those before it: [0] of data, [1] of ACKs. */
struct analysis_explained_state {
    int64_t time_ns, at[2]; /* at: relative, data's last byte + 1, or what is acknowledged */
    uint32_t tsval[2], tsecr[2];
    uint32_t payload_bytes; /* of data */
    uint32_t full_bytes;    /* payload of a full segment */
    uint16_t window;
    int8_t scale;           /* of the receiver's window */
};

struct analysis_explained {
    struct analysis_round_trip *trip;   /* owned; NULL: the log is all there is so far */
    struct analysis_clocking *clocking; /* owned; NULL likewise, or not watched yet */
    struct analysis_explained_state last;
    struct analysis_round_trip_figures *figures; /* owned; NULL, or what the log said when it had so many bytes: */
    uint16_t figured, bytes, room;
    bool watched;                       /* what its sender does: a bulk flow's */
    uint8_t log[];
};

/* `to_sender_ns`: from the tap to the sender and back, as the handshake took it; negative unknown. */
struct analysis_explained *analysis_explained_new(int64_t to_sender_ns);
void analysis_explained_free(struct analysis_explained *e);

/* From now on what its sender does is to be known, too; once. It may move, as in the two below. */
void analysis_explained_watch(struct analysis_explained **e, int64_t to_sender_ns, int64_t time_ns);

/* New data up to `end` (relative) pass; `full_bytes`: payload of a full segment. */
void analysis_explained_data(struct analysis_explained **e, const struct capture_segment *s, int64_t end, uint32_t full_bytes,
                             int64_t time_ns);

/* An acknowledgement up to `ack` (relative) passes; `scale`: of its window; -1 unknown. */
void analysis_explained_ack(struct analysis_explained **e, const struct capture_segment *s, int64_t ack, int scale,
                            int64_t time_ns);

/* The same of a flow that has its `clocking`, as those do which nearly all packets are of where there are few. */
static inline __attribute__((always_inline)) void analysis_explained_bulk_data(struct analysis_explained *e,
                                                                               const struct capture_segment *s, int64_t end,
                                                                               uint32_t full_bytes, int64_t time_ns)
{
    analysis_round_trip_data(e->trip, s, end, time_ns);
    analysis_clocking_data(e->clocking, s, end, full_bytes, time_ns);
}

static inline __attribute__((always_inline)) void analysis_explained_bulk_ack(struct analysis_explained *e,
                                                                              const struct capture_segment *s, int64_t ack,
                                                                              int scale, int64_t time_ns)
{
    analysis_round_trip_ack(e->trip, s, ack, time_ns);
    analysis_clocking_ack(e->clocking, s, ack, scale, time_ns);
}

/* What a flow with a log alone says, which is kept: true, or nobody knows it so far. */
bool analysis_explained_figures(const struct analysis_explained *e, struct analysis_round_trip_figures *x);
void analysis_explained_figured(struct analysis_explained *e, const struct analysis_round_trip_figures *x);

/* All that passed, once more: what a flow with a log alone is explained by. Both are the caller's; *clocking is NULL
 * where it is not watched. */
void analysis_explained_play(const struct analysis_explained *e, struct analysis_round_trip **trip,
                             struct analysis_clocking **clocking);

#endif
