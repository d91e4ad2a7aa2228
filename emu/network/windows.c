/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network/windows.h"

#include "base/monotonic.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#define CHUNK 32         /* parts that a thread takes at once, or passes over */
#define LEAD_PORT 4      /* parts before one runs, its port is fetched, and what comes to it; */
#define LEAD_LINE 2      /* and then what that points to */
#define SPINS 2000       /* looks at the others before it lets them have the processor */
#define TRIED 16         /* windows after which it is known what they take with all threads, or with one */
#define KEPT_LEAST 4     /* times as many go the faster way before the other is tried again; */
#define KEPT_MOST 256    /* it doubles each time that the same is faster */
#define YIELDS 200       /* such looks before it sleeps between them */
#define NAP_NS 50000
#define INSERTION 24     /* frames that are sorted one by one */
#define LEAST_SHARE 4    /* a window is no shorter than a full frame on the fastest host's link takes, by this */
#define FULL_FRAME_BYTES 1538

/* A frame on its way to a part of a chunk. */
struct windows_item {
    int64_t time_ps; /* when it arrives */
    int from;        /* number of the port that sent it */
    uint16_t to;     /* which of the chunk's parts */
    bool to_host;
    struct emu_frame frame;
};

struct windows_items {
    struct windows_item *items; /* owned */
    size_t n, capacity;
};

/* What a part gets in a window. */
struct windows_batch {
    const struct windows_item **items; /* owned */
    size_t n, capacity;
};

/* A host with its NIC, or a switch port. */
struct windows_part {
    int64_t now_ps;
    struct emu_port *port;
    int host;               /* -1: a switch port */
    bool near;              /* what it sends may arrive within the window in which it was sent */
    bool tapped;            /* somebody sees what arrives */
    const struct emu_switch *to_switch; /* where its cable ends; NULL: at a host, */
    int to;                 /* that; or the part of the switch's first port */
    struct emu_port_hand hand; /* who gets what arrives */
};

/* What a chunk keeps for later windows: what is taken out of the one while the other is filled. */
struct windows_kept {
    struct windows_items lists[2];
    int from;
};

struct windows_thread {
    struct emu_windows *windows;
    int number;
    pthread_t id;
    struct windows_items *out[2]; /* owned; what it sends, by chunk, for windows of each parity */
    struct windows_batch batches[CHUNK]; /* what a chunk gets in a window, by part */
    const struct windows_item **sorting; /* owned; room to sort that */
    size_t sorting_capacity;
    size_t *ends;           /* owned; of slices of the window, in `sorting` */
    size_t ends_capacity;
};

struct emu_windows {
    struct emu_network *network;
    struct emu_engine *engine;
    const struct emu_engine_hosts *hosts;
    struct windows_part *parts; /* owned; hosts first */
    int n_parts;
    int *order, *level_end;     /* owned; parts by level, each level from a chunk's begin, and where each level ends */
    int *place;                 /* owned; of each part in `order` */
    int n_levels;
    int64_t length_ps;          /* of a window, at most */
    struct windows_thread *threads; /* owned */
    int n_threads;
    int64_t *due_ps;            /* owned; by place: when a part has something to do of its own */
    struct windows_kept *kept;  /* owned; by chunk */
    _Atomic int64_t *chunk_due_ps; /* owned; when a chunk has something to do of its own, or with what it keeps, */
    _Atomic bool *chunk_called[2]; /* owned; or because frames come, in windows of each parity */
    int64_t from_ps, to_ps;     /* the window */
    int level, parity;
    _Atomic int next;           /* chunk of the level to be taken */
    bool together, trying;      /* all threads run it; to see what that takes */
    double cost[2];             /* seconds for a part, by `together`; 0: not known yet */
    _Atomic int64_t ran;        /* parts, in windows since that was decided, */
    int judged, settled;        /* of which there were so many; KEPT_LEAST to KEPT_MOST */
    double judged_s;            /* and that was then */
    _Atomic bool idle;          /* no part has had anything to do in this window */
    _Atomic unsigned round;     /* each is a level of a window */
    _Atomic int busy;           /* threads that are not done with it */
    _Atomic bool over;
};

