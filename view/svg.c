/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/svg.h"

#include "view/capture_page_parts.h"

#include <math.h>
#include <string.h>

#define TICKS 64        /* at most */
#define SMALL_CELL 21   /* narrower ones have no text */
#define LABEL_WIDTH 6.2 /* of a character, about */
#define TINY_WIDTH 5.6

double view_svg_place(const struct view_svg_scale *s, double value)
{
    if (!isfinite(value) || (s->log && value <= 0))
        return (double)NAN;
    double share = s->log ? log(value / s->from) / log(s->to / s->from) : (value - s->from) / (s->to - s->from);
    return s->first + share * (s->last - s->first);
}

double view_svg_step(double span, int n)
{
    double power = pow(10, floor(log10(span / n)));
    for (int i = 0; i < 3; i++) {
        double step = power * (double[]){1, 2, 5}[i];
        if (step * n >= span * 0.999)
            return step;
    }
    return 10 * power;
}

/* Where the ticks of a scale are; decades, and 2 and 5 between few of them, on a logarithmic one. */
static size_t ticks(const struct view_svg_scale *s, int about, double tick[static TICKS])
{
    size_t n = 0;
    if (s->log) {
        bool few = log10(s->to / s->from) < 2.5;
        for (double power = pow(10, floor(log10(s->from))); power <= s->to && n < TICKS; power *= 10)
            for (int i = 0; i < 3 && n < TICKS; i++) {
                double value = power * (double[]){1, 2, 5}[i];
                if (value >= s->from * 0.999 && value <= s->to * 1.001 && (few || i == 0))
                    tick[n++] = value;
            }
        return n;
    }
    double by = view_svg_step(s->to - s->from, about);
    for (double k = ceil(s->from / by - 1e-9); k * by <= s->to + by * 1e-9 && n < TICKS; k++)
        tick[n++] = k * by;
    return n;
}

static void tip_in(FILE *f, const char *tip)
{
    if (!tip || !*tip)
        return;
    fputs("<title>", f);
    view_capture_page_text(f, tip);
    fputs("</title>", f);
}

void view_svg_begin(FILE *f, const char *id, int width, int height, const char *title, const char *description)
{
    fprintf(f, "<svg class=\"drawing\" id=\"%s\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
            "aria-labelledby=\"%s-title %s-desc\">\n<title id=\"%s-title\">", id, width, height, width, height, id, id,
            id);
    view_capture_page_text(f, title);
    fprintf(f, "</title>\n<desc id=\"%s-desc\">", id);
    view_capture_page_text(f, description);
    fputs("</desc>\n", f);
}

void view_svg_end(FILE *f)
{
    fputs("</svg>\n", f);
}

