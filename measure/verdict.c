/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/verdict.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PACE_CARRIED 0.9  /* of the pace asked for: carried */
#define PACE_FAILED 0.85   /* less than that: not */
#define SAME 0.15          /* two sums of one medium differ by less */
#define LIKE 0.5           /* of the other rate, or more */
#define LESS 0.25          /* so little of it still makes a difference */
#define ONE 1.1            /* times what a direction carries alone: as much as that */
#define EXPLAINED 0.5      /* of what is lost, by waiting ACKs */
#define SLOWED 0.05       /* of the round trip are waits of ACKs: enough to end a slow start that looks at delays */
#define SLOWED_OF 0.25    /* of what round trips are longer than the least; else it is a queue of its own that stands */
#define LIKE_WORDS 1.25   /* times as long as that words may wait, or these wait in another queue */
#define LOSSY 0.001       /* of the segments are sent again: losses set a window */
#define SAME_LOSSES 1.1   /* times as many lost in a second as alone, or more: they may be what keeps a window small */
#define FEW_LOSSES 0.0001 /* of the segments that go alone: as good as none */
#define IDLE 0.8           /* of the time busy: less, and the sender's program had nothing to send */
#define PROCESSOR 0.9      /* of a processor: this program is what is slow */
#define FRAMES 1.3         /* that a word may wait for: one that has begun, as others have headers of other lengths */
#define ALONE 0.5          /* of what words wait with both at once: the other direction's data are not why */
#define GROWTH 0.25        /* from half to half of a phase: a connection that still grows */
#define THIN 2.5           /* as analysis/diagnosis.c: so much slower is the slow direction of an access line */
#define FRAME 1538.0         /* bytes on the wire of a full one */
#define WIRE (FRAME / 1448)  /* of a byte of payload in it, with timestamps */

/* One direction, and the one that its ACKs go. */
struct side {
    const struct measure_summary_way *way, *other; /* by kind */
    double floor_s, possible_bps, pace_bps, paced_bps;
    double total_bps; /* possible, of both directions */
    const struct estimate *lost, *least;
    bool full, words, clean; /* clean: paced, both carry what they are asked for, without losses */
    enum measure_kind alone, back; /* itself; the one that its ACKs go */
};

/* What they are asked for is carried. */
static bool verdict_paced(const struct measure_summary *s)
{
    return s->paced_in_bps >= PACE_CARRIED * s->pace_in_bps && s->paced_out_bps >= PACE_CARRIED * s->pace_out_bps &&
           s->pace_in_bps > 0 && s->pace_out_bps > 0;
}

static struct side verdict_side(const struct measure_summary *s, bool incoming)
{
    double total_bps = s->possible_in_bps + s->possible_out_bps;
    bool clean = s->words && verdict_paced(s) && s->in[MEASURE_PACED].mean.retransmitted <= LOSSY &&
                 s->out[MEASURE_PACED].mean.retransmitted <= LOSSY;
    return incoming ? (struct side){s->in, s->out, s->floor_in_s, s->possible_in_bps, s->pace_in_bps, s->paced_in_bps,
                                    total_bps, &s->lost_in, &s->least_in, s->full_in, s->words, clean, MEASURE_IN,
                                    MEASURE_OUT}
                    : (struct side){s->out, s->in, s->floor_out_s, s->possible_out_bps, s->pace_out_bps,
                                    s->paced_out_bps, total_bps, &s->lost_out, &s->least_out, s->full_out, s->words,
                                    clean, MEASURE_OUT, MEASURE_IN};
}

/* Of a full frame, where a direction carries so much goodput. */
static double frame_s(double goodput_bps)
{
    return 8 * FRAME / (WIRE * goodput_bps);
}

/* Of its ACKs with both at once. What round trips are longer than the least has its own queue in it, and the time of a
 * full frame: the least is that of a SYN. */