static int chunks(int places)
{
    return (places + CHUNK - 1) / CHUNK;
}

static inline bool flag_is_set(const _Atomic bool *flag)
{
    return atomic_load_explicit(flag, memory_order_relaxed);
}

/* A line of the cache that need not be written is not. */
static inline void flag_set(_Atomic bool *flag, bool set)
{
    if (flag_is_set(flag) != set)
        atomic_store_explicit(flag, set, memory_order_relaxed);
}

static inline struct windows_item *items_next(struct windows_items *i)
{
    if (i->n == i->capacity)
        i->items = memory_grown(i->items, i->n, &i->capacity, 8, sizeof *i->items, "frames on their way");
    return &i->items[i->n++];
}

/* No two frames of a port arrive at one time. */
static inline bool item_before(const struct windows_item *x, const struct windows_item *y)
{
    return x->time_ps < y->time_ps || (x->time_ps == y->time_ps && x->from < y->from);
}

static void batch_insert(const struct windows_item **batch, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct windows_item *item = batch[i];
        size_t at = i;
        for (; at > 0 && item_before(item, batch[at - 1]); at--)
            batch[at] = batch[at - 1];
        batch[at] = item;
    }
}

/* Many are first put into as many slices of the window. */
static void thread_sort(struct windows_thread *t, const struct windows_item **batch, size_t n)
{
    const struct emu_windows *w = t->windows;
    double slice = (double)n / (double)(w->to_ps - w->from_ps);
    if (n <= INSERTION) {
        batch_insert(batch, n);
        return;
    }
    if (t->ends_capacity < n + 1)
        t->ends = memory_resized(t->ends, t->ends_capacity = 2 * n, sizeof *t->ends, "frames on their way");
    if (t->sorting_capacity < n)
        t->sorting = memory_resized(t->sorting, t->sorting_capacity = 2 * n, sizeof *t->sorting, "frames on their way");
    memset(t->ends, 0, (n + 1) * sizeof *t->ends);
    memcpy(t->sorting, batch, n * sizeof *batch);
    for (size_t i = 0; i < n; i++)
        t->ends[(size_t)((double)(batch[i]->time_ps - w->from_ps) * slice) + 1]++;
    for (size_t i = 0; i < n; i++)
        t->ends[i + 1] += t->ends[i];
    for (size_t i = 0; i < n; i++)
        batch[t->ends[(size_t)((double)(t->sorting[i]->time_ps - w->from_ps) * slice)]++] = t->sorting[i];
    batch_insert(batch, n);
}

/* Takes what arrives at a chunk in this window out of a list, where it stays meanwhile; what comes later goes to what the
 * chunk keeps. Returns when the first of that comes. */
static int64_t thread_take(struct windows_thread *t, struct windows_items *from, struct windows_items *kept)
{
    int64_t to_ps = t->windows->to_ps, first_ps = INT64_MAX;
    for (const struct windows_item *item = from->items, *end = from->n > 0 ? item + from->n : item; item != end; item++) {
        if (__builtin_expect(item->time_ps >= to_ps, 0)) {
            first_ps = item->time_ps < first_ps ? item->time_ps : first_ps;
            *items_next(kept) = *item;
            continue;
        }
        struct windows_batch *b = &t->batches[item->to];
        if (__builtin_expect(b->n == b->capacity, 0))
            b->items = memory_grown(b->items, b->n, &b->capacity, 16, sizeof *b->items, "frames on their way");
        b->items[b->n++] = item;
        if (item->to_host) /* others do not look into it */
            __builtin_prefetch(item->frame.packet, 1);
    }
    from->n = 0; /* nothing comes to it before the chunk has run */
    return first_ps;
}

