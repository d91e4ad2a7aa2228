/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/cubic.h"

#include "emu/native/congestion.h"
#include "emu/native/rtt.h"

#include <assert.h>

#define BETA 717              /* in 1/1024 */
#define SCALE 410             /* C in 1/1024 */
#define JIFFY_US NATIVE_RTT_JIFFY_US
#define JIFFIES_PER_S 250
#define UNIT 1024             /* parts of a second */
#define STALE 7               /* jiffies that `each` holds while the window stays */
#define RENO_FIFTEENTHS 8     /* segments acknowledged for a window of Reno's: 15/8 of it */
#define LEAST_EACH 2
#define MOST_EACH_AT_FIRST 20
#define HARDLY 100
#define HYSTART_WINDOW 16     /* segments */
#define HYSTART_SAMPLES 8
#define HYSTART_LEAST_US 4000
#define HYSTART_MOST_US 16000
#define HYSTART_GAP_US 2000
#define HYSTART_CUSHION_US 1000
#define HYSTART_BYTES 261372  /* four bursts of 65343 bytes */
#define SETTLED_US 1000000    /* round trips this soon after a loss say nothing */

void native_cubic_init(struct native_cubic *c, bool hystart)
{
    *c = (struct native_cubic){.hystart = hystart};
}

/* The first digits by a table, 64 times the root of up to 63 and a little less; then one step of Newton's, with x - 1 for x
 * and 341/1024 for a third (cubic_root()). */
uint32_t native_cubic_root(uint64_t a)
{
    static const uint8_t first[] = {
        0,   54,  54,  54,  118, 118, 118, 118, 123, 129, 134, 138, 143, 147, 151, 156, 157, 161, 164, 168, 170, 173,
        176, 179, 181, 185, 187, 190, 192, 194, 197, 199, 200, 202, 204, 206, 209, 211, 213, 215, 217, 219, 221, 222,
        224, 225, 227, 229, 231, 232, 234, 236, 237, 239, 240, 242, 244, 245, 246, 248, 250, 251, 252, 254,
    };
    if (a < 64)
        return (first[a] + 35U) >> 6;
    uint32_t digits = 1; /* of base 8, less one */
    while (a >> (3 * digits) >= 64)
        digits++;
    uint32_t x = (first[a >> (3 * digits)] + 10U) << digits >> 6;
    x = 2 * x + (uint32_t)(a / ((uint64_t)x * (x - 1)));
    return x * 341 >> 10;
}

/* The curve's window, segments, so many 1/1024 s after the epoch (section 4.2). */
static uint32_t cubic_target(const struct native_cubic *c, uint64_t t)
{
    uint64_t away = t < c->k ? c->k - t : t - c->k;
    if (away > UNIT * 340)
        away = UNIT * 340; /* the cube fits 64 bits */
    uint64_t grown = SCALE * away * away * away >> 40;
    if (t >= c->k)
        return c->origin + (uint32_t)grown;
    return c->origin > grown ? c->origin - (uint32_t)grown : 0;
}

/* bictcp_update(): for how many segments the window grows by one. */
static void cubic_update(struct native_cubic *c, uint32_t acked, uint64_t now_us, uint32_t cwnd)
{
    uint32_t jiffy = (uint32_t)(now_us / JIFFY_US);
    c->acked += acked;
    if (c->last_cwnd == cwnd && jiffy - c->last_jiffy <= STALE) /* an epoch begins later, if need be */
        return;
    if (!c->in_epoch || jiffy != c->last_jiffy) {
        c->last_cwnd = cwnd;
        c->last_jiffy = jiffy;
        if (!c->in_epoch) {
            c->in_epoch = true;
            c->epoch = jiffy;
            c->acked = acked;
            c->reno = cwnd;
            c->k = 0;
            c->origin = cwnd;
            if (c->w_max > cwnd) { /* K in 1/1024 s: (segments / C)^(1/3), C = 410/1024 */
                c->k = native_cubic_root((UINT64_C(1) << 40) / SCALE * (c->w_max - cwnd));
                c->origin = c->w_max;
            }
        }
        uint64_t t = jiffy - c->epoch + (c->min_rtt_us + JIFFY_US - 1) / JIFFY_US;
        uint32_t target = cubic_target(c, t * UNIT / JIFFIES_PER_S);
        c->each = target > cwnd ? cwnd / (target - cwnd) : HARDLY * cwnd;
        if (c->w_max == 0 && c->each > MOST_EACH_AT_FIRST)
            c->each = MOST_EACH_AT_FIRST;
    }
    uint32_t window = cwnd * 15 / RENO_FIFTEENTHS;
    while (c->acked > window) {
        c->acked -= window;
        c->reno++;
    }
    if (c->reno > cwnd && cwnd / (c->reno - cwnd) < c->each) /* Reno would be faster (section 4.3) */
        c->each = cwnd / (c->reno - cwnd);
    if (c->each < LEAST_EACH)
        c->each = LEAST_EACH;
}

