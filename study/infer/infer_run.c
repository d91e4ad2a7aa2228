/* SPDX-License-Identifier: GPL-2.0-or-later */

#include "base/monotonic.h"
#include "model/moderated.h"
#include "study/infer/infer_parts.h"

#define COARSE 7       /* points of an axis at first */
#define COARSE_RATIO 5
#define INFER_REPEATS 5      /* points where nothing is searched for */
#define FIRST 12       /* flows in the first patterns */
#define ROUNDS 7       /* of more points, at most */
#define SPLIT 0.05     /* of the probability: an interval with more is split */
#define ENOUGH 3.0     /* steps within the 95 % interval */
#define STEP_ONE 0.2   /* of a logarithm: a step is no larger where the probability is */
#define STEP_TWO 0.35   /* with two parameters */
#define NARROW 0.004   /* nor smaller */
#define THICK 48       /* emulations where theta may be */
#define QUIET 12       /* of them, where seeds change little */
#define INFER_LITTLE 0.05    /* of the variances of what is predicted */
#define MAYBE 8.0      /* nats of density: theta may be where it lacks no more */
#define FAR_FIRST 18.0 /* nats behind the best: too far for more, after the first patterns */
#define FAR_COARSE 30.0 /* after all patterns, before the grid is refined */
#define FAR_LAST 9.0
#define TAIL 5.0 /* degrees of freedom of what a coarse grid misses */
#define CHANCE 0.01    /* of a right hypothesis, to be said to miss: so many of 100 right ones are */
#define INFER_ROOM 4.0       /* from half of a flow's own time to twice the time of all */
#define SAME 1.0       /* squared distance of two predictions, in deviations: not told apart */

static void infer_cut(struct study_infer_hypothesis *h, size_t n)
{
    while (h->n > n)
        free(h->points[--h->n].m);
}

static void infer_fini(struct study_infer_hypothesis *h)
{
    infer_cut(h, 0);
    free(h->points);
    model_posterior_fini(&h->posterior);
}

void study_infer_fini(struct study_infer *x)
{
    for (size_t i = 0; i < x->n; i++)
        infer_fini(&x->h[i]);
    MEMORY_FREE(x->h, x->y, x->group);
    for (size_t i = 0; i < x->n_experiments; i++)
        MEMORY_FREE(x->experiments[i].pattern.flows, x->experiments[i].value[0]);
    free(x->experiments);
    *x = (struct study_infer){.n = 0};
}

bool study_infer_add(struct study_infer *x, const char *text, struct error *err)
{
    size_t placements = x->measured->n_placements > 0 ? x->measured->n_placements : 1;
    for (size_t p = 0; p < placements; p++) {
        struct study_infer_hypothesis h = {.refined = false};
        if (!study_hypothesis_parse(&h.is, text, err))
            return false;
        h.is.placement = p;
        x->h = memory_grown(x->h, x->n, &x->capacity, 16, sizeof *x->h, "hypotheses");
        x->h[x->n++] = h;
    }
    return true;
}

double study_infer_best(const struct study_infer_hypothesis *h, enum study_hypothesis_parameter parameter)
{
    for (size_t a = 0; a < h->grid.axes; a++)
        if (h->of[a] == parameter)
            return exp(h->posterior.best[a]);
    return NAN;
}

bool study_infer_misses(const struct study_infer_hypothesis *h)
{
    return h->whole && h->posterior.tail < CHANCE;
}

/* The least buffer that PAUSE can work with: what may still come from everywhere. */
static double infer_headroom(const struct scenario *s, const struct study_measurement *m)
{
    size_t ports = m->n_hosts > (size_t)s->network.hosts ? m->n_hosts : (size_t)s->network.hosts; /* a star grows */
    int64_t packet = scenario_packet_bytes(s);
    struct emu_link_config link = s->network.link; /* of the farthest host */
    for (int h = 0; h < s->network.n_delays; h++)
        link.delay_ps = s->network.delays_ps[h] > link.delay_ps ? s->network.delays_ps[h] : link.delay_ps;
    bool backbone = s->network.topology != EMU_TOPOLOGY_STAR || s->network.uplinks > 0;
    double room = (double)ports * (double)emu_switch_headroom_bytes(&link, packet);
    return 1.1 * (room + (backbone ? (double)emu_switch_headroom_bytes(&s->network.backbone, packet) : 0)) + 10000;
}

