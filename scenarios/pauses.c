/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/pauses.h"

#include <stdlib.h>

#define ENDLESS (INT64_MAX / 2)

struct pauses_flow {
    struct pauses *owner;
    int flow, next, end; /* index into the scenario's pauses: the one to come, and behind the last */
    int64_t written;
};

struct pauses {
    const struct scenario *scenario; /* borrowed, as all here */
    struct emu_engine *engine;
    struct emu_clock clock;
    struct pauses_flow flows[]; /* owned; one a flow */
};

bool pauses_has(const struct scenario *s, int flow)
{
    for (int i = 0; i < s->n_pauses; i++)
        if (s->pauses[i].flow == flow)
            return true;
    return false;
}

/* Up to the next pause, or the end. */
static void pauses_write(void *arg)
{
    struct pauses_flow *f = arg;
    const struct scenario *s = f->owner->scenario;
    int64_t total = s->flows[f->flow].bytes > 0 ? s->flows[f->flow].bytes : ENDLESS;
    int64_t until = f->next < f->end ? s->pauses[f->next].after_bytes : total;
    emu_engine_write(f->owner->engine, f->flow, until - f->written);
    f->written = until;
}

void pauses_drained(struct pauses *p, int flow)
{
    struct pauses_flow *f = &p->flows[flow];
    if (f->next < f->end)
        emu_clock_schedule(&p->clock, p->scenario->pauses[f->next++].pause_ps, pauses_write, f);
}

struct pauses *pauses_new(const struct scenario *s, struct emu_engine *e, struct error *err)
{
    struct pauses *p = calloc(1, sizeof *p + (size_t)s->n_flows * sizeof *p->flows);
    if (!p) {
        error_set(err, ERROR_SYSTEM, "out of memory for the pauses of %d flows", s->n_flows);
        return NULL;
    }
    p->scenario = s;
    p->engine = e;
    p->clock = emu_engine_clock(e);
    for (int i = 0; i < s->n_flows; i++)
        p->flows[i] = (struct pauses_flow){.owner = p, .flow = i};
    for (int i = s->n_pauses - 1; i >= 0; i--) { /* in order of flows, then of bytes */
        struct pauses_flow *f = &p->flows[s->pauses[i].flow];
        f->end = f->end > i ? f->end : i + 1;
        f->next = i;
    }
    for (int i = 0; i < s->n_flows; i++)
        if (p->flows[i].end > 0)
            pauses_write(&p->flows[i]);
    return p;
}

void pauses_free(struct pauses *p)
{
    free(p);
}
