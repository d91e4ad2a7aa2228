/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/foreign.h"

#include "base/text.h"
#include "base/units.h"
#include "judge/posterior.h"
#include "measure/verdict.h"

#define SETTLES 0.2    /* of a test is left out */
#define PIECES 4       /* of the rest */
#define ACK_SHARE (MEASURE_ACK_WIRE / (2 * JUDGE_FULL)) /* of the payload acknowledged, at most */
#define LEAST 0.1      /* of what a direction carries alone is possible beside ACKs */
#define PACE_LEAST 0.5 /* of what is possible: less shows nothing */
#define PACE_BOTH 1.5  /* shares of what is possible, added: less may pass one medium, by turns */
#define ASKED 0.97     /* of the pace: carried */
#define LEAST_S 0.001  /* a round trip that nobody knows */
#define SAME 0.85      /* of what it carries alone */
#define FREE_ENDS 0.2  /* of the time held by a window of the ends, or less */
#define SERIES (MEASURE_FOREIGN_MOST * PIECES)

/* Phases of a kind, one direction. */
struct side {
    struct estimate_running rtt_s, retransmitted, rwnd, sndbuf, busy;
    double piece_bps[SERIES], pace_bps;
    size_t pieces, phases, flows, most_flows;
    double sum_bps; /* of the phases' rates */
    double again;
    bool unsampled; /* some flow has a mean only */
};

struct path {
    const char *host;
    const struct foreign_test *test[MEASURE_FOREIGN_MOST];
    size_t phase[MEASURE_FOREIGN_MOST], n; /* number of the phase */
    enum measure_kind kind[MEASURE_FOREIGN_MOST];
    bool left_out[MEASURE_FOREIGN_MOST];
    struct side side[2][MEASURE_KINDS]; /* out, in */
    double floor_s, processor;
    bool least_known, unrated;
};

static bool foreign_touches(const struct foreign_test *t, const char *host)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->flow[i].from, host) != 0 && strcmp(t->flow[i].to, host) != 0)
            return false;
    return t->n > 0;
}

static size_t foreign_flows_at(const struct foreign_test *tests, const bool *taken, size_t n, const char *host)
{
    size_t flows = 0;
    for (size_t i = 0; i < n; i++)
        flows += !taken[i] && foreign_touches(&tests[i], host) ? tests[i].n : 0;
    return flows;
}

/* NULL: no test is left. A host of all flows of a test is one of its first flow. */
static const char *foreign_shared_host(const struct foreign_test *tests, const bool *taken, size_t n)
{
    const char *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        if (taken[i] || tests[i].n == 0)
            continue;
        const char *hosts[] = {tests[i].host, tests[i].flow->from, tests[i].flow->to};
        for (size_t k = 0; k < sizeof hosts / sizeof *hosts; k++) {
            size_t flows = foreign_flows_at(tests, taken, n, hosts[k]);
            best = flows > most ? hosts[k] : best;
            most = flows > most ? flows : most;
        }
    }
    return best;
}

/* Numbers phases, by their first tests. */
static void path_phases(struct path *p)
{
    for (size_t i = 0; i < p->n; i++) {
        p->phase[i] = i;
        for (size_t k = i; k-- > 0;)
            if (foreign_test_together(p->test[k], p->test[i]))
                p->phase[i] = p->phase[k];
    }
}

static bool path_incoming(const struct path *p, const struct foreign_flow *f)
{
    return strcmp(f->to, p->host) == 0;
}

/* What a phase is: which ways data go, and whether all flows have a pace. */
static enum measure_kind path_kind_of(const struct path *p, size_t phase, bool *paced)
{
    bool ways[2] = {false, false};
    *paced = true;
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; p->phase[i] == phase && k < p->test[i]->n; k++) {
            const struct foreign_flow *f = &p->test[i]->flow[k];
            ways[path_incoming(p, f)] = true;
            *paced = *paced && f->pace_bps > 0;
        }
    return ways[0] && ways[1] ? MEASURE_BOTH : ways[1] ? MEASURE_IN : MEASURE_OUT;
}

