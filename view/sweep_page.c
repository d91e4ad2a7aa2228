/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/sweep_page.h"

#include "base/outfile.h"
#include "results/csv.h"
#include "view/capture_page_parts.h"
#include "view/svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_SHOWN 400 /* of a figure's data; more are in the CSV alone */

static const struct {
    const char *part;
    view_sweep_page_draw *draw;
} draws[] = {
    {"resources", page_resources}, {"patterns", page_patterns}, {"regimes", page_regimes}, {"engines", page_engines},
};
enum { DRAWS = sizeof draws / sizeof *draws };

void view_sweep_page_number(struct view_table *t, double value)
{
    char text[32] = "";
    if (isfinite(value))
        snprintf(text, sizeof text, "%.12g", value);
    view_table_add(t, "%s", text);
}

void view_sweep_page_figure(struct view_sweep_page *p, enum view_sweep_page_kind kind, const char *format, ...)
{
    char title[256];
    va_list args;
    va_start(args, format);
    vsnprintf(title, sizeof title, format, args);
    va_end(args);
    fprintf(p->f, "<figure id=\"figure%d\">\n<h3>%d. ", p->figures + 1, p->figures + 1);
    p->figures++;
    view_capture_page_text(p->f, title);
    fprintf(p->f, " <span class=\"origin simulated\">simulated</span>%s</h3>\n",
            kind == VIEW_SWEEP_PAGE_SIMULATED
                ? ""
                : " <span class=\"origin published\">beside measured, Zhu et al. 2014</span>");
    fprintf(p->contents, "<li><a href=\"#figure%d\">", p->figures);
    view_capture_page_text(p->contents, title);
    fputs("</a></li>\n", p->contents);
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

static bool data_link(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const struct view_table *t,
                      struct error *err)
{
    char *text = NULL, name[300];
    size_t size = 0;
    FILE *csv = open_memstream(&text, &size);
    for (size_t i = 0; csv && i < t->n; i++) {
        results_csv_text(csv, t->cell[i]);
        putc((i + 1) % t->columns ? ',' : '\n', csv);
    }
    if (!csv || fclose(csv) != 0) {
        free(text);
        return error_set(err, ERROR_SYSTEM, "out of memory");
    }
    snprintf(name, sizeof name, "%s-figure%d.csv", s->name, p->figures);
    fputs("<a download=\"", p->f);
    view_capture_page_text(p->f, name);
    fputs("\" href=\"data:text/csv;charset=utf-8,", p->f);
    put_uri(p->f, text);
    fputs("\">", p->f);
    view_capture_page_say(p->f, "%s", name);
    fprintf(p->f, "</a>, %zu row%s", t->n / t->columns - 1, t->n == 2 * t->columns ? "" : "s");
    free(text);
    return true;
}

/* What one runs to have the numbers of a sweep again. */
static bool commands(FILE *f, const struct view_sweep_page_sweep *s, bool whole, struct error *err)
{
    char *yaml = NULL, *db = NULL, *csv = NULL, *a = NULL, *b = NULL, *c = NULL;
    bool ok = asprintf(&yaml, "%s.yaml", s->name) >= 0 && asprintf(&db, "%s.db", s->name) >= 0 &&
              asprintf(&csv, "%s.csv", s->name) >= 0 && (a = view_capture_page_shell_word(yaml)) &&
              (b = view_capture_page_shell_word(db)) && (c = view_capture_page_shell_word(csv));
    if (ok) {
        fputs("<pre class=\"command\">", f);
        view_capture_page_say(f, "contraflow sweep %s", a);
        if (s->first_seed >= 0)
            view_capture_page_say(f, " --seed %" PRId64, s->first_seed);
        fputs(whole ? "\n" : " && ", f);
        view_capture_page_say(f, "contraflow fit %s%s", b, whole ? "" : " --json");
        if (whole) {
            fputs("\n", f);
            view_capture_page_say(f, "contraflow sweep export %s --flows > %s", b, c);
            fputs("\n", f);
            view_capture_page_say(f, "contraflow report %s", b);
        }
        fputs("</pre>\n", f);
    } else {
        error_set(err, ERROR_SYSTEM, "out of memory");
    }
    free(yaml);
    free(db);
    free(csv);
    free(a);
    free(b);
    free(c);
    return ok;
}

bool view_sweep_page_figure_end(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const char *caption,
                                struct view_table *data, struct error *err)
{
    fprintf(p->f, "<figcaption>%s</figcaption>\n<div class=\"source\">Data: ", caption);
    bool ok = data_link(p, s, data, err);
    fprintf(p->f, ". Commands (the sweep's file is <a href=\"#%s%td\">above</a>):\n", "sweep", s - p->sweep + 1);
    ok = ok && commands(p->f, s, false, err);
    if (ok && data->n / data->columns <= ROWS_SHOWN) {
        fputs("<details><summary>Data as a table</summary>\n", p->f);
        ok = view_capture_page_table(p->f, "What the figure above is drawn from", data, 0, err);
        fputs("</details>\n", p->f);
    } else {
        view_table_fini(data);
    }
    fputs("</div>\n</figure>\n", p->f);
    return ok;
}

static void fact(FILE *f, const char *name)
{
    fprintf(f, "<dt>%s</dt><dd>", name);
}

/* Line by line: view_capture_page_text() is for words, and takes a line's end for something not printable. */
static void show_file(FILE *f, const char *what, const char *text)
{
    fprintf(f, "<details><summary>%s</summary>\n<pre class=\"text\">", what);
    while (*text) {
        size_t n = strcspn(text, "\n");
        char *line = strndup(text, n);
        view_capture_page_text(f, line ? line : "");
        free(line);
        fputs(text[n] ? "\n" : "", f);
        text += n + (text[n] != '\0');
    }
    fputs("</pre>\n</details>\n", f);
}

static bool show_facts(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, struct error *err)
{
    FILE *f = p->f;
    fputs("<dl>", f);
    fact(f, "database");
    view_capture_page_text(f, s->path);
    fputs("</dd>", f);
    fact(f, "points");
    fprintf(f, "%" PRId64 " done, %" PRId64 " failed, %" PRId64 " waiting, of %" PRId64 "</dd>", s->done, s->failed,
            s->points - s->done - s->failed, s->points);
    fact(f, "made by");
    view_capture_page_say(f, "contraflow %s", s->version);
    fputs("</dd>", f);
    fact(f, "engine");
    view_capture_page_text(f, s->engines[0] ? s->engines : "none yet");
    fputs(": simulated, nothing of it was seen on a network</dd>", f);
    fact(f, "seeds");
    view_capture_page_text(f, s->seeds);
    fputs("</dd>", f);
    fact(f, "time");
    fprintf(f, "%.3g s of one processor</dd></dl>\n", s->wall_s);
    show_file(f, "The sweep's file", s->text);
    show_file(f, "The scenario that it names", s->scenario);
    fputs("<p>To make it again from these:</p>\n", f);
    return commands(f, s, true, err);
}

static void show_value(struct view_table *t, const char *name, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(12));
    view_table_add(t, "%s", name);
    view_table_add(t, "%s", json_is_string(value) ? json_string_value(value) : text ? text : "");
    free(text);
}

