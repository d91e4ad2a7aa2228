/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/fit/fit_read.h"

#include "base/filekind.h"
#include "base/text.h"
#include "foreign/read.h"
#include "study/verdict/judge.h"

#define PART(NAME, name) [STUDY_FIT_##NAME] = &study_fit_##name##_part,
const struct study_fit_part *const study_fit_parts[STUDY_FIT_PARTS] = {STUDY_FIT_ROWS(PART)};

char *study_fit_group(const json_t *axes, const char *const *without, int64_t seed)
{
    json_auto_t *rest = json_copy((json_t *)(uintptr_t)axes);
    for (; *without; without++)
        json_object_del(rest, *without);
    if (seed >= 0)
        json_object_set_new(rest, "seed", json_integer(seed));
    return json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS);
}

void study_fit_read_start(struct study_fit_read *f)
{
    *f = (struct study_fit_read){0};
    for (int i = 0; i < STUDY_FIT_PARTS; i++)
        f->state[i] = memory_zeroed(1, study_fit_parts[i]->size, "a part of a fit");
}

void study_fit_read_free(struct study_fit_read *f)
{
    for (int i = 0; i < STUDY_FIT_PARTS; i++) {
        if (f->state[i])
            study_fit_parts[i]->fini(f->state[i]);
        free(f->state[i]);
    }
    study_measurement_fini(&f->foreign);
    *f = (struct study_fit_read){0};
}

static bool fit_read_point(void *user, const struct sweep_result *r, struct error *err)
{
    struct study_fit_read *f = user;
    bool ok = true;
    f->seen++;
    for (int i = 0; ok && i < STUDY_FIT_PARTS; i++)
        ok = !study_fit_parts[i]->take || study_fit_parts[i]->take(f->state[i], f->source, r, err);
    if (f->progress)
        f->progress(f->user, f->seen);
    return ok;
}

static bool fit_read_resources(void *user, const char *source, const char *run UNUSED,
                               const struct analysis_resources *resources, struct error *err UNUSED)
{
    struct study_fit_read *f = user;
    f->seen++;
    for (int i = 0; resources && i < STUDY_FIT_PARTS; i++)
        if (study_fit_parts[i]->take_resources)
            study_fit_parts[i]->take_resources(f->state[i], source, resources);
    return true;
}

/* What was measured of a flow, as a run would have it. */
static struct results_flow fit_measured_flow(const struct study_measurement_flow *f)
{
    struct results_flow flow;
    results_columns_clear(&results_flow_columns, &flow);
    double value = exp(f->log.mean), half = estimate_of(&f->log).ci95;
    flow.bytes = f->bytes;
    flow.retransmitted_segments = 0;
    flow.done = flow.connected = true;
    if (f->bytes > 0) {
        flow.message_s = value;
        flow.message_ci95_s = value * half; /* of a logarithm, to first order */
    } else {
        flow.goodput_bps = flow.steady_goodput_bps = 1 / value;
        flow.steady_ci95_bps = half / value;
    }
    return flow;
}

/* A pattern as a point of a sweep, whose scenario says who sent what. */
static bool fit_read_pattern(struct study_fit_read *f, const struct study_measurement_pattern *p, const int *number,
                             int64_t point, struct error *err)
{
    struct scenario s;
    MEMORY_LOCAL int (*host)[2] = memory_zeroed(p->n, sizeof *host, "hosts");
    MEMORY_LOCAL struct results_flow *flows = memory_zeroed(p->n, sizeof *flows, "measured flows");
    for (size_t i = 0; i < p->n; i++) {
        host[i][0] = number[p->flows[i].from];
        host[i][1] = number[p->flows[i].to];
        flows[i] = fit_measured_flow(&p->flows[i]);
    }
    study_measurement_scenario(p, (const int (*)[2])host, f->network, &s);
    json_auto_t *axes = json_object(); /* nothing was varied */
    const struct sweep_result r = {.number = point, .seed = 0, .axes = axes, .engine = "measured", .scenario = &s,
                                   .flows = flows};
    bool ok = fit_read_point(f, &r, err);
    free(s.flows);
    return ok;
}

static bool fit_read_measurement(struct study_fit_read *f, const struct study_measurement *m, const char *path,
                                 struct error *err)
{
    MEMORY_LOCAL int *number = NULL;
    bool ok = study_measurement_hosts(m, NULL, f->network, &number, err) || error_prefix(err, "%s: ", path);
    for (size_t p = 0; ok && p < m->n; p++)
        ok = !m->patterns[p].scenario_path ||
             error_set(err, ERROR_INPUT, "%s: pattern '%s' has a scenario of its own, which 'contraflow infer' reads",
                       path, m->patterns[p].name);
    for (size_t p = 0; ok && p < m->n; p++)
        ok = fit_read_pattern(f, &m->patterns[p], number, (int64_t)p + 1, err);
    return ok;
}

bool study_fit_read_source(struct study_fit_read *f, const char *path, struct error *err)
{
    const struct study_judge_options options = study_judge_options_default();
    f->source = path;
    f->seen = 0;
    enum filekind kind;
    if (!filekind_read(path, &kind, err))
        return false;
    if (f->network && (kind == FILEKIND_UNKNOWN || kind == FILEKIND_CAPTURE) && foreign_read_is(path)) {
        f->foreign_source = f->foreign_source ? f->foreign_source : path;
        return study_measurement_read_foreign(&f->foreign, path, false, err);
    }
    /* A table has a name that says so: anything else that is nothing known is left to whoever reads runs and captures. */
    if (kind == FILEKIND_UNKNOWN && f->network && text_ends(path, ".csv")) {
        MEMORY_ENDS(study_measurement_fini) struct study_measurement m = {.n = 0};
        f->tables++;
        return study_measurement_read_csv(&m, path, err) && fit_read_measurement(f, &m, path, err);
    }
    if (kind != FILEKIND_DATABASE)
        return study_judge_source(path, &options, f->listener, fit_read_resources, f, err);
    MEMORY_ENDS(sweep_db_close) struct sweep_db db;
    return sweep_db_open(&db, path, err) && sweep_read(&db, fit_read_point, f, err) &&
           (f->seen > 0 || error_set(err, ERROR_INPUT, "%s: no point of this sweep is done; 'contraflow sweep' runs them",
                                     path));
}

bool study_fit_read_has(const struct study_fit_read *f, enum study_fit_kind part)
{
    return *(const size_t *)(const void *)((const char *)f->state[part] + study_fit_parts[part]->points) > 0;
}

bool study_fit_read_end(struct study_fit_read *f, struct error *err)
{
    f->source = f->foreign.n > 0 ? f->foreign_source : f->source;
    bool ok = f->foreign.n == 0 || fit_read_measurement(f, &f->foreign, f->foreign_source, err);
    study_measurement_fini(&f->foreign);
    for (int i = 0; ok && i < STUDY_FIT_PARTS; i++)
        if (study_fit_read_has(f, (enum study_fit_kind)i))
            study_fit_parts[i]->fit(f->state[i]);
    return ok;
}
