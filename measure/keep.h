/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/keep.h - a test's samples as tables. */
#pragma once

#include "base/error.h"
#include "measure/test.h"

/* Into a directory that is there; IN and OUT, the degrees, go into the names (samples-1-1.csv), `servers` are their names,
 * and times are seconds since the test's first sample:
 *   samples.csv  a row a sample of a flow at either end
 *   echoes.csv   a row a word on a control connection
 *   phases.csv   a row a phase and direction */
bool measure_keep_write(const char *directory, const struct measure_test *t, const char *const *servers,
                        struct error *err);
