/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/report.h - what a capture shows, as one HTML file that needs nothing else: for people, not programs.
 *
 * The page carries its style, script and data; same captures, same bytes. Nothing of it says "measured" of what lies in
 * a run directory, or of a capture whose clock starts in 1970 as emulated ones do. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "analysis/flows.h"
#include "base/outfile.h"

#include <jansson.h>

struct report {
    struct outfile file;
    json_t *plots; /* owned; what the script draws, an object a capture */
};

/* Makes the directory, if need be, and begins DIRECTORY/report.html; it appears at report_finish(). */
bool report_open(struct report *r, const char *directory, struct error *err);

/* Adds a capture read by cli_read_capture_explained(); with `host` (or NULL) only what concerns that address. */
bool report_add(struct report *r, const char *path, const struct analysis_flows *f,
                const struct analysis_capture *capture, const struct capture_address *host, struct error *err);

bool report_finish(struct report *r, struct error *err);
void report_discard(struct report *r); /* safe on a zeroed or finished one */

#endif
