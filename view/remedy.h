/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/remedy.h - what to do about a diagnosis, as text, and as a shell script that does it in network namespaces of its
 * own: the line of the capture, its flows by iperf3, before and after. */
#pragma once

#include "analysis/rules/resource.h"

/* The answer, the line that it is about, what to do and each thing to type. */
void view_remedy_print(FILE *f, const char *source, const struct analysis_resource *r);

/* The script. ERROR_INPUT when there is nothing that it could show: the answer is no yes, or the rates of the line are
 * not known. */
bool view_remedy_script(FILE *f, const char *source, const struct analysis_resource *r, struct error *err);
