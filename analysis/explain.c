/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/explain.h"

#include <math.h>
#include <stdlib.h>

#define RING 512            /* data segments between passing and being acknowledged; older ones are forgotten */
#define RATES 512     /* of ACK groups: sixteenths of an octave */
#define PER_OCTAVE 16
#define LEAST_BPS 1e3

static const double tick_ns[ANALYSIS_EXPLAIN_TICKS] = {1e3, 1e6, 4e6, 10e6};

/* For each tick the clock may have: which one it is shows in the end. */
struct explain_leg {
    int64_t n;
    double sum[ANALYSIS_EXPLAIN_TICKS], least[ANALYSIS_EXPLAIN_TICKS];
};

struct explain_clock {
    bool known;
    uint32_t first, last;
    int64_t first_ns, last_ns;
};

/* A stamp that passed, and when; its echo ends it. */
struct explain_probe {
    bool armed;
    uint32_t stamp, newest;
    bool any;
    int64_t time_ns;
};

struct explain_passed {
    int64_t end, time_ns;
};

struct analysis_explain {
    struct explain_leg legs[ANALYSIS_LEGS];
    struct explain_clock sender, receiver;
    struct explain_probe data, ack;
    struct explain_passed ring[RING];
    uint32_t oldest, count;
    int64_t last_ack;
    bool has_ack;
    int in_group;
    int64_t group_ack_ns, group_data_ns; /* of its first ACK, and of the data that one acknowledged */
    int64_t group_first_ack;
    int64_t groups, compressed, holds;
    double bytes_at[RATES]; /* acknowledged by groups of that rate */
    double hold_sum_ns;
};

struct analysis_explain *analysis_explain_new(void)
{
    return calloc(1, sizeof(struct analysis_explain));
}

void analysis_explain_free(struct analysis_explain *e)
{
    free(e);
}

static void clock_note(struct explain_clock *c, uint32_t stamp, int64_t time_ns)
{
    if (!c->known)
        *c = (struct explain_clock){true, stamp, stamp, time_ns, time_ns};
    if ((int32_t)(stamp - c->last) > 0 && time_ns > c->last_ns) {
        c->last = stamp;
        c->last_ns = time_ns;
    }
}

/* sign +1: the tap's time less the clock's; -1: the other way round. */
static void leg_add(struct explain_leg *leg, const struct explain_clock *c, uint32_t stamp, int64_t time_ns, int sign)
{
    double ticks = (double)(int32_t)(stamp - c->first), t = (double)(time_ns - c->first_ns);
    for (int k = 0; k < ANALYSIS_EXPLAIN_TICKS; k++) {
        double x = sign * (t - ticks * tick_ns[k]);
        leg->sum[k] += x;
        leg->least[k] = leg->n == 0 || x < leg->least[k] ? x : leg->least[k];
    }
    leg->n++;
}

static void probe_set(struct explain_probe *p, uint32_t stamp, int64_t time_ns)
{
    if (p->any && (int32_t)(stamp - p->newest) <= 0)
        return; /* the first with a stamp is the one an echo speaks of */
    p->any = true;
    p->newest = stamp;
    if (!p->armed)
        *p = (struct explain_probe){.armed = true, .any = true, .stamp = stamp, .newest = stamp, .time_ns = time_ns};
}

/* True when this echo ends the probe at hand. */
static bool probe_echo(struct explain_probe *p, uint32_t echo)
{
    if (!p->armed || (int32_t)(echo - p->stamp) < 0)
        return false;
    p->armed = false;
    return echo == p->stamp;
}

void analysis_explain_data(struct analysis_explain *e, const struct capture_segment *s, int64_t end, int64_t time_ns)
{
    if (e->count == RING) {
        e->oldest = (e->oldest + 1) % RING;
        e->count--;
    }
    e->ring[(e->oldest + e->count++) % RING] = (struct explain_passed){end, time_ns};
    if (!s->has_timestamps)
        return;
    clock_note(&e->sender, s->tsval, time_ns);
    leg_add(&e->legs[ANALYSIS_LEG_DATA_OUT], &e->sender, s->tsval, time_ns, 1);
    probe_set(&e->data, s->tsval, time_ns);
    int64_t ack_ns = e->ack.time_ns;
    if (probe_echo(&e->ack, s->tsecr))
        leg_add(&e->legs[ANALYSIS_LEG_ACK_IN], &e->sender, s->tsval, ack_ns, -1);
}

/* When the data up to `ack` passed; false when nobody remembers. */
static bool explain_passed(struct analysis_explain *e, int64_t ack, int64_t *time_ns)
{
    bool found = false;
    while (e->count > 0 && e->ring[e->oldest].end <= ack) {
        *time_ns = e->ring[e->oldest].time_ns;
        found = e->ring[e->oldest].end == ack;
        e->oldest = (e->oldest + 1) % RING;
        e->count--;
    }
    return found;
}

