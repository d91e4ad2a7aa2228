/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/show.h"
#include "results/json.h"

#define UNLIKELY 1e-4 /* weight: hypotheses below it are counted in one line */
#define EXPERIMENTS 3 /* that are shown as text */
#define PLACED 20     /* rows of a ranking with placements */
#define TAIL_LEAST 1e-6 /* that is shown: of less, the noise's own shape is not known */
#define ODDS 20.0     /* that an experiment should give */

static const char *const infer_how[] = {"known", "pooled", "fitted"};

/* Columns of parameters: their heads, and the units of what they show. Of hosts only where one is searched for. */
static const struct {
    const char *head;
    double scale;
    bool asked;
} infer_columns[STUDY_HYPOTHESIS_PARAMETERS] = {
    [STUDY_HYPOTHESIS_WINDOW] = {"window kB", 1e3, false},
    [STUDY_HYPOTHESIS_BUFFER] = {"buffer kB", 1e3, false},
    [STUDY_HYPOTHESIS_RATIO_OUT] = {"ratio", 1, false},
    [STUDY_HYPOTHESIS_BUS] = {"bus Mb/s", 1e6, true},
    [STUDY_HYPOTHESIS_PROCESSOR] = {"processor us", 1e-6, true},
    [STUDY_HYPOTHESIS_INTERRUPTS] = {"interrupts us", 1e-6, true},
    [STUDY_HYPOTHESIS_RING] = {"ring", 1, true},
};

static bool infer_shows(const struct study_infer *x, int parameter)
{
    bool shows = !infer_columns[parameter].asked;
    for (size_t i = 0; i < x->n_emulated; i++)
        shows = shows || x->h[i].is.searched[parameter];
    return shows;
}

/* The value of a parameter and its interval, in the unit of the table's head; "-" without one. */
static void infer_add_parameter(struct view_table *t, const struct study_infer_hypothesis *h,
                                enum study_hypothesis_parameter parameter, bool relative)
{
    double scale = relative && parameter == STUDY_HYPOTHESIS_WINDOW ? 1 : infer_columns[parameter].scale;
    for (size_t a = 0; a < h->grid.axes; a++) {
        const struct model_posterior_interval *i = &h->posterior.theta[a];
        if (h->of[a] == parameter) {
            if (h->grid.axis[a].n > 1)
                view_table_add(t, "%s (%s to %s)", UNITS_FIGURE(exp(i->value) / scale, 3),
                               UNITS_FIGURE(exp(i->low) / scale, 3), UNITS_FIGURE(exp(i->high) / scale, 3));
            else
                view_table_add(t, "%s", UNITS_FIGURE(exp(i->value) / scale, 4));
            return;
        }
    }
    view_table_add(t, "%s", "-");
}

/* Root of the mean squared difference between what was measured and what fits best. */
static double infer_misfit_of(const struct study_infer *x, const struct study_infer_hypothesis *h, size_t from, size_t to)
{
    double sum = 0;
    size_t k = 0, n = 0;
    for (size_t p = 0; p < to; p++)
        for (size_t i = 0; i < x->measured->patterns[p].n; i++, k++) {
            double d = h->posterior.fit[k] - x->measured->patterns[p].flows[i].log.mean;
            sum += p >= from ? d * d : 0;
            n += p >= from;
        }
    return sqrt(sum / (double)n);
}

static double infer_misfit(const struct study_infer *x, const struct study_infer_hypothesis *h)
{
    return infer_misfit_of(x, h, 0, x->measured->n);
}

/* Root of the mean squared spread of what was measured in a pattern, by this hypothesis; its flows from `first` on. */
static double infer_spread(const struct study_infer *x, const struct study_infer_hypothesis *h, size_t pattern, size_t first)
{
    double sum = 0;
    size_t n = x->measured->patterns[pattern].n;
    for (size_t i = first; i < first + n; i++)
        sum += h->posterior.spread * h->posterior.spread * x->k[i] * x->k[i];
    return sqrt(sum / (double)n);
}

static const char *infer_placement(const struct study_infer *x, const struct study_infer_hypothesis *h)
{
    return x->measured->n_placements > 0 ? cli_name(x->measured->placements[h->is.placement].name) : "";
}