/* Where both go without a pace, those with one are a phase of their own, and a direction alone with one shows nothing;
 * else a pace is what the applications send. */
static void path_kinds(struct path *p)
{
    bool free_both = false, free_alone = false, paced;
    for (size_t i = 0; i < p->n; i++) {
        p->kind[i] = path_kind_of(p, p->phase[i], &paced);
        bool both = p->kind[i] == MEASURE_BOTH;
        free_both = free_both || (both && !paced);
        free_alone = free_alone || (!both && !paced);
    }
    for (size_t i = 0; i < p->n; i++) {
        path_kind_of(p, p->phase[i], &paced);
        bool both = p->kind[i] == MEASURE_BOTH;
        if (both && paced && (free_both || free_alone))
            p->kind[i] = MEASURE_PACED;
        p->left_out[i] = !both && paced && (free_both || free_alone);
    }
}

static void side_add(struct estimate_running *r, double value)
{
    if (isfinite(value))
        estimate_add(r, value);
}

static void side_flow(struct side *x, const struct foreign_test *t, const struct foreign_flow *f, size_t first)
{
    double from_s = t->from_s + SETTLES * (t->to_s - t->from_s), piece_s = (t->to_s - from_s) / PIECES;
    double rate_bps = foreign_test_rate_bps(f, from_s, t->to_s);
    for (size_t k = 0; k < PIECES; k++) {
        double at_s = from_s + (double)k * piece_s;
        double bps = foreign_test_rate_bps(f, at_s, at_s + piece_s);
        x->piece_bps[first + k] += isfinite(bps) ? bps : 0;
        x->unsampled = x->unsampled || f->n < 2 * PIECES;
    }
    x->sum_bps += isfinite(rate_bps) ? rate_bps : f->mean_bps;
    side_add(&x->rtt_s, f->rtt_s);
    side_add(&x->retransmitted, f->retransmitted);
    side_add(&x->rwnd, f->rwnd_limited);
    side_add(&x->sndbuf, f->sndbuf_limited);
    side_add(&x->busy, f->busy);
    x->again += f->segments_again > 0 ? f->segments_again : 0;
    x->pace_bps += f->pace_bps;
    x->flows++;
}

/* One direction of a phase. */
static void path_phase(struct path *p, size_t phase, bool incoming)
{
    struct side *x = &p->side[incoming][p->kind[phase]];
    size_t first = x->pieces;
    x->flows = 0;
    for (size_t i = phase; i < p->n; i++)
        for (size_t k = 0; p->phase[i] == phase && k < p->test[i]->n; k++)
            if (path_incoming(p, &p->test[i]->flow[k]) == incoming)
                side_flow(x, p->test[i], &p->test[i]->flow[k], first);
    if (x->flows == 0)
        return;
    x->pieces += PIECES;
    x->phases++;
    x->most_flows = x->flows > x->most_flows ? x->flows : x->most_flows;
}

static void path_sides(struct path *p)
{
    p->floor_s = p->processor = NAN;
    for (size_t i = 0; i < p->n; i++) {
        if (p->phase[i] == i && !p->left_out[i]) {
            path_phase(p, i, false);
            path_phase(p, i, true);
        }
        p->processor = fmax(p->processor, p->test[i]->processor);
        p->unrated = p->unrated || p->test[i]->unrated;
        for (size_t k = 0; k < p->test[i]->n; k++) {
            p->floor_s = fmin(p->floor_s, p->test[i]->flow[k].least_rtt_s);
            p->least_known = p->least_known || p->test[i]->flow[k].least_known;
        }
    }
}

static double side_mean(const struct estimate_running *r, double unknown)
{
    return r->n > 0 ? r->mean : unknown;
}

static struct estimate side_rate(const struct side *x)
{
    struct estimate rate = estimate_mean(x->piece_bps, x->pieces);
    double mean_bps = x->phases ? x->sum_bps / (double)x->phases : 0;
    return x->unsampled || x->phases == 0 ? (struct estimate){mean_bps, NAN, NAN} : rate;
}

/* As measure/summary.h has it. A window is what is in flight, by Little's law; busy unless that is known, or a pace was
 * kept. */
