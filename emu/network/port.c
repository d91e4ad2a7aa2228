/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network/port.h"

#include <assert.h>

#define PS_PER_BYTE_BIT INT64_C(8000000000000) /* ps in a second, bits in a byte */
#define TAG_BYTES 4   /* of IEEE 802.1Q */
#define CLASSES_DUE 16  /* bits of a PFC frame's content, after the quanta: classes that it names, */
#define CLASSES_STOP 24 /* and that it stops */
#define LINE_LEAST 8 /* frames; a switch of a thousand ports has mostly short lines */

_Static_assert(offsetof(struct emu_port, line_tail) == EMU_PORT_LINE, "a line of the cache");
_Static_assert(offsetof(struct emu_port, look_at_bytes) == 2 * EMU_PORT_LINE, "a line of the cache");
_Static_assert(sizeof(struct emu_frame) == 32, "half a line of the cache");

const char *const emu_cells_names[] = {
    [EMU_CELLS_NONE] = "none",
    [EMU_CELLS_ATM] = "atm",
    [EMU_CELLS_PTM] = "ptm",
    NULL,
};
static void port_make_queue(struct emu_port *p, const struct emu_queue_config *queue)
{
    struct emu_queue_config own = *queue;
    own.frames = p->ops;
    /* Chance differs from port to port: FNV-1a over the name. */
    const char *name = p->name;
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ queue->seed;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    own.seed = hash;
    emu_queue_init(&p->queue, &own);
    p->eager = p->eager || !p->queue.ops->in_order;
}

struct emu_port *emu_port_array(size_t n)
{
    struct emu_port *ports = memory_aligned(EMU_PORT_LINE, n * sizeof *ports, "ports");
    memset(ports, 0, n * sizeof *ports);
    return ports;
}

static void port_arrives_closely(struct emu_event *e);

/* What was scheduled before whoever keeps a port's clock began to ask for what arrives at the far port: emu_port_ship(). */
static void port_arrives_parted(struct emu_event *e UNUSED)
{
}

static inline bool port_is_parted(const struct emu_port *p)
{
    return p->arrival.fn == port_arrives_parted;
}

void emu_port_init(struct emu_port *p, const char *name, const struct emu_clock *clock,
                   const struct emu_frame_ops *ops, const struct emu_queue_config *queue)
{
    *p = (struct emu_port){.clock = *clock, .ops = ops, .calm_bytes = -1, .arrival.fn = port_arrives_closely};
    snprintf(p->name, sizeof p->name, "%s", name);
    port_make_queue(p, queue);
}

void emu_port_make_eager(struct emu_port *p)
{
    p->eager = true;
}

void emu_port_fini(struct emu_port *p)
{
    emu_queue_fini(&p->queue, p->ops);
    for (; p->line_head != p->line_tail; p->line_head++)
        emu_frame_release(p->ops, p->line[p->line_head & p->line_mask].frame.packet);
    free(p->line);
    emu_fault_free(p->fault, p->ops);
    free(p->classes);
    p->classes = NULL;
    p->fault = NULL;
    p->line = NULL;
}

int64_t emu_port_wire_ps(const struct emu_link_config *link, int64_t bytes)
{
    return (bytes * PS_PER_BYTE_BIT + link->rate_bps / 2) / link->rate_bps;
}

void emu_port_set_queue(struct emu_port *p, const struct emu_queue_config *queue)
{
    p->eager = p->eager && p->queue.ops->in_order; /* somebody else made it so */
    emu_queue_fini(&p->queue, p->ops);
    port_make_queue(p, queue);
}

int64_t emu_port_frame_bytes(const struct emu_link_config *link, const struct emu_frame *frame)
{
    const struct emu_framing *f = &link->framing;
    if (!f->on)
        return emu_frame_wire_bytes(frame);
    int64_t bytes = frame->payload_bytes + f->overhead_bytes + (f->vlan ? TAG_BYTES : 0);
    bytes = bytes < f->least_bytes ? f->least_bytes : bytes;
    if (f->cells == EMU_CELLS_ATM)
        bytes = (bytes + 47) / 48 * 53;
    else if (f->cells == EMU_CELLS_PTM)
        bytes += (bytes + 63) / 64; /* as tc-cake counts it */
    return bytes > EMU_PORT_GAP_BYTES ? bytes : EMU_PORT_GAP_BYTES + 1;
}

