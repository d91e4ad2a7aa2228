/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/trial.h"

#include "base/text.h"
#include "base/units.h"
#include "judge/noise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CARRIED 0.9        /* of the pace asked for: carried */
#define ONE 0.15           /* of what a direction carries alone: media that are asked for more carry that; 22 (bench_measure.py)
                            * 0.97 to 1.12 of it, with a deviation of 0.03 */
#define SLOWED 0.05        /* of the round trip are waits of ACKs: enough to end a slow start that looks at delays */
#define SLOWED_OF 0.25     /* of what round trips are longer than the least, but for a frame that has begun; else it is a
                            * queue of its own that stands */
#define LIKE_WORDS 1.25    /* times as long as that words may wait, or these wait in another queue */
#define SAME_LOSSES 1.1    /* times as many lost in a second as alone, or more: they may be what keeps a window small */
#define FEW_LOSSES 0.0001  /* of the segments that go alone: as good as none */
#define FRAMES 1.3         /* that a word may wait for: one that has begun, as others have headers of other lengths */
#define GROWTH 0.25        /* from half to half of a phase: a connection that still grows */
#define NORMAL_975 1.96    /* deviations in half a 95 % interval */

/* One direction with what is known of its flows. */
struct side {
    const struct judge_trial_way *way, *other;
    double carried_bps, trip_s, floor_s, ack_wait_s; /* with both at once */
    double total_bps, both_bps; /* possible and carried, of both directions */
};

static struct side trial_side(const struct judge_facts *s, bool incoming)
{
    const struct judge_trial *t = s->trial;
    struct side x = {incoming ? &t->in : &t->out, incoming ? &t->out : &t->in, judge_facts_carried_bps(s, incoming), NAN,
                     NAN, NAN, t->in.possible_bps + t->out.possible_bps,
                     judge_facts_carried_bps(s, true) + judge_facts_carried_bps(s, false)};
    for (size_t i = 0; i < s->n; i++) {
        const struct judge_flow *f = &s->flow[i];
        if (f->incoming == incoming) { /* all of a direction have its means */
            x.trip_s = judge_flow_trip_s(f);
            x.floor_s = f->floor_s;
            x.ack_wait_s = f->ack_wait_s;
        }
    }
    return x;
}

double judge_trial_frame_s(double goodput_bps)
{
    return 8 * JUDGE_FULL / goodput_bps;
}

/* What its ACKs wait, less the frame that the transmitter has begun: no order of service spares that. */
static double side_order_wait_s(const struct side *x)
{
    return fmax(0, x->ack_wait_s - judge_trial_frame_s(x->other->alone_bps));
}

/* T / (T - w): how many times as often a round trip ends, were it not for them. */
static double side_sooner(const struct side *x)
{
    return x->trip_s / fmax(x->trip_s - side_order_wait_s(x), 1e-6);
}

static double side_lost_bps(const struct side *x)
{
    return x->way->possible_bps - x->carried_bps;
}

/* What comes back by that at least, with the window that it has; 0 where nothing is lost. */
static double side_back_bps(const struct side *x)
{
    double lost_bps = side_lost_bps(x), back_bps = x->carried_bps * (side_sooner(x) - 1);
    return lost_bps > 0 && isfinite(back_bps) ? fmin(lost_bps, back_bps) : 0;
}

/* And at most; INFINITY where waits are not known. */
static double side_most_bps(const struct side *x)
{
    double sooner = isfinite(x->other->wait_s) ? side_sooner(x) : (double)NAN;
    return isfinite(sooner) ? x->carried_bps * (sooner * sooner - 1) : INFINITY;
}

/* Both paced carry what they are asked for. */
static bool trial_paced(const struct judge_trial *t)
{
    return t->in.paced_bps >= CARRIED * t->in.pace_bps && t->out.paced_bps >= CARRIED * t->out.pace_bps &&
           t->in.pace_bps > 0 && t->out.pace_bps > 0;
}

/* Its window is smaller than alone though it is cut no more often; or it is, and paced nothing is lost either way. */
static bool side_slowed(const struct judge_trial *t, const struct side *x)
{
    const struct judge_trial_way *w = x->way;
    double wait_s = side_order_wait_s(x), beyond_s = x->trip_s - x->floor_s;
    bool like_alone = w->again * x->carried_bps <= (SAME_LOSSES * w->alone_again + FEW_LOSSES) * w->alone_bps;
    bool clean = t->words && trial_paced(t) && t->in.paced_again <= JUDGE_LOSSY && t->out.paced_again <= JUDGE_LOSSY;
    double begun_s = x->ack_wait_s - wait_s;
    return wait_s >= SLOWED * x->trip_s && wait_s >= SLOWED_OF * (beyond_s - begun_s) &&
           x->other->wait_s <= LIKE_WORDS * beyond_s && w->window_bytes < w->alone_window_bytes && (like_alone || clean);
}