static void path_way(const struct path *p, bool incoming, enum measure_kind kind, struct measure_summary_way *w)
{
    const struct side *x = &p->side[incoming][kind], *other = &p->side[!incoming][kind];
    double rtt_s = side_mean(&x->rtt_s, side_mean(&other->rtt_s, NAN));
    double pace_bps = x->phases ? x->pace_bps / (double)x->phases : 0;
    *w = (struct measure_summary_way){.rate_bps = side_rate(x)};
    double bps = w->rate_bps.value;
    w->mean = (struct measure_way){
        .flows = x->most_flows, .rate_bps = bps, .early_bps = bps, .late_bps = bps, .acks_bps = ACK_SHARE / 2 * bps,
        .rtt_s = rtt_s, .window_bytes = bps / 8 * rtt_s,
        .busy = pace_bps > 0 && bps >= ASKED * pace_bps ? 0 : side_mean(&x->busy, 1),
        .rwnd_limited = side_mean(&x->rwnd, 0), .sndbuf_limited = side_mean(&x->sndbuf, 0),
        .retransmitted = side_mean(&x->retransmitted, 0), .wait_s = NAN};
}

static bool foreign_waits(const struct measure_way *w, double floor_s)
{
    return measure_summary_waits(w->rtt_s - floor_s, floor_s);
}

/* Does it fill its link alone? Where no round trip is known (iperf3 -R): if with both at once, when data wait, it carries
 * as much. */
static bool foreign_full(const struct measure_way *alone, const struct measure_way *both, double floor_s)
{
    bool same = isnan(alone->rtt_s) && both->rate_bps > SAME * alone->rate_bps && foreign_waits(both, floor_s);
    bool waits = same || foreign_waits(alone, floor_s);
    return alone->busy > 0 && alone->rwnd_limited < FREE_ENDS && alone->sndbuf_limited < FREE_ENDS &&
           (waits || alone->retransmitted > 0);
}

/* What a direction may carry beside the other's ACKs, with half of what is not known of these. */
static struct estimate foreign_possible(const struct measure_summary_way *alone, const struct measure_summary_way *other,
                                        bool full)
{
    struct estimate e = alone->rate_bps;
    double acks_bps = full ? ACK_SHARE / 2 * other->rate_bps.value : 0;
    double bps = fmax(e.value - acks_bps, LEAST * e.value);
    return (struct estimate){bps, NAN, e.ci95 + e.value - bps};
}

static struct estimate foreign_lost(struct estimate both, struct estimate possible)
{
    double carried = both.value / possible.value;
    double ci95 = carried * hypot(both.ci95 / both.value, possible.ci95 / possible.value);
    return (struct estimate){1 - carried, ci95 / 2, ci95};
}

static struct estimate foreign_sum(struct estimate a, struct estimate b)
{
    return (struct estimate){a.value + b.value, NAN, hypot(a.ci95, b.ci95)};
}

/* How long words that go the ACKs' way of a direction wait there: head of measure/foreign.h. */
static double foreign_ack_wait_s(const struct measure_summary_way *both, const struct measure_summary_way *alone,
                                 double floor_s)
{
    double rtt_s = both->mean.rtt_s, share = fmin(1, both->rate_bps.value / alone->rate_bps.value);
    return fmax(0, rtt_s - floor_s - share * rtt_s / 2);
}

static void path_pace(const struct path *p, struct measure_summary *s)
{
    const struct side *in = &p->side[1][MEASURE_PACED], *out = &p->side[0][MEASURE_PACED];
    double in_bps = in->phases ? in->pace_bps / (double)in->phases : 0;
    double out_bps = out->phases ? out->pace_bps / (double)out->phases : 0;
    double in_share = in_bps / s->possible_in_bps, out_share = out_bps / s->possible_out_bps;
    if (!(fmin(in_share, out_share) >= PACE_LEAST && fmin(1, in_share) + fmin(1, out_share) >= PACE_BOTH))
        return;
    s->pace_in_bps = in_bps;
    s->pace_out_bps = out_bps;
    s->paced_in_bps = s->in[MEASURE_PACED].rate_bps.value;
    s->paced_out_bps = s->out[MEASURE_PACED].rate_bps.value;
}

