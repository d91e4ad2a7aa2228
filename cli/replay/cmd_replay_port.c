/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/names.h"
#include "cli/cli.h"
#include "cli/read.h"
#include "cli/replay/cmd_replay.h"
#include "results/directory.h"

struct port_options {
    struct port_replay_options replay;
    struct capture_address from, to;
    bool json, quiet;
};

static volatile sig_atomic_t port_signal;

static void port_on_signal(int number)
{
    port_signal = number;
}

static bool port_buffer(const struct cli_option *option, const char *text, struct error *err)
{
    return study_replay_queue_limit(text, option->to, err) || error_prefix(err, "--buffer %s: ", text);
}

static bool port_queue(const struct cli_option *option, const char *text, struct error *err)
{
    struct emu_queue_config *queue = option->to;
    char known[NAMES_TEXT];
    if (!study_replay_discipline(text, &queue->discipline))
        return error_set(err, ERROR_INPUT, "--queue %s: there are %s", text, names_list(emu_discipline_names, known));
    return study_replay_discipline_fits(queue->discipline, false, err) || error_prefix(err, "--queue: ");
}

static bool port_address(const struct cli_option *option, const char *text, struct error *err)
{
    return capture_address_parse(text, option->to) ||
           error_set(err, ERROR_INPUT, "--%s %s: an IPv4 or IPv6 address goes here, such as 10.0.0.1", option->name,
                     text);
}

/* Options of the other ways to replay. */
static bool port_refused(const struct cli_option *option, const char *text UNUSED, struct error *err)
{
    return error_set(err, ERROR_INPUT, "replay: --%s does not go with --port; see 'contraflow replay --help'",
                     option->name);
}

/* As cli_options_read(). */
static int port_parse(int argc, char **argv, struct port_options *o, struct error *err)
{
    static const char *const others[] = {"interface", "rate", "rewrite", "scenario", "set", "map", "what-if", "jobs"};
    enum { OWN = 9, OTHERS = sizeof others / sizeof *others };
    struct port_replay_options *r = &o->replay;
    struct cli_option options[OWN + OTHERS + 1] = {
        {"port", 0, .whole = &r->rate_bps, .unit = CLI_OPTIONS_RATE, .least = PORT_REPLAY_RATE_MIN, .most = PORT_REPLAY_RATE_MAX},
        {"buffer", 0, .call = port_buffer, .to = &r->queue},
        {"queue", 0, .call = port_queue, .to = &r->queue},
        {"from", 0, .call = port_address, .to = &o->from},
        {"to", 0, .call = port_address, .to = &o->to},
        {"speed", 0, .call = cmd_replay_speed, .to = &r->speed},
        {"output", 'o', .text = &r->directory},
        {"json", 0, .flag = &o->json},
        {"quiet", 'q', .flag = &o->quiet},
    };
    for (int i = 0; i < OTHERS; i++)
        options[OWN + i] = (struct cli_option){others[i], 0, .call = port_refused};
    int at = cli_options_read("replay port", argc, argv, options, err);
    if (at <= 0)
        return at;
    if (at != argc - 1)
        error_set(err, ERROR_INPUT, "replay: %s; see 'contraflow replay --help'",
                  at == argc ? "no file given" : "one file at a time");
    else if (!r->rate_bps)
        error_set(err, ERROR_INPUT, "replay: no port; --port RATE says how fast it is");
    r->from = o->from.family ? &o->from : NULL;
    r->to = o->to.family ? &o->to : NULL;
    r->path = argv[at];
    return err->code == ERROR_NONE ? at : -1;
}

/* A run's files would not fit its queues any more. */
static bool port_take_directory(const char *directory, struct error *err)
{
    static const char *const runs[] = {"scenario.yaml", "flows.csv"}, *const ours[] = {"summary.json", "queues.csv"};
    bool ok = results_directory_take(directory, false, err);
    for (int i = 0; ok && i < 2; i++)
        ok = !results_directory_has(directory, runs[i]) ||
             error_set(err, ERROR_INPUT, "-o %s: holds a run (%s); give another directory", directory, runs[i]);
    for (int i = 0; ok && i < 2; i++) /* the summary must not vouch for the next queues */
        ok = results_directory_remove(directory, ours[i], err);
    return ok;
}

static bool port_write_summary(const char *directory, const json_t *all, struct error *err)
{
    struct outfile f;
    if (!results_directory_create(&f, directory, "summary.json", err))
        return false;
    json_dumpf(all, f.stream, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    putc('\n', f.stream);
    return outfile_commit(&f, err);
}

static void port_warn(const struct port_options *o, const struct port_replay_result *r)
{
    if (r->truncated)
        fprintf(stderr, "contraflow: warning: %s\n", r->stopped.message);
    if (r->back_frames)
        fprintf(stderr, "contraflow: warning: %s: %" PRId64 " frames were recorded before an earlier one and came at "
                "its time\n", o->replay.path, r->back_frames);
    if (r->interrupted)
        fprintf(stderr, "contraflow: interrupted after %" PRId64 " frames%s\n", r->captured_frames,
                o->replay.directory ? "; summary.json says \"complete\": false, there is no queues.csv" : "");
}

static bool port_report(const struct port_options *o, const struct port_replay_result *r, struct error *err)
{
    json_auto_t *all = cli_json("replay-port:1", cli_replay_port_show_json(&o->replay, r));
    bool ok = !o->replay.directory || port_write_summary(o->replay.directory, all, err);
    if (ok && o->json) {
        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
        putchar('\n');
    } else if (ok && r->picked_frames > 0) {
        cli_replay_port_show(&o->replay, r);
    }
    if (ok)
        port_warn(o, r);
    return ok;
}

int cmd_replay_port(int argc, char **argv)
{
    static struct port_replay_result result;
    struct port_options o = {.replay = {.speed = 1, .queue = emu_queue_config_default(), .interrupted = &port_signal}};
    struct error err = {0};
    /* No SA_RESTART: it must wake a read; a second one ends us at once. */
    struct sigaction action = {.sa_handler = port_on_signal, .sa_flags = (int)SA_RESETHAND}, old_int, old_term;
    int at = port_parse(argc, argv, &o, &err);
    if (at <= 0)
        return at ? cli_fail(&err) : 0;
    if (!o.quiet) {
        o.replay.progress = cli_read_progress;
        o.replay.user = o.replay.path;
    }
    sigaction(SIGINT, &action, &old_int);
    sigaction(SIGTERM, &action, &old_term);
    bool ok = (!o.replay.directory || port_take_directory(o.replay.directory, &err)) &&
              port_replay_run(&o.replay, &result, &err);
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
    if (!o.quiet)
        cli_read_progress_clear();
    ok = ok && port_report(&o, &result, &err);
    port_flows_fini(&result.flows);
    if (ok && result.interrupted) {
        fflush(stdout);
        raise(port_signal); /* the shell learns how we ended */
    }
    return ok ? 0 : cli_fail(&err);
}
