/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "results/json.h"
#include "scenarios/shipped.h"

/* `show`: prints them, or puts them into `json` unless NULL. Returns how many. */
static size_t list_folder(const char *folder, const char *prefix, int *widest, bool show, json_t *json)
{
    MEMORY_ENDS(shipped_list_fini) struct shipped_list list;
    shipped_list(&list, folder);
    for (size_t i = 0; i < list.n; i++) {
        int width = (int)(strlen(prefix) + strlen(list.entries[i].name));
        *widest = width > *widest ? width : *widest;
        if (show && json)
            results_json_append(json, "name:o title:s", json_sprintf("%s%s", prefix, list.entries[i].name),
                                list.entries[i].title);
        else if (show)
            printf("%s%-*s  %s\n", prefix, *widest - (int)strlen(prefix), list.entries[i].name, list.entries[i].title);
    }
    size_t n = list.n;
    return n;
}

int cli_list(const char *folder, bool json)
{
    struct error err = {0};
    int widest = 0;
    json_t *scenarios = json ? json_array() : NULL;
    for (int show = 0; show < 2; show++) {
        if (list_folder(folder, "", &widest, show, scenarios) == 0) {
            error_set(&err, ERROR_SYSTEM, "the scenarios that come with contraflow are not there: 'make install' puts "
                      "them into PREFIX/share/contraflow");
            json_decref(scenarios);
            return cli_fail(&err);
        }
        if (!*folder)
            list_folder("cases", "cases/", &widest, show, scenarios);
    }
    if (json)
        cli_print_json(cli_json("list:1", results_json("scenarios:o", scenarios)));
    return 0;
}
