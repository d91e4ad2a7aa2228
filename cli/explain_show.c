/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/read.h"
#include "cli/show.h"
#include "results/json.h"
#include "study/explain/explain_run.h"
#include "study/explain/pendulum.h"
#include "study/verdict/judge.h"
#include "view/diagnosis.h"
#include "view/rules_table.h"

static json_t *show_phases_json(const struct study_explanation *e)
{
    json_t *list = json_array();
    for (size_t i = 0; i < e->n_phases; i++)
        results_json_append(list, "start_s:f end_s:f limit:s window_bytes:f", e->phases[i].start_s, e->phases[i].end_s,
                            analysis_limit_name(e->phases[i].limit), e->phases[i].window_bytes);
    return list;
}

static json_t *show_flow_json(const char *source, const struct study_explanation *e)
{
    char src[ANALYSIS_ENDPOINT_TEXT], dst[ANALYSIS_ENDPOINT_TEXT];
    analysis_flows_endpoint(&e->flow.src, e->flow.src_port, src);
    analysis_flows_endpoint(&e->flow.dst, e->flow.dst_port, dst);
    return results_json("source:s src:s dst:s goodput_bps:f steady_goodput_bps:f rtt_floor_s:f data_wait_s:f "
                        "ack_wait_s:f rtt_s:f ack_share:f ack_groups:l compressed_share:f hold_s:f tap:s limit:s "
                        "phases:o", source, src, dst, e->flow.goodput_bps, e->steady_bps, e->floor_s, e->data_wait_s,
                        e->ack_wait_s, e->rtt_s, e->ack_share, (int64_t)e->groups.groups, e->compressed, e->x.hold_s,
                        analysis_flows_tap_name(e->tap), analysis_limit_name(e->limit), show_phases_json(e));
}

static json_t *show_turns_json(const char *source, const char *a, const char *b, const struct analysis_pendulum *p)
{
    return results_json("source:s a:s b:s one_busy:f both_busy:f neither_busy:f correlation:f period_s:f", source, a, b,
                        p->one, p->both, p->neither, p->correlation, p->period_s);
}

static json_t *show_pendulum_json(const char *source, const struct study_pendulum *s)
{
    char name[CAPTURE_ADDRESS_TEXT], out[CAPTURE_ADDRESS_TEXT + 8], in[CAPTURE_ADDRESS_TEXT + 8];
    capture_address_format(&s->host, name);
    snprintf(out, sizeof out, "from %s", name);
    snprintf(in, sizeof in, "to %s", name);
    return show_turns_json(source, out, in, &s->waits);
}

static void show_sentences(const struct study_explanation *e)
{
    char src[ANALYSIS_ENDPOINT_TEXT], dst[ANALYSIS_ENDPOINT_TEXT], text[STUDY_EXPLANATION_TEXT];
    analysis_flows_endpoint(&e->flow.src, e->flow.src_port, src);
    analysis_flows_endpoint(&e->flow.dst, e->flow.dst_port, dst);
    study_explanation_say(e, text);
    printf("  %s > %s: %s\n", src, dst, text);
    study_explanation_phases(e, text);
    if (*text)
        printf("    %s\n", text);
}

static void show_flows(const char *path, const struct study_explanations *x, const struct study_pendulum *pendulum)
{
    char text[STUDY_EXPLANATION_TEXT];
    const struct analysis_resource *host;
    for (size_t i = 0; (host = analysis_resources_get(&x->hosts, i)); i++)
        if (!*host->same_as)
            view_diagnosis_print(stdout, cli_name(path), host);
    struct view_table t = view_table_of(VIEW_EXPLANATION_TABLE(""));
    for (size_t i = 0; i < x->n; i++)
        view_explanation_table_row(&t, &x->flow[i]);
    printf("%s\n", cli_name(path));
    view_table_print(&t, "  ", 2, stdout);
    for (size_t i = 0; i < x->n; i++)
        show_sentences(&x->flow[i]);
    if (pendulum->known) {
        study_pendulum_say(pendulum, text);
        printf("  %s\n", text);
    }
}

static void explain_json(const char *path, const struct study_explanations *x, const struct study_pendulum *pendulum,
                      struct cli_explain_show_lists *lists)
{
    const struct analysis_resource *host;
    for (size_t i = 0; (host = analysis_resources_get(&x->hosts, i)); i++)
        results_json_append(lists->hosts, "source:s host:s diagnosis:o", path, host->host,
                            view_diagnosis_json(path, host));
    for (size_t i = 0; i < x->n; i++)
        json_array_append_new(lists->flows, show_flow_json(path, &x->flow[i]));
    if (pendulum->known)
        json_array_append_new(lists->queues, show_pendulum_json(path, pendulum));
}

