/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/compare/compare.h"

#include "study/compare/compare_interval.h"

/* A judged host, kept. */
struct kept {
    struct analysis_resource resource; /* its flows owned */
    char *source;                      /* owned */
    const char *run;                   /* in it: what follows the path that was given */
    bool simulated;                    /* the source is a run's directory */
    bool paired;
};

struct study_compare_store {
    struct kept *kept[STUDY_COMPARE_SIDES]; /* owned */
    size_t n[STUDY_COMPARE_SIDES];
};

/* While one side is read. */
struct reading {
    struct study_compare *c;
    enum study_compare_side side;
    const char *path;
};

const char *study_compare_answer_name(enum study_compare_answer answer)
{
    static const char *const names[] = {"", "no", "more", "less"};
    return names[answer];
}

double study_compare_change(const struct study_compare_value *v)
{
    return v->mean[STUDY_COMPARE_AFTER] - v->mean[STUDY_COMPARE_BEFORE];
}

double study_compare_share(const struct study_compare_value *v)
{
    double before = v->mean[STUDY_COMPARE_BEFORE];
    return before > 0 ? study_compare_change(v) / before : (double)NAN;
}

double study_compare_ci95(const struct study_compare_value *v)
{
    return v->paired ? v->change_ci95 : hypot(v->ci95[STUDY_COMPARE_BEFORE], v->ci95[STUDY_COMPARE_AFTER]);
}

enum study_compare_answer study_compare_judge(const struct study_compare_value *v)
{
    double change = study_compare_change(v), ci95 = study_compare_ci95(v);
    if (!isfinite(change) || !isfinite(ci95))
        return STUDY_COMPARE_OPEN;
    return fabs(change) <= ci95 ? STUDY_COMPARE_SAME : change > 0 ? STUDY_COMPARE_MORE : STUDY_COMPARE_LESS;
}

static bool compare_keep(void *user, const char *source, const char *run, const struct analysis_resources *resources,
                         struct error *err)
{
    struct reading *r = user;
    struct study_compare_store *store = r->c->store;
    const struct analysis_resource *host;
    if (!resources)
        return error_set(err, ERROR_INPUT, "%s: a run of other traffic than bulk flows; compare what 'contraflow "
                         "check' prints of it", source);
    r->c->simulated[r->side] = r->c->simulated[r->side] && run;
    for (size_t i = 0; (host = analysis_resources_get(resources, i)) && host->n > 0; i++) {
        size_t n = store->n[r->side]++, length = strlen(r->path);
        store->kept[r->side] = memory_resized(store->kept[r->side], n + 1, sizeof **store->kept, "hosts to compare");
        struct kept *k = &store->kept[r->side][n];
        *k = (struct kept){.resource = *host, .source = memory_text("%s", source),
                           .simulated = run && strcmp(source, run) == 0};
        k->resource.flows = memory_zeroed(host->n, sizeof *host->flows, "flows to compare");
        memcpy(k->resource.flows, host->flows, host->n * sizeof *host->flows);
        k->run = k->source + (strncmp(source, r->path, length) == 0 ? length : strlen(source));
        k->run += strspn(k->run, "/");
        if (k->simulated)
            study_compare_interval_fill(run, &k->resource);
    }
    return true;
}

static struct study_compare_value compare_unknown(void)
{
    return (struct study_compare_value){.mean = {(double)NAN, (double)NAN}, .ci95 = {(double)NAN, (double)NAN}};
}

/* How long the address in "10.0.0.1:5001" is, or a host's name that has no port. */
static size_t address_length(const char *end)
{
    const char *port = strrchr(end, ':');
    return port ? (size_t)(port - end) : strlen(end);
}

static bool same_address(const char *x, const char *y)
{
    size_t n = address_length(x);
    return n == address_length(y) && strncmp(x, y, n) == 0;
}

static bool flow_same(const struct analysis_check_flow *x, const struct analysis_check_flow *y, bool ports)
{
    if (x->incoming != y->incoming)
        return false;
    return ports ? strcmp(x->src, y->src) == 0 && strcmp(x->dst, y->dst) == 0
                 : same_address(x->src, y->src) && same_address(x->dst, y->dst);
}

/* partner[i]: which flow after the change is the i-th before; `none` where there is none. First those whose ports are
 * the same, too: a client has another one each time. */
