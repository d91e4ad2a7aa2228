/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/explain/explanation.h"

#include "analysis/rules/check_capture.h"
#include "base/order.h"
#include "base/text.h"

#define BURSTS 0.25 /* of ACK groups are compressed: worth saying */

/* Evidence that the capture was made beside a host: how many flows it has; how many of their handshakes show that, and
 * how many that it was made beside the other end; how many flows' ACKs are as late, or early, as they are there. */
struct explanation_tap {
    const struct capture_address *host;
    size_t first, flows, handshakes, against, holds; /* first: of its ends */
};

static bool explanation_tap_stronger(const struct explanation_tap *a, const struct explanation_tap *b)
{
    return a->flows != b->flows             ? a->flows > b->flows
           : a->handshakes != b->handshakes ? a->handshakes > b->handshakes
                                            : a->holds > b->holds;
}

/* Beside the sender an ACK takes most of the round trip to come; where the round trip is not known, nothing shows. */
static enum analysis_tap_place explanation_tap_by_hold(const struct study_explanation *e)
{
    double rtt_s = e->floor_s + e->x.data_wait_s + e->x.ack_wait_s;
    return !isfinite(rtt_s) || !isfinite(e->x.hold_s)     ? ANALYSIS_TAP_UNKNOWN
           : e->x.hold_s >= STUDY_EXPLANATION_MOSTLY * rtt_s ? ANALYSIS_TAP_SENDER
                                                             : ANALYSIS_TAP_RECEIVER;
}

static const struct capture_address *explanation_beside(const struct study_explanation *e, enum analysis_tap_place tap)
{
    return tap == ANALYSIS_TAP_SENDER ? &e->flow.src : tap == ANALYSIS_TAP_RECEIVER ? &e->flow.dst : NULL;
}

static bool explanation_is(const struct capture_address *a, const struct capture_address *b)
{
    return a && capture_address_same(a, b);
}

/* An end of a flow: of flow[i / 2], its destination where i is odd. */
struct explanation_end {
    const struct study_explanation *e;
    size_t i;
};

static const struct capture_address *explanation_host(const struct explanation_end *end)
{
    return end->i % 2 ? &end->e->flow.dst : &end->e->flow.src;
}

static int explanation_by_host(const void *a, const void *b)
{
    const struct explanation_end *x = a, *y = b;
    const struct capture_address *p = explanation_host(x), *q = explanation_host(y);
    int order = p->family != q->family ? p->family - q->family : memcmp(p->bytes, q->bytes, sizeof p->bytes);
    return order ? order : (x->i > y->i) - (x->i < y->i);
}

static ORDER_OF(explanation_by_appearance, struct explanation_tap, ORDER(first))

/* What the ends of a host say, n of them. */
static struct explanation_tap explanation_tap_of(const struct explanation_end *end, size_t n)
{
    struct explanation_tap t = {.host = explanation_host(end), .first = end->i};
    for (size_t k = 0; k < n; k++) {
        const struct study_explanation *e = end[k].e;
        if (k > 0 && end[k - 1].e == e)
            continue; /* it talks to itself */
        bool here = explanation_is(explanation_beside(e, e->tap), t.host);
        t.flows++;
        t.handshakes += here;
        t.against += !here && e->tap != ANALYSIS_TAP_UNKNOWN;
        t.holds += explanation_is(explanation_beside(e, e->held), t.host);
    }
    return t;
}

/* A file has one tap: beside the host that most evidence is for. A single handshake may have met a queue; where most
 * are against a host, the capture was made elsewhere, as beside the clients of a distant server. False where two hosts
 * are equal. */
static bool explanation_tap(const struct study_explanations *x, struct capture_address *tap)
{
    struct explanation_tap best = {0}, *host MEMORY_LOCAL = memory_zeroed(2 * x->n, sizeof *host, "hosts");
    MEMORY_LOCAL struct explanation_end *end = memory_zeroed(2 * x->n, sizeof *end, "ends of flows");
    bool equal = true;
    size_t hosts = 0;
    for (size_t i = 0; i < 2 * x->n; i++)
        end[i] = (struct explanation_end){&x->flow[i / 2], i};
    qsort(end, 2 * x->n, sizeof *end, explanation_by_host);
    for (size_t i = 0, n; i < 2 * x->n; i += n) {
        for (n = 1; i + n < 2 * x->n && explanation_is(explanation_host(&end[i]), explanation_host(&end[i + n])); n++)
            ;
        host[hosts++] = explanation_tap_of(&end[i], n);
    }
    qsort(host, hosts, sizeof *host, explanation_by_appearance);
    for (size_t i = 0; i < hosts; i++) {
        if (2 * host[i].against > host[i].flows)
            continue;
        bool stronger = !best.host || explanation_tap_stronger(&host[i], &best);
        equal = !stronger && (equal || !explanation_tap_stronger(&best, &host[i]));
        best = stronger ? host[i] : best;
    }
    if (!equal)
        *tap = *best.host;
    return !equal;
}

