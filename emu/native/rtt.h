/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/rtt.h - round-trip time and retransmission timeout (RFC 6298), in microseconds like the timestamps.
 *
 *   first sample R:  SRTT = R, RTTVAR = R / 2
 *   later ones:      RTTVAR = 3/4 RTTVAR + 1/4 |SRTT - R|,  SRTT = 7/8 SRTT + 1/8 R
 *   RTO = SRTT + max(G, 4 RTTVAR), at least the configured minimum, doubled at each timeout, at most the
 *   configured maximum
 * Linux's (tcp_rtt_estimator()) adds the minimum instead of setting it, and its spread is the largest of a window's:
 *   MDEV = 3/4 MDEV + 1/4 |SRTT - R|, but 31/32 MDEV + 1/32 (SRTT - R) when R is below SRTT by more than MDEV
 *   RTTVAR: the largest MDEV of the current window or, when that ends below it, a quarter nearer to that
 *   RTO = SRTT + max(minimum, 4 RTTVAR), in jiffies of 4 ms, rounded up
 * Timestamps tell which transmission a sample belongs to, so that retransmissions count (RFC 7323, section 4). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define NATIVE_RTT_JIFFY_US 4000 /* Linux counts in these */

struct native_rtt {
    int64_t srtt_8us;   /* SRTT * 8 */
    int64_t rttvar_4us; /* RTTVAR * 4 */
    int64_t min_us;     /* lowest sample; INT64_MAX: none yet */
    int64_t least_ps;   /* no timeout is shorter, once there was a sample */
    int backoff;        /* doublings */
    bool linux_spread;
    int64_t min_rto_us, max_rto_us;
    int64_t mdev_4us, mdev_most_4us; /* Linux's: MDEV * 4, the largest since the window began */
    uint64_t window_end; /* Linux's: the window ends when more than this is acknowledged */
};

/* max_rto_ps 0: 120 s. The minimum wins over a maximum below it. */
void native_rtt_init(struct native_rtt *r, int64_t min_rto_ps, int64_t max_rto_ps);
/* rtt_us >= 0; so are the estimates, and what they are divided by are powers of two. */
static inline void native_rtt_sample(struct native_rtt *r, int64_t rtt_us)
{
    if (r->min_us == INT64_MAX) {
        r->srtt_8us = 8 * rtt_us;
        r->rttvar_4us = 2 * rtt_us;
    } else {
        int64_t error = rtt_us - (r->srtt_8us >> 3);
        r->srtt_8us += error;
        r->rttvar_4us += (error < 0 ? -error : error) - (r->rttvar_4us >> 2);
    }
    if (rtt_us < r->min_us)
        r->min_us = rtt_us;
}

/* The same as Linux does it, of an ACK that leaves `una` as the oldest byte out and `nxt` as the next to send. */
static inline void native_rtt_sample_linux(struct native_rtt *r, int64_t rtt_us, uint64_t una, uint64_t nxt)
{
    if (r->min_us == INT64_MAX) {
        r->linux_spread = true;
        r->srtt_8us = 8 * rtt_us;
        r->mdev_4us = 2 * rtt_us;
        r->rttvar_4us = r->mdev_4us > r->min_rto_us ? r->mdev_4us : r->min_rto_us;
        r->mdev_most_4us = r->rttvar_4us;
        r->window_end = nxt;
    } else {
        int64_t error = rtt_us - (r->srtt_8us >> 3), more = (error < 0 ? -error : error) - (r->mdev_4us >> 2);
        r->srtt_8us += error;
        r->mdev_4us += error < 0 && more > 0 ? more >> 3 : more;
        if (r->mdev_4us > r->mdev_most_4us) {
            r->mdev_most_4us = r->mdev_4us;
            if (r->mdev_most_4us > r->rttvar_4us)
                r->rttvar_4us = r->mdev_most_4us;
        }
        if (una > r->window_end) {
            r->rttvar_4us -= (r->rttvar_4us - r->mdev_most_4us) / 4;
            r->window_end = nxt;
            r->mdev_most_4us = r->min_rto_us;
        }
    }
    if (rtt_us < r->min_us)
        r->min_us = rtt_us;
}
void native_rtt_backoff(struct native_rtt *r);
static inline void native_rtt_reset_backoff(struct native_rtt *r)
{
    r->backoff = 0;
}
int64_t native_rtt_rto_ps(const struct native_rtt *r);
/* Linux's, once there was a sample: whether the timeout is certain to be no shorter, in jiffies of so much or less. */
static inline bool native_rtt_is_before_rto(const struct native_rtt *r, int64_t us)
{
    return us <= (r->srtt_8us >> 3) + r->rttvar_4us && us + NATIVE_RTT_JIFFY_US <= r->max_rto_us;
}