static int rate_index(double bps)
{
    double index = floor(log2(fmax(bps, LEAST_BPS) / LEAST_BPS) * PER_OCTAVE);
    return index < RATES ? (int)index : RATES - 1;
}

double analysis_explain_faster(const struct analysis_explain *e, double rate_bps)
{
    double all = 0, faster = 0;
    int above = rate_index(rate_bps);
    for (int i = 0; i < RATES; i++) {
        all += e->bytes_at[i];
        faster += i > above ? e->bytes_at[i] : 0;
    }
    return all > 0 ? faster / all : NAN;
}

static void explain_group(struct analysis_explain *e, int64_t ack, int64_t data_ns, int64_t time_ns)
{
    if (e->in_group++ == 0) {
        e->group_first_ack = ack;
        e->group_ack_ns = time_ns;
        e->group_data_ns = data_ns;
    } else if (e->in_group == ANALYSIS_EXPLAIN_GROUP) {
        int64_t data_span = data_ns - e->group_data_ns;
        double span_s = fmax((double)(time_ns - e->group_ack_ns), 1) * 1e-9, bytes = (double)(ack - e->group_first_ack);
        e->in_group = 0;
        e->bytes_at[rate_index(bytes * 8 / span_s)] += bytes;
        if (data_span < ANALYSIS_EXPLAIN_FLOOR_NS)
            return;
        e->groups++;
        e->compressed += (double)(time_ns - e->group_ack_ns) < ANALYSIS_EXPLAIN_COMPRESSED * (double)data_span;
    }
}

void analysis_explain_ack(struct analysis_explain *e, const struct capture_segment *s, int64_t ack, int64_t time_ns)
{
    if (s->has_timestamps) {
        clock_note(&e->receiver, s->tsval, time_ns);
        leg_add(&e->legs[ANALYSIS_LEG_ACK_OUT], &e->receiver, s->tsval, time_ns, 1);
        probe_set(&e->ack, s->tsval, time_ns);
        int64_t data_ns = e->data.time_ns;
        if (probe_echo(&e->data, s->tsecr))
            leg_add(&e->legs[ANALYSIS_LEG_DATA_IN], &e->receiver, s->tsval, data_ns, -1);
    }
    if (s->payload_bytes > 0 || (e->has_ack && ack <= e->last_ack))
        return;
    e->has_ack = true;
    e->last_ack = ack;
    int64_t data_ns;
    if (!explain_passed(e, ack, &data_ns)) {
        e->in_group = 0;
        return;
    }
    e->holds++;
    e->hold_sum_ns += (double)(time_ns - data_ns);
    explain_group(e, ack, data_ns, time_ns);
}

/* The tick whose pace the clock kept; -1 before it has moved on. */
static int clock_tick(const struct explain_clock *c)
{
    double ticks = (double)(int32_t)(c->last - c->first), span = (double)(c->last_ns - c->first_ns);
    int best = -1;
    for (int k = 0; k < ANALYSIS_EXPLAIN_TICKS && ticks > 0; k++)
        if (best < 0 || fabs(log(span / ticks / tick_ns[k])) < fabs(log(span / ticks / tick_ns[best])))
            best = k;
    return best;
}

void analysis_explain_get(const struct analysis_explain *e, struct analysis_explanation *x)
{
    int sender = clock_tick(&e->sender), receiver = clock_tick(&e->receiver);
    const int tick[ANALYSIS_LEGS] = {
        [ANALYSIS_LEG_DATA_OUT] = sender,
        [ANALYSIS_LEG_DATA_IN] = receiver,
        [ANALYSIS_LEG_ACK_OUT] = receiver,
        [ANALYSIS_LEG_ACK_IN] = sender,
    };
    *x = (struct analysis_explanation){.samples = INT64_MAX, .groups = e->groups, .compressed = e->compressed,
                                       .hold_s = e->holds > 0 ? e->hold_sum_ns / (double)e->holds * 1e-9 : NAN};
    for (int i = 0; i < ANALYSIS_LEGS; i++) {
        const struct explain_leg *leg = &e->legs[i];
        x->samples = leg->n < x->samples ? leg->n : x->samples;
        int k = tick[i];
        x->wait_s[i] = k < 0 || leg->n == 0
                           ? NAN
                           : fmax(0, leg->sum[k] / (double)leg->n - leg->least[k] - tick_ns[k] / 2) * 1e-9;
    }
    x->data_wait_s = x->wait_s[ANALYSIS_LEG_DATA_OUT] + x->wait_s[ANALYSIS_LEG_DATA_IN];
    x->ack_wait_s = x->wait_s[ANALYSIS_LEG_ACK_OUT] + x->wait_s[ANALYSIS_LEG_ACK_IN];
}
