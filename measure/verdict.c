/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/verdict.h"

#include "judge/posterior.h"
#include "judge/trial.h"

#define VERDICT_ASKED 0.9    /* of what the servers allow: carried */
#define IDLE 0.8     /* of the time busy: less, and the sender's program had nothing to send */
#define PROCESSOR 0.9 /* of a processor: this program is what is slow */
#define NO_QUEUE 1.25 /* times the least round trip, and as many seconds: it is no queue that loses */
#define NO_QUEUE_S 0.002

/* A direction of a test. */
struct verdict_side {
    const struct measure_summary_way *way, *other; /* by kind */
    enum measure_kind alone, back; /* itself; the one that its ACKs go */
    double floor_s;
    bool full;
};

static struct verdict_side verdict_side(const struct measure_summary *s, bool incoming)
{
    return incoming ? (struct verdict_side){s->in, s->out, MEASURE_IN, MEASURE_OUT, s->floor_in_s, s->full_in}
                    : (struct verdict_side){s->out, s->in, MEASURE_OUT, MEASURE_IN, s->floor_out_s, s->full_out};
}

/* Of its ACKs with both at once: what goes their way waits so long, and no longer than its round trip is beyond the
 * least, less its own queue and the time of a full frame there, as the least is that of a SYN. */
static double side_ack_wait_s(const struct measure_summary *s, const struct verdict_side *x)
{
    const struct measure_way *both = &x->way[MEASURE_BOTH].mean;
    double beyond_s = both->rtt_s - x->floor_s, wait_s = x->other[MEASURE_BOTH].mean.wait_s;
    if (s->words && isfinite(both->wait_s))
        beyond_s -= both->wait_s + judge_trial_frame_s(x->way[x->alone].rate_bps.value);
    return fmax(0, isfinite(wait_s) ? fmin(wait_s, beyond_s) : (double)NAN);
}

/* What holds a direction that is alone, by TCP_INFO of its senders. */
static enum judge_cause side_limit(const struct measure_summary *s, const struct verdict_side *x)
{
    const struct measure_way *alone = &x->way[x->alone].mean;
    if (alone->busy < IDLE || s->processor > PROCESSOR ||
        (s->limit_bps > 0 && alone->rate_bps > VERDICT_ASKED * s->limit_bps * (double)alone->flows))
        return JUDGE_CAUSE_APPLICATION;
    if (alone->rwnd_limited > MEASURE_HELD)
        return JUDGE_CAUSE_WINDOW;
    if (alone->sndbuf_limited > MEASURE_HELD)
        return JUDGE_CAUSE_SEND_BUFFER;
    if (alone->retransmitted > JUDGE_LOSSY && alone->rtt_s < NO_QUEUE * x->floor_s + NO_QUEUE_S)
        return JUDGE_CAUSE_LOSSES;
    return x->full ? JUDGE_CAUSE_FULL : JUDGE_CAUSE_UNKNOWN;
}

static double change(const struct measure_way *w)
{
    return w->early_bps > 0 ? w->late_bps / w->early_bps : (double)NAN;
}

static void verdict_trial(const struct measure_summary *s, bool incoming, struct judge_trial_way *w)
{
    struct verdict_side x = verdict_side(s, incoming);
    const struct measure_way *alone = &x.way[x.alone].mean, *both = &x.way[MEASURE_BOTH].mean;
    *w = (struct judge_trial_way){
        .alone_bps = x.way[x.alone].rate_bps.value,
        .possible_bps = incoming ? s->possible_in_bps : s->possible_out_bps,
        .lost = incoming ? s->lost_in : s->lost_out,
        .least = incoming ? s->least_in : s->least_out,
        .full = side_limit(s, &x) == JUDGE_CAUSE_FULL,
        .growth = x.way[x.alone].growth,
        .catches_up = change(both) / change(alone),
        .pace_bps = incoming ? s->pace_in_bps : s->pace_out_bps,
        .paced_bps = incoming ? s->paced_in_bps : s->paced_out_bps,
        .again = both->retransmitted,
        .alone_again = alone->retransmitted,
        .paced_again = x.way[MEASURE_PACED].mean.retransmitted,
        .window_bytes = both->window_bytes,
        .alone_window_bytes = alone->window_bytes,
        .acks_bps = x.other[x.back].mean.acks_bps,
        .wait_s = both->wait_s,
        .most_wait_s = both->most_wait_s,
        .back_wait_s = x.way[x.back].mean.wait_s,
    };
}

/* Its flows, alike. */
static void verdict_flows(const struct measure_summary *s, bool incoming, struct judge_flow *flow, size_t n)
{
    struct verdict_side x = verdict_side(s, incoming);
    const struct measure_way *both = &x.way[MEASURE_BOTH].mean;
    double ack_wait_s = side_ack_wait_s(s, &x);
    enum judge_cause limit = side_limit(s, &x);
    if (limit == JUDGE_CAUSE_FULL && both->retransmitted > JUDGE_LOSSY && (incoming ? s->lost_in : s->lost_out).value > JUDGE_DIAGNOSIS_TOTAL)
        limit = JUDGE_CAUSE_LOSSES;
    for (size_t i = 0; i < n; i++)
        flow[i] = (struct judge_flow){
            .incoming = incoming, .known = limit, .rate_bps = x.way[MEASURE_BOTH].rate_bps.value / (double)n,
            .floor_s = x.floor_s, .ack_wait_s = ack_wait_s, .most_bps = INFINITY, .window_bps = INFINITY, .clocked = NAN,
            .data_wait_s = isfinite(both->rtt_s) ? fmax(0, both->rtt_s - x.floor_s - ack_wait_s) : (double)NAN,
            .sender = {.tight_share = NAN, .free_bps = NAN}};
}

