/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/posterior.h"

#include "base/estimate.h"
#include "base/memory.h"
#include "judge/ground.h"
#include "judge/limit.h"
#include "judge/noise.h"
#include "judge/path.h"
#include "judge/trial.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define ALIKE 0.5      /* of what tells of one flow tells of the others */
#define LEAST_ODDS 1e-4

/* What all draws of all cases say. */
struct posterior {
    double *value[3], *weight; /* owned; what is lost of both together, what is possible in and out */
    size_t n;
    double all, yes; /* weights */
};

static double lost_share(double carried, double possible)
{
    return possible >= 1 ? 1 - carried / possible : NAN; /* less than a bit a second is nothing */
}

/* All points of the sequence, which are those of each case of every host: they are drawn once. */
static double posterior_open[JUDGE_POSTERIOR_DRAWS][JUDGE_OPENS];
static pthread_once_t posterior_drawn = PTHREAD_ONCE_INIT;

static void posterior_draw(void)
{
    double phi = 2;
    for (int i = 0; i < 40; i++)
        phi = pow(1 + phi, 1.0 / (JUDGE_OPENS + 1));
    for (int d = 0; d < JUDGE_OPENS; d++) {
        double step = pow(phi, -(d + 1));
        for (size_t k = 0; k < JUDGE_POSTERIOR_DRAWS; k++) {
            double at = 0.5 + (double)(k + 1) * step, share = at - floor(at);
            posterior_open[k][d] = d < JUDGE_OPEN_SHARES ? share : gsl_cdf_ugaussian_Pinv(share);
        }
    }
    static_assert(JUDGE_OPEN_LIMIT == 0, "which they are put in order of");
    qsort(posterior_open, JUDGE_POSTERIOR_DRAWS, sizeof *posterior_open, estimate_ascending);
}

static double posterior_odds(double p)
{
    p = fmin(fmax(p, LEAST_ODDS), 1 - LEAST_ODDS);
    return log(p / (1 - p));
}

/* What it tells of other flows, in log odds. */
static double posterior_told(double p)
{
    const double most = posterior_odds(JUDGE_DIAGNOSIS_SURE);
    return fmax(-most, fmin(most, posterior_odds(p)));
}

/* P(flow i is held by something else than its window). Flows of one host are mostly alike: what tells of one tells less
 * of the others, too, and no flow so much that nothing else counts. What the source knows needs no company. */
static void posterior_limits(const struct judge_facts *s, double *otherwise)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        otherwise[i] = judge_limit_else(&s->flow[i]);
        sum += posterior_told(otherwise[i]);
    }
    for (size_t i = 0; i < s->n; i++) {
        double others = s->n > 1 ? (sum - posterior_told(otherwise[i])) / (double)(s->n - 1) : 0;
        if (otherwise[i] > 0 && otherwise[i] < 1)
            otherwise[i] = 1 / (1 + exp(-(posterior_odds(otherwise[i]) + ALIKE * others)));
    }
}

/* One way more, in which all that passes is all that can. */
static void posterior_add_shared(struct posterior *p, const double have_bps[2], double weight)
{
    p->value[0][p->n] = 0;
    p->value[1][p->n] = have_bps[0];
    p->value[2][p->n] = have_bps[1];
    p->weight[p->n++] = weight;
    p->all += weight;
}

static void posterior_add(struct posterior *p, const struct judge_facts *facts, double weight)
{
    double possible_bps[JUDGE_POSTERIOR_DRAWS][2];
    const struct judge_facts summed = judge_facts_summed(facts), *s = &summed;
    const double shared = judge_path_shared(s);
    const double have_bps[2] = {judge_facts_carried_bps(s, true), judge_facts_carried_bps(s, false)};
    double *otherwise = memory_zeroed(s->n + 1, sizeof *otherwise, "a diagnosis");
    posterior_limits(s, otherwise);
    if (shared > 0)
        posterior_add_shared(p, have_bps, shared * weight * JUDGE_POSTERIOR_DRAWS);
    weight *= 1 - shared;
    judge_path_possible(s, otherwise, posterior_open[0], JUDGE_POSTERIOR_DRAWS, possible_bps[0]);
    for (size_t k = 0; k < JUDGE_POSTERIOR_DRAWS; k++) {
        p->value[0][p->n] = lost_share(have_bps[0] + have_bps[1], possible_bps[k][0] + possible_bps[k][1]);
        p->value[1][p->n] = possible_bps[k][0];
        p->value[2][p->n] = possible_bps[k][1];
        p->weight[p->n++] = weight;
        p->all += weight;
        p->yes += judge_diagnosis_matters(have_bps, possible_bps[k]) ? weight : 0;
    }
    free(otherwise);
}