static void path_summary(const struct path *p, struct measure_summary *s)
{
    *s = (struct measure_summary){.in_flows = p->side[1][MEASURE_BOTH].most_flows,
                                  .out_flows = p->side[0][MEASURE_BOTH].most_flows, .floor_in_s = p->floor_s,
                                  .floor_out_s = p->floor_s, .processor = fmax(0, p->processor)};
    for (int kind = 0; kind < MEASURE_KINDS; kind++) {
        path_way(p, true, (enum measure_kind)kind, &s->in[kind]);
        path_way(p, false, (enum measure_kind)kind, &s->out[kind]);
    }
    s->full_in = foreign_full(&s->in[MEASURE_IN].mean, &s->in[MEASURE_BOTH].mean, p->floor_s);
    s->full_out = foreign_full(&s->out[MEASURE_OUT].mean, &s->out[MEASURE_BOTH].mean, p->floor_s);
    struct estimate in = foreign_possible(&s->in[MEASURE_IN], &s->out[MEASURE_OUT], s->full_in);
    struct estimate out = foreign_possible(&s->out[MEASURE_OUT], &s->in[MEASURE_IN], s->full_out);
    s->possible_in_bps = in.value;
    s->possible_out_bps = out.value;
    s->lost_in = foreign_lost(s->in[MEASURE_BOTH].rate_bps, in);
    s->lost_out = foreign_lost(s->out[MEASURE_BOTH].rate_bps, out);
    s->lost = foreign_lost(foreign_sum(s->in[MEASURE_BOTH].rate_bps, s->out[MEASURE_BOTH].rate_bps),
                           foreign_sum(in, out));
    s->least_in = s->lost_in, s->least_out = s->lost_out, s->least = s->lost; /* ACKs are in the intervals */
    s->out[MEASURE_BOTH].mean.wait_s = foreign_ack_wait_s(&s->in[MEASURE_BOTH], &s->in[MEASURE_IN], p->floor_s);
    s->in[MEASURE_BOTH].mean.wait_s = foreign_ack_wait_s(&s->out[MEASURE_BOTH], &s->out[MEASURE_OUT], p->floor_s);
    path_pace(p, s);
}

static bool path_has(const struct path *p, bool incoming, enum measure_kind kind)
{
    return p->side[incoming][kind].phases > 0;
}

/* Phases of one direction alone have as many flows as it has with both. */
static bool path_alike(const struct path *p)
{
    return p->side[1][MEASURE_IN].most_flows == p->side[1][MEASURE_BOTH].most_flows &&
           p->side[0][MEASURE_OUT].most_flows == p->side[0][MEASURE_BOTH].most_flows;
}

