/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/clock.h - what an engine lends the network: the time, and a call back later.
 *
 * Events at the same time run in the order they were scheduled. */
#pragma once

#include "emu/agenda.h"

struct emu_clock {
    const int64_t *time_ps; /* borrowed: the time, where an engine keeps it in one place; NULL: ask now_ps() */
    struct emu_agenda *agenda; /* borrowed: for events that are kept by who schedules them; NULL: there is none */
    int64_t (*now_ps)(void *engine);
    /* Runs fn(arg) once, delay_ps >= 0 from now. */
    void (*schedule)(void *engine, int64_t delay_ps, void (*fn)(void *arg), void *arg);
    void *engine; /* borrowed: outlives every user of the clock */
    /* The same, and the caller knows that the event, and what follows from it, reaches no host sooner than ahead_ps
     * after it: neither does a stack get a frame nor hear that one has left. NULL: nobody asks */
    void (*schedule_ahead)(void *engine, int64_t delay_ps, int64_t ahead_ps, void (*fn)(void *arg), void *arg);
};

#define EMU_CLOCK_NEVER (INT64_MAX / 4) /* as ahead_ps */

static inline int64_t emu_clock_now(const struct emu_clock *c)
{
    return c->time_ps ? *c->time_ps : c->now_ps(c->engine);
}

static inline void emu_clock_schedule(const struct emu_clock *c, int64_t delay_ps, void (*fn)(void *), void *arg)
{
    c->schedule(c->engine, delay_ps, fn, arg);
}

static inline void emu_clock_schedule_ahead(const struct emu_clock *c, int64_t delay_ps, int64_t ahead_ps,
                                            void (*fn)(void *), void *arg)
{
    if (c->schedule_ahead)
        c->schedule_ahead(c->engine, delay_ps, ahead_ps, fn, arg);
    else
        c->schedule(c->engine, delay_ps, fn, arg);
}
