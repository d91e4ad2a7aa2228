/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/confine.h"
#include "capture/inject.h"
#include "cli/cli.h"
#include "cli/replay/cmd_replay.h"
#include "results/json.h"

#define SENT_BYTES 10000000

struct interface_options {
    struct capture_inject_options inject;
    struct capture_rewrite *rewrites; /* owned; inject borrows them */
    const char *interface;
    bool json, quiet;
};

static volatile sig_atomic_t replay_signal;

static void replay_on_signal(int number)
{
    replay_signal = number;
}

bool cmd_replay_speed(const struct cli_option *option, const char *text, struct error *err)
{
    char *end;
    double *speed = option->to;
    *speed = strtod(text, &end);
    if (end == text || *end || !isfinite(*speed) || *speed <= 0)
        return error_set(err, ERROR_INPUT, "--speed %s: not a number above 0; try 2, twice as fast", text);
    return true;
}

static bool replay_rewrite(const struct cli_option *option, const char *text, struct error *err)
{
    struct interface_options *o = option->to;
    struct capture_rewrite rewrite;
    if (!capture_rewrite_parse(text, &rewrite, err))
        return error_prefix(err, "--rewrite: ");
    size_t n = o->inject.n_rewrites;
    o->rewrites = memory_resized(o->rewrites, n + 1, sizeof *o->rewrites, "rewrites");
    o->rewrites[n] = rewrite;
    o->inject.rewrites = o->rewrites;
    o->inject.n_rewrites = n + 1;
    return true;
}

/* As cli_options_read(). */
static int replay_parse(int argc, char **argv, struct interface_options *o, struct error *err)
{
    double speed = NAN;
    const struct cli_option options[] = {
        {"interface", 0, .text = &o->interface},
        {"speed", 0, .call = cmd_replay_speed, .to = &speed},
        {"rate", 0, .whole = &o->inject.rate_bps, .unit = CLI_OPTIONS_RATE, .least = 1, .most = CAPTURE_INJECT_RATE_MAX},
        {"rewrite", 0, .call = replay_rewrite, .to = o},
        {"json", 0, .flag = &o->json},
        {"quiet", 'q', .flag = &o->quiet},
        {0},
    };
    int at = cli_options_read("replay interface", argc, argv, options, err);
    if (at <= 0)
        return at;
    if (!o->interface)
        error_set(err, ERROR_INPUT, "replay: no interface given; --interface NAME says where to send");
    else if (at != argc - 1)
        error_set(err, ERROR_INPUT, "replay: %s; see 'contraflow replay --help'",
                  at == argc ? "no file given" : "one file at a time");
    else if (!isnan(speed) && o->inject.rate_bps)
        error_set(err, ERROR_INPUT, "replay: --speed scales recorded times and --rate replaces them; give one");
    o->inject.speed = isnan(speed) ? 1 : speed;
    o->inject.source = argv[at];
    return err->code == ERROR_NONE ? at : -1;
}

static void replay_progress(void *user, int64_t frames, int64_t elapsed_ns)
{
    const struct capture_reader *reader = user;
    int64_t size = capture_reader_file_bytes(reader);
    char share[32] = "";
    if (size >= SENT_BYTES) /* of a small one all is read ahead */
        snprintf(share, sizeof share, ", %.0f %% of the file",
                 100 * (double)capture_reader_bytes_read(reader) / (double)size);
    cli_progress("%" PRId64 " frames in %.1f s%s", frames, (double)elapsed_ns / 1e9, share);
}

static void replay_print(const struct interface_options *o, const struct capture_inject_result *r)
{
    int64_t late_ns = r->elapsed_ns - r->scheduled_ns;
    printf("sent %" PRId64 " frames, %" PRId64 " bytes on %s in %.6f s\n", r->frames, r->bytes, o->interface,
           (double)r->elapsed_ns / 1e9);
    if (r->frames == 0)
        return;
    printf("the last frame left %.1f us after it was due; %" PRId64 " frames more than 1 ms late\n",
           (double)late_ns / 1e3, r->late_frames);
    printf("gaps between frames are off by %.1f us (median), %.1f us (99 %% of them, at most), %.1f us (largest)\n",
           (double)r->gap_p50_ns / 1e3, (double)r->gap_p99_ns / 1e3, (double)r->gap_max_ns / 1e3);
    if (r->rewritten_frames)
        printf("%" PRId64 " frames got other addresses\n", r->rewritten_frames);
}

