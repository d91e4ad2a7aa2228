/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/directory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/show.h"
#include "results/directory.h"
#include "results/json.h"
#include "scenarios/capture_size.h"
#include "scenarios/commands.h"
#include "scenarios/keys.h"
#include "scenarios/load.h"
#include "scenarios/save.h"
#include "scenarios/traffic/played.h"
#include "study/verdict/latency.h"
#include "view/diagnosis.h"

#include <assert.h>
#include <sys/statvfs.h>

#define LARGE_BYTES 500e6 /* of captures: worth a line before they are made */
#define SMALL_BYTES 1e6 /* of captures: a disk without even that says so itself, at once */
#define HEADERS_BYTES 96  /* of a frame, all of them */

struct run_plan {
    struct scenario scenario;
    char *directory;          /* owned */
    bool part;                /* the directory is one of ours, in the one that was given */
    char comment[PATH_MAX];
    struct sweep_engines_job *jobs; /* owned */
    struct run_names {
        char *label, *directory;
    } *names; /* owned: what jobs borrow */
    int n_jobs;
    char threads[32];         /* an engine's option, where that is native */
    double capture_bytes, headers_bytes; /* of all captures, about; if they kept headers alone */
};

static void plan_fini(struct run_plan *p)
{
    scenario_fini(&p->scenario);
    for (int i = 0; i < p->n_jobs; i++) {
        directory_release(p->names[i].directory);
        MEMORY_FREE(p->names[i].label, p->names[i].directory);
    }
    if (p->directory)
        directory_release(p->directory);
    MEMORY_FREE(p->names, p->jobs, p->directory);
}

static bool plan_add_job(struct run_plan *p, const struct scenario *s, const char *label, const char *directory,
                         struct error *err)
{
    struct sweep_engines_job *job = &p->jobs[p->n_jobs];
    struct run_names *names = &p->names[p->n_jobs];
    job->label = names->label = memory_text("%s", label);
    job->directory = names->directory = memory_text("%s", directory);
    job->option = s->n_programs > 0 ? "--allow-programs" : NULL; /* cmd_run() has asked */
    if (s->engine == SCENARIO_ENGINE_NATIVE)
        job->option = p->threads;
    p->n_jobs++;
    p->capture_bytes += scenario_capture_size(s, 0);
    p->headers_bytes += scenario_capture_size(s, HEADERS_BYTES);
    return (directory_held(directory) >= 0 || results_directory_take(directory, p->part || directory != p->directory, err)) &&
           scenario_save_directory(s, directory, p->comment, err);
}

static bool plan_make_jobs(struct run_plan *p, struct error *err)
{
    const struct scenario *s = &p->scenario;
    p->jobs = memory_zeroed((size_t)s->n_points + 1, sizeof *p->jobs, "runs");
    p->names = memory_zeroed((size_t)s->n_points + 1, sizeof *p->names, "runs");
    if (s->n_points == 0)
        return plan_add_job(p, s, p->directory, p->directory, err);
    if (!results_directory_take(p->directory, p->part, err) ||
        !scenario_save_directory(s, p->directory, p->comment, err))
        return false;
    for (int i = 0; i < s->n_points; i++) {
        MEMORY_ENDS(scenario_fini) struct scenario point;
        char label[32];
        snprintf(label, sizeof label, "%din-%dout", s->points[i].incoming, s->points[i].outgoing);
        MEMORY_LOCAL char *directory = results_directory_path(p->directory, label);
        scenario_at_point(s, i, &point);
        bool ok = plan_add_job(p, &point, label, directory, err);
        if (!ok)
            return false;
    }
    return true;
}

/* A rate in Mb/s, or a dash in the same width. Those of a flow below 1 Mb/s have three digits. */
static void print_mbps(double rate_bps, double of_bps, const char *before, int width)
{
    if (isfinite(rate_bps))
        printf("%s%*.*f ", before, width, of_bps > 0 && of_bps < 1e6 ? 3 : 1, rate_bps / 1e6);
    else
        printf("%*s ", (int)strlen(before) + width, "-");
}

