/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/capacity.h"

#include "base/memory.h"
#include "base/octave.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PER_OCTAVE 16
#define LEAST_BPS 1e3
#define SLOT_NS INT64_C(100000000)
#define SECOND_NS INT64_C(1000000000)
#define FULL_BYTES 1000  /* of a frame that counts as one of data */
#define FULL_LEFT (ANALYSIS_CAPACITY_BEFORE - ANALYSIS_CAPACITY_MOST - 1) /* nobody asks how many were full before those */
#define VOTES 0.25
#define BELOW_PEAK 0.97
#define EDGES 3 /* frames at the ends of a slot may belong to its neighbours */
#define PLACES 256       /* four times as many as hosts; a power of two */
#define PAIRS 64         /* of hosts that spoke lately; a power of two */
#define SHARED 2         /* bulk flows, and more: a host that is judged */
#define SPARED 16384     /* frames, of which a share is known to 0.4 %. From then on of runs of RUN frames one of 16 counts for
                          * all, of 32 after four times as many, of 64 after sixteen times and of 128 after 64 times: each time
                          * they are 48 runs and more, and a share of them is known to 7 % even where those of a run are all
                          * alike */
#define RUN 64           /* many times a group */
#define SPARING 4
#define LEAST_SPARING 16
#define MOST_SPARING 128
#define TRAINED 65536    /* frames whose trains are all looked at */
#define TRAINS 8         /* frames after each other end trains of which one, or nearly that, is the fastest: of then on 97 % of it shows */
#define STAMPS 4096      /* frames whose stamps show the capture's clock */
#define RESOLVED 12      /* ticks of it, and more: a rate is off by less than two steps, mostly by one */
#define NEARLY 0.999     /* what is not nearly as fast need not be divided */

static const size_t groups[ANALYSIS_CAPACITY_GROUPS] = {4, ANALYSIS_CAPACITY_MOST};

/* Hosts that speak: the way out of the source and the way into the destination, where frames between them count; NULL
 * where they do not. */
struct capacity_ways {
    uint32_t around; /* bytes of a segment between them without timestamps besides its payload; 0: nothing is known */
    struct analysis_capacity_host *host[2]; /* NULL: beyond the first hosts */
    struct analysis_capacity_way *way[2];
};

struct capacity_pair {
    struct capacity_ways ways;
    uint32_t tag;
    struct capture_address src, dst;
};

struct analysis_capacity {
    struct analysis_capacity_host *host[ANALYSIS_CAPACITY_HOSTS]; /* owned */
    size_t n;
    uint32_t bulk; /* directions of bulk data, of any host */
    uint8_t place[PLACES]; /* 1 + index of a host, where its address leads or next to that; 0: none */
    struct capacity_pair pair[PAIRS]; /* by their last bytes, one of each two that have the same */
    struct capacity_ways of[ANALYSIS_CAPACITY_SLOTTED]; /* by the slot of the flow */
};

struct analysis_capacity *analysis_capacity_new(void)
{
    return memory_zeroed(1, sizeof(struct analysis_capacity), "the rates of hosts");
}

void analysis_capacity_free(struct analysis_capacity *c)
{
    for (size_t i = 0; c && i < c->n; i++)
        free(c->host[i]);
    free(c);
}

static bool capacity_is(const struct analysis_capacity_host *h, const struct capture_address *host, uint32_t tag)
{
    return h->tag == tag && capture_address_same(&h->host, host);
}

/* Where a host is, or would be. */
static size_t capacity_place(const struct analysis_capacity *c, const struct capture_address *host, uint32_t tag)
{
    size_t at = (size_t)(capture_address_hash(tag, host, host) >> 32) & (PLACES - 1);
    while (c->place[at] && !capacity_is(c->host[c->place[at] - 1], host, tag))
        at = (at + 1) & (PLACES - 1);
    return at;
}

/* Groups that end with each of the frames that are counted, and in place 0 with the one before them. */
struct capacity_groups {
    double bytes[ANALYSIS_CAPACITY_ADDED + 1], span_s[ANALYSIS_CAPACITY_ADDED + 1];
    uint16_t ends[ANALYSIS_CAPACITY_ADDED + 1], begins[ANALYSIS_CAPACITY_ADDED + 1]; /* steps */
    bool full[ANALYSIS_CAPACITY_ADDED + 1];
};

