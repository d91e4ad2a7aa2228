/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/palette.h"

#include "view/embedded.h"

#include <stdbool.h>
#include <string.h>

/* c0 to c6 follow Okabe and Ito 2008, whom colour-blind eyes can follow, but are so dark by day that their names can be
 * read. Cells (cell-* and q*) are so pale, by night so deep, that letters in ink can be read on them. */
static const struct {
    const char *name, *day, *night;
} palette[] = {
    {"ground", "#fff", "#16181b"},
    {"ink", "#1a1a1a", "#e6e6e6"},
    {"faint", "#666", "#a0a4a8"},
    {"line", "#d8d8d8", "#3a3e43"},
    {"panel", "#f5f6f7", "#1f2226"},
    {"selected", "#0072b233", "#56b4e933"},
    {"bad", "#b3001e", "#ff6b74"},
    {"good", "#5f7a00", "#b5d34c"},
    {"simulated", "#444", "#c4c8cc"}, /* badges: where numbers come from */
    {"published", "#00704f", "#4ccfa4"},
    {"c0", "#0072b2", "#4fa8e8"},
    {"c1", "#c05000", "#ff7f2a"},
    {"c2", "#007f5c", "#1fc796"},
    {"c3", "#b34f88", "#e59ac4"},
    {"c4", "#946300", "#f0b429"},
    {"c5", "#7a5bb5", "#b79cf0"},
    {"c6", "#555", "#c0c0c0"},
    {"eq5", "#007f5c", "#1fc796"}, /* rules, and models that extend them */
    {"eq6", "#0072b2", "#4fa8e8"},
    {"window", "#7a5bb5", "#b79cf0"},
    {"loss", "#c05000", "#ff7f2a"},
    {"none", "#555", "#c0c0c0"},
    {"in", "#946300", "#f0b429"}, /* flows into the shared host, and out */
    {"out", "#b34f88", "#e59ac4"},
    {"cell-eq5", "#8fd3b6", "#1c6148"}, /* regimes */
    {"cell-eq6", "#9ecae9", "#1f5c88"},
    {"cell-window", "#d3bde8", "#5b4080"},
    {"cell-loss", "#f4a582", "#8f4018"},
    {"cell-none", "#cfcfcf", "#50555a"},
    {"cell-unsaturated", "#f3e08a", "#665711"},
    {"cell-unknown", "#fff", "#16181b"},
    {"q0", "#7fb8dc", "#0b5f96"},
    {"q1", "#a9cfe8", "#134c73"},
    {"q2", "#cfe4f2", "#1a3a54"},
    {"q3", "#e8f1f8", "#1d2d3b"},
    {"q4", "#f4f4f4", "#2a2d30"},
    {"q5", "#fdeee0", "#3b2c1c"},
    {"q6", "#fbd9b8", "#54381a"},
    {"q7", "#f6bd85", "#6e4415"},
    {"q8", "#ee9c50", "#8a4f10"},
};
enum { ROWS = sizeof palette / sizeof *palette };

static const char night_begins[] = "@media screen and (prefers-color-scheme: dark) {\n";

static const char *palette_value(int row, bool night)
{
    return night ? palette[row].night : palette[row].day;
}

/* svg.css, and the classes of the colours it draws in, with values for var(--NAME). */
static void palette_fixed(FILE *f, bool night)
{
    for (const char *s = view_svg_css, *at; *s; s = at) {
        at = strstr(s, "var(--");
        at = at ? at : s + strlen(s);
        fwrite(s, 1, (size_t)(at - s), f);
        if (!*at)
            continue;
        at += strlen("var(--");
        size_t n = strcspn(at, ")");
        for (int i = 0; i < ROWS; i++)
            if (strlen(palette[i].name) == n && strncmp(palette[i].name, at, n) == 0)
                fputs(palette_value(i, night), f);
        at += n + 1;
    }
    for (int i = 0; i < ROWS; i++)
        fprintf(f, ".c-%s{color:%s}\n", palette[i].name, palette_value(i, night));
}

void view_palette_picture(FILE *f)
{
    palette_fixed(f, false);
    fputs(night_begins, f);
    palette_fixed(f, true);
    fputs("}\n", f);
}

void view_palette_page(FILE *f)
{
    for (int night = 0; night < 2; night++) {
        fprintf(f, "%s:root {\n", night ? night_begins : "");
        for (int i = 0; i < ROWS; i++)
            fprintf(f, "--%s:%s;\n", palette[i].name, palette_value(i, night));
        fputs(night ? "}\n}\n" : "}\n", f);
    }
    for (int i = 0; i < ROWS; i++)
        fprintf(f, ".c-%s{color:var(--%s)}\n", palette[i].name, palette[i].name);
    fputs(view_svg_css, f);
}