/* What would settle it. */
static void foreign_open(const struct measure_summary *s, struct judge_diagnosis *d)
{
    char lost[64]; /* without an interval, where a kind of test has one figure, as of ss */
    snprintf(lost, sizeof lost, isfinite(s->lost.ci95) ? "%.0f %% are lost (+- %.0f)" : "%.0f %% are lost",
             100 * s->lost.value, 100 * s->lost.ci95);
    bool in = s->lost_in.value >= s->lost_out.value, surely = s->lost.value - s->lost.ci95 > JUDGE_DIAGNOSIS_TOTAL;
    double worst = 100 * (in ? s->lost_in.value : s->lost_out.value);
    surely = surely || s->lost_in.value - s->lost_in.ci95 > JUDGE_DIAGNOSIS_DIRECTION ||
             s->lost_out.value - s->lost_out.ci95 > JUDGE_DIAGNOSIS_DIRECTION;
    if (!surely)
        snprintf(d->why, sizeof d->why, "%s: with both at once %s, of data %s %.0f %%: longer tests, or repeated ones, "
                 "would tell", isfinite(s->lost.ci95) ? "rates vary too much" : "single figures have no interval", lost,
                 in ? "in" : "out", worst);
    else if (!(s->pace_in_bps > 0))
        snprintf(d->why, sizeof d->why, "with both at once %s, of data %s %.0f %%; whether ACKs "
                 "that wait are why shows when both are paced: iperf3 -l 8K -b %sM in and, at once, -b %sM out",
                 lost, in ? "in" : "out", worst, UNITS_FIGURE(0.9e-6 * s->possible_in_bps, 3),
                 UNITS_FIGURE(0.9e-6 * s->possible_out_bps, 3));
    else if (s->paced_in_bps < 0.9 * s->pace_in_bps || s->paced_out_bps < 0.9 * s->pace_out_bps)
        snprintf(d->why, sizeof d->why, "with both at once %s, but paced, when no ACK has to "
                 "wait, they bring %s in and %s out of %s and %s Mb/s: losses, or a path that carries no more",
                 lost, UNITS_FIGURE(s->paced_in_bps / 1e6, 3), UNITS_FIGURE(s->paced_out_bps / 1e6, 3),
                 UNITS_FIGURE(s->pace_in_bps / 1e6, 3), UNITS_FIGURE(s->pace_out_bps / 1e6, 3));
    else
        snprintf(d->why, sizeof d->why, "with both at once %s, of data %s %.0f %%, but how long "
                 "their ACKs wait, by the round trips in these files, does not explain that",
                 lost, in ? "in" : "out", worst);
}

static void path_carried(const struct path *p, enum measure_kind kind, struct judge_diagnosis *d)
{
    for (int incoming = 0; incoming < 2; incoming++) {
        struct judge_way *w = incoming ? &d->in : &d->out;
        const struct side *x = &p->side[incoming][kind];
        *w = (struct judge_way){
            .flows = x->most_flows, .carried_bps = side_rate(x).value, .possible_bps = NAN, .room_bps = NAN,
            .lost_share = NAN, .capacity_bps = NAN, .source = JUDGE_CAPACITY_UNKNOWN, .acks_bps = NAN,
            .data_wait_s = NAN, .ack_wait_s = NAN, .floor_s = p->floor_s};
    }
    d->lost_share = d->ci95 = NAN;
}

/* What is known of a direction with both at once: whether it got what it was asked to carry; what it waits beyond the
 * least round trip, by any queue, unless a window keeps one as long as it is. `empty`: as if queues were. */
static void path_flows(const struct path *p, bool incoming, bool empty, struct judge_flow *flow, size_t n)
{
    const struct side *x = &p->side[incoming][MEASURE_BOTH], *other = &p->side[!incoming][MEASURE_BOTH];
    double rtt_s = side_mean(&x->rtt_s, side_mean(&other->rtt_s, NAN)); /* iperf3 has the one that its host sends */
    double again = side_mean(&x->retransmitted, side_mean(&other->retransmitted, 0));
    bool floor = p->least_known && side_mean(&x->rwnd, 0) < FREE_ENDS && side_mean(&x->sndbuf, 0) < FREE_ENDS &&
                 side_mean(&other->rwnd, 0) < FREE_ENDS && side_mean(&other->sndbuf, 0) < FREE_ENDS;
    double wait_s = empty ? 0 : floor ? fmax(0, rtt_s - p->floor_s) : (double)NAN;
    bool asked = x->pace_bps > 0 && x->sum_bps >= ASKED * x->pace_bps;
    for (size_t i = 0; i < n; i++)
        flow[i] = (struct judge_flow){
            .incoming = incoming, .rate_bps = side_rate(x).value / (double)n,
            .floor_s = empty && !isfinite(p->floor_s) ? LEAST_S : p->floor_s,
            .known = asked             ? JUDGE_CAUSE_APPLICATION
                     : again > JUDGE_LOSSY ? JUDGE_CAUSE_LOSSES
                                       : JUDGE_CAUSE_UNKNOWN,
            .data_wait_s = wait_s, .unplaced_s = wait_s, .most_bps = INFINITY, .window_bps = INFINITY, .clocked = NAN,
            .sender = {.tight_share = NAN, .free_bps = NAN}};
}

