/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/lateness.h"

#define PS_PER_NS 1000

/* Below STEPS each nanosecond has a bin; above, the octave and the three bits after its highest one. */
static int lateness_bin(uint64_t ns)
{
    if (ns < EMU_LATENESS_STEPS)
        return (int)ns;
    int shift = 60 - __builtin_clzll(ns); /* leaves four bits, the highest of them set */
    return (shift + 1) * EMU_LATENESS_STEPS + (int)((ns >> shift) & (EMU_LATENESS_STEPS - 1));
}

/* The last nanosecond of a bin. */
static uint64_t lateness_end(int bin)
{
    if (bin < EMU_LATENESS_STEPS)
        return (uint64_t)bin;
    int shift = bin / EMU_LATENESS_STEPS - 1;
    return ((uint64_t)(EMU_LATENESS_STEPS + bin % EMU_LATENESS_STEPS + 1) << shift) - 1;
}

void emu_lateness_add(struct emu_lateness *l, int64_t at_ps, int64_t late_ps)
{
    if (late_ps < 0)
        late_ps = 0;
    l->frames++;
    if (late_ps > l->bound_ps) {
        int64_t since_ps = at_ps - late_ps;
        l->late++;
        l->overdue_ps += at_ps - (since_ps > l->overdue_to_ps ? since_ps : l->overdue_to_ps);
        l->overdue_to_ps = at_ps;
    }
    if (late_ps > l->most_ps)
        l->most_ps = late_ps;
    l->bins[lateness_bin((uint64_t)(late_ps + PS_PER_NS - 1) / PS_PER_NS)]++;
}

int64_t emu_lateness_quantile_ps(const struct emu_lateness *l, double share)
{
    int64_t wanted = (int64_t)ceil(share * (double)l->frames), seen = 0;
    for (int i = 0; i < EMU_LATENESS_BINS && l->frames > 0; i++) {
        seen += l->bins[i];
        if (seen > 0 && seen >= wanted) {
            uint64_t end_ns = lateness_end(i);
            return end_ns < (uint64_t)l->most_ps / PS_PER_NS ? (int64_t)end_ns * PS_PER_NS : l->most_ps;
        }
    }
    return 0;
}

double emu_lateness_share(const struct emu_lateness *l)
{
    return l->frames > 0 ? (double)l->late / (double)l->frames : 0;
}
