/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/scheduler.h - events in integer picoseconds, in order of time and, at one time, of scheduling.
 *
 * The next few are kept sorted in the front: with few busy links all are there, and a new event moves those before it
 * or those after it, whichever half it belongs to.
 * Later ones are in a calendar (Brown 1988): buckets of one width, a power of two that follows how dense events are, each
 * sorted when its turn comes; those beyond the last bucket are in a heap. Timers are mostly far away and moved on before
 * they fire; they have a heap of their own. */
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

#define NATIVE_FRONT 64       /* events in the front, without a calendar, that are moved no more but spilled; */
#define NATIVE_FRONT_SPAN 128 /* places they move through before that */
#define NATIVE_FRONT_ROOM 512 /* and with one */
#define NATIVE_BUCKETS 1024   /* a power of two, at least 64 */

struct native_heap {
    struct native_event *events; /* owned */
    size_t n, capacity;
};

struct native_note {
    struct native_event event;
    uint32_t next; /* of its bucket, or of the free ones; 0: none */
};

struct native_calendar {
    struct native_note *notes; /* owned; [0] is nobody's */
    size_t used, capacity;
    uint32_t free;
    size_t n;                          /* events in buckets */
    uint32_t buckets[NATIVE_BUCKETS];  /* first note of bucket b at b % NATIVE_BUCKETS; 0: empty */
    uint64_t marks[NATIVE_BUCKETS / 64]; /* which are not */
    int64_t next;                      /* buckets before it are in the front: bucket b has times b << shift and on */
    int shift;
    int turns;                         /* buckets whose turn came since the width was looked at, */
    int64_t moved;                     /* and events in them */
    struct native_heap far;            /* what comes after the last bucket, and what a full one gave up */
};

struct native_agenda {
    struct native_event *first, *last; /* the front is [first, last), in order; every one before all of the calendar */
    struct native_event *full; /* where its room ends */
    int64_t limit_ps;          /* events before it belong to the front; INT64_MAX: there is no calendar */
    struct native_event front[NATIVE_FRONT_ROOM];
    struct native_calendar calendar;
};

struct native_scheduler {
    struct native_agenda *agenda; /* owned; NULL: all events are with the timers */
    struct native_heap timers;
    bool stopped;
    int64_t now_ps;
    int64_t bound_ps;          /* events of the agenda before it are before every timer, and to be run: none when stopped */
    uint64_t sequence;         /* of the next event */
    int64_t events;            /* that have run */
};

void native_scheduler_init(struct native_scheduler *s);
/* For few events: it takes little memory. */
void native_scheduler_init_small(struct native_scheduler *s);
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
