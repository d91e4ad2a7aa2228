/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/fit/fit_signatures.h"

#include "base/order.h"
#include "study/verdict/workload.h"

#define LEAST_POINTS 4 /* of a signature */
#define NEAR 0.1       /* Steffenel 2006, section 8.1: errors usually below 10 % */

static bool signatures_take(void *state, const char *source, const struct sweep_result *r, struct error *err)
{
    static const char *const varied[] = {"network.hosts", "network.racks", "traffic.exchange.bytes", NULL};
    struct study_fit_signatures *f = state;
    const struct scenario *s = r->scenario;
    (void)source, (void)err;
    if (s->traffic != SCENARIO_TRAFFIC_EXCHANGE || !scenario_has_streams(s) || r->operations.n == 0)
        return true;
    f->points = memory_grown(f->points, f->n, &f->capacity, 64, sizeof *f->points, "points of a signature");
    f->points[f->n++] = (struct study_fit_signatures_point){
        .group = study_fit_group(r->axes, varied, -1),
        .link = study_workload_link(s),
        .point = {(size_t)s->network.hosts, (double)s->exchange.bytes, r->operations.mean_s, 0},
    };
    return true;
}

static ORDER_OF(signatures_order, struct study_fit_signatures_point,
                4 * ORDER_TEXT(group) + 2 * ORDER(point.processes) + ORDER(point.bytes))

/* By Eq. 5, or with the start-up cost of the whole operation as it was where the fit was made. */
static double signatures_predict(const struct study_fit_signatures_row *row, const struct study_fit_signatures_point *p,
                                 bool once)
{
    struct model_alltoall_signature signature = row->fit.signature;
    struct error none;
    double time_s = NAN;
    if (once)
        signature.delta_s = row->startup_s / (double)(p->point.processes - 1);
    if (!model_alltoall_contended(&p->link, &signature, p->point.processes, p->point.bytes, &time_s, &none))
        return (double)NAN;
    return time_s;
}

static struct study_fit_signatures_errors signatures_errors(const struct study_fit_signatures_row *row,
                                                            const struct study_fit_signatures_point *points, size_t n,
                                                            bool once)
{
    struct study_fit_signatures_errors e = {0, 0, 0, 0};
    for (size_t i = 0; i < n; i++) {
        double error = fabs(signatures_predict(row, &points[i], once) / points[i].point.time_s - 1);
        e.n++;
        e.mean += error;
        e.worst = fmax(e.worst, error);
        e.within += error < NEAR;
    }
    e.mean = e.n > 0 ? e.mean / (double)e.n : (double)NAN;
    return e;
}

/* Two sums of errors as one. */
static void signatures_join(struct study_fit_signatures_errors *sum, const struct study_fit_signatures_errors *more)
{
    if (more->n == 0)
        return;
    double total = (sum->n ? sum->mean * (double)sum->n : 0) + more->mean * (double)more->n;
    sum->worst = sum->n ? fmax(sum->worst, more->worst) : more->worst;
    sum->n += more->n;
    sum->mean = total / (double)sum->n;
    sum->within += more->within;
}

/* The points behind `at` that have the same number of processes. */
static size_t signatures_next(const struct study_fit_signatures *f, size_t at, size_t end)
{
    size_t next = at;
    while (next < end && f->points[next].point.processes == f->points[at].point.processes)
        next++;
    return next;
}

/* Errors at every other number of processes of the group [first, end), sorted. */
static void signatures_others(const struct study_fit_signatures *f, struct study_fit_signatures_row *row, size_t first,
                              size_t end)
{
    row->others = memory_zeroed(end - first, sizeof *row->others, "points of a signature");
    for (size_t at = first, next; at < end; at = next) {
        next = signatures_next(f, at, end);
        if (f->points[at].point.processes == row->processes)
            continue;
        struct study_fit_signatures_others *o = &row->others[row->n_others++];
        o->processes = f->points[at].point.processes;
        o->eq5 = signatures_errors(row, &f->points[at], next - at, false);
        o->once = signatures_errors(row, &f->points[at], next - at, true);
        signatures_join(&row->eq5, &o->eq5);
        signatures_join(&row->once, &o->once);
    }
}

/* A row for `n` points [at, ...) of the group [first, end) of all points. */
static void signatures_row(struct study_fit_signatures *f, size_t first, size_t end, size_t at, size_t n, bool all)
{
    struct error refused;
    struct model_signature_point *points = memory_zeroed(n, sizeof *points, "points of a signature");
    f->rows = memory_grown(f->rows, f->n_rows, &f->rows_capacity, 16, sizeof *f->rows, "signatures");
    struct study_fit_signatures_row *row = &f->rows[f->n_rows++];
    *row = (struct study_fit_signatures_row){.group = f->points[first].group, .points = n,
                                             .processes = all ? 0 : f->points[at].point.processes};
    for (size_t i = 0; i < n; i++)
        points[i] = f->points[at + i].point;
    bool ok = model_signature_fit(&f->points[at].link, points, n, &row->fit, NULL, &refused);
    free(points);
    if (!ok) {
        row->refused = memory_text("%s", refused.message);
        return;
    }
    row->startup_s = (double)(f->points[at + n - 1].point.processes - 1) * row->fit.signature.delta_s;
    row->own = signatures_errors(row, &f->points[at], n, false);
    if (!all)
        signatures_others(f, row, first, end);
}

static void signatures_fit(void *state)
{
    struct study_fit_signatures *f = state;
    qsort(f->points, f->n, sizeof *f->points, signatures_order);
    for (size_t first = 0, end; first < f->n; first = end) {
        for (end = first; end < f->n && strcmp(f->points[end].group, f->points[first].group) == 0;)
            end++;
        size_t numbers = 0;
        for (size_t at = first, next; at < end; at = next, numbers++) {
            next = signatures_next(f, at, end);
            if (next - at >= LEAST_POINTS)
                signatures_row(f, first, end, at, next - at, false);
        }
        if (numbers > 1 && end - first >= LEAST_POINTS)
            signatures_row(f, first, end, first, end - first, true);
    }
}

static void signatures_fini(void *state)
{
    struct study_fit_signatures *f = state;
    for (size_t i = 0; i < f->n; i++)
        free(f->points[i].group);
    for (size_t i = 0; i < f->n_rows; i++)
        MEMORY_FREE(f->rows[i].refused, f->rows[i].others);
    MEMORY_FREE(f->points, f->rows);
}

STUDY_FIT_PART(signatures, n);
