/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/directory_clear.h"

#include "base/directory.h"
#include "results/directory.h"
#include "results/summary.h"

/* Captures and traces of the earlier run: a plain file name each, or the summary is not to be believed. */
static bool directory_remove_listed(const struct results_summary *s, const char *directory, struct error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < s->n_captures; i++)
        if (!strchr(s->captures[i].file, '/') && strstr(s->captures[i].file, ".pcap"))
            ok = results_directory_remove(directory, s->captures[i].file, err);
    for (size_t i = 0; ok && i < s->n_flows; i++) {
        char file[RESULTS_NAME + 16];
        snprintf(file, sizeof file, "%s.events", s->flows[i].name);
        ok = strchr(file, '/') || results_directory_remove(directory, file, err);
    }
    return ok;
}

bool results_directory_clear(const char *directory, struct error *err)
{
    static const char *const tables[] = {"flows.csv",  "queues.csv",   "operations.csv",
                                         "bursts.csv", "pingpong.csv", "uniform.csv",
                                         "progress.csv"};
    struct error ignored;
    if (directory_held(directory) < 0 && !outfile_make_directory(directory, err))
        return false;
    MEMORY_ENDS(results_summary_fini) struct results_summary before;
    results_summary_read(&before, directory, &ignored);
    bool ok = results_directory_remove(directory, "summary.json", err) &&
              directory_remove_listed(&before, directory, err);
    for (size_t i = 0; ok && i < sizeof tables / sizeof *tables; i++)
        ok = results_directory_remove(directory, tables[i], err);
    return ok;
}
