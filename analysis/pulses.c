/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/pulses.h"

#include "analysis/flows/leg_series.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DATA_BYTES (2 * 1448) /* and more: a pulse, no words between the probe's ends */
#define LEAST_STRETCHES 3     /* to take a deviation from */
#define MODEL 0.35
#define MODEL_GAVE 0.2
#define LEAST_SD 0.01
#define ELSE 0.1
#define MOST_HEADROOM 8.0
#define HEADROOMS 16

/* A flow over time: what it carries, and how long its round trips take. */
struct pulses_flow {
    const struct analysis_bins *bins;
    double end_s; /* its last data */
    struct analysis_wait *waits; /* owned */
    size_t n_waits;
    double stamped_s; /* its legs' minima together; NAN: by its loops */
};

/* A stretch of time in figures; NAN unknown. */
struct pulses_stretch {
    double bps, trip_s, per_trip; /* means; of the inverse, too */
};

/* Sums of products of what answers and what causes it, and of the squares of the latter; variance of the former. */
struct pulses_fit {
    double product, square, variance;
};

bool analysis_probe_has(const struct analysis_probe *p, const struct analysis_flow *flow)
{
    return p && p->port &&
           ((flow->src_port == p->port && capture_address_same(&flow->src, &p->server)) ||
            (flow->dst_port == p->port && capture_address_same(&flow->dst, &p->server)));
}

static int pulses_by_start(const void *a, const void *b)
{
    const struct analysis_pulse *x = a, *y = b;
    return (x->from_s > y->from_s) - (x->from_s < y->from_s);
}

/* The data of the probe's connections, one by one; returns how many. */
static size_t pulses_data(const struct analysis_flows *f, const struct analysis_probe *probe, struct capture_address *host,
                          struct analysis_pulse *data)
{
    struct analysis_flow flow;
    size_t n = 0;
    for (size_t i = 0; i < analysis_flows_slots(f); i++) {
        if (!analysis_flows_get(f, i, &flow) || !analysis_probe_has(probe, &flow) || flow.payload_bytes < DATA_BYTES)
            continue;
        bool incoming = flow.src_port == probe->port && capture_address_same(&flow.src, &probe->server);
        *host = incoming ? flow.dst : flow.src;
        data[n] = (struct analysis_pulse){.from_s = flow.start_s, .to_s = flow.end_s};
        data[n++].bytes[incoming] = (double)flow.payload_bytes;
    }
    qsort(data, n, sizeof *data, pulses_by_start);
    return n;
}

void analysis_pulses_find(const struct analysis_flows *f, const struct analysis_probe *probe, struct analysis_pulses *p)
{
    *p = (struct analysis_pulses){.n = 0};
    if (!probe || !probe->port)
        return;
    struct analysis_pulse *data = memory_zeroed(analysis_flows_slots(f) + 1, sizeof *data, "pulses");
    size_t n = pulses_data(f, probe, &p->host, data);
    for (size_t i = 0; i < n; i++) {
        struct analysis_pulse *last = p->n > 0 ? &p->pulse[p->n - 1] : NULL;
        if (last && data[i].from_s <= last->to_s + (last->to_s - last->from_s)) {
            last->to_s = fmax(last->to_s, data[i].to_s);
            last->bytes[0] += data[i].bytes[0];
            last->bytes[1] += data[i].bytes[1];
        } else if (p->n < ANALYSIS_PULSES) {
            p->pulse[p->n++] = data[i];
        }
    }
    free(data);
}

/* Until the next one begins; after the last as long as between the two before. NAN: not until last_s. */
static double pulses_end_s(const struct analysis_pulses *p, size_t i, double last_s)
{
    const struct analysis_pulse *x = &p->pulse[i];
    double length_s = i > 0 ? x->from_s - x[-1].from_s : 2 * (x->to_s - x->from_s);
    double end_s = i + 1 < p->n ? x[1].from_s : fmin(last_s, x->from_s + length_s);
    return end_s <= last_s && end_s - x->from_s > length_s / 2 ? end_s : (double)NAN;
}

static double pulses_trip_s(const struct pulses_flow *x, const struct analysis_wait *w)
{
    double stamped_s = x->stamped_s + w->data_s + w->ack_s;
    return isfinite(stamped_s) ? stamped_s : w->loop_s[ANALYSIS_LOOP_RECEIVER] + w->loop_s[ANALYSIS_LOOP_SENDER];
}

