/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/capture_page.h - what a capture shows, as one HTML file that needs nothing else: for people, not programs.
 *
 * The page carries its style, script and data; same captures, same bytes. It never calls measured what lies in a run
 * directory, or a capture whose clock starts in 1970 as emulated ones do. */
#pragma once

#include "analysis/flows/flows.h"
#include "base/outfile.h"

#include <jansson.h>

struct view_capture_page {
    struct outfile file;
    json_t *plots; /* owned; what the script draws, an object a capture */
};

/* Makes the directory, if need be, and begins DIRECTORY/report.html; it appears at view_capture_page_finish(). */
bool view_capture_page_open(struct view_capture_page *r, const char *directory, struct error *err);

/* Adds a capture whose table keeps explanations; with `host` (or NULL) only what concerns that address. */
bool view_capture_page_add(struct view_capture_page *r, const char *path, const struct analysis_flows *f,
                const struct analysis_capture *capture, const struct capture_address *host, struct error *err);

bool view_capture_page_finish(struct view_capture_page *r, struct error *err);
void view_capture_page_discard(struct view_capture_page *r); /* safe on a zeroed or finished one */
