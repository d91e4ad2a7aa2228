/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/remedy.h"

#include "study/verdict/judge.h"
#include "view/diagnosis.h"
#include "view/embedded.h"

#define QUEUE_MEAN 0.85    /* of a FIFO that CUBIC fills: windows go between 0.7 and 1 of what fits (RFC 9438, 4.6) */
#define NEVER_FULL 10      /* times what waits, where nothing was lost */
#define LEAST_QUEUE 15000.0 /* bytes: ten full frames */
#define NO_DELAY_S 100e-6   /* and less: four hops of veths take as long */
#define LEAST_S 15         /* of a test: iperf3's intervals, and several sawteeth of most lines */
#define MOST_S 60
#define LEAST_OMIT_S 2     /* slow start */
#define MOST_OMIT_S 20

/* A queue of the line: that of data to the host, or from it. */
static double remedy_queue_bytes(const struct analysis_resource *r, bool incoming)
{
    const struct judge_way *own = incoming ? &r->diagnosis.in : &r->diagnosis.out;
    const struct judge_way *other = incoming ? &r->diagnosis.out : &r->diagnosis.in;
    double wait_s = fmax(own->flows > 0 ? own->data_wait_s : 0, other->flows > 0 ? other->ack_wait_s : 0);
    double bytes = fmax(0, wait_s) * own->capacity_bps / 8;
    int64_t lost = 0;
    for (size_t i = 0; i < r->n; i++)
        lost += r->flows[i].incoming == incoming ? r->flows[i].retransmitted_segments : 0;
    return fmax(LEAST_QUEUE, lost > 0 ? bytes / QUEUE_MEAN : NEVER_FULL * bytes);
}

/* Mean bytes in flight of a direction's flows where none of them lost anything, so that a window holds them; else 0. */
static double remedy_window_bytes(const struct analysis_resource *r, bool incoming)
{
    double bytes = 0, flows = 0;
    for (size_t i = 0; i < r->n; i++) {
        const struct analysis_check_flow *flow = &r->flows[i];
        if (flow->incoming != incoming)
            continue;
        if (flow->retransmitted_segments > 0 || !isfinite(flow->window_bytes))
            return 0;
        bytes += flow->window_bytes;
        flows++;
    }
    return flows > 0 ? bytes / flows : 0;
}

static double remedy_floor_s(const struct analysis_resource *r)
{
    double least_s = INFINITY;
    for (size_t i = 0; i < r->n; i++)
        least_s = fmin(least_s, r->flows[i].floor_s);
    return isfinite(least_s) && least_s >= NO_DELAY_S ? least_s : 0;
}

/* In a comment: nothing of it ends the line. */
static void remedy_comment(FILE *f, const char *text)
{
    fputs("# ", f);
    for (; *text; text++)
        fputc(iscntrl((unsigned char)*text) ? '?' : *text, f);
    fputc('\n', f);
}

/* The part of a remedy that tc does, without the words before it and after it; NULL: it is for another device. */
static const char *remedy_command(const char *text)
{
    static const char *const begins[] = {": tc qdisc ", ": ip link add "};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        const char *at = strstr(text, begins[i]);
        if (at && !strstr(at, "RATE"))
            return at + 2;
    }
    return NULL;
}

/* Where it is typed: a shaper before the queue that it keeps empty, as it is printed; another discipline in place of the
 * FIFO itself, below which the rate of the line is the shaper's in place of a cable's. */
static void remedy_place(const struct analysis_resource *r, enum judge_remedy_way way, const char *command,
                         const char **node, const char **device, const char **root)
{
    const struct judge_diagnosis *d = &r->diagnosis;
    bool shapes = strstr(command, "bandwidth") || strstr(command, "tbf"), slow_in = d->in.capacity_bps < d->out.capacity_bps;
    *root = shapes ? "root" : "parent ca:1";
    if (shapes && way == JUDGE_REMEDY_ANY) {
        *node = slow_in ? "far" : "router";
        *device = slow_in ? "core" : "wan";
    } else if (shapes) {
        *node = "host";
        *device = "lan";
    } else {
        *node = way == JUDGE_REMEDY_IN ? "provider" : "modem";
        *device = "line";
    }
}

/* `inside NODE sh -c '...'`: ours has no quotes. */
static void remedy_write(FILE *f, const struct analysis_resource *r, enum judge_remedy_way way, const char *command)
{
    const char *node, *device, *root;
    remedy_place(r, way, command, &node, &device, &root);
    const struct {
        const char *word, *text;
    } known[] = {{"dev DEV root", NULL}, {"DEV", device}};
    fprintf(f, "    inside %s sh -c '", node);
    while (*command) {
        size_t k = 0;
        while (k < 2 && strncmp(command, known[k].word, strlen(known[k].word)) != 0)
            k++;
        if (k == 0)
            fprintf(f, "dev %s %s", device, root);
        else if (k == 1)
            fputs(device, f);
        else
            fputc(*command, f);
        command += k < 2 ? strlen(known[k].word) : 1;
    }
    fputs("'\n", f);
}

/* The j-th remedy for queues of one way that tc can type; false after the last. */
static bool remedy_get(const struct analysis_resource *r, enum judge_remedy_way way, size_t j,
                       char text[static VIEW_DIAGNOSIS_TEXT])
{
    for (size_t i = 0; view_diagnosis_remedy(r, i, text); i++)
        if (view_diagnosis_remedy_way(r, i) == way && remedy_command(text) && j-- == 0)
            return true;
    return false;
}

