/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flows that start and end: who crosses which link, and which links are one unknown. Only links of those flows, and the
 * links that shared an unknown with them, are looked at. */
#include "model/window/window_state.h"

/* Marks a link whose uses or whose unknown will change. */
static void change_mark(struct model_window *w, int link)
{
    if (w->links[link].marked)
        return;
    w->links[link].marked = true;
    w->dirty[w->n_dirty++] = link;
}

static int *change_bucket(struct model_window *w, uint64_t waiters)
{
    return &w->buckets[waiters & w->mask];
}

/* The place that holds the number of unknown v in its bucket's chain. */
static int *change_place(struct model_window *w, int v)
{
    int *at = change_bucket(w, w->links[w->unknowns[v].head].waiters);
    while (*at != v)
        at = &w->unknowns[*at].chain;
    return at;
}

/* Gives an unknown's Q back to its links, and its number to the last unknown. */
static void change_dissolve(struct model_window *w, int v)
{
    int last = (int)w->n_unknowns - 1;
    for (int i = 0; i < 2; i++)
        window_split(w, &w->layers[i], v);
    *change_place(w, v) = w->unknowns[v].chain;
    for (int l = w->unknowns[v].head, next; l >= 0; l = next) {
        next = w->links[l].mate;
        w->links[l].unknown = -1;
        change_mark(w, l);
    }
    if (v != last) {
        *change_place(w, last) = v;
        w->unknowns[v] = w->unknowns[last];
        for (int l = w->unknowns[v].head; l >= 0; l = w->links[l].mate)
            w->links[l].unknown = v;
        for (int i = 0; i < 2; i++) {
            w->layers[i].wait_s[v] = w->layers[i].wait_s[last];
            w->layers[i].fullest[v] = w->layers[i].fullest[last];
        }
    }
    w->n_unknowns--;
}

static void change_use(struct model_window *w, size_t hop)
{
    struct window_hop *h = &w->hops[hop];
    struct window_link *l = &w->links[h->link];
    bool waits = h->data || !l->ack_first;
    if (w->active[h->flow]) {
        h->place = (unsigned)(l->first + l->n++);
        w->uses[h->place] = (struct window_use){h->wire, h->flow, waits, h->data};
        w->use_hops[h->place] = (unsigned)hop;
        l->n_data += h->data;
        l->waiters += waits ? w->hash[h->flow] : 0;
    } else {
        size_t last = l->first + --l->n;
        l->waiters -= waits ? w->hash[h->flow] : 0;
        l->n_data -= h->data;
        w->hops[w->use_hops[last]].place = h->place;
        w->uses[h->place] = w->uses[last];
        w->use_hops[h->place] = w->use_hops[last];
    }
}

/* ACKs go before data where there are data: with the first of these, or without the last, other flows' ACKs begin or
 * cease to wait. */
static void change_priority(struct model_window *w, struct window_link *l, bool ack_first)
{
    if (l->ack_first == ack_first)
        return;
    l->ack_first = ack_first;
    l->waiters = 0;
    for (size_t i = l->first; i < l->first + l->n; i++) {
        w->uses[i].waits = w->uses[i].data || !ack_first;
        l->waiters += w->uses[i].waits ? w->hash[w->uses[i].flow] : 0;
    }
}

/* Puts a link into the unknown of those with the same waiters. */
static void change_join(struct model_window *w, int link)
{
    struct window_link *l = &w->links[link];
    int *bucket = change_bucket(w, l->waiters), v = *bucket;
    while (v >= 0 && w->links[w->unknowns[v].head].waiters != l->waiters)
        v = w->unknowns[v].chain;
    if (v < 0) {
        v = (int)w->n_unknowns++;
        w->unknowns[v] = (struct window_unknown){.head = -1, .chain = *bucket, .row = -1};
        *bucket = v;
        for (int i = 0; i < 2; i++)
            w->layers[i].wait_s[v] = 0;
    }
    l->unknown = v;
    l->mate = w->unknowns[v].head;
    w->unknowns[v].head = link;
    for (int i = 0; i < 2; i++)
        w->layers[i].wait_s[v] += w->layers[i].delay_s[link];
}

void window_forget_changes(struct model_window *w)
{
    for (size_t k = 0; k < w->n_moved; k++)
        w->is_moved[w->moved[k]] = false;
    w->n_moved = 0;
    w->all_moved = false;
}

void window_change(struct model_window *w, const bool *active)
{
    w->n_changed = w->n_dirty = w->n_shifted = 0;
    for (size_t i = 0; i < w->net.n_flows; i++)
        if (w->active[i] != (!active || active[i]))
            w->changed[w->n_changed++] = (int)i;
    if (w->n_changed == 0)
        return;
    for (size_t k = 0; k < w->n_changed; k++)
        for (size_t h = w->flow_hops[w->changed[k]]; h < w->flow_hops[w->changed[k] + 1]; h++) {
            int link = w->hops[h].link;
            if (w->links[link].unknown >= 0)
                change_dissolve(w, w->links[link].unknown);
            change_mark(w, link);
        }
    for (size_t k = 0; k < w->n_changed; k++) {
        int f = w->changed[k];
        w->active[f] = !w->active[f];
        for (size_t h = w->flow_hops[f]; h < w->flow_hops[f + 1]; h++)
            change_use(w, h);
        for (int i = 0; i < 2; i++)
            w->layers[i].rate_bps[f] = w->layers[i].rtt_s[f] = w->layers[i].burst_s[f] = 0;
    }
    for (size_t k = 0; k < w->n_dirty; k++) {
        struct window_link *l = &w->links[w->dirty[k]];
        l->marked = false;
        change_priority(w, l, w->net.links[w->dirty[k]].ack_first && l->n_data > 0);
        if (l->n > 0) {
            change_join(w, w->dirty[k]);
            continue;
        }
        for (int i = 0; i < 2; i++)
            w->layers[i].delay_s[w->dirty[k]] = w->layers[i].fill[w->dirty[k]].load_bps = 0;
    }
    for (int i = 0; i < 2; i++) {
        w->solved[i] = w->solved[i] && !w->behind[i]; /* else it has missed a change */
        w->behind[i] = true;
    }
}
