/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GOAL text as txt2bin of LogGOPSim reads it (src/LogGOPSim/txt2bin.re). */
#include "scenarios/traffic/goal.h"

#include "scenarios/traffic/collective.h"
#include "test/cm.h"

static void rejects(const char *text, const char *sentence)
{
    struct schedule s;
    struct error err = {0};
    assert_false(goal_read(text, 65536, &s, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_string_equal(err.message, sentence);
}

static void reads(const char *text, struct schedule *s)
{
    struct error err = {0};
    if (!goal_read(text, 65536, s, &err))
        fail_msg("%s", err.message);
}

TEST(test_every_statement)
{
    MEMORY_ENDS(schedule_fini) struct schedule s;
    reads("// a trace\nnum_ranks 2\n\nrank 0 { /* over\ntwo lines */\n"
          "l1: calc 1000 cpu 1\nl2: send 100b to 1 tag 5 cpu 2 nic 0\nrecv 7b from 1\n"
          "l2 requires l1\nl3: calc 5\r\nl3 irequires l2 // why not\n}\n"
          "rank 1 {\nx9_: recv 100b from 0 tag 5\nsend 7b to 0 tag 0\n}\n", &s);
    assert_int_equal(s.n, 2);
    const struct schedule_rank *r = &s.ranks[0];
    assert_ints({r->n, 4}, {r->ops[0].kind, SCHEDULE_CALC}, {r->ops[0].amount, 1000}, {r->ops[0].cpu, 1},
                {r->ops[1].kind, SCHEDULE_SEND}, {r->ops[1].amount, 100}, {r->ops[1].peer, 1}, {r->ops[1].tag, 5},
                {r->ops[1].line, 7}, {r->ops[2].kind, SCHEDULE_RECEIVE}, {r->n_needs, 2}, {r->needs[0].op, 1},
                {r->needs[0].earlier, 0});
    assert_false(r->needs[0].started);
    assert_true(r->needs[1].started);
    assert_int_equal(s.ranks[1].n, 2);
}

TEST(test_words_may_be_labels)
{
    MEMORY_ENDS(schedule_fini) struct schedule s;
    reads("num_ranks 1\nrank 0 {\nsend: calc 1\ncalc: calc 2\ncalc requires send\n}\n", &s);
    assert_ints({s.ranks[0].n, 2}, {s.ranks[0].n_needs, 1});
}

/* TCP carries no message of no byte. */
TEST(test_an_empty_message_has_a_byte)
{
    MEMORY_ENDS(schedule_fini) struct schedule s;
    reads("num_ranks 2\nrank 0 {\nsend 0b to 1\n}\nrank 1 {\nrecv 0b from 0 tag -1\n}\n", &s);
    assert_ints({s.ranks[0].ops[0].amount, 1}, {s.ranks[1].ops[0].amount, 1},
                {s.ranks[1].ops[0].tag, SCHEDULE_ANY_TAG});
}

TEST(test_errors_name_the_line)
{
    rejects("", "1: no num_ranks: no GOAL text");
    rejects("rank 0 {\n}\n", "1: '0' found; here belongs num_ranks, before any rank");
    rejects("num_ranks 0\n", "1: '0' found; here belongs a number of ranks from 1 to 10000");
    rejects("num_ranks 2\nnum_ranks 2\n", "2: num_ranks is there twice");
    rejects("num_ranks 2\nrank 2 {\n}\n", "2: '2' found; here belongs a rank from 0 to 1");
    rejects("num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n", "4: rank 0 is there twice");
    rejects("num_ranks 2\nrank 0 {\nl1: put 5b to 1\n}\n", "3: 'put' found; here belongs send, recv or calc");
    rejects("num_ranks 2\nrank 0 {\nl1: send 5 to 1\n}\n", "3: 'to' found; here belongs the unit: 100b");
    rejects("num_ranks 2\nrank 0 {\nsend 5b from 1\n}\n", "3: 'from' found; here belongs to, and a rank");
    rejects("num_ranks 2\nrank 0 {\nsend 5b to 0\n}\n", "3: rank 0 is itself the other end");
    rejects("num_ranks 2\nrank 0 {\nrecv 5b from -1\n}\n",
            "3: '-1' found; here belongs a rank: a receive from anybody cannot be played");
    rejects("num_ranks 2\nrank 0 {\nsend 5b to 1 tag x\n}\n", "3: 'x' found; here belongs a tag from 0 to 2147483647");
    rejects("num_ranks 1\nrank 0 {\ncalc 5 tag 3\n}\n", "3: 'tag' found; here belongs cpu, or the end of the line");
    rejects("num_ranks 1\nrank 0 {\nl1: calc 5\nl1: calc 6\n}\n", "5: rank 0 has two operations 'l1'");
    rejects("num_ranks 1\nrank 0 {\nl1: calc 5\nl1 requires l2\n}\n", "4: rank 0 has no operation 'l2'");
    rejects("num_ranks 1\nrank 0 {\nl1 needs l2\n}\n", "3: 'needs' found; here belongs a colon, requires or irequires");
    rejects("num_ranks 1\nrank 0 {\nl1: calc 5\n", "4: the text ends within rank 0: a } is missing");
    rejects("num_ranks 1\n/* never", "2: a comment that does not end");
    rejects("num_ranks 1\nrank 0 {\ncalc 10000000000001\n}\n",
            "3: '10000000000001' found; here belongs a number of ns from 0 to 10000000000000");
}

TEST(test_what_never_ends_is_refused)
{
    rejects("num_ranks 2\nrank 0 {\nsend 5b to 1\n}\n", "3: rank 0 sends to rank 1, which receives no such message");
    rejects("num_ranks 2\nrank 1 {\nrecv 5b from 0\n}\n",
            "3: rank 1 waits for a message from rank 0, which sends no such one");
    rejects("num_ranks 2\nrank 0 {\nsend 5b to 1 tag 1\n}\nrank 1 {\nrecv 5b from 0 tag 2\n}\n",
            "3: rank 0 sends to rank 1, which receives no such message");
    rejects("num_ranks 2\nrank 0 {\nsend 5b to 1\n}\nrank 1 {\nrecv 4b from 0\n}\n",
            "6: rank 1 receives less than is sent from rank 0");
    rejects("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n",
            "3: operation 1 of rank 0 waits for itself, by way of others");
    /* each receives before it sends */
    rejects("num_ranks 2\nrank 0 {\na: recv 1b from 1\nb: send 1b to 1\nb requires a\n}\n"
            "rank 1 {\na: recv 1b from 0\nb: send 1b to 0\nb requires a\n}\n",
            "3: operation 1 of rank 0 waits for itself, by way of others");
}

/* MPI's rendezvous: both send first, and neither receives before its send is over. Short messages leave at once. */
TEST(test_long_sends_wait_for_receives)
{
    struct schedule s;
    rejects("num_ranks 2\nrank 0 {\na: send 65537b to 1\nb: recv 65537b from 1\nb requires a\n}\n"
            "rank 1 {\na: send 65537b to 0\nb: recv 65537b from 0\nb requires a\n}\n",
            "3: operation 1 of rank 0 waits for itself, by way of others");
    reads("num_ranks 2\nrank 0 {\na: send 65536b to 1\nb: recv 65536b from 1\nb requires a\n}\n"
          "rank 1 {\na: send 65536b to 0\nb: recv 65536b from 0\nb requires a\n}\n", &s);
    schedule_fini(&s);
    reads("num_ranks 2\nrank 0 {\na: recv 65537b from 1\nb: send 65537b to 1\nb irequires a\n}\n"
          "rank 1 {\na: recv 65537b from 0\nb: send 65537b to 0\nb irequires a\n}\n", &s);
    schedule_fini(&s);
}

static char *written(const struct schedule *s)
{
    char *text;
    size_t size;
    FILE *f = memory_stream(&text, &size);
    schedule_write(s, f);
    memory_stream_end(f, &text);
    return text;
}

/* What a collective writes is read back as the same. */
TEST(test_collectives_are_goal_texts)
{
    for (int a = 0; a <= MODEL_COLLECTIVE_HALO; a++)
        for (int n = 4; n < 12; n += 3) {
            struct collective_config c = {(enum model_collective)a, n, n - 1, 12345, {0}};
            if (a == MODEL_COLLECTIVE_HALO)
                c = (struct collective_config){MODEL_COLLECTIVE_HALO, 12, 0, 12345, {2, 2, 3}};
            struct schedule s MEMORY_ENDS(schedule_fini), again MEMORY_ENDS(schedule_fini);
            collective_schedule(&c, &s);
            MEMORY_LOCAL char *first = written(&s);
            reads(first, &again);
            MEMORY_LOCAL char *second = written(&again);
            assert_string_equal(first, second);
            assert_int_equal(schedule_count(&s), schedule_count(&again));
        }
}

/* One connection for both ways, or one each. */
TEST(test_connections_of_pairs)
{
    MEMORY_ENDS(schedule_fini) struct schedule s;
    size_t n;
    reads("num_ranks 3\nrank 0 {\nsend 1b to 1\nsend 1b to 1\nrecv 1b from 1\n}\n"
          "rank 1 {\nrecv 1b from 0\nrecv 1b from 0\nsend 1b to 0\nrecv 1b from 2\n}\nrank 2 {\nsend 1b to 1\n}\n", &s);
    struct schedule_flow *one = schedule_flows(&s, false, &n);
    assert_int_equal(n, 2);
    assert_true(one[0].from == 0 && one[0].to == 1 && one[0].duplex);
    assert_true(one[1].from == 2 && one[1].to == 1 && !one[1].duplex);
    free(one);
    MEMORY_LOCAL struct schedule_flow *two = schedule_flows(&s, true, &n);
    assert_int_equal(n, 3);
    assert_all(two[0].from == 0 && two[0].to == 1 && !two[0].duplex,
               two[1].from == 1 && two[1].to == 0 && !two[1].duplex, two[2].from == 2 && two[2].to == 1);
}