/* With both at once, and nothing to compare it with: what passes alone is known of it. */
static void foreign_alone(const struct path *p, struct judge_diagnosis *d)
{
    const struct judge_link none = {.capacity_bps = NAN, .source = JUDGE_CAPACITY_UNKNOWN, .drain_s = INFINITY};
    size_t n_in = p->side[1][MEASURE_BOTH].most_flows, n_out = p->side[0][MEASURE_BOTH].most_flows;
    struct judge_facts facts[2]; /* what waits may be what ACKs wait, or nothing that any order of service spares */
    struct judge_case cases[2];
    struct judge_flow *flow[2];
    for (int i = 0; i < 2; i++) {
        flow[i] = memory_zeroed(n_in + n_out, sizeof *flow[i], "flows");
        facts[i] = (struct judge_facts){.flow = flow[i], .n = n_in + n_out, .in = none, .out = none, .full_bytes = JUDGE_FULL,
                                        .segments_per_ack = 2, .beside = true, .ci95_bps = NAN};
        cases[i] = (struct judge_case){&facts[i], 1};
        path_flows(p, true, i == 1, flow[i], n_in);
        path_flows(p, false, i == 1, flow[i] + n_in, n_out);
    }
    judge_posterior_decide(cases, 2, d);
    for (int i = 0; i < 2; i++)
        free(flow[i]);
    if (d->answer != JUDGE_ANSWER_UNKNOWN)
        return;
    double rtt_s = side_mean(&p->side[0][MEASURE_BOTH].rtt_s, side_mean(&p->side[1][MEASURE_BOTH].rtt_s, NAN));
    snprintf(d->why, sizeof d->why, "%.1f Mb/s pass in and %.1f out at once", d->in.carried_bps / 1e6,
             d->out.carried_bps / 1e6);
    if (isfinite(rtt_s - p->floor_s))
        text_add(d->why, sizeof d->why, ", in round trips of %s ms, %s at least", UNITS_FIGURE(1e3 * rtt_s, 3),
                 UNITS_FIGURE(1e3 * p->floor_s, 3));
    text_add(d->why, sizeof d->why, "; what each direction carries alone%s would tell: iperf3 -R, and iperf3",
             path_has(p, true, MEASURE_IN) && path_has(p, false, MEASURE_OUT) ? ", in as many flows," : "");
}

static void foreign_not_both(const struct path *p, struct judge_diagnosis *d)
{
    bool in = path_has(p, true, MEASURE_IN), out = path_has(p, false, MEASURE_OUT);
    path_carried(p, in ? MEASURE_IN : MEASURE_OUT, d);
    d->out.carried_bps = side_rate(&p->side[0][MEASURE_OUT]).value;
    d->out.flows = p->side[0][MEASURE_OUT].most_flows;
    const char *besides = p->unrated ? ", but for data in at an unknown rate" : "";
    if (in && out)
        snprintf(d->why, sizeof d->why, "%.1f Mb/s pass in and %.1f out, each alone%s; a test of both at once would "
                 "tell: iperf3 --bidir", d->in.carried_bps / 1e6, d->out.carried_bps / 1e6, besides);
    else
        snprintf(d->why, sizeof d->why, "%.1f Mb/s pass %s%s; a test of both at once, and one of each way, would tell: "
                 "iperf3 --bidir, iperf3 -R, iperf3", (in ? d->in : d->out).carried_bps / 1e6, in ? "in" : "out", besides);
}

static void path_diagnose(const struct path *p, struct judge_diagnosis *d)
{
    struct measure_summary s;
    *d = (struct judge_diagnosis){.answer = JUDGE_ANSWER_UNKNOWN, .cause = JUDGE_CAUSE_UNKNOWN,
                                     .possible_from = JUDGE_POSSIBLE_MEASURED, .probability = NAN};
    if (!path_has(p, true, MEASURE_BOTH) || !path_has(p, false, MEASURE_BOTH)) {
        foreign_not_both(p, d);
    } else if (!path_has(p, true, MEASURE_IN) || !path_has(p, false, MEASURE_OUT) || !path_alike(p)) {
        foreign_alone(p, d);
    } else {
        path_summary(p, &s);
        measure_verdict_decide(&s, d);
        if (d->answer == JUDGE_ANSWER_UNKNOWN)
            foreign_open(&s, d);
        if (!isfinite(d->in.capacity_bps + d->out.capacity_bps)) /* which one is slow, only both tell */
            d->in.capacity_bps = d->out.capacity_bps = NAN;
    }
}

