/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/document.h - a YAML file as a tree of values, with --set applied.
 *
 * Knows where every value came from, so that errors found later name a line or a set.
 * Knows no key: see scenarios/keys.h. Key paths join keys and entry numbers by dots:
 * "network.link.rate", "traffic.flows.0.from". Nodes are numbered; the root is node 1. */
#pragma once

#include "base/error.h"

struct document; /* opaque */

#define DOCUMENT_BYTES ((size_t)32 << 20) /* 100000 flows are 16 MB: anything larger is another file */

/* A value that a file does not give, or that is put in place of the file's. */
struct document_set {
    const char *text; /* borrowed; "path=value", see scenarios/load.h */
    const char *by;   /* borrowed; who gave it, in front of `text` in errors: "--set ", "sweep.yaml:7: "; NULL: the
                       * program itself, which goes without it where the file leaves no place for it */
};

enum document_kind { DOCUMENT_NONE, DOCUMENT_EMPTY, DOCUMENT_SCALAR, DOCUMENT_SEQUENCE, DOCUMENT_MAPPING };

/* Reads `path` ("-": standard input) and applies `sets` (see scenarios/load.h). NULL and *err when the file cannot be
 * read, is not UTF-8, is not YAML, is empty, has a key twice or more than one document, or when a
 * set has no '=' or leads through a single value. `path` and `sets` are borrowed until
 * document_free(). Aliases become copies. Parsing stops at 32 levels, 1500000 values, 16 MiB of them with their copies,
 * 200000 entries in one list, 100 keys in one mapping, 200 anchors or as many directives, whichever comes first. */
struct document *document_open(const char *path, const struct document_set *sets, size_t n_sets, struct error *err);

/* The same of `size` bytes of text; `path` is what errors call it. */
struct document *document_open_text(const char *path, const char *bytes, size_t size, const struct document_set *sets,
                                    size_t n_sets, struct error *err);
void document_free(struct document *d);

/* The node at a key path; "" is the root. 0 when there is none. */
int document_node(const struct document *d, const char *key_path);

/* What a node is; DOCUMENT_EMPTY: a key with nothing after it, DOCUMENT_NONE: node 0. */
enum document_kind document_kind(const struct document *d, int node);

/* How many values a mapping or a list has; 0 for a single value. */
size_t document_count(const struct document *d, int node);

/* The i-th value of a mapping, with its key, or entry of a list, with ""; 0 beyond the last and below a single
 * value. */
int document_entry(const struct document *d, int node, size_t i, const char **key);

/* A single value's text, NULL for a list or a mapping. */
const char *document_scalar(const struct document *d, int node);

/* Of two values that do not fit together the one to blame: the one that is spelt out, that of the
 * later set, or `a`. */
const char *document_culprit(const struct document *d, const char *a, const char *b);

/* Puts in front of *err where the value stands: "star.yaml:7: network.link.rate: ", or
 * "--set network.link.rate=fast: ". A value that is not there is blamed on what encloses it.
 * Returns false. */
bool document_blame(const struct document *d, const char *key_path, struct error *err);

/* Puts "star.yaml:7: " in front of *err. Returns false. */
bool document_blame_node(const struct document *d, int node, struct error *err);
