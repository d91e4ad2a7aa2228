/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/read.h - what a person at the terminal sees while captures are read. */
#ifndef CLI_READ_H
#define CLI_READ_H

#include "study/capture.h"

/* A percentage on standard error when that is a terminal and the file is large; warnings there in any case. */
extern const struct study_capture_listener cli_read_listener;

/* That percentage, and how it is wiped out. `path`: text. */
void cli_read_progress(void *path, int64_t bytes_read, int64_t file_bytes);
void cli_read_progress_clear(void);

#endif
