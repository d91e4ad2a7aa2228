/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/text.h - text put together in an array. Where nobody knows how long it gets: base/memory.h. */
#pragma once

#include "base/std.h"

/* Adds to the text that stands in an array of `room` bytes, printf-style; cut where it does not fit. */
void text_add(char *text, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Does it end so? */
bool text_ends(const char *text, const char *ending);
