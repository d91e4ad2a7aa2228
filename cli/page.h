/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/page.h - what sweeps say of the paper's figures, as one HTML file that needs nothing else: for people.
 *
 * Figures are drawn from what 'contraflow fit --json' says of each database, as SVG without a script, each with its
 * data as CSV in a link and the commands that make it again. Everything simulated is called so; what Zhu et al. 2014
 * measured has its table named. Same databases, same bytes. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "cli/table.h"

#include <jansson.h>

/* A sweep's database, read. Strings owned. */
struct page_sweep {
    char *path, *name;         /* name: of its file, without .db */
    char *title, *text, *scenario, *version; /* text, scenario: the sweep's file and the one it names */
    char *engines, *seeds;     /* "native 0.1.0"; "1 to 118" */
    char *axes;                /* "traffic.random.d" ... of its points, sorted and joined: sweeps that belong together
                                  have the same */
    int64_t points, done, failed, first_seed; /* first_seed: as --seed said; -1 it did not */
    double wall_s;             /* of all done points: time on one processor */
    json_t *fit;               /* owned; as fit_read_json(); {} when nothing is done */
};

struct page {
    FILE *f, *contents;             /* owned; the page's body and its list of links, until the file gets them */
    const struct page_sweep *sweep; /* borrowed; all of them */
    size_t n;
    int figures;                    /* begun so far: they are numbered */
};

bool page_sweep_read(struct page_sweep *s, const char *path, struct error *err);
void page_sweep_free(struct page_sweep *s); /* safe on a zeroed one */

/* The whole page of n sweeps at `path`. Nothing appears there unless it is whole. */
bool page_write(const char *path, const struct page_sweep *sweep, size_t n, struct error *err);

/* What a part says, as figures; `part` is its JSON. False and *err when memory or the disk is out. */
typedef bool page_draw(struct page *p, const struct page_sweep *s, const json_t *part, struct error *err);
page_draw page_resources, page_patterns, page_regimes, page_engines;

/* A figure begins: its heading, with badges that say what it shows. */
enum page_kind { PAGE_SIMULATED, PAGE_BESIDE_MEASURED };
void page_figure(struct page *p, enum page_kind kind, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Begins a drawing in it. `part` names one of several. */
void page_drawing(struct page *p, int part, int width, int height, const char *title, const char *description);

/* Ends it with a caption (HTML), the data drawn (freed; its first row the head) and the commands. */
bool page_figure_end(struct page *p, const struct page_sweep *s, const char *caption, struct cli_table *data,
                     struct error *err);

/* A cell of data: as it parses back to the same value in 12 digits, empty when it is not finite. */
void page_number(struct cli_table *t, double value);

#endif
