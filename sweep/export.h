/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep/export.h - a sweep's database as CSV: a row a point, or a row a flow; axes as columns. */
#ifndef SWEEP_EXPORT_H
#define SWEEP_EXPORT_H

#include "base/error.h"

#include <stdio.h>

/* Streams: memory does not grow with the points. Numbers as they parse back to the same value. */
bool sweep_export(const char *path, bool flows, FILE *out, struct error *err);

#endif
