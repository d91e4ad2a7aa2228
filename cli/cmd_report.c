/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/options.h"
#include "results/directory.h"
#include "view/sweeps/sweep_page.h"

#include <dirent.h>
#include <sys/stat.h>

struct sweeps {
    struct view_sweep_page_sweep *sweep; /* owned */
    size_t n;
    int64_t done; /* points of all */
};

static bool add_database(struct sweeps *s, const char *path, struct error *err)
{
    s->sweep = memory_resized(s->sweep, s->n + 1, sizeof *s->sweep, "sweeps");
    struct view_sweep_page_sweep *sweep = &s->sweep[s->n++];
    bool ok = view_sweep_page_sweep_read(sweep, path, err);
    s->done += ok ? sweep->done : 0;
    return ok;
}

static int is_named_db(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 3 && strcmp(entry->d_name + n - 3, ".db") == 0;
}

/* Every database of a directory, by name. */
static bool add_directory(struct sweeps *s, const char *directory, struct error *err)
{
    struct dirent **entry;
    int n = scandir(directory, &entry, is_named_db, alphasort);
    if (n < 0) {
        error_set_errno(err, "%s: directory cannot be read", directory);
        err->code = ERROR_INPUT;
        return false;
    }
    bool ok = true;
    for (int i = 0; i < n; i++) {
        MEMORY_LOCAL char *path = results_directory_path(directory, entry[i]->d_name);
        ok = ok && add_database(s, path, err);
        free(entry[i]);
    }
    free(entry);
    if (n > 0)
        return ok;
    return error_set(err, ERROR_INPUT, results_directory_has(directory, "summary.json")
                     ? "%s: a run's directory; 'contraflow analyze DIR --report' makes its page"
                     : "%s: no *.db in this directory; 'contraflow sweep' makes them", directory);
}

static bool add_source(struct sweeps *s, const char *path, struct error *err)
{
    struct stat st;
    bool directory = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    return directory ? add_directory(s, path, err) : add_database(s, path, err);
}

int cmd_report(int argc, char **argv)
{
    struct sweeps s = {0};
    struct error err = {0};
    const char *output = "report.html";
    const struct cli_option options[] = {{"output", 'o', .text = &output}, {0}};
    int at = cli_options_read("report", argc, argv, options, &err);
    if (at == argc)
        error_set(&err, ERROR_INPUT, "report: no database or directory given; try 'contraflow report --help'");
    if (at <= 0 || at == argc)
        return at ? cli_fail(&err) : 0;
    bool ok = true;
    for (int i = at; ok && i < argc; i++)
        ok = add_source(&s, argv[i], &err);
    if (ok && s.done == 0)
        ok = error_set(&err, ERROR_INPUT, "%s%s: no point of a sweep is done; 'contraflow sweep' runs them",
                       argv[at], argc - at > 1 ? " and others" : "");
    ok = ok && view_sweep_page_write(output, s.sweep, s.n, &err);
    for (size_t i = 0; i < s.n; i++)
        view_sweep_page_sweep_free(&s.sweep[i]);
    free(s.sweep);
    if (ok)
        printf("report: %s\n", cli_name(output));
    return ok ? 0 : cli_fail(&err);
}