/* Where a group's rate is voted for; the last: nowhere. `per_s`: 8 / LEAST_BPS over its seconds. */
static inline uint16_t capacity_step(double bytes, bool votes, double span_s, double per_s)
{
    int step = octave_steps_rate(bytes * per_s, bytes, span_s, LEAST_BPS, PER_OCTAVE);
    step = step < ANALYSIS_CAPACITY_STEPS ? step : ANALYSIS_CAPACITY_STEPS - 1;
    return (uint16_t)(votes ? step : ANALYSIS_CAPACITY_STEPS);
}

static int64_t capacity_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A link passes one frame after the other, so only a clock's tick can give two of one way one stamp. Where none have, a
 * sender's even distances may be what they have in common: then ticks are decimal. */
static int64_t capacity_tick_ns(const struct analysis_capacity_host *h)
{
    const int64_t common_ns = capacity_divisor(h->in.common_ns, h->out.common_ns);
    int64_t tick_ns = 1;
    while (common_ns > 0 && common_ns % (10 * tick_ns) == 0 && tick_ns < SECOND_NS)
        tick_ns *= 10;
    return common_ns > 0 && (h->in.same || h->out.same) ? common_ns : tick_ns;
}

static void capacity_stamps(struct analysis_capacity_way *w)
{
    for (size_t i = 0; i < w->added && (w->frames < STAMPS || w->common_ns == 0); i++) { /* all may have one stamp so far */
        const size_t at = ANALYSIS_CAPACITY_BEFORE + i;
        w->common_ns = capacity_divisor(w->common_ns, w->time_ns[at]);
        w->same = w->same || (w->frames + i > 0 && w->time_ns[at] == w->time_ns[at - 1]);
    }
}

double analysis_capacity_stamp_s(const struct analysis_capacity_host *h)
{
    return h->in.common_ns > 0 || h->out.common_ns > 0 ? (double)capacity_tick_ns(h) * 1e-9 : 0;
}

bool analysis_capacity_shows(double stamp_s, double bps)
{
    return !(ANALYSIS_CAPACITY_MOST * ANALYSIS_SPACING_FULL_BITS / bps < RESOLVED * stamp_s);
}

/* With each frame the latest `group` vote, and those without it: of the ends of the time one belongs to it. */
static void capacity_rate(const struct analysis_capacity_way *w, int64_t tick_ns, size_t group, size_t first, size_t end,
                          struct capacity_groups *g)
{
    const size_t before = ANALYSIS_CAPACITY_BEFORE - 1 + first, n = end - first;
    const double least_s = RESOLVED * (double)tick_ns * 1e-9;
    for (size_t i = 0; i <= n; i++) {
        const size_t to = before + i, from = to - group;
        g->bytes[i] = (double)(w->sum_bytes[to] - w->sum_bytes[from]);
        g->span_s[i] = (double)(w->time_ns[to] - w->time_ns[from]) * 1e-9;
        g->full[i] = w->sum_full[to] - w->sum_full[from] >= 2;
    }
    for (size_t i = 1; i <= n; i++) {
        const bool votes = g->span_s[i] > least_s && w->frames + first + i > group;
        const double span_s = votes ? g->span_s[i] : 1, per_s = (8 / LEAST_BPS) / span_s;
        g->ends[i] = capacity_step(g->bytes[i], votes && g->full[i], span_s, per_s);
        g->begins[i] = capacity_step(g->bytes[i - 1], votes && g->full[i - 1], span_s, per_s);
    }
}

static inline void capacity_cast(struct analysis_capacity_vote *vote, double weight, double bytes, double span_s)
{
    vote->bytes += weight * bytes;
    vote->seconds += weight * span_s;
}

/* How many frames each that votes of those to be counted stands for. */
static unsigned capacity_weight(const struct analysis_capacity_way *w)
{
    unsigned weight = LEAST_SPARING;
    if (w->frames < SPARED)
        return 1;
    for (uint64_t frames = w->frames / SPARED; frames >= SPARING && weight < MOST_SPARING; frames /= SPARING)
        weight *= 2;
    return weight;
}

/* Of those to be counted: from `from` on until the returned one all vote, *votes, or none does. */
static size_t capacity_run(const struct analysis_capacity_way *w, size_t from, unsigned weight, bool *votes)
{
    const uint64_t run = (w->frames + from) / RUN;
    *votes = run % weight == 0;
    const uint64_t to = (*votes ? run + 1 : (run / weight + 1) * weight) * RUN - w->frames;
    return weight == 1 || to > w->added ? w->added : (size_t)to;
}