static double side_ack_wait_s(const struct side *x)
{
    double beyond_s = x->way[MEASURE_BOTH].mean.rtt_s - x->floor_s, wait_s = x->other[MEASURE_BOTH].mean.wait_s;
    if (x->words && isfinite(x->way[MEASURE_BOTH].mean.wait_s))
        beyond_s -= x->way[MEASURE_BOTH].mean.wait_s + frame_s(x->way[x->alone].rate_bps.value);
    return fmax(0, isfinite(wait_s) ? fmin(wait_s, beyond_s) : (double)NAN);
}

/* The same less the frame that the transmitter has begun: no order of service spares that. */
static double side_order_wait_s(const struct side *x)
{
    return fmax(0, side_ack_wait_s(x) - frame_s(x->other[x->back].rate_bps.value));
}

/* T / (T - w): how many times as often a round trip ends, were it not for them; 1 where their wait is not known. */
static double side_sooner(const struct side *x)
{
    double rtt_s = x->way[MEASURE_BOTH].mean.rtt_s;
    return rtt_s / fmax(rtt_s - side_order_wait_s(x), 1e-6);
}

/* What comes back by that at least, with the window that it has; 0 where nothing is lost. */
static double side_back_bps(const struct side *x)
{
    double carried_bps = x->way[MEASURE_BOTH].rate_bps.value, lost_bps = x->possible_bps - carried_bps;
    double back_bps = carried_bps * (side_sooner(x) - 1);
    return lost_bps > 0 && isfinite(back_bps) ? fmin(lost_bps, back_bps) : 0;
}

/* And at most: a window that grows by as much each round trip is so many times larger, too. NAN unknown. */
static double side_most_bps(const struct side *x)
{
    double sooner = isfinite(x->other[MEASURE_BOTH].mean.wait_s) ? side_sooner(x) : (double)NAN;
    return x->way[MEASURE_BOTH].rate_bps.value * (sooner * sooner - 1);
}

/* Are they why its window is small? One that is cut no more often than alone is smaller where round trips are longer:
 * it grows with each of them, and its slow start ends when they become longer (HyStart, Ha and Rhee 2011). One that is
 * cut more often, though paced nothing is lost either way, is cut as ACKs that waited come in bunches, and call for
 * bursts of data. */
static bool side_slowed(const struct side *x)
{
    const struct measure_way *both = &x->way[MEASURE_BOTH].mean, *alone = &x->way[x->alone].mean;
    double wait_s = side_order_wait_s(x), beyond_s = both->rtt_s - x->floor_s;
    bool like_alone = both->retransmitted * both->rate_bps <=
                      (SAME_LOSSES * alone->retransmitted + FEW_LOSSES) * alone->rate_bps;
    return wait_s >= SLOWED * both->rtt_s && wait_s >= SLOWED_OF * beyond_s &&
           x->other[MEASURE_BOTH].mean.wait_s <= LIKE_WORDS * beyond_s && both->window_bytes < alone->window_bytes &&
           (like_alone || x->clean);
}

/* Do its ACKs' waits account for what it loses: with the window that it has they cost as much as makes a yes, or half
 * of it all; or are they why that window is small? */
static bool side_fits(const struct side *x)
{
    double back_bps = side_back_bps(x), lost_bps = x->possible_bps - x->way[MEASURE_BOTH].rate_bps.value;
    return back_bps >= JUDGE_DIAGNOSIS_DIRECTION * x->possible_bps ||
           back_bps >= JUDGE_DIAGNOSIS_TOTAL * x->total_bps || (lost_bps > 0 && back_bps >= EXPLAINED * lost_bps) ||
           side_slowed(x);
}

/* Words that go as its ACKs wait as long with no data before them but its own: the queue is one for both directions,
 * or somebody else's. False where nobody knows. */
static bool side_waits_alone(const struct side *x)
{
    return x->other[x->alone].mean.wait_s > ALONE * x->other[MEASURE_BOTH].mean.wait_s;
}

/* Does a connection that still changes while it is judged lose as much in the second half as in the first? One that
 * catches up with what it carries alone may lose nothing later. */
static bool side_lasts(const struct side *x)
{
    const struct measure_way *alone = &x->way[x->alone].mean, *both = &x->way[MEASURE_BOTH].mean;
    return fabs(x->way[x->alone].growth) <= GROWTH ||
           both->late_bps * alone->early_bps <= both->early_bps * alone->late_bps;
}

