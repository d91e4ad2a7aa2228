/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/compare/compare_sweeps.h"

#include "base/order.h"
#include "sweep/read.h"

#define FIGURES STUDY_COMPARE_SWEEPS_FIGURES

/* Figures of a seed, and half the widths of their intervals. */
struct grid_run {
    int64_t seed;
    double figure[FIGURES], ci95[FIGURES];
};

/* A point of one side, over its seeds. */
struct grid_point {
    char *key;    /* owned; its axes in one spelling */
    json_t *axes; /* owned until it is taken */
    int64_t number, runs;
    struct grid_run *run; /* owned */
};

struct grid {
    struct grid_point *point; /* owned; of a seed each until they are put together, by key */
    size_t n, capacity;
};

static double mean_of(double sum, double weight)
{
    return weight > 0 ? sum / weight : (double)NAN;
}

static void run_figures(const struct sweep_result *r, double figure[FIGURES], double ci95[FIGURES])
{
    double rate = 0, rate_ci95 = 0, data = 0, ack = 0, message = 0, messages = 0, again = 0;
    for (int i = 0; i < FIGURES; i++)
        ci95[i] = (double)NAN;
    for (int i = 0; i < r->scenario->n_flows; i++) {
        const struct results_flow *f = &r->flows[i];
        double its = results_flow_rate_bps(f, r->scenario->flows[i].bytes);
        bool moved = f->bytes != 0; /* else it has no rate, which is 0 */
        rate += moved ? its : 0;
        rate_ci95 += moved ? results_flow_ci95_bps(f, r->scenario->flows[i].bytes) : 0;
        if (moved && isfinite(its)) {
            data += its * f->data_wait_s;
            ack += its * f->ack_wait_s;
        }
        if (f->messages > 0) {
            message += f->message_s;
            messages++;
        }
        again += (double)f->retransmitted_segments;
    }
    figure[STUDY_COMPARE_SWEEPS_GOODPUT] = r->scenario->n_flows > 0 ? rate : (double)NAN;
    figure[STUDY_COMPARE_SWEEPS_DATA_WAIT] = mean_of(data, rate);
    figure[STUDY_COMPARE_SWEEPS_ACK_WAIT] = mean_of(ack, rate);
    figure[STUDY_COMPARE_SWEEPS_MESSAGE] = mean_of(message, messages);
    figure[STUDY_COMPARE_SWEEPS_OPERATION] = r->operations.mean_s;
    figure[STUDY_COMPARE_SWEEPS_RETRANSMITTED] = r->scenario->n_flows > 0 ? again : (double)NAN;
    ci95[STUDY_COMPARE_SWEEPS_GOODPUT] = rate_ci95;
    ci95[STUDY_COMPARE_SWEEPS_OPERATION] = r->operations.ci95_s;
}

static bool grid_take(void *user, const struct sweep_result *r, struct error *err UNUSED)
{
    struct grid *g = user;
    g->point = memory_grown(g->point, g->n, &g->capacity, 64, sizeof *g->point, "points to compare");
    struct grid_point *p = &g->point[g->n++];
    *p = (struct grid_point){.axes = json_incref(r->axes), .number = r->number, .runs = 1,
                             .key = json_dumps(r->axes, JSON_COMPACT | JSON_SORT_KEYS),
                             .run = memory_zeroed(1, sizeof *p->run, "points to compare")};
    if (!p->key)
        memory_end("points to compare");
    p->run->seed = r->seed;
    run_figures(r, p->run->figure, p->run->ci95);
    return true;
}

/* By axes, then by number. */
static ORDER_OF(grid_order, struct grid_point, 2 * ORDER_TEXT(key) + ORDER(number))

static void grid_point_fini(struct grid_point *p)
{
    free(p->key);
    json_decref(p->axes);
    free(p->run);
}

/* Puts the seeds of a point together. */
static void grid_gather(struct grid *g)
{
    size_t n = 0;
    if (g->n > 0)
        qsort(g->point, g->n, sizeof *g->point, grid_order);
    for (size_t i = 0; i < g->n; i++) {
        struct grid_point *p = &g->point[i], *before = n > 0 ? &g->point[n - 1] : NULL;
        if (!before || strcmp(before->key, p->key) != 0) {
            g->point[n++] = *p;
            continue;
        }
        before->run = memory_resized(before->run, (size_t)before->runs + 1, sizeof *before->run, "points to compare");
        before->run[before->runs++] = *p->run;
        grid_point_fini(p);
    }
    g->n = n;
}

static bool grid_read(struct grid *g, const char *path, struct error *err)
{
    struct sweep_db db;
    if (!sweep_db_open(&db, path, err))
        return false;
    bool ok = sweep_read(&db, grid_take, g, err);
    sweep_db_close(&db);
    if (ok && g->n == 0)
        ok = error_set(err, ERROR_INPUT, "%s: no point of this sweep is done; 'contraflow sweep' runs them", path);
    grid_gather(g);
    return ok;
}

