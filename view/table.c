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

/* True if a cell is a number, maybe a share in percent. */
static bool table_value(const char *cell, double *value)
{
    char *end;
    *value = strtod(cell, &end);
    return end != cell && isfinite(*value) && (*end == '\0' || strcmp(end, " %") == 0);
}

static int table_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A column's rows that have numbers in it. Returns how many. */
static size_t table_column(const char *const *cell, const struct view_table *t, size_t column, size_t *row, double *value)
{
    size_t n = 0, rows = t->columns > 0 ? t->n / t->columns : 0;
    for (size_t i = 1; i < rows; i++)
        if (strcmp(cell[i * t->columns], "total") != 0 && table_value(cell[i * t->columns + column], &value[n]))
            row[n++] = i;
    return n;
}

/* The column that a line is about; t->columns when none has numbers. */
static size_t table_pick(const char *const *cell, const struct view_table *t, size_t numbers, size_t *row, double *value)
{
    static const char *const units[] = {"Mb/s", " ms", ""};
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        for (size_t c = numbers; c < t->columns; c++)
            if (strstr(cell[c], units[u]) && table_column(cell, t, c, row, value) > VIEW_TABLE_LONG)
                return c;
    return t->columns;
}

static void table_extreme(FILE *f, const char *what, const char *const *cell, const struct view_table *t, size_t row,
                          size_t column)
{
    const char *const *at = cell + row * t->columns;
    bool ways = strcmp(cell[0], "from") == 0 && t->columns > 1;
    char *from = print_escaped(at[0]), *to = print_escaped(ways ? at[1] : "");
    fprintf(f, ", %s %s (%s%s%s)", what, at[column], from, ways ? " > " : "", to);
    free(from);
    free(to);
}

void view_table_sum_up(const struct view_table *t, const char *indent, size_t numbers, FILE *f)
{
    size_t rows = t->columns > 0 ? t->n / t->columns : 0, i = 0;
    if (rows < VIEW_TABLE_LONG + 2) /* one is the head */
        return;
    const char **cell = memory_zeroed(t->n, sizeof *cell, "a table");
    double *value = memory_zeroed(rows, sizeof *value, "a table"), sum = 0;
    size_t *row = memory_zeroed(rows, sizeof *row, "a table");
    for (const char *c = NULL; (c = view_table_next(t, c)); i++)
        cell[i] = c;
    size_t column = table_pick(cell, t, numbers, row, value);
    if (column < t->columns) {
        bool flows = strcmp(cell[0], "flow") == 0 || strcmp(cell[0], "from") == 0;
        size_t n = table_column(cell, t, column, row, value), least = 0, most = 0;
        for (size_t k = 0; k < n; k++) {
            sum += value[k];
            least = value[k] < value[least] ? k : least;
            most = value[k] > value[most] ? k : most;
        }
        size_t least_row = row[least], most_row = row[most];
        qsort(value, n, sizeof *value, table_ascending);
        char *all = table_number(sum), *median = table_number((value[(n - 1) / 2] + value[n / 2]) / 2);
        fprintf(f, "%s%zu %s: %s", indent, n, flows ? "flows" : "rows", cell[column]);
        if (flows && strstr(cell[column], "Mb/s"))
            fprintf(f, " %s in all,", all);
        fprintf(f, " median %s", median);
        table_extreme(f, "least", cell, t, least_row, column);
        table_extreme(f, "most", cell, t, most_row, column);
        putc('\n', f);
        free(all);
        free(median);
    }
    free(cell);
    free(value);
    free(row);
}

void view_table_print(struct view_table *t, const char *indent, size_t numbers, FILE *f)
{
    size_t width[VIEW_TABLE_COLUMNS] = {0};
    assert(t->columns <= VIEW_TABLE_COLUMNS);
    view_table_sum_up(t, indent, numbers, f);
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
