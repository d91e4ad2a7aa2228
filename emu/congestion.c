/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/congestion.h"

#define NAME_OF(NAME, name, native, ns3_type, linux_name, until_loss, meaning) #name,
#define ROW_OF(NAME, name, native, ns3_type, linux_name, until_loss, meaning) {native, ns3_type, linux_name, until_loss, meaning},

const char *const emu_congestion_names[] = {EMU_CONGESTIONS(NAME_OF) NULL};
const struct emu_congestion_row emu_congestion_rows[] = {EMU_CONGESTIONS(ROW_OF)};
