/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/floors.h"
#include "test/cm.h"

#define FLOWS 12
#define SLOTS 200
#define SLOT_S 1e-3
#define WAY_S 10e-3  /* to the other end and back, empty */
#define NEAR_S 50e-6

static struct analysis_wait slots[FLOWS][SLOTS];
static struct analysis_told described[FLOWS];
static struct analysis_evidence flow[FLOWS];
static struct analysis_evidence_set set;
static size_t summed; /* times that what a flow had sent was summed up */

/* The linker puts them in the place of analysis_bins_range(). */
void __real_analysis_bins_range(const struct analysis_bins *b, int64_t from_ns, int64_t to_ns, size_t *begin, size_t *end);
void __wrap_analysis_bins_range(const struct analysis_bins *b, int64_t from_ns, int64_t to_ns, size_t *begin, size_t *end);

void __wrap_analysis_bins_range(const struct analysis_bins *b, int64_t from_ns, int64_t to_ns, size_t *begin, size_t *end)
{
    summed++;
    __real_analysis_bins_range(b, from_ns, to_ns, begin, end);
}

/* A flow whose data come in; its far loop at a time, in seconds. */
static void flow_add(size_t i, bool incoming, size_t begins, double (*loop_s)(size_t slot))
{
    described[i].incoming = incoming;
    flow[i] = (struct analysis_evidence){.flow = &described[i], .waits = slots[i], .n_waits = SLOTS - begins,
                                         .width_s = SLOT_S, .start_s = (double)begins * SLOT_S, .near_s = NAN,
                                         .far_s = NAN, .peer.family = 4, .peer.bytes = {10, 0, 0, (uint8_t)(i + 2)}};
    enum analysis_loop far = analysis_evidence_far(&flow[i]);
    flow[i].least_s[analysis_evidence_near(&flow[i])] = NEAR_S * (double)(i + 1);
    flow[i].least_s[far] = INFINITY;
    for (size_t k = 0; k < flow[i].n_waits; k++) {
        slots[i][k] = (struct analysis_wait){.start_s = (double)(begins + k) * SLOT_S};
        slots[i][k].loop_s[far] = loop_s(begins + k);
        slots[i][k].loop_samples[far] = 1;
        flow[i].least_s[far] = fmin(flow[i].least_s[far], loop_s(begins + k));
    }
    set = (struct analysis_evidence_set){.flow = flow, .n = i + 1, .to_s = SLOTS * SLOT_S, .frame_s = NAN};
}

/* Fills in 20 ms and then comes and goes by 2 ms. */
static double queue_s(size_t slot)
{
    return slot < 20 ? (double)slot * 1e-3 : 20e-3 + 2e-3 * sin((double)slot);
}

static double behind_it_s(size_t slot)
{
    return WAY_S + queue_s(slot);
}

static double behind_it_from_afar_s(size_t slot)
{
    return 3 * WAY_S + queue_s(slot);
}

/* As long as the next on average. */
static double wavering_s(size_t slot)
{
    return WAY_S + (slot < 20 ? (double)slot * 0.5e-3 : 10e-3 + 8e-3 * sin((double)slot / 10));
}

static double twice_as_far_s(size_t slot)
{
    return 2 * WAY_S;
}

static double beside_it_s(size_t slot)
{
    return WAY_S;
}

TEST(test_a_late_flow_has_the_floor_of_an_early_one)
{
    flow_add(0, true, 0, behind_it_s);
    flow_add(1, true, 50, behind_it_s); /* its own least is above 27 ms */
    assert_true(flow[1].least_s[ANALYSIS_LOOP_SENDER] > 2.7 * WAY_S);
    analysis_floors_find(&set);
    assert_all(fabs(flow[0].far_least_s - WAY_S) < 1e-9, fabs(flow[1].far_least_s - WAY_S) < 0.3e-3);
    assert_true(fabs(flow[1].near_least_s - NEAR_S) < 1e-9); /* the other's: the way to the host is the same */
}

/* A flow of two segments lets go no data that show its loop; its handshake met what the other one waited for then. */
TEST(test_a_flow_that_shows_no_loop_met_what_others_wait_for)
{
    const size_t begins = 50;
    flow_add(0, true, 0, behind_it_s);
    flow_add(1, true, begins, behind_it_s);
    for (size_t k = 0; k < flow[1].n_waits; k++)
        slots[1][k].loop_samples[ANALYSIS_LOOP_SENDER] = 0;
    flow[1].least_s[ANALYSIS_LOOP_SENDER] = behind_it_s(begins);
    analysis_floors_find(&set);
    assert_all(fabs(flow[1].far_least_s - WAY_S) < 1e-9, fabs(flow[0].far_least_s - WAY_S) < 1e-9);
}

