/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/network/host.h - what a host does between its stack and its NICs.
 *
 * A frame that a NIC has received crosses the bus to memory, waits there for an interrupt, and is taken by the processor
 * for the stack. One that the stack sends takes the processor, then the bus, and comes to the queue of its NIC. The
 * processor serves both directions, one frame after the other, and so does a bus that is half duplex (PCI, PCI-X); of
 * frames that wait both ways they take turns. One that is full duplex (PCI Express) is two. A frame that is received has a
 * place in the receive ring from when it comes until the processor has taken it; where there is none it is lost, and
 * nothing else is. What waits to be sent is the NIC's queue. */
#pragma once

#include "emu/clock.h"
#include "emu/ring.h"

enum emu_host_duplex { EMU_HOST_HALF_DUPLEX, EMU_HOST_FULL_DUPLEX };
extern const char *const emu_host_duplex_names[]; /* "half", "full"; ends with NULL */

/* Of every host; zeroed: none of it takes time. */
struct emu_host_config {
    int64_t frame_ps;           /* of the processor, for each frame */
    int64_t copy_bps;           /* the processor's, for each frame's IP packet besides; 0: no time */
    int64_t bus_bps;            /* 0: no time */
    int64_t bus_ps;             /* for each frame besides: arbitration and latency */
    enum emu_host_duplex duplex;
    int64_t interrupt_ps;       /* after the first frame that waits for one (ethtool -C rx-usecs); 0: at once */
    int interrupt_frames;       /* or when so many wait (rx-frames); 0: however many */
    int rx_ring;                /* places (ethtool -G rx); 0: however many */
};

bool emu_host_takes_time(const struct emu_host_config *c);

/* Returns the share of its time for which the busiest of a host's processor and bus works, where so many frames a second,
 * of `bytes` of IP packets a second together, come in and go out; 1 and more: it cannot keep up. take_ps as of
 * emu_host_new(). */
struct emu_host_load {
    double frames, bytes;
};
double emu_host_busy(const struct emu_host_config *c, int64_t take_ps, const struct emu_host_load *in,
                     const struct emu_host_load *out);

struct emu_host;

/* Takes the frame: the host's stack, or its NIC. */
typedef void emu_host_pass(void *user, int host, const struct emu_frame *frame);

/* A host whose processor needs take_ps more for each frame it receives. The clock and ops outlive it. */
struct emu_host *emu_host_new(const struct emu_host_config *config, int host, int64_t take_ps,
                              const struct emu_clock *clock, emu_host_pass *in, emu_host_pass *out, void *user);
void emu_host_free(struct emu_host *h, const struct emu_frame_ops *ops);

/* A NIC has received a frame. False where the ring is full: the frame stays the caller's. */
bool emu_host_receive(struct emu_host *h, const struct emu_frame *frame);

/* Returns how many found the ring full; -1: it has room for all. h may be NULL. */
int64_t emu_host_lost(const struct emu_host *h);

/* The stack sends one. */
void emu_host_send(struct emu_host *h, const struct emu_frame *frame);

/* Returns how long it takes a frame that waits for no other and for no interrupt, in ps. h may be NULL: no time. */
int64_t emu_host_least_ps(const struct emu_host *h, const struct emu_frame *frame, bool outgoing);
