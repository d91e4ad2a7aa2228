/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/network/port.h - one end of a full-duplex Ethernet link: a host's NIC or a switch port.
 *
 * Outgoing frames wait in a queue, occupy the transmitter for their wire bytes (frame, FCS,
 * preamble, gap) at the link's rate, and reach the far port one propagation delay after
 * their last bit left. Both directions of a link run independently.
 *
 * When a frame comes to a FIFO, the time when it will leave is known: it is put on the line at once, with the time of
 * its arrival, and the port needs one pending event, the line's next. Depths are settled when somebody looks, or when
 * what has not been settled might make the difference. A tap sees every start, which costs an event each and changes nothing else. An eager port cannot know and
 * needs an event for every frame: one whose discipline is not in_order, one that honours PAUSE, or the output of a
 * crossbar. A discipline that has nothing to give although frames wait says when to ask again.
 *
 * PAUSE (IEEE 802.3x, annex 31B): a MAC control frame overtakes what is queued, occupies the transmitter like any
 * frame of minimum size, and stops the far port, after the frame it is sending, for a number of quanta of 512 bit
 * times; 0 lets it go on. PFC (IEEE 802.1Qbb) is the same by class: a frame names classes and stops each, or lets it go
 * on, and queues that serve classes go on with the others. Taps see neither, as a host's own captures do not. */
#pragma once

#include "base/error.h"
#include "emu/clock.h"
#include "emu/network/fault.h"
#include "emu/queues/queue.h"

#define EMU_PORT_NAME 32
#define EMU_PORT_QUANTUM_BITS 512

struct emu_port;

/* How a link packs what its frames carry, the IP packet, where that is not Ethernet's own: as tc-cake(8) has it. */
enum emu_cells { EMU_CELLS_NONE, EMU_CELLS_ATM, EMU_CELLS_PTM };
extern const char *const emu_cells_names[]; /* for base/names.h */

struct emu_framing {
    bool on;            /* else 38 bytes around the packet, 84 at least, no cells and no tag */
    int overhead_bytes; /* around the IP packet on the wire; -64 .. 256 */
    int least_bytes;    /* of packet and overhead: a shorter one is padded (tc's mpu) */
    enum emu_cells cells; /* ATM: cells of 53 bytes carry 48 (AAL5's trailer is of the overhead); PTM: 65 for 64 */
    int vlan;           /* frames carry this IEEE 802.1Q tag, 4 bytes more; 0: none */
};

struct emu_link_config {
    int64_t rate_bps; /* on the wire, each direction */
    int64_t up_bps;   /* what the host's end, or the lower switch's, sends at; 0: rate_bps */
    int64_t delay_ps; /* propagation, one way */
    int64_t mtu_bytes; /* an IP packet may have; who makes them looks. 0: anything */
    struct emu_framing framing;
    struct emu_fault_config faults; /* each way by itself */
};

enum emu_tap_event {
    EMU_TAP_OUT,  /* first bit leaves: after the queue, where a Linux tap sits */
    EMU_TAP_IN,   /* last bit has arrived */
    EMU_TAP_DROP, /* lost here: no room, or the discipline gave it up */
    EMU_TAP_LOST, /* lost by a fault of the link on its way here */
};

/* Sees frames at one port. `queue` is the port's own output queue at that moment. */
struct emu_tap {
    void (*saw)(void *user, enum emu_tap_event event, int64_t time_ps, const struct emu_frame *frame,
                const struct emu_queue *queue);
    void *user; /* borrowed */
};

/* Is called when a frame leaves the queue, for the wire or because it was dropped, as a driver hears of completed
 * transmissions. */
struct emu_port_watch {
    void (*left)(void *user, const struct emu_frame *frame);
    void *user; /* borrowed */
};

/* What it counted. queue.dequeued = sent; sent = delivered (at the far port) + on the wire + lost, MAC control frames
 * aside. */
struct emu_port_stats {
    int64_t delivered, sent; /* frames; their buffer bytes are the queue's dequeued_bytes */
    int64_t pauses_sent, pauses_received; /* MAC control frames, in neither of those */
    int64_t paused_ps;       /* how long it was told not to send; by PFC: of each class, added up */
    int64_t framed_bytes;    /* on the wire, of what was sent, where the link has a framing of its own */
    int64_t lost;            /* by faults of the link, MAC control frames among them */
};

