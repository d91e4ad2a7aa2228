/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/predict/predict.h"
#include "results/json.h"
#include "view/table.h"

static void show_fit(const struct cli_predict_exchange_options *o, const struct study_exchange_answer *a)
{
    const struct model_signature_fit *f = &a->fit;
    bool ratio = f->shape == MODEL_SIGNATURE_RATIO;
    printf("signature of %s: %zu points, %zu sizes (Steffenel 2006, Eq. 5, generalised least squares)\n",
           o->request.fit_path, a->fit_points, f->n_candidates);
    printf("  gamma  %.5g, 95%% interval %.5g to %.5g\n", f->gamma.value, f->gamma.low, f->gamma.high);
    printf("  delta  %.4g ms a message, 95%% interval %.4g to %.4g%s\n", f->delta_s.value * 1e3, f->delta_s.low * 1e3,
           f->delta_s.high * 1e3, ratio ? ": taken as 0 (Eq. 4)" : "");
    if (f->shape == MODEL_SIGNATURE_THRESHOLD)
        printf("  M      %g bytes; anything above %g and up to %g is compatible\n", f->signature.threshold_bytes,
               f->threshold_above_bytes, f->threshold_to_bytes);
    else
        printf("  M      %s\n", ratio ? "none" : "0: messages of every measured size have the start-up cost");
    if (a->fit_weighted)
        printf("  points miss it by %.3g of their standard errors", f->scale);
    else
        printf("  points miss it by %.3g %%", f->scale * 100);
    printf("; %zu degrees of freedom; intervals take M as found\n", f->df);
}

static json_t *estimate_json(const struct model_signature_estimate *e)
{
    return results_json("value:f std_error:f low:f high:f", e->value, e->std_error, e->low, e->high);
}

static json_t *exchange_fit_json(const struct cli_predict_exchange_options *o, const struct study_exchange_answer *a)
{
    const struct model_signature_fit *f = &a->fit;
    return results_json("file:s points:z shape:s gamma:o delta_s:o delta_used_s:f threshold_bytes:f "
                        "threshold_above_bytes:f threshold_to_bytes:f df:z scale:f weighted:b", o->request.fit_path,
                        a->fit_points, model_signature_shape_name(f->shape), estimate_json(&f->gamma),
                        estimate_json(&f->delta_s), f->signature.delta_s, f->signature.threshold_bytes,
                        f->threshold_above_bytes, f->threshold_to_bytes, f->df, f->scale, a->fit_weighted);
}

/* What each process sends, as a rate; it receives as much. */
static double row_goodput_bps(const struct study_exchange_answer *a, const struct study_exchange_row *row)
{
    return 8 * a->message_bytes * (double)(a->processes - 1) / row->time_s;
}

static void show_parameters(const struct cli_predict_exchange_options *o, const struct study_exchange_answer *a)
{
    const struct model_tam *t = &o->request.tam;
    printf("tam: O_s %g, g_s %g, O_r %g, g_r %g, U_r %g, L %g us, packets of %g bytes\n", t->send_overhead_s * 1e6,
           t->send_gap_s * 1e6, t->receive_overhead_s * 1e6, t->receive_gap_s * 1e6, t->user_overhead_s * 1e6,
           a->latency_s * 1e6, t->packet_bytes);
    printf("     from Tam 2001, Table 5.2, Fast Ethernet, IBM %s%s%s\n", o->like, o->given[0] ? ", except " : "",
           o->given);
    printf("     %zu packets a message, each further one costs %g us (%s)\n", a->packets, a->gap_s * 1e6,
           a->stage == MODEL_TAM_HOST ? "O_s + O_r + U_r: the hosts are the bottleneck"
                                      : "the gap: the network is the bottleneck");
    printf("     group shuffle among %zu partners at a time\n", a->group);
    if (!model_tam_is_full_duplex(t, a->processes))
        puts("     not O_s + O_r + U_r < g < L: outside the condition the equations were derived for");
}

static void show_tree(const struct study_exchange_answer *a)
{
    printf("\nglobal window for %zu switches of %zu processes, %g packets of uplink buffer (Tam 2001, Eq. 6.1, 6.2)\n",
           a->tree.switches, a->tree.nodes_per_switch, a->buffer_packets);
    printf("  %zu packets of a process under way, data alone: %g / %.4g = %.2f\n", a->data_window.window_packets,
           a->buffer_packets, a->data_window.uplink_packets, a->data_window.share);
    printf("  %zu with %g control packets for each: %g / %.4g = %.2f\n", a->window.window_packets, a->control_packets,
           a->buffer_packets, a->window.uplink_packets, a->window.share);
    if (a->window.overrun)
        puts("  less than 1: one packet of every process can already overrun the buffer");
    printf("  number of a process in the schedule: its switch + %zu * its place on the switch (Eq. 6.3)\n",
           a->tree.switches);
}

