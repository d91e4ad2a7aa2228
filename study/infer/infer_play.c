/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/save.h"
#include "study/infer/infer_parts.h"
#include "sweep/job.h"
#include "sweep/temporary.h"

#define SLOWEST 30 /* times what all bytes take one after the other through the slowest link: nobody waits longer */
#define TIMEOUTS_S 10

/* The end of a run whose flows end: sooner when all are done. */
static int64_t play_duration_ps(const struct scenario *s)
{
    double bytes = 0, start_ps = 0, rate_bps = (double)s->network.link.rate_bps;
    for (int i = 0; i < s->n_flows; i++) {
        bytes += (double)s->flows[i].bytes;
        start_ps = fmax(start_ps, (double)s->flows[i].start_ps);
    }
    if (s->network.topology != EMU_TOPOLOGY_STAR)
        rate_bps = fmin(rate_bps, (double)s->network.backbone.rate_bps);
    return (int64_t)fmin((double)SCENARIO_DURATION_PS,
                         start_ps + (SLOWEST * 8 * bytes / rate_bps + TIMEOUTS_S) * (double)UNITS_PS_PER_S);
}

/* Starts, messages and the end of a run. */
static void play_times(const struct infer_play *p, struct scenario *s)
{
    bool ends = true;
    struct random random = random_of(p->seed);
    for (int i = 0; i < s->n_flows; i++) {
        s->flows[i].start_ps += scenario_draw_start(s, &random);
        ends = ends && s->flows[i].bytes > 0;
    }
    if (!ends)
        return;
    s->duration_ps = play_duration_ps(s);
    s->duration_ps = p->messages < SCENARIO_DURATION_PS / s->duration_ps ? p->messages * s->duration_ps
                                                                         : SCENARIO_DURATION_PS;
    s->warmup_ps = 0;
    s->barrier = p->messages > 1;
    for (int i = 0; i < s->n_flows; i++)
        s->flows[i].repeat = p->messages;
}

/* A pattern as a scenario, its flows changed by the hypothesis; *s owns its flows alone. */
static bool play_scenario(const struct infer_play *p, struct scenario *s, struct error *err)
{
    bool capture = p->pattern->replay;
    if (capture) {
        *s = *p->base;
        s->flows = memory_zeroed(p->pattern->n, sizeof *s->flows, "flows");
        memcpy(s->flows, p->base->flows, p->pattern->n * sizeof *s->flows);
        s->n_flows = (int)p->pattern->n;
    } else {
        study_measurement_scenario(p->pattern, p->host, p->base, s);
        play_times(p, s);
    }
    s->seed = p->seed;
    bool relative = capture || p->pattern->flows[0].window_bytes > 0;
    if (study_hypothesis_apply(p->is, p->value, relative, s, err))
        return true;
    free(s->flows);
    s->flows = NULL;
    return false;
}

/* What a run says of its flows, as the measurement does. */
static void play_take(const struct infer_play *p, const struct results_summary *summary, double duration_s)
{
    const struct results_flow *flows = summary->flows;
    double again = 0, bytes = 0;
    for (size_t i = 0; p->pauses && i < summary->n_ports; i++)
        *p->pauses += fmax((double)summary->ports[i].pauses_received, 0);
    for (size_t i = 0; i < p->pattern->n; i++) {
        again += (double)flows[i].retransmitted_bytes;
        bytes += (double)flows[i].bytes;
    }
    if (p->resent)
        *p->resent = again / fmax(bytes, 1);
    for (size_t i = 0; i < p->pattern->n; i++) {
        const struct study_measurement_flow *f = &p->pattern->flows[i];
        double s = results_flow_time_s(&flows[i]);
        double bps = f->life || !isfinite(flows[i].steady_goodput_bps) ? flows[i].goodput_bps
                                                                        : flows[i].steady_goodput_bps;
        if (f->bytes > 0)
            p->out[i] = log(flows[i].done && s > 0 ? s : duration_s);
        else
            p->out[i] = -log(bps >= 1 ? bps : 1);
    }
}

