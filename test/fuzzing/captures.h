/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/fuzzing/captures.h - what harnesses of captures and databases share. What does not hold ends the process, as
 * libFuzzer wants it. Without libFuzzer, main() is here: it replays files and seeded mutations of them, a test for the
 * sanitizers. usage: HARNESS [FILE...] */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

void captures_must(bool holds, const char *what, const char *file, int line);
#define MUST(condition) captures_must(condition, #condition, __FILE__, __LINE__)

/* NAN or at least 0 and finite. */
bool captures_amount(double x);

#define CAPTURES_PATH 32

/* A file in memory, and its path; returns its descriptor, for close(). */
int captures_file(const uint8_t *data, size_t size, char path[static CAPTURES_PATH]);

/* Takes up to 8 bytes off the front of data as a number. */
uint64_t captures_take(const uint8_t **data, size_t *size, size_t bytes);