/* Of times as far off as these, or farther; "-": it was not emulated in all patterns. */
static void infer_add_tail(struct view_table *t, const struct study_infer_hypothesis *h)
{
    if (!h->whole)
        view_table_add(t, "%s", "-");
    else if (h->posterior.tail < TAIL_LEAST)
        view_table_add(t, "below %.0e", TAIL_LEAST);
    else
        view_table_add(t, "%.2g", h->posterior.tail);
}

/* The last row of the ranking. */
static void infer_add_none(struct view_table *t, const struct study_infer *x, size_t parameters, bool placed)
{
    view_table_add(t, "-|none of these");
    if (placed)
        view_table_add(t, "%s", "-");
    view_table_add(t, "%.4f|%.1f", x->none_weight, (x->none_log_evidence - x->h[0].posterior.log_evidence) / M_LN10);
    for (size_t i = 0; i < parameters + 4; i++)
        view_table_add(t, "%s", "-");
}

#define PATTERNS 8   /* columns of misfits */
#define PATTERN_ROWS 12

/* Where a hypothesis misses. */
static void infer_print_patterns(const struct study_infer *x)
{
    size_t n = x->measured->n;
    if (n < 2 || n > PATTERNS)
        return;
    struct view_table t = view_table_with(1 + n);
    view_table_add(&t, "misfit");
    for (size_t p = 0; p < n; p++)
        view_table_add(&t, "%s", *x->measured->patterns[p].name ? cli_name(x->measured->patterns[p].name) : "-");
    for (size_t i = 0; i < x->n_emulated && i < PATTERN_ROWS; i++) {
        if (!x->h[i].whole)
            continue;
        view_table_add(&t, "%s", x->h[i].is.text);
        for (size_t p = 0; p < n; p++)
            view_table_add(&t, "%.1f %%", 100 * infer_misfit_of(x, &x->h[i], p, p + 1));
    }
    printf("\n  pattern by pattern\n");
    view_table_print(&t, "  ", 1, stdout);
}

/* The best is only the least bad where it misses by more than values spread: said of the pattern where it misses most. */
static void infer_print_misses(const struct study_infer *x)
{
    const struct study_infer_hypothesis *h = &x->h[0];
    const struct study_measurement *m = x->measured;
    size_t worst = 0, worst_first = 0;
    for (size_t p = 0, first = 0; p < m->n; first += m->patterns[p++].n)
        if (h->posterior.tails[first] < h->posterior.tails[worst_first]) {
            worst = p;
            worst_first = first;
        }
    if (study_infer_misses(h))
        printf("\n  none of these is likely: %s fits best, but is off by %.1f %%%s%s, where a value's spread is %.2g %%;\n  if it "
               "were true, one such measurement in %.2g would be as far off\n", h->is.text,
               100 * infer_misfit_of(x, h, worst, worst + 1), m->n > 1 ? " in " : "",
               m->n > 1 ? cli_name(m->patterns[worst].name) : "", 100 * infer_spread(x, h, worst, worst_first),
               1 / fmax(h->posterior.tail, TAIL_LEAST));
    else if (x->none_weight > 0.5)
        printf("\n  none of these is the likeliest: %s fits best, and no better than a hypothesis that says next to nothing\n",
               h->is.text);
}

