/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/linux/start.h - starts the kernel inside, outside of it, and sees that nothing is left of it.
 *
 * The kernel is an ordinary process with children, in a process group of its own. It ends with this process, however
 * that ends; its children end with it, and a watchdog ends what is left of the group. */
#pragma once

#include "base/error.h"

#include <signal.h>

#define LINUX_START_PRIVATE ".linux"         /* in the run's directory, while it runs */
#define LINUX_START_CONSOLE "linux-console.txt" /* left there by a kernel that crashed */
#define LINUX_START_DIRECTORY "CONTRAFLOW_DIRECTORY" /* environment inside: the run's directory, in hexadecimal */
#define LINUX_START_OPENED "CONTRAFLOW_OPENED" /* likewise: the descriptor by which the kernel holds it */
#define LINUX_START_PROGRAMS "CONTRAFLOW_PROGRAMS"   /* likewise: the scenario's programs may be started */
#define LINUX_START_FRAMES "CONTRAFLOW_FRAMES"     /* likewise: it is over when hosts have sent so many */

struct linux_start {
    const char *program;   /* becomes the first process inside */
    const char *directory; /* of the run, held (base/directory.h) */
    uint64_t seed;         /* of everything that the kernel draws */
    void (*progress)(double fraction);
    const volatile sig_atomic_t *interrupt; /* nonzero: the program inside is told to stop */
    bool programs;         /* it may start those of the scenario */
    int64_t frames;        /* it is over when hosts have sent so many; 0: no limit */
};

/* Returns the exit status of the program inside; *err has what it said when that is not 0. ERROR_SYSTEM when there is no
 * kernel, or when it crashed. */
int linux_start(const struct linux_start *start, struct error *err);