/* Probability of what no draw is. Where one way of the packets is missing, what goes there may be anything; so may be what
 * follows a few round trips, and what waits by a clock that was set, or by stamps that nobody captured. */
static double posterior_none(const struct judge_facts *s)
{
    return s->one_sided || s->headers_cut || judge_facts_brief(s) || s->clock_off_s > 0 ? 1 : judge_noise.none;
}

/* Of draws, so that with what is none of these it is that share of all. */
static double posterior_sure(double none)
{
    return JUDGE_DIAGNOSIS_SURE / (1 - none);
}

/* The least width about `middle` that holds that share of what was drawn. Weights differ: by halving, in place of sorting
 * pairs. */
static double posterior_within(const struct posterior *p, const double *value, double middle, double share)
{
    double low = 0, high = 0;
    for (size_t i = 0; i < p->n; i++)
        high = fmax(high, fabs(value[i] - middle));
    for (int step = 0; step < 50; step++) {
        double width = (low + high) / 2, within = 0;
        for (size_t i = 0; i < p->n; i++)
            within += fabs(value[i] - middle) <= width ? p->weight[i] : 0;
        *(within >= share * p->all ? &high : &low) = width;
    }
    return high;
}

/* Half of the draws are below: what is unlikely does not move it. */
static double posterior_median(const struct posterior *p, const double *value)
{
    double least = INFINITY;
    for (size_t i = 0; i < p->n; i++)
        least = fmin(least, value[i]);
    return least + posterior_within(p, value, least, 0.5);
}

/* What is known of the directions, whatever is possible. */
static void way_of(const struct judge_facts *s, bool incoming, struct judge_way *w)
{
    const struct judge_link *l = judge_facts_link(s, incoming);
    double other_bps = judge_facts_carried_bps(s, !incoming);
    *w = (struct judge_way){.capacity_bps = l->capacity_bps, .source = l->source};
    for (size_t i = 0; i < s->n; i++) {
        const struct judge_flow *f = &s->flow[i];
        if (f->incoming != incoming)
            continue;
        w->flows++;
        w->carried_bps += f->rate_bps;
        w->data_wait_s += f->rate_bps * f->data_wait_s;
        w->ack_wait_s += f->rate_bps * f->ack_wait_s;
        w->floor_s += f->rate_bps * f->floor_s;
    }
    w->data_wait_s /= w->carried_bps;
    w->ack_wait_s /= w->carried_bps;
    w->floor_s /= w->carried_bps;
    w->room_bps = judge_path_room_bps(s, incoming, l->capacity_bps, other_bps);
    w->saturated = w->flows > 0 && judge_path_full(s, incoming);
}

static void posterior_way(const struct judge_facts *s, bool incoming, double possible_bps, struct judge_diagnosis *d)
{
    struct judge_way *w = incoming ? &d->in : &d->out, *other = incoming ? &d->out : &d->in;
    double fast_bps = judge_path_room_bps(s, !incoming, other->capacity_bps, 0); /* at most */
    fast_bps = isfinite(fast_bps) ? fast_bps : other->carried_bps;
    w->possible_bps = possible_bps;
    w->lost_share = w->flows > 0 ? lost_share(w->carried_bps, possible_bps) : 0;
    w->acks_bps = fmin(w->capacity_bps, judge_facts_acks(s->segments_per_ack, s->full_bytes) * fast_bps);
}

/* How far what a direction loses may be off: by as much of itself as what is possible. */
static double posterior_way_ci95(const struct posterior *p, const double *value, const struct judge_way *w, double sure)
{
    return w->flows > 0 ? (1 - w->lost_share) * posterior_within(p, value, w->possible_bps, sure) / w->possible_bps : 0;
}

/* What was tried is known, whatever would follow from waits: yes or no by its interval. Where that has a threshold in it
 * what follows from waits has to say the same as this run. */
