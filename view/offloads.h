/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/offloads.h - what a capture of super-segments (TSO, GSO, GRO, LRO) does not show, and how to capture without. */
#pragma once

#include "analysis/rules/resource.h"

#include <jansson.h>

#define VIEW_OFFLOADS_TEXT 400

/* A sentence; false, and nothing, where less of the data than would be shown as 1 % passed in super-segments. */
bool view_offloads_say(const struct analysis_resource *r, char text[static VIEW_OFFLOADS_TEXT]);

/* {"in": {...}, "out": {...}}: share of the payload, bytes of the longest, seconds for which it is on the wire. */
json_t *view_offloads_json(const struct analysis_resource *r);
