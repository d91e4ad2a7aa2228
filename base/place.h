/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/place.h - what belongs to this program and lies elsewhere. It is looked for from where the program itself is
 * (/proc/self/exe), so that a whole installation may be moved: in the directory of the build, where all lies together,
 * or from PREFIX/bin in PREFIX/libexec/contraflow and PREFIX/share/contraflow. */
#pragma once

#include "base/error.h"

/* Path of the program contraflow-NAME, which another program starts; where it is neither, where a build would have it.
 * False and *err, ERROR_SYSTEM, without /proc. */
bool place_program(const char *name, char *path, size_t size, struct error *err);

/* Path of a file or directory of the scenarios that come with contraflow, for free(); "" is their own directory. NULL
 * when there is none of this name. */
char *place_scenario(const char *name);

/* Path of the directory of JSON Schemas, for free(); NULL when there is none. */
char *place_schemas(void);