static void capacity_vote(struct analysis_capacity_way *w, int64_t tick_ns, size_t from, size_t to, double weight)
{
    struct capacity_groups g[ANALYSIS_CAPACITY_GROUPS];
    const uint32_t *full = w->sum_full + ANALYSIS_CAPACITY_BEFORE;
    if (full[to - 1] - full[(ptrdiff_t)from - ANALYSIS_CAPACITY_MOST - 1] < 2) /* ACKs alone */
        return;
    for (size_t k = 0; k < ANALYSIS_CAPACITY_GROUPS; k++)
        capacity_rate(w, tick_ns, groups[k], from, to, &g[k]);
    for (size_t i = 1; i <= to - from; i++)
        for (size_t k = 0; k < ANALYSIS_CAPACITY_GROUPS; k++) {
            capacity_cast(&w->votes[2 * k][g[k].ends[i]], weight, g[k].bytes[i], g[k].span_s[i]);
            capacity_cast(&w->votes[2 * k + 1][g[k].begins[i]], weight, g[k].bytes[i - 1], g[k].span_s[i]);
        }
}

static void capacity_trains(struct analysis_capacity_way *w)
{
    const size_t train = ANALYSIS_CAPACITY_TRAIN;
    const size_t every = w->frames < TRAINED ? 1 : TRAINS;
    for (size_t i = w->frames < train ? (size_t)(train - w->frames) : 0; i < w->added; i += every) {
        const size_t at = ANALYSIS_CAPACITY_BEFORE + i;
        double train_s = (double)(w->time_ns[at] - w->time_ns[at - train]) * 1e-9;
        double train_bits = (double)(w->sum_bytes[at] - w->sum_bytes[at - train]) * 8;
        if (train_s > 0 && train_bits > NEARLY * w->train_bps * train_s)
            w->train_bps = fmax(w->train_bps, train_bits / train_s);
    }
}

/* Twice the width. */
static void capacity_merge(struct analysis_capacity_series *c)
{
    int64_t first = c->first >> 1;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        size_t to = (size_t)(((c->first + (int64_t)i) >> 1) - first);
        c->bytes[to] = c->bytes[i] + (to < n ? c->bytes[to] : 0);
        n = to + 1;
    }
    c->n = n;
    c->first = first;
    c->shift++;
}

static void capacity_carry_to(struct analysis_capacity_series *c, int64_t time_ns)
{
    int64_t unit = time_ns / ANALYSIS_CAPACITY_SLOT_NS;
    c->first = c->n > 0 ? c->first : unit >> c->shift;
    while ((unit >> c->shift) - c->first >= ANALYSIS_CAPACITY_SLOTS)
        capacity_merge(c);
    int64_t at = (unit >> c->shift) - c->first;
    at = at > 0 ? at : 0; /* clocks step back */
    for (; c->n <= (size_t)at; c->n++)
        c->bytes[c->n] = 0;
    c->at = (size_t)at;
    c->from_ns = (unit >> c->shift << c->shift) * ANALYSIS_CAPACITY_SLOT_NS;
    c->to_ns = c->from_ns + (ANALYSIS_CAPACITY_SLOT_NS << c->shift);
}

/* Of frames in the slots under way. */
static inline void capacity_carry(struct analysis_capacity_way *w, double bytes)
{
    w->carried.bytes[w->carried.at] += bytes;
    w->slot_bytes += bytes;
    w->most_slot_bytes = w->slot_bytes > w->most_slot_bytes ? w->slot_bytes : w->most_slot_bytes;
}

/* A frame. */
static void capacity_slot(struct analysis_capacity_way *w, int64_t time_ns, double bytes)
{
    if (time_ns < w->carried.from_ns || time_ns >= w->carried.to_ns)
        capacity_carry_to(&w->carried, time_ns);
    if (time_ns < w->slot_from_ns || time_ns >= w->slot_to_ns) {
        w->slot_from_ns = time_ns / SLOT_NS * SLOT_NS;
        w->slot_to_ns = w->slot_from_ns + SLOT_NS;
        w->slot_bytes = 0;
    }
    capacity_carry(w, bytes);
}

/* As many in a row as lie in one slot of each kind, mostly all of them, count together. */
static void capacity_slots(struct analysis_capacity_way *w)
{
    const int64_t *time_ns = w->time_ns + ANALYSIS_CAPACITY_BEFORE, *sum_bytes = w->sum_bytes + ANALYSIS_CAPACITY_BEFORE;
    for (size_t i = 0, next; i < w->added; i = next) {
        capacity_slot(w, time_ns[i], w->bytes[i]);
        const int64_t from_ns = w->carried.from_ns > w->slot_from_ns ? w->carried.from_ns : w->slot_from_ns;
        const int64_t to_ns = w->carried.to_ns < w->slot_to_ns ? w->carried.to_ns : w->slot_to_ns;
        for (next = i + 1; next < w->added && time_ns[next] >= from_ns && time_ns[next] < to_ns;)
            next++;
        capacity_carry(w, (double)(sum_bytes[next - 1] - sum_bytes[i]));
    }
}

