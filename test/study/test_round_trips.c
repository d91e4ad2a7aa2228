/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Round trips over time, of a run's progress written by hand and of a capture's segments. */
#include "study/verdict/latency.h"
#include "study/verdict/round_trips.h"

#include "test/analysis/segment.h"
#include "test/scenarios/text.h"

#define FLOWS 3
#define TIMES 6

/* Floors of 1, 2 and 4 ms. In each second flow i has 10 (i + 1) more frames of data, which wait i + 1 ms each in the first and
 * as much more in each second after it, and half as many ACKs, which wait half of that: 1.5 (i + 1) k ms together in second k.
 * The last flow sends nothing in the third. */
static const double floor_s[FLOWS] = {0.001, 0.002, 0.004};

static double round_s(int i, int k)
{
    return i == FLOWS - 1 && k == 3 ? (double)NAN : floor_s[i] + 1.5e-3 * (i + 1) * k;
}

static void fill(struct results_progress *p)
{
    struct results_progress_point sum[FLOWS] = {{0}};
    *p = (struct results_progress){.flows = FLOWS};
    for (int k = 0; k < TIMES; k++) {
        struct results_progress_point *point = results_progress_add(p, 0.5 + k);
        for (int i = 0; i < FLOWS; i++) {
            double frames = i == FLOWS - 1 && k == 3 ? 0 : 10.0 * (i + 1), wait_s = 1e-3 * (i + 1) * k;
            sum[i].data_frames += frames;
            sum[i].data_wait_s += frames * wait_s;
            sum[i].ack_frames += frames / 2;
            sum[i].ack_wait_s += frames / 2 * wait_s / 2;
            sum[i].bytes += 1000 * frames;
            point[i] = sum[i];
        }
    }
}

/* From a warm-up of 1.5 s to the end at 4.5 s are seconds 2, 3 and 4; a flow whose floor is unknown says nothing. */
TEST(test_latency_is_that_of_seconds_behind_the_warm_up)
{
    MEMORY_ENDS(results_progress_fini) struct results_progress p;
    struct study_latency x = {0};
    size_t loaded = 0;
    fill(&p);
    study_latency_add(&x, &p, 0, NAN, 0, 9);
    assert_ints({x.idle, 0}, {x.loaded, 0});
    for (int i = 0; i < FLOWS; i++)
        study_latency_add(&x, &p, (size_t)i, floor_s[i], 1.5, 4.5);
    assert_ints({x.idle, FLOWS}, {x.loaded, 8});
    for (int i = 0; i < FLOWS; i++) {
        assert_true(x.idle_s[i] == floor_s[i]);
        for (int k = 2; k <= 4; k++)
            if (isfinite(round_s(i, k)))
                assert_near(x.loaded_s[loaded++], round_s(i, k), 1e-12);
    }
    struct judge_latency l;
    study_latency_get(&x, &l);
    assert_ints({l.idle.n, FLOWS}, {l.loaded.n, 8}, {x.idle, 0}, {x.loaded, 0});
    assert_null(x.loaded_s);
    assert_near(l.idle.median_s, 0.002, 1e-12);
}

/* In the middle of each second the median of those flows that sent. */
TEST(test_a_run_s_round_trip_is_the_median_of_its_flows)
{
    static const char summary[] = "{\"complete\": true, \"ended_s\": 4.5, \"warmup_s\": 1.5, \"flows\": [{\"flow\": \"a\", \"round_trip\": {\"floor_s\": 0.001}}, "
                                  "{\"flow\": \"b\", \"round_trip\": {\"floor_s\": 0.002}}, {\"flow\": \"c\", \"round_trip\": {\"floor_s\": 0.004}}]}";
    static const struct results_flow rows[FLOWS] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
    MEMORY_ENDS(results_progress_fini) struct results_progress p;
    MEMORY_ENDS(study_round_trips_fini) struct study_round_trips t;
    fill(&p);
    text_write("summary.json", summary, strlen(summary));
    assert_true(results_progress_write(&p, rows, ".", &err));
    if (!study_round_trips_of_run(".", &t, &err))
        fail_msg("%s", err.message);
    assert_ints({t.n, TIMES - 1}, {t.latency.idle.n, FLOWS}, {t.latency.loaded.n, 8});
    for (int k = 1; k < TIMES; k++) {
        /* b is the middle one; of a and b alone it is the lower one (judge/latency.h: of the smallest half) */
        assert_near(t.time_s[k - 1], k, 1e-9);
        assert_near(t.round_s[k - 1], round_s(k == 3 ? 0 : 1, k), 1e-9);
    }
    remove("progress.csv");
    remove("summary.json");
}

CM_GROUP(text_enter, text_leave)
