/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/text.h"

#include "base/print.h"
#include "base/units.h"

void view_text_html(FILE *f, const char *text)
{
    static const char special[] = "&<>\"'";
    static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (const char *s = text, *end = text + strlen(text); s < end;) {
        const char *at = strchr(special, *s);
        size_t n = at ? 1 : print_character(s, (size_t)(end - s));
        if (at)
            fputs(entity[at - special], f);
        else if (n)
            fwrite(s, 1, n, f);
        else
            fputs("&#xfffd;", f);
        s += n ? n : 1;
    }
}

void view_text_htmlf(FILE *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    MEMORY_LOCAL char *text = memory_vtext(format, args);
    va_end(args);
    view_text_html(f, text);
}

void view_text_markup(FILE *f, const char *markup, ...)
{
    va_list args;
    va_start(args, markup);
    for (const char *s = markup; *s; s++)
        if (*s != '%')
            putc(*s, f);
        else if (*++s == 's')
            view_text_html(f, va_arg(args, const char *));
        else
            putc('%', f);
    va_end(args);
}

char *view_text_shell_word(const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+:@%,=";
    bool bare = *text && text[strspn(text, safe)] == '\0';
    char *word = NULL;
    size_t size;
    FILE *f = memory_stream(&word, &size);
    fprintf(f, "%s%s", bare ? "" : "'", *text == '-' ? "./" : ""); /* no option begins so */
    for (; *text; text++)
        fprintf(f, "%s%c", *text == '\'' ? "'\\'" : "", *text);
    fputs(bare ? "" : "'", f);
    memory_stream_end(f, &word);
    return word;
}

double view_text_unit(double top, const char *unit, char text[static VIEW_TEXT_UNIT])
{
    static const struct {
        double factor;
        const char *prefix;
    } large[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}, small[] = {{1, ""}, {1e-3, "m"}, {1e-6, "u"}};
    bool time = strcmp(unit, "s") == 0;
    int i = 0, last = time ? 2 : 3;
    while (i < last && !(fabs(top) >= (time ? small : large)[i].factor))
        i++;
    snprintf(text, VIEW_TEXT_UNIT, "%s%s", (time ? small : large)[i].prefix, unit);
    return (time ? small : large)[i].factor;
}

const char *view_text_quantity(double value, const char *unit, char text[static VIEW_TEXT_QUANTITY])
{
    char prefixed[VIEW_TEXT_UNIT];
    double scaled = value / view_text_unit(value, unit, prefixed);
    snprintf(text, VIEW_TEXT_QUANTITY, isfinite(value) ? "%s %s" : "%s", UNITS_FIGURE(scaled, 4), prefixed);
    return text;
}
