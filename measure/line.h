/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/line.h - lines of text over a connection that never waits: what measure's ends say to each other. */
#pragma once

#include "base/std.h"

#define MEASURE_LINE_MOST 512 /* characters, with the line's end */

struct measure_line {
    int fd;                          /* owned; -1: none */
    bool ended;                      /* the other end is gone, or sent what is no line */
    char in[16 * MEASURE_LINE_MOST]; /* read, from `at` to n_in */
    size_t at, n_in;
    char *out;                       /* owned; to be sent, from `sent` to n_out */
    size_t sent, n_out, room;
};

/* Takes a connected socket, and makes it one that does not wait. */
void measure_line_open(struct measure_line *l, int fd);
void measure_line_close(struct measure_line *l); /* safe on one that is closed */

/* Reads what has come; sets `ended`. */
void measure_line_fill(struct measure_line *l);

/* The next whole line without its end, valid until measure_line_fill(); NULL when there is none. */
char *measure_line_next(struct measure_line *l);

/* The number at the beginning of *at, of decimal digits with at most `decimals` of them behind a point, times
 * 10^decimals and within a range; *at goes beyond it and the blanks behind it. False when there is none: this reads
 * whatever number another end says, and nothing else does. */
bool measure_line_number(const char **at, int decimals, int64_t least, int64_t most, int64_t *value);

/* Adds a line, printf-style with its end, and sends what goes; measure_line_flush() sends the rest later. */
void measure_line_say(struct measure_line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
void measure_line_flush(struct measure_line *l);
bool measure_line_waits(const struct measure_line *l); /* for room to send */
