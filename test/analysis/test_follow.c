/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/follow.h"
#include "base/random.h"
#include "test/cm.h"

#define SHIFT 10
#define SLOT_S 10.24e-3 /* of the bytes that pass: 10 us << SHIFT */
#define SLOTS 200
#define BPS 5e6
#define BASE_S 0.05 /* through empty queues, of the first flow */
#define NOISE_S 1e-4

static struct analysis_capacity_host host;
static struct analysis_wait waits[2][SLOTS];
static struct random chance;

static double any(double most)
{
    return most * (double)random_below(&chance, 1u << 30) / (1u << 30);
}

/* What begins at the beginning of a slot of bytes waits so long, as both flows see it, each over a base of its own: data of
 * the one, ACKs of the other; on the way there, or back. */
static double followed_on_bps(const double wait_s[SLOTS], size_t n, bool there)
{
    const struct analysis_told told[2] = {{.incoming = false}, {.incoming = true}};
    struct analysis_evidence e[2] = {{.flow = &told[0]}, {.flow = &told[1]}};
    struct analysis_evidence_set set = {.flow = e, .n = 2, .to_s = 2 * SLOTS * SLOT_S};
    for (int k = 0; k < 2; k++) {
        const enum analysis_loop far = analysis_evidence_far(&e[k]);
        const enum analysis_leg way = k == 0 ? ANALYSIS_LEG_DATA_IN : ANALYSIS_LEG_ACK_IN;
        e[k].waits = waits[k];
        e[k].n_waits = n;
        for (size_t i = 0; i < n; i++) {
            waits[k][i] = (struct analysis_wait){.loop_s = {NAN, NAN, NAN}};
            waits[k][i].loop_s[far] = BASE_S * (k + 1) + wait_s[i] + any(NOISE_S);
            waits[k][i].loop_samples[far] = waits[k][i].leg_samples[way] = 1;
            waits[k][i].leg_s[way] = (there ? wait_s[i] : 0) + any(NOISE_S);
            waits[k][i].start_s = (double)i * SLOT_S + waits[k][i].loop_s[far];
        }
    }
    analysis_follow_find(&set, &host);
    return set.followed_bps;
}

static double followed_bps(const double wait_s[SLOTS], size_t n)
{
    return followed_on_bps(wait_s, n, true);
}

/* Bytes of `load` of BPS pass unevenly; how long each waits in a queue of that rate, which backlog_s stood in before. */
static void queue_waits(double load, double backlog_s, double wait_s[SLOTS])
{
    double bits = backlog_s * BPS;
    host.out.carried = (struct analysis_capacity_series){.shift = SHIFT, .n = SLOTS};
    for (size_t i = 0; i < SLOTS; i++) {
        double comes = load * BPS * SLOT_S * (0.2 + any(1.6));
        host.out.carried.bytes[i] = comes / 8;
        wait_s[i] = bits / BPS;
        bits = fmax(0, bits + comes - BPS * SLOT_S);
    }
}

/* Whatever load it is that keeps it from running empty: 0.97 takes a backlog away, and 1.05 makes one. */
TEST(test_waits_of_a_queue_that_stands_give_its_rate)
{
    static const double load[] = {0.97, 1, 1.05};
    double wait_s[SLOTS];
    chance = random_of(5);
    for (int i = 0; i < 3; i++) {
        queue_waits(load[i], 0.5, wait_s);
        assert_true(fabs(followed_bps(wait_s, SLOTS) / BPS - 1) < 1e-3);
    }
}

TEST(test_loops_that_wait_elsewhere_or_nowhere_give_none)
{
    double wait_s[SLOTS], other_s[SLOTS];
    chance = random_of(6);
    queue_waits(1, 0.5, wait_s);
    for (size_t i = 0; i < SLOTS; i++)
        other_s[i] = 0;
    assert_true(isnan(followed_bps(other_s, SLOTS)));
    for (size_t i = 0; i < SLOTS; i++)
        other_s[i] = any(0.2);
    assert_true(isnan(followed_bps(other_s, SLOTS)));
    for (size_t i = 0; i < SLOTS; i++) /* a straight line is what a rate that passes evenly would do, too */
        other_s[i] = 0.1 * (double)i * SLOT_S;
    for (size_t i = 0; i < SLOTS; i++)
        host.out.carried.bytes[i] = BPS * SLOT_S / 8 * (0.99 + any(0.02));
    assert_true(isnan(followed_bps(other_s, SLOTS)));
}

/* A star of fixed windows does this: what passes comes round again, and waits in the other direction. */
TEST(test_loops_that_follow_on_their_way_back_give_none)
{
    double wait_s[SLOTS];
    chance = random_of(9);
    queue_waits(1, 0.5, wait_s);
    assert_true(isfinite(followed_on_bps(wait_s, SLOTS, true)));
    assert_true(isnan(followed_on_bps(wait_s, SLOTS, false)));
}

TEST(test_a_queue_that_runs_empty_gives_none)
{
    double wait_s[SLOTS];
    chance = random_of(7);
    queue_waits(0.8, 0, wait_s);
    assert_true(isnan(followed_bps(wait_s, SLOTS)));
}

TEST(test_few_loops_or_no_frames_give_none)
{
    const struct analysis_told told = {.incoming = false};
    struct analysis_evidence e = {.flow = &told};
    struct analysis_evidence_set set = {.flow = &e, .n = 1, .to_s = 1, .followed_bps = 1};
    double wait_s[SLOTS];
    chance = random_of(8);
    queue_waits(1.05, 0.5, wait_s);
    assert_true(isnan(followed_bps(wait_s, 7)));
    assert_true(isfinite(followed_bps(wait_s, 8)));
    analysis_follow_find(&set, NULL);
    assert_true(isnan(set.followed_bps));
}