bool cli_explain_show_capture(const char *path, const struct study_capture_listener *listener, bool as_json,
                              struct cli_explain_show_lists *lists, size_t *n, struct error *err)
{
    struct analysis_capture capture;
    MEMORY_ENDS(study_explanation_fini) struct study_explanations x = {0};
    struct study_pendulum pendulum = {0};
    struct analysis_flows *f = study_capture_read(path, true, listener, &capture, err);
    if (f)
        study_explanation_make(&x, f);
    for (size_t i = 0; listener->live && i < x.hosts.n; i++)
        x.hosts.resource[i].live = true;
    for (size_t i = 0; listener->live && i < x.hosts.n_alone; i++)
        x.hosts.alone[i].live = true;
    bool ok = f && study_pendulum_make(f, &x, &pendulum, err);
    if (ok && x.n == 0)
        fprintf(stderr, "contraflow: %s: no bulk TCP flow\n", cli_name(path));
    if (ok && as_json) {
        explain_json(path, &x, &pendulum, lists);
    } else if (ok && x.n > 0) {
        fputs(*n == 0 ? "" : "\n", stdout);
        show_flows(path, &x, &pendulum);
    }
    *n += x.n;
    analysis_flows_free(f);
    return ok;
}

static void show_share(struct view_table *t, double share)
{
    view_table_add(t, isfinite(share) ? "%.1f %%" : "-", fmax(0, 100 * share));
}

static void show_waits(const char *directory, const struct study_explain_run *run)
{
    struct view_table t = view_table_of(
        "flow|from|to|whole Mb/s|steady Mb/s|floor ms|data wait|ACK wait|ACK share|compressed");
    for (size_t i = 0; i < run->n_waits; i++) {
        const struct study_explain_run_waits *w = &run->waits[i];
        view_table_add(&t, "%s|%s|%s|%f|%f|%.3f|%.3f|%.3f", w->flow->name, w->flow->src, w->flow->dst,
                       w->flow->goodput_bps / 1e6, w->flow->steady_goodput_bps / 1e6, w->flow->floor_s * 1e3,
                       w->flow->data_wait_s * 1e3, w->flow->ack_wait_s * 1e3);
        show_share(&t, w->ack_share);
        show_share(&t, w->compressed_share);
    }
    printf("%s: simulated, and exact: what every frame waited between stacks\n", cli_name(directory));
    view_table_print(&t, "  ", 3, stdout);
}

static void show_turns(const char *directory, const struct study_explain_run *run)
{
    struct view_table t = view_table_of("queue|queue|one busy|both|neither|correlation|period ms");
    for (size_t i = 0; i < run->n_turns; i++) {
        const struct study_explain_run_turns *turns = &run->turns[i];
        view_table_add(&t, "%s|%s", turns->data, turns->acks);
        show_share(&t, turns->busy.one);
        show_share(&t, turns->busy.both);
        show_share(&t, turns->busy.neither);
        view_table_add(&t, "%f|%f", turns->busy.correlation, turns->busy.period_s * 1e3);
    }
    printf("%s: simulated queues that flows' data and ACKs meet, %.3f to %.3f s: when is one busy, when both?\n",
           cli_name(directory), run->from_s, run->to_s);
    view_table_print(&t, "  ", 2, stdout);
}

static void show_run_json(const char *directory, const struct study_explain_run *run,
                          struct cli_explain_show_lists *lists)
{
    for (size_t i = 0; i < run->n_waits; i++) {
        const struct study_explain_run_waits *w = &run->waits[i];
        json_array_append_new(
            lists->simulated,
            results_json("source:s flow:s src:s dst:s floor_s:f data_wait_s:f ack_wait_s:f ack_share:f ack_groups:f "
                         "compressed_share:f", directory, w->flow->name, w->flow->src, w->flow->dst, w->flow->floor_s,
                         w->flow->data_wait_s, w->flow->ack_wait_s, w->ack_share, (double)w->flow->ack_groups,
                         w->compressed_share));
    }
    for (size_t i = 0; i < run->n_turns; i++)
        json_array_append_new(lists->queues, show_turns_json(directory, run->turns[i].data, run->turns[i].acks,
                                                             &run->turns[i].busy));
}

bool cli_explain_show_run(const char *directory, bool as_json, struct cli_explain_show_lists *lists, size_t *n,
                          struct error *err)
{
    MEMORY_ENDS(study_explain_run_fini) struct study_explain_run run;
    bool ok = study_explain_run_read(directory, &run, err);
    if (ok)
        study_judge_warn_partial(&run.summary, directory, &cli_read_listener);
    if (ok && as_json)
        show_run_json(directory, &run, lists);
    if (ok && !as_json && run.n_waits > 0)
        show_waits(directory, &run);
    if (ok && !as_json && run.n_turns > 0)
        show_turns(directory, &run);
    *n += run.n_waits + run.n_turns;
    return ok;
}