static bool side_explained(const struct judge_trial *t, const struct side *x)
{
    double back_bps = side_back_bps(x), lost_bps = side_lost_bps(x);
    return back_bps >= JUDGE_DIAGNOSIS_DIRECTION * x->way->possible_bps ||
           back_bps >= JUDGE_DIAGNOSIS_TOTAL * x->total_bps || (lost_bps > 0 && back_bps >= JUDGE_DIAGNOSIS_MOST * lost_bps) ||
           side_slowed(t, x);
}

static bool side_waits_alone(const struct side *x)
{
    return x->other->back_wait_s > JUDGE_DIAGNOSIS_MOST * x->other->wait_s; /* false where nobody knows */
}

/* What it would lose of what is possible were it to go on as it changes from half to half, for as long again. */
static bool side_lasts(const struct side *x)
{
    double c = fmax(1, x->way->catches_up);
    return fabs(x->way->growth) <= GROWTH || 1 - c * c * x->carried_bps / x->way->possible_bps > JUDGE_DIAGNOSIS_DIRECTION;
}

/* One that begins slowly, or loses a little everywhere, may not reach its pace, and has much back all the same. */
static bool side_able(const struct judge_trial *t, const struct side *x)
{
    double back_bps = x->way->paced_bps - x->carried_bps;
    double all_back_bps = x->way->paced_bps + x->other->paced_bps - x->both_bps;
    bool other = x->other->paced_bps >= CARRIED * x->other->pace_bps;
    bool together = all_back_bps >= JUDGE_DIAGNOSIS_MOST * (x->total_bps - x->both_bps) &&
                    all_back_bps >= JUDGE_DIAGNOSIS_TOTAL * x->total_bps;
    return trial_paced(t) || ((other || together) && back_bps >= JUDGE_DIAGNOSIS_MOST * side_lost_bps(x) &&
                              back_bps >= JUDGE_DIAGNOSIS_DIRECTION * x->way->possible_bps);
}

bool judge_trial_accuses(const struct judge_facts *s, bool incoming)
{
    struct side x = trial_side(s, incoming);
    return side_lasts(&x) && side_able(s->trial, &x) && side_explained(s->trial, &x) && !side_waits_alone(&x) &&
           x.way->paced_bps > x.carried_bps;
}

/* The direction that loses the greater share. */
static bool trial_worst_in(const struct judge_trial *t)
{
    return t->in.lost.value >= t->out.lost.value;
}

bool judge_trial_shares(const struct judge_facts *s)
{
    const struct judge_trial *t = s->trial;
    struct side x = trial_side(s, trial_worst_in(t));
    double paced_bps = t->in.paced_bps + t->out.paced_bps, one_bps = fmax(t->in.alone_bps, t->out.alone_bps);
    bool one = fabs(paced_bps / one_bps - 1) < ONE && x.both_bps < (1 + ONE) * one_bps;
    bool lost = t->lost.value > JUDGE_DIAGNOSIS_TOTAL || x.way->lost.value > JUDGE_DIAGNOSIS_DIRECTION;
    /* An access line's slow direction asks for less than what one brings is known to. */
    bool more = fmin(t->in.pace_bps, t->out.pace_bps) > ONE * one_bps;
    return lost && one && more && paced_bps < CARRIED * (t->in.pace_bps + t->out.pace_bps);
}

/* What goes this way and back, one with another, waits for no more than the frame that has begun: so do ACKs, and there
 * is no data that they might be served before. Nor does nine of ten wait longer, for a burst, which ACKs would meet, too. */
static bool trial_waits_nowhere(const struct judge_facts *s)
{
    bool nowhere = s->trial->words;
    for (int incoming = 0; incoming < 2; incoming++) {
        struct side x = trial_side(s, incoming);
        nowhere = nowhere && x.way->most_wait_s <= FRAMES * judge_trial_frame_s(x.way->alone_bps) && !(side_order_wait_s(&x) > 0);
    }
    return nowhere;
}

/* P(lost beyond a threshold); even odds where it is not known how far it may be off. */
static double trial_beyond(const struct estimate *lost, double threshold)
{
    double deviations = NORMAL_975 * (lost->value - threshold) / lost->ci95;
    return isnan(deviations) ? 0.5 : 0.5 * erfc(-deviations / sqrt(2));
}

