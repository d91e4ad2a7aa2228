/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/pulses.h"

#include "analysis/flows/leg_series.h"
#include "base/estimate.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

#define DATA_BYTES (2 * 1448) /* and more: a pulse, no words between the probe's ends */
#define LEAST_STRETCHES 3     /* to take a deviation from, */
#define MOST_STRETCHES 64     /* and at most */
#define SQUARES_MEDIAN 0.4549 /* of deviations that are normal with 1 */
#define LEGS 2                /* of a round trip with stamps of their own: data's, ACKs' */
#define SEEN 2                /* deviations that a round trip differs by, and more: by less it shows nothing */
#define MOST_HEADROOM 8       /* nobody knows: a window that has room for more has all that a pulse can ask for */
#define HEADROOMS 16
/* Of test/corpus/pulsed.py, where r is known to a fifth of h: 15 of flows that windows hold are 0.37 to 0.89 h, 490 of paces
 * -0.33 to 0.27 h. */
#define ANSWER_SD 0.35        /* of what is expected of r */
#define LEAST_SD 0.01         /* a segment more or less */
#define ELSE 0.1              /* of pulses meet something else: losses, other traffic */
/* There, of 38 links of full windows, 21 that one direction fills gave 0.47 to 0.9 P, the others -0.03 to 0.73 P. */
#define GAVE_SD 0.2

/* A flow over time: what it carries, and how long its round trips take. */
struct pulses_flow {
    const struct analysis_bins *bins;
    double end_s; /* its last data */
    struct analysis_wait *waits; /* owned */
    size_t n_waits;
    double stamped_s; /* its legs' minima together; NAN: by its loops */
    double tick_s;    /* of its stamps */
};

