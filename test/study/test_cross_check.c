/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two summaries compared; figures written by hand. */
#include "study/compare/cross_check.h"

#include <sys/stat.h>

#include "test/scenarios/text.h"

/* A flow without an end, and one that took a second more than 1 s. */
static void write_summary(const char *directory, const char *rate, const char *end, int lost)
{
    char path[64], text[1024];
    mkdir(directory, 0777);
    snprintf(path, sizeof path, "%s/summary.json", directory);
    snprintf(text, sizeof text, "{\"engine\": \"%s 1\", \"complete\": true, \"flows\": ["
             "{\"flow\": \"f0\", \"steady_goodput_bps\": %s, \"done\": false, \"retransmitted_segments\": %d,"
             " \"start_s\": 0, \"end_s\": 5},"
             "{\"flow\": \"f1\", \"steady_goodput_bps\": 1e8, \"done\": true, \"retransmitted_segments\": 0,"
             " \"start_s\": 1, \"end_s\": %s}]}", directory, rate, lost, end);
    text_write(path, text, strlen(text));
}

static struct study_cross_check compared(const char *rate, const char *end, int lost)
{
    struct study_cross_check c = {.n = 0};
    struct error err;
    write_summary("ns3", "100e6", "3", 0);
    write_summary("native", rate, end, lost);
    assert_true(study_cross_check_add(&c, "run", (const char *[]){"ns3", "native"}, 2, &err));
    assert_int_equal(c.n, 1);
    return c;
}

TEST(test_rates_within_one_percent_agree)
{
    MEMORY_ENDS(study_cross_check_fini) struct study_cross_check c = compared("100.9e6", "3.01", 0);
    assert_int_equal(c.judged, 2); /* the rate of the endless flow, the time of the other */
    assert_int_equal(c.failed, 0);
    assert_true(fabs(c.run[0].difference[1][0].rate - 0.009) < 1e-12);
    assert_true(fabs(c.run[0].difference[1][1].duration - 0.005) < 1e-9); /* 2.01 s against 2 s */
    assert_true(fabs(c.worst - 0.009) < 1e-12);
    assert_string_equal(c.run[0].summary[1].engine, "native 1");
}

TEST(test_what_is_further_apart_fails)
{
    MEMORY_ENDS(study_cross_check_fini) struct study_cross_check c = compared("98.9e6", "3.05", 0); /* -1.1 %; 2.05 s against 2 s: 2.5 % */
    assert_ints({c.judged, 2}, {c.failed, 2});
}

TEST(test_a_run_with_losses_is_not_judged)
{
    MEMORY_ENDS(study_cross_check_fini) struct study_cross_check c = compared("50e6", "9", 3);
    assert_false(c.run[0].judged);
    assert_ints({c.judged, 0}, {c.failed, 0});
    assert_true(fabs(c.run[0].difference[1][0].rate + 0.5) < 1e-12); /* shown all the same */
}

/* The first engine is what the others are held against: 1 % and 2 % off, twice each. */
TEST(test_three_engines_are_compared_with_the_first)
{
    MEMORY_ENDS(study_cross_check_fini) struct study_cross_check c = {.n = 0};
    write_summary("ns3", "100e6", "3", 0);
    write_summary("native", "100.9e6", "3", 0);
    write_summary("linux", "98e6", "3.1", 0);
    assert_true(study_cross_check_add(&c, "run", (const char *[]){"ns3", "native", "linux"}, 3, &err));
    assert_int_equal(c.judged, 4);
    assert_int_equal(c.failed, 2); /* both figures of the third */
    assert_true(fabs(c.run[0].difference[2][0].rate + 0.02) < 1e-12);
    assert_true(fabs(c.run[0].difference[2][1].duration - 0.05) < 1e-9); /* 2.1 s against 2 s */
}

static int leave(void **state)
{
    static const char *const files[] = {"ns3/summary.json", "ns3", "native/summary.json", "native",
                                        "linux/summary.json", "linux"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        remove(files[i]);
    return text_leave(state);
}

CM_GROUP(text_enter, leave)
