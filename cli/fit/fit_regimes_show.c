/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/order.h"
#include "cli/fit/fit_show.h"
#include "results/json.h"
#include "study/fit/fit_regimes.h"

#include "model/loss_trace.h"
#include "view/table.h"

#define NEAREST 10 /* at most so many points that disagree are shown */

static void print_counts(const struct study_fit_regimes *r)
{
    struct view_table t = view_table_with(MODEL_REGIMES);
    view_table_add(&t, "closed form");
    for (int observed = 0; observed < MODEL_REGIME_UNKNOWN; observed++)
        view_table_add(&t, "%s", model_regime_name((enum model_regime)observed));
    for (int predicted = 0; predicted < MODEL_REGIMES; predicted++) {
        int64_t any = 0;
        for (int observed = 0; observed < MODEL_REGIMES; observed++)
            any += r->count[predicted][observed];
        if (any == 0)
            continue;
        view_table_add(&t, "%s", model_regime_name((enum model_regime)predicted));
        for (int observed = 0; observed < MODEL_REGIME_UNKNOWN; observed++)
            view_table_add(&t, "%" PRId64, r->count[predicted][observed]);
    }
    view_table_print(&t, "  ", 1, stdout);
}

struct quantiles {
    size_t n;
    double median, p90, max;
};

static struct quantiles quantiles(double *value, size_t n)
{
    if (n == 0)
        return (struct quantiles){.median = NAN, .p90 = NAN, .max = NAN};
    qsort(value, n, sizeof *value, estimate_ascending);
    return (struct quantiles){n, value[n / 2], value[n * 9 / 10], value[n - 1]};
}

/* Prints how far rates are from the closed form, and how much they differ by seed where segments were lost. */
static void regimes_print_rates(const struct study_fit_regimes *r)
{
    MEMORY_LOCAL double *error = memory_zeroed(r->n, sizeof *error, "rates of points");
    MEMORY_LOCAL double *in = memory_zeroed(r->n, sizeof *in, "rates of points");
    MEMORY_LOCAL double *out = memory_zeroed(r->n, sizeof *out, "rates of points");
    size_t errors = 0, lossy = 0;
    int64_t runs = 0;
    for (size_t i = 0; i < r->n; i++) {
        const struct study_fit_regimes_point *p = &r->point[i];
        if (isfinite(p->rate_error) && p->predicted.regime == study_fit_regimes_most(p))
            error[errors++] = p->rate_error;
        if (p->observed[MODEL_REGIME_LOSS] == 0 || p->runs < 2)
            continue;
        runs = runs == 0 || p->runs < runs ? p->runs : runs;
        in[lossy] = estimate_deviation(&p->rate[0].rate_bps) / p->rate[0].rate_bps.mean;
        out[lossy++] = estimate_deviation(&p->rate[1].rate_bps) / p->rate[1].rate_bps.mean;
    }
    if (errors > 0) {
        struct quantiles q = quantiles(error, errors);
        printf("  rates of %zu points that agree: off the closed form by %.2g %% (median), %.2g %% (90 %%), %.2g %% "
               "(at most)\n", q.n, 100 * q.median, 100 * q.p90, 100 * q.max);
    }
    if (lossy > 0) {
        struct quantiles i = quantiles(in, lossy), o = quantiles(out, lossy);
        printf("  spread of a flow's rate over %" PRId64 " seeds or more at %zu points with losses, sd / mean:\n"
               "    in %.0f %% (median), %.0f %% (90 %%); out %.0f %%, %.0f %%\n", runs, lossy, 100 * i.median,
               100 * i.p90, 100 * o.median, 100 * o.p90);
    }
}

static ORDER_OF(by_margin, struct study_fit_regimes_point *const,
                ORDER_TWO(fabs((*a)->predicted.margin_bytes), fabs((*b)->predicted.margin_bytes)))

