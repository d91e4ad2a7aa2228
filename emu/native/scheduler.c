/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/scheduler.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CHILDREN 4
#define TURNS 512       /* of buckets, after which their width is looked at: */
#define SPARSE 2        /* events a bucket, and fewer: it is doubled; */
#define DENSE 16        /* so many and more: it is halved */
#define BUCKET_MOST 128 /* of one bucket go to the agenda at once */
#define LOOKS 256       /* events after which the agenda's length is looked at, a power of two: so many */
#define LONG 32         /* are a long one without a calendar, */
#define LONG_BESIDE 256 /* and beside one */
#define CALLS 32        /* made at once */
#define FAR_PS INT64_C(100000000) /* eight frames of 1 Gb/s */

static struct native_scheduler *agenda_scheduler(struct emu_agenda *a)
{
    return (struct native_scheduler *)(void *)((char *)a - offsetof(struct native_scheduler, agenda));
}

static void agenda_later(struct emu_agenda *a, struct emu_event *e);

/* No calendar is in use: all events belong to the agenda. */
static void agenda_take_all(struct emu_agenda *a)
{
    a->limit_ps = INT64_MAX;
}

static void agenda_clear(struct emu_agenda *a)
{
    a->first.after = &a->last;
    a->last.before = &a->first;
}

void native_scheduler_init(struct native_scheduler *s)
{
    native_scheduler_init_small(s);
    s->calendar = memory_zeroed(1, sizeof *s->calendar, "events");
    s->calendar->far.first_ps = INT64_MAX;
    agenda_take_all(&s->agenda);
}

void native_scheduler_init_small(struct native_scheduler *s)
{
    *s = (struct native_scheduler){.timers.first_ps = INT64_MAX};
    agenda_clear(&s->agenda);
    s->agenda.first.time_ps = INT64_MIN;
    s->agenda.last.time_ps = INT64_MAX;
    s->agenda.later = agenda_later;
}

void native_scheduler_fini(struct native_scheduler *s)
{
    if (s->calendar)
        free(s->calendar->far.entries);
    free(s->calendar);
    for (size_t i = 0; i < s->n_calls; i++)
        free(s->calls[i]);
    free(s->calls);
    free(s->timers.entries);
    *s = (struct native_scheduler){0};
}

static inline bool entry_before(const struct native_entry *a, const struct native_entry *b)
{
    return a->time_ps < b->time_ps || (a->time_ps == b->time_ps && a->sequence < b->sequence);
}

static inline bool event_before(const struct emu_event *a, const struct emu_event *b)
{
    return a->time_ps < b->time_ps || (a->time_ps == b->time_ps && a->sequence < b->sequence);
}

static void heap_push(struct native_heap *h, const struct native_entry *e)
{
    h->entries = memory_grown(h->entries, h->n, &h->capacity, 64, sizeof *h->entries, "events");
    size_t i = h->n++;
    for (; i > 0 && entry_before(e, &h->entries[(i - 1) / CHILDREN]); i = (i - 1) / CHILDREN)
        h->entries[i] = h->entries[(i - 1) / CHILDREN];
    h->entries[i] = *e;
    h->first_ps = h->entries[0].time_ps;
}

static struct native_entry heap_pop(struct native_heap *h)
{
    struct native_entry *entries = h->entries, root = entries[0], last = entries[--h->n];
    size_t n = h->n, i = 0;
    for (size_t first = 1; first < n; first = CHILDREN * i + 1) {
        size_t best = first, end = first + CHILDREN < n ? first + CHILDREN : n;
        for (size_t child = first + 1; child < end; child++)
            if (entry_before(&entries[child], &entries[best]))
                best = child;
        if (!entry_before(&entries[best], &last))
            break;
        entries[i] = entries[best];
        i = best;
    }
    entries[i] = last;
    h->first_ps = n > 0 ? entries[0].time_ps : INT64_MAX;
    return root;
}

static void timer_add(struct native_scheduler *s, int64_t time_ps, uint64_t sequence, void (*fn)(void *), void *arg)
{
    heap_push(&s->timers, &(struct native_entry){time_ps, sequence, fn, arg});
    if (time_ps < s->bound_ps)
        s->bound_ps = time_ps;
}

