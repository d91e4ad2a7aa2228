/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/endpoint.h - one end of a TCP connection, as Linux behaves where two-way traffic depends on it.
 *
 * RFC 9293 (TCP), 5681 and 6582 (slow start, congestion avoidance, NewReno), 9438 (CUBIC), 2018 and 6675 (SACK),
 * 6937 (proportional rate reduction), 6298 (retransmission timer), 3522 and 4015 (spurious timeouts are undone), 7323
 * (timestamps, window scale), 3168 (ECN). Nagle is off unless asked for.
 * The stream is counted in bytes from 0; a FIN is one more, at `finish`. */
#ifndef EMU_NATIVE_ENDPOINT_H
#define EMU_NATIVE_ENDPOINT_H

#include "emu/engine.h"
#include "emu/frame.h"
#include "emu/native/congestion.h"
#include "emu/native/ecn.h"
#include "emu/native/linux.h"
#include "emu/native/quic.h"
#include "emu/native/rtt.h"
#include "emu/native/sack.h"
#include "emu/native/scheduler.h"
#include "emu/native/segment.h"

#define NATIVE_LINE 64 /* bytes of the cache's */
#define NATIVE_OPEN_STREAM UINT64_MAX /* no FIN yet */

enum native_state { NATIVE_CLOSED, NATIVE_LISTEN, NATIVE_SYN_SENT, NATIVE_SYN_RECEIVED, NATIVE_ESTABLISHED };

/* NATIVE_LOSS: after a timeout, until what was out then is acknowledged. */
enum native_recovery { NATIVE_NORMAL, NATIVE_FAST_RECOVERY, NATIVE_LOSS };

/* What holds of an end until something other than the next segment of its bulk flow happens, whichever that is. */
enum native_way {
    NATIVE_ANY_WAY,   /* it is not known */
    NATIVE_RECEIVING, /* it has nothing to send, and no hole; plain */
    NATIVE_SENDING,   /* it has sent, lost nothing, and acknowledged all that came; plain */
};

struct native_endpoint;

struct native_lefts; /* engine.c */

/* What an endpoint asks of its engine. */
struct native_endpoint_env {
    struct native_scheduler *scheduler; /* borrowed */
    struct native_pool *plain, *sacked; /* borrowed; segments without and with SACK blocks */
    void (*transmit)(void *user, struct native_endpoint *e, struct native_segment *s); /* takes the segment */
    void (*delivered)(void *user, struct native_endpoint *e, uint64_t bytes); /* in order, to the application */
    void (*connected)(void *user, struct native_endpoint *e);
    void (*drained)(void *user, struct native_endpoint *e); /* all that was written is acknowledged */
    void *user;
    struct native_pool *ranged; /* borrowed; segments with more blocks, for QUIC */
    struct native_lefts *lefts; /* borrowed; the engine's own */
};

/* What every segment touches comes first: with a thousand connections each line of the cache counts. */
struct native_sender {
    uint64_t una, nxt;    /* oldest unacknowledged, next new byte */
    uint64_t written;     /* bytes the application has handed over */
    uint64_t finish;      /* where the FIN goes, or NATIVE_OPEN_STREAM */
    struct native_window window;
    const struct native_congestion *control; /* of the connection's configuration */
    uint32_t peer_window; /* bytes from una on */
    uint32_t duplicate_acks; /* without SACK: each shows that a segment has left the network */
    enum native_recovery recovery;
    bool throttled;       /* waiting for the NIC to drain */
    bool from_linux;      /* `own` decides what is sent */
    bool cuts;            /* the next segments are cut from a burst of Linux's */
    int64_t sent_ps;      /* when the latest segment with data left */
    struct native_rtt rtt;
    struct native_timer retransmit;
    struct native_intervals scoreboard;
    struct native_timer persist;
    uint64_t recover;     /* recovery ends when this is acknowledged */
    uint64_t lost_end;    /* holes below are taken for lost */
    uint64_t next_hole;   /* holes below have been retransmitted since they were */
    uint64_t sent_after;  /* nxt when the first hole was last retransmitted; SACKs beyond: it is lost again. 0: no */
    uint64_t prr_delivered, prr_out, prr_flight; /* RFC 6937 */
    bool may_undo;        /* a timeout may yet turn out to be spurious; what would then be restored: */
    uint32_t timeout_ts;  /* when the first retransmission left, as a timestamp */
    uint64_t undo_cwnd, undo_ssthresh, undo_state[NATIVE_CONGESTION_WORDS];
    int64_t queued_bytes; /* of ours in our NIC, with small queues: bytes, or with `from_linux` their memory */
    uint64_t state[NATIVE_CONGESTION_WORDS]; /* of the control */
    struct native_linux own;
};

