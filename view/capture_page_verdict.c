/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/capture_page_parts.h"
#include "view/beside.h"
#include "view/diagnosis.h"
#include "view/rules_table.h"

#define NAMED 4 /* flows named one by one */
#define FEW 8   /* flows whose sentences are in view */

const struct analysis_resource *view_capture_page_host(const struct view_capture_page_capture *c, size_t i)
{
    const struct analysis_resource *r;
    for (size_t k = 0; (r = analysis_resources_get(&c->bulk.hosts, k)); k++)
        if ((!*c->host || strcmp(c->host, r->host) == 0) && i-- == 0)
            return r;
    return NULL;
}

/* Which flows' ACKs wait, and where. */
static void verdict_waits(FILE *f, const struct analysis_resource *r)
{
    size_t named = 0, more = 0;
    for (size_t i = 0; i < r->n; i++) {
        const struct analysis_check_flow *flow = &r->flows[i];
        double rtt_s = flow->floor_s + flow->data_wait_s + flow->ack_wait_s;
        if (!(flow->ack_wait_s >= STUDY_EXPLANATION_MOSTLY * rtt_s))
            continue;
        if (named == NAMED) {
            more++;
            continue;
        }
        view_text_htmlf(f, "%sthe ACKs of %s \xe2\x86\x92 %s wait %.1f ms of its round trip of %.1f ms on the way %s "
                        "%s", named++ ? "; " : ". There ", flow->src, flow->dst, flow->ack_wait_s * 1e3, rtt_s * 1e3,
                        flow->incoming ? "out of" : "into", r->host);
    }
    if (more > 0)
        fprintf(f, "; and those of %zu more flows", more);
}

static void verdict_cause(FILE *f, const struct analysis_resource *r)
{
    const struct judge_diagnosis *d = &r->diagnosis;
    view_text_markup(f, "<p><b>Cause:</b> %s", judge_cause(d->cause)->meaning);
    if (d->second != JUDGE_CAUSE_UNKNOWN)
        view_text_markup(f, "; second: %s", judge_cause(d->second)->meaning);
    if (d->answer == JUDGE_ANSWER_YES)
        verdict_waits(f, r);
    fputs(".</p>\n", f);
}

static void verdict_remedies(FILE *f, const char *path, const struct analysis_resource *r)
{
    char text[VIEW_DIAGNOSIS_TEXT];
    bool more = false;
    view_diagnosis_what(r, text);
    view_text_markup(f, "<p><b>%s</b> %s.</p>\n<ul class=\"remedies\">\n",
                     r->diagnosis.answer == JUDGE_ANSWER_UNKNOWN ? "What would tell:" : "What to do:", text);
    for (size_t i = 0; view_diagnosis_remedy(r, i, text); i++) {
        if (i == 1)
            fputs("</ul>\n<details><summary>Other ways</summary>\n<ul class=\"remedies\">\n", f);
        view_text_markup(f, "<li>%s</li>\n", text);
        more = i > 0;
    }
    fputs(more ? "</ul></details>\n" : "</ul>\n", f);
    MEMORY_LOCAL char *command = view_diagnosis_command(path, r);
    if (command)
        view_text_markup(f, "<p><b>Try it first:</b> this plays the flows again through the network that the capture "
                         "shows, as it was and with the change.</p>\n<pre class=\"command\">%s</pre>\n", command);
    if (view_diagnosis_filter(r, text))
        view_text_markup(f, "<p><b>In Wireshark:</b> <code>%s</code></p>\n", text);
}

static void verdict_line(FILE *f, const char *name, const char *text)
{
    if (*text)
        view_text_markup(f, "<p><b>%s:</b> %s.</p>\n", name, text);
}

