/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/compare.h"

#include "base/text.h"
#include "results/directory.h"
#include "results/json.h"
#include "view/diagnosis.h"
#include "view/page.h"
#include "view/svg.h"
#include "view/text.h"

#define TEXT 512
#define COMPARE_NAMED 8 /* differences in a line */
#define DIFFERENCES 2048
#define UNLIKE "before and after are unlike, which alone changes rates: %s"
#define SHARE_MOST 10 /* what was next to nothing is not shown to have grown by many times as much */
#define NOTHING 0.0005 /* of a table's three digits */
#define LEFT 70
#define RIGHT 20
#define TOP 14
#define COMPARE_HEIGHT 220
#define COMPARE_BELOW 56
#define WRITTEN 150.0 /* pixels of a flow: room for its two numbers and their intervals */
#define LINE 15
#define FLOWS_DRAWN 40 /* more marks cannot be told apart */

static const char *const compare_ways[] = {"in", "out", "both"};

/* "22 % (ACKs wait behind the data of the other direction)", "no (the link carries what it can)" */
static void compare_answer(const struct analysis_resource *r, char *text, size_t size)
{
    *text = '\0';
    if (r->diagnosed && r->diagnosis.answer == JUDGE_ANSWER_YES && isfinite(r->diagnosis.lost_share))
        text_add(text, size, "%.0f %%", 100 * r->diagnosis.lost_share);
    else
        text_add(text, size, "%s", r->diagnosed ? view_diagnosis_answer(&r->diagnosis) : "not judged");
    if (r->diagnosed && r->diagnosis.cause != JUDGE_CAUSE_UNKNOWN)
        text_add(text, size, " (%s)", judge_cause(r->diagnosis.cause)->meaning);
}

/* Whose figures these are: "h0", or "h0, then h1". */
static void compare_name(const struct study_compare_host *h, char *text, size_t size)
{
    const struct analysis_resource *before = h->side[STUDY_COMPARE_BEFORE], *after = h->side[STUDY_COMPARE_AFTER];
    *text = '\0';
    text_add(text, size, "%s", before ? before->host : after->host);
    if (before && after && strcmp(before->host, after->host) != 0)
        text_add(text, size, ", then %s", after->host);
}

/* A sentence: the number first. */
static void compare_say(const struct study_compare_host *h, char text[static TEXT])
{
    const struct study_compare_value *v = &h->rate_bps[STUDY_COMPARE_BOTH];
    char before[TEXT / 4], after[TEXT / 4];
    double change = study_compare_change(v), ci95 = study_compare_ci95(v), seen_s, would_do_s;
    int digits = fmax(v->mean[STUDY_COMPARE_BEFORE], v->mean[STUDY_COMPARE_AFTER]) < 1e6 ? 3 : 1; /* as of the rates */
    *text = '\0';
    for (int side = 0; side < STUDY_COMPARE_SIDES; side++) {
        if (h->side[side])
            continue;
        text_add(text, TEXT, "only %s: %s Mb/s in both directions", side == STUDY_COMPARE_BEFORE ? "after" : "before",
                 UNITS_MBPS(v->mean[!side]));
        return;
    }
    text_add(text, TEXT, "%s instead of %s Mb/s in both directions", UNITS_MBPS(v->mean[STUDY_COMPARE_AFTER]),
             UNITS_MBPS(v->mean[STUDY_COMPARE_BEFORE]));
    if (isfinite(ci95))
        text_add(text, TEXT, ": %+.*f +- %.*f Mb/s (%+.1f %%), %s", digits, change / 1e6, digits, ci95 / 1e6,
                 100 * study_compare_share(v), study_compare_judge(v) == STUDY_COMPARE_SAME ? "which is no change"
                 : change > 0 ? "more" : "less");
    else
        text_add(text, TEXT, ": %+.*f Mb/s (%+.1f %%)", digits, change / 1e6, 100 * study_compare_share(v));
    if (!isfinite(ci95) && study_compare_short(h, &seen_s, &would_do_s) && seen_s > 0)
        text_add(text, TEXT, ", no interval: %.*f s are too short, some %.0f s would do",
                 seen_s < 0.1 ? 3 : seen_s < 1 ? 2 : seen_s < 10, seen_s, ceil(would_do_s));
    else if (!isfinite(ci95))
        text_add(text, TEXT, ", no interval");
    compare_answer(h->side[STUDY_COMPARE_BEFORE], before, sizeof before);
    compare_answer(h->side[STUDY_COMPARE_AFTER], after, sizeof after);
    text_add(text, TEXT, "; lost to waiting ACKs: %s%s%s", before, strcmp(before, after) ? ", then " : ", as before",
             strcmp(before, after) ? after : "");
}