/* Is it a limit that the diagnosis looks for itself? */
static bool explanation_told(enum analysis_limit limit)
{
    return limit == ANALYSIS_LIMIT_APPLICATION || limit == ANALYSIS_LIMIT_LOSS;
}

/* A flow that began behind a standing queue never met it empty. Its series begins at 0; other flows show the rest. */
static void explanation_stood(const struct analysis_flows *f, const struct analysis_resource *r,
                              struct study_explanation *e)
{
    e->stood_s[0] = e->stood_s[1] = 0;
    if (!(fmax(e->data_wait_s, e->ack_wait_s) > 2 * e->x.tick_s)) /* no more than that stood */
        return;
    const size_t room = analysis_flows_wait_runs(f, e->slot, NULL);
    MEMORY_LOCAL struct analysis_wait *waits = memory_zeroed(room, sizeof *waits, "the waits of a flow");
    double data_s = 0, ack_s = 0, n = 0;
    for (size_t i = 0, runs = analysis_flows_wait_runs(f, e->slot, waits); i < runs; i++) {
        bool known = isfinite(waits[i].data_s + waits[i].ack_s);
        for (uint32_t k = known ? analysis_wait_slots(&waits[i], r->steady_start_s, r->end_s) : 0; k > 0; k--) {
            data_s += waits[i].data_s;
            ack_s += waits[i].ack_s;
            n++;
        }
    }
    const double stood_s[2] = {e->data_wait_s - data_s / n, e->ack_wait_s - ack_s / n};
    for (int leg = 0; leg < 2; leg++)
        e->stood_s[leg] = stood_s[leg] > 2 * e->x.tick_s ? stood_s[leg] : 0;
}

/* What the first host that judged it found out about it. */
static void explanation_judged(const struct analysis_flows *f, struct study_explanation *e,
                               const struct analysis_resources *hosts)
{
    size_t n, first = 0;
    const struct analysis_resource_place *p = analysis_check_capture_places(hosts, e->slot, &n);
    while (first < n && !p[first].resource->diagnosed)
        first++;
    for (size_t i = first; i < n && p[i].resource == p[first].resource; i++) { /* twice, where it talks to itself */
        const struct analysis_check_flow *flow = p[i].flow;
        const struct analysis_resource *r = p[i].resource;
        e->judged = true;
        e->steady_bps = flow->rate_bps;
        e->answer = r->diagnosis.answer;
        e->cause = r->diagnosis.cause;
        if (explanation_told(flow->limit) || explanation_told(e->limit))
            e->limit = flow->limit; /* of the phase, with more evidence */
        if (!isfinite(flow->floor_s + flow->data_wait_s + flow->ack_wait_s))
            continue;
        e->floor_s = flow->floor_s;
        e->data_wait_s = flow->data_wait_s;
        e->ack_wait_s = flow->ack_wait_s;
        explanation_stood(f, r, e);
    }
}

static struct study_explanation explanation_of_flow(const struct analysis_flows *f, size_t slot,
                                                    const struct analysis_flow *flow)
{
    struct study_explanation e = {
        .flow = *flow, .slot = slot, .tap = analysis_flows_tap(f, slot), .limit = analysis_limit_of(flow),
        .steady_bps = flow->steady_goodput_bps.value};
    analysis_flows_explain(f, slot, &e.x);
    e.n_phases = analysis_limit_phases(flow, e.phases);
    e.floor_s = fmin(flow->rtt_floor_s, e.x.floor_s);
    e.data_wait_s = e.x.data_wait_s;
    e.ack_wait_s = e.x.ack_wait_s;
    e.held = explanation_tap_by_hold(&e);
    return e;
}

static void explanation_finish(const struct analysis_flows *f, const struct capture_address *tap,
                               struct study_explanation *e) /* tap: NULL unknown */
{
    e->rtt_s = (isfinite(e->floor_s) ? e->floor_s : 0) + e->data_wait_s + e->ack_wait_s;
    e->ack_share = e->rtt_s > 0 ? e->ack_wait_s / e->rtt_s : NAN;
    if (explanation_is(tap, &e->flow.src))
        e->tap = ANALYSIS_TAP_SENDER;
    else if (explanation_is(tap, &e->flow.dst))
        e->tap = ANALYSIS_TAP_RECEIVER;
    else if (!tap && e->tap == ANALYSIS_TAP_UNKNOWN)
        e->tap = explanation_tap_by_hold(e);
    e->groups = e->tap == ANALYSIS_TAP_SENDER ? e->x.stamped : e->x.passed;
    e->compressed = compression_share(&e->groups, STUDY_EXPLANATION_LEAST_GROUPS);
    if (e->tap == ANALYSIS_TAP_SENDER && !isfinite(e->compressed))
        e->compressed = analysis_flows_fast_acks(f, e->slot);
}

