/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/fit/fit_show.h"
#include "results/json.h"
#include "study/fit/fit_patterns.h"
#include "study/fit/zhu2014.h"
#include "view/table.h"

/* Begins a table with the columns that name a cell; the caller adds the heads of `columns` more. */
static struct view_table patterns_start(const struct study_fit_patterns *p, size_t columns)
{
    struct view_table t = view_table_with((p->told_apart ? 4 : 1) + columns);
    view_table_add(&t, p->told_apart ? "nodes|d|MB|window kB" : "axes");
    return t;
}

static void patterns_add_models(struct view_table *t, const struct study_fit_patterns *p)
{
    for (size_t m = 0; m < p->n_models; m++)
        view_table_add(t, "%s", p->model[m]->name);
}

static void patterns_row(struct view_table *t, const struct study_fit_patterns *p,
                         const struct study_fit_patterns_cell *c)
{
    if (!p->told_apart) {
        json_auto_t *axes = json_loads(c->axes, 0, NULL);
        MEMORY_LOCAL char *label = sweep_axes_label(axes);
        view_table_add(t, "%s", label);
        return;
    }
    view_table_add(t, "%d", c->nodes);
    view_table_add(t, c->d > 0 ? "%d" : "-", c->d);
    view_table_add(t, "%f|%f", c->bytes / 1e6, c->window_bytes / 1e3);
}

static void patterns_print_errors(const struct study_fit_patterns *p)
{
    struct view_table t = patterns_start(p, 3 + p->n_models);
    view_table_add(&t, "patterns|links|steps");
    patterns_add_models(&t, p);
    for (size_t i = 0; i < p->n; i++) {
        const struct study_fit_patterns_cell *c = &p->cells[i];
        patterns_row(&t, p, c);
        view_table_add(&t, "%zu|%zu|%.1f", c->patterns, c->n, (double)c->steps / (double)c->patterns);
        for (size_t m = 0; m < p->n_models; m++)
            view_table_add(&t, "%.2f", 100 * study_fit_patterns_mean(&c->model[m].all));
    }
    puts("mean |error| of predicted completion times, % of the simulated or measured ones");
    view_table_print(&t, "", p->told_apart ? 0 : 1, stdout);
}

static void patterns_print_near(const struct study_fit_patterns *p)
{
    static const char *const worst[] = {"window", "fluid"};
    struct view_table t = patterns_start(p, p->n_models + 2);
    patterns_add_models(&t, p);
    for (int i = 0; i < 2; i++)
        view_table_add(&t, "%s's worst", worst[i]);
    for (size_t i = 0; i < p->n; i++) {
        const struct study_fit_patterns_cell *c = &p->cells[i];
        patterns_row(&t, p, c);
        for (size_t m = 0; m < p->n_models; m++)
            view_table_add(&t, "%.1f", 100 * (double)c->model[m].near / (double)c->model[m].all.links);
        for (int k = 0; k < 2; k++)
            view_table_add(&t, "%+.1f %%", 100 * study_fit_patterns_of(p, c, worst[k])->worst);
    }
    puts("\nlinks with |error| <= 10 %, %");
    view_table_print(&t, "", p->told_apart ? 0 : 1, stdout);
}

static void patterns_print_last(const struct study_fit_patterns *p)
{
    struct view_table t = patterns_start(p, p->n_models);
    patterns_add_models(&t, p);
    for (size_t i = 0; i < p->n; i++) {
        patterns_row(&t, p, &p->cells[i]);
        for (size_t m = 0; m < p->n_models; m++)
            view_table_add(&t, "%.2f", 100 * (p->cells[i].model[m].last / (double)p->cells[i].patterns));
    }
    puts("\nthe slowest transfer of a pattern: mean |error| of its time, %");
    view_table_print(&t, "", p->told_apart ? 0 : 1, stdout);
}

/* Puts our errors beside those that the paper measured on its clusters. */
static void patterns_print_published(const struct study_fit_patterns *p)
{
    struct view_table t = patterns_start(p, 11);
    bool any = false;
    view_table_add(&t, "algorithm1|main|Grid5000|pi|main|Grid5000|both ways|algorithm1|main|fairness|main");
    for (size_t i = 0; i < p->n; i++) {
        const struct study_fit_patterns_cell *c = &p->cells[i];
        const struct study_zhu2014_table2 *z = study_zhu2014_cell(c->nodes, c->d);
        if (!z)
            continue;
        const struct study_fit_patterns_errors *proposed = study_fit_patterns_of(p, c, "algorithm1");
        any = true;
        patterns_row(&t, p, c);
        view_table_add(&t, "%.2f|%.2f|%.2f|%.3f|%.3f|%.3f|%zu|%.2f|%.2f|%.2f|%.2f",
                       100 * study_fit_patterns_mean(&proposed->all), z->err, z->g5k_err,
                       study_fit_patterns_precision(&proposed->all), z->precision, z->g5k_precision, c->patterns_both,
                       100 * study_fit_patterns_mean(&proposed->both),
                       z->err_both, 100 * study_fit_patterns_mean(&study_fit_patterns_of(p, c, "fairness")->both),
                       z->fair_both);
    }
    if (!any) {
        view_table_fini(&t);
        return;
    }
    puts("\nsimulated here, and measured on clusters by Zhu et al. 2014 (Table II): mean |error|, %; pi, its interval's "
         "half over it;\nthen of patterns with traffic both ways");
    view_table_print(&t, "", p->told_apart ? 0 : 1, stdout);
}

