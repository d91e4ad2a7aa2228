/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/replay/cmd_replay.h"
#include "base/directory.h"
#include "base/monotonic.h"
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/read.h"
#include "results/directory.h"
#include "scenarios/load.h"
#include "scenarios/save.h"

#define CALIBRATIONS 6 /* at most, while they come nearer */
#define SEARCHES 3 /* around the nearest guess */
#define NEAR_ENOUGH 0.04 /* of study_replay_distance(): no other guess is tried */

/* What the scenario, or the command line, may leave to the capture. */
#define GIVEN(ROW)                                                                                                    \
    ROW(RATE, "network.link.rate")                                                                                    \
    ROW(SEGMENT, "tcp.segment")                                                                                       \
    ROW(ACKS, "tcp.delayed_ack")                                                                                      \
    ROW(START, "tcp.initial_window")                                                                                  \
    ROW(CONGESTION, "tcp.congestion")                                                                                 \
    ROW(SWITCH_QUEUE, "network.switch.queue")                                                                         \
    ROW(NIC_QUEUE, "network.nic.queue")                                                                               \
    ROW(SWITCH_LIMIT, "network.switch.limit")                                                                         \
    ROW(NIC_LIMIT, "network.nic.limit")
#define GIVEN_ENUM(NAME, key) GIVEN_##NAME,
#define GIVEN_KEY(NAME, key) key,

enum { GIVEN(GIVEN_ENUM) GIVEN_COUNT };
static const char *const replay_keys[] = {GIVEN(GIVEN_KEY) NULL};

struct replay_options {
    const char *file, *scenario, *output, *what_ifs[STUDY_REPLAY_VARIANTS];
    struct cli_options_sets sets;
    int n_what_ifs;
    const char *engine_text;
    enum scenario_engine engine; /* of the baseline and the what-ifs; guesses are native's */
    int64_t jobs;
    double until_s;   /* no guess is played after it */
    int *left;        /* guesses that were not played then */
    bool quiet, json, anyway, gives[GIVEN_COUNT];
};

static bool options_map(const struct cli_option *option, const char *text, struct error *err)
{
    struct study_replay *r = option->to;
    const char *equals = strrchr(text, '=');
    char address[CAPTURE_ADDRESS_TEXT];
    int host = -1, length = 0;
    struct study_replay_map *map = &r->maps[r->n_maps];
    if (r->n_maps == STUDY_REPLAY_MAPS)
        return error_set(err, ERROR_INPUT, "more than %d --map", STUDY_REPLAY_MAPS);
    if (equals && (size_t)(equals - text) < sizeof address) {
        memcpy(address, text, (size_t)(equals - text));
        address[equals - text] = '\0';
    }
    if (!equals || (size_t)(equals - text) >= sizeof address || !capture_address_parse(address, &map->address) ||
        sscanf(equals + 1, "h%5d%n", &host, &length) != 1 || equals[1 + length] != '\0' || host < 0)
        return error_set(err, ERROR_INPUT, "--map %s: an address and a host go here, such as 10.0.0.1=h0", text);
    map->host = host;
    r->n_given = ++r->n_maps;
    return true;
}

static bool options_what_if(const struct cli_option *option, const char *text, struct error *err)
{
    struct replay_options *o = option->to;
    if (o->n_what_ifs == STUDY_REPLAY_VARIANTS - 1)
        return error_set(err, ERROR_INPUT, "more than %d --what-if", STUDY_REPLAY_VARIANTS - 1);
    o->what_ifs[o->n_what_ifs++] = text;
    return true;
}

