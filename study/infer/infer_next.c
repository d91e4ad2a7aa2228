/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The next experiment: of some patterns and sizes, those in which two hypotheses disagree most, in deviations of what
 * would be measured. Half the squared distance is what one measurement is expected to tell, in nats of log odds
 * (Kullback and Leibler 1951; Box and Hill 1967, Discrimination among mechanistic models). */
#include "study/infer/infer_parts.h"

#define FLOWS 6 /* of a pattern */
#define SEEDS 2

/* Hosts 0, 1, ... are h0 and the peers; in two racks odd ones are in the other rack. */
static const struct {
    const char *name;
    int n;
    struct {
        int from, to;
    } flow[FLOWS];
} shapes[] = {
    {"1 in, 1 out", 2, {{1, 0}, {0, 2}}},
    {"2 in, 1 out", 3, {{1, 0}, {2, 0}, {0, 3}}},
    {"1 in, 2 out", 3, {{1, 0}, {0, 2}, {0, 3}}},
    {"3 in, 1 out", 4, {{1, 0}, {2, 0}, {3, 0}, {0, 4}}},
    {"1 in, 3 out", 4, {{1, 0}, {0, 2}, {0, 3}, {0, 4}}},
    {"2 in, 2 out", 4, {{1, 0}, {2, 0}, {0, 3}, {0, 4}}},
    {"a chain of 3", 3, {{1, 0}, {0, 2}, {2, 3}}},
    {"2 in, 1 out to a busy host", 4, {{1, 0}, {2, 0}, {0, 3}, {4, 3}}},
    {"1 in, 2 out, one of them to a busy host", 4, {{1, 0}, {0, 2}, {0, 3}, {4, 3}}},
    {"1 in from a host with 2 out, 1 out to a busy host", 4, {{1, 0}, {1, 4}, {0, 3}, {2, 3}}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };
static const double lasts_s[] = {0.01, 0.1, 0.4}; /* of a flow that has the link to itself */
enum { SIZES = sizeof lasts_s / sizeof *lasts_s };

/* A shape's host in the network; -1: there is none. */
static int next_host(const struct scenario *s, int host)
{
    const struct emu_network_config *n = &s->network;
    if (n->topology == EMU_TOPOLOGY_STAR)
        return host;
    int rack = host % 2, in_rack = host / 2;
    return n->n_racks > 1 && in_rack < n->racks[rack] ? in_rack + (rack ? n->racks[0] : 0) : -1;
}

static bool next_pattern(const struct scenario *s, size_t shape, size_t size, struct study_infer_experiment *e,
                         int (*host)[2])
{
    char bytes[UNITS_TEXT];
    double whole = lasts_s[size] * (double)s->network.link.rate_bps / 8, round = pow(10, floor(log10(whole)));
    int64_t rounded = (int64_t)(floor(whole / round) * round);
    *e = (struct study_infer_experiment){.nats = 0};
    for (int i = 0; i < shapes[shape].n; i++) {
        host[i][0] = next_host(s, shapes[shape].flow[i].from);
        host[i][1] = next_host(s, shapes[shape].flow[i].to);
        if (host[i][0] < 0 || host[i][1] < 0)
            return false;
    }
    units_format_bytes(rounded, bytes);
    snprintf(e->name, sizeof e->name, "%s, %s each", shapes[shape].name, bytes);
    e->pattern.n = (size_t)shapes[shape].n;
    e->pattern.flows = memory_zeroed(e->pattern.n, sizeof *e->pattern.flows, "an experiment");
    e->value[0] = memory_zeroed(2 * e->pattern.n, sizeof *e->value[0], "an experiment");
    e->value[1] = e->value[0] + e->pattern.n;
    for (size_t i = 0; i < e->pattern.n; i++)
        e->pattern.flows[i] = (struct study_measurement_flow){
            .from = (size_t)host[i][0], .to = (size_t)host[i][1], .bytes = rounded, .spread = NAN};
    return true;
}

static struct infer_play next_play(const struct study_infer *x, const struct study_infer_hypothesis *h,
                                   const struct study_infer_experiment *e, const int (*host)[2], uint64_t seed,
                                   double *out)
{
    struct infer_play play = {.base = x->options.base, .pattern = &e->pattern, .host = host, .is = &h->is,
                              .engine = SCENARIO_ENGINE_NATIVE, .seed = seed, .messages = 1, .out = out};
    for (int v = 0; v < STUDY_HYPOTHESIS_PARAMETERS; v++)
        play.value[v] = study_infer_best(h, (enum study_hypothesis_parameter)v);
    return play;
}

static int next_by_nats(const void *a, const void *b)
{
    const struct study_infer_experiment *x = a, *y = b;
    return (x->nats < y->nats) - (x->nats > y->nats);
}

/* out: [hypothesis][seed][flow] */
static void next_judge(const struct study_infer_hypothesis *const h[2], struct study_infer_experiment *e,
                       const double *out)
{
    size_t n = e->pattern.n;
    for (size_t i = 0; i < n; i++) {
        double variance = h[0]->posterior.spread * h[0]->posterior.spread;
        for (int k = 0; k < 2; k++) {
            const double *first = out + (size_t)k * SEEDS * n + i, difference = first[0] - first[n];
            e->value[k][i] = (first[0] + first[n]) / 2 - h[k]->posterior.rate.value;
            variance += difference * difference / 2 + MODEL_POSTERIOR_SCATTER * MODEL_POSTERIOR_SCATTER;
        }
        double d = e->value[0][i] - e->value[1][i];
        e->nats += d * d / variance / 2;
    }
}

bool study_infer_next(struct study_infer *x, struct error *err)
{
    if (x->n_emulated < 2 || x->signal || x->lacks != STUDY_INFER_LACKS_NOTHING)
        return true;
    static int host[SHAPES * SIZES][FLOWS][2];
    const struct study_infer_hypothesis *h[] = {&x->h[0], &x->h[1]};
    size_t n = 0, plays_n = 0;
    x->against = 1;
    x->experiments = memory_zeroed(SHAPES * SIZES, sizeof *x->experiments, "experiments");
    MEMORY_LOCAL struct infer_play *plays = memory_zeroed(SHAPES * SIZES * 2 * SEEDS, sizeof *plays, "experiments");
    MEMORY_LOCAL double *out = memory_zeroed(SHAPES * SIZES * 2 * SEEDS * FLOWS, sizeof *out, "experiments");
    for (size_t k = 0; k < SHAPES * SIZES; k++)
        if (next_pattern(x->options.base, k / SIZES, k % SIZES, &x->experiments[n], host[n]))
            n++;
    for (size_t e = 0; e < n; e++)
        for (size_t k = 0; k < 2 * SEEDS; k++, plays_n++)
            plays[plays_n] = next_play(x, h[k / SEEDS], &x->experiments[e], (const int (*)[2])host[e],
                                       x->options.base->seed * 1000000 + 900000 + plays_n,
                                       out + e * 2 * SEEDS * FLOWS + k * x->experiments[e].pattern.n);
    bool ok = infer_play_all(x, plays, plays_n, err);
    for (size_t e = 0; e < n; e++) {
        bool played = ok && !x->signal;
        for (size_t k = 0; k < 2 * SEEDS; k++)
            played = played && plays[e * 2 * SEEDS + k].played;
        struct study_infer_experiment *one = &x->experiments[e];
        if (played) {
            next_judge(h, one, out + e * 2 * SEEDS * FLOWS);
            x->experiments[x->n_experiments++] = *one;
        } else {
            MEMORY_FREE(one->pattern.flows, one->value[0]);
        }
    }
    x->lacks = x->n_experiments < n ? STUDY_INFER_LACKS_EXPERIMENTS : STUDY_INFER_LACKS_NOTHING;
    n = x->n_experiments;
    qsort(x->experiments, n, sizeof *x->experiments, next_by_nats);
    return ok;
}