static void show_claims(const struct cli_predict_exchange_options *o, const struct study_exchange_answer *a)
{
    const struct model_alltoall_bounds *b = &a->claims;
    printf("%s: %zu messages among %zu processes, %.15g bytes (Steffenel 2006, section 5; alpha %g us, beta %g ns)\n",
           o->request.sizes_path, a->messages, a->processes, a->total_bytes, a->link.alpha_s * 1e6,
           a->link.beta_s_per_byte * 1e9);
    printf("  start-ups, at least %zu (Claim 1)\n", b->startups);
    struct view_table t = view_table_of("bound|source|time ms");
    view_table_add(&t, "sending|t_s|%f", b->send_s * 1e3);
    view_table_add(&t, "receiving|t_r|%f", b->receive_s * 1e3);
    view_table_add(&t, "bytes|Claim 2|%f", b->bytes_s * 1e3);
    view_table_add(&t, "bytes and start-ups|Claim 3|%f", b->rounds_s * 1e3);
    view_table_add(&t, "without its conditions|one process, one way|%f", b->port_s * 1e3);
    view_table_print(&t, "  ", 2, stdout);
    puts(b->claim3 ? "  Claim 3 holds: one process has both the most messages and the most bytes"
                   : "  Claim 3 needs synchronous rounds here: no process has both the most messages and the most bytes");
}

static json_t *claims_json(const struct study_exchange_answer *a)
{
    const struct model_alltoall_bounds *b = &a->claims;
    return results_json("processes:z messages:z total_bytes:f startups:z send_s:f receive_s:f bytes_s:f rounds_s:f "
                        "claim3:b port_s:f", a->processes, a->messages, a->total_bytes, b->startups, b->send_s,
                        b->receive_s, b->bytes_s, b->rounds_s, b->claim3, b->port_s);
}

static void show_text(const struct cli_predict_exchange_options *o, const struct study_exchange_answer *a)
{
    if (o->request.sizes_path) {
        show_claims(o, a);
        return;
    }
    if (o->request.fit_path)
        show_fit(o, a);
    if (a->processes == 0)
        return;
    printf("%scomplete exchange of %zu processes, %.15g bytes from each to each\n", o->request.fit_path ? "\n" : "",
           a->processes, a->message_bytes);
    if (study_exchange_needs(&o->request) & STUDY_EXCHANGE_TAM)
        show_parameters(o, a);
    puts("");
    struct view_table t = view_table_of("model|source|rounds|time ms|Mb/s a process");
    for (size_t i = 0; i < a->n; i++) {
        const struct study_exchange_row *row = &a->row[i];
        view_table_add(&t, "%s|%s", row->model, row->source);
        view_table_add(&t, isnan(row->rounds) ? "-" : "%.0f", row->rounds);
        view_table_add(&t, "%f|%f", row->time_s / 1e-3, row_goodput_bps(a, row) / 1e6);
    }
    view_table_print(&t, "  ", 2, stdout);
    if (a->tree.switches)
        show_tree(a);
}

static json_t *parameters_json(const struct cli_predict_exchange_options *o, const struct study_exchange_answer *a)
{
    const struct model_tam *t = &o->request.tam;
    return results_json("o_s_s:f g_s_s:f o_r_s:f g_r_s:f u_r_s:f l_s:f packet_bytes:f defaults_like:s given:s group:z "
                        "gap_s:f bottleneck:s full_duplex:b", t->send_overhead_s, t->send_gap_s, t->receive_overhead_s,
                        t->receive_gap_s, t->user_overhead_s, a->latency_s, t->packet_bytes, o->like, o->given,
                        a->group, a->gap_s, model_tam_stage_name(a->stage), model_tam_is_full_duplex(t, a->processes));
}

static json_t *tree_json(const struct study_exchange_answer *a)
{
    return results_json("nodes_per_switch:z switches:z buffer_packets:f control_packets:f uplink_packets_per_step:f "
                        "share_packets:f window_packets:z data_window_packets:z overrun:b uplink_s:f",
                        a->tree.nodes_per_switch, a->tree.switches, a->buffer_packets, a->control_packets,
                        a->window.uplink_packets, a->window.share, a->window.window_packets,
                        a->data_window.window_packets, a->window.overrun, a->uplink_s);
}

static void exchange_json(const struct cli_predict_exchange_options *o, const struct study_exchange_answer *a)
{
    if (o->request.sizes_path) {
        cli_print_json(cli_json("predict-exchange:1", results_json("claims:o", claims_json(a))));
        return;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < a->n; i++) {
        const struct study_exchange_row *row = &a->row[i];
        json_t *rounds = isnan(row->rounds) ? json_null() : json_integer((json_int_t)row->rounds);
        results_json_append(list, "model:s source:s time_s:f process_goodput_bps:f rounds:o", row->model, row->source,
                            row->time_s, row_goodput_bps(a, row), rounds);
    }
    json_t *root = results_json("predictions:o", list);
    if (a->processes)
        json_object_update_new(root, results_json("processes:z message_bytes:f packets:o", a->processes,
                                                  a->message_bytes,
                                                  a->packets ? json_integer((json_int_t)a->packets) : json_null()));
    if (o->request.fit_path)
        json_object_set_new(root, "fit", exchange_fit_json(o, a));
    if (a->processes && (study_exchange_needs(&o->request) & STUDY_EXCHANGE_TAM))
        json_object_set_new(root, "tam", parameters_json(o, a));
    if (a->tree.switches)
        json_object_set_new(root, "tree", tree_json(a));
    cli_print_json(cli_json("predict-exchange:1", root));
}

void cli_predict_exchange_show(const struct cli_predict_exchange_options *o, const struct study_exchange_answer *a)
{
    o->json ? exchange_json(o, a) : show_text(o, a);
}
