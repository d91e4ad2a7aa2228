/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/capacity.h"

#include "analysis/octave.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

#define PER_OCTAVE 16
#define LEAST_BPS 1e3
#define SLOT_NS INT64_C(100000000)
#define FULL_BYTES 1000  /* of a frame that counts as one of data */
#define VOTES 0.25
#define BELOW_PEAK 0.97
#define EDGES 3 /* frames at the ends of a slot may belong to its neighbours */
#define PLACES 256       /* four times as many as hosts; a power of two */
#define NEARLY 0.999     /* what is not nearly as fast need not be divided */
#define AROUND 38        /* FCS, header, preamble, gap */

static const size_t groups[ANALYSIS_CAPACITY_GROUPS] = {4, ANALYSIS_CAPACITY_MOST};

struct analysis_capacity {
    struct analysis_capacity_host *host[ANALYSIS_CAPACITY_HOSTS]; /* owned */
    size_t n;
    uint8_t place[PLACES]; /* 1 + index of a host, where its address leads or next to that; 0: none */
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

/* The latest `group` frames vote, and without the latest: of the ends of the time one belongs to it. */
static void capacity_vote(struct analysis_capacity_way *w, int which, size_t group)
{
    const size_t ring = ANALYSIS_CAPACITY_RING - 1, latest = w->frames - 1;
    if (w->frames <= group)
        return;
    double span_s = (double)(w->time_ns[latest & ring] - w->time_ns[(latest - group) & ring]) * 1e-9;
    if (!(span_s > 0))
        return;
    for (size_t begins = 0; begins < 2; begins++) {
        /* What precedes the first frame is still all zero. */
        const size_t to = (latest - begins) & ring, from = (latest - begins - group) & ring;
        if (w->sum_full[to] - w->sum_full[from] < 2)
            continue;
        double sum = (double)(w->sum_bytes[to] - w->sum_bytes[from]);
        int step = octave_steps_rate(sum, span_s, LEAST_BPS, PER_OCTAVE);
        struct analysis_capacity_vote *vote =
            &w->votes[which + (int)begins][step < ANALYSIS_CAPACITY_STEPS ? step : ANALYSIS_CAPACITY_STEPS - 1];
        vote->bytes += sum;
        vote->seconds += span_s;
    }
}

static void capacity_note(struct analysis_capacity_way *w, uint32_t bytes, int64_t time_ns)
{
    const size_t ring = ANALYSIS_CAPACITY_RING - 1, at = w->frames & ring, before = (w->frames - 1) & ring;
    w->time_ns[at] = time_ns;
    w->sum_bytes[at] = w->sum_bytes[before] + bytes;
    w->sum_full[at] = w->sum_full[before] + (bytes >= FULL_BYTES);
    w->all_bytes += bytes;
    analysis_spacing_add(&w->spacing, bytes, time_ns);
    const size_t train = w->frames % ANALYSIS_CAPACITY_TRAIN;
    double train_s = (double)(time_ns - w->train[train].time_ns) * 1e-9;
    double train_bits = (w->all_bytes - w->train[train].bytes) * 8;
    if (w->frames >= ANALYSIS_CAPACITY_TRAIN && train_s > 0 && train_bits > NEARLY * w->train_bps * train_s)
        w->train_bps = fmax(w->train_bps, train_bits / train_s);
    w->train[train].time_ns = time_ns;
    w->train[train].bytes = w->all_bytes;
    w->frames++;
    if (time_ns / SLOT_NS != w->slot) {
        w->slot = time_ns / SLOT_NS;
        w->slot_bytes = 0;
    }
    w->slot_bytes += bytes;
    w->most_slot_bytes = w->slot_bytes > w->most_slot_bytes ? w->slot_bytes : w->most_slot_bytes;
    for (int i = 0; i < ANALYSIS_CAPACITY_GROUPS; i++)
        capacity_vote(w, 2 * i, groups[i]);
}

void analysis_capacity_add(struct analysis_capacity *c, const struct capture_segment *s, uint32_t other_bytes,
                           int64_t time_ns)
{
    uint32_t bytes = other_bytes > 0
                         ? other_bytes + AROUND - 14
                         : s->payload_bytes + (s->src.family == 4 ? 40 : 60) + (s->has_timestamps ? 12 : 0) + AROUND;
    const struct capture_address *end[] = {&s->src, &s->dst};
    for (int i = 0; i < 2; i++) {
        uint8_t *place = &c->place[capacity_place(c, end[i], s->tag)];
        if (!*place && c->n == ANALYSIS_CAPACITY_HOSTS)
            continue;
        if (!*place) {
            struct analysis_capacity_host *h = memory_zeroed(1, sizeof *h, "the rates of hosts");
            h->host = *end[i];
            h->tag = s->tag;
            c->host[c->n++] = h;
            *place = (uint8_t)c->n;
        }
        struct analysis_capacity_host *h = c->host[*place - 1];
        struct analysis_capacity_way *w = i ? &h->in : &h->out;
        if (other_bytes > 0) {
            w->other_from_ns = w->other_frames > 0 ? w->other_from_ns : time_ns;
            w->other_to_ns = time_ns;
            w->other_bytes += other_bytes;
            w->other_frames++;
        }
        capacity_note(w, bytes, time_ns);
    }
}

const struct analysis_capacity_host *analysis_capacity_find(const struct analysis_capacity *c,
                                                            const struct capture_address *host, uint32_t tag)
{
    uint8_t place = c->place[capacity_place(c, host, tag)];
    return place ? c->host[place - 1] : NULL;
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
    return *share >= VOTES ? rate : NAN;
}