/* Is called when an eager port has started a frame of its queue or has nothing left to send. */
struct emu_port_room {
    void (*fn)(void *user, struct emu_port *p);
    void *user; /* borrowed */
};

/* PFC at a port: of itself, and what it is about to tell the far one. Classes are bits. */
struct emu_port_classes {
    int64_t until_ps[EMU_FRAME_CLASSES]; /* stopped until then */
    unsigned due, stop; /* named by the frame that is due; stopped, of what it names */
    uint16_t quanta;    /* for so long */
};

/* A frame that is on the wire, or waits in a FIFO for it. */
struct emu_port_slot {
    struct emu_frame frame;
    int64_t arrives_ps; /* at the far port, or its header */
};

/* Who gets what arrives. */
struct emu_port_hand {
    void (*receive)(void *owner, int index, const struct emu_frame *frame);
    void *owner;
    int index;
};

#define EMU_PORT_LINE 64 /* bytes of the cache's */

/* A port's line as it was when its queue's accounts were brought up to date. */
struct emu_port_counted {
    uint64_t come, started; /* frames, */
    int64_t come_bytes, started_bytes;
};

/* What every frame touches comes first, in four lines of the cache: with a thousand ports each counts. Neither the queue
 * nor the far port is among it. */
struct emu_port {
    struct emu_event arrival      /* of the oldest frame on the line, where the clock has an agenda */
        __attribute__((aligned(EMU_PORT_LINE)));
    struct emu_port_slot *line;   /* owned; ring, capacity a power of two, grows by doubling: */
    uint64_t line_mask;           /* capacity - 1 */
    uint64_t line_head;           /* frames that have ever left the line, */
    uint64_t line_tail;           /* and come to it; */
    uint64_t started;             /* and begun, as far as somebody has looked: those before line_head have */
    int64_t free_ps;              /* when the transmitter is done with all there is (FIFO) */
    int64_t byte_ps;              /* of the link; a byte that takes no whole number of them: 0 */
    int64_t lag_ps;               /* from when the transmitter is done with a frame, and the gap, until it has arrived */
    int64_t come_bytes, started_bytes; /* FIFO: of the frames that ever came to the line, and of those that began */
    uint64_t look_at;             /* FIFO: until so many have come, */
    int64_t look_at_bytes;        /* and so many bytes, one more is neither lost nor makes a new peak, nor is the line full */
    int64_t calm_bytes;           /* nor is it if it is no longer, and nobody is before it; -1: who comes is looked at closely */
    int64_t calm_packets;         /* FIFO: a frame that finds fewer makes no new peak, nor is it lost */
    struct emu_port_hand to;      /* the far port's, while arrivals are handed over straight */
    struct emu_clock clock;
    struct emu_port_stats stats;
    struct emu_port_counted counted;
    uint64_t shown;               /* frames that were shown to tap and watch */
    bool eager;                   /* asks its queue for each frame when the transmitter is free */
    bool early;                   /* the far port wants a frame as soon as its header is there: cut-through */
    bool showing;                 /* an event is pending; so is one while the line is not empty, unless parted: emu_port_part() */
    bool wants_early;             /* frames as soon as their header is there */
    bool busy;                    /* eager: a frame is in the transmitter */
    bool resuming;                /* an event is pending */
    bool pause_due;               /* a PAUSE is to be sent */
    bool no_pause;                /* PAUSE is off on this link */
    uint16_t pause_quanta;        /* of the PAUSE that is due */
    struct emu_port *far;         /* borrowed */
    int64_t ahead_ps;             /* what arrives at the far port reaches no host sooner than so much later */
    struct emu_frame arrived;     /* while it is handed over, not straight */
    int64_t delay_ps;             /* of the link */
    struct emu_fault *fault;      /* owned; what the link does to frames sent here; NULL: nothing */
    struct emu_queue queue;       /* of a FIFO the accounts alone; emu_port_settle() brings them up to date */
    void (*receive)(void *owner, int index, const struct emu_frame *frame); /* takes the frame, which it may not look at
                                                                             * once it has made others send */
    void *owner;                  /* borrowed: host side or switch */
    int index;                    /* which of the owner's ports */
    struct emu_port_hand hand;    /* the same without a detour; receive NULL: there is no other way */
    struct emu_tap tap;           /* tap.saw NULL: nobody looks */
    struct emu_port_watch watch;  /* likewise; both, and who receives, before the first frame */
    int number;                   /* among all that are parted */
    int64_t paused_until_ps;
    struct emu_port_classes *classes; /* owned; NULL: no PFC frame yet */
    int64_t resume_ps;            /* while `resuming`: when it looks again */
    struct emu_port_room room;    /* eager; fn NULL: nobody asks */
    struct emu_link_config link;
    const struct emu_frame_ops *ops; /* borrowed */
    char name[EMU_PORT_NAME];
};

