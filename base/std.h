/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/std.h - what nearly every file asks of the C library. base/memory.h and, with that, base/error.h bring it
 * along; what few files ask, such as signals and sockets, they include themselves. */
#pragma once

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Behind a parameter that a table of functions asks for, and this one of them does not: "void *user UNUSED". */
#define UNUSED __attribute__((unused))
