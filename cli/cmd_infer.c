/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/filekind.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/read.h"
#include "cli/show.h"
#include "foreign/read.h"
#include "scenarios/commands.h"
#include "scenarios/load.h"
#include "sweep/engines.h"

#define HYPOTHESES 64
#define MESSAGES 2000
#define WINDOW_LEAST 16e3 /* bytes; and of a buffer */
#define WINDOW_MOST 4e6

struct infer_options {
    const char *scenario, *spread, *placements, *hypotheses[HYPOTHESES];
    char rate[64], delay[64];
    struct cli_options_sets sets;
    double range[STUDY_HYPOTHESIS_PARAMETERS][2];
    size_t n_hypotheses;
    int64_t jobs, messages;
    double until_s;
    bool quiet, json, ranged;
};

static const char *const infer_keys[] = {"network.link.rate", "tcp.initial_window", NULL};

/* --rate and --delay are keys of the scenario. */
static bool options_key(const struct cli_option *option, const char *text, struct error *err)
{
    struct infer_options *o = option->to;
    bool rate = strcmp(option->name, "rate") == 0;
    char *set = rate ? o->rate : o->delay;
    if (o->sets.n == CLI_OPTIONS_SETS)
        return error_set(err, ERROR_INPUT, "more than %d --set", CLI_OPTIONS_SETS);
    snprintf(set, sizeof o->rate, "network.link.%s=%.40s", option->name, text);
    o->sets.set[o->sets.n++] = (struct document_set){set, "--"};
    return true;
}

static bool options_hypothesis(const struct cli_option *option, const char *text, struct error *err)
{
    struct infer_options *o = option->to;
    if (o->n_hypotheses == HYPOTHESES)
        return error_set(err, ERROR_INPUT, "more than %d --hypothesis", HYPOTHESES);
    o->hypotheses[o->n_hypotheses++] = text;
    return true;
}

/* "3MB" or "16kB..4MB". */
static bool options_range(const struct cli_option *option, const char *text, struct error *err)
{
    struct infer_options *o = option->to;
    const char *dots = strstr(text, "..");
    char low[64];
    int64_t bytes[2];
    snprintf(low, sizeof low, "%.*s", dots ? (int)(dots - text) : (int)strlen(text), text);
    if (!units_parse_bytes(low, &bytes[0], err) || !units_parse_bytes(dots ? dots + 2 : low, &bytes[1], err))
        return error_prefix(err, "--%s %s: ", option->name, text);
    if (bytes[0] < 1 || bytes[1] < bytes[0])
        return error_set(err, ERROR_INPUT, "--%s %s: give a size, or two of which the second is larger: 16kB..4MB",
                         option->name, text);
    double *range = o->range[strcmp(option->name, "window") == 0 ? STUDY_HYPOTHESIS_WINDOW : STUDY_HYPOTHESIS_BUFFER];
    range[0] = (double)bytes[0];
    range[1] = (double)bytes[1];
    o->ranged = o->ranged || range == o->range[STUDY_HYPOTHESIS_WINDOW];
    return true;
}

static int infer_options_read(int argc, char **argv, struct infer_options *o, struct error *err)
{
    const struct cli_option options[] = {
        {"scenario", 0, .text = &o->scenario},
        {"rate", 0, .call = options_key, .to = o},
        {"delay", 0, .call = options_key, .to = o},
        {"set", 0, .call = cli_options_set, .to = &o->sets},
        {"seed", 0, .call = cli_options_seed, .to = &o->sets},
        {"hypothesis", 0, .call = options_hypothesis, .to = o},
        {"window", 0, .call = options_range, .to = o},
        {"buffer", 0, .call = options_range, .to = o},
        {"spread", 0, .text = &o->spread},
        {"messages", 0, .whole = &o->messages, .unit = CLI_OPTIONS_COUNT, .least = 1, .most = MESSAGES},
        {"placements", 0, .text = &o->placements},
        {"jobs", 'j', .call = cli_options_jobs, .to = &o->jobs},
        {"budget", 0, .call = cli_options_budget, .to = &o->until_s},
        {"quiet", 'q', .flag = &o->quiet},
        {"json", 0, .flag = &o->json},
        {0},
    };
    int at = cli_options_read("infer", argc, argv, options, err);
    if (at == argc)
        error_set(err, ERROR_INPUT, "infer: no measurement given; try 'contraflow infer --help'");
    return at == argc ? -1 : at;
}