void cli_fit_patterns_print(const void *state)
{
    const struct study_fit_patterns *p = state;
    size_t unfinished = 0, lossy = 0;
    for (size_t i = 0; i < p->n; i++) {
        unfinished += p->cells[i].unfinished;
        lossy += p->cells[i].lossy;
    }
    patterns_print_errors(p);
    patterns_print_near(p);
    patterns_print_last(p);
    patterns_print_published(p);
    if (unfinished)
        printf("\n%zu transfers never ended and are left out\n", unfinished);
    if (lossy)
        printf("\n%zu transfers lost segments: models that know no losses do not apply to them\n", lossy);
}

static json_t *errors_json(const struct study_fit_patterns_errors *m, const char *name, size_t patterns)
{
    json_t *counts = json_array();
    for (int i = 0; i < STUDY_FIT_PATTERNS_BINS; i++)
        json_array_append_new(counts, json_integer((json_int_t)m->histogram[i]));
    return results_json("model:s mean_abs_error:f ci95:f precision:f bias:f within_10_percent:f mean_abs_error_both_ways:f "
                        "ci95_both_ways:f slowest_mean_abs_error:f worst_error:f worst:s histogram:o", name,
                        study_fit_patterns_mean(&m->all), study_fit_patterns_ci95(&m->all),
                        study_fit_patterns_precision(&m->all), m->bias / (double)m->all.links, (double)m->near / (double)m->all.links,
                        study_fit_patterns_mean(&m->both), study_fit_patterns_ci95(&m->both),
                        m->last / (double)patterns, m->worst, m->where,
                        results_json("from:f step:f counts:o", -1.0, STUDY_FIT_PATTERNS_BIN, counts));
}

static json_t *published_json(const struct study_zhu2014_table2 *z)
{
    return z ? results_json("links:i steps:f main_algorithm1:f main_algorithm1_both_ways:f main_fairness_both_ways:f "
                            "grid5000_algorithm1:f grid5000_algorithm1_both_ways:f grid5000_fairness_both_ways:f "
                            "main_precision:f grid5000_precision:f",
                            z->links, z->steps, z->err / 100, z->err_both / 100, z->fair_both / 100, z->g5k_err / 100,
                            z->g5k_err_both / 100, z->g5k_fair_both / 100, z->precision, z->g5k_precision)
             : json_null();
}

static json_t *links_json(const struct study_fit_patterns *p, const struct study_fit_patterns_cell *c)
{
    json_t *links = json_array();
    for (size_t i = 0; i < c->n; i++) {
        const struct study_fit_patterns_link *l = &c->links[i];
        json_t *predicted = json_object();
        for (size_t m = 0; m < p->n_models; m++)
            json_object_set_new(predicted, p->model[m]->name, results_json_number(l->predicted_s[m]));
        results_json_append(links, "point:l flow:s bytes:l simulated_s:f simulated_ci95_s:f predicted_s:o", l->point,
                            l->name, l->bytes, l->time_s, l->ci95_s, predicted);
    }
    return links;
}

json_t *cli_fit_patterns_json(const void *state)
{
    const struct study_fit_patterns *p = state;
    json_t *cells = json_array();
    for (size_t i = 0; i < p->n; i++) {
        const struct study_fit_patterns_cell *c = &p->cells[i];
        json_t *errors = json_array();
        for (size_t m = 0; m < p->n_models; m++)
            json_array_append_new(errors, errors_json(&c->model[m], p->model[m]->name, c->patterns));
        results_json_append(cells, "axes:o nodes:i d:i message_bytes:f window_bytes:f patterns:z patterns_both_ways:z "
                            "links:z unfinished_links:z lossy_links:z steps:f models:o zhu2014:o each:o",
                            json_loads(c->axes, 0, NULL), c->nodes, c->d, c->bytes, c->window_bytes, c->patterns,
                            c->patterns_both, c->n, c->unfinished, c->lossy, (double)c->steps / (double)c->patterns,
                            errors, published_json(study_zhu2014_cell(c->nodes, c->d)), links_json(p, c));
    }
    return results_json("cells:o", cells);
}