static void infer_axis(const struct study_infer *x, struct study_infer_hypothesis *h,
                       enum study_hypothesis_parameter of)
{
    struct model_posterior_axis *a = &h->grid.axis[h->grid.axes];
    double low = x->options.range[of][0], high = x->options.range[of][1];
    bool pauses = of == STUDY_HYPOTHESIS_BUFFER && strstr(h->is.changes, "pause");
    for (size_t p = 0; pauses && p < x->measured->n; p++)
        low = fmax(low, infer_headroom(study_measurement_base(&x->measured->patterns[p], x->options.base), x->measured));
    high = fmax(low, high);
    *a = (struct model_posterior_axis){.n = high <= low ? 1 : of == STUDY_HYPOTHESIS_RATIO_OUT ? COARSE_RATIO : COARSE};
    for (size_t k = 0; k < a->n; k++)
        a->at[k] = log(low) + (a->n > 1 ? (double)k / (double)(a->n - 1) * log(high / low) : 0);
    h->of[h->grid.axes++] = of;
}

/* Where the hosts of each placement are in the network: [placement][flow] of them. */
static bool infer_hosts(const struct study_infer *x, int (**host)[2], struct error *err)
{
    const struct study_measurement *m = x->measured;
    size_t placements = m->n_placements > 0 ? m->n_placements : 1;
    bool ok = true;
    *host = memory_zeroed(placements * m->flows, sizeof **host, "hosts");
    for (size_t i = 0, first = 0; ok && i < m->n; first += m->patterns[i++].n) {
        const struct study_measurement_pattern *pattern = &m->patterns[i];
        MEMORY_LOCAL int *number = NULL;
        ok = study_measurement_hosts(m, pattern->scenario ? pattern : NULL,
                                     pattern->scenario ? pattern->scenario : x->options.base, &number, err);
        for (size_t p = 0; ok && p < placements; p++)
            for (size_t f = 0, k = first; f < pattern->n; f++, k++) {
                int *to = (*host)[p * m->flows + k];
                to[0] = number[m->n_placements > 0 ? m->placements[p].at[k][0] : pattern->flows[f].from];
                to[1] = number[m->n_placements > 0 ? m->placements[p].at[k][1] : pattern->flows[f].to];
            }
    }
    return ok;
}

struct infer_list {
    struct infer_play *plays; /* owned */
    size_t n, capacity;
    uint64_t seed;
    const int (*host)[2]; /* borrowed */
};

/* Emulations of a point in patterns that it lacks, of the first `patterns`. */
static void infer_plays(struct study_infer *x, struct study_infer_hypothesis *h, struct study_infer_point *point,
                        size_t patterns, struct infer_list *list)
{
    const struct study_measurement *m = x->measured;
    size_t first = 0;
    for (size_t i = 0; i < patterns; first += m->patterns[i++].n) {
        const struct study_measurement_pattern *p = &m->patterns[i];
        if (i < point->patterns)
            continue;
        list->plays = memory_grown(list->plays, list->n, &list->capacity, 256, sizeof *list->plays, "emulations");
        struct infer_play *play = &list->plays[list->n++];
        *play = (struct infer_play){.base = study_measurement_base(p, x->options.base), .pattern = p,
                                    .host = list->host + h->is.placement * m->flows + first, .is = &h->is,
                                    .engine = SCENARIO_ENGINE_NATIVE, .seed = ++list->seed, .messages = x->options.messages, .out = point->m + first};
        for (int v = 0; v < STUDY_HYPOTHESIS_PARAMETERS; v++)
            play->value[v] = NAN;
        for (size_t axis = 0; axis < h->grid.axes; axis++)
            play->value[h->of[axis]] = exp(point->at[axis]);
    }
    point->patterns = patterns > point->patterns ? patterns : point->patterns;
}

static void infer_add_point(const struct study_infer *x, struct study_infer_hypothesis *h, double first, double second)
{
    h->points = memory_grown(h->points, h->n, &h->capacity, 16, sizeof *h->points, "a grid");
    h->points[h->n++] = (struct study_infer_point){
        .at = {first, second}, .m = memory_zeroed(x->measured->flows, sizeof(double), "a grid")};
}

