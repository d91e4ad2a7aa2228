/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/zhu.h"

#include "base/order.h"
#include "model/rule.h"

#include <assert.h>

#define EQUAL_FACTORS 1e-9  /* relative */
#define FULL_CABLE 1e-6     /* relative */
#define OVERBOOKED 1e-9     /* of the goodput: less left than this is nothing */
#define LEVEL_BITS 21 /* levels are fewer than directed links: MODEL_PLATFORM_NODES bounds them */
#define LEVEL_MASK ((UINT64_C(1) << LEVEL_BITS) - 1)

/* Congestion factors as small integers: equal ones (within the tolerance) share a level. */
struct zhu_link {
    int count;     /* |S| */
    int unsettled; /* |E''| */
    int level;     /* of beta |S|; 0: nobody there */
    double used_bps, fastest_bps; /* over E' */
};

struct zhu_entry {
    uint64_t key;     /* Eq. 7 in levels; the highest goes first */
    double share_bps; /* a lower bound of what it will get; the lowest goes first */
    size_t transfer;
};

struct zhu_factor {
    double factor;
    int link;
};

struct model_zhu {
    const struct model_routes *routes;
    bool contra_flow;
    struct zhu_link *links;     /* owned, as the next three */
    struct zhu_factor *factors;
    struct zhu_entry *heap;
    uint16_t *struck;           /* a bit a hop: that contra-flow set is empty now */
    size_t heap_n;
};

static bool entry_before(const struct zhu_entry *a, const struct zhu_entry *b)
{
    if (a->key != b->key)
        return a->key > b->key;
    if (a->share_bps < b->share_bps || a->share_bps > b->share_bps)
        return a->share_bps < b->share_bps;
    return a->transfer < b->transfer;
}

static void heap_push(struct model_zhu *z, struct zhu_entry e)
{
    size_t i = z->heap_n++;
    for (; i > 0 && entry_before(&e, &z->heap[(i - 1) / 2]); i = (i - 1) / 2)
        z->heap[i] = z->heap[(i - 1) / 2];
    z->heap[i] = e;
}

static struct zhu_entry heap_pop(struct model_zhu *z)
{
    struct zhu_entry top = z->heap[0], last = z->heap[--z->heap_n];
    size_t i = 0;
    for (size_t child = 1; child < z->heap_n; child = 2 * i + 1) {
        if (child + 1 < z->heap_n && entry_before(&z->heap[child + 1], &z->heap[child]))
            child++;
        if (!entry_before(&z->heap[child], &last))
            break;
        z->heap[i] = z->heap[child];
        i = child;
    }
    z->heap[i] = last;
    return top;
}

static ORDER_OF(factor_compare, struct zhu_factor, 2 * ORDER(factor) + ORDER(link))

static void zhu_count(struct model_zhu *z, const bool *active)
{
    const struct model_routes *r = z->routes;
    memset(z->links, 0, (size_t)r->n_links * sizeof *z->links);
    size_t n = 0;
    for (size_t i = 0; i < r->pattern.n; i++)
        for (int h = 0; (!active || active[i]) && h < r->route[i].n; h++)
            if (z->links[r->route[i].link[h]].count++ == 0)
                z->factors[n++].link = r->route[i].link[h];
    for (size_t i = 0; i < n; i++) {
        int l = z->factors[i].link;
        z->links[l].unsettled = z->links[l].count;
        z->factors[i].factor = z->links[l].count / r->goodput_bps[l];
    }
    qsort(z->factors, n, sizeof *z->factors, factor_compare);
    int level = 0;
    double lowest = 0; /* of the level: comparing with it keeps equality transitive */
    for (size_t i = 0; i < n; i++) {
        if (z->factors[i].factor > lowest * (1 + EQUAL_FACTORS)) {
            lowest = z->factors[i].factor;
            level++;
        }
        z->links[z->factors[i].link].level = level;
    }
}

/* Levels of k and, over the sets not struck, of k_bar. */
static void zhu_levels(const struct model_zhu *z, size_t transfer, int *own, int *contra)
{
    const struct model_route *r = &z->routes->route[transfer];
    *own = *contra = 0;
    for (int h = 0; h < r->n; h++) {
        int with = z->links[r->link[h]].level, against = z->links[r->link[h] ^ 1].level;
        *own = with > *own ? with : *own;
        if (z->contra_flow && !(z->struck[transfer] >> h & 1) && against > *contra)
            *contra = against;
    }
}

static struct zhu_entry zhu_entry(const struct model_zhu *z, size_t transfer)
{
    int own, contra;
    zhu_levels(z, transfer, &own, &contra);
    uint64_t first = (uint64_t)(own > contra ? own : contra);
    return (struct zhu_entry){
        .key = first << 2 * LEVEL_BITS | (uint64_t)own << LEVEL_BITS | (uint64_t)contra,
        .transfer = transfer,
    };
}

