/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/predict/predict.h"
#include "results/gbn_events.h"
#include "results/json.h"
#include "view/table.h"

#define SENDERS 4096
#define SCHEMA "predict-loss:1"

struct loss_options {
    struct model_loss_flow flow; /* NAN, here and in the next two: not given */
    struct model_loss_chain chain;
    double to_gr;
    bool trace, json;
    char **files;
    int n_files;
};

/* As cli_options_read(). */
static int loss_options_read(struct loss_options *o, int argc, char **argv, struct error *err)
{
    *o = (struct loss_options){.flow = {NAN, NAN, NAN}, .chain = {NAN, NAN, NAN}, .to_gr = NAN};
    const struct cli_option options[] = {
        {"senders", 0, .number = &o->flow.senders},
        {"window", 0, .number = &o->flow.window_packets},
        {"buffer", 0, .number = &o->flow.buffer_packets},
        {"c", 0, .number = &o->chain.c},
        {"one-minus-a", 0, .number = &o->chain.one_minus_a},
        {"f", 0, .number = &o->chain.f},
        {"to-gr", 0, .number = &o->to_gr},
        {"trace", 0, .flag = &o->trace},
        {"json", 0, .flag = &o->json},
        {0},
    };
    int at = cli_options_read("predict loss", argc, argv, options, err);
    o->files = argv + at;
    o->n_files = argc - at;
    return at;
}

static bool options_check(struct loss_options *o, struct error *err)
{
    const struct model_loss_chain *chain = &o->chain;
    bool any = !isnan(chain->c) || !isnan(chain->one_minus_a) || !isnan(chain->f);
    bool all = !isnan(chain->c) && !isnan(chain->one_minus_a) && !isnan(chain->f), has_to = !isnan(o->to_gr);
    if (o->trace && isnan(o->flow.senders))
        o->flow.senders = o->n_files;
    bool estimate_only = o->trace && !has_to;
    if (!estimate_only && (isnan(o->flow.senders) || isnan(o->flow.window_packets) || isnan(o->flow.buffer_packets)))
        return error_set(err, ERROR_INPUT, "--%s is missing; see 'contraflow predict loss --help'",
                         isnan(o->flow.senders) ? "senders" : isnan(o->flow.window_packets) ? "window" : "buffer");
    if (o->trace != (o->n_files > 0))
        return error_set(err, ERROR_INPUT, o->trace ? "--trace needs a file for each sender"
                                                    : "'%s' is no option; files go with --trace", *o->files);
    if (o->n_files > SENDERS)
        return error_set(err, ERROR_INPUT, "%d traces; at most %d", o->n_files, SENDERS);
    if (any && o->trace)
        return error_set(err, ERROR_INPUT, "--trace estimates c, 1-a and f: give either it or them");
    if (any && !all)
        return error_set(err, ERROR_INPUT, "--%s is missing: the chain has c, 1-a and f",
                         isnan(chain->c) ? "c" : isnan(chain->one_minus_a) ? "one-minus-a" : "f");
    if (!o->trace && any != has_to)
        return error_set(err, ERROR_INPUT, has_to ? "--to-gr goes with --c, --one-minus-a and --f, or --trace"
                                                     : "--to-gr is missing: the timeout in units of g_r");
    return true;
}

/* `mean` is none without trials: the model then goes by a limit, see model_loss_trace_chain(). */
static json_t *json_proportion(double mean, const struct model_loss_proportion *p)
{
    return results_json("mean:f pooled:f pooled_low:f pooled_high:f hits:l trials:l", p->trials ? mean : (double)NAN,
                        p->value, p->low, p->high, p->hits, p->trials);
}

static json_t *json_estimates(const struct loss_options *o, const struct model_loss_counts *k)
{
    struct model_loss_estimate e = model_loss_trace_estimate(k);
    return results_json("traces:i events:l c:o one_minus_a:o f:o foreign:l", o->n_files,
                        k->packs + k->nacks + k->timeouts, json_proportion(o->chain.c, &e.c),
                        json_proportion(o->chain.one_minus_a, &e.one_minus_a), json_proportion(o->chain.f, &e.f),
                        k->foreign);
}

