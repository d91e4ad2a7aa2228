/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/rtt.h"

#define PS_PER_US INT64_C(1000000)
#define GRANULARITY_US 1000 /* G: the kernel's and ns-3's clocks tick once a millisecond */
#define JIFFY_US NATIVE_RTT_JIFFY_US
#define FIRST_RTO_US 1000000
#define MOST_RTO_US 120000000
#define MOST_BACKOFF 16

void native_rtt_init(struct native_rtt *r, int64_t min_rto_ps, int64_t max_rto_ps)
{
    int64_t most_ps = max_rto_ps > min_rto_ps ? max_rto_ps : min_rto_ps;
    *r = (struct native_rtt){.min_us = INT64_MAX, .min_rto_us = min_rto_ps / PS_PER_US,
                             .max_rto_us = max_rto_ps > 0 ? most_ps / PS_PER_US : MOST_RTO_US};
    r->least_ps = (r->min_rto_us < r->max_rto_us ? r->min_rto_us : r->max_rto_us) * PS_PER_US;
}

void native_rtt_backoff(struct native_rtt *r)
{
    if (r->backoff < MOST_BACKOFF)
        r->backoff++;
}

int64_t native_rtt_rto_ps(const struct native_rtt *r)
{
    int64_t rto_us = FIRST_RTO_US;
    if (r->min_us != INT64_MAX) {
        int64_t spread_us = r->rttvar_4us > GRANULARITY_US ? r->rttvar_4us : GRANULARITY_US;
        rto_us = r->srtt_8us / 8 + (r->linux_spread ? r->rttvar_4us : spread_us);
        rto_us = rto_us < r->min_rto_us ? r->min_rto_us : rto_us;
        if (r->linux_spread)
            rto_us = (rto_us + JIFFY_US - 1) / JIFFY_US * JIFFY_US;
    }
    for (int i = 0; i < r->backoff && rto_us < r->max_rto_us; i++)
        rto_us *= 2;
    return (rto_us < r->max_rto_us ? rto_us : r->max_rto_us) * PS_PER_US;
}
