/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/legend.h - what tells several sources from each other, for drawings that show them together. */
#pragma once

#include <stddef.h>

#define STUDY_LEGEND_KEYS 4 /* named of a source; of more it says how many */

/* text[i], for free(): the keys in which the scenarios of the runs differ, with their values in the i-th,
 * "network.nic.queue fifo, tcp.window 3MB". "" where nothing differs. `run`: directories, NULL for what is no run, whose
 * text is "". A scenario that cannot be read differs in nothing. */
void study_legend_make(const char *const *run, size_t n, char **text);
