/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/predict_exchange_points.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column { PROCESSES, MESSAGE, TIME, STD_ERROR, COLUMNS };
static const char *const column_names[COLUMNS] = {"processes", "message_bytes", "time_s", "std_error_s"};

enum { FIELDS = 32, ABSENT = FIELDS };

/* Cuts a line at its commas; returns the number of fields, at most FIELDS. */
static size_t cut(char *line, char *field[static FIELDS])
{
    size_t n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *next = line; next && n < FIELDS;)
        field[n++] = strsep(&next, ",");
    return n;
}

static bool parse_head(char *line, size_t at[static COLUMNS], struct error *err)
{
    char *field[FIELDS];
    size_t n = cut(line, field);
    for (size_t c = 0; c < COLUMNS; c++) {
        for (at[c] = 0; at[c] < n && strcmp(field[at[c]], column_names[c]) != 0;)
            at[c]++;
        if (at[c] < n)
            continue;
        at[c] = ABSENT;
        if (c != STD_ERROR)
            return error_set(err, ERROR_INPUT,
                             "no column '%s'; the first line names processes,message_bytes,time_s[,std_error_s]",
                             column_names[c]);
    }
    return true;
}

static bool parse_row(char *line, const size_t at[static COLUMNS], double value[static COLUMNS], struct error *err)
{
    char *field[FIELDS];
    size_t n = cut(line, field);
    for (size_t c = 0; c < COLUMNS; c++) {
        value[c] = 0;
        if (at[c] == ABSENT)
            continue;
        if (at[c] >= n)
            return error_set(err, ERROR_INPUT, "only %zu fields, none for '%s'", n, column_names[c]);
        char *end;
        value[c] = strtod(field[at[c]], &end);
        if (end == field[at[c]] || *end != '\0' || !(isfinite(value[c]) && value[c] > 0))
            return error_set(err, ERROR_INPUT, "%s is '%s'; must be a number above 0", column_names[c], field[at[c]]);
    }
    if (value[PROCESSES] < 2 || value[PROCESSES] > 1e9 || floor(value[PROCESSES]) < value[PROCESSES])
        return error_set(err, ERROR_INPUT, "processes is %g; must be a whole number from 2", value[PROCESSES]);
    return true;
}

static bool add(struct study_predict_exchange_points *points, const double value[static COLUMNS], struct error *err)
{
    struct model_signature_point *grown = realloc(points->point, (points->n + 1) * sizeof *grown);
    if (!grown)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    points->point = grown;
    grown[points->n++] = (struct model_signature_point){(size_t)value[PROCESSES], value[MESSAGE], value[TIME],
                                                        value[STD_ERROR]};
    return true;
}

static bool read_lines(FILE *f, struct study_predict_exchange_points *points, struct error *err)
{
    char *line = NULL;
    size_t size = 0, at[COLUMNS], number = 0;
    bool ok = true, head = false;
    while (ok && getline(&line, &size, f) > 0) {
        double value[COLUMNS];
        number++;
        if (line[0] == '#' || line[strspn(line, " \t\r\n")] == '\0')
            continue;
        if (!head)
            ok = head = parse_head(line, at, err);
        else
            ok = parse_row(line, at, value, err) && add(points, value, err);
    }
    free(line);
    if (!ok)
        return error_prefix(err, "%zu: ", number);
    if (ferror(f))
        return error_set(err, errno == EISDIR ? ERROR_INPUT : ERROR_SYSTEM, " %s", strerror(errno));
    return head || error_set(err, ERROR_INPUT, "1: empty; the first line names "
                                               "processes,message_bytes,time_s[,std_error_s]");
}

bool study_predict_exchange_points_read(const char *path, struct study_predict_exchange_points *points,
                                        struct error *err)
{
    *points = (struct study_predict_exchange_points){0};
    FILE *f = fopen(path, "r");
    if (!f) {
        bool input = errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG;
        return error_set(err, input ? ERROR_INPUT : ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    }
    bool ok = read_lines(f, points, err);
    fclose(f);
    if (!ok) {
        study_predict_exchange_points_fini(points);
        error_prefix(err, "%s:", path);
    }
    return ok;
}

void study_predict_exchange_points_fini(struct study_predict_exchange_points *points)
{
    free(points->point);
    *points = (struct study_predict_exchange_points){0};
}