void study_explanation_make(struct study_explanations *x, const struct analysis_flows *f)
{
    size_t slots = analysis_flows_slots(f), capacity = 0, candidates = 0;
    struct analysis_flow flow;
    int64_t largest = 0;
    *x = (struct study_explanations){.flow = memory_zeroed(0, sizeof *x->flow, "explanations")};
    for (size_t i = 0; i < slots; i++)
        if (analysis_flows_look(f, i, &flow) && flow.payload_bytes >= analysis_degree_bulk_bytes(largest)) {
            largest = flow.payload_bytes > largest ? flow.payload_bytes : largest;
            x->flow = memory_grown(x->flow, candidates, &capacity, 64, sizeof *x->flow, "explanations");
            x->flow[candidates++] = (struct study_explanation){.flow = flow, .slot = i};
        }
    analysis_check_capture(f, ANALYSIS_CHECK_TOLERANCE, NULL, &x->hosts);
    /* All that is asked of a flow after each other: a small one's packets pass again for that. */
    for (size_t i = 0; i < candidates; i++)
        if (x->flow[i].flow.payload_bytes >= analysis_degree_bulk_bytes(largest)) {
            flow = x->flow[i].flow;
            x->flow[x->n] = explanation_of_flow(f, x->flow[i].slot, &flow);
            explanation_judged(f, &x->flow[x->n++], &x->hosts);
        }
    x->tap_known = explanation_tap(x, &x->tap);
    for (size_t i = 0; i < x->n; i++) {
        analysis_check_capture_steady(&x->hosts, x->flow[i].slot, &x->flow[i].flow);
        explanation_finish(f, x->tap_known ? &x->tap : NULL, &x->flow[i]);
    }
}

void study_explanation_fini(struct study_explanations *x)
{
    free(x->flow);
    analysis_resources_fini(&x->hosts);
    *x = (struct study_explanations){0};
}

void study_explanation_say(const struct study_explanation *e, char text[static STUDY_EXPLANATION_TEXT])
{
    if (!isfinite(e->rtt_s)) {
        snprintf(text, STUDY_EXPLANATION_TEXT, "%s",
                 isfinite(e->x.wait_s[ANALYSIS_LEG_DATA_OUT])
                     ? "its ACKs are not in the capture, or echo no timestamp: nothing to split its round trip by"
                     : "no timestamps to split its round trip by");
        return;
    }
    int n = snprintf(text, STUDY_EXPLANATION_TEXT, "round trip %.1f ms; ", e->rtt_s * 1e3);
    char *rest = text + n;
    size_t room = STUDY_EXPLANATION_TEXT - (size_t)n;
    bool costs = !e->judged || e->answer != JUDGE_ANSWER_NO, acks = e->ack_share >= STUDY_EXPLANATION_MOSTLY;
    if (e->limit == ANALYSIS_LIMIT_LOSS)
        snprintf(rest, room, "losses set its rate (%" PRIu32 " loss events)", e->flow.steady_loss_events);
    else if (e->limit == ANALYSIS_LIMIT_APPLICATION && !(costs && acks))
        snprintf(rest, room, "its application sends no more");
    else if (acks)
        snprintf(rest, room, "its ACKs wait behind other data for %.1f ms%s%s", e->ack_wait_s * 1e3,
                 costs ? "" : ", at no cost: ", costs ? "" : judge_cause(e->cause)->meaning);
    else if (e->data_wait_s >= STUDY_EXPLANATION_MOSTLY * e->rtt_s)
        snprintf(rest, room, "its data wait for %.1f ms%s", e->data_wait_s * 1e3,
                 e->ack_share < 0.1 ? ", its ACKs hardly do" : "");
    else if (e->compressed >= BURSTS && costs)
        snprintf(rest, room, "its ACKs come in bursts (%.0f %% of groups compressed): between them links may run dry",
                 100 * e->compressed);
    else
        snprintf(rest, room, "data and ACKs wait alike, or hardly at all");
}

void study_explanation_phases(const struct study_explanation *e, char text[static STUDY_EXPLANATION_TEXT])
{
    text[0] = '\0';
    for (size_t i = 0; e->n_phases > 1 && i < e->n_phases; i++)
        text_add(text, STUDY_EXPLANATION_TEXT, "%s%s to %.3f s", i == 0 ? "limited by: " : ", ",
                 analysis_limit_name(e->phases[i].limit), e->phases[i].end_s);
}