static void infer_print_ranking(const struct study_infer *x)
{
    bool placed = x->measured->n_placements > 0, relative = study_measurement_windows(x->measured);
    size_t left = 0, parameters = 0;
    for (int v = 0; v < STUDY_HYPOTHESIS_PARAMETERS; v++)
        parameters += infer_shows(x, v);
    struct view_table t = view_table_with(8U + parameters + placed);
    view_table_add(&t, "rank|hypothesis");
    if (placed)
        view_table_add(&t, "placement");
    view_table_add(&t, "weight|log10 odds");
    for (int v = 0; v < STUDY_HYPOTHESIS_PARAMETERS; v++)
        if (infer_shows(x, v))
            view_table_add(&t, "%s", relative && v == STUDY_HYPOTHESIS_WINDOW ? "window" : infer_columns[v].head);
    view_table_add(&t, "rate|misfit|tail|as");
    for (size_t i = 0; i < x->n_emulated; i++) {
        const struct study_infer_hypothesis *h = &x->h[i];
        if (i > 1 && (h->weight < UNLIKELY || (placed && i >= PLACED))) {
            left++;
            continue;
        }
        view_table_add(&t, "%zu|%s", i + 1, h->is.text);
        if (placed)
            view_table_add(&t, "%s", infer_placement(x, h));
        view_table_add(&t, "%.4f|%.1f", h->weight,
                       (h->posterior.log_evidence - x->h[0].posterior.log_evidence) / M_LN10);
        for (int v = 0; v < STUDY_HYPOTHESIS_PARAMETERS; v++)
            if (infer_shows(x, v))
                infer_add_parameter(&t, h, (enum study_hypothesis_parameter)v, relative);
        view_table_add(&t, "%.4f +- %.4f|%.1f %%", exp(h->posterior.rate.value),
                       exp(h->posterior.rate.value) * (h->posterior.rate.high - h->posterior.rate.low) / 2,
                       100 * infer_misfit(x, h));
        infer_add_tail(&t, h);
        /* The group's first, by its place in the ranking. */
        if (h->group == i)
            view_table_add(&t, "%s", "-");
        else
            view_table_add(&t, "%zu", h->group + 1);
    }
    infer_add_none(&t, x, parameters, placed);
    view_table_print(&t, "  ", 2U + placed, stdout);
    if (left > 0)
        printf("  %zu more, each with a weight below %.2g: the nearest is %s, log10 odds %.1f\n", left,
               placed ? x->h[x->n_emulated - left].weight : UNLIKELY, x->h[x->n_emulated - left].is.text,
               (x->h[x->n_emulated - left].posterior.log_evidence - x->h[0].posterior.log_evidence) / M_LN10);
}

/* Weights of what is the same in several of the ranking: of a placement, or of a hypothesis, the largest first. */
static double infer_sum(const struct study_infer *x, size_t like, bool placement)
{
    double sum = 0;
    for (size_t i = 0; i < x->n_emulated; i++)
        if (placement ? x->h[i].is.placement == x->h[like].is.placement
                      : strcmp(x->h[i].is.text, x->h[like].is.text) == 0)
            sum += x->h[i].weight;
    return sum;
}

/* Is this one the first in the ranking of its placement, or of its hypothesis? */
static bool infer_first(const struct study_infer *x, size_t i, bool placement)
{
    for (size_t k = 0; k < i; k++)
        if (placement ? x->h[k].is.placement == x->h[i].is.placement : strcmp(x->h[k].is.text, x->h[i].is.text) == 0)
            return false;
    return true;
}

static void infer_print_sums(const struct study_infer *x, bool placement)
{
    struct view_table t = view_table_of(
        placement ? "placement|weight of all its hypotheses" : "hypothesis|weight in all placements");
    for (size_t i = 0; i < x->n_emulated; i++)
        if (infer_first(x, i, placement) && infer_sum(x, i, placement) >= UNLIKELY)
            view_table_add(&t, "%s|%.4f", placement ? infer_placement(x, &x->h[i]) : x->h[i].is.text,
                           infer_sum(x, i, placement));
    putchar('\n');
    view_table_print(&t, "  ", 1, stdout);
}

static void infer_print_models(const struct study_infer *x)
{
    bool placed = x->measured->n_placements > 0;
    if (x->n_emulated == x->n)
        return;
    struct view_table t = view_table_with(5U + placed);
    view_table_add(&t, "model");
    if (placed)
        view_table_add(&t, "placement");
    view_table_add(&t, "log10 odds|window kB|rate|misfit");
    for (size_t i = x->n_emulated; i < x->n; i++) {
        const struct study_infer_hypothesis *h = &x->h[i];
        bool first = true; /* of its placements */
        for (size_t k = x->n_emulated; k < i; k++)
            first = first && x->h[k].is.model != h->is.model;
        if (!first)
            continue;
        view_table_add(&t, "%s", h->is.text);
        if (placed)
            view_table_add(&t, "%s", infer_placement(x, h));
        view_table_add(&t, "%.1f", (h->posterior.log_evidence - x->h[0].posterior.log_evidence) / M_LN10);
        infer_add_parameter(&t, h, STUDY_HYPOTHESIS_WINDOW, false);
        view_table_add(&t, "%.4f|%.1f %%", exp(h->posterior.rate.value), 100 * infer_misfit(x, h));
    }
    printf("\n  closed models, by the same measure%s\n", placed ? ", where they fit best" : "");
    view_table_print(&t, "  ", 1U + placed, stdout);
}

#define SHOWN 40 /* flows */