/* What arrives at a chunk in this window, in t->batches. Returns when the first comes that arrives later. */
static int64_t thread_gather(struct windows_thread *t, int chunk)
{
    const struct emu_windows *w = t->windows;
    struct windows_kept *k = &w->kept[chunk];
    struct windows_items *from = &k->lists[k->from], *kept = &k->lists[!k->from];
    k->from = !k->from;
    for (int i = 0; i < CHUNK; i++)
        t->batches[i].n = 0;
    int64_t first_ps = thread_take(t, from, kept);
    for (int i = 0; i < w->n_threads; i++) {
        int64_t other_ps = thread_take(t, &w->threads[i].out[w->parity][chunk], kept);
        first_ps = other_ps < first_ps ? other_ps : first_ps;
    }
    return first_ps;
}

/* Where frames of a part go: what its thread has for each chunk, in this window or the next one. */
struct windows_shipping {
    struct windows_items *out;
    _Atomic bool *called;
    const int *place;
    const struct emu_switch *to_switch;
    int to, from; /* as windows_part's; number of the port */
};

static inline __attribute__((always_inline)) void shipping_add(const struct windows_shipping *s, int part, bool to_host,
                                                               const struct emu_frame *frame, int64_t arrives_ps)
{
    unsigned place = (unsigned)s->place[part];
    struct windows_items *out = &s->out[place / CHUNK];
    if (out->n == 0)
        flag_set(&s->called[place / CHUNK], true);
    struct windows_item *item = items_next(out);
    item->time_ps = arrives_ps;
    item->from = s->from;
    item->to = (uint16_t)(place % CHUNK);
    item->to_host = to_host;
    item->frame = *frame;
}

static inline void ship_to_host(void *user, const struct emu_frame *frame, int64_t arrives_ps)
{
    const struct windows_shipping *s = user;
    shipping_add(s, s->to, true, frame, arrives_ps);
}

static inline void ship_to_switch(void *user, const struct emu_frame *frame, int64_t arrives_ps)
{
    const struct windows_shipping *s = user;
    int out = frame->dst < s->to_switch->straight ? s->to_switch->port_of[frame->dst] : emu_switch_route(s->to_switch, frame);
    assert(out >= 0);
    shipping_add(s, s->to + out, false, frame, arrives_ps);
}

/* What arrives before `until_ps`. */
static void thread_ship(struct windows_thread *t, const struct windows_part *p, int64_t until_ps)
{
    const struct emu_windows *w = t->windows;
    int parity = w->parity ^ !p->near;
    struct windows_shipping s = {t->out[parity], w->chunk_called[parity], w->place, p->to_switch, p->to, p->port->number};
    if (p->to_switch)
        emu_port_ship(p->port, until_ps, ship_to_switch, &s);
    else
        emu_port_ship(p->port, until_ps, ship_to_host, &s);
}

static inline void thread_hand_over(const struct windows_part *p, const struct windows_item *item)
{
    if (__builtin_expect(p->tapped, 0))
        emu_port_take(p->port, &item->frame, item->time_ps);
    else
        p->hand.receive(p->hand.owner, p->hand.index, &item->frame);
}

static void thread_run_part(struct windows_thread *t, int place, struct windows_batch *b)
{
    struct emu_windows *w = t->windows;
    struct windows_part *p = &w->parts[w->order[place]];
    thread_sort(t, b->items, b->n);
    int64_t due_ps = INT64_MAX, ahead_ps = p->near ? 0 : w->length_ps;
    if (p->host >= 0) {
        w->hosts->visit(w->engine, p->host);
        for (size_t k = 0; k < b->n; k++) {
            p->now_ps = b->items[k]->time_ps;
            w->hosts->run_to(w->engine, p->host, p->now_ps);
            thread_hand_over(p, b->items[k]);
        }
        w->hosts->run(w->engine, p->host, w->to_ps);
        due_ps = w->hosts->next_ps(w->engine, p->host);
    } else {
        for (size_t k = 0; k < b->n; k++) {
            p->now_ps = b->items[k]->time_ps;
            emu_port_send(p->port, &b->items[k]->frame); /* the switch has nothing to do with it, nor to learn */
        }
    }
    p->now_ps = w->to_ps;
    /* What arrives in the next window has begun by now. */
    thread_ship(t, p, w->to_ps + ahead_ps);
    int64_t arrival_ps = emu_port_next_arrival_ps(p->port);
    w->due_ps[place] = arrival_ps - ahead_ps < due_ps ? arrival_ps - ahead_ps : due_ps;
}

