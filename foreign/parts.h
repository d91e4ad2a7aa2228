/* SPDX-License-Identifier: GPL-2.0-or-later */
/* foreign/parts.h - for the readers: a format each. */
#pragma once

#include "base/error.h"
#include "foreign/test.h"

#include <jansson.h>

bool foreign_iperf3_read(struct foreign_test *t, const char *path, const json_t *root, struct error *err);
bool foreign_flent_read(struct foreign_test *t, const char *path, const json_t *root, struct error *err);
bool foreign_ss_read(struct foreign_test *t, const char *path, const char *text, struct error *err);

/* Is this the beginning of a line that ss writes for a socket, or of its header? */
bool foreign_ss_line(const char *line);

/* A member that is a finite number; NAN else. */
double foreign_number(const json_t *object, const char *key);
