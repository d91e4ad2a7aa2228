/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/capture_page.h"
#include "view/rules_table.h"

#include "base/text.h"
#include "results/directory.h"
#include "study/verdict/judge.h"
#include "view/capture_page_parts.h"
#include "view/embedded.h"
#include "view/page.h"

#include <time.h>

#define YEAR_1970_NS INT64_C(31536000000000000) /* its end: clocks of emulated captures start at 0 */

bool view_capture_page_open(struct view_capture_page *r, const char *directory, struct error *err)
{
    *r = (struct view_capture_page){0};
    MEMORY_LOCAL char *path = results_directory_path(directory, "report.html");
    bool ok = outfile_make_directory(directory, err) && outfile_open(&r->file, path, err);
    if (!ok)
        return false;
    r->plots = json_array();
    FILE *f = r->file.stream;
    view_page_begin(f, "contraflow report", "analyze --report", true);
    fputs("<noscript><p>The plots need JavaScript; all else is here without.</p></noscript>\n", f);
    return true;
}

void view_capture_page_flow_name(const struct analysis_flow *flow, char text[static VIEW_CAPTURE_PAGE_FLOW_TEXT])
{
    char src[ANALYSIS_ENDPOINT_TEXT], dst[ANALYSIS_ENDPOINT_TEXT];
    analysis_flows_endpoint(&flow->src, flow->src_port, src);
    analysis_flows_endpoint(&flow->dst, flow->dst_port, dst);
    snprintf(text, VIEW_CAPTURE_PAGE_FLOW_TEXT, "%s \xe2\x86\x92 %s", src, dst);
}

static int by_bytes(const void *a, const void *b)
{
    const struct study_explanation *x = a, *y = b;
    if (x->flow.payload_bytes != y->flow.payload_bytes)
        return x->flow.payload_bytes < y->flow.payload_bytes ? 1 : -1;
    char p[VIEW_CAPTURE_PAGE_FLOW_TEXT], q[VIEW_CAPTURE_PAGE_FLOW_TEXT];
    view_capture_page_flow_name(&x->flow, p);
    view_capture_page_flow_name(&y->flow, q);
    return strcmp(p, q);
}

static bool concerns(const struct analysis_flow *flow, const struct capture_address *host)
{
    return !host || analysis_flow_touches(flow, host);
}

/* Drops what does not concern the host. */
static void keep_host(struct view_capture_page_capture *c, const struct capture_address *host)
{
    size_t flows = 0;
    if (!host)
        return;
    capture_address_format(host, c->host);
    for (size_t i = 0; i < c->bulk.n; i++)
        if (concerns(&c->bulk.flow[i].flow, host))
            c->bulk.flow[flows++] = c->bulk.flow[i];
    c->bulk.n = flows;
    c->swing.known = c->swing.known && capture_address_same(&c->swing.host, host);
}

static void show_heading(FILE *f, const struct view_capture_page_capture *c)
{
    const struct analysis_capture *k = c->capture;
    const char *name = c->path + strlen(c->path);
    for (int slashes = c->run ? 2 : 1; name > c->path && (name[-1] != '/' || --slashes > 0); name--)
        ; /* captures of runs share names: theirs has the run's in front */
    view_text_markup(f, "<h2>%s", strcmp(name, "-") == 0 ? "standard input" : name);
    view_page_origin(f, c->origin);
    fputs("</h2>\n<dl><dt>origin</dt><dd>", f);
    if (c->run)
        view_text_markup(f, "emulated by contraflow, in the run directory %s: nothing here was seen on a network",
                         c->run);
    else if (!c->undated)
        fputs("captured: the file lies in no run directory of contraflow", f);
    else
        fputs("captured on a network or emulated is not known: its clock starts in 1970, as those of emulated captures "
              "do, or of a device whose clock was not set", f);
    view_text_markup(f, "</dd><dt>file</dt><dd>%s</dd>", c->path);
    fprintf(f, "<dt>span</dt><dd>%.3f s", (double)(k->last_ns - k->first_ns) / 1e9);
    time_t first = (time_t)(k->first_ns / 1000000000);
    struct tm utc;
    char date[64];
    if (k->frames > 0 && !c->run && !c->undated && gmtime_r(&first, &utc) &&
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &utc) > 0)
        fprintf(f, ", from %s", date);
    fprintf(f, "</dd><dt>packets</dt><dd>%" PRId64 ", %" PRId64 " of them TCP", k->frames, k->tcp_segments);
    if (k->short_frames > 0)
        fprintf(f, "; %" PRId64 " are cut before the end of their TCP header and not counted", k->short_frames);
    if (k->truncated)
        view_text_htmlf(f, "; the file is cut: %s", k->stopped.message);
    fputs("</dd><dt>rates</dt><dd>goodput: unique TCP payload over time, neither headers nor retransmissions</dd>"
          "</dl>\n", f);
}

