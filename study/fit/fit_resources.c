/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/fit/fit_resources.h"

#include "study/run_network.h"

static void resources_free_point(struct study_fit_point *p)
{
    MEMORY_FREE(p->source, p->label, p->flows);
    json_decref(p->axes);
}

static void resources_fini(void *state)
{
    struct study_fit_resources *r = state;
    for (size_t i = 0; i < r->n; i++)
        resources_free_point(&r->points[i]);
    for (size_t i = 0; i < r->n_groups; i++) {
        MEMORY_FREE(r->groups[i].all.index, r->groups[i].all.best, r->groups[i].loss_free.index,
                    r->groups[i].loss_free.best);
    }
    for (size_t i = 0; i < r->n_diagnosed; i++)
        free(r->diagnosed[i].source);
    MEMORY_FREE(r->diagnosed, r->points, r->groups);
}

static size_t resources_group(struct study_fit_resources *r, const char *name, double rate_bps)
{
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct study_fit_group *g = &r->groups[i];
        bool same_rate = fabs(g->rate_bps - rate_bps) < 1 || (isnan(g->rate_bps) && isnan(rate_bps));
        if (strcmp(g->name, name) == 0 && same_rate)
            return i;
    }
    r->groups = memory_resized(r->groups, r->n_groups + 1, sizeof *r->groups, "what flows share");
    struct study_fit_group *g = &r->groups[r->n_groups];
    *g = (struct study_fit_group){.rate_bps = rate_bps, .equal_windows = true};
    snprintf(g->name, sizeof g->name, "%s", name);
    return r->n_groups++;
}

/* A new point with room for n flows. */
static struct study_fit_point *resources_add_point(struct study_fit_resources *r, const char *name, double rate_bps,
                                                   const char *source, size_t n)
{
    r->points = memory_resized(r->points, r->n + 1, sizeof *r->points, "the points of a fit");
    struct study_fit_point *p = &r->points[r->n++];
    *p = (struct study_fit_point){
        .link = model_link_default(),
        .measurement = r->measurements,
        .source = memory_text("%s", source),
        .flows = memory_zeroed(n, sizeof *p->flows, "the flows of a point"),
        .group = resources_group(r, name, rate_bps),
    };
    r->taken++;
    return p;
}

static void resources_add_flow(struct study_fit_point *p, const struct analysis_fit_flow *f, double ci95_bps)
{
    size_t *n = f->incoming ? &p->n_in : &p->n_out;
    double *mean = f->incoming ? &p->in_bps : &p->out_bps, *ci95 = f->incoming ? &p->in_ci95_bps : &p->out_ci95_bps;
    p->flows[p->n_in + p->n_out] = *f;
    ++*n;
    *mean += f->rate_bps;
    *ci95 = hypot(*ci95, ci95_bps);
}

/* From sums to means. Flows are taken as independent, which they are not quite: single intervals give no more. */
static void resources_end_point(struct study_fit_point *p)
{
    p->in_bps /= (double)p->n_in;
    p->out_bps /= (double)p->n_out;
    p->in_ci95_bps /= (double)p->n_in;
    p->out_ci95_bps /= (double)p->n_out;
}

enum way { WAY_NONE, WAY_IN, WAY_OUT };

#define BACKBONE "sw0-sw1" /* of a tree without a root, seen from rack 0: what goes to rack 1 is outgoing */

static int resources_rack(const struct scenario *s, int host)
{
    return s->network.topology == EMU_TOPOLOGY_TREE && !s->network.root && host >= s->network.racks[0];
}

/* host -1: the backbone. */
static enum way resources_way(const struct scenario *s, const struct scenario_flow *f, int host)
{
    if (host >= 0)
        return f->to == host ? WAY_IN : f->from == host ? WAY_OUT : WAY_NONE;
    int from = resources_rack(s, f->from), to = resources_rack(s, f->to);
    return from == to ? WAY_NONE : to == 0 ? WAY_IN : WAY_OUT;
}