/* So many, all zero, for free(). */
struct emu_port *emu_port_array(size_t n);

void emu_port_init(struct emu_port *p, const char *name, const struct emu_clock *clock,
                   const struct emu_frame_ops *ops, const struct emu_queue_config *queue);
void emu_port_fini(struct emu_port *p);

/* Returns the time that `bytes`, up to a million, take on the wire, to the nearest picosecond. It is exact where a byte
 * takes a whole number of picoseconds, as on every Ethernet from 10 Mb/s to 400 Gb/s. */
int64_t emu_port_wire_ps(const struct emu_link_config *link, int64_t bytes);

/* Bytes of the wire that a frame takes on the link, with the gap that follows. */
int64_t emu_port_frame_bytes(const struct emu_link_config *link, const struct emu_frame *frame);

/* A cable between two ports, which have their names; a is the host's end, or the lower switch's. */
void emu_port_connect(struct emu_port *a, struct emu_port *b, const struct emu_link_config *link);

/* The same with what each of them sends; up_bps is not looked at. */
void emu_port_join(struct emu_port *a, const struct emu_link_config *from_a, struct emu_port *b,
                   const struct emu_link_config *from_b);

/* Before the first frame: another queue than emu_port_init() gave it. */
void emu_port_set_queue(struct emu_port *p, const struct emu_queue_config *queue);

/* Returns the least time from the start of a frame here until it reaches a host, by ahead_ps; what waits is later. */
int64_t emu_port_reach_ps(const struct emu_port *p);

/* Call before the first frame: the port then asks its queue for every frame, and PAUSE can stop it. */
void emu_port_make_eager(struct emu_port *p);

/* Eager ports: returns true if a frame would be sent at once. */
bool emu_port_is_idle(const struct emu_port *p);

/* Eager ports: tells the far port to stop for that many quanta; 0 lets it go on. */
void emu_port_send_pause(struct emu_port *p, uint16_t quanta);

/* The same by class, 0 to 7 (PFC). */
void emu_port_send_class_pause(struct emu_port *p, int class, uint16_t quanta);

/* Counts and shows a frame as dropped here and releases it: a buffer that the queue does not know had no room. */
void emu_port_refuse(struct emu_port *p, const struct emu_frame *frame);

/* For emu_port_send(): a frame that may be lost or make a new peak, as far as that is settled, or finds the line full; to a
 * port where that is not all there is to ask; and one that finds the line empty. */
void emu_port_send_more(struct emu_port *p, const struct emu_frame *frame);
void emu_port_send_closely(struct emu_port *p, const struct emu_frame *frame);
void emu_port_begin(struct emu_port *p);
/* For emu_port_open(): n frames of so many bytes each come at once to a port that is calm. Returns when they begin, -1 where one
 * would be lost: else what has begun is settled, a new peak is noted, and the line is long enough. */
int64_t emu_port_admits(struct emu_port *p, uint64_t n, int64_t bytes, int64_t now_ps);

/* What a frame of so many buffer bytes takes on the wire of an Ethernet. */
static inline int64_t emu_port_takes_ps(const struct emu_port *p, int64_t bytes)
{
    return (bytes + EMU_FRAME_OVERHEAD_BYTES - EMU_FRAME_HEADER_BYTES - EMU_FRAME_FCS_BYTES) * p->byte_ps;
}

/* A FIFO of an Ethernet that nobody watches gets a frame of so many bytes for which there is room. Returns its place. */
static inline __attribute__((always_inline)) struct emu_port_slot *emu_port_send_calmly(struct emu_port *p,
                                                                                        const struct emu_frame *frame,
                                                                                        int64_t bytes, int64_t start_ps)
{
    uint64_t tail = p->line_tail;
    struct emu_port_slot *slot = &p->line[tail & p->line_mask];
    int64_t free_ps = start_ps + emu_port_takes_ps(p, bytes);
    slot->frame = *frame;
    slot->arrives_ps = free_ps + p->lag_ps;
    p->free_ps = free_ps;
    p->line_tail = tail + 1;
    p->come_bytes += bytes;
    return slot;
}