static void verdict_way(const struct side *x, struct judge_way *w)
{
    const struct measure_way *both = &x->way[MEASURE_BOTH].mean;
    double alone_bps = x->way[x->alone].rate_bps.value;
    double acks_bps = x->other[x->back].mean.acks_bps;
    *w = (struct judge_way){
        .flows = both->flows,
        .carried_bps = x->way[MEASURE_BOTH].rate_bps.value,
        .possible_bps = x->possible_bps,
        .room_bps = x->possible_bps,
        .lost_share = x->lost->value,
        .capacity_bps = x->full ? WIRE * alone_bps : (double)NAN,
        .source = x->full ? JUDGE_CAPACITY_QUEUE : JUDGE_CAPACITY_UNKNOWN,
        .saturated = x->full && x->lost->value < 0.05,
        .acks_bps = acks_bps,
        .ack_wait_s = side_ack_wait_s(x),
        .floor_s = x->floor_s,
    };
    w->data_wait_s = fmax(0, both->rtt_s - x->floor_s - w->ack_wait_s);
}

/* What holds a direction that is alone. */
static enum judge_cause side_limit(const struct measure_summary *s, const struct side *x)
{
    const struct measure_way *alone = &x->way[x->alone].mean;
    if (alone->busy < IDLE || s->processor > PROCESSOR ||
        (s->limit_bps > 0 && alone->rate_bps > PACE_CARRIED * s->limit_bps * (double)alone->flows))
        return JUDGE_CAUSE_APPLICATION;
    if (alone->rwnd_limited > MEASURE_HELD)
        return JUDGE_CAUSE_WINDOW;
    if (alone->sndbuf_limited > MEASURE_HELD)
        return JUDGE_CAUSE_SEND_BUFFER;
    if (alone->retransmitted > LOSSY && alone->rtt_s < 1.25 * x->floor_s + 0.002)
        return JUDGE_CAUSE_LOSSES;
    return x->full ? JUDGE_CAUSE_FULL : JUDGE_CAUSE_UNKNOWN;
}

static enum judge_cause verdict_limit(const struct measure_summary *s)
{
    struct side in = verdict_side(s, true), out = verdict_side(s, false);
    enum judge_cause limit = side_limit(s, &in);
    return limit == JUDGE_CAUSE_FULL ? side_limit(s, &out) : limit;
}

static bool beyond(const struct estimate *lost, double threshold)
{
    return lost->value - lost->ci95 > threshold; /* an interval that is not known is no proof */
}

static bool verdict_lost(const struct measure_summary *s, const struct side *x)
{
    return beyond(&s->least, JUDGE_DIAGNOSIS_TOTAL) || beyond(x->least, JUDGE_DIAGNOSIS_DIRECTION);
}

/* Do rates depend on who began first, beyond the interval, and so much that it may be all that is lost? One
 * direction loses |e| less when it begins first than when it begins second, so that without the order each would
 * lose |e| / 2 less than the mean over both orders: the loss that remains to who begins first is that of longer
 * transfers at least. Where it makes no yes by itself, what is lost is lost to transfers that last so long, and
 * nobody has seen whether longer ones lose it. */
static bool verdict_young(const struct measure_summary *s, const struct side *x)
{
    double e = fabs(s->order.value);
    return measure_summary_order_matters(s) && !beyond(&s->least, JUDGE_DIAGNOSIS_TOTAL + e / 2) &&
           !beyond(x->least, JUDGE_DIAGNOSIS_DIRECTION + e / 2);
}

static bool below(const struct estimate *lost, double threshold)
{
    return lost->value + lost->ci95 < threshold;
}

static double verdict_both_bps(const struct measure_summary *s)
{
    return s->in[MEASURE_BOTH].rate_bps.value + s->out[MEASURE_BOTH].rate_bps.value;
}

/* Is the path able to carry more both ways at once than it does? Paced, it carries what it is asked for; or this
 * direction has half of what it loses back, and the other one carries what it is asked for, or both together have half
 * of theirs back: one that begins slowly, or loses a little everywhere, may not reach its pace. */