/* What p sends. */
static void port_give_link(struct emu_port *p, struct emu_port *far, const struct emu_link_config *link)
{
    p->link = *link;
    p->byte_ps = PS_PER_BYTE_BIT % p->link.rate_bps ? 0 : PS_PER_BYTE_BIT / p->link.rate_bps;
    p->delay_ps = link->delay_ps - emu_fault_lead_ps(&link->faults, link->delay_ps);
    p->lag_ps = p->delay_ps - EMU_PORT_GAP_BYTES * p->byte_ps;
    p->fault = emu_fault_new(&link->faults, link->delay_ps, p->name);
    p->far = far;
    p->early = far->wants_early;
}

void emu_port_join(struct emu_port *a, const struct emu_link_config *from_a, struct emu_port *b,
                   const struct emu_link_config *from_b)
{
    port_give_link(a, b, from_a);
    port_give_link(b, a, from_b);
}

void emu_port_connect(struct emu_port *a, struct emu_port *b, const struct emu_link_config *link)
{
    struct emu_link_config up = *link;
    if (link->up_bps > 0)
        up.rate_bps = link->up_bps;
    emu_port_join(a, &up, b, link);
}

static inline struct emu_port_slot *port_slot(const struct emu_port *p, uint64_t i)
{
    return &p->line[i & p->line_mask];
}

static inline bool port_line_is_full(const struct emu_port *p)
{
    return p->line_tail - p->line_head > p->line_mask || !p->line;
}

static inline int64_t port_wire_ps(const struct emu_port *p, int64_t bytes)
{
    return p->byte_ps ? bytes * p->byte_ps : emu_port_wire_ps(&p->link, bytes);
}

static inline int64_t port_frame_bytes(const struct emu_port *p, const struct emu_frame *frame)
{
    return __builtin_expect(p->link.framing.on, 0) ? emu_port_frame_bytes(&p->link, frame)
                                                   : emu_frame_wire_bytes(frame);
}

/* How long the transmitter is busy, with the gap after the frame. */
static inline int64_t port_busy_ps(const struct emu_port *p, const struct emu_frame *frame)
{
    return port_wire_ps(p, port_frame_bytes(p, frame));
}

static void port_tap(const struct emu_port *p, enum emu_tap_event event, const struct emu_frame *frame)
{
    if (p->tap.saw)
        p->tap.saw(p->tap.user, event, emu_clock_now(&p->clock), frame, &p->queue);
}

/* Makes room for so many frames more. */
static __attribute__((noinline)) void port_line_grow(struct emu_port *p, uint64_t more)
{
    uint64_t capacity = p->line ? 2 * (p->line_mask + 1) : LINE_LEAST;
    while (capacity < p->line_tail - p->line_head + more)
        capacity *= 2;
    struct emu_port_slot *line = memory_resized(NULL, capacity, sizeof *line, "queued frames");
    for (uint64_t i = p->line_head; i != p->line_tail; i++)
        line[i & (capacity - 1)] = *port_slot(p, i);
    free(p->line);
    p->line = line;
    p->line_mask = capacity - 1;
}

/* From the start of a frame's transmission until it, or its header, is at the far port. */
static inline int64_t port_crossing_ps(const struct emu_port *p, const struct emu_frame *frame)
{
    int64_t bytes = p->early ? EMU_PORT_EARLY_BYTES : port_frame_bytes(p, frame) - EMU_PORT_GAP_BYTES;
    return port_wire_ps(p, bytes) + p->delay_ps;
}

static inline int64_t port_start_ps(const struct emu_port *p, const struct emu_port_slot *slot)
{
    return slot->arrives_ps - port_crossing_ps(p, &slot->frame);
}

static void port_line_push(struct emu_port *p, const struct emu_frame *frame, int64_t start_ps)
{
    if (port_line_is_full(p))
        port_line_grow(p, 1);
    struct emu_port_slot *slot = port_slot(p, p->line_tail++);
    slot->frame = *frame;
    slot->arrives_ps = start_ps + port_crossing_ps(p, frame);
    p->come_bytes += emu_frame_buffer_bytes(frame);
}

/* What the queue of a FIFO has, and has had. */
static void port_account(struct emu_port *p)
{
    struct emu_port_counted *c = &p->counted, now = {p->line_tail, p->started, p->come_bytes, p->started_bytes};
    struct emu_queue *q = &p->queue;
    if (p->eager)
        return; /* its queue counts */
    q->stats.enqueued += (int64_t)(now.come - c->come);
    q->stats.enqueued_bytes += now.come_bytes - c->come_bytes;
    q->depth_packets += (int64_t)(now.come - c->come - (now.started - c->started));
    q->depth_bytes += now.come_bytes - c->come_bytes - (now.started_bytes - c->started_bytes);
    *c = now;
}

