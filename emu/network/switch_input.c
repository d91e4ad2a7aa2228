/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Input-buffered: one FIFO at every input port, so that a frame whose output is busy blocks those after it. How frames
 * cross to the outputs is in emu/network/fabric.c. */
#include "emu/network/architecture.h"

const struct emu_architecture_ops emu_architecture_input = {.place = EMU_ARCHITECTURE_AT_INPUTS};