/* As cli_options_read(). */
static int replay_options_read(int argc, char **argv, struct replay_options *o, struct study_replay *r, struct error *err)
{
    const struct cli_option options[] = {
        {"scenario", 0, .text = &o->scenario},
        {"set", 0, .call = cli_options_set, .to = &o->sets},
        {"map", 0, .call = options_map, .to = r},
        {"what-if", 0, .call = options_what_if, .to = o},
        {"engine", 0, .text = &o->engine_text},
        {"output", 'o', .text = &o->output},
        {"jobs", 'j', .call = cli_options_jobs, .to = &o->jobs},
        {"budget", 0, .call = cli_options_budget, .to = &o->until_s},
        {"anyway", 0, .flag = &o->anyway},
        {"quiet", 'q', .flag = &o->quiet},
        {"json", 0, .flag = &o->json},
        {0},
    };
    int at = cli_options_read("replay", argc, argv, options, err);
    if (at <= 0)
        return at;
    bool linux_tcp = o->engine_text && strcmp(o->engine_text, scenario_engine_names[SCENARIO_ENGINE_LINUX]) == 0;
    o->engine = linux_tcp ? SCENARIO_ENGINE_LINUX : SCENARIO_ENGINE_NATIVE;
    if (o->engine_text && strcmp(o->engine_text, scenario_engine_names[o->engine]) != 0)
        return error_set(err, ERROR_INPUT, "replay: --engine '%s': native or linux; no other plays what was captured",
                         o->engine_text), -1;
    if (argc - at != 1)
        error_set(err, ERROR_INPUT, "replay takes one FILE, not %d; see 'contraflow replay --help'", argc - at);
    o->file = argv[at];
    return err->code == ERROR_NONE ? at : -1;
}

/* A variant's directory is named by its change, with '-' for what a file name cannot hold. */
static void replay_variant_directory(const char *root, const char *label, char directory[static PATH_MAX])
{
    int n = snprintf(directory, PATH_MAX, "%s/", root);
    for (const char *p = label; *p && n < PATH_MAX - 1; p++)
        directory[n++] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-@.", *p) ? *p : '-';
    directory[n < PATH_MAX ? n : PATH_MAX - 1] = '\0';
}

/* What Linux's own TCP cannot play is an error. */
static bool replay_engine_plays(const struct scenario *s, const char *what_if, struct error *err)
{
    char what[96];
    if (!scenario_engine_lacks(s, s->engine, what))
        return true;
    return error_set(err, ERROR_INPUT, "replay: --engine %s%s%s: %s has no %s; %s", scenario_engine_names[s->engine],
                     what_if ? " --what-if " : "", what_if ? what_if : "", scenario_engine_names[s->engine], what,
                     s->tcp.congestion == EMU_CONGESTION_GIVEN && !what_if
                         ? "windows are played as captured here; --set tcp.congestion=cubic plays its own"
                         : "leave --engine native");
}

/* Writes one variant's scenario.yaml. Without `run` it only says whether there is such a variant. */
static bool replay_prepare(const struct study_replay *r, const char *what_if, const struct replay_options *o,
                    struct study_replay_run *run, struct error *err)
{
    struct scenario s = r->scenario; /* all but the traffic is borrowed */
    char comment[PATH_MAX];
    s.datagrams = memory_zeroed((size_t)s.n_datagrams, sizeof *s.datagrams, "datagrams to replay");
    for (int i = 0; i < s.n_datagrams; i++)
        s.datagrams[i] = r->scenario.datagrams[i];
    s.flows = memory_zeroed((size_t)s.n_flows, sizeof *s.flows, "flows to replay");
    memcpy(s.flows, r->scenario.flows, (size_t)s.n_flows * sizeof *s.flows);
    snprintf(comment, sizeof comment, "contraflow %s: replay %s%s%s%s%s", CONTRAFLOW_VERSION, o->file,
             o->scenario ? " --scenario " : "", o->scenario ? o->scenario : "", what_if ? " --what-if " : "",
             what_if ? what_if : "");
    bool ok = (!what_if || study_replay_what_if(&s, what_if, err)) &&
              (!run || (replay_engine_plays(&s, what_if, err) && results_directory_take(run->directory, true, err) &&
                        scenario_save_directory(&s, run->directory, comment, err)));
    MEMORY_FREE(s.flows, s.datagrams);
    return ok;
}