void emu_port_count_begun(struct emu_port *p, const struct emu_frame *frame)
{
    if (p->link.framing.on)
        p->stats.framed_bytes += emu_port_frame_bytes(&p->link, frame);
}

static inline void port_begin_frame(struct emu_port *p, const struct emu_frame *frame)
{
    p->started_bytes += emu_frame_buffer_bytes(frame);
    if (__builtin_expect(p->calm_bytes < 0, 0))
        emu_port_count_begun(p, frame);
}

/* Frames that have begun by now have left the queue: on the line of a port that is calm, where each begins when the
 * transmitter is done with the one before, or has begun when it came, */
static inline __attribute__((always_inline)) void port_settle_calmly(struct emu_port *p, int64_t now_ps)
{
    int64_t begun_ps = now_ps + p->lag_ps, bytes = p->started_bytes;
    uint64_t started = p->started;
    if (__builtin_expect(started == p->line_head && started != p->line_tail, 0)) { /* the one before is no longer there */
        const struct emu_port_slot *slot = port_slot(p, started);
        int64_t first_bytes = emu_frame_buffer_bytes(&slot->frame);
        if (slot->arrives_ps - emu_port_takes_ps(p, first_bytes) > begun_ps)
            return;
        bytes += first_bytes;
        started++;
    }
    const struct emu_port_slot *before = port_slot(p, started - 1);
    while (started != p->line_tail && before->arrives_ps <= begun_ps) {
        before = port_slot(p, started++);
        bytes += emu_frame_buffer_bytes(&before->frame);
    }
    p->started = started;
    p->started_bytes = bytes;
}

/* on any line, */
static __attribute__((noinline)) void port_settle_line(struct emu_port *p, int64_t now_ps)
{
    if (p->calm_bytes >= 0) {
        port_settle_calmly(p, now_ps);
        return;
    }
    for (; p->started != p->line_tail; p->started++) {
        const struct emu_port_slot *slot = port_slot(p, p->started);
        if (port_start_ps(p, slot) > now_ps)
            break;
        port_begin_frame(p, &slot->frame);
    }
}

/* and by its accounts. */
static void port_settle(struct emu_port *p, int64_t now_ps)
{
    port_settle_line(p, now_ps);
    port_account(p);
}

void emu_port_settle(struct emu_port *p)
{
    struct emu_queue *q = &p->queue;
    port_settle(p, emu_clock_now(&p->clock)); /* eager: everything on the line has started */
    if (p->eager)
        return;
    q->stats.dequeued = p->stats.sent = q->stats.enqueued - q->depth_packets;
    q->stats.dequeued_bytes = q->stats.enqueued_bytes - q->depth_bytes;
}

int64_t emu_port_reach_ps(const struct emu_port *p)
{
    int64_t bytes = p->early ? EMU_PORT_EARLY_BYTES : EMU_FRAME_MIN_WIRE_BYTES - EMU_PORT_GAP_BYTES;
    return emu_port_wire_ps(&p->link, bytes) + p->delay_ps + p->ahead_ps;
}

/* How far events of this port's transmitter are from a host. */
static int64_t port_ahead_ps(const struct emu_port *p)
{
    return p->watch.left || p->queue.ops->open || !p->clock.schedule_ahead ? 0 : emu_port_reach_ps(p);
}

static void port_arrive_closely(void *arg);

/* Schedules the arrival of the oldest frame on the line; soon: it comes after another. */
static inline void port_await_arrival(struct emu_port *p, int64_t now_ps, bool soon)
{
    const struct emu_port_slot *next = port_slot(p, p->line_head);
    __builtin_prefetch(next->frame.packet); /* nobody has looked at it since it was sent */
    if (p->clock.agenda)
        emu_agenda_add(p->clock.agenda, &p->arrival, next->arrives_ps, soon);
    else
        emu_clock_schedule_ahead(&p->clock, next->arrives_ps - now_ps, p->ahead_ps, port_arrive_closely, p);
}

/* The frame that has come to the line is alone there. */
static inline bool port_begins(const struct emu_port *p)
{
    return p->line_tail - p->line_head == 1 && !port_is_parted(p);
}

static void port_pause(struct emu_port *p, const struct emu_frame *frame, int64_t now_ps);