/* What a flow over a backbone can have for reasons of its own: its part of either host's link. */
static double resources_limit(const struct scenario *s, int flow, int host, const struct model_link *link)
{
    const struct scenario_flow *f = &s->flows[flow];
    int from = 0, to = 0;
    if (host >= 0)
        return (double)INFINITY;
    for (int i = 0; i < s->n_flows; i++) {
        from += s->flows[i].from == f->from;
        to += s->flows[i].to == f->to;
    }
    return model_degree_goodput_bps(link, 0) / fmax(from, to);
}

/* Rules of one full link hold where whole segments of the windows, in an empty round trip, come to more than it
 * carries in the busier direction. Of what was measured elsewhere the empty round trip is not known. */
static bool resources_filled(const struct sweep_result *result, int host, struct model_link link, double rate_bps)
{
    const struct scenario *s = result->scenario;
    double in = 0, out = 0;
    link.rate_bps = rate_bps;
    for (int i = 0; i < s->n_flows; i++) {
        if (isnan(result->flows[i].floor_s))
            return true;
        double window = floor(study_run_network_window(&s->flows[i].tcp) / link.segment_bytes) * link.segment_bytes;
        *(resources_way(s, &s->flows[i], host) == WAY_IN ? &in : &out) += 8 * window / result->flows[i].floor_s;
    }
    return fmax(in, out) >= model_degree_goodput_bps(&link, 0);
}

static void resources_take_as(struct study_fit_resources *r, const char *source, const struct sweep_result *result,
                              int host)
{
    const struct scenario *s = result->scenario;
    char name[32];
    for (int i = 0; i < s->n_flows; i++)
        if (resources_way(s, &s->flows[i], host) == WAY_NONE)
            return;
    snprintf(name, sizeof name, "h%d", host);
    struct model_link link = study_run_network_link(s);
    double rate_bps = host < 0 ? (double)s->network.backbone.rate_bps : link.rate_bps;
    struct study_fit_point *p =
        resources_add_point(r, host < 0 ? BACKBONE : name, rate_bps, source, (size_t)s->n_flows);
    p->label = sweep_axes_label(result->axes);
    p->axes = json_deep_copy(result->axes);
    p->link = link;
    p->unfilled = !resources_filled(result, host, link, rate_bps);
    p->number = result->number;
    p->seed = result->seed;
    for (int i = 0; i < s->n_flows; i++) {
        const struct results_flow *f = &result->flows[i];
        struct analysis_fit_flow flow = {
            .incoming = resources_way(s, &s->flows[i], host) == WAY_IN,
            .rate_bps = results_flow_rate_bps(f, s->flows[i].bytes),
            .window_bytes = study_run_network_window(&s->flows[i].tcp),
            .limit_bps = resources_limit(s, i, host, &link),
        };
        resources_add_flow(p, &flow, results_flow_ci95_bps(f, s->flows[i].bytes));
        p->lossy = p->lossy || f->retransmitted_segments > 0;
    }
    resources_end_point(p);
}

static bool resources_take(void *state, const char *source, const struct sweep_result *result, struct error *err UNUSED)
{
    struct study_fit_resources *r = state;
    const struct scenario *s = result->scenario;
    bool starved = false;
    if (s->traffic != SCENARIO_TRAFFIC_FLOWS || !scenario_has_streams(s) || s->n_flows == 0)
        return true;
    for (int i = 0; i < s->n_flows; i++) {
        if (s->flows[i].bytes > 0)
            return true;
        starved = starved || !(results_flow_rate_bps(&result->flows[i], s->flows[i].bytes) > 0);
    }
    if (starved) {
        r->starved++;
        r->taken++;
        return true;
    }
    r->measurements++;
    resources_take_as(r, source, result, s->flows[0].to);
    resources_take_as(r, source, result, s->flows[0].from);
    resources_take_as(r, source, result, -1);
    return true;
}

