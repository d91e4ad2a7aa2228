/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/process.h - what every program does first. */
#pragma once

/* Descriptors 0 to 2 are open from here on: otherwise a file opened later would be one of them, and hold what is
 * printed. In place of one that was closed, reading finds the end and writing fails. A write beyond a limit of file
 * sizes fails, too, and kills nobody. As many files may be open as the system lets the process have. */
void process_start(void);
