/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/fuzzing/text.h - what harnesses of texts share. What does not hold ends the process, as libFuzzer wants it. */
#pragma once

#include "base/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever failed has said so: bad input, in one line without control characters. */
void text_check(const struct error *err);

/* A file in memory, as a path for 40 bytes; returns its descriptor, for close(). */
int text_file(const void *data, size_t size, char path[static 40]);
