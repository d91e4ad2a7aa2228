/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/fit/fit_connections.h"

#include "base/order.h"

/* That of these axes, pairs and bytes, made if it is not there. */
static struct study_fit_connections_point *connections_point(struct study_fit_connections *f, const char *group,
                                                             int64_t pairs, int64_t bytes)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->points[i].pairs == pairs && f->points[i].bytes == bytes && strcmp(f->points[i].group, group) == 0)
            return &f->points[i];
    f->points = memory_grown(f->points, f->n, &f->capacity, 64, sizeof *f->points, "points of a fit");
    f->points[f->n] = (struct study_fit_connections_point){.group = memory_text("%s", group),
                                                           .pairs = pairs, .bytes = bytes,
                                                           .least_s = INFINITY};
    return &f->points[f->n++];
}

static bool connections_take(void *state, const char *source, const struct sweep_result *r, struct error *err)
{
    struct study_fit_connections *f = state;
    const struct scenario *s = r->scenario;
    (void)source, (void)err;
    const json_t *pairs = json_object_get(r->axes, "traffic.pairs.count");
    int64_t bytes = s->n_flows > 0 ? s->flows[0].bytes : 0; /* a point's scenario lists the flows of its pairs */
    if (!pairs || bytes == 0)
        return true;
    MEMORY_LOCAL char *group = study_fit_group(r->axes, (const char *const[]){"traffic.pairs.count", NULL}, -1);
    struct study_fit_connections_point *p = connections_point(f, group, json_integer_value(pairs), bytes);
    for (int i = 0; i < s->n_flows; i++) {
        double time_s = results_flow_time_s(&r->flows[i]);
        p->retransmitted += r->flows[i].retransmitted_segments;
        if (!(time_s > 0) || (!(r->flows[i].messages > 0) && r->flows[i].bytes < bytes))
            continue;
        p->n++;
        p->sum_s += time_s;
        p->square_s += time_s * time_s;
        p->least_s = fmin(p->least_s, time_s);
        p->most_s = fmax(p->most_s, time_s);
        p->sum_bps += 8 * (double)bytes / time_s;
    }
    return true;
}

static ORDER_OF(connections_order, struct study_fit_connections_point,
                4 * ORDER_TEXT(group) + 2 * ORDER(bytes) + ORDER(pairs))

size_t study_fit_connections_end(const struct study_fit_connections *f, size_t first)
{
    size_t end = first;
    while (end < f->n && f->points[end].bytes == f->points[first].bytes &&
           strcmp(f->points[end].group, f->points[first].group) == 0)
        end++;
    return end;
}

/* The gaps of points [first, end), which are of one group and size. */
static void connections_gaps(struct study_fit_connections *f, size_t first, size_t end)
{
    double least_s = INFINITY, most_s = 0, bytes = (double)f->points[first].bytes;
    for (size_t i = first; i < end; i++) {
        least_s = fmin(least_s, f->points[i].least_s);
        most_s = fmax(most_s, f->points[i].most_s);
    }
    for (size_t i = first; i < end; i++) {
        struct study_fit_connections_point *p = &f->points[i];
        struct error none;
        double n = (double)p->n;
        p->mean_s = p->sum_s / n;
        p->sd_s = p->n > 1 ? sqrt(fmax(0, p->square_s - n * p->mean_s * p->mean_s) / (n - 1)) : (double)NAN;
        p->mean_bps = p->sum_bps / n;
        p->gaps = (struct model_alltoall_gaps){least_s / bytes, most_s / bytes, NAN};
        if (!model_alltoall_rho(&p->gaps, p->mean_s / bytes, &p->gaps.rho, &none))
            p->gaps.rho = NAN;
    }
}

static void connections_fit(void *state)
{
    struct study_fit_connections *f = state;
    qsort(f->points, f->n, sizeof *f->points, connections_order);
    for (size_t first = 0, end; first < f->n; first = end) {
        end = study_fit_connections_end(f, first);
        connections_gaps(f, first, end);
    }
}

static void connections_fini(void *state)
{
    struct study_fit_connections *f = state;
    for (size_t i = 0; i < f->n; i++)
        free(f->points[i].group);
    free(f->points);
}

STUDY_FIT_PART(connections, n);