/* Sums of all frames until each that was added. How many were full is only asked of those that vote, and of some before them:
 * that are the latest for those that vote first of the next. */
static void capacity_sum(struct analysis_capacity_way *w, bool votes)
{
    const size_t n = w->added, asked = votes || n <= ANALYSIS_CAPACITY_MOST ? 0 : n - ANALYSIS_CAPACITY_MOST - 1;
    int64_t *sum_bytes = w->sum_bytes + ANALYSIS_CAPACITY_BEFORE;
    uint32_t *sum_full = w->sum_full + ANALYSIS_CAPACITY_BEFORE;
    for (size_t i = 0; i < n; i++)
        sum_bytes[i] = sum_bytes[(ptrdiff_t)i - 1] + w->bytes[i];
    uint32_t full = sum_full[-1];
    for (size_t i = asked; i < n; i++)
        sum_full[i] = full += w->bytes[i] >= FULL_BYTES;
}

static void capacity_collect(const struct analysis_capacity_host *h, struct analysis_capacity_way *w)
{
    const unsigned weight = capacity_weight(w);
    bool votes;
    const size_t first = capacity_run(w, 0, weight, &votes);
    capacity_sum(w, votes || first < w->added);
    capacity_stamps(w);
    for (size_t from = 0, to; from < w->added; from = to) {
        to = capacity_run(w, from, weight, &votes);
        if (votes)
            capacity_vote(w, capacity_tick_ns(h), from, to, weight);
        analysis_spacing_add(&w->spacing, w->bytes + from, w->time_ns + ANALYSIS_CAPACITY_BEFORE + from, to - from,
                             votes ? weight : 0);
    }
}

/* Counts what was added, and remembers the latest. */
static void capacity_count(struct analysis_capacity_host *h, struct analysis_capacity_way *w)
{
    const size_t n = w->added;
    if (n == 0)
        return;
    capacity_collect(h, w);
    capacity_trains(w);
    capacity_slots(w);
    memmove(w->time_ns, w->time_ns + n, ANALYSIS_CAPACITY_BEFORE * sizeof *w->time_ns);
    memmove(w->sum_bytes, w->sum_bytes + n, ANALYSIS_CAPACITY_BEFORE * sizeof *w->sum_bytes);
    memmove(w->sum_full + FULL_LEFT, w->sum_full + FULL_LEFT + n, (ANALYSIS_CAPACITY_BEFORE - FULL_LEFT) * sizeof *w->sum_full);
    w->all_bytes = (double)w->sum_bytes[ANALYSIS_CAPACITY_BEFORE - 1];
    w->frames += n;
    w->added = 0;
}

/* To be counted, and true: with those before it, now. */
static inline bool capacity_note(struct analysis_capacity_way *w, uint32_t bytes, int64_t time_ns)
{
    size_t at = w->added++;
    w->time_ns[ANALYSIS_CAPACITY_BEFORE + at] = time_ns;
    w->bytes[at] = bytes;
    return at + 1 == ANALYSIS_CAPACITY_ADDED;
}

/* NULL: beyond the first hosts. */
static struct analysis_capacity_host *capacity_host(struct analysis_capacity *c, const struct capture_address *host,
                                                    uint32_t tag)
{
    uint8_t *place = &c->place[capacity_place(c, host, tag)];
    if (!*place && c->n == ANALYSIS_CAPACITY_HOSTS)
        return NULL;
    if (!*place) {
        struct analysis_capacity_host *h = memory_zeroed(1, sizeof *h, "the rates of hosts");
        h->host = *host;
        h->tag = tag;
        c->host[c->n++] = h;
        *place = (uint8_t)c->n;
    }
    return c->host[*place - 1];
}

static unsigned capacity_last_byte(const struct capture_address *a)
{
    return a->bytes[a->family == 4 ? 3 : 15];
}

/* Does all that matters of a host show at the one it exchanges with? */
static bool capacity_passes_over(struct analysis_capacity_host *h, const struct analysis_capacity_host *other)
{
    bool over = h->bulk < SHARED && other && other->bulk >= SHARED;
    h->passed_over = h->passed_over || over;
    return over;
}

