/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Virtual output queues: at every input port a FIFO for each output, in one buffer. The cure for blocking. How frames
 * cross to the outputs is in emu/network/fabric.c. */
#include "emu/network/architecture.h"

const struct emu_architecture_ops emu_architecture_voq = {
    .place = EMU_ARCHITECTURE_AT_INPUTS,
    .per_output = true,
    .most_ports = 1024, /* a FIFO for every two of them */
};
