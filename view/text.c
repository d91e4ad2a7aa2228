/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/text.h"

#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of the UTF-8 sequence at s (RFC 3629), 0 when there is none, or it is a control character. */
static size_t text_sequence(const unsigned char *s)
{
    size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] >= 0xa0, beyond = s[0] == 0xf4 && s[1] >= 0x90;
    bool control = s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0);
    return overlong || surrogate || beyond || control ? 0 : n;
}

void view_text_html(FILE *f, const char *text)
{
    static const char special[] = "&<>\"'";
    static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const char *at = strchr(special, *s);
        size_t n = at ? 1 : text_sequence(s);
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
    char *text = memory_vtext(format, args);
    va_end(args);
    view_text_html(f, text);
    free(text);
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
    memory_stream_end(f);
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
    snprintf(text, VIEW_TEXT_QUANTITY, isfinite(value) ? "%.4g %s" : "-", scaled, prefixed);
    return text;
}
