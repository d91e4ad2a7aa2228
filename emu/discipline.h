/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/discipline.h - queue disciplines: which of the frames that wait is next, and which is lost.
 *
 * A discipline is a row here and a file, emu/<name>.c, that defines struct emu_discipline_ops emu_discipline_<name>.
 * It stores frames; bounds and counts are the queue's (emu/queue.h). Whoever asks what a discipline does to traffic
 * asks for a property, not for a name. */
#ifndef EMU_DISCIPLINE_H
#define EMU_DISCIPLINE_H

#include "emu/frame.h"

/* ROW(NAME, name, text, meaning) */
#define EMU_DISCIPLINES(ROW)                                                                                          \
    ROW(FIFO, fifo, "fifo", "frames leave in the order they came")                                                    \
    ROW(ACK_FIRST, ack_first, "ack-first", "pure ACKs leave before data")                                             \
    ROW(FAIR, fair, "fair", "flows take turns, as in fq and fq_codel")                                                \
    ROW(CODEL, codel, "codel", "fifo that drops when frames keep waiting over 5 ms (RFC 8289)")

#define EMU_DISCIPLINE_ENUM(NAME, name, text, meaning) EMU_DISCIPLINE_##NAME,
enum emu_discipline { EMU_DISCIPLINES(EMU_DISCIPLINE_ENUM) EMU_DISCIPLINE_COUNT };

/* What data of the other direction mean to a pure ACK. */
enum emu_discipline_acks { EMU_DISCIPLINE_ACKS_WAIT, EMU_DISCIPLINE_ACKS_LEAD, EMU_DISCIPLINE_ACKS_TAKE_TURNS };

enum emu_discipline_next { EMU_DISCIPLINE_EMPTY, EMU_DISCIPLINE_FRAME, EMU_DISCIPLINE_DROP };

struct emu_discipline_ops {
    /* Frames leave as they came and none is lost once it is in: a port puts them on its line at once. */
    bool in_order;
    bool by_flow;     /* push() needs what tells flows apart */
    bool drops_early; /* may lose frames although there is room: the buffer is no measure of the queue */
    enum emu_discipline_acks acks;

    size_t state_bytes; /* of private state; zero at first, made when the first frame comes, or is to be opened */
    void (*open)(void *state, const char *kernel); /* NULL: as zeros are. Of the kernel's disciplines, which one */
    void (*fini)(void *state, const struct emu_frame_ops *ops); /* releases what is still queued */
    void (*push)(void *state, const struct emu_frame *frame, uint32_t flow, int64_t now_ps);
    /* A frame that the last push() has lost, until it returns false; NULL: it loses none. */
    bool (*lost)(void *state, struct emu_frame *frame);
    /* The frame to transmit, or one to lose: the caller owns it, and asks again after one to lose. */
    enum emu_discipline_next (*pop)(void *state, int64_t now_ps, struct emu_frame *frame);
    /* Both NULL where a full buffer loses the frame that comes. Else buffer bytes of the queued frame it gives up
     * instead, 0 when there is none; and takes that frame out. */
    int64_t (*evictable_bytes)(const void *state);
    void (*evict)(void *state, struct emu_frame *frame);
};

#define EMU_DISCIPLINE_DECLARE(NAME, name, text, meaning) extern const struct emu_discipline_ops emu_discipline_##name;
EMU_DISCIPLINES(EMU_DISCIPLINE_DECLARE)

/* In the enum's order; the names end with NULL, for base/names.h. */
extern const struct emu_discipline_ops *const emu_disciplines[];
extern const char *const emu_discipline_names[];

#endif