/* A frame is at the far port. */
static inline void port_deliver(struct emu_port *p, const struct emu_frame *frame, int64_t now_ps)
{
    if (__builtin_expect(frame->ethertype == EMU_FRAME_MAC_CONTROL, 0)) {
        port_pause(p->far, frame, now_ps);
        return;
    }
    p->stats.delivered++;
    emu_port_take(p->far, frame, now_ps);
}

void emu_port_take(struct emu_port *p, const struct emu_frame *frame, int64_t now_ps)
{
    if (p->tap.saw) {
        port_settle(p, now_ps); /* it may look at its queue */
        port_tap(p, EMU_TAP_IN, frame);
    }
    if (p->hand.receive)
        p->hand.receive(p->hand.owner, p->hand.index, frame);
    else
        p->receive(p->owner, p->index, frame);
}

void emu_port_look(const struct emu_port *p, bool again)
{
    const char *bytes = (const char *)p;
    if (!again) {
        for (size_t i = 0; i <= offsetof(struct emu_port, stats.delivered); i += EMU_PORT_LINE)
            __builtin_prefetch(bytes + i, 1);
        return;
    }
    if (!p->line)
        return;
    const char *tail = (const char *)port_slot(p, p->line_tail), *head = (const char *)port_slot(p, p->line_head);
    __builtin_prefetch(head);
    __builtin_prefetch(head + EMU_PORT_LINE);
    __builtin_prefetch(tail, 1);
    __builtin_prefetch(tail + EMU_PORT_LINE, 1);
}

static void port_await_held(struct emu_port *p, int64_t now_ps);

/* The oldest of the frames that the link has made late is due. */
static void port_release_held(void *arg)
{
    struct emu_port *p = arg;
    int64_t now_ps = emu_clock_now(&p->clock);
    struct emu_frame frame;
    emu_ring_pop(&p->fault->held, &frame);
    port_await_held(p, now_ps);
    port_deliver(p, &frame, now_ps);
}

static void port_await_held(struct emu_port *p, int64_t now_ps)
{
    const struct emu_ring *held = &p->fault->held;
    if (held->count > 0)
        emu_clock_schedule_ahead(&p->clock, emu_ring_peek(held)->time_ps - now_ps, p->ahead_ps, port_release_held, p);
}

/* A frame has crossed a link with faults. */
static void port_suffer(struct emu_port *p, const struct emu_frame *frame, int64_t now_ps)
{
    if (emu_fault_loses(p->fault)) {
        p->stats.lost++;
        if (p->far->tap.saw && frame->ethertype != EMU_FRAME_MAC_CONTROL) {
            port_settle(p->far, now_ps);
            port_tap(p->far, EMU_TAP_LOST, frame);
        }
        emu_frame_release(p->ops, frame->packet);
        return;
    }
    int64_t due_ps = emu_fault_due_ps(p->fault, now_ps);
    bool waits = p->fault->held.count > 0;
    if (due_ps == now_ps && (!waits || p->fault->last_ps > now_ps)) { /* else those that wait are before it, and due */
        port_deliver(p, frame, now_ps);
        return;
    }
    emu_ring_push(&p->fault->held, frame, due_ps);
    if (!waits)
        port_await_held(p, now_ps);
}

/* Takes the oldest frame off the line, and waits for the next. */
static inline const struct emu_port_slot *port_line_pop(struct emu_port *p, int64_t now_ps)
{
    const struct emu_port_slot *slot = port_slot(p, p->line_head);
    if (p->started == p->line_head) { /* nobody has looked since it began */
        p->started++;
        port_begin_frame(p, &slot->frame);
    }
    if (++p->line_head != p->line_tail)
        port_await_arrival(p, now_ps, true);
    return slot;
}

/* The oldest frame on the line has fully arrived at the far port, or its header. */
static void port_arrive_closely(void *arg)
{
    struct emu_port *p = arg;
    if (port_is_parted(p))
        return; /* it was scheduled before */
    int64_t now_ps = emu_clock_now(&p->clock);
    p->arrived = port_line_pop(p, now_ps)->frame;
    if (p->fault)
        port_suffer(p, &p->arrived, now_ps);
    else
        port_deliver(p, &p->arrived, now_ps);
}

static struct emu_port *port_of_arrival(struct emu_event *e)
{
    return (struct emu_port *)(void *)e; /* its first member */
}

/* Where the link has faults, PAUSE comes, or somebody looks. */
static void port_arrives_closely(struct emu_event *e)
{
    port_arrive_closely(port_of_arrival(e));
}

