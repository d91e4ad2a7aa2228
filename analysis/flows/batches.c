/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/batches.h"

#include "base/memory.h"

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#define RING 8    /* batches: half a MB, which stays in the cache that both CPUs share */
#define SMALL 32  /* batches, 2 ms of work: a capture of fewer is done before a second thread could help */
#define SPINS 300 /* some us: to sleep and to be woken takes as long */

/* Batches filled, analysed and finished so far; each step of each is done by one thread at a time. */
struct batches {
    const struct analysis_batches_work *work;
    struct analysis_batch *ring; /* RING of them */
    pthread_mutex_t mutex;       /* of what follows */
    pthread_cond_t changed;
    size_t filled, analysed, finished;
    int asleep;
    bool ended, finishing;       /* the last is filled; somebody finishes a batch */
    atomic_size_t changes;       /* written with the mutex, read without */
};

static void batches_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void batches_changed(struct batches *b)
{
    atomic_fetch_add_explicit(&b->changes, 1, memory_order_relaxed);
    if (b->asleep > 0)
        pthread_cond_broadcast(&b->changed);
}

/* Until the other thread has changed something; with the mutex before and after. */
static void batches_wait(struct batches *b)
{
    size_t seen = atomic_load_explicit(&b->changes, memory_order_relaxed);
    pthread_mutex_unlock(&b->mutex);
    for (int i = 0; i < SPINS && atomic_load_explicit(&b->changes, memory_order_relaxed) == seen; i++)
        batches_pause();
    pthread_mutex_lock(&b->mutex);
    b->asleep++;
    while (atomic_load_explicit(&b->changes, memory_order_relaxed) == seen)
        pthread_cond_wait(&b->changed, &b->mutex);
    b->asleep--;
}

/* One step with one batch, without the mutex. */
static void batches_step(struct batches *b, void (*step)(void *user, struct analysis_batch *batch), size_t i)
{
    pthread_mutex_unlock(&b->mutex);
    if (step)
        step(b->work->user, &b->ring[i % RING]);
    pthread_mutex_lock(&b->mutex);
}

/* Whichever thread has nothing else to do finishes: false if there is nothing to finish. */
static bool batches_finish(struct batches *b)
{
    if (b->finishing || b->finished == b->analysed)
        return false;
    b->finishing = true;
    batches_step(b, b->work->finish, b->finished);
    b->finishing = false;
    b->finished++;
    batches_changed(b);
    return true;
}

static void *batches_analyse(void *user)
{
    struct batches *b = user;
    pthread_mutex_lock(&b->mutex);
    while (!b->ended || b->analysed < b->filled) {
        if (b->analysed < b->filled) {
            batches_step(b, b->work->analyse, b->analysed);
            b->analysed++;
            batches_changed(b);
        } else if (!batches_finish(b)) {
            batches_wait(b);
        }
    }
    pthread_mutex_unlock(&b->mutex);
    return NULL;
}

static void batches_fill(struct batches *b)
{
    pthread_mutex_lock(&b->mutex);
    while (!b->ended || b->finished < b->filled) {
        if (!b->ended && b->filled - b->finished < RING) {
            batches_step(b, b->work->fill, b->filled);
            b->ended = b->ring[b->filled % RING].last;
            b->filled++;
            batches_changed(b);
        } else if (!batches_finish(b)) {
            batches_wait(b);
        }
    }
    pthread_mutex_unlock(&b->mutex);
}

/* In one thread: `most` batches, or all. True at the end. */
static bool batches_alone(struct batches *b, size_t most)
{
    for (size_t i = 0; i < most; i++) {
        b->work->fill(b->work->user, b->ring);
        b->work->analyse(b->work->user, b->ring);
        if (b->work->finish)
            b->work->finish(b->work->user, b->ring);
        if (b->ring->last)
            return true;
    }
    return false;
}

static bool batches_two_cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
}

/* False: there is no second thread, and nothing has been done. */
static bool batches_together(struct batches *b)
{
    pthread_t thread;
    sigset_t all, before;
    if (!batches_two_cpus())
        return false;
    /* A second heap would grow by a system call for every 4 kB; two threads seldom want the one at once. */
    mallopt(M_ARENA_MAX, 1);
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->changed, NULL);
    sigfillset(&all); /* signals are for the thread that reads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool began = pthread_create(&thread, NULL, batches_analyse, b) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (began) {
        batches_fill(b);
        pthread_join(thread, NULL);
    }
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->mutex);
    return began;
}

void analysis_batches_run(const struct analysis_batches_work *work)
{
    struct batches b = {.work = work, .ring = memory_resized(NULL, RING, sizeof *b.ring, "frames")};
    if (!batches_alone(&b, work->alone ? SIZE_MAX : SMALL) && !batches_together(&b))
        batches_alone(&b, SIZE_MAX);
    free(b.ring);
}
