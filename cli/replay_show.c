/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/cmd_replay.h"
#include "results/json.h"
#include "view/diagnosis.h"
#include "view/table.h"

#include <math.h>
#include <stdlib.h>


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
    struct view_table t;
    view_table_head(&t, "from|to|host|host|window kB|pauses|measured Mb/s|replayed Mb/s|difference");
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

static int replay_rank_compare(const void *a, const void *b)
{
    double x = ((const struct replay_rank *)a)->total_bps, y = ((const struct replay_rank *)b)->total_bps;
    return (x < y) - (x > y);
}

static double replay_expected(const struct cli_replay_show *show, const struct study_replay_run *run)
{
    return !show->host || !show->host->diagnosed ? (double)NAN
           : run == show->runs                   ? 0
                                                 : study_replay_expected(&show->host->diagnosis, run->label);
}

/* The variants by bandwidth won back, flow by flow. */
static void replay_show_variants(const struct cli_replay_show *show)
{
    const struct study_replay *r = show->replay;
    const struct study_replay_run *runs = show->runs;
    int n = show->n;
    struct replay_rank *ranks = memory_zeroed((size_t)n, sizeof *ranks, "variants");
    struct view_table t;
    int shown = r->n_flows < 6 ? r->n_flows : 6;
    for (int i = 0; i < n; i++)
        ranks[i] = (struct replay_rank){&runs[i], replay_total(&runs[i], r->n_flows)};
    double base = ranks[0].total_bps;
    qsort(ranks, (size_t)n, sizeof *ranks, replay_rank_compare);
    view_table_init(&t, (size_t)shown + 5);
    view_table_add(&t, "what if|total Mb/s|won back|expected|retrans");
    for (int f = 0; f < shown; f++)
        view_table_add(&t, "h%d>h%d", r->scenario.flows[f].from, r->scenario.flows[f].to);
    for (int i = 0; i < n; i++) {
        view_table_add(&t, "%s|%f|%+.1f %%|%+.1f %%|%lld", ranks[i].run->label, ranks[i].total_bps / 1e6,
                       100 * (ranks[i].total_bps / base - 1), 100 * replay_expected(show, ranks[i].run),
                       ranks[i].run->retransmitted);
        for (int f = 0; f < shown; f++)
            view_table_add(&t, "%f", ranks[i].run->goodput_bps[f] / 1e6);
    }
    putchar('\n');
    view_table_print(&t, "  ", 1, stdout);
    free(ranks);
}

void cli_replay_show(const struct cli_replay_show *show)
{
    const struct study_replay *r = show->replay;
    const char *never = " (never full: assumed)";
    if (show->host && show->host->diagnosed)
        view_diagnosis_print_answer(stdout, cli_name(show->file), show->host);
    if (r->left_out > 0)
        fprintf(stderr, "contraflow: %d small flows are left out\n", r->left_out);
    if (r->windows_unknown > 0)
        fprintf(stderr, "contraflow: %d flows without a window in the capture are played with the scenario's\n",
                r->windows_unknown);
    if (r->reads_network)
        printf("  read off the capture: %.4g Mb/s towards h0%s, %.4g Mb/s from it%s%s%s\n", r->rate_bps[0] / 1e6,
               r->rate_known[0] ? "" : never, r->rate_bps[1] / 1e6, r->rate_known[1] ? "" : never,
               *r->assumed ? "; assumed: " : "", r->assumed);
    replay_show_baseline(r, &show->runs[0]);
    if (show->n > 1)
        replay_show_variants(show);
    if (*r->refused)
        printf("\n  no what-if: %s (--anyway plays it)\n", r->refused);
}

/* What was read off the capture; null when the scenario gave it. */
static json_t *replay_show_link(const struct study_replay *r)
{
    if (!r->reads_network)
        return json_null();
    return results_json("in_bps:f out_bps:f in_known:b out_known:b in_other_share:f out_other_share:f", r->rate_bps[0],
                        r->rate_bps[1], r->rate_known[0], r->rate_known[1], r->other_share[0], r->other_share[1]);
}

json_t *cli_replay_show_json(const struct cli_replay_show *show)
{
    const struct study_replay *r = show->replay;
    const struct study_replay_run *runs = show->runs;
    json_t *flows = json_array(), *variants = json_array();
    for (int i = 0; i < r->n_flows; i++) {
        const struct scenario_flow *flow = &r->scenario.flows[i];
        json_array_append_new(
            flows, results_json("src:s dst:s from_host:i to_host:i window_bytes:l pauses:i application_bps:f "
                                "until_the_end:b measured_bps:f replayed_bps:f", r->flows[i].from, r->flows[i].to,
                                flow->from, flow->to, (int64_t)study_replay_window(r, i), replay_pauses(r, i),
                                (double)flow->rate_bps, r->flows[i].until_the_end, r->flows[i].measured_bps,
                                runs[0].goodput_bps[i]));
    }
    for (int i = 0; i < show->n; i++) {
        json_t *rates = json_array(), *settled = json_array();
        for (int f = 0; f < r->n_flows; f++)
            json_array_append_new(rates, results_json_number(runs[i].goodput_bps[f]));
        for (int f = 0; f < r->n_flows; f++)
            json_array_append_new(settled, results_json_number(runs[i].settled_bps[f]));
        json_array_append_new(
            variants, results_json("what_if:s total_bps:f expected_gain:f retransmitted_segments:l goodput_bps:o "
                                   "settled_bps:o directory:s", runs[i].label, replay_total(&runs[i], r->n_flows),
                                   replay_expected(show, &runs[i]), (int64_t)runs[i].retransmitted, rates, settled,
                                   runs[i].directory));
    }
    return results_json("simulated:b diagnosis:o link:o assumed:s refused:o worst_error:f rtt_floor_s:f "
                        "measured_total_bps:f left_out:i flows:o variants:o", true,
                        show->host ? view_diagnosis_json(show->file, show->host) : json_null(), replay_show_link(r),
                        r->assumed, *r->refused ? json_string(r->refused) : json_null(),
                        study_replay_error(r, &runs[0]), isfinite(r->floor_s) ? r->floor_s : NAN,
                        replay_measured_total(r), r->left_out, flows, variants);
}
