/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/capture_size.h - what the capture files of a run will take, before it runs. */
#pragma once

#include "scenarios/scenario.h"

/* Returns the bytes that the files of all captures of a run without points may take, about; snaplen: of all of them, 0:
 * each its own. Of each port both directions count, for the whole duration: full segments at the rates of its link, or
 * what flows with bytes or a rate have of them, as `delayed_ack` of them make an ACK the other way that takes its part of
 * the wire:
 *   frames a second = rate / 8 / (wire bytes of a segment + those of its share of ACKs)
 *   bytes           = frames (record header + min(snaplen, bytes of the frame without FCS))
 * Losses make a few more and longer ACKs than that, windows that do not fill the link fewer frames. 0 for traffic
 * that is no flows: most of it ends by itself, long before the duration. */
double scenario_capture_size(const struct scenario *s, int64_t snaplen);
