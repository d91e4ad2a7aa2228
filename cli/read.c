/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/read.h"

#include <stdio.h>
#include <unistd.h>

#define PROGRESS_BYTES 50000000 /* a smaller file is read in a fraction of a second */

void cli_read_progress(void *path, int64_t bytes_read, int64_t file_bytes)
{
    if (file_bytes >= PROGRESS_BYTES && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%s: %3d %%", (const char *)path, (int)(100 * bytes_read / file_bytes));
}

void cli_read_progress_clear(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
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
