/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/queues/queue.h - a bounded queue of frames in front of a transmitter, served as its discipline says (emu/queues/discipline.h).
 *
 * The frame in the transmitter is no longer in the queue. */
#pragma once

#include "emu/queues/discipline.h"

#define EMU_QUEUE_UNLIMITED INT64_MAX
#define EMU_QUEUE_KERNEL 128 /* bytes of a discipline of the kernel's in words */

struct emu_queue_config {
    enum emu_discipline discipline;
    int64_t limit_bytes;   /* of emu_frame_buffer_bytes(); EMU_QUEUE_UNLIMITED for no bound, at least 1 */
    int64_t limit_packets; /* frames; EMU_QUEUE_UNLIMITED for no bound, at least 1 */
    int64_t mark_bytes;    /* a frame that finds more in the queue is marked, if its ends know ECN; 0: none is */
    const char *kernel;    /* borrowed; instead of `discipline` one of the engine's kernel, as tc(8) takes it after
                            * "root"; NULL or empty: none */
    struct emu_discipline_parameters parameters;
    const struct emu_frame_ops *frames; /* borrowed; of what is queued, for disciplines that look at it or mark it */
    uint64_t seed; /* of what a discipline leaves to chance */
};

/* How full a buffer is, or may be: whichever of the two comes first. */
struct emu_level {
    int64_t bytes, packets;
};

/* What it counted. enqueued + dropped = offered; enqueued = dequeued + depth: a frame that is lost after it was queued
 * counts as dropped, no longer as enqueued. */
struct emu_queue_stats {
    int64_t enqueued, dequeued, dropped;            /* frames */
    int64_t enqueued_bytes, dequeued_bytes, dropped_bytes; /* buffer bytes */
    int64_t peak_bytes, peak_packets;
};

struct emu_queue {
    int64_t depth_bytes, depth_packets;
    struct emu_queue_stats stats;
    const struct emu_discipline_ops *ops; /* borrowed */
    void *state;                          /* owned, of the discipline; NULL until the first frame comes */
    struct emu_queue_config config;       /* its bounds first, near to the counts */
};

/* FIFO without bounds. */
struct emu_queue_config emu_queue_config_default(void);

void emu_queue_init(struct emu_queue *q, const struct emu_queue_config *config);

/* Releases what is still queued with `ops` (may be NULL when empty). */
void emu_queue_fini(struct emu_queue *q, const struct emu_frame_ops *ops);

/* The accounts of push and pop, for a holder of frames elsewhere (emu/network/port.h keeps FIFOs on its line). Returns false
 * when there is no room; the frame is then counted as dropped. */
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

/* Returns true when every frame found room; the queue owns the frame then. Returns false on overflow; *victim (this
 * frame or a queued one) is counted as dropped and now belongs to the caller. `flow`: what tells flows apart, for
 * disciplines that go by flow. */
bool emu_queue_push(struct emu_queue *q, const struct emu_frame *frame, uint32_t flow, int64_t now_ps,
                    struct emu_frame *victim);

/* Returns true for each queued frame that the discipline gave up, beside that victim, when the last one came: it is
 * counted as dropped and belongs to the caller. */
bool emu_queue_lost(struct emu_queue *q, struct emu_frame *frame);

/* The caller owns *frame unless the queue is EMU_DISCIPLINE_EMPTY. After EMU_DISCIPLINE_DROP, which is counted as
 * dropped, the caller asks again. */
enum emu_discipline_next emu_queue_pop(struct emu_queue *q, int64_t now_ps, struct emu_frame *frame);

/* After EMU_DISCIPLINE_EMPTY: returns when to ask again, later than now; EMU_QUEUE_UNLIMITED: when a frame comes. */
int64_t emu_queue_ready_ps(const struct emu_queue *q, int64_t now_ps);

/* Queues by class: emu_queue_pop() leaves these classes (bits) alone from now on. */
void emu_queue_stop(struct emu_queue *q, unsigned classes);

/* Returns what waits of a class; nothing where the discipline does not tell classes apart. */
struct emu_level emu_queue_class_level(const struct emu_queue *q, int class);
