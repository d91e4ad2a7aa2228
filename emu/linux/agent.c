/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/linux/agent.h"

#include "emu/linux/program.h"

#define BLANKS " \t"
#define SPECIAL "|&;<>()$`\\*?[]{}~#\n" /* XCU 2.2: to be quoted */
#define SPECIAL_QUOTED "$`\\"           /* XCU 2.2.3: special in double quotes, too */
#define NOT_FOUND 127

bool linux_agent_called(const char *name)
{
    const char *slash = name ? strrchr(name, '/') : NULL;
    return name && strcmp(slash ? slash + 1 : name, LINUX_PROGRAM_AGENT) == 0;
}

static char **agent_fail(char **words, const char *line, char found, struct error *err)
{
    free(words);
    error_set(err, ERROR_INPUT, "'%c' is for a shell, and none is run; give plain words instead of: %s", found, line);
    return NULL;
}

char **linux_agent_words(const char *line, struct error *err)
{
    size_t length = strlen(line), n = 0;
    /* Words are shorter than the line, and each but the last has a blank after it. */
    char **words = memory_zeroed(1, (length / 2 + 2) * sizeof *words + length + 1, "a command");
    char *to = (char *)(words + length / 2 + 2);
    const char *p = line + strspn(line, BLANKS);
    while (*p) {
        words[n++] = to;
        while (*p && !strchr(BLANKS, *p)) {
            const char quote = *p == '"' || *p == '\'' ? *p : '\0';
            if (!quote && (strchr(SPECIAL, *p) || (n == 1 && *p == '=')))
                return agent_fail(words, line, *p, err);
            if (!quote) {
                *to++ = *p++;
                continue;
            }
            for (p++; *p && *p != quote; *to++ = *p++)
                if (quote == '"' && strchr(SPECIAL_QUOTED, *p))
                    return agent_fail(words, line, *p, err);
            if (!*p)
                return agent_fail(words, line, quote, err);
            p++;
        }
        *to++ = '\0';
        p += strspn(p, BLANKS);
    }
    return words;
}

int linux_agent(int argc, char **argv)
{
    struct error err = {0};
    char *line = memory_text("%s", "");
    for (int i = 2; i < argc; i++) {
        char *longer = memory_text("%s%s%s", line, i > 2 ? " " : "", argv[i]);
        free(line);
        line = longer;
    }
    MEMORY_LOCAL char **words = linux_agent_words(line, &err);
    int status = ERROR_INPUT;
    if (words && !words[0])
        error_set(&err, ERROR_INPUT, "usage: " LINUX_PROGRAM_AGENT " HOST COMMAND...");
    else if (words && linux_program_enter_by_name(argv[1], &err)) {
        linux_program_exec(words);
        status = NOT_FOUND;
        error_set_errno(&err, "%s", words[0]);
    }
    fprintf(stderr, LINUX_PROGRAM_AGENT "%s%s: %s\n", argc > 1 ? " " : "", argc > 1 ? argv[1] : "", err.message);
    free(line);
    return status;
}
