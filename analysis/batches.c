/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/batches.h"

#include "base/memory.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>

#define RING 8          /* batches: half a MB, which stays in the cache that both CPUs share */
#define SMALL 32        /* batches, 2 ms of work: a capture of fewer is done before a second thread could help */
#define SPINS 300       /* some us: to sleep and to be woken takes as long */

struct batches {
    const struct analysis_batches_work *work;
    struct analysis_batch *ring; /* RING of them */
    sem_t filled, analysed;      /* batches, one after the other around the ring */
};

static void batches_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void batches_wait(sem_t *s)
{
    for (int i = 0; i < SPINS; i++) {
        if (sem_trywait(s) == 0)
            return;
        batches_pause();
    }
    while (sem_wait(s) != 0 && errno == EINTR)
        ;
}

static void *batches_analyse(void *user)
{
    struct batches *b = user;
    bool last = false;
    for (size_t i = 0; !last; i = (i + 1) % RING) {
        batches_wait(&b->filled);
        b->work->analyse(b->work->user, &b->ring[i]);
        last = b->ring[i].last;
        sem_post(&b->analysed);
    }
    return NULL;
}

static void batches_finish(const struct batches *b, size_t i)
{
    if (b->work->finish)
        b->work->finish(b->work->user, &b->ring[i % RING]);
}

static void batches_fill(struct batches *b)
{
    size_t filled = 0, finished = 0;
    bool last = false;
    while (!last) {
        if (filled - finished == RING) {
            batches_wait(&b->analysed);
            batches_finish(b, finished++);
        }
        struct analysis_batch *batch = &b->ring[filled++ % RING];
        b->work->fill(b->work->user, batch);
        last = batch->last;
        sem_post(&b->filled);
    }
    for (; finished < filled; finished++) {
        batches_wait(&b->analysed);
        batches_finish(b, finished);
    }
}

/* In one thread: `most` batches, or all. True at the end. */
static bool batches_alone(struct batches *b, size_t most)
{
    for (size_t i = 0; i < most; i++) {
        b->work->fill(b->work->user, b->ring);
        b->work->analyse(b->work->user, b->ring);
        batches_finish(b, 0);
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
    if (!batches_two_cpus() || sem_init(&b->filled, 0, 0) != 0 || sem_init(&b->analysed, 0, 0) != 0)
        return false;
    /* A heap of its own would grow by a system call for every 4 kB; and the first asks for little. */
    mallopt(M_ARENA_MAX, 1);
    sigfillset(&all); /* signals are for the thread that reads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool began = pthread_create(&thread, NULL, batches_analyse, b) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (began) {
        batches_fill(b);
        pthread_join(thread, NULL);
    }
    sem_destroy(&b->filled);
    sem_destroy(&b->analysed);
    return began;
}

void analysis_batches_run(const struct analysis_batches_work *work)
{
    struct batches b = {.work = work, .ring = memory_resized(NULL, RING, sizeof *b.ring, "frames")};
    if (!batches_alone(&b, SMALL) && !batches_together(&b))
        batches_alone(&b, SIZE_MAX);
    free(b.ring);
}
