/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/rules/resource.h"

#include "base/estimate.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGER 0.05 /* of the phase: a flow that outlives it by more has a rate of other times in its mean */

void analysis_resources_fini(struct analysis_resources *resources)
{
    for (size_t i = 0; i < resources->n; i++) {
        free(resources->resource[i].flows);
        free(resources->resource[i].judged);
    }
    for (size_t i = 0; i < resources->n_alone; i++) {
        free(resources->alone[i].flows);
        free(resources->alone[i].judged);
    }
    MEMORY_FREE(resources->resource, resources->alone, resources->place);
    *resources = (struct analysis_resources){0};
}

const struct analysis_resource *analysis_resources_get(const struct analysis_resources *all, size_t i)
{
    if (all->n > 0)
        return i < all->n ? &all->resource[i] : NULL;
    return i < all->n_alone ? &all->alone[i] : NULL;
}

static int resource_compare(const void *a, const void *b)
{
    const struct analysis_resource *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : strcmp(x->host, y->host);
}

/* A resource by all its flows, in any order, and its answer. */
struct resource_key {
    uint64_t key;
    enum judge_answer answer;
    size_t i;
};

static uint64_t resource_hash(uint64_t h, const char *text)
{
    while (*text)
        h = hash_mix(h, (unsigned char)*text++);
    return h;
}

/* No, yes, unknown: who is sure comes before who is not. */
static int resource_rank(enum judge_answer answer)
{
    return answer == JUDGE_ANSWER_NO ? 0 : answer == JUDGE_ANSWER_YES ? 1 : 2;
}

static int resource_key_compare(const void *a, const void *b)
{
    const struct resource_key *x = a, *y = b;
    if (x->key != y->key)
        return (x->key > y->key) - (x->key < y->key);
    return x->answer != y->answer ? resource_rank(x->answer) - resource_rank(y->answer) : (x->i > y->i) - (x->i < y->i);
}

/* Is it where another one's ACKs wait? */
static bool resource_is_place(const struct analysis_resource *r, const struct resource_key *keys, size_t n,
                              const struct analysis_resource *of)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(of[keys[i].i].diagnosis.place, r->host) == 0)
            return true;
    return false;
}

/* Of resources with the same flows: the host that stops them, which only shows there; NULL: none does. */
static struct analysis_resource *resource_stops(struct analysis_resource *r, const struct resource_key *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        enum judge_cause cause = r[keys[i].i].diagnosis.cause;
        if (cause == JUDGE_CAUSE_PAUSE || cause == JUDGE_CAUSE_SLOW_HOST)
            return &r[keys[i].i];
    }
    return NULL;
}

/* Of those that have the answer in common, too: who speaks. */
static struct analysis_resource *resource_speaker(struct analysis_resource *r, const struct resource_key *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (resource_is_place(&r[keys[i].i], keys, n, r))
            return &r[keys[i].i];
    for (size_t i = 0; i < n; i++) /* the other end of the port's cable is its link, too */
        if (r[keys[i].i].port && r[keys[i].i].diagnosis.answer == JUDGE_ANSWER_YES)
            return &r[keys[i].i];
    for (size_t i = 0; i < n; i++)
        if (r[keys[i].i].diagnosis.cause != JUDGE_CAUSE_LINK)
            return &r[keys[i].i];
    return &r[keys[0].i];
}

static void resource_speak_for(struct analysis_resource *speaker, struct analysis_resource *r,
                               const struct resource_key *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct analysis_resource *silent = &r[keys[i].i];
        if (silent == speaker)
            continue;
        snprintf(silent->same_as, sizeof silent->same_as, "%s", speaker->host);
        if (*speaker->also)
            continue;
        text_add(speaker->also, sizeof speaker->also, "%s", silent->host);
        if (n > 2)
            text_add(speaker->also, sizeof speaker->also, " and %zu more", n - 2);
    }
}