static void posterior_tried(const struct judge_facts *s, struct judge_diagnosis *d)
{
    const struct judge_tried *t = s->tried;
    const double have_bps[2] = {d->in.carried_bps, d->out.carried_bps};
    enum judge_answer by_waits = d->answer;
    double possible_bps[3][2];
    d->possible_from = JUDGE_POSSIBLE_EMULATED;
    d->probability = NAN;
    for (int i = 0; i < 3; i++) /* as it is; at the end of the interval that loses least; most */
        for (int way = 0; way < 2; way++) {
            double share = lost_share(have_bps[way], t->bps[way]), off = fmax(t->lost_ci95[way], t->lost_ci95[2]);
            share += (i - 1) * (isfinite(off) ? off : 0);
            possible_bps[i][way] = t->bps[way] > 0 ? have_bps[way] / fmax(1 - share, 1e-6) : 0;
        }
    posterior_way(s, true, t->bps[0], d);
    posterior_way(s, false, t->bps[1], d);
    d->lost_share = lost_share(have_bps[0] + have_bps[1], t->bps[2]);
    d->ci95 = t->lost_ci95[2];
    d->in.lost_ci95 = t->lost_ci95[0];
    d->out.lost_ci95 = t->lost_ci95[1];
    enum judge_answer here = judge_diagnosis_matters(have_bps, t->bps) ? JUDGE_ANSWER_YES : JUDGE_ANSWER_NO;
    bool sure = judge_diagnosis_matters(have_bps, possible_bps[0]) || !judge_diagnosis_matters(have_bps, possible_bps[2]);
    d->answer = sure || here == by_waits ? here : JUDGE_ANSWER_UNKNOWN;
}

/* What was tried one way at a time needs no path that predicts it. */
static void posterior_by_trial(const struct judge_facts *s, struct judge_diagnosis *d)
{
    *d = (struct judge_diagnosis){.cause = JUDGE_CAUSE_UNKNOWN};
    way_of(s, true, &d->in);
    way_of(s, false, &d->out);
    judge_trial_decide(s, d);
    judge_ground_of(s, d);
    judge_trial_transfers(s, d);
}

void judge_posterior_decide_each(judge_posterior_make *make, void *user, size_t n, struct judge_diagnosis *d)
{
    struct judge_case one = make(user, 0);
    const struct judge_facts *s = one.facts;
    if (s->trial) {
        posterior_by_trial(s, d);
        return;
    }
    const size_t room = n * (JUDGE_POSTERIOR_DRAWS + 1);
    struct posterior p = {.weight = memory_zeroed(room, sizeof *p.weight, "a diagnosis")};
    for (int i = 0; i < 3; i++)
        p.value[i] = memory_zeroed(room, sizeof *p.value[i], "a diagnosis");
    *d = (struct judge_diagnosis){.cause = JUDGE_CAUSE_UNKNOWN};
    way_of(s, true, &d->in);
    way_of(s, false, &d->out);
    pthread_once(&posterior_drawn, posterior_draw);
    posterior_add(&p, s, one.weight);
    for (size_t i = 1; i < n; i++) {
        one = make(user, i);
        posterior_add(&p, one.facts, one.weight);
    }
    posterior_way(s, true, posterior_median(&p, p.value[1]), d);
    posterior_way(s, false, posterior_median(&p, p.value[2]), d);
    const double none = posterior_none(s), sure = posterior_sure(none);
    d->in.lost_ci95 = posterior_way_ci95(&p, p.value[1], &d->in, sure);
    d->out.lost_ci95 = posterior_way_ci95(&p, p.value[2], &d->out, sure);
    d->answer = none < JUDGE_DIAGNOSIS_SURE ? judge_diagnosis_answer(p.yes / p.all) : JUDGE_ANSWER_UNKNOWN;
    d->probability = (1 - none) * p.yes / p.all + none / 2;
    double possible_bps = d->in.possible_bps + d->out.possible_bps;
    d->lost_share = lost_share(d->in.carried_bps + d->out.carried_bps, possible_bps);
    d->ci95 = none < JUDGE_DIAGNOSIS_SURE ? posterior_within(&p, p.value[0], d->lost_share, sure) : 1;
    if (isfinite(s->ci95_bps))
        d->ci95 = hypot(d->ci95, s->ci95_bps / possible_bps);
    for (int i = 0; i < 3; i++)
        free(p.value[i]);
    free(p.weight);
    if (s->tried)
        posterior_tried(s, d);
    judge_ground_of(s, d);
}

static struct judge_case posterior_case(void *user, size_t i)
{
    const struct judge_case *const *cases = user;
    return (*cases)[i];
}

void judge_posterior_decide(const struct judge_case *cases, size_t n, struct judge_diagnosis *d)
{
    judge_posterior_decide_each(posterior_case, &cases, n, d);
}