/* A stretch of time in figures; NAN unknown. */
struct pulses_stretch {
    double bps, trip_s; /* means */
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
        if (!analysis_flows_look(f, i, &flow) || !analysis_probe_has(probe, &flow) || flow.payload_bytes < DATA_BYTES)
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
    p->server = probe->server;
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

/* Half of the least time from one pulse to the next: so long before one flows are as they were, and so long after it they
 * answer. */
static double pulses_length_s(const struct analysis_pulses *p)
{
    double length_s = p->n == 1 ? 2 * (p->pulse[0].to_s - p->pulse[0].from_s) : INFINITY;
    for (size_t i = 1; i < p->n; i++)
        length_s = fmin(length_s, (p->pulse[i].from_s - p->pulse[i - 1].from_s) / 2);
    return length_s;
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
    double trips = 0, sum_s = 0;
    for (size_t i = 0; i < x->n_waits; i++) {
        double trip_s = pulses_trip_s(x, &x->waits[i]);
        if (x->waits[i].start_s < from_s || x->waits[i].start_s >= to_s || !(trip_s > 0))
            continue;
        trips++;
        sum_s += trip_s;
    }
    return (struct pulses_stretch){pulses_bps(x->bins, from_s, to_s), sum_s / trips};
}

/* What r and h lack of 1, from length_s before a time to so long after it. */
struct pulses_change {
    double rate, trip, trip_variance;
};

/* Of a mean over so long, of legs each of which stamps show by whole ticks: it is off by tick / sqrt(12) of each tick. */
static double pulses_trip_variance(const struct pulses_flow *x, double length_s)
{
    return isfinite(x->stamped_s) ? LEGS * pow(x->tick_s, 3) / (12 * length_s) : 0;
}

static struct pulses_change pulses_change(const struct pulses_flow *x, double at_s, double length_s, double after_s)
{
    struct pulses_stretch before = pulses_stretch(x, at_s - length_s, at_s);
    struct pulses_stretch after = pulses_stretch(x, at_s, at_s + after_s);
    double variance = pulses_trip_variance(x, length_s) + pulses_trip_variance(x, after_s);
    return (struct pulses_change){1 - after.bps / before.bps, 1 - before.trip_s / after.trip_s,
                                  variance / (after.trip_s * after.trip_s)};
}

/* The variance of n deviations from 0, by the median of their squares: what begins in that time counts for little. NAN: the
 * time is too short for one. */
static double pulses_variance(double *square, size_t n)
{
    qsort(square, n, sizeof *square, estimate_ascending);
    return n >= LEAST_STRETCHES ? square[n / 2] / SQUARES_MEDIAN : (double)NAN;
}

/* The variance of r while nobody sends a pulse, about what a pace or a window makes of it, whichever fits; NAN unknown. */
static double pulses_noise(const struct pulses_flow *x, double from_s, double to_s, double length_s)
{
    double pace[MOST_STRETCHES], window[MOST_STRETCHES];
    size_t n = 0;
    for (int k = 0; k < MOST_STRETCHES && to_s - (2 + k / 2.0) * length_s >= from_s; k++) {
        struct pulses_change c = pulses_change(x, to_s - (1 + k / 2.0) * length_s, length_s, length_s);
        pace[n] = c.rate * c.rate;
        window[n] = (c.rate - c.trip) * (c.rate - c.trip);
        n += isfinite(c.rate + c.trip) ? 1 : 0;
    }
    return fmin(pulses_variance(pace, n), pulses_variance(window, n));
}

/* Densities of r of each pulse under a headroom w, and of something else that happens to one of ten. */
static double pulses_likelihood(const struct pulses_change *c, size_t n, double variance, double w)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double r = fmax(w > 1 ? 0 : -INFINITY, 1 - w * (1 - c[i].trip));
        double sd = sqrt(variance + (w > 1 ? 0 : c[i].trip_variance) + ANSWER_SD * ANSWER_SD * r * r + LEAST_SD * LEAST_SD);
        double off = (c[i].rate - r) / sd;
        sum += log((1 - ELSE) * exp(-off * off / 2) / sd + ELSE / (1 + c[i].rate * c[i].rate));
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
    double length_s = pulses_length_s(p);
    size_t n = 0;
    for (size_t i = 0; i < p->n && p->pulse[i].from_s + 2 * length_s <= x->end_s; i++) {
        seen[n] = pulses_change(x, p->pulse[i].from_s, length_s, 2 * length_s);
        n += isfinite(seen[n].rate) && seen[n].trip * seen[n].trip > SEEN * SEEN * seen[n].trip_variance;
    }
    double variance = pulses_noise(x, from_s, to_s, length_s);
    return n > 0 && isfinite(variance) ? pulses_odds(seen, n, variance) : 0;
}

