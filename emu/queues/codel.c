/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CoDel (Nichols, Jacobson, McGregor and Iyengar, RFC 8289): a FIFO that loses frames when none of an interval has
 * waited less than the target. The next loss comes INTERVAL / sqrt(count) after the last, where count is how many there
 * were in a row, until a frame waits less again or at most one is left. With ECN a mark takes the place of a loss where
 * the frame can take it, as in Linux. Names are those of RFC 8289, section 5. */
#include "emu/queues/codel.h"
#include "emu/ring.h"

#define PS_PER_MS INT64_C(1000000000)
#define TARGET_PS (5 * PS_PER_MS)     /* section 4.3 */
#define INTERVAL_PS (100 * PS_PER_MS) /* section 4.2 */
#define MAX_PACKET 1518               /* buffer bytes of a full frame */

struct codel {
    struct emu_ring ring;
    int64_t bytes;
    struct emu_codel_rule rule;
    struct emu_codel control;
};

struct emu_codel_rule emu_codel_rule(const struct emu_queue_config *config, bool marks)
{
    const struct emu_discipline_parameters *p = &config->parameters;
    if (p->ecn != EMU_DISCIPLINE_ECN_USUAL)
        marks = p->ecn == EMU_DISCIPLINE_ECN_TRUE;
    return (struct emu_codel_rule){
        .target_ps = p->target_ps > 0 ? p->target_ps : TARGET_PS,
        .interval_ps = p->interval_ps > 0 ? p->interval_ps : INTERVAL_PS,
        .most_bytes = MAX_PACKET,
        .marks = marks ? config->frames : NULL,
    };
}

static int64_t codel_control_law(const struct emu_codel_rule *r, int64_t t, int64_t count)
{
    return t + (int64_t)((double)r->interval_ps / sqrt((double)count));
}

/* RFC 8289's dodequeue(), of a frame that is out already. */
static bool codel_ok_to_drop(struct emu_codel *c, const struct emu_codel_rule *r, int64_t sojourn_ps,
                             int64_t left_bytes, int64_t now_ps)
{
    if (sojourn_ps < r->target_ps || left_bytes <= r->most_bytes) {
        c->first_above_time = 0;
        return false;
    }
    if (c->first_above_time == 0) {
        c->first_above_time = now_ps + r->interval_ps;
        return false;
    }
    return now_ps >= c->first_above_time;
}

/* It has waited too long for an interval: begins where it left off if that is not long ago. */
static void codel_enter(struct emu_codel *c, const struct emu_codel_rule *r, int64_t now_ps)
{
    int64_t delta = c->count - c->lastcount;
    c->dropping = true;
    c->count = delta > 1 && now_ps - c->drop_next < 16 * r->interval_ps ? delta : 1;
    c->lastcount = c->count;
    c->drop_next = codel_control_law(r, now_ps, c->count);
}

/* RFC 8289's dequeue(), a frame a call. */
enum emu_discipline_next emu_codel_next(struct emu_codel *c, const struct emu_codel_rule *r,
                                        const struct emu_frame *frame, int64_t sojourn_ps, int64_t left_bytes,
                                        int64_t now_ps)
{
    int before = (int)c->step;
    c->step = EMU_CODEL_DELIVERED;
    bool ok_to_drop = frame && codel_ok_to_drop(c, r, sojourn_ps, left_bytes, now_ps);
    if (!frame)
        c->first_above_time = 0;
    if (before == EMU_CODEL_ENTERED)
        return frame ? EMU_DISCIPLINE_FRAME : EMU_DISCIPLINE_EMPTY;
    if (!c->dropping && ok_to_drop) {
        codel_enter(c, r, now_ps);
        if (emu_frame_mark(r->marks, frame))
            return EMU_DISCIPLINE_FRAME;
        c->step = EMU_CODEL_ENTERED;
        return EMU_DISCIPLINE_DROP;
    }
    c->dropping = c->dropping && ok_to_drop;
    if (c->dropping && before == EMU_CODEL_LOST)
        c->drop_next = codel_control_law(r, c->drop_next, c->count);
    if (!c->dropping || now_ps < c->drop_next)
        return frame ? EMU_DISCIPLINE_FRAME : EMU_DISCIPLINE_EMPTY;
    c->count++;
    if (emu_frame_mark(r->marks, frame)) {
        c->drop_next = codel_control_law(r, c->drop_next, c->count);
        return EMU_DISCIPLINE_FRAME;
    }
    c->step = EMU_CODEL_LOST;
    return EMU_DISCIPLINE_DROP;
}

static void codel_begin(void *state, const struct emu_queue_config *config)
{
    struct codel *c = state;
    c->rule = emu_codel_rule(config, false);
}

static void codel_push(void *state, const struct emu_frame *frame, uint32_t flow UNUSED, int64_t now_ps)
{
    struct codel *c = state;
    emu_codel_see(&c->rule, frame);
    emu_ring_push(&c->ring, frame, now_ps);
    c->bytes += emu_frame_buffer_bytes(frame);
}

static enum emu_discipline_next codel_pop(void *state, int64_t now_ps, struct emu_frame *frame)
{
    struct codel *c = state;
    if (c->ring.count == 0)
        return emu_codel_next(&c->control, &c->rule, NULL, 0, 0, now_ps);
    int64_t sojourn_ps = now_ps - emu_ring_peek(&c->ring)->time_ps;
    emu_ring_pop(&c->ring, frame);
    c->bytes -= emu_frame_buffer_bytes(frame);
    return emu_codel_next(&c->control, &c->rule, frame, sojourn_ps, c->bytes, now_ps);
}

const struct emu_discipline_ops emu_discipline_codel = {
    .drops_early = true,
    .acks = EMU_DISCIPLINE_ACKS_WAIT,
    .has = EMU_DISCIPLINE_HAS_TARGET | EMU_DISCIPLINE_HAS_ECN,
    .state_bytes = sizeof(struct codel),
    .begin = codel_begin,
    .fini = emu_discipline_ring_fini,
    .push = codel_push,
    .pop = codel_pop,
};
