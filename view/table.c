/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/table.h"

#include "base/memory.h"
#include "base/print.h"
#include "results/json.h"
#include "view/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* One to three digits after the point, by size. */
static char *table_number(double value)
{
    return memory_text("%.*f", fabs(value) >= 1000 ? 1 : fabs(value) >= 10 ? 2 : 3, value);
}

/* Takes the text. */
static void table_append(struct view_table *t, char *cell)
{
    size_t size = strlen(cell) + 1;
    while (t->capacity - t->bytes < size)
        t->text = memory_grown(t->text, t->capacity, &t->capacity, 1024, 1, "the cells of a table");
    memcpy(t->text + t->bytes, cell, size);
    t->bytes += size;
    t->n++;
    free(cell);
}

const char *view_table_next(const struct view_table *t, const char *cell)
{
    const char *next = cell ? cell + strlen(cell) + 1 : t->text;
    return t->n > 0 && next < t->text + t->bytes ? next : NULL;
}

void view_table_init(struct view_table *t, size_t columns)
{
    *t = (struct view_table){.columns = columns};
}

/* Takes the arguments of one cell's conversions. False: one of them is a number that is not finite. */
static bool table_take(const char *format, va_list *args)
{
    bool known = true;
    for (const char *c = strchr(format, '%'); c; c = strchr(c + 1, '%')) {
        c += 1 + strspn(c + 1, "+.0123456789");
        if (*c == '*' && *++c)
            (void)va_arg(*args, int);
        if (*c == 's')
            (void)va_arg(*args, const char *);
        else if (*c == 'f' || *c == 'g')
            known = isfinite(va_arg(*args, double)) && known;
        else if (*c == 'z')
            (void)va_arg(*args, size_t);
        else if (*c == 'l' && c[1] == 'l')
            (void)va_arg(*args, long long);
        else if (*c == 'l')
            (void)va_arg(*args, long);
        else if (*c != '%')
            (void)va_arg(*args, int);
    }
    return known;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
void view_table_add(struct view_table *t, const char *format, ...)
{
    char *cells = memory_text("%s", format), *rest = cells;
    va_list args, cell;
    va_start(args, format);
    for (const char *next; (next = strsep(&rest, "|"));) {
        va_copy(cell, args);
        if (!table_take(next, &args))
            table_append(t, memory_text("-"));
        else if (strcmp(next, "%f") == 0)
            table_append(t, table_number(va_arg(cell, double)));
        else
            table_append(t, memory_vtext(next, cell)); // a part of a format that the compiler checked at the call
        va_end(cell);
    }
    va_end(args);
    free(cells);
}
#pragma GCC diagnostic pop

void view_table_add_flow(struct view_table *t, const struct analysis_flow *flow)
{
    char end[ANALYSIS_ENDPOINT_TEXT];
    analysis_flows_endpoint(&flow->src, flow->src_port, end);
    view_table_add(t, "%s", end);
    analysis_flows_endpoint(&flow->dst, flow->dst_port, end);
    view_table_add(t, "%s", end);
}

void view_table_head(struct view_table *t, const char *names)
{
    char *list = memory_text("%s", names), *rest = list;
    view_table_init(t, 0);
    for (const char *name; (name = strsep(&rest, "|")); t->columns++)
        view_table_add(t, "%s", name);
    free(list);
}

void view_table_start(struct view_table *t, const char *const *head, size_t columns)
{
    view_table_init(t, columns);
    for (size_t i = 0; i < columns; i++)
        view_table_add(t, "%s", head[i]);
}

void view_table_add_number(struct view_table *t, double value, double scale)
{
    view_table_add(t, "%f", value / scale);
}

void view_table_add_ms(struct view_table *t, double s)
{
    view_table_add(t, "%.1f", s * 1e3);
}

void view_table_add_percent(struct view_table *t, double share)
{
    view_table_add(t, "%.0f %%", 100 * share);
}

void view_table_fini(struct view_table *t)
{
    free(t->text);
    *t = (struct view_table){0};
}

void view_table_print(struct view_table *t, const char *indent, size_t numbers, FILE *f)
{
    size_t width[VIEW_TABLE_COLUMNS] = {0};
    assert(t->columns <= VIEW_TABLE_COLUMNS);
    const char *cell = NULL;
    for (size_t i = 0; i < t->n; i++) {
        char *text = print_escaped(cell = view_table_next(t, cell));
        size_t length = strlen(text), column = i % t->columns;
        free(text);
        width[column] = length > width[column] ? length : width[column];
    }
    for (size_t i = 0; i < t->n; i++) {
        size_t column = i % t->columns;
        char *text = print_escaped(cell = view_table_next(t, i == 0 ? NULL : cell));
        bool last = column + 1 == t->columns;
        fputs(column ? "  " : indent, f);
        if (column >= numbers)
            fprintf(f, "%*s", (int)width[column], text);
        else
            fprintf(f, "%-*s", last ? 0 : (int)width[column], text);
        free(text);
        if (last)
            putc('\n', f);
    }
    view_table_fini(t);
}

void view_table_html(FILE *f, const char *caption, struct view_table *t, size_t numbers)
{
    fputs("<div class=\"wide\"><table>\n", f);
    if (caption)
        view_text_markup(f, "<caption>%s</caption>\n", caption);
    const char *cell = NULL;
    for (size_t i = 0; i < t->n; i++) {
        size_t column = i % t->columns;
        cell = view_table_next(t, cell);
        const char *tag = i < t->columns ? "th" : "td";
        if (column == 0)
            fputs(i == 0 ? "<thead><tr>" : i == t->columns ? "</thead>\n<tbody><tr>" : "<tr>", f);
        fprintf(f, "<%s%s%s>", tag, i < t->columns ? " scope=\"col\"" : "", column >= numbers ? " class=\"n\"" : "");
        view_text_html(f, cell);
        fprintf(f, "</%s>", tag);
        if (column + 1 == t->columns)
            fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div>\n", f);
    view_table_fini(t);
}

json_t *view_table_json_number(double value)
{
    return results_json_number(value);
}

void view_table_csv_number(FILE *f, double value)
{
    if (isfinite(value))
        fprintf(f, "%.9g", value);
}
