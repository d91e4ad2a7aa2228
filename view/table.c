/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/table.h"

#include "base/print.h"
#include "results/json.h"
#include "view/text.h"

#include <assert.h>

/* One to three digits after the point, by the size that is shown: what rounds to 1000 is 1000.0. */
static char *table_number(double value)
{
    return memory_text("%.*f", fabs(value) >= 999.995 ? 1 : fabs(value) >= 9.9995 ? 2 : 3, value);
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

struct view_table view_table_with(size_t columns)
{
    return (struct view_table){.columns = columns};
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
    char *cells MEMORY_LOCAL = memory_text("%s", format), *rest = cells;
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

struct view_table view_table_of(const char *names)
{
    char *list MEMORY_LOCAL = memory_text("%s", names), *rest = list;
    struct view_table t = view_table_with(0);
    for (const char *name; (name = strsep(&rest, "|")); t.columns++)
        view_table_add(&t, "%s", name);
    return t;
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

/* Numbers of a column, and what is least and most of it: the first cell of its row, and itself. */
struct table_column {
    double *value; /* owned; room for every row */
    size_t n;
    double least, most;
    const char *least_row[3], *most_row[3]; /* borrowed: first, second, the column's own cell; NULL: there is none */
};

/* One pass over the cells, as pointers to them all would take more than the numbers. Returns how many there are. */
static size_t table_column(const struct view_table *t, size_t column, struct table_column *c)
{
    const char *row[3] = {NULL, NULL, NULL};
    bool counts = false;
    size_t i = 0;
    double *value = c->value;
    *c = (struct table_column){.value = value};
    for (const char *cell = NULL; (cell = view_table_next(t, cell)); i++) {
        size_t at = i % t->columns;
        double number;
        if (at < 2)
            row[at] = cell;
        if (at == 0)
            counts = i > 0 && strcmp(cell, "total") != 0;
        if (at != column || !counts || !table_value(cell, &number))
            continue;
        row[2] = cell;
        c->value[c->n++] = number;
        if (c->n == 1 || number < c->least) {
            c->least = number;
            memcpy(c->least_row, row, sizeof row);
        }
        if (c->n == 1 || number > c->most) {
            c->most = number;
            memcpy(c->most_row, row, sizeof row);
        }
    }
    return c->n;
}

/* The column that a line is about; t->columns when none has numbers. */
static size_t table_pick(const char *const *name, const struct view_table *t, size_t numbers, struct table_column *c)
{
    static const char *const units[] = {"Mb/s", " ms", ""};
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        for (size_t i = numbers; i < t->columns; i++)
            if (strstr(name[i], units[u]) && table_column(t, i, c) > VIEW_TABLE_LONG)
                return i;
    return t->columns;
}

static void table_extreme(FILE *f, const char *what, bool ways, const char *const row[3])
{
    MEMORY_LOCAL char *from = print_escaped(row[0]), *to = print_escaped(ways ? row[1] : "");
    fprintf(f, ", %s %s (%s%s%s)", what, row[2], from, ways ? " > " : "", to);
}

void view_table_sum_up(const struct view_table *t, const char *indent, size_t numbers, FILE *f)
{
    size_t rows = t->columns > 0 ? t->n / t->columns : 0, i = 0;
    if (rows < VIEW_TABLE_LONG + 2) /* one is the head */
        return;
    MEMORY_LOCAL const char **name = memory_zeroed(t->columns, sizeof *name, "a table");
    struct table_column c = {.value = memory_zeroed(rows, sizeof *c.value, "a table")};
    for (const char *cell = NULL; i < t->columns && (cell = view_table_next(t, cell)); i++)
        name[i] = cell;
    size_t column = table_pick(name, t, numbers, &c);
    if (column < t->columns) {
        bool ways = strcmp(name[0], "from") == 0 && t->columns > 1, flows = ways || strcmp(name[0], "flow") == 0;
        double sum = 0;
        for (size_t k = 0; k < c.n; k++)
            sum += c.value[k];
        qsort(c.value, c.n, sizeof *c.value, estimate_ascending);
        MEMORY_LOCAL char *all = table_number(sum), *median = table_number((c.value[(c.n - 1) / 2] + c.value[c.n / 2]) / 2);
        fprintf(f, "%s%zu %s: %s", indent, c.n, flows ? "flows" : "rows", name[column]);
        if (flows && strstr(name[column], "Mb/s"))
            fprintf(f, " %s in all,", all);
        fprintf(f, " median %s", median);
        table_extreme(f, "least", ways, c.least_row);
        table_extreme(f, "most", ways, c.most_row);
        putc('\n', f);
    }
    free(c.value);
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

/* Which columns are half an interval, "+-", and stand in the cell of the number before; returns how many do. */
static size_t table_intervals(const struct view_table *t, bool interval[static VIEW_TABLE_COLUMNS])
{
    const char *cell = NULL;
    size_t n = 0;
    for (size_t i = 0; i < t->columns; i++) {
        cell = view_table_next(t, cell);
        interval[i] = i > 0 && cell && strcmp(cell, "+-") == 0;
        n += interval[i];
    }
    return n;
}

/* A cell of a page's table, with its interval where it has one. */
static void table_html_cell(FILE *f, const char *cell, const char *interval, bool head, bool number)
{
    fprintf(f, head ? "<th scope=\"col\"%s>" : "<td%s>", number ? " class=\"n\"" : "");
    view_text_html(f, cell);
    if (interval && *interval && strcmp(interval, "-") != 0)
        view_text_markup(f, "&nbsp;<span class=\"ci\">&plusmn;%s</span>", head ? "" : interval);
    else if (interval) /* keeps numbers below each other */
        fputs("&nbsp;<span class=\"ci\"></span>", f);
    fputs(head ? "</th>" : "</td>", f);
}

void view_table_html(FILE *f, const char *caption, struct view_table *t, size_t numbers)
{
    bool interval[VIEW_TABLE_COLUMNS] = {false};
    size_t shown = t->columns - table_intervals(t, interval);
    fprintf(f, "<div class=\"wide%s\" tabindex=\"0\">", shown > VIEW_TABLE_SHOWN ? " folds" : "");
    if (shown > VIEW_TABLE_SHOWN)
        fprintf(f, "<label class=\"more\"><input type=\"checkbox\"> %zu more columns</label>", shown - VIEW_TABLE_SHOWN);
    fputs("<table>\n", f);
    if (caption)
        view_text_markup(f, "<caption><span>%s</span></caption>\n", caption);
    const char *cell = NULL;
    for (size_t i = 0; i < t->n; i++) {
        size_t column = i % t->columns;
        bool head = i < t->columns;
        cell = view_table_next(t, cell);
        if (column == 0)
            fputs(i == 0 ? "<thead><tr>" : i == t->columns ? "</thead>\n<tbody><tr>" : "<tr>", f);
        if (!interval[column])
            table_html_cell(f, cell, column + 1 < t->columns && interval[column + 1] ? view_table_next(t, cell) : NULL, head,
                            column >= numbers);
        if (column + 1 == t->columns)
            fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div>\n", f);
    view_table_fini(t);
}

json_t *view_table_json_estimate(const struct estimate *e)
{
    return results_json("value:f ci95:f", e->value, e->ci95);
}