static bool replay_is_over(const struct replay_options *o)
{
    return monotonic_now_s() > o->until_s;
}

/* After `until_s` the first alone; the others are skipped then. */
static bool replay_play(const struct study_replay *r, struct study_replay_run *runs, int n, const struct replay_options *o,
                        double until_s, bool quiet, int *signal_number, struct error *err)
{
    struct sweep_engines_job jobs[STUDY_REPLAY_VARIANTS] = {{0}};
    char engine[PATH_MAX];
    if (!sweep_engines_path(r->scenario.engine, engine, sizeof engine, err))
        return false;
    for (int i = 0; i < n; i++) {
        jobs[i].label = runs[i].label;
        jobs[i].directory = runs[i].directory;
        jobs[i].option = r->frames;
    }
    *signal_number = cli_engines_run(engine, jobs, n, (int)o->jobs, until_s, quiet);
    for (int i = 0; i < n; i++)
        directory_release(runs[i].directory);
    for (int i = 0; i < n && !*signal_number; i++) {
        runs[i].skipped = jobs[i].state == SWEEP_ENGINES_WAITING;
        *o->left += runs[i].skipped;
        if (!runs[i].skipped && jobs[i].state != SWEEP_ENGINES_DONE) {
            *err = jobs[i].error;
            return error_prefix(err, "%s: ", runs[i].label);
        }
    }
    return true;
}

/* What guesses and calibration change: the scenario, its flows' TCP, the hosts' distances, and the captured windows. */
struct replay_knobs {
    struct scenario scenario;     /* its pointers are r's */
    struct scenario_flow *flows;  /* owned, as all below; what they point to is r's */
    int64_t *delays_ps;
    double *windows_by;
    char assumed[sizeof(study_replay_guess)];
};

static struct replay_knobs replay_knobs_save(const struct study_replay *r)
{
    const struct emu_network_config *net = &r->scenario.network;
    struct replay_knobs k = {.scenario = r->scenario,
                             .flows = memory_zeroed((size_t)r->n_flows, sizeof *k.flows, "flows"),
                             .delays_ps = memory_zeroed((size_t)net->n_delays + 1, sizeof *k.delays_ps, "cables"),
                             .windows_by = memory_zeroed((size_t)r->n_flows, sizeof *k.windows_by, "windows")};
    memcpy(k.flows, r->scenario.flows, (size_t)r->n_flows * sizeof *k.flows);
    memcpy(k.assumed, r->assumed, sizeof k.assumed);
    if (net->n_delays > 0)
        memcpy(k.delays_ps, net->delays_ps, (size_t)net->n_delays * sizeof *k.delays_ps);
    for (int i = 0; i < r->n_flows; i++)
        k.windows_by[i] = r->flows[i].windows_by;
    return k;
}

static void replay_knobs_restore(struct study_replay *r, const struct replay_knobs *k)
{
    r->scenario = k->scenario;
    memcpy(r->scenario.flows, k->flows, (size_t)r->n_flows * sizeof *k->flows);
    memcpy(r->assumed, k->assumed, sizeof k->assumed);
    if (r->scenario.network.n_delays > 0)
        memcpy(r->scenario.delays_ps, k->delays_ps, (size_t)r->scenario.network.n_delays * sizeof *k->delays_ps);
    for (int i = 0; i < r->n_flows; i++)
        study_replay_scale_windows(r, i, k->windows_by[i]);
}

static void replay_knobs_free(struct replay_knobs *k)
{
    MEMORY_FREE(k->flows, k->delays_ps, k->windows_by);
}

