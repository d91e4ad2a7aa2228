/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/measure/measure.h"

#include "base/text.h"
#include "cli/cli.h"
#include "measure/reading.h"
#include "results/json.h"
#include "scenarios/commands.h"
#include "scenarios/load.h"
#include "sweep/engines.h"
#include "view/table.h"

#define WIRE (1538.0 / 1448) /* bytes on the wire for one of payload, with timestamps, at an MTU of 1500 */
#define ROUND_TRIP_S 200e-6  /* where nobody knows: two switches' hosts with 50 us of cable each */
#define TRIPS 10             /* of the round trip behind all windows, that an emulation lasts at least */
#define LEAST_S 0.5
#define MOST_S 60.0
#define SELDOM 0.01          /* of the weight: causes with less have no figure */

/* What the link carries: what interfaces that are as fast as the fastest flow say, or that flow in full frames. */
static double study_rate_bps(const struct cli_study *s, const struct measure_reading *r, size_t n)
{
    double flow_bps = 0, rate_bps = s->rate_bps;
    for (size_t i = 0; i < s->kit.n; i++)
        flow_bps = fmax(flow_bps, s->kit.pattern[i].rate[0].bps * WIRE);
    for (size_t i = 0; i < n && s->rate_bps <= 0; i++)
        if ((double)r[i].rate_bps >= 0.98 * flow_bps && (rate_bps <= 0 || (double)r[i].rate_bps < rate_bps))
            rate_bps = (double)r[i].rate_bps;
    return rate_bps > 0 ? rate_bps : flow_bps;
}

/* The network that hypotheses are emulated in: a star, as the first patterns say. */
static bool study_base(const struct cli_study *s, double rate_bps, struct scenario *base, struct error *err)
{
    double window = 0, delay_s = (s->round_trip_s > 0 ? s->round_trip_s : ROUND_TRIP_S) / 4;
    for (size_t i = 0; i < s->kit.n; i++)
        window = fmax(window, s->kit.pattern[i].rate[0].window_bytes);
    double duration_s = fmin(fmax(TRIPS * STUDY_KIT_FLOWS * 8 * window / rate_bps, LEAST_S), MOST_S);
    char rate[64], delay[64], duration[64], hosts[64];
    snprintf(rate, sizeof rate, "network.link.rate=%.0fbps", rate_bps);
    snprintf(delay, sizeof delay, "network.link.delay=%.0fns", 1e9 * delay_s);
    snprintf(duration, sizeof duration, "duration=%.0fms", 1e3 * duration_s);
    snprintf(hosts, sizeof hosts, "network.hosts=%d", STUDY_KIT_FLOWS + 1);
    const struct document_set sets[] = {{rate, "--"}, {delay, "--"}, {duration, "--"}, {hosts, "--"}};
    return scenario_load(base, NULL, sets, sizeof sets / sizeof *sets, err);
}

static void reading_print(const struct measure_reading *r)
{
    static const char *const on[] = {"off", "on"};
    char text[512] = "", rate[UNITS_TEXT];
    if (r->rate_bps > 0) {
        units_format_rate_rounded((double)r->rate_bps, 3, rate);
        text_add(text, sizeof text, ", %s", rate);
    }
    if (r->rx_usecs >= 0)
        text_add(text, sizeof text, ", interrupts wait %" PRId64 " us or %" PRId64 " frames%s", r->rx_usecs, r->rx_frames,
                 r->adaptive > 0 ? ", adaptive" : "");
    if (r->processors >= 0)
        text_add(text, sizeof text, ", on %" PRId64 " processor%s", r->processors, r->processors == 1 ? "" : "s");
    if (r->ring >= 0)
        text_add(text, sizeof text, ", receive ring %" PRId64 " of %" PRId64, r->ring, r->ring_most);
    const struct {
        const char *name;
        int64_t value;
    } flags[] = {{"GRO", r->gro}, {"LRO", r->lro}, {"GSO", r->gso}, {"TSO", r->tso}, {"PAUSE in", r->pause_rx},
                 {"PAUSE out", r->pause_tx}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].value >= 0)
            text_add(text, sizeof text, ", %s %s", flags[i].name, on[flags[i].value]);
    if (r->pause_frames >= 0)
        text_add(text, sizeof text, ", %" PRId64 " PAUSE frames", r->pause_frames);
    printf("  here: %s%s\n", cli_name(r->name), text);
}

