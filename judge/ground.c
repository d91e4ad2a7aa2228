/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/ground.h"

#include "base/units.h"
#include "judge/limit.h"
#include "judge/path.h"
#include "judge/trial.h"

#include <math.h>
#include <stdio.h>

#define UNLIKE 2.5    /* times faster: an access line */

/* The limit that most of the goodput of a direction has, or of both (NULL). */
static enum judge_cause ground_most(const struct judge_facts *s, const struct judge_diagnosis *d,
                                    const struct judge_way *of)
{
    double share[JUDGE_CAUSES] = {0};
    int best = JUDGE_CAUSE_UNKNOWN;
    for (size_t i = 0; i < s->n; i++) {
        const struct judge_flow *f = &s->flow[i];
        share[judge_limit_of(f)] += !of || of == (f->incoming ? &d->in : &d->out) ? f->rate_bps : 0;
    }
    for (int c = 0; c < JUDGE_CAUSES; c++)
        best = share[c] > share[best] ? c : best;
    return (enum judge_cause)best;
}

/* The direction with data that uses its link least; NULL: all are full. */
static const struct judge_way *ground_least(const struct judge_diagnosis *d)
{
    const struct judge_way *in = &d->in, *out = &d->out;
    bool in_free = in->flows > 0 && !in->saturated, out_free = out->flows > 0 && !out->saturated;
    double ratio = in->carried_bps / out->carried_bps, rooms = in->room_bps / out->room_bps;
    if (in_free && out_free)
        return ratio > (rooms > 0 ? rooms : 1) ? out : in;
    return in_free ? in : out_free ? out : NULL;
}

/* Do a direction's flows wait longer than anything can at the host's link, or each behind a link of its own? */
static bool ground_elsewhere(const struct judge_facts *s, const struct judge_diagnosis *d, bool incoming)
{
    const struct judge_way *w = incoming ? &d->in : &d->out;
    const struct judge_link *own = judge_facts_link(s, incoming), *back = judge_facts_link(s, !incoming);
    return w->flows > 0 && !w->saturated &&
           (own->apart || w->data_wait_s > JUDGE_PATH_ELSEWHERE * own->drain_s || w->ack_wait_s > JUDGE_PATH_ELSEWHERE * back->drain_s);
}

/* ACKs wait, though no data and no other traffic go their way: behind each other. A host that answers late makes them
 * late now and then; a queue that never runs empty, always. */
static bool ground_thin(const struct judge_facts *s, const struct judge_diagnosis *d, bool incoming)
{
    const struct judge_way *w = incoming ? &d->in : &d->out, *other = incoming ? &d->out : &d->in;
    return other->flows == 0 && judge_facts_link(s, !incoming)->other_bps < JUDGE_PATH_OTHERS * w->carried_bps &&
           w->ack_wait_s > JUDGE_PATH_FREE * (w->floor_s + w->data_wait_s + w->ack_wait_s) && judge_facts_link(s, incoming)->acks_stand;
}

static enum judge_cause ground_yes(const struct judge_facts *s, const struct judge_diagnosis *d)
{
    const struct judge_way *worst = d->in.lost_share > d->out.lost_share ? &d->in : &d->out;
    const struct judge_way *other = worst == &d->in ? &d->out : &d->in;
    if (!s->stopped && /* else a capacity is what the stops leave of it */
        fmax(worst->capacity_bps, worst->possible_bps) > UNLIKE * other->capacity_bps)
        return JUDGE_CAUSE_THIN_ACKS;
    if (other->flows > 0)
        return JUDGE_CAUSE_ACKS;
    return judge_path_beside(s, worst == &d->in) ? JUDGE_CAUSE_OTHER : JUDGE_CAUSE_HIDDEN;
}