/* The first points: all pairs of coordinates; where nothing is searched for, some of the same. */
static void infer_begin(const struct study_infer *x, struct study_infer_hypothesis *h)
{
    const struct model_posterior_axis *a = h->grid.axis;
    size_t n0 = h->grid.axes > 0 ? a[0].n : 1, n1 = h->grid.axes > 1 ? a[1].n : 1;
    size_t times = n0 * n1 > 1 || h->is.model ? 1 : INFER_REPEATS;
    for (size_t k = 0; k < n0 * n1 * times; k++)
        infer_add_point(x, h, h->grid.axes > 0 ? a[0].at[k / times % n0] : 0,
                        h->grid.axes > 1 ? a[1].at[k / times / n0] : 0);
}

static bool infer_weigh(const struct study_infer *x, struct study_infer_hypothesis *h, size_t patterns,
                        struct error *err)
{
    size_t flows = 0;
    for (size_t p = 0; p < patterns; p++)
        flows += x->measured->patterns[p].n;
    struct model_posterior_point *points = memory_zeroed(h->n, sizeof *points, "a grid");
    for (size_t t = 0; t < h->n; t++)
        points[t] = (struct model_posterior_point){{h->points[t].at[0], h->points[t].at[1]}, h->points[t].m};
    h->grid.points = points;
    h->grid.n = h->n;
    struct model_posterior_data d = {.n = flows, .y = x->y, .k = x->k, .r = x->r, .group = x->group, .known = x->known,
                                     .how = x->how, .spread = x->spread, .df = x->degrees, .rate_sd = STUDY_INFER_RATE};
    model_posterior_fini(&h->posterior);
    bool ok = model_posterior_find(&h->posterior, &d, &h->grid, err) ||
              error_prefix(err, "hypothesis '%s': ", h->is.text);
    h->grid.points = NULL;
    h->weighed = h->n;
    h->whole = patterns == x->measured->n;
    free(points);
    return ok;
}

/* The probability around a coordinate of an axis. */
static double infer_mass(const struct study_infer_hypothesis *h, size_t axis, double at)
{
    const struct model_posterior_axis *a = &h->grid.axis[axis];
    double mass = 0;
    for (size_t k = 0; k + 1 < a->n; k++)
        mass += a->at[k] <= at && at <= a->at[k + 1] ? h->posterior.mass[axis][k] : 0;
    return a->n > 1 ? mass : 1;
}

/* Where theta may be: from the first interval of an axis that is not far behind the best to the last. */
static void infer_where(const struct study_infer_hypothesis *h, size_t axis, double *low, double *high)
{
    const struct model_posterior_axis *a = &h->grid.axis[axis];
    *low = a->at[a->n - 1];
    *high = a->at[0];
    for (size_t k = 0; k + 1 < a->n; k++)
        if (h->posterior.behind[axis][k] < MAYBE) {
            *low = fmin(*low, a->at[k]);
            *high = a->at[k + 1];
        }
}

/* Puts points between those with probability between them. Returns whether there is one more. */
static bool infer_split(const struct study_infer *x, struct study_infer_hypothesis *h)
{
    struct model_posterior_axis finer[MODEL_POSTERIOR_AXES] = {{.n = 0}};
    size_t before = h->n;
    for (size_t axis = 0; axis < h->grid.axes; axis++) {
        const struct model_posterior_axis *a = &h->grid.axis[axis], *other = &h->grid.axis[1 - axis];
        double wide = h->posterior.theta[axis].high - h->posterior.theta[axis].low;
        double most = h->grid.axes > 1 ? STEP_TWO : STEP_ONE;
        for (size_t k = 0; k < a->n; k++) {
            finer[axis].at[finer[axis].n++] = a->at[k];
            double step = k + 1 < a->n ? a->at[k + 1] - a->at[k] : 0;
            bool likely = h->posterior.mass[axis][k] > SPLIT, maybe = h->posterior.behind[axis][k] < MAYBE;
            if (!(likely || maybe) || step < 2 * NARROW || step < (likely ? fmin(wide / ENOUGH, most) : most) ||
                finer[axis].n + (a->n - k) >= MODEL_POSTERIOR_POINTS)
                continue;
            double at = a->at[k] + step / 2;
            finer[axis].at[finer[axis].n++] = at;
            if (h->grid.axes == 1)
                infer_add_point(x, h, at, 0);
            for (size_t o = 0; h->grid.axes > 1 && o < other->n; o++)
                if (infer_mass(h, 1 - axis, other->at[o]) > SPLIT)
                    axis ? infer_add_point(x, h, other->at[o], at) : infer_add_point(x, h, at, other->at[o]);
        }
    }
    for (size_t axis = 0; axis < h->grid.axes; axis++)
        h->grid.axis[axis] = finer[axis];
    return h->n > before;
}