static inline __attribute__((always_inline)) void port_hand_over(struct emu_port *p, const struct emu_port_slot *slot)
{
    p->stats.delivered++;
    p->to.receive(p->to.owner, p->to.index, &slot->frame);
}

/* The next arrival is far. */
static __attribute__((noinline)) void port_arrives_before(struct emu_port *p, const struct emu_port_slot *slot)
{
    p->clock.agenda->later(p->clock.agenda, &p->arrival);
    port_hand_over(p, slot);
}

/* The frame stays where it was on the line. */
static void port_arrives_straight(struct emu_event *e)
{
    struct emu_port *p = port_of_arrival(e);
    uint64_t head = p->line_head;
    const struct emu_port_slot *slot = port_slot(p, head);
    if (p->started == head) {
        p->started = head + 1;
        p->started_bytes += emu_frame_buffer_bytes(&slot->frame);
    }
    p->line_head = ++head;
    if (head != p->line_tail) {
        const struct emu_port_slot *next = port_slot(p, head);
        struct emu_agenda *a = p->clock.agenda;
        int64_t arrives_ps = next->arrives_ps;
        __builtin_prefetch(next->frame.packet); /* nobody has looked at it since it was sent */
        e->time_ps = arrives_ps;
        e->sequence = a->sequence++;
        if (!emu_agenda_place(a, e, arrives_ps, true)) {
            port_arrives_before(p, slot);
            return;
        }
    }
    port_hand_over(p, slot);
}

void emu_port_part(struct emu_port *p, const struct emu_clock *clock, int number)
{
    assert(!p->eager && !p->fault);
    p->clock = *clock;
    p->number = number;
    p->arrival.fn = port_arrives_parted;
}

int64_t emu_port_next_arrival_ps(const struct emu_port *p)
{
    return p->line_head != p->line_tail ? port_slot(p, p->line_head)->arrives_ps : INT64_MAX;
}

static void port_show(void *arg);

/* Shows every start up to now to tap and watch, and waits for the next. */
static void port_show_started(struct emu_port *p, int64_t now_ps)
{
    while (p->shown != p->started) {
        struct emu_frame frame = port_slot(p, p->shown++)->frame; /* a copy: the watcher may send */
        if (frame.ethertype == EMU_FRAME_MAC_CONTROL)
            continue;
        port_tap(p, EMU_TAP_OUT, &frame);
        if (p->watch.left)
            p->watch.left(p->watch.user, &frame);
    }
    if (p->showing || p->shown == p->line_tail)
        return;
    p->showing = true;
    emu_clock_schedule_ahead(&p->clock, port_start_ps(p, port_slot(p, p->shown)) - now_ps,
                             p->watch.left ? 0 : EMU_CLOCK_NEVER, port_show, p);
}

static void port_show(void *arg)
{
    struct emu_port *p = arg;
    int64_t now_ps = emu_clock_now(&p->clock);
    p->showing = false;
    port_settle(p, now_ps);
    port_show_started(p, now_ps);
}

static bool port_is_watched(const struct emu_port *p)
{
    return p->tap.saw || p->watch.left;
}

static void port_drop(struct emu_port *p, const struct emu_frame *frame)
{
    port_tap(p, EMU_TAP_DROP, frame);
    if (p->watch.left)
        p->watch.left(p->watch.user, frame);
    emu_frame_release(p->ops, frame->packet);
}

void emu_port_refuse(struct emu_port *p, const struct emu_frame *frame)
{
    p->queue.stats.dropped++;
    p->queue.stats.dropped_bytes += emu_frame_buffer_bytes(frame);
    port_drop(p, frame);
}

/* As RFC 8257 (section 3.1) wants: by the queue's length when the frame comes. */
static inline void port_mark(const struct emu_port *p, const struct emu_frame *frame)
{
    int64_t most = p->queue.config.mark_bytes;
    if (__builtin_expect(most > 0, 0) && p->queue.depth_bytes > most)
        emu_frame_mark(p->ops, frame);
}

/* Until when frames need not be looked at closely, by what has been settled. */
static inline void port_look_at(struct emu_port *p)
{
    uint64_t full = p->line_head + p->line_mask + 1, most = p->started + (uint64_t)p->calm_packets;
    p->look_at = full < most ? full : most;
    p->look_at_bytes = p->started_bytes + p->calm_bytes;
}

