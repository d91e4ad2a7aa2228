/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contraflow measure --experiment: blocks are run by a process of its own, which alone keeps what it takes to change
 * queues and to capture; we write the plan before it begins, and judge what it leaves. */
#include "base/monotonic.h"
#include "base/outfile.h"
#include "capture/confine.h"
#include "capture/keep.h"
#include "cli/cli.h"
#include "cli/measure/measure.h"
#include "results/json.h"
#include "study/verdict/experiment.h"
#include "view/table.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

enum experiment_step { EXPERIMENT_BEGIN, EXPERIMENT_FIFO, EXPERIMENT_ACK_FIRST, EXPERIMENT_END, EXPERIMENT_STEPS };

static const char *const experiment_step_names[] = {"begin", "fifo", "ack-first", "end"};

enum {
    BEGIN = 1 << EXPERIMENT_BEGIN,
    ACK_FIRST = 1 << EXPERIMENT_ACK_FIRST,
    BLOCK = 1 << EXPERIMENT_FIFO | ACK_FIRST,
    END = 1 << EXPERIMENT_END,
};

/* A program and its arguments, as words; those in capitals are put in. With "-" before it its failure is no matter. */
struct experiment_line {
    unsigned steps;
    const char *words;
};

/* The rate is the queue's own, so that it is here that frames wait, and not in a ring, a modem or a switch. From one to the
 * other queue nothing is lost. An ACK is TCP of less than 64 bytes, over IPv6 beside its header. */
static const struct experiment_line experiment_here[] = {
    {BEGIN, "-tc qdisc del dev IFACE root"}, /* whatever was left of another call */
    {BEGIN, "tc qdisc add dev IFACE root handle 1: htb default 2"},
    {BEGIN, "tc class add dev IFACE parent 1: classid 1:1 htb rate RATE"},
    {BEGIN, "tc class add dev IFACE parent 1:1 classid 1:2 htb rate 8000 ceil RATE prio 1 quantum 1600"},
    {BEGIN, "tc class add dev IFACE parent 1:1 classid 1:3 htb rate RATE prio 0 quantum 1600"},
    {BEGIN, "tc qdisc add dev IFACE parent 1:2 pfifo limit 1000"},
    {BEGIN, "tc qdisc add dev IFACE parent 1:3 pfifo limit 1000"},
    {BLOCK, "-tc filter del dev IFACE parent 1:"},
    {ACK_FIRST, "tc filter add dev IFACE parent 1: protocol ip u32 match ip protocol 6 0xff match u16 0 0xffc0 at 2 flowid 1:3"},
    {ACK_FIRST, "tc filter add dev IFACE parent 1: protocol ipv6 u32 match ip6 protocol 6 0xff match u16 0 0xffc0 at 4 flowid 1:3"},
    {END, "-tc qdisc del dev IFACE root"},
    {BLOCK | END, "ethtool -K IFACE gso OFFLOADS tso OFFLOADS gro OFFLOADS"},
};
static const struct experiment_line experiment_elsewhere[] = {{BEGIN | BLOCK | END, "RUN IFACE STEP OFFLOADS RATE"}};

#define WORDS_MOST 32

#define ALONE_TRIES 50
#define ALONE_S 0.1

struct experiment_options {
    const char *directory, *interface, *run;
    bool json, quiet, terminal;
    double rate_bps;
    char rate[32]; /* in bit/s, as programs are told */
    int64_t block_ps;
    struct study_experiment e;
};

struct experiment_report {
    bool ok;
    struct error err;
};

static volatile sig_atomic_t experiment_signal;

static void experiment_on_signal(int number)
{
    experiment_signal = number;
}

static enum experiment_step experiment_step(const struct study_experiment_block *b)
{
    return b->ack_first ? EXPERIMENT_ACK_FIRST : EXPERIMENT_FIFO;
}

static const char *experiment_queue(const struct study_experiment_block *b)
{
    return experiment_step_names[experiment_step(b)];
}

static const char *experiment_offloads(const struct study_experiment_block *b)
{
    return b->offloads ? "on" : "off";
}

static char *experiment_folder(const struct experiment_options *o, size_t block)
{
    return memory_text("%s/%zu", o->directory, block);
}

static size_t experiment_blocks(const struct experiment_options *o)
{
    return 4 * (size_t)o->e.fours;
}

