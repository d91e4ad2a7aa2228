/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/names.h"
#include "base/outfile.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/cmd_replay.h"
#include "cli/help.h"
#include "cli/read.h"
#include "results/directory.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

struct port_options {
    struct port_replay_options replay;
    struct capture_address from, to;
    bool json, quiet, help, has_port;
};

static volatile sig_atomic_t port_signal;

static void port_on_signal(int number)
{
    port_signal = number;
}

static bool port_parse_rate(const char *text, int64_t *rate_bps, struct error *err)
{
    if (!units_parse_rate(text, rate_bps, err))
        return error_prefix(err, "--port: ");
    return (*rate_bps >= PORT_REPLAY_RATE_MIN && *rate_bps <= PORT_REPLAY_RATE_MAX) ||
           error_set(err, ERROR_INPUT, "--port %s: not between 1kbps and 1000Gbps", text);
}

static bool port_parse_address(const char *name, const char *text, struct capture_address *address,
                          const struct capture_address **use, struct error *err)
{
    *use = address;
    return capture_address_parse(text, address) ||
           error_set(err, ERROR_INPUT, "--%s %s: an IPv4 or IPv6 address goes here, such as 10.0.0.1", name, text);
}

static bool port_option(struct port_options *o, int option, const char *name, const char *text, struct error *err)
{
    char known[NAMES_TEXT];
    switch (option) {
    case 'p':
        return o->has_port = port_parse_rate(optarg, &o->replay.rate_bps, err);
    case 'b':
        return study_replay_queue_limit(optarg, &o->replay.queue, err) || error_prefix(err, "--buffer %s: ", optarg);
    case 'u':
        return study_replay_discipline(optarg, &o->replay.queue.discipline) ||
               error_set(err, ERROR_INPUT, "--queue %s: there are %s", optarg, names_list(emu_discipline_names, known));
    case 'f':
        return port_parse_address(name, optarg, &o->from, &o->replay.from, err);
    case 't':
        return port_parse_address(name, optarg, &o->to, &o->replay.to, err);
    case 's':
        return cmd_replay_parse_speed(optarg, &o->replay.speed, err);
    case 'o':
        o->replay.directory = optarg;
        return true;
    case 'J':
        return o->json = true;
    case 'q':
        return o->quiet = true;
    case 'h':
        return o->help = true;
    case 'x':
        return error_set(err, ERROR_INPUT, "replay: --%s does not go with --port; see 'contraflow replay --help'",
                         name);
    case ':':
        return error_set(err, ERROR_INPUT, "replay: %s needs a value; see 'contraflow replay --help'", text);
    default:
        return error_set(err, ERROR_INPUT, "replay: option %s is unknown or takes no value; 'contraflow replay --help' "
                         "lists them", text);
    }
}

static bool port_parse(int argc, char **argv, struct port_options *o, struct error *err)
{
    static const struct option options[] = {
        {"port", required_argument, NULL, 'p'},      {"buffer", required_argument, NULL, 'b'},
        {"queue", required_argument, NULL, 'u'},     {"from", required_argument, NULL, 'f'},
        {"to", required_argument, NULL, 't'},        {"speed", required_argument, NULL, 's'},
        {"output", required_argument, NULL, 'o'},    {"json", no_argument, NULL, 'J'},
        {"quiet", no_argument, NULL, 'q'},           {"help", no_argument, NULL, 'h'},
        {"interface", required_argument, NULL, 'x'}, {"rate", required_argument, NULL, 'x'},
        {"rewrite", required_argument, NULL, 'x'},   {"scenario", required_argument, NULL, 'x'},
        {"set", required_argument, NULL, 'x'},       {"map", required_argument, NULL, 'x'},
        {"what-if", required_argument, NULL, 'x'},   {"jobs", required_argument, NULL, 'x'},
        {NULL, 0, NULL, 0}};
    int option, index = 0;
    optind = 1;
    while ((option = getopt_long(argc, argv, ":o:qh", options, &index)) != -1) {
        if (!port_option(o, option, options[index].name, argv[optind - 1], err))
            return false;
        if (o->help)
            return true;
    }
    if (optind != argc - 1)
        return error_set(err, ERROR_INPUT, "replay: %s; see 'contraflow replay --help'",
                         optind == argc ? "no file given" : "one file at a time");
    o->replay.path = argv[optind];
    return o->has_port || error_set(err, ERROR_INPUT, "replay: no port; --port RATE says how fast it is");
}

/* A run's files would not fit its queues any more. */
static bool port_take_directory(const char *directory, struct error *err)
{
    static const char *const runs[] = {"scenario.yaml", "flows.csv"}, *const ours[] = {"summary.json", "queues.csv"};
    bool ok = outfile_make_directory(directory, err);
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
    json_t *all = cli_replay_port_show_json(&o->replay, r);
    bool ok = !o->replay.directory || port_write_summary(o->replay.directory, all, err);
    if (ok && o->json) {
        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
        putchar('\n');
    } else if (ok && r->picked_frames > 0) {
        cli_replay_port_show(&o->replay, r);
    }
    json_decref(all);
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
    if (!port_parse(argc, argv, &o, &err))
        return cli_fail(&err);
    if (o.help)
        return cli_help("replay port");
    if (!o.quiet) {
        o.replay.progress = cli_read_progress;
        o.replay.user = (void *)o.replay.path;
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
