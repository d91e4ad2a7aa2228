/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/commands.h"

#include "base/print.h"
#include "base/text.h"
#include "results/directory.h"
#include "scenarios/load.h"

#define LIST 288 /* bytes of commands in a message: there is room for the sentence after them */
#define CUT "..."
#define SHARE 48 /* bytes of a command when there are many */
#define LEAST 16 /* bytes of a command that say something */

/* Words as they can be told from each other. */
static void command_add(char *text, size_t room, const struct scenario_program *p)
{
    for (int i = 0; i < p->n_words; i++) {
        const char *word = p->command[i].text;
        bool plain = *word && !strpbrk(word, " \t\n'\",");
        text_add(text, room, plain ? "%s%s" : "%s'%s'", i ? " " : "", word);
    }
}

/* "iperf3 -s, iperf3 -c h0 and 2 more", each cut where it gets too long: none hides the others. */
static void commands_list(const struct scenario *s, char list[static LIST])
{
    const int share = LIST / s->n_programs < SHARE ? SHARE : LIST / s->n_programs;
    list[0] = '\0';
    for (int i = 0; i < s->n_programs; i++) {
        char command[LIST] = "", shown[LIST];
        int room = LIST - 1 - (int)strlen(list) - (int)strlen(", " CUT " and 4000 more");
        room = room < share ? room : share;
        if (room < LEAST) {
            text_add(list, LIST, " and %d more", s->n_programs - i);
            return;
        }
        command_add(command, sizeof command, &s->programs[i]);
        print_escape(shown, sizeof shown, command);
        text_add(list, LIST, "%s%.*s%s", i ? ", " : "", room, shown, (int)strlen(shown) > room ? CUT : "");
    }
}

bool scenario_commands_refuse(const struct scenario *s, const char *path, const char *instead, struct error *err)
{
    char list[LIST];
    if (s->n_programs == 0)
        return true;
    commands_list(s, list);
    return error_set(err, ERROR_INPUT, "%s: traffic.programs: would start with your rights: %s; %s", path ? path : "--set",
                     list, instead);
}

char *scenario_commands_output(const struct scenario_program *p)
{
    return memory_text("h%d-%s.txt", p->host, p->name);
}

bool scenario_commands_clear(const char *directory, struct error *err)
{
    struct scenario before;
    struct error ignored = {0};
    MEMORY_LOCAL char *path = results_directory_path(directory, "scenario.yaml");
    bool ok = true;
    if (results_directory_has(directory, "scenario.yaml") && scenario_load(&before, path, NULL, 0, &ignored)) {
        for (int i = 0; ok && i < before.n_programs; i++) {
            MEMORY_LOCAL char *output = scenario_commands_output(&before.programs[i]);
            ok = results_directory_remove(directory, output, err);
        }
        scenario_fini(&before);
    }
    return ok;
}