/* Captures appear whole, and under this name: a block that has one is over. */
static bool experiment_over(const struct experiment_options *o, size_t block)
{
    MEMORY_LOCAL char *folder = experiment_folder(o, block), *path = memory_text("%s/" CAPTURE_KEEP_FILE, folder);
    return access(path, F_OK) == 0;
}

static size_t experiment_left(const struct experiment_options *o)
{
    size_t left = 0;
    for (size_t i = 0; i < experiment_blocks(o); i++)
        left += !experiment_over(o, i);
    return left;
}

/* The next command of a step, at or after *line; false: there is none. Words are of *text, which is the caller's. */
static bool experiment_command(const struct experiment_options *o, enum experiment_step step, const char *offloads, size_t *line,
                               char **text, const char *words[WORDS_MOST])
{
    const struct experiment_line *lines = o->run ? experiment_elsewhere : experiment_here;
    size_t n_lines = o->run ? 1 : sizeof experiment_here / sizeof *experiment_here, n = 0;
    const char *const put_in[][2] = {{"RUN", o->run}, {"IFACE", o->interface}, {"STEP", experiment_step_names[step]},
                                     {"OFFLOADS", offloads}, {"RATE", o->rate}};
    while (*line < n_lines && !(lines[*line].steps & 1U << step))
        ++*line;
    if (*line == n_lines)
        return false;
    *text = memory_text("%s", lines[(*line)++].words);
    for (char *rest = *text, *word; (word = strtok_r(rest, " ", &rest)) && n < WORDS_MOST - 1; n++) {
        words[n] = word;
        for (size_t i = 0; i < sizeof put_in / sizeof *put_in; i++)
            if (strcmp(word, put_in[i][0]) == 0)
                words[n] = put_in[i][1];
    }
    words[n] = NULL;
    return true;
}

/* Starts a program and waits for its end. False: it failed, and why is what it said first. */
static bool experiment_start(const char *const words[WORDS_MOST], char *said, size_t room)
{
    char *argv[WORDS_MOST];
    memcpy(argv, words, sizeof argv); /* posix_spawn() changes none */
    int said_by[2], status = -1;
    pid_t pid = -1;
    posix_spawn_file_actions_t files;
    snprintf(said, room, "it failed without a word");
    if (pipe2(said_by, O_CLOEXEC) != 0) {
        snprintf(said, room, "%s", strerror(errno));
        return false;
    }
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, said_by[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, said_by[1], STDERR_FILENO);
    int failed = posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    close(said_by[1]);
    FILE *output = failed ? NULL : fdopen(said_by[0], "r");
    if (failed)
        snprintf(said, room, "%s", strerror(failed));
    else if (output && fgets(said, (int)room, output))
        while (fgetc(output) != EOF)
            ;
    if (output)
        fclose(output);
    else
        close(said_by[0]);
    while (!failed && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    said[strcspn(said, "\n")] = '\0';
    return status == 0;
}

static bool experiment_set(const struct experiment_options *o, enum experiment_step step, const char *offloads, struct error *err)
{
    for (size_t line = 0;;) {
        MEMORY_LOCAL char *text = NULL;
        const char *words[WORDS_MOST];
        char said[200];
        if (!experiment_command(o, step, offloads, &line, &text, words))
            return true;
        bool may_fail = !o->run && *words[0] == '-';
        words[0] += may_fail;
        if (!experiment_start(words, said, sizeof said) && !may_fail)
            return error_set(err, ERROR_INPUT, "%s: cannot be set to %s, offloads %s: %s: %s%s", o->interface,
                             experiment_step_names[step], offloads, words[0], said,
                             o->run ? "" : "; it takes CAP_NET_ADMIN (sudo), tc and ethtool, or a --run PROGRAM that may");
    }
}

/* Until that moment. False: a signal came, or whoever waits for us is gone. */
static bool experiment_wait(int socket, double until_s)
{
    double left_s;
    do {
        left_s = fmax(until_s - monotonic_now_s(), 0);
        if (poll(&(struct pollfd){.fd = socket, .events = POLLIN}, 1, (int)ceil(fmin(left_s, 60) * 1e3)) > 0)
            return false;
    } while (!experiment_signal && left_s > 0);
    return !experiment_signal;
}

/* One at a time changes an interface: a name that lasts as long as its process (unix(7), abstract). Whoever was killed needs a
 * moment to see it, and to put the queue back. */
static bool experiment_alone(const struct experiment_options *o, int word, struct error *err)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "!contraflow-experiment-%s", o->interface);
    name.sun_path[0] = '\0';
    int own = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (int i = 0; i < ALONE_TRIES; i++) {
        if (bind(own, (const struct sockaddr *)&name, sizeof name) == 0)
            return true;
        experiment_wait(word, monotonic_now_s() + ALONE_S);
    }
    return error_set(err, ERROR_INPUT, "%s: another experiment changes its queue", o->interface);
}