static bool verdict_able(const struct measure_summary *s, const struct side *x)
{
    struct side y = verdict_side(s, x->alone != MEASURE_IN);
    double carried_bps = x->way[MEASURE_BOTH].rate_bps.value, both_bps = verdict_both_bps(s);
    double back_bps = x->paced_bps - carried_bps, all_back_bps = x->paced_bps + y.paced_bps - both_bps;
    bool other = y.paced_bps >= PACE_CARRIED * y.pace_bps;
    bool together = all_back_bps >= EXPLAINED * (x->total_bps - both_bps) &&
                    all_back_bps >= JUDGE_DIAGNOSIS_TOTAL * x->total_bps;
    return verdict_paced(s) ||
           ((other || together) && back_bps >= EXPLAINED * (x->possible_bps - carried_bps) &&
            back_bps >= JUDGE_DIAGNOSIS_DIRECTION * x->possible_bps);
}

/* Both together bring the same sum, whatever their pace; or, as losses may change that, no more than one direction does
 * alone, where two of like rates were asked for, or where words wait as long with x alone. */
static bool verdict_shared(const struct measure_summary *s, const struct side *x)
{
    double paced_bps = s->paced_in_bps + s->paced_out_bps, both_bps = verdict_both_bps(s);
    double one_bps = fmax(s->in[MEASURE_IN].rate_bps.value, s->out[MEASURE_OUT].rate_bps.value);
    double less = fmin(s->pace_in_bps, s->pace_out_bps) / one_bps;
    bool one = paced_bps < ONE * one_bps && both_bps < ONE * one_bps &&
               (less >= LIKE || (less >= LESS && side_waits_alone(x)));
    return paced_bps < PACE_FAILED * (s->pace_in_bps + s->pace_out_bps) &&
           (one || fabs(paced_bps / both_bps - 1) < SAME);
}

/* Whatever is lost: more than that it is not which waits of ACKs cost. */
static bool verdict_waits_little(const struct measure_summary *s)
{
    struct side in = verdict_side(s, true), out = verdict_side(s, false);
    double most_in_bps = side_most_bps(&in), most_out_bps = side_most_bps(&out);
    return most_in_bps < JUDGE_DIAGNOSIS_DIRECTION * s->possible_in_bps &&
           most_out_bps < JUDGE_DIAGNOSIS_DIRECTION * s->possible_out_bps &&
           most_in_bps + most_out_bps < JUDGE_DIAGNOSIS_TOTAL * (s->possible_in_bps + s->possible_out_bps);
}

/* Nor do nine of ten words that go as its data wait longer, for a burst, which ACKs would meet as well and bunch. */
static bool side_waits_never(const struct side *x)
{
    return x->way[MEASURE_BOTH].mean.most_wait_s <= FRAMES * frame_s(x->way[x->alone].rate_bps.value);
}

/* Words, one with another, wait for no more than the frame that has begun, either way: so do ACKs, and there is no data
 * that they might be served before. */
static bool verdict_waits_nowhere(const struct measure_summary *s)
{
    struct side in = verdict_side(s, true), out = verdict_side(s, false);
    return s->words && side_waits_never(&in) && side_waits_never(&out) && !(side_order_wait_s(&in) > 0) &&
           !(side_order_wait_s(&out) > 0);
}

/* Of what is lost: is that to waits of its ACKs? */
static bool verdict_accuses(const struct measure_summary *s, const struct side *x)
{
    return side_lasts(x) && verdict_able(s, x) && side_fits(x) && !side_waits_alone(x) &&
           x->paced_bps > x->way[MEASURE_BOTH].rate_bps.value;
}

/* "for transfers of 1.9 s" */
static void verdict_transfers(const struct measure_summary *s, char text[static 48])
{
    snprintf(text, 48, "for transfers of %.2g s", s->transfer_s);
}

