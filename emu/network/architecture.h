/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/network/architecture.h - where a switch keeps frames that must wait.
 *
 * An architecture is a row here and a file, emu/network/switch_<name>.c, that defines struct emu_architecture_ops
 * emu_architecture_<name>. Whoever asks where frames wait asks for a property, not for a name. Tam 2001, section 5.2
 * names the first three. */
#pragma once

#include "base/error.h"
#include "emu/frame.h"

/* ROW(NAME, name, meaning) */
#define EMU_ARCHITECTURES(ROW)                                                                                        \
    ROW(OUTPUT, output, "a queue at every output port")                                                               \
    ROW(SHARED, shared, "a queue at every output port, all in one pool")                                              \
    ROW(INPUT, input, "a FIFO at every input port")                                                                   \
    ROW(VOQ, voq, "a FIFO for each output at every input port")

#define EMU_ARCHITECTURE_ENUM(NAME, name, meaning) EMU_ARCHITECTURE_##NAME,
enum emu_architecture { EMU_ARCHITECTURES(EMU_ARCHITECTURE_ENUM) EMU_ARCHITECTURE_COUNT };

/* What fills up: each output's queue, all of them together, or each input's buffer. */
enum emu_architecture_place { EMU_ARCHITECTURE_AT_OUTPUTS, EMU_ARCHITECTURE_IN_POOL, EMU_ARCHITECTURE_AT_INPUTS };

struct emu_switch;

struct emu_architecture_ops {
    enum emu_architecture_place place;
    bool per_output; /* at inputs: frames for different outputs do not wait for each other */
    int most_ports;  /* 0: as many as one likes */
    /* Is there room for a frame to this output beyond what its queue decides? NULL: always. */
    bool (*admit)(struct emu_switch *s, int out, const struct emu_frame *frame);
    /* What conservation at every port does not cover. NULL: nothing */
    bool (*audit)(struct emu_switch *s, struct error *err);
};

#define EMU_ARCHITECTURE_DECLARE(NAME, name, meaning) extern const struct emu_architecture_ops emu_architecture_##name;
EMU_ARCHITECTURES(EMU_ARCHITECTURE_DECLARE)

/* In the enum's order; the names end with NULL, for base/names.h. */
extern const struct emu_architecture_ops *const emu_architectures[];
extern const char *const emu_architecture_names[];
