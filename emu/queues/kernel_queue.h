/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/queues/kernel_queue.h - port queues that the engine's own kernel keeps, with a discipline of its own.
 *
 * An engine that has such a kernel offers it when it begins; emu/queues/queue.h then takes the discipline here for queues whose
 * configuration names one of the kernel's. */
#pragma once

#include "emu/queues/discipline.h"

#define EMU_KERNEL_LOST 16

/* About one queue. Frames have numbers, from 1, by which `frames` has them. */
struct emu_kernel_ask {
    int queue;
    uint32_t number;          /* push: of the frame; pop, returned: of the one to transmit, 0: none */
    struct emu_frame *frames; /* pop: the discipline may have marked its packet */
    int64_t ready_ps;         /* pop, returned without a frame though some wait: when to ask again */
    uint32_t n_lost;          /* returned: frames that the discipline has given up; if all have a place, maybe more */
    uint32_t lost[EMU_KERNEL_LOST];
};

struct emu_kernel_ops {
    int (*open)(void *engine, const char *discipline); /* the queue's number; the engine notes what fails */
    void (*push)(void *engine, struct emu_kernel_ask *ask);
    void (*pop)(void *engine, struct emu_kernel_ask *ask);
    void (*lost)(void *engine, struct emu_kernel_ask *ask);
};

/* From when an engine begins until it ends (NULL). */
void emu_kernel_offer(const struct emu_kernel_ops *ops, void *engine);

extern const struct emu_discipline_ops emu_kernel_discipline;
