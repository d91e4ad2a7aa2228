/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/read.h - what a person at the terminal sees while captures are read. */
#pragma once

#include "study/capture.h"

/* A percentage on standard error when that is a terminal and the file is large; warnings there in any case. */
extern const struct study_capture_listener cli_read_listener;

/* Where standard input ("-") is among the files: SIGINT ends it instead of us, so that what came before is analysed.
 * Whoever writes to it (tcpdump) has a second to end by itself, since it may still hold frames. A second SIGINT ends
 * us. */
void cli_read_until_interrupted(char *const *paths, int n);

/* That percentage, and how it is wiped out. `path`: text. */
void cli_read_progress(const void *path, int64_t bytes_read, int64_t file_bytes);
void cli_read_progress_clear(void);
