/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults of links: their statistics are those of the models by their closed forms, and no frame vanishes uncounted. */
#include "emu/network/port.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

#define FRAMES 1000000
#define US INT64_C(1000000)
#define MS (1000 * US)

static struct emu_fault *make(const struct emu_fault_config *config, int64_t delay_ps)
{
    struct emu_fault_config c = *config;
    c.on = true;
    return emu_fault_new(&c, delay_ps, "h0");
}

/* Within five standard deviations of a mean of n draws that scatter by sd. */
static void near(double found, double expected, double sd, double n)
{
    if (fabs(found - expected) > 5 * sd / sqrt(n))
        fail_msg("%g where %g +- %g was expected", found, expected, 5 * sd / sqrt(n));
}

TEST(test_a_link_without_faults_has_none)
{
    assert_null(emu_fault_new(&(struct emu_fault_config){.loss = 0.5}, MS, "h0"));
    assert_int_equal(emu_fault_lead_ps(&(struct emu_fault_config){.reorder = 0.5}, MS), 0);
}

/* Bernoulli: a share p is lost, after a lost frame as after any. */
TEST(test_random_loss_has_no_memory)
{
    const double p = 0.03;
    struct emu_fault *f = make(&(struct emu_fault_config){.loss = p, .seed = 1}, MS);
    int lost = 0, after = 0;
    bool before = false;
    for (int i = 0; i < FRAMES; i++) {
        bool now = emu_fault_loses(f);
        lost += now;
        after += before && now;
        before = now;
    }
    near((double)lost / FRAMES, p, sqrt(p * (1 - p)), FRAMES);
    near((double)after / lost, p, sqrt(p * (1 - p)), lost);
    emu_fault_free(f, &fake_ops);
}

/* Gilbert 1960: the chain is bad for a share P / (P + R) of the frames; neighbours correlate by 1 - P - R, which widens
 * the scatter of a mean by (1 + c) / (1 - c). With every frame lost in the bad state, bursts are as long as the stays
 * there: geometric, 1 / R on average, a share R of them one frame long, R (1 - R) two. */
TEST(test_bursts_are_geometric)
{
    const double to_bad = 0.01, to_good = 0.2, share = to_bad / (to_bad + to_good), c = 1 - to_bad - to_good;
    struct emu_fault_config config = {.burst = {true, to_bad, to_good, 1, 0}, .seed = 2};
    struct emu_fault *f = make(&config, MS);
    int lost = 0, bursts = 0, length = 0, of[3] = {0};
    for (int i = 0; i < FRAMES; i++) {
        bool now = emu_fault_loses(f);
        lost += now;
        if (!now && length > 0) {
            bursts++;
            of[length < 3 ? length : 0]++;
        }
        length = now ? length + 1 : 0;
    }
    near((double)lost / FRAMES, share, sqrt(share * (1 - share) * (1 + c) / (1 - c)), FRAMES);
    near((double)lost / bursts, 1 / to_good, sqrt(1 - to_good) / to_good, bursts);
    near((double)of[1] / bursts, to_good, sqrt(to_good * (1 - to_good)), bursts);
    near((double)of[2] / bursts, to_good * (1 - to_good), 0.4, bursts);
    emu_fault_free(f, &fake_ops);
}

/* Elliott 1963: both states lose, each its own share. */
TEST(test_each_state_loses_its_own_share)
{
    const double bad = 0.05 / (0.05 + 0.1), mean = bad * 0.5 + (1 - bad) * 0.01;
    struct emu_fault_config config = {.burst = {true, 0.05, 0.1, 0.5, 0.01}, .seed = 3};
    struct emu_fault *f = make(&config, MS);
    int lost = 0;
    for (int i = 0; i < FRAMES; i++)
        lost += emu_fault_loses(f);
    near((double)lost / FRAMES, mean, sqrt(mean * (1 - mean) * 1.85 / 0.15), FRAMES);
    emu_fault_free(f, &fake_ops);
}

