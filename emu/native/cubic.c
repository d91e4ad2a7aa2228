/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/cubic.h"

#include "emu/native/congestion.h"

#include <assert.h>

#define UNIT 1024             /* parts of a segment, of a second */
#define BETA_TENTHS 7
#define ALPHA 542             /* 0.529 in 1/1024 */
#define US_PER_S 1000000
#define HYSTART_WINDOW 16     /* segments */
#define HYSTART_SAMPLES 8
#define HYSTART_LEAST_US 4000
#define HYSTART_MOST_US 16000
#define EPOCH_MOST (UINT64_C(4096) * UNIT) /* t - K beyond: over an hour, and the cube still fits 64 bits */

void native_cubic_init(struct native_cubic *c, bool hystart)
{
    *c = (struct native_cubic){.hystart = hystart};
}

uint64_t native_cubic_root(uint64_t x)
{
    uint64_t root = 0;
    for (int shift = 63; shift >= 0; shift -= 3) { /* digit by digit, base 2 */
        root *= 2;
        uint64_t next = 3 * root * (root + 1) + 1;
        if (x >> shift >= next) {
            x -= next << shift;
            root++;
        }
    }
    return root;
}

uint64_t native_cubic_window(const struct native_cubic *c, uint64_t t)
{
    bool before = t < c->k;
    uint64_t d = before ? c->k - t : t - c->k;
    if (d > EPOCH_MOST)
        d = EPOCH_MOST;
    uint64_t grown = d * d / UNIT * d / UNIT * 2 / 5; /* C = 2/5; d^3 / 1024^2 is in 1/1024 segments */
    if (!before)
        return c->origin + grown;
    return c->origin > grown ? c->origin - grown : 0;
}

static void cubic_begin(struct native_cubic *c, uint64_t now_us, uint64_t window)
{
    c->in_epoch = true;
    c->epoch_us = now_us;
    c->w_est = window * UNIT;
    c->k = 0;
    c->origin = window;
    if (window < c->w_max) {
        /* K^3 = (W_max - cwnd) / C, in 1/1024 s: (x / 1024 segments) * 5/2 * 1024^3 / ... = x * 5/2 * 1024^2. */
        c->k = native_cubic_root((c->w_max - window) * 5 / 2 * UNIT * UNIT);
        c->origin = c->w_max;
    }
}

static void cubic_hystart(struct native_cubic *c, uint64_t now_us, uint64_t rtt_us, uint32_t cwnd, uint32_t *ssthresh)
{
    if (now_us >= c->round_end_us) {
        c->round_end_us = now_us + rtt_us;
        c->round_rtt_us = rtt_us;
        c->round_samples = 0;
    }
    if (c->round_samples++ < HYSTART_SAMPLES) {
        c->round_rtt_us = rtt_us < c->round_rtt_us ? rtt_us : c->round_rtt_us;
        return;
    }
    uint64_t growth_us = c->min_rtt_us / 8;
    growth_us = growth_us < HYSTART_LEAST_US ? HYSTART_LEAST_US : growth_us;
    growth_us = growth_us > HYSTART_MOST_US ? HYSTART_MOST_US : growth_us;
    if (cwnd >= HYSTART_WINDOW && c->round_rtt_us >= c->min_rtt_us + growth_us)
        *ssthresh = cwnd;
}

static uint32_t cubic_slow_start(struct native_cubic *c, uint32_t *acked, uint64_t now_us, uint64_t rtt_us,
                                 uint32_t cwnd, uint32_t *ssthresh)
{
    if (c->hystart && rtt_us > 0)
        cubic_hystart(c, now_us, rtt_us, cwnd, ssthresh);
    if (cwnd >= *ssthresh)
        return cwnd;
    uint32_t room = *ssthresh - cwnd, grow = *acked < room ? *acked : room;
    *acked -= grow;
    return cwnd + grow;
}

