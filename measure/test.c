/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/test.h"

const char *const measure_kind_names[] = {"in", "out", "both", "paced", NULL};

const struct measure_samples *measure_end_sender(const struct measure_end *e)
{
    return e->incoming ? &e->far : &e->near;
}

void measure_test_drop(struct measure_test *t)
{
    for (size_t p = 0; p < t->n; p++) {
        for (size_t i = 0; i < t->phase[p].n; i++) {
            free(t->phase[p].end[i].near.sample);
            free(t->phase[p].end[i].far.sample);
        }
        for (size_t h = 0; h < MEASURE_HOSTS; h++)
            free(t->phase[p].echo[h]);
        t->phase[p] = (struct measure_phase){0};
    }
    t->n = 0;
}

void measure_test_fini(struct measure_test *t)
{
    measure_test_drop(t);
    free(t->idle.round_s);
    *t = (struct measure_test){0};
}
