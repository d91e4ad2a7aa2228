/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/scheduler.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CHILDREN 4

void native_scheduler_init(struct native_scheduler *s)
{
    *s = (struct native_scheduler){0};
}

void native_scheduler_fini(struct native_scheduler *s)
{
    free(s->rest.events);
    free(s->timers.events);
    *s = (struct native_scheduler){0};
}

static inline bool event_before(const struct native_event *a, const struct native_event *b)
{
    return a->time_ps < b->time_ps || (a->time_ps == b->time_ps && a->sequence < b->sequence);
}

static void heap_push(struct native_heap *h, const struct native_event *e)
{
    h->events = memory_grown(h->events, h->n, &h->capacity, 64, sizeof *h->events, "events");
    size_t i = h->n++;
    for (; i > 0 && event_before(e, &h->events[(i - 1) / CHILDREN]); i = (i - 1) / CHILDREN)
        h->events[i] = h->events[(i - 1) / CHILDREN];
    h->events[i] = *e;
}

static struct native_event heap_pop(struct native_heap *h)
{
    struct native_event *events = h->events, root = events[0], last = events[--h->n];
    size_t n = h->n, i = 0;
    for (size_t first = 1; first < n; first = CHILDREN * i + 1) {
        size_t best = first, end = first + CHILDREN < n ? first + CHILDREN : n;
        for (size_t child = first + 1; child < end; child++)
            if (event_before(&events[child], &events[best]))
                best = child;
        if (!event_before(&events[best], &last))
            break;
        events[i] = events[best];
        i = best;
    }
    events[i] = last;
    return root;
}

/* The front's places are used up from the left: back to the beginning. */
static void front_move(struct native_scheduler *s)
{
    memmove(s->front, s->front + s->head, (s->tail - s->head) * sizeof *s->front);
    s->tail -= s->head;
    s->head = 0;
}

static void heap_add(struct native_scheduler *s, struct native_heap *h, int64_t time_ps, void (*fn)(void *), void *arg)
{
    heap_push(h, &(struct native_event){time_ps, s->sequence++, fn, arg});
}

/* The new event is the last of its time, so that times alone decide where it goes. */
void native_scheduler_at(struct native_scheduler *s, int64_t time_ps, void (*fn)(void *), void *arg)
{
    assert(time_ps >= s->now_ps);
    if (s->rest.n > 0 && time_ps >= s->rest.events[0].time_ps) {
        heap_add(s, &s->rest, time_ps, fn, arg);
        return;
    }
    if (s->tail - s->head == NATIVE_FRONT) {
        if (time_ps >= s->front[s->tail - 1].time_ps) {
            heap_add(s, &s->rest, time_ps, fn, arg);
            return;
        }
        heap_push(&s->rest, &s->front[--s->tail]);
    }
    if (s->tail == NATIVE_FRONT_ROOM)
        front_move(s);
    struct native_event *at = &s->front[s->tail++], *first = &s->front[s->head];
    for (; at > first && time_ps < at[-1].time_ps; at--)
        *at = at[-1];
    at->time_ps = time_ps;
    at->sequence = s->sequence++;
    at->fn = fn;
    at->arg = arg;
}

/* Half a front from the rest. */
static void front_fill(struct native_scheduler *s)
{
    s->head = s->tail = 0;
    while (s->rest.n > 0 && s->tail < NATIVE_FRONT / 2)
        s->front[s->tail++] = heap_pop(&s->rest);
}

/* Takes the next event before `until_ps`; false when there is none. */
static bool scheduler_next(struct native_scheduler *s, int64_t until_ps, struct native_event *e)
{
    if (s->head == s->tail)
        front_fill(s);
    bool any = s->head < s->tail;
    if (s->timers.n > 0 && (!any || event_before(&s->timers.events[0], &s->front[s->head]))) {
        if (s->timers.events[0].time_ps >= until_ps)
            return false;
        *e = heap_pop(&s->timers);
        return true;
    }
    if (!any || s->front[s->head].time_ps >= until_ps)
        return false;
    *e = s->front[s->head++];
    return true;
}

void native_scheduler_run(struct native_scheduler *s, int64_t until_ps)
{
    struct native_event e;
    s->stopped = false;
    while (!s->stopped && scheduler_next(s, until_ps, &e)) {
        s->now_ps = e.time_ps;
        s->events++;
        e.fn(e.arg);
    }
    if (!s->stopped && until_ps != INT64_MAX)
        s->now_ps = until_ps;
}

void native_scheduler_run_to(struct native_scheduler *s, int64_t time_ps)
{
    native_scheduler_run(s, time_ps + 1);
    if (!s->stopped)
        s->now_ps = time_ps;
}

int64_t native_scheduler_next(struct native_scheduler *s)
{
    if (s->head == s->tail)
        front_fill(s);
    int64_t front_ps = s->head < s->tail ? s->front[s->head].time_ps : INT64_MAX;
    return s->timers.n > 0 && s->timers.events[0].time_ps < front_ps ? s->timers.events[0].time_ps : front_ps;
}

void native_scheduler_stop(struct native_scheduler *s)
{
    s->stopped = true;
}

static void clock_schedule(void *engine, int64_t delay_ps, void (*fn)(void *), void *arg)
{
    struct native_scheduler *s = engine;
    native_scheduler_at(s, s->now_ps + delay_ps, fn, arg);
}

struct emu_clock native_scheduler_clock(struct native_scheduler *s)
{
    return (struct emu_clock){.time_ps = &s->now_ps, .schedule = clock_schedule, .engine = s};
}

static void timer_event(void *arg)
{
    struct native_timer *t = arg;
    int64_t now_ps = t->scheduler->now_ps;
    if (now_ps != t->pending_ps)
        return; /* the timer was set earlier since: that event has taken over */
    t->pending_ps = INT64_MAX;
    if (!t->armed)
        return;
    if (t->deadline_ps > now_ps) {
        native_timer_schedule(t);
        return;
    }
    t->armed = false;
    t->fn(t->arg);
}

void native_timer_init(struct native_timer *t, struct native_scheduler *s, void (*fn)(void *), void *arg)
{
    *t = (struct native_timer){.scheduler = s, .fn = fn, .arg = arg, .pending_ps = INT64_MAX};
}

void native_timer_schedule(struct native_timer *t)
{
    assert(t->deadline_ps >= t->scheduler->now_ps);
    t->pending_ps = t->deadline_ps;
    heap_add(t->scheduler, &t->scheduler->timers, t->deadline_ps, timer_event, t);
}
