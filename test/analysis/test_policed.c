/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/policed.h"
#include "test/cm.h"

#define MS INT64_C(1000000)
#define RATE_BPS 8e6

/* Is a flow in at RATE_BPS policed, in turns of 200 ms `swing` of it more and less, with so many losses, such waits? */
static bool policed(int64_t events, double data_wait_s, double swing, bool incoming, int64_t span_ms)
{
    struct analysis_bins bins;
    struct analysis_told flow = {.incoming = incoming, .rate_bps = RATE_BPS, .loss_events = events};
    struct analysis_told back = {.incoming = !incoming, .rate_bps = RATE_BPS};
    struct analysis_evidence e[] = {{.flow = &flow, .bins = &bins, .data_wait_s = data_wait_s},
                                    {.flow = &back, .bins = &bins, .data_wait_s = 0}};
    struct analysis_evidence_set set = {.flow = e, .n = 2, .to_s = (double)span_ms * 1e-3};
    analysis_bins_init(&bins, 0);
    for (int64_t ms = 0; ms < span_ms; ms++) {
        struct analysis_bin *bin = analysis_bins_at(&bins, ms * MS);
        assert_non_null(bin);
        bin->bytes += (int64_t)(RATE_BPS / 8e3 * (ms / 200 % 2 ? 1 + swing : 1 - swing));
    }
    analysis_policed_find(&set);
    analysis_bins_fini(&bins);
    assert_false(e[1].policed); /* what the other direction does not lose */
    return e[0].policed;
}

TEST(test_a_policer_drops_at_one_rate_and_holds_nothing)
{
    for (int incoming = 0; incoming < 2; incoming++) {
        assert_true(policed(8, 1e-3, 0.1, incoming, 2000));
        assert_false(policed(7, 1e-3, 0.1, incoming, 2000)); /* now and then */
        assert_true(policed(8, 3e-3, 0.1, incoming, 2000));
        assert_false(policed(8, 4e-3, 0.1, incoming, 2000)); /* two frames take 3.1 ms: a queue */
        assert_false(policed(8, NAN, 0.1, incoming, 2000));  /* not known */
        assert_false(policed(8, 1e-3, 0.3, incoming, 2000)); /* its windows go up and down */
        assert_false(policed(8, 1e-3, 0.1, incoming, 700));  /* seven tenths of a second show no steady rate */
    }
}

/* Two flows that lose four times each pass one policer: as often as eight of one, and their waits by their rates are
 * (6 + 2) / 2 of 16 Mb/s: 64 kb, where two frames are 24.6. */
TEST(test_flows_of_one_direction_are_policed_together)
{
    for (int queue = 0; queue < 2; queue++) {
        struct analysis_bins bins;
        struct analysis_told flow[2] = {{.rate_bps = RATE_BPS, .loss_events = 4},
                                         {.rate_bps = RATE_BPS, .loss_events = 4}};
        struct analysis_evidence e[2] = {{.flow = &flow[0], .bins = &bins, .data_wait_s = queue ? 6e-3 : 1e-3},
                                         {.flow = &flow[1], .bins = &bins, .data_wait_s = queue ? 2e-3 : 1e-3}};
        struct analysis_evidence_set set = {.flow = e, .n = 2, .to_s = 2};
        analysis_bins_init(&bins, 0);
        for (int64_t ms = 0; ms < 2000; ms++)
            analysis_bins_at(&bins, ms * MS)->bytes += (int64_t)(RATE_BPS / 8e3);
        analysis_policed_find(&set);
        analysis_bins_fini(&bins);
        assert_true(e[0].policed == !queue && e[1].policed == !queue);
    }
}
