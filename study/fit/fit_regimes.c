/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/fit/fit_regimes.h"

#include "analysis/rules/check.h"
#include "base/memory.h"
#include "study/run_network.h"

static void regimes_fini(void *state)
{
    struct study_fit_regimes *r = state;
    for (size_t i = 0; i < r->n; i++) {
        free(r->point[i].source);
        json_decref(r->point[i].axes);
    }
    free(r->point);
}

static bool regimes_other_axes(json_t *axes)
{
    const char *key;
    json_t *value;
    json_object_foreach(axes, key, value)
    {
        if (strcmp(key, "traffic.star.incoming") != 0 && strcmp(key, "traffic.star.outgoing") != 0)
            return true;
    }
    return false;
}

/* The point that a run belongs to: the seeds of one point follow each other. */
static struct study_fit_regimes_point *regimes_point(struct study_fit_regimes *r, const char *source,
                                                     const struct sweep_result *result)
{
    struct study_fit_regimes_point *p = r->n > 0 ? &r->point[r->n - 1] : NULL;
    if (p && strcmp(p->source, source) == 0 && json_equal(p->axes, result->axes))
        return p;
    r->point = memory_grown(r->point, r->n, &r->capacity, 64, sizeof *r->point, "points of regimes");
    p = &r->point[r->n++];
    *p = (struct study_fit_regimes_point){.source = memory_text("%s", source), .axes = json_deep_copy(result->axes)};
    for (int i = 0; i < STUDY_FIT_REGIMES_CLASSES; i++)
        p->rate[i] = (struct study_fit_regimes_spread){.min_bps = INFINITY, .max_bps = -INFINITY};
    struct model_regime_setup setup;
    p->why = study_regime_setup(result->scenario, &setup);
    if (!p->why && !model_regime(&setup, ANALYSIS_CHECK_TOLERANCE, &p->predicted))
        p->why = "windows below a segment";
    if (p->why)
        p->predicted = (struct model_regime_answer){
            .regime = MODEL_REGIME_UNKNOWN, .in_bps = NAN, .out_bps = NAN, .margin_bytes = NAN, .why = p->why,
        };
    p->why = p->predicted.why;
    p->incoming = setup.incoming;
    p->outgoing = setup.outgoing;
    return p;
}

/* One run's flows of a direction: sums over runs, and how fairly these shared. */
static void regimes_add(struct study_fit_regimes_spread *s, const struct analysis_check_flow *flows, int n,
                        bool incoming)
{
    double sum = 0, squares = 0;
    int of = 0;
    for (int i = 0; i < n; i++) {
        if (flows[i].incoming != incoming)
            continue;
        double x = flows[i].rate_bps;
        estimate_add(&s->rate_bps, x);
        s->min_bps = fmin(s->min_bps, x);
        s->max_bps = fmax(s->max_bps, x);
        sum += x;
        squares += x * x;
        of++;
    }
    s->jain += of > 0 ? sum * sum / (of * squares) : (double)NAN;
}

static bool regimes_take(void *state, const char *source, const struct sweep_result *result, struct error *err)
{
    struct study_fit_regimes *r = state;
    const struct scenario *s = result->scenario;
    (void)err;
    if (!study_regime_setup_is_star(s) || !regimes_other_axes(result->axes))
        return true;
    struct study_fit_regimes_point *p = regimes_point(r, source, result);
    MEMORY_LOCAL struct analysis_check_flow *flows = memory_zeroed((size_t)s->n_flows, sizeof *flows, "the flows of a run");
    for (int i = 0; i < s->n_flows; i++) {
        const struct results_flow *f = &result->flows[i];
        const struct emu_tcp_config *tcp = &s->flows[i].tcp;
        double segment = (double)tcp->segment_bytes, window = floor(study_run_network_window(tcp) / segment) * segment;
        double rate = results_flow_rate_bps(f, s->flows[i].bytes);
        flows[i] = (struct analysis_check_flow){
            .incoming = s->flows[i].to == 0,
            .rate_bps = rate > 1 ? rate : 1, /* a starved flow has a rate, if none to speak of */
            .ci95_bps = results_flow_ci95_bps(f, s->flows[i].bytes),
            .window_bytes = window,
            .buffer_bytes = window,
            .retransmitted_segments = f->retransmitted_segments,
            .loss_events = ANALYSIS_CHECK_LOSS_UNKNOWN,
        };
        p->retransmitted += f->retransmitted_segments > 0 ? (double)f->retransmitted_segments : 0;
    }
    struct analysis_judgement judgement;
    struct model_link link = study_run_network_link(s);
    analysis_check_resource(flows, (size_t)s->n_flows, &link, ANALYSIS_CHECK_TOLERANCE, &judgement);
    p->observed[judgement.verdict]++;
    p->runs++;
    regimes_add(&p->rate[0], flows, s->n_flows, true);
    regimes_add(&p->rate[1], flows, s->n_flows, false);
    return true;
}

enum model_regime study_fit_regimes_most(const struct study_fit_regimes_point *p)
{
    int most = 0;
    for (int i = 1; i < MODEL_REGIMES; i++)
        most = p->observed[i] > p->observed[most] ? i : most;
    return (enum model_regime)most;
}

static double regimes_rate_error(const struct study_fit_regimes_point *p)
{
    return fmax(fabs(p->rate[0].rate_bps.mean / p->predicted.in_bps - 1),
                fabs(p->rate[1].rate_bps.mean / p->predicted.out_bps - 1));
}

static void regimes_fit(void *state)
{
    struct study_fit_regimes *r = state;
    for (size_t i = 0; i < r->n; i++) {
        struct study_fit_regimes_point *p = &r->point[i];
        enum model_regime predicted = p->predicted.regime, most = study_fit_regimes_most(p);
        r->runs += p->runs;
        r->count[predicted][most]++;
        r->known += predicted != MODEL_REGIME_UNKNOWN;
        r->agree += predicted == most;
        r->one_verdict += p->observed[most] == p->runs;
        p->rate_error = isfinite(p->predicted.in_bps) ? regimes_rate_error(p) : (double)NAN;
    }
}

STUDY_FIT_PART(regimes, n);
