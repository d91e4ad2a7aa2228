/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CoDel (Nichols, Jacobson, McGregor and Iyengar, RFC 8289): a FIFO that loses frames when none of an interval has
 * waited less than the target. The next loss comes INTERVAL / sqrt(count) after the last, where count is how many there
 * were in a row, until a frame waits less again or at most one is left. Names are those of RFC 8289, section 5. */
#include "emu/discipline.h"
#include "emu/ring.h"

#include <math.h>

#define PS_PER_MS INT64_C(1000000000)
#define TARGET_PS (5 * PS_PER_MS)     /* section 4.3 */
#define INTERVAL_PS (100 * PS_PER_MS) /* section 4.2 */
#define MAX_PACKET 1518               /* buffer bytes of a full frame */

enum codel_step { CODEL_DELIVERED, CODEL_ENTERED, CODEL_LOST }; /* what the call before did */

struct codel {
    struct emu_ring ring;
    int64_t bytes;
    int64_t first_above_time; /* when the queue has been above the target for an interval; 0: it is below */
    int64_t drop_next;
    int64_t count, lastcount; /* losses since `dropping` began; when it began last, from how many on */
    bool dropping;
    enum codel_step step;
};

static void codel_fini(void *state, const struct emu_frame_ops *ops)
{
    struct codel *c = state;
    emu_ring_fini(&c->ring, ops);
}

static void codel_push(void *state, const struct emu_frame *frame, uint32_t flow, int64_t now_ps)
{
    struct codel *c = state;
    (void)flow;
    emu_ring_push(&c->ring, frame, now_ps);
    c->bytes += emu_frame_buffer_bytes(frame);
}

static int64_t codel_control_law(int64_t t, int64_t count)
{
    return t + (int64_t)((double)INTERVAL_PS / sqrt((double)count));
}

/* RFC 8289's dodequeue(); the ring is not empty. */
static bool codel_take(struct codel *c, int64_t now_ps, struct emu_frame *frame)
{
    int64_t sojourn_ps = now_ps - emu_ring_peek(&c->ring)->time_ps;
    emu_ring_pop(&c->ring, frame);
    c->bytes -= emu_frame_buffer_bytes(frame);
    if (sojourn_ps < TARGET_PS || c->bytes <= MAX_PACKET) {
        c->first_above_time = 0;
        return false;
    }
    if (c->first_above_time == 0) {
        c->first_above_time = now_ps + INTERVAL_PS;
        return false;
    }
    return now_ps >= c->first_above_time;
}

/* It has waited too long for an interval: begins where it left off if that is not long ago. */
static void codel_enter(struct codel *c, int64_t now_ps)
{
    int64_t delta = c->count - c->lastcount;
    c->dropping = true;
    c->count = delta > 1 && now_ps - c->drop_next < 16 * INTERVAL_PS ? delta : 1;
    c->lastcount = c->count;
    c->drop_next = codel_control_law(now_ps, c->count);
}

/* RFC 8289's dequeue(), a frame a call: whoever is told to lose one asks again at the same time. */
static enum emu_discipline_next codel_pop(void *state, int64_t now_ps, struct emu_frame *frame)
{
    struct codel *c = state;
    enum codel_step before = c->step;
    c->step = CODEL_DELIVERED;
    bool any = c->ring.count > 0, ok_to_drop = any && codel_take(c, now_ps, frame);
    if (!any)
        c->first_above_time = 0;
    if (before == CODEL_ENTERED)
        return any ? EMU_DISCIPLINE_FRAME : EMU_DISCIPLINE_EMPTY;
    if (!c->dropping && ok_to_drop) {
        codel_enter(c, now_ps);
        c->step = CODEL_ENTERED;
        return EMU_DISCIPLINE_DROP;
    }
    c->dropping = c->dropping && ok_to_drop;
    if (c->dropping && before == CODEL_LOST)
        c->drop_next = codel_control_law(c->drop_next, c->count);
    if (!c->dropping || now_ps < c->drop_next)
        return any ? EMU_DISCIPLINE_FRAME : EMU_DISCIPLINE_EMPTY;
    c->count++;
    c->step = CODEL_LOST;
    return EMU_DISCIPLINE_DROP;
}

const struct emu_discipline_ops emu_discipline_codel = {
    .drops_early = true,
    .acks = EMU_DISCIPLINE_ACKS_WAIT,
    .state_bytes = sizeof(struct codel),
    .fini = codel_fini,
    .push = codel_push,
    .pop = codel_pop,
};
