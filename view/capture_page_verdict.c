/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory.h"
#include "view/rules_table.h"
#include "view/capture_page_parts.h"
#include "model/degree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CAUSES 4 /* flows named one by one */
#define FEW 8    /* flows whose sentences are in view */

static bool verdict_one_way(const struct analysis_judgement *j)
{
    return j->indegree == 0 || j->outdegree == 0;
}

/* Do the rates show that data of one direction hold back the other? */
static bool verdict_asymmetry(const struct analysis_judgement *j)
{
    return !verdict_one_way(j) && ((j->verdict == MODEL_REGIME_EQ6 && !j->indistinguishable) ||
                                   j->verdict == MODEL_REGIME_WINDOW);
}

static const char *verdict_headline(const struct analysis_judgement *j)
{
    switch (j->verdict) {
    case MODEL_REGIME_EQ6:
        if (verdict_one_way(j))
            return "No asymmetry to see: all flows point the same way.";
        return j->indistinguishable ? "Rates do not decide: as many flows in as out, where the asymmetry and fair "
                                      "sharing give the same."
                                    : "Yes, this is the asymmetry.";
    case MODEL_REGIME_WINDOW:
        return verdict_one_way(j) ? "No asymmetry to see: all flows point the same way, and share by their windows."
                                  : "Yes, this is the asymmetry, with windows that are not equal.";
    case MODEL_REGIME_EQ5:
        return "No, the directions do not hold each other back.";
    case MODEL_REGIME_LOSS:
        return "Losses set these rates.";
    default:
        break;
    }
    return "No rule fits these rates.";
}

/* Explained flows by the names that check knows them by. */
struct named {
    char src[ANALYSIS_CHECK_NAME], dst[ANALYSIS_CHECK_NAME];
    const struct study_explanation *e; /* borrowed */
};

struct index {
    struct named *flow; /* owned; sorted */
    size_t n;
};

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->src, y->src);
    return order ? order : strcmp(x->dst, y->dst);
}

static void index_make(struct index *x, const struct view_capture_page_capture *c)
{
    x->n = c->n_bulk;
    x->flow = memory_zeroed(c->n_bulk, sizeof *x->flow, "the names of flows");
    for (size_t i = 0; i < x->n; i++) {
        const struct analysis_flow *flow = &c->bulk[i].flow;
        analysis_flows_endpoint(&flow->src, flow->src_port, x->flow[i].src);
        analysis_flows_endpoint(&flow->dst, flow->dst_port, x->flow[i].dst);
        x->flow[i].e = &c->bulk[i];
    }
    qsort(x->flow, x->n, sizeof *x->flow, by_name);
}

/* NULL when it is not among them. */
static const struct study_explanation *index_find(const struct index *x, const struct analysis_check_flow *flow)
{
    struct named key;
    memcpy(key.src, flow->src, sizeof key.src);
    memcpy(key.dst, flow->dst, sizeof key.dst);
    const struct named *found = bsearch(&key, x->flow, x->n, sizeof *x->flow, by_name);
    return found ? found->e : NULL;
}

/* Which way ACKs travel that wait for most of their flow's round trip. */
struct waits {
    size_t towards, away; /* flows whose ACKs wait on the way to the host, or from it */
    size_t known;         /* flows whose round trip could be split */
};

static struct waits verdict_waits(const struct index *x, const struct analysis_resource *r)
{
    struct waits w = {0};
    for (size_t i = 0; i < r->n; i++) {
        const struct study_explanation *e = index_find(x, &r->flows[i]);
        w.known += e && isfinite(e->rtt_s);
        if (e && e->ack_share >= STUDY_EXPLANATION_MOSTLY)
            *(r->flows[i].incoming ? &w.away : &w.towards) += 1;
    }
    return w;
}

static void verdict_cost(FILE *f, const struct analysis_resource *r)
{
    const struct analysis_judgement *j = &r->judgement;
    bool in_less = j->in_bps < j->out_bps;
    view_text_htmlf(
        f,
        " All traffic %s gets %.1f Mb/s together, all traffic %s %.1f Mb/s; with full duplex at work each "
        "direction could have B = %.1f Mb/s.",
        in_less ? "in" : "out", (in_less ? j->in_bps : j->out_bps) / 1e6, in_less ? "out" : "in",
        (in_less ? j->out_bps : j->in_bps) / 1e6, j->fitted_rate_bps / 1e6);
}

