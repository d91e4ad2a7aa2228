/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/table.h"

#include "base/memory.h"
#include "results/json.h"
#include "view/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void view_table_init(struct view_table *t, size_t columns)
{
    *t = (struct view_table){.columns = columns};
}

void view_table_add(struct view_table *t, const char *format, ...)
{
    va_list args;
    t->cell = memory_grown(t->cell, t->n, &t->capacity, 64, sizeof *t->cell, "the cells of a table");
    va_start(args, format);
    t->cell[t->n++] = memory_vtext(format, args);
    va_end(args);
}

void view_table_add_number(struct view_table *t, double value, double scale)
{
    double scaled = value / scale;
    int decimals = fabs(scaled) >= 1000 ? 1 : fabs(scaled) >= 10 ? 2 : 3;
    view_table_add(t, isfinite(scaled) ? "%.*f" : "-", decimals, scaled);
}

void view_table_add_flow(struct view_table *t, const struct analysis_flow *flow)
{
    char end[ANALYSIS_ENDPOINT_TEXT];
    analysis_flows_endpoint(&flow->src, flow->src_port, end);
    view_table_add(t, "%s", end);
    analysis_flows_endpoint(&flow->dst, flow->dst_port, end);
    view_table_add(t, "%s", end);
}

void view_table_start(struct view_table *t, const char *const *head, size_t columns)
{
    view_table_init(t, columns);
    for (size_t i = 0; i < columns; i++)
        view_table_add(t, "%s", head[i]);
}

void view_table_add_ms(struct view_table *t, double s)
{
    view_table_add(t, isfinite(s) ? "%.1f" : "-", s * 1e3);
}

void view_table_add_percent(struct view_table *t, double share)
{
    view_table_add(t, isfinite(share) ? "%.0f %%" : "-", 100 * share);
}

void view_table_add_share(struct view_table *t, double share)
{
    view_table_add(t, isfinite(share) ? "%.2f" : "-", 100 * share);
}

void view_table_fini(struct view_table *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->cell[i]);
    free(t->cell);
    *t = (struct view_table){0};
}

void view_table_print(struct view_table *t, const char *indent, size_t numbers, FILE *f)
{
    size_t width[VIEW_TABLE_COLUMNS] = {0};
    for (size_t i = 0; i < t->n; i++) {
        size_t length = strlen(t->cell[i]), column = i % t->columns;
        width[column] = length > width[column] ? length : width[column];
    }
    for (size_t i = 0; i < t->n; i++) {
        size_t column = i % t->columns;
        bool last = column + 1 == t->columns;
        fputs(column ? "  " : indent, f);
        if (column >= numbers)
            fprintf(f, "%*s", (int)width[column], t->cell[i]);
        else
            fprintf(f, "%-*s", last ? 0 : (int)width[column], t->cell[i]);
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
    for (size_t i = 0; i < t->n; i++) {
        size_t column = i % t->columns;
        const char *tag = i < t->columns ? "th" : "td";
        if (column == 0)
            fputs(i == 0 ? "<thead><tr>" : i == t->columns ? "</thead>\n<tbody><tr>" : "<tr>", f);
        fprintf(f, "<%s%s%s>", tag, i < t->columns ? " scope=\"col\"" : "", column >= numbers ? " class=\"n\"" : "");
        view_text_html(f, t->cell[i]);
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