/* Lines 7-10 and inverseBandwidth(). */
static double zhu_with_flow(const struct model_zhu *z, size_t transfer, int own)
{
    const struct model_route *r = &z->routes->route[transfer];
    double rate_bps = z->routes->platform.nic.goodput_bps;
    for (int h = 0; h < r->n; h++) {
        const struct zhu_link *l = &z->links[r->link[h]];
        if (l->level != own)
            continue;
        double goodput_bps = z->routes->goodput_bps[r->link[h]], left_bps = goodput_bps - l->used_bps;
        double share_bps = left_bps > OVERBOOKED * goodput_bps ? left_bps / l->unsettled : goodput_bps / l->count;
        rate_bps = fmin(rate_bps, share_bps);
    }
    return rate_bps;
}

/* Lines 12-20; 0 when no contra-flow cable was full and the sets are struck. */
static double zhu_contra_flow(struct model_zhu *z, size_t transfer, int contra)
{
    const struct model_route *r = &z->routes->route[transfer];
    double rate_bps = 0;
    for (int h = 0; h < r->n; h++) {
        const struct zhu_link *l = &z->links[r->link[h] ^ 1];
        if (l->level != contra || z->struck[transfer] >> h & 1)
            continue;
        if (l->used_bps >= (1 - FULL_CABLE) * z->routes->goodput_bps[r->link[h] ^ 1])
            rate_bps = rate_bps > 0 ? fmin(rate_bps, l->fastest_bps) : l->fastest_bps;
        else
            z->struck[transfer] |= (uint16_t)(1U << h);
    }
    return rate_bps;
}

static void zhu_settle(struct model_zhu *z, size_t transfer, double rate_bps)
{
    const struct model_route *r = &z->routes->route[transfer];
    for (int h = 0; h < r->n; h++) {
        struct zhu_link *l = &z->links[r->link[h]];
        l->used_bps += rate_bps;
        l->unsettled--;
        l->fastest_bps = fmax(l->fastest_bps, rate_bps);
    }
}

size_t model_zhu_rates(struct model_zhu *z, const bool *active, double *rate_bps)
{
    size_t rounds = 0, transfers = 0;
    zhu_count(z, active);
    z->heap_n = 0;
    for (size_t i = 0; i < z->routes->pattern.n; i++) {
        if (active && !active[i])
            continue;
        z->struck[i] = 0;
        heap_push(z, zhu_entry(z, i));
        transfers++;
    }
    while (z->heap_n > 0) {
        struct zhu_entry e = heap_pop(z);
        int own = (int)(e.key >> LEVEL_BITS & LEVEL_MASK), contra = (int)(e.key & LEVEL_MASK);
        double rate = own >= contra ? zhu_with_flow(z, e.transfer, own) : zhu_contra_flow(z, e.transfer, contra);
        if (own >= contra && rate > e.share_bps * (1 + EQUAL_FACTORS)) {
            /* Within a key shares only grow, so the entry's was a lower bound: another may be slower now. */
            e.share_bps = rate;
            if (z->heap_n > 0 && entry_before(&z->heap[0], &e)) {
                heap_push(z, e);
                continue;
            }
        }
        rounds++;
        if (rate > 0) {
            rate_bps[e.transfer] = rate;
            zhu_settle(z, e.transfer, rate);
        } else {
            heap_push(z, zhu_entry(z, e.transfer));
        }
    }
    assert(rounds <= 2 * transfers);
    return rounds;
}

void model_zhu_free(struct model_zhu *z)
{
    if (!z)
        return;
    MEMORY_FREE(z->links, z->factors, z->heap, z->struck, z);
}

struct model_zhu *model_zhu_new(const struct model_routes *routes, bool contra_flow)
{
    struct model_zhu *z = memory_zeroed(1, sizeof *z, "a rule");
    size_t links = (size_t)routes->n_links, transfers = routes->pattern.n;
    *z = (struct model_zhu){
        .routes = routes,
        .contra_flow = contra_flow,
        .links = memory_zeroed(links, sizeof *z->links, "the links of a rule"),
        .factors = memory_zeroed(links, sizeof *z->factors, "the links of a rule"),
        .heap = memory_zeroed(transfers, sizeof *z->heap, "the transfers of a rule"),
        .struck = memory_zeroed(transfers, sizeof *z->struck, "the transfers of a rule"),
    };
    return z;
}

static void *zhu_new(const struct model_routes *routes, bool contra_flow, struct error *err UNUSED)
{
    return model_zhu_new(routes, contra_flow);
}

static bool zhu_rates(void *state, const bool *active, double *rate_bps, struct error *err UNUSED)
{
    model_zhu_rates(state, active, rate_bps);
    return true;
}

static void zhu_free(void *state)
{
    model_zhu_free(state);
}

const struct model_rule model_rule_algorithm1 = {zhu_new, zhu_rates, zhu_free, .contra_flow = true};
const struct model_rule model_rule_fairness = {zhu_new, zhu_rates, zhu_free, .contra_flow = false};
