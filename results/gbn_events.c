/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/gbn_events.h"

#include "base/infile.h"

#include <sys/stat.h>

static bool event_parse(const char *word, enum model_loss_event *event)
{
    static const char *const words[] = {
        [MODEL_LOSS_PACK] = "P", [MODEL_LOSS_NACK] = "N", [MODEL_LOSS_TIMEOUT] = "TO"};
    for (int i = MODEL_LOSS_PACK; i <= MODEL_LOSS_TIMEOUT; i++)
        if (strcmp(word, words[i]) == 0) {
            *event = (enum model_loss_event)i;
            return true;
        }
    return false;
}

bool results_gbn_events_read(const char *path, struct model_loss_counts *counts, struct error *err)
{
    FILE *f = infile_open(path, err);
    if (!f)
        return false;
    struct stat st;
    if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
        fclose(f);
        return error_set(err, ERROR_INPUT, "%s: is a directory; --trace takes one file of events a sender", path);
    }
    char word[16];
    bool ok = true;
    *counts = (struct model_loss_counts){0};
    for (long n = 1; ok && fscanf(f, "%15s", word) == 1; n++) {
        enum model_loss_event event = MODEL_LOSS_PACK;
        ok = event_parse(word, &event) ||
             error_set(err, ERROR_INPUT, "%s: event %ld: '%s' is none of P, N and TO", path, n, word);
        if (ok)
            model_loss_trace_add(counts, event);
    }
    if (ok && ferror(f))
        ok = error_set_errno(err, "%s", path);
    if (ok && counts->packs + counts->nacks + counts->timeouts == 0)
        ok = error_set(err, ERROR_INPUT, "%s: no event; a sender's trace has P, N or TO", path);
    fclose(f);
    return ok;
}

bool results_gbn_events_chain(char *const *paths, size_t n, struct model_loss_chain *chain,
                              struct model_loss_counts *pooled, struct error *err)
{
    MEMORY_LOCAL struct model_loss_counts *senders = memory_zeroed(n, sizeof *senders, "traces");
    *pooled = (struct model_loss_counts){0};
    for (size_t i = 0; i < n; i++) {
        if (!results_gbn_events_read(paths[i], &senders[i], err))
            return false;
        model_loss_trace_merge(pooled, &senders[i]);
    }
    return model_loss_trace_chain(senders, n, chain, err);
}