/* One block. True with the signal set, or at the socket's end, where it was given up. */
static bool experiment_block(const struct experiment_options *o, int socket, size_t i, struct error *err)
{
    const struct study_experiment_block *b = &o->e.block[i];
    MEMORY_LOCAL char *folder = experiment_folder(o, i);
    double began_s, capture_s = STUDY_EXPERIMENT_CAPTURE * o->e.block_s;
    int64_t frames, missed;
    if (o->terminal)
        cli_progress("block %zu of %zu: %s, offloads %s", i, experiment_blocks(o), experiment_queue(b), experiment_offloads(b));
    if (!experiment_set(o, experiment_step(b), experiment_offloads(b), err))
        return false;
    began_s = monotonic_now_s(); /* setting it may take long, by ssh say */
    if (!experiment_wait(socket, began_s + b->capture_at_s))
        return true;
    struct capture_keep *k = capture_keep_begin(o->interface, NULL, folder, err);
    if (!k)
        return false;
    if (!experiment_wait(socket, began_s + b->capture_at_s + capture_s)) {
        capture_keep_discard(k);
        return true;
    }
    if (!capture_keep_end(k, &frames, &missed, err))
        return false;
    if (missed > 0)
        fprintf(stderr, "contraflow: block %zu: %" PRId64 " frames are missing, for which the system had no room\n", i, missed);
    experiment_wait(socket, began_s + o->e.block_s);
    return true;
}

/* The process that may: from the word that the plan is there on. */
static void experiment_run(const struct experiment_options *o, int socket)
{
    struct experiment_report report = {.ok = true};
    struct error ignored;
    char word;
    if (recv(socket, &word, 1, 0) != 1)
        return;
    bool alone = experiment_alone(o, socket, &report.err);
    report.ok = alone && (experiment_set(o, EXPERIMENT_BEGIN, "on", &report.err) || experiment_signal);
    for (size_t i = 0; report.ok && experiment_wait(socket, 0) && i < experiment_blocks(o); i++)
        if (!experiment_over(o, i))
            report.ok = experiment_block(o, socket, i, &report.err) || experiment_signal;
    if (alone)
        experiment_set(o, EXPERIMENT_END, "on", &ignored);
    if (o->terminal)
        cli_progress_clear();
    send(socket, &report, sizeof report, MSG_NOSIGNAL);
}

/* What each step will start, in its order. */
static json_t *experiment_commands_json(const struct experiment_options *o)
{
    json_t *steps = json_object();
    for (enum experiment_step step = EXPERIMENT_BEGIN; step < EXPERIMENT_STEPS; step++) {
        bool block = BLOCK & 1 << step;
        json_t *commands = json_array();
        json_object_set_new(steps, experiment_step_names[step], commands);
        for (size_t line = 0;;) {
            MEMORY_LOCAL char *text = NULL;
            const char *words[WORDS_MOST];
            if (!experiment_command(o, step, block ? "OFFLOADS" : "on", &line, &text, words))
                break;
            json_t *command = json_array();
            for (size_t i = 0; words[i]; i++)
                json_array_append_new(command, json_string(words[i]));
            json_array_append_new(commands, command);
        }
    }
    return steps;
}

static json_t *experiment_plan_json(const struct experiment_options *o)
{
    json_t *blocks = json_array();
    for (size_t i = 0; i < experiment_blocks(o); i++) {
        const struct study_experiment_block *b = &o->e.block[i];
        results_json_append(blocks, "block:z four:z queue:s offloads:s capture_at_s:f", i, b->four, experiment_queue(b),
                            experiment_offloads(b), b->capture_at_s);
    }
    return results_json("hypothesis:s statistic:s decision:s seed:l fours:l block_s:f capture_s:f interface:s rate_bps:f "
                        "commands:o blocks:o",
                        "ACKs first carry more of both directions together than FIFO, as much as check says of FIFO's blocks is lost",
                        "the mean over fours of the difference of ln(payload of TCP in a capture, both ways, over its time); its "
                        "probability by all signs of the fours, its 95 % interval by Student's t",
                        "yes: p <= 0.05 and more is carried; no: else, and the interval is below 5 %; else unknown",
                        o->e.seed, o->e.fours, o->e.block_s, STUDY_EXPERIMENT_CAPTURE * o->e.block_s, o->interface,
                        o->rate_bps, experiment_commands_json(o), blocks);
}

