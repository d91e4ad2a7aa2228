/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network/architecture.h"

#define ARCHITECTURE(NAME, name, meaning) &emu_architecture_##name,
#define ARCHITECTURE_NAME(NAME, name, meaning) #name,

const struct emu_architecture_ops *const emu_architectures[] = {EMU_ARCHITECTURES(ARCHITECTURE)};
const char *const emu_architecture_names[] = {EMU_ARCHITECTURES(ARCHITECTURE_NAME) NULL};