static void point_fill(struct study_compare_sweeps_point *to, enum study_compare_side side, struct grid_point *from)
{
    if (!to->axes) {
        to->axes = from->axes;
        from->axes = NULL;
    }
    to->runs[side] = from->runs;
    to->number[side] = from->number;
    for (int i = 0; i < FIGURES; i++) {
        struct estimate_running seeds = {.n = 0};
        double own2 = 0;
        for (int64_t k = 0; k < from->runs; k++) {
            own2 += from->run[k].ci95[i] * from->run[k].ci95[i];
            if (isfinite(from->run[k].figure[i]))
                estimate_add(&seeds, from->run[k].figure[i]);
        }
        struct estimate e = estimate_of(&seeds);
        double own = sqrt(own2) / (double)from->runs;
        to->value[i].mean[side] = seeds.n > 0 ? e.value : (double)NAN;
        to->value[i].ci95[side] = from->runs == 1 ? own : isfinite(e.ci95) ? fmax(e.ci95, own) : (double)NAN;
    }
}

static bool point_same_seeds(const struct grid_point *before, const struct grid_point *after)
{
    bool same = before->runs == after->runs && before->runs > 1;
    for (int64_t k = 0; same && k < before->runs; k++)
        same = before->run[k].seed == after->run[k].seed;
    return same;
}

/* The change's interval, seed by seed: what a seed brings to both sides is no part of the change. */
static void point_pair(struct study_compare_sweeps_point *to, const struct grid_point *before,
                       const struct grid_point *after)
{
    for (int i = 0; i < FIGURES; i++) {
        struct estimate_running changes = {.n = 0};
        double own2 = 0;
        for (int64_t k = 0; k < before->runs; k++) {
            const struct grid_run *was = &before->run[k], *is = &after->run[k];
            own2 += was->ci95[i] * was->ci95[i] + is->ci95[i] * is->ci95[i];
            estimate_add(&changes, is->figure[i] - was->figure[i]);
        }
        double ci95 = estimate_of(&changes).ci95; /* unknown where a seed has no such figure */
        to->value[i].paired = isfinite(ci95);
        to->value[i].change_ci95 = fmax(ci95, sqrt(own2) / (double)before->runs);
    }
}

/* Adds a point of either side or of both. */
static void sweeps_add(struct study_compare_sweeps *c, struct grid_point *before, struct grid_point *after)
{
    struct study_compare_sweeps_point *p = &c->point[c->n++];
    *p = (struct study_compare_sweeps_point){.axes = NULL};
    for (int i = 0; i < FIGURES; i++)
        p->value[i] = (struct study_compare_value){.mean = {(double)NAN, (double)NAN},
                                                      .ci95 = {(double)NAN, (double)NAN}};
    if (before)
        point_fill(p, STUDY_COMPARE_BEFORE, before);
    if (after)
        point_fill(p, STUDY_COMPARE_AFTER, after);
    if (before && after && point_same_seeds(before, after))
        point_pair(p, before, after);
    c->n_both += before && after;
    c->only[STUDY_COMPARE_BEFORE] += !after;
    c->only[STUDY_COMPARE_AFTER] += !before;
}

/* Both are in the order of their keys. */
static void compare_merge(struct study_compare_sweeps *c, struct grid *before, struct grid *after)
{
    size_t i = 0, k = 0;
    c->point = memory_zeroed(before->n + after->n, sizeof *c->point, "points to compare");
    while (i < before->n || k < after->n) {
        int order = i == before->n ? 1 : k == after->n ? -1 : strcmp(before->point[i].key, after->point[k].key);
        sweeps_add(c, order <= 0 ? &before->point[i] : NULL, order >= 0 ? &after->point[k] : NULL);
        i += order <= 0;
        k += order >= 0;
    }
}

/* Those of both sides first, as the sweep before numbers them; then what one side alone has. */
static int point_order(const void *a, const void *b)
{
    const struct study_compare_sweeps_point *x = a, *y = b;
    bool both[] = {x->runs[0] && x->runs[1], y->runs[0] && y->runs[1]};
    if (both[0] != both[1])
        return both[0] ? -1 : 1;
    if (!x->runs[0] != !y->runs[0])
        return x->runs[0] ? -1 : 1;
    int side = !x->runs[0];
    return x->number[side] < y->number[side] ? -1 : x->number[side] > y->number[side];
}

/* Means so far are sums; ends below. */
static void mean_add(struct study_compare_sweeps_mean *m, const struct study_compare_sweeps_point *p)
{
    m->n++;
    for (int i = 0; i < FIGURES; i++) {
        const struct study_compare_value *v = &p->value[i];
        if (!isfinite(study_compare_change(v)))
            continue;
        m->known[i]++;
        m->value[i].paired = true;
        m->value[i].change_ci95 += study_compare_ci95(v) * study_compare_ci95(v);
        for (int side = 0; side < STUDY_COMPARE_SIDES; side++) {
            m->value[i].mean[side] += v->mean[side];
            m->value[i].ci95[side] += v->ci95[side] * v->ci95[side];
        }
    }
}