/* As long as the other's all the time; but its handshake passed before anybody's data: nothing stood. Later, or where
 * nobody saw it, something may have. */
TEST(test_what_a_handshake_met_before_all_data_is_the_way)
{
    struct analysis_bins bins;
    analysis_bins_init(&bins, 0);
    analysis_bins_at(&bins, 0)->bytes = 10000; /* 80 ms of it */
    /* The other's data begin at 0. And 0.2 s of other traffic of 10 kb/s are 1 ms of what both carry, which is less than the
     * 17.5 that the late one would lack, of 1 Mb/s 0.1 s; of a way without data nobody knows. */
    static const struct { double begins_s, other_bps[2], ways; } rows[] = {
        {-0.03, {0, 0}, 2.75}, {0.05, {0, 0}, 1}, {(double)NAN, {0, 0}, 1}, {-0.03, {1e4, 0}, 2.75}, {-0.03, {1e6, 0}, 1}, {-0.03, {0, 1}, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        flow_add(0, true, 0, behind_it_s);
        flow_add(1, true, 50, behind_it_s);
        flow[0].bins = &bins;
        described[0].rate_bps = described[1].rate_bps = 1e6;
        flow[1].far_s = 2.75 * WAY_S;
        flow[1].handshake_s = rows[i].begins_s;
        memcpy(set.other_bps, rows[i].other_bps, sizeof set.other_bps);
        analysis_floors_find(&set);
        assert_near(flow[1].far_least_s, rows[i].ways * WAY_S, 0.5e-3);
    }
    analysis_bins_fini(&bins);
}

/* Six flows begin at 0 and six later, each of which any of the first would lower, were its handshake not as early: what had
 * been sent by then is summed up over the six, once for each of the later ones. It was once for each pair. */
TEST(test_what_a_handshake_met_is_asked_once_a_flow)
{
    struct analysis_bins bins;
    analysis_bins_init(&bins, 0);
    for (size_t i = 0; i < FLOWS; i++)
        flow_add(i, true, i < FLOWS / 2 ? 0 : 50, behind_it_s);
    for (size_t i = 0; i < FLOWS; i++) {
        flow[i].bins = &bins;
        described[i].rate_bps = 1e9; /* ten segments of each are gone in 20 us */
        if (i >= FLOWS / 2) {
            flow[i].far_s = 2.75 * WAY_S;
            flow[i].handshake_s = 0;
        }
    }
    summed = 0;
    analysis_floors_find(&set);
    assert_true(fabs(flow[FLOWS - 1].far_least_s - 2.75 * WAY_S) < 0.5e-3);
    assert_int_equal(summed, FLOWS / 2 * (FLOWS / 2));
    analysis_bins_fini(&bins);
}

/* Its ACKs and the other's data wait in one queue; its own way is longer. */
TEST(test_what_is_behind_another_way_keeps_it)
{
    flow_add(0, true, 0, behind_it_s);
    flow_add(1, false, 50, behind_it_from_afar_s);
    analysis_floors_find(&set);
    assert_true(fabs(flow[1].far_least_s - 3 * WAY_S) < 0.3e-3);
}

/* A queue of its own, or ACKs first: that the other waits says nothing. */
TEST(test_a_flow_beside_the_queue_lacks_nothing)
{
    flow_add(0, true, 0, behind_it_s);
    flow_add(1, false, 5, beside_it_s);
    analysis_floors_find(&set);
    assert_true(fabs(flow[1].far_least_s - WAY_S) < 1e-9);
    flow_add(0, false, 0, beside_it_s);
    flow_add(1, true, 5, behind_it_from_afar_s); /* met 5 ms of its own making */
    analysis_floors_find(&set);
    assert_true(fabs(flow[1].far_least_s - 3 * WAY_S - 5e-3) < 1e-9);
}

TEST(test_a_loop_that_is_as_long_on_average_is_another)
{
    flow_add(0, true, 0, wavering_s);
    flow_add(1, false, 5, twice_as_far_s);
    analysis_floors_find(&set);
    assert_true(fabs(flow[1].far_least_s - 2 * WAY_S) < 1e-9);
}

TEST(test_flows_to_one_peer_have_one_floor)
{
    flow_add(0, true, 0, beside_it_s);
    flow_add(1, false, 50, behind_it_from_afar_s);
    flow[1].peer = flow[0].peer;
    analysis_floors_find(&set);
    assert_true(fabs(flow[1].far_least_s - WAY_S) < 1e-9);
}
