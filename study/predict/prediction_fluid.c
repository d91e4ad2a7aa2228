/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/fluid.h"
#include "model/window/window_rule.h"
#include "study/predict/models.h"

/* Orders of transfers that start at one time: until their means are known to PRECISE on average, or so many. Of MANY
 * transfers two orders tell how well they are known, and each need not be known so well by itself: the law is right to a
 * per cent. */
#define ORDERS_LEAST 4
#define ORDERS_MOST 16
#define MANY 200
#define PRECISE 0.002 /* standard error over mean, */
#define PRECISE_OF_MANY 0.004

static bool fluid_ties(const struct model_pattern *p)
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++)
            if (p->transfers[i].start_s == p->transfers[j].start_s && p->transfers[i].source == p->transfers[j].source)
                return true;
    return false;
}

static void fluid_shuffle(size_t *order, size_t n, struct random *random)
{
    for (size_t i = n; i > 1; i--) { /* Fisher and Yates */
        size_t j = (size_t)random_below(random, i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

static bool fluid_precise(const struct estimate_running *end_s, size_t n)
{
    double sum = 0;
    if (end_s[0].n < (n < MANY ? ORDERS_LEAST : 2))
        return false;
    for (size_t i = 0; i < n; i++)
        sum += estimate_of(&end_s[i]).std_error / end_s[i].mean;
    return sum <= (n < MANY ? PRECISE : PRECISE_OF_MANY) * (double)n;
}

struct fluid_order {
    const struct study_prediction *p;
    size_t number, orders;
};

static void fluid_tell(void *user, size_t left)
{
    const struct fluid_order *o = user;
    o->p->options.progress(o->p->options.user, o->p->model,
                           &(struct study_prediction_progress){o->number, o->orders, left, o->p->n});
}

/* Chance decides which of the transfers that start together at one host comes first: this is the mean over orders, the
 * same orders every time. */
bool study_prediction_fluid(struct study_prediction *p, const struct scenario_pattern *s, struct error *err)
{
    MEMORY_ENDS(model_routes_fini) struct model_routes routes;
    if (!model_routes_init(&routes, &s->platform, &s->pattern, err))
        return false;
    struct model_window_rule *law = model_window_rule_new(&routes, err);
    MEMORY_LOCAL double *numbers = memory_zeroed(3 * p->n, sizeof *numbers, "transfers as a fluid");
    double *bytes = numbers, *start_s = numbers + p->n, *end_s = start_s + p->n;
    MEMORY_LOCAL size_t *order = memory_zeroed(p->n, sizeof *order, "transfers as a fluid");
    MEMORY_LOCAL struct estimate_running *mean_s = memory_zeroed(p->n, sizeof *mean_s, "transfers as a fluid");
    int orders = fluid_ties(&s->pattern) ? ORDERS_MOST : 1;
    bool ok = law;
    struct random random = random_of(1);
    for (size_t i = 0; ok && i < p->n; i++) {
        bytes[i] = s->pattern.transfers[i].bytes;
        start_s[i] = s->pattern.transfers[i].start_s;
        order[i] = i;
    }
    for (int k = 0; ok && k < orders && !fluid_precise(mean_s, p->n); k++) {
        struct fluid_order told = {p, (size_t)k + 1, (size_t)orders};
        if (k > 0)
            fluid_shuffle(order, p->n, &random);
        struct model_fluid_cost cost = model_fluid_run(model_window_rule_network(law), bytes, start_s, order, end_s,
                                                       p->options.progress ? fluid_tell : NULL, &told);
        orders = cost.steps > 0 ? orders : 1; /* the law alone, which knows no order */
        for (size_t i = 0; i < p->n; i++)
            estimate_add(&mean_s[i], end_s[i]);
    }
    for (size_t i = 0; ok && i < p->n; i++)
        p->completion_s[i] = mean_s[i].mean;
    if (ok)
        study_prediction_whole(p, s->pattern.transfers);
    model_window_rule_free(law);
    return ok;
}
