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

/* Captures of the earlier run: a plain file name each, or the summary is not ours to believe. */
static bool directory_remove_captures(const json_t *summary, const char *directory, struct error *err)
{
    size_t i;
    json_t *capture;
    bool ok = true;
    json_array_foreach(json_object_get(summary, "captures"), i, capture)
    {
        const char *file = json_string_value(json_object_get(capture, "file"));
        if (ok && file && !strchr(file, '/') && (strstr(file, ".pcap")))
            ok = directory_remove(directory, file, err);
    }
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
    bool ok = directory_remove(directory, "summary.json", err) && directory_remove_captures(summary, directory, err) &&
              directory_remove(directory, "flows.csv", err) && directory_remove(directory, "queues.csv", err);
    json_decref(summary);
    path = ok ? scenario_directory_path(directory, "scenario.yaml", err) : NULL;
    ok = path && scenario_save(s, path, comment, err);
    free(path);
    return ok;
}
