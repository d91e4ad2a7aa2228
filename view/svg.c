/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/svg.h"

#include "view/palette.h"
#include "view/text.h"

#define TICKS 64        /* at most */
#define SMALL_CELL 21   /* narrower ones have no text */
#define LABEL_WIDTH 6.2 /* of a character, about */
#define TINY_WIDTH 5.6
#define LABEL_HEIGHT 13.5

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
    view_text_markup(f, "<title>%s</title>", tip);
}

void view_svg_begin(FILE *f, const char *id, int width, int height, const char *title, const char *description)
{
    fprintf(f, "<svg class=\"drawing\" id=\"%s\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
            "aria-labelledby=\"%s-title %s-desc\">\n", id, width, height, width, height, id, id);
    view_text_markup(f, "<title id=\"%s-title\">%s</title>\n<desc id=\"%s-desc\">%s</desc>\n", id, title, id,
                     description);
}

void view_svg_begin_picture(FILE *f, int width, int height, const char *title, const char *subtitle)
{
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" role=\"img\">\n", width, height, width, height);
    view_text_markup(f, "<title>%s</title>\n<style>\n", title);
    view_palette_picture(f);
    fputs("</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n", f);
    view_svg_text(f, 12, 22, "title", title);
    view_svg_text(f, 12, 40, "", subtitle);
}

void view_svg_end(FILE *f)
{
    fputs("</svg>\n", f);
}

void view_svg_text(FILE *f, double x, double y, const char *class, const char *text)
{
    fprintf(f, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
    view_text_markup(f, "%s</text>\n", text);
}

void view_svg_text_up(FILE *f, double x, double y, const char *class, const char *text)
{
    fprintf(f, "<text class=\"%s\" transform=\"translate(%.1f %.1f) rotate(-90)\">", class, x, y);
    view_text_markup(f, "%s</text>\n", text);
}

/* A number at a tick; returns its length. */
static size_t tick_number(char text[static 32], double value, double by)
{
    return (size_t)snprintf(text, 32, "%.6g", fabs(value) < 1e-12 * by ? 0 : value / by);
}

/* "goodput, Mb/s"; empty without a label. */
static double axis_label(const struct view_svg_scale *s, const char *label, const char *unit, char text[static 128])
{
    char prefixed[VIEW_TEXT_UNIT];
    double by = unit ? view_text_unit(fmax(fabs(s->from), fabs(s->to)), unit, prefixed) : 1;
    snprintf(text, 128, "%s%s%s", label ? label : "", label && unit ? ", " : "", label && unit ? prefixed : "");
    return by;
}

void view_svg_axes(FILE *f, const struct view_svg_frame *a)
{
    double tick[TICKS], left = a->x.first, right = a->x.last, bottom = a->y.first, top = a->y.last;
    char number[32], label[128];
    double by = axis_label(&a->y, a->y_label, a->y_unit, label);
    size_t n = a->y_ticks ? ticks(&a->y, a->y_ticks, tick) : 0, wide = 0;
    for (size_t i = 0; i < n; i++) {
        double y = view_svg_place(&a->y, tick[i]);
        size_t length = tick_number(number, tick[i], by);
        fprintf(f, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n", left, y, right);
        view_svg_text(f, left - 6, y + 4, "end", number);
        wide = length > wide ? length : wide;
    }
    if (a->y_label)
        view_svg_text_up(f, left - 16 - LABEL_WIDTH * (double)wide, (top + bottom) / 2, "mid", label);
    by = axis_label(&a->x, a->x_label, a->x_unit, label);
    n = a->x_ticks ? ticks(&a->x, a->x_ticks, tick) : 0;
    for (size_t i = 0; i < n; i++) {
        double x = view_svg_place(&a->x, tick[i]);
        tick_number(number, tick[i], by);
        fprintf(f, "<path class=\"grid\" d=\"M%.1f %.1fv5\"/>\n", x, bottom);
        view_svg_text(f, x, bottom + 18, "mid", number);
    }
    fprintf(f, "<path class=\"edge\" d=\"M%.1f %.1fH%.1f\"/>\n", left, bottom, right);
    if (a->x_label)
        view_svg_text(f, (left + right) / 2, bottom + 34, "mid", label);
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

void view_svg_level(FILE *f, const struct view_svg_frame *a, const char *class, double from, double to, double y)
{
    view_svg_line(f, a, class, (double[]){from, to}, (double[]){y, y}, 2);
}

void view_svg_band(FILE *f, const struct view_svg_frame *a, const char *class, double from, double width,
                   const double *low, const double *high, size_t n)
{
    fprintf(f, "<path class=\"band %s\" d=\"", class);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%c%.1f %.1fH%.1f", i ? 'L' : 'M', view_svg_place(&a->x, from + width * (double)i),
                view_svg_place(&a->y, high[i]), view_svg_place(&a->x, from + width * (double)(i + 1)));
    for (size_t i = n; i-- > 0;)
        fprintf(f, "L%.1f %.1fH%.1f", view_svg_place(&a->x, from + width * (double)(i + 1)),
                view_svg_place(&a->y, low[i]), view_svg_place(&a->x, from + width * (double)i));
    fputs("z\"/>\n", f);
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
    /* An interval ends at the frame: what lies below is the axis' numbers. */
    double least = isfinite(half) && !a->y.log ? fmax(y - half, fmin(a->y.from, a->y.to)) : y - half;
    double low = view_svg_place(&a->y, least), high = view_svg_place(&a->y, y + half);
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
                view_svg_text(f, x + m->width / 2, y + m->height / 2 + 3.5, "mid inside", cell.text);
            fputs("</g>\n", f);
        }
    map_edges(f, m);
    map_names(f, m);
}

static int by_height(const void *a, const void *b)
{
    double x = ((const struct view_svg_label *)a)->y, y = ((const struct view_svg_label *)b)->y;
    return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x > y) - (x < y);
}

void view_svg_labels(FILE *f, struct view_svg_label *labels, size_t n)
{
    double above = -INFINITY;
    char class[40];
    qsort(labels, n, sizeof *labels, by_height);
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(labels[i].x) || !isfinite(labels[i].y))
            continue;
        above = fmax(labels[i].y, above + LABEL_HEIGHT);
        snprintf(class, sizeof class, "own %s", labels[i].class);
        view_svg_text(f, labels[i].x, above, class, labels[i].text);
    }
}

/* A sample's place is filled between these two. */
static const char key_begin[] = "<span class=\"meaning\"><svg class=\"sample\" viewBox=\"0 0 26 14\" width=\"26\" "
                                "height=\"14\" aria-hidden=\"true\">";
static const char key_end[] = "</svg> %s</span>\n";

void view_svg_key_line(FILE *f, const char *class, const char *text)
{
    fprintf(f, "%s<path class=\"line %s\" d=\"M0 7H26\"/>", key_begin, class);
    view_text_markup(f, key_end, text);
}

void view_svg_key_mark(FILE *f, const char *class, enum view_svg_shape shape, const char *text)
{
    fprintf(f, "%s<g class=\"mark %s\"><path d=\"", key_begin, class);
    shape_path(f, shape, 13, 7);
    fputs("\"/></g>", f);
    view_text_markup(f, key_end, text);
}

void view_svg_key_cell(FILE *f, const char *class, const char *letter, const char *text)
{
    fprintf(f, "%s<rect class=\"%s\" x=\"3\" width=\"20\" height=\"14\"/>", key_begin, class);
    if (letter)
        view_svg_text(f, 13, 11, "mid inside", letter);
    view_text_markup(f, key_end, text);
}
