/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Complete exchange over Go-Back-N, packet by packet: Tam 2001, sections 5.3 and 6.2.
 *
 * One program for all four algorithms: rounds of omega partners, whose packets take turns. omega = 1 is the shift and
 * the pairwise exchange, omega = p - 1 the synchronous shuffle. A host is through with a round when it has handed all
 * of it to its NIC and has received what its partners owe it. Processes begin an operation within start_spread of each
 * other. */
#include "model/schedule.h"
#include "scenarios/run/program_gbn.h"

struct exchange_host {
    int64_t round;     /* of this operation */
    int64_t sent;      /* packets of the round */
    int64_t sent_all, received_all; /* of all operations: their difference is eta */
    bool ended;        /* this operation, or it has not begun it yet */
};

struct exchange {
    struct program *program; /* borrowed */
    struct exchange_host *hosts; /* owned */
    int64_t *received;   /* owned; packets of each flow */
    int p;
    int64_t group, steps, rounds; /* omega; steps of the schedule; rounds of omega of them */
};

static int exchange_flow(const struct exchange *x, int from, int to)
{
    return from * (x->p - 1) + to - (to > from);
}

static int exchange_logical(const struct exchange *x, int host)
{
    const struct scenario *s = x->program->env.scenario;
    struct model_schedule_tree tree = {(size_t)s->network.racks[0], (size_t)s->network.n_racks};
    return s->exchange.contention_aware ? (int)model_schedule_logical(&tree, (size_t)host) : host;
}

static int exchange_physical(const struct exchange *x, int logical)
{
    const struct scenario *s = x->program->env.scenario;
    struct model_schedule_tree tree = {(size_t)s->network.racks[0], (size_t)s->network.n_racks};
    return s->exchange.contention_aware ? (int)model_schedule_physical(&tree, (size_t)logical) : logical;
}

/* Whom a host sends to (or hears from) in a step of 1 to x->steps; -1: nobody. */
static int exchange_partner(const struct exchange *x, int host, int64_t step, bool hears)
{
    int me = exchange_logical(x, host);
    if (step > x->steps)
        return -1;
    if (x->program->env.scenario->exchange.algorithm == SCENARIO_ALGORITHM_SHIFT)
        return exchange_physical(x, (int)((me + (hears ? x->p - step : step)) % x->p));
    size_t partner = model_schedule_partner((size_t)x->p, (size_t)step, (size_t)me);
    return partner == MODEL_SCHEDULE_IDLE ? -1 : exchange_physical(x, (int)partner);
}

/* Packets of a full round: the last one may have fewer partners, whose turns are passed over. */
static int64_t exchange_round_packets(const struct exchange *x)
{
    return x->group * x->program->env.scenario->exchange.packets;
}

static int exchange_next(void *user, int host)
{
    struct exchange *x = user;
    struct exchange_host *h = &x->hosts[host];
    const struct scenario_exchange *e = &x->program->env.scenario->exchange;
    if (h->ended || (e->global_window > 0 && h->sent_all - h->received_all >= e->global_window))
        return -1;
    for (; h->sent < exchange_round_packets(x); h->sent++) {
        int to = exchange_partner(x, host, h->round * x->group + h->sent % x->group + 1, false);
        if (to < 0)
            continue;
        int flow = exchange_flow(x, host, to);
        if (!emu_gbn_ready(x->program->gbn, flow))
            return -1;
        h->sent++;
        h->sent_all++;
        return flow;
    }
    return -1;
}

static bool exchange_round_over(const struct exchange *x, int host)
{
    const struct exchange_host *h = &x->hosts[host];
    int64_t due = (x->program->operations.operation + 1) * x->program->env.scenario->exchange.packets;
    for (int64_t i = h->sent; i < exchange_round_packets(x); i++)
        if (exchange_partner(x, host, h->round * x->group + i % x->group + 1, false) >= 0)
            return false;
    for (int64_t i = 0; i < x->group; i++) {
        int from = exchange_partner(x, host, h->round * x->group + i + 1, true);
        if (from >= 0 && x->received[exchange_flow(x, from, host)] < due)
            return false;
    }
    return true;
}