/* Notes the diagnosis. Is the link full in neither direction, by its rate or as something else holds the flows? */
static bool resources_empty(struct study_fit_resources *r, const char *source, const struct analysis_resource *host)
{
    const struct judge_diagnosis *d = &host->diagnosis;
    bool known = d->in.source != JUDGE_CAPACITY_UNKNOWN || d->out.source != JUDGE_CAPACITY_UNKNOWN ||
                 d->cause == JUDGE_CAUSE_APPLICATION || d->cause == JUDGE_CAUSE_RECEIVER ||
                 d->cause == JUDGE_CAUSE_WINDOW;
    r->diagnosed = memory_resized(r->diagnosed, r->n_diagnosed + 1, sizeof *r->diagnosed, "the hosts of a fit");
    struct study_fit_diagnosed *x = &r->diagnosed[r->n_diagnosed++];
    *x = (struct study_fit_diagnosed){memory_text("%s", source), *host, known && !d->in.saturated && !d->out.saturated};
    x->host.flows = NULL;
    x->host.n = 0;
    r->taken += x->empty;
    return x->empty;
}

static void resources_take_hosts(void *state, const char *source, const struct analysis_resources *resources)
{
    struct study_fit_resources *r = state;
    for (size_t i = 0; i < resources->n; i++) {
        const struct analysis_resource *host = &resources->resource[i];
        if (host->diagnosed && resources_empty(r, source, host))
            continue;
        r->measurements++;
        struct study_fit_point *p = resources_add_point(r, host->host, (double)NAN, source, host->n);
        p->label = memory_text("%s %zu/%zu", source, host->judgement.indegree, host->judgement.outdegree);
        for (size_t k = 0; k < host->n; k++) {
            const struct analysis_check_flow *f = &host->flows[k];
            struct analysis_fit_flow flow = {f->incoming, f->rate_bps, f->window_bytes, (double)INFINITY};
            resources_add_flow(p, &flow, f->ci95_bps);
            p->lossy = p->lossy || (f->loss_events == ANALYSIS_CHECK_LOSS_UNKNOWN ? f->retransmitted_segments > 0
                                                                                   : f->loss_events > 0);
        }
        resources_end_point(p);
    }
}

/* Of several ways to see a measurement - one flow alone shares its sender's link as much as its receiver's - the one
 * that most measurements have; the first of those. The others go, and what does not fill its link. */
static void resources_settle(struct study_fit_resources *r)
{
    size_t kept = 0, n = 0;
    for (size_t i = 0; i < r->n; i++)
        r->groups[r->points[i].group].points++;
    for (size_t i = 0; i < r->n; i = n) {
        size_t best = i;
        for (n = i; n < r->n && r->points[n].measurement == r->points[i].measurement; n++)
            if (r->groups[r->points[n].group].points > r->groups[r->points[best].group].points)
                best = n;
        struct study_fit_point point = r->points[best];
        r->points[best] = r->points[i];
        for (size_t k = i + 1; k < n; k++)
            resources_free_point(&r->points[k]);
        if (point.unfilled)
            resources_free_point(&point);
        else
            r->points[kept++] = point;
        r->unfilled += point.unfilled;
    }
    r->n = kept;
    for (size_t i = 0; i < r->n_groups; i++)
        r->groups[i].points = 0;
    for (size_t i = 0; i < r->n; i++) {
        const struct study_fit_point *p = &r->points[i];
        struct study_fit_group *g = &r->groups[p->group];
        g->points++;
        g->lossy += p->lossy;
        for (size_t k = 0; k < p->n_in + p->n_out; k++)
            g->equal_windows = g->equal_windows && fabs(p->flows[k].window_bytes - p->flows[0].window_bytes) < 1;
    }
}