static double pulses_bps(const struct analysis_bins *bins, double from_s, double to_s)
{
    size_t begin, end;
    analysis_bins_range(bins, llround(from_s * 1e9), llround(to_s * 1e9), &begin, &end);
    return end > begin ? analysis_bins_rate_bps(bins, begin, end) : (double)NAN;
}

static struct pulses_stretch pulses_stretch(const struct pulses_flow *x, double from_s, double to_s)
{
    struct pulses_stretch s = {pulses_bps(x->bins, from_s, to_s), NAN, NAN};
    double trips = 0, sum_s = 0, per_trip = 0;
    for (size_t i = 0; i < x->n_waits; i++) {
        double trip_s = pulses_trip_s(x, &x->waits[i]);
        if (x->waits[i].start_s < from_s || x->waits[i].start_s >= to_s || !(trip_s > 0))
            continue;
        trips++;
        sum_s += trip_s;
        per_trip += 1 / trip_s;
    }
    s.trip_s = sum_s / trips;
    s.per_trip = per_trip / trips;
    return s;
}

/* What r and h lack of 1, against the quiet time. */
struct pulses_change {
    double rate, trip;
};

static struct pulses_change pulses_change(const struct pulses_flow *x, const struct pulses_stretch *quiet, double from_s,
                                          double to_s)
{
    struct pulses_stretch s = pulses_stretch(x, from_s, to_s);
    return (struct pulses_change){1 - s.bps / quiet->bps, 1 - quiet->trip_s * s.per_trip};
}

/* Their variance while nobody sends a pulse; NAN: the time is too short for one. */
static double pulses_quiet(const struct pulses_flow *x, const struct pulses_stretch *quiet, double from_s, double to_s,
                           double length_s)
{
    double sum = 0, n = 0;
    for (double at_s = to_s - length_s; at_s >= from_s; at_s -= length_s) {
        struct pulses_change c = pulses_change(x, quiet, at_s, at_s + length_s);
        sum += isfinite(c.rate + c.trip) ? c.rate * c.rate + c.trip * c.trip : 0;
        n += isfinite(c.rate + c.trip);
    }
    return n >= LEAST_STRETCHES ? sum / n : (double)NAN;
}

/* The slope of least squares and its deviation; 0 where it is not known. */
static void pulses_slope(const struct pulses_fit *fit, double *slope, double *sd)
{
    bool known = isfinite(fit->variance) && fit->square > 0;
    *slope = known ? fit->product / fit->square : 0;
    *sd = known ? fmax(sqrt(fit->variance / fit->square), 1e-6) : 0;
}

/* Densities of r of each pulse under a headroom w, and of something else that happens to one of ten. */
static double pulses_likelihood(const struct pulses_change *c, size_t n, double variance, double w)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double r = fmax(w > 1 ? 0 : -INFINITY, 1 - w * (1 - c[i].trip));
        double sd = sqrt(variance + MODEL * MODEL * r * r + LEAST_SD * LEAST_SD), off = (c[i].rate - r) / sd;
        sum += log((1 - ELSE) * exp(-off * off / 2) / sd + ELSE * exp(-c[i].rate * c[i].rate / 2));
    }
    return sum;
}

static double pulses_odds(const struct pulses_change *c, size_t n, double variance)
{
    double sum = 0, window = pulses_likelihood(c, n, variance, 1);
    for (int k = 0; k < HEADROOMS; k++)
        sum += exp(pulses_likelihood(c, n, variance, pow(MOST_HEADROOM, (k + 1.0) / HEADROOMS)) - window);
    return log(sum / HEADROOMS);
}

static double pulses_odds_of(const struct analysis_pulses *p, const struct pulses_flow *x, double from_s, double to_s)
{
    struct pulses_change seen[ANALYSIS_PULSES];
    struct pulses_stretch quiet = pulses_stretch(x, from_s, to_s);
    double length_s = 0;
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        double end_s = pulses_end_s(p, i, x->end_s);
        if (isnan(end_s))
            continue;
        seen[n] = pulses_change(x, &quiet, p->pulse[i].from_s, end_s);
        length_s += end_s - p->pulse[i].from_s;
        if (getenv("DBG")) fprintf(stderr, "   pulse %.4f-%.4f, r %.4f h %.4f\n", p->pulse[i].from_s,p->pulse[i].to_s, seen[n].rate,seen[n].trip);
        n += isfinite(seen[n].rate + seen[n].trip);
    }
    double variance = n > 0 ? pulses_quiet(x, &quiet, from_s, to_s, length_s / (double)n) : (double)NAN;
    if (getenv("DBG")) fprintf(stderr, "sd %.4f\n", sqrt(variance));
    return isfinite(variance) ? pulses_odds(seen, n, variance) : 0;
}

