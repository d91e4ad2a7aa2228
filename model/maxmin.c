/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Max-min fairness on directed links: what full duplex would give, without any contra-flow rule.
 *
 * Water filling (Bertsekas and Gallager 1992, Data Networks, section 6.5.2): the link with the least goodput
 * per unsettled transfer settles them, what they use is taken off their other links, and so on. Unlike the
 * fairness-only Algorithm 1 it never gives a link away twice. O(|E| log links). */
#include "model/rule.h"

struct maxmin_link {
    double left_bps;
    int unsettled;
    size_t first; /* of its members */
    size_t n;
};

/* A link in the heap with a lower bound of its share. */
struct maxmin_entry {
    double share_bps;
    int link;
};

struct maxmin {
    const struct model_routes *routes;
    struct maxmin_link *links; /* owned, as the next three */
    size_t *members;
    struct maxmin_entry *heap;
    bool *settled;
    size_t heap_n;
};

static bool maxmin_entry_before(const struct maxmin_entry *a, const struct maxmin_entry *b)
{
    if (a->share_bps < b->share_bps || a->share_bps > b->share_bps)
        return a->share_bps < b->share_bps;
    return a->link < b->link;
}

/* Moves heap[i] down to where it belongs: shares only grow, so nothing ever moves up. */
static void heap_sink(struct maxmin *m, size_t i)
{
    struct maxmin_entry e = m->heap[i];
    for (size_t child = 2 * i + 1; child < m->heap_n; child = 2 * i + 1) {
        if (child + 1 < m->heap_n && maxmin_entry_before(&m->heap[child + 1], &m->heap[child]))
            child++;
        if (!maxmin_entry_before(&m->heap[child], &e))
            break;
        m->heap[i] = m->heap[child];
        i = child;
    }
    m->heap[i] = e;
}

static void maxmin_fill(struct maxmin *m, const bool *active)
{
    const struct model_routes *r = m->routes;
    memset(m->links, 0, (size_t)r->n_links * sizeof *m->links);
    for (size_t i = 0; i < r->pattern.n; i++) {
        m->settled[i] = active && !active[i];
        for (int h = 0; !m->settled[i] && h < r->route[i].n; h++)
            m->links[r->route[i].link[h]].unsettled++;
    }
    size_t first = 0;
    m->heap_n = 0;
    for (int l = 0; l < r->n_links; l++) {
        struct maxmin_link *link = &m->links[l];
        link->left_bps = r->goodput_bps[l];
        link->first = first;
        first += (size_t)link->unsettled;
        if (link->unsettled > 0)
            m->heap[m->heap_n++] = (struct maxmin_entry){link->left_bps / link->unsettled, l};
    }
    for (size_t i = 0; i < r->pattern.n; i++)
        for (int h = 0; !m->settled[i] && h < r->route[i].n; h++) {
            struct maxmin_link *link = &m->links[r->route[i].link[h]];
            m->members[link->first + link->n++] = i;
        }
    for (size_t i = m->heap_n / 2; i-- > 0;)
        heap_sink(m, i);
}

static bool maxmin_rates(void *state, const bool *active, double *rate_bps, struct error *err UNUSED)
{
    struct maxmin *m = state;
    const struct model_routes *r = m->routes;
    maxmin_fill(m, active);
    while (m->heap_n > 0) {
        struct maxmin_link *link = &m->links[m->heap[0].link];
        double share_bps = link->unsettled > 0 ? fmax(link->left_bps, 0) / link->unsettled : INFINITY;
        if (share_bps > m->heap[0].share_bps && link->unsettled > 0) {
            m->heap[0].share_bps = share_bps; /* some of its transfers were settled since */
            heap_sink(m, 0);
            if (m->heap[0].link != (int)(link - m->links))
                continue;
        }
        m->heap[0] = m->heap[--m->heap_n];
        heap_sink(m, 0);
        for (size_t k = 0; k < link->n; k++) {
            size_t i = m->members[link->first + k];
            if (m->settled[i])
                continue;
            m->settled[i] = true;
            rate_bps[i] = share_bps;
            for (int h = 0; h < r->route[i].n; h++) {
                m->links[r->route[i].link[h]].left_bps -= share_bps;
                m->links[r->route[i].link[h]].unsettled--;
            }
        }
    }
    return true;
}

static void maxmin_free(void *state)
{
    struct maxmin *m = state;
    if (!m)
        return;
    MEMORY_FREE(m->links, m->members, m->heap, m->settled, m);
}

static void *maxmin_new(const struct model_routes *routes, bool contra_flow UNUSED, struct error *err UNUSED)
{
    struct maxmin *m = memory_zeroed(1, sizeof *m, "a rule");
    size_t links = (size_t)routes->n_links, transfers = routes->pattern.n;
    *m = (struct maxmin){
        .routes = routes,
        .links = memory_zeroed(links, sizeof *m->links, "the links of a rule"),
        .members = memory_zeroed(transfers, MODEL_PLATFORM_HOPS * sizeof *m->members, "the transfers of a rule"),
        .heap = memory_zeroed(links, sizeof *m->heap, "the links of a rule"),
        .settled = memory_zeroed(transfers, sizeof *m->settled, "the transfers of a rule"),
    };
    return m;
}

const struct model_rule model_rule_maxmin = {
    .new = maxmin_new,
    .rates = maxmin_rates,
    .free = maxmin_free,
};
