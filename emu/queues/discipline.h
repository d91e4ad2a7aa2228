/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/queues/discipline.h - queue disciplines: which of the frames that wait is next, and which is lost.
 *
 * A discipline is a row here and a file, emu/queues/<name>.c, that defines struct emu_discipline_ops emu_discipline_<name>.
 * It stores frames; bounds and counts are the queue's (emu/queues/queue.h). Whoever asks what a discipline does to traffic
 * asks for a property, not for a name. */
#pragma once

#include "emu/frame.h"

/* ROW(NAME, name, text, meaning) */
#define EMU_DISCIPLINES(ROW)                                                                                          \
    ROW(FIFO, fifo, "fifo", "frames leave in the order they came")                                                    \
    ROW(ACK_FIRST, ack_first, "ack-first", "pure ACKs leave before data")                                             \
    ROW(FAIR, fair, "fair", "flows take turns, as in fq and fq_codel")                                                \
    ROW(CODEL, codel, "codel", "fifo that drops when frames keep waiting over 5 ms (RFC 8289)")                        \
    ROW(FQ_CODEL, fq_codel, "fq_codel", "flows take turns, new ones first, each a codel (RFC 8290)")                   \
    ROW(PIE, pie, "pie", "fifo that drops by chance so that frames wait 15 ms (RFC 8033)")                            \
    ROW(RED, red, "red", "fifo that drops by chance as its mean length grows (Floyd and Jacobson 1993)")               \
    ROW(PRIO, prio, "prio", "classes of flows, a lower number before a higher")                                       \
    ROW(DRR, drr, "drr", "classes of flows take turns, each a quantum of bytes (Shreedhar and Varghese 1996)")         \
    ROW(ACK_FILTER, ack_filter, "ack-filter", "fifo that loses ACKs which a later one makes redundant, as cake does")  \
    ROW(TBF, tbf, "tbf", "fifo that a token bucket holds back to a rate, as tc's")                                     \
    ROW(POLICER, policer, "policer", "fifo that loses what comes beyond a rate and a burst, as tc's police")

#define EMU_DISCIPLINE_ENUM(NAME, name, text, meaning) EMU_DISCIPLINE_##NAME,
enum emu_discipline { EMU_DISCIPLINES(EMU_DISCIPLINE_ENUM) EMU_DISCIPLINE_COUNT };

/* What data of the other direction mean to a pure ACK. */
enum emu_discipline_acks { EMU_DISCIPLINE_ACKS_WAIT, EMU_DISCIPLINE_ACKS_LEAD, EMU_DISCIPLINE_ACKS_TAKE_TURNS };

enum emu_discipline_next { EMU_DISCIPLINE_EMPTY, EMU_DISCIPLINE_FRAME, EMU_DISCIPLINE_DROP };

/* ECN marks instead of losses (RFC 3168), of frames that can take them. */
enum emu_discipline_ecn { EMU_DISCIPLINE_ECN_USUAL, EMU_DISCIPLINE_ECN_TRUE, EMU_DISCIPLINE_ECN_FALSE };
extern const char *const emu_discipline_ecn_names[]; /* for base/names.h */

/* What disciplines can be told. 0: as tc(8) has it, see each file; `rate` and `burst` it has not. Turns and tokens are
 * counted as it does, by emu_frame_host_bytes(). */
struct emu_discipline_parameters {
    int64_t target_ps, interval_ps;             /* of RFC 8289 */
    int64_t quantum_bytes;                      /* of a flow's turn */
    int64_t quanta_bytes[EMU_FRAME_CLASSES];    /* of the turns of classes 0, 1, ...; the rest have usual ones */
    int n_quanta;
    int64_t min_bytes, max_bytes;               /* in the buffer: mean lengths from which red loses some frames, and all */
    double probability;                         /* of a loss where the mean is just below max_bytes */
    int64_t rate_bps, burst_bytes;              /* of a token bucket; red: rate, the link's */
    enum emu_discipline_ecn ecn;
    bool aggressive;                            /* an ACK filter that keeps no second ACK */
};