static void verdict_yes(const struct measure_summary *s, const struct side *x, struct judge_diagnosis *d)
{
    double own_bps = x->way[x->alone].rate_bps.value;
    double back_bps = x->other[x->back].rate_bps.value;
    d->answer = JUDGE_ANSWER_YES;
    d->cause = own_bps > THIN * back_bps ? JUDGE_CAUSE_THIN_ACKS : JUDGE_CAUSE_ACKS;
    judge_diagnosis_say(d);
    if (verdict_young(s, x)) {
        char transfers[48], why[sizeof d->why];
        verdict_transfers(s, transfers);
        memcpy(why, d->why, sizeof why);
        *d->why = '\0';
        text_add(d->why, sizeof d->why, "%s %s; who begins first gets %.0f %% more", transfers, why,
                 100 * fabs(s->order.value));
    }
}

static void verdict_no(const struct measure_summary *s, struct judge_diagnosis *d)
{
    d->answer = JUDGE_ANSWER_NO;
    d->cause = verdict_limit(s);
    judge_diagnosis_say(d);
}

/* Of what rates seem to lose while they vary, no more than ACKs' waits can cost. */
static void verdict_bound(const struct side *x, struct judge_way *w)
{
    w->possible_bps = fmin(w->possible_bps, w->carried_bps + side_most_bps(x));
    w->lost_share = 1 - w->carried_bps / w->possible_bps;
}

static void verdict_little(const struct measure_summary *s, struct judge_diagnosis *d)
{
    struct side in = verdict_side(s, true), out = verdict_side(s, false);
    verdict_bound(&in, &d->in);
    verdict_bound(&out, &d->out);
    d->lost_share = 1 - (d->in.carried_bps + d->out.carried_bps) / (d->in.possible_bps + d->out.possible_bps);
    d->ci95 = NAN;
    verdict_no(s, d);
}

/* Much is lost, and none of it to them. */
static void verdict_otherwise(const struct measure_summary *s, const struct side *x, struct judge_diagnosis *d)
{
    verdict_little(s, d);
    if (x->way[MEASURE_BOTH].mean.retransmitted > LOSSY)
        d->cause = JUDGE_CAUSE_LOSSES;
    judge_diagnosis_say(d);
}

/* No order of service would bring more than what is carried. */
static void verdict_shares(struct judge_diagnosis *d)
{
    d->answer = JUDGE_ANSWER_NO;
    d->cause = JUDGE_CAUSE_SHARED;
    d->in.possible_bps = d->in.carried_bps;
    d->out.possible_bps = d->out.carried_bps;
    d->in.lost_share = d->out.lost_share = d->lost_share = 0;
    judge_diagnosis_say(d);
}

