/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which ACKs go, rule by rule as Linux's cake_ack_filter() has them (net/sched/sch_cake.c), and random streams: no data
 * is lost, no order changed, and the highest ACK always comes through. */
#include "base/random.h"
#include "emu/queues/queue.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

#define SEGMENTS 20000
#define ACK 0x010
#define ECE 0x040
#define CWR 0x080

/* What the test's segments say; a frame's id is its place. */
struct segment {
    uint32_t ack, ts, ts_echo, sack[4][2];
    uint16_t port, flags;
    uint16_t data;
    uint8_t n_sack, odd; /* odd: an option that nobody knows */
    uint8_t ip_options;  /* words of them, all of nothing */
    uint8_t cut;         /* bytes at its end that the frame lacks */
    bool no_ts;
};

static struct segment segments[SEGMENTS];
static struct emu_queue q;
static int next_id;

static uint8_t *put(uint8_t *at, uint32_t value, int bytes)
{
    for (int i = bytes; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
    return at + bytes;
}

static size_t segment_bytes(const struct emu_frame *frame, uint8_t *out, size_t limit)
{
    const struct segment *s = &segments[fake_id(frame)];
    uint8_t b[200] = {0}, *ip = b + 14, *tcp = ip + 20 + 4 * s->ip_options, *at = tcp + 20;
    put(b + 12, 0x0800, 2);
    ip[0] = (uint8_t)(0x45 + s->ip_options);
    memset(ip + 20, 1, 4 * (size_t)s->ip_options);
    ip[9] = 6;
    put(ip + 12, 0x0a000001, 4);
    put(ip + 16, 0x0a000002, 4);
    put(tcp, 5001, 2);
    put(tcp + 2, s->port, 2);
    put(tcp + 8, s->ack, 4);
    if (s->odd)
        at = put(put(at, s->odd, 1), 0x020101, 3); /* two bytes, then two of nothing */
    if (!s->no_ts)
        at = put(put(put(at, 0x0101080a, 4), s->ts, 4), s->ts_echo, 4);
    if (s->n_sack > 0)
        at = put(put(at, 0x010105, 3), 2 + 8 * (uint32_t)s->n_sack, 1);
    for (int i = 0; i < s->n_sack; i++)
        at = put(put(at, s->sack[i][0], 4), s->sack[i][1], 4);
    put(tcp + 12, (uint32_t)((at - tcp) / 4) << 12 | s->flags, 2);
    put(ip + 2, (uint32_t)(at - ip) + s->data, 2);
    size_t whole = (size_t)(at - b) - s->cut, n = whole < limit ? whole : limit;
    memcpy(out, b, n);
    return n;
}

static void make(bool aggressive)
{
    static struct emu_frame_ops ops;
    ops = fake_ops;
    ops.bytes = segment_bytes;
    struct emu_queue_config config = emu_queue_config_default();
    config.discipline = EMU_DISCIPLINE_ACK_FILTER;
    config.frames = &ops;
    config.parameters.aggressive = aggressive;
    fake_reset();
    next_id = 0;
    emu_queue_init(&q, &config);
}

static void end(void)
{
    assert_ints({q.stats.enqueued + q.stats.dropped, next_id}, {q.stats.enqueued, q.stats.dequeued + q.depth_packets},
                {q.stats.enqueued_bytes, q.stats.dequeued_bytes + q.depth_bytes});
    emu_queue_fini(&q, &fake_ops);
    assert_int_equal(fake_live, 0);
}

/* The one that is lost for it; -1: none. Never more than one. */
static int push(struct segment s)
{
    struct emu_frame lost, f = fake_frame(0, 1, s.data ? 1500 : 52, next_id);
    s.flags |= s.flags & ~(ECE | CWR) ? 0 : ACK;
    segments[next_id++] = s;
    f.pure_ack = s.data == 0 && (s.flags & 0x17) == ACK;
    assert_true(emu_queue_push(&q, &f, s.port, 0, &lost));
    if (!emu_queue_lost(&q, &lost))
        return -1;
    fake_ops.release(lost.packet);
    int id = fake_id(&lost);
    assert_false(emu_queue_lost(&q, &lost));
    return id;
}

static int pop(void)
{
    struct emu_frame f;
    if (emu_queue_pop(&q, 0, &f) != EMU_DISCIPLINE_FRAME)
        return -1;
    fake_ops.release(f.packet);
    return fake_id(&f);
}

/* Two that the third makes redundant: the older goes, so two stay, the one it keeps and the newcomer. */
TEST(test_two_acks_of_a_flow_stay)
{
    make(false);
    assert_int_equal(push((struct segment){.ack = 1000}), -1);
    assert_int_equal(push((struct segment){.ack = 2000}), -1);
    assert_int_equal(push((struct segment){.ack = 3000}), 0);
    assert_int_equal(push((struct segment){.ack = 4000}), 1);
    assert_int_equal(push((struct segment){.ack = 5000, .port = 1}), -1); /* another flow's */
    assert_int_equal(push((struct segment){.ack = 6000, .port = 1}), -1);
    assert_int_equal(push((struct segment){.ack = 5000}), 2);
    assert_int_equal(pop(), 3);
    assert_int_equal(pop(), 4);
    assert_int_equal(push((struct segment){.ack = 6000}), -1);
    assert_int_equal(pop(), 5);
    assert_int_equal(pop(), 6);
    assert_int_equal(pop(), 7);
    assert_int_equal(pop(), -1);
    end();
}

/* Whatever stands between the addresses and TCP: of 14 + 20 + 40 + 20 + 12 bytes, 12 are a stamp's. A header that is cut says
 * nothing that could be compared, wherever it is cut. */
TEST(test_headers_are_read_behind_options_and_not_where_they_are_cut)
{
    for (uint8_t words = 0; words <= 10; words++) {
        for (uint8_t cut = 0; cut <= 33 + 4 * words; cut++) {
            make(false);
            for (uint32_t k = 1; k <= 4; k++)
                assert_int_equal(push((struct segment){.ack = 1000 * k, .ip_options = words, .cut = cut}), cut > 0 || k < 3 ? -1 : (int)k - 3);
            end();
        }
    }
}

/* One is enough, when it is the frame before the newcomer. */
TEST(test_aggressive_keeps_one)
{
    make(true);
    assert_int_equal(push((struct segment){.ack = 1000}), -1);
    assert_int_equal(push((struct segment){.ack = 2000}), 0);
    assert_int_equal(push((struct segment){.ack = 9000, .port = 1}), -1);
    assert_int_equal(push((struct segment){.ack = 3000}), -1);              /* another flow's is between */
    assert_int_equal(push((struct segment){.ack = 4000}), 1);               /* but now there are two */
    assert_int_equal(push((struct segment){.ack = 5000}), 3);
    assert_int_equal(push((struct segment){.ack = 6000, .flags = ECE}), 4);
    assert_int_equal(push((struct segment){.ack = 7000, .flags = ECE}), 6);
    assert_int_equal(push((struct segment){.ack = 8000}), -1);              /* flags differ */
    assert_int_equal(push((struct segment){.ack = 1000, .port = 2}), -1);
    assert_int_equal(push((struct segment){.ack = 1000, .port = 2, .data = 1448}), -1); /* says no more */
    assert_int_equal(push((struct segment){.ack = 2000, .port = 2}), -1);   /* data are between */
    assert_int_equal(push((struct segment){.ack = 3000, .port = 2, .data = 1448}), 9);
    end();
}

/* Duplicates make a sender's fast retransmit (RFC 5681, section 3.2). */
TEST(test_duplicates_stay)
{
    for (int aggressive = 0; aggressive < 2; aggressive++) {
        make(aggressive);
        for (int i = 0; i < 5; i++)
            assert_int_equal(push((struct segment){.ack = 1000}), -1);
        assert_int_equal(push((struct segment){.ack = 2000}), 0); /* one by one, as later ones come */
        assert_int_equal(push((struct segment){.ack = 3000}), 1);
        end();
    }
}

/* A row's old segment is in the queue twice; whether the first of them goes when the new one comes. */
TEST(test_what_says_more_stays)
{
    static const struct {
        struct segment old, new;
        bool goes;
    } rows[] = {
        {{.ack = 1000}, {.ack = 2000}, true},
        {{.ack = 3000}, {.ack = 2000}, false},                                  /* acknowledges more */
        {{.ack = UINT32_MAX - 500}, {.ack = 500}, true},                        /* modulo 2^32 */
        {{.ack = 1000}, {.ack = 2000, .data = 1448}, true},                     /* data that carry an ACK */
        {{.ack = 1000, .data = 100}, {.ack = 2000}, false},
        {{.ack = 1000, .flags = ACK | 1}, {.ack = 2000}, false},                /* FIN, */
        {{.ack = 1000, .flags = ACK | 4}, {.ack = 2000}, false},                /* RST, */
        {{.ack = 1000, .flags = ACK | 8}, {.ack = 2000}, false},                /* PSH, */
        {{.ack = 1000, .flags = ACK | 0x100}, {.ack = 2000}, false},            /* and a bit that is reserved */
        {{.ack = 1000}, {.ack = 2000, .flags = ACK | 2}, false},                /* for a SYN nothing goes */
        {{.ack = 1000}, {.ack = 2000, .flags = 8}, false},                      /* nor without an ACK */
        {{.ack = 1000, .ts = 5, .ts_echo = 5}, {.ack = 2000, .ts = 5, .ts_echo = 5}, true},
        {{.ack = 1000, .ts = 6, .ts_echo = 5}, {.ack = 2000, .ts = 5, .ts_echo = 5}, false},
        {{.ack = 1000, .ts = 5, .ts_echo = 6}, {.ack = 2000, .ts = 5, .ts_echo = 5}, false},
        {{.ack = 1000, .no_ts = true}, {.ack = 2000, .no_ts = true}, true},
        {{.ack = 1000, .odd = 3}, {.ack = 2000}, false},                        /* a window scale, in no SYN */
        {{.ack = 1000, .odd = 254}, {.ack = 2000}, false},
        {{.ack = 1000, .odd = 19}, {.ack = 2000}, true},                        /* MD5 */
        {{.ack = 1000, .n_sack = 1, .sack = {{3000, 4000}}}, {.ack = 2000}, false}, /* SACK that is said no more */
        {{.ack = 1000, .n_sack = 1, .sack = {{3000, 4000}}},
         {.ack = 2000, .n_sack = 1, .sack = {{3000, 4000}}}, true},
        {{.ack = 1000, .n_sack = 1, .sack = {{3000, 4000}}},
         {.ack = 1000, .n_sack = 1, .sack = {{3000, 4000}}}, false},            /* a duplicate */
        {{.ack = 1000, .n_sack = 1, .sack = {{3000, 4000}}},
         {.ack = 1000, .n_sack = 1, .sack = {{3000, 5000}}}, true},             /* grows */
        {{.ack = 1000, .n_sack = 1, .sack = {{3000, 4000}}},
         {.ack = 1000, .n_sack = 2, .sack = {{6000, 7000}, {3000, 4000}}}, true},
        {{.ack = 1000, .n_sack = 2, .sack = {{6000, 7000}, {3000, 4000}}},
         {.ack = 2000, .n_sack = 1, .sack = {{3000, 4000}}}, false},
        {{.ack = 1000}, {.ack = 1000, .n_sack = 1, .sack = {{3000, 4000}}}, true},
        {{.ack = 1000, .n_sack = 1, .sack = {{500, 900}}},
         {.ack = 2000, .n_sack = 1, .sack = {{500, 900}}}, false},              /* a duplicate segment (RFC 2883) */
        {{.ack = 1000, .flags = ECE}, {.ack = 2000}, true},                     /* two of the same before a change */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make(false);
        assert_int_equal(push(rows[i].old), -1);
        push(rows[i].old);
        int goes = push(rows[i].new);
        if (goes != (rows[i].goes ? 0 : -1))
            fail_msg("row %zu: %d went", i, goes);
        end();
    }
}

/* An ACK with ECE, then one without: the first is what tells the sender (RFC 3168, section 6.1.3). */
TEST(test_a_change_of_ece_is_kept)
{
    make(false);
    push((struct segment){.ack = 1000, .flags = ECE});
    push((struct segment){.ack = 2000});
    assert_int_equal(push((struct segment){.ack = 3000}), -1);
    assert_int_equal(push((struct segment){.ack = 4000}), 1);
    assert_int_equal(pop(), 0);
    end();
}

TEST(test_random_streams_lose_nothing_that_counts)
{
    struct random r = random_of(5);
    for (int round = 0; round < 40; round++) {
        make(round % 2);
        uint32_t highest[4] = {0}, came[4] = {0};
        int last = -1, n_data = 0, n_data_out = 0;
        for (int i = 0; i < 1000 || q.depth_packets > 0; i++) {
            if (i < 1000 && random_below(&r, 20) < 13) {
                int flow = (int)random_below(&r, 4);
                struct segment s = {.port = (uint16_t)(1000 * flow), .ts = (uint32_t)i,
                                    .ack = highest[flow] += (uint32_t)random_below(&r, 3) * 1448,
                                    .data = random_below(&r, 5) == 0 ? 1448 : 0,
                                    .flags = random_below(&r, 10) == 0 ? ACK | ECE : ACK};
                if (random_below(&r, 4) == 0) {
                    s.n_sack = 1;
                    s.sack[0][0] = s.ack + 1448;
                    s.sack[0][1] = s.ack + 1448 * (2 + (uint32_t)random_below(&r, 4));
                }
                n_data += s.data > 0;
                int lost = push(s);
                assert_true(lost < 0 || (segments[lost].data == 0 && lost < next_id - 1));
            } else {
                int id = pop();
                assert_true(id == -1 || id > last);
                if (id == -1)
                    continue;
                last = id;
                n_data_out += segments[id].data > 0;
                came[segments[id].port / 1000] = segments[id].ack;
            }
        }
        assert_int_equal(n_data_out, n_data);
        assert_memory_equal(came, highest, sizeof came);
        assert_true(q.stats.dropped > 50);
        end();
    }
}