/* Calibrates, plays once more, and leaves it so when that comes nearer: *nearer. *run becomes the better one. */
static bool replay_calibrate(struct study_replay *r, const struct replay_options *o, const char *root,
                             study_replay_measure *measure, struct study_replay_run *run, bool *nearer,
                             int *signal_number, struct error *err)
{
    struct study_replay_run moved = {.label = "calibrated"};
    double before = measure(r, run);
    *nearer = false;
    if (replay_is_over(o)) {
        ++*o->left;
        return true;
    }
    MEMORY_ENDS(replay_knobs_free) struct replay_knobs knobs = replay_knobs_save(r);
    study_replay_calibrate(r, run);
    replay_variant_directory(root, moved.label, moved.directory);
    bool ok = before < NEAR_ENOUGH ||
              (replay_prepare(r, NULL, o, &moved, err) && replay_play(r, &moved, 1, o, INFINITY, true, signal_number, err) &&
               (*signal_number || study_replay_run_read(&moved, r->n_flows, err)));
    *nearer = ok && moved.goodput_bps && measure(r, &moved) < before;
    if (*nearer) {
        free(run->goodput_bps);
        *run = moved;
    } else {
        replay_knobs_restore(r, &knobs);
        free(moved.goodput_bps);
    }
    return ok;
}

/* Plays guesses; *best, whose text is *chosen, becomes the nearest of it and them. */
static bool replay_try(const struct study_replay *r, const struct replay_options *o, const char *root,
                       study_replay_guess *guess, int n, study_replay_measure *measure, struct study_replay_run *best,
                       study_replay_guess *chosen, int *signal_number, struct error *err)
{
    static struct study_replay_run runs[STUDY_REPLAY_GUESSES];
    bool ok = true;
    if (best->goodput_bps && replay_is_over(o)) {
        *o->left += n;
        return true;
    }
    for (int i = 0; ok && i < n; i++) {
        char label[sizeof *guess + 16];
        snprintf(label, sizeof label, "assumed-%s", *guess[i] ? guess[i] : "nothing");
        runs[i] = (struct study_replay_run){.label = guess[i]};
        replay_variant_directory(root, label, runs[i].directory);
        ok = replay_prepare(r, *guess[i] ? guess[i] : NULL, o, &runs[i], err);
    }
    /* a terminal has one line for all; without one, a hundred lines are no progress */
    ok = ok && replay_play(r, runs, n, o, o->until_s, o->quiet || !isatty(STDERR_FILENO), signal_number, err);
    for (int i = 0; ok && !*signal_number && i < n && !runs[i].skipped; i++) {
        ok = study_replay_run_read(&runs[i], r->n_flows, err);
        if (ok && (!best->goodput_bps || measure(r, &runs[i]) < measure(r, best))) {
            struct study_replay_run worse = *best;
            *best = runs[i];
            runs[i] = worse;
            memcpy(*chosen, guess[i], sizeof *chosen);
        }
        free(runs[i].goodput_bps);
    }
    return ok;
}

/* Buffers around the nearest guess, until one is near enough. `guess`, which *best may be one of, has room for all. */
static bool replay_search(const struct study_replay *r, const struct replay_options *o, const char *root,
                          study_replay_guess *guess, study_replay_measure *measure, double enough,
                          struct study_replay_run *best, study_replay_guess *chosen, int *signal_number,
                          struct error *err)
{
    bool ok = true;
    int n;
    for (int i = 0; ok && !*signal_number && i < SEARCHES && !replay_is_over(o) && measure(r, best) > enough; i++) {
        study_replay_guesses_around(*chosen, guess, &n);
        ok = replay_try(r, o, root, guess, n, measure, best, chosen, signal_number, err);
    }
    return ok;
}

static void replay_guesses(const struct study_replay *r, const struct replay_options *o, study_replay_guess *guess,
                           int *n)
{
    study_replay_guesses(r, !o->gives[GIVEN_SWITCH_QUEUE] && !o->gives[GIVEN_NIC_QUEUE], !o->gives[GIVEN_CONGESTION],
                         !o->gives[GIVEN_SWITCH_LIMIT] && !o->gives[GIVEN_NIC_LIMIT], guess, n);
}