/* The share of what emulations leave open of all that is not known of the measured values, on average. */
static double infer_scatter(const struct study_infer *x, const struct study_infer_hypothesis *h)
{
    double sum = 0;
    for (size_t i = 0; i < x->measured->flows; i++) {
        double own = h->posterior.spread * x->k[i];
        sum += fmax(1 - own * own / h->posterior.variance[i], 0);
    }
    return sum / (double)x->measured->flows;
}

/* Puts points where theta may be until there are THICK or QUIET of them: what seeds change is averaged over. They lie at
 * multiples of the golden ratio, and of the plastic number in a plane, which fill evenly whatever their number (Roberts
 * 2018). Returns whether there is one more. */
static bool infer_thicken(const struct study_infer *x, struct study_infer_hypothesis *h)
{
    static const double even[][MODEL_POSTERIOR_AXES] = {{0.6180339887498949, 0},
                                                        {0.7548776662466927, 0.5698402909980532}};
    double low[MODEL_POSTERIOR_AXES] = {0}, high[MODEL_POSTERIOR_AXES] = {0};
    size_t inside = 0, before = h->n;
    if (h->is.model || h->grid.axes == 0)
        return false;
    for (size_t axis = 0; axis < h->grid.axes; axis++)
        infer_where(h, axis, &low[axis], &high[axis]);
    for (size_t k = 0; k < h->n; k++) {
        bool in = true;
        for (size_t axis = 0; axis < h->grid.axes; axis++)
            in = in && h->points[k].at[axis] >= low[axis] && h->points[k].at[axis] <= high[axis];
        inside += in;
    }
    for (size_t enough = infer_scatter(x, h) < INFER_LITTLE ? QUIET : THICK; inside < enough; inside++) {
        double at[MODEL_POSTERIOR_AXES];
        for (size_t axis = 0; axis < MODEL_POSTERIOR_AXES; axis++)
            at[axis] = low[axis] + fmod(even[h->grid.axes - 1][axis] * (double)(inside + 1), 1) * (high[axis] - low[axis]);
        infer_add_point(x, h, at[0], at[1]);
    }
    return h->n > before;
}

static int infer_by_evidence(const void *a, const void *b)
{
    const struct study_infer_hypothesis *x = a, *y = b;
    if (!x->is.model != !y->is.model)
        return x->is.model ? 1 : -1;
    return (x->posterior.log_evidence < y->posterior.log_evidence) -
           (x->posterior.log_evidence > y->posterior.log_evidence);
}

/* How far two predictions are apart, in deviations of what would be measured if the first one is right, squared. */
static double infer_distance(const struct study_infer *x, const struct study_infer_hypothesis *a,
                             const struct study_infer_hypothesis *b)
{
    double sum = 0;
    for (size_t i = 0; i < x->measured->flows; i++) {
        double d = a->posterior.fit[i] - b->posterior.fit[i];
        sum += d * d / a->posterior.variance[i];
    }
    return sum;
}

/* study/infer/infer.h has the formula. */
static double infer_none(const struct study_measurement *m)
{
    double log_evidence = 0;
    for (size_t p = 0; p < m->n; p++) {
        const struct study_measurement_pattern *pattern = &m->patterns[p];
        double all = 0;
        for (size_t i = 0; i < pattern->n; i++)
            all += (double)pattern->flows[i].bytes;
        for (size_t i = 0; i < pattern->n; i++) {
            double one = (double)pattern->flows[i].bytes;
            log_evidence -= log(log(INFER_ROOM * (one > 0 ? all / one : (double)pattern->n)));
        }
    }
    return log_evidence;
}

