/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep/export.h - a sweep's database as CSV or JSON: a row a point, or a row a flow. */
#pragma once

#include "base/error.h"

/* Streams: memory does not grow with the points. Numbers as they parse back to the same value. With a schema the same rows
 * are one JSON object, {"schema": SCHEMA, "rows": [{"point": 1, "axes": {...}, ...}]}, unknown values null; NULL: CSV. */
bool sweep_export(const char *path, bool flows, const char *schema, FILE *out, struct error *err);
