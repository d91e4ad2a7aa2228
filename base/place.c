/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/place.h"

#include "base/text.h"

/* From the directory of programs that people call; meson.build knows where an installation has them. */
#ifndef PLACE_LIBEXEC
#define PLACE_LIBEXEC "../libexec/contraflow"
#endif
#ifndef PLACE_SHARE
#define PLACE_SHARE "../share/contraflow"
#endif
/* From that of programs that those start. */
#ifndef PLACE_LIBEXEC_SHARE
#define PLACE_LIBEXEC_SHARE "../../share/contraflow"
#endif

/* This program's directory with '/' at its end. */
static bool place_own(char own[static PATH_MAX], struct error *err)
{
    ssize_t n = readlink("/proc/self/exe", own, PATH_MAX - 1);
    if (n < 0)
        return error_set_errno(err, "cannot tell where contraflow is installed");
    own[n] = '\0';
    char *slash = strrchr(own, '/');
    slash[1] = '\0';
    return true;
}

bool place_program(const char *name, char *path, size_t size, struct error *err)
{
    char own[PATH_MAX];
    if (!place_own(own, err))
        return false;
    MEMORY_LOCAL char *installed = memory_text("%s" PLACE_LIBEXEC "/contraflow-%s", own, name);
    MEMORY_LOCAL char *beside = memory_text("%scontraflow-%s", own, name);
    const char *found = access(beside, X_OK) != 0 && access(installed, X_OK) == 0 ? installed : beside;
    *path = '\0';
    text_add(path, size, "%s", found);
    return true;
}

/* In a build directory `build` is a link to what the sources have. */
static char *place_shared(const char *build, const char *installed, const char *name)
{
    const char *const places[][2] = {{build, ""}, {PLACE_SHARE, installed}, {PLACE_LIBEXEC_SHARE, installed}};
    char own[PATH_MAX];
    struct error unplaced;
    if (!place_own(own, &unplaced))
        return NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *path = memory_text("%s%s%s%s%s", own, places[i][0], places[i][1], *name ? "/" : "", name);
        if (access(path, F_OK) == 0)
            return path;
        free(path);
    }
    return NULL;
}

char *place_scenario(const char *name)
{
    return place_shared("shipped", "/scenarios", name);
}

char *place_schemas(void)
{
    return place_shared("schemas", "/schemas", "");
}