/* Weights among those that are emulated; groups of those that the measurement does not tell apart. */
static void infer_rank(struct study_infer *x)
{
    qsort(x->h, x->n, sizeof *x->h, infer_by_evidence);
    x->none_log_evidence = infer_none(x->measured);
    double best = fmax(x->h[0].posterior.log_evidence, x->none_log_evidence);
    x->none_weight = exp(x->none_log_evidence - best);
    double sum = x->none_weight;
    x->n_emulated = 0;
    for (size_t i = 0; i < x->n; i++) {
        x->h[i].weight = exp(x->h[i].posterior.log_evidence - best);
        sum += x->h[i].is.model && i > 0 && !x->h[0].is.model ? 0 : x->h[i].weight;
        x->n_emulated += !x->h[i].is.model;
    }
    x->none_weight /= sum;
    for (size_t i = 0; i < x->n; i++) {
        x->h[i].weight /= sum;
        x->h[i].group = i;
        for (size_t k = 0; k < i && x->h[i].group == i; k++)
            if (x->h[k].group == k && !x->h[k].is.model == !x->h[i].is.model &&
                infer_distance(x, &x->h[k], &x->h[i]) < SAME)
                x->h[i].group = k;
    }
}

/* How sure each value is. Repeats of one flow say it of this flow, and those of all flows what a flow's may be: times of
 * flows that lose segments scatter more than others'. */
static void infer_spread(struct study_infer *x)
{
    const struct study_measurement *m = x->measured;
    double pooled = study_measurement_pooled(m, &x->degrees);
    bool rows = true;
    size_t n = 0;
    x->y = memory_zeroed(4 * m->flows, sizeof *x->y, "a measurement");
    x->k = x->y + m->flows;
    x->r = x->k + m->flows;
    x->known = x->r + m->flows;
    x->group = memory_zeroed(m->flows, sizeof *x->group, "a measurement");
    for (size_t p = 0; p < m->n; p++)
        for (size_t i = 0; i < m->patterns[p].n; i++, n++) {
            const struct study_measurement_flow *f = &m->patterns[p].flows[i];
            rows = rows && isfinite(f->spread);
            x->group[n] = p;
            x->y[n] = f->log.mean;
            x->r[n] = (double)f->log.n;
            x->known[n] = x->r[n] - 1;
            x->k[n] = f->log.n > 1 ? f->log.m2 / x->known[n] : 0; /* a variance so far */
        }
    x->how = x->options.spread > 0 || rows                ? MODEL_POSTERIOR_KNOWN
             : x->degrees >= ESTIMATE_EFFECTIVE_LEAST && pooled > 0 ? MODEL_POSTERIOR_POOLED
                                                          : MODEL_POSTERIOR_FITTED;
    x->spread = x->options.spread > 0                   ? x->options.spread
                : rows                                  ? 1
                : x->how == MODEL_POSTERIOR_POOLED      ? pooled
                                                        : STUDY_INFER_SPREAD;
    struct model_moderated all = model_moderated_find(x->k, x->known, m->flows);
    n = 0;
    for (size_t p = 0; p < m->n; p++)
        for (size_t i = 0; i < m->patterns[p].n; i++, n++) {
            const struct study_measurement_flow *f = &m->patterns[p].flows[i];
            bool repeats = x->how == MODEL_POSTERIOR_POOLED && !isfinite(f->spread);
            double one = isfinite(f->spread) ? f->spread
                         : repeats           ? sqrt(model_moderated_variance(&all, x->k[n], x->known[n]))
                                             : x->spread;
            x->k[n] = one / x->spread * study_measurement_share(f);
            x->known[n] = repeats ? all.degrees + x->known[n] : MODEL_MODERATED_DEGREES;
        }
}

/* Whether time was over before all of a hypothesis was played. */
static bool infer_is_late(const struct infer_list *list, const struct study_infer_hypothesis *h)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->plays[i].is == &h->is && !list->plays[i].played)
            return true;
    return false;
}

/* What time was over for, in a round: a hypothesis that nothing is known of goes; one that was
 * weighed is what it was, by the points, or the patterns, of then. Returns whether there is any. */
