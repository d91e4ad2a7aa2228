/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/directory.h"

#include "base/outfile.h"
#include "scenarios/save.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

char *scenario_directory_path(const char *directory, const char *name, struct error *err)
{
    size_t size = strlen(directory) + strlen(name) + 2;
    char *path = malloc(size);
    if (!path) {
        error_set(err, ERROR_SYSTEM, "%s/%s: out of memory", directory, name);
        return NULL;
    }
    snprintf(path, size, "%s/%s", directory, name);
    return path;
}

static bool directory_remove(const char *directory, const char *name, struct error *err)
{
    char *path = scenario_directory_path(directory, name, err);
    if (!path)
        return false;
    bool ok = remove(path) == 0 || errno == ENOENT || error_set_errno(err, "%s: cannot be replaced", path);
    free(path);
    return ok;
}

/* Captures and traces of the earlier run: a plain file name each, or the summary is not ours to believe. */
static bool directory_remove_listed(const json_t *summary, const char *directory, struct error *err)
{
    size_t i;
    json_t *entry;
    bool ok = true;
    json_array_foreach(json_object_get(summary, "captures"), i, entry)
    {
        const char *file = json_string_value(json_object_get(entry, "file"));
        if (ok && file && !strchr(file, '/') && strstr(file, ".pcap"))
            ok = directory_remove(directory, file, err);
    }
    json_array_foreach(json_object_get(summary, "flows"), i, entry)
    {
        const char *flow = json_string_value(json_object_get(entry, "flow"));
        char file[SCENARIO_NAME + 16];
        if (!ok || !flow || strchr(flow, '/') || strlen(flow) >= SCENARIO_NAME)
            continue;
        snprintf(file, sizeof file, "%s.events", flow);
        ok = directory_remove(directory, file, err);
    }
    return ok;
}

static bool directory_remove_tables(const char *directory, struct error *err)
{
    static const char *const names[] = {"flows.csv",  "queues.csv",   "operations.csv",
                                        "bursts.csv", "pingpong.csv", "uniform.csv"};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof names / sizeof *names; i++)
        ok = directory_remove(directory, names[i], err);
    return ok;
}

bool scenario_directory_prepare(const struct scenario *s, const char *directory, const char *comment,
                                struct error *err)
{
    if (!outfile_make_directory(directory, err))
        return false;
    char *path = scenario_directory_path(directory, "summary.json", err);
    if (!path)
        return false;
    json_t *summary = json_load_file(path, 0, NULL);
    free(path);
    bool ok = directory_remove(directory, "summary.json", err) && directory_remove_listed(summary, directory, err) &&
              directory_remove_tables(directory, err);
    json_decref(summary);
    path = ok ? scenario_directory_path(directory, "scenario.yaml", err) : NULL;
    ok = path && scenario_save(s, path, comment, err);
    free(path);
    return ok;
}
