/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/sweeps/sweep_page.h - what sweeps show of the paper's figures, as one HTML file that needs nothing else: for people.
 *
 * Figures are drawn from what a fit (study/fit/fit.h) found in each database, as SVG without a script, each with its data
 * as CSV in a link and the commands that make it again. Everything simulated is called so; what Zhu et al. 2014
 * measured has its table named. Same databases, same bytes. */
#pragma once

#include "study/fit/fit_read.h"
#include "view/table.h"

/* A sweep's database, read. Strings owned. */
struct view_sweep_page_sweep {
    char *path, *name;         /* name: of its file, without .db */
    char *title, *text, *scenario, *version; /* text, scenario: the sweep's file and the one it names */
    char *engines, *seeds;     /* "native 0.1.0"; "1 to 118" */
    char *axes;                /* "traffic.random.d" ... of its points, sorted and joined: sweeps that belong together
                                  have the same */
    int64_t points, done, failed, first_seed; /* first_seed: as --seed said; -1 it did not */
    double wall_s;             /* of all done points: time on one processor */
    struct study_fit_read fit; /* owned; without points when nothing is done */
};

struct view_sweep_page {
    FILE *f, *contents;             /* owned; the page's body and its list of links, until the file gets them */
    const struct view_sweep_page_sweep *sweep, *at; /* borrowed; all of them, and the one that is being shown */
    size_t n;
    int figures;                    /* begun so far: they are numbered */
};

bool view_sweep_page_sweep_read(struct view_sweep_page_sweep *s, const char *path, struct error *err);
void view_sweep_page_sweep_free(struct view_sweep_page_sweep *s); /* safe on a zeroed one */

/* The whole page of n sweeps at `path`. Nothing appears there unless it is whole. */
bool view_sweep_page_write(const char *path, const struct view_sweep_page_sweep *sweep, size_t n, struct error *err);

/* What the sweep found, in one sentence, for free(). */
char *view_sweep_page_headline(const struct view_sweep_page_sweep *s);

/* What a part of p->at's fit found, as figures. False and *err when it cannot be drawn. */
typedef bool view_sweep_page_part(struct view_sweep_page *p, struct error *err);
#define VIEW_SWEEP_PAGE_DECLARE(NAME, name) view_sweep_page_part view_sweep_page_##name;
STUDY_FIT_ROWS(VIEW_SWEEP_PAGE_DECLARE)

/* A figure begins: its heading, with badges: simulated, and beside measured or not. */
enum view_sweep_page_kind { VIEW_SWEEP_PAGE_SIMULATED, VIEW_SWEEP_PAGE_BESIDE_MEASURED };
void view_sweep_page_figure(struct view_sweep_page *p, enum view_sweep_page_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Begins a drawing in it. `part` names one of several. */
void view_sweep_page_drawing(struct view_sweep_page *p, int part, int width, int height, const char *title,
                             const char *description);

/* Ends it with a caption (HTML), the data drawn (freed; its first row the head) and the commands. */
void view_sweep_page_figure_end(struct view_sweep_page *p, const char *caption, struct view_table *data);

/* Cells of data: each as it parses back to the same value in 12 digits, empty when it is not finite. */
#define VIEW_SWEEP_PAGE_NUMBERS(t, ...) \
    view_sweep_page_numbers(t, (const double[]){__VA_ARGS__}, sizeof (const double[]){__VA_ARGS__} / sizeof(double))
void view_sweep_page_numbers(struct view_table *t, const double *value, size_t n);