/* Whether repeating messages reached the wanted precision. */
static void print_benchmark(const struct results_benchmark *b)
{
    if (!(b->precision > 0))
        return;
    printf("  %" PRId64 " messages a flow: ", b->messages);
    if (isfinite(b->reached))
        printf("the widest 95 %% interval of a mean time is %.3g %% of that mean; ", 100 * b->reached);
    printf("%s %g %%\n", b->converged ? "within" : "did not converge to", 100 * b->precision);
}

/* Whole operations of an exchange, a barrier, a collective or a GOAL text, and their bandwidths as nccl-tests has them:
 * an exchange's S is what a process holds for all, its own part, too. */
static void print_operations(const struct scenario *s, const struct results_summary *r)
{
    struct results_bandwidth b = r->bandwidth;
    if (r->operations.n == 0)
        return;
    if (s->traffic == SCENARIO_TRAFFIC_EXCHANGE && scenario_has_streams(s)) {
        b.bytes = s->network.hosts * s->exchange.bytes;
        b.algorithm_bps = 8 * (double)b.bytes / r->operations.mean_s;
        b.bus_bps = model_collective_bus_alltoall(s->network.hosts) * b.algorithm_bps;
    }
    printf("  %" PRId64 " operation%s: %.6g ms", r->operations.n, r->operations.n == 1 ? "" : "s", 1e3 * r->operations.mean_s);
    if (isfinite(r->operations.ci95_s))
        printf(" +- %.3g (95 %%)", 1e3 * r->operations.ci95_s);
    if (b.bytes > 0 && isfinite(b.algorithm_bps))
        printf(" for %" PRId64 " bytes; algbw %.4g GB/s, busbw %.4g GB/s", b.bytes, b.algorithm_bps / 8e9, b.bus_bps / 8e9);
    putchar('\n');
}

/* What messages waited for ACKs that queued behind data. */
static void print_message_waits(const struct results_messages *m)
{
    if (m->n == 0)
        return;
    printf("  %" PRId64 " messages waited %.3g %% of their time for ACKs in queues", m->n,
           m->time_s > 0 ? 100 * m->ack_wait_s / m->time_s : 0);
    if (m->worst_bytes > 0)
        printf("; the most, %.4g ms, of rank %" PRId64 " to %" PRId64 ", tag %" PRId64 ", %" PRId64 " bytes: messages.csv",
               1e3 * m->worst_wait_s, m->worst_from, m->worst_to, m->worst_tag, m->worst_bytes);
    putchar('\n');
}

/* How late frames were, in wall time. */
static void print_lateness(const struct results_lateness *l, int64_t ended_ps)
{
    const double us = 1e-6;
    if (l->frames > 0)
        printf("  frames were late by %.1f us (median), %.1f us (99 %%), %.1f us (most); %.2g %% of %" PRId64
               " by more than %.5g us, one overdue for %.2g %% of the time; above %.3g %% the run would be void\n",
               us * (double)l->median_ps, us * (double)l->p99_ps, us * (double)l->most_ps,
               100 * (double)l->late / (double)l->frames, l->frames, us * (double)l->bound_ps,
               100 * (double)l->overdue_ps / (double)ended_ps, 100 * l->share);
}

/* What --json prints of one finished run: its summary. */
static bool add_run(json_t *runs, const struct sweep_engines_job *job, struct error *err)
{
    MEMORY_ENDS(results_summary_fini) struct results_summary summary;
    if (!results_summary_read(&summary, job->directory, err))
        return false;
    json_t *run = results_json("run:s directory:s", job->label, job->directory);
    json_object_update_new(run, results_summary_json(&summary));
    json_array_append_new(runs, run);
    struct judge_latency latency;
    bool ok = study_latency_of_run(job->directory, &summary, &latency, err);
    json_object_set_new(run, "latency", ok ? view_diagnosis_latency_json(&latency) : json_null());
    return ok;
}

