/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/capture_page_parts.h - inside the page of a capture: its parts. */
#pragma once

#include "study/explain/pendulum.h"
#include "view/table.h"
#include "view/text.h"

#define VIEW_CAPTURE_PAGE_FLOWS 32    /* bulk flows shown */
#define VIEW_CAPTURE_PAGE_HOSTS 12    /* shared hosts judged in words */
#define VIEW_CAPTURE_PAGE_OTHERS 100  /* other flows listed */

struct view_capture_page_capture {
    const char *path;   /* borrowed */
    const char *run;    /* borrowed; its run directory, or NULL */
    const char *origin; /* "captured", or "emulated": it lies in the directory of a run */
    bool undated;       /* its clock starts in 1970: who knows where it was made */
    const struct analysis_capture *capture; /* borrowed */
    const struct analysis_flows *flows;     /* borrowed */
    struct study_explanations bulk;         /* owned; most bytes first */
    size_t n_shown;
    int64_t least_bytes;                    /* of a bulk flow */
    char host[CAPTURE_ADDRESS_TEXT];        /* only what concerns it is shown; "": all */
    struct study_pendulum swing;             /* not known, too, when the host is another than asked for */
};

/* The i-th host to be shown, NULL after the last. */
const struct analysis_resource *view_capture_page_host(const struct view_capture_page_capture *c, size_t i);

/* "10.0.0.1:80 → 10.0.0.2:5001" */
#define VIEW_CAPTURE_PAGE_FLOW_TEXT (2 * ANALYSIS_ENDPOINT_TEXT + 8)
void view_capture_page_flow_name(const struct analysis_flow *flow, char text[static VIEW_CAPTURE_PAGE_FLOW_TEXT]);

/* A host's diagnosis, what to do and what to try, and its rates against the rules. `path`: the source, for commands. */
void view_capture_page_verdict(FILE *f, const char *path, const char *origin, const struct analysis_resource *r);

/* The diagnosis of each shared host, what to do and what to try; whether waits take turns; then a sentence a flow, and
 * its phases. */
void view_capture_page_verdicts(FILE *f, const struct view_capture_page_capture *c);

/* A table of the packets of the flows shown, by their numbers in the file; below it the packets themselves, packed
 * (analysis/flows/packets.h), a block a connection for the script. `number` is the capture's on the page. */
void view_capture_page_packets(FILE *f, const struct view_capture_page_capture *c, size_t number);

/* The blocks: [{"id", "shift": [], "data": [], "acks": [], "sacks": []}], an item a connection, of its ends. */
json_t *view_capture_page_blocks(const struct view_capture_page_capture *c, size_t number);

/* Which block has the packets of the i-th flow shown, and as which end; -1 when they were not kept. */
int view_capture_page_block(const struct view_capture_page_capture *c, size_t i, int *end);

/* The captures' plots for the script: {"origin", "end_s", "flows": [...], "queues": {...} or null,
 * "connections": [...]}. NULL and *err. */
json_t *view_capture_page_plots(const struct view_capture_page_capture *c, size_t number, struct error *err);