/* A closed model. It has no answer for patterns outside its domain. */
static bool play_model(const struct infer_play *p, struct error *err)
{
    struct scenario s;
    MEMORY_ENDS(study_prediction_fini) struct study_prediction made = {.model = NULL};
    if (!play_scenario(p, &s, err))
        return false;
    MEMORY_ENDS(scenario_pattern_fini) struct scenario_pattern pattern;
    double first_s = study_measurement_first_s(p->pattern);
    for (int i = 0; i < s.n_flows && !p->pattern->replay; i++)
        s.flows[i].start_ps = study_measurement_start_ps(&p->pattern->flows[i], first_s);
    bool ok = scenario_pattern_init(&pattern, &s, err);
    ok = ok && study_models_predict(&made, p->is->model, &pattern, &(struct study_prediction_options){0}, err);
    for (size_t i = 0; ok && i < p->pattern->n; i++)
        p->out[i] = p->pattern->flows[i].bytes > 0
                        ? log(made.completion_s[i] - pattern.transfers[i].start_s)
                        : -log(isfinite(pattern.transfers[i].bytes)
                                   ? study_prediction_mean_bps(&made, &pattern.transfers[i], i)
                                   : made.first_bps[i]);
    free(s.flows);
    return ok;
}

struct play_pool {
    struct study_infer *x;
    struct infer_play *plays;
    size_t n, next, done;
    char *directory; /* owned */
    struct error *err;
    bool failed;
    double *duration_s; /* owned; of each play */
};

static struct sweep_engines_job *pool_next(void *user)
{
    struct play_pool *pool = user;
    while (pool->next < pool->n && pool->plays[pool->next].is->model)
        pool->next++;
    if (pool->failed || pool->next == pool->n)
        return NULL;
    struct scenario s;
    size_t size, i = pool->next++;
    char *yaml = NULL, *directory MEMORY_LOCAL = memory_text("%s/%zu", pool->directory, i);
    struct sweep_job *j = NULL;
    if (play_scenario(&pool->plays[i], &s, pool->err)) {
        FILE *f = memory_stream(&yaml, &size);
        bool ok = scenario_write(&s, f, NULL, pool->err);
        memory_stream_end(f, &yaml);
        pool->duration_s[i] = (double)s.duration_ps / (double)UNITS_PS_PER_S;
        j = ok ? sweep_job_new((int64_t)i, directory, yaml, pool->plays[i].engine, pool->err) : NULL;
        MEMORY_FREE(s.flows, yaml);
    }
    if (j)
        j->job.label = pool->plays[i].is->text;
    if (j && pool->plays[i].pattern->replay)
        j->job.option = pool->plays[i].pattern->replay->frames;
    pool->failed = !j;
    return j ? &j->job : NULL;
}

static bool pool_done(void *user, struct sweep_engines_job *job)
{
    struct play_pool *pool = user;
    struct sweep_job *j = (struct sweep_job *)job;
    MEMORY_ENDS(results_summary_fini) struct results_summary summary;
    sweep_job_take(j, &summary);
    struct infer_play *p = &pool->plays[j->number];
    if (job->state == SWEEP_ENGINES_DONE && summary.n_flows == p->pattern->n) {
        play_take(p, &summary, pool->duration_s[j->number]);
        p->played = true;
        pool->done++;
        pool->x->emulations++;
    } else if (job->state != SWEEP_ENGINES_STOPPED && !pool->failed) {
        *pool->err = job->error;
        error_prefix(pool->err, "hypothesis '%s': ", p->is->text);
        pool->failed = true;
    }
    sweep_job_free(j);
    return !pool->failed;
}

static void pool_show(void *user, double elapsed_s)
{
    const struct play_pool *pool = user;
    pool->x->options.show(pool->x->options.user, pool->done, pool->n, elapsed_s);
}

bool infer_play_all(struct study_infer *x, struct infer_play *plays, size_t n, struct error *err)
{
    struct play_pool pool = {.x = x, .plays = plays, .n = n, .err = err,
                             .duration_s = memory_zeroed(n, sizeof *pool.duration_s, "emulations")};
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        if (plays[i].is->model)
            ok = plays[i].played = play_model(&plays[i], err);
    ok = ok && (pool.directory = sweep_temporary_begin("infer", err)) != NULL;
    if (ok) {
        struct sweep_engines_source source = {pool_next, pool_done, x->options.show ? pool_show : NULL, &pool,
                                              x->options.until_s};
        x->signal = sweep_engines_pool(&source, (int)x->options.jobs);
    }
    sweep_temporary_end(pool.directory);
    free(pool.duration_s);
    return ok && !pool.failed;
}
