/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/monotonic.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/predict/predict.h"
#include "results/json.h"
#include "scenarios/load.h"
#include "scenarios/save.h"

#define PROGRESS_EVERY_S 0.5
#define DEFAULT_MODEL "window"

struct predict_options {
    const char *path;
    struct cli_options_sets sets;
    const struct study_model *model; /* NULL: DEFAULT_MODEL */
    int64_t ack_bytes; /* 0: the scenario's */
    bool all, json, yaml;
};

static bool options_model(const struct cli_option *option, const char *name, struct error *err)
{
    const struct study_model **model = option->to;
    *model = study_models_find(name);
    if (*model)
        return true;
    char list[256] = "";
    for (const struct study_model *m = study_models; m->name; m++)
        text_add(list, sizeof list, "%s%s", m == study_models ? "" : ", ", m->name);
    return error_set(err, ERROR_INPUT, "--model: '%s' is not a model; models are %s", name, list);
}

static bool options_ack_bytes(const struct cli_option *option, const char *text, struct error *err)
{
    int64_t *bytes = option->to;
    return (units_parse_bytes(text, bytes, err) && *bytes >= 64 && *bytes <= 10000) ||
           error_set(err, ERROR_INPUT, "--ack-bytes: '%s' is not a size from 64 to 10000 bytes", text);
}

/* As cli_options_read(). */
static int predict_options_read(struct predict_options *o, int argc, char **argv, struct error *err)
{
    const struct cli_option options[] = {
        {"model", 'm', .call = options_model, .to = &o->model},
        {"all", 'a', .flag = &o->all},
        {"json", 0, .flag = &o->json},
        {"yaml", 0, .flag = &o->yaml},
        {"set", 0, .call = cli_options_set, .to = &o->sets},
        {"seed", 0, .call = cli_options_seed, .to = &o->sets},
        {"ack-bytes", 0, .call = options_ack_bytes, .to = &o->ack_bytes},
        {0},
    };
    int at = cli_options_read("predict", argc, argv, options, err);
    if (at <= 0)
        return at;
    if (argc - at != 1)
        error_set(err, ERROR_INPUT, "predict takes one PATTERN.yaml, not %d; see 'contraflow predict --help'",
                  argc - at);
    else if (o->all && o->model)
        error_set(err, ERROR_INPUT, "--all and --model: give one of them");
    else if (o->yaml && (o->all || o->model || o->json || o->ack_bytes))
        error_set(err, ERROR_INPUT, "--yaml prints the pattern and predicts nothing: give it without a model");
    o->path = argv[at];
    return err->code == ERROR_NONE ? at : -1;
}

static bool endless(const struct scenario *s)
{
    for (int i = 0; i < s->n_flows; i++)
        if (s->flows[i].bytes == 0)
            return true;
    return false;
}

/* On a terminal: shows now and then how far a model is, over and over on one line. */
static void predict_progress(void *user, const struct study_model *model,
                             const struct study_prediction_progress *progress)
{
    double *shown_s = user, now_s = monotonic_now_s();
    if (now_s < *shown_s + PROGRESS_EVERY_S)
        return;
    if (progress->orders > 0)
        cli_progress("%s: order %zu of %zu at most, %zu of %zu transfers under way", model->name, progress->number,
                     progress->orders, progress->active, progress->of);
    else
        cli_progress("%s: step %zu, %zu of %zu transfers under way", model->name, progress->number,
                     progress->active, progress->of);
    *shown_s = now_s;
}

/* One scenario whose flows are listed. *json is what --json prints for it. */
static bool predict_scenario(const struct predict_options *o, const struct scenario *s, json_t **json, struct error *err)
{
    const struct study_model *one = o->model ? o->model : study_models_find(DEFAULT_MODEL);
    MEMORY_ENDS(scenario_pattern_fini) struct scenario_pattern pattern;
    double shown_s = 0;
    size_t n = 0, rows = 1;
    if (!scenario_pattern_init(&pattern, s, err))
        return false;
    if (o->ack_bytes > 0)
        pattern.platform.ack_wire_bytes = (double)o->ack_bytes;
    while (study_models[rows].name)
        rows++;
    struct study_prediction_options options = {
        .every_step = o->json, .progress = isatty(STDERR_FILENO) ? predict_progress : NULL, .user = &shown_s};
    MEMORY_LOCAL struct study_prediction *made = memory_zeroed(rows, sizeof *made, "predictions");
    bool ok = true;
    for (const struct study_model *m = study_models; ok && m->name; m++)
        if (o->all ? !m->needs_ends || !endless(s) : m == one)
            ok = study_models_predict(&made[n++], m, &pattern, &options, err);
    if (shown_s > 0)
        cli_progress_clear();
    if (ok && o->json) {
        *json = o->all ? results_json("models:o", json_array()) : cli_predict_json(made, s, &pattern);
        for (size_t i = 0; o->all && i < n; i++)
            json_array_append_new(json_object_get(*json, "models"), cli_predict_json(&made[i], s, &pattern));
    } else if (ok) {
        o->all ? cli_predict_print_all(made, n, s) : cli_predict_print(made, s, &pattern);
    }
    for (size_t i = 0; i < n; i++)
        study_prediction_fini(&made[i]);
    return ok;
}

