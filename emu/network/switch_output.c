/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output-buffered: every output port has a queue of its own. */
#include "emu/network/architecture.h"

const struct emu_architecture_ops emu_architecture_output = {.place = EMU_ARCHITECTURE_AT_OUTPUTS};