double analysis_pulses_odds(const struct analysis_pulses *p, const struct analysis_flows *f, size_t i, double from_s,
                            double to_s)
{
    struct analysis_round_trip_figures figures;
    struct analysis_flow flow;
    if (p->n == 0 || !analysis_flows_get(f, i, &flow) || !flow.bins || !analysis_flows_explain(f, i, &figures))
        return 0;
    struct pulses_flow x = {.bins = flow.bins, .end_s = flow.end_s, .stamped_s = figures.floor_s,
                            .waits = memory_zeroed(ANALYSIS_LEG_SERIES_SLOTS, sizeof *x.waits, "pulses")};
    x.n_waits = analysis_flows_waits(f, i, x.waits);
    double odds = pulses_odds_of(p, &x, from_s, to_s);
    if (getenv("DBG")) fprintf(stderr, "Y %d>%d rate %.3f odds %.3f\n", flow.src_port, flow.dst_port, flow.goodput_bps/1e6, odds);
    free(x.waits);
    return odds;
}

/* The flows of one direction together. */
struct pulses_way {
    const struct analysis_bins **bins; /* owned */
    size_t n;
    double last_s;
};

static double pulses_way_bytes(const struct pulses_way *w, double from_s, double to_s)
{
    double bps = 0;
    for (size_t i = 0; i < w->n; i++)
        bps += pulses_bps(w->bins[i], from_s, to_s);
    return bps / 8 * (to_s - from_s);
}

static struct pulses_fit pulses_fit_way(const struct analysis_pulses *p, const struct pulses_way *w, bool incoming,
                                        double from_s, double to_s)
{
    struct pulses_fit fit = {.variance = NAN};
    double mean = pulses_way_bytes(w, from_s, to_s) / (to_s - from_s), length_s = 0, n = 0, sum = 0, k = 0;
    for (size_t i = 0; i < p->n; i++) {
        double end_s = pulses_end_s(p, i, w->last_s), from = p->pulse[i].from_s, bytes = p->pulse[i].bytes[incoming];
        double lacks = mean * (end_s - from) - pulses_way_bytes(w, from, end_s);
        if (!(bytes > p->pulse[i].bytes[!incoming]) || !isfinite(lacks))
            continue;
        fit.product += lacks * bytes;
        fit.square += bytes * bytes;
        length_s += end_s - from;
        n++;
    }
    length_s /= n;
    for (double at_s = to_s - length_s; n > 0 && at_s >= from_s; at_s -= length_s, k++) {
        double lacks = mean * length_s - pulses_way_bytes(w, at_s, at_s + length_s);
        sum += lacks * lacks;
    }
    fit.variance = k >= LEAST_STRETCHES ? sum / k : (double)NAN;
    return fit;
}

/* Of normal densities about 0 and 1; less or more than that is no less likely. */
static double pulses_p_full(double gave, double sd)
{
    double g = fmax(0, fmin(1, gave)), off = hypot(sd, MODEL_GAVE);
    return sd > 0 ? 1 / (1 + exp((1 - 2 * g) / (2 * off * off))) : 0.5;
}

void analysis_pulses_full(const struct analysis_pulses *p, const struct analysis_flows *f,
                          const struct capture_address *host, const size_t *slot, const bool *incoming, size_t n,
                          double from_s, double to_s, struct analysis_pulses_full *full)
{
    *full = (struct analysis_pulses_full){{0.5, 0.5}};
    for (int way = 0; way < 2 && p->n > 0 && capture_address_same(host, &p->host); way++) {
        struct pulses_way w = {.bins = memory_zeroed(n + 1, sizeof(const struct analysis_bins *), "pulses"),
                               .last_s = INFINITY};
        double gave = 0, sd = 0;
        for (size_t i = 0; i < n; i++) {
            struct analysis_flow flow;
            if (incoming[i] != (way == 0) || !analysis_flows_get(f, slot[i], &flow) || !flow.bins)
                continue;
            w.bins[w.n++] = flow.bins;
            w.last_s = fmin(w.last_s, flow.end_s);
        }
        if (w.n > 0) {
            struct pulses_fit fit = pulses_fit_way(p, &w, way == 0, from_s, to_s);
            pulses_slope(&fit, &gave, &sd);
        }
        full->p[way] = pulses_p_full(gave, sd);
        if (getenv("DBG")) fprintf(stderr, "G way %d: %.3f +- %.3f\n", way, gave, sd);
        free(w.bins);
    }
}