/* Plays n guesses, and others around the nearest. */
static bool replay_nearest(const struct study_replay *r, const struct replay_options *o, const char *root,
                           study_replay_guess *guess, int n, struct study_replay_run *best,
                           study_replay_guess *chosen, int *signal_number, struct error *err)
{
    return replay_try(r, o, root, guess, n, study_replay_distance, best, chosen, signal_number, err) &&
           replay_search(r, o, root, guess, study_replay_distance, NEAR_ENOUGH, best, chosen, signal_number, err) &&
           /* what would be refused may be near by the rates alone */
           replay_search(r, o, root, guess, study_replay_error, STUDY_REPLAY_NEAR, best, chosen, signal_number, err);
}

/* Where the nearest guess is not near by the rates, the nearest of the other congestion control may be, which the
 * search left for it. */
static bool replay_nearest_other(const struct study_replay *r, const struct replay_options *o, const char *root,
                                 study_replay_guess *guess, struct study_replay_run *best, study_replay_guess *chosen,
                                 int *signal_number, struct error *err)
{
    const char *control = strstr(*chosen, "cc=cubic") ? "cc=linuxreno" : "cc=cubic";
    struct study_replay_run other = {0};
    study_replay_guess text = "";
    int n, kept = 0;
    if (*signal_number || replay_is_over(o) || study_replay_error(r, best) <= STUDY_REPLAY_NEAR)
        return true;
    replay_guesses(r, o, guess, &n);
    for (int i = 1; i < n; i++)
        if (strstr(guess[i], control))
            memcpy(guess[kept++], guess[i], sizeof *guess);
    bool ok = replay_nearest(r, o, root, guess, kept, &other, &text, signal_number, err);
    if (ok && other.goodput_bps && study_replay_error(r, &other) <= STUDY_REPLAY_NEAR) {
        struct study_replay_run worse = *best;
        *best = other;
        other = worse;
        memcpy(*chosen, text, sizeof *chosen);
    }
    free(other.goodput_bps);
    return ok;
}

/* Takes a guess, unless it is "", into r, and moves the hosts. */
static bool replay_assume(struct study_replay *r, const struct replay_options *o, const char *root, const char *chosen,
                          study_replay_measure *measure, struct study_replay_run *best, int *signal_number,
                          struct error *err)
{
    if (*chosen && !study_replay_what_if(&r->scenario, chosen, err))
        return false;
    if (*chosen)
        snprintf(r->assumed, sizeof r->assumed, "%s", chosen);
    bool ok = true, nearer = r->reads_network;
    for (int round = 0; ok && !*signal_number && nearer && round < CALIBRATIONS; round++)
        ok = replay_calibrate(r, o, root, measure, best, &nearer, signal_number, err);
    return ok;
}

/* Plays what the capture leaves open, and takes into r what comes nearest. When the plainest guess is near enough,
 * nothing else is tried; buffers are searched more closely around the nearest. *off: study_replay_error() then. */
static bool replay_guess_once(struct study_replay *r, const struct replay_options *o, const char *root, double *off,
                              int *signal_number, struct error *err)
{
    study_replay_guess guess[STUDY_REPLAY_GUESSES], chosen = "";
    struct study_replay_run best = {0};
    int n = 0;
    replay_guesses(r, o, guess, &n);
    bool ok = replay_try(r, o, root, guess, 1, study_replay_distance, &best, &chosen, signal_number, err);
    if (ok && !*signal_number && study_replay_distance(r, &best) > NEAR_ENOUGH)
        ok = replay_nearest(r, o, root, guess + 1, n - 1, &best, &chosen, signal_number, err);
    if (ok && !o->gives[GIVEN_CONGESTION])
        ok = replay_nearest_other(r, o, root, guess, &best, &chosen, signal_number, err);
    MEMORY_ENDS(replay_knobs_free) struct replay_knobs knobs = replay_knobs_save(r);
    ok = ok && replay_assume(r, o, root, chosen, study_replay_distance, &best, signal_number, err);
    *off = ok && !*signal_number ? study_replay_error(r, &best) : 0;
    if (ok && !*signal_number && !replay_is_over(o) && !o->gives[GIVEN_CONGESTION] &&
        study_replay_needs_windows(r, &best)) {
        struct study_replay_run given = {0};
        MEMORY_ENDS(replay_knobs_free) struct replay_knobs found = replay_knobs_save(r);
        study_replay_guesses_given(guess, &n);
        replay_knobs_restore(r, &knobs);
        ok = replay_try(r, o, root, guess, n, study_replay_error, &given, &chosen, signal_number, err);
        ok = ok && !*signal_number && replay_assume(r, o, root, chosen, study_replay_error, &given, signal_number, err);
        double given_off = ok && !*signal_number ? study_replay_error(r, &given) : INFINITY;
        if (given_off < fmax(*off, STUDY_REPLAY_NEAR))
            *off = given_off;
        else
            replay_knobs_restore(r, &found);
        free(given.goodput_bps);
    }
    free(best.goodput_bps);
    return ok;
}