static bool infer_is_over(struct study_infer *x, const struct infer_list *list)
{
    bool over = false;
    size_t kept = 0, emulated = 0;
    for (size_t i = 0; i < x->n; i++) {
        struct study_infer_hypothesis *h = &x->h[i];
        bool late = h->refined && infer_is_late(list, h), known = !late || h->weighed > 0;
        over = over || late;
        if (late && known)
            infer_cut(h, h->weighed);
        if (!known)
            infer_fini(h);
        else
            x->h[kept++] = *h;
        emulated += known && !h->is.model;
    }
    x->left_out += x->n - kept;
    x->n = kept;
    if (x->left_out > 0 && emulated == 0)
        while (x->n > 0)
            infer_fini(&x->h[--x->n]);
    return over;
}

/* Plays what is missing of the hypotheses that go on, and weighs them by the first patterns, until time is over. */
static bool infer_round(struct study_infer *x, size_t patterns, struct infer_list *list, bool *over, struct error *err)
{
    list->n = 0;
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; x->h[i].refined && k < x->h[i].n; k++)
            infer_plays(x, &x->h[i], &x->h[i].points[k], patterns, list);
    bool ok = infer_play_all(x, list->plays, list->n, err);
    for (size_t i = 0; ok && !x->signal && i < x->n; i++)
        if (x->h[i].refined && !infer_is_late(list, &x->h[i]))
            ok = infer_weigh(x, &x->h[i], patterns, err);
    *over = ok && !x->signal && infer_is_over(x, list);
    return ok;
}

/* The first of those that go on. */
static const struct study_infer_hypothesis *infer_leader(const struct study_infer *x)
{
    const struct study_infer_hypothesis *best = &x->h[0];
    for (size_t i = 1; i < x->n; i++)
        if (x->h[i].refined &&
            (!best->refined || x->h[i].posterior.log_evidence > best->posterior.log_evidence))
            best = &x->h[i];
    return best;
}

/* The log likelihood that a hypothesis may come to when its grid is fine, with the leader's spread: what it misses is
 * weighed by how uncertain its prediction still is, and its uncertainty costs nothing. */
static double infer_potential(const struct study_infer *x, const struct study_infer_hypothesis *h, double spread,
                              size_t patterns)
{
    double sum = 0;
    size_t k = 0;
    for (size_t p = 0; p < patterns; p++)
        for (size_t i = 0; i < x->measured->patterns[p].n; i++, k++) {
            double own = h->posterior.spread * x->k[k], known = spread * x->k[k], r = h->posterior.fit[k] - x->y[k];
            double variance = known * known + fmax(h->posterior.variance[k] - own * own, 0);
            sum -= (TAIL + 1) / 2 * log1p(r * r / TAIL / variance);
        }
    return sum;
}

/* Leaves those to go on whose evidence or whose potential is within `far` nats of the leader's. */
static void infer_select(struct study_infer *x, double far, size_t patterns)
{
    const struct study_infer_hypothesis *leader = infer_leader(x);
    double spread = leader->posterior.spread, best = infer_potential(x, leader, spread, patterns);
    for (size_t i = 0; i < x->n; i++) {
        struct study_infer_hypothesis *h = &x->h[i];
        double behind = leader->posterior.log_evidence - h->posterior.log_evidence;
        h->refined = h->refined && fmin(best - infer_potential(x, h, spread, patterns), behind) < far;
    }
}

/* So many patterns as have FIRST flows together. */
static size_t infer_first(const struct study_measurement *m)
{
    size_t flows = 0, p = 0;
    while (p < m->n && flows < FIRST)
        flows += m->patterns[p++].n;
    return p;
}

/* Those that were dropped after the first patterns: weighed by all as far behind as they were, with no fit. */
static void infer_drop(struct study_infer *x, double first_best)
{
    double best = -INFINITY;
    for (size_t i = 0; i < x->n; i++)
        best = x->h[i].whole ? fmax(best, x->h[i].posterior.log_evidence) : best;
    for (size_t i = 0; i < x->n; i++)
        if (!x->h[i].whole) {
            x->h[i].posterior.log_evidence += isfinite(best) ? best - first_best : 0;
            struct model_posterior *p = &x->h[i].posterior;
            p->fit = memory_resized(p->fit, x->measured->flows, sizeof *p->fit, "a fit");
            p->variance = memory_resized(p->variance, x->measured->flows, sizeof *p->variance, "a fit");
            p->tails = memory_resized(p->tails, x->measured->flows, sizeof *p->tails, "a fit");
            for (size_t k = 0; k < x->measured->flows; k++)
                p->fit[k] = p->variance[k] = p->tails[k] = NAN;
        }
}