static void show_flows(FILE *f, const struct view_capture_page_capture *c)
{
    fprintf(f, "<h3>Bulk flows, %s</h3>\n", c->origin);
    if (c->bulk.n == 0) {
        fputs("<p>None: no flow of 20 kB or more.</p>\n", f);
        return;
    }
    if (c->n_shown < c->bulk.n)
        fprintf(f, "<p>The %zu of %zu with the most bytes; <code>contraflow explain</code> lists all.</p>\n",
                c->n_shown, c->bulk.n);
    struct view_table t = view_table_of(VIEW_EXPLANATION_TABLE(" ms") "|+- steady|retrans");
    for (size_t i = 0; i < c->n_shown; i++) {
        const struct analysis_flow *flow = &c->bulk.flow[i].flow;
        view_explanation_table_row(&t, &c->bulk.flow[i]);
        view_table_add(&t, "%f|%" PRIu32, flow->steady_goodput_bps.ci95 / 1e6, flow->retransmitted_segments);
    }
    view_table_html(f, NULL, &t, 2);
}

/* The small flows, folded. */
static void show_others(FILE *f, const struct view_capture_page_capture *c, const struct capture_address *host)
{
    struct analysis_flow flow;
    size_t n = 0;
    struct view_table t = view_table_of("from|to|payload B|start s|end s|Mb/s|retrans");
    for (size_t i = 0; i < analysis_flows_slots(c->flows); i++) {
        if (!analysis_flows_get(c->flows, i, &flow) || !concerns(&flow, host) || flow.payload_bytes >= c->least_bytes ||
            n++ >= VIEW_CAPTURE_PAGE_OTHERS)
            continue;
        view_table_add_flow(&t, &flow);
        view_table_add(&t, "%" PRId64 "|%.6f|%.6f|%f|%" PRIu32, flow.payload_bytes, flow.start_s, flow.end_s,
                       flow.goodput_bps / 1e6, flow.retransmitted_segments);
    }
    if (n == 0) {
        view_table_fini(&t);
        return;
    }
    fprintf(f, "<details><summary>%zu small flow%s%s</summary>\n", n, n == 1 ? "" : "s",
            n > VIEW_CAPTURE_PAGE_OTHERS ? "; the first of them here" : "");
    view_table_html(f, NULL, &t, 2);
    fputs("</details>\n", f);
}

static bool show_capture(struct view_capture_page *r, const struct view_capture_page_capture *c,
                         const struct capture_address *host, struct error *err)
{
    FILE *f = r->file.stream;
    size_t number = json_array_size(r->plots);
    json_t *plots = view_capture_page_plots(c, number, err);
    if (!plots)
        return false;
    fputs("<article>\n", f);
    show_heading(f, c);
    view_capture_page_verdicts(f, c);
    show_flows(f, c);
    show_others(f, c, host);
    view_capture_page_packets(f, c, number);
    fprintf(f, "<div class=\"plots\" data-capture=\"%zu\"></div>\n</article>\n", number);
    json_array_append_new(r->plots, plots);
    return true;
}

bool view_capture_page_add(struct view_capture_page *r, const char *path, const struct analysis_flows *f,
                const struct analysis_capture *capture, const struct capture_address *host, struct error *err)
{
    char directory[PATH_MAX];
    struct view_capture_page_capture c = {.path = path,
                                          .run = strcmp(path, "-") == 0 ? NULL : study_judge_run_of(path, directory),
                                          .capture = capture,
                                          .flows = f};
    c.origin = c.run ? "emulated" : "captured";
    c.undated = capture->frames > 0 && capture->first_ns < YEAR_1970_NS;
    study_explanation_make(&c.bulk, f);
    bool ok = study_pendulum_make(f, &c.bulk, &c.swing, err);
    if (ok) {
        qsort(c.bulk.flow, c.bulk.n, sizeof *c.bulk.flow, by_bytes);
        c.least_bytes = analysis_degree_bulk_bytes(c.bulk.n ? c.bulk.flow->flow.payload_bytes : 0);
        keep_host(&c, host);
        c.n_shown = c.bulk.n < VIEW_CAPTURE_PAGE_FLOWS ? c.bulk.n : VIEW_CAPTURE_PAGE_FLOWS;
        ok = show_capture(r, &c, host, err);
    }
    study_explanation_fini(&c.bulk);
    return ok;
}

/* JSON inside a script element: nothing in it may look like that element's end. */
static int dump_escaped(const char *buffer, size_t size, void *stream)
{
    for (size_t i = 0; i < size; i++)
        if (buffer[i] == '<')
            fputs("\\u003c", stream);
        else
            putc(buffer[i], stream);
    return 0;
}

bool view_capture_page_finish(struct view_capture_page *r, struct error *err)
{
    FILE *f = r->file.stream;
    fputs(view_capture_page_how_html, f);
    fputs("<script type=\"application/json\" id=\"data\">", f);
    bool ok = json_dump_callback(r->plots, dump_escaped, f, JSON_COMPACT | JSON_REAL_PRECISION(9)) == 0 ||
              error_set(err, ERROR_SYSTEM, "%s: out of memory", r->file.path);
    fputs("</script>\n<script>\n", f);
    fputs(view_capture_page_packets_js, f);
    fputs(view_capture_page_js, f);
    fputs("</script>\n</body>\n</html>\n", f);
    ok = ok && outfile_commit(&r->file, err);
    view_capture_page_discard(r);
    return ok;
}

void view_capture_page_discard(struct view_capture_page *r)
{
    outfile_discard(&r->file);
    json_decref(r->plots);
    r->plots = NULL;
}
