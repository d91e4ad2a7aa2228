/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/std.h - what nearly every file asks of the C library. base/error.h and base/memory.h bring it along; what few
 * files ask, such as signals and sockets, they include themselves. */
#pragma once

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef __cplusplus /* which wraps these two in templates, and ours stand in extern "C" there */
#include <math.h>
#include <stdlib.h>
#endif