/* Parts do not fit into the cache together: what one will touch is on its way from memory while others run. */
static void thread_look(const struct windows_thread *t, int place, const struct windows_batch *b)
{
    const struct emu_windows *w = t->windows;
    const struct windows_part *p = &w->parts[w->order[place]];
    emu_port_look(p->port, false);
    if (p->host < 0)
        return;
    w->hosts->look(w->engine, p->host);
    for (size_t k = 0; k < b->n && w->network->look; k++)
        w->network->look(w->network->user, &b->items[k]->frame);
}

static void thread_look_again(const struct windows_thread *t, int place)
{
    const struct emu_windows *w = t->windows;
    emu_port_look(w->parts[w->order[place]].port, true);
}

/* How many parts had something to do. */
static int thread_run_chunk(struct windows_thread *t, int chunk, int end)
{
    struct emu_windows *w = t->windows;
    int n = 0, due[CHUNK], first = chunk * CHUNK, last = first + CHUNK < end ? first + CHUNK : end;
    int64_t due_ps = thread_gather(t, chunk);
    for (int k = first; k < last; k++)
        if (w->due_ps[k] < w->to_ps || t->batches[k - first].n > 0)
            due[n++] = k;
    for (int k = -LEAD_PORT; k < n; k++) {
        if (k + LEAD_PORT < n)
            thread_look(t, due[k + LEAD_PORT], &t->batches[due[k + LEAD_PORT] - first]);
        if (k + LEAD_LINE >= 0 && k + LEAD_LINE < n)
            thread_look_again(t, due[k + LEAD_LINE]);
        if (k >= 0)
            thread_run_part(t, due[k], &t->batches[due[k] - first]);
    }
    for (int k = first; k < last; k++)
        due_ps = w->due_ps[k] < due_ps ? w->due_ps[k] : due_ps;
    atomic_store_explicit(&w->chunk_due_ps[chunk], due_ps, memory_order_relaxed);
    flag_set(&w->chunk_called[w->parity][chunk], false);
    return n;
}

/* The first chunk from `chunk` on that has something to do in this window; `end` when none has. */
static int windows_due_chunk(const struct emu_windows *w, int chunk, int end)
{
    while (chunk < end && atomic_load_explicit(&w->chunk_due_ps[chunk], memory_order_relaxed) >= w->to_ps &&
           !flag_is_set(&w->chunk_called[w->parity][chunk]))
        chunk++;
    return chunk;
}

/* Parts of a level, a chunk at a time. */
static void thread_run_level(struct windows_thread *t)
{
    struct emu_windows *w = t->windows;
    int end = w->level_end[w->level], ran = 0, next = atomic_load_explicit(&w->next, memory_order_relaxed);
    for (int chunk; (chunk = windows_due_chunk(w, next, chunks(end))) < chunks(end);) {
        if (!atomic_compare_exchange_strong_explicit(&w->next, &next, chunk + 1, memory_order_relaxed,
                                                     memory_order_relaxed))
            continue;
        next = chunk + 1;
        ran += thread_run_chunk(t, chunk, end);
    }
    if (ran > 0) {
        atomic_fetch_add_explicit(&w->ran, ran, memory_order_relaxed);
        flag_set(&w->idle, false);
    }
}

/* Before a thread looks again whether others are done: the longer that takes, the less it is in their way. */
static int thread_wait(int spins)
{
    if (spins > SPINS + YIELDS)
        nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
    else if (spins > SPINS)
        sched_yield();
    return spins > SPINS + YIELDS ? spins : spins + 1;
}