static bool predict_points(const struct predict_options *o, const struct scenario *s, json_t **json, struct error *err)
{
    if (o->json)
        *json = results_json("points:o", json_array());
    for (int i = 0; i < s->n_points; i++) {
        MEMORY_ENDS(scenario_fini) struct scenario point;
        json_t *of_point = NULL;
        scenario_at_point(s, i, &point);
        if (!o->json)
            printf("%s%d in, %d out\n", i ? "\n" : "", s->points[i].incoming, s->points[i].outgoing);
        for (int k = 0; k < point.n_flows; k++)
            point.flows[k].start_ps = 0;
        bool ok = predict_scenario(o, &point, &of_point, err);
        if (!ok)
            return false;
        if (o->json) {
            json_object_set_new(of_point, "incoming", json_integer(s->points[i].incoming));
            json_object_set_new(of_point, "outgoing", json_integer(s->points[i].outgoing));
            json_array_append_new(json_object_get(*json, "points"), of_point);
        }
    }
    return true;
}

static bool predictable(const struct scenario *s, const char *path, struct error *err)
{
    if (s->n_programs > 0)
        return error_set(err, ERROR_INPUT, "%s: traffic.programs: the models know flows, and what programs will send only "
                         "running them tells", path ? path : "--set");
    if (s->traffic == SCENARIO_TRAFFIC_COLLECTIVE)
        return true;
    for (int i = 0; i < s->n_flows; i++)
        if (s->flows[i].duplex)
            return error_set(err, ERROR_INPUT,
                             "%s: traffic.flows.%d.duplex: the models know data one way only; write two flows", path,
                             i);
    return true;
}

static bool predict(const struct predict_options *o, const struct scenario *s, struct error *err)
{
    if (o->yaml) {
        char comment[128];
        snprintf(comment, sizeof comment, "contraflow %s: predict --yaml, seed %" PRIu64, CONTRAFLOW_VERSION, s->seed);
        return scenario_write(s, stdout, comment, err);
    }
    json_t *json = NULL;
    bool ok = s->traffic == SCENARIO_TRAFFIC_COLLECTIVE ? cli_predict_collective(s, o->json ? &json : NULL, err)
              : s->n_points > 0                         ? predict_points(o, s, &json, err)
                                                        : predict_scenario(o, s, &json, err);
    if (ok && json)
        cli_print_json(cli_json("predict:1", json_incref(json)));
    json_decref(json);
    return ok;
}

int cmd_predict(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "exchange") == 0)
        return cmd_predict_exchange(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "loss") == 0)
        return cmd_predict_loss(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "message") == 0)
        return cmd_predict_message(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "broadcast") == 0)
        return cmd_predict_broadcast(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "timers") == 0)
        return cmd_predict_timers(argc - 1, argv + 1);
    struct predict_options o = {0};
    struct error err = {0};
    MEMORY_ENDS(scenario_fini) struct scenario s = {0};
    int at = predict_options_read(&o, argc, argv, &err);
    if (at <= 0)
        return at ? cli_fail(&err) : 0;
    cli_end_on_interrupt();
    /* Last: whatever was set, jitter is no part of a pattern. */
    o.sets.set[o.sets.n++] = (struct document_set){.text = "traffic.start_spread=0"};
    bool ok = scenario_load(&s, o.path, o.sets.set, o.sets.n, &err) && (o.yaml || predictable(&s, o.path, &err)) &&
              predict(&o, &s, &err);
    return ok ? 0 : cli_fail(&err);
}
