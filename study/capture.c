/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/capture.h"

static void capture_warn(const char *path, const struct analysis_capture *capture,
                         const struct study_capture_listener *listener)
{
    char text[PATH_MAX + 256];
    if (!listener || !listener->warn)
        return;
    if (capture->truncated)
        listener->warn(capture->stopped.message);
    if (capture->missed > 0) {
        snprintf(text, sizeof text, "%s: %" PRId64 " frames came faster than they could be taken and are missing", path,
                 capture->missed);
        listener->warn(text);
    }
    if (capture->steps_back > 0) {
        snprintf(text, sizeof text, "%s: its clock steps back %" PRId64 " times, by up to %.3f s: rates, gaps and "
                 "waits across that are wrong by as much", path, capture->steps_back,
                 (double)capture->largest_step_ns * 1e-9);
        listener->warn(text);
    }
    if (capture->short_frames > 0) {
        snprintf(text, sizeof text, "%s: %" PRId64 " of %" PRId64 " frames are cut before the end of their TCP header "
                 "and not counted; capture with -s 128", path, capture->short_frames, capture->frames);
        listener->warn(text);
    }
}

/* Takes the table. */
static struct analysis_flows *capture_read(struct analysis_flows *f, const char *path,
                                           const struct study_capture_listener *listener,
                                           struct analysis_capture *capture, struct error *err)
{
    bool live = listener && listener->live;
    bool ok = live ? analysis_flows_read_live(f, listener->live, listener->between, listener->user, capture, err)
                   : analysis_flows_read(f, path, listener ? listener->progress : NULL, path, capture, err);
    if (listener && listener->finished)
        listener->finished();
    if (ok) {
        capture_warn(path, capture, listener);
        return f;
    }
    analysis_flows_free(f);
    return NULL;
}

struct analysis_flows *study_capture_read(const char *path, bool explain, const struct study_capture_listener *listener,
                                          struct analysis_capture *capture, struct error *err)
{
    struct analysis_flows *f = analysis_flows_new();
    if (explain)
        analysis_flows_keep_explanations(f);
    return capture_read(f, path, listener, capture, err);
}

struct analysis_flows *study_capture_read_packets(const char *path, const struct study_capture_listener *listener,
                                                  struct analysis_capture *capture, struct error *err)
{
    struct analysis_flows *f = analysis_flows_new();
    analysis_flows_keep_explanations(f);
    analysis_flows_keep_packets(f);
    return capture_read(f, path, listener, capture, err);
}

bool study_capture_read_both_ends(struct analysis_both_ends *e, const char *const path[2],
                                  const struct study_capture_listener *listener, struct error *err)
{
    struct analysis_capture capture[2];
    bool ok = analysis_both_ends_read(e, path, listener ? listener->progress : NULL, capture, err);
    if (listener && listener->finished)
        listener->finished();
    for (int i = 0; ok && i < 2; i++)
        capture_warn(path[i], &capture[i], listener);
    return ok;
}