static __attribute__((noinline)) void capacity_make_pair(struct analysis_capacity *c, struct capacity_pair *p,
                                                         const struct capture_segment *s)
{
    struct analysis_capacity_host *from = capacity_host(c, &s->src, s->tag), *to = capacity_host(c, &s->dst, s->tag);
    *p = (struct capacity_pair){.ways = {.around = analysis_capacity_around_bytes(&s->src, false), .host = {from, to}}, .tag = s->tag, .src = s->src, .dst = s->dst};
    p->ways.way[0] = from && !capacity_passes_over(from, to) ? &from->out : NULL;
    p->ways.way[1] = to && !capacity_passes_over(to, from) ? &to->in : NULL;
}

/* Those of a segment's source and destination, as its flow's slot has them from now on, if it is one of the first. */
static __attribute__((noinline)) const struct capacity_ways *capacity_pair(struct analysis_capacity *c,
                                                                           const struct capture_segment *s, uint32_t slot)
{
    struct capacity_pair *p = &c->pair[(8 * capacity_last_byte(&s->src) + capacity_last_byte(&s->dst)) & (PAIRS - 1)];
    if (p->ways.around == 0 || p->tag != s->tag || !capture_address_same(&p->src, &s->src) || !capture_address_same(&p->dst, &s->dst))
        capacity_make_pair(c, p, s);
    if (slot < ANALYSIS_CAPACITY_SLOTTED)
        c->of[slot] = p->ways;
    return &p->ways;
}

void analysis_capacity_bulk(struct analysis_capacity *c, const struct capture_segment *s)
{
    struct analysis_capacity_host *const host[2] = {capacity_host(c, &s->src, s->tag), capacity_host(c, &s->dst, s->tag)};
    bool shared = false;
    c->bulk++;
    for (int i = 0; i < 2; i++) {
        struct analysis_capacity_host *h = host[i];
        if (!h || ++h->bulk != SHARED)
            continue;
        shared = true;
        if (h->passed_over) { /* what it exchanged with others since then nobody knows */
            memset(&h->in, 0, sizeof h->in);
            memset(&h->out, 0, sizeof h->out);
        }
    }
    if (!shared)
        return;
    memset(c->pair, 0, sizeof c->pair); /* others are passed over from now on */
    memset(c->of, 0, sizeof c->of);
}

static void capacity_other(struct analysis_capacity_way *w, uint32_t bytes, int64_t time_ns)
{
    w->other_from_ns = w->other_frames > 0 ? w->other_from_ns : time_ns;
    w->other_to_ns = time_ns;
    w->other_bytes += bytes;
    w->other_frames++;
}

static __attribute__((noinline)) void capacity_count_full(const struct capacity_ways *w)
{
    for (int i = 0; i < 2; i++)
        if (w->way[i] && w->way[i]->added == ANALYSIS_CAPACITY_ADDED)
            capacity_count(w->host[i], w->way[i]);
}

static inline void capacity_note_both(const struct capacity_ways *w, uint32_t bytes, int64_t time_ns)
{
    bool full = w->way[0] && capacity_note(w->way[0], bytes, time_ns);
    full |= w->way[1] && capacity_note(w->way[1], bytes, time_ns);
    if (__builtin_expect(full, 0))
        capacity_count_full(w);
}

void analysis_capacity_add(struct analysis_capacity *c, const struct capture_segment *s, uint32_t slot, uint32_t frame_bytes,
                           uint32_t other_bytes, int64_t time_ns)
{
    uint32_t around = analysis_capacity_around_bytes(&s->src, s->has_timestamps), bytes = s->payload_bytes + around;
    const struct capacity_ways *w = capacity_pair(c, s, slot);
    if (frame_bytes < s->payload_bytes && frame_bytes > 0)
        bytes += (s->payload_bytes - 1) / frame_bytes * around;
    if (other_bytes > 0)
        bytes = other_bytes + ANALYSIS_CAPACITY_FRAMING - 14;
    for (int i = 0; other_bytes > 0 && i < 2; i++)
        if (w->way[i])
            capacity_other(w->way[i], other_bytes, time_ns);
    capacity_note_both(w, bytes, time_ns);
}