/* Of slot i; 0: nothing tells. */
static double pulses_odds_at(const struct analysis_pulses *p, const struct analysis_flows *f, size_t i, double from_s,
                             double to_s)
{
    struct analysis_round_trip_figures figures;
    struct analysis_flow flow;
    if (p->n == 0 || !analysis_flows_look(f, i, &flow) || !flow.bins || !analysis_flows_explain(f, i, &figures))
        return 0;
    struct pulses_flow x = {.bins = flow.bins, .end_s = flow.end_s, .stamped_s = figures.floor_s, .tick_s = figures.tick_s,
                            .waits = memory_zeroed(ANALYSIS_LEG_SERIES_SLOTS, sizeof *x.waits, "pulses")};
    x.n_waits = analysis_flows_waits(f, i, x.waits);
    double odds = pulses_odds_of(p, &x, from_s, to_s);
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

/* What lacks of what would have passed in length_s from a time on, by what passed before it. */
static double pulses_lacks(const struct pulses_way *w, double at_s, double length_s)
{
    return 2 * pulses_way_bytes(w, at_s - length_s, at_s) - pulses_way_bytes(w, at_s, at_s + 2 * length_s);
}

static struct pulses_fit pulses_fit_way(const struct analysis_pulses *p, const struct pulses_way *w, bool incoming,
                                        double from_s, double to_s)
{
    struct pulses_fit fit = {.variance = NAN};
    double length_s = pulses_length_s(p), square[MOST_STRETCHES];
    size_t n = 0;
    for (size_t i = 0; i < p->n && p->pulse[i].from_s + 2 * length_s <= w->last_s; i++) {
        double bytes = p->pulse[i].bytes[incoming], lacks = pulses_lacks(w, p->pulse[i].from_s, length_s);
        if (!(bytes > p->pulse[i].bytes[!incoming]) || !isfinite(lacks))
            continue;
        fit.product += lacks * bytes;
        fit.square += bytes * bytes;
    }
    for (double at_s = to_s - 2 * length_s; at_s - length_s >= from_s && n < MOST_STRETCHES; at_s -= length_s / 4) {
        double lacks = pulses_lacks(w, at_s, length_s);
        square[n++] = isfinite(lacks) ? lacks * lacks : INFINITY; /* unknown: as bad as can be */
    }
    fit.variance = pulses_variance(square, n);
    return fit;
}

/* Of normal densities about 0 and 1; less or more than that is no less likely. */
static double pulses_p_full(const struct pulses_fit *fit)
{
    if (!isfinite(fit->variance) || !(fit->square > 0))
        return 0.5;
    double g = fmax(0, fmin(1, fit->product / fit->square)), variance = fit->variance / fit->square + GAVE_SD * GAVE_SD;
    return 1 / (1 + exp((1 - 2 * g) / (2 * variance)));
}

static double pulses_full(const struct analysis_pulses *p, const struct analysis_flows *f, const struct analysis_told *told,
                          size_t n, bool incoming, double from_s, double to_s)
{
    struct pulses_way w = {.bins = memory_zeroed(n + 1, sizeof(const struct analysis_bins *), "pulses"),
                           .last_s = INFINITY};
    for (size_t i = 0; i < n; i++) {
        struct analysis_flow flow;
        if (told[i].incoming != incoming || !analysis_flows_look(f, told[i].slot, &flow) || !flow.bins)
            continue;
        w.bins[w.n++] = flow.bins;
        w.last_s = fmin(w.last_s, flow.end_s);
    }
    struct pulses_fit fit = {.square = 0};
    if (w.n > 0)
        fit = pulses_fit_way(p, &w, incoming, from_s, to_s);
    free(w.bins);
    return pulses_p_full(&fit);
}

/* The most that passed on average while a pulse went this way. */
static double pulses_passed_bps(const struct analysis_pulses *p, const struct analysis_capacity_way *w, bool incoming)
{
    double most_bps = NAN;
    for (size_t i = 0; i < p->n; i++)
        if (p->pulse[i].bytes[incoming] > p->pulse[i].bytes[!incoming])
            most_bps = fmax(most_bps, analysis_capacity_mean_bps(w, p->pulse[i].from_s, p->pulse[i].to_s));
    return most_bps;
}

void analysis_pulses_tell(const struct analysis_pulses *p, const struct analysis_flows *f,
                          const struct capture_address *host, const struct analysis_capacity_host *frames, struct analysis_told *told, size_t n, double from_s,
                          double to_s, struct analysis_pulsed *pulsed)
{
    *pulsed = (struct analysis_pulsed){.from_s = p->n > 0 ? p->pulse[0].from_s : INFINITY, .full = {0.5, 0.5},
                                       .passed_bps = {NAN, NAN}};
    for (size_t i = 0; i < n; i++)
        told[i].paced_odds = pulses_odds_at(p, f, told[i].slot, from_s, to_s);
    struct analysis_pulses own = *p; /* as that host has them: what goes in at one end goes out at the other */
    for (size_t k = 0; k < own.n && capture_address_same(host, &own.server); k++) {
        own.pulse[k].bytes[0] = p->pulse[k].bytes[1];
        own.pulse[k].bytes[1] = p->pulse[k].bytes[0];
    }
    bool there = capture_address_same(host, &p->host) || capture_address_same(host, &p->server);
    for (int way = 0; way < 2 && p->n > 0 && there; way++) {
        pulsed->full[way] = pulses_full(&own, f, told, n, way == 0, from_s, to_s);
        if (frames)
            pulsed->passed_bps[way] = pulses_passed_bps(&own, way == 0 ? &frames->in : &frames->out, way == 0);
    }
}
