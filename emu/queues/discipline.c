/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/queues/discipline.h"

#define OPS(NAME, name, text, meaning) &emu_discipline_##name,
#define TEXT(NAME, name, text, meaning) text,

const struct emu_discipline_ops *const emu_disciplines[] = {EMU_DISCIPLINES(OPS)};
const char *const emu_discipline_names[] = {EMU_DISCIPLINES(TEXT) NULL};
const char *const emu_discipline_ecn_names[] = {"usual", "true", "false", NULL};