/* Frames further apart than the jitter do not wait for each other. */
static void jitter_moments(enum emu_fault_jitter shape, double *mean, double *deviation, double *within)
{
    struct emu_fault *f = make(&(struct emu_fault_config){.jitter_ps = MS, .shape = shape, .seed = 4}, MS);
    double sum = 0, squares = 0;
    int inside = 0, n = FRAMES / 4;
    for (int i = 0; i < n; i++) {
        int64_t now_ps = i * 2 * MS, late_ps = emu_fault_due_ps(f, now_ps) - now_ps;
        assert_in_range(late_ps, 0, MS);
        double late = (double)late_ps / MS;
        sum += late;
        squares += late * late;
        inside += fabs(late - 0.5) < 1.0 / 6;
    }
    *mean = sum / n;
    *deviation = sqrt(squares / n - *mean * *mean);
    *within = (double)inside / n;
    emu_fault_free(f, &fake_ops);
}

/* Uniform in [0, 1]: mean 1/2, standard deviation 1 / sqrt 12. Normal, cut at three standard deviations of 1/6: 0.9866
 * of that is left, and 68.5 % lie within one. */
TEST(test_jitter_has_its_distribution)
{
    double mean, deviation, within;
    jitter_moments(EMU_FAULT_UNIFORM, &mean, &deviation, &within);
    near(mean, 0.5, sqrt(1.0 / 12), FRAMES / 4);
    assert_float_equal(deviation, sqrt(1.0 / 12), 0.001);
    assert_float_equal(within, 1.0 / 3, 0.005);
    jitter_moments(EMU_FAULT_NORMAL, &mean, &deviation, &within);
    near(mean, 0.5, 1.0 / 6, FRAMES / 4);
    assert_float_equal(deviation, 0.9866 / 6, 0.001);
    assert_float_equal(within, 0.685, 0.01);
}

TEST(test_jitter_keeps_the_order)
{
    struct emu_fault *f = make(&(struct emu_fault_config){.jitter_ps = MS, .seed = 5}, MS);
    int64_t last_ps = 0;
    for (int i = 0; i < 10000; i++) {
        int64_t due_ps = emu_fault_due_ps(f, i * US);
        assert_in_range(due_ps, last_ps, i * US + MS);
        last_ps = due_ps;
    }
    emu_fault_free(f, &fake_ops);
}

static struct emu_port a, b;
static struct arrival {
    int id;
    int64_t time_ps;
} arrivals[20000];
static int n_arrivals, n_lost;

static void receive(void *owner, int index, const struct emu_frame *frame)
{
    struct emu_clock clock = fake_clock();
    arrivals[n_arrivals++] = (struct arrival){fake_id(frame), emu_clock_now(&clock)};
    fake_ops.release(frame->packet);
}

static void saw(void *user, enum emu_tap_event event, int64_t time_ps, const struct emu_frame *frame,
                const struct emu_queue *queue)
{
    n_lost += event == EMU_TAP_LOST;
}

/* 1 Gb/s, 1 ms: a frame of 1500 bytes has crossed after 1526 byte times of 8 ns. */
#define CROSSED (1526 * 8000 + MS)
#define APART (1538 * 8000)

static void cross(const struct emu_fault_config *faults, const char *name, int frames)
{
    fake_reset();
    n_arrivals = n_lost = 0;
    struct emu_clock clock = fake_clock();
    struct emu_queue_config queue = emu_queue_config_default();
    struct emu_link_config link = {.rate_bps = 1000000000, .delay_ps = MS, .faults = *faults};
    link.faults.on = true;
    emu_port_init(&a, name, &clock, &fake_ops, &queue);
    emu_port_init(&b, "far", &clock, &fake_ops, &queue);
    a.receive = b.receive = receive;
    b.tap = (struct emu_tap){saw, NULL};
    emu_port_connect(&a, &b, &link);
    for (int i = 0; i < frames; i++) {
        struct emu_frame f = fake_frame(0, 1, 1500, i);
        emu_port_send(&a, &f);
    }
}

static void end(void)
{
    struct error err = {0};
    assert_true(emu_port_audit(&a, &err));
    emu_port_fini(&a);
    emu_port_fini(&b);
    assert_int_equal(fake_live, 0);
}

