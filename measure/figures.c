/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/figures.h"

#include "base/estimate.h"
#include "base/memory.h"

static double figures_count(const struct measure_samples *s, size_t i)
{
    return (double)(s->sample[s->n - 1].delivered_bytes > 0 ? s->sample[i].delivered_bytes : s->sample[i].bytes);
}

double measure_figures_bytes(const struct measure_samples *s, double at_s)
{
    if (s->n == 0)
        return 0;
    size_t low = 0, high = s->n; /* samples before `low` are not after at_s */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->sample[middle].at_s <= at_s)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || low == s->n)
        return figures_count(s, low ? s->n - 1 : 0);
    const struct measure_sample *a = &s->sample[low - 1], *b = &s->sample[low];
    double before = figures_count(s, low - 1), after = figures_count(s, low);
    return before + (after - before) * (at_s - a->at_s) / (b->at_s - a->at_s);
}

static double figures_rate_bps(const struct measure_samples *s, double from_s, double to_s)
{
    return 8 * (measure_figures_bytes(s, to_s) - measure_figures_bytes(s, from_s)) / (to_s - from_s);
}

/* The first and the last sample within a phase; false with fewer than two. */
static bool figures_span(const struct measure_samples *s, const struct measure_phase *p,
                         const struct measure_sample **first, const struct measure_sample **last)
{
    *first = *last = NULL;
    for (size_t i = 0; i < s->n; i++)
        if (s->sample[i].at_s >= p->from_s && s->sample[i].at_s <= p->to_s) {
            *first = *first ? *first : &s->sample[i];
            *last = &s->sample[i];
        }
    return *first && *last > *first;
}

static void figures_sender(const struct measure_samples *s, const struct measure_phase *p, struct measure_way *w)
{
    const struct measure_sample *a, *b;
    struct estimate_running rtt_s = {0}, window = {0};
    if (!figures_span(s, p, &a, &b))
        return;
    for (const struct measure_sample *i = a; i <= b; i++)
        if (isfinite(i->rtt_s)) {
            estimate_add(&rtt_s, i->rtt_s);
            estimate_add(&window, i->cwnd_bytes);
        }
    double time_s = b->at_s - a->at_s;
    w->segments = (double)(b->segments - a->segments);
    w->busy = (b->busy_s - a->busy_s) / time_s;
    w->rwnd_limited = (b->rwnd_limited_s - a->rwnd_limited_s) / time_s;
    w->sndbuf_limited = (b->sndbuf_limited_s - a->sndbuf_limited_s) / time_s;
    w->retransmitted = w->segments > 0 ? (double)(b->retransmitted - a->retransmitted) / w->segments : 0;
    w->rtt_s = rtt_s.n ? rtt_s.mean : (double)NAN;
    w->window_bytes = window.n ? window.mean : (double)NAN;
}

void measure_figures_end(const struct measure_phase *p, const struct measure_end *e, struct measure_way *w)
{
    *w = (struct measure_way){.flows = 1, .rtt_s = NAN, .window_bytes = NAN, .wait_s = NAN};
    const struct measure_samples *receiver = e->incoming ? &e->near : &e->far;
    const struct measure_samples *sender = measure_end_sender(e);
    bool delivered = sender->n && sender->sample[sender->n - 1].delivered_bytes > 0;
    const struct measure_samples *s = delivered ? sender : receiver;
    double middle_s = (p->from_s + p->to_s) / 2;
    w->rate_bps = figures_rate_bps(s, p->from_s, p->to_s);
    w->early_bps = figures_rate_bps(s, p->from_s, middle_s);
    w->late_bps = figures_rate_bps(s, middle_s, p->to_s);
    const struct measure_sample *a, *b;
    if (figures_span(receiver, p, &a, &b))
        w->acks_bps = 8 * MEASURE_ACK_WIRE * (double)(b->segments - a->segments) / (b->at_s - a->at_s);
    figures_sender(sender, p, w);
}

/* The median, and what nine of ten do not exceed: a word that was lost and sent again waits for a timer. Means over the
 * servers. */
static void figures_waits(const struct measure_test *t, const struct measure_phase *p, bool incoming,
                          struct measure_way *w)
{
    double median_s = 0, most_s = 0;
    size_t hosts = 0;
    for (size_t h = 0; h < t->hosts; h++) {
        MEMORY_LOCAL double *wait = memory_zeroed(p->n_echoes[h] + 1, sizeof *wait, "waits");
        size_t n = 0;
        for (size_t i = 0; i < p->n_echoes[h]; i++) {
            const struct measure_echo *e = &p->echo[h][i];
            if (e->at_s >= p->from_s && e->at_s < p->to_s)
                wait[n++] = incoming ? e->back_s - t->back_s[h] : e->there_s - t->there_s[h];
        }
        qsort(wait, n, sizeof *wait, estimate_ascending);
        median_s += n ? wait[n / 2] : 0;
        most_s += n ? wait[9 * n / 10] : 0;
        hosts += n > 0;
    }
    w->wait_s = hosts ? median_s / (double)hosts : (double)NAN;
    w->most_wait_s = hosts ? most_s / (double)hosts : (double)NAN;
}

void measure_figures_again(struct measure_way *all, const struct measure_way *w)
{
    all->segments += w->segments;
    if (all->segments > 0)
        all->retransmitted += (w->retransmitted - all->retransmitted) * w->segments / all->segments;
}

/* Adds a flow to the sums of its direction. */
static void figures_add(struct measure_way *all, const struct measure_way *w)
{
    double n = (double)++all->flows;
    all->rate_bps += w->rate_bps;
    all->early_bps += w->early_bps;
    all->late_bps += w->late_bps;
    all->acks_bps += w->acks_bps;
    all->window_bytes += w->window_bytes;
    all->rtt_s += (w->rtt_s - all->rtt_s) / n;
    all->busy += (w->busy - all->busy) / n;
    all->rwnd_limited += (w->rwnd_limited - all->rwnd_limited) / n;
    all->sndbuf_limited += (w->sndbuf_limited - all->sndbuf_limited) / n;
    measure_figures_again(all, w);
}

void measure_figures_of(const struct measure_test *t, const struct measure_phase *p, struct measure_figures *f)
{
    *f = (struct measure_figures){0};
    for (size_t i = 0; i < p->n; i++) {
        struct measure_way w;
        measure_figures_end(p, &p->end[i], &w);
        figures_add(p->end[i].incoming ? &f->in : &f->out, &w);
    }
    figures_waits(t, p, true, &f->in);
    figures_waits(t, p, false, &f->out);
}

double measure_figures_floor_s(const struct measure_test *t, bool incoming)
{
    double floor_s = NAN;
    for (size_t p = 0; p < t->n; p++)
        for (size_t i = 0; i < t->phase[p].n; i++) {
            const struct measure_end *e = &t->phase[p].end[i];
            const struct measure_samples *s = measure_end_sender(e);
            for (size_t k = 0; e->incoming == incoming && k < s->n; k++)
                floor_s = fmin(floor_s, s->sample[k].least_rtt_s); /* fmin() passes over NAN */
        }
    return floor_s;
}