static bool infer_read_one(struct study_measurement *m, const struct scenario *base, const bool *gives,
                           const char *path, struct error *err)
{
    enum filekind kind;
    if (!filekind_read(path, &kind, err))
        return false;
    if (foreign_read_is(path))
        return study_measurement_read_foreign(m, path, true, err);
    if (kind == FILEKIND_CAPTURE)
        return study_measurement_read_capture(m, path, base, !gives[0], !gives[1], &cli_read_listener, err);
    if (kind != FILEKIND_UNKNOWN) {
        error_set(err, ERROR_INPUT, "%s: no measurement", path);
        return filekind_blame(path, FILEKIND_CAPTURE, err); /* says what it is */
    }
    return study_measurement_read_csv(m, path, err);
}

/* Patterns whose table names a scenario: --set holds for each. */
static bool infer_scenarios(struct study_measurement *m, const struct infer_options *o, struct error *err)
{
    bool ok = !o->placements || m->n == 0 || !m->patterns[0].scenario_path ||
              error_set(err, ERROR_INPUT, "infer: --placements does not go with a table whose patterns have scenarios");
    for (size_t p = 0; ok && p < m->n; p++) {
        struct study_measurement_pattern *pattern = &m->patterns[p];
        if (!pattern->scenario_path)
            continue;
        pattern->scenario = memory_zeroed(1, sizeof *pattern->scenario, "a scenario");
        ok = scenario_load(pattern->scenario, pattern->scenario_path, o->sets.set, o->sets.n, err);
        if (ok && !scenario_has_streams(pattern->scenario))
            ok = error_set(err, ERROR_INPUT, "%s: infer needs TCP", pattern->scenario_path);
        ok = ok && scenario_commands_refuse(pattern->scenario, pattern->scenario_path,
                                            "infer starts none; 'contraflow run' does", err);
    }
    return ok;
}

static bool infer_read(struct study_measurement *m, const struct infer_options *o, const struct scenario *base,
                       const bool *gives, char **paths, int n, struct error *err)
{
    bool ok = true;
    size_t captures = 0;
    for (int i = 0; ok && i < n; i++)
        ok = infer_read_one(m, base, gives, paths[i], err);
    for (size_t p = 0; p < m->n; p++)
        captures += m->patterns[p].replay != NULL;
    if (ok && captures > 0 && captures < m->n)
        ok = error_set(err, ERROR_INPUT, "infer: captures and tables are no one measurement: windows of a capture are "
                       "known");
    if (ok && captures > 0 && o->placements)
        ok = error_set(err, ERROR_INPUT, "infer: --placements does not go with a capture, which shows it");
    if (ok && o->ranged && study_measurement_windows(m))
        ok = error_set(err, ERROR_INPUT, "infer: --window does not go with a %s, which shows it",
                       captures > 0 ? "capture" : "table that has windows");
    return ok && (!o->placements || study_measurement_read_placements(m, o->placements, err));
}

static bool infer_hypotheses(struct study_infer *x, const struct infer_options *o, struct error *err)
{
    char text[STUDY_HYPOTHESIS_TEXT];
    bool ok = true, capture = x->measured->patterns[0].replay;
    for (size_t i = 0; ok && i < o->n_hypotheses; i++)
        ok = study_infer_add(x, o->hypotheses[i], err);
    for (size_t i = 0; ok && o->n_hypotheses == 0; i++) {
        if (!study_hypothesis_usual(i, x->options.base->network.link.rate_bps, text))
            break;
        ok = study_infer_add(x, text, err);
    }
    bool ends = !capture;
    for (size_t p = 0; p < x->measured->n; p++)
        for (size_t i = 0; i < x->measured->patterns[p].n; i++)
            ends = ends && x->measured->patterns[p].flows[i].bytes > 0;
    for (const struct study_model *m = study_models; ok && o->n_hypotheses == 0 && !capture && m->name; m++)
        if (ends || !m->needs_ends)
            ok = study_infer_add(x, m->name, err);
    return ok;
}

