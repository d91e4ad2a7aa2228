/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/logp.h"

#include "base/random.h"

#include "test/cm.h"

/* Round figures: L 10 us, o 2 us, g 5 us, G 10 ns/byte. A message of 1001 bytes takes 2 + 10 + 10 + 2 = 24 us. */
static const struct model_logp round_figures = {10e-6, 2e-6, 5e-6, 10e-9};

TEST(test_message_costs_two_overheads_its_bytes_and_the_latency)
{
    double time_s;
    assert_true(model_logp_pattern(&round_figures, 2, &(struct model_logp_message){0, 1, 1001, 0}, 1, &time_s, &err));
    assert_near(time_s, 24e-6, 1e-18);
    /* LogP: 2 o + L */
    assert_true(model_logp_pattern(&round_figures, 2, &(struct model_logp_message){0, 1, 1, 0}, 1, &time_s, &err));
    assert_near(time_s, 14e-6, 1e-18);
}

TEST(test_pattern_of_one_message_is_that_message)
{
    double done_s;
    const struct model_logp_message m = {0, 1, 1001, 3e-6};
    assert_true(model_logp_pattern(&round_figures, 2, &m, 1, &done_s, &err));
    assert_near(done_s, 27e-6, 1e-18); /* from its start at 3 us */
    assert_true(model_logp_pattern(&round_figures, 2, NULL, 0, NULL, &err));
}

TEST(test_second_message_of_a_sender_waits_for_bytes_and_gap)
{
    double done_s[2];
    /* To different nodes. The second begins at 10 + 5 us: o (k-1)G g (k'-1)G L o = 2 + 10 + 5 + 20 + 10 + 2 = 49. */
    const struct model_logp_message m[] = {{0, 1, 1001, 0}, {0, 2, 2001, 0}};
    assert_true(model_logp_pattern(&round_figures, 3, m, 2, done_s, &err));
    assert_near(done_s[0], 24e-6, 1e-18);
    assert_near(done_s[1], 49e-6, 1e-17);
}

TEST(test_overhead_longer_than_the_gap_paces_the_sender)
{
    double done_s[2];
    struct model_logp p = round_figures;
    p.overhead_s = 8e-6;
    /* The first is 8 + 10 + 10 + 8 = 36. Busy 8 + 10, then the second: 18 + 8 + 10 + 10 + 8 = 54. */
    const struct model_logp_message m[] = {{0, 1, 1001, 0}, {0, 2, 1001, 0}};
    assert_true(model_logp_pattern(&p, 3, m, 2, done_s, &err));
    assert_all_near(1e-17, {done_s[0], 36e-6}, {done_s[1], 54e-6});
}

TEST(test_a_sender_keeps_its_order_and_waits_for_a_late_start)
{
    double done_s[2];
    /* The first may start at 100 us only; the second, ready at 0, is behind it: 100 + 10 + 5 + 24. */
    const struct model_logp_message m[] = {{0, 1, 1001, 100e-6}, {0, 2, 1001, 0}};
    assert_true(model_logp_pattern(&round_figures, 3, m, 2, done_s, &err));
    assert_all_near(1e-17, {done_s[0], 124e-6}, {done_s[1], 139e-6});
}

TEST(test_two_senders_to_one_receiver_are_served_one_after_the_other)
{
    double done_s[2];
    /* Both first bytes arrive at 12 us. Node 1 is received first, until 22 + 2; node 2's from 12 + 10 + 5, its last
     * byte at 37, done at 39. */
    const struct model_logp_message m[] = {{2, 0, 1001, 0}, {1, 0, 1001, 0}};
    assert_true(model_logp_pattern(&round_figures, 3, m, 2, done_s, &err));
    assert_all_near(1e-17, {done_s[1], 24e-6}, {done_s[0], 39e-6});
}

TEST(test_the_earlier_arrival_is_received_first)
{
    double done_s[2];
    /* Node 2 starts 1 us before node 1: received from 12 to 22; node 1's from 12 + 15 to 37. */
    const struct model_logp_message m[] = {{1, 0, 1001, 1e-6}, {2, 0, 1001, 0}};
    assert_true(model_logp_pattern(&round_figures, 3, m, 2, done_s, &err));
    assert_all_near(1e-17, {done_s[1], 24e-6}, {done_s[0], 39e-6});
    /* 20 us apart, they do not meet. */
    const struct model_logp_message apart[] = {{1, 0, 1001, 20e-6}, {2, 0, 1001, 0}};
    assert_true(model_logp_pattern(&round_figures, 3, apart, 2, done_s, &err));
    assert_near(done_s[0], 44e-6, 1e-17);
}

TEST(test_opposite_directions_do_not_meet)
{
    double done_s[2];
    const struct model_logp_message m[] = {{0, 1, 1001, 0}, {1, 0, 1001, 0}};
    assert_true(model_logp_pattern(&round_figures, 2, m, 2, done_s, &err));
    assert_all_near(1e-18, {done_s[0], 24e-6}, {done_s[1], 24e-6});
}

/* LogP, k small messages between two nodes, until the last is received: o + (k - 1) max(g, o) + L + o. A sender slower
 * than its gap is bound by its processor. */
TEST(test_pattern_of_small_messages_is_a_train)
{
    struct model_logp p = round_figures; /* o 2, g 5, L 10 us */
    struct model_logp_message m[50];
    double done_s[50];
    for (int i = 0; i < 50; i++)
        m[i] = (struct model_logp_message){0, 1, 1, 0};
    assert_true(model_logp_pattern(&p, 2, m, 50, done_s, &err));
    for (int i = 0; i < 50; i++)
        assert_near(done_s[i], 14e-6 + i * 5e-6, 1e-15);
    p.overhead_s = 7e-6;
    assert_true(model_logp_pattern(&p, 2, m, 50, done_s, &err));
    for (int i = 0; i < 50; i++)
        assert_near(done_s[i], 24e-6 + i * 7e-6, 1e-15);
}

