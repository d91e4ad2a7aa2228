/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/window/window_rule.h - the window law (model/window/window.h) of a pattern on a platform: model_rule_window's state.
 *
 * Of the platform: s = (segment + header + 38) / segment, a = ack_wire / (segments_per_ack segment); ACKs go back the
 * way the data came. W is what flies of the transfer's window (model_window_flight(); of a message that fits into it,
 * all), and
 *   d = model_platform_base_rtt_s() + mates 8 (segment + header + 38) / (slowest link)
 * since an ACK waits for the last of its segments, or + ack_timeout where it waits for the timer. The rule's rates have
 * the expected wait of bursts. */
#pragma once

#include "model/pattern.h"
#include "model/window/window.h"

struct model_window_rule;

/* `routes` is borrowed until free. NULL and *err as model_window_new(). */
struct model_window_rule *model_window_rule_new(const struct model_routes *routes, struct error *err);
void model_window_rule_free(struct model_window_rule *r);

/* Flow i is transfer i, link l the platform's link l. Borrowed. */
struct model_window *model_window_rule_window(struct model_window_rule *r);
const struct model_window_network *model_window_rule_network(const struct model_window_rule *r);

/* The window law for the active transfers (NULL: all), with `bursts` times the expected wait of bursts (0: none). */
bool model_window_rule_solve(struct model_window_rule *r, const bool *active, double bursts, struct error *err);
