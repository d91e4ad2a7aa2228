/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/measured_page.h - what a measurement showed (`contraflow measure`), as one HTML file that needs nothing else:
 * the diagnosis as on the page of a capture, both directions over time, figures by kind of traffic. */
#pragma once

#include "analysis/rules/resource.h"
#include "base/outfile.h"
#include "view/table.h"

struct view_measured_phase {
    const char *name;    /* borrowed */
    double from_s, to_s; /* what is judged of it */
};

/* One test. Times are seconds since its beginning; [0] is out, [1] in; NAN: not known. */
struct view_measured {
    const char *servers; /* borrowed, as all of these */
    const struct analysis_resource *resource;
    const struct view_measured_phase *phase;
    size_t phases;
    double width_s; /* of a bin; the first one begins at 0 */
    const double *rate_bps[2], *wait_s[2], *round_s;
    double idle_s; /* a round trip while nothing else is on the way */
    size_t n;
};

/* Makes the directory, if need be, and begins DIRECTORY/report.html; it appears at view_measured_page_finish(). */
bool view_measured_page_open(struct outfile *page, const char *directory, struct error *err);

/* `number`: of the test, from 0; `figures`: is freed. */
void view_measured_page_add(FILE *f, size_t number, const struct view_measured *m, struct view_table *figures,
                            size_t texts);

bool view_measured_page_finish(struct outfile *page, struct error *err);
