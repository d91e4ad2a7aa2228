/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/filekind.h - what a file is by how it begins, for people who gave it to the wrong command. */
#pragma once

#include "base/error.h"

enum filekind {
    FILEKIND_UNKNOWN,
    FILEKIND_CAPTURE,  /* pcap, pcapng, or anything packed with gzip, xz or zstd */
    FILEKIND_DATABASE, /* SQLite's */
    FILEKIND_SCENARIO, /* YAML with network:, traffic:, tcp:, gbn: or duration: */
    FILEKIND_SWEEP,    /* YAML with axes: or scenario: */
};

/* Of a regular file; others are FILEKIND_UNKNOWN. False and *err when one is there that cannot be read; the second one
 * says FILEKIND_UNKNOWN then, too. */
bool filekind_read(const char *path, enum filekind *kind, struct error *err);
enum filekind filekind_of(const char *path);

/* After PATH could not be read as `wanted`: if it is of another kind, *err becomes "x.pcap: this is a capture:
 * contraflow analyze x.pcap". Otherwise *err stays. Returns false. */
bool filekind_blame(const char *path, enum filekind wanted, struct error *err);