/* Where both queues matter, a remedy for either is typed at once. Returns how many there are. */
static size_t remedy_functions(FILE *f, const struct analysis_resource *r)
{
    static const enum judge_remedy_way ways[] = {JUDGE_REMEDY_ANY, JUDGE_REMEDY_IN, JUDGE_REMEDY_OUT};
    char text[VIEW_DIAGNOSIS_TEXT];
    for (size_t j = 0;; j++) {
        bool any = false;
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            if (!remedy_get(r, ways[k], j, text))
                continue;
            if (!any)
                fprintf(f, "\nremedy_%zu() {\n", j + 1);
            any = true;
            fputs("    ", f);
            remedy_comment(f, text);
            remedy_write(f, r, ways[k], remedy_command(text));
        }
        if (!any)
            return j;
        fputs("}\n", f);
    }
}

static void remedy_line(FILE *f, const char *way, const struct analysis_resource *r, bool incoming)
{
    const struct judge_way *w = incoming ? &r->diagnosis.in : &r->diagnosis.out;
    double window = remedy_window_bytes(r, incoming);
    fprintf(f, "%s_KBIT=%.0f\n%s_BYTES=%.0f # its queue\n", way, w->capacity_bps / 1e3, way,
            remedy_queue_bytes(r, incoming));
    fprintf(f, "FLOWS_%s=%zu\nWINDOW_%s=%.0f # 0: autotuned\n", incoming ? "IN" : "OUT", w->flows, incoming ? "IN" : "OUT",
            window);
}

bool view_remedy_script(FILE *f, const char *source, const struct analysis_resource *r, struct error *err)
{
    const struct judge_diagnosis *d = &r->diagnosis;
    if (d->answer != JUDGE_ANSWER_YES)
        return error_set(err, ERROR_INPUT, "the answer about host %s is %s: no queue has to be served otherwise, and a "
                         "script would show nothing", r->host, view_diagnosis_answer(d));
    if (d->quic)
        return error_set(err, ERROR_INPUT, "the flows of host %s are QUIC's; the script plays TCP flows alone", r->host);
    if (d->cause == JUDGE_CAUSE_OTHER)
        return error_set(err, ERROR_INPUT, "ACKs of host %s wait behind traffic that is not TCP; the script plays TCP flows "
                         "alone", r->host);
    if (!isfinite(d->in.capacity_bps) || !isfinite(d->out.capacity_bps))
        return error_set(err, ERROR_INPUT, "how fast the line %s %s is does not show; give it as --rate 20M/2M",
                         isfinite(d->in.capacity_bps) ? "from" : "to", r->host);
    fputs("#!/bin/sh\n", f);
    MEMORY_LOCAL char *title = memory_text("The remedies of 'contraflow remedy', tried in network namespaces: %s, host %s.", source,
                              r->host);
    remedy_comment(f, title);
    remedy_comment(f, "Usage: sudo sh THIS [DIRECTORY]; a new directory gets captures and files of iperf3.");
    fputs("set -eu\n\n", f);
    remedy_comment(f, "Of the capture: rates on the wire, bytes that the queues held, flows to the host and from it.");
    remedy_line(f, "DOWN", r, true);
    remedy_line(f, "UP", r, false);
    fprintf(f, "DELAY_MS=%s\n", UNITS_FIGURE(1e3 * remedy_floor_s(r), 3));
    fprintf(f, "SECONDS_EACH=%.0f OMIT=%.0f\n", ceil(fmin(MOST_S, fmax(LEAST_S, r->end_s - r->steady_start_s))),
            ceil(fmin(MOST_OMIT_S, fmax(LEAST_OMIT_S, r->steady_start_s - r->start_s))));
    fprintf(f, "SAID_BEFORE=%.2f SAID_AFTER=%.2f # Mb/s, both ways together\n",
            (d->in.carried_bps + d->out.carried_bps) / 1e6, (d->in.possible_bps + d->out.possible_bps) / 1e6);
    size_t n = remedy_functions(f, r);
    fprintf(f, "REMEDIES=%zu\n", n);
    fputs(view_remedy_sh, f);
    return true;
}

void view_remedy_print(FILE *f, const char *source, const struct analysis_resource *r)
{
    const struct judge_diagnosis *d = &r->diagnosis;
    char text[VIEW_DIAGNOSIS_TEXT];
    view_diagnosis_print_answer(f, source, r);
    fprintf(f, "  the line: %s Mb/s to the host, %s Mb/s from it, on the wire; %s ms to the far end and back through "
            "empty queues\n", UNITS_FIGURE(d->in.capacity_bps / 1e6, 4), UNITS_FIGURE(d->out.capacity_bps / 1e6, 4),
            UNITS_FIGURE(1e3 * remedy_floor_s(r), 3));
    view_diagnosis_what(r, text);
    fprintf(f, "  what %s: %s\n", d->answer == JUDGE_ANSWER_UNKNOWN ? "would tell" : "to do", text);
    for (size_t i = 0; view_diagnosis_remedy(r, i, text); i++)
        fprintf(f, "  %zu. %s\n", i + 1, text);
    MEMORY_LOCAL char *command = view_diagnosis_command(source, r);
    if (command)
        fprintf(f, "  estimated by: %s\n", command);
}
