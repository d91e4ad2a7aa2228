/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/predict/loss_traces.h"

#include "results/gbn_events.h"

bool study_loss_traces_estimate(char *const *paths, size_t n, struct model_loss_chain *chain,
                                struct model_loss_counts *pooled, struct error *err)
{
    MEMORY_LOCAL struct model_loss_counts *senders = memory_zeroed(n, sizeof *senders, "traces");
    bool ok = true;
    *pooled = (struct model_loss_counts){0};
    for (size_t i = 0; ok && i < n; i++) {
        ok = results_gbn_events_read(paths[i], &senders[i], err);
        if (ok)
            model_loss_trace_merge(pooled, &senders[i]);
    }
    ok = ok && model_loss_trace_chain(senders, n, chain, err);
    return ok;
}