/* With and without room for ACKs, which lessens what is lost. Waits may cost as much as `most`, or they are wrong. */
static double trial_lost(const struct estimate *lost, const struct estimate *least, double threshold, double most,
                         double wrong)
{
    double at_least = trial_beyond(least, threshold), p = (fmax(trial_beyond(lost, threshold), at_least) + at_least) / 2;
    return most > threshold ? p : wrong * p;
}

static double trial_probability(const struct judge_facts *s, bool incoming, double wrong)
{
    const struct judge_trial *t = s->trial;
    struct side x = trial_side(s, incoming), y = trial_side(s, !incoming);
    double all_bps = side_most_bps(&x) + side_most_bps(&y);
    bool accused = judge_trial_accuses(s, incoming);
    if (accused && side_slowed(t, &x)) /* bursts and short slow starts cost more than round trips do */
        wrong = 1;
    double p = trial_lost(&x.way->lost, &x.way->least, JUDGE_DIAGNOSIS_DIRECTION,
                          side_most_bps(&x) / x.way->possible_bps, wrong);
    if (incoming == trial_worst_in(t)) /* else what is lost together is the other one's, more than its own */
        p = fmax(p, trial_lost(&t->lost, &t->least, JUDGE_DIAGNOSIS_TOTAL, all_bps / x.total_bps, wrong));
    return p * (!accused   ? judge_noise_trial.unexplained
                : t->words ? judge_noise_trial.accused
                           : judge_noise_trial.accused_guess);
}

/* Of what rates seem to lose, no more than waits of ACKs can cost. */
static void trial_bound(const struct side *x, struct judge_way *w)
{
    w->possible_bps = fmin(w->possible_bps, w->carried_bps + side_most_bps(x));
    w->lost_share = 1 - w->carried_bps / w->possible_bps;
}

static void trial_way(const struct side *x, struct judge_way *w)
{
    w->possible_bps = w->room_bps = x->way->possible_bps;
    w->lost_share = x->way->lost.value;
    w->saturated = x->way->full && x->way->lost.value < JUDGE_DIAGNOSIS_TOTAL;
    w->acks_bps = x->way->acks_bps;
}

void judge_trial_decide(const struct judge_facts *s, struct judge_diagnosis *d)
{
    const struct judge_trial *t = s->trial;
    struct side in = trial_side(s, true), out = trial_side(s, false);
    double wrong = trial_waits_nowhere(s) ? judge_noise_trial.wrong_nowhere : judge_noise_trial.wrong;
    trial_way(&in, &d->in);
    trial_way(&out, &d->out);
    d->possible_from = JUDGE_POSSIBLE_MEASURED;
    d->lost_share = t->lost.value;
    d->ci95 = t->lost.ci95;
    d->probability = fmax(trial_probability(s, true, wrong), trial_probability(s, false, wrong));
    bool shares = judge_trial_shares(s);
    if (shares)
        d->probability *= judge_noise_trial.shared;
    d->answer = judge_diagnosis_answer(d->probability);
    if (d->answer != JUDGE_ANSWER_NO)
        return;
    trial_bound(&in, &d->in);
    trial_bound(&out, &d->out);
    if (shares) { /* no order of service would bring more than what is carried */
        d->in.possible_bps = d->in.carried_bps;
        d->out.possible_bps = d->out.carried_bps;
        d->in.lost_share = d->out.lost_share = 0;
    }
    double most = 1 - in.both_bps / (d->in.possible_bps + d->out.possible_bps);
    if (most < d->lost_share) {
        d->lost_share = most;
        d->ci95 = fmin(d->ci95, fmax(0, most)); /* it is at most that, and not less than nothing */
    }
}

/* "for transfers of 1.9 s" */
static void trial_last(const struct judge_trial *t, char text[static 48])
{
    snprintf(text, 48, "for transfers of %.2g s", t->transfer_s);
}

/* Beyond its interval; one that is not known is no proof. */
static bool trial_surely(const struct estimate *lost, double threshold)
{
    return lost->value - lost->ci95 > threshold;
}

static bool trial_surely_lost(const struct judge_trial *t, double less)
{
    const struct judge_trial_way *w = trial_worst_in(t) ? &t->in : &t->out;
    return trial_surely(&t->least, JUDGE_DIAGNOSIS_TOTAL + less) ||
           trial_surely(&w->least, JUDGE_DIAGNOSIS_DIRECTION + less);
}

