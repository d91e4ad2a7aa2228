/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/capture.h - capture files into flow tables. Whoever asks hears how far reading is and what is wrong with
 * the files. */
#pragma once

#include "analysis/ends/both_ends.h"
#include "analysis/flows/flows.h"

/* Any of these may be NULL; so may the listener be. */
struct study_capture_listener {
    analysis_progress *progress;       /* its `user` is the path, as text */
    void (*finished)(void);            /* the file has been read, or reading it failed */
    /* The capture is cut, its frames are, or its clock steps back; a run was interrupted. */
    void (*warn)(const char *message);
    /* An interface that is read instead of the file, whose path is its name then; who sees the table meanwhile, and its
     * `user`: analysis_flows_read_live(). */
    struct capture_reader *live;
    analysis_flows_between *between;
    void *user;
};

/* analysis_flows_read() into a new table; `explain`: one that keeps what analysis_flows_explain() needs. NULL and *err
 * on failure. */
struct analysis_flows *study_capture_read(const char *path, bool explain, const struct study_capture_listener *listener,
                                          struct analysis_capture *capture, struct error *err);

/* The same, explained, and with analysis_flows_packets(). */
struct analysis_flows *study_capture_read_packets(const char *path, const struct study_capture_listener *listener,
                                                  struct analysis_capture *capture, struct error *err);

/* As analysis_both_ends_read() has it, with the same listener. */
bool study_capture_read_both_ends(struct analysis_both_ends *e, const char *const path[2],
                                  const struct study_capture_listener *listener, struct error *err);
