/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reno of Linux 2.2 and 2.4, which the papers measured: bytes are counted as today, but a loss is found by counting
 * SACKs (RFC 6675), the timer is RFC 6298's, and segments leave one by one. */
#include "emu/native/congestion.h"

const struct native_congestion native_linux24 = {.grow = native_congestion_grow, .lost = native_congestion_half};