/* What is shown as nothing has no sign. */
static double compare_unsigned(double value, double scale)
{
    return fabs(value / scale) < NOTHING ? 0 : value;
}

void view_compare_row(struct view_table *t, const struct study_compare_value *v, double scale)
{
    for (int side = 0; side < STUDY_COMPARE_SIDES; side++)
        view_table_add(t, "%f|%f", compare_unsigned(v->mean[side], scale) / scale, v->ci95[side] / scale);
    view_table_add(t, "%f|%f", compare_unsigned(study_compare_change(v), scale) / scale, study_compare_ci95(v) / scale);
    double share = study_compare_share(v);
    view_table_add(t, "%.1f", share < SHARE_MOST ? round(1000 * share) / 10 + 0.0 : (double)NAN); /* no "-0.0" */
    view_table_add(t, "%s", study_compare_answer_name(study_compare_judge(v)));
}

/* Is there anything to show? */
static bool compare_known(const struct study_compare_value *v)
{
    return isfinite(v->mean[STUDY_COMPARE_BEFORE]) || isfinite(v->mean[STUDY_COMPARE_AFTER]);
}

#define TEXTS 1 /* columns of words, of the host's table; of the flows' two more */

static void compare_host_table(struct view_table *t, const struct study_compare_host *h)
{
    static const struct {
        const char *name;
        double scale;
        size_t at;
    } waits[] = {{"data wait, ms", 1e-3, offsetof(struct study_compare_host, data_wait_s)},
                 {"ACKs wait, ms", 1e-3, offsetof(struct study_compare_host, ack_wait_s)}};
    *t = view_table_of("of the host|" VIEW_COMPARE_HEAD);
    for (int way = STUDY_COMPARE_WAYS; way-- > 0;) {
        view_table_add(t, "goodput %s, Mb/s", compare_ways[way]);
        view_compare_row(t, &h->rate_bps[way], 1e6);
    }
    if (compare_known(&h->lost_share)) {
        view_table_add(t, "lost to waiting ACKs, %%");
        view_compare_row(t, &h->lost_share, 0.01);
    }
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        for (int way = STUDY_COMPARE_IN; way <= STUDY_COMPARE_OUT; way++) {
            const struct study_compare_value *v = (const struct study_compare_value *)
                (const void *)((const char *)h + waits[i].at) + way;
            if (!compare_known(v))
                continue;
            view_table_add(t, "%s, of data %s", waits[i].name, compare_ways[way]);
            view_compare_row(t, v, waits[i].scale);
        }
    view_table_add(t, "segments sent again");
    view_compare_row(t, &h->retransmitted, 1);
}

static void compare_flow_table(struct view_table *t, const struct study_compare_host *h)
{
    *t = view_table_of("goodput, Mb/s: from|to|way|" VIEW_COMPARE_HEAD);
    for (size_t i = 0; i < h->n; i++) {
        const struct study_compare_flow *flow = &h->flow[i];
        view_table_add(t, "%s|%s|%s", flow->src, flow->dst,
                       compare_ways[flow->incoming ? STUDY_COMPARE_IN : STUDY_COMPARE_OUT]);
        view_compare_row(t, &flow->rate_bps, 1e6);
    }
}

