/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/csv.h"

#include "scenarios/directory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 64

/* Cuts a line at its commas. Returns the number of fields, at most `max`. */
static size_t csv_cut(char *line, char **field, size_t max)
{
    size_t n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *next = line; next && n < max;)
        field[n++] = strsep(&next, ",");
    return n;
}

/* The next line that is neither empty nor a comment. */
static bool csv_line(struct results_csv *c)
{
    while (getline(&c->line, &c->size, c->f) > 0) {
        c->number++;
        if (c->line[0] != '#' && c->line[0] != '\n')
            return true;
    }
    return false;
}

static bool csv_head(struct results_csv *c, const char *name, const char *const *columns, struct error *err)
{
    char *field[FIELDS];
    if (!csv_line(c))
        return error_set(err, ERROR_INPUT, "%s: empty", c->path);
    size_t n = csv_cut(c->line, field, FIELDS);
    for (size_t k = 0; k < c->columns; k++) {
        for (c->at[k] = 0; c->at[k] < n && strcmp(field[c->at[k]], columns[k]) != 0;)
            c->at[k]++;
        if (c->at[k] == n)
            return error_set(err, ERROR_INPUT, "%s:1: no column '%s'; is it the %s of a run?", c->path, columns[k],
                             name);
    }
    return true;
}

bool results_csv_open(struct results_csv *c, const char *directory, const char *name, const char *const *columns,
                      size_t n, struct error *err)
{
    *c = (struct results_csv){.path = scenario_directory_path(directory, name, err), .columns = n};
    if (!c->path)
        return false;
    c->f = fopen(c->path, "r");
    bool ok = c->f ? csv_head(c, name, columns, err) : error_set_errno(err, "%s: cannot be read", c->path);
    if (!ok)
        results_csv_close(c);
    return ok;
}

bool results_csv_next(struct results_csv *c, char **values, struct error *err)
{
    char *field[FIELDS];
    err->code = ERROR_NONE;
    if (!csv_line(c))
        return ferror(c->f) ? error_set_errno(err, "%s: cannot be read", c->path) : false;
    size_t n = csv_cut(c->line, field, FIELDS);
    for (size_t k = 0; k < c->columns; k++) {
        if (c->at[k] >= n)
            return error_set(err, ERROR_INPUT, "%s:%d: too few fields; %zu columns are needed", c->path, c->number,
                             c->columns);
        values[k] = field[c->at[k]];
    }
    return true;
}

void results_csv_close(struct results_csv *c)
{
    if (c->f)
        fclose(c->f);
    free(c->path);
    free(c->line);
    *c = (struct results_csv){0};
}

double results_csv_number(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    return end == text ? NAN : value;
}

void results_csv_text(FILE *f, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, f);
        return;
    }
    putc('"', f);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', f);
        putc(*text, f);
    }
    putc('"', f);
}
