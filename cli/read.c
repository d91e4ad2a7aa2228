/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/read.h"

#include "cli/cli.h"

#include <fcntl.h>
#include <signal.h>

#define PROGRESS_BYTES 50000000 /* a smaller file is read in a fraction of a second */

void cli_read_progress(const void *path, int64_t bytes_read, int64_t file_bytes)
{
    if (file_bytes >= PROGRESS_BYTES && isatty(STDERR_FILENO))
        cli_progress("%s: %3d %%", (const char *)path, (int)(100 * bytes_read / file_bytes));
}

void cli_read_progress_clear(void)
{
    if (isatty(STDERR_FILENO))
        cli_progress_clear();
}

static int read_nothing = -1; /* /dev/null */

static void read_on_interrupt(int number UNUSED)
{
    alarm(1);
}

/* The read that waits is started again, and finds the end of the file. */
static void read_on_alarm(int number UNUSED)
{
    dup2(read_nothing, STDIN_FILENO);
}

void cli_read_until_interrupted(char *const *paths, int n)
{
    for (int i = 0; i < n && read_nothing < 0; i++) {
        if (strcmp(paths[i], "-") != 0 || (read_nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)
            continue;
        sigaction(SIGALRM, &(struct sigaction){.sa_handler = read_on_alarm, .sa_flags = SA_RESTART}, NULL);
        sigaction(SIGINT,
                  &(struct sigaction){.sa_handler = read_on_interrupt, .sa_flags = SA_RESTART | (int)SA_RESETHAND},
                  NULL);
    }
}

static void read_warn(const char *message)
{
    fprintf(stderr, "contraflow: warning: %s\n", message);
}

const struct study_capture_listener cli_read_listener = {
    .progress = cli_read_progress,
    .finished = cli_read_progress_clear,
    .warn = read_warn,
};