static enum judge_cause ground_no(const struct judge_facts *s, const struct judge_diagnosis *d)
{
    const struct judge_way *least = ground_least(d);
    if (s->trial && judge_trial_shares(s))
        return JUDGE_CAUSE_SHARED;
    if (s->stopped)
        return JUDGE_CAUSE_PAUSE;
    if (!least && (d->in.flows == 0 || d->out.flows == 0))
        return JUDGE_CAUSE_ONE_WAY;
    if (!least) /* by losses, which deeper buffers or marks would spare, or as they are */
        return ground_most(s, d, NULL) == JUDGE_CAUSE_LOSSES ? JUDGE_CAUSE_LOSSES : JUDGE_CAUSE_FULL;
    enum judge_cause limit = ground_most(s, d, least);
    if (s->host != JUDGE_CAUSE_UNKNOWN && limit != JUDGE_CAUSE_APPLICATION)
        return s->host;
    if (limit == JUDGE_CAUSE_WINDOW || limit == JUDGE_CAUSE_SEND_BUFFER)
        return ground_thin(s, d, least == &d->in)                               ? JUDGE_CAUSE_THIN_PATH
               : ground_elsewhere(s, d, true) || ground_elsewhere(s, d, false) ? JUDGE_CAUSE_LINK
                                                                               : limit;
    return limit;
}

/* The fact whose absence costs most. */
static const char *ground_lacks(const struct judge_facts *s, const struct judge_diagnosis *d)
{
    bool waits = true, unlimited = false;
    bool rate = d->in.source != JUDGE_CAPACITY_UNKNOWN || d->out.source != JUDGE_CAPACITY_UNKNOWN;
    for (size_t i = 0; i < s->n; i++) {
        double otherwise = judge_limit_else(&s->flow[i]);
        waits = waits && isfinite(judge_flow_trip_s(&s->flow[i]));
        unlimited = unlimited || (otherwise > 0.05 && otherwise < 0.95 && s->flow[i].ack_wait_s > 0);
    }
    const bool in_hidden = s->in.acks_hidden && d->out.flows == 0, out_hidden = s->out.acks_hidden && d->in.flows == 0;
    const bool assumed = d->in.flows > 0 && d->out.flows > 0 && /* what the other way carries says whether it has room */
                         (d->in.source == JUDGE_CAPACITY_ASSUMED || d->out.source == JUDGE_CAPACITY_ASSUMED);
    return waits && (in_hidden || out_hidden) ? "whether ACKs wait behind each other, or behind data of others, does not show in this "
                                     "capture: the line's rates tell, --rate IN/OUT"
           : s->stood ? "how long a queue has stood since before it began does not show in this capture"
           : !waits ? assumed ? "how long ACKs wait does not show in this capture: the line's rates tell, --rate IN/OUT"
                              : "how long ACKs wait does not show in this capture"
           : unlimited ? "whether waiting ACKs or the applications hold them back does not show in this capture"
           : rate ? "where they wait, and what the link could carry, do not show in this capture"
                  : "what the link could carry does not show in this capture";
}

/* Is a direction full if its link is as fast as the other direction's, which nothing else says? */
static bool ground_alike(const struct judge_facts *s)
{
    return (s->in.unlike && judge_path_full(s, true)) || (s->out.unlike && judge_path_full(s, false));
}

