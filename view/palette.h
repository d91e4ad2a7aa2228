/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/palette.h - the one table of colours, by day and by night: a thing has the same colour on every page and figure.
 *
 * A row NAME is the CSS variable --NAME in page.css, svg.css and capture_page.js, and the class c-NAME of a drawing. */
#pragma once

#include <stdio.h>

#define VIEW_PALETTE_SERIES 7 /* colours c0 ... of things that have no row of their own, such as flows */
#define VIEW_PALETTE_SHADES 9 /* q0 ... from far below to far above; q4 is even */

/* For a page: the variables, the classes, and svg.css. */
void view_palette_page(FILE *f);

/* For a picture of its own: the same without variables, which programs other than browsers do not know. */
void view_palette_picture(FILE *f);