/* "3 flows in, then 2": of what makes both sides unlike, or of all else; *n of them, the first ones in `text`. */
static size_t compare_differences(const struct study_compare_host *h, bool unlike, char *text, size_t size)
{
    size_t n = 0;
    *text = '\0';
    for (size_t i = 0; i < h->n_differences; i++) {
        const struct study_compare_difference *d = &h->difference[i];
        if (d->unlike == unlike && ++n <= COMPARE_NAMED)
            text_add(text, size, "%s%s: %s, then %s", n > 1 ? "; " : "", d->what, d->side[STUDY_COMPARE_BEFORE],
                     d->side[STUDY_COMPARE_AFTER]);
    }
    if (n > COMPARE_NAMED)
        text_add(text, size, "; and %zu more", n - COMPARE_NAMED);
    return n;
}

void view_compare_print(FILE *f, const struct study_compare_host *h)
{
    char text[TEXT], name[2 * ANALYSIS_CHECK_NAME + 8];
    struct view_table t;
    compare_say(h, text);
    compare_name(h, name, sizeof name);
    const struct analysis_resource *before = h->side[STUDY_COMPARE_BEFORE], *after = h->side[STUDY_COMPARE_AFTER];
    fprintf(f, "%s %s: %s\n", (before ? before : after)->port ? "port" : "host", name, text);
    char differ[DIFFERENCES];
    if (compare_differences(h, true, differ, sizeof differ))
        fprintf(f, "  warning: " UNLIKE "\n", differ);
    if (compare_differences(h, false, differ, sizeof differ))
        fprintf(f, "  what differs: %s\n", differ);
    compare_host_table(&t, h);
    view_table_print(&t, "  ", TEXTS, f);
    compare_flow_table(&t, h);
    view_table_print(&t, "  ", TEXTS + 2, f);
}

json_t *view_compare_value_json(const struct study_compare_value *v)
{
    enum study_compare_answer answer = study_compare_judge(v);
    return results_json("before:f before_ci95:f after:f after_ci95:f change:f change_ci95:f change_share:f changed:o",
                        v->mean[STUDY_COMPARE_BEFORE], v->ci95[STUDY_COMPARE_BEFORE], v->mean[STUDY_COMPARE_AFTER],
                        v->ci95[STUDY_COMPARE_AFTER], study_compare_change(v), study_compare_ci95(v),
                        study_compare_share(v),
                        answer == STUDY_COMPARE_OPEN ? json_null() : json_string(study_compare_answer_name(answer)));
}

static json_t *compare_side_json(const struct study_compare_host *h, enum study_compare_side side)
{
    const struct analysis_resource *r = h->side[side];
    return r ? results_json("source:s host:s diagnosis:o", h->source[side], r->host,
                            view_diagnosis_json(h->source[side], r))
             : json_null();
}

static json_t *compare_differences_json(const struct study_compare_host *h)
{
    json_t *list = json_array();
    for (size_t i = 0; i < h->n_differences; i++) {
        const struct study_compare_difference *d = &h->difference[i];
        results_json_append(list, "what:s before:s after:s unlike:b", d->what, d->side[STUDY_COMPARE_BEFORE],
                            d->side[STUDY_COMPARE_AFTER], d->unlike);
    }
    return list;
}

json_t *view_compare_json(const struct study_compare *c)
{
    json_t *hosts = json_array();
    for (size_t i = 0; i < c->n; i++) {
        const struct study_compare_host *h = &c->host[i];
        json_t *flows = json_array(), *host = json_object();
        for (size_t k = 0; k < h->n; k++)
            json_array_append_new(flows, results_json("src:s dst:s direction:s rate_bps:o", h->flow[k].src,
                                                      h->flow[k].dst, h->flow[k].incoming ? "in" : "out",
                                                      view_compare_value_json(&h->flow[k].rate_bps)));
        results_json_add(host, "before:o after:o", compare_side_json(h, STUDY_COMPARE_BEFORE),
                         compare_side_json(h, STUDY_COMPARE_AFTER));
        for (int way = 0; way < STUDY_COMPARE_WAYS; way++)
            json_object_set_new(host, compare_ways[way], results_json("rate_bps:o data_wait_s:o ack_wait_s:o",
                                                              view_compare_value_json(&h->rate_bps[way]),
                                                              view_compare_value_json(&h->data_wait_s[way]),
                                                              view_compare_value_json(&h->ack_wait_s[way])));
        results_json_add(host, "lost_share:o retransmitted_segments:o flows:o differences:o",
                         view_compare_value_json(&h->lost_share), view_compare_value_json(&h->retransmitted), flows,
                         compare_differences_json(h));
        json_array_append_new(hosts, host);
    }
    return results_json("hosts:o", hosts);
}

