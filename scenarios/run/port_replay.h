/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/run/port_replay.h - the frames of a capture into one emulated port, open loop: what queue would this have
 * built?
 *
 * Frame i, with its length on the wire whatever was captured of it, comes to the port at (t_i - t_1) / speed, to the
 * nearest nanosecond; where the clock steps back, at the latest time so far. It waits in the port's queue, is
 * dropped, or leaves at `rate_bps` (emu/network/port.h, on the native engine's clock); a departure is before an arrival of
 * the same time. Nobody reacts: a sender that lost a frame goes on as it did.
 *
 * A TCP frame with more payload than the MSS of its connection's handshake, or than PORT_REPLAY_LONGEST when that was
 * not seen, is a super-frame of segmentation offload: it comes as the wire carries it, in frames of a full MSS (less
 * 12 bytes of option when it has timestamps; that of an MTU of 1500 when not seen) with its headers
 * each, all at its time. Any other frame longer than PORT_REPLAY_LONGEST comes in frames of 1500 bytes.
 *
 * Memory does not grow with the capture: a bounded flow table, and the queue, of PORT_REPLAY_QUEUED frames at most. */
#pragma once

#include "base/error.h"
#include "emu/queues/queue.h"
#include "scenarios/run/port_flows.h"

#include <signal.h>

#define PORT_REPLAY_RATE_MIN INT64_C(1000)
#define PORT_REPLAY_RATE_MAX INT64_C(1000000000000)
#define PORT_REPLAY_QUEUED (1 << 22) /* frames that may wait, but for those of one captured frame: 0.3 GB */
#define PORT_REPLAY_LONGEST EMU_FRAME_MOST_PAYLOAD

struct port_replay_options {
    const char *path;                /* of the capture; borrowed, as all below */
    int64_t rate_bps;                /* from PORT_REPLAY_RATE_MIN to PORT_REPLAY_RATE_MAX */
    struct emu_queue_config queue;
    double speed;                    /* > 0 */
    const struct capture_address *from, *to; /* only frames of this IP source, to this destination; NULL: all */
    const char *directory;           /* exists; queues.csv goes there (scenarios/run/record.h). NULL: nowhere */
    void (*progress)(const void *user, int64_t bytes_read, int64_t file_bytes); /* may be NULL */
    const void *user;
    const volatile sig_atomic_t *interrupted; /* stops when it is not 0; may be NULL */
};

struct port_replay_result {
    int64_t captured_frames, picked_frames;  /* in the file; of those, what `from` and `to` let through */
    int64_t back_frames;        /* of the picked: recorded before an earlier one */
    int64_t split_frames;       /* of the picked: super-frames */
    int64_t last_ps;            /* the last frame comes; the first one at 0 */
    int64_t ended_ps;           /* the last one has been sent, with the gap behind it */
    int64_t sent_wire_bytes;
    int64_t peak_bytes, peak_packets; /* of the queue: frames with FCS and padding; one that need not wait counts */
    int64_t queued_frames;      /* left over by an interrupt */
    bool interrupted;
    bool truncated;             /* the capture is cut: `stopped` says where */
    struct error stopped;
    struct port_flows flows;
};

/* Feeds all frames and lets the queue run dry. queues.csv is sampled every millisecond while frames wait, half as
 * often after each 100000 samples; an interrupt leaves none. False and *err (ERROR_INPUT): frames that are not
 * Ethernet's, none that is picked, more than 104 days of emulated time, too many that wait; or ERROR_SYSTEM. *result needs
 * port_flows_fini() either way; 120 kB, better not on the stack. */
bool port_replay_run(const struct port_replay_options *options, struct port_replay_result *result, struct error *err);
