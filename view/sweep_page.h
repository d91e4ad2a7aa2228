/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/sweep_page.h - what sweeps say of the paper's figures, as one HTML file that needs nothing else: for people.
 *
 * Figures are drawn from what 'contraflow fit --json' says of each database, as SVG without a script, each with its
 * data as CSV in a link and the commands that make it again. Everything simulated is called so; what Zhu et al. 2014
 * measured has its table named. Same databases, same bytes. */
#ifndef VIEW_SWEEP_PAGE_H
#define VIEW_SWEEP_PAGE_H

#include "study/fit_read.h"
#include "view/table.h"

#include <jansson.h>

/* A sweep's database, read. Strings owned. */
struct view_sweep_page_sweep {
    char *path, *name;         /* name: of its file, without .db */
    char *title, *text, *scenario, *version; /* text, scenario: the sweep's file and the one it names */
    char *engines, *seeds;     /* "native 0.1.0"; "1 to 118" */
    char *axes;                /* "traffic.random.d" ... of its points, sorted and joined: sweeps that belong together
                                  have the same */
    int64_t points, done, failed, first_seed; /* first_seed: as --seed said; -1 it did not */
    double wall_s;             /* of all done points: time on one processor */
    json_t *fit;               /* owned; a member for each part of study/fit.h; {} when nothing is done */
};

struct view_sweep_page {
    FILE *f, *contents;             /* owned; the page's body and its list of links, until the file gets them */
    const struct view_sweep_page_sweep *sweep; /* borrowed; all of them */
    size_t n;
    int figures;                    /* begun so far: they are numbered */
};

/* `fit_json` turns what was fitted into s->fit. */
bool view_sweep_page_sweep_read(struct view_sweep_page_sweep *s, const char *path,
                                json_t *(*fit_json)(const struct study_fit_read *f), struct error *err);
void view_sweep_page_sweep_free(struct view_sweep_page_sweep *s); /* safe on a zeroed one */

/* The whole page of n sweeps at `path`. Nothing appears there unless it is whole. */
bool view_sweep_page_write(const char *path, const struct view_sweep_page_sweep *sweep, size_t n, struct error *err);

/* What a part says, as figures; `part` is its JSON. False and *err when memory or the disk is out. */
typedef bool view_sweep_page_draw(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const json_t *part,
                                  struct error *err);
view_sweep_page_draw page_resources, page_patterns, page_regimes, page_engines;

/* A figure begins: its heading, with badges that say what it shows. */
enum view_sweep_page_kind { VIEW_SWEEP_PAGE_SIMULATED, VIEW_SWEEP_PAGE_BESIDE_MEASURED };
void view_sweep_page_figure(struct view_sweep_page *p, enum view_sweep_page_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Begins a drawing in it. `part` names one of several. */
void view_sweep_page_drawing(struct view_sweep_page *p, int part, int width, int height, const char *title,
                             const char *description);

/* Ends it with a caption (HTML), the data drawn (freed; its first row the head) and the commands. */
bool view_sweep_page_figure_end(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const char *caption,
                                struct view_table *data, struct error *err);

/* A cell of data: as it parses back to the same value in 12 digits, empty when it is not finite. */
void view_sweep_page_number(struct view_table *t, double value);

#endif
