/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/csv.h"

#include "base/decimal.h"
#include "base/infile.h"
#include "base/print.h"
#include "base/text.h"
#include "base/units.h"
#include "results/directory.h"

#define FIELDS 64
#define LINE 65536 /* bytes, with the line break */
#define ABSENT SIZE_MAX
#define PLACES 12 /* of a second, to the picosecond */

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

/* A spreadsheet takes a cell with such a beginning for a formula; an apostrophe in front makes it text (OWASP, CSV
 * Injection), and what has one already gets another. */
static bool csv_is_formula(const char *text)
{
    text += *text == '\'' && text[1];
    return *text && strchr("=+-@'", *text) && text[1];
}

/* Cuts a line into its fields. Returns their number, at most FIELDS. */
static size_t csv_cut(char *line, char *field[static FIELDS])
{
    size_t n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *next = line; next && n < FIELDS; n++) {
        next = csv_field(next, &field[n]);
        field[n] += *field[n] == '\'' && csv_is_formula(field[n] + 1);
    }
    return n;
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

/* The next line that is neither empty nor a comment. False at the end, and with *err. */
static bool csv_line(struct results_csv *c, struct error *err)
{
    err->code = ERROR_NONE;
    while (fgets(c->line, LINE, c->f)) {
        c->number++;
        if (c->line[strcspn(c->line, "\n")] == '\0' && !feof(c->f))
            return results_csv_fail(c, err, "longer than %d bytes, or with a NUL character", LINE - 1);
        if (c->number == 1 && strncmp(c->line, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
            memmove(c->line, c->line + 3, strlen(c->line + 3) + 1);
        if (c->line[0] != '#' && c->line[strspn(c->line, " \t\r\n")] != '\0')
            return true;
    }
    return ferror(c->f) ? infile_fail(c->path, err) : false;
}

static bool csv_head(struct results_csv *c, const char *const *columns, size_t required, struct error *err)
{
    char *field[FIELDS], known[160] = "";
    for (size_t k = 0; k < required; k++)
        text_add(known, sizeof known, "%s%s", k ? "," : "", columns[k]);
    if (!csv_line(c, err)) {
        if (err->code != ERROR_NONE)
            return false;
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
    *c = (struct results_csv){.path = memory_text("%s", path), .columns = n, .names = columns,
                              .line = memory_zeroed(LINE, 1, "a line of a table")};
    c->f = infile_open(path, err);
    bool ok = c->f && csv_head(c, columns, required, err);
    if (!ok)
        results_csv_close(c);
    return ok;
}

bool results_csv_open_in(struct results_csv *c, const char *directory, const char *name, const char *const *columns,
                         size_t n, struct error *err)
{
    MEMORY_LOCAL char *path = results_directory_path(directory, name);
    return results_csv_open(c, path, columns, n, n, err);
}

enum results_csv_next results_csv_next(struct results_csv *c, char **values, struct error *err)
{
    static char none[] = "";
    char *field[FIELDS];
    if (!csv_line(c, err))
        return err->code == ERROR_NONE ? RESULTS_CSV_END : RESULTS_CSV_FAILED;
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
    MEMORY_FREE(c->path, c->line);
    *c = (struct results_csv){0};
}

bool results_csv_fits(double value)
{
    return value >= 0 && value <= RESULTS_CSV_MOST;
}

bool results_csv_number(const struct results_csv *c, char *const *values, size_t column, double *number,
                        struct error *err)
{
    const char *text = values[column];
    char *end = values[column];
    *number = *text ? strtod(text, &end) : (double)NAN;
    if (!*text || (!*end && results_csv_fits(*number)))
        return true;
    return results_csv_fail(c, err, "%s is '%.40s'; must be a number from 0 to %g", c->names[column], text,
                            RESULTS_CSV_MOST);
}

bool results_csv_numbers(const struct results_csv *c, char *const *values, size_t n, double *numbers, struct error *err)
{
    bool ok = true;
    for (size_t k = 0; ok && k < n; k++)
        ok = results_csv_number(c, values, k, &numbers[k], err);
    return ok;
}

/* "-12.5", "+3 %" */
static bool csv_is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return end != text && (!*end || strcmp(end, " %") == 0);
}

char *results_csv_field(const char *text)
{
    bool quoted = text[strcspn(text, ",\"")] != '\0';
    char *cell MEMORY_LOCAL = print_escaped(text), *field = memory_zeroed(2 * strlen(cell) + 4, 1, "text"), *to = field;
    if (quoted)
        *to++ = '"';
    if (csv_is_formula(text) && !csv_is_number(text))
        *to++ = '\'';
    for (const char *c = cell; *c; c++) {
        if (*c == '"')
            *to++ = '"';
        *to++ = *c;
    }
    if (quoted)
        *to = '"';
    return field;
}

void results_csv_text(FILE *f, const char *text)
{
    MEMORY_LOCAL char *field = results_csv_field(text);
    fputs(field, f);
}

size_t results_csv_put_time(char *to, int64_t time_ps)
{
    if (time_ps < 0)
        return 0;
    size_t n = decimal_integer(to, time_ps / UNITS_PS_PER_S);
    to[n] = '.';
    decimal_digits(to + n + 1, (uint64_t)(time_ps % UNITS_PS_PER_S), PLACES);
    return n + 1 + PLACES;
}

void results_csv_time(FILE *f, int64_t time_ps)
{
    char text[DECIMAL_ROOM];
    fwrite_unlocked(text, 1, results_csv_put_time(text, time_ps), f);
}
