/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/palette.h"

#include "base/std.h"

#include "view/embedded.h"

/* c0 to c6 have the hues of Okabe and Ito 2008, but are so dark by day that their names can be read, and so far apart
 * that colour-blind eyes tell each from each. Cells (cell-* and q*) are so pale, by night so deep, that letters in ink
 * can be read on them. test/view/test_palette.c has the limits. */
static const struct {
    const char *name, *day, *night;
} palette[] = {
    {"ground", "#fff", "#16181b"},
    {"ink", "#1a1a1a", "#e6e6e6"},
    {"faint", "#666", "#a0a4a8"},
    {"line", "#d8d8d8", "#3a3e43"},
    {"panel", "#f5f6f7", "#1f2226"},
    {"selected", "#0072b233", "#56b4e933"},
    {"bad", "#84101b", "#fd6c77"},
    {"good", "#5f7a00", "#bbd947"},
    {"simulated", "#444", "#c4c8cc"}, /* badges: where numbers come from */
    {"published", "#00704f", "#4ccfa4"},
    {"c0", "#0072b2", "#4fa8e8"},
    {"c1", "#b75412", "#f06e1d"},
    {"c2", "#037145", "#29a16f"},
    {"c3", "#a25483", "#f8b7e6"},
    {"c4", "#6d4502", "#efb50e"},
    {"c5", "#4f3b9d", "#687dff"},
    {"c6", "#555", "#c0c0c0"},
    {"eq5", "#037145", "#29a16f"}, /* rules, and models that extend them */
    {"eq6", "#0072b2", "#4fa8e8"},
    {"window", "#4f3b9d", "#687dff"},
    {"loss", "#b75412", "#f06e1d"},
    {"none", "#555", "#c0c0c0"},
    {"in", "#6d4502", "#efb50e"}, /* flows into the shared host, and out */
    {"out", "#a25483", "#f8b7e6"},
    {"segment", "#1a1a1a", "#e6e6e6"}, /* of sequence numbers over time, as tcptrace's xplot has white, red, green... */
    {"again", "#8d151a", "#ff626a"},
    {"ack", "#1e7d5c", "#1bc09a"},
    {"sack", "#775bb5", "#b78ede"},
    {"offered", "#9c6500", "#ffbc27"},
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
