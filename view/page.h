/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/page.h - what every page begins with: one HTML file that fetches nothing, with its style inside. */
#pragma once

#include "base/std.h"

/* Up to the line that names the command. A page without a script allows none. */
void view_page_begin(FILE *f, const char *title, const char *command, bool script);

/* The badge of where numbers come from, one style on all pages: "measured" by traffic of our own, "captured" by
 * somebody, "emulated". */
void view_page_origin(FILE *f, const char *origin);
