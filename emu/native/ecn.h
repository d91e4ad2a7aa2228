/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/ecn.h - explicit congestion notification of a connection (RFC 3168): a queue marks instead of losing, the
 * receiver echoes the mark until the sender says that its window is smaller.
 *
 * Asked for and granted in the handshake (section 6.1.1). Data are ECN-capable when they leave for the first time; ACKs
 * without data, what is sent again and window probes are not (6.1.4 to 6.1.6). ECE stands in every ACK from a mark until
 * CWR comes (6.1.3). The window falls once a window of data, and CWR goes with the next new data (6.1.2), as after any
 * other reduction. Receivers with Linux's controls acknowledge at once where Linux does (tcp_ecn_check_ce(),
 * tcp_ecn_accept_cwr()).
 * With DCTCP (RFC 8257) all is ECN-capable, SYNs too (section 3.5; Linux, tcp_ca_needs_ecn()), ECE says whether the
 * data that an ACK acknowledges were marked, and one more ACK leaves where that changes (3.2). */
#pragma once

#include "emu/native/segment.h"

#include <stdbool.h>

enum native_ecn_field { NATIVE_ECN_NOT = 0, NATIVE_ECN_CAPABLE = 2, NATIVE_ECN_EXPERIENCED = 3 }; /* of IP; ECT(0) */

struct native_ecn {
    bool wanted;    /* the connection asks for it: so configured, or the control lives by it */
    bool dctcp;     /* the control is DCTCP */
    bool on;        /* both ends agreed */
    bool echo;      /* ECE is due */
    bool reduced;   /* CWR is due */
    bool seen;      /* data came that were ECN-capable */
    uint64_t sent;  /* all data below have left before */
    uint64_t until; /* what was out at the last reduction ends here */
};

/* Flags of a SYN, or of a SYN with ACK, and what the peer's say. */
uint8_t native_ecn_syn_flags(const struct native_ecn *n, bool ack);
void native_ecn_agree(struct native_ecn *n, uint8_t flags);

/* A segment with `bytes` of payload leaves, the first at `from`: sets its ECN field, and flags but a SYN's. */
void native_ecn_leaves(struct native_ecn *n, struct native_segment *s, uint64_t from, uint32_t bytes);

/* What is due when data have come, any of these together: what is unacknowledged so far is, before all else; ACKs are
 * not delayed for a while, with a control of Linux's; the data are acknowledged at once, or are with such a control. */
enum native_ecn_due {
    NATIVE_ECN_ACK_BEFORE = 1,
    NATIVE_ECN_QUICK_ACKS = 2,
    NATIVE_ECN_ACK_NOW = 4,
    NATIVE_ECN_ACK_NOW_LINUX = 8,
};

/* What new data that come make due; then that they have come. */
unsigned native_ecn_due(const struct native_ecn *n, const struct native_segment *s);
void native_ecn_arrives(struct native_ecn *n, const struct native_segment *s);

/* Returns true when the ACK is to shrink the window: it echoes a mark, and the window has not shrunk for these data;
 * una: the oldest unacknowledged byte. */
bool native_ecn_shrinks(const struct native_ecn *n, const struct native_segment *s, uint64_t una);

/* The window shrinks, whatever for; nxt: the next new byte. */
void native_ecn_shrunk(struct native_ecn *n, uint64_t nxt);
