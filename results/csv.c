/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/csv.h"

#include "base/infile.h"
#include "base/memory.h"
#include "base/units.h"
#include "results/directory.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 64
#define ABSENT SIZE_MAX

/* Takes the quotes off a field in place; returns what follows its comma, NULL after the last field. */
static char *csv_field(char *text, char **field)
{
    char *to = text;
    *field = text;
    if (*text != '"')
        return strsep(&text, ","), text;
    for (text++; *text && (*text != '"' || text[1] == '"'); text++) {
        text += *text == '"';
        *to++ = *text;
    }
    char *comma = strchr(text, ',');
    *to = '\0';
    return comma ? comma + 1 : NULL;
}

/* Cuts a line into its fields. Returns their number, at most FIELDS. */
static size_t csv_cut(char *line, char *field[static FIELDS])
{
    size_t n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *next = line; next && n < FIELDS;)
        next = csv_field(next, &field[n++]);
    return n;
}

/* The next line that is neither empty nor a comment. */
static bool csv_line(struct results_csv *c)
{
    while (getline(&c->line, &c->size, c->f) > 0) {
        c->number++;
        if (c->line[0] != '#' && c->line[strspn(c->line, " \t\r\n")] != '\0')
            return true;
    }
    return false;
}

bool results_csv_fail(const struct results_csv *c, struct error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    err->code = ERROR_INPUT;
    return error_prefix(err, "%s:%d: ", c->path, c->number);
}

static bool csv_head(struct results_csv *c, const char *const *columns, size_t required, struct error *err)
{
    char *field[FIELDS], known[160] = "";
    size_t length = 0;
    for (size_t k = 0; k < required && length < sizeof known; k++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", k ? "," : "", columns[k]);
    if (!csv_line(c)) {
        if (!feof(c->f))
            return infile_fail(c->path, err);
        c->number = 1;
        return results_csv_fail(c, err, "empty; the first line names %s", known);
    }
    size_t n = csv_cut(c->line, field);
    for (size_t k = 0; k < c->columns; k++) {
        c->at[k] = ABSENT;
        for (size_t i = 0; i < n && c->at[k] == ABSENT; i++)
            if (strcmp(field[i], columns[k]) == 0)
                c->at[k] = i;
        if (c->at[k] == ABSENT && k < required)
            return results_csv_fail(c, err, "no column '%s'; the first line names %s", columns[k], known);
    }
    return true;
}

bool results_csv_open(struct results_csv *c, const char *path, const char *const *columns, size_t n, size_t required,
                      struct error *err)
{
    *c = (struct results_csv){.path = memory_text("%s", path), .columns = n};
    c->f = infile_open(path, err);
    bool ok = c->f && csv_head(c, columns, required, err);
    if (!ok)
        results_csv_close(c);
    return ok;
}

bool results_csv_open_in(struct results_csv *c, const char *directory, const char *name, const char *const *columns,
                         size_t n, struct error *err)
{
    char *path = results_directory_path(directory, name);
    bool ok = results_csv_open(c, path, columns, n, n, err);
    free(path);
    return ok;
}

enum results_csv_next results_csv_next(struct results_csv *c, char **values, struct error *err)
{
    static char none[] = "";
    char *field[FIELDS];
    err->code = ERROR_NONE;
    if (!csv_line(c)) {
        if (feof(c->f))
            return RESULTS_CSV_END;
        infile_fail(c->path, err);
        return RESULTS_CSV_FAILED;
    }
    size_t n = csv_cut(c->line, field);
    for (size_t k = 0; k < c->columns; k++) {
        if (c->at[k] != ABSENT && c->at[k] >= n) {
            results_csv_fail(c, err, "only %zu fields; column %zu of the first line has none", n, c->at[k] + 1);
            return RESULTS_CSV_FAILED;
        }
        values[k] = c->at[k] == ABSENT ? none : field[c->at[k]];
    }
    return RESULTS_CSV_ROW;
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

void results_csv_time(FILE *f, int64_t time_ps)
{
    if (time_ps >= 0)
        fprintf(f, "%" PRId64 ".%012" PRId64, time_ps / UNITS_PS_PER_S, time_ps % UNITS_PS_PER_S);
}
