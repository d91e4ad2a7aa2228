/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/scheduler.h"

#include "base/random.h"

#include "test/cm.h"

static struct native_scheduler s;
static int64_t last_ps;
static int ran, order[64];

struct mark {
    int64_t time_ps;
    int number;
};

static void note(void *arg)
{
    const struct mark *m = arg;
    assert_int_equal(native_scheduler_now(&s), m->time_ps);
    if (ran < 64)
        order[ran] = m->number;
    ran++;
}

static void begin(void)
{
    native_scheduler_init(&s);
    ran = 0;
    last_ps = 0;
}

TEST(test_equal_times_run_in_the_order_of_scheduling)
{
    struct mark m[40];
    begin();
    for (int i = 0; i < 40; i++) { /* more than the front holds; two times, interleaved */
        m[i] = (struct mark){i % 2 ? 100 : 50, i};
        native_scheduler_at(&s, m[i].time_ps, note, &m[i]);
    }
    native_scheduler_run(&s, 1000);
    assert_int_equal(ran, 40);
    for (int i = 0; i < 40; i++)
        assert_int_equal(order[i], i < 20 ? 2 * i : 2 * (i - 20) + 1);
    assert_int_equal(native_scheduler_now(&s), 1000);
    native_scheduler_fini(&s);
}

TEST(test_a_run_ends_before_its_limit_and_goes_on_from_there)
{
    struct mark m[3] = {{10, 0}, {20, 1}, {30, 2}};
    begin();
    for (int i = 0; i < 3; i++)
        native_scheduler_at(&s, m[i].time_ps, note, &m[i]);
    native_scheduler_run(&s, 20);
    assert_int_equal(ran, 1);
    native_scheduler_run(&s, 21);
    assert_int_equal(ran, 2);
    native_scheduler_run(&s, INT64_MAX);
    assert_int_equal(ran, 3);
    assert_int_equal(native_scheduler_now(&s), 30);
    native_scheduler_fini(&s);
}

static void stop(void *arg)
{
    ran++;
    native_scheduler_stop(&s);
}

TEST(test_stop_ends_a_run_after_its_event)
{
    begin();
    native_scheduler_at(&s, 5, stop, NULL);
    native_scheduler_at(&s, 6, stop, NULL);
    native_scheduler_run(&s, 100);
    assert_int_equal(ran, 1);
    assert_int_equal(native_scheduler_now(&s), 5);
    native_scheduler_run(&s, 100);
    assert_int_equal(ran, 2);
    native_scheduler_fini(&s);
}

/* Thousands of events that schedule others, near and far: none in the past, each once, in the order that sorting
 * (time, number of scheduling) gives. */
struct busy {
    struct random r;
    int64_t scheduled, ran, last_number;
} busy;

struct load {
    struct emu_event event; /* of every other one, which is put into the agenda by its place; the first member */
    int64_t time_ps, number;
};

static void load_run(void *arg);
static void load_event(struct emu_event *e);

static void load_add(int64_t delay_ps)
{
    struct load *l = malloc(sizeof *l);
    assert_non_null(l);
    *l = (struct load){{.fn = load_event}, native_scheduler_now(&s) + delay_ps, busy.scheduled++};
    struct emu_clock clock = native_scheduler_clock(&s);
    if (l->number % 2)
        emu_agenda_add(clock.agenda, &l->event, l->time_ps, l->number % 4 == 1);
    else
        native_scheduler_at(&s, l->time_ps, load_run, l);
}

static void load_event(struct emu_event *e)
{
    load_run(e);
}

static void load_run(void *arg)
{
    struct load l = *(struct load *)arg;
    free(arg);
    int64_t now_ps = native_scheduler_now(&s);
    assert_int_equal(now_ps, l.time_ps);
    assert_true(now_ps > last_ps || (now_ps == last_ps && l.number > busy.last_number));
    last_ps = now_ps;
    busy.last_number = l.number;
    busy.ran++;
    int more = busy.scheduled < 200000 ? (int)random_below(&busy.r, 3) : 0;
    for (int i = 0; i < more; i++)
        load_add((int64_t)(random_below(&busy.r, 4) ? random_below(&busy.r, 20) : random_below(&busy.r, 100000)));
}