static void *thread_main(void *arg)
{
    struct windows_thread *t = arg;
    struct emu_windows *w = t->windows;
    unsigned round = 0;
    w->hosts->thread_begin(w->engine);
    for (;;) {
        for (int spins = 0; atomic_load_explicit(&w->round, memory_order_acquire) == round;)
            spins = thread_wait(spins);
        round++;
        if (atomic_load_explicit(&w->over, memory_order_relaxed))
            break;
        thread_run_level(t);
        atomic_fetch_sub_explicit(&w->busy, 1, memory_order_release);
    }
    w->hosts->thread_end(w->engine);
    return NULL;
}

/* Whether all threads run the next windows or this one alone: what is faster, by the clock on the wall, since threads
 * that meet wait for each other's processors. It is all the same to what comes of the windows. */
static void windows_judge(struct emu_windows *w)
{
    if (w->n_threads == 1 || w->judged++ < (w->trying ? TRIED : TRIED * w->settled))
        return;
    double time_s = monotonic_now_s();
    int64_t ran = atomic_load_explicit(&w->ran, memory_order_relaxed);
    if (ran > 0)
        w->cost[w->together] = (time_s - w->judged_s) / (double)ran;
    bool tried = w->trying, better = w->cost[true] > 0 && w->cost[true] < w->cost[false];
    w->trying = !tried || w->cost[!w->together] <= 0;
    if (tried && !w->trying) /* the other way than before, which is taken up where it is better */
        w->settled = better == w->together ? KEPT_LEAST : w->settled < KEPT_MOST ? 2 * w->settled : KEPT_MOST;
    w->together = w->trying ? !w->together : better;
    atomic_store_explicit(&w->ran, 0, memory_order_relaxed);
    w->judged = 0;
    w->judged_s = time_s;
}

/* All threads, this one among them, run a level. */
static void windows_run_level(struct emu_windows *w, int level)
{
    w->level = level;
    atomic_store_explicit(&w->next, level > 0 ? chunks(w->level_end[level - 1]) : 0, memory_order_relaxed);
    if (w->together) {
        atomic_store_explicit(&w->busy, w->n_threads - 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&w->round, 1, memory_order_release);
    }
    thread_run_level(&w->threads[0]);
    for (int spins = 0; atomic_load_explicit(&w->busy, memory_order_acquire) > 0;)
        spins = thread_wait(spins);
}

/* All parts' times are the window's end, for events that look at them. */
static void windows_meet(struct emu_windows *w)
{
    flag_set(&w->idle, false);
    for (int i = 0; i < w->n_parts; i++) {
        w->parts[i].now_ps = w->to_ps;
        if (w->parts[i].host >= 0) {
            w->hosts->visit(w->engine, w->parts[i].host);
            w->hosts->run(w->engine, w->parts[i].host, w->to_ps);
            w->due_ps[w->place[i]] = 0; /* they may give it something to do */
            atomic_store_explicit(&w->chunk_due_ps[w->place[i] / CHUNK], 0, memory_order_relaxed);
        }
    }
}

/* When the first part has something to do, where none has been given anything. */
static int64_t windows_due_ps(const struct emu_windows *w)
{
    int64_t first_ps = INT64_MAX;
    for (int k = 0; k < chunks(w->level_end[w->n_levels - 1]); k++) {
        int64_t due_ps = atomic_load_explicit(&w->chunk_due_ps[k], memory_order_relaxed);
        first_ps = due_ps < first_ps ? due_ps : first_ps;
    }
    return first_ps;
}

