/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/rtt.h - round-trip time and retransmission timeout (RFC 6298), in microseconds like the timestamps.
 *
 *   first sample R:  SRTT = R, RTTVAR = R / 2
 *   later ones:      RTTVAR = 3/4 RTTVAR + 1/4 |SRTT - R|,  SRTT = 7/8 SRTT + 1/8 R
 *   RTO = SRTT + max(G, 4 RTTVAR), at least the configured minimum, doubled at each timeout, at most the
 *   configured maximum
 * Timestamps tell which transmission a sample belongs to, so that retransmissions count (RFC 7323, section 4). */
#ifndef EMU_NATIVE_RTT_H
#define EMU_NATIVE_RTT_H

#include <stdint.h>

struct native_rtt {
    int64_t srtt_8us;   /* SRTT * 8 */
    int64_t rttvar_4us; /* RTTVAR * 4 */
    int64_t min_us;     /* lowest sample; INT64_MAX: none yet */
    int64_t min_rto_us, max_rto_us;
    int backoff;        /* doublings */
};

/* max_rto_ps 0: 120 s. The minimum wins over a maximum below it. */
void native_rtt_init(struct native_rtt *r, int64_t min_rto_ps, int64_t max_rto_ps);
void native_rtt_sample(struct native_rtt *r, int64_t rtt_us); /* >= 0 */
void native_rtt_backoff(struct native_rtt *r);
void native_rtt_reset_backoff(struct native_rtt *r);
int64_t native_rtt_rto_ps(const struct native_rtt *r);

#endif