/* What the evidence lacks, or is against it. */
static void verdict_open(const struct measure_summary *s, const struct side *x, struct judge_diagnosis *d)
{
    bool lost = verdict_lost(s, x);
    const struct measure_summary_way *alone = &x->way[x->alone];
    char transfers[48];
    verdict_transfers(s, transfers);
    d->answer = JUDGE_ANSWER_UNKNOWN;
    d->cause = JUDGE_CAUSE_UNKNOWN;
    if (!side_lasts(x))
        snprintf(d->why, sizeof d->why, "connections still change when their phase ends, data %s alone from %.3g to "
                 "%.3g Mb/s: a longer --time would tell", measure_kind_names[x->alone], alone->mean.early_bps / 1e6,
                 alone->mean.late_bps / 1e6);
    else if (verdict_young(s, x))
        snprintf(d->why, sizeof d->why, "%s %.0f %% are lost with both at once (+- %.0f), but who begins first gets "
                 "%.0f %% more (+- %.0f): a longer --time would tell whether longer transfers lose it", transfers,
                 100 * s->lost.value, 100 * s->lost.ci95, 100 * fabs(s->order.value), 100 * s->order.ci95);
    else if (!lost)
        snprintf(d->why, sizeof d->why, "rates vary too much: with both at once %.0f %% are lost, +- %.0f, of data %s "
                 "%.0f %%, +- %.0f: a longer --time, or a time when nobody else uses the path, would tell",
                 100 * s->lost.value, 100 * s->lost.ci95, measure_kind_names[x->alone], 100 * x->lost->value,
                 100 * x->lost->ci95);
    else if (!verdict_able(s, x))
        snprintf(d->why, sizeof d->why, "with both at once %.0f %% are lost (+- %.0f), but paced, when no ACK has to "
                 "wait, they bring %.3g in and %.3g out of %.3g and %.3g Mb/s: losses, or a path that carries no more",
                 100 * s->lost.value, 100 * s->lost.ci95, s->paced_in_bps / 1e6, s->paced_out_bps / 1e6,
                 s->pace_in_bps / 1e6, s->pace_out_bps / 1e6);
    else if (side_waits_alone(x) && side_fits(x))
        snprintf(d->why, sizeof d->why, "with both at once %.0f %% are lost (+- %.0f), but what goes %s waits %.3g ms "
                 "with data %s alone, too: one queue for both directions, or somebody else's data", 100 * s->lost.value,
                 100 * s->lost.ci95, measure_kind_names[x->back], 1e3 * x->other[x->alone].mean.wait_s,
                 measure_kind_names[x->alone]);
    else if (!isfinite(x->way[MEASURE_BOTH].mean.rtt_s) || !isfinite(side_ack_wait_s(x)))
        snprintf(d->why, sizeof d->why, "with both at once %.0f %% are lost (+- %.0f), but how long round trips of data %s "
                 "are is not known", 100 * s->lost.value, 100 * s->lost.ci95, measure_kind_names[x->alone]);
    else
        snprintf(d->why, sizeof d->why, "with both at once %.0f %% are lost (+- %.0f), but ACKs of data %s wait %.3g "
                 "of %.3g ms, too little for that; %.2g %% of segments are sent again, %.2g %% alone",
                 100 * s->lost.value, 100 * s->lost.ci95, measure_kind_names[x->alone], 1e3 * side_ack_wait_s(x),
                 1e3 * x->way[MEASURE_BOTH].mean.rtt_s, 100 * x->way[MEASURE_BOTH].mean.retransmitted,
                 100 * alone->mean.retransmitted);
}

void measure_verdict_decide(const struct measure_summary *s, struct judge_diagnosis *d)
{
    struct side in = verdict_side(s, true), out = verdict_side(s, false);
    const struct side *x = s->lost_in.value >= s->lost_out.value ? &in : &out; /* loses the greater share */
    const struct side *y = x == &in ? &out : &in;
    *d = (struct judge_diagnosis){.possible_from = JUDGE_POSSIBLE_MEASURED, .probability = NAN, .lost_share = s->lost.value,
                                     .ci95 = s->lost.ci95};
    verdict_way(&in, &d->in);
    verdict_way(&out, &d->out);
    bool lost = verdict_lost(s, x);
    bool little = below(&s->lost, JUDGE_DIAGNOSIS_TOTAL) && below(&s->lost_in, JUDGE_DIAGNOSIS_DIRECTION) &&
                  below(&s->lost_out, JUDGE_DIAGNOSIS_DIRECTION);
    if (!lost && little)
        verdict_no(s, d);
    else if (!lost && verdict_waits_little(s))
        verdict_little(s, d);
    else if (lost && verdict_shared(s, x))
        verdict_shares(d);
    else if (lost && verdict_waits_nowhere(s))
        verdict_otherwise(s, x, d);
    else if (lost && verdict_accuses(s, x))
        verdict_yes(s, x, d);
    else if (beyond(y->least, JUDGE_DIAGNOSIS_DIRECTION) && verdict_accuses(s, y))
        verdict_yes(s, y, d);
    else
        verdict_open(s, x, d);
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
    struct side x = verdict_side(s, end && end->incoming);
    *flow = (struct analysis_check_flow){
        .incoming = end && end->incoming, .rate_bps = fmax(rate.value, 1), .ci95_bps = rate.ci95,
        .window_bytes = window, .buffer_bytes = NAN, .retransmitted_segments = retransmitted,
        .loss_events = ANALYSIS_CHECK_LOSS_UNKNOWN, .floor_s = x.floor_s, .ack_wait_s = side_ack_wait_s(&x)};
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