/* What the next frame may find without being looked at closely. */
static void port_be_calm(struct emu_port *p)
{
    const struct emu_queue *q = &p->queue;
    bool plain = !p->eager && !p->early && !p->link.framing.on && !port_is_watched(p) && q->config.mark_bytes == 0 &&
                 p->byte_ps > 0 && p->clock.time_ps;
    p->calm_packets = q->stats.peak_packets < q->config.limit_packets ? q->stats.peak_packets : q->config.limit_packets;
    p->calm_bytes = q->stats.peak_bytes < q->config.limit_bytes ? q->stats.peak_bytes : q->config.limit_bytes;
    if (!plain)
        p->calm_bytes = -1;
    port_look_at(p);
    if (p->eager || p->fault || !p->far || p->far->tap.saw || p->link.framing.on || port_is_parted(p) || !p->clock.agenda)
        return;
    p->to = p->far->hand.receive ? p->far->hand
                                 : (struct emu_port_hand){p->far->receive, p->far->owner, p->far->index};
    p->arrival.fn = port_arrives_straight;
}

static void port_send_fifo(struct emu_port *p, const struct emu_frame *frame)
{
    int64_t now_ps = emu_clock_now(&p->clock);
    port_settle(p, now_ps);
    port_mark(p, frame);
    if (!emu_queue_admit(&p->queue, frame)) {
        port_drop(p, frame);
        return;
    }
    int64_t start_ps = p->free_ps > now_ps ? p->free_ps : now_ps;
    p->free_ps = start_ps + port_busy_ps(p, frame);
    port_line_push(p, frame, start_ps);
    p->counted.come++;
    p->counted.come_bytes = p->come_bytes;
    port_settle(p, now_ps);
    if (port_begins(p))
        port_await_arrival(p, now_ps, false);
    if (port_is_watched(p))
        port_show_started(p, now_ps);
    port_be_calm(p);
}

static void port_transmit_next(void *arg);

/* Eager: puts a frame on the wire. */
static void port_start(struct emu_port *p, const struct emu_frame *frame, int64_t now_ps)
{
    p->busy = true;
    port_line_push(p, frame, now_ps);
    p->started++;
    if (port_begins(p))
        port_await_arrival(p, now_ps, false);
    emu_clock_schedule_ahead(&p->clock, port_busy_ps(p, frame), port_ahead_ps(p), port_transmit_next, p);
}

static struct emu_port_classes *port_classes(struct emu_port *p)
{
    if (!p->classes)
        p->classes = memory_zeroed(1, sizeof *p->classes, "PFC");
    return p->classes;
}

/* Tells the queue which classes are stopped. Returns when the next of them may go on. */
static int64_t port_stop_classes(struct emu_port *p, int64_t now_ps)
{
    unsigned stopped = 0;
    int64_t next_ps = EMU_QUEUE_UNLIMITED;
    for (int i = 0; i < EMU_FRAME_CLASSES; i++) {
        int64_t until_ps = p->classes->until_ps[i];
        if (until_ps <= now_ps)
            continue;
        stopped |= 1u << i;
        next_ps = until_ps < next_ps ? until_ps : next_ps;
    }
    emu_queue_stop(&p->queue, stopped);
    return next_ps;
}

/* The next frame to send; those that the discipline loses on the way are dropped. */
static bool port_pop(struct emu_port *p, int64_t now_ps, struct emu_frame *frame)
{
    enum emu_discipline_next next;
    while ((next = emu_queue_pop(&p->queue, now_ps, frame)) == EMU_DISCIPLINE_DROP) {
        p->busy = true; /* who watches may send, and must not start a frame here */
        port_drop(p, frame);
        p->busy = false;
    }
    return next == EMU_DISCIPLINE_FRAME;
}

static void port_resume(void *arg)
{
    struct emu_port *p = arg;
    if (p->resume_ps > emu_clock_now(&p->clock))
        return; /* it was asked for a nearer time, and again after it */
    p->resuming = false;
    if (!p->busy)
        port_transmit_next(p);
}

/* Looks again at that time, unless it will before. */
static void port_resume_at(struct emu_port *p, int64_t at_ps, int64_t now_ps)
{
    if (at_ps == EMU_QUEUE_UNLIMITED || (p->resuming && p->resume_ps <= at_ps))
        return;
    p->resuming = true;
    p->resume_ps = at_ps;
    emu_clock_schedule(&p->clock, at_ps - now_ps, port_resume, p);
}