static void verdict_cause(FILE *f, const struct index *x, const struct analysis_resource *r, struct waits w)
{
    size_t named = 0;
    fprintf(f, "<p><b>%s:</b> ", verdict_asymmetry(&r->judgement) ? "Cause" : "What ACKs show");
    if (w.known == 0) {
        fputs("not visible here: without TCP timestamps the round trips cannot be split.</p>\n", f);
        return;
    }
    if (w.towards + w.away == 0) {
        fputs("no flow's ACKs wait for half of its round trip, so it is not ACKs behind data. Ethernet PAUSE gives "
              "such rates, too: look at the switch's and the NICs' counters of pause frames.</p>\n", f);
        return;
    }
    for (size_t i = 0; i < r->n && named < CAUSES; i++) {
        const struct study_explanation *e = index_find(x, &r->flows[i]);
        if (!e || !(e->ack_share >= STUDY_EXPLANATION_MOSTLY))
            continue;
        char name[VIEW_CAPTURE_PAGE_FLOW_TEXT];
        view_capture_page_flow_name(&e->flow, name);
        view_text_htmlf(
            f,
            "%sthe ACKs of %s wait %.1f ms of its round trip of %.1f ms behind data in a queue on the way "
            "%s %s",
            named++ ? "; " : "", name, e->x.ack_wait_s * 1e3, e->rtt_s * 1e3, r->flows[i].incoming ? "out of" : "into",
            r->host);
    }
    if (w.towards + w.away > named)
        view_text_htmlf(f, "; and those of %zu more flows", w.towards + w.away - named);
    fputs(".</p>\n", f);
}

/* What the link must carry on the wire for the busier direction's goodput. */
static double verdict_link_bps(const struct analysis_judgement *j)
{
    struct model_link link = model_link_default();
    double most = fmax(j->in_bps, j->out_bps);
    return most * link.rate_bps / model_degree_goodput_bps(&link, fmin(j->in_bps, j->out_bps) / most);
}

/* In flight in the fuller direction: where losses are the limit, about what its queue holds. */
static double verdict_in_flight(const struct analysis_resource *r)
{
    double in = 0, out = 0;
    for (size_t i = 0; i < r->n; i++)
        *(r->flows[i].incoming ? &in : &out) += r->flows[i].window_bytes;
    return fmax(in, out);
}

/* The options after FILE and --scenario: a network like the measured one, and changes that remove the cause. */
static void verdict_options(FILE *f, const struct view_capture_page_capture *c, const struct analysis_resource *r,
                            struct waits w)
{
    bool loss = r->judgement.verdict == MODEL_REGIME_LOSS;
    double held = loss ? verdict_in_flight(r) : NAN;
    if (!c->run)
        fprintf(f, " \\\n    --set network.link.rate=%.1fMbps", verdict_link_bps(&r->judgement) / 1e6);
    if (!c->run && isfinite(held))
        fprintf(f, " --set network.switch.limit=%.0fkB", fmax(held / 1e3, 2));
    fputs(" \\\n   ", f);
    if (loss) {
        if (isfinite(held))
            fprintf(f, " --what-if buffer=%.0fkB@port", fmax(4 * held / 1e3, 2));
        fputs(" --what-if ack-first@port --what-if fair@port --what-if cc=cubic", f);
        return;
    }
    if (w.towards > 0 || w.away == 0)
        fputs(" --what-if ack-first@port --what-if fair@port", f);
    if (w.away > 0 || w.towards == 0)
        fputs(" --what-if ack-first@nic --what-if fair@nic", f);
    if (w.towards + w.away == 0)
        fputs(" --what-if pause-senders", f);
}

