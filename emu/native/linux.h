/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/linux.h - a sender as Linux 6.1 has it, for the controls that claim to be Linux's (congestion.h,
 * `from_linux`) on connections with SACK; names in parentheses are the kernel's functions.
 *
 * Linux counts segments, each with its state: SACKed, lost, sent again (a ring of `native_linux_segment`, no list: what
 * was sent once lies in the order of sending, what was sent again is queued in that order besides).
 *  - A segment is lost once anything sent later has arrived (RACK, RFC 8985; tcp_rack_detect_loss()).
 *  - The window falls once a window of data, by proportional rate reduction (RFC 6937; tcp_cwnd_reduction()).
 *  - A tail that nothing follows is probed after two round trips (tcp_send_loss_probe()).
 *  - After a timeout new data tell whether it was spurious (F-RTO, RFC 5682; tcp_process_loss()), and time stamps and
 *    D-SACK (RFC 2883) undo a reduction that was in vain (tcp_may_undo()).
 *  - Segments leave in bursts of up to 64 kB or what the pacing rate gives in 1 ms (tcp_tso_autosize()); a nearly full
 *    window waits for a burst (tcp_tso_should_defer()); a NIC that tells when frames have left holds two bursts, or
 *    1 ms of the pacing rate (tcp_small_queue_check()).
 *  - The application fills the send buffer when a third of it is free (sk_stream_is_writeable()), by 64 KiB a call, in
 *    packets as large as the window then allows: half of it, 64 kB at most (tcp_xmit_size_goal()). Each is a packet until
 *    it has left, whole or in parts (tso_fragment()), and is counted with 768 bytes more. A write tries to send what it
 *    completes (tcp_push_one()), and what it ends with, unless some is in the NIC and the packet not full
 *    (tcp_should_autocork()).
 *  - Timers tick every 4 ms (HZ is 250 in Debian's kernel).
 *
 * And its receiver (linux_receive.c): the window opens from 64 kB by two segments for each that comes, which is then
 * acknowledged at once (tcp_grow_window()); ACKs that only tell of more SACKed data wait for 5 % of a round trip
 * (tcp_comp_sack_delay_ns); what arrives twice is told of (D-SACK). */
#ifndef EMU_NATIVE_LINUX_H
#define EMU_NATIVE_LINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emu/native/rtt.h"
#include "emu/native/scheduler.h"

struct native_endpoint;
struct native_segment;

enum native_linux_flags {
    NATIVE_LINUX_SACKED = 1,
    NATIVE_LINUX_LOST = 2,
    NATIVE_LINUX_AGAIN = 4, /* its retransmission is out */
    NATIVE_LINUX_EVER = 8,  /* was sent more than once */
    NATIVE_LINUX_END = 16,  /* the last of its packet (sk_buff): as it was sent, or as losses have cut it since */
    NATIVE_LINUX_PUSHED = 32,
    NATIVE_LINUX_UNLISTED = 64, /* RACK has found it lost, and judges it no more until it is sent again */
};

struct native_linux_segment {
    uint32_t from;    /* offset in the stream, modulo 2^32 */
    uint32_t sent_us; /* last */
    uint16_t bytes;   /* a FIN is one */
    uint8_t flags;
    uint8_t sent_4ns; /* and this past sent_us */
};

/* A retransmission; of no interest any more when the segment has left `sent_us` since, or has arrived. */
struct native_linux_again {
    uint32_t segment, sent_us;
    uint32_t after; /* it left after the segments before this one */
};

enum native_linux_state { LINUX_OPEN, LINUX_DISORDER, LINUX_CWR, LINUX_RECOVERY, LINUX_LOSS };
enum native_linux_timer { LINUX_NO_TIMER, LINUX_RETRANSMIT, LINUX_PROBE, LINUX_REORDERING };

/* What lies in the send buffer to be sent, from the end of the one before (sk_write_queue). */
struct native_linux_packet {
    uint64_t end;
    bool pushed; /* its last byte is (tcp_mark_push()) */
};

struct native_linux {
    struct native_linux_segment *ring; /* owned; a power of two of them */
    uint32_t mask;                     /* places - 1; 0: none yet */
    uint32_t first, next;              /* numbers of the oldest segment out and of the next one, modulo 2^32 */
    uint32_t sacked, lost, again;      /* segments out of each kind; lost ones may be out again */
    uint32_t unjudged; /* segments from here on were sent once, and RACK has not found them lost */
    uint32_t hint;     /* segments before it need not be sent again */
    uint32_t ever;     /* segments from here on have been sent once */
    struct native_linux_again *queue; /* owned: retransmissions in the order of sending, [queue_first, queue_next) */
    size_t queue_room;
    uint32_t queue_first, queue_next;
    enum native_linux_state state;
    enum native_linux_timer timer;
    uint32_t rack_us, rack_rtt_us; /* the latest segment that has arrived: when it left, how long it took */
    uint64_t rack_end;             /* where it ends; the later of two that left at one time ends later */
    bool rack_advanced;
    bool may_undo;      /* `undo_from` holds (undo_marker) */
    bool frto;          /* whether the timeout was spurious is still to be seen */
    bool probe_again;   /* the probe out is a retransmission */
    bool limited;       /* the window was in use (is_cwnd_limited) */
    uint64_t high;      /* what was out when the state was entered ends here (high_seq) */
    uint64_t probe_end; /* 0: no probe out (tlp_high_seq) */
    uint64_t undo_from;
    int32_t undo_again; /* retransmissions that no D-SACK has told of; -1: none yet (undo_retrans) */
    uint32_t again_ms;  /* time stamp of the first retransmission of the episode, and 1; 0: none (retrans_stamp) */
    uint32_t timeouts;  /* in a row (icsk_retransmits) */
    uint64_t prior_cwnd, prior_ssthresh;  /* before the reduction; 0: not to be restored */
    uint32_t prr_delivered, prr_out;      /* segments */
    uint32_t delivered, losses;           /* segments, ever */
    uint32_t reordering;                  /* SACKed segments that show a loss; grows with what comes out of order */
    bool reordered;                       /* something has come out of order */
    bool twice;                           /* a D-SACK has told since of what was sent in vain (rack.dsack_seen) */
    uint32_t duplicates;                  /* segments that D-SACKs have told of (dsack_dups) */
    uint32_t reorder_steps;               /* reordering may take so many quarters of the least round trip, and one
                                           * (reo_wnd_steps), */
    uint32_t reorder_us;                  /* since then, */
    uint32_t reorder_kept;                /* for so many episodes of losses more (reo_wnd_persist) */
    uint64_t limited_until;               /* `limited` is of the window that ends here (cwnd_usage_seq) */
    uint32_t most_out;                    /* and so many segments were out at most (max_packets_out) */
    uint64_t packet_end;                  /* of the packet at the head of what is to be sent; `taken`: there is none */
    uint64_t taken;                       /* of what is written, the send buffer has so much */
    struct native_linux_packet *packets;  /* owned; a power of two of them */
    uint32_t packet_mask;                 /* places - 1; 0: none yet */
    uint32_t packet_first, packet_next;   /* that are to be sent, modulo 2^32 */
    uint64_t pushed;                      /* up to here the application has pushed (pushed_seq) */
    uint32_t bursts;                      /* out: packets */
    uint32_t last_burst;                  /* segments */
    uint64_t paced, paced_trip; /* after the latest ACK: the pacing rate times the round trip, and this trip, in eighths
                                 * of a us as rtt.srtt_8us counts it; 0: no ACK of data yet */
    uint64_t most_window;                 /* that the peer has ever advertised */
    int64_t wrote_ps;                     /* when a segment left last, data or not */
};

#define NATIVE_LINUX_PAGES 17 /* that a buffer may have besides its head (MAX_SKB_FRAGS) */
#define NATIVE_LINUX_BLOCKS 4 /* of SACK that a receiver remembers; three fit beside time stamps */

/* Data of one or of several frames (sk_buff). */
struct native_linux_buffer {
    uint64_t from, to;
    uint32_t memory; /* bytes (truesize) */
    uint16_t room;   /* bytes after its data in its own head, while all are there (skb_tailroom()) */
    uint8_t pages;   /* of other frames in it */
    bool locked;     /* its own head is no page, so that no other may have it (skb_head_is_locked()) */
};

/* What a full segment in order touches comes first. */
struct native_linux_receiver {
    int64_t plain_ps;        /* until then nothing is learnt from how far data are apart nor from how long they are, where
                              * they are full; and the window is at its most. 0: it may be otherwise */
    uint64_t window_end;     /* the window whose time it takes ends here */
    uint64_t echo_from_us;   /* the last time stamp that came back, in whole ms */
    uint64_t queued, kept;   /* memory of what is in order and not read, and of what is not (sk_rmem_alloc) */
    uint64_t space;          /* that one full frame leaves, */
    uint32_t memory;         /* and what it takes: both of the configuration */
    uint32_t segment;        /* bytes of one, as far as it knows (rcv_mss); */
    uint32_t alone;          /* after no more bytes of them an ACK may wait */
    uint32_t shorter;        /* the last one was shorter, as others may be (last_seg_size); 0: no */
    bool pushed;             /* something ended (ICSK_ACK_PUSHED) that no ACK has left for */
    bool delaying;           /* an ACK waits for its timer (ICSK_ACK_TIMER) */
    bool gathers;            /* its host is in an interrupt that may have more for it: the application reads after that */
    struct native_endpoint *gathered; /* borrowed; the next such end; NULL: none */
    uint64_t widest;         /* the window while no more than `spare` is queued and kept; 0: it is to be found */
    uint64_t spare;
    uint64_t limit;          /* the window is no larger (rcv_ssthresh), */
    uint64_t most;           /* nor ever than this, by the configuration */
    int32_t ato, least_ato;  /* ticks that an ACK may wait, 0: nothing has come yet; and the least of the configuration */
    struct native_linux_buffer tail;  /* the last of what is queued */
    struct native_linux_buffer *held; /* owned; out of order, sorted */
    size_t n_held, held_room;
    uint64_t blocks[NATIVE_LINUX_BLOCKS][2]; /* of SACK, the one that changed last first */
    int n_blocks;
    uint32_t trip_8us;       /* round trip as a receiver sees it, in eighths (rcv_rtt_est); 0: not yet */
    uint32_t window_us;      /* and since when it counts a window */
    uint64_t told;           /* rx.nxt when `duplicates` began */
    uint32_t duplicates;     /* ACKs in a row that only told of SACKed data, up to three */
    uint32_t compressed;     /* ACKs that wait */
    uint32_t heard_us;       /* meanwhile, when a segment came last, and */
    bool stamps_late;        /* that is the time stamp of what leaves (tcp_mstamp) */
    struct native_timer timer; /* for them */
    uint64_t twice_from, twice_to; /* what arrived twice, of which the next ACK tells; equal: nothing */
    int32_t came;            /* in this tick the latest data in order */
};

/* All of its data were acknowledged before the latest: it is answered without another look, neither at its ACK nor at its time
 * stamp, by an ACK that is none of the quick ones unless one was due besides (tcp_send_dupack(), tcp_dec_quickack_mode()). */
bool native_linux_is_old(struct native_endpoint *e, const struct native_segment *s);
/* Data have arrived: decides about an ACK (rx.ack_now, or one later). */
void native_linux_accept(struct native_endpoint *e, const struct native_segment *s);
/* The same for what comes in order to an end that sends nothing, once the receiver has counted it. */
void native_linux_received(struct native_endpoint *e, const struct native_segment *s);
/* Bytes that may come after rx.nxt; an ACK is about to say so. */
uint64_t native_linux_window(const struct native_endpoint *e);
/* An ACK leaves, with data or without: no other waits. While they leave at once: where memory is scarce they are delayed
 * from now on (__tcp_select_window()). */
static inline void native_linux_acknowledges(struct native_linux_receiver *own)
{
    own->compressed = 0;
    own->delaying = own->pushed = false;
    native_timer_cancel(&own->timer);
}
void native_linux_acknowledges_quickly(struct native_endpoint *e);
/* Its SACK blocks, the D-SACK first; returns how many. */
int native_linux_blocks(struct native_endpoint *e, uint64_t (*blocks)[2]);
/* An ACK may wait (tcp_send_delayed_ack()). Its timer has fired, which goes on when the ACK has left before: whether an ACK
 * is due, one of a hole that waits, too (tcp_delack_timer_handler()). */
void native_linux_delay_ack(struct native_endpoint *e);
bool native_linux_delayed_ack(struct native_endpoint *e);
/* The application has read all there is, of which this window was left: it may have to tell how much room there is now
 * (tcp_cleanup_rbuf()). */
void native_linux_reopen(struct native_endpoint *e, uint64_t window);

/* An interrupt of its host begins that has something for it. It ends: the application reads what has come, and an ACK may
 * be due for that. */
void native_linux_gather(struct native_endpoint *e);
bool native_linux_gathered(struct native_endpoint *e);

/* Memory of a frame with its data, or of several that were merged (gro.h), full ones but the last. */
struct native_linux_buffer native_linux_buffer(uint64_t from, uint32_t payload, uint32_t segment);
/* It is next in order (tcp_queue_rcv()). */
void native_linux_queue(struct native_linux_receiver *own, const struct native_linux_buffer *b);
/* It is out of order (tcp_data_queue_ofo()); a buffer of its own is not yet counted. */
enum native_linux_kept { LINUX_KEPT_BEFORE, LINUX_MERGED, LINUX_KEPT };
enum native_linux_kept native_linux_keep(struct native_linux_receiver *own, const struct native_linux_buffer *b);
/* What is no longer out of order is queued (tcp_ofo_queue()). */
void native_linux_unkeep(struct native_linux_receiver *own, uint64_t nxt);
/* The number of the SACK block that these data have extended, or of a new one; it comes first, with what it touches now; and
 * those that rx.nxt covers go (tcp_sack_new_ofo_skb(), tcp_sack_remove()). */
int native_linux_find_block(struct native_linux_receiver *own, uint64_t from, uint64_t to);
void native_linux_tell(struct native_linux_receiver *own, int i, uint64_t from, uint64_t to);
void native_linux_untell(struct native_linux_receiver *own, uint64_t nxt);

void native_linux_init_receiver(struct native_endpoint *e);

void native_linux_init(struct native_endpoint *e);
void native_linux_fini(struct native_linux *l);
void native_linux_acked(struct native_endpoint *e, const struct native_segment *s);
/* An ACK of whole segments that were sent once, and no other is out, with nothing to tell but that; it is given back. One that is
 * no such thing goes to native_endpoint_receive_any(). */
void native_linux_acked_plainly(struct native_endpoint *e, struct native_segment *s);
void native_linux_push(struct native_endpoint *e);
/* The same where it is not a pause that is due (linux_straight.h). */
void native_linux_push_more(struct native_endpoint *e);
void native_linux_timeout(struct native_endpoint *e);

/* For the two halves, linux_acked.c and linux_send.c. */

/* usecs_to_jiffies(): up; us >= 0 */
static inline int64_t native_linux_jiffies(int64_t us)
{
    return (int64_t)((uint64_t)(us + NATIVE_RTT_JIFFY_US - 1) / NATIVE_RTT_JIFFY_US);
}

/* Segments in the network (tcp_packets_in_flight()). */
static inline uint32_t native_linux_out(const struct native_linux *l)
{
    return l->next - l->first;
}

static inline uint32_t native_linux_flight(const struct native_linux *l)
{
    return l->next - l->first - l->sacked - l->lost + l->again;
}

static inline struct native_linux_segment *native_linux_at(const struct native_linux *l, uint32_t number)
{
    return &l->ring[number & l->mask];
}

/* Memory of a frame in the NIC (truesize): one that was cut from a burst is a copy in a power of two of bytes
 * (skb_segment(), alloc_skb()); else it is the packet. */
int64_t native_linux_frame_memory(uint32_t payload, bool cut);
/* A packet ends with this segment from now on (tcp_fragment()). */
static inline void native_linux_cut(struct native_linux *l, uint32_t number)
{
    struct native_linux_segment *s = native_linux_at(l, number);
    l->bursts += !(s->flags & NATIVE_LINUX_END);
    s->flags |= NATIVE_LINUX_END;
}

/* Marks a segment as lost, or its retransmission as lost again (tcp_mark_skb_lost()). */
void native_linux_lose(struct native_linux *l, uint32_t number);
/* Sends again what is lost, as far as the window lets (tcp_xmit_retransmit_queue()). */
void native_linux_send_lost(struct native_endpoint *e);
/* Sends new data (tcp_write_xmit()): all that may go; one burst, at once; one burst more than the window lets. Returns
 * segments. */
enum native_linux_sends { LINUX_SEND_ALL, LINUX_SEND_ONE, LINUX_SEND_PROBE };
uint32_t native_linux_send_new(struct native_endpoint *e, enum native_linux_sends sends);
/* True when new data wait to be sent. */
bool native_linux_waits(const struct native_endpoint *e);
/* tcp_rearm_rto(); tcp_schedule_loss_probe(), false when the state wants none. */
void native_linux_arm(struct native_endpoint *e);
bool native_linux_arm_probe(struct native_endpoint *e, bool advancing);
void native_linux_set_timer(struct native_endpoint *e, enum native_linux_timer timer, int64_t jiffies);
void native_linux_set_state(struct native_endpoint *e, enum native_linux_state state);
/* Where slow start would end if nothing had been lost (tcp_current_ssthresh()). */
uint64_t native_linux_current_ssthresh(const struct native_endpoint *e);
/* From now on it counts what is sent again, to see whether that was in vain (tcp_init_undo()). */
void native_linux_watch(struct native_endpoint *e);
/* Reduces for a loss (tcp_enter_recovery(), tcp_enter_loss()). */
void native_linux_enter_recovery(struct native_endpoint *e);
void native_linux_reduce(struct native_endpoint *e, uint32_t delivered, bool una_moved, bool lost);
/* RACK (tcp_rack_detect_loss()). Returns us after which the last one that may be reordered is lost; 0: there is none */
int64_t native_linux_detect(struct native_endpoint *e);
/* Bytes a second (tcp_update_pacing_rate()): a window each round trip, and 20 % more; twice that in slow start. */
uint64_t native_linux_pacing(const struct native_endpoint *e);

#endif
