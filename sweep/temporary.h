/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep/temporary.h - a directory for emulations whose files nobody is to keep. */
#pragma once

#include "base/error.h"

/* $TMPDIR/contraflow-WORD-XXXXXX, held (base/directory.h) and locked by this process and the engines it starts; for
 * sweep_temporary_end(). Those of this word and user that nobody has locked are removed before: who left them was killed.
 * NULL and *err on failure. */
char *sweep_temporary_begin(const char *word, struct error *err);

/* Removes it, and frees the path. NULL is fine. */
void sweep_temporary_end(char *path);
