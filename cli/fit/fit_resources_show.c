/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/order.h"
#include "cli/fit/fit_show.h"
#include "results/json.h"
#include "view/diagnosis.h"
#include "view/table.h"

#define WORST 5

static void cell_range_mbps(struct view_table *t, const struct analysis_fit_value *v)
{
    if (isfinite(v->low) && isfinite(v->high))
        view_table_add(t, "%.*f to %.*f", v->low >= 1e9 ? 1 : 2, v->low / 1e6, v->low >= 1e9 ? 1 : 2, v->high / 1e6);
    else
        view_table_add(t, "-");
}

/* ", 95 % interval 0.99 to 1.01", empty when that is not known. */
static void print_interval(const struct analysis_fit_value *v, double scale, int decimals)
{
    if (!isnan(v->low) && !isnan(v->high))
        printf(", 95 %% interval %.*f to %.*f", decimals, v->low / scale, decimals, v->high / scale);
}

static void print_exponent(const char *name, const struct analysis_fit_value *v, int decimals)
{
    printf("%s = %.*f", name, decimals, v->value);
    print_interval(v, 1, decimals);
}

static void print_exponents(const struct analysis_fit *f)
{
    bool power = f->form == ANALYSIS_FIT_POWER;
    if (!f->applies || (!power && f->form != ANALYSIS_FIT_NORM))
        return;
    printf("  %s%s:", analysis_fit_form_name(f->form), f->acks ? "+acks" : "");
    print_exponent(power ? " a" : " p", &f->exponent[0], power ? 4 : 1);
    if (power)
        print_exponent("; b", &f->exponent[1], 4);
    putchar('\n');
}

static void print_forms(const struct study_fit_resources *r, const struct study_fit_outcome *o)
{
    struct view_table t = view_table_of("form|B Mb/s|95 %|rms|mean|worst|in/out|dAIC|cross-validated");
    for (int i = 0; i < ANALYSIS_FIT_ALL; i++) {
        const struct analysis_fit *f = &o->fit[i];
        view_table_add(&t, "%s%s|%f", analysis_fit_form_name(f->form), f->acks ? "+acks" : "", f->rate_bps.value / 1e6);
        cell_range_mbps(&t, &f->rate_bps);
        view_table_add(&t, "%.2f %%|%.2f %%|%.2f %%", 100 * f->rms_error, 100 * f->mean_error, 100 * f->worst_error);
        if (f->applies)
            view_table_add(&t, "%zu/%zu", r->points[o->index[f->worst_point]].n_in,
                           r->points[o->index[f->worst_point]].n_out);
        else
            view_table_add(&t, "-");
        double aic = isfinite(f->aic) ? fmax(f->aic - o->fit[0].aic, 0) : f->aic; /* forms may tie but for rounding */
        view_table_add(&t, "%.1f|%.2f %%", aic, 100 * f->cross_validated_error);
    }
    view_table_print(&t, "  ", 1, stdout);
    for (int i = 0; i < ANALYSIS_FIT_ALL; i++)
        print_exponents(&o->fit[i]);
}

/* A point of an outcome. */
struct shown {
    const struct study_fit_point *point;
    const struct study_fit_predicted *best;
};

static ORDER_OF(by_error, struct shown, ORDER_TWO(fabs(b->best->worst_error), fabs(a->best->worst_error)))

static void print_worst(const struct study_fit_resources *r, const struct study_fit_outcome *o)
{
    MEMORY_LOCAL struct shown *all = memory_zeroed(o->n, sizeof *all, "points of a fit");
    for (size_t i = 0; i < o->n; i++)
        all[i] = (struct shown){&r->points[o->index[i]], &o->best[i]};
    qsort(all, o->n, sizeof *all, by_error);
    struct view_table t = view_table_of("point|seed|in/out|in Mb/s|predicted|out Mb/s|predicted|worst flow");
    for (size_t i = 0; i < o->n && i < WORST; i++) {
        const struct study_fit_point *p = all[i].point;
        view_table_add(&t, "%s", p->label);
        view_table_add(&t, p->axes ? "%" PRId64 : "-", p->seed);
        view_table_add(&t, "%zu/%zu|%f|%f|%f|%f|%.2f %%", p->n_in, p->n_out, p->in_bps / 1e6, all[i].best->in_bps / 1e6,
                       p->out_bps / 1e6, all[i].best->out_bps / 1e6, 100 * all[i].best->worst_error);
    }
    view_table_print(&t, "  ", 1, stdout);
}

