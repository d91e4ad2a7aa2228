/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/linux/wall.h - the system's own kernel in wall time: does what /dev/contraflow does for the kernel inside.
 *
 * Hosts' interfaces are veths, whose other ends are in this process's own namespace. One packet socket sends to all of
 * them, and one ring has what they sent, with the time when the kernel got it. */
#pragma once

#include "base/error.h"
#include "emu/linux/kernel/contraflow.h"

struct linux_wall;

/* The process is in namespaces of its own from then on. NULL and *err, ERROR_SYSTEM. */
struct linux_wall *linux_wall_new(struct error *err);
void linux_wall_free(struct linux_wall *w); /* NULL: nothing */

/* As CONTRAFLOW_ADD. -1 and errno. */
int linux_wall_add(struct linux_wall *w, const struct contraflow_add *add);

/* Now it is begin_ns by the clock that linux_wall_step() goes by; frames are taken from here on. */
bool linux_wall_begin(struct linux_wall *w, uint64_t begin_ns, struct error *err);

/* As CONTRAFLOW_STEP, but for: a delivery's result, which is the time when it was done; linger_ns, which nobody
 * waits for; a socket that has become ready, which ends the wait; a CONTRAFLOW_SEND, which writes only after
 * linux_wall_ready() has told of room. about: of each operation, whom linux_wall_ready() tells. */
bool linux_wall_step(struct linux_wall *w, struct contraflow_step *step, void *const *about, struct error *err);

/* Tells of sockets that have become ready to be read or written. ready() may add operations for the next step and
 * returns whether it still has something to write. */
void linux_wall_ready(struct linux_wall *w, bool (*ready)(void *user, void *about, bool readable, bool writable),
                      void *user);

/* Returns how many frames the kernel has lost on their way from hosts to here, and from here as far as the hosts'
 * interfaces. The process is in its own namespace then. */
int64_t linux_wall_lost(struct linux_wall *w);
