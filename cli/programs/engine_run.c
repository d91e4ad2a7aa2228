/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/programs/engine_run.h"

#include "base/decimal.h"
#include "base/directory.h"
#include "base/monotonic.h"
#include "base/process.h"
#include "results/directory.h"
#include "scenarios/load.h"
#include "scenarios/run/run.h"
#include "sweep/engines.h"

#include <fcntl.h>
#include <sys/prctl.h>

#define STEPS 200    /* of progress that a run tells at most */
#define EVERY_S 0.02 /* ten times as often as who reads it shows it */

volatile sig_atomic_t cli_engine_interrupted;

static void on_signal(int number)
{
    cli_engine_interrupted = number;
}

/* The directory as who started us has opened it, or as it is now. */
static void hold(int argc, char **argv)
{
    int64_t given = 0;
    int fd = -1;
    if (argc == 3 && units_parse_integer(argv[1] + strlen(SWEEP_ENGINES_OPENED), &given, &(struct error){0}))
        fd = given > STDERR_FILENO && given <= INT_MAX ? (int)given : -1;
    else if (argc == 2)
        fd = open(argv[1], O_RDONLY | O_DIRECTORY);
    if (fd >= 0) /* else whoever reads the scenario there says why */
        directory_hold(argv[argc - 1], fd);
}

int cli_engine_begin(int argc, char **argv, const char *does)
{
    process_start();
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* a parent that dies takes its simulations with it */
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    signal(SIGPIPE, SIG_IGN);
    bool opened = argc == 3 && strncmp(argv[1], SWEEP_ENGINES_OPENED, strlen(SWEEP_ENGINES_OPENED)) == 0;
    if ((argc == 2 || opened) && argv[argc - 1][0] != '-') {
        hold(argc, argv);
        return -1;
    }
    bool asked = argc == 2 && strcmp(argv[1], "--help") == 0;
    fprintf(asked ? stdout : stderr, "usage: %s DIRECTORY\n%s\n", program_invocation_short_name, does);
    return !asked ? ERROR_INPUT : fflush(stdout) == 0 ? 0 : ERROR_SYSTEM;
}

bool cli_engine_number(const char *text, const char *option, int64_t most, int64_t *number)
{
    const size_t length = strlen(option);
    int64_t n = 0;
    bool ok = strncmp(text, option, length) == 0 && units_parse_integer(text + length, &n, &(struct error){0}) && n >= 1 &&
              n <= most;
    *number = ok ? n : *number;
    return ok;
}

/* Of a run of 1400 s there would be 140,000 lines, which take longer to read than it takes to run. Each is a call of the
 * kernel and wakes who reads it, who shows whole percent. */
void cli_engine_progress(double fraction)
{
    static int said = -1;
    static double at_s;
    int now = (int)(STEPS * fraction);
    if (now == said || monotonic_now_s() < at_s + EVERY_S)
        return;
    said = now;
    at_s = monotonic_now_s();
    char text[16 + DECIMAL_ROOM] = "progress ";
    size_t n = strlen(text);
    n += decimal_fixed(text + n, fraction, 4);
    text[n++] = '\n';
    fwrite_unlocked(text, 1, n, stdout);
    fflush_unlocked(stdout);
}

int cli_engine_run(const char *directory, int threads, int64_t frames, bool programs,
                   void (*progress)(void *user, double fraction), void *user)
{
    struct error err = {0};
    struct scenario s = {0};
    MEMORY_LOCAL char *path = results_directory_path(directory, "scenario.yaml");
    bool ok = scenario_load(&s, path, NULL, 0, &err);
    struct scenario_run_result result = {0};
    if (ok) {
        struct scenario_run_options options = {directory, progress, user, &cli_engine_interrupted, threads, programs,
                                               frames};
        ok = scenario_run(&s, &options, &result, &err);
        scenario_fini(&s);
    }
    if (!ok) {
        fprintf(stderr, "%s\n", err.message);
        return (int)err.code;
    }
    return result.interrupted ? SWEEP_ENGINES_INTERRUPTED : 0;
}
