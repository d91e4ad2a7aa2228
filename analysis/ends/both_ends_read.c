/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/ends/both_ends.h"

#include "capture/reader.h"

static bool read_first(struct analysis_both_ends *e, int file, const char *path, analysis_progress *progress,
                       struct analysis_capture *capture, struct error *err)
{
    struct analysis_source source;
    struct capture_segment s;
    int64_t time_ns;
    int next;
    if (!analysis_source_open(&source, path, progress, path, capture, err))
        return false;
    if (capture_reader_file_bytes(source.reader) == 0) {
        analysis_source_close(&source);
        return error_set(err, ERROR_INPUT, "%s: is read twice: give a file, not a pipe", path);
    }
    while ((next = analysis_source_next(&source, &time_ns, &s, err)) > 0)
        analysis_both_ends_note(e, file, time_ns, &s);
    analysis_source_close(&source);
    return next == 0;
}

static bool read_step(struct analysis_both_ends *e, struct analysis_source source[2], struct error *err)
{
    struct capture_segment s[2];
    int64_t time_ns[2];
    int next[2];
    for (int i = 0; i < 2; i++)
        next[i] = analysis_source_next(&source[i], &time_ns[i], &s[i], err);
    while (next[0] >= 0 && next[1] >= 0 && next[0] + next[1] > 0) {
        bool second = next[0] == 0 || (next[1] > 0 && analysis_both_ends_time(e, 1, time_ns[1]) <
                                                          analysis_both_ends_time(e, 0, time_ns[0]));
        analysis_both_ends_add(e, second, time_ns[second], &s[second]);
        next[second] = analysis_source_next(&source[second], &time_ns[second], &s[second], err);
    }
    return next[0] == 0 && next[1] == 0;
}

bool analysis_both_ends_read(struct analysis_both_ends *e, const char *const path[2], analysis_progress *progress,
                             struct analysis_capture capture[2], struct error *err)
{
    struct analysis_source source[2];
    for (int i = 0; i < 2; i++)
        if (!read_first(e, i, path[i], progress, &capture[i], err))
            return false;
    analysis_both_ends_align(e);
    if (!analysis_source_open(&source[0], path[0], progress, path[0], &capture[0], err))
        return false;
    if (!analysis_source_open(&source[1], path[1], NULL, NULL, &capture[1], err)) {
        analysis_source_close(&source[0]);
        return false;
    }
    bool ok = read_step(e, source, err);
    for (int i = 0; i < 2; i++)
        analysis_source_close(&source[i]);
    if (ok)
        analysis_both_ends_finish(e);
    return ok;
}