/* What a direction carries alone its link has, if it fills it. */
static void verdict_link(const struct verdict_side *x, struct judge_link *l)
{
    *l = (struct judge_link){.capacity_bps = NAN, .source = JUDGE_CAPACITY_UNKNOWN, .drain_s = INFINITY};
    if (x->full) {
        l->capacity_bps = (JUDGE_FULL + JUDGE_AROUND) / JUDGE_FULL * x->way[x->alone].rate_bps.value;
        l->source = JUDGE_CAPACITY_QUEUE;
    }
}

void measure_verdict_decide(const struct measure_summary *s, struct judge_diagnosis *d)
{
    struct verdict_side in = verdict_side(s, true), out = verdict_side(s, false);
    size_t n_in = in.way[MEASURE_BOTH].mean.flows, n_out = out.way[MEASURE_BOTH].mean.flows;
    MEMORY_LOCAL struct judge_flow *flow = memory_zeroed(n_in + n_out, sizeof *flow, "flows");
    struct judge_trial trial = {.lost = s->lost, .least = s->least, .order = s->order, .transfer_s = s->transfer_s,
                                .words = s->words};
    struct judge_facts facts = {.flow = flow, .n = n_in + n_out, .full_bytes = JUDGE_FULL, .segments_per_ack = 1,
                                .beside = true, .trial = &trial};
    verdict_flows(s, true, flow, n_in);
    verdict_flows(s, false, flow + n_in, n_out);
    verdict_link(&in, &facts.in);
    verdict_link(&out, &facts.out);
    verdict_trial(s, true, &trial.in);
    verdict_trial(s, false, &trial.out);
    judge_posterior_decide(&(struct judge_case){&facts, 1}, 1, d);
}

/* The k-th flow of phases with both at once. */
static void verdict_flow(const struct measure_test *t, const struct measure_summary *s, size_t k, const char *host,
                         const char *server, struct analysis_check_flow *flow)
{
    double rates[MEASURE_BLOCKS] = {0}, window = 0;
    size_t n = 0;
    const struct measure_end *end = NULL;
    int64_t retransmitted = 0;
    for (size_t p = 0; p < t->n && n < MEASURE_BLOCKS; p++) {
        struct measure_way w;
        if (t->phase[p].kind != MEASURE_BOTH)
            continue;
        end = &t->phase[p].end[k];
        measure_figures_end(&t->phase[p], end, &w);
        const struct measure_samples *sender = measure_end_sender(end);
        retransmitted += sender->n ? sender->sample[sender->n - 1].retransmitted : 0;
        rates[n++] = w.rate_bps;
        window += (w.window_bytes - window) / (double)n;
    }
    struct estimate rate = estimate_mean(rates, n);
    struct verdict_side x = verdict_side(s, end && end->incoming);
    *flow = (struct analysis_check_flow){
        .incoming = end && end->incoming, .rate_bps = fmax(rate.value, 1), .ci95_bps = rate.ci95,
        .window_bytes = window, .buffer_bytes = NAN, .retransmitted_segments = retransmitted,
        .loss_events = ANALYSIS_CHECK_LOSS_UNKNOWN, .floor_s = x.floor_s, .ack_wait_s = side_ack_wait_s(s, &x)};
    flow->data_wait_s = fmax(0, x.way[MEASURE_BOTH].mean.rtt_s - flow->floor_s - flow->ack_wait_s);
    snprintf(flow->src, sizeof flow->src, "%s", flow->incoming ? server : host);
    snprintf(flow->dst, sizeof flow->dst, "%s", flow->incoming ? host : server);
}

void measure_verdict_of(const struct measure_test *t, const struct measure_summary *s, const char *host,
                        const char *const *server, struct analysis_resource *r)
{
    *r = (struct analysis_resource){.n = (t->in + t->out) * (t->streams ? t->streams : 1), .end_s = t->took_s,
                                    .diagnosed = true, .live = true};
    snprintf(r->host, sizeof r->host, "%s", host);
    r->flows = memory_zeroed(r->n, sizeof *r->flows, "flows");
    const struct measure_phase *both = NULL;
    for (size_t p = 0; p < t->n; p++)
        both = t->phase[p].kind == MEASURE_BOTH ? &t->phase[p] : both;
    for (size_t k = 0; both && k < r->n; k++)
        verdict_flow(t, s, k, host, server[both->end[k].host], &r->flows[k]);
    measure_verdict_decide(s, &r->diagnosis);
    analysis_check_resource(r->flows, r->n, NULL, ANALYSIS_CHECK_TOLERANCE, &r->judgement);
}
