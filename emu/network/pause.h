/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/network/pause.h - whom a switch has told to stop (PAUSE, IEEE 802.3x; by class PFC, IEEE 802.1Qbb), and when they may go
 * on.
 *
 * A buffer is congested from when it is at xoff until it is at xon. Whoever sends into it meanwhile is told to stop, or
 * everybody as soon as it is; then all may go on. The buffer is what an architecture says fills up; with PFC what each
 * class has in it counts by itself, and only that class stops. */
#pragma once

#include "emu/network/architecture.h"
#include "emu/network/port.h"

struct emu_pause_config {
    bool on;
    struct emu_level xoff, xon;
    bool everybody;  /* not only who sends into the buffer: what a switch does that watches its memory as a whole */
    int classes[EMU_FRAME_CLASSES], n_classes; /* PFC: those that may be stopped, the others lose; 0: PAUSE */
    struct emu_level rest; /* PFC: what the other classes may have in the buffer together */
    uint16_t quanta; /* of 512 bit times; repeated after half of it while the buffer stays above xon */
};

/* The switch it stops senders for. */
struct emu_pause_owner {
    struct emu_port *ports; /* borrowed */
    int n_ports;
    enum emu_architecture_place place;
    struct emu_clock clock;
    /* In the buffer of a frame from `in` to `out`, now; of one class, or of all: -1 */
    struct emu_level (*level)(void *user, int in, int out, int class);
    void *user;             /* borrowed */
};

struct emu_pause;

/* Copies both. */
struct emu_pause *emu_pause_new(const struct emu_pause_config *config, const struct emu_pause_owner *owner);
void emu_pause_free(struct emu_pause *p);

/* PFC: whether there is room for a frame of a class that is not stopped. */
bool emu_pause_admits(const struct emu_pause *p, int in, int out, const struct emu_frame *frame);

/* A frame of a class from `in` has entered its buffer on the way to `out`, or has left it. */
void emu_pause_entered(struct emu_pause *p, int in, int out, int class);
void emu_pause_left(struct emu_pause *p, int in, int out, int class);
