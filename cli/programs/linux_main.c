/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contraflow-linux: runs the scenario.yaml of one prepared directory with Linux's own TCP.
 *
 * As contraflow-native (cli/programs/engine_main.c) to whoever starts it. It starts a kernel, User Mode Linux, in which it is
 * the first process and has a child run the scenario, in virtual time. With `clock: wall` it runs the scenario
 * itself, on the system's own kernel. */
#include "base/process.h"
#include "cli/programs/engine_run.h"
#include "emu/linux/agent.h"
#include "emu/linux/inside.h"
#include "emu/linux/start.h"
#include "results/directory.h"
#include "scenarios/commands.h"
#include "scenarios/load.h"
#include "sweep/engines.h"

#define ALLOW "--allow-programs"
#define PROGRESS_STEP 0.005 /* what the kernel prints is read by somebody who may be slow */

static void wall_progress(void *user UNUSED, double fraction)
{
    cli_engine_progress(fraction);
}

static void inside_progress(void *user, double fraction)
{
    static double shown = -1;
    const char *directory = user;
    if (fraction >= shown + PROGRESS_STEP) {
        shown = fraction;
        cli_engine_progress(fraction);
    }
    if (linux_inside_interrupted(directory))
        cli_engine_interrupted = SIGTERM;
}

static int inside_work(const char *directory)
{
    MEMORY_LOCAL char *name = memory_text("%s", directory);
    process_start();
    const char *frames = getenv(LINUX_START_FRAMES);
    return cli_engine_run(name, 1, frames ? strtoll(frames, NULL, 10) : 0, getenv(LINUX_START_PROGRAMS) != NULL,
                          inside_progress, name);
}

int main(int argc, char **argv)
{
    if (linux_inside())
        linux_inside_run(inside_work);
    if (linux_agent_called(argv[0]))
        return linux_agent(argc, argv);
    bool allow = argc > 1 && strcmp(argv[1], ALLOW) == 0;
    int64_t frames = 0;
    if (allow || (argc > 1 && cli_engine_number(argv[1], SWEEP_ENGINES_FRAMES, INT64_MAX, &frames))) {
        argc--;
        argv++;
    }
    int code = cli_engine_begin(argc, argv,
                                "Runs DIRECTORY/scenario.yaml with Linux's own TCP in User Mode Linux, which 'make linux' "
                                "builds, and writes the\nresults beside it; 'contraflow run --engine linux' starts it.");
    if (code >= 0)
        return code;
    struct error err = {0};
    struct scenario s = {0};
    char program[PATH_MAX], *path MEMORY_LOCAL = results_directory_path(argv[argc - 1], "scenario.yaml");
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    code = ERROR_SYSTEM;
    if (n < 0) {
        error_set_errno(&err, "cannot tell where contraflow-linux is installed");
    } else if (scenario_load(&s, path, NULL, 0, &err)) {
        program[n] = '\0';
        struct linux_start start = {program, argv[argc - 1], s.seed, cli_engine_progress, &cli_engine_interrupted, allow,
                                    frames};
        if (s.clock == SCENARIO_CLOCK_WALL) {
            scenario_fini(&s);
            return cli_engine_run(argv[argc - 1], 1, frames, false, wall_progress, NULL);
        }
        if (allow || scenario_commands_refuse(&s, path, "read them, then give " ALLOW, &err))
            code = linux_start(&start, &err);
        scenario_fini(&s);
    }
    if (err.code)
        code = (int)err.code;
    if (err.code)
        fprintf(stderr, "%s\n", err.message);
    return code;
}
