/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flows of programs, from frames as they pass. */
#include "emu/linux/connections.h"

#include "test/cm.h"

struct seen {
    int n;
    struct emu_flow_found last;
};

static void saw(void *user, const struct emu_flow_found *flow)
{
    struct seen *s = user;
    s->n++;
    s->last = *flow;
}

/* Between port 1000 of h1 and port 80 of h0. */
static struct linux_packet segment(bool from_h0, uint32_t sequence, uint16_t bytes, uint32_t acknowledgement)
{
    return (struct linux_packet){.tcp = true,
                                 .sequence = sequence,
                                 .data_bytes = bytes,
                                 .acknowledges = true,
                                 .acknowledgement = acknowledgement,
                                 .from_port = from_h0 ? 80 : 1000,
                                 .to_port = from_h0 ? 1000 : 80};
}

static uint32_t send(struct linux_connections *c, struct linux_packet p, int64_t now_ps, struct seen *seen)
{
    int from = p.from_port == 80 ? 0 : 1;
    linux_connections_sent(c, &p, from, !from, now_ps, saw, seen);
    return p.flow;
}

static void arrive(struct linux_connections *c, struct linux_packet p, int64_t now_ps)
{
    int from = p.from_port == 80 ? 0 : 1;
    linux_connections_arrived(c, &p, from, !from, now_ps);
}

static void open_it(struct linux_connections *c, uint32_t first, struct seen *seen)
{
    struct linux_packet syn = segment(false, first - 1, 0, 0), answer = segment(true, 499, 0, first);
    syn.syn = answer.syn = true;
    syn.acknowledges = false;
    assert_true(send(c, syn, 0, seen) == EMU_FRAME_NO_FLOW);
    assert_true(send(c, answer, 0, seen) == EMU_FRAME_NO_FLOW);
}

TEST(test_a_direction_with_data_is_a_flow)
{
    struct linux_connections c = {0};
    struct seen seen = {0};
    const uint32_t first = UINT32_MAX - 99; /* numbers wrap after 100 bytes (RFC 9293, section 3.4) */
    open_it(&c, first, &seen);
    assert_int_equal(seen.n, 0);
    assert_int_equal(send(&c, segment(false, first, 100, 500), 10, &seen), 0);
    assert_ints({seen.n, 1}, {seen.last.source, 1}, {seen.last.sink, 0}, {seen.last.source_port, 1000},
                {seen.last.sink_port, 80});
    send(&c, segment(false, first + 100, 50, 500), 11, &seen);
    arrive(&c, segment(false, first + 100, 50, 500), 20); /* out of order: nothing yet */
    assert_int_equal(c.flows[0].stats.delivered_bytes, 0);
    assert_int_equal(send(&c, segment(true, 500, 0, first), 20, &seen), 1); /* an ACK of it */
    send(&c, segment(false, first, 100, 500), 30, &seen);                   /* again */
    assert_ints({c.flows[0].stats.retransmitted_segments, 1}, {c.flows[0].stats.retransmitted_bytes, 100});
    arrive(&c, segment(false, first, 100, 500), 40);
    assert_int_equal(c.flows[0].stats.delivered_bytes, 100); /* what lay before it, its ACK says */
    send(&c, segment(true, 500, 0, first + 150), 41, &seen);
    assert_int_equal(c.flows[0].stats.delivered_bytes, 150);
    assert_true(c.flows[0].stats.first_data_ps == 10 && c.flows[0].stats.last_delivery_ps == 41);

    struct linux_packet fin = segment(false, first + 150, 0, 500);
    fin.fin = true;
    assert_int_equal(send(&c, fin, 50, &seen), 0);
    assert_false(c.flows[0].stats.done);
    send(&c, segment(true, 500, 0, first + 151), 60, &seen); /* the FIN has a number and is no byte */
    assert_true(c.flows[0].stats.done);
    assert_int_equal(c.flows[0].stats.delivered_bytes, 150);
    assert_int_equal(send(&c, segment(true, 500, 7, first + 151), 70, &seen), 2); /* the way back */
    assert_ints({seen.n, 2}, {seen.last.source, 0});

    open_it(&c, 1, &seen); /* the same ports again */
    assert_int_equal(send(&c, segment(false, 1, 9, 500), 80, &seen), 4);
    assert_int_equal(seen.n, 3);
    arrive(&c, segment(false, 1, 9, 500), 90);
    assert_ints({c.flows[2].stats.delivered_bytes, 9}, {c.flows[0].stats.delivered_bytes, 150});
    linux_connections_fini(&c);
}

/* RFC 9293, section 3.5.2: after an RST nothing comes any more, and what had not come is lost. */
TEST(test_a_reset_ends_both_directions)
{
    struct linux_connections c = {0};
    struct seen seen = {0};
    struct linux_packet reset = segment(true, 503, 0, 0);
    reset.rst = true;
    reset.acknowledges = false;
    open_it(&c, 1, &seen);
    send(&c, segment(false, 1, 5, 500), 10, &seen);
    send(&c, segment(true, 500, 3, 1), 10, &seen);
    arrive(&c, segment(true, 500, 3, 1), 20);
    assert_false(linux_connections_stats(&c, 1, false).done);
    assert_true(linux_connections_stats(&c, 1, true).done); /* nobody is left to send more */
    assert_false(linux_connections_stats(&c, 0, true).done);
    send(&c, reset, 30, &seen);
    assert_true(linux_connections_stats(&c, 1, false).done);
    assert_false(linux_connections_stats(&c, 0, true).done); /* 5 bytes have not come, */
    arrive(&c, segment(false, 1, 5, 500), 40);               /* or have, late */
    assert_true(linux_connections_stats(&c, 0, false).done);
    linux_connections_fini(&c);
}

TEST(test_what_is_no_tcp_has_no_flow)
{
    struct linux_connections c = {0};
    struct seen seen = {0};
    struct linux_packet p = segment(false, 1, 10, 0);
    p.tcp = false;
    assert_true(send(&c, p, 0, &seen) == EMU_FRAME_NO_FLOW);
    arrive(&c, segment(false, 1, 10, 0), 1); /* of a connection that nobody has seen */
    assert_int_equal(seen.n, 0);
    linux_connections_fini(&c);
}
