/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/shipped.h"

#include "base/infile.h"
#include "base/names.h"
#include "base/place.h"
#include "scenarios/document.h"

#include <dirent.h>
#include <sys/stat.h>

#define ENDING ".yaml"
#define TITLE "\ntitle:"

/* Of "star.yaml" 4, of "star" 0. */
static size_t shipped_stem(const char *name)
{
    size_t n = strlen(name), ending = strlen(ENDING);
    return n > ending && strcmp(name + n - ending, ENDING) == 0 ? n - ending : 0;
}

/* What is shipped as `folder`/`name`.yaml. */
static char *shipped_named(const char *folder, const char *name)
{
    char *within MEMORY_LOCAL = memory_text("%s%s%s" ENDING, folder, *folder ? "/" : "", name), *path = place_scenario(within);
    return path;
}

/* A name is neither a path nor a way out of the directory. */
static bool shipped_may_name(const char *word)
{
    return *word && *word != '/' && *word != '.' && !strstr(word, "..") && shipped_stem(word) == 0;
}

/* The name nearest to the last part of `word`, for free(); NULL where none is near. */
static char *shipped_near(const char *word, const char *folder)
{
    const char *slash = strrchr(word, '/'), *last = slash ? slash + 1 : word;
    size_t stem = shipped_stem(last);
    char *wanted MEMORY_LOCAL = memory_text("%.*s", (int)(stem ? stem : strlen(last)), last), *near = NULL;
    size_t least = names_too_far(wanted);
    MEMORY_ENDS(shipped_list_fini) struct shipped_list list;
    shipped_list(&list, folder);
    for (size_t i = 0; i < list.n; i++) {
        size_t distance = names_distance(list.entries[i].name, wanted);
        if (distance < least) {
            least = distance;
            free(near);
            near = memory_text("%s", list.entries[i].name);
        }
    }
    return near;
}

char *shipped_find(const char *word, const char *folder, struct error *err)
{
    struct stat st;
    bool there = stat(word, &st) == 0;
    int why = errno;
    char *path = NULL;
    if (shipped_may_name(word)) {
        path = shipped_named(folder, word);
        if (!path && *folder)
            path = shipped_named("", word);
    }
    if (path || there || strcmp(word, "-") == 0 || (why != ENOENT && why != ENOTDIR))
        return path ? path : memory_text("%s", word); /* whoever opens it says what is wrong with it */
    MEMORY_LOCAL char *near = shipped_near(word, folder);
    bool name = shipped_may_name(word) && !strchr(word, '/');
    error_set(err, ERROR_INPUT, "%s: %s%s%s%s", word,
              !name     ? strerror(why)
              : *folder ? "no such file, and no name of a sweep"
                        : "no such file, and no name of a scenario",
              near      ? "; did you mean "
              : !name   ? ""
              : *folder ? "; 'contraflow sweep --list' prints them"
                        : "; 'contraflow run --list' prints them",
              near ? near : "", near ? ", which comes with contraflow?" : "");
    return NULL;
}

char *shipped_beside(const char *path, const char *name)
{
    const char *slash = *name != '/' ? strrchr(path, '/') : NULL;
    char *beside = memory_text("%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, name);
    if (*name == '/' || access(beside, F_OK) == 0)
        return beside;
    while (strncmp(name, "../", 3) == 0) /* a sweep's is in the folder above */
        name += 3;
    char *shipped = strstr(name, "..") ? NULL : place_scenario(name);
    if (!shipped)
        return beside;
    free(beside);
    return shipped;
}

/* For free(); empty where the file has none. */
static char *shipped_title(const char *path)
{
    struct error unread;
    size_t size;
    MEMORY_LOCAL char *text = infile_read(path, DOCUMENT_BYTES, "a scenario", &size, &unread);
    const char *key = text ? strstr(text, TITLE) : NULL, *title = key ? key + strlen(TITLE) : "";
    title += strspn(title, " ");
    return memory_text("%.*s", (int)strcspn(title, "\n"), title);
}

void shipped_list(struct shipped_list *list, const char *folder)
{
    struct dirent **found;
    MEMORY_LOCAL char *directory = place_scenario(folder);
    int n = directory ? scandir(directory, &found, NULL, alphasort) : -1;
    *list = (struct shipped_list){0};
    for (int i = 0; i < n; i++) {
        size_t stem = shipped_stem(found[i]->d_name);
        MEMORY_LOCAL char *path = memory_text("%s/%s", directory, found[i]->d_name);
        if (stem) {
            list->entries = memory_grown(list->entries, list->n, &list->capacity, 64, sizeof *list->entries, "scenarios");
            list->entries[list->n++] = (struct shipped){memory_text("%.*s", (int)stem, found[i]->d_name), shipped_title(path)};
        }
        free(found[i]);
    }
    if (n >= 0)
        free(found);
}

void shipped_list_fini(struct shipped_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        MEMORY_FREE(list->entries[i].name, list->entries[i].title);
    free(list->entries);
    *list = (struct shipped_list){0};
}