/* One that was not emulated in this pattern has none. */
static void infer_add_error(struct view_table *t, double log)
{
    if (isfinite(log))
        view_table_add(t, "%+.1f %%", 100 * (exp(log) - 1));
    else
        view_table_add(t, "%s", "-");
}

static void infer_print_flows(const struct study_infer *x)
{
    size_t two = x->n_emulated > 1 ? 2 : 1, k = 0;
    struct view_table t = view_table_with(5 + two);
    view_table_add(&t, "pattern|flow|from|to|measured|%s", "rank 1");
    if (two > 1)
        view_table_add(&t, "rank 2");
    for (size_t p = 0; p < x->measured->n; p++) {
        const struct study_measurement_pattern *pattern = &x->measured->patterns[p];
        for (size_t i = 0; i < pattern->n; i++, k++) {
            const struct study_measurement_flow *f = &pattern->flows[i];
            if (k >= SHOWN)
                continue;
            view_table_add(&t, "%s|%s|%s|%s", cli_name(pattern->name), cli_name(f->name),
                           cli_name(x->measured->hosts[f->from]), cli_name(x->measured->hosts[f->to]));
            if (f->bytes > 0)
                view_table_add(&t, "%s s", UNITS_FIGURE(exp(f->log.mean), 4));
            else
                view_table_add(&t, "%s Mb/s", UNITS_FIGURE(exp(-f->log.mean) / 1e6, 4));
            for (size_t r = 0; r < two; r++)
                infer_add_error(&t, (f->bytes > 0 ? 1 : -1) * (x->h[r].posterior.fit[k] - f->log.mean));
        }
    }
    printf("\n  what was measured, and how far the best two are from it\n");
    view_table_print(&t, "  ", 4, stdout);
    if (k > SHOWN)
        printf("  %zu more flows: --json has them\n", k - SHOWN);
}

/* "0.4254 0.4254 0.1234" */
static void infer_values(char *text, size_t room, const struct study_infer_experiment *e, int which)
{
    text[0] = '\0';
    for (size_t i = 0; i < e->pattern.n; i++)
        text_add(text, room, "%s%.4g", i ? " " : "", exp(e->value[which][i]));
}

static void infer_print_next(const struct study_infer *x)
{
    if (x->n_experiments == 0)
        return;
    struct view_table t = view_table_of("flows of h0|nats|times for odds of 20|rank 1: s|rank 2: s");
    for (size_t i = 0; i < x->n_experiments && i < EXPERIMENTS; i++) {
        const struct study_infer_experiment *e = &x->experiments[i];
        char value[2][128];
        infer_values(value[0], sizeof value[0], e, 0);
        infer_values(value[1], sizeof value[1], e, 1);
        view_table_add(&t, "%s|%.1f|%.0f|%s|%s", e->name, e->nats, ceil(log(ODDS) / e->nats), value[0], value[1]);
    }
    printf("\n  the next experiment: what tells ranks 1 and 2 apart most, in times that each expects\n");
    view_table_print(&t, "  ", 1, stdout);
}

void cli_infer_print(const struct study_infer *x)
{
    printf("%zu flows in %zu pattern%s, %zu emulations; spread of a value: ", x->measured->flows, x->measured->n,
           x->measured->n == 1 ? "" : "s", x->emulations);
    if (x->how == MODEL_POSTERIOR_KNOWN && !(x->spread < 1))
        puts("given, row by row");
    else
        printf("%.2g %%, %s\n", 100 * x->h[0].posterior.spread,
               x->how == MODEL_POSTERIOR_KNOWN    ? "given"
               : x->how == MODEL_POSTERIOR_POOLED ? "read off the repeats"
                                                  : "fitted, since nothing was repeated");
    infer_print_ranking(x);
    infer_print_misses(x);
    infer_print_patterns(x);
    for (int placement = 0; placement < 2 && x->measured->n_placements > 1; placement++)
        infer_print_sums(x, placement);
    infer_print_models(x);
    infer_print_flows(x);
    infer_print_next(x);
}

static json_t *interval_json(const char *name, const struct model_posterior_interval *i, bool fixed)
{
    return results_json("parameter:s value:f low:f high:f searched:b", name, exp(i->value), exp(i->low),
                        exp(i->high), !fixed);
}

