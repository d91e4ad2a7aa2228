/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/verdict/latency.h"

#include "base/units.h"

#define ROOM 256

double study_latency_wait_s(const struct results_progress *p, size_t flow, size_t k)
{
    const struct results_progress_point *a = &p->point[(k - 1) * p->flows + flow], *b = a + p->flows;
    return (b->data_wait_s - a->data_wait_s) / (b->data_frames - a->data_frames) +
           (b->ack_wait_s - a->ack_wait_s) / (b->ack_frames - a->ack_frames);
}

void study_latency_add(struct study_latency *x, const struct results_progress *p, size_t flow, double floor_s,
                       double from_s, double to_s)
{
    if (!isfinite(floor_s))
        return;
    x->idle_s = memory_grown(x->idle_s, x->idle, &x->idle_room, ROOM, sizeof *x->idle_s, "round trips");
    x->idle_s[x->idle++] = floor_s;
    for (size_t k = 1; k < p->n; k++) {
        double wait_s = study_latency_wait_s(p, flow, k);
        if (p->time_s[k - 1] < from_s || p->time_s[k] > to_s || !isfinite(wait_s))
            continue;
        x->loaded_s = memory_grown(x->loaded_s, x->loaded, &x->loaded_room, ROOM, sizeof *x->loaded_s, "round trips");
        x->loaded_s[x->loaded++] = floor_s + wait_s;
    }
}

void study_latency_get(struct study_latency *x, struct judge_latency *l)
{
    judge_latency_floors_of(x->idle_s, x->idle, &l->idle);
    judge_latency_times_of(x->loaded_s, x->loaded, &l->loaded);
    MEMORY_FREE(x->idle_s, x->loaded_s);
    *x = (struct study_latency){0};
}

bool study_latency_of_run(const char *directory, const struct results_summary *s, struct judge_latency *l,
                          struct error *err)
{
    MEMORY_ENDS(results_progress_fini) struct results_progress p;
    struct study_latency x = {0};
    *l = (struct judge_latency){.loaded.n = 0};
    if (!results_progress_read(&p, s->flows, s->n_flows, directory, err))
        return false;
    for (size_t i = 0; i < s->n_flows; i++)
        study_latency_add(&x, &p, i, s->flows[i].floor_s, (double)s->warmup_ps / UNITS_PS_PER_S,
                          (double)s->ended_ps / UNITS_PS_PER_S);
    study_latency_get(&x, l);
    return true;
}
