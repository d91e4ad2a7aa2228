/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/agenda.h - an engine's next events, in order of time and, at one time, of scheduling: a list in which whoever has
 * an event of its own puts it without a call.
 *
 * Whoever keeps the list keeps it short, and has the rest elsewhere. */
#pragma once

#include "base/std.h"

struct emu_event {
    struct emu_event *before, *after;
    int64_t time_ps;
    uint64_t sequence;               /* of all that were ever scheduled */
    void (*fn)(struct emu_event *e); /* may be changed while it waits */
};

struct emu_agenda {
    struct emu_event first, last; /* nobody's: before and after all others */
    int64_t limit_ps;             /* what comes then or later is not in the list: */
    void (*later)(struct emu_agenda *a, struct emu_event *e); /* takes it */
    uint64_t sequence;            /* of the next event */
};

static inline void emu_agenda_link(struct emu_event *before, struct emu_event *e, struct emu_event *after)
{
    e->before = before;
    e->after = after;
    before->after = e;
    after->before = e;
}

/* Among those in the list: unless all others are sooner many are later, if it is `soon`, so that its place is looked for from the
 * begin. False where it is not before the limit: nothing has been done. Those in the list are, and only the last is asked. */
static inline __attribute__((always_inline)) bool emu_agenda_place(struct emu_agenda *a, struct emu_event *e,
                                                                   int64_t time_ps, bool soon)
{
    struct emu_event *before = a->last.before; /* after all that are no later: */
    if (before->time_ps <= time_ps) {          /* as where links and frames are alike */
        if (__builtin_expect(time_ps >= a->limit_ps, 0))
            return false;
        emu_agenda_link(before, e, &a->last);
    } else if (soon) {
        struct emu_event *after = a->first.after;
        while (after->time_ps <= time_ps)
            after = after->after;
        emu_agenda_link(after->before, e, after);
    } else {
        do
            before = before->before;
        while (before->time_ps > time_ps);
        emu_agenda_link(before, e, before->after);
    }
    return true;
}

/* Runs e->fn(e) at time_ps, which is not past. The event does not wait already; it is the caller's, and stays where it
 * is until then. */
static inline void emu_agenda_add(struct emu_agenda *a, struct emu_event *e, int64_t time_ps, bool soon)
{
    e->time_ps = time_ps;
    e->sequence = a->sequence++;
    if (!emu_agenda_place(a, e, time_ps, soon))
        a->later(a, e);
}