TEST(test_random_loads_run_in_order)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        begin();
        busy = (struct busy){.last_number = -1};
        busy.r = random_of(seed);
        for (int i = 0; i < 300; i++)
            load_add((int64_t)random_below(&busy.r, 1000));
        native_scheduler_run(&s, INT64_MAX);
        assert_int_equal(busy.ran, busy.scheduled);
        assert_true(busy.ran > 1000);
        native_scheduler_fini(&s);
    }
}

static int64_t fired_ps[16];
static int fired;

static void fire(void *arg)
{
    fired_ps[fired++] = native_scheduler_now(&s);
}

TEST(test_a_timer_fires_once_when_it_was_set_last)
{
    struct native_timer t;
    begin();
    fired = 0;
    native_timer_init(&t, &s, fire, NULL);
    native_timer_set(&t, 100);
    native_timer_set(&t, 300); /* later */
    native_scheduler_run(&s, 200);
    assert_int_equal(fired, 0);
    native_timer_set(&t, 250); /* earlier */
    native_scheduler_run(&s, 1000);
    assert_ints({fired, 1}, {fired_ps[0], 250});
    native_timer_set(&t, 1500);
    native_timer_cancel(&t);
    native_scheduler_run(&s, 2000);
    assert_int_equal(fired, 1);
    native_timer_set(&t, 2500); /* and again */
    native_scheduler_run(&s, 3000);
    assert_int_equal(fired, 2);
    native_scheduler_fini(&s);
}

TEST(test_a_run_to_a_time_includes_it_and_the_next_event_is_told)
{
    struct mark m[3] = {{10, 0}, {20, 1}, {30, 2}};
    struct native_timer t;
    begin();
    assert_true(native_scheduler_next(&s) == INT64_MAX);
    for (int i = 0; i < 3; i++)
        native_scheduler_at(&s, m[i].time_ps, note, &m[i]);
    assert_int_equal(native_scheduler_next(&s), 10);
    native_scheduler_run_to(&s, 20);
    assert_int_equal(ran, 2);
    assert_int_equal(native_scheduler_now(&s), 20);
    assert_int_equal(native_scheduler_next(&s), 30);
    fired = 0;
    native_timer_init(&t, &s, fire, NULL);
    native_timer_set(&t, 25);
    assert_int_equal(native_scheduler_next(&s), 25); /* timers have a heap of their own */
    native_scheduler_run_to(&s, 24);
    assert_int_equal(fired, 0);
    native_scheduler_run_to(&s, 30);
    assert_int_equal(fired + ran, 1 + 3);
    native_scheduler_fini(&s);
}

/* Hundreds of one time, which come while the first of them run: more than a bucket gives at once. */
static void again(void *arg)
{
    struct mark *m = arg;
    assert_int_equal(m->number, ran);
    ran++;
    if (m->number < 1000) { /* after all that wait for that time */
        m[1000] = (struct mark){m->time_ps, m->number + 1000};
        native_scheduler_at(&s, m->time_ps, again, &m[1000]);
    }
}

TEST(test_hundreds_of_one_time_run_in_order)
{
    static struct mark m[2000];
    begin();
    for (int i = 0; i < 1000; i++) {
        m[i] = (struct mark){10, i};
        native_scheduler_at(&s, 10, again, &m[i]);
    }
    native_scheduler_run(&s, 11);
    assert_int_equal(ran, 2000);
    native_scheduler_fini(&s);
}

/* Re-arming a timer with each segment must not fill the heap. */
TEST(test_a_timer_that_is_always_postponed_costs_few_events)
{
    struct native_timer t;
    begin();
    fired = 0;
    native_timer_init(&t, &s, fire, NULL);
    for (int64_t now = 0; now < 100000; now++) {
        native_scheduler_run(&s, now);
        native_timer_set(&t, now + 1000);
    }
    assert_int_equal(fired, 0);
    assert_true(s.events <= 101);
    native_scheduler_fini(&s);
}

static struct native_timer lazy;
static int64_t lasts_ps;