static void print_outcome(const struct study_fit_resources *r, const struct study_fit_outcome *o)
{
    const struct analysis_fit *best = &o->fit[0];
    if (!best->applies) {
        puts("  no form can be told: not one of its flows is held by this link alone");
        return;
    }
    printf("  best: %s%s, B = %.2f Mb/s", analysis_fit_form_name(best->form), best->acks ? "+acks" : "",
           best->rate_bps.value / 1e6);
    print_interval(&best->rate_bps, 1e6, 2);
    if (best->limited > 0)
        printf("; %zu flows have all that their own hosts' links give", best->limited);
    putchar('\n');
    if (best->rms_error > STUDY_FIT_RESOURCES_MIXED) {
        printf("  that is off by %.0f %% (rms): no form has all of these points, and the bandwidth means little\n",
               100 * best->rms_error);
        return;
    }
    print_forms(r, o);
    puts("  worst points of the best form");
    print_worst(r, o);
}

void cli_fit_resources_print(const void *state)
{
    const struct study_fit_resources *r = state;
    const char *gap = "";
    for (size_t i = 0; i < r->n_diagnosed; i++) {
        view_diagnosis_print_answer(stdout, r->diagnosed[i].source, &r->diagnosed[i].host);
        if (r->diagnosed[i].empty)
            puts("  left out of the fit: its link is not full, so no rule of a full link applies");
        gap = "\n";
    }
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct study_fit_group *g = &r->groups[i];
        if (g->points == 0)
            continue;
        printf("%sresource %s", gap, g->name);
        if (isfinite(g->rate_bps))
            printf(" of %.6g Gb/s", g->rate_bps / 1e9);
        printf(": %zu points", g->all.units);
        if (g->points > g->all.units)
            printf(" in %zu runs (seeds differ by %.2g %%, standard deviation of a direction's mean)", g->points,
                   100 * g->all.spread);
        printf(", %zu with losses%s\n", g->lossy, g->equal_windows ? "; equal windows make window eq6" : "");
        print_outcome(r, &g->all);
        if (g->loss_free.n > 0) {
            printf("resource %s without the runs that lost segments: %zu points\n", g->name, g->loss_free.units);
            print_outcome(r, &g->loss_free);
        }
        gap = "\n";
    }
    if (r->starved > 0)
        printf("%s%zu %s left out: a flow moved nothing\n", gap, r->starved, r->starved > 1 ? "runs are" : "run is");
    if (r->unfilled > 0)
        printf("%s%zu %s left out: windows do not fill the link\n", r->starved ? "" : gap, r->unfilled,
               r->unfilled > 1 ? "runs are" : "run is");
}

static json_t *value_json(const struct analysis_fit_value *v)
{
    return results_json("value:f low:f high:f", v->value, v->low, v->high);
}

static json_t *form_json(const struct study_fit_resources *r, const struct study_fit_outcome *o,
                         const struct analysis_fit *f)
{
    const struct study_fit_point *worst = f->applies ? &r->points[o->index[f->worst_point]] : NULL;
    json_t *form = results_json("form:s acks:b applies:b fitted_rate_bps:o parameters:z aic:f rms_error:f mean_error:f "
                                "cross_validated_error:f worst_error:f limited_flows:z worst_point:s",
                                analysis_fit_form_name(f->form), f->acks, f->applies, value_json(&f->rate_bps),
                                f->parameters, f->aic, f->rms_error, f->mean_error, f->cross_validated_error,
                                f->worst_error, f->limited, worst ? worst->label : NULL);
    if (f->form == ANALYSIS_FIT_POWER)
        results_json_add(form, "a:o b:o", value_json(&f->exponent[0]), value_json(&f->exponent[1]));
    if (f->form == ANALYSIS_FIT_NORM) /* of 1/p, which is finite: p may not be */
        json_object_set_new(form, "inverse_p", results_json("value:f low:f high:f", 1 / f->exponent[0].value,
                                                            1 / f->exponent[0].high, 1 / f->exponent[0].low));
    return form;
}

static json_t *outcome_json(const struct study_fit_resources *r, const struct study_fit_outcome *o)
{
    json_t *forms = json_array();
    for (int i = 0; i < ANALYSIS_FIT_ALL; i++)
        json_array_append_new(forms, form_json(r, o, &o->fit[i]));
    return results_json("points:z runs:z seed_spread:f forms:o", o->units, o->n, o->spread, forms);
}

