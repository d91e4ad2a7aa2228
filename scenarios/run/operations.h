/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/run/operations.h - the repetitions of a collective, whatever it is and whatever carries it: when each begins, who
 * enters it when, and when each process was through with it: operations.csv.
 *
 * All processes begin an operation within start_spread of each other. The next one begins when all are through, and no
 * earlier than a period after this one began. */
#pragma once

#include "scenarios/scenario.h"

/* What a collective does. All borrowed. */
struct operations_plan {
    const struct scenario *scenario; /* its start_spread */
    const struct emu_clock *clock;
    int processes;
    int64_t repeat, period_ps;
    uint64_t seed;                          /* of how far apart processes begin */
    void (*begin)(void *user);              /* an operation begins: before anybody enters it */
    void (*enter)(void *user, int process); /* a process enters it; the time is its own */
    void *user;
};

struct operations {
    struct operations_row *row; /* owned */
    size_t n, capacity;
    struct estimate_running whole_s; /* of each operation that all processes are through with */
    struct operations_plan plan;
    struct operations_entry *entries; /* owned; a process each */
    struct random random;
    int64_t operation, start_ps; /* the present one, from 0; when it began, -1: none has */
    int ended;                   /* processes that are through with it */
};

/* Makes ready; the first operation begins `after_ps` from when operations_begin() is called. */
void operations_start(struct operations *o, const struct operations_plan *plan);
void operations_begin(struct operations *o, int64_t after_ps);

/* A process is through with the present operation: noted, and after the last of them the next one begins. */
void operations_through(struct operations *o, int process);


/* Notes a row without a plan: of a program that has its own order. */
void operations_add(struct operations *o, int64_t operation, int process, int64_t start_ps, int64_t end_ps);

/* DIRECTORY/operations.csv: operation,process,start_s,end_s. */
bool operations_write(const struct operations *o, const char *directory, struct error *err);

void operations_fini(struct operations *o);
