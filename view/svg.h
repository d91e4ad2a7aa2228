/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/svg.h - still drawings, in a page or in a file of their own: no script; colours and fonts by class (svg.css,
 * palette.h).
 *
 * A value that is not finite is missing: a gap in a line, no marker, no bar, an empty cell; never a 0. Text of others
 * is escaped (view/text.h). Coordinates are pixels from the left and the top. */
#pragma once

#include "base/std.h"

/* Values from..to lie at pixels first..last; log: all of them are above 0. */
struct view_svg_scale {
    double from, to, first, last;
    bool log;
};

/* NAN where the scale has no place for it (not finite; 0 and below on a logarithmic one). */
double view_svg_place(const struct view_svg_scale *s, double value);

/* The step of at most `n` ticks over a span > 0: 1, 2 or 5 times a power of ten. */
double view_svg_step(double span, int n);

struct view_svg_frame {
    struct view_svg_scale x, y;
    const char *x_label, *y_label; /* NULL: none */
    const char *x_unit, *y_unit;   /* "b/s": numbers get the prefix that fits; NULL: as they are */
    int x_ticks, y_ticks;          /* about; 0 none */
};

/* `id` is the drawing's own in its page: what names it to a reader of screens hangs on that. */
void view_svg_begin(FILE *f, const char *id, int width, int height, const char *title, const char *description);
/* The same as a file of its own, with its style, and its title and a line more in sight. */
void view_svg_begin_picture(FILE *f, int width, int height, const char *title, const char *subtitle);
void view_svg_end(FILE *f);

/* Grid, ticks with their numbers, labels. */
void view_svg_axes(FILE *f, const struct view_svg_frame *a);

/* class: of view/svg.css, with where the text hangs: "mid", "end". */
void view_svg_text(FILE *f, double x, double y, const char *class, const char *text);
/* The same, upwards. */
void view_svg_text_up(FILE *f, double x, double y, const char *class, const char *text);

/* A line through n values; it breaks where one is missing. */
void view_svg_line(FILE *f, const struct view_svg_frame *a, const char *class, const double *x, const double *y,
                   size_t n);

/* A level y over x from..to. */
void view_svg_level(FILE *f, const struct view_svg_frame *a, const char *class, double from, double to, double y);

/* What lies between low[i] and high[i] over the i-th of n bins of this width, from `from` on: a dense trace as the
 * least and the most of each column of pixels. */
void view_svg_band(FILE *f, const struct view_svg_frame *a, const char *class, double from, double width,
                   const double *low, const double *high, size_t n);

enum view_svg_shape {
    VIEW_SVG_CIRCLE,
    VIEW_SVG_SQUARE,
    VIEW_SVG_TRIANGLE,
    VIEW_SVG_DIAMOND,
    VIEW_SVG_CROSS,
    VIEW_SVG_SHAPES
};

/* A marker, `shift` pixels beside its place, with an interval of +-half (NAN: none), which ends at
 * the foot of a frame that is not logarithmic; tip: shown under the pointer. */
void view_svg_mark(FILE *f, const struct view_svg_frame *a, const char *class, enum view_svg_shape shape, double x,
                   double y, double half, double shift, const char *tip);

/* A bar from 0 up to y, over x from..to. */
void view_svg_bar(FILE *f, const struct view_svg_frame *a, const char *class, double from, double to, double y,
             const char *tip);

struct view_svg_cell {
    char class[24];  /* "": missing */
    char text[12];   /* left out where cells are small */
    char tip[160];
    int edge;        /* of a group of cells: which one it is in; -1 none. Lines part those of different ones */
};

/* Cells by column and row, row 0 at the bottom. */
struct view_svg_map {
    double left, top, width, height; /* of a cell: width, height */
    size_t columns, rows;
    const char *const *column_name, *const *row_name; /* borrowed */
    const char *title, *x_label, *y_label;
    void (*cell)(void *user, size_t column, size_t row, struct view_svg_cell *cell); /* fills a zeroed one */
    void *user;
};

void view_svg_map(FILE *f, const struct view_svg_map *m);

/* Room that a map of these names takes below its cells, for labels. */
#define VIEW_SVG_MAP_BELOW 34

/* Words beside what they name, in its colour: moved down where they would lie on each other. x or y NAN: none. */
struct view_svg_label {
    double x, y;
    char class[24], text[24];
};
void view_svg_labels(FILE *f, struct view_svg_label *labels, size_t n); /* sorts them */

/* For legends, outside of any drawing: a sample of a line, a marker or a cell, and what it means. */
void view_svg_key_line(FILE *f, const char *class, const char *text);
void view_svg_key_mark(FILE *f, const char *class, enum view_svg_shape shape, const char *text);
void view_svg_key_cell(FILE *f, const char *class, const char *letter, const char *text);
