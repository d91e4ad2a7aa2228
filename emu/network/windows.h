/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/network/windows.h - a large network on several threads, with the same result whatever their number.
 *
 * Hosts with their NICs, and the output queue of each switch port, are parts of a network that only frames join. What a
 * part sends in a window of time reaches another no sooner than the cable's delay later: within a window no longer than
 * that, parts need nothing of each other, and each runs alone (conservative simulation: Chandy and Misra 1979, with
 * windows as in Lubachevsky 1989). Where cables between switches are shorter, their parts take turns within a window: those
 * that send by them first. A part runs events in order of time; what happens there at one time: its own events first, then
 * frames by the number of the port that sent them. So neither threads nor the order in which they finish matter. Between
 * windows, events that are nobody's (samples, progress) see all parts at one time.
 *
 * Running part after part keeps what a part needs in the cache: with a thousand hosts that is worth more than a second
 * processor. */
#pragma once

#include "emu/engine.h"
#include "emu/network/network.h"

struct emu_windows;

#define EMU_WINDOWS_LEAST_HOSTS 32 /* with fewer, a window has too little to do */

/* Whether the network is such that windows can be had, and worth while: many hosts, each with one NIC; FIFOs without
 * faults, whose switches forward at once and whole frames; taps at NICs alone; cables with a delay. */
bool emu_windows_fit(struct emu_network *n);

/* From now on the network and its engine go by windows: when switches know the way of every frame that there will be.
 * Returns NULL, and nothing has changed, where no window is long enough or the engine cannot (emu_engine_hosts_apart()).
 * Free before the network. */
struct emu_windows *emu_windows_new(struct emu_network *n, struct emu_engine *e, int threads);
void emu_windows_free(struct emu_windows *w);

/* As emu_engine_run(). */
bool emu_windows_run(struct emu_windows *w, int64_t until_ps, struct error *err);
