/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/inflight.h"

void analysis_inflight_ack(struct analysis_inflight *f, int64_t ack, uint32_t tsval)
{
    bool first = !f->has_last; /* the handshake, or what nobody captured, may have had its stamp already */
    if (!first && (int32_t)(tsval - f->last_tsval) <= 0)
        return;
    f->has_last = true;
    f->last_tsval = tsval;
    if (first || f->n == ANALYSIS_INFLIGHT_PROBES)
        return;
    unsigned at = (f->oldest + f->n++) % ANALYSIS_INFLIGHT_PROBES;
    f->probe[at].ack = (uint32_t)ack;
    f->probe[at].tsval = tsval;
}

bool analysis_inflight_data(struct analysis_inflight *f, int64_t end, uint32_t tsecr, int64_t *bytes)
{
    bool sampled = false;
    while (f->n > 0 && (int32_t)(tsecr - f->probe[f->oldest].tsval) >= 0) {
        if (tsecr == f->probe[f->oldest].tsval) {
            *bytes = (int32_t)((uint32_t)end - f->probe[f->oldest].ack);
            sampled = *bytes > 0;
        }
        f->oldest = (uint8_t)((f->oldest + 1) % ANALYSIS_INFLIGHT_PROBES);
        f->n--;
    }
    return sampled;
}
