/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/port.h - one end of a full-duplex Ethernet link: a host's NIC or a switch port.
 *
 * Outgoing frames wait in a queue, occupy the transmitter for their wire bytes (frame, FCS,
 * preamble, gap) at the link's rate, and reach the far port one propagation delay after
 * their last bit left. Both directions of a link run independently.
 *
 * When a frame leaves a FIFO is known when it comes: it is put on the line at once, with the time its transmission
 * starts, and the port needs one pending event, the line's next arrival. Depths are settled when somebody looks. A
 * tap sees every start, which costs an event each; it changes nothing else. An ack-first queue cannot know: it holds
 * its frames and takes an event each. */
#ifndef EMU_PORT_H
#define EMU_PORT_H

#include "base/error.h"
#include "emu/clock.h"
#include "emu/queue.h"

#define EMU_PORT_NAME 32

struct emu_link_config {
    int64_t rate_bps; /* on the wire, each direction */
    int64_t delay_ps; /* propagation, one way */
};

enum emu_tap_event {
    EMU_TAP_OUT,  /* first bit leaves: after the queue, where a Linux tap sits */
    EMU_TAP_IN,   /* last bit has arrived */
    EMU_TAP_DROP, /* the queue had no room */
};

/* Sees frames at one port. `queue` is the port's own output queue at that moment. */
struct emu_tap {
    void (*saw)(void *user, enum emu_tap_event event, int64_t time_ps, const struct emu_frame *frame,
                const struct emu_queue *queue);
    void *user; /* borrowed */
};

/* Hears when a frame leaves the queue, for the wire or because there was no room, as a driver hears of completed
 * transmissions. */
struct emu_port_watch {
    void (*left)(void *user, const struct emu_frame *frame);
    void *user; /* borrowed */
};

/* What it counted. queue.dequeued = sent; sent = delivered (at the far port) + on the wire. */
struct emu_port_stats {
    int64_t sent, delivered; /* frames; their buffer bytes are the queue's dequeued_bytes */
};

/* A frame that is on the wire, or waits in a FIFO for it. */
struct emu_port_slot {
    struct emu_frame frame;
    int64_t start_ps; /* of its transmission */
};

/* What every frame touches comes first: with a thousand ports each line of the cache counts. */
struct emu_port {
    struct emu_port_slot *line;   /* owned; ring, capacity a power of two, grows by doubling */
    size_t line_capacity, line_head, line_count;
    size_t started, shown;        /* of the line, from its head: on the wire; told to tap and watch */
    int64_t free_ps;              /* when the transmitter is done with all there is (FIFO) */
    int64_t byte_ps, delay_ps;    /* of the link; a byte that takes no whole number of them: 0 */
    struct emu_port *far;         /* borrowed */
    struct emu_clock clock;
    struct emu_tap tap;           /* tap.saw NULL: nobody looks */
    struct emu_port_watch watch;  /* likewise; both before the first frame */
    void (*receive)(void *owner, int index, const struct emu_frame *frame); /* takes the frame */
    void *owner;                  /* borrowed: host side or switch */
    int index;                    /* which of the owner's ports */
    bool busy;                    /* ack-first: a frame is in the transmitter */
    bool arriving, showing;       /* an event is pending */
    struct emu_port_stats stats;
    struct emu_queue queue;   /* of a FIFO the accounts alone; emu_port_settle() brings them up to date */
    struct emu_link_config link;
    const struct emu_frame_ops *ops; /* borrowed */
    char name[EMU_PORT_NAME];
};

void emu_port_init(struct emu_port *p, const char *name, const struct emu_clock *clock,
                   const struct emu_frame_ops *ops, const struct emu_queue_config *queue);
void emu_port_fini(struct emu_port *p);

/* Time of so many bytes on the wire, to the nearest picosecond: exact where a byte takes a whole number
 * of them, as on every Ethernet from 10 Mb/s to 400 Gb/s. bytes up to a million. */
int64_t emu_port_wire_ps(const struct emu_link_config *link, int64_t bytes);

/* A cable between two ports. */
void emu_port_connect(struct emu_port *a, struct emu_port *b, const struct emu_link_config *link);

/* Queues the frame for transmission, or drops it; takes ownership either way. */
void emu_port_send(struct emu_port *p, const struct emu_frame *frame);

/* Brings queue depths and counts up to now. */
void emu_port_settle(struct emu_port *p);

/* Wire bytes of what was sent, with preamble and gap; after emu_port_settle(). */
static inline int64_t emu_port_sent_wire_bytes(const struct emu_port *p)
{
    const int64_t around = EMU_FRAME_OVERHEAD_BYTES - EMU_FRAME_HEADER_BYTES - EMU_FRAME_FCS_BYTES;
    return p->queue.stats.dequeued_bytes + p->stats.sent * around;
}

/* Frames on the wire, after emu_port_settle(). */
static inline size_t emu_port_on_wire(const struct emu_port *p)
{
    return p->started;
}

/* Frames offered = dropped + queued + on the wire + delivered. False and a sentence if not. */
bool emu_port_audit(struct emu_port *p, struct error *err);

#endif
