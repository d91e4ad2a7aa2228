/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/capacity.h"

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
#define AROUND 38        /* FCS, header, preamble, gap */

static const size_t groups[ANALYSIS_CAPACITY_GROUPS] = {4, ANALYSIS_CAPACITY_MOST};

struct analysis_capacity {
    struct analysis_capacity_host *host[ANALYSIS_CAPACITY_HOSTS]; /* owned */
    size_t n, latest[2];
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

/* The index of a host, `n` when it is not there. `guess`: where to look first. */
static size_t capacity_index(const struct analysis_capacity *c, const struct capture_address *host, uint32_t tag,
                             size_t guess)
{
    if (guess < c->n && capacity_is(c->host[guess], host, tag))
        return guess;
    size_t i = 0;
    while (i < c->n && !capacity_is(c->host[i], host, tag))
        i++;
    return i;
}

/* The latest `group` frames vote, and the one before: of the ends of the time one belongs to it. */
static void capacity_vote(struct analysis_capacity_way *w, int which, size_t group, size_t begins)
{
    const size_t ring = ANALYSIS_CAPACITY_MOST + 1, latest = w->frames - 1;
    if (w->frames <= group)
        return;
    double sum = 0, span_s = (double)(w->time_ns[latest % ring] - w->time_ns[(latest - group) % ring]) * 1e-9;
    uint32_t full = 0;
    for (size_t i = begins; i < group + begins; i++) {
        sum += w->bytes[(latest - i) % ring];
        full += w->bytes[(latest - i) % ring] >= FULL_BYTES;
    }
    if (full < 2 || !(span_s > 0))
        return;
    double step = floor(log2(fmax(sum * 8 / span_s, LEAST_BPS) / LEAST_BPS) * PER_OCTAVE);
    size_t at = step < ANALYSIS_CAPACITY_STEPS ? (size_t)step : ANALYSIS_CAPACITY_STEPS - 1;
    w->votes[which].bytes[at] += sum;
    w->votes[which].seconds[at] += span_s;
}

static void capacity_note(struct analysis_capacity_way *w, uint32_t bytes, int64_t time_ns)
{
    const size_t ring = ANALYSIS_CAPACITY_MOST + 1;
    w->time_ns[w->frames % ring] = time_ns;
    w->bytes[w->frames % ring] = bytes;
    w->all_bytes += bytes;
    analysis_spacing_add(&w->spacing, bytes, time_ns);
    const size_t at = w->frames % ANALYSIS_CAPACITY_TRAIN;
    double train_s = (double)(time_ns - w->train_ns[at]) * 1e-9;
    if (w->frames >= ANALYSIS_CAPACITY_TRAIN && train_s > 0)
        w->train_bps = fmax(w->train_bps, (w->all_bytes - w->train_bytes[at]) * 8 / train_s);
    w->train_ns[at] = time_ns;
    w->train_bytes[at] = w->all_bytes;
    w->frames++;
    if (time_ns / SLOT_NS != w->slot) {
        w->slot = time_ns / SLOT_NS;
        w->slot_bytes = 0;
    }
    w->slot_bytes += bytes;
    w->most_slot_bytes = fmax(w->most_slot_bytes, w->slot_bytes);
    for (int i = 0; i < ANALYSIS_CAPACITY_VOTES; i++)
        capacity_vote(w, i, groups[i / 2], (size_t)i % 2);
}

void analysis_capacity_add(struct analysis_capacity *c, const struct capture_segment *s, uint32_t other_bytes,
                           int64_t time_ns)
{
    uint32_t bytes = other_bytes > 0
                         ? other_bytes + AROUND - 14
                         : s->payload_bytes + (s->src.family == 4 ? 40 : 60) + (s->has_timestamps ? 12 : 0) + AROUND;
    const struct capture_address *end[] = {&s->src, &s->dst};
    for (int i = 0; i < 2; i++) {
        size_t at = capacity_index(c, end[i], s->tag, c->latest[i]);
        if (at == c->n && c->n == ANALYSIS_CAPACITY_HOSTS)
            continue;
        if (at == c->n) {
            struct analysis_capacity_host *h = memory_zeroed(1, sizeof *h, "the rates of hosts");
            h->host = *end[i];
            h->tag = s->tag;
            c->host[c->n++] = h;
        }
        c->latest[i] = at;
        struct analysis_capacity_way *w = i ? &c->host[at]->in : &c->host[at]->out;
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
    size_t at = capacity_index(c, host, tag, 0);
    return at < c->n ? c->host[at] : NULL;
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
        bytes += w->votes[which].bytes[i];
        *seconds += w->votes[which].seconds[i];
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
            all += w->votes[which].bytes[i];
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
