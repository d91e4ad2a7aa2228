/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/scheduler.h - events in integer picoseconds, in order of time and, at one time, of scheduling.
 *
 * The next few are a sorted list, the agenda (emu/agenda.h): with few busy links all are there.
 * Later ones are in a calendar (Brown 1988): buckets of one width, a power of two that follows how dense events are, each
 * sorted when its turn comes; those beyond the last bucket are in a heap. Timers are mostly far away and moved on before
 * they fire; they have a heap of their own. */
#pragma once

#include "emu/clock.h"

#include <stdbool.h>
#include <stddef.h>

#define NATIVE_BUCKETS 1024 /* a power of two, at least 64 */
#define NATIVE_WHEEL_BITS 3   /* each level of a timer wheel is eight times as coarse */
#define NATIVE_WHEEL_LEVELS 9
#define NATIVE_WHEEL_TICKS 63 /* of a level that a timer lies ahead at most */
#define NATIVE_WHEEL_ORDER_BITS 56
#define NATIVE_WHEEL_LAST ((UINT64_C(1) << NATIVE_WHEEL_ORDER_BITS) - 1) /* of a bucket */
#define NATIVE_WHEEL_BEFORE ((INT64_C(1) << NATIVE_WHEEL_BITS * NATIVE_WHEEL_LEVELS) - 74750) /* ticks of 4 ms at time 0: 300 s
                                 * before they wrap a Linux kernel starts (INITIAL_JIFFIES), and has been up for 1 s */
#define NATIVE_AFTER_ALL (UINT64_C(1) << 63) /* sequences of what is scheduled never come to that */

struct native_entry {
    int64_t time_ps;
    uint64_t sequence;
    void (*fn)(void *arg); /* NULL: arg is an event */
    void *arg;             /* borrowed */
};

struct native_heap {
    int64_t first_ps;             /* the first entry's; INT64_MAX: there is none */
    struct native_entry *entries; /* owned */
    size_t n, capacity;
};

struct native_calendar {
    size_t n;                            /* events in buckets */
    struct emu_event *buckets[NATIVE_BUCKETS]; /* borrowed; bucket b is b % NATIVE_BUCKETS, a list by `after`, the last first */
    uint64_t marks[NATIVE_BUCKETS / 64]; /* which are not empty */
    int64_t next;                        /* buckets before it are in the agenda: bucket b has times b << shift and on */
    int shift;
    int turns;                           /* buckets whose turn came since the width was looked at, */
    int64_t moved;                       /* and events in them */
    struct native_heap far;              /* what comes after the last bucket, and what a full one gave up */
};

/* An event that calls a function, and is given back when it runs. */
struct native_call {
    struct emu_event event;
    void (*fn)(void *arg);
    void *arg; /* borrowed */
    struct native_scheduler *scheduler; /* borrowed */
};

struct native_scheduler {
    struct emu_agenda agenda;
    bool stopped;
    bool acts;                 /* a host does something, at a time that may be beyond events to come (engine.c) */
    int64_t now_ps;
    int64_t bound_ps;          /* events of the agenda before it are before every timer, and to be run: none when stopped */
    struct native_heap timers;
    int64_t events;            /* that have run */
    struct native_calendar *calendar; /* owned; NULL: all events are with the timers */
    struct emu_event *free;    /* calls, by `after` */
    struct native_call **calls; /* owned; blocks of them */
    size_t n_calls;
    uint64_t wheel;            /* counts timers that were put into a bucket of Linux's wheel */
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
enum native_timer_state { NATIVE_TIMER_OFF, NATIVE_TIMER_SET, NATIVE_TIMER_LAZY };

struct native_timer {
    int64_t deadline_ps;     /* lazy: since when it is; fn says what the deadline is, and sets it, or does what is due */
    int64_t pending_ps;      /* of the earliest event in the heap; INT64_MAX: none */
    uint8_t armed;           /* enum native_timer_state */
    bool placed;             /* in a wheel: another event of that time is in its order; the first is before all of them */
    struct native_scheduler *scheduler; /* borrowed */
    uint64_t order;          /* among what is due at one time; 0: as it was scheduled */
    int64_t tick_end_ps;     /* in a wheel: of the tick in which it was set, */
    int64_t ticks;           /* so many ahead */
    void (*fn)(void *arg);
    void *arg;               /* borrowed */
};

void native_timer_init(struct native_timer *t, struct native_scheduler *s, void (*fn)(void *arg), void *arg);

void native_timer_schedule(struct native_timer *t);

/* Fires once at deadline_ps, whatever was set before. */
static inline void native_timer_set(struct native_timer *t, int64_t deadline_ps)
{
    t->armed = NATIVE_TIMER_SET;
    t->deadline_ps = deadline_ps;
    if (__builtin_expect(deadline_ps < t->pending_ps, 0))
        native_timer_schedule(t);
}

/* Whether it has been set in this tick of a wheel for as many ticks: then it stays where it is. */
static inline bool native_timer_stays(const struct native_timer *t, int64_t ticks)
{
    return t->armed == NATIVE_TIMER_SET && ticks == t->ticks && t->scheduler->now_ps < t->tick_end_ps;
}

/* The same at the first tick of a timer wheel's level after so many ticks (Linux's, kernel/time/timer.c): it never fires
 * early. Of what is due at one tick a coarser level comes first, and what was put into its bucket last before the others.
 * Whatever else happens at that time was before. A timer of a wheel is set in no other way, and its ticks are alike. */
static inline void native_timer_set_in_wheel(struct native_timer *t, int64_t tick_ps, int64_t ticks)
{
    if (native_timer_stays(t, ticks))
        return;
    int64_t now = (int64_t)((uint64_t)t->scheduler->now_ps / (uint64_t)tick_ps), due = now + ticks;
    t->ticks = ticks;
    t->tick_end_ps = (now + 1) * tick_ps;
    int level = 0;
    while (level < NATIVE_WHEEL_LEVELS && ticks >= (int64_t)NATIVE_WHEEL_TICKS << NATIVE_WHEEL_BITS * level)
        level++;
    due = (((due + NATIVE_WHEEL_BEFORE) >> NATIVE_WHEEL_BITS * level) + 1) << NATIVE_WHEEL_BITS * level;
    int64_t deadline_ps = (due - NATIVE_WHEEL_BEFORE) * tick_ps;
    uint64_t bucket = NATIVE_AFTER_ALL | (uint64_t)(NATIVE_WHEEL_LEVELS - level) << NATIVE_WHEEL_ORDER_BITS;
    bool moves = t->deadline_ps != deadline_ps || (t->order ^ bucket) >> NATIVE_WHEEL_ORDER_BITS > 0;
    if (moves) /* else it stays where it is, where it was cancelled, too */
        t->order = (bucket | NATIVE_WHEEL_LAST) - ++t->scheduler->wheel;
    native_timer_set(t, deadline_ps);
}

/* It has been put into another bucket since, and back. */
static inline void native_timer_renew(struct native_timer *t)
{
    t->order = (t->order | NATIVE_WHEEL_LAST) - ++t->scheduler->wheel;
}

/* The same without a deadline yet, which is no sooner than least_ps. False where an event has to be scheduled for it:
 * nothing has been done. */
static inline bool native_timer_set_lazily(struct native_timer *t, int64_t now_ps, int64_t least_ps)
{
    if (__builtin_expect(least_ps < t->pending_ps, 0))
        return false;
    t->armed = NATIVE_TIMER_LAZY;
    t->deadline_ps = now_ps;
    return true;
}

static inline void native_timer_cancel(struct native_timer *t)
{
    t->armed = NATIVE_TIMER_OFF;
}
