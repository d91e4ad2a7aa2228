/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep/work.h - the points of a sweep, claimed and ended, whoever runs them. */
#pragma once

#include "sweep/engines.h"
#include "sweep/db.h"

struct sweep_work {
    struct sweep_db db;
    const char *path;
    struct error err; /* why it stops */
    int64_t finished, before; /* points of this process; done and failed at its start */
    double count_s, shown;    /* what counting them takes; when they were shown, on the clock of show() */
};

/* Runs points, `parallel` at once, until sweep_work_claim() gives none and none runs; after a signal or an error none
 * starts and those that run stop. Calls show() every 0.2 s and with -1 at the end, unless NULL. Returns the signal, or 0. */
typedef int sweep_pool(struct sweep_work *w, int parallel, void (*show)(void *work, double elapsed_s));

/* The one of this machine: an engine process a point, in the directory PATH.point-NUMBER. */
sweep_pool sweep_work_pool;

/* For pools: the next point, false when there is none now or *w has an error; and how one ended. A point fails by its
 * engine's verdict or crash; a system that fails is no point's fault: then, as when w->err is set, the point waits
 * again, and false says to start nothing more. */
bool sweep_work_claim(struct sweep_work *w, struct sweep_claim *c);
bool sweep_work_end(struct sweep_work *w, int64_t number, const struct sweep_engines_job *job,
                    const struct results_summary *summary);
