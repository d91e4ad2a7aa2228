/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network/architecture.h"

#define OPS(NAME, name, meaning) &emu_architecture_##name,
#define TEXT(NAME, name, meaning) #name,

const struct emu_architecture_ops *const emu_architectures[] = {EMU_ARCHITECTURES(OPS)};
const char *const emu_architecture_names[] = {EMU_ARCHITECTURES(TEXT) NULL};
