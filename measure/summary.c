/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/summary.h"

#define WAIT_SHARE 0.1    /* of the least round trip; data wait where they wait longer */
#define WAIT_LEAST_S 0.001
#define POSSIBLE_LEAST 0.1 /* of what a direction carries alone: where ACKs would take all of it, they do not */

struct summary_series {
    double rate_bps[2][MEASURE_KINDS][MEASURE_BLOCKS];
    bool out_first[MEASURE_BLOCKS]; /* of MEASURE_BOTH */
    size_t n[MEASURE_KINDS];
};

/* The mean of one more. */
static void summary_add(struct measure_way *mean, const struct measure_way *w, double n)
{
    mean->flows = w->flows;
    mean->rate_bps += (w->rate_bps - mean->rate_bps) / n;
    mean->early_bps += (w->early_bps - mean->early_bps) / n;
    mean->late_bps += (w->late_bps - mean->late_bps) / n;
    mean->acks_bps += (w->acks_bps - mean->acks_bps) / n;
    mean->rtt_s += (w->rtt_s - mean->rtt_s) / n;
    mean->window_bytes += (w->window_bytes - mean->window_bytes) / n;
    mean->busy += (w->busy - mean->busy) / n;
    mean->rwnd_limited += (w->rwnd_limited - mean->rwnd_limited) / n;
    mean->sndbuf_limited += (w->sndbuf_limited - mean->sndbuf_limited) / n;
    measure_figures_again(mean, w);
    mean->wait_s += (w->wait_s - mean->wait_s) / n;
    mean->most_wait_s += (w->most_wait_s - mean->most_wait_s) / n;
}

bool measure_summary_waits(double wait_s, double floor_s)
{
    return wait_s > fmax(WAIT_LEAST_S, WAIT_SHARE * floor_s);
}

static bool summary_full(const struct measure_way *alone, double floor_s)
{
    return alone->rwnd_limited < MEASURE_HELD && alone->sndbuf_limited < MEASURE_HELD &&
           (measure_summary_waits(alone->rtt_s - floor_s, floor_s) || alone->retransmitted > 0);
}

/* Beside the ACKs of the other direction, as many as when that is alone: served first, it is as good as that. */
static double summary_possible_bps(double alone_bps, bool full, double acks_bps)
{
    return full ? fmax(alone_bps - acks_bps, POSSIBLE_LEAST * alone_bps) : alone_bps;
}

struct estimate measure_summary_order(const double *difference, const bool *out_first, size_t n)
{
    struct estimate_running way[2] = {0};
    for (size_t b = 0; b < n; b++)
        estimate_add(&way[out_first[b]], difference[b]);
    if (way[0].n < 2 || way[1].n < 2)
        return (struct estimate){NAN, NAN, NAN};
    size_t df = way[0].n + way[1].n - 2;
    double variance = (way[0].m2 + way[1].m2) / (double)df;
    /* Half the difference of the two orders' means; of n / 2 blocks each sqrt(sigma^2 / n). */
    double error = 0.5 * sqrt(variance / (double)way[0].n + variance / (double)way[1].n);
    return (struct estimate){(way[0].mean - way[1].mean) / 2, error, estimate_t975(df) * error};
}

/* lost[0]: of data out, [1] in, [2] all; possible_bps: [0] out, [1] in. */
static void summary_lost(const struct measure_summary *s, const struct summary_series *all, bool full_in, bool full_out,
                         struct estimate lost[static 3], double possible_bps[static 2], struct estimate *order)
{
    double share[3][MEASURE_BLOCKS] = {0}, difference[MEASURE_BLOCKS] = {0};
    double in_acks_bps = s->in[MEASURE_IN].mean.acks_bps, out_acks_bps = s->out[MEASURE_OUT].mean.acks_bps;
    size_t n = all->n[MEASURE_BOTH];
    n = all->n[MEASURE_IN] < n ? all->n[MEASURE_IN] : n;
    n = all->n[MEASURE_OUT] < n ? all->n[MEASURE_OUT] : n;
    possible_bps[0] = possible_bps[1] = 0;
    for (size_t b = 0; b < n; b++) {
        double in_bps = summary_possible_bps(all->rate_bps[1][MEASURE_IN][b], full_in, out_acks_bps);
        double out_bps = summary_possible_bps(all->rate_bps[0][MEASURE_OUT][b], full_out, in_acks_bps);
        double both_in_bps = all->rate_bps[1][MEASURE_BOTH][b], both_out_bps = all->rate_bps[0][MEASURE_BOTH][b];
        share[0][b] = 1 - both_out_bps / out_bps;
        share[1][b] = 1 - both_in_bps / in_bps;
        share[2][b] = 1 - (both_in_bps + both_out_bps) / (in_bps + out_bps);
        difference[b] = share[0][b] - share[1][b];
        possible_bps[1] += in_bps / (double)n;
        possible_bps[0] += out_bps / (double)n;
    }
    for (int i = 0; i < 3; i++)
        lost[i] = estimate_mean(share[i], n);
    *order = measure_summary_order(difference, all->out_first, n);
}