/* Where flows that take turns, or fill a link, do not come near, their mean rates may. */
static bool replay_guess(struct study_replay *r, const struct replay_options *o, const char *root, int *signal_number,
                         struct error *err)
{
    MEMORY_ENDS(replay_knobs_free) struct replay_knobs first = replay_knobs_save(r);
    double turns_off, paced_off = INFINITY;
    bool ok = replay_guess_once(r, o, root, &turns_off, signal_number, err);
    MEMORY_ENDS(replay_knobs_free) struct replay_knobs turns = replay_knobs_save(r);
    replay_knobs_restore(r, &first);
    if (ok && turns_off > STUDY_REPLAY_NEAR && !replay_is_over(o) && study_replay_pace(r))
        ok = replay_guess_once(r, o, root, &paced_off, signal_number, err);
    if (!(paced_off < turns_off))
        replay_knobs_restore(r, &turns);
    return ok;
}

/* Before anything but the baseline is played. */
static bool replay_refuses(struct study_replay *r, const struct replay_options *o,
                           const struct study_replay_run *baseline)
{
    bool refuses = study_replay_refuses(r, baseline, r->refused);
    for (int i = 0; i < o->n_what_ifs && !refuses; i++)
        refuses = study_replay_refuses_change(r, o->what_ifs[i], r->refused);
    r->answer = refuses ? STUDY_REPLAY_REFUSED : STUDY_REPLAY_TOLD;
    return refuses;
}

/* Once all is played: what nobody can tell is shown beside what the judge says. */
static void replay_doubts(struct study_replay *r, const struct analysis_resource *host,
                          const struct study_replay_run *runs, int n)
{
    for (int i = 1; i < n && r->answer == STUDY_REPLAY_TOLD; i++)
        if (study_replay_doubts(r, host && host->diagnosed ? &host->diagnosis : NULL, &runs[0], &runs[i], r->refused))
            r->answer = STUDY_REPLAY_UNKNOWN;
}