static double compare_top(const struct study_compare_host *h)
{
    double top = 0;
    for (size_t i = 0; i < h->n && i < FLOWS_DRAWN; i++)
        for (int side = 0; side < STUDY_COMPARE_SIDES; side++) {
            const struct study_compare_value *v = &h->flow[i].rate_bps;
            top = fmax(top, v->mean[side] + (isfinite(v->ci95[side]) ? v->ci95[side] : 0));
        }
    return top > 0 ? top : 1;
}

/* Below a flow's name, a line a side: "310.8 +- 0.07". */
static void compare_write(FILE *f, const struct study_compare_value *v, double x, double y)
{
    char text[64];
    for (int side = 0; side < STUDY_COMPARE_SIDES; side++) {
        const char *when = side == STUDY_COMPARE_BEFORE ? "before" : "after";
        double mean = v->mean[side] / 1e6, ci95 = v->ci95[side] / 1e6;
        if (isfinite(ci95))
            snprintf(text, sizeof text, "%s %s \u00b1 %s", when, UNITS_FIGURE(mean, 4), UNITS_FIGURE(ci95, 2));
        else
            snprintf(text, sizeof text, "%s %s", when, UNITS_FIGURE(mean, 4));
        if (isfinite(mean))
            view_svg_text(f, x, y + LINE * side, "mid", text);
    }
}

/* Each flow before and after, as two marks on a line, with their intervals. */
static void compare_draw(FILE *f, const struct study_compare_host *h, size_t place, int width)
{
    size_t n = h->n < FLOWS_DRAWN ? h->n : FLOWS_DRAWN;
    double pitch = (width - LEFT - RIGHT) / (double)n;
    struct view_svg_frame a = {.x = {0, (double)n, LEFT, width - RIGHT, false},
                               .y = {0, compare_top(h) * 1.06, TOP + COMPARE_HEIGHT, TOP, false},
                               .y_label = "goodput", .y_unit = "b/s", .y_ticks = 5};
    char id[32], tip[3 * ANALYSIS_CHECK_NAME], name[24], number[40];
    snprintf(id, sizeof id, "host%zu-%d", place, width);
    fprintf(f, "<figure class=\"%s\">\n<div>", VIEW_COMPARE_CLASS(width));
    view_svg_key_mark(f, "hollow c-c6", VIEW_SVG_CIRCLE, "before");
    view_svg_key_mark(f, "c-in", VIEW_SVG_CIRCLE, "after, into the host");
    view_svg_key_mark(f, "c-out", VIEW_SVG_TRIANGLE, "after, out of it");
    fputs("</div>\n", f);
    view_svg_begin(f, id, width, TOP + COMPARE_HEIGHT + COMPARE_BELOW, "Goodput of each flow before and after",
                   "marks with 95 % intervals");
    view_svg_axes(f, &a);
    for (size_t i = 0; i < n; i++) {
        const struct study_compare_flow *flow = &h->flow[i];
        const double *mean = flow->rate_bps.mean, *ci95 = flow->rate_bps.ci95;
        enum view_svg_shape shape = flow->incoming ? VIEW_SVG_CIRCLE : VIEW_SVG_TRIANGLE;
        double x = (double)i + 0.5, shift = fmin(pitch / 5, 9), at = LEFT + pitch * x;
        for (int side = 0; side < STUDY_COMPARE_SIDES; side++) {
            snprintf(number, sizeof number, isfinite(ci95[side]) ? ", +- %.3f" : ", no interval", ci95[side] / 1e6);
            snprintf(tip, sizeof tip, "%s > %s %s: %.3f Mb/s%s", flow->src, flow->dst,
                     side == STUDY_COMPARE_BEFORE ? "before" : "after", mean[side] / 1e6, number);
            const char *class = side == STUDY_COMPARE_BEFORE ? "hollow c-c6" : flow->incoming ? "c-in" : "c-out";
            view_svg_mark(f, &a, class, shape, x, mean[side], ci95[side],
                          side == STUDY_COMPARE_BEFORE ? -shift : shift, tip);
        }
        snprintf(name, sizeof name, "%.20s", flow->incoming ? flow->src : flow->dst);
        if (pitch >= 6.5 * (double)strlen(name))
            view_svg_text(f, at, a.y.first + 16, flow->incoming ? "mid own c-in" : "mid own c-out", name);
        if (pitch >= WRITTEN)
            compare_write(f, &flow->rate_bps, at, a.y.first + 32);
    }
    view_svg_end(f);
    fprintf(f, "<figcaption>Goodput of %s, by its other end, with 95 %% intervals: bars, where they are larger than a "
            "mark%s.%s</figcaption>\n</figure>\n", n == h->n ? "each flow" : "the first flows",
            pitch >= WRITTEN ? ", and numbers, Mb/s" : "; the table has them as numbers",
            n == h->n ? "" : " The table has all.");
}

