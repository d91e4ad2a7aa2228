/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/agenda.h - an engine's next events, in order of time and, at one time, of scheduling: a list in which whoever has
 * an event of its own puts it without a call.
 *
 * Most new events are among the last, from which their place is looked for. Whoever keeps the list keeps it short, and
 * has the rest elsewhere. */
#ifndef EMU_AGENDA_H
#define EMU_AGENDA_H

#include <stdint.h>

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

/* After all that are no later. */
static inline void emu_agenda_place(struct emu_agenda *a, struct emu_event *e, int64_t time_ps)
{
    struct emu_event *at = a->last.before;
    while (at->time_ps > time_ps)
        at = at->before;
    struct emu_event *after = at->after;
    e->before = at;
    e->after = after;
    at->after = e;
    after->before = e;
}

/* Runs e->fn(e) at time_ps, which is not past. The event does not wait already; it is the caller's, and stays where it
 * is until then. */
static inline void emu_agenda_add(struct emu_agenda *a, struct emu_event *e, int64_t time_ps)
{
    e->time_ps = time_ps;
    e->sequence = a->sequence++;
    if (__builtin_expect(time_ps < a->limit_ps, 1))
        emu_agenda_place(a, e, time_ps);
    else
        a->later(a, e);
}

#endif
