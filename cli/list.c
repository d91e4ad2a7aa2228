/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "scenarios/shipped.h"

#include <stdio.h>
#include <string.h>

/* `show`: prints them, too. Returns how many. */
static size_t list_folder(const char *folder, const char *prefix, int *widest, bool show)
{
    struct shipped_list list;
    shipped_list(&list, folder);
    for (size_t i = 0; i < list.n; i++) {
        int width = (int)(strlen(prefix) + strlen(list.entries[i].name));
        *widest = width > *widest ? width : *widest;
        if (show)
            printf("%s%-*s  %s\n", prefix, *widest - (int)strlen(prefix), list.entries[i].name, list.entries[i].title);
    }
    size_t n = list.n;
    shipped_list_fini(&list);
    return n;
}

int cli_list(const char *folder)
{
    struct error err = {0};
    int widest = 0;
    for (int show = 0; show < 2; show++) {
        if (list_folder(folder, "", &widest, show) == 0) {
            error_set(&err, ERROR_SYSTEM, "the scenarios that come with contraflow are not there: 'make install' puts "
                      "them into PREFIX/share/contraflow");
            return cli_fail(&err);
        }
        if (!*folder)
            list_folder("cases", "cases/", &widest, show);
    }
    return 0;
}