static void mean_end(struct study_compare_sweeps_mean *m)
{
    for (int i = 0; i < FIGURES; i++) {
        m->value[i].change_ci95 = mean_of(sqrt(m->value[i].change_ci95), (double)m->known[i]);
        for (int side = 0; side < STUDY_COMPARE_SIDES; side++) {
            m->value[i].mean[side] = mean_of(m->value[i].mean[side], (double)m->known[i]);
            m->value[i].ci95[side] = mean_of(sqrt(m->value[i].ci95[side]), (double)m->known[i]);
        }
    }
}

static char *level_text(json_t *value)
{
    if (json_is_string(value))
        return memory_text("%s", json_string_value(value));
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    if (!text)
        memory_end("axes to compare");
    return text;
}

/* The mean for this value of this axis, which may be new. Values of an axis are few against points. */
static struct study_compare_sweeps_mean *level_find(struct study_compare_sweeps *c, const char *axis, json_t *value)
{
    char *text = level_text(value);
    for (size_t i = c->n_levels; i-- > 0;)
        if (strcmp(c->level[i].axis, axis) == 0 && strcmp(c->level[i].level, text) == 0) {
            free(text);
            return &c->level[i];
        }
    c->level = memory_resized(c->level, c->n_levels + 1, sizeof *c->level, "axes to compare");
    struct study_compare_sweeps_mean *m = &c->level[c->n_levels++];
    *m = (struct study_compare_sweeps_mean){.axis = axis, .level = text};
    return m;
}

/* Levels of one axis stand together, in the order of the axes; an axis with one value says what all says. */
static void levels_order(struct study_compare_sweeps *c)
{
    struct study_compare_sweeps_mean *list = memory_zeroed(c->n_levels, sizeof *list, "axes to compare");
    const char *axis;
    json_t *value;
    size_t n = 0;
    json_object_foreach(c->point[0].axes, axis, value) {
        size_t from = n;
        for (size_t i = 0; i < c->n_levels; i++)
            if (c->level[i].level && strcmp(c->level[i].axis, axis) == 0) {
                list[n++] = c->level[i];
                c->level[i].level = NULL;
            }
        if (n == from + 1)
            free(list[--n].level);
    }
    for (size_t i = 0; i < c->n_levels; i++)
        free(c->level[i].level);
    free(c->level);
    c->level = list;
    c->n_levels = n;
}

static void compare_means(struct study_compare_sweeps *c)
{
    const char *axis;
    json_t *value;
    for (size_t i = 0; i < c->n_both; i++) {
        mean_add(&c->all, &c->point[i]);
        json_object_foreach(c->point[i].axes, axis, value)
            mean_add(level_find(c, axis, value), &c->point[i]);
    }
    while (c->main + 1 < FIGURES && c->all.known[c->main] == 0)
        c->main++;
    for (size_t i = 0; i < c->n_both; i++) {
        enum study_compare_answer answer = study_compare_judge(&c->point[i].value[c->main]);
        c->all.answers[answer]++;
        json_object_foreach(c->point[i].axes, axis, value)
            level_find(c, axis, value)->answers[answer]++;
    }
    mean_end(&c->all);
    levels_order(c);
    for (size_t i = 0; i < c->n_levels; i++)
        mean_end(&c->level[i]);
}

bool study_compare_sweeps_make(struct study_compare_sweeps *c, const char *const path[STUDY_COMPARE_SIDES],
                               struct error *err)
{
    struct grid grid[STUDY_COMPARE_SIDES] = {{.n = 0}};
    bool ok = true;
    *c = (struct study_compare_sweeps){.n = 0};
    for (int side = 0; ok && side < STUDY_COMPARE_SIDES; side++)
        ok = grid_read(&grid[side], path[side], err);
    if (ok)
        compare_merge(c, &grid[STUDY_COMPARE_BEFORE], &grid[STUDY_COMPARE_AFTER]);
    if (ok && c->n_both == 0)
        ok = error_set(err, ERROR_INPUT, "%s, %s: no point has the same axes with the same values in both; the first has %s, "
                       "the second %s", path[0], path[1], grid[0].point[0].key, grid[1].point[0].key);
    if (ok) {
        qsort(c->point, c->n, sizeof *c->point, point_order);
        compare_means(c);
    } else {
        study_compare_sweeps_fini(c);
    }
    for (int side = 0; side < STUDY_COMPARE_SIDES; side++) {
        for (size_t i = 0; i < grid[side].n; i++)
            grid_point_fini(&grid[side].point[i]);
        free(grid[side].point);
    }
    return ok;
}

void study_compare_sweeps_fini(struct study_compare_sweeps *c)
{
    for (size_t i = 0; i < c->n; i++)
        json_decref(c->point[i].axes);
    free(c->point);
    for (size_t i = 0; i < c->n_levels; i++)
        free(c->level[i].level);
    free(c->level);
    *c = (struct study_compare_sweeps){.n = 0};
}
