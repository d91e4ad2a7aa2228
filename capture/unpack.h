/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/unpack.h - xz (liblzma) and Zstandard (libzstd), a piece at a time and in bounded memory. gzip is zlib's own
 * business, in reader.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `xz -9` asks for 65 MiB and `zstd --ultra -22` for 128; what asks for more is not unpacked. */
#define UNPACK_MEMORY_MIB 256

enum unpack_kind { UNPACK_NONE, UNPACK_XZ, UNPACK_ZSTD };

extern const char *const unpack_names[]; /* "xz" of UNPACK_XZ */

/* By a file's first bytes; six say enough. */
enum unpack_kind unpack_kind_of(const uint8_t *bytes, size_t n);

struct unpack; /* opaque */

enum unpack_state {
    UNPACK_MORE,    /* give it what comes next */
    UNPACK_WHOLE,   /* all that was given is unpacked, and may be all there is: no stream is open */
    UNPACK_DAMAGED, /* from here on; or of another kind */
    UNPACK_LARGE,   /* unpacking asks for more than UNPACK_MEMORY_MIB */
    UNPACK_MEMORY,  /* there is no memory */
};

/* NULL: the library that it needs was missing when contraflow was built. unpack_close() takes NULL, too. */
struct unpack *unpack_open(enum unpack_kind kind);
void unpack_close(struct unpack *u);

/* Unpacks from `in` (n bytes; 0: that was all) to `out`. *used and *made: bytes of either. With UNPACK_MORE either `in`
 * is used up or `out` is full. */
enum unpack_state unpack_take(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out, size_t room,
                              size_t *made);
