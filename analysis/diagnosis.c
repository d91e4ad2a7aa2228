/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/diagnosis.h"

#include "analysis/facts.h"
#include "analysis/floors.h"
#include "analysis/follow.h"
#include "analysis/host.h"
#include "analysis/link.h"
#include "analysis/policed.h"
#include "analysis/standing.h"
#include "base/memory.h"
#include "judge/limit.h"
#include "judge/posterior.h"

#include <math.h>
#include <stdlib.h>

/* What stood in queues that never ran empty: as probable to be less as to be more, then quantiles of it; last, these
 * where a link only may be full, and where one of two that may. */
static const struct analysis_standing stood[] = {
    {0.5, 0, ANALYSIS_STANDING_EACH},      {0.1, 0, ANALYSIS_STANDING_EACH},      {0.3, 0, ANALYSIS_STANDING_EACH},
    {0.7, 0, ANALYSIS_STANDING_EACH},      {0.9, 0, ANALYSIS_STANDING_EACH},      {0.5, 0.5, ANALYSIS_STANDING_EACH},
    {0.15, 0.15, ANALYSIS_STANDING_EACH},  {0.85, 0.85, ANALYSIS_STANDING_EACH},  {0.5, 0.5, ANALYSIS_STANDING_NOT_IN},
    {0.5, 0.5, ANALYSIS_STANDING_NOT_OUT},
};
enum { CASES = sizeof stood / sizeof *stood };

/* How probable it is that a link is full that only may be: as likely as not where most of what it carries is not TCP. A
 * link that is as fast one way as the other is an Ethernet, which no slower one follows in one way alone: of 48 captures
 * of test/corpus begun late it was so in one (0.021). Of others it was in half. Where frames show one way alone, and at no Ethernet's
 * rate, nobody saw that the other is as fast: it may be an access line's. */
#define MAY_BE_FULL 0.5
#define MAY_BE_FULL_ALIKE 0.02
#define ALIKE 0.04 /* rates are a sixteenth of an octave wide */

struct diagnosis_case {
    struct judge_facts facts;
    struct judge_flow *flow; /* borrowed; room for all */
    bool stands, may_stand, either_may;
};

/* All that may be so, of which two at a time are there: the likeliest, and the one that was made last. */
struct diagnosis_cases {
    const struct analysis_evidence_set *gathered; /* borrowed */
    const struct analysis_capacity_host *frames;  /* likewise */
    const struct analysis_told_ways *ways;
    const struct analysis_standing *which[CASES]; /* what stood in each */
    size_t n, may;                                /* the last: where a link only may be full */
    double full;                                  /* P(that) */
    struct diagnosis_case likeliest, last;
    struct judge_flow *room;                      /* owned; of the last */
};

/* Round trips of the flows: through empty queues, and over the phase, a mean each slot. */
static void diagnosis_latency(const struct analysis_evidence_set *s, struct judge_latency *l)
{
    size_t n = 0, n_idle = 0, room = 0;
    for (size_t i = 0; i < s->n; i++)
        room += s->flow[i].n_waits;
    struct judge_latency_count *round = memory_zeroed(room + 1, sizeof *round, "round trips");
    double *idle_s = memory_zeroed(s->n + 1, sizeof *idle_s, "round trips");
    for (size_t i = 0; i < s->n; i++) {
        const struct analysis_evidence *e = &s->flow[i];
        double trip_s = analysis_evidence_rtt_s(e);
        double mean_s = analysis_round_trip_wait_s(e->waits, e->n_waits, s->from_s, s->to_s);
        bool any = false;
        for (size_t k = 0; k < e->n_waits && isfinite(trip_s); k++) {
            const struct analysis_wait *w = &e->waits[k];
            double wait_s = w->data_s + w->ack_s;
            size_t times = isfinite(wait_s) ? analysis_wait_slots(w, s->from_s, s->to_s) : 0;
            if (times == 0)
                continue;
            /* Their mean is that of the judge's round trip, whatever a slot's own waits are counted from. */
            const double round_s = fmax(e->floor_s, wait_s + trip_s - mean_s);
            if (n == 0 || round[n - 1].round_s != round_s) /* mostly it is the floor */
                round[n++] = (struct judge_latency_count){round_s, 0};
            round[n - 1].times += times;
            any = true;
        }
        if (any)
            idle_s[n_idle++] = e->floor_s;
    }
    judge_latency_floors_of(idle_s, n_idle, &l->idle);
    judge_latency_counts_of(round, n, &l->loaded);
    free(idle_s);
    free(round);
}

