/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/latency.h"

#include "base/memory.h"

void measure_latency_of(const struct measure_test *t, struct judge_latency *l)
{
    double *idle_s = memory_zeroed(t->idle.n + 1, sizeof *idle_s, "round trips"), *round_s MEMORY_LOCAL = NULL;
    size_t n = 0, room = 0;
    for (size_t i = 0; i < t->idle.n; i++)
        idle_s[i] = t->idle.round_s[i];
    judge_latency_times_of(idle_s, t->idle.n, &l->idle);
    free(idle_s);
    for (size_t i = 0; i < t->n; i++) {
        const struct measure_phase *p = &t->phase[i];
        for (size_t h = 0; p->kind == MEASURE_BOTH && h < t->hosts; h++)
            for (size_t k = 0; k < p->n_echoes[h]; k++)
                if (p->echo[h][k].at_s >= p->from_s && p->echo[h][k].at_s < p->to_s) {
                    round_s = memory_grown(round_s, n, &room, 64, sizeof *round_s, "round trips");
                    round_s[n++] = p->echo[h][k].there_s + p->echo[h][k].back_s;
                }
    }
    judge_latency_times_of(round_s, n, &l->loaded);
}