/* The plan that is there, if one is, must be this one; else this one is written. */
static bool experiment_register(const struct experiment_options *o, const json_t *plan, struct error *err)
{
    MEMORY_LOCAL char *path = memory_text("%s/plan.json", o->directory);
    size_t flags = JSON_SORT_KEYS | JSON_REAL_PRECISION(12);
    if (access(path, F_OK) != 0)
        return outfile_make_directory(o->directory, err) && cli_measure_keep(o->directory, "plan.json", plan, err);
    json_t *there = json_load_file(path, 0, NULL);
    MEMORY_LOCAL char *old = there ? json_dumps(there, flags) : NULL, *own = json_dumps(plan, flags);
    json_decref(there);
    return (old && strcmp(old, own) == 0) ||
           error_set(err, ERROR_INPUT, "%s: is the plan of another experiment: give the options that it was written with, or "
                     "another -o", path);
}

/* Blocks that have no capture yet are run once the plan is there. */
static bool experiment_drive(const struct experiment_options *o, const json_t *plan, struct error *err)
{
    struct experiment_report report = {.ok = true};
    int sockets[2];
    if (experiment_left(o) == 0)
        return capture_confine_live(false, -1, err) && experiment_register(o, plan, err);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = experiment_on_signal}, NULL); /* no SA_RESTART: it must wake us */
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = experiment_on_signal}, NULL);
    pid_t pid = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0 || (pid = fork()) < 0)
        return error_set_errno(err, "no process can be made for the blocks");
    if (pid == 0) {
        close(sockets[0]);
        experiment_run(o, sockets[1]);
        _exit(0);
    }
    close(sockets[1]);
    bool ok = capture_confine_live(false, -1, err) && experiment_register(o, plan, err);
    if (ok && send(sockets[0], "p", 1, MSG_NOSIGNAL) == 1) {
        while (recv(sockets[0], &report, sizeof report, MSG_WAITALL) < 0 && errno == EINTR)
            shutdown(sockets[0], SHUT_WR); /* it ends the block, and says so */
        *err = report.err;
        ok = report.ok;
    }
    close(sockets[0]);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return ok;
}

static const char *const experiment_names[] = {"ACKs first over FIFO", "offloads off over on",
                                               "of ACKs first: offloads off over on"};

static void experiment_show(const struct experiment_options *o, const struct study_experiment_effect *effect, double foretold)
{
    enum judge_answer answer = study_experiment_answer(&effect[STUDY_EXPERIMENT_QUEUE]);
    static const char *const words[] = {"cannot tell", "no", "yes"};
    struct view_table t = view_table_of("block|queue|offloads|check|Mb/s|lost %");
    for (int k = 0; k < STUDY_EXPERIMENT_KINDS; k++) {
        const struct estimate *d = &effect[k].log;
        printf("%s%s: %+.1f %% (%+.1f to %+.1f %%), by chance %.3g", k ? "  " : "", experiment_names[k],
               100 * expm1(d->value), 100 * expm1(d->value - d->ci95), 100 * expm1(d->value + d->ci95), effect[k].p);
        if (k == 0)
            printf(": %s", words[answer]);
        if (k == 0 && isfinite(foretold))
            printf("; check foretold %+.1f %%", 100 * foretold);
        putchar('\n');
    }
    for (size_t i = 0; i < experiment_blocks(o); i++) {
        const struct study_experiment_block *b = &o->e.block[i];
        view_table_add(&t, "%zu|%s|%s|%s|%f|%.0f %%", i, experiment_queue(b), experiment_offloads(b),
                       judge_answer_name(b->answer), b->bps / 1e6, 100 * b->lost_share);
    }
    view_table_print(&t, "  ", 4, stdout);
}

static json_t *experiment_result_json(const struct experiment_options *o, const struct study_experiment_effect *effect,
                                      double foretold)
{
    json_t *blocks = json_array(), *effects = json_array();
    for (int k = 0; k < STUDY_EXPERIMENT_KINDS; k++) {
        const struct estimate *d = &effect[k].log;
        results_json_append(effects, "effect:s change:f least:f most:f by_chance:f", experiment_names[k],
                            expm1(d->value), expm1(d->value - d->ci95), expm1(d->value + d->ci95), effect[k].p);
    }
    for (size_t i = 0; i < experiment_blocks(o); i++) {
        const struct study_experiment_block *b = &o->e.block[i];
        results_json_append(blocks, "rate_bps:f asymmetry:s lost_share:f", b->bps, judge_answer_name(b->answer),
                            b->lost_share);
    }
    return results_json("ack_first_carries_more:s effects:o foretold:f blocks:o",
                        judge_answer_name(study_experiment_answer(&effect[STUDY_EXPERIMENT_QUEUE])), effects, foretold, blocks);
}

