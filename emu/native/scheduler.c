/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/scheduler.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CHILDREN 4
#define TURNS 512      /* of buckets, after which their width is looked at: */
#define SPARSE 2       /* events a bucket, and fewer: it is doubled; */
#define DENSE 16       /* so many and more: it is halved */
#define BUCKET_MOST 128 /* of one bucket go to the front at once */

/* Events before limit_ps belong to the front. */
static void front_limit(struct native_agenda *a, int64_t limit_ps)
{
    a->limit_ps = limit_ps;
    a->full = a->front + (limit_ps == INT64_MAX ? NATIVE_FRONT_SPAN : NATIVE_FRONT_ROOM);
}

void native_scheduler_init(struct native_scheduler *s)
{
    native_scheduler_init_small(s);
    s->agenda = memory_zeroed(1, sizeof *s->agenda, "events");
    s->agenda->first = s->agenda->last = s->agenda->front;
    front_limit(s->agenda, INT64_MAX);
}

void native_scheduler_init_small(struct native_scheduler *s)
{
    *s = (struct native_scheduler){0};
}

void native_scheduler_fini(struct native_scheduler *s)
{
    if (s->agenda) {
        free(s->agenda->calendar.notes);
        free(s->agenda->calendar.far.events);
    }
    free(s->agenda);
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
static void front_move(struct native_agenda *s)
{
    size_t n = (size_t)(s->last - s->first);
    memmove(s->front, s->first, n * sizeof *s->front);
    s->first = s->front;
    s->last = s->front + n;
}

static void timer_add(struct native_scheduler *s, int64_t time_ps, void (*fn)(void *), void *arg)
{
    heap_push(&s->timers, &(struct native_event){time_ps, s->sequence++, fn, arg});
    if (time_ps < s->bound_ps)
        s->bound_ps = time_ps;
}

static uint32_t calendar_note(struct native_calendar *c)
{
    uint32_t i = c->free;
    if (i) {
        c->free = c->notes[i].next;
        return i;
    }
    c->notes = memory_grown(c->notes, c->used ? c->used : 1, &c->capacity, 128, sizeof *c->notes, "events");
    c->used += c->used ? 1 : 2;
    return (uint32_t)(c->used - 1);
}

/* Not before the limit. */
static void calendar_add(struct native_calendar *c, const struct native_event *e)
{
    int64_t bucket = e->time_ps >> c->shift;
    assert(bucket >= c->next);
    if (bucket - c->next >= NATIVE_BUCKETS) {
        heap_push(&c->far, e);
        return;
    }
    size_t at = (size_t)bucket % NATIVE_BUCKETS;
    uint32_t i = calendar_note(c);
    c->notes[i].event = *e;
    c->notes[i].next = c->buckets[at];
    c->buckets[at] = i;
    c->marks[at / 64] |= UINT64_C(1) << at % 64;
    c->n++;
}

/* The first bucket with anything in it, or, with nothing, INT64_MAX. */
static int64_t calendar_first(const struct native_calendar *c)
{
    if (c->n == 0)
        return INT64_MAX;
    size_t from = (size_t)c->next % NATIVE_BUCKETS, word = from / 64;
    uint64_t marks = c->marks[word] & UINT64_MAX << from % 64;
    while (!marks) { /* the word where it began comes again last */
        word = (word + 1) % (NATIVE_BUCKETS / 64);
        marks = c->marks[word];
    }
    size_t at = word * 64 + (size_t)__builtin_ctzll(marks);
    return c->next + (int64_t)((at - from) % NATIVE_BUCKETS);
}

/* Takes what is in a bucket, last come first: calendar_free() is for each. */
static uint32_t calendar_empty(struct native_calendar *c, int64_t bucket)
{
    size_t at = (size_t)bucket % NATIVE_BUCKETS;
    uint32_t first = c->buckets[at];
    c->buckets[at] = 0;
    c->marks[at / 64] &= ~(UINT64_C(1) << at % 64);
    return first;
}

static void calendar_free(struct native_calendar *c, uint32_t i)
{
    c->notes[i].next = c->free;
    c->free = i;
    c->n--;
}

/* All that is in buckets goes to the heap: their width changes, or where they begin. */
static void calendar_restart(struct native_calendar *c, int64_t limit_ps, int shift)
{
    for (int64_t bucket; (bucket = calendar_first(c)) != INT64_MAX;)
        for (uint32_t i = calendar_empty(c, bucket), next; i; i = next) {
            next = c->notes[i].next;
            heap_push(&c->far, &c->notes[i].event);
            calendar_free(c, i);
        }
    c->shift = shift;
    c->next = limit_ps >> shift;
    c->turns = 0;
    c->moved = 0;
}

/* In order, from its end: most belong there. */
static inline void front_insert(struct native_agenda *s, const struct native_event *e)
{
    struct native_event *at = s->last++, *first = s->first;
    for (; at > first && event_before(e, &at[-1]); at--)
        *at = at[-1];
    *at = *e;
}

/* The front is full: its later half goes to the calendar, which begins there. */
static void front_spill(struct native_agenda *s)
{
    struct native_event *keep = s->first + (s->last - s->first) / 2;
    int shift = s->calendar.shift;
    if (s->limit_ps == INT64_MAX) { /* about four a bucket */
        int64_t width_ps = (s->last[-1].time_ps - s->first->time_ps) / ((s->last - s->first) / 4);
        for (shift = 0; shift < 62 && width_ps >> (shift + 1) > 0; shift++)
            ;
    }
    front_limit(s, keep->time_ps);
    while (keep > s->first && keep[-1].time_ps == s->limit_ps)
        keep--;
    calendar_restart(&s->calendar, s->limit_ps, shift);
    for (const struct native_event *e = keep; e < s->last; e++)
        calendar_add(&s->calendar, e);
    s->last = keep;
}

/* A place in the front, which has room at its end, for an event that is the last of its time. The middle one stops the
 * search in the half where the event belongs; in an empty front it is one that was there before, and either half will do. */
static inline struct native_event *front_place(struct native_agenda *a, int64_t time_ps)
{
    struct native_event *first = a->first, *at = a->last;
    if (first != a->front && time_ps < first[(size_t)(at - first) / 2].time_ps) {
        a->first = first - 1;
        for (at = first - 1; at[1].time_ps <= time_ps; at++)
            *at = at[1];
        return at;
    }
    a->last = at + 1;
    for (; at > first && time_ps < at[-1].time_ps; at--)
        *at = at[-1];
    return at;
}

static inline void event_set(struct native_event *e, struct native_scheduler *s, int64_t time_ps, void (*fn)(void *),
                             void *arg)
{
    e->time_ps = time_ps;
    e->sequence = s->sequence++;
    e->fn = fn;
    e->arg = arg;
}

/* Where the front has no room for an event, or it does not belong there. */
static __attribute__((noinline, cold)) void scheduler_at_else(struct native_scheduler *s, int64_t time_ps,
                                                              void (*fn)(void *), void *arg)
{
    struct native_agenda *a = s->agenda;
    if (!a) {
        timer_add(s, time_ps, fn, arg);
        return;
    }
    if (a->last == a->full) {
        if (a->last - a->first >= (a->limit_ps == INT64_MAX ? NATIVE_FRONT : NATIVE_FRONT_ROOM - BUCKET_MOST))
            front_spill(a);
        front_move(a);
    }
    if (time_ps >= a->limit_ps) {
        struct native_event e;
        event_set(&e, s, time_ps, fn, arg);
        calendar_add(&a->calendar, &e);
        return;
    }
    event_set(front_place(a, time_ps), s, time_ps, fn, arg);
}

/* The new event is the last of its time, so that times alone decide where it goes. */
void native_scheduler_at(struct native_scheduler *s, int64_t time_ps, void (*fn)(void *), void *arg)
{
    struct native_agenda *a = s->agenda;
    assert(time_ps >= s->now_ps);
    if (!a || time_ps >= a->limit_ps || a->last == a->full)
        scheduler_at_else(s, time_ps, fn, arg);
    else
        event_set(front_place(a, time_ps), s, time_ps, fn, arg);
}

/* Buckets hold too many or too few: half or twice their width. */
static void calendar_tune(struct native_calendar *c, int64_t limit_ps)
{
    int shift = c->shift;
    if (c->moved >= DENSE * (int64_t)c->turns && shift > 0)
        shift--;
    else if (c->moved <= SPARSE * (int64_t)c->turns && shift < 40)
        shift++;
    c->turns = 0;
    c->moved = 0;
    if (shift != c->shift)
        calendar_restart(c, limit_ps, shift);
}

static bool far_in(const struct native_calendar *c, int64_t bucket)
{
    return c->far.n > 0 && c->far.events[0].time_ps >> c->shift == bucket;
}

/* The next bucket's events go to the front, or the first of them: which these are is the heap's to say. */
static void front_turn(struct native_agenda *s, int64_t bucket)
{
    struct native_calendar *c = &s->calendar;
    bool sorts = far_in(c, bucket);
    size_t n = 0;
    if (s->last - s->front + BUCKET_MOST > NATIVE_FRONT_ROOM)
        front_move(s);
    for (uint32_t i = calendar_empty(c, bucket), next; i; i = next) {
        next = c->notes[i].next;
        if (n == BUCKET_MOST) {
            for (sorts = true; n > 0; n--)
                heap_push(&c->far, --s->last);
        }
        if (sorts) {
            heap_push(&c->far, &c->notes[i].event);
        } else {
            front_insert(s, &c->notes[i].event);
            n++;
        }
        calendar_free(c, i);
    }
    for (; n < BUCKET_MOST && far_in(c, bucket); n++)
        *s->last++ = heap_pop(&c->far);
    c->turns++;
    c->moved += (int64_t)n;
    if (far_in(c, bucket)) {
        front_limit(s, c->far.events[0].time_ps);
        c->next = bucket;
    } else {
        c->next = bucket + 1;
        front_limit(s, c->next > INT64_MAX >> c->shift ? INT64_MAX - 1 : c->next << c->shift);
    }
}

/* The front is empty: what comes next. */
static void front_fill(struct native_agenda *s)
{
    struct native_calendar *c = &s->calendar;
    s->first = s->last = s->front;
    while (s->first == s->last) {
        int64_t first = calendar_first(c);
        if (c->far.n > 0 && c->far.events[0].time_ps >> c->shift < first)
            first = c->far.events[0].time_ps >> c->shift;
        if (first == INT64_MAX) {
            front_limit(s, INT64_MAX);
            return;
        }
        front_turn(s, first);
    }
    if (c->turns >= TURNS)
        calendar_tune(c, s->limit_ps);
}

/* The next event; NULL: there is none but timers. */
static inline const struct native_event *agenda_next(struct native_agenda *a)
{
    if (!a)
        return NULL;
    if (a->first == a->last && a->limit_ps != INT64_MAX)
        front_fill(a);
    return a->first < a->last ? a->first : NULL;
}

/* Takes the next event before `until_ps`; false when there is none. */
static inline bool scheduler_next(struct native_scheduler *s, int64_t until_ps, struct native_event *e)
{
    const struct native_event *next = agenda_next(s->agenda);
    if (s->timers.n > 0 && (!next || event_before(&s->timers.events[0], next))) {
        if (s->timers.events[0].time_ps >= until_ps)
            return false;
        *e = heap_pop(&s->timers);
        return true;
    }
    if (!next || next->time_ps >= until_ps)
        return false;
    *e = *next;
    s->agenda->first++;
    return true;
}

static int64_t scheduler_bound_ps(const struct native_scheduler *s, int64_t until_ps)
{
    return s->timers.n > 0 && s->timers.events[0].time_ps < until_ps ? s->timers.events[0].time_ps : until_ps;
}

/* Runs what the front has before the first timer: mostly all there is. */
static inline void scheduler_run_front(struct native_scheduler *s, struct native_agenda *a)
{
    while (a->first != a->last && a->first->time_ps < s->bound_ps) {
        const struct native_event *e = a->first++;
        void *arg = e->arg;
        void (*fn)(void *) = e->fn;
        s->now_ps = e->time_ps;
        s->events++;
        fn(arg);
    }
}

void native_scheduler_run(struct native_scheduler *s, int64_t until_ps)
{
    struct native_event e;
    s->stopped = false;
    while (!s->stopped) {
        s->bound_ps = scheduler_bound_ps(s, until_ps);
        if (s->agenda)
            scheduler_run_front(s, s->agenda);
        if (s->stopped || !scheduler_next(s, until_ps, &e))
            break;
        s->bound_ps = scheduler_bound_ps(s, until_ps);
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
    const struct native_event *next = agenda_next(s->agenda);
    int64_t next_ps = next ? next->time_ps : INT64_MAX;
    return s->timers.n > 0 && s->timers.events[0].time_ps < next_ps ? s->timers.events[0].time_ps : next_ps;
}

void native_scheduler_stop(struct native_scheduler *s)
{
    s->stopped = true;
    s->bound_ps = INT64_MIN;
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
    timer_add(t->scheduler, t->deadline_ps, timer_event, t);
}