static void host_find_partners(const struct analysis_resource *before, const struct analysis_resource *after,
                               size_t *partner, bool *taken, size_t none)
{
    for (size_t i = 0; i < before->n; i++)
        partner[i] = none;
    for (int ports = 1; ports >= 0; ports--)
        for (size_t i = 0; i < before->n; i++)
            for (size_t k = 0; k < after->n && partner[i] == none; k++)
                if (!taken[k] && flow_same(&before->flows[i], &after->flows[k], ports)) {
                    partner[i] = k;
                    taken[k] = true;
                }
}

static void flow_fill(struct study_compare_flow *flow, enum study_compare_side side,
                      const struct analysis_check_flow *from)
{
    flow->rate_bps.mean[side] = from->rate_bps;
    flow->rate_bps.ci95[side] = from->ci95_bps;
}

static struct study_compare_flow *host_add_flow(struct study_compare_host *h, const struct analysis_check_flow *from)
{
    struct study_compare_flow *flow = &h->flow[h->n++];
    *flow = (struct study_compare_flow){.incoming = from->incoming, .rate_bps = compare_unknown()};
    snprintf(flow->src, sizeof flow->src, "%s", from->src);
    snprintf(flow->dst, sizeof flow->dst, "%s", from->dst);
    return flow;
}

static void host_pair_flows(struct study_compare_host *h)
{
    static const struct analysis_resource nothing = {0};
    const struct analysis_resource *before = h->side[STUDY_COMPARE_BEFORE], *after = h->side[STUDY_COMPARE_AFTER];
    before = before ? before : &nothing;
    after = after ? after : &nothing;
    MEMORY_LOCAL size_t *partner = memory_zeroed(before->n, sizeof *partner, "flows to compare");
    MEMORY_LOCAL bool *taken = memory_zeroed(after->n, sizeof *taken, "flows to compare");
    h->flow = memory_zeroed(before->n + after->n, sizeof *h->flow, "flows to compare");
    host_find_partners(before, after, partner, taken, after->n);
    for (size_t i = 0; i < before->n; i++) {
        struct study_compare_flow *flow = host_add_flow(h, &before->flows[i]);
        flow_fill(flow, STUDY_COMPARE_BEFORE, &before->flows[i]);
        if (partner[i] < after->n)
            flow_fill(flow, STUDY_COMPARE_AFTER, &after->flows[partner[i]]);
    }
    for (size_t k = 0; k < after->n; k++)
        if (!taken[k])
            flow_fill(host_add_flow(h, &after->flows[k]), STUDY_COMPARE_AFTER, &after->flows[k]);
}

/* Sums over the flows of one side; waits are means by rate. A part that is not known leaves its sum unknown. */
static void host_sum(struct study_compare_host *h, enum study_compare_side side)
{
    const struct analysis_resource *r = h->side[side];
    double lost = 0;
    for (int way = 0; way < STUDY_COMPARE_WAYS; way++) {
        double rate = 0, ci95 = 0, data = 0, ack = 0;
        for (size_t i = 0; i < r->n; i++) {
            const struct analysis_check_flow *flow = &r->flows[i];
            if (way != STUDY_COMPARE_BOTH && (way == STUDY_COMPARE_IN) != flow->incoming)
                continue;
            rate += flow->rate_bps;
            ci95 += flow->ci95_bps;
            data += flow->rate_bps * flow->data_wait_s;
            ack += flow->rate_bps * flow->ack_wait_s;
        }
        h->rate_bps[way].mean[side] = rate;
        h->rate_bps[way].ci95[side] = ci95;
        h->data_wait_s[way].mean[side] = rate > 0 ? data / rate : (double)NAN;
        h->ack_wait_s[way].mean[side] = rate > 0 ? ack / rate : (double)NAN;
    }
    for (size_t i = 0; i < r->n; i++)
        lost += (double)r->flows[i].retransmitted_segments;
    h->retransmitted.mean[side] = lost;
    h->lost_share.mean[side] = r->diagnosed ? r->diagnosis.lost_share : (double)NAN;
    h->lost_share.ci95[side] = r->diagnosed ? r->diagnosis.ci95 : (double)NAN;
}