bool native_cubic_on_sample(struct native_cubic *c, const struct native_cubic_sample *s, uint32_t cwnd,
                            bool slow_start)
{
    if (c->in_epoch && s->now_us - (uint64_t)c->epoch * JIFFY_US < SETTLED_US)
        return false;
    if (c->min_rtt_us == 0 || s->rtt_us < c->min_rtt_us)
        c->min_rtt_us = s->rtt_us;
    if (c->found || !slow_start || !c->hystart)
        return false;
    uint32_t now_us = (uint32_t)s->now_us;
    if (s->una > c->round_end) {
        c->round_us = c->train_us = now_us;
        c->round_end = s->nxt;
        c->round_rtt_us = UINT32_MAX;
        c->round_samples = 0;
    }
    if (cwnd < HYSTART_WINDOW)
        return false;
    if (now_us - c->train_us <= HYSTART_GAP_US) {
        uint64_t cushion_us = s->pacing > 0 ? UINT64_C(1000000) * HYSTART_BYTES / s->pacing : 0;
        c->train_us = now_us;
        cushion_us = cushion_us < HYSTART_CUSHION_US ? cushion_us : HYSTART_CUSHION_US;
        c->found = now_us - c->round_us > (c->min_rtt_us + cushion_us) / 2;
    }
    if (s->rtt_us < c->round_rtt_us)
        c->round_rtt_us = s->rtt_us;
    if (c->round_samples < HYSTART_SAMPLES) {
        c->round_samples++;
        return c->found;
    }
    uint32_t growth_us = c->min_rtt_us / 8;
    growth_us = growth_us < HYSTART_LEAST_US ? HYSTART_LEAST_US : growth_us;
    growth_us = growth_us > HYSTART_MOST_US ? HYSTART_MOST_US : growth_us;
    c->found = c->found || c->round_rtt_us > c->min_rtt_us + growth_us;
    return c->found;
}

uint32_t native_cubic_on_ack(struct native_cubic *c, uint32_t acked, uint64_t now_us, uint32_t cwnd, uint32_t ssthresh)
{
    if (cwnd < ssthresh) {
        uint32_t grow = acked < ssthresh - cwnd ? acked : ssthresh - cwnd;
        cwnd += grow;
        acked -= grow;
    }
    if (acked == 0)
        return cwnd;
    cubic_update(c, acked, now_us, cwnd);
    if (c->credit >= c->each) { /* collected when more were needed (tcp_cong_avoid_ai()) */
        c->credit = 0;
        cwnd++;
    }
    c->credit += acked;
    cwnd += c->credit / c->each;
    c->credit %= c->each;
    return cwnd;
}

void native_cubic_on_resume(struct native_cubic *c, uint64_t now_us, uint64_t sent_us)
{
    uint32_t now = (uint32_t)(now_us / JIFFY_US);
    c->epoch += now - (uint32_t)(sent_us / JIFFY_US);
    if ((int32_t)(c->epoch - now) > 0)
        c->epoch = now;
}

uint32_t native_cubic_on_loss(struct native_cubic *c, uint32_t cwnd)
{
    c->in_epoch = false;
    c->credit = 0;
    /* Fast convergence: a window that has not got back to where it was makes room for newcomers. */
    c->w_max = cwnd < c->w_max ? (uint32_t)((uint64_t)cwnd * (1024 + BETA) / 2048) : cwnd;
    uint32_t ssthresh = (uint32_t)((uint64_t)cwnd * BETA / 1024);
    return ssthresh > 2 ? ssthresh : 2;
}

uint32_t native_cubic_on_timeout(struct native_cubic *c, uint32_t cwnd)
{
    uint32_t ssthresh = native_cubic_on_loss(c, cwnd);
    native_cubic_init(c, c->hystart);
    return ssthresh;
}

static_assert(sizeof(struct native_cubic) <= NATIVE_CONGESTION_WORDS * sizeof(uint64_t), "its state has room");

static void cubic_init(void *state, const struct emu_tcp_config *config)
{
    native_cubic_init(state, config->hystart);
}

/* What native_cubic_on_sample() does not look at: no shortest one, nor slow start. */
static bool cubic_knows(const void *state, const struct native_window *w, uint64_t rtt_us)
{
    const struct native_cubic *c = state;
    return c->min_rtt_us > 0 && rtt_us >= c->min_rtt_us && (w->cwnd >= w->ssthresh || c->found || !c->hystart);
}

static void cubic_sampled(void *state, struct native_window *w, const struct native_ack *ack)
{
    if (cubic_knows(state, w, ack->rtt_us))
        return;
    struct native_cubic_sample s = {ack->now_us, (uint32_t)ack->rtt_us, ack->una, ack->nxt, ack->pacing};
    if (native_cubic_on_sample(state, &s, (uint32_t)(w->cwnd / ack->segment), w->cwnd < w->ssthresh))
        w->ssthresh = w->cwnd;
}

/* CUBIC counts whole segments. */
static void cubic_grow(void *state, struct native_window *w, const struct native_ack *ack)
{
    w->remainder += ack->acked;
    uint32_t segments = (uint32_t)(w->remainder / ack->segment);
    w->remainder %= ack->segment;
    uint64_t ssthresh = w->ssthresh / ack->segment;
    w->cwnd = ack->segment * native_cubic_on_ack(state, segments, ack->now_us, (uint32_t)(w->cwnd / ack->segment),
                                                 ssthresh < UINT32_MAX ? (uint32_t)ssthresh : UINT32_MAX);
}

static void cubic_timed_out(void *state)
{
    struct native_cubic *c = state;
    native_cubic_init(c, c->hystart);
}

static void cubic_resumed(void *state, uint64_t now_us, uint64_t sent_us)
{
    native_cubic_on_resume(state, now_us, sent_us);
}

static uint64_t cubic_lost(void *state, const struct native_window *w, uint64_t segment, uint64_t flight, bool timeout)
{
    (void)flight;
    uint32_t cwnd = (uint32_t)(w->cwnd / segment);
    return segment * (timeout ? native_cubic_on_timeout(state, cwnd) : native_cubic_on_loss(state, cwnd));
}

const struct native_congestion native_cubic = {
    .init = cubic_init,
    .sampled = cubic_sampled,
    .knows = cubic_knows,
    .grow = cubic_grow,
    .timed_out = cubic_timed_out,
    .resumed = cubic_resumed,
    .lost = cubic_lost,
    .from_linux = true,
    .restores = true,
};