static void study_print_odds(const struct study_kit *k)
{
    bool shown[STUDY_KIT_CAUSES] = {false};
    fputs("  odds:", stdout);
    for (int n = 0;; n++) {
        int best = -1;
        for (int c = 0; c < STUDY_KIT_CAUSES; c++)
            if (!shown[c] && k->weight[c] >= SELDOM && (best < 0 || k->weight[c] > k->weight[best]))
                best = c;
        if (best < 0)
            break;
        shown[best] = true;
        printf("%s %s %.0f %%", n ? "," : "", study_kit_causes[best].name, 100 * k->weight[best]);
    }
    printf("; none of these %.2g %%\n", 100 * k->infer.none_weight);
}

static double way_bps(const struct study_kit_pattern *p, bool in)
{
    double sum = 0;
    size_t n = in ? p->in : p->out, first = in ? p->out : 0;
    for (size_t f = first; f < first + n; f++)
        sum += p->rate[f].bps;
    return n > 0 ? sum / (double)n : (double)NAN;
}

static void study_print(const struct cli_study *s, const struct measure_reading *r, size_t n)
{
    const struct study_kit *k = &s->kit;
    const struct study_infer_hypothesis *best = k->infer.n > 0 ? &k->infer.h[0] : NULL;
    int cause = study_kit_named(k);
    if (cause >= 0)
        printf("%s: %s, %.0f %%: %s\n  what to do: %s\n", s->where, study_kit_causes[cause].name, 100 * k->weight[cause],
               study_kit_causes[cause].meaning, study_kit_causes[cause].remedy);
    else
        printf("%s: cannot tell: %s\n", s->where,
               !best || study_infer_misses(best) ? "nothing that is emulated here explains the rates"
                                        : "no cause has 70 % of the odds");
    study_print_odds(k);
    printf("  nearest: %s; %zu patterns, %zu emulations\n", best ? best->is.text : "-", k->n, k->infer.emulations);
    for (size_t i = 0; i < n; i++)
        reading_print(&r[i]);
    struct view_table t = view_table_of("in/out|nats|in Mb/s|out Mb/s");
    for (size_t i = 0; i < k->n; i++) {
        const struct study_kit_pattern *p = &k->pattern[i];
        view_table_add(&t, "%zu/%zu|%f|%f|%f", p->in, p->out, p->nats, way_bps(p, true) / 1e6, way_bps(p, false) / 1e6);
    }
    view_table_print(&t, "  ", 1, stdout);
}

static json_t *reading_json(const struct measure_reading *r, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        results_json_append(list, "interface:s rate_bps:l rx_usecs:l rx_frames:l adaptive:l rx_ring:l rx_ring_most:l "
                            "gro:l lro:l gso:l tso:l pause_rx:l pause_tx:l pause_frames:l processors:l", r[i].name,
                            r[i].rate_bps, r[i].rx_usecs, r[i].rx_frames, r[i].adaptive, r[i].ring, r[i].ring_most,
                            r[i].gro, r[i].lro, r[i].gso, r[i].tso, r[i].pause_rx, r[i].pause_tx, r[i].pause_frames,
                            r[i].processors);
    return list;
}

static json_t *study_json(const struct cli_study *s, const struct measure_reading *r, size_t n)
{
    const struct study_kit *k = &s->kit;
    const struct study_infer_hypothesis *best = k->infer.n > 0 ? &k->infer.h[0] : NULL;
    json_t *patterns = json_array(), *odds = json_array();
    int cause = study_kit_named(k);
    for (size_t i = 0; i < k->n; i++)
        results_json_append(patterns, "in:z out:z nats:f resent:f pauses:f in_bps:f out_bps:f", k->pattern[i].in,
                            k->pattern[i].out, k->pattern[i].nats, k->pattern[i].resent, k->pattern[i].pauses,
                            way_bps(&k->pattern[i], true), way_bps(&k->pattern[i], false));
    for (int c = 0; c < STUDY_KIT_CAUSES; c++)
        results_json_append(odds, "cause:s weight:f meaning:s remedy:s", study_kit_causes[c].name, k->weight[c],
                            study_kit_causes[c].meaning, study_kit_causes[c].remedy);
    return results_json("where:s cause:s odds:o none_weight:f nearest:s tail:f emulations:z patterns:o interfaces:o", s->where,
                        cause >= 0 ? study_kit_causes[cause].name : NULL, odds, k->infer.none_weight, best ? best->is.text : NULL,
                        best && best->whole ? best->posterior.tail : (double)NAN, k->infer.emulations, patterns,
                        reading_json(r, n));
}