static void far_push(struct native_calendar *c, struct emu_event *e)
{
    heap_push(&c->far, &(struct native_entry){e->time_ps, e->sequence, NULL, e});
}

/* Not before the agenda's limit. */
static void calendar_add(struct native_calendar *c, struct emu_event *e)
{
    int64_t bucket = e->time_ps >> c->shift;
    assert(bucket >= c->next);
    if (bucket - c->next >= NATIVE_BUCKETS) {
        far_push(c, e);
        return;
    }
    size_t at = (size_t)bucket % NATIVE_BUCKETS;
    e->after = c->buckets[at];
    c->buckets[at] = e;
    c->marks[at / 64] |= UINT64_C(1) << at % 64;
    c->n++;
}

static void agenda_later(struct emu_agenda *a, struct emu_event *e)
{
    calendar_add(agenda_scheduler(a)->calendar, e);
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

/* Takes what is in a bucket, last come first; the caller counts it out of c->n. */
static struct emu_event *calendar_empty(struct native_calendar *c, int64_t bucket)
{
    size_t at = (size_t)bucket % NATIVE_BUCKETS;
    struct emu_event *first = c->buckets[at];
    c->buckets[at] = NULL;
    c->marks[at / 64] &= ~(UINT64_C(1) << at % 64);
    return first;
}

/* All that is in buckets goes to the heap: their width changes, or where they begin. */
static void calendar_restart(struct native_calendar *c, int64_t limit_ps, int shift)
{
    for (int64_t bucket; (bucket = calendar_first(c)) != INT64_MAX;)
        for (struct emu_event *e = calendar_empty(c, bucket), *after; e; e = after) {
            after = e->after;
            far_push(c, e);
            c->n--;
        }
    c->shift = shift;
    c->next = limit_ps >> shift;
    c->turns = 0;
    c->moved = 0;
}

/* In order, from the agenda's end: most belong there. */
static inline void agenda_insert(struct emu_agenda *a, struct emu_event *e)
{
    struct emu_event *at = a->last.before;
    while (event_before(e, at)) /* none is before the first */
        at = at->before;
    emu_agenda_link(at, e, at->after);
}

/* The agenda has n events, which are many: its later half goes to the calendar, which begins there. */
static void agenda_spill(struct native_scheduler *s, int64_t n)
{
    struct emu_agenda *a = &s->agenda;
    struct native_calendar *c = s->calendar;
    struct emu_event *keep = a->first.after;
    int shift = c->shift;
    for (int64_t i = 0; i < n / 2; i++)
        keep = keep->after;
    if (a->limit_ps == INT64_MAX) { /* about four a bucket */
        int64_t width_ps = (a->last.before->time_ps - a->first.after->time_ps) / (n / 4);
        for (shift = 0; shift < 62 && width_ps >> (shift + 1) > 0; shift++)
            ;
    }
    a->limit_ps = keep->time_ps;
    while (keep->before->time_ps == a->limit_ps)
        keep = keep->before;
    calendar_restart(c, a->limit_ps, shift);
    a->last.before = keep->before;
    keep->before->after = &a->last;
    for (struct emu_event *after; keep != &a->last; keep = after) {
        after = keep->after;
        calendar_add(c, keep);
    }
}

/* Its events are looked through one by one. */
static __attribute__((noinline, cold)) void agenda_look(struct native_scheduler *s)
{
    const struct emu_agenda *a = &s->agenda;
    int64_t n = 0;
    for (const struct emu_event *e = a->first.after; e != &a->last; e = e->after)
        n++;
    if (n > (a->limit_ps == INT64_MAX ? LONG : LONG_BESIDE))
        agenda_spill(s, n);
}

static void call_event(struct emu_event *e)
{
    struct native_call *call = (struct native_call *)(void *)e;
    struct native_scheduler *s = call->scheduler;
    e->after = s->free;
    s->free = e;
    call->fn(call->arg);
}

static __attribute__((noinline)) void calls_grow(struct native_scheduler *s)
{
    struct native_call *calls = memory_zeroed(CALLS, sizeof *calls, "events");
    s->calls = memory_resized(s->calls, s->n_calls + 1, sizeof *s->calls, "events");
    s->calls[s->n_calls++] = calls;
    for (int i = 0; i < CALLS; i++) {
        calls[i].scheduler = s;
        calls[i].event.fn = call_event;
        calls[i].event.after = s->free;
        s->free = &calls[i].event;
    }
    agenda_look(s); /* more are pending than ever before */
}

void native_scheduler_at(struct native_scheduler *s, int64_t time_ps, void (*fn)(void *), void *arg)
{
    assert(time_ps >= s->now_ps);
    /* In the agenda what is far away, as the next sample of queues, would stand at the end, where frames' events go. */
    if (!s->calendar || (time_ps - s->now_ps >= FAR_PS && s->agenda.limit_ps == INT64_MAX)) {
        timer_add(s, time_ps, s->agenda.sequence++, fn, arg);
        return;
    }
    if (!s->free)
        calls_grow(s);
    struct native_call *call = (struct native_call *)(void *)s->free;
    s->free = call->event.after;
    call->fn = fn;
    call->arg = arg;
    emu_agenda_add(&s->agenda, &call->event, time_ps, false);
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
    return c->far.n > 0 && c->far.entries[0].time_ps >> c->shift == bucket;
}

/* The agenda is empty: the next bucket's events go there, or the first of them: which these are is the heap's to say. */
static void agenda_turn(struct native_scheduler *s, int64_t bucket)
{
    struct emu_agenda *a = &s->agenda;
    struct native_calendar *c = s->calendar;
    bool sorts = far_in(c, bucket);
    int n = 0;
    for (struct emu_event *e = calendar_empty(c, bucket), *after; e; e = after) {
        after = e->after;
        c->n--;
        if (n == BUCKET_MOST) {
            sorts = true;
            n = 0;
            for (struct emu_event *back = a->first.after; back != &a->last; back = back->after)
                far_push(c, back);
            agenda_clear(a);
        }
        if (sorts) {
            far_push(c, e);
        } else {
            agenda_insert(a, e);
            n++;
        }
    }
    for (; n < BUCKET_MOST && far_in(c, bucket); n++)
        agenda_insert(a, heap_pop(&c->far).arg);
    c->turns++;
    c->moved += n;
    if (far_in(c, bucket)) {
        a->limit_ps = c->far.entries[0].time_ps;
        c->next = bucket;
    } else {
        c->next = bucket + 1;
        a->limit_ps = c->next > INT64_MAX >> c->shift ? INT64_MAX - 1 : c->next << c->shift;
    }
}

/* The agenda is empty: what comes next. */
static void agenda_fill(struct native_scheduler *s)
{
    struct emu_agenda *a = &s->agenda;
    struct native_calendar *c = s->calendar;
    while (a->first.after == &a->last) {
        int64_t first = calendar_first(c);
        if (c->far.n > 0 && c->far.entries[0].time_ps >> c->shift < first)
            first = c->far.entries[0].time_ps >> c->shift;
        if (first == INT64_MAX) {
            agenda_take_all(a);
            return;
        }
        agenda_turn(s, first);
    }
    if (c->turns >= TURNS)
        calendar_tune(c, a->limit_ps);
}

/* The next event; NULL: there is none but timers. */
static struct emu_event *agenda_next(struct native_scheduler *s)
{
    struct emu_agenda *a = &s->agenda;
    if (a->first.after == &a->last && s->calendar && a->limit_ps != INT64_MAX)
        agenda_fill(s);
    return a->first.after != &a->last ? a->first.after : NULL;
}

static inline void agenda_pop(struct emu_agenda *a, const struct emu_event *e)
{
    struct emu_event *after = e->after;
    a->first.after = after;
    after->before = &a->first;
}

static bool timer_is_first(const struct native_scheduler *s, const struct emu_event *next)
{
    const struct native_entry *t = s->timers.entries;
    return s->timers.n > 0 && (!next || t->time_ps < next->time_ps ||
                               (t->time_ps == next->time_ps && t->sequence < next->sequence));
}

static int64_t scheduler_bound_ps(const struct native_scheduler *s, int64_t until_ps)
{
    return s->timers.first_ps < until_ps ? s->timers.first_ps : until_ps;
}

/* Runs the next event before `until_ps`; false when there is none. */
static bool scheduler_run_next(struct native_scheduler *s, int64_t until_ps)
{
    struct emu_event *next = agenda_next(s);
    struct native_entry timer = {.time_ps = INT64_MAX};
    bool is_timer = timer_is_first(s, next);
    if (is_timer ? s->timers.first_ps >= until_ps : !next || next->time_ps >= until_ps)
        return false;
    if (is_timer)
        timer = heap_pop(&s->timers);
    else
        agenda_pop(&s->agenda, next);
    s->bound_ps = scheduler_bound_ps(s, until_ps);
    s->now_ps = is_timer ? timer.time_ps : next->time_ps;
    s->events++;
    if (is_timer)
        timer.fn(timer.arg);
    else
        next->fn(next);
    return true;
}

/* Runs what the agenda has before the first timer: mostly all there is. */
static inline void scheduler_run_agenda(struct native_scheduler *s)
{
    int64_t events = s->events; /* nobody asks for it meanwhile */
    for (struct emu_event *e; (e = s->agenda.first.after)->time_ps < s->bound_ps;) {
        agenda_pop(&s->agenda, e);
        s->now_ps = e->time_ps;
        if (__builtin_expect((uint64_t)++events % LOOKS == 0, 0))
            agenda_look(s);
        e->fn(e);
    }
    s->events = events;
}

void native_scheduler_run(struct native_scheduler *s, int64_t until_ps)
{
    s->stopped = false;
    while (!s->stopped) {
        s->bound_ps = scheduler_bound_ps(s, until_ps);
        scheduler_run_agenda(s);
        if (s->stopped || !scheduler_run_next(s, until_ps))
            break;
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
    const struct emu_event *next = agenda_next(s);
    int64_t next_ps = next ? next->time_ps : INT64_MAX;
    return s->timers.first_ps < next_ps ? s->timers.first_ps : next_ps;
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
    return (struct emu_clock){.time_ps = &s->now_ps, .agenda = s->calendar ? &s->agenda : NULL,
                              .schedule = clock_schedule, .engine = s};
}

static void timer_fires(struct native_timer *t)
{
    t->pending_ps = INT64_MAX;
    if (!t->armed)
        return;
    if (t->armed == NATIVE_TIMER_SET && t->deadline_ps > t->scheduler->now_ps) {
        native_timer_schedule(t);
        return;
    }
    if (t->armed == NATIVE_TIMER_SET)
        t->armed = NATIVE_TIMER_OFF;
    t->fn(t->arg);
}

static void timer_place_event(void *arg)
{
    struct native_timer *t = arg;
    t->placed = false;
    if (t->scheduler->now_ps == t->pending_ps)
        timer_fires(t);
}

static void timer_event(void *arg)
{
    struct native_timer *t = arg;
    if (t->scheduler->now_ps != t->pending_ps || t->placed)
        return; /* the timer was set earlier since: that event has taken over */
    if (t->order > 0 && t->armed == NATIVE_TIMER_SET && t->deadline_ps == t->pending_ps) {
        t->placed = true;
        timer_add(t->scheduler, t->pending_ps, t->order, timer_place_event, t);
    } else {
        timer_fires(t);
    }
}

void native_timer_init(struct native_timer *t, struct native_scheduler *s, void (*fn)(void *arg), void *arg)
{
    *t = (struct native_timer){.scheduler = s, .fn = fn, .arg = arg, .pending_ps = INT64_MAX};
}

void native_timer_schedule(struct native_timer *t)
{
    assert(t->deadline_ps >= t->scheduler->now_ps);
    t->pending_ps = t->deadline_ps;
    timer_add(t->scheduler, t->deadline_ps, t->order > 0 ? NATIVE_AFTER_ALL : t->scheduler->agenda.sequence++, timer_event, t);
}