static void infer_show_progress(void *user UNUSED, size_t done, size_t all, double elapsed_s)
{
    char left[CLI_LEFT];
    if (elapsed_s < 0)
        cli_progress_clear();
    else
        cli_progress("%zu of %zu emulations, %.0f s%s", done, all, elapsed_s,
                     cli_left(elapsed_s, (double)done / (double)all, left));
}

static bool infer_find(struct study_infer *x, const struct infer_options *o, struct error *err)
{
    bool relative = study_measurement_windows(x->measured);
    double *window = x->options.range[STUDY_HYPOTHESIS_WINDOW];
    memcpy(x->options.range, o->range, sizeof o->range);
    study_hypothesis_host_ranges(x->options.base->network.link.rate_bps, x->options.range);
    if (relative) {
        window[0] = 0.5;
        window[1] = 2;
    }
    if (!o->quiet && isatty(STDERR_FILENO))
        x->options.show = infer_show_progress;
    return infer_hypotheses(x, o, err) && study_infer_run(x, err) &&
           (relative || study_infer_next(x, err));
}

/* What --budget left undone. */
static void infer_say_lacks(const struct study_infer *x)
{
    static const char *const lacks[] = {
        [STUDY_INFER_LACKS_EXPERIMENTS] = "all experiments were found",
        [STUDY_INFER_LACKS_POINTS] = "the grids were fine",
        [STUDY_INFER_LACKS_PATTERNS] = "all patterns were emulated; what was not is ranked by the first patterns",
    };
    if (x->left_out > 0)
        fprintf(stderr, "contraflow: --budget was over before %zu of %zu hypotheses were emulated, which are left out\n",
                x->left_out, x->left_out + x->n);
    if (x->n > 0 && lacks[x->lacks])
        fprintf(stderr, "contraflow: --budget was over before %s\n", lacks[x->lacks]);
}

int cmd_infer(int argc, char **argv)
{
    struct infer_options o = {.jobs = sweep_engines_processors(), .messages = 1,
                              .range = {{WINDOW_LEAST, WINDOW_MOST}, {WINDOW_LEAST, WINDOW_MOST},
                                        {1 / STUDY_HYPOTHESIS_RATIO, STUDY_HYPOTHESIS_RATIO}}};
    struct error err = {0};
    struct scenario base = {0};
    struct study_measurement m = {.n = 0};
    bool gives[sizeof infer_keys / sizeof *infer_keys - 1];
    int at = infer_options_read(argc, argv, &o, &err);
    if (at <= 0)
        return at ? cli_fail(&err) : 0;
    struct study_infer x = {.measured = &m, .options = {.base = &base, .jobs = o.jobs, .messages = o.messages,
                                                                 .until_s = o.until_s}};
    bool ok = !o.spread || (units_parse_share(o.spread, &x.options.spread) && x.options.spread > 0 &&
                            x.options.spread < 1) ||
              error_set(&err, ERROR_INPUT, "--spread: '%s' is not a share such as 2%% or 0.02", o.spread);
    ok = ok && scenario_load_asking(&base, o.scenario, o.sets.set, o.sets.n, infer_keys, gives, &err);
    if (ok && !scenario_has_streams(&base))
        ok = error_set(&err, ERROR_INPUT, "%s: infer needs TCP", o.scenario ? o.scenario : "--set");
    ok = ok && scenario_commands_refuse(&base, o.scenario, "infer starts none; 'contraflow run' does", &err);
    ok = ok && infer_read(&m, &o, &base, gives, argv + at, argc - at, &err) && infer_scenarios(&m, &o, &err) &&
         infer_find(&x, &o, &err);
    int signal_number = x.signal, status = x.n > 0 ? 0 : CLI_STATUS_UNKNOWN;
    if (ok && !signal_number && x.n == 0)
        fprintf(stderr, "contraflow: --budget was over before one hypothesis was emulated: %zu emulations are no answer\n",
                x.emulations);
    else if (ok && !signal_number && o.json)
        cli_print_json(cli_json("infer:1", cli_infer_json(&x)));
    else if (ok && !signal_number)
        cli_infer_print(&x);
    if (ok && !signal_number && x.n > 0)
        infer_say_lacks(&x);
    study_infer_fini(&x);
    study_measurement_fini(&m);
    scenario_fini(&base);
    if (signal_number)
        raise(signal_number);
    return ok ? status : cli_fail(&err);
}