static void resource_speak(struct analysis_resource *r, size_t n)
{
    struct resource_key *keys = memory_zeroed(n + 1, sizeof *keys, "hosts");
    size_t known = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = 0;
        for (size_t k = 0; k < r[i].n; k++)
            key += resource_hash(resource_hash(1, r[i].flows[k].src), r[i].flows[k].dst);
        if (r[i].diagnosed)
            keys[known++] = (struct resource_key){key, r[i].diagnosis.answer, i};
    }
    qsort(keys, known, sizeof *keys, resource_key_compare);
    for (size_t i = 0, end; i < known; i = end) {
        size_t all = i, alike = i;
        while (all < known && keys[all].key == keys[i].key)
            all++;
        while (alike < all && keys[alike].answer == keys[i].answer)
            alike++;
        struct analysis_resource *stops = resource_stops(r, &keys[i], all - i);
        end = stops || (alike < all && keys[alike].answer == JUDGE_ANSWER_UNKNOWN) ? all : alike;
        resource_speak_for(stops ? stops : resource_speaker(r, &keys[i], alike - i), r, &keys[i], end - i);
    }
    free(keys);
}

bool analysis_resource_speaks(const struct analysis_resource *r)
{
    return r->diagnosed && !*r->same_as;
}

void analysis_resources_sort(struct analysis_resources *resources)
{
    if (resources->n > 0)
        qsort(resources->resource, resources->n, sizeof *resources->resource, resource_compare);
    if (resources->n_alone > 0)
        qsort(resources->alone, resources->n_alone, sizeof *resources->alone, resource_compare);
    resource_speak(resources->resource, resources->n);
    resource_speak(resources->alone, resources->n_alone);
}

/* Moves the bulk flows to the front; returns how many there are. */
static size_t resource_bulk(struct analysis_resource_use *uses, size_t n)
{
    int64_t largest = 0;
    size_t bulk = 0;
    for (size_t i = 0; i < n; i++)
        largest = uses[i].payload_bytes > largest ? uses[i].payload_bytes : largest;
    for (size_t i = 0; i < n; i++) {
        if (uses[i].payload_bytes >= analysis_degree_bulk_bytes(largest)) {
            struct analysis_resource_use use = uses[i];
            uses[i] = uses[bulk];
            uses[bulk++] = use;
        }
    }
    return bulk;
}

static struct analysis_phase resource_phase(const struct analysis_resource_use *uses, size_t n)
{
    struct analysis_activity *activity = memory_zeroed(n, sizeof *activity, "the flows of a host");
    for (size_t i = 0; i < n; i++)
        activity[i] = uses[i].activity;
    struct analysis_phase phase = analysis_degree_dominant_phase(activity, n);
    free(activity);
    return phase;
}

static bool resource_active(const struct analysis_resource *r, const struct analysis_resource_use *use)
{
    return use->activity.start_s <= r->start_s && use->activity.end_s >= r->end_s;
}

/* Fills r->flows with the flows that are active all through the phase. Returns when the last of them ended. */
static double resource_measure(const struct analysis_resource_source *source, struct analysis_resource *r,
                               const struct analysis_resource_use *uses, size_t n,
                               const struct analysis_resource_use **used)
{
    double last_s = r->end_s;
    r->steady_start_s = r->start_s;
    for (size_t i = 0; i < n; i++) {
        if (resource_active(r, &uses[i]))
            r->steady_start_s = fmax(r->steady_start_s, source->settled_s(uses[i].flow, r->start_s, r->end_s));
    }
    for (size_t i = 0; i < n; i++) {
        if (!resource_active(r, &uses[i]))
            continue;
        struct analysis_check_flow *flow = &r->flows[r->n];
        source->measure(uses[i].flow, r, flow);
        flow->incoming = uses[i].activity.incoming;
        last_s = fmax(last_s, uses[i].activity.end_s);
        used[r->n] = &uses[i];
        r->n += flow->rate_bps > 0;
    }
    return last_s;
}

/* Flows that share a link share its cycles: none is known better than the one with fewest losses allows, nor while one
 * of them drifts, nor where one may be shut out. */
