/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/order.h"
#include "cli/cli.h"
#include "cli/replay/cmd_replay.h"
#include "results/json.h"
#include "view/diagnosis.h"
#include "view/table.h"

static double replay_total(const struct study_replay_run *run, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += isfinite(run->goodput_bps[i]) ? run->goodput_bps[i] : 0;
    return sum;
}

static double replay_measured_total(const struct study_replay *r)
{
    double sum = 0;
    for (int i = 0; i < r->n_flows; i++)
        sum += r->flows[i].measured_bps;
    return sum;
}

/* Those of the capture; none where a flow is played at its mean rate instead. */
static int replay_pauses(const struct study_replay *r, int flow)
{
    return r->scenario.flows[flow].n_pauses > 0 ? r->flows[flow].pauses : 0;
}

static void replay_show_baseline(const struct study_replay *r, const struct study_replay_run *run)
{
    struct view_table t = view_table_of("from|to|host|host|window kB|pauses|measured Mb/s|replayed Mb/s|difference");
    for (int i = 0; i < r->n_flows; i++) {
        const struct scenario_flow *flow = &r->scenario.flows[i];
        view_table_add(&t, "%s|%s|h%d|h%d|%f|%d|%f|%f|%+.1f %%", r->flows[i].from, r->flows[i].to, flow->from, flow->to,
                       study_replay_window(r, i) / 1e3, replay_pauses(r, i), r->flows[i].measured_bps / 1e6,
                       run->goodput_bps[i] / 1e6, 100 * (run->goodput_bps[i] / r->flows[i].measured_bps - 1));
    }
    double measured = replay_measured_total(r), played = replay_total(run, r->n_flows);
    view_table_add(&t, "total||||||%f|%f|%+.1f %%", measured / 1e6, played / 1e6, 100 * (played / measured - 1));
    view_table_print(&t, "  ", 4, stdout);
}

struct replay_rank {
    const struct study_replay_run *run;
    double total_bps;
};

static ORDER_OF(replay_rank_compare, struct replay_rank, -ORDER(total_bps))

static struct study_replay_lost replay_expected(const struct cli_replay_show *show, const struct study_replay_run *run)
{
    return !show->host || !show->host->diagnosed ? (struct study_replay_lost){NAN, NAN}
           : run == show->runs                   ? (struct study_replay_lost){0, 0}
                                                 : study_replay_expected(&show->host->diagnosis, run->label, 0);
}

static double replay_gain(struct study_replay_lost lost)
{
    return 1 / (1 - lost.share) - 1;
}

/* The variants by bandwidth won back, flow by flow. */
static void replay_show_variants(const struct cli_replay_show *show)
{
    const struct study_replay *r = show->replay;
    const struct study_replay_run *runs = show->runs;
    int n = show->n;
    MEMORY_LOCAL struct replay_rank *ranks = memory_zeroed((size_t)n, sizeof *ranks, "variants");
    int shown = r->n_flows < 6 ? r->n_flows : 6;
    for (int i = 0; i < n; i++)
        ranks[i] = (struct replay_rank){&runs[i], replay_total(&runs[i], r->n_flows)};
    double base = ranks[0].total_bps;
    qsort(ranks, (size_t)n, sizeof *ranks, replay_rank_compare);
    struct view_table t = view_table_with((size_t)shown + 5);
    view_table_add(&t, "what if|total Mb/s|won back|expected|retrans");
    for (int f = 0; f < shown; f++)
        view_table_add(&t, "h%d>h%d", r->scenario.flows[f].from, r->scenario.flows[f].to);
    for (int i = 0; i < n; i++) {
        view_table_add(&t, "%s|%f|%+.1f %%|%+.1f %%|%lld", ranks[i].run->label, ranks[i].total_bps / 1e6,
                       100 * (ranks[i].total_bps / base - 1), 100 * replay_gain(replay_expected(show, ranks[i].run)),
                       ranks[i].run->retransmitted);
        for (int f = 0; f < shown; f++)
            view_table_add(&t, "%f", ranks[i].run->goodput_bps[f] / 1e6);
    }
    putchar('\n');
    view_table_print(&t, "  ", 1, stdout);
}

