/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/run/program.h"

#include "scenarios/traffic/pauses.h"

#include <assert.h>

static const struct program_ops *program_ops_of(const struct scenario *s)
{
    bool gbn = s->transport == SCENARIO_TRANSPORT_GBN;
    switch (s->traffic) {
    case SCENARIO_TRAFFIC_EXCHANGE:
        return gbn ? &program_exchange_gbn : &program_exchange_tcp;
    case SCENARIO_TRAFFIC_TREE:
        return &program_tree_tcp;
    case SCENARIO_TRAFFIC_COLLECTIVE:
    case SCENARIO_TRAFFIC_GOAL:
        return &program_schedule;
    case SCENARIO_TRAFFIC_BURST:
        return &program_burst;
    case SCENARIO_TRAFFIC_PINGPONG:
        return &program_pingpong;
    case SCENARIO_TRAFFIC_UNIFORM:
        return &program_uniform;
    case SCENARIO_TRAFFIC_FLOWS:
        break;
    }
    bool messages = false;
    for (int i = 0; i < s->n_flows && !messages; i++)
        messages = s->flows[i].repeat > 1;
    return gbn ? &program_flows : messages ? &program_messages : NULL;
}

bool program_wanted(const struct scenario *s)
{
    return program_ops_of(s) != NULL;
}

bool program_writes(const struct scenario *s, int flow)
{
    if (s->traffic == SCENARIO_TRAFFIC_FLOWS && !s->barrier && s->flows[flow].repeat <= 1)
        return false; /* most flows: no need to look at all the others */
    const struct program_ops *ops = program_ops_of(s);
    if (ops == &program_schedule)
        return flow < s->n_played;
    return ops == &program_exchange_tcp || ops == &program_tree_tcp ||
           (ops == &program_messages && !pauses_has(&s->flows[flow]));
}

void *program_memory(struct program *p, size_t n, size_t size, const char *what)
{
    p->memory = memory_grown(p->memory, p->n_memory, &p->memory_room, 4, sizeof *p->memory, what);
    return p->memory[p->n_memory++] = memory_zeroed(n, size, what);
}

void program_introduce(const struct program *p)
{
    int hosts = p->env.scenario->network.hosts;
    for (int h = 0; h < hosts; h++) {
        struct emu_frame frame = {.packet = emu_frame_tag(0), .dst = (uint32_t)((h + 1) % hosts), .src = (uint32_t)h,
                                  .payload_bytes = EMU_FRAME_MIN_PAYLOAD, .ethertype = PROGRAM_RAW_ETHERTYPE};
        emu_network_transmit(p->env.network, h, &frame);
    }
}

bool program_operations_done(const struct program *p)
{
    const struct operations *o = &p->operations;
    return o->ended == o->plan.processes && o->operation + 1 == o->plan.repeat;
}

struct estimate_running program_operations(const struct program *p)
{
    return p->operations.whole_s;
}

bool program_operations_finish(struct program *p, struct error *err)
{
    return operations_write(&p->operations, p->env.directory, err);
}

struct program *program_new(const struct program_env *env)
{
    struct program *p = memory_zeroed(1, sizeof *p, "what the hosts run");
    *p = (struct program){.env = *env, .clock = emu_engine_clock(env->engine), .ops = program_ops_of(env->scenario)};
    assert(p->ops); /* program_wanted() */
    p->state = memory_zeroed(1, p->ops->state_bytes, "what the hosts run");
    p->ops->start(p);
    return p;
}

void program_free(struct program *p)
{
    if (!p)
        return;
    if (p->ops->free)
        p->ops->free(p->state);
    operations_fini(&p->operations);
    emu_gbn_free(p->gbn);
    while (p->n_memory > 0)
        free(p->memory[--p->n_memory]);
    MEMORY_FREE(p->memory, p->state, p);
}