void view_svg_text(FILE *f, double x, double y, const char *class, const char *text)
{
    fprintf(f, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
    view_capture_page_text(f, text);
    fputs("</text>\n", f);
}

void view_svg_text_up(FILE *f, double x, double y, const char *class, const char *text)
{
    fprintf(f, "<text class=\"%s\" transform=\"translate(%.1f %.1f) rotate(-90)\">", class, x, y);
    view_capture_page_text(f, text);
    fputs("</text>\n", f);
}

void view_svg_axes(FILE *f, const struct view_svg_frame *a)
{
    double tick[TICKS], left = a->x.first, right = a->x.last, bottom = a->y.first, top = a->y.last;
    char number[32];
    size_t n = a->y_ticks ? ticks(&a->y, a->y_ticks, tick) : 0, wide = 0;
    for (size_t i = 0; i < n; i++) {
        double y = view_svg_place(&a->y, tick[i]);
        fprintf(f, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n", left, y, right);
        snprintf(number, sizeof number, "%.6g", fabs(tick[i]) < 1e-12 ? 0 : tick[i]);
        wide = strlen(number) > wide ? strlen(number) : wide;
        view_svg_text(f, left - 6, y + 4, "end", number);
    }
    n = a->x_ticks ? ticks(&a->x, a->x_ticks, tick) : 0;
    for (size_t i = 0; i < n; i++) {
        double x = view_svg_place(&a->x, tick[i]);
        fprintf(f, "<path class=\"grid\" d=\"M%.1f %.1fv5\"/>\n", x, bottom);
        snprintf(number, sizeof number, "%.6g", fabs(tick[i]) < 1e-12 ? 0 : tick[i]);
        view_svg_text(f, x, bottom + 18, "mid", number);
    }
    fprintf(f, "<path class=\"edge\" d=\"M%.1f %.1fH%.1f\"/>\n", left, bottom, right);
    if (a->x_label)
        view_svg_text(f, (left + right) / 2, bottom + 34, "mid", a->x_label);
    if (a->y_label)
        view_svg_text_up(f, left - 16 - LABEL_WIDTH * (double)wide, (top + bottom) / 2, "mid", a->y_label);
}

void view_svg_line(FILE *f, const struct view_svg_frame *a, const char *class, const double *x, const double *y,
                   size_t n)
{
    bool drawing = false;
    fprintf(f, "<path class=\"line %s\" d=\"", class);
    for (size_t i = 0; i < n; i++) {
        double px = view_svg_place(&a->x, x[i]), py = view_svg_place(&a->y, y[i]);
        bool there = isfinite(px) && isfinite(py);
        if (there)
            fprintf(f, "%c%.1f %.1f", drawing ? 'L' : 'M', px, py);
        drawing = there;
    }
    fputs("\"/>\n", f);
}

static void shape_path(FILE *f, enum view_svg_shape shape, double x, double y)
{
    static const char *const path[VIEW_SVG_SHAPES] = {
        [VIEW_SVG_CIRCLE] = "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
        [VIEW_SVG_SQUARE] = "m-3.6 -3.6h7.2v7.2h-7.2z",
        [VIEW_SVG_TRIANGLE] = "m0 -4.6l4.4 7.8h-8.8z",
        [VIEW_SVG_DIAMOND] = "m0 -5l5 5l-5 5l-5 -5z",
        [VIEW_SVG_CROSS] = "m-3.6 -3.6l7.2 7.2m0 -7.2l-7.2 7.2",
    };
    fprintf(f, "M%.1f %.1f%s", x, y, path[shape]);
}

void view_svg_mark(FILE *f, const struct view_svg_frame *a, const char *class, enum view_svg_shape shape, double x,
                   double y, double half, double shift, const char *tip)
{
    double px = view_svg_place(&a->x, x) + shift, py = view_svg_place(&a->y, y);
    double low = view_svg_place(&a->y, y - half), high = view_svg_place(&a->y, y + half);
    if (!isfinite(px) || !isfinite(py))
        return;
    fprintf(f, "<g class=\"mark %s\">", class);
    tip_in(f, tip);
    if (isfinite(low) && isfinite(high))
        fprintf(f, "<path class=\"whisker\" d=\"M%.1f %.1fV%.1fm-3 0h6M%.1f %.1fh6\"/>", px, low, high, px - 3, low);
    fputs("<path d=\"", f);
    shape_path(f, shape, px, py);
    fputs("\"/></g>\n", f);
}

void view_svg_bar(FILE *f, const struct view_svg_frame *a, const char *class, double from, double to, double y,
                  const char *tip)
{
    double left = view_svg_place(&a->x, from), right = view_svg_place(&a->x, to), top = view_svg_place(&a->y, y);
    double base = view_svg_place(&a->y, 0);
    if (!isfinite(left) || !isfinite(right) || !isfinite(top) || !isfinite(base))
        return;
    fprintf(f, "<rect class=\"bar %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">", class, fmin(left, right),
            fmin(top, base), fabs(right - left), fabs(base - top));
    tip_in(f, tip);
    fputs("</rect>\n", f);
}

static void cell_of(const struct view_svg_map *m, size_t column, size_t row, struct view_svg_cell *cell)
{
    *cell = (struct view_svg_cell){.edge = -1};
    m->cell(m->user, column, row, cell);
}

/* Lines between cells of different groups. */
static void map_edges(FILE *f, const struct view_svg_map *m)
{
    struct view_svg_cell cell, right, above;
    fputs("<path class=\"bound\" d=\"", f);
    for (size_t row = 0; row < m->rows; row++)
        for (size_t column = 0; column < m->columns; column++) {
            double x = m->left + m->width * (double)(column + 1), y = m->top + m->height * (double)(m->rows - row - 1);
            right = above = (struct view_svg_cell){.edge = -1};
            cell_of(m, column, row, &cell);
            if (column + 1 < m->columns)
                cell_of(m, column + 1, row, &right);
            if (row + 1 < m->rows)
                cell_of(m, column, row + 1, &above);
            if (cell.edge >= 0 && right.edge >= 0 && right.edge != cell.edge)
                fprintf(f, "M%.1f %.1fv%.1f", x, y, m->height);
            if (cell.edge >= 0 && above.edge >= 0 && above.edge != cell.edge)
                fprintf(f, "M%.1f %.1fh%.1f", x - m->width, y, m->width);
        }
    fputs("\"/>\n", f);
}

static void map_names(FILE *f, const struct view_svg_map *m)
{
    double bottom = m->top + m->height * (double)m->rows, middle = m->left + m->width * (double)m->columns / 2;
    size_t widest = 1, wide = 0;
    for (size_t i = 0; i < m->columns; i++)
        widest = strlen(m->column_name[i]) > widest ? strlen(m->column_name[i]) : widest;
    size_t every = (size_t)ceil((TINY_WIDTH * (double)widest + 1) / m->width);
    for (size_t i = 0; i < m->columns; i += every)
        view_svg_text(f, m->left + m->width * ((double)i + 0.5), bottom + 14, "mid tiny", m->column_name[i]);
    for (size_t i = 0; i < m->rows; i++) {
        view_svg_text(f, m->left - 4, m->top + m->height * ((double)(m->rows - i) - 0.5) + 4, "end small",
                      m->row_name[i]);
        wide = strlen(m->row_name[i]) > wide ? strlen(m->row_name[i]) : wide;
    }
    if (m->x_label)
        view_svg_text(f, middle, bottom + 30, "mid", m->x_label);
    if (m->y_label)
        view_svg_text_up(f, m->left - 15 - LABEL_WIDTH * (double)wide, (m->top + bottom) / 2, "mid", m->y_label);
    if (m->title)
        view_svg_text(f, middle, m->top - 6, "mid name", m->title);
}

void view_svg_map(FILE *f, const struct view_svg_map *m)
{
    struct view_svg_cell cell;
    for (size_t row = 0; row < m->rows; row++)
        for (size_t column = 0; column < m->columns; column++) {
            double x = m->left + m->width * (double)column, y = m->top + m->height * (double)(m->rows - row - 1);
            cell_of(m, column, row, &cell);
            if (!cell.class[0])
                continue;
            fprintf(f, "<g class=\"cell\">");
            tip_in(f, cell.tip);
            fprintf(f, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", cell.class, x, y,
                    m->width, m->height);
            if (cell.text[0] && m->width >= SMALL_CELL)
                view_svg_text(f, x + m->width / 2, y + m->height / 2 + 3.5, "mid in", cell.text);
            fputs("</g>\n", f);
        }
    map_edges(f, m);
    map_names(f, m);
}

static void key_begin(FILE *f)
{
    fputs("<span class=\"meaning\"><svg class=\"sample\" viewBox=\"0 0 26 14\" width=\"26\" height=\"14\" "
          "aria-hidden=\"true\">", f);
}

static void key_end(FILE *f, const char *text)
{
    fputs("</svg> ", f);
    view_capture_page_text(f, text);
    fputs("</span>\n", f);
}

void view_svg_key_line(FILE *f, const char *class, const char *text)
{
    key_begin(f);
    fprintf(f, "<path class=\"line %s\" d=\"M0 7H26\"/>", class);
    key_end(f, text);
}

void view_svg_key_mark(FILE *f, const char *class, enum view_svg_shape shape, const char *text)
{
    key_begin(f);
    fprintf(f, "<g class=\"mark %s\"><path d=\"", class);
    shape_path(f, shape, 13, 7);
    fputs("\"/></g>", f);
    key_end(f, text);
}

void view_svg_key_cell(FILE *f, const char *class, const char *letter, const char *text)
{
    key_begin(f);
    fprintf(f, "<rect class=\"%s\" x=\"3\" width=\"20\" height=\"14\"/>", class);
    if (letter && *letter)
        view_svg_text(f, 13, 11, "mid in", letter);
    key_end(f, text);
}