static void diagnosis_case(const struct analysis_evidence_set *gathered, const struct analysis_capacity_host *frames,
                           const struct analysis_told_ways *ways, const struct analysis_standing *quantile,
                           struct diagnosis_case *c, struct judge_latency *latency)
{
    struct analysis_evidence_set s = analysis_evidence_again(gathered);
    analysis_standing_take(&s, frames, quantile);
    analysis_evidence_divide(&s);
    analysis_host_find(&s, frames);
    analysis_policed_find(&s);
    analysis_facts_of(&s, frames, ways ? ways->capacity_bps : NULL, c->flow, &c->facts);
    c->stands = s.stands;
    c->may_stand = s.may_stand;
    c->either_may = s.either_may;
    if (latency)
        diagnosis_latency(&s, latency);
    free(s.flow);
}

static double diagnosis_may_be_full(const struct judge_facts *s)
{
    bool seen = s->in.source == JUDGE_CAPACITY_DISPERSION || s->out.source == JUDGE_CAPACITY_DISPERSION;
    double ratio = s->in.source != JUDGE_CAPACITY_QUEUE && s->out.source != JUDGE_CAPACITY_QUEUE
                       ? s->in.capacity_bps / s->out.capacity_bps : (double)NAN;
    bool others = s->in.other_bps > judge_facts_carried_bps(s, true) ||
                  s->out.other_bps > judge_facts_carried_bps(s, false);
    bool assumed = s->in.source == JUDGE_CAPACITY_ASSUMED || s->out.source == JUDGE_CAPACITY_ASSUMED;
    bool alike = !assumed || analysis_link_is_line(s->in.capacity_bps);
    return seen && !others && alike && fabs(ratio - 1) < ALIKE ? MAY_BE_FULL_ALIKE : MAY_BE_FULL;
}

static struct judge_case diagnosis_make(void *user, size_t i)
{
    struct diagnosis_cases *c = user;
    const double weight = i < c->n - c->may ? (1 - c->full) / (double)(c->n - c->may) : c->full / (double)c->may;
    if (i > 0 && !c->last.flow)
        c->last.flow = c->room = memory_resized(NULL, c->gathered->n, sizeof *c->room, "a diagnosis");
    if (i > 0)
        diagnosis_case(c->gathered, c->frames, c->ways, c->which[i], &c->last, NULL);
    return (struct judge_case){i > 0 ? &c->last.facts : &c->likeliest.facts, weight};
}

void analysis_diagnose(const struct analysis_flows *f, struct analysis_evidence_set *gathered,
                       const struct capture_address *host, uint32_t tag, struct analysis_told *flows, size_t n,
                       double from_s, double to_s, const struct analysis_told_ways *ways, struct judge_diagnosis *d,
                       struct judge_facts *facts, struct judge_flow *flow)
{
    const struct analysis_capacity_host *frames = analysis_flows_capacity(f, host, tag);
    struct diagnosis_cases cases = {.gathered = gathered, .frames = frames, .ways = ways, .which = {&stood[0]}, .n = 1};
    const struct diagnosis_case *likeliest = &cases.likeliest;
    struct judge_flow *own = flow ? NULL : memory_resized(NULL, n, sizeof *own, "a diagnosis");
    struct judge_latency latency = {.loaded.n = 0};
    struct analysis_evidence_set before = *gathered;
    analysis_evidence_gather(gathered, &before, f, frames, flows, n, ways, from_s, to_s);
    analysis_follow_find(gathered, frames);
    analysis_floors_find(gathered);
    cases.likeliest.flow = flow ? flow : own;
    diagnosis_case(gathered, frames, ways, &stood[0], &cases.likeliest, &latency);
    for (size_t i = 1; i < CASES; i++) {
        if (!(stood[i].but != ANALYSIS_STANDING_EACH ? likeliest->either_may
              : stood[i].perhaps > 0                 ? likeliest->may_stand
                                                     : likeliest->stands))
            continue;
        cases.which[cases.n++] = &stood[i];
        cases.may += stood[i].perhaps > 0;
    }
    cases.full = cases.may > 0 ? diagnosis_may_be_full(&likeliest->facts) : 0;
    judge_posterior_decide_each(diagnosis_make, &cases, cases.n, d);
    d->latency = latency;
    for (size_t i = 0; i < n; i++) {
        const struct judge_flow *judged = &likeliest->flow[i];
        flows[i].floor_s = judged->floor_s;
        flows[i].data_wait_s = judged->data_wait_s;
        flows[i].ack_wait_s = judged->ack_wait_s;
        flows[i].limit = judge_limit_of(judged);
    }
    if (facts)
        *facts = likeliest->facts;
    MEMORY_FREE(own, cases.room);
}