static json_t *hypothesis_json(const struct study_infer *x, size_t i)
{
    const struct study_infer_hypothesis *h = &x->h[i];
    json_t *parameters = json_array(), *fit = json_array(), *by_pattern = json_array();
    size_t k = 0;
    for (size_t a = 0; a < h->grid.axes; a++)
        json_array_append_new(parameters, interval_json(study_hypothesis_parameters[h->of[a]], &h->posterior.theta[a],
                                                        h->grid.axis[a].n == 1));
    for (size_t p = 0, first = 0; p < x->measured->n; first += x->measured->patterns[p++].n)
        json_array_append_new(by_pattern, results_json("pattern:s misfit:f tail:f", x->measured->patterns[p].name,
                                                       infer_misfit_of(x, h, p, p + 1), h->posterior.tails[first]));
    json_array_append_new(parameters, interval_json("rate", &h->posterior.rate, false));
    for (size_t p = 0; p < x->measured->n; p++)
        for (size_t f = 0; f < x->measured->patterns[p].n; f++, k++) {
            double sign = x->measured->patterns[p].flows[f].bytes > 0 ? 1 : -1;
            json_array_append_new(fit, json_real(exp(sign * h->posterior.fit[k])));
        }
    return results_json("hypothesis:s placement:t emulated:b rank:z weight:f log_evidence:f not_told_from:o refined:b points:z "
                        "misfit:f spread:f tail:f misses:b by_pattern:o parameters:o fit:o", h->is.text,
                        x->measured->n_placements > 0 ? x->measured->placements[h->is.placement].name : NULL,
                        !h->is.model, i + 1, h->weight, h->posterior.log_evidence,
                        h->group == i ? json_null() : json_integer((json_int_t)h->group + 1), h->refined,
                        h->n, infer_misfit(x, h), h->posterior.spread, h->whole ? h->posterior.tail : (double)NAN,
                        study_infer_misses(h), by_pattern, parameters, fit);
}

static json_t *measured_json(const struct study_infer *x)
{
    json_t *flows = json_array();
    for (size_t p = 0; p < x->measured->n; p++)
        for (size_t i = 0; i < x->measured->patterns[p].n; i++) {
            const struct study_measurement_flow *f = &x->measured->patterns[p].flows[i];
            bool ends = f->bytes > 0;
            json_array_append_new(flows, results_json("pattern:s flow:s from:s to:s bytes:l seconds:f "
                                                      "bits_per_second:f values:z spread:f",
                                                      x->measured->patterns[p].name, f->name,
                                                      x->measured->hosts[f->from], x->measured->hosts[f->to], f->bytes,
                                                      ends ? exp(f->log.mean) : (double)NAN,
                                                      ends ? (double)NAN : exp(-f->log.mean), f->log.n,
                                                      estimate_deviation(&f->log)));
        }
    return flows;
}

static json_t *experiment_json(const struct study_infer *x UNUSED, const struct study_infer_experiment *e)
{
    json_t *flows = json_array();
    for (size_t i = 0; i < e->pattern.n; i++) {
        const struct study_measurement_flow *f = &e->pattern.flows[i];
        char from[24], to[24];
        snprintf(from, sizeof from, "h%zu", f->from);
        snprintf(to, sizeof to, "h%zu", f->to);
        json_array_append_new(flows, results_json("from:s to:s bytes:l first_s:f second_s:f", from, to, f->bytes,
                                                  exp(e->value[0][i]), exp(e->value[1][i])));
    }
    return results_json("pattern:s nats:f flows:o", e->name, e->nats, flows);
}

static const char *const infer_lacks[] = {"nothing", "experiments", "points", "patterns"};

json_t *cli_infer_json(const struct study_infer *x)
{
    json_t *hypotheses = json_array(), *next = json_array();
    for (size_t i = 0; i < x->n; i++)
        json_array_append_new(hypotheses, hypothesis_json(x, i));
    for (size_t i = 0; i < x->n_experiments; i++)
        json_array_append_new(next, experiment_json(x, &x->experiments[i]));
    return results_json("patterns:z emulations:z lacks:s left_out:z spread:o flows:o hypotheses:o none:o next:o",
                        x->measured->n, x->emulations, infer_lacks[x->lacks], x->left_out,
                        results_json("how:s value:f degrees:f", infer_how[x->how], x->spread, x->degrees),
                        measured_json(x), hypotheses, results_json("weight:f log_evidence:f", x->none_weight,
                        x->none_log_evidence), next);
}
