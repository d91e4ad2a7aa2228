/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/page.h"

#include "view/embedded.h"
#include "view/palette.h"

void view_page_begin(FILE *f, const char *title, const char *command, bool script)
{
    fprintf(f, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" "
            "content=\"default-src 'none'; style-src 'unsafe-inline'%s\">\n"
            "<title>%s</title>\n<style>\n", script ? "; script-src 'unsafe-inline'" : "", title);
    view_palette_page(f);
    fprintf(f, "%s</style>\n</head>\n<body>\n<header>contraflow " CONTRAFLOW_VERSION " %s</header>\n", view_page_css,
            command);
}

void view_page_origin(FILE *f, const char *origin)
{
    fprintf(f, " <span class=\"origin %s\">%s</span>", origin, origin);
}
