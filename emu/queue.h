/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/queue.h - a bounded queue of frames in front of a transmitter.
 *
 * Disciplines: `fifo`; `ack-first`, two FIFOs in one buffer of which the one with pure TCP ACKs is served first; both
 * drop what finds no room. `fair`: turns for flows, and the fattest one loses (emu/fair.h). The frame in the
 * transmitter is no longer in the queue. */
#ifndef EMU_QUEUE_H
#define EMU_QUEUE_H

#include "emu/frame.h"

enum emu_discipline { EMU_DISCIPLINE_FIFO, EMU_DISCIPLINE_ACK_FIRST, EMU_DISCIPLINE_FAIR };
extern const char *const emu_discipline_names[]; /* for base/names.h */

#define EMU_QUEUE_UNLIMITED INT64_MAX

struct emu_queue_config {
    enum emu_discipline discipline;
    int64_t limit_bytes;   /* of emu_frame_buffer_bytes(); EMU_QUEUE_UNLIMITED for no bound, at least 1 */
    int64_t limit_packets; /* frames; EMU_QUEUE_UNLIMITED for no bound, at least 1 */
};

/* What it counted. enqueued + dropped = offered; enqueued = dequeued + depth. */
struct emu_queue_stats {
    int64_t enqueued, dequeued, dropped;            /* frames */
    int64_t enqueued_bytes, dequeued_bytes, dropped_bytes; /* buffer bytes */
    int64_t peak_bytes, peak_packets;
};

struct emu_frame_slot {
    struct emu_frame frame;
    int64_t time_ps; /* what it means is the holder's business */
};

struct emu_frame_ring {
    struct emu_frame_slot *slots; /* owned; capacity a power of two, grows by doubling */
    size_t capacity, head, count;
};

struct emu_fair;

struct emu_queue {
    struct emu_queue_config config;
    int64_t depth_bytes, depth_packets;
    struct emu_queue_stats stats;
    struct emu_fair *fair;          /* owned; made when the first frame comes */
    struct emu_frame_ring rings[2]; /* [0] everything, or all but pure ACKs; [1] pure ACKs when ack-first */
};

/* FIFO without bounds. */
struct emu_queue_config emu_queue_config_default(void);

void emu_queue_init(struct emu_queue *q, const struct emu_queue_config *config);

/* Releases what is still queued with `ops` (may be NULL when empty). */
void emu_queue_fini(struct emu_queue *q, const struct emu_frame_ops *ops);

/* The accounts of push and pop, for a holder of frames elsewhere (emu/port.h keeps FIFOs on its line). False: no
 * room, counted as dropped. */
static inline bool emu_queue_admit(struct emu_queue *q, const struct emu_frame *frame)
{
    int64_t bytes = emu_frame_buffer_bytes(frame), depth_bytes = q->depth_bytes + bytes;
    if (bytes > q->config.limit_bytes - q->depth_bytes || q->depth_packets >= q->config.limit_packets) {
        q->stats.dropped++;
        q->stats.dropped_bytes += bytes;
        return false;
    }
    q->depth_bytes = depth_bytes;
    q->depth_packets++;
    q->stats.enqueued++;
    q->stats.enqueued_bytes += bytes;
    if (depth_bytes > q->stats.peak_bytes)
        q->stats.peak_bytes = depth_bytes;
    if (q->depth_packets > q->stats.peak_packets)
        q->stats.peak_packets = q->depth_packets;
    return true;
}

static inline void emu_queue_leave(struct emu_queue *q, const struct emu_frame *frame)
{
    int64_t bytes = emu_frame_buffer_bytes(frame);
    q->depth_bytes -= bytes;
    q->depth_packets--;
    q->stats.dequeued++;
    q->stats.dequeued_bytes += bytes;
}

/* True: the queue owns the frame now. False: no room for all; *victim, the frame itself or a queued one, is counted as
 * dropped and the caller's. `flow`: for fair queues, what tells flows apart. */
bool emu_queue_push(struct emu_queue *q, const struct emu_frame *frame, uint32_t flow, struct emu_frame *victim);

/* False when empty. The caller owns the frame. */
bool emu_queue_pop(struct emu_queue *q, struct emu_frame *frame);

/* Out of memory aborts: a queue that loses frames silently would be worse. */
void emu_frame_ring_push(struct emu_frame_ring *r, const struct emu_frame *frame, int64_t time_ps);
/* The oldest; the ring is not empty. */
static inline const struct emu_frame_slot *emu_frame_ring_peek(const struct emu_frame_ring *r)
{
    return &r->slots[r->head];
}
bool emu_frame_ring_pop(struct emu_frame_ring *r, struct emu_frame *frame);
void emu_frame_ring_fini(struct emu_frame_ring *r, const struct emu_frame_ops *ops);

#endif
