/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/verdict/experiment.h"

#include "study/verdict/judge.h"

void study_experiment_plan(struct study_experiment *e)
{
    struct random r = random_of((uint64_t)e->seed);
    for (size_t four = 0; four < (size_t)e->fours; four++) {
        struct study_experiment_block *b = &e->block[4 * four];
        for (size_t i = 0; i < 4; i++) { /* the i-th pair gets a place among those before it (Fisher, Yates) */
            size_t j = random_below(&r, i + 1);
            b[i] = b[j];
            b[j] = (struct study_experiment_block){.four = four, .ack_first = i & 1, .offloads = i & 2};
        }
        for (size_t i = 0; i < 4; i++)
            b[i].capture_at_s = e->block_s * (STUDY_EXPERIMENT_SETTLE + random_share(&r) *
                                              (1 - STUDY_EXPERIMENT_SETTLE - STUDY_EXPERIMENT_CAPTURE));
    }
}

static void experiment_table(void *user, const char *source UNUSED, const struct analysis_flows *f,
                             const struct analysis_resources *hosts UNUSED)
{
    struct study_experiment_block *b = user;
    double bytes = 0, start_s = INFINITY, end_s = -INFINITY;
    struct analysis_flow flow;
    for (size_t i = 0; i < analysis_flows_slots(f); i++)
        if (analysis_flows_look(f, i, &flow)) {
            bytes += (double)flow.payload_bytes;
            start_s = fmin(start_s, flow.start_s);
            end_s = fmax(end_s, flow.end_s);
        }
    b->bps = end_s > start_s ? 8 * bytes / (end_s - start_s) : 0;
}

/* Of hosts the one whose flows carry most is meant. */
static bool experiment_visit(void *user, const char *source UNUSED, const char *run UNUSED,
                             const struct analysis_resources *resources, struct error *err UNUSED)
{
    struct study_experiment_block *b = user;
    double most_bps = 0;
    for (size_t i = 0; resources && i < resources->n; i++) {
        const struct analysis_resource *r = &resources->resource[i];
        double bps = r->diagnosis.in.carried_bps + r->diagnosis.out.carried_bps;
        if (!r->diagnosed || !(bps > most_bps))
            continue;
        most_bps = bps;
        b->answer = r->diagnosis.answer;
        b->lost_share = r->diagnosis.lost_share;
    }
    return true;
}

bool study_experiment_judge(struct study_experiment_block *b, const char *path, struct error *err)
{
    struct study_judge_options options = study_judge_options_default();
    options.table = experiment_table;
    b->bps = 0;
    b->answer = JUDGE_ANSWER_UNKNOWN;
    b->lost_share = (double)NAN;
    return study_judge_source(path, &options, NULL, experiment_visit, b, err) &&
           (b->bps > 0 || error_set(err, ERROR_INPUT, "%s: has no data of TCP: the experiment is of flows both ways that outlast it",
                                    path));
}

/* All 2^n signs: those from which a bit of `signs` takes it. */
static double experiment_by_chance(const double *d, size_t n)
{
    double own = 0;
    size_t far = 0;
    for (size_t f = 0; f < n; f++)
        own += d[f];
    for (size_t signs = 0; signs < (size_t)1 << n; signs++) {
        double sum = 0;
        for (size_t f = 0; f < n; f++)
            sum += signs >> f & 1 ? -d[f] : d[f];
        far += fabs(sum) >= fabs(own) * (1 - 1e-12); /* itself, whatever is rounded */
    }
    return ldexp((double)far, -(int)n);
}

struct study_experiment_effect study_experiment_effect(const struct study_experiment *e, enum study_experiment_kind kind)
{
    double d[STUDY_EXPERIMENT_FOURS] = {0};
    size_t n = (size_t)e->fours;
    for (size_t i = 0; i < 4 * n; i++) {
        const struct study_experiment_block *b = &e->block[i];
        double queue = b->ack_first ? 1 : -1, offloads = b->offloads ? -1 : 1;
        double weight = kind == STUDY_EXPERIMENT_QUEUE ? queue / 2 : kind == STUDY_EXPERIMENT_OFFLOADS ? offloads / 2
                                                                                           : queue * offloads;
        d[b->four] += weight * log(b->bps);
    }
    return (struct study_experiment_effect){estimate_mean(d, n), experiment_by_chance(d, n)};
}

enum judge_answer study_experiment_answer(const struct study_experiment_effect *queue)
{
    if (queue->p <= STUDY_EXPERIMENT_P && queue->log.value > 0)
        return JUDGE_ANSWER_YES;
    return queue->log.value + queue->log.ci95 < log1p(JUDGE_DIAGNOSIS_TOTAL) ? JUDGE_ANSWER_NO : JUDGE_ANSWER_UNKNOWN;
}

double study_experiment_foretold(const struct study_experiment *e)
{
    struct estimate_running lost = {0};
    for (size_t i = 0; i < 4 * (size_t)e->fours; i++)
        if (!e->block[i].ack_first && isfinite(e->block[i].lost_share))
            estimate_add(&lost, e->block[i].lost_share);
    return lost.n > 0 ? 1 / (1 - lost.mean) - 1 : (double)NAN;
}