static void verdict_remedy(FILE *f, const struct view_capture_page_capture *c, const struct analysis_resource *r,
                           struct waits w)
{
    bool loss = r->judgement.verdict == MODEL_REGIME_LOSS;
    char scenario[PATH_MAX + 16] = "scenarios/replay.yaml";
    if (c->run)
        snprintf(scenario, sizeof scenario, "%s/scenario.yaml", c->run);
    char *path = view_text_shell_word(strcmp(c->path, "-") == 0 ? "capture.pcap" : c->path);
    char *network = view_text_shell_word(scenario);
    fputs("<p><b>What would fix it?</b> ", f);
    fputs(loss ? "More buffer, or queues that keep flows apart; this ranks them by the bandwidth they win back"
               : "ACKs that do not wait behind data; this command plays the flows again with each change, and "
                 "ranks them by the bandwidth they win back", f);
    fputs(c->run ? ":</p>\n" : loss ? ". Link rate and buffer are read off the capture; put in yours if you know "
                                      "them:</p>\n"
                                    : ". The link's rate is read off the capture; put in yours if you know "
                                      "it:</p>\n", f);
    view_text_markup(f, "<pre class=\"command\">contraflow replay %s --scenario %s", path, network);
    verdict_options(f, c, r, w);
    fputs("</pre>\n", f);
    free(path);
    free(network);
}

static void verdict_host(FILE *f, const struct view_capture_page_capture *c, const struct index *x,
                         const struct analysis_resource *r)
{
    const struct analysis_judgement *j = &r->judgement;
    bool bad = verdict_asymmetry(j) || j->verdict == MODEL_REGIME_LOSS;
    struct waits w = verdict_waits(x, r);
    fprintf(f, "<section class=\"verdict%s\">\n<h3>Host ",
            bad ? " bad" : j->verdict == MODEL_REGIME_EQ5 ? " good" : "");
    view_text_htmlf(f, "%s: %zu bulk flow%s in, %zu out", r->host, j->indegree, j->indegree == 1 ? "" : "s",
                          j->outdegree);
    view_text_markup(f, "</h3>\n<p class=\"headline\">%s</p>\n<p>", verdict_headline(j));
    view_text_htmlf(f, "Verdict %s, B = %.1f Mb/s: %s.", model_regime_name(j->verdict),
                          j->fitted_rate_bps / 1e6, j->why);
    if (verdict_asymmetry(j))
        verdict_cost(f, r);
    fputs("</p>\n", f);
    bool untold = j->verdict == MODEL_REGIME_EQ6 && !verdict_one_way(j) && w.towards + w.away > 0;
    if (verdict_asymmetry(j) || untold)
        verdict_cause(f, x, r, w);
    if (bad)
        verdict_remedy(f, c, r, w);
    struct view_table t;
    fprintf(f, "<details><summary>Rates against the rules, %.3f to %.3f s (steady from %.3f)</summary>\n", r->start_s,
            r->end_s, r->steady_start_s);
    view_rules_table(&t, c->origin, r);
    view_table_html(f, NULL, &t, VIEW_RULES_TABLE_TEXTS);
    fputs("</details>\n</section>\n", f);
}

void view_capture_page_verdicts(FILE *f, const struct view_capture_page_capture *c)
{
    struct index x;
    index_make(&x, c);
    if (c->resources.n == 0)
        fputs("<p>In this capture no host has two bulk flows at once: there is no asymmetry to see.</p>\n", f);
    for (size_t i = 0; i < c->resources.n && i < VIEW_CAPTURE_PAGE_HOSTS; i++)
        verdict_host(f, c, &x, &c->resources.resource[i]);
    free(x.flow);
    if (c->resources.n > VIEW_CAPTURE_PAGE_HOSTS)
        fprintf(f, "<p>%zu more hosts share flows: <code>contraflow check</code> judges all of them.</p>\n",
                c->resources.n - VIEW_CAPTURE_PAGE_HOSTS);
    char text[STUDY_EXPLANATION_TEXT];
    if (c->swing.known) {
        study_pendulum_say(&c->swing, text);
        view_text_markup(f, "<p><b>Over time:</b> %s.</p>\n", text);
    }
    if (c->n_shown > 0)
        fprintf(f, "<details%s><summary>Flow by flow</summary>\n<ul>\n", c->n_shown <= FEW ? " open" : "");
    for (size_t i = 0; i < c->n_shown; i++) {
        char name[VIEW_CAPTURE_PAGE_FLOW_TEXT];
        view_capture_page_flow_name(&c->bulk[i].flow, name);
        study_explanation_say(&c->bulk[i], text);
        view_text_markup(f, "<li>%s: %s.", name, text);
        study_explanation_phases(&c->bulk[i], text);
        view_text_markup(f, *text ? "<br>%s</li>\n" : "%s</li>\n", text);
    }
    if (c->n_shown > 0)
        fputs("</ul></details>\n", f);
}
