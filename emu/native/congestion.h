/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/congestion.h - what a congestion control of the native engine is: a file with functions like Linux's
 * tcp_congestion_ops, and a row of emu/congestion.h.
 *
 * The sender (emu/native/sender.c) decides when a loss has happened and what is sent; the control sets the window. */
#pragma once

#include "emu/engine.h"

#define NATIVE_CONGESTION_WORDS 12 /* of eight bytes: room for every control's private state */

/* What a control reads and sets. */
struct native_window {
    uint64_t cwnd, ssthresh; /* bytes */
    uint64_t remainder;      /* congestion avoidance: acknowledged bytes not yet turned into growth; 0 after a loss */
};

/* An ACK. */
struct native_ack {
    uint64_t segment;        /* bytes of a full one */
    uint64_t acked;          /* bytes acknowledged in order for the first time */
    uint64_t now_us, rtt_us; /* rtt_us 0: no sample */
    uint64_t una, nxt;       /* oldest byte out after it, next to send */
    uint64_t pacing;         /* Linux's rate, bytes a second; 0: not known */
    bool ece;                /* it echoes a mark (RFC 3168) */
};

struct native_congestion {
    /* Each gets `state`: NATIVE_CONGESTION_WORDS words, zero at first. */
    void (*init)(void *state, const struct emu_tcp_config *config); /* NULL: nothing to do */
    /* An ACK has given a round trip, before grow(). NULL: of no interest */
    void (*sampled)(void *state, struct native_window *w, const struct native_ack *ack);
    /* Whether sampled() does nothing about such a round trip now. NULL: that is not known */
    bool (*knows)(const void *state, const struct native_window *w, uint64_t rtt_us);
    /* An ACK acknowledges something new while a window that was in use may grow. */
    void (*grow)(void *state, struct native_window *w, const struct native_ack *ack);
    /* Returns the new ssthresh, in bytes: a segment was lost with `flight` bytes out, or the timer ran out. */
    uint64_t (*lost)(void *state, const struct native_window *w, uint64_t segment, uint64_t flight, bool timeout);
    /* Returns the new ssthresh likewise: data were marked. NULL: as lost() */
    uint64_t (*marked)(void *state, const struct native_window *w, uint64_t segment);
    /* The timer ran out, also where lost() is not asked, for a recovery had reduced the window. NULL: of no interest */
    void (*timed_out)(void *state);
    /* New data leave after nothing was out; the latest that left did so at `sent_us`. NULL: of no interest */
    void (*resumed)(void *state, uint64_t now_us, uint64_t sent_us);
    /* Every ACK, also in recovery: `delivered` bytes have left the network. NULL: of no interest */
    void (*delivered)(void *state, uint64_t delivered, const struct native_ack *ack);
    bool from_linux; /* and so is what finds losses, times and sends: linux.h, on connections with SACK */
    bool restores; /* a timeout that turns out to be spurious leaves the state as it was before */
};

#define NATIVE_CONGESTION_DECLARE_0(name)
#define NATIVE_CONGESTION_DECLARE_1(name) extern const struct native_congestion native_##name;
#define NATIVE_CONGESTION_DECLARE(NAME, name, native, ns3_type, linux_name, until_loss, meaning) \
    NATIVE_CONGESTION_DECLARE_##native(name)
EMU_CONGESTIONS(NATIVE_CONGESTION_DECLARE)

/* In the order of enum emu_congestion; NULL: the native engine lacks it. */
extern const struct native_congestion *const native_congestions[];

/* RFC 5681, equation 4: half of what is out, two segments at least. */
uint64_t native_congestion_half(void *state, const struct native_window *w, uint64_t segment, uint64_t flight,
                                bool timeout);

/* The window grows by what is acknowledged up to the threshold; returns how much of it is left. */
uint64_t native_congestion_slow_start(struct native_window *w, uint64_t acked);
/* Growth by acknowledged bytes, for controls that only differ after a loss: a segment an ACK at most beyond slow start. */
void native_congestion_grow(void *state, struct native_window *w, const struct native_ack *ack);
/* The same as Linux's tcp_reno_cong_avoid() has it. */
void native_linuxreno_grow(void *state, struct native_window *w, const struct native_ack *ack);
