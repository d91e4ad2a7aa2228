/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/capture_page_parts.h"

#include <stdarg.h>
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

void view_capture_page_text(FILE *f, const char *text)
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

void view_capture_page_say(FILE *f, const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) >= 0) {
        view_capture_page_text(f, text);
        free(text);
    }
    va_end(args);
}

char *view_capture_page_shell_word(const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+:@%,=";
    bool bare = *text && text[strspn(text, safe)] == '\0';
    char *word = malloc(4 * strlen(text) + sizeof "./''"), *at = word;
    if (!word)
        return NULL;
    if (!bare)
        *at++ = '\'';
    if (*text == '-') /* not an option */
        at = stpcpy(at, "./");
    for (; *text; text++) {
        if (*text == '\'')
            at = stpcpy(at, "'\\'");
        *at++ = *text;
    }
    if (!bare)
        *at++ = '\'';
    *at = '\0';
    return word;
}

bool view_capture_page_table(FILE *f, const char *caption, struct view_table *t, size_t numbers, struct error *err)
{
    fputs("<div class=\"wide\"><table>\n", f);
    if (caption) {
        fputs("<caption>", f);
        view_capture_page_text(f, caption);
        fputs("</caption>\n", f);
    }
    for (size_t i = 0; i < t->n; i++) {
        size_t column = i % t->columns;
        const char *tag = i < t->columns ? "th" : "td";
        if (column == 0)
            fputs(i == 0 ? "<thead><tr>" : i == t->columns ? "</thead>\n<tbody><tr>" : "<tr>", f);
        fprintf(f, "<%s%s%s>", tag, i < t->columns ? " scope=\"col\"" : "", column >= numbers ? " class=\"n\"" : "");
        view_capture_page_text(f, t->cell[i]);
        fprintf(f, "</%s>", tag);
        if (column + 1 == t->columns)
            fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div>\n", f);
    bool failed = t->failed;
    view_table_fini(t);
    return !failed || error_set(err, ERROR_SYSTEM, "out of memory for the table");
}

void view_capture_page_flow_name(const struct analysis_flow *flow, char text[static VIEW_CAPTURE_PAGE_FLOW_TEXT])
{
    char src[ANALYSIS_ENDPOINT_TEXT], dst[ANALYSIS_ENDPOINT_TEXT];
    analysis_flows_endpoint(&flow->src, flow->src_port, src);
    analysis_flows_endpoint(&flow->dst, flow->dst_port, dst);
    snprintf(text, VIEW_CAPTURE_PAGE_FLOW_TEXT, "%s \xe2\x86\x92 %s", src, dst);
}
