/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/queues/queue.h"

#include "base/memory.h"
#include "emu/queues/kernel_queue.h"

struct emu_queue_config emu_queue_config_default(void)
{
    return (struct emu_queue_config){.limit_bytes = EMU_QUEUE_UNLIMITED, .limit_packets = EMU_QUEUE_UNLIMITED};
}

void emu_queue_init(struct emu_queue *q, const struct emu_queue_config *config)
{
    bool kernel = config->kernel && *config->kernel;
    *q = (struct emu_queue){.config = *config,
                            .ops = kernel ? &emu_kernel_discipline : emu_disciplines[config->discipline]};
    if (q->ops->open) {
        q->state = memory_zeroed(1, q->ops->state_bytes, "a queue");
        q->ops->open(q->state, config->kernel);
    }
}

void emu_queue_fini(struct emu_queue *q, const struct emu_frame_ops *ops)
{
    if (q->state)
        q->ops->fini(q->state, ops);
    free(q->state);
    q->state = NULL;
}

/* A queued frame is lost after all. */
static void queue_lose(struct emu_queue *q, const struct emu_frame *frame)
{
    int64_t bytes = emu_frame_buffer_bytes(frame);
    q->depth_bytes -= bytes;
    q->depth_packets--;
    q->stats.enqueued--;
    q->stats.enqueued_bytes -= bytes;
    q->stats.dropped++;
    q->stats.dropped_bytes += bytes;
}

/* Makes room where one queued frame is enough for it; false: nothing was evicted. */
static bool queue_evict(struct emu_queue *q, const struct emu_frame *frame, struct emu_frame *victim)
{
    int64_t bytes = emu_frame_buffer_bytes(frame), room = q->config.limit_bytes - q->depth_bytes;
    if (bytes <= room && q->depth_packets < q->config.limit_packets)
        return false;
    int64_t freed = q->ops->evictable_bytes(q->state, frame);
    if (freed == 0 || bytes > room + freed)
        return false;
    q->ops->evict(q->state, victim);
    queue_lose(q, victim);
    return true;
}

bool emu_queue_push(struct emu_queue *q, const struct emu_frame *frame, uint32_t flow, int64_t now_ps,
                    struct emu_frame *victim)
{
    if (!q->state) {
        q->state = memory_zeroed(1, q->ops->state_bytes, "a queue");
        if (q->ops->begin)
            q->ops->begin(q->state, &q->config);
    }
    if (q->ops->admit && !q->ops->admit(q->state, frame, q->depth_bytes, now_ps)) {
        q->stats.dropped++;
        q->stats.dropped_bytes += emu_frame_buffer_bytes(frame);
        *victim = *frame;
        return false;
    }
    bool evicted = q->ops->evict && queue_evict(q, frame, victim);
    if (!emu_queue_admit(q, frame)) {
        *victim = *frame;
        return false;
    }
    q->ops->push(q->state, frame, flow, now_ps);
    return !evicted;
}

bool emu_queue_lost(struct emu_queue *q, struct emu_frame *frame)
{
    if (!q->ops->lost || !q->ops->lost(q->state, frame))
        return false;
    queue_lose(q, frame);
    return true;
}

enum emu_discipline_next emu_queue_pop(struct emu_queue *q, int64_t now_ps, struct emu_frame *frame)
{
    enum emu_discipline_next next = q->state ? q->ops->pop(q->state, now_ps, frame) : EMU_DISCIPLINE_EMPTY;
    if (next == EMU_DISCIPLINE_FRAME)
        emu_queue_leave(q, frame);
    else if (next == EMU_DISCIPLINE_DROP)
        queue_lose(q, frame);
    return next;
}

int64_t emu_queue_ready_ps(const struct emu_queue *q, int64_t now_ps)
{
    if (!q->ops->ready_ps || q->depth_packets == 0)
        return EMU_QUEUE_UNLIMITED;
    int64_t ready_ps = q->ops->ready_ps(q->state, now_ps);
    return ready_ps > now_ps ? ready_ps : now_ps + 1;
}

void emu_queue_stop(struct emu_queue *q, unsigned classes)
{
    if (q->state && q->ops->stop)
        q->ops->stop(q->state, classes);
}

struct emu_level emu_queue_class_level(const struct emu_queue *q, int class)
{
    struct emu_level level = {0, 0};
    if (q->state && q->ops->class_level)
        q->ops->class_level(q->state, class, &level.bytes, &level.packets);
    return level;
}