/* What would tell: a cause says so by its remedies. */
static void ground_open(const struct judge_facts *s, struct judge_diagnosis *d)
{
    double carried_bps = d->in.carried_bps + d->out.carried_bps, most = fmin(1, d->lost_share + d->ci95);
    const char *why = NULL;
    if (s->tried) {
        snprintf(d->why, sizeof d->why, "%s of %s Mb/s; %.1f %% lost to waiting ACKs so far: a longer run "
                 "would tell whether it stays so", UNITS_MBPS(carried_bps), UNITS_MBPS(s->tried->bps[2]),
                 100 * fmax(0, d->lost_share));
        return;
    }
    if (judge_facts_brief(s)) {
        snprintf(d->why, sizeof d->why, "%s Mb/s pass, in %.1f of their round trips: a capture of at least %.0f of them "
                 "would tell", UNITS_MBPS(carried_bps), s->trips, JUDGE_TRIPS);
        return;
    }
    if (s->clock_off_s > 0) {
        d->cause = JUDGE_CAUSE_CLOCK_SET;
        snprintf(d->why, sizeof d->why, "%s Mb/s pass; %s: times are off by %.3g s at least", UNITS_MBPS(carried_bps),
                 judge_cause(d->cause)->meaning, s->clock_off_s);
        return;
    }
    if (s->headers_cut)
        d->cause = JUDGE_CAUSE_HEADERS_CUT;
    else if (s->one_sided)
        d->cause = JUDGE_CAUSE_ONE_SIDED;
    else if (ground_alike(s)) {
        d->second = JUDGE_CAUSE_FULL;
        why = "both directions carry as much, as equal windows do, whatever the faster one could; its rate tells: "
              "--rate IN/OUT, or 'contraflow measure'";
    } else if (judge_path_shared(s) > 0) {
        d->second = JUDGE_CAUSE_SHARED;
        why = "both directions may share one medium, as of radio, where no order of service wins anything; "
              "'contraflow measure' tells";
    } else if (s->in.hidden || s->out.hidden)
        d->cause = JUDGE_CAUSE_COARSE;
    else
        why = ground_lacks(s, d);
    snprintf(d->why, sizeof d->why, "%s Mb/s pass; up to %.0f %% may be lost to waiting ACKs, more than nothing "
             "with %.0f %% probability: %s", UNITS_MBPS(carried_bps), 100 * most, 100 * d->probability,
             why ? why : judge_cause(d->cause)->meaning);
}

enum judge_gain judge_ground_gain(const struct judge_diagnosis *d)
{
    enum judge_gains gains = judge_cause(d->cause)->gains;
    const struct judge_way *way[] = {&d->in, &d->out};
    double carried_bps[2], room_bps[2];
    bool known = true;
    for (int i = 0; i < 2; i++) {
        bool rate = way[i]->source != JUDGE_CAPACITY_UNKNOWN && way[i]->source != JUDGE_CAPACITY_ASSUMED;
        carried_bps[i] = way[i]->flows > 0 ? way[i]->carried_bps : 0;
        room_bps[i] = carried_bps[i];
        if (way[i]->flows > 0 && rate && isfinite(way[i]->room_bps))
            room_bps[i] = fmax(carried_bps[i], way[i]->room_bps);
        else
            known = known && way[i]->flows == 0;
    }
    if (gains == JUDGE_GAINS_NOTHING)
        return JUDGE_GAIN_NONE;
    if (gains == JUDGE_GAINS_WAITS || (gains == JUDGE_GAINS_UNSEEN && d->fewer_acks_bps > 0))
        return JUDGE_GAIN_SEEN;
    if (gains == JUDGE_GAINS_ROOM && judge_diagnosis_matters(carried_bps, room_bps))
        return JUDGE_GAIN_SEEN;
    return gains == JUDGE_GAINS_ROOM && known ? JUDGE_GAIN_NONE : JUDGE_GAIN_UNSEEN;
}

void judge_ground_of(const struct judge_facts *s, struct judge_diagnosis *d)
{
    enum judge_cause common = ground_most(s, d, NULL);
    d->cause = d->second = JUDGE_CAUSE_UNKNOWN;
    d->full_bytes = s->full_bytes;
    d->segments_per_ack = s->segments_per_ack;
    if (d->answer == JUDGE_ANSWER_YES) {
        d->cause = ground_yes(s, d);
        d->second = common == JUDGE_CAUSE_LOSSES ? JUDGE_CAUSE_LOSSES : s->host;
    } else if (d->answer == JUDGE_ANSWER_NO) {
        d->cause = ground_no(s, d);
        d->second = d->cause == common ? JUDGE_CAUSE_UNKNOWN : common;
    }
    if (d->answer == JUDGE_ANSWER_UNKNOWN && s->trial)
        judge_trial_open(s, d);
    else if (d->answer == JUDGE_ANSWER_UNKNOWN)
        ground_open(s, d);
    else
        judge_diagnosis_say(d);
}