/* Whether none of n frames of so many bytes each, which come to a port that is calm at once, is lost or makes a new peak, as
 * far as that has been settled; then *start_ps is when they begin. What began was looked at some time ago, and no less has
 * begun now. */
static inline __attribute__((always_inline)) bool emu_port_is_calm(struct emu_port *p, uint64_t n, int64_t bytes,
                                                                   int64_t now_ps, int64_t *start_ps)
{
    int64_t all_bytes = (int64_t)n * bytes;
    *start_ps = p->free_ps;
    if (*start_ps > now_ps)
        return p->line_tail + (n - 1) < p->look_at && p->come_bytes + all_bytes <= p->look_at_bytes;
    if (all_bytes > p->calm_bytes || p->line_tail - p->line_head + (n - 1) > p->line_mask ||
        (n > 1 && (int64_t)n > p->calm_packets))
        return false;
    *start_ps = now_ps;
    p->started = p->line_tail + 1; /* all that came before has begun, and so does the first of these */
    p->started_bytes = p->come_bytes + bytes;
    return true;
}

/* Queues the frame for transmission, or drops it; takes ownership either way. While what came since somebody looked makes
 * neither a loss nor a new peak it need not be looked at again: so it is with most frames of a run. */
static inline __attribute__((always_inline)) void emu_port_send(struct emu_port *p, const struct emu_frame *frame)
{
    int64_t bytes = emu_frame_buffer_bytes(frame), start_ps;
    if (__builtin_expect(p->calm_bytes < 0, 0)) {
        emu_port_send_closely(p, frame);
    } else if (__builtin_expect(emu_port_is_calm(p, 1, bytes, *p->clock.time_ps, &start_ps), 1)) {
        emu_port_send_calmly(p, frame, bytes, start_ps);
        if (__builtin_expect(p->line_tail - 1 == p->line_head, 0))
            emu_port_begin(p);
    } else {
        emu_port_send_more(p, frame);
    }
}

/* The same with a frame like that one, whose handle and time of sending are these; it was sent now. */
static inline __attribute__((always_inline)) void emu_port_send_like(struct emu_port *p, struct emu_frame *frame,
                                                                     void *packet, int64_t now_ps)
{
    int64_t bytes = emu_frame_buffer_bytes(frame), start_ps;
    if (__builtin_expect(p->calm_bytes >= 0 && emu_port_is_calm(p, 1, bytes, now_ps, &start_ps), 1)) {
        struct emu_port_slot *slot = emu_port_send_calmly(p, frame, bytes, start_ps);
        slot->frame.packet = packet;
        slot->frame.sent_ps = now_ps;
        if (__builtin_expect(p->line_tail - 1 == p->line_head, 0))
            emu_port_begin(p);
        return;
    }
    frame->packet = packet;
    frame->sent_ps = now_ps;
    if (p->calm_bytes < 0)
        emu_port_send_closely(p, frame);
    else
        emu_port_send_more(p, frame);
}

/* Frames of one size that are sent back to back, one emu_port_put() each, while nothing else happens to their port. */
struct emu_port_stretch {
    uint64_t tail;
    int64_t takes_ps, arrives_ps; /* each; when the latest is at the far port */
};

/* For n frames like that one, from one on. False: not all are sent so plainly, and nothing has been done. */
static inline __attribute__((always_inline)) bool emu_port_open(struct emu_port *p, const struct emu_frame *frame, uint64_t n,
                                                                int64_t now_ps, struct emu_port_stretch *out)
{
    int64_t bytes = emu_frame_buffer_bytes(frame), start_ps;
    if (p->calm_bytes < 0)
        return false;
    if (!emu_port_is_calm(p, n, bytes, now_ps, &start_ps) && (start_ps = emu_port_admits(p, n, bytes, now_ps)) < 0)
        return false;
    int64_t takes_ps = emu_port_takes_ps(p, bytes);
    *out = (struct emu_port_stretch){p->line_tail, takes_ps, start_ps + p->lag_ps};
    p->free_ps = start_ps + (int64_t)n * takes_ps;
    p->line_tail += n;
    p->come_bytes += (int64_t)n * bytes;
    return true;
}