/* Round trips of its flows after the warm-up. */
static bool print_latency(const char *directory, const struct results_summary *summary, struct error *err)
{
    struct judge_latency latency;
    char text[JUDGE_LATENCY_TEXT];
    if (!study_latency_of_run(directory, summary, &latency, err))
        return false;
    judge_latency_say(&latency, text);
    if (latency.loaded.n > 0)
        printf("  %s\n", text);
    return true;
}

/* The flows of one finished run, from its summary. */
static bool print_flows(const struct scenario *s, const struct sweep_engines_job *job, struct error *err)
{
    MEMORY_ENDS(results_summary_fini) struct results_summary summary;
    if (!results_summary_read(&summary, job->directory, err))
        return false;
    printf("%s, %s by %s\n", cli_name(job->label), summary.lateness.frames > 0 ? "emulated" : "simulated",
           summary.engine);
    MEMORY_ENDS(view_table_fini) struct view_table t = view_table_of("flow|whole Mb/s");
    for (size_t i = 0; i < summary.n_flows; i++)
        view_table_add(&t, "%s|%.1f", summary.flows[i].name, summary.flows[i].goodput_bps / 1e6);
    view_table_sum_up(&t, "  ", 1, stdout);
    printf("  %-8s %-6s %-6s %12s %22s %11s %8s\n", "flow", "from", "to", "whole Mb/s", "steady Mb/s (95 %)",
           "duration s", "retrans");
    for (size_t i = 0; i < summary.n_flows; i++) {
        const struct results_flow *flow = &summary.flows[i];
        double duration_s = results_flow_duration_s(flow);
        printf("  %-8s %-6s %-6s ", flow->name, flow->src, flow->dst);
        print_mbps(flow->goodput_bps, flow->goodput_bps, "", 12);
        print_mbps(flow->steady_goodput_bps, flow->goodput_bps, "", 12);
        print_mbps(flow->steady_ci95_bps, flow->goodput_bps, "+- ", 6);
        printf("%11.4f %8" PRId64, isfinite(duration_s) ? duration_s : 0, flow->retransmitted_segments);
        /* The mean time of a flow's messages, if it repeats them. */
        if (flow->messages > 0)
            printf("  %" PRId64 " messages, %.3f ms", flow->messages, 1e3 * flow->message_s);
        if (flow->messages > 1)
            printf(" +- %.3f", 1e3 * flow->message_ci95_s);
        putchar('\n');
    }
    bool ok = print_latency(job->directory, &summary, err);
    print_benchmark(&summary.benchmark);
    print_operations(s, &summary);
    print_message_waits(&summary.messages);
    print_lateness(&summary.lateness, summary.ended_ps);
    return ok;
}

static void print_size(char text[static 32], double bytes)
{
    snprintf(text, 32, bytes >= 1e9 ? "%.1f GB" : "%.0f MB", bytes / (bytes >= 1e9 ? 1e9 : 1e6));
}

/* Captures that take much of a disk, or more than there is. */
static void warn_of_captures(const struct run_plan *p)
{
    struct statvfs disk;
    char size[32], less[32], room[32];
    double free_bytes = statvfs(p->directory, &disk) == 0 ? (double)disk.f_bavail * (double)disk.f_frsize : (double)INFINITY;
    bool little = p->capture_bytes < SMALL_BYTES || p->capture_bytes < free_bytes;
    if (p->capture_bytes < LARGE_BYTES && little)
        return;
    print_size(size, p->capture_bytes);
    print_size(less, p->headers_bytes);
    print_size(room, free_bytes);
    fprintf(stderr, "contraflow: captures may take %s in %s", size, cli_name(p->directory));
    if (isfinite(free_bytes))
        fprintf(stderr, ", where %s are free", room);
    fputs("; ", stderr);
    if (p->headers_bytes < p->capture_bytes / 2)
        fprintf(stderr, "snaplen: %d makes it %s, ", HEADERS_BYTES, less);
    fputs("fewer captures or a shorter duration less (--set capture=[] none)\n", stderr);
}

