/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run's own waits, from files written by hand. */
#include "study/explain/explain_run.h"

#include "base/text.h"
#include "test/scenarios/text.h"

/* Of a round trip of 1 + 1 + 2 ms ACKs wait for half; 10 of 40 groups of ACKs are compressed. The run begins to count
 * after 0.5 s, and ends after 2.5 s: then the two queues have stood in turn for half a second, four times. */
TEST(test_a_run_tells_its_waits_and_turns)
{
    static const char summary[] =
        "{\"complete\": true, \"warmup_s\": 0.5, \"ended_s\": 2.5, \"flows\": ["
        "{\"flow\": \"a\", \"src\": \"h1\", \"dst\": \"h0\", \"round_trip\": {\"floor_s\": 0.001,"
        " \"data_wait_s\": 0.001, \"ack_wait_s\": 0.002, \"ack_groups\": 40, \"compressed_groups\": 10}},"
        "{\"flow\": \"b\", \"src\": \"h2\", \"dst\": \"h0\", \"round_trip\": {\"floor_s\": 0.001,"
        " \"data_wait_s\": 0.003, \"ack_wait_s\": 0, \"ack_groups\": 0, \"compressed_groups\": 0}}]}";
    char queues[2048] = "time_s,port,depth_bytes,depth_packets,dropped_packets\n0,sw0-h0,0,0,0\n0,h0,50000,50,0\n";
    for (int i = 1; i < 5; i++) {
        bool port = i % 2; /* else the NIC */
        text_add(queues, sizeof queues, "%g,sw0-h0,%d,%d,0\n%g,h0,%d,%d,0\n", 0.5 * i, port ? 100000 : 0, port ? 100 : 0,
                 0.5 * i, port ? 0 : 50000, port ? 0 : 50);
    }
    MEMORY_ENDS(study_explain_run_fini) struct study_explain_run run;
    text_write("summary.json", summary, strlen(summary));
    text_write("queues.csv", queues, strlen(queues));
    if (!study_explain_run_read(".", &run, &err))
        fail_msg("%s", err.message);
    assert_int_equal(run.n_waits, 2);
    assert_all(fabs(run.waits[0].ack_share - 0.5) < 1e-9, fabs(run.waits[0].compressed_share - 0.25) < 1e-9,
               fabs(run.waits[1].ack_share) < 1e-9 && isnan(run.waits[1].compressed_share),
               fabs(run.from_s - 0.5) < 1e-9 && fabs(run.to_s - 2.5) < 1e-9);
    assert_int_equal(run.n_turns, 1);
    assert_strings({run.turns[0].data, "sw0-h0"}, {run.turns[0].acks, "h0"});
    assert_all(fabs(run.turns[0].busy.one - 1) < 1e-9, fabs(run.turns[0].busy.period_s - 1) < 1e-9);
}

/* From rack 0 to rack 1 through the root, the fullest queue stands there, the first of two that are as full; the ACKs' is the
 * other host's own. */
TEST(test_queues_at_the_root_are_on_the_way)
{
    static const char summary[] = "{\"complete\": true, \"warmup_s\": 0, \"ended_s\": 2, \"flows\": ["
                                  "{\"flow\": \"a\", \"src\": \"h0\", \"dst\": \"h1\"}]}";
    static const char queues[] = "time_s,port,depth_bytes,depth_packets,dropped_packets\n"
                                 "0,root-sw1,100000,100,0\n0,sw0-root,1000,1,0\n0,sw1-h1,100000,100,0\n0,h1,0,0,0\n"
                                 "0,sw0-h0,1000,1,0\n0,root-sw0,1000,1,0\n"
                                 "1,root-sw1,0,0,0\n1,sw1-h1,0,0,0\n1,h1,100000,100,0\n2,h1,0,0,0\n";
    MEMORY_ENDS(study_explain_run_fini) struct study_explain_run run;
    text_write("summary.json", summary, strlen(summary));
    text_write("queues.csv", queues, strlen(queues));
    if (!study_explain_run_read(".", &run, &err))
        fail_msg("%s", err.message);
    assert_int_equal(run.n_waits, 0); /* older runs do not know them */
    assert_int_equal(run.n_turns, 1);
    assert_strings({run.turns[0].data, "root-sw1"}, {run.turns[0].acks, "h1"});
}

static int leave(void **state)
{
    remove("summary.json");
    remove("queues.csv");
    return text_leave(state);
}

CM_GROUP(text_enter, leave)
