/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/gnuplot.h - figures: a script with its data inside, kept beside the SVG and PNG it draws. */
#ifndef VIEW_GNUPLOT_H
#define VIEW_GNUPLOT_H

#include "base/error.h"

#include <stdio.h>

struct view_gnuplot {
    FILE *data;  /* data blocks ("$name << EOD" ...) and settings common to both formats */
    FILE *body;  /* the plot commands, run once a format */
    char *data_text, *body_text; /* owned */
    size_t data_size, body_size;
};

bool view_gnuplot_open(struct view_gnuplot *g, struct error *err);

/* Writes DIRECTORY/NAME.gp and lets gnuplot make NAME.svg and NAME.png of width x height pixels.
 * Frees g. False and *err when gnuplot is missing or complains. */
bool view_gnuplot_draw(struct view_gnuplot *g, const char *directory, const char *name, int width, int height,
                  struct error *err);

/* Frees g without a figure. */
void view_gnuplot_discard(struct view_gnuplot *g);

#endif