/* As a sender's: set lazily, it is asked how long it lasts, and set for the rest. */
static void lazy_fire(void *arg)
{
    if (lazy.armed == NATIVE_TIMER_LAZY && lazy.deadline_ps + lasts_ps > native_scheduler_now(&s))
        native_timer_set(&lazy, lazy.deadline_ps + lasts_ps);
    else
        fire(arg);
}

static void ring(void *arg)
{
    order[ran++] = *(const int *)arg;
}

/* Ticks of 4. Timers for tick 70 lie 70 ahead, in the second level, whose timers fire at every eighth tick, as Linux counts
 * them, 2 more than we (modulo 8): at 78; those for 77 that are set at tick 16, 61 ahead, fire one tick after it is due,
 * at 78, too. Of these a coarser level is first, and in one bucket the last that came; who is set anew for the same tick
 * stays where it is. */
TEST(test_timers_of_a_wheel_fire_as_linux_has_them)
{
    const int names[] = {0, 1, 2, 3, 4};
    struct native_timer t[5];
    begin();
    for (int i = 0; i < 5; i++)
        native_timer_init(&t[i], &s, ring, (void *)(uintptr_t)&names[i]);
    native_timer_set_in_wheel(&t[0], 4, 70);
    native_timer_set_in_wheel(&t[1], 4, 70);
    native_scheduler_run(&s, 64);
    native_timer_set_in_wheel(&t[2], 4, 61);
    native_timer_set_in_wheel(&t[3], 4, 61);
    native_timer_set_in_wheel(&t[4], 4, 61);
    native_timer_set_in_wheel(&t[3], 4, 61);
    native_scheduler_run(&s, 78 * 4);
    assert_int_equal(ran, 0);
    native_scheduler_run(&s, 78 * 4 + 1);
    assert_int_equal(ran, 5);
    const int due[] = {1, 0, 4, 3, 2};
    assert_memory_equal(order, due, sizeof due);
    native_scheduler_fini(&s);
}

/* Linux's lists put what comes first (hlist_add_head()): who was moved away and back is new there, whatever was there of it,
 * and who was cancelled, which leaves it there, is not (__mod_timer()). */
TEST(test_timers_of_a_wheel_have_the_place_of_their_latest_move)
{
    const int names[] = {0, 1, 2, 3, 4};
    struct native_timer t[5];
    begin();
    for (int i = 0; i < 5; i++)
        native_timer_init(&t[i], &s, ring, (void *)(uintptr_t)&names[i]);
    native_timer_set_in_wheel(&t[4], 4, 10);
    native_timer_set_in_wheel(&t[0], 4, 10);
    native_timer_set_in_wheel(&t[0], 4, 20);
    native_timer_set_in_wheel(&t[1], 4, 10);
    native_timer_set_in_wheel(&t[0], 4, 10);
    native_timer_set_in_wheel(&t[2], 4, 10);
    native_timer_cancel(&t[2]);
    native_timer_set_in_wheel(&t[3], 4, 10);
    native_timer_set_in_wheel(&t[2], 4, 10);
    native_timer_renew(&t[4]);
    native_scheduler_run(&s, 44 + 1);
    assert_int_equal(ran, 5);
    const int due[] = {4, 3, 2, 0, 1};
    assert_memory_equal(order, due, sizeof due);
    native_scheduler_fini(&s);
}

TEST(test_a_timer_set_lazily_is_asked_for_its_deadline_when_its_event_comes)
{
    begin();
    fired = 0;
    native_timer_init(&lazy, &s, lazy_fire, NULL);
    assert_false(native_timer_set_lazily(&lazy, 0, 100)); /* no event is pending */
    native_timer_set(&lazy, 100);
    native_scheduler_run(&s, 50);
    lasts_ps = 90;
    assert_true(native_timer_set_lazily(&lazy, 50, 130)); /* 80 at least, of which the event at 100 is before */
    assert_false(native_timer_set_lazily(&lazy, 50, 99));
    native_scheduler_run(&s, 140);
    assert_int_equal(fired, 0);
    native_scheduler_run(&s, 1000);
    assert_int_equal(fired, 1);
    assert_int_equal(fired_ps[0], 140); /* 50 + 90 */
    native_scheduler_fini(&s);
}
