/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/scheduler.h - events in integer picoseconds, in order of time and, at one time, of scheduling.
 *
 * The next few are kept sorted, the rest in a 4-ary heap. With few busy links all are in the sorted front, and most new
 * events belong near its end. Timers are mostly far away and moved on before they fire; they have a heap of their own.
 * Cost grows with pending events: busy links and armed timers. */
#ifndef EMU_NATIVE_SCHEDULER_H
#define EMU_NATIVE_SCHEDULER_H

#include "emu/clock.h"

#include <stdbool.h>
#include <stddef.h>

struct native_event {
    int64_t time_ps;
    uint64_t sequence;
    void (*fn)(void *arg);
    void *arg; /* borrowed */
};

#define NATIVE_FRONT 64      /* events at most in the front */
#define NATIVE_FRONT_ROOM 512 /* places they move through before they are moved back */

struct native_heap {
    struct native_event *events; /* owned */
    size_t n, capacity;
};

struct native_scheduler {
    struct native_event front[NATIVE_FRONT_ROOM]; /* [head, tail), in order; every one before all of the rest */
    size_t head, tail;
    struct native_heap rest, timers;
    bool stopped;
    int64_t now_ps;
    uint64_t sequence;         /* of the next event */
    int64_t events;            /* that have run */
};

void native_scheduler_init(struct native_scheduler *s);
void native_scheduler_fini(struct native_scheduler *s);

static inline int64_t native_scheduler_now(const struct native_scheduler *s)
{
    return s->now_ps;
}

/* Runs fn(arg) at time_ps, now or later (asserted). */
void native_scheduler_at(struct native_scheduler *s, int64_t time_ps, void (*fn)(void *arg), void *arg);

struct emu_clock native_scheduler_clock(struct native_scheduler *s);

/* Runs events before `until_ps`, or until native_scheduler_stop() or none is left. The time is then until_ps, or
 * that of the last event when stopped. INT64_MAX: until none is left, the time is the last event's. */
void native_scheduler_run(struct native_scheduler *s, int64_t until_ps);
/* Runs events up to and at `time_ps`, which it is then, unless stopped. */
void native_scheduler_run_to(struct native_scheduler *s, int64_t time_ps);
/* Returns the time of the next event; INT64_MAX when there is none. */
int64_t native_scheduler_next(struct native_scheduler *s);
/* From within an event: native_scheduler_run() returns after it. */
void native_scheduler_stop(struct native_scheduler *s);

/* A timer that is set again and again, mostly later: its one pending event moves on when it comes too early. */
struct native_timer {
    struct native_scheduler *scheduler; /* borrowed */
    void (*fn)(void *arg);
    void *arg;               /* borrowed */
    int64_t deadline_ps;
    int64_t pending_ps;      /* of the earliest event in the heap; INT64_MAX: none */
    bool armed;
};

void native_timer_init(struct native_timer *t, struct native_scheduler *s, void (*fn)(void *arg), void *arg);

void native_timer_schedule(struct native_timer *t);

/* Fires once at deadline_ps, whatever was set before. */
static inline void native_timer_set(struct native_timer *t, int64_t deadline_ps)
{
    t->armed = true;
    t->deadline_ps = deadline_ps;
    if (deadline_ps < t->pending_ps)
        native_timer_schedule(t);
}

static inline void native_timer_cancel(struct native_timer *t)
{
    t->armed = false;
}

#endif
