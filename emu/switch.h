/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/switch.h - an output-queued, store-and-forward learning switch.
 *
 * A frame that has fully arrived goes at once to the output queue of the port its
 * destination was last seen behind, or to all other ports when that is unknown or
 * broadcast (IEEE 802.1D). Addresses do not age: runs are shorter than the 300 s default. */
#ifndef EMU_SWITCH_H
#define EMU_SWITCH_H

#include "emu/port.h"

struct emu_switch {
    struct emu_port *ports; /* owned */
    int n_ports;
    const struct emu_frame_ops *ops;  /* borrowed */
    int *port_of;                     /* owned; by station; -1: not seen yet */
    uint32_t stations;                /* room in port_of */
    int64_t forwarded, flooded, filtered; /* frames received: to one port, to all others, to none */
};

/* Ports are named NAME-0, ... until emu_network names them by what they reach. */
void emu_switch_init(struct emu_switch *s, const char *name, int n_ports, const struct emu_clock *clock,
                     const struct emu_frame_ops *ops, const struct emu_queue_config *queue);
void emu_switch_fini(struct emu_switch *s);

/* Port behind which `station` was last seen; -1 when unknown. */
int emu_switch_lookup(const struct emu_switch *s, uint32_t station);

#endif
