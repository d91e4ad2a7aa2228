/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/host.h - do frames wait in the host itself, where no link is full?
 *
 * Beside a host nothing but a cable is between the tap and its network interface. What waits there, data and ACKs of
 * all flows alike, waits in the host:
 * * before it has taken them, which a slow host does later than they come. No queue discipline of the network spares
 *   its ACKs that, so this wait counts as part of the floor. A slower link after the tap would look the same: it is
 *   the host only where the tap is near, and where so many frames come that a CPU may be busy with them.
 * * before it may send them, although its line rests: frames leave back to back, then none does, and they wait for
 *   longer than the run that they leave in has lasted (analysis/flows/spacing.h). So PAUSE frames (IEEE 802.3, annex 31B) do,
 *   or whatever else stops a line. Where all go to one peer, that peer's link may as well be full.
 *
 * PAUSE frames that stop a line for a twentieth of the time, and that the tap has seen, need no such proof. */
#pragma once

#include "analysis/evidence.h"

#define ANALYSIS_HOST_NEAR_S 100e-6 /* from the tap to the host and back, at most */
#define ANALYSIS_HOST_FRAME_S 50e-6 /* for a frame, at most: 240 Mb/s of full ones */

/* Sets the set's `host` and `stopped`, and what of its flows' waits is in a slow host. `frames`: NULL unknown. */
void analysis_host_find(struct analysis_evidence_set *s, const struct analysis_capacity_host *frames);
