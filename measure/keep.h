/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/keep.h - a test's samples as tables. */
#ifndef MEASURE_KEEP_H
#define MEASURE_KEEP_H

#include "base/error.h"
#include "measure/test.h"

#include <stdio.h>

/* samples.csv: a row a sample of a flow at either end. Times are seconds since the first one of the test. `servers`:
 * their names. */
void measure_keep_samples(FILE *f, const struct measure_test *t, const char *const *servers);
/* echoes.csv: a row a word on a control connection. */
void measure_keep_echoes(FILE *f, const struct measure_test *t, const char *const *servers);
/* phases.csv: a row a phase and direction. */
void measure_keep_phases(FILE *f, const struct measure_test *t);

/* All three, into a directory that is there; IN and OUT, the degrees, go into the names: samples-1-1.csv. */
bool measure_keep_write(const char *directory, const struct measure_test *t, const char *const *servers,
                        struct error *err);

#endif