void view_capture_page_verdict(FILE *f, const char *path, const char *origin, const struct analysis_resource *r)
{
    const struct analysis_judgement *j = &r->judgement;
    const struct judge_diagnosis *d = &r->diagnosis;
    char name[VIEW_DIAGNOSIS_NAME], figures[VIEW_DIAGNOSIS_TEXT], latency[JUDGE_LATENCY_TEXT];
    fprintf(f, "<section class=\"verdict%s\">\n<h3>",
            d->answer == JUDGE_ANSWER_YES  ? " bad"
            : d->answer == JUDGE_ANSWER_NO ? " good"
                                           : "");
    view_diagnosis_name(r, name);
    view_diagnosis_figures(r, figures);
    view_text_htmlf(f, "%c%s: %zu bulk flow%s in, %zu out", toupper(*name), name + 1, j->indegree, j->indegree == 1 ? "" : "s",
                    j->outdegree);
    fputs("</h3>\n<p class=\"headline\">", f);
    view_text_htmlf(f, "%c%s: %s.", toupper(*view_diagnosis_answer(d)), view_diagnosis_answer(d) + 1, figures);
    fputs("</p>\n", f);
    verdict_line(f, "Why", judge_diagnosis_reason(d));
    if (view_diagnosis_latency(d, latency))
        verdict_line(f, "Round trip", strchr(latency, ':') + 2);
    if (d->answer == JUDGE_ANSWER_YES || d->second != JUDGE_CAUSE_UNKNOWN)
        verdict_cause(f, r);
    verdict_remedies(f, path, r);
    char offloads[VIEW_OFFLOADS_TEXT];
    if (view_offloads_say(r, offloads))
        view_text_markup(f, "<p><b>Offloads:</b> %s.</p>\n", offloads);
    char beside[VIEW_BESIDE_TEXT];
    for (size_t i = 0; view_beside_say(r, i, beside); i++)
        view_text_markup(f, "<p><b>Beside TCP:</b> %s.</p>\n", beside);
    fprintf(f, "<details><summary>Rates against the rules of full links, %s, %.3f to %.3f s (steady from %.3f)</summary>\n",
            origin, r->start_s, r->end_s, r->steady_start_s);
    view_text_htmlf(f, "Verdict %s", model_regime_name(j->verdict));
    if (j->verdict != MODEL_REGIME_UNSATURATED)
        fprintf(f, ", B = %.1f Mb/s", j->fitted_rate_bps / 1e6);
    view_text_htmlf(f, ": %s.", j->why);
    struct view_table t;
    view_rules_table(&t, r);
    view_table_html(f, NULL, &t, VIEW_RULES_TABLE_TEXTS);
    fputs("</details>\n</section>\n", f);
}

void view_capture_page_verdicts(FILE *f, const struct view_capture_page_capture *c)
{
    const struct analysis_resource *r;
    size_t hosts = 0;
    if (c->bulk.hosts.n == 0)
        fputs("<p>In this capture no host has two bulk flows at once: nothing is shared.</p>\n", f);
    for (; (r = view_capture_page_host(c, hosts)); hosts++)
        if (hosts < VIEW_CAPTURE_PAGE_HOSTS && (*c->host || !*r->same_as))
            view_capture_page_verdict(f, c->path, c->origin, r);
    if (hosts > VIEW_CAPTURE_PAGE_HOSTS)
        fprintf(f, "<p>%zu more hosts share flows: <code>contraflow check</code> judges all of them.</p>\n",
                hosts - VIEW_CAPTURE_PAGE_HOSTS);
    char text[STUDY_EXPLANATION_TEXT];
    if (c->swing.known) {
        study_pendulum_say(&c->swing, text);
        view_text_markup(f, "<p><b>Over time:</b> %s.</p>\n", text);
    }
    if (c->n_shown > 0)
        fprintf(f, "<details%s><summary>Flow by flow</summary>\n<ul>\n", c->n_shown <= FEW ? " open" : "");
    for (size_t i = 0; i < c->n_shown; i++) {
        char name[VIEW_CAPTURE_PAGE_FLOW_TEXT];
        view_capture_page_flow_name(&c->bulk.flow[i].flow, name);
        study_explanation_say(&c->bulk.flow[i], text);
        view_text_markup(f, "<li>%s: %s.", name, text);
        study_explanation_phases(&c->bulk.flow[i], text);
        view_text_markup(f, *text ? "<br>%s</li>\n" : "%s</li>\n", text);
    }
    if (c->n_shown > 0)
        fputs("</ul></details>\n", f);
}