bool emu_windows_run(struct emu_windows *w, int64_t until_ps, struct error *err)
{
    while (w->from_ps < until_ps) {
        int64_t rest_ps = w->hosts->rest_ps(w->engine), end_ps = rest_ps < until_ps ? rest_ps : until_ps;
        if (flag_is_set(&w->idle)) {
            int64_t due_ps = windows_due_ps(w);
            w->from_ps = due_ps < end_ps ? due_ps : end_ps;
        }
        w->to_ps = w->from_ps + w->length_ps < end_ps ? w->from_ps + w->length_ps : end_ps;
        flag_set(&w->idle, w->to_ps > w->from_ps);
        windows_judge(w);
        for (int level = 0; level < w->n_levels && w->to_ps > w->from_ps; level++)
            windows_run_level(w, level);
        w->parity ^= w->to_ps > w->from_ps;
        w->from_ps = w->to_ps;
        if (w->hosts->stopped(w->engine))
            return true; /* a part could not go on */
        if (rest_ps > w->to_ps && w->to_ps < until_ps)
            continue;
        windows_meet(w);
        if (!emu_engine_run(w->engine, w->to_ps < until_ps ? w->to_ps + 1 : until_ps, err))
            return false;
        if (w->hosts->stopped(w->engine))
            return true;
    }
    return true;
}

static struct emu_switch *network_switch_at(const struct emu_network *n, const struct emu_port *p)
{
    struct emu_switch *s = p->owner;
    return p->owner == n ? NULL : s;
}

static bool port_fits(const struct emu_port *p)
{
    return p->far && !p->eager && !p->fault && !p->early && p->link.delay_ps > 0;
}

/* A cable between switches may be short. */
static bool switch_port_fits(const struct emu_network *n, const struct emu_port *p)
{
    bool inner = p->far && p->far->owner != n;
    return (inner ? !p->eager && !p->fault && !p->early : port_fits(p)) && !p->tap.saw && !p->watch.left;
}

/* How long a window may be: what hosts' cables allow. */
static int64_t network_length_ps(const struct emu_network *n)
{
    int64_t length_ps = INT64_MAX;
    for (int i = 0; i < n->n_nics; i++) {
        const struct emu_port *p = &n->nics[i];
        length_ps = p->delay_ps < length_ps ? p->delay_ps : length_ps;
        length_ps = p->far->delay_ps < length_ps ? p->far->delay_ps : length_ps;
    }
    return length_ps;
}

/* A full frame on the fastest host's link. */
static int64_t network_frame_ps(const struct emu_network *n)
{
    int64_t frame_ps = INT64_MAX;
    for (int i = 0; i < n->n_nics; i++) {
        int64_t ps = emu_port_wire_ps(&n->nics[i].link, FULL_FRAME_BYTES);
        frame_ps = ps < frame_ps ? ps : frame_ps;
    }
    return frame_ps;
}

bool emu_windows_fit(struct emu_network *n)
{
    if (n->graph.hosts < EMU_WINDOWS_LEAST_HOSTS || n->n_nics != n->graph.hosts || n->n_inside > 0)
        return false;
    for (int i = 0; i < n->n_nics; i++) {
        if (!port_fits(&n->nics[i]))
            return false;
    }
    for (int i = 0; i < n->n_switches; i++) {
        if (!n->switches[i].plain)
            return false;
        for (int k = 0; k < n->switches[i].n_ports; k++)
            if (!switch_port_fits(n, &n->switches[i].ports[k]))
                return false;
    }
    return network_length_ps(n) >= network_frame_ps(n) / LEAST_SHARE;
}

/* Parts that others send to within a window come after these. Returns false where some go round. */
static bool windows_level(struct emu_windows *w, int64_t length_ps, int *level)
{
    int n_near = 0;
    w->length_ps = length_ps;
    for (int i = 0; i < w->n_parts; i++) {
        struct windows_part *p = &w->parts[i];
        p->near = p->to_switch && p->port->delay_ps < w->length_ps;
        n_near += p->near;
        level[i] = 0;
    }
    w->n_levels = 1;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < w->n_parts; i++) {
            const struct windows_part *p = &w->parts[i];
            for (int k = 0; p->near && k < p->to_switch->n_ports; k++) {
                if (k == p->port->far->index || level[p->to + k] > level[i])
                    continue;
                level[p->to + k] = level[i] + 1;
                w->n_levels = level[i] + 2 > w->n_levels ? level[i] + 2 : w->n_levels;
                more = true;
            }
        }
        if (w->n_levels > n_near + 1)
            return false;
    }
    return true;
}

