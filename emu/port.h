/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/port.h - one end of a full-duplex Ethernet link: a host's NIC or a switch port.
 *
 * Outgoing frames wait in a queue, occupy the transmitter for their wire bytes (frame, FCS,
 * preamble, gap) at the link's rate, and reach the far port one propagation delay after
 * their last bit left. Both directions of a link run independently. */
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

/* What it counted. queue.dequeued = sent; sent = delivered (at the far port) + on the wire. */
struct emu_port_stats {
    int64_t sent, delivered;           /* frames */
    int64_t sent_bytes, sent_wire_bytes; /* buffer bytes; wire bytes with preamble and gap */
};

struct emu_port {
    char name[EMU_PORT_NAME];
    struct emu_clock clock;
    const struct emu_frame_ops *ops; /* borrowed */
    struct emu_queue queue;
    struct emu_link_config link;
    struct emu_port *far;         /* borrowed */
    struct emu_frame_ring wire;   /* sent and not yet delivered, in order */
    bool busy;                    /* a frame is in the transmitter */
    void (*receive)(void *owner, int index, const struct emu_frame *frame); /* takes the frame */
    void *owner;                  /* borrowed: host side or switch */
    int index;                    /* which of the owner's ports */
    struct emu_tap tap;           /* tap.saw NULL: nobody looks */
    struct emu_port_stats stats;
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

/* Frames offered = dropped + queued + on the wire + delivered. False and a sentence if not. */
bool emu_port_audit(const struct emu_port *p, struct error *err);

#endif
