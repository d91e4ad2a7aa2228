/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/embedded.h - the pages' style, script and words, which view/embed.py makes strings of. */
#pragma once

extern const char view_capture_page_js[], view_capture_page_packets_js[], view_capture_page_how_html[], view_page_css[], view_remedy_sh[],
    view_svg_css[];