static void resource_forget_intervals(struct analysis_resource *r)
{
    int64_t least = INT64_MAX;
    double drift_p = 1, stall = 0;
    size_t incoming = 0;
    for (size_t i = 0; i < r->n; i++) {
        const struct analysis_check_flow *flow = &r->flows[i];
        drift_p = fmin(drift_p, 1 - flow->drift);
        stall = fmax(stall, flow->stall);
        incoming += flow->incoming;
        if (flow->loss_events > 0) /* unknown is below 0 */
            least = flow->loss_events < least ? flow->loss_events : least;
    }
    bool one_way = incoming == 0 || incoming == r->n;
    bool silent = least < ESTIMATE_CYCLES_LEAST || drift_p * (double)r->n < ESTIMATE_DRIFT_P ||
                  (one_way && stall > ESTIMATE_STALL_MOST);
    for (size_t i = 0; i < r->n && silent; i++)
        r->flows[i].ci95_bps = NAN;
}

/* Rules divide what a full link carries. Where a capacity is not known, a diagnosis of "no" for another reason than the
 * link will do. */
static void resource_saturation(struct analysis_resource *r)
{
    const struct judge_diagnosis *d = &r->diagnosis;
    const struct judge_way *in = &d->in, *out = &d->out;
    bool known = (in->flows == 0 || isfinite(in->room_bps)) && (out->flows == 0 || isfinite(out->room_bps));
    char why[sizeof r->judgement.why];
    if (in->saturated || out->saturated || (!known && d->answer != JUDGE_ANSWER_NO))
        return;
    if (known && in->flows > 0 && out->flows > 0)
        snprintf(why, sizeof why, "the link is not full (in %.1f of %.1f Mb/s, out %.1f of %.1f Mb/s), and rules "
                 "divide what a full one carries", in->carried_bps / 1e6, in->room_bps / 1e6, out->carried_bps / 1e6,
                 out->room_bps / 1e6);
    else if (known)
        snprintf(why, sizeof why, "the link is not full (%.1f of %.1f Mb/s), and rules divide what a full one carries",
                 (in->carried_bps + out->carried_bps) / 1e6, (in->flows > 0 ? in : out)->room_bps / 1e6);
    else
        snprintf(why, sizeof why, "%s, and rules divide what a full link carries", judge_cause(d->cause)->meaning);
    analysis_check_unsaturated(r->flows, r->n, &r->judgement, why);
}

void analysis_resource_judge(const struct analysis_resource_source *source, const char *name,
                             struct analysis_resource_use *uses, size_t n, const struct model_link *link,
                             double tolerance, struct analysis_resources *all)
{
    size_t bulk = resource_bulk(uses, n);
    if (bulk < source->least)
        return;
    struct analysis_phase phase = resource_phase(uses, bulk);
    if (phase.indegree + phase.outdegree == 0 && source->least > 1)
        return;
    if (phase.indegree + phase.outdegree == 0) /* alone */
        phase = (struct analysis_phase){uses[0].activity.start_s, uses[0].activity.end_s, 1, 0};
    all->resource = memory_resized(all->resource, all->n + 1, sizeof *all->resource, "hosts");
    struct analysis_resource r = {.start_s = phase.start_s, .end_s = phase.end_s};
    r.flows = memory_zeroed(bulk, sizeof *r.flows, "the flows of a host");
    const struct analysis_resource_use **used = memory_zeroed(bulk, sizeof *used, "the flows of a host");
    snprintf(r.host, sizeof r.host, "%s", name);
    double last_s = resource_measure(source, &r, uses, bulk, used);
    resource_forget_intervals(&r);
    struct analysis_judgement *j = &r.judgement;
    if (r.n < source->least) {
        free(r.flows);
        free(used);
        return;
    }
    analysis_check_resource(r.flows, r.n, link, tolerance, j);
    if (source->diagnose)
        source->diagnose(source->user, &r, used);
    if (r.diagnosed)
        resource_saturation(&r);
    bool ruled = j->verdict != MODEL_REGIME_NONE && j->verdict != MODEL_REGIME_UNSATURATED;
    if (!ruled && source->whole_lives && last_s > r.end_s + LONGER * (r.end_s - r.start_s))
        snprintf(j->why, sizeof j->why, "flows ended at different times, and flows.csv holds means over each "
                 "one's life: judge a capture of this run for the part in which all were active");
    free(used);
    all->resource[all->n++] = r;
}
