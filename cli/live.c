/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/live.h"

#include "base/monotonic.h"
#include "base/order.h"
#include "capture/reader.h"
#include "cli/cli.h"
#include "cli/read.h"
#include "view/diagnosis.h"

#include <signal.h>

#define EVERY_S 1.0
#define SHARE 0.1   /* of the time for looking, at most: frames wait meanwhile */
#define LINES 24
#define FLOWS 8     /* shown, those that carry most */
#define MOST_SLOTS 2000 /* directions: of more, single flows are not shown */

struct live {
    struct capture_reader *reader;
    const char *interface;       /* borrowed */
    const double *capacity_bps;  /* borrowed */
    const struct analysis_beside *beside; /* borrowed */
    struct cli_probe *probe;     /* borrowed; NULL: Ctrl-C ends it */
    bool terminal;
    double started_s, next_s, last_s;
    int64_t *bytes;              /* owned; payload of each slot when it was last looked at */
    size_t slots;
    struct study_capture_listener listener;
};

static struct live live;

static void live_stop(int number UNUSED)
{
    capture_reader_stop(live.reader);
}

struct live_flow {
    double bps;
    size_t slot;
};

static ORDER_OF(live_more, struct live_flow, -ORDER(bps))

/* What flows carried since the last look; the number of lines. */
static int live_flows(const struct analysis_flows *f, double seconds, char **lines, int room)
{
    size_t slots = analysis_flows_slots(f), n = 0;
    struct analysis_flow flow;
    if (slots > MOST_SLOTS)
        return 0;
    MEMORY_LOCAL struct live_flow *rates = memory_zeroed(slots + 1, sizeof *rates, "flows");
    live.bytes = memory_resized(live.bytes, slots + 1, sizeof *live.bytes, "flows");
    for (size_t i = 0; i < slots; i++) {
        if (i >= live.slots)
            live.bytes[i] = 0;
        if (!analysis_flows_look(f, i, &flow))
            continue;
        double bps = (double)(flow.payload_bytes - live.bytes[i]) * 8 / seconds;
        live.bytes[i] = flow.payload_bytes;
        if (bps > 0)
            rates[n++] = (struct live_flow){bps, i};
    }
    live.slots = slots;
    qsort(rates, n, sizeof *rates, live_more);
    int shown = n < FLOWS ? (int)n : FLOWS;
    shown = shown < room ? shown : room;
    for (int i = 0; i < shown; i++) {
        char src[ANALYSIS_ENDPOINT_TEXT], dst[ANALYSIS_ENDPOINT_TEXT];
        analysis_flows_look(f, rates[i].slot, &flow);
        analysis_flows_endpoint(&flow.src, flow.src_port, src);
        analysis_flows_endpoint(&flow.dst, flow.dst_port, dst);
        lines[i] = memory_text("  %-24s %-24s %9.3f Mb/s  %" PRIu32 " sent again", src, dst, rates[i].bps / 1e6,
                               flow.retransmitted_segments);
    }
    return shown;
}

static void live_between(void *user UNUSED, const struct analysis_flows *f, const struct analysis_capture *capture)
{
    double now_s = monotonic_now_s();
    if (live.probe && cli_probe_done(live.probe)) {
        live.probe = NULL;
        capture_reader_stop(live.reader);
    }
    if (!live.terminal || now_s < live.next_s)
        return;
    MEMORY_ENDS(analysis_resources_fini) struct analysis_resources all = {0};
    const struct analysis_resource *r;
    char *lines[LINES], name[VIEW_DIAGNOSIS_NAME];
    int n = 0;
    analysis_check_capture_beside(f, ANALYSIS_CHECK_TOLERANCE, live.capacity_bps, live.beside, &all);
    lines[n++] = memory_text("%s: %.0f s, %" PRId64 " frames, %" PRId64 " TCP segments; Ctrl-C ends", live.interface,
                             now_s - live.started_s, capture->frames, capture->tcp_segments);
    for (size_t i = 0; n < LINES - FLOWS && (r = analysis_resources_get(&all, i)); i++)
        if (analysis_resource_speaks(r)) {
            view_diagnosis_name(r, name);
            lines[n++] = memory_text("%s: %s: %s", name, view_diagnosis_answer(&r->diagnosis), r->diagnosis.why);
        }
    n += live_flows(f, now_s - live.last_s, lines + n, LINES - n);
    cli_screen(lines, n);
    while (n > 0)
        free(lines[--n]);
    live.last_s = now_s;
    live.next_s = now_s + fmax(EVERY_S, (monotonic_now_s() - now_s) / SHARE);
}

static void live_finished(void)
{
    cli_screen(NULL, 0);
    free(live.bytes);
    live.bytes = NULL;
}

bool cli_live_alone(const char *command, const char *interface, int files, struct error *err)
{
    return !interface || files == 0 ||
           error_set(err, ERROR_INPUT, "%s: -i %s and a file: one of them is enough", command, interface);
}

const struct study_capture_listener *cli_live_open(const char *interface, bool filter, const double capacity_bps[2],
                                                   const struct analysis_beside *beside, struct cli_probe *probe,
                                                   struct error *err)
{
    live.reader = capture_reader_open_live(interface, err);
    if (!live.reader || !capture_reader_confine(live.reader, filter, err)) {
        capture_reader_close(live.reader);
        return NULL;
    }
    live.interface = interface;
    live.capacity_bps = capacity_bps;
    live.beside = beside;
    live.probe = probe;
    live.terminal = isatty(STDERR_FILENO);
    live.started_s = live.last_s = monotonic_now_s();
    live.next_s = live.started_s + EVERY_S;
    live.listener = (struct study_capture_listener){.finished = live.terminal ? live_finished : NULL,
                                                    .warn = cli_read_listener.warn, .live = live.reader,
                                                    .between = live_between};
    const struct sigaction stop = {.sa_handler = live_stop, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    if (!live.terminal)
        fprintf(stderr, "contraflow: %s: captures; %s ends it, and the answer follows\n", cli_name(interface),
                probe ? "the last pulse" : "Ctrl-C");
    return &live.listener;
}
