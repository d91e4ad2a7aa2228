/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MPI_Barrier over the engine's TCP, on connections that stay open (Vaughan et al. 2003, section 6, Fig. 11, on MPICH
 * 1.2.0): fan-in, then fan-out over a binomial tree.
 *
 * The parent of process i is i without its lowest bit that is set; its children are i + 1, i + 2, i + 4, ... below that
 * bit (of process 0: below p). A process that has heard from all its children tells its parent; the root, once it has
 * heard from all of its own, tells them, the largest subtree first, and whoever is told tells its own so. A process is
 * through when it has been told and has handed over what it passes on: the root first; of 2^k processes the last after
 * 2 k messages one after another. Processes begin within start_spread of each other. */
#include "base/memory.h"
#include "base/units.h"
#include "scenarios/operations.h"
#include "scenarios/program.h"

#include <stdlib.h>

#define CONNECTING_PS (100 * UNITS_PS_PER_MS) /* the first barrier starts when connections are there */

struct tree_process {
    struct tree *owner; /* borrowed */
    int missing;        /* itself, and children it has not heard from in this barrier */
};

struct tree {
    struct program *program; /* borrowed */
    struct operations operations;
    int64_t *delivered; /* owned; of each flow, in all */
    struct tree_process *processes; /* owned */
    int p, ended;
    int64_t operation, start_ps;
    struct random random; /* of how far apart processes begin */
};

/* Bits that lead to children are below this one. */
static int tree_top(const struct tree *t, int me)
{
    int top = 1;
    while (me > 0 ? !(me & top) : top < t->p)
        top <<= 1;
    return top;
}

static int tree_children(const struct tree *t, int me)
{
    int n = 0;
    for (int bit = 1; bit < tree_top(t, me) && me + bit < t->p; bit <<= 1)
        n++;
    return n;
}

/* Up from process `child` to its parent, or down to it. */
static void tree_write(struct tree *t, int child, bool up)
{
    emu_engine_write(t->program->env.engine, 2 * (child - 1) + !up, t->program->env.scenario->tree.bytes);
}

static void tree_begin(void *arg);

/* A process is let go: it lets its children go, and is through. */
static void tree_release(struct tree *t, int me)
{
    const struct scenario_tree *c = &t->program->env.scenario->tree;
    int64_t now_ps = emu_clock_now(&t->program->clock), next_ps = t->start_ps + c->period_ps;
    for (int bit = tree_top(t, me) >> 1; bit > 0; bit >>= 1)
        if (me + bit < t->p)
            tree_write(t, me + bit, false);
    operations_add(&t->operations, t->operation, me, t->start_ps, now_ps);
    if (++t->ended < t->p)
        return;
    operations_end(&t->operations, t->start_ps, now_ps);
    if (t->operation + 1 < c->repeat)
        emu_clock_schedule(&t->program->clock, next_ps > now_ps ? next_ps - now_ps : 0, tree_begin, t);
}

/* One thing less that a process waits for on the way up: its own arrival, or a child's. */
static void tree_arrive(struct tree *t, int me)
{
    if (--t->processes[me].missing > 0)
        return;
    if (me > 0)
        tree_write(t, me, true);
    else
        tree_release(t, me);
}

static void tree_enter(void *arg)
{
    struct tree_process *process = arg;
    tree_arrive(process->owner, (int)(process - process->owner->processes));
}

static void tree_begin(void *arg)
{
    struct tree *t = arg;
    t->operation += t->start_ps >= 0;
    t->start_ps = emu_clock_now(&t->program->clock);
    t->ended = 0;
    uint64_t spread_ns = (uint64_t)(t->program->env.scenario->start_spread_ps / UNITS_PS_PER_NS);
    for (int i = 0; i < t->p; i++) {
        t->processes[i].missing = 1 + tree_children(t, i);
        emu_clock_schedule(&t->program->clock, (int64_t)random_below(&t->random, spread_ns + 1) * UNITS_PS_PER_NS,
                           tree_enter, &t->processes[i]);
    }
}

static void tree_delivered(struct program *p, int flow, int64_t bytes)
{
    struct tree *t = p->state;
    int64_t due = (t->operation + 1) * p->env.scenario->tree.bytes;
    bool whole = t->delivered[flow] < due && bytes >= due;
    int me = p->env.scenario->flows[flow].to;
    t->delivered[flow] = bytes;
    if (whole && flow % 2 == 0)
        tree_arrive(t, me);
    else if (whole)
        tree_release(t, me);
}

static void tree_start(struct program *p)
{
    const struct scenario *s = p->env.scenario;
    struct tree *t = p->state;
    *t = (struct tree){.program = p, .p = s->network.hosts, .start_ps = -1,
                       .delivered = memory_zeroed((size_t)s->n_flows, sizeof *t->delivered, "the barrier"),
                       .processes = memory_zeroed((size_t)s->network.hosts, sizeof *t->processes, "the barrier")};
    for (int i = 0; i < t->p; i++)
        t->processes[i].owner = t;
    random_init(&t->random, s->seed);
    emu_clock_schedule(&p->clock, CONNECTING_PS + s->start_spread_ps, tree_begin, t);
}

static bool tree_done(const struct program *p)
{
    const struct tree *t = p->state;
    return t->ended == t->p && t->operation + 1 == p->env.scenario->tree.repeat;
}

static struct estimate_running tree_operations(const struct program *p)
{
    const struct tree *t = p->state;
    return t->operations.whole_s;
}

static bool tree_finish(struct program *p, struct error *err)
{
    struct tree *t = p->state;
    return operations_write(&t->operations, p->env.directory, err);
}

static void tree_free(void *state)
{
    struct tree *t = state;
    operations_fini(&t->operations);
    free(t->delivered);
    free(t->processes);
}

const struct program_ops program_tree_tcp = {
    .state_bytes = sizeof(struct tree),
    .start = tree_start,
    .delivered = tree_delivered,
    .done = tree_done,
    .operations = tree_operations,
    .finish = tree_finish,
    .free = tree_free,
};
