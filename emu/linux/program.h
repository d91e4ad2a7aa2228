/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/linux/program.h - a user's own commands as processes of the kernel inside, each on its host. */
#pragma once

#include "emu/engine.h"
#include "emu/linux/host.h"

#include <sys/types.h>

/* What programs find beside the files of the system outside:
 *   /etc/hosts      h0, h1, ... with their addresses
 *   /dev/hosts/h1   the network namespace of a host, for nsenter --net=
 *   /dev/hosts/on   in PATH: a link to this program, which is emu/linux/agent.h by that name
 *   /dev/shm        empty, HOME and TMPDIR */
#define LINUX_PROGRAM_AGENT "on"
bool linux_program_prepare(const struct linux_host *hosts, int n, struct error *err);

/* This process comes to be on a host. ERROR_INPUT: there is none of this name. */
bool linux_program_enter_by_name(const char *name, struct error *err);

/* As execvp(), but never by a shell. Returns when it failed, with errno. */
void linux_program_exec(char *const *words);

/* Starts it on its host. Returns its process, or -1. */
pid_t linux_program_start(const struct emu_program_config *config, const struct linux_host *host, struct error *err);

/* One that has ended, and how, as exit status of a shell (128 and a signal's number); 0: none has. */
pid_t linux_program_ended(int *status);

/* Ends all processes but the caller and the first. */
void linux_program_kill_all(void);
