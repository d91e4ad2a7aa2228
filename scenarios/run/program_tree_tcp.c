/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MPI_Barrier over the engine's TCP, on connections that stay open (Vaughan et al. 2003, section 6, Fig. 11, on MPICH
 * 1.2.0): fan-in, then fan-out over a binomial tree.
 *
 * The parent of process i is i without its lowest bit that is set; its children are i + 1, i + 2, i + 4, ... below that
 * bit (of process 0: below p). A process that has heard from all its children tells its parent; the root, once it has
 * heard from all of its own, tells them, the largest subtree first, and whoever is told tells its own so. A process is
 * through when it has been told and has handed over what it passes on: the root first; of 2^k processes the last after
 * 2 k messages one after another. Processes begin within start_spread of each other. */
#include "scenarios/run/program.h"

struct tree {
    struct program *program; /* borrowed */
    int64_t *delivered; /* owned; of each flow, in all */
    int *missing;       /* owned; of each process: itself, and children it has not heard from in this barrier */
    int p;
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

/* A process is let go: it lets its children go, and is through. */
static void tree_release(struct tree *t, int me)
{
    for (int bit = tree_top(t, me) >> 1; bit > 0; bit >>= 1)
        if (me + bit < t->p)
            tree_write(t, me + bit, false);
    operations_through(&t->program->operations, me);
}

/* One thing less that a process waits for on the way up: its own arrival, or a child's. */
static void tree_arrive(void *user, int me)
{
    struct tree *t = user;
    if (--t->missing[me] > 0)
        return;
    if (me > 0)
        tree_write(t, me, true);
    else
        tree_release(t, me);
}

static void tree_begin(void *user)
{
    struct tree *t = user;
    for (int i = 0; i < t->p; i++)
        t->missing[i] = 1 + tree_children(t, i);
}

static void tree_delivered(struct program *p, int flow, int64_t bytes)
{
    struct tree *t = p->state;
    int64_t due = (p->operations.operation + 1) * p->env.scenario->tree.bytes;
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
    *t = (struct tree){.program = p, .p = s->network.hosts,
                       .delivered = program_memory(p, (size_t)s->n_flows, sizeof *t->delivered, "the barrier"),
                       .missing = program_memory(p, (size_t)s->network.hosts, sizeof *t->missing, "the barrier")};
    operations_start(&p->operations, &(struct operations_plan){s, &p->clock, t->p, s->tree.repeat, s->tree.period_ps,
                                                               s->seed, tree_begin, tree_arrive, t});
    operations_begin(&p->operations, PROGRAM_CONNECTING_PS + s->start_spread_ps);
}

const struct program_ops program_tree_tcp = {
    .state_bytes = sizeof(struct tree),
    .start = tree_start,
    .delivered = tree_delivered,
    .done = program_operations_done,
    .operations = program_operations,
    .finish = program_operations_finish,
};