static void print_disagreeing(const struct study_fit_regimes *r)
{
    MEMORY_LOCAL const struct study_fit_regimes_point **point = memory_zeroed(r->n, sizeof *point, "points of regimes");
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (r->point[i].predicted.regime != MODEL_REGIME_UNKNOWN &&
            r->point[i].predicted.regime != study_fit_regimes_most(&r->point[i]))
            point[n++] = &r->point[i];
    }
    qsort(point, n, sizeof(const struct study_fit_regimes_point *), by_margin);
    if (n > 0) {
        printf("\n%zu points disagree; nearest to a full queue:\n", n);
        struct view_table t = view_table_of("point|closed form|seen|runs|margin kB|in Mb/s|out Mb/s");
        for (size_t i = 0; i < n && i < NEAREST; i++) {
            const struct study_fit_regimes_point *p = point[i];
            enum model_regime most = study_fit_regimes_most(p);
            MEMORY_LOCAL char *label = sweep_axes_label(p->axes);
            view_table_add(&t, "%s", label);
            view_table_add(&t, "%s|%s|%" PRId64 "/%" PRId64 "|%f|%f|%f", model_regime_name(p->predicted.regime),
                           model_regime_name(most), p->observed[most], p->runs, p->predicted.margin_bytes / 1e3,
                           p->rate[0].rate_bps.mean / 1e6, p->rate[1].rate_bps.mean / 1e6);
        }
        view_table_print(&t, "  ", 3, stdout);
    }
}

void cli_fit_regimes_print(const void *state)
{
    const struct study_fit_regimes *r = state;
    struct model_loss_proportion p = model_loss_trace_proportion(r->agree, r->known);
    printf("Regimes of %zu points (%" PRId64 " runs), as seen in columns:\n", r->n, r->runs);
    print_counts(r);
    if (r->known == 0)
        printf("  no point has a closed form\n");
    else
        printf("  agreement %.2f %% [%.2f, %.2f] of %" PRId64 " points with a closed form; %zu have none\n",
               100 * p.value, 100 * p.low, 100 * p.high, r->known, r->n - (size_t)r->known);
    printf("  seeds of a point all have the same verdict at %" PRId64 " points\n", r->one_verdict);
    regimes_print_rates(r);
    print_disagreeing(r);
}

static json_t *spread_json(const struct study_fit_regimes_spread *s, int64_t runs)
{
    return results_json("mean:f sd:f min:f max:f jain:f", s->rate_bps.mean, estimate_deviation(&s->rate_bps),
                        s->min_bps, s->max_bps, s->jain / (double)runs);
}

static json_t *regimes_point_json(const struct study_fit_regimes_point *p)
{
    json_t *observed = json_object();
    for (int i = 0; i < MODEL_REGIME_UNKNOWN; i++) {
        if (p->observed[i] > 0)
            json_object_set_new(observed, model_regime_name((enum model_regime)i), json_integer(p->observed[i]));
    }
    const struct model_regime_answer *a = &p->predicted;
    json_t *predicted = results_json("in:f out:f", a->in_bps, a->out_bps);
    return results_json("source:s axes:o in:i out:i runs:l predicted:s why:t margin_bytes:f predicted_bps:o observed:o "
                        "most:s rate_error:f retransmitted_segments:f in_bps:o out_bps:o", p->source,
                        json_incref(p->axes), p->incoming, p->outgoing, p->runs, model_regime_name(a->regime), p->why,
                        a->margin_bytes, predicted, observed, model_regime_name(study_fit_regimes_most(p)),
                        p->rate_error, p->retransmitted, spread_json(&p->rate[0], p->runs),
                        spread_json(&p->rate[1], p->runs));
}

json_t *cli_fit_regimes_json(const void *state)
{
    const struct study_fit_regimes *r = state;
    struct model_loss_proportion p = model_loss_trace_proportion(r->agree, r->known);
    json_t *points = json_array();
    for (size_t i = 0; i < r->n; i++)
        json_array_append_new(points, regimes_point_json(&r->point[i]));
    return results_json("runs:l agreement:o points:o", r->runs,
                        results_json("points:l agree:l value:f low:f high:f", r->known, r->agree, p.value, p.low,
                                     p.high), points);
}