/* Which of them a discipline has. */
enum emu_discipline_has {
    EMU_DISCIPLINE_HAS_TARGET = 1, /* target and interval */
    EMU_DISCIPLINE_HAS_QUANTUM = 2,
    EMU_DISCIPLINE_HAS_QUANTA = 4,
    EMU_DISCIPLINE_HAS_MEAN = 8, /* min, max, probability */
    EMU_DISCIPLINE_HAS_RATE = 16,
    EMU_DISCIPLINE_HAS_BURST = 32, /* with a rate, and both must be given */
    EMU_DISCIPLINE_HAS_ECN = 64,
    EMU_DISCIPLINE_HAS_AGGRESSIVE = 128,
};

#define EMU_DISCIPLINE_BUCKETS 1024 /* of flows, a power of two, as fq_codel's default */

/* The bucket of a flow, from 0. */
static inline int emu_discipline_bucket(uint32_t flow)
{
    return (int)(flow * UINT32_C(2654435761) >> 22); /* Fibonacci hashing to 10 bits */
}

struct emu_queue_config; /* emu/queues/queue.h */

struct emu_discipline_ops {
    /* Frames leave as they came and none is lost once it is in: a port puts them on its line at once. */
    bool in_order;
    bool by_flow;     /* push() needs what tells flows apart */
    bool by_class;    /* serves frames by their classes, which flows are given */
    bool drops_early; /* may lose frames although there is room: the buffer is no measure of the queue */
    enum emu_discipline_acks acks;
    unsigned has;     /* enum emu_discipline_has */

    size_t state_bytes; /* of private state; zero at first, made when the first frame comes, or is to be opened */
    void (*open)(void *state, const char *kernel); /* NULL: as zeros are. Of the kernel's disciplines, which one */
    void (*begin)(void *state, const struct emu_queue_config *config); /* before the first frame; NULL: as zeros are */
    void (*fini)(void *state, const struct emu_frame_ops *ops); /* releases what is still queued */
    /* Whether a frame may come in, while so many bytes wait; NULL: whenever there is room. */
    bool (*admit)(void *state, const struct emu_frame *frame, int64_t depth_bytes, int64_t now_ps);
    void (*push)(void *state, const struct emu_frame *frame, uint32_t flow, int64_t now_ps);
    /* A frame that the last push() has lost, until it returns false; NULL: it loses none. */
    bool (*lost)(void *state, struct emu_frame *frame);
    /* The frame to transmit, or one to lose: the caller owns it, and asks again after one to lose. */
    enum emu_discipline_next (*pop)(void *state, int64_t now_ps, struct emu_frame *frame);
    /* Both NULL where classes are not served: leaves these classes (bits) alone from now on, as if they had nothing; and
     * how much of one class waits. */
    void (*stop)(void *state, unsigned classes);
    void (*class_level)(const void *state, int class, int64_t *bytes, int64_t *packets);
    /* When pop() may give what waits, after it gave nothing; NULL: it always gives something while frames wait. */
    int64_t (*ready_ps)(const void *state, int64_t now_ps);
    /* Both NULL where a full buffer loses the frame that comes. Else buffer bytes of the queued frame it gives up
     * instead of `frame`, 0 when there is none; and takes that one out. */
    int64_t (*evictable_bytes)(const void *state, const struct emu_frame *frame);
    void (*evict)(void *state, struct emu_frame *frame);
};

/* Whether room, the order of arrival, flows and ACKs are all that decides: what models of queues know. */
static inline bool emu_discipline_is_plain(const struct emu_discipline_ops *ops)
{
    return !ops->drops_early && !ops->by_class && !ops->ready_ps;
}

/* fini(), push() and pop() of a state that begins with a ring of frames in order (emu/ring.h), and needs no more. */
void emu_discipline_ring_fini(void *state, const struct emu_frame_ops *ops);
void emu_discipline_ring_push(void *state, const struct emu_frame *frame, uint32_t flow, int64_t now_ps);
enum emu_discipline_next emu_discipline_ring_pop(void *state, int64_t now_ps, struct emu_frame *frame);

#define EMU_DISCIPLINE_DECLARE(NAME, name, text, meaning) extern const struct emu_discipline_ops emu_discipline_##name;
EMU_DISCIPLINES(EMU_DISCIPLINE_DECLARE)

/* In the enum's order; the names end with NULL, for base/names.h. */
extern const struct emu_discipline_ops *const emu_disciplines[];
extern const char *const emu_discipline_names[];
