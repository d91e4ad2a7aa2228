/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/linux/queue.h - queues of emulated ports, kept by disciplines of the kernel inside (emu/queues/kernel_queue.h). */
#pragma once

#include "base/error.h"
#include "emu/linux/kernel/contraflow.h"

/* Makes an interface in the namespace where the process is, and has tc(8) give it the discipline that the words say.
 * Returns the interface's number, or -1. */
int linux_queue_open(int device, const char *words, struct error *err);

/* CONTRAFLOW_QUEUE. A discipline that holds frames back and sets no watchdog for when it is to be asked again is an
 * error, as is one that makes two frames of one. */
bool linux_queue_ask(int device, struct contraflow_queue *q, struct error *err);