/* What becomes of a plan's figures. */
enum run_shows { RUN_SHOWS_NOTHING, RUN_SHOWS_TABLE, RUN_SHOWS_JSON };

static int run_plan(struct run_plan *p, const char *engine, int parallel, bool quiet, enum run_shows shows)
{
    struct error err = {0};
    warn_of_captures(p);
    int signal_number = cli_engines_run(engine, p->jobs, p->n_jobs, parallel, INFINITY, quiet);
    int status = 0;
    json_t *runs = json_array();
    for (int i = 0; i < p->n_jobs; i++) {
        struct sweep_engines_job *job = &p->jobs[i];
        bool partial = job->state == SWEEP_ENGINES_STOPPED && results_directory_has(job->directory, "flows.csv");
        if ((job->state == SWEEP_ENGINES_DONE || partial) &&
            !(shows == RUN_SHOWS_JSON ? add_run(runs, job, &err)
                                      : quiet || shows == RUN_SHOWS_NOTHING || print_flows(&p->scenario, job, &err)))
            status = cli_fail(&err);
        if (job->state == SWEEP_ENGINES_STOPPED && !signal_number) { /* somebody signalled the engine, not us */
            job->state = SWEEP_ENGINES_FAILED;
            error_set(&job->error, ERROR_SYSTEM, "the engine was told to stop %.0f %% into the run; %s holds the "
                      "run up to that moment", 100 * job->fraction, job->directory);
        }
        if (job->state != SWEEP_ENGINES_FAILED || (signal_number && job->error.code == ERROR_SYSTEM))
            continue;
        if (p->n_jobs > 1)
            error_prefix(&job->error, "%s: ", job->label);
        int failed = cli_fail(&job->error);
        status = failed > status ? failed : status;
    }
    if (shows == RUN_SHOWS_JSON)
        cli_print_json(cli_json("run:1", results_json("runs:o", runs)));
    else
        json_decref(runs);
    if (signal_number) {
        fprintf(stderr, "contraflow: interrupted; %s holds the run up to that moment (\"complete\": false)\n",
                cli_name(p->directory));
        fflush(stdout);
        raise(signal_number); /* the shell learns how we ended */
        return ERROR_SYSTEM;
    }
    if (status == 0 && !quiet && shows != RUN_SHOWS_NOTHING)
        fprintf(stderr, "wrote %s; judge it with: contraflow check %s\n", cli_name(p->directory),
                cli_name(p->directory));
    return status;
}

/* A plan's runs by one engine, in a directory below the plan's; *jobs and their number are the caller's then. */
static int cross_check_run(const struct run_plan *whole, enum scenario_engine engine, int parallel, bool quiet,
                           struct run_plan *part, struct error *err)
{
    char what[96], program[PATH_MAX];
    *part = (struct run_plan){.scenario = whole->scenario, .part = true}; /* the scenario is borrowed */
    part->scenario.engine = engine;
    part->directory = results_directory_path(whole->directory, scenario_engine_names[engine]);
    memcpy(part->comment, whole->comment, sizeof part->comment);
    memcpy(part->threads, whole->threads, sizeof part->threads);
    if (scenario_engine_lacks(&whole->scenario, engine, what))
        error_set(err, ERROR_INPUT, "--cross-check: %s has no %s", scenario_engine_names[engine], what);
    else if (sweep_engines_path(engine, program, sizeof program, err) && plan_make_jobs(part, err))
        return run_plan(part, program, parallel, quiet, RUN_SHOWS_NOTHING);
    return cli_fail(err);
}