/* The transmitter is free. */
static void port_transmit_next(void *arg)
{
    struct emu_port *p = arg;
    int64_t now_ps = emu_clock_now(&p->clock);
    struct emu_frame frame;
    int64_t classes_ps = p->classes ? port_stop_classes(p, now_ps) : EMU_QUEUE_UNLIMITED;
    p->busy = false;
    if (p->classes && p->classes->due) {
        struct emu_port_classes *c = p->classes;
        frame = (struct emu_frame){.packet = emu_frame_tag(c->quanta | c->due << CLASSES_DUE | c->stop << CLASSES_STOP),
                                   .ethertype = EMU_FRAME_MAC_CONTROL};
        c->due = 0;
        p->stats.pauses_sent++;
        port_start(p, &frame, now_ps);
        return;
    }
    if (p->pause_due) {
        p->pause_due = false;
        p->stats.pauses_sent++;
        frame = (struct emu_frame){.packet = emu_frame_tag(p->pause_quanta), .ethertype = EMU_FRAME_MAC_CONTROL};
        port_start(p, &frame, now_ps);
        return;
    }
    if (now_ps < p->paused_until_ps) {
        port_resume_at(p, p->paused_until_ps, now_ps);
    } else if (port_pop(p, now_ps, &frame)) {
        p->stats.sent++;
        if (p->link.framing.on)
            p->stats.framed_bytes += emu_port_frame_bytes(&p->link, &frame);
        port_start(p, &frame, now_ps);
        if (port_is_watched(p))
            port_show_started(p, now_ps);
    } else {
        port_resume_at(p, emu_queue_ready_ps(&p->queue, now_ps), now_ps);
        port_resume_at(p, classes_ps, now_ps);
    }
    if (p->room.fn)
        p->room.fn(p->room.user, p);
}

bool emu_port_is_idle(const struct emu_port *p)
{
    return !p->busy && p->queue.depth_packets == 0 && emu_clock_now(&p->clock) >= p->paused_until_ps;
}

void emu_port_send_pause(struct emu_port *p, uint16_t quanta)
{
    p->pause_due = true;
    p->pause_quanta = quanta;
    if (!p->busy)
        port_transmit_next(p);
}

void emu_port_send_class_pause(struct emu_port *p, int class, uint16_t quanta)
{
    struct emu_port_classes *c = port_classes(p);
    unsigned bit = 1u << class;
    c->due |= bit;
    c->stop = quanta > 0 ? c->stop | bit : c->stop & ~bit;
    c->quanta = quanta > 0 ? quanta : c->quanta;
    if (!p->busy)
        port_transmit_next(p);
}

/* A PFC frame has arrived at p. */
static void port_pause_classes(struct emu_port *p, uint64_t content, int64_t now_ps)
{
    struct emu_port_classes *c = port_classes(p);
    int64_t quanta = (int64_t)(content & UINT16_MAX);
    int64_t stop_ps = quanta * emu_port_wire_ps(&p->link, EMU_PORT_QUANTUM_BITS / 8);
    for (int i = 0; i < EMU_FRAME_CLASSES; i++) {
        if (!(content >> (CLASSES_DUE + i) & 1))
            continue;
        int64_t until_ps = content >> (CLASSES_STOP + i) & 1 ? now_ps + stop_ps : now_ps;
        p->stats.paused_ps += until_ps - (c->until_ps[i] > now_ps ? c->until_ps[i] : now_ps);
        c->until_ps[i] = until_ps;
    }
}

/* A PAUSE has arrived at p. */
static void port_pause(struct emu_port *p, const struct emu_frame *frame, int64_t now_ps)
{
    uint64_t content = emu_frame_tag_content(frame->packet);
    int64_t quanta = (int64_t)content;
    if (content >> CLASSES_DUE) {
        p->stats.pauses_received++;
        port_pause_classes(p, content, now_ps);
        if (!p->busy)
            port_transmit_next(p);
        return;
    }
    int64_t until_ps = now_ps + quanta * emu_port_wire_ps(&p->link, EMU_PORT_QUANTUM_BITS / 8);
    int64_t from_ps = p->paused_until_ps > now_ps ? p->paused_until_ps : now_ps;
    p->stats.pauses_received++;
    p->stats.paused_ps += until_ps - from_ps; /* from what an earlier one had promised */
    p->paused_until_ps = until_ps;
    if (!p->busy)
        port_transmit_next(p);
}