static void print_estimates(const struct loss_options *o, const struct model_loss_counts *k)
{
    struct model_loss_estimate e = model_loss_trace_estimate(k);
    const struct model_loss_proportion *const p[] = {&e.c, &e.one_minus_a, &e.f};
    const double mean[] = {o->chain.c, o->chain.one_minus_a, o->chain.f};
    static const char *const names[] = {"c   (P to N)", "1-a (N to TO)", "f   (TO to P)"};
    struct view_table t = view_table_of("|mean of senders|all events|95 % from|to|counted");
    for (int i = 0; i < 3; i++)
        view_table_add(&t, "%s|%.4f|%.4f|%.4f|%.4f|%" PRId64 " of %" PRId64, names[i],
                       p[i]->trials ? mean[i] : (double)NAN, p[i]->value, p[i]->low, p[i]->high, p[i]->hits,
                       p[i]->trials);
    printf("%d traces, %" PRId64 " events (Tam 2001, Eq. 4.11-4.13)\n", o->n_files, k->packs + k->nacks + k->timeouts);
    view_table_print(&t, "  ", 1, stdout);
    if (k->foreign > 0)
        printf("  %" PRId64 " transitions are none of the chain's (P to TO, N to N, TO to N)\n", k->foreign);
}

/* A remark on the efficiency, or "". */
static const char *output_remark(const struct model_loss_output *a)
{
    if (a->contradicted)
        return ", nothing is lost when P W <= B; yet c > 0: P, W or B is not that of the flow c is from";
    if (a->lossless)
        return ", nothing is lost";
    return a->saturated ? ", at most (the formula exceeds 1)" : "";
}

static int show_output(const struct loss_options *o, const struct model_loss_counts *traced)
{
    struct error err = {0};
    struct model_loss_output a;
    if (!model_loss_output_buffered(&o->flow, &o->chain, o->to_gr, &a, &err))
        return cli_fail(&err);
    if (o->json) {
        json_t *json = results_json("model:s efficiency:f sender_efficiency:f lossless:b contradicted:b saturated:b "
                                    "packs_per_nack:f nacks_per_timeout:f timeouts_in_a_row:f nack_cycle_gr:f c:f "
                                    "one_minus_a:f f:f", "output", a.efficiency, a.sender_efficiency, a.lossless,
                                    a.contradicted, a.saturated, a.packs_per_nack, a.nacks_per_timeout,
                                    a.timeouts_in_a_row, a.nack_cycle_gr, o->chain.c, o->chain.one_minus_a, o->chain.f);
        if (traced)
            json_object_set_new(json, "estimates", json_estimates(o, traced));
        cli_print_json(cli_json(SCHEMA, json));
        return 0;
    }
    if (traced)
        print_estimates(o, traced);
    printf("output-buffered, predicted (Tam 2001, Eq. 4.9, 4.10): efficiency %.4f%s\n", a.efficiency,
           output_remark(&a));
    if (!a.lossless)
        printf("  each sender alone %.4f; %.1f packets up to a Nack, in %.1f g_r; %.1f Nacks up to a timeout; "
               "%.1f timeouts in a row\n",
               a.sender_efficiency, a.packs_per_nack, a.nack_cycle_gr, a.nacks_per_timeout, a.timeouts_in_a_row);
    return 0;
}

static int show_input(const struct loss_options *o)
{
    struct error err = {0};
    struct model_loss_input a;
    if (!model_loss_input_buffered(&o->flow, &a, &err))
        return cli_fail(&err);
    if (o->json) {
        cli_print_json(cli_json(SCHEMA, results_json("model:s efficiency:f approximate:f lossless:b packs_per_nack:f",
                                                     "input", a.efficiency, a.approximate, a.lossless,
                                                     a.packs_per_nack)));
    } else if (a.lossless) {
        printf("input-buffered, predicted: efficiency 1, nothing is lost: %s\n",
               o->flow.senders <= 1 ? "one sender has nobody to contend with"
                                    : "a window of no more than the buffer fits with its first burst");
    } else {
        printf("input-buffered, predicted (Tam 2001, Eq. 4.2): efficiency %.4f, by its second line %.4f\n"
               "  %.1f packets between two Nacks\n", a.efficiency, a.approximate, a.packs_per_nack);
    }
    return 0;
}

int cmd_predict_loss(int argc, char **argv)
{
    struct loss_options o;
    struct error err = {0};
    struct model_loss_counts pooled;
    int at = loss_options_read(&o, argc, argv, &err);
    if (at <= 0)
        return at ? cli_fail(&err) : 0;
    if (!options_check(&o, &err) ||
        (o.trace && !results_gbn_events_chain(o.files, (size_t)o.n_files, &o.chain, &pooled, &err)))
        return cli_fail(&err);
    if (o.trace && isnan(o.to_gr)) {
        if (o.json)
            cli_print_json(cli_json(SCHEMA, results_json("model:s estimates:o", "trace", json_estimates(&o, &pooled))));
        else
            print_estimates(&o, &pooled);
        return 0;
    }
    return !isnan(o.to_gr) ? show_output(&o, o.trace ? &pooled : NULL) : show_input(&o);
}