/* A pattern, and what TCP of this host sent again or found out of order meanwhile, and PAUSE frames that it got. That
 * it got none says nothing of the others; who asks them has p->pauses by then. */
static bool study_measure_counted(void *user, struct study_kit_pattern *p, struct error *err)
{
    const struct cli_study *s = user;
    struct measure_reading_segments before, after;
    double pauses_before = measure_reading_pauses(), pauses_after;
    bool known = measure_reading_tcp(&before);
    if (!s->measure(s->user, p, err))
        return false;
    if (known && measure_reading_tcp(&after) && after.all > before.all)
        p->resent = (after.again - before.again) / (after.all - before.all);
    if (!isfinite(p->pauses) && pauses_before >= 0 && (pauses_after = measure_reading_pauses()) > pauses_before)
        p->pauses = pauses_after - pauses_before;
    return true;
}

int cli_study_run(struct cli_study *s, struct error *err)
{
    struct measure_reading readings[MEASURE_READING_MOST];
    struct scenario base = {0};
    size_t n = measure_reading_all(readings);
    s->kit.jobs = s->kit.jobs > 0 ? s->kit.jobs : sweep_engines_processors();
    if (s->measure) {
        s->kit.measure = study_measure_counted;
        s->kit.user = s;
    }
    bool ok = study_kit_begin(&s->kit, err) && study_base(s, study_rate_bps(s, readings, n), &base, err);
    s->kit.base = &base;
    ok = ok && study_kit_run(&s->kit, err);
    n = measure_reading_all(readings); /* counters, after it */
    int status = study_kit_named(&s->kit) >= 0 ? 0 : CLI_STATUS_UNKNOWN, signal_number = s->kit.signal;
    if (ok && !signal_number && s->json)
        cli_print_json(cli_json("measure-study:1", study_json(s, readings, n)));
    else if (ok && !signal_number)
        study_print(s, readings, n);
    study_kit_fini(&s->kit);
    scenario_fini(&base);
    if (signal_number)
        raise(signal_number);
    return ok ? status : -1;
}

int cli_study_emulated(struct cli_study *s, const char *path, struct error *err)
{
    MEMORY_ENDS(scenario_fini) struct scenario hidden = {0};
    char hosts[64];
    snprintf(hosts, sizeof hosts, "network.hosts=%d", STUDY_KIT_FLOWS + 1);
    const struct document_set set = {hosts, "measure --study --emulate needs a star: "};
    if (!scenario_load(&hidden, path, &set, 1, err))
        return -1;
    s->kit.jobs = s->kit.jobs > 0 ? s->kit.jobs : sweep_engines_processors();
    struct study_kit_emulated e = {.hidden = &hidden, .jobs = s->kit.jobs, .seed = hidden.seed << 32};
    s->where = path;
    s->kit.measure = study_kit_emulate;
    s->kit.user = &e;
    s->kit.flows = STUDY_KIT_FLOWS;
    s->rate_bps = (double)hidden.network.link.rate_bps;
    s->round_trip_s = 4 * (double)hidden.network.link.delay_ps / (double)UNITS_PS_PER_S;
    int status = -1;
    if (!scenario_has_streams(&hidden))
        error_set(err, ERROR_INPUT, "%s: measure --study needs TCP", path);
    else if (scenario_commands_refuse(&hidden, path, "measure --study starts none; 'contraflow run' does", err))
        status = cli_study_run(s, err);
    return status;
}
