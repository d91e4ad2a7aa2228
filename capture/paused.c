/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/paused.h"

#include <string.h>

#define QUANTUM_BITS 512

void capture_paused_add(struct capture_paused *p, const uint8_t *mac, uint32_t quanta, uint64_t rate_bps,
                         int64_t time_ns)
{
    int i = 0;
    p->frames++;
    while (i < CAPTURE_PAUSED_SENDERS && p->sender[i].known && memcmp(p->sender[i].mac, mac, 6) != 0)
        i++;
    if (i == CAPTURE_PAUSED_SENDERS)
        return;
    struct capture_paused_sender *s = &p->sender[i];
    memcpy(s->mac, mac, 6);
    s->known = true;
    int64_t until_ns = s->until_ns < time_ns ? s->until_ns : time_ns, span_ns;
    if (s->stops && until_ns > s->since_ns && !__builtin_sub_overflow(until_ns, s->since_ns, &span_ns) &&
        !__builtin_add_overflow(s->stopped_ns, span_ns, &span_ns)) /* clocks may leap */
        s->stopped_ns = span_ns;
    s->stops = quanta > 0;
    s->since_ns = time_ns;
    int64_t stop_ns = rate_bps > 0 ? (int64_t)(quanta * QUANTUM_BITS * 1e9 / (double)rate_bps) : INT64_MAX;
    if (__builtin_add_overflow(time_ns, stop_ns, &s->until_ns))
        s->until_ns = INT64_MAX;
}

int64_t capture_paused_ns(const struct capture_paused *p)
{
    int64_t most_ns = 0;
    for (int i = 0; i < CAPTURE_PAUSED_SENDERS; i++)
        most_ns = p->sender[i].stopped_ns > most_ns ? p->sender[i].stopped_ns : most_ns;
    return most_ns;
}
