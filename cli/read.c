/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/read.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define PROGRESS_BYTES 50000000 /* read in a fraction of a second below */

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

static void read_warn(const char *path, const struct analysis_capture *capture)
{
    if (capture->truncated)
        fprintf(stderr, "contraflow: warning: %s\n", capture->stopped.message);
    if (capture->steps_back > 0)
        fprintf(stderr, "contraflow: warning: %s: its clock steps back %" PRId64 " times, by up to %.3f s: rates, gaps "
                "and waits across that are wrong by as much\n", path, capture->steps_back,
                (double)capture->largest_step_ns * 1e-9);
    if (capture->short_frames > 0)
        fprintf(stderr, "contraflow: warning: %s: %" PRId64 " of %" PRId64
                " frames are cut before the end of their TCP header and not counted; capture with -s 128\n",
                path, capture->short_frames, capture->frames);
}

static struct analysis_flows *read_capture(const char *path, bool explain, struct analysis_capture *capture,
                                           struct error *err)
{
    struct analysis_flows *f = analysis_flows_new(err);
    if (f && explain)
        analysis_flows_keep_explanations(f);
    bool ok = f && analysis_flows_read(f, path, cli_read_progress, (void *)path, capture, err);
    cli_read_progress_clear();
    if (ok) {
        read_warn(path, capture);
        return f;
    }
    analysis_flows_free(f);
    return NULL;
}

struct analysis_flows *cli_read_capture(const char *path, struct analysis_capture *capture, struct error *err)
{
    return read_capture(path, false, capture, err);
}

struct analysis_flows *cli_read_capture_explained(const char *path, struct analysis_capture *capture,
                                                  struct error *err)
{
    return read_capture(path, true, capture, err);
}

bool cli_read_ends(struct analysis_both_ends *e, const char *const path[2], struct analysis_capture capture[2],
                   struct error *err)
{
    bool ok = analysis_both_ends_read(e, path, cli_read_progress, capture, err);
    cli_read_progress_clear();
    for (int i = 0; ok && i < 2; i++)
        read_warn(path[i], &capture[i]);
    return ok;
}
