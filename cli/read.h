/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/read.h - a capture file into a flow table, with what a person at the terminal should see meanwhile. */
#ifndef CLI_READ_H
#define CLI_READ_H

#include "analysis/both_ends.h"
#include "analysis/flows.h"

/* analysis_flows_read() into a new table, with a percentage on standard error when that is a terminal and the file
 * is large, and a warning there when the capture is cut, or its frames are. NULL and *err on failure. */
struct analysis_flows *cli_read_capture(const char *path, struct analysis_capture *capture, struct error *err);

/* The same, with what analysis_flows_explain() needs. */
struct analysis_flows *cli_read_capture_explained(const char *path, struct analysis_capture *capture,
                                                  struct error *err);

/* analysis_both_ends_read(), likewise. */
bool cli_read_ends(struct analysis_both_ends *e, const char *const path[2], struct analysis_capture capture[2],
                   struct error *err);

/* That percentage, and nothing in its place. `path`: text. */
void cli_read_progress(void *path, int64_t bytes_read, int64_t file_bytes);
void cli_read_progress_clear(void);

#endif