/* The schedule of a collective or a GOAL text, as GOAL text. */
static int print_goal(const struct scenario *s, const char *path)
{
    struct schedule schedule;
    struct error err = {0};
    if (s->n_ranks == 0) {
        error_set(&err, ERROR_INPUT, "%s: --goal writes down traffic.collective or traffic.goal, which it has not",
                  cli_name(path));
        return cli_fail(&err);
    }
    played_schedule(s, &schedule);
    schedule_write(&schedule, stdout);
    schedule_fini(&schedule);
    return 0;
}

/* The engines that --cross-check compares, the first of them the reference. */
struct cross_check {
    enum scenario_engine engine[STUDY_CROSS_CHECK_ENGINES];
    const char *name[STUDY_CROSS_CHECK_ENGINES];
    size_t n;
    bool json, given;
};

/* --engines native,linux */
static bool cross_check_engines(const struct cli_option *option, const char *text, struct error *err)
{
    struct cross_check *x = option->to;
    char name[16];
    x->given = true;
    for (x->n = 0; *text; text += strspn(text, ",")) {
        int length = (int)strcspn(text, ","), e = 0;
        snprintf(name, sizeof name, "%.*s", length, text);
        while (e < SCENARIO_ENGINES && strcmp(name, scenario_engine_names[e]) != 0)
            e++;
        bool again = false;
        for (size_t i = 0; i < x->n; i++)
            again = again || x->engine[i] == (enum scenario_engine)e;
        if (e == SCENARIO_ENGINES || again)
            return error_set(err, ERROR_INPUT, "--engines: '%.*s' %s; try --engines native,linux", length, text,
                             again ? "is there twice" : "is not an engine");
        x->engine[x->n] = (enum scenario_engine)e;
        x->name[x->n++] = scenario_engine_names[e];
        text += length;
    }
    return x->n > 1 || error_set(err, ERROR_INPUT, "--engines: --cross-check compares two or three; try --engines "
                                 "native,linux");
}

static int cross_check_runs(const struct run_plan *p, int parallel, bool quiet, const struct cross_check *x)
{
    struct run_plan parts[STUDY_CROSS_CHECK_ENGINES] = {{.n_jobs = 0}};
    struct study_cross_check c = {.n = 0};
    struct error err = {0};
    int status = 0;
    if (!results_directory_take(p->directory, false, &err))
        return cli_fail(&err);
    for (size_t e = 0; e < x->n && status == 0; e++)
        status = cross_check_run(p, x->engine[e], parallel, quiet, &parts[e], &err);
    for (int i = 0; status == 0 && i < parts[0].n_jobs; i++) {
        const char *directories[STUDY_CROSS_CHECK_ENGINES];
        for (size_t e = 0; e < x->n; e++) {
            assert(parts[e].jobs); /* cross_check_run() made them */
            directories[e] = parts[e].jobs[i].directory;
        }
        if (!study_cross_check_add(&c, p->scenario.n_points ? strrchr(directories[0], '/') + 1 : p->directory,
                                   directories, x->n, &err))
            status = cli_fail(&err);
        else if (!x->json)
            cli_cross_check_show_run(&c.run[c.n - 1], x->name);
    }
    if (status == 0 && x->json)
        cli_cross_check_show_json(&c, x->name);
    else if (status == 0)
        cli_cross_check_show_end(&c);
    for (int e = 0; e < STUDY_CROSS_CHECK_ENGINES; e++) {
        parts[e].scenario = (struct scenario){0};
        plan_fini(&parts[e]);
    }
    int answer = c.failed > 0;
    study_cross_check_fini(&c);
    return status ? status : answer;
}