/* A connection may begin badly; one that did well shows what the path can. */
static void summary_pace(struct measure_summary *s, const struct measure_phase *p, const struct measure_figures *f)
{
    if (f->in.rate_bps + f->out.rate_bps <= s->paced_in_bps + s->paced_out_bps)
        return;
    s->pace_in_bps = s->pace_out_bps = 0;
    s->paced_in_bps = f->in.rate_bps;
    s->paced_out_bps = f->out.rate_bps;
    for (size_t k = 0; k < p->n; k++)
        *(p->end[k].incoming ? &s->pace_in_bps : &s->pace_out_bps) += p->end[k].pace_bps;
}

void measure_summary_of(const struct measure_test *t, struct measure_summary *s)
{
    struct summary_series all = {0};
    *s = (struct measure_summary){.in_flows = t->in, .out_flows = t->out, .words = true,
                                  .floor_in_s = measure_figures_floor_s(t, true),
                                  .floor_out_s = measure_figures_floor_s(t, false)};
    s->limit_bps = t->limit_bps / (double)(t->streams ? t->streams : 1);
    for (size_t i = 0; i < t->n; i++) {
        const struct measure_phase *p = &t->phase[i];
        struct measure_figures f;
        measure_figures_of(t, p, &f);
        if (all.n[p->kind] == MEASURE_BLOCKS)
            continue;
        size_t b = all.n[p->kind]++;
        if (p->kind == MEASURE_BOTH) {
            all.out_first[b] = p->out_first;
            s->transfer_s += (p->length_s - s->transfer_s) / (double)(b + 1);
        }
        all.rate_bps[1][p->kind][b] = f.in.rate_bps;
        all.rate_bps[0][p->kind][b] = f.out.rate_bps;
        summary_add(&s->in[p->kind].mean, &f.in, (double)(b + 1));
        summary_add(&s->out[p->kind].mean, &f.out, (double)(b + 1));
        s->processor = fmax(s->processor, p->processor);
        if (p->kind == MEASURE_PACED)
            summary_pace(s, p, &f);
    }
    for (int kind = 0; kind < MEASURE_KINDS; kind++)
        for (int incoming = 0; incoming < 2; incoming++) {
            struct measure_summary_way *w = incoming ? &s->in[kind] : &s->out[kind];
            w->rate_bps = estimate_mean(all.rate_bps[incoming][kind], all.n[kind]);
            w->growth = w->mean.early_bps > 0 ? w->mean.late_bps / w->mean.early_bps - 1 : 0;
        }
    s->full_in = summary_full(&s->in[MEASURE_IN].mean, s->floor_in_s);
    s->full_out = summary_full(&s->out[MEASURE_OUT].mean, s->floor_out_s);
    struct estimate lost[3], least[3], least_order;
    double possible_bps[2], least_bps[2];
    summary_lost(s, &all, s->full_in, s->full_out, lost, possible_bps, &s->order);
    summary_lost(s, &all, true, true, least, least_bps, &least_order);
    s->lost_out = lost[0], s->lost_in = lost[1], s->lost = lost[2];
    s->least_out = least[0], s->least_in = least[1], s->least = least[2];
    s->possible_out_bps = possible_bps[0], s->possible_in_bps = possible_bps[1];
}

/* To the middle of what is judged, and back: of [f, t) on to (f + t) / 2, from m to 2 m - t. */
static void summary_halve(struct measure_test *t, bool on)
{
    for (size_t i = 0; i < t->n; i++) {
        struct measure_phase *p = &t->phase[i];
        p->from_s = on ? (p->from_s + p->to_s) / 2 : 2 * p->from_s - p->to_s;
    }
}

void measure_summary_settle(struct measure_test *t, struct measure_summary *s)
{
    struct measure_summary late;
    measure_summary_of(t, s);
    if (!(fabs(s->order.value) > s->order.ci95)) /* the order does not matter */
        return;
    summary_halve(t, true);
    measure_summary_of(t, &late);
    if (fabs(late.order.value) <= late.order.ci95 && fabs(late.order.value) + late.order.ci95 < fabs(s->order.value))
        *s = late;
    else
        summary_halve(t, false);
}
