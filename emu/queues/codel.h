/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/queues/codel.h - CoDel's control law (RFC 8289, section 5), for whoever keeps a queue. */
#pragma once

#include "emu/queues/queue.h"

/* What a queue is controlled by. */
struct emu_codel_rule {
    int64_t target_ps, interval_ps;
    int64_t most_bytes; /* of a frame: a queue with no more is left alone. 1518, or the largest that has come */
    const struct emu_frame_ops *marks; /* borrowed; frames are marked where that can be done. NULL: they are lost */
};

/* Of one queue; zeros to begin with. Names are those of RFC 8289, section 5. */
struct emu_codel {
    int64_t first_above_time; /* when the queue has been above the target for an interval; 0: it is below */
    int64_t drop_next;
    int64_t count, lastcount; /* losses since `dropping` began; when it began last, from how many on */
    bool dropping;
    enum { EMU_CODEL_DELIVERED, EMU_CODEL_ENTERED, EMU_CODEL_LOST } step; /* what the call before did */
};

/* As configured; target and interval are RFC 8289's, 5 ms and 100 ms (sections 4.3 and 4.2), unless they are given.
 * `marks`: what ECN is by default. */
struct emu_codel_rule emu_codel_rule(const struct emu_queue_config *config, bool marks);

/* Returns what is to happen to the oldest frame, which has been taken out after sojourn_ps and leaves so many bytes; a
 * frame that is marked instead of lost is marked then. `frame` NULL: there is none. After EMU_DISCIPLINE_DROP the next
 * frame is asked about at the same time. */
enum emu_discipline_next emu_codel_next(struct emu_codel *c, const struct emu_codel_rule *r,
                                        const struct emu_frame *frame, int64_t sojourn_ps, int64_t left_bytes,
                                        int64_t now_ps);

/* Notes the size of a frame that comes. */
static inline void emu_codel_see(struct emu_codel_rule *r, const struct emu_frame *frame)
{
    int64_t bytes = emu_frame_buffer_bytes(frame);
    if (bytes > r->most_bytes)
        r->most_bytes = bytes;
}