size_t analysis_capacity_add_plain(struct analysis_capacity *c, const struct analysis_frame *frame, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct analysis_frame *f = &frame[i];
        const struct capture_segment *s = &f->segment;
        if (f->is != ANALYSIS_FRAME_COUNTS || f->slot >= ANALYSIS_CAPACITY_SLOTTED || c->of[f->slot].around == 0)
            return i;
        const struct capacity_ways *w = &c->of[f->slot];
        capacity_note_both(w, s->payload_bytes + w->around + (s->has_timestamps ? ANALYSIS_CAPACITY_STAMPS : 0), f->time_ns);
    }
    return n;
}

const struct analysis_capacity_host *analysis_capacity_find(const struct analysis_capacity *c,
                                                            const struct capture_address *host, uint32_t tag)
{
    uint8_t place = c->place[capacity_place(c, host, tag)];
    if (!place)
        return NULL;
    struct analysis_capacity_host *h = c->host[place - 1];
    capacity_count(h, &h->in);
    capacity_count(h, &h->out);
    h->others = c->bulk - h->bulk;
    return h;
}

double analysis_capacity_mean_bps(const struct analysis_capacity_way *w, double from_s, double to_s)
{
    const struct analysis_capacity_series *c = &w->carried;
    double slot_s = ldexp(ANALYSIS_CAPACITY_SLOT_NS * 1e-9, (int)c->shift), bytes = 0, slots = 0;
    for (size_t i = 1; i + 1 < c->n && ((double)c->first + (double)i + 1) * slot_s <= to_s; i++)
        if (((double)c->first + (double)i) * slot_s >= from_s) {
            bytes += c->bytes[i];
            slots++;
        }
    return slots > 0 ? bytes * 8 / (slots * slot_s) : (double)NAN;
}

bool analysis_capacity_always(const struct analysis_capacity_way *w, double least_bps, double span_s, double to_s)
{
    const struct analysis_capacity_series *c = &w->carried;
    double slot_s = ldexp(ANALYSIS_CAPACITY_SLOT_NS * 1e-9, (int)c->shift);
    size_t stretch = (size_t)fmin(ANALYSIS_CAPACITY_SLOTS, ceil(span_s / slot_s) + 1), stretches = 0;
    double bytes = 0, off = EDGES * FULL_BYTES;
    for (size_t i = 1; i + 1 < c->n && ((double)c->first + (double)i + 1) * slot_s <= to_s; i++) {
        bytes += c->bytes[i] - (i > stretch ? c->bytes[i - stretch] : 0);
        if (i < stretch)
            continue;
        if ((bytes + off) * 8 < least_bps * (double)stretch * slot_s)
            return false;
        stretches++;
    }
    return stretches > 0;
}

double analysis_capacity_peak_bps(const struct analysis_capacity_way *w)
{
    return w->most_slot_bytes * 8 / ((double)SLOT_NS * 1e-9);
}

double analysis_capacity_least_bps(const struct analysis_capacity_way *w)
{
    return fmax(w->train_bps, analysis_capacity_peak_bps(w));
}

/* Votes for a step and its neighbours. */
static double capacity_votes(const struct analysis_capacity_way *w, int which, size_t at, double *seconds)
{
    double bytes = 0;
    *seconds = 0;
    for (size_t i = at > 0 ? at - 1 : 0; i <= at + 1 && i < ANALYSIS_CAPACITY_STEPS; i++) {
        bytes += w->votes[which][i].bytes;
        *seconds += w->votes[which][i].seconds;
    }
    return bytes;
}

double analysis_capacity_bps(const struct analysis_capacity_way *w, double *share)
{
    double rate = NAN, seconds;
    double least_bps = fmax(0, w->most_slot_bytes - EDGES * FULL_BYTES) * 8 / ((double)SLOT_NS * 1e-9);
    *share = 0;
    for (int which = 0; which < ANALYSIS_CAPACITY_VOTES; which++) {
        double all = 0;
        for (size_t i = 0; i < ANALYSIS_CAPACITY_STEPS; i++)
            all += w->votes[which][i].bytes;
        for (size_t i = 0; i < ANALYSIS_CAPACITY_STEPS && all > 0; i++) {
            double bytes = capacity_votes(w, which, i, &seconds);
            if (bytes <= *share * all || bytes * 8 / seconds < BELOW_PEAK * least_bps)
                continue;
            *share = bytes / all;
            rate = bytes * 8 / seconds;
        }
    }
    if (!(*share >= VOTES))
        return (double)NAN;
    const bool alone = analysis_capacity_shows(analysis_spacing_batch_s(&w->spacing), rate); /* else many batches tell */
    return alone || w->train_bps * exp2(1.0 / PER_OCTAVE) >= rate ? rate : (double)NAN;
}
