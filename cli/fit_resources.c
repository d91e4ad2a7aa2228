/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/fit.h"

#include <stdio.h>
#include <stdlib.h>

struct resources {
    size_t points;
};

static void *resources_new(struct error *err)
{
    struct resources *r = calloc(1, sizeof *r);
    if (!r)
        error_set(err, ERROR_SYSTEM, "out of memory");
    return r;
}

static bool take(void *state, const char *source, const struct sweep_result *result, struct error *err)
{
    struct resources *r = state;
    (void)source, (void)err;
    if (result->scenario->n_flows > 0 && result->scenario->flows[0].bytes == 0)
        r->points++;
    return true;
}

static bool take_resources(void *state, const char *source, const struct analysis_resources *resources,
                           struct error *err)
{
    struct resources *r = state;
    (void)source, (void)err;
    r->points += resources->n;
    return true;
}

static bool fit(void *state, struct error *err)
{
    (void)state, (void)err;
    return true;
}

static size_t points(const void *state)
{
    return ((const struct resources *)state)->points;
}

static bool print(const void *state, struct error *err)
{
    (void)err;
    return printf("%zu points of bulk flows\n", points(state)) > 0;
}

static json_t *json(const void *state)
{
    return json_pack("{s:I}", "points", (json_int_t)points(state));
}

const struct fit_part fit_resources = {
    .name = "resources",
    .help = "Bulk flows without end over one shared link\n",
    .new = resources_new,
    .take = take,
    .take_resources = take_resources,
    .fit = fit,
    .points = points,
    .print = print,
    .json = json,
    .free = free,
};