void emu_port_send_closely(struct emu_port *p, const struct emu_frame *frame)
{
    if (!p->eager) {
        port_send_fifo(p, frame);
        return;
    }
    uint32_t flow = p->queue.ops->by_flow ? emu_frame_fair_key(p->ops, frame) : 0;
    struct emu_frame victim;
    port_mark(p, frame);
    if (!emu_queue_push(&p->queue, frame, flow, emu_clock_now(&p->clock), &victim)) {
        port_drop(p, &victim);
        if (!p->queue.ops->lost)
            return;
    }
    while (emu_queue_lost(&p->queue, &victim))
        port_drop(p, &victim);
    if (!p->busy)
        port_transmit_next(p);
}

__attribute__((noinline)) void emu_port_begin(struct emu_port *p)
{
    if (!port_is_parted(p))
        port_await_arrival(p, *p->clock.time_ps, false);
}

/* n frames of so many bytes each come to a port that is calm, and wait, or one that begins: settles what has begun, and notes a
 * new peak, which is what the last of them finds. False where one would be lost, or the line is full: that is to be looked at
 * closely. */
static inline __attribute__((always_inline)) bool port_admits(struct emu_port *p, uint64_t n, int64_t bytes, int64_t now_ps)
{
    struct emu_queue *q = &p->queue;
    port_settle_calmly(p, now_ps);
    int64_t depth_bytes = p->come_bytes - p->started_bytes + (int64_t)n * bytes;
    int64_t depth_packets = (int64_t)(p->line_tail - p->started + n);
    if (p->line_tail - p->line_head + (n - 1) > p->line_mask)
        return false;
    if (depth_bytes > p->calm_bytes || depth_packets > p->calm_packets) {
        if (depth_bytes > q->config.limit_bytes || depth_packets > q->config.limit_packets)
            return false;
        if (depth_bytes > p->calm_bytes)
            p->calm_bytes = q->stats.peak_bytes = depth_bytes;
        if (depth_packets > p->calm_packets)
            p->calm_packets = q->stats.peak_packets = depth_packets;
    }
    port_look_at(p);
    return true;
}

int64_t emu_port_admits(struct emu_port *p, uint64_t n, int64_t bytes, int64_t now_ps)
{
    uint64_t begins = p->free_ps <= now_ps && n > 1; /* the first does not wait for the others */
    const struct emu_queue_config *most = &p->queue.config;
    port_settle_calmly(p, now_ps);
    if (p->come_bytes - p->started_bytes + (int64_t)(n - begins) * bytes > most->limit_bytes ||
        (int64_t)(p->line_tail - p->started + n - begins) > most->limit_packets)
        return -1;
    if (p->line_tail - p->line_head + n > p->line_mask + 1)
        port_line_grow(p, n);
    if (!port_admits(p, n - begins, bytes, now_ps))
        return -1;
    p->started += begins;
    p->started_bytes += (int64_t)begins * bytes;
    port_look_at(p);
    return p->free_ps > now_ps ? p->free_ps : now_ps;
}

void emu_port_send_more(struct emu_port *p, const struct emu_frame *frame)
{
    int64_t now_ps = *p->clock.time_ps, bytes = emu_frame_buffer_bytes(frame);
    if (!port_admits(p, 1, bytes, now_ps)) {
        emu_port_send_closely(p, frame);
        return;
    }
    emu_port_send_calmly(p, frame, bytes, p->free_ps > now_ps ? p->free_ps : now_ps);
    if (__builtin_expect(p->line_tail - 1 == p->line_head, 0))
        emu_port_begin(p);
}

bool emu_port_audit(struct emu_port *p, struct error *err)
{
    emu_port_settle(p);
    const struct emu_queue_stats *q = &p->queue.stats;
    int64_t paused = p->far ? p->far->stats.pauses_received : 0;
    if (q->enqueued == q->dequeued + p->queue.depth_packets &&
        q->enqueued_bytes == q->dequeued_bytes + p->queue.depth_bytes && q->dequeued == p->stats.sent &&
        p->stats.sent + p->stats.pauses_sent == p->stats.delivered + paused + (int64_t)emu_port_on_wire(p) + p->stats.lost)
        return true;
    return error_set(err, ERROR_SYSTEM,
                     "port %s does not conserve frames: enqueued %" PRId64 ", dequeued %" PRId64 ", queued %" PRId64
                     ", sent %" PRId64 ", delivered %" PRId64 ", on the wire %zu, lost %" PRId64
                     "; please report this",
                     p->name, q->enqueued, q->dequeued, p->queue.depth_packets, p->stats.sent, p->stats.delivered,
                     emu_port_on_wire(p), p->stats.lost);
}
