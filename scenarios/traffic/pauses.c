/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/traffic/pauses.h"

#define ENDLESS (INT64_MAX / 2)

struct pauses_flow {
    struct pauses *owner;
    int flow, next; /* the pause to come */
    int64_t written;
};

struct pauses {
    const struct scenario *scenario; /* borrowed, as all here */
    struct emu_engine *engine;
    struct emu_clock clock;
    int64_t *written;
    struct pauses_flow flows[]; /* owned; one a flow */
};

bool pauses_has(const struct scenario_flow *f)
{
    return f->n_pauses > 0 || f->rate_bps > 0;
}

bool pauses_any(const struct scenario *s)
{
    for (int i = 0; i < s->n_flows; i++)
        if (pauses_has(&s->flows[i]))
            return true;
    return false;
}

/* Up to the next pause, or the end; at a rate, a segment now and the rest in its time. */
static void pauses_write(void *arg)
{
    struct pauses_flow *p = arg;
    const struct scenario_flow *f = &p->owner->scenario->flows[p->flow];
    int64_t until = p->next < f->n_pauses ? f->pauses[p->next].after_bytes : f->bytes > 0 ? f->bytes : ENDLESS;
    int64_t bytes = until - p->written;
    ++*p->owner->written;
    if (f->rate_bps > 0) {
        bytes = bytes < f->tcp.segment_bytes ? bytes : f->tcp.segment_bytes;
        int64_t wait_ps = emu_port_wire_ps(&(struct emu_link_config){.rate_bps = f->rate_bps}, bytes);
        if (p->written + bytes == until && p->next < f->n_pauses)
            wait_ps += f->pauses[p->next++].pause_ps;
        if (bytes > 0)
            emu_clock_schedule(&p->owner->clock, wait_ps, pauses_write, p);
    }
    if (bytes > 0)
        emu_engine_write(p->owner->engine, p->flow, bytes);
    p->written += bytes;
}

void pauses_drained(struct pauses *p, int flow)
{
    const struct scenario_flow *f = &p->scenario->flows[flow];
    struct pauses_flow *at = &p->flows[flow];
    if (f->rate_bps == 0 && at->next < f->n_pauses)
        emu_clock_schedule(&p->clock, f->pauses[at->next++].pause_ps, pauses_write, at);
}

struct pauses *pauses_new(const struct scenario *s, struct emu_engine *e, int64_t *written)
{
    struct pauses *p = memory_zeroed(1, sizeof *p + (size_t)s->n_flows * sizeof *p->flows, "pauses");
    p->scenario = s;
    p->engine = e;
    p->written = written;
    p->clock = emu_engine_clock(e);
    for (int i = 0; i < s->n_flows; i++) {
        p->flows[i] = (struct pauses_flow){.owner = p, .flow = i};
        if (s->flows[i].rate_bps > 0)
            emu_clock_schedule(&p->clock, s->flows[i].start_ps, pauses_write, &p->flows[i]);
        else if (s->flows[i].n_pauses > 0)
            pauses_write(&p->flows[i]);
    }
    return p;
}