static void replay_print_json(const struct interface_options *o, const struct capture_inject_result *r)
{
    json_t *root = results_json("file:s interface:s frames:l bytes:l padded_frames:l rewritten_frames:l late_frames:l "
                                "back_frames:l elapsed_s:f scheduled_s:f end_error_ns:l gap_error_p50_ns:l "
                                "gap_error_p99_ns:l gap_error_max_ns:l truncated:b interrupted:b", o->inject.source,
                                o->interface, r->frames, r->bytes, r->padded_frames, r->rewritten_frames,
                                r->late_frames, r->back_frames, (double)r->elapsed_ns / 1e9,
                                (double)r->scheduled_ns / 1e9, r->elapsed_ns - r->scheduled_ns, r->gap_p50_ns,
                                r->gap_p99_ns, r->gap_max_ns, r->truncated, r->interrupted);
    cli_print_json(cli_json("replay-interface:1", root));
}

static void replay_report(const struct interface_options *o, const struct capture_inject_result *r)
{
    if (o->json)
        replay_print_json(o, r);
    else if (!o->quiet)
        replay_print(o, r);
    if (r->truncated)
        fprintf(stderr, "contraflow: warning: %s\n", r->stopped.message);
    if (r->back_frames)
        fprintf(stderr, "contraflow: warning: %s: %" PRId64 " frames were recorded before an earlier one and sent at "
                "once after it\n", cli_name(o->inject.source), r->back_frames);
    if (r->padded_frames && !o->quiet)
        fprintf(stderr, "contraflow: %s: %" PRId64 " frames were captured short; zeros stood for the rest\n",
                cli_name(o->inject.source), r->padded_frames);
}

/* Sends between two settings of the signals, so that an interrupted one reports what went out. */
static bool replay_send(struct interface_options *o, struct capture_inject *inject, struct capture_reader *reader,
                        struct error *err)
{
    struct capture_inject_result result;
    struct sigaction action = {.sa_handler = replay_on_signal}, old_int, old_term; /* no SA_RESTART: it must wake us */
    bool terminal = !o->quiet && isatty(STDERR_FILENO);
    replay_signal = 0;
    o->inject.interrupted = &replay_signal;
    o->inject.progress = terminal ? replay_progress : NULL;
    o->inject.user = reader;
    sigaction(SIGINT, &action, &old_int);
    sigaction(SIGTERM, &action, &old_term);
    bool ok = capture_inject_run(inject, reader, &o->inject, &result, err);
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
    if (terminal)
        cli_progress_clear();
    if (ok)
        replay_report(o, &result);
    return ok;
}

static bool replay_open_and_send(struct interface_options *o, struct error *err)
{
    struct capture_reader *reader = capture_confine_begin(err) ? capture_reader_open(o->inject.source, err) : NULL;
    struct capture_inject *inject = NULL;
    bool ok = reader && capture_inject_accepts(reader, o->inject.source, err) &&
              (inject = capture_inject_open(o->interface, err)) != NULL && capture_inject_confine(inject, err) &&
              replay_send(o, inject, reader, err);
    capture_inject_close(inject);
    capture_reader_close(reader);
    return ok;
}

int cmd_replay_interface(int argc, char **argv)
{
    struct interface_options o = {.inject = {.speed = 1}};
    struct error err = {0};
    int at = replay_parse(argc, argv, &o, &err);
    bool ok = at == 0 || (at > 0 && replay_open_and_send(&o, &err));
    free(o.rewrites);
    if (ok && replay_signal) {
        fputs("contraflow: interrupted\n", stderr);
        fflush(stdout);
        signal(replay_signal, SIG_DFL);
        raise(replay_signal); /* the shell learns how we ended */
    }
    return ok ? 0 : cli_fail(&err);
}