static void compare_show(FILE *f, const struct study_compare_host *h, size_t number)
{
    char text[TEXT], differ[DIFFERENCES], name[2 * ANALYSIS_CHECK_NAME + 8];
    struct view_table t;
    enum study_compare_answer answer = study_compare_judge(&h->rate_bps[STUDY_COMPARE_BOTH]);
    compare_say(h, text);
    compare_name(h, name, sizeof name);
    bool alike = compare_differences(h, true, differ, sizeof differ) == 0;
    fprintf(f, "<section class=\"verdict%s\">\n", !alike                          ? ""
                                                  : answer == STUDY_COMPARE_MORE ? " good"
                                                  : answer == STUDY_COMPARE_LESS ? " bad"
                                                                                 : "");
    view_text_markup(f, "<h3>Host %s</h3>\n<p class=\"headline\">%s.</p>\n", name, text);
    if (!alike)
        view_text_markup(f, "<p class=\"warning\"><strong>Warning</strong>: " UNLIKE ".</p>\n", differ);
    if (compare_differences(h, false, differ, sizeof differ))
        view_text_markup(f, "<p>What differs: %s.</p>\n", differ);
    fputs("</section>\n", f);
    compare_draw(f, h, number, VIEW_COMPARE_WIDE);
    compare_draw(f, h, number, VIEW_COMPARE_NARROW);
    fputs("<div class=\"beside\">\n<div>\n<h4>The host</h4>\n", f);
    compare_host_table(&t, h);
    view_table_html(f, NULL, &t, TEXTS);
    fputs("</div>\n<div>\n<h4>Its flows</h4>\n", f);
    compare_flow_table(&t, h);
    view_table_html(f, NULL, &t, TEXTS + 2);
    fputs("</div>\n</div>\n", f);
}

bool view_compare_page(const char *directory, const char *const path[STUDY_COMPARE_SIDES],
                       const struct study_compare *c, struct error *err)
{
    static const char *const sides[] = {"before", "after"};
    struct outfile file = {0};
    MEMORY_LOCAL char *name = results_directory_path(directory, "compare.html");
    bool ok = outfile_make_directory(directory, err) && outfile_open(&file, name, err);
    if (!ok)
        return false;
    FILE *f = file.stream;
    view_page_begin(f, "contraflow compare", "compare --report", false);
    fputs("<h1>What changed</h1>\n<dl>", f);
    for (int side = 0; side < STUDY_COMPARE_SIDES; side++) {
        view_text_markup(f, "<dt>%s</dt><dd>%s", sides[side], path[side]);
        view_page_origin(f, c->simulated[side] ? "emulated" : c->live[side] ? "measured" : "captured");
        fputs("</dd>\n", f);
    }
    fputs("<dt>rates</dt><dd>goodput while steady; the change has the interval of both sides together, "
          "&radic;(before&sup2; + after&sup2;), and is called one where it is larger</dd></dl>\n", f);
    for (size_t i = 0; i < c->n; i++)
        compare_show(f, &c->host[i], i);
    fputs("</body>\n</html>\n", f);
    return outfile_commit(&file, err) || (outfile_discard(&file), false);
}
