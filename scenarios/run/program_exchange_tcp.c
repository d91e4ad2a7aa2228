/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MPI_Alltoall over the engine's TCP, on connections that stay open.
 *
 * direct: every process writes all its messages at once, to process 0 first, as MPICH 1.2 did (Vaughan et al. 2003,
 * section 7; Steffenel 2006). rounds: in round r to i + r, and on when the message from i - r has come. pairwise: in
 * each round with the partner of Algorithm 2 of Tam 2001, as with MPI_Sendrecv of messages too long for eager sending:
 * both messages leave when both processes have come to the round, which ends when both are there. A process is through
 * when everything for it has come. Processes begin within start_spread of each other. */
#include "model/schedule.h"
#include "scenarios/run/program.h"

struct alltoall_process {
    int missing; /* messages of this operation it waits for */
    int round;   /* rounds, pairwise: 1 to a->rounds; 0: it has not begun */
};

struct alltoall {
    struct program *program; /* borrowed */
    int64_t *delivered; /* owned; of each flow, in all */
    struct alltoall_process *processes; /* owned */
    int p, rounds;
};

static int alltoall_flow(const struct alltoall *a, int from, int to)
{
    return from * (a->p - 1) + to - (to > from);
}

static void alltoall_write(struct alltoall *a, int from, int to)
{
    emu_engine_write(a->program->env.engine, alltoall_flow(a, from, to), a->program->env.scenario->exchange.bytes);
}

/* Whom a process sends to (or hears from) in its round; -1: nobody. */
static int alltoall_partner(const struct alltoall *a, int me, bool hears)
{
    int round = a->processes[me].round;
    if (a->program->env.scenario->exchange.algorithm == SCENARIO_ALGORITHM_ROUNDS)
        return (me + (hears ? a->p - round : round)) % a->p;
    size_t partner = model_schedule_partner((size_t)a->p, (size_t)round, (size_t)me);
    return partner == MODEL_SCHEDULE_IDLE ? -1 : (int)partner;
}

static bool alltoall_round_over(const struct alltoall *a, int me)
{
    const struct scenario_exchange *e = &a->program->env.scenario->exchange;
    int64_t due = (a->program->operations.operation + 1) * e->bytes;
    int from = alltoall_partner(a, me, true);
    return from < 0 || (a->delivered[alltoall_flow(a, from, me)] >= due &&
                        (e->algorithm == SCENARIO_ALGORITHM_ROUNDS || a->delivered[alltoall_flow(a, me, from)] >= due));
}

/* A process comes to its round. */
static void alltoall_meet(struct alltoall *a, int me)
{
    int to = a->processes[me].round <= a->rounds ? alltoall_partner(a, me, false) : -1;
    bool waits = a->program->env.scenario->exchange.algorithm == SCENARIO_ALGORITHM_PAIRWISE;
    if (to < 0 || (waits && a->processes[to].round != a->processes[me].round))
        return;
    alltoall_write(a, me, to);
    if (waits)
        alltoall_write(a, to, me);
}

/* What a process waits for in its round is there, or was before: the next round. */
static void alltoall_go_on(struct alltoall *a, int me)
{
    int *round = &a->processes[me].round;
    while (*round > 0 && *round <= a->rounds && alltoall_round_over(a, me)) {
        ++*round;
        alltoall_meet(a, me);
    }
}

static void alltoall_enter(void *user, int me)
{
    struct alltoall *a = user;
    bool direct = a->program->env.scenario->exchange.algorithm == SCENARIO_ALGORITHM_DIRECT;
    a->processes[me].round = 1;
    for (int to = 0; direct && to < a->p; to++)
        if (to != me)
            alltoall_write(a, me, to);
    if (!direct) {
        alltoall_meet(a, me);
        alltoall_go_on(a, me);
    }
}

static void alltoall_begin(void *user)
{
    struct alltoall *a = user;
    for (int i = 0; i < a->p; i++)
        a->processes[i] = (struct alltoall_process){.missing = a->p - 1};
}

static void alltoall_delivered(struct program *p, int flow, int64_t bytes)
{
    struct alltoall *a = p->state;
    const struct scenario_exchange *e = &p->env.scenario->exchange;
    int me = p->env.scenario->flows[flow].to;
    int64_t due = (p->operations.operation + 1) * e->bytes;
    bool whole = a->delivered[flow] < due && bytes >= due;
    a->delivered[flow] = bytes;
    if (!whole)
        return;
    if (e->algorithm != SCENARIO_ALGORITHM_DIRECT)
        alltoall_go_on(a, me);
    if (e->algorithm == SCENARIO_ALGORITHM_PAIRWISE)
        alltoall_go_on(a, p->env.scenario->flows[flow].from);
    if (--a->processes[me].missing == 0)
        operations_through(&p->operations, me);
}

static void alltoall_start(struct program *p)
{
    const struct scenario *s = p->env.scenario;
    struct alltoall *a = p->state;
    *a = (struct alltoall){.program = p, .p = s->network.hosts,
                           .delivered = program_memory(p, (size_t)s->n_flows, sizeof *a->delivered, "the exchange"),
                           .processes = program_memory(p, (size_t)s->network.hosts, sizeof *a->processes, "the exchange")};
    bool pairwise = s->exchange.algorithm == SCENARIO_ALGORITHM_PAIRWISE;
    a->rounds = pairwise ? (int)model_schedule_rounds((size_t)a->p) : a->p - 1;
    operations_start(&p->operations, &(struct operations_plan){s, &p->clock, a->p, s->exchange.repeat,
                                                               s->exchange.period_ps, s->seed, alltoall_begin,
                                                               alltoall_enter, a});
    operations_begin(&p->operations, PROGRAM_CONNECTING_PS + s->start_spread_ps);
}

const struct program_ops program_exchange_tcp = {
    .state_bytes = sizeof(struct alltoall),
    .start = alltoall_start,
    .delivered = alltoall_delivered,
    .done = program_operations_done,
    .operations = program_operations,
    .finish = program_operations_finish,
};