int cmd_run(int argc, char **argv)
{
    struct run_plan plan = {.n_jobs = 0};
    struct error err = {0};
    struct cli_options_sets sets = {.n = 0};
    const char *output = NULL;
    char engine[PATH_MAX];
    int64_t parallel = 0, threads = 0;
    bool quiet = false, both = false, keys = false, list = false, yaml = false, programs = false, goal = false;
    struct cross_check x = {{SCENARIO_ENGINE_NS3, SCENARIO_ENGINE_NATIVE},
                            {scenario_engine_names[SCENARIO_ENGINE_NS3], scenario_engine_names[SCENARIO_ENGINE_NATIVE]},
                            2, false, false};
    const struct cli_option options[] = {
        {"output", 'o', .text = &output},
        {"engine", 0, .call = cli_options_engine, .to = &sets},
        {"seed", 0, .call = cli_options_seed, .to = &sets},
        {"set", 0, .call = cli_options_set, .to = &sets},
        {"jobs", 'j', .call = cli_options_jobs, .to = &parallel},
        {"threads", 0, .call = cli_options_jobs, .to = &threads},
        {"quiet", 'q', .flag = &quiet},
        {"cross-check", 0, .flag = &both},
        {"engines", 0, .call = cross_check_engines, .to = &x},
        {"json", 0, .flag = &x.json},
        {"keys", 0, .flag = &keys},
        {"list", 0, .flag = &list},
        {"yaml", 0, .flag = &yaml},
        {"goal", 0, .flag = &goal},
        {"allow-programs", 0, .flag = &programs},
        {0},
    };
    int at = cli_options_read("run", argc, argv, options, &err);
    if (at <= 0)
        return at ? cli_fail(&err) : 0;
    if (keys) {
        scenario_keys_reference(stdout);
        return 0;
    }
    if (list)
        return cli_list("", x.json);
    if (argc - at != 1) {
        error_set(&err, ERROR_INPUT, "run takes one SCENARIO.yaml, not %d; see 'contraflow run --help'", argc - at);
        return cli_fail(&err);
    }
    if (x.given && !both) {
        error_set(&err, ERROR_INPUT, "--engines goes with --cross-check; a run has one, --engine NAME");
        return cli_fail(&err);
    }
    const char *path = argv[at];
    snprintf(plan.comment, sizeof plan.comment, "contraflow %s: run %s", CONTRAFLOW_VERSION, path);
    for (size_t i = 0; i < sets.n; i++)
        text_add(plan.comment, sizeof plan.comment, " %s%s", sets.set[i].by, sets.set[i].text);
    if (programs)
        text_add(plan.comment, sizeof plan.comment, " --allow-programs");
    if (!scenario_load(&plan.scenario, path, sets.set, sets.n, &err))
        return cli_fail(&err);
    if (yaml) {
        bool ok = scenario_spell(&plan.scenario, &err) && scenario_write(&plan.scenario, stdout, plan.comment, &err);
        plan_fini(&plan);
        return ok ? 0 : cli_fail(&err);
    }
    if ((both && !scenario_commands_refuse(&plan.scenario, path, "they run on linux alone, without --cross-check", &err)) ||
        (!programs && !scenario_commands_refuse(&plan.scenario, path, "read them, then give --allow-programs", &err))) {
        plan_fini(&plan);
        return cli_fail(&err);
    }
    if (goal) {
        int answer = print_goal(&plan.scenario, path);
        plan_fini(&plan);
        return answer;
    }
    if (parallel == 0) /* in wall time one would make the other late */
        parallel = plan.scenario.clock == SCENARIO_CLOCK_WALL ? 1 : sweep_engines_processors();
    if (threads == 0) /* runs beside each other keep the processors busy */
        threads = plan.scenario.n_points > 1 ? 1 : parallel;
    snprintf(plan.threads, sizeof plan.threads, "--threads=%d", (int)threads);
    plan.directory = output ? memory_text("%s", output) : cli_output_name(path, "-run");
    int status;
    if (both)
        status = cross_check_runs(&plan, (int)parallel, quiet, &x);
    else if (!sweep_engines_path(plan.scenario.engine, engine, sizeof engine, &err) || !plan_make_jobs(&plan, &err))
        status = cli_fail(&err);
    else
        status = run_plan(&plan, engine, (int)parallel, quiet, x.json ? RUN_SHOWS_JSON : RUN_SHOWS_TABLE);
    plan_fini(&plan);
    return status;
}