/* `predicted` has room for the point's flows. */
static struct study_fit_predicted resources_predict(const struct analysis_fit *f, const struct study_fit_point *p,
                                                    const struct analysis_fit_point *plain, double *predicted)
{
    double in = 0, out = 0, worst = 0;
    if (!f->applies)
        return (struct study_fit_predicted){(double)NAN, (double)NAN, (double)NAN};
    analysis_fit_predict(f, plain, predicted);
    for (size_t i = 0; i < plain->n; i++) {
        double error = p->flows[i].rate_bps / predicted[i] - 1;
        *(p->flows[i].incoming ? &in : &out) += predicted[i];
        worst = fabs(error) > fabs(worst) ? error : worst;
    }
    return (struct study_fit_predicted){in / (double)p->n_in, out / (double)p->n_out, worst};
}

/* Seeds are innermost in a sweep: replicas of a point follow each other. Patterns of a table have no axes and no seed,
 * and are points each. */
static bool resources_replica(const struct study_fit_point *p, const struct study_fit_point *before)
{
    return p->axes && before->axes && p->seed != before->seed && strcmp(p->source, before->source) == 0 && json_equal(p->axes, before->axes);
}

static void resources_outcome(const struct study_fit_resources *r, size_t group, bool loss_free,
                              struct study_fit_outcome *o)
{
    size_t flows = 0;
    MEMORY_LOCAL struct analysis_fit_point *plain = memory_zeroed(r->n, sizeof *plain, "the points of a fit");
    o->index = memory_zeroed(r->n, sizeof *o->index, "the points of a fit");
    for (size_t i = 0; i < r->n; i++) {
        const struct study_fit_point *p = &r->points[i];
        if (p->group != group || (loss_free && p->lossy))
            continue;
        if (o->n == 0 || !resources_replica(p, &r->points[o->index[o->n - 1]]))
            o->units++;
        plain[o->n] = (struct analysis_fit_point){.flows = p->flows, .n = p->n_in + p->n_out, .unit = o->units - 1,
                                                   .link = p->link}; /* borrowed */
        flows = plain[o->n].n > flows ? plain[o->n].n : flows;
        o->index[o->n++] = i;
    }
    MEMORY_LOCAL double *predicted = memory_zeroed(flows, sizeof *predicted, "what a fit predicts");
    o->best = memory_zeroed(2 * o->n, sizeof *o->best, "what a fit predicts");
    analysis_fit_compare(plain, o->n, o->fit);
    const struct analysis_fit *eq6 = o->fit;
    while (eq6->form != ANALYSIS_FIT_EQ6 || eq6->acks)
        eq6++;
    o->spread = analysis_fit_spread(plain, o->n);
    o->eq6 = o->best + o->n;
    for (size_t i = 0; i < o->n; i++) {
        o->best[i] = resources_predict(&o->fit[0], &r->points[o->index[i]], &plain[i], predicted);
        o->eq6[i] = resources_predict(eq6, &r->points[o->index[i]], &plain[i], predicted);
    }
}

static void resources_fit(void *state)
{
    struct study_fit_resources *r = state;
    resources_settle(r);
    for (size_t i = 0; i < r->n_groups; i++) {
        struct study_fit_group *g = &r->groups[i];
        if (g->points > 0)
            resources_outcome(r, i, false, &g->all);
        if (g->lossy > 0 && g->lossy < g->points)
            resources_outcome(r, i, true, &g->loss_free);
    }
}

const struct study_fit_part study_fit_resources_part = {
    .name = "resources",
    .size = sizeof(struct study_fit_resources),
    .points = offsetof(struct study_fit_resources, taken),
    .take = resources_take,
    .take_resources = resources_take_hosts,
    .fit = resources_fit,
    .fini = resources_fini,
};

const struct study_fit_group *study_fit_resources_main(const struct study_fit_resources *r)
{
    const struct study_fit_group *most = NULL;
    for (size_t i = 0; i < r->n_groups; i++)
        if (r->groups[i].points > (most ? most->points : 0))
            most = &r->groups[i];
    return most;
}
