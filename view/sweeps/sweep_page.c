/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/sweeps/sweep_page.h"

#include "base/outfile.h"
#include "view/page.h"
#include "view/svg.h"
#include "view/text.h"

#define PAGE(NAME, name) [STUDY_FIT_##NAME] = view_sweep_page_##name,
static view_sweep_page_part *const page_parts[STUDY_FIT_PARTS] = {STUDY_FIT_ROWS(PAGE)};

void view_sweep_page_numbers(struct view_table *t, const double *value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isfinite(value[i]))
            view_table_add(t, "%.12g", value[i]);
        else
            view_table_add(t, "%s", "");
}

void view_sweep_page_figure(struct view_sweep_page *p, enum view_sweep_page_kind kind, const char *format, ...)
{
    char title[256];
    va_list args;
    va_start(args, format);
    vsnprintf(title, sizeof title, format, args);
    va_end(args);
    p->figures++;
    fprintf(p->f, "<figure id=\"figure%d\">\n<h3>%d. ", p->figures, p->figures);
    view_text_markup(p->f, "%s", title);
    view_page_origin(p->f, "emulated");
    fputs(kind == VIEW_SWEEP_PAGE_SIMULATED
              ? "</h3>\n" : " <span class=\"origin published\">beside measured, Zhu et al. 2014</span></h3>\n", p->f);
    fprintf(p->contents, "<li><a href=\"#figure%d\">", p->figures);
    view_text_markup(p->contents, "%s</a></li>\n", title);
}

void view_sweep_page_drawing(struct view_sweep_page *p, int part, int width, int height, const char *title,
                             const char *description)
{
    char id[48];
    snprintf(id, sizeof id, "figure%d-%d", p->figures, part);
    view_svg_begin(p->f, id, width, height, title, description);
}

/* A CSV file inside a link: what a URI reserves is escaped (RFC 3986). */
static void put_uri(FILE *f, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~,";
    for (const char *s = text; *s; s++)
        if (strchr(plain, *s))
            putc(*s, f);
        else
            fprintf(f, "%%%02X", (unsigned char)*s);
}

static void data_link(struct view_sweep_page *p, const struct view_table *t)
{
    char *text MEMORY_LOCAL = NULL, name[300];
    size_t size = 0;
    FILE *csv = memory_stream(&text, &size);
    const char *cell = NULL;
    for (size_t i = 0; i < t->n; i++) {
        cell = view_table_next(t, cell);
        results_csv_text(csv, cell);
        putc((i + 1) % t->columns ? ',' : '\n', csv);
    }
    memory_stream_end(csv, &text);
    snprintf(name, sizeof name, "%s-figure%d.csv", p->at->name, p->figures);
    view_text_markup(p->f, "<a download=\"%s\" href=\"data:text/csv;charset=utf-8,", name);
    put_uri(p->f, text);
    view_text_markup(p->f, "\">%s", name);
    fprintf(p->f, "</a>, %zu row%s", t->n / t->columns - 1, t->n == 2 * t->columns ? "" : "s");
}

/* A file of the sweep's name in a command. */
static void show_word(FILE *f, const char *before, const char *name, const char *ending)
{
    MEMORY_LOCAL char *file = memory_text("%s%s", name, ending), *word = view_text_shell_word(file);
    view_text_htmlf(f, "%s %s", before, word);
}

/* What one runs to have the numbers of a sweep again. */
static void show_commands(FILE *f, const struct view_sweep_page_sweep *s, bool whole)
{
    fputs("<pre class=\"command\">", f);
    show_word(f, "contraflow sweep", s->name, ".yaml");
    if (s->first_seed >= 0)
        fprintf(f, " --seed %" PRId64, s->first_seed);
    fputs(whole ? "\n" : " &amp;&amp; ", f);
    show_word(f, "contraflow fit", s->name, ".db");
    fputs(whole ? "\n" : " --json", f);
    if (whole) {
        show_word(f, "contraflow sweep export", s->name, ".db");
        show_word(f, " --flows >", s->name, ".csv");
        fputs("\n", f);
        show_word(f, "contraflow report", s->name, ".db");
    }
    fputs("</pre>\n", f);
}

void view_sweep_page_figure_end(struct view_sweep_page *p, const char *caption, struct view_table *data)
{
    fprintf(p->f, "<figcaption>%s\n<div class=\"source\">Data: ", caption);
    data_link(p, data);
    fprintf(p->f, ". Commands (the sweep's file is <a href=\"#sweep%td\">above</a>):\n", p->at - p->sweep + 1);
    show_commands(p->f, p->at, false);
    view_table_fini(data);
    fputs("</div></figcaption>\n</figure>\n", p->f);
}

/* Line by line: view_text_html() is for words, and takes a line's end for something not printable. */
static void show_file(FILE *f, const char *what, const char *text)
{
    fprintf(f, "<details><summary>%s</summary>\n<pre class=\"text\">", what);
    for (size_t n; *text; text += n + (text[n] != '\0')) {
        n = strcspn(text, "\n");
        view_text_htmlf(f, "%.*s", (int)n, text);
        fputs(text[n] ? "\n" : "", f);
    }
    fputs("</pre>\n</details>\n", f);
}

