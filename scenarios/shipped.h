/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/shipped.h - the scenarios that come with contraflow, by name: "star" is star.yaml of their directory,
 * "cases/bufferbloat" that of a folder in it. */
#pragma once

#include "base/error.h"

#define SHIPPED_SWEEPS "sweeps" /* their folder */

/* The file that people mean by `word`, for free(): what comes with contraflow under this name, in `folder` ("" the
 * directory itself) first, else the file of this path, or "-" itself (standard input). Nothing that happens to lie here,
 * such as a program called "star", hides a name: "./star" is the file.
 * NULL and *err, ERROR_INPUT, when there is none; *err says which name is near. */
char *shipped_find(const char *word, const char *folder, struct error *err);

/* The file that the file `path` calls `name`, for free(): beside it, unless absolute; where none is there, the one that
 * comes with contraflow. So a copy that somebody changes finds what the original refers to. */
char *shipped_beside(const char *path, const char *name);

/* A scenario that comes with contraflow. */
struct shipped {
    char *name;  /* "star" */
    char *title; /* as the file has it */
};

struct shipped_list {
    struct shipped *entries; /* by name */
    size_t n, capacity;
};

/* Those of `folder`; empty when nothing is installed. */
void shipped_list(struct shipped_list *list, const char *folder);
void shipped_list_fini(struct shipped_list *list);