/* The analysis, and what is printed of it; the exit status, or -1. */
static int experiment_analyze(struct experiment_options *o, json_t *plan, struct error *err)
{
    struct study_experiment_effect effect[STUDY_EXPERIMENT_KINDS];
    for (size_t i = 0; i < experiment_blocks(o); i++) {
        MEMORY_LOCAL char *folder = experiment_folder(o, i), *path = memory_text("%s/" CAPTURE_KEEP_FILE, folder);
        if (!study_experiment_judge(&o->e.block[i], path, err))
            return -1;
    }
    for (int k = 0; k < STUDY_EXPERIMENT_KINDS; k++)
        effect[k] = study_experiment_effect(&o->e, (enum study_experiment_kind)k);
    double foretold = study_experiment_foretold(&o->e);
    json_object_set_new(plan, "result", experiment_result_json(o, effect, foretold));
    if (!cli_measure_keep(o->directory, "result.json", plan, err))
        return -1;
    if (o->json)
        cli_print_json(json_incref(plan));
    else
        experiment_show(o, effect, foretold);
    static const int status[] = {CLI_STATUS_UNKNOWN, 0, 1};
    return status[study_experiment_answer(&effect[STUDY_EXPERIMENT_QUEUE])];
}

static int experiment_main(struct experiment_options *o, struct error *err)
{
    o->e.block_s = (double)o->block_ps / 1e12;
    snprintf(o->rate, sizeof o->rate, "%.0f", o->rate_bps);
    o->terminal = !o->quiet && isatty(STDERR_FILENO);
    study_experiment_plan(&o->e);
    json_t *plan = cli_json("measure-experiment:1", results_json("plan:o result:o", experiment_plan_json(o), json_null()));
    bool ok = experiment_drive(o, plan, err);
    int status = ok && !experiment_signal ? experiment_analyze(o, plan, err) : -1;
    json_decref(plan);
    if (ok && experiment_signal) {
        fprintf(stderr, "contraflow: stopped with %zu of %zu blocks; the same command goes on\n",
                experiment_blocks(o) - experiment_left(o), experiment_blocks(o));
        signal(experiment_signal, SIG_DFL);
        raise(experiment_signal);
    }
    return status < 0 ? cli_fail(err) : status;
}

int cli_measure_experiment(int argc, char **argv)
{
    struct error err = {0};
    struct experiment_options o = {.block_ps = INT64_C(60000000000000), .e = {.seed = 1, .fours = 8}};
    bool experiment;
    const struct cli_option options[] = {
        {"experiment", 0, .flag = &experiment},
        {"output", 'o', .text = &o.directory},
        {"interface", 'i', .text = &o.interface},
        {"rate", 0, .number = &o.rate_bps, .unit = CLI_OPTIONS_RATE, .least = 1000, .most = INT64_MAX},
        {"run", 0, .text = &o.run},
        {"fours", 0, .whole = &o.e.fours, .unit = CLI_OPTIONS_COUNT, .least = 2, .most = STUDY_EXPERIMENT_FOURS},
        {"time", 0, .whole = &o.block_ps, .unit = CLI_OPTIONS_TIME, .least = INT64_C(100000000000),
         .most = INT64_C(86400000000000000)},
        {"seed", 0, .whole = &o.e.seed, .unit = CLI_OPTIONS_COUNT, .most = INT64_MAX},
        {"json", 0, .flag = &o.json},
        {"quiet", 'q', .flag = &o.quiet},
        {0},
    };
    int at = cli_options_read("measure experiment", argc, argv, options, &err);
    if (at == 0)
        return 0;
    if (at > 0 && (at < argc || !o.directory || !o.interface || o.rate_bps <= 0))
        error_set(&err, ERROR_INPUT, "measure --experiment: takes -o DIR, -i IFACE and --rate of what IFACE carries; try "
                  "'contraflow measure --experiment --help'");
    return err.code != ERROR_NONE ? cli_fail(&err) : experiment_main(&o, &err);
}