/* A part that has no figure of its own, as it stands. */
static bool show_plainly(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const char *name,
                         const json_t *part, struct error *err)
{
    static const char *const head[] = {"member", "value"};
    struct view_table t, shown;
    const char *key;
    json_t *value;
    view_table_start(&t, head, 2);
    view_table_start(&shown, head, 2);
    json_object_foreach((json_t *)part, key, value)
    {
        show_value(&t, key, value);
        if (!json_is_array(value) && !json_is_object(value))
            show_value(&shown, key, value);
    }
    view_sweep_page_figure(p, VIEW_SWEEP_PAGE_SIMULATED, "What fit says of %s", name);
    return view_capture_page_table(p->f, name, &shown, 1, err) &&
           view_sweep_page_figure_end(p, s, "As it stands in the JSON.", &t, err);
}

static bool show_sweep(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, struct error *err)
{
    const char *name;
    json_t *part;
    fprintf(p->f, "<section id=\"sweep%td\">\n<h2>", s - p->sweep + 1);
    view_capture_page_text(p->f, s->title[0] ? s->title : s->name);
    fprintf(p->contents, "<li><a href=\"#sweep%td\">", s - p->sweep + 1);
    view_capture_page_text(p->contents, s->title[0] ? s->title : s->name);
    fputs("</a> (", p->contents);
    view_capture_page_text(p->contents, s->name);
    fputs(".db)<ul>\n", p->contents);
    fputs(" <span class=\"origin simulated\">simulated</span></h2>\n", p->f);
    bool ok = show_facts(p, s, err);
    if (json_object_size(s->fit) == 0)
        fputs(s->done ? "<p>No figure: 'contraflow fit' has no rule for these points.</p>\n"
                      : "<p>No figure: no point is done yet.</p>\n", p->f);
    json_object_foreach(s->fit, name, part)
    {
        int i = 0;
        while (i < DRAWS && strcmp(draws[i].part, name) != 0)
            i++;
        ok = ok && (i < DRAWS ? draws[i].draw(p, s, part, err) : show_plainly(p, s, name, part, err));
    }
    fputs("</section>\n", p->f);
    fputs("</ul></li>\n", p->contents);
    return ok;
}

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<title>contraflow: sweeps, and the figures of Zhu et al. 2014</title>\n<style>\n";

static const char opening[] =
    "</style>\n</head>\n<body>\n<header>contraflow " CONTRAFLOW_VERSION " report</header>\n<main>\n"
    "<h1>Sweeps, and the figures of Zhu et al. 2014</h1>\n"
    "<p>Zhu, Lastovetsky, Ali, Riesen and Hasanov 2014 measured on clusters how full-duplex Ethernet shares its\n"
    "bandwidth. Here their figures are drawn anew from simulations: what comes from <code>contraflow sweep</code> is\n"
    "called <b>simulated</b>, what the paper <b>measured</b> has its table named. No line, marker or bar on this page\n"
    "is a measurement unless it says so.</p>\n<nav aria-label=\"Contents\"><ul>\n";

bool view_sweep_page_write(const char *path, const struct view_sweep_page_sweep *sweep, size_t n, struct error *err)
{
    char *body = NULL, *contents = NULL;
    size_t size;
    struct outfile file;
    if (!outfile_open(&file, path, err))
        return false;
    struct view_sweep_page p = {
        .f = open_memstream(&body, &size), .contents = open_memstream(&contents, &size), .sweep = sweep, .n = n};
    bool ok = p.f && p.contents;
    for (size_t i = 0; ok && i < n; i++)
        ok = show_sweep(&p, &sweep[i], err);
    ok = !(p.f && fclose(p.f) != 0) && ok;
    ok = !(p.contents && fclose(p.contents) != 0) && ok;
    if (ok) {
        const char *const parts[] = {
            head, view_capture_page_css,        view_sweep_page_css, opening, contents, "</ul></nav>\n",
            body, "</main>\n</body>\n</html>\n"};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            fputs(parts[i], file.stream);
        ok = outfile_commit(&file, err);
    } else if (err->code == ERROR_NONE) {
        error_set(err, ERROR_SYSTEM, "%s: out of memory", path);
    }
    outfile_discard(&file);
    free(body);
    free(contents);
    return ok;
}