struct native_receiver {
    uint64_t nxt;            /* next byte expected in order */
    uint64_t delivered;      /* bytes, to the application */
    int64_t delivered_ps;    /* when it got the latest; -1: none yet */
    uint64_t finish;         /* where the peer's FIN is, or NATIVE_OPEN_STREAM */
    uint64_t acked;          /* what the last ACK acknowledged */
    uint64_t unread;         /* delivered in order, and not taken by a paused application */
    uint32_t ts_recent;      /* to echo */
    uint32_t unacked;        /* segments since the last ACK */
    uint32_t quick_acks;     /* to send at once before ACKs are delayed */
    uint32_t window_sent;    /* the window in the last ACK */
    uint64_t told_from;      /* what is delivered is told from so many bytes on in all; NATIVE_OPEN_STREAM: never */
    bool ack_now, paused;
    bool told;               /* while sending: window_sent is the window still */
    struct native_timer delayed_ack;
    struct native_reassembly reassembly;
    struct native_linux_receiver own; /* with tx.from_linux */
};

/* What it counted. */
struct native_endpoint_stats {
    int64_t retransmitted_segments, retransmitted_bytes;
    int64_t timeouts, spurious_timeouts, fast_recoveries, duplicate_segments, window_probes;
    int64_t first_data_ps; /* -1: none yet */
};

struct native_endpoint {
    const struct native_endpoint_env *env __attribute__((aligned(NATIVE_LINE))); /* borrowed */
    uint32_t id, station, peer_station;
    uint32_t window_scale; /* ours, and the peer's: both ends have one configuration */
    enum native_state state;
    uint16_t next_ip_id;
    struct native_quic *quic; /* owned; quic.h; NULL: this is TCP */
    bool plain, direct; /* established without ECN; plain: a control is told of nothing but growth and losses, too */
    enum native_way way;
    struct emu_port *nic; /* borrowed; where its segments leave; NULL: env->transmit() says so */
    struct emu_tcp_config config; /* its first line */
    struct emu_frame frame __attribute__((aligned(NATIVE_LINE))); /* with what is the same in all its plain segments */
    struct native_receiver rx;
    struct native_sender tx __attribute__((aligned(NATIVE_LINE)));
    struct native_ecn ecn;
    struct native_endpoint_stats stats;
};

void native_endpoint_init(struct native_endpoint *e, const struct native_endpoint_env *env,
                          const struct emu_tcp_config *config, uint32_t id, uint32_t station, uint32_t peer_station);
void native_endpoint_fini(struct native_endpoint *e);

/* From now on it goes by this environment, whose time is the same. */
void native_endpoint_move(struct native_endpoint *e, const struct native_endpoint_env *env);

/* Active and passive open. */
void native_endpoint_connect(struct native_endpoint *e);
void native_endpoint_listen(struct native_endpoint *e);

/* Adds bytes to send; 2^62 and more never end. */
void native_endpoint_write(struct native_endpoint *e, uint64_t bytes);
/* Adds a FIN after what is written. */
void native_endpoint_close(struct native_endpoint *e);
/* While paused, the application does not read, and the window closes in time. */
void native_endpoint_pause(struct native_endpoint *e, bool paused);

/* Takes a segment that has arrived, and gives it back to the environment's pool of its size. */
void native_endpoint_receive(struct native_endpoint *e, struct native_segment *s);

/* An interrupt of its host that native_linux_gather() told of is over. */
void native_endpoint_gathered(struct native_endpoint *e);

/* What a frame with that payload counts in the NIC: its bytes there, or its memory where Linux sends it. */
static inline int64_t native_endpoint_queued(const struct native_endpoint *e, uint32_t payload, bool cut, int64_t frame_bytes)
{
    return e->tx.from_linux ? native_linux_frame_memory(payload, cut) : frame_bytes;
}

/* With small queues: that many of what this end has in the NIC have left it. */
void native_endpoint_departed(struct native_endpoint *e, int64_t bytes);

/* emu/native/sender.c, for emu/native/endpoint.c */
void native_sender_acked(struct native_endpoint *e, const struct native_segment *s);
void native_sender_push(struct native_endpoint *e);
void native_sender_init(struct native_endpoint *e);
void native_endpoint_handshake_timeout(struct native_endpoint *e);
/* In order, to the application. */
void native_endpoint_deliver(struct native_endpoint *e, uint64_t bytes);
/* An ACK of new data in order, in a window without losses, and what may be sent because of it; the segment is given back. One
 * that is no such thing goes to native_endpoint_receive_any(), which takes every segment. */
void native_sender_acked_plainly(struct native_endpoint *e, struct native_segment *s);
void native_endpoint_receive_any(struct native_endpoint *e, struct native_segment *s);
/* emu/native/straight.c: bytes that may come after rx.nxt, as an ACK says now; and an ACK, with the SACK blocks that are due. */
uint32_t native_endpoint_window(const struct native_endpoint *e);
void native_endpoint_send_ack(struct native_endpoint *e);
/* For native_straight_send_stretch(), where the port is to look at each: segments one by one, sent now. */
void native_endpoint_send_singly(struct native_endpoint *e, uint64_t from, uint64_t bytes, uint8_t last_flags,
                                 uint16_t window, int64_t now_ps, uint32_t ts);
/* Sends one segment with these flags, `bytes` of payload and, without payload, the SACK blocks that are due. */
void native_endpoint_send(struct native_endpoint *e, uint8_t flags, uint64_t from, uint32_t bytes);

#endif
