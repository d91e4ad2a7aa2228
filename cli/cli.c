/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"

#include "base/print.h"

#include <assert.h>
#include <signal.h>
#include <sys/ioctl.h>

#define SCREEN_COLUMNS 512
#define SCREEN_ROWS 24 /* where nobody says */
#define SHARE_LEAST 0.001 /* of the work: less does not show how long the rest takes */

static FILE *cli_guard(int descriptor, FILE *unguarded, int buffering)
{
    static struct print_guard guards[STDERR_FILENO + 1];
    FILE *f = print_guard(&guards[descriptor], descriptor);
    if (!f)
        return unguarded; /* memory_end() will soon say so */
    setvbuf(f, NULL, buffering, BUFSIZ);
    return f;
}

void cli_start(void)
{
    stdout = cli_guard(STDOUT_FILENO, stdout, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
    stderr = cli_guard(STDERR_FILENO, stderr, _IONBF);
}

const char *cli_name(const char *name)
{
    static char *kept[8];
    static size_t next;
    char *escaped = print_escaped(name);
    if (strcmp(escaped, name) == 0) {
        free(escaped);
        return name;
    }
    char **place = &kept[next++ % (sizeof kept / sizeof *kept)];
    free(*place);
    return *place = escaped;
}

void cli_progress(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    MEMORY_LOCAL char *text = memory_vtext(format, args), *line = print_escaped(text);
    va_end(args);
    dprintf(STDERR_FILENO, "\r\033[K%s", line);
}

const char *cli_left(double elapsed_s, double share, char text[static CLI_LEFT])
{
    double s = elapsed_s * (1 - share) / share;
    bool minutes = s >= 100, hours = s >= 6000;
    *text = '\0';
    if (share >= SHARE_LEAST)
        snprintf(text, CLI_LEFT, ", %.*f %s left", hours, hours ? s / 3600 : minutes ? s / 60 : s,
                 hours ? "h" : minutes ? "min" : "s");
    return text;
}

void cli_screen(char *const *lines, int n)
{
    static int shown;
    char text[SCREEN_COLUMNS];
    struct winsize size = {.ws_col = 0, .ws_row = 0};
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    size_t columns = known ? size.ws_col : 80;
    int rows = known && size.ws_row > 1 ? size.ws_row - 1 : SCREEN_ROWS;
    if (shown > 0)
        dprintf(STDERR_FILENO, "\r\033[%dA\033[J", shown);
    shown = n < rows ? n : rows;
    for (int i = 0; i < shown; i++) {
        print_escape(text, columns < sizeof text ? columns : sizeof text, lines[i]);
        dprintf(STDERR_FILENO, "%s\n", text);
    }
}

void cli_progress_clear(void)
{
    dprintf(STDERR_FILENO, "\r\033[K");
}

static bool cli_on_terminal; /* isatty() is none of the functions for signal handlers */

static void cli_interrupted(int number)
{
    static const char clear[] = "\r\033[K", line[] = "contraflow: interrupted\n";
    if ((cli_on_terminal && write(STDERR_FILENO, clear, sizeof clear - 1) < 0) ||
        write(STDERR_FILENO, line, sizeof line - 1) < 0)
        _exit(ERROR_SYSTEM);
    raise(number); /* SA_RESETHAND: the shell learns how we ended */
}

void cli_end_on_interrupt(void)
{
    cli_on_terminal = isatty(STDERR_FILENO);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = cli_interrupted, .sa_flags = (int)SA_RESETHAND}, NULL);
}

int cli_fail(const struct error *err)
{
    bool said = *err->message != '\0' && err->code != ERROR_NONE;
    fprintf(stderr, "contraflow: %s\n", said ? err->message : "failed without a word: a defect of contraflow itself");
    return said ? (int)err->code : ERROR_SYSTEM;
}

int cli_finish(int status)
{
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status >= ERROR_INPUT)
        return status; /* what went wrong first has been said */
    struct error err = {0};
    error_set_errno(&err, "standard output: cannot be written");
    return cli_fail(&err);
}

char *cli_output_name(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    const char *name = strcmp(path, "-") == 0 ? "stdin" : last, *dot = strrchr(name, '.');
    int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    return memory_text("%.*s%s", length, name, ending);
}

json_t *cli_json(const char *name, json_t *object)
{
    json_t *named = json_pack("{s:o}", "schema", json_sprintf("%s%s", CLI_JSON_NAME, name));
    json_object_update(named, object);
    json_decref(object);
    return named;
}

#define JSON_FLAGS (JSON_INDENT(2) | JSON_REAL_PRECISION(12))

void cli_print_json(json_t *root)
{
    json_dumpf(root, stdout, JSON_FLAGS);
    putchar('\n');
    json_decref(root);
}

/* A text in JSON holds no line's end: what follows one is a line. */
static int put_indented(const char *text, size_t n, void *depth)
{
    for (size_t i = 0; i < n; i++) {
        putchar(text[i]);
        if (text[i] == '\n')
            printf("%*s", 2 * *(const int *)depth, "");
    }
    return 0;
}

void cli_print_json_within(json_t *value, int depth)
{
    json_dump_callback(value, put_indented, &depth, JSON_FLAGS);
    json_decref(value);
}

const struct cli_help_page *cli_help_find(const char *name)
{
    for (const struct cli_help_page *page = cli_help_pages; page->name; page++)
        if (strcmp(page->name, name) == 0)
            return page;
    return NULL;
}

int cli_help(const char *name)
{
    const struct cli_help_page *page = cli_help_find(name);
    assert(page); /* of every command, doc/manual.py sees to that */
    fputs(page->brief, stdout);
    return 0;
}
