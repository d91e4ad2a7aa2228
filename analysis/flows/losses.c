/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/losses.h"

static bool sent_again(const struct analysis_losses *l, int64_t start, int64_t end)
{
    for (int i = 0; i < ANALYSIS_LOSSES_RANGES; i++)
        if (l->again[i].start < end && start < l->again[i].end)
            return true;
    return start < l->forgotten;
}

void analysis_losses_again(struct analysis_losses *l, int64_t start, int64_t end)
{
    struct analysis_range *last = &l->again[(l->next + ANALYSIS_LOSSES_RANGES - 1) % ANALYSIS_LOSSES_RANGES];
    if (last->end > last->start && start >= last->start && start <= last->end) {
        last->end = end > last->end ? end : last->end;
        return;
    }
    struct analysis_range *r = &l->again[l->next];
    if (r->end > l->forgotten)
        l->forgotten = r->end;
    *r = (struct analysis_range){start, end};
    l->next = (l->next + 1) % ANALYSIS_LOSSES_RANGES;
}

void analysis_losses_twice(struct analysis_losses *l, int64_t start, int64_t end, uint32_t segments)
{
    if (sent_again(l, start, end))
        l->told_twice += segments;
    else
        l->copied += segments;
}

void analysis_losses_ack(struct analysis_losses *l, int64_t ack, uint32_t full)
{
    if (l->gap.start >= l->gap.end || ack <= l->gap.start)
        return;
    int64_t end = ack < l->gap.end ? ack : l->gap.end;
    if (!sent_again(l, l->gap.start, end))
        l->overtaken += (uint32_t)((end - l->gap.start + full - 1) / full);
    l->gap.start = end;
}

void analysis_losses_gap(struct analysis_losses *l, int64_t start, int64_t end)
{
    if (l->gap.start >= l->gap.end)
        l->gap = (struct analysis_range){start, end};
}