static json_t *point_json(const struct study_fit_point *p, const struct study_fit_predicted *best,
                          const struct study_fit_predicted *eq6)
{
    json_t *point = results_json("source:s in:z out:z in_bps:f in_ci95_bps:f out_bps:f out_ci95_bps:f "
                                 "predicted_in_bps:f predicted_out_bps:f worst_error:f eq6_in_bps:f eq6_out_bps:f "
                                 "lossy:b", p->source, p->n_in, p->n_out, p->in_bps, p->in_ci95_bps, p->out_bps,
                                 p->out_ci95_bps, best->in_bps, best->out_bps, best->worst_error, eq6->in_bps,
                                 eq6->out_bps, p->lossy);
    if (p->axes)
        results_json_add(point, "point:l seed:l axes:o", p->number, p->seed, json_incref(p->axes));
    return point;
}

json_t *cli_fit_resources_json(const void *state)
{
    const struct study_fit_resources *r = state;
    json_t *list = json_array();
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct study_fit_group *g = &r->groups[i];
        if (g->points == 0)
            continue;
        json_t *group = outcome_json(r, &g->all), *measured = json_array();
        for (size_t k = 0; k < g->all.n; k++)
            json_array_append_new(measured, point_json(&r->points[g->all.index[k]], &g->all.best[k], &g->all.eq6[k]));
        results_json_add(group, "resource:s rate_bps:f lossy_runs:z equal_windows:b loss_free:o measured:o", g->name,
                         g->rate_bps, g->lossy, g->equal_windows,
                         g->loss_free.n > 0 ? outcome_json(r, &g->loss_free) : json_null(), measured);
        json_array_append_new(list, group);
    }
    json_t *hosts = json_array();
    for (size_t i = 0; i < r->n_diagnosed; i++) {
        const struct study_fit_diagnosed *x = &r->diagnosed[i];
        results_json_append(hosts, "source:s host:s left_out:b diagnosis:o", x->source, x->host.host, x->empty,
                            view_diagnosis_json(x->source, &x->host));
    }
    return results_json("hosts:o links:o starved_runs:z unfilled_runs:z", hosts, list, r->starved, r->unfilled);
}

/* The better of a form with and without ACKs. */
static const struct analysis_fit *rule_find(const struct study_fit_group *g, enum analysis_fit_form form)
{
    const struct analysis_fit *best = NULL;
    for (int i = 0; i < ANALYSIS_FIT_ALL; i++) {
        const struct analysis_fit *f = &g->all.fit[i];
        if (f->form == form && f->applies && (!best || f->rms_error < best->rms_error))
            best = f;
    }
    return best;
}

/* The rules that this tells apart; the window law only of windows that are known, and not equal. */
static const struct rule {
    enum analysis_fit_form form;
    const char *name, *meaning, *model;
} rules[] = {
    {ANALYSIS_FIT_EQ6, "Eq. 6", "Eq. 6, B / max(in, out), which is the window law of equal windows", "algorithm1"},
    {ANALYSIS_FIT_EQ5, "Eq. 5", "Eq. 5, B / flows of one direction", "fairness"},
    {ANALYSIS_FIT_WINDOW, "the window law", "the window law, B W / max(sum of W in, sum of W out)", "window"},
};
#define RULES (sizeof rules / sizeof *rules)

void cli_fit_resources_rule(const struct study_fit_resources *r, int64_t rate_bps)
{
    char rate[UNITS_TEXT], goodput[UNITS_TEXT];
    const struct study_fit_group *g = study_fit_resources_main(r);
    if (!g)
        return;
    const struct analysis_fit *fit[RULES];
    size_t n = g->equal_windows ? RULES - 1 : RULES, best = 0;
    for (size_t i = 0; i < n; i++) {
        fit[i] = rule_find(g, rules[i].form);
        if (!fit[i])
            return;
        best = fit[i]->rms_error < fit[best]->rms_error ? i : best;
    }
    if (fit[best]->rms_error > STUDY_FIT_RESOURCES_MIXED) {
        printf("\nneither");
        for (size_t i = 0; i < n; i++)
            printf("%s %s (rms error %.1f %%)", i ? " nor" : "", rules[i].name, 100 * fit[i]->rms_error);
        printf(": %s, or packets are lost; 'contraflow check' of a capture says which\n",
               g->equal_windows ? "windows differ" : "flows end one after the other, and need their bytes");
        return;
    }
    units_format_rate_rounded(fit[best]->rate_bps.value, 4, goodput);
    units_format_rate(rate_bps, rate);
    printf("\n%s, with B = %.2f Mb/s: rms error %.1f %%", rules[best].meaning, fit[best]->rate_bps.value / 1e6,
           100 * fit[best]->rms_error);
    for (size_t i = 0; i < n; i++)
        if (i != best)
            printf("; %s: %.1f %%", rules[i].name, 100 * fit[i]->rms_error);
    printf("\na pattern takes here: contraflow predict PATTERN --model %s --set network.link.rate=%s --set "
           "network.link.goodput=%s\n", rules[best].model, rate, goodput);
}