/* Do rates depend on who began first, beyond the interval, and so much that it may be all that is lost? One direction
 * loses |e| less when it begins first than when it begins second, so that without the order each would lose |e| / 2 less
 * than the mean over both orders: the loss that remains to who begins first is that of longer transfers at least. Where
 * it makes no yes by itself, what is lost is lost to transfers that last so long, and nobody has seen whether longer
 * ones lose it. */
static bool trial_young(const struct judge_trial *t)
{
    double e = fabs(t->order.value);
    return e > t->order.ci95 && !trial_surely_lost(t, e / 2);
}

void judge_trial_transfers(const struct judge_facts *s, struct judge_diagnosis *d)
{
    char last[48], why[sizeof d->why];
    if (d->answer != JUDGE_ANSWER_YES || !trial_young(s->trial))
        return;
    trial_last(s->trial, last);
    memcpy(why, d->why, sizeof why);
    *d->why = '\0';
    text_add(d->why, sizeof d->why, "%s %s; who begins first gets %.0f %% more", last, why,
             100 * fabs(s->trial->order.value));
}

/* Why it is not known how much is lost; false where it is. */
static bool trial_open_rates(const struct judge_trial *t, const struct side *x, const char *way, struct judge_diagnosis *d)
{
    const struct estimate *own = &x->way->lost, *all = &t->lost;
    double early_bps = x->way->alone_bps / (1 + x->way->growth / 2);
    char last[48];
    trial_last(t, last);
    if (!side_lasts(x))
        snprintf(d->why, sizeof d->why, "connections still change when their phase ends, data %s alone from %s to "
                 "%s Mb/s: a longer --time would tell", way, UNITS_FIGURE(early_bps / 1e6, 3),
                 UNITS_FIGURE(early_bps * (1 + x->way->growth) / 1e6, 3));
    else if (trial_young(t))
        snprintf(d->why, sizeof d->why, "%s %.0f %% are lost with both at once (+- %.0f), but who begins first gets "
                 "%.0f %% more (+- %.0f): a longer --time would tell whether longer transfers lose it", last,
                 100 * all->value, 100 * all->ci95, 100 * fabs(t->order.value), 100 * t->order.ci95);
    else if (!trial_surely_lost(t, 0))
        snprintf(d->why, sizeof d->why, "rates vary too much: with both at once %.0f %% are lost, +- %.0f, of data %s "
                 "%.0f %%, +- %.0f: a longer --time, or a time when nobody else uses the path, would tell",
                 100 * all->value, 100 * all->ci95, way, 100 * own->value, 100 * own->ci95);
    else
        return false;
    return true;
}

void judge_trial_open(const struct judge_facts *s, struct judge_diagnosis *d)
{
    const struct judge_trial *t = s->trial;
    bool in = trial_worst_in(t);
    struct side x = trial_side(s, in);
    const char *way = in ? "in" : "out", *back = in ? "out" : "in";
    double all = 100 * t->lost.value, ci95 = 100 * t->lost.ci95;
    if (trial_open_rates(t, &x, way, d))
        return;
    if (!side_able(t, &x))
        snprintf(d->why, sizeof d->why, "with both at once %.0f %% are lost (+- %.0f), but paced, when no ACK has to "
                 "wait, they bring %s in and %s out of %s and %s Mb/s: losses, or a path that carries no more",
                 all, ci95, UNITS_FIGURE(t->in.paced_bps / 1e6, 3), UNITS_FIGURE(t->out.paced_bps / 1e6, 3),
                 UNITS_FIGURE(t->in.pace_bps / 1e6, 3), UNITS_FIGURE(t->out.pace_bps / 1e6, 3));
    else if (side_waits_alone(&x) && side_explained(t, &x))
        snprintf(d->why, sizeof d->why, "with both at once %.0f %% are lost (+- %.0f), but what goes %s waits %s ms "
                 "with data %s alone, too: one queue for both directions, or somebody else's data", all, ci95, back,
                 UNITS_FIGURE(1e3 * x.other->back_wait_s, 3), way);
    else if (!isfinite(x.trip_s))
        snprintf(d->why, sizeof d->why, "with both at once %.0f %% are lost (+- %.0f), but how long round trips of data %s "
                 "are is not known", all, ci95, way);
    else
        snprintf(d->why, sizeof d->why, "with both at once %.0f %% are lost (+- %.0f), but ACKs of data %s wait %s "
                 "of %s ms, too little for that; %.2g %% of segments are sent again, %.2g %% alone", all, ci95, way,
                 UNITS_FIGURE(1e3 * x.ack_wait_s, 3), UNITS_FIGURE(1e3 * x.trip_s, 3), 100 * x.way->again, 100 * x.way->alone_again);
}