static inline __attribute__((always_inline)) void emu_port_put(struct emu_port *p, struct emu_port_stretch *out,
                                                               const struct emu_frame *frame, void *packet, int64_t now_ps)
{
    struct emu_port_slot *slot = &p->line[out->tail++ & p->line_mask];
    slot->frame = *frame;
    slot->frame.packet = packet;
    slot->frame.sent_ps = now_ps;
    slot->arrives_ps = out->arrives_ps += out->takes_ps;
}

/* All n have been put. */
static inline void emu_port_close(struct emu_port *p, uint64_t n)
{
    if (__builtin_expect(p->line_tail - n == p->line_head, 0))
        emu_port_begin(p);
}

/* From now on the port goes by this clock and schedules no arrivals: emu_port_ship() takes what leaves it. For FIFOs
 * without faults that are not eager. */
void emu_port_part(struct emu_port *p, const struct emu_clock *clock, int number);

/* Of a port whose frames are counted one by one as they begin. */
void emu_port_count_begun(struct emu_port *p, const struct emu_frame *frame);

/* Parted: hands over every frame that is at the far port before until_ps, in order; it counts as delivered, and has begun by
 * now: until_ps is no later than the link's delay after that. The far port's emu_port_take() gets it at that time. */
static inline __attribute__((always_inline)) void emu_port_ship(
    struct emu_port *p, int64_t until_ps, void (*ship)(void *user, const struct emu_frame *frame, int64_t arrives_ps), void *user)
{
    uint64_t head = p->line_head;
    for (; head != p->line_tail; head++) {
        const struct emu_port_slot *slot = &p->line[head & p->line_mask];
        if (slot->arrives_ps >= until_ps)
            break;
        if (p->started == head) { /* nobody has looked since it began */
            p->started = head + 1;
            p->started_bytes += emu_frame_buffer_bytes(&slot->frame);
            if (__builtin_expect(p->calm_bytes < 0, 0))
                emu_port_count_begun(p, &slot->frame);
        }
        ship(user, &slot->frame, slot->arrives_ps);
    }
    p->stats.delivered += (int64_t)(head - p->line_head);
    p->line_head = head;
}

/* Returns when the next frame that is on its way, or waits, reaches the far port; INT64_MAX: there is none. */
int64_t emu_port_next_arrival_ps(const struct emu_port *p);

/* A frame has arrived at p now. */
void emu_port_take(struct emu_port *p, const struct emu_frame *frame, int64_t now_ps);

/* Brings what p will touch into the cache: first the port, then, `again`, what it points to. */
void emu_port_look(const struct emu_port *p, bool again);

/* Brings queue depths and counts up to now. */
void emu_port_settle(struct emu_port *p);

/* What waits, or more: what has begun since somebody looked is still counted. */
static inline struct emu_level emu_port_at_most(const struct emu_port *p)
{
    if (p->eager)
        return (struct emu_level){p->queue.depth_bytes, p->queue.depth_packets};
    return (struct emu_level){p->come_bytes - p->started_bytes, (int64_t)(p->line_tail - p->started)};
}

/* Wire bytes of what was sent, with preamble and gap; after emu_port_settle(). */
static inline int64_t emu_port_sent_wire_bytes(const struct emu_port *p)
{
    const int64_t around = EMU_FRAME_OVERHEAD_BYTES - EMU_FRAME_HEADER_BYTES - EMU_FRAME_FCS_BYTES;
    if (p->link.framing.on)
        return p->stats.framed_bytes + p->stats.pauses_sent * EMU_FRAME_MIN_WIRE_BYTES;
    return p->queue.stats.dequeued_bytes + p->stats.sent * around + p->stats.pauses_sent * EMU_FRAME_MIN_WIRE_BYTES;
}

/* Frames on the wire, late ones too, after emu_port_settle(). */
static inline size_t emu_port_on_wire(const struct emu_port *p)
{
    return (size_t)(p->started - p->line_head) + (p->fault ? p->fault->held.count : 0);
}

/* Bytes of a frame that must have arrived before a cut-through switch knows where to: preamble, Ethernet header. */
#define EMU_PORT_EARLY_BYTES (8 + EMU_FRAME_HEADER_BYTES)
#define EMU_PORT_GAP_BYTES 12 /* inter-frame gap: keeps the transmitter busy after the last bit of a frame */

/* Returns false and a sentence unless frames offered = dropped + queued + on the wire + delivered + lost. */
bool emu_port_audit(struct emu_port *p, struct error *err);