/* Shortest of all cables. */
static int64_t windows_shortest_ps(const struct emu_windows *w)
{
    int64_t shortest_ps = INT64_MAX;
    for (int i = 0; i < w->n_parts; i++)
        if (w->parts[i].port->delay_ps < shortest_ps)
            shortest_ps = w->parts[i].port->delay_ps;
    return shortest_ps;
}

/* False: no window is long enough. */
static bool windows_order(struct emu_windows *w)
{
    size_t parts = (size_t)w->n_parts;
    int *level = memory_zeroed(parts, sizeof *level, "a network's parts"), n = 0;
    bool ok = windows_level(w, network_length_ps(w->network), level) ||
              (windows_level(w, windows_shortest_ps(w), level) &&
               w->length_ps >= network_frame_ps(w->network) / LEAST_SHARE);
    if (!ok) {
        free(level);
        return false;
    }
    size_t places = parts + CHUNK * (size_t)w->n_levels;
    w->due_ps = memory_zeroed(places, sizeof *w->due_ps, "a network's parts");
    w->chunk_due_ps = memory_zeroed(places / CHUNK + 1, sizeof *w->chunk_due_ps, "a network's parts");
    w->kept = memory_zeroed(places / CHUNK + 1, sizeof *w->kept, "a network's parts");
    for (int i = 0; i < 2; i++) {
        w->chunk_called[i] = memory_zeroed(places / CHUNK + 1, sizeof *w->chunk_called[i], "a network's parts");
        for (int k = 0; k < w->n_threads; k++)
            w->threads[k].out[i] = memory_zeroed(places / CHUNK + 1, sizeof *w->kept, "frames on their way");
    }
    w->order = memory_zeroed(places, sizeof *w->order, "a network's parts");
    w->place = memory_zeroed(parts, sizeof *w->place, "a network's parts");
    w->level_end = memory_zeroed((size_t)w->n_levels, sizeof *w->level_end, "a network's parts");
    for (int l = 0; l < w->n_levels; l++) {
        n = chunks(n) * CHUNK;
        for (int i = 0; i < 2 * w->n_parts; i++) { /* between switches first: they have most to do */
            int part = i % w->n_parts;
            bool inner = w->parts[part].host < 0 && w->parts[part].to_switch;
            if (level[part] == l && inner == (i < w->n_parts))
                w->order[w->place[part] = n++] = part;
        }
        w->level_end[l] = n;
    }
    free(level);
    return true;
}

/* A FIFO that nobody watches has no events. */
static void no_schedule(void *engine UNUSED, int64_t delay_ps UNUSED, void (*fn)(void *) UNUSED, void *arg UNUSED)
{
    assert(engine);
}

static void windows_add_part(struct emu_windows *w, struct emu_port *port, int host, const int *first)
{
    const struct emu_network *n = w->network;
    struct windows_part *p = &w->parts[w->n_parts];
    const struct emu_switch *s = network_switch_at(n, port->far);
    *p = (struct windows_part){.now_ps = w->from_ps, .port = port, .host = host, .to_switch = s, .tapped = port->tap.saw};
    p->hand = port->hand.receive ? port->hand : (struct emu_port_hand){port->receive, port->owner, port->index};
    p->to = s ? first[s - n->switches] : n->host_of[port->far->index];
    w->n_parts++;
}

