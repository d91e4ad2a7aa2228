/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/beside.h - the flows of UDP beside a host's TCP: who sends them, how much, and whose ACKs wait among them. */
#pragma once

#include "analysis/rules/resource.h"

#include <jansson.h>

#define VIEW_BESIDE_TEXT 400

/* A sentence about the i-th; false after the last. */
bool view_beside_say(const struct analysis_resource *r, size_t i, char text[static VIEW_BESIDE_TEXT]);

/* A list. */
json_t *view_beside_json(const struct analysis_resource *r);

#define VIEW_OFFLOADS_TEXT 400

/* A sentence; false, and nothing, where less of the data than would be shown as 1 % passed in super-segments. */
bool view_offloads_say(const struct analysis_resource *r, char text[static VIEW_OFFLOADS_TEXT]);

/* {"in": {...}, "out": {...}}: share of the payload, bytes of the longest, seconds for which it is on the wire. */
json_t *view_offloads_json(const struct analysis_resource *r);