#define NODES 6
#define MESSAGES 60

/* Multiples of 100 bytes and of 1 us, so that arrivals often tie. */
static void draw_messages(struct random *r, struct model_logp_message *m)
{
    for (size_t i = 0; i < MESSAGES; i++) {
        int src = (int)random_below(r, NODES);
        m[i] = (struct model_logp_message){src, (src + 1 + (int)random_below(r, NODES - 1)) % NODES,
                                           1 + 100 * (double)random_below(r, 4), 1e-6 * (double)random_below(r, 10)};
    }
}

TEST(test_mixing_the_messages_of_different_sources_changes_nothing)
{
    struct random r = random_of(4);
    for (int round = 0; round < 100; round++) {
        struct model_logp_message m[MESSAGES], mixed[MESSAGES];
        double done_s[MESSAGES], mixed_done_s[MESSAGES];
        size_t from[MESSAGES], n = 0, next[NODES] = {0};
        draw_messages(&r, m);
        while (n < MESSAGES) { /* a random source's next message, until none is left */
            int src = (int)random_below(&r, NODES);
            size_t i = next[src];
            while (i < MESSAGES && m[i].src != src)
                i++;
            next[src] = i + (i < MESSAGES);
            if (i == MESSAGES)
                continue;
            from[n] = i;
            mixed[n++] = m[i];
        }
        assert_true(model_logp_pattern(&round_figures, NODES, m, MESSAGES, done_s, &err));
        assert_true(model_logp_pattern(&round_figures, NODES, mixed, MESSAGES, mixed_done_s, &err));
        for (size_t i = 0; i < MESSAGES; i++)
            assert_near(mixed_done_s[i], done_s[from[i]], 0);
    }
}

TEST(test_no_port_is_faster_than_its_bytes_and_gaps)
{
    struct random r = random_of(5);
    for (int round = 0; round < 100; round++) {
        struct model_logp_message m[MESSAGES];
        double done_s[MESSAGES];
        draw_messages(&r, m);
        assert_true(model_logp_pattern(&round_figures, NODES, m, MESSAGES, done_s, &err));
        for (size_t i = 0; i < MESSAGES; i++) {
            double alone_s = 2 * round_figures.overhead_s + round_figures.latency_s + /* o + (k - 1) G + L + o */
                             (m[i].bytes - 1) * round_figures.gap_per_byte_s;
            assert_true(done_s[i] >= m[i].start_s + alone_s - 1e-15);
            /* Whatever a node receives, the last byte of one message and that of the next are at least g plus the
             * bytes of the second apart. */
            for (size_t j = 0; j < MESSAGES; j++)
                if (j != i && m[j].dst == m[i].dst && done_s[j] >= done_s[i])
                    assert_true(done_s[j] - done_s[i] >=
                                round_figures.gap_s + (m[j].bytes - 1) * round_figures.gap_per_byte_s - 1e-15);
        }
    }
}

static void assert_refused(int nodes, struct model_logp_message second, const char *word)
{
    struct error err;
    double done_s[2] = {7, 7};
    const struct model_logp_message m[] = {{0, 1, 1, 0}, second};
    assert_false(model_logp_pattern(&round_figures, nodes, m, 2, done_s, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_non_null(strstr(err.message, word));
    assert_near(done_s[0], 7, 0);
}

TEST(test_bad_messages_are_named)
{
    assert_refused(2, (struct model_logp_message){2, 1, 1, 0}, "message 1: source is node 2: want 0 to 1");
    assert_refused(2, (struct model_logp_message){0, -1, 1, 0}, "message 1: destination is node -1");
    assert_refused(2, (struct model_logp_message){1, 1, 1, 0}, "message 1: source and destination are both node 1");
    assert_refused(2, (struct model_logp_message){0, 1, 0, 0}, "message 1: message is 0 bytes");
    assert_refused(2, (struct model_logp_message){0, 1, NAN, 0}, "message 1: message is nan bytes");
    assert_refused(2, (struct model_logp_message){0, 1, 1, -1}, "message 1: start is -1 s");
    assert_refused(2, (struct model_logp_message){0, 1, 1, INFINITY}, "message 1: start is inf s");
    assert_refused(0, (struct model_logp_message){0, 1, 1, 0}, "number of nodes is 0");
}

TEST(test_bad_parameters_are_named)
{
    static const char *const names[] = {"latency L", "overhead o", "gap g", "gap per byte G"};
    for (int i = 0; i < 4; i++) {
        struct model_logp p = round_figures;
        double *fields[] = {&p.latency_s, &p.overhead_s, &p.gap_s, &p.gap_per_byte_s};
        *fields[i] = i % 2 ? NAN : -1;
        double time_s = 7;
        assert_false(model_logp_pattern(&p, 2, &(struct model_logp_message){0, 1, 1, 0}, 1, &time_s, &err));
        assert_int_equal(err.code, ERROR_INPUT);
        assert_non_null(strstr(err.message, names[i]));
        assert_near(time_s, 7, 0);
    }
    double time_s = 7;
    assert_false(model_logp_pattern(&round_figures, 2, &(struct model_logp_message){0, 1, 0.5, 0}, 1, &time_s, &err));
    assert_non_null(strstr(err.message, "message is 0.5 bytes"));
    const struct model_logp huge = {0, 0, 0, 1e300};
    assert_false(model_logp_pattern(&huge, 2, &(struct model_logp_message){0, 1, 1e300, 0}, 1, &time_s, &err));
    assert_non_null(strstr(err.message, "beyond the range"));
    assert_near(time_s, 7, 0);
}
