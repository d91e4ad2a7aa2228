/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages repeated on connections that stay open: the next when this one is received, or behind a barrier when
 * everybody's is. Zhu et al. 2014, section 3.1, measure with these: until the 95 % interval of every flow's mean time
 * is narrow.
 *
 * No process leaves a barrier when others do: each message is written an offset of [0, start_spread] after it, drawn
 * anew. Which of several flows comes first at a queue they share changes with it from message to message, and so does
 * what they get: that is what there is to average. */
#include "scenarios/run/program.h"

struct messages_flow {
    struct messages *owner;         /* borrowed */
    int64_t written, due, start_ps; /* messages; bytes in all; when the last was handed over */
    struct estimate_running times_s;
    bool one;                       /* its traffic is not messages: the engine alone sends it */
    bool done;
};

struct messages {
    struct program *program; /* borrowed */
    struct messages_flow *flows; /* owned */
    int n, at_barrier; /* flows with messages; those that have come to it, or have no more */
    struct random random; /* of how far apart they leave it */
};

static void messages_write(void *arg)
{
    struct messages_flow *f = arg;
    const struct program *p = f->owner->program;
    int flow = (int)(f - f->owner->flows);
    f->start_ps = emu_clock_now(&p->clock);
    f->due += p->env.scenario->flows[flow].bytes;
    f->written++;
    emu_engine_write(p->env.engine, flow, p->env.scenario->flows[flow].bytes);
}

/* Whether every flow's mean is known as well as is wanted. */
static bool messages_suffice(const struct messages *m)
{
    const struct scenario *s = m->program->env.scenario;
    for (int i = 0; i < s->n_flows; i++) {
        const struct messages_flow *f = &m->flows[i];
        if (!f->one && !scenario_precise(s, &f->times_s))
            return false;
    }
    return true;
}

/* All have come to the barrier. One draw a flow, whoever goes on. */
static void messages_open(struct messages *m)
{
    const struct scenario *s = m->program->env.scenario;
    bool suffice = s->precision > 0 && messages_suffice(m);
    m->at_barrier = 0;
    for (int i = 0; i < s->n_flows; i++) {
        struct messages_flow *f = &m->flows[i];
        int64_t after_ps = scenario_draw_start(s, &m->random);
        f->done = f->done || suffice;
        if (f->one)
            continue;
        if (f->done)
            m->at_barrier++; /* nobody waits for it */
        else
            emu_clock_schedule(&m->program->clock, after_ps, messages_write, f);
    }
}

static void messages_delivered(struct program *p, int flow, int64_t bytes)
{
    struct messages *m = p->state;
    struct messages_flow *f = &m->flows[flow];
    const struct scenario *s = p->env.scenario;
    const struct scenario_flow *config = &s->flows[flow];
    if (f->one || bytes < f->due)
        return;
    int64_t now_ps = emu_clock_now(&p->clock);
    if (f->written == 1) /* it waited for the connection */
        f->start_ps = emu_engine_flow_stats(p->env.engine, flow).first_data_ps;
    int64_t counted = s->precision > 0 ? f->written - 1 : f->written; /* the first one only warms the connection */
    if (config->repeat > 1 && counted > 0) {
        operations_add(&p->operations, counted - 1, flow, f->start_ps, now_ps);
        estimate_add(&f->times_s, (double)(now_ps - f->start_ps) / (double)UNITS_PS_PER_S);
    }
    f->done = counted >= config->repeat;
    if (!s->barrier && !f->done)
        messages_write(f);
    else if (s->barrier && ++m->at_barrier == m->n)
        messages_open(m);
}

static void messages_start(struct program *p)
{
    const struct scenario *s = p->env.scenario;
    struct messages *m = p->state;
    m->flows = program_memory(p, (size_t)s->n_flows, sizeof *m->flows, "messages");
    m->program = p;
    m->random = random_of(~s->seed); /* other numbers than those the first starts were drawn with */
    for (int i = 0; i < s->n_flows; i++) {
        struct messages_flow *f = &m->flows[i];
        *f = (struct messages_flow){.owner = m, .one = !program_writes(s, i)};
        m->n += !f->one;
        if (!f->one)
            messages_write(f);
    }
}

static bool messages_done(const struct program *p)
{
    const struct messages *m = p->state;
    for (int i = 0; i < p->env.scenario->n_flows; i++)
        if (m->flows[i].one ? !emu_engine_flow_stats(p->env.engine, i).done : !m->flows[i].done)
            return false;
    return true;
}

static struct emu_flow_stats messages_stats(const struct program *p, int flow)
{
    const struct messages *m = p->state;
    struct emu_flow_stats stats = emu_engine_flow_stats(p->env.engine, flow);
    if (!m->flows[flow].one)
        stats.done = m->flows[flow].done;
    return stats;
}

static struct estimate_running messages_times(const struct program *p, int flow)
{
    const struct messages *m = p->state;
    return m->flows[flow].times_s;
}

static bool messages_finish(struct program *p, struct error *err)
{
    return p->operations.n == 0 || operations_write(&p->operations, p->env.directory, err);
}

const struct program_ops program_messages = {
    .state_bytes = sizeof(struct messages),
    .start = messages_start,
    .delivered = messages_delivered,
    .done = messages_done,
    .stats = messages_stats,
    .times = messages_times,
    .finish = messages_finish,
};