/* A host whose last packet has come, or gone, goes on to the next round. */
static void exchange_look(struct exchange *x, int host)
{
    struct exchange_host *h = &x->hosts[host];
    while (!h->ended && exchange_round_over(x, host)) {
        h->sent = 0;
        if (++h->round == x->rounds) {
            h->ended = true;
            operations_through(&x->program->operations, host);
        }
    }
}

static void exchange_received(void *user, int flow)
{
    struct exchange *x = user;
    int host = x->program->env.scenario->flows[flow].to;
    x->received[flow]++;
    x->hosts[host].received_all++;
    if (x->program->operations.start_ps >= 0)
        exchange_look(x, host);
}

static void exchange_enter(void *user, int host)
{
    struct exchange *x = user;
    struct exchange_host *h = &x->hosts[host];
    h->round = h->sent = 0;
    h->ended = false;
    emu_gbn_wake(x->program->gbn, host);
}

static void exchange_begin(void *user)
{
    const struct exchange *x = user;
    const struct scenario *s = x->program->env.scenario;
    for (int i = 0; i < s->n_flows; i++)
        emu_gbn_write(x->program->gbn, i, s->exchange.packets);
}

/* Sending takes a host through its last packet without anything being received: looked at then, too. */
static int exchange_next_and_look(void *user, int host)
{
    struct exchange *x = user;
    int flow = exchange_next(x, host);
    if (flow >= 0 || x->hosts[host].ended || x->program->operations.start_ps < 0)
        return flow;
    int64_t round = x->hosts[host].round;
    exchange_look(x, host);
    return x->hosts[host].round != round ? exchange_next(x, host) : -1;
}

static void exchange_start(struct program *p)
{
    const struct scenario *s = p->env.scenario;
    const struct scenario_exchange *e = &s->exchange;
    struct exchange *x = p->state;
    *x = (struct exchange){.program = p, .p = s->network.hosts,
                           .hosts = program_memory(p, (size_t)s->network.hosts, sizeof *x->hosts, "the exchange"),
                           .received = program_memory(p, (size_t)s->n_flows, sizeof *x->received, "the exchange")};
    bool shift = e->algorithm == SCENARIO_ALGORITHM_SHIFT, sync = e->algorithm == SCENARIO_ALGORITHM_SYNCHRONOUS;
    x->steps = shift ? x->p - 1 : (int64_t)model_schedule_rounds((size_t)x->p);
    x->group = e->algorithm == SCENARIO_ALGORITHM_GROUP ? e->group : sync ? x->steps : 1;
    x->rounds = (x->steps + x->group - 1) / x->group;
    for (int i = 0; i < x->p; i++)
        x->hosts[i].ended = true;
    operations_start(&p->operations, &(struct operations_plan){s, &p->clock, x->p, e->repeat, e->period_ps, s->seed,
                                                               exchange_begin, exchange_enter, x});
    program_gbn_start(p, NULL, &(struct emu_gbn_program){exchange_next_and_look, exchange_received, NULL, x});
    program_introduce(p);
    operations_begin(&p->operations, PROGRAM_SETTLE_PS);
}

static struct emu_flow_stats exchange_stats(const struct program *p, int flow)
{
    struct emu_flow_stats stats = program_gbn_stats(p, flow);
    stats.done = program_operations_done(p);
    return stats;
}

const struct program_ops program_exchange_gbn = {
    .state_bytes = sizeof(struct exchange),
    .start = exchange_start,
    .deliver = program_gbn_deliver,
    .done = program_operations_done,
    .stats = exchange_stats,
    .operations = program_operations,
    .finish = program_operations_finish,
};