static void show_facts(struct view_sweep_page *p, const struct view_sweep_page_sweep *s)
{
    FILE *f = p->f;
    view_text_markup(f, "<div class=\"facts\">\n<dl><dt>database</dt><dd>%s</dd><dt>points</dt><dd>", s->path);
    fprintf(f, "%" PRId64 " done, %" PRId64 " failed, %" PRId64 " waiting, of %" PRId64, s->done, s->failed,
            s->points - s->done - s->failed, s->points);
    view_text_markup(f, "</dd><dt>made by</dt><dd>contraflow %s</dd><dt>engine</dt><dd>%s: simulated, nothing was seen "
                     "on a network</dd><dt>seeds</dt><dd>%s</dd>", s->version, s->engines[0] ? s->engines : "none yet",
                     s->seeds);
    fprintf(f, "<dt>time</dt><dd>%s s of one processor</dd></dl>\n<div>\n", UNITS_FIGURE(s->wall_s, 3));
    show_file(f, "The sweep's file", s->text);
    show_file(f, "The scenario that it names", s->scenario);
    fputs("<p>To make it again from these:</p>\n", f);
    show_commands(f, s, true);
    fputs("</div>\n</div>\n", f);
}

static const char *sweep_title(const struct view_sweep_page_sweep *s)
{
    return s->title[0] ? s->title : s->name;
}

static bool show_sweep(struct view_sweep_page *p, struct error *err)
{
    const struct view_sweep_page_sweep *s = p->at;
    const char *title = sweep_title(s);
    bool any = false, ok = true;
    fprintf(p->f, "<section id=\"sweep%td\">\n<h2>", s - p->sweep + 1);
    view_text_markup(p->f, "%s", title);
    view_page_origin(p->f, "emulated");
    fputs("</h2>\n", p->f);
    fprintf(p->contents, "<li><a href=\"#sweep%td\">", s - p->sweep + 1);
    view_text_markup(p->contents, "%s</a> (%s.db)<ul>\n", title, s->name);
    MEMORY_LOCAL char *headline = view_sweep_page_headline(s);
    if (p->n > 1) /* of one it is the page's */
        view_text_markup(p->f, "<p class=\"headline\">%s</p>\n", headline);
    show_facts(p, s);
    for (int i = 0; ok && i < STUDY_FIT_PARTS; i++)
        if (study_fit_read_has(&s->fit, (enum study_fit_kind)i)) {
            ok = page_parts[i](p, err);
            any = true;
        }
    if (!any)
        fputs(s->done ? "<p>No figure: 'contraflow fit' has no rule for these points.</p>\n"
                      : "<p>No figure: no point is done yet.</p>\n", p->f);
    fputs("</section>\n", p->f);
    fputs("</ul></li>\n", p->contents);
    return ok;
}

static const char opening[] =
    "<p>Zhu, Lastovetsky, Ali, Riesen and Hasanov 2014 measured on clusters how full-duplex Ethernet shares its\n"
    "bandwidth. This page draws their figures again, from simulations: what comes from <code>contraflow sweep</code>\n"
    "is called <b>emulated</b>, or simulated; what the paper <b>measured</b> is called so, with the number of its table. No other\n"
    "line, marker or bar on this page is a measurement.</p>\n<nav aria-label=\"Contents\"><ul>\n";

bool view_sweep_page_write(const char *path, const struct view_sweep_page_sweep *sweep, size_t n, struct error *err)
{
    char *body = NULL, *contents = NULL;
    size_t size;
    struct outfile file;
    if (!outfile_open(&file, path, err))
        return false;
    struct view_sweep_page p = {
        .f = memory_stream(&body, &size), .contents = memory_stream(&contents, &size), .sweep = sweep, .n = n};
    bool ok = true;
    for (p.at = sweep; ok && p.at < sweep + n; p.at++)
        ok = show_sweep(&p, err);
    memory_stream_end(p.f, &body);
    memory_stream_end(p.contents, &contents);
    if (ok) {
        view_page_begin(file.stream, "contraflow: sweeps, and the figures of Zhu et al. 2014", "report", false);
        MEMORY_LOCAL char *headline = view_sweep_page_headline(sweep);
        view_text_markup(file.stream, "<main class=\"sweeps\">\n<h1>%s%s%s</h1>\n", n > 1 ? sweep_title(sweep) : "",
                         n > 1 ? ": " : "", headline);
        const char *const texts[] = {opening, contents, "</ul></nav>\n", body, "</main>\n</body>\n</html>\n"};
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            fputs(texts[i], file.stream);
        ok = outfile_commit(&file, err);
    }
    outfile_discard(&file);
    MEMORY_FREE(body, contents);
    return ok;
}