static void compare_add(struct study_compare *c, struct kept *before, struct kept *after)
{
    struct kept *sides[] = {before, after};
    c->host = memory_resized(c->host, c->n + 1, sizeof *c->host, "hosts to compare");
    struct study_compare_host *h = &c->host[c->n++];
    *h = (struct study_compare_host){.retransmitted = compare_unknown(), .lost_share = compare_unknown()};
    for (int way = 0; way < STUDY_COMPARE_WAYS; way++)
        h->rate_bps[way] = h->data_wait_s[way] = h->ack_wait_s[way] = compare_unknown();
    for (int side = 0; side < STUDY_COMPARE_SIDES; side++) {
        if (!sides[side])
            continue;
        sides[side]->paired = true;
        h->side[side] = &sides[side]->resource;
        h->source[side] = sides[side]->source;
        host_sum(h, (enum study_compare_side)side);
    }
    host_pair_flows(h);
    const char *run[STUDY_COMPARE_SIDES] = {NULL, NULL};
    for (int side = 0; side < STUDY_COMPARE_SIDES; side++)
        run[side] = sides[side] && sides[side]->simulated ? sides[side]->source : NULL;
    study_compare_differ(h, run);
}

static void compare_pair(struct study_compare *c)
{
    struct study_compare_store *s = c->store;
    struct kept *before = s->kept[STUDY_COMPARE_BEFORE], *after = s->kept[STUDY_COMPARE_AFTER];
    size_t n = s->n[STUDY_COMPARE_BEFORE], m = s->n[STUDY_COMPARE_AFTER];
    if (n == 1 && m == 1)
        compare_add(c, before, after);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m && !before[i].paired; k++)
            if (!after[k].paired && strcmp(before[i].run, after[k].run) == 0 &&
                strcmp(before[i].resource.host, after[k].resource.host) == 0)
                compare_add(c, &before[i], &after[k]);
    for (size_t i = 0; i < n; i++)
        if (!before[i].paired)
            compare_add(c, &before[i], NULL);
    for (size_t k = 0; k < m; k++)
        if (!after[k].paired)
            compare_add(c, NULL, &after[k]);
}

/* A side that was judged before (study_kept_read()), or is judged now. */
static bool compare_read(struct reading *r, const struct study_judge_options *options,
                         const struct study_capture_listener *listener, struct error *err)
{
    if (!study_kept_exists(r->path))
        return study_judge_source(r->path, options, listener, compare_keep, r, err);
    MEMORY_ENDS(analysis_resources_fini) struct analysis_resources all;
    bool ok = study_kept_read(r->path, &all, err) && compare_keep(r, r->path, NULL, &all, err);
    r->c->live[r->side] = ok && all.n > 0 && all.resource[0].live;
    return ok;
}

bool study_compare_make(struct study_compare *c, const char *const path[STUDY_COMPARE_SIDES],
                        const struct study_judge_options *options, const struct study_capture_listener *listener,
                        struct error *err)
{
    *c = (struct study_compare){.simulated = {true, true}};
    c->store = memory_zeroed(1, sizeof *c->store, "hosts to compare");
    bool ok = true;
    for (int side = 0; ok && side < STUDY_COMPARE_SIDES; side++) {
        struct reading r = {c, (enum study_compare_side)side, path[side]};
        ok = compare_read(&r, options, listener, err);
        if (ok && c->store->n[side] == 0)
            ok = error_set(err, ERROR_INPUT, "%s: no host has bulk flows: nothing can be compared", path[side]);
    }
    if (ok)
        compare_pair(c);
    else
        study_compare_fini(c);
    return ok;
}

bool study_compare_short(const struct study_compare_host *h, double *seen_s, double *would_do_s)
{
    *would_do_s = 0;
    for (int side = 0; side < STUDY_COMPARE_SIDES; side++) {
        double seen, would_do;
        if (!h->side[side] || !study_compare_interval_lacks(h->side[side], &seen, &would_do) || would_do <= *would_do_s)
            continue;
        *seen_s = seen;
        *would_do_s = would_do;
    }
    return *would_do_s > 0;
}

static void host_fini(struct study_compare_host *h)
{
    for (size_t i = 0; i < h->n_differences; i++) {
        struct study_compare_difference *d = &h->difference[i];
        free(d->what);
        for (int side = 0; side < STUDY_COMPARE_SIDES; side++)
            free(d->side[side]);
    }
    MEMORY_FREE(h->difference, h->flow);
}

void study_compare_fini(struct study_compare *c)
{
    for (size_t i = 0; i < c->n; i++)
        host_fini(&c->host[i]);
    free(c->host);
    for (int side = 0; c->store && side < STUDY_COMPARE_SIDES; side++) {
        for (size_t i = 0; i < c->store->n[side]; i++)
            MEMORY_FREE(c->store->kept[side][i].resource.flows, c->store->kept[side][i].source);
        free(c->store->kept[side]);
    }
    free(c->store);
    *c = (struct study_compare){0};
}