static void windows_add_parts(struct emu_windows *w)
{
    struct emu_network *n = w->network;
    MEMORY_LOCAL int *first = memory_zeroed((size_t)n->n_switches + 1, sizeof *first, "a network's parts");
    first[0] = n->graph.hosts;
    for (int i = 0; i < n->n_switches; i++)
        first[i + 1] = first[i] + n->switches[i].n_ports;
    w->parts = memory_zeroed((size_t)first[n->n_switches], sizeof *w->parts, "a network's parts");
    for (int h = 0; h < n->graph.hosts; h++)
        windows_add_part(w, &n->nics[h], h, first);
    for (int i = 0; i < n->n_switches; i++)
        for (int k = 0; k < n->switches[i].n_ports; k++)
            windows_add_part(w, &n->switches[i].ports[k], -1, first);
}

/* From now on parts have their own clocks. What is on its way arrives in the first window or later. */
static void windows_start(struct emu_windows *w)
{
    for (int i = 0; i < w->n_parts; i++) {
        struct windows_part *p = &w->parts[i];
        struct emu_clock clock = {.time_ps = &p->now_ps, .schedule = no_schedule};
        if (p->host >= 0)
            clock = w->hosts->clock(w->engine, p->host);
        emu_port_part(p->port, &clock, i);
    }
    w->parity = 1;
    for (int i = 0; i < w->n_parts; i++)
        if (!w->parts[i].near)
            thread_ship(&w->threads[0], &w->parts[i], w->from_ps + w->length_ps);
    w->parity = 0;
    for (int i = 1; i < w->n_threads; i++)
        if (pthread_create(&w->threads[i].id, NULL, thread_main, &w->threads[i]) != 0)
            memory_end("a thread");
}

struct emu_windows *emu_windows_new(struct emu_network *n, struct emu_engine *e, int threads)
{
    struct emu_clock clock = emu_engine_clock(e);
    struct emu_windows *w = memory_zeroed(1, sizeof *w, "windows");
    w->network = n;
    w->engine = e;
    w->from_ps = emu_clock_now(&clock);
    w->trying = true;
    w->settled = KEPT_LEAST;
    w->judged_s = monotonic_now_s();
    w->threads = memory_zeroed((size_t)threads, sizeof *w->threads, "threads");
    for (; w->n_threads < threads; w->n_threads++)
        w->threads[w->n_threads] = (struct windows_thread){.windows = w, .number = w->n_threads};
    windows_add_parts(w);
    w->hosts = emu_engine_hosts_apart(e);
    if (w->hosts && windows_order(w)) {
        w->hosts->part(e);
        windows_start(w);
        return w;
    }
    w->n_threads = 1; /* none has been started */
    emu_windows_free(w);
    return NULL;
}

static void windows_release(const struct emu_windows *w, struct windows_items *i)
{
    for (size_t k = 0; k < i->n; k++)
        emu_frame_release(w->network->ops, i->items[k].frame.packet);
    free(i->items);
}

void emu_windows_free(struct emu_windows *w)
{
    if (!w)
        return;
    atomic_store_explicit(&w->over, true, memory_order_relaxed);
    atomic_fetch_add_explicit(&w->round, 1, memory_order_release);
    for (int i = 1; i < w->n_threads; i++)
        pthread_join(w->threads[i].id, NULL);
    for (int c = 0; w->kept && c < chunks(w->level_end[w->n_levels - 1]); c++) {
        windows_release(w, &w->kept[c].lists[0]);
        windows_release(w, &w->kept[c].lists[1]);
        for (int i = 0; i < 2 * w->n_threads; i++)
            windows_release(w, &w->threads[i / 2].out[i % 2][c]);
    }
    free(w->kept);
    for (int i = 0; i < w->n_threads; i++) {
        MEMORY_FREE(w->threads[i].out[0], w->threads[i].out[1], w->threads[i].sorting, w->threads[i].ends);
        for (int k = 0; k < CHUNK; k++)
            free(w->threads[i].batches[k].items);
    }
    MEMORY_FREE(w->threads, w->order, w->due_ps, w->chunk_due_ps, w->chunk_called[0], w->chunk_called[1], w->place,
                w->level_end, w->parts, w);
}
