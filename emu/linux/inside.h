/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/linux/inside.h - the first process of the kernel inside: what every system has, and a child that does the work.
 *
 * The kernel panics when its first process ends, so that it waits for the child and turns the machine off. */
#pragma once

#include "base/std.h"

/* Whether this process is it, and not one of the system outside. */
bool linux_inside(void);

/* Runs work() in a child, with the run's directory, leaves its exit status and what it said there for linux_start(), and
 * does not return. */
_Noreturn void linux_inside_run(int (*work)(const char *directory));

/* Whether the user outside wants it to stop. */
bool linux_inside_interrupted(const char *directory);