void cli_replay_show(const struct cli_replay_show *show)
{
    const struct study_replay *r = show->replay;
    char assumed[STUDY_REPLAY_TEXT];
    if (show->host && show->host->diagnosed)
        view_diagnosis_print_answer(stdout, cli_name(show->file), show->host);
    if (r->left_out > 0)
        fprintf(stderr, "contraflow: %d small flows are left out\n", r->left_out);
    if (r->reads_network)
        printf("  read off the capture: %s Mb/s towards h0, %s Mb/s from it\n", UNITS_FIGURE(r->rate_bps[0] / 1e6, 4),
               UNITS_FIGURE(r->rate_bps[1] / 1e6, 4));
    for (int i = 0; study_replay_assumes(r, i, assumed); i++)
        printf("  assumed: %s\n", assumed);
    if (r->scenario.engine != SCENARIO_ENGINE_NATIVE)
        printf("  played by: %s\n", scenario_engine_names[r->scenario.engine]);
    replay_show_baseline(r, &show->runs[0]);
    if (*r->refused)
        printf("\n  %s: %s%s\n", r->answer == STUDY_REPLAY_UNKNOWN ? "cannot tell" : "no what-if", r->refused,
               r->answer == STUDY_REPLAY_UNKNOWN ? "" : " (--anyway plays it)");
    if (show->n > 1)
        replay_show_variants(show);
}

/* What was read off the capture; null when the scenario gave it. */
static json_t *replay_show_link(const struct study_replay *r)
{
    if (!r->reads_network)
        return json_null();
    const enum judge_capacity_source *from = r->rate_source;
    return results_json("in_bps:f out_bps:f in_known:b out_known:b in_source:s out_source:s in_other_share:f "
                        "out_other_share:f", r->rate_bps[0], r->rate_bps[1], study_replay_rate_known(r, 0),
                        study_replay_rate_known(r, 1), judge_capacity_source_name(from[0]),
                        judge_capacity_source_name(from[1]), r->other_share[0], r->other_share[1]);
}

static json_t *replay_show_flow(const struct study_replay *r, const struct study_replay_run *baseline, int i)
{
    const struct scenario_flow *flow = &r->scenario.flows[i];
    const struct study_replay_flow *captured = &r->flows[i];
    return results_json("src:s dst:s from_host:i to_host:i window_bytes:l pauses:i limit:s held_otherwise:f "
                        "application_bps:f until_the_end:b measured_bps:f replayed_bps:f", captured->from, captured->to,
                        flow->from, flow->to, (int64_t)study_replay_window(r, i), replay_pauses(r, i),
                        judge_cause(captured->limit)->name, captured->otherwise, (double)flow->rate_bps,
                        captured->until_the_end, captured->measured_bps, baseline->goodput_bps[i]);
}

static json_t *replay_show_variant(const struct cli_replay_show *show, const struct study_replay_run *run)
{
    const struct study_replay *r = show->replay;
    json_t *rates = json_array(), *settled = json_array();
    for (int f = 0; f < r->n_flows; f++)
        json_array_append_new(rates, results_json_number(run->goodput_bps[f]));
    for (int f = 0; f < r->n_flows; f++)
        json_array_append_new(settled, results_json_number(run->settled_bps[f]));
    struct study_replay_lost by_replay = study_replay_lost(r, show->runs, run, 0), by_judge = replay_expected(show, run);
    return results_json("what_if:s total_bps:f expected_gain:f lost_share:f lost_ci95:f expected_lost_share:f "
                        "expected_lost_ci95:f retransmitted_segments:l goodput_bps:o settled_bps:o directory:s", run->label,
                        replay_total(run, r->n_flows), replay_gain(by_judge), by_replay.share, by_replay.ci95,
                        by_judge.share, by_judge.ci95, (int64_t)run->retransmitted, rates, settled, run->directory);
}

static json_t *replay_show_assumed(const struct study_replay *r)
{
    char text[STUDY_REPLAY_TEXT];
    json_t *list = json_array();
    for (int i = 0; study_replay_assumes(r, i, text); i++)
        json_array_append_new(list, json_string(text));
    return list;
}

json_t *cli_replay_show_json(const struct cli_replay_show *show)
{
    const struct study_replay *r = show->replay;
    json_t *flows = json_array(), *variants = json_array();
    for (int i = 0; i < r->n_flows; i++)
        json_array_append_new(flows, replay_show_flow(r, show->runs, i));
    for (int i = 0; i < show->n; i++)
        json_array_append_new(variants, replay_show_variant(show, &show->runs[i]));
    return results_json("simulated:b engine:s diagnosis:o link:o assumed:s assumptions:o answer:s refused:o worst_error:f "
                        "rtt_floor_s:f measured_total_bps:f left_out:i flows:o variants:o", true,
                        scenario_engine_names[r->scenario.engine],
                        show->host ? view_diagnosis_json(show->file, show->host) : json_null(), replay_show_link(r),
                        r->assumed, replay_show_assumed(r), study_replay_answer_name(r->answer),
                        *r->refused ? json_string(r->refused) : json_null(), study_replay_error(r, &show->runs[0]),
                        isfinite(r->floor_s) ? r->floor_s : NAN, replay_measured_total(r), r->left_out, flows, variants);
}