/* The ids and times of a whole run, in one number. */
static uint64_t fingerprint(const struct emu_fault_config *faults, const char *name)
{
    uint64_t mix = 0;
    cross(faults, name, 5000);
    fake_run();
    for (int i = 0; i < n_arrivals; i++)
        mix = (mix ^ (uint64_t)arrivals[i].id ^ (uint64_t)arrivals[i].time_ps) * UINT64_C(0x100000001b3);
    end();
    return mix;
}

static const struct emu_fault_config everything = {.loss = 0.02,
                                                   .burst = {true, 0.01, 0.3, 0.9, 0.001},
                                                   .jitter_ps = 200 * US,
                                                   .reorder = 0.1,
                                                   .reorder_by_ps = 500 * US,
                                                   .seed = 7};

TEST(test_what_is_sent_is_delivered_or_lost)
{
    cross(&everything, "h0", 20000);
    fake_run();
    assert_in_range(n_lost, 500, 2500);
    emu_port_settle(&a);
    assert_ints({a.stats.sent, 20000}, {a.stats.delivered, n_arrivals}, {a.stats.lost, n_lost},
                {n_arrivals + n_lost, 20000});
    end();
}

static void stop(void *arg)
{
    struct error err = {0};
    assert_true(emu_port_audit(&a, &err));
    assert_true(a.fault->held.count > 0);
    assert_int_equal(a.stats.sent, a.stats.delivered + a.stats.lost + (int64_t)emu_port_on_wire(&a));
    *(bool *)arg = true;
}

/* While frames are late they are on the wire, and nobody leaks them. */
TEST(test_late_frames_are_on_the_wire)
{
    bool stopped = false;
    cross(&everything, "h0", 5000);
    struct emu_clock clock = fake_clock();
    emu_clock_schedule(&clock, 20 * MS, stop, &stopped);
    fake_run();
    assert_true(stopped);
    end();
    cross(&everything, "h0", 5000);
    end();
}

TEST(test_the_seed_and_the_port_decide)
{
    struct emu_fault_config other = everything;
    uint64_t first = fingerprint(&everything, "h0");
    assert_true(fingerprint(&everything, "h0") == first);
    assert_true(fingerprint(&everything, "h1") != first);
    other.seed++;
    assert_true(fingerprint(&other, "h0") != first);
}

/* A second fault leaves the first one's draws alone. */
TEST(test_jitter_does_not_change_what_is_lost)
{
    static bool there[5000];
    struct emu_fault_config config = {.loss = 0.1, .seed = 8};
    cross(&config, "h0", 5000);
    fake_run();
    for (int i = 0; i < n_arrivals; i++)
        there[arrivals[i].id] = true;
    int n = n_arrivals;
    end();
    config.jitter_ps = MS;
    cross(&config, "h0", 5000);
    fake_run();
    assert_int_equal(n_arrivals, n);
    for (int i = 0; i < n_arrivals; i++)
        assert_true(there[arrivals[i].id]);
    end();
}

/* Who keeps its place arrives when the link's delay says; who overtakes, exactly so much sooner. */
TEST(test_some_frames_overtake_by_the_given_time)
{
    struct emu_fault_config config = {.reorder = 0.25, .reorder_by_ps = 100 * US, .seed = 9};
    int early = 0, last = -1;
    cross(&config, "h0", 20000);
    fake_run();
    assert_int_equal(n_arrivals, 20000);
    for (int i = 0; i < n_arrivals; i++) {
        int64_t usual_ps = CROSSED + (int64_t)arrivals[i].id * APART;
        if (arrivals[i].time_ps == usual_ps) {
            assert_true(arrivals[i].id > last);
            last = arrivals[i].id;
        } else {
            assert_int_equal(arrivals[i].time_ps, usual_ps - 100 * US);
            early++;
        }
    }
    near((double)early / 20000, 0.25, sqrt(0.25 * 0.75), 20000);
    assert_int_equal(emu_port_reach_ps(&a), MS - 100 * US + 72 * 8000); /* a host may see one as soon as that */
    end();
}

/* As netem's `delay 1ms reorder 25%`: without a time, by the whole delay. */
TEST(test_by_itself_a_frame_overtakes_by_the_delay)
{
    struct emu_fault_config config = {.reorder = 1, .seed = 9};
    cross(&config, "h0", 1);
    fake_run();
    assert_int_equal(arrivals[0].time_ps, CROSSED - MS);
    end();
}