/* The phase whose flows are shown: with both at once, or the first. */
static size_t path_shown(const struct path *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->kind[i] == MEASURE_BOTH)
            return p->phase[i];
    return 0;
}

static void path_flow(const struct path *p, const struct foreign_test *t, const struct foreign_flow *f,
                      const struct judge_diagnosis *d, struct analysis_check_flow *to)
{
    double from_s = t->from_s + SETTLES * (t->to_s - t->from_s), piece_s = (t->to_s - from_s) / PIECES, bps[PIECES];
    for (int k = 0; k < PIECES; k++)
        bps[k] = foreign_test_rate_bps(f, from_s + k * piece_s, from_s + (k + 1) * piece_s);
    struct estimate rate = estimate_mean(bps, PIECES);
    if (f->n < (size_t)2 * PIECES || !(rate.value > 0))
        rate = (struct estimate){f->mean_bps, NAN, NAN};
    const struct judge_way *w = path_incoming(p, f) ? &d->in : &d->out;
    *to = (struct analysis_check_flow){
        .incoming = path_incoming(p, f), .rate_bps = fmax(rate.value, 1), .ci95_bps = rate.ci95,
        .window_bytes = rate.value / 8 * f->rtt_s, .buffer_bytes = NAN,
        .retransmitted_segments = f->segments_again > 0 ? (int64_t)fmin(f->segments_again, 1e15) : 0,
        .loss_events = ANALYSIS_CHECK_LOSS_UNKNOWN, .floor_s = w->floor_s, .data_wait_s = w->data_wait_s,
        .ack_wait_s = w->ack_wait_s};
    snprintf(to->src, sizeof to->src, "%s", f->from);
    snprintf(to->dst, sizeof to->dst, "%s", f->to);
}

static void path_resource(const struct path *p, struct analysis_resource *r)
{
    size_t shown = path_shown(p), flows = 0;
    *r = (struct analysis_resource){.diagnosed = true, .live = true, .end_s = p->test[shown]->to_s,
                                    .start_s = p->test[shown]->from_s};
    r->steady_start_s = r->start_s + SETTLES * (r->end_s - r->start_s);
    snprintf(r->host, sizeof r->host, "%s", p->host);
    path_diagnose(p, &r->diagnosis);
    for (size_t i = 0; i < p->n; i++)
        flows += p->phase[i] == shown ? p->test[i]->n : 0;
    r->flows = memory_zeroed(flows, sizeof *r->flows, "flows");
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; p->phase[i] == shown && k < p->test[i]->n; k++)
            path_flow(p, p->test[i], &p->test[i]->flow[k], &r->diagnosis, &r->flows[r->n++]);
    analysis_check_resource(r->flows, r->n, NULL, ANALYSIS_CHECK_TOLERANCE, &r->judgement);
}

void measure_foreign_judge(const struct foreign_test *tests, size_t n, struct analysis_resources *all)
{
    MEMORY_LOCAL bool *taken = memory_zeroed(n, sizeof *taken, "tests");
    const char *host;
    while ((host = foreign_shared_host(tests, taken, n))) {
        MEMORY_LOCAL struct path *p = memory_zeroed(1, sizeof *p, "a path");
        p->host = host;
        for (size_t i = 0; i < n; i++)
            if (!taken[i] && p->n < MEASURE_FOREIGN_MOST && foreign_touches(&tests[i], host)) {
                p->test[p->n++] = &tests[i];
                taken[i] = true;
            }
        path_phases(p);
        path_kinds(p);
        path_sides(p);
        all->resource = memory_resized(all->resource, all->n + 1, sizeof *all->resource, "resources");
        path_resource(p, &all->resource[all->n++]);
    }
}