/* The curve's window one round trip from now, half as much again at most (section 4.2); keeps Reno's up to date. */
static uint64_t cubic_target(struct native_cubic *c, uint32_t acked, uint64_t now_us, uint32_t cwnd)
{
    uint64_t window = (uint64_t)cwnd * UNIT;
    if (!c->in_epoch)
        cubic_begin(c, now_us, window);
    uint64_t t = (now_us - c->epoch_us + c->min_rtt_us) * UNIT / US_PER_S;
    uint64_t target = native_cubic_window(c, t);
    uint64_t alpha = c->w_max > 0 && c->w_est / UNIT >= c->w_max ? UNIT : ALPHA;
    c->w_est += alpha * acked * UNIT / cwnd;
    return target < window + window / 2 ? target : window + window / 2;
}

uint32_t native_cubic_on_ack(struct native_cubic *c, uint32_t acked, uint64_t now_us, uint64_t rtt_us, uint32_t cwnd,
                             uint32_t *ssthresh)
{
    if (rtt_us > 0 && (c->min_rtt_us == 0 || rtt_us < c->min_rtt_us))
        c->min_rtt_us = rtt_us;
    if (cwnd < *ssthresh)
        cwnd = cubic_slow_start(c, &acked, now_us, rtt_us, cwnd, ssthresh);
    if (acked == 0 || cwnd < *ssthresh)
        return cwnd;
    uint64_t target = cubic_target(c, acked, now_us, cwnd), window = (uint64_t)cwnd * UNIT;
    uint64_t reno = c->w_est / UNIT;
    if (reno > target) /* it would be faster (section 4.3) */
        return reno > window ? (uint32_t)(reno / UNIT) : cwnd;
    if (target <= window)
        return cwnd;
    c->credit += (target - window) * acked / cwnd; /* (target - cwnd) / cwnd for each segment (section 4.4) */
    cwnd += (uint32_t)(c->credit / UNIT);
    c->credit %= UNIT;
    return cwnd;
}

uint32_t native_cubic_on_loss(struct native_cubic *c, uint32_t cwnd)
{
    uint64_t window = (uint64_t)cwnd * UNIT;
    c->in_epoch = false;
    c->credit = 0;
    /* Fast convergence: a window that has not got back to where it was makes room for newcomers. */
    c->w_max = window < c->w_max ? window * (10 + BETA_TENTHS) / 20 : window;
    uint32_t ssthresh = (uint32_t)((uint64_t)cwnd * BETA_TENTHS / 10);
    return ssthresh > 2 ? ssthresh : 2;
}

uint32_t native_cubic_on_timeout(struct native_cubic *c, uint32_t cwnd)
{
    c->round_end_us = 0;
    return native_cubic_on_loss(c, cwnd);
}

static_assert(sizeof(struct native_cubic) <= NATIVE_CONGESTION_WORDS * sizeof(uint64_t), "its state has room");

static void cubic_init(void *state, const struct emu_tcp_config *config)
{
    native_cubic_init(state, config->hystart);
}

/* CUBIC counts whole segments. */
static void cubic_grow(void *state, struct native_window *w, const struct native_ack *ack)
{
    w->remainder += ack->acked;
    uint32_t segments = (uint32_t)(w->remainder / ack->segment);
    w->remainder %= ack->segment;
    uint64_t ssthresh = w->ssthresh / ack->segment;
    uint32_t threshold = ssthresh < UINT32_MAX ? (uint32_t)ssthresh : UINT32_MAX;
    w->cwnd = ack->segment * native_cubic_on_ack(state, segments, ack->now_us, ack->rtt_us,
                                                 (uint32_t)(w->cwnd / ack->segment), &threshold);
    if (threshold < ssthresh)
        w->ssthresh = threshold * ack->segment; /* HyStart has left slow start */
}

static uint64_t cubic_lost(void *state, const struct native_window *w, uint64_t segment, uint64_t flight, bool timeout)
{
    (void)flight;
    uint32_t cwnd = (uint32_t)(w->cwnd / segment);
    return segment * (timeout ? native_cubic_on_timeout(state, cwnd) : native_cubic_on_loss(state, cwnd));
}

const struct native_congestion native_cubic = {
    .init = cubic_init,
    .grow = cubic_grow,
    .lost = cubic_lost,
    .restores = true,
};