static bool infer_search(struct study_infer *x, struct infer_list *list, struct error *err)
{
    size_t first = infer_first(x->measured), all = x->measured->n;
    bool over = false, ok = infer_round(x, first, list, &over, err), more = !over;
    if (!ok || x->signal || x->n == 0)
        return ok;
    double first_best = infer_leader(x)->posterior.log_evidence;
    if (first < all && !over)
        infer_select(x, FAR_FIRST, first);
    for (int round = 0; ok && more && !x->signal && round <= ROUNDS; round++) {
        ok = infer_round(x, all, list, &over, err);
        if (!ok || x->signal || over)
            break;
        infer_select(x, fmax(FAR_LAST, FAR_COARSE / (round + 1)), all);
        more = false;
        over = x->options.until_s > 0 && monotonic_now_s() > x->options.until_s;
        for (size_t i = 0; i < x->n && round < ROUNDS && !over; i++)
            more = (x->h[i].refined && (infer_split(x, &x->h[i]) || infer_thicken(x, &x->h[i]))) || more;
    }
    for (size_t i = 0; i < x->n && over && x->lacks != STUDY_INFER_LACKS_PATTERNS; i++)
        x->lacks = x->h[i].refined && !x->h[i].whole ? STUDY_INFER_LACKS_PATTERNS : STUDY_INFER_LACKS_POINTS;
    if (ok && !x->signal)
        infer_drop(x, first_best);
    return ok;
}

/* Where hosts are, and the first points of every grid. */
static bool infer_start(struct study_infer *x, int (**host)[2], struct error *err)
{
    bool ok = infer_hosts(x, host, err);
    for (size_t i = 0; ok && i < x->n; i++) {
        for (int v = 0; v < STUDY_HYPOTHESIS_PARAMETERS; v++)
            if (x->h[i].is.searched[v])
                infer_axis(x, &x->h[i], (enum study_hypothesis_parameter)v);
        x->h[i].refined = true;
        infer_begin(x, &x->h[i]);
    }
    return ok;
}

/* Every n-th point. */
static void infer_thin(struct study_infer_hypothesis *h, size_t most)
{
    bool same = h->grid.axes == 0 || (h->grid.axis[0].n == 1 && (h->grid.axes == 1 || h->grid.axis[1].n == 1));
    size_t each = same ? h->n : (h->n + most - 1) / most, kept = 0;
    for (size_t k = 0; k < h->n; k++)
        if (k % each == 0) {
            struct study_infer_point point = h->points[k];
            h->points[k] = h->points[kept];
            h->points[kept++] = point;
        }
    infer_cut(h, kept);
}

bool study_infer_points(struct study_infer *x, size_t most, struct error *err)
{
    int (*host)[2] = NULL;
    bool ok = infer_start(x, &host, err);
    struct infer_list list = {.seed = x->options.base->seed * 1000000, .host = (const int (*)[2])host};
    for (size_t i = 0; ok && i < x->n; i++) {
        infer_thin(&x->h[i], most);
        for (size_t k = 0; k < x->h[i].n; k++)
            infer_plays(x, &x->h[i], &x->h[i].points[k], x->measured->n, &list);
    }
    ok = ok && infer_play_all(x, list.plays, list.n, err);
    MEMORY_FREE(list.plays, host);
    return ok;
}

bool study_infer_run(struct study_infer *x, struct error *err)
{
    int (*host)[2] = NULL;
    bool ok = infer_start(x, &host, err);
    struct infer_list list = {.seed = x->options.base->seed * 1000000, .host = (const int (*)[2])host};
    infer_spread(x);
    ok = ok && infer_search(x, &list, err);
    if (ok && !x->signal && x->n > 0)
        infer_rank(x);
    MEMORY_FREE(list.plays, host);
    return ok;
}