static int replay_all(struct study_replay *r, const struct analysis_resource *host, const struct replay_options *o,
                      struct error *err)
{
    static struct study_replay_run runs[STUDY_REPLAY_VARIANTS];
    static const int statuses[] = {[STUDY_REPLAY_TOLD] = 0, [STUDY_REPLAY_REFUSED] = 1, [STUDY_REPLAY_UNKNOWN] = CLI_STATUS_UNKNOWN};
    int n = 1 + o->n_what_ifs, signal_number = 0;
    for (int i = 1; i < n; i++)
        if (!replay_prepare(r, o->what_ifs[i - 1], o, NULL, err)) /* before any guess is played */
            return cli_fail(err);
    MEMORY_LOCAL char *root = o->output ? memory_text("%s", o->output) : cli_output_name(o->file, "-replay");
    bool ok = results_directory_take(root, false, err) && replay_guess(r, o, root, &signal_number, err);
    r->scenario.engine = o->engine;
    for (int i = 0; ok && !signal_number && i < n; i++) {
        runs[i].label = i ? o->what_ifs[i - 1] : "baseline";
        replay_variant_directory(root, runs[i].label, runs[i].directory);
        ok = replay_prepare(r, i ? o->what_ifs[i - 1] : NULL, o, &runs[i], err);
    }
    for (int from = 0, to = 1; ok && !signal_number && from < n; from = to, to = n) { /* the baseline alone, first */
        ok = replay_play(r, runs + from, to - from, o, INFINITY, o->quiet, &signal_number, err);
        for (int i = from; ok && !signal_number && i < to; i++)
            ok = study_replay_run_read(&runs[i], r->n_flows, err);
        if (!ok || signal_number || o->anyway)
            continue;
        if (from == 0 && replay_refuses(r, o, &runs[0]))
            n = 1;
        else if (from > 0)
            replay_doubts(r, host, runs, n);
    }
    struct cli_replay_show show = {o->file, r, runs, n, host};
    if (ok && !signal_number && o->json) {
        json_t *all = cli_replay_show_json(&show);
        cli_print_json(cli_json("replay:1", all));
    } else if (ok && !signal_number) {
        cli_replay_show(&show);
    }
    for (int i = 0; i < n; i++)
        free(runs[i].goodput_bps);
    if (signal_number)
        raise(signal_number);
    return !ok ? cli_fail(err) : o->n_what_ifs > 0 ? statuses[r->answer] : 0;
}

static bool replay_read(struct study_replay *r, const char *path, struct error *err)
{
    struct analysis_capture capture;
    struct analysis_flows *table = study_capture_read(path, true, &cli_read_listener, &capture, err);
    bool ok = table && (study_replay_build(r, table, err) || error_prefix(err, "%s: ", path));
    analysis_flows_free(table);
    return ok;
}

int cmd_replay(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--port") == 0 || strncmp(argv[i], "--port=", strlen("--port=")) == 0)
            return cmd_replay_port(argc, argv);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--interface", strlen("--interface")) == 0)
            return cmd_replay_interface(argc, argv);
    int left = 0;
    struct replay_options o = {.jobs = sweep_engines_processors(), .until_s = INFINITY, .left = &left};
    MEMORY_ENDS(study_replay_fini) struct study_replay r = {.n_maps = 0};
    struct error err = {0};
    int status = 0;
    int at = replay_options_read(argc, argv, &o, &r, &err);
    if (at <= 0)
        return at ? cli_fail(&err) : 0;
    if (!scenario_load_asking(&r.scenario, o.scenario, o.sets.set, o.sets.n, replay_keys, o.gives, &err))
        return cli_fail(&err);
    if (!scenario_has_streams(&r.scenario) || r.scenario.n_points > 0)
        status = cli_fail((error_set(&err, ERROR_INPUT, "%s: replay needs TCP and no list of points",
                                     o.scenario ? o.scenario : "--set"), &err));
    r.scenario.traffic = SCENARIO_TRAFFIC_FLOWS;
    scenario_free_programs(&r.scenario); /* what they sent, the capture says */
    r.scenario.barrier = false;
    r.scenario.precision = 0;
    r.scenario.n_captures = 0; /* of the scenario's own places; the pointer stays owned */
    r.scenario.engine = SCENARIO_ENGINE_NATIVE;
    r.reads_start = !o.gives[GIVEN_START];
    r.reads_network = !o.gives[GIVEN_RATE];
    r.reads_segment = !o.gives[GIVEN_SEGMENT];
    r.reads_acks = !o.gives[GIVEN_ACKS];
    if (status == 0)
        status = replay_read(&r, o.file, &err) ? replay_all(&r, analysis_resources_get(&r.hosts, 0), &o, &err)
                                               : cli_fail(&err);
    if (left > 0)
        fprintf(stderr, "contraflow: --budget was over before %d more emulations, one of which may come nearer\n", left);
    return status;
}
