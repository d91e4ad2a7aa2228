/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a sweep says, in one sentence. */
#include "study/fit/fit_connections.h"
#include "study/fit/fit_engines.h"
#include "study/fit/fit_patterns.h"
#include "study/fit/fit_regimes.h"
#include "study/fit/fit_remedies.h"
#include "study/fit/fit_resources.h"
#include "study/fit/fit_signatures.h"
#include "view/sweeps/sweep_page.h"
#include "view/text.h"

/* Hosts: the queues that cost most. Collectives have a sentence of their own. */
static char *headline_remedies(const void *state)
{
    const struct study_fit_remedies *m = state;
    const struct study_fit_remedies_row *worst = NULL;
    char rate[VIEW_TEXT_QUANTITY], *sentence = study_fit_remedies_sentence(m);
    for (size_t i = 0; i < m->n_rows && !sentence; i++)
        if (!worst || m->rows[i].lost > worst->lost)
            worst = &m->rows[i];
    if (worst)
        sentence = memory_text("With %s at %s, ACKs that wait behind data cost %.1f %% of both directions together on "
                               "average, and more than %.0f %% at %zu of %zu points.", worst->queues,
                               view_text_quantity(worst->rate_bps, "b/s", rate), 100 * worst->lost,
                               100 * STUDY_FIT_REMEDIES_SUFFER, worst->suffer, worst->n);
    return sentence;
}

/* Mean |error| of a model over all links. */
static double mean_error(const struct study_fit_patterns *p, const char *model, size_t *links)
{
    double sum = 0;
    *links = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct study_fit_patterns_errors *e = study_fit_patterns_of(p, &p->cells[i], model);
        sum += e->all.sum;
        *links += e->all.links;
    }
    return sum / (double)*links;
}

static char *headline_patterns(const void *state)
{
    size_t links, all;
    double proposed = mean_error(state, "algorithm1", &links), fair = mean_error(state, "fairness", &all);
    if (links == 0)
        return NULL;
    return memory_text("Algorithm 1 predicts the completion times of %zu transfers with a mean error of %.1f %%, "
                       "fairness those of %zu with %.1f %%.", links, 100 * proposed, all, 100 * fair);
}

static char *headline_connections(const void *state)
{
    const struct study_fit_connections *c = state;
    const struct study_fit_connections_point *most = NULL;
    char text[3][VIEW_TEXT_QUANTITY];
    for (size_t i = 0; i < c->n; i++)
        if (c->points[i].n > 0 && (!most || c->points[i].pairs > most->pairs))
            most = &c->points[i];
    if (!most)
        return NULL;
    return memory_text("Of %" PRId64 " connections at once each takes %s on average, the fastest %s, the slowest %s.",
                       most->pairs, view_text_quantity(most->mean_s, "s", text[0]),
                       view_text_quantity(most->least_s, "s", text[1]), view_text_quantity(most->most_s, "s", text[2]));
}

static char *headline_signatures(const void *state)
{
    const struct study_fit_signatures *s = state;
    const struct study_fit_signatures_row *best = NULL;
    for (size_t i = 0; i < s->n_rows; i++)
        if (s->rows[i].processes > 0 && s->rows[i].eq5.n > 0 && (!best || s->rows[i].eq5.mean < best->eq5.mean))
            best = &s->rows[i];
    if (!best)
        return NULL;
    return memory_text("The contention signature, fitted at %zu processes, predicts all other numbers of them with a "
                       "mean error of %.1f %%, below 10 %% at %zu of %zu points.", best->processes,
                       100 * best->eq5.mean, best->eq5.within, best->eq5.n);
}

static char *headline_regimes(const void *state)
{
    const struct study_fit_regimes *r = state;
    if (r->known == 0)
        return memory_text("None of %zu points has a closed form.", r->n);
    return memory_text("The closed form names the regime of %" PRId64 " of %" PRId64 " points as they show it.",
                       r->agree, r->known);
}

/* The link with most points, and the rule that fits them best. */
static char *headline_resources(const void *state)
{
    static const char *const rule[] = {
        [ANALYSIS_FIT_EQ5] = "Eq. 5, as if the other direction were not there,",
        [ANALYSIS_FIT_EQ6] = "Eq. 6, B / max(in, out),",
        [ANALYSIS_FIT_WINDOW] = "the window law",
        [ANALYSIS_FIT_POWER] = "a power law",
        [ANALYSIS_FIT_NORM] = "a norm of both degrees",
    };
    const struct study_fit_resources *r = state;
    const struct study_fit_group *of = study_fit_resources_main(r);
    char rate[VIEW_TEXT_QUANTITY];
    const struct analysis_fit *best = of ? of->all.fit : NULL;
    if (!best || !best->applies)
        return NULL;
    if (best->rms_error > STUDY_FIT_RESOURCES_MIXED)
        return memory_text("No rule fits all points over the link of %s: the best is off by %.0f %% (rms).", of->name,
                           100 * best->rms_error);
    return memory_text("Flows over the link of %s obey %s with B = %s, to within %.2g %% (rms).", of->name,
                       rule[best->form], view_text_quantity(best->rate_bps.value, "b/s", rate), 100 * best->rms_error);
}

static char *headline_engines(const void *state)
{
    const struct study_fit_engines *e = state;
    if (e->n_differences == 0)
        return NULL;
    return memory_text("Both engines agree on %zu flows to within %.2f %% on average and %.2f %% at most.",
                       e->n_differences, 100 * e->mean, 100 * e->largest);
}

char *view_sweep_page_headline(const struct view_sweep_page_sweep *s)
{
    /* What only some sweeps ask comes before what points of most of them show, too. */
    static const struct {
        enum study_fit_kind kind;
        char *(*sentence)(const void *state);
    } parts[] = {
        {STUDY_FIT_REMEDIES, headline_remedies},     {STUDY_FIT_PATTERNS, headline_patterns},
        {STUDY_FIT_CONNECTIONS, headline_connections}, {STUDY_FIT_SIGNATURES, headline_signatures},
        {STUDY_FIT_REGIMES, headline_regimes},       {STUDY_FIT_RESOURCES, headline_resources},
        {STUDY_FIT_ENGINES, headline_engines},
    };
    char *sentence = NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !sentence; i++)
        if (study_fit_read_has(&s->fit, parts[i].kind))
            sentence = parts[i].sentence(s->fit.state[parts[i].kind]);
    if (sentence)
        return sentence;
    return s->done > 0 ? memory_text("%" PRId64 " of %" PRId64 " points are done, and 'contraflow fit' has no rule for "
                                     "them.", s->done, s->points)
                       : memory_text("None of %" PRId64 " points is done yet.", s->points);
}
