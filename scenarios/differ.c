/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/differ.h"

#include "scenarios/document.h"

enum { BEFORE, AFTER, SIDES };

struct differ {
    struct document *side[SIDES]; /* owned */
    scenario_differ_visit *visit;
    void *user;
};

static bool differ_skips(const char *path)
{
    static const char *const skipped[] = {"title", "traffic.flows", "tcp.window", "network.link.goodput"};
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
        if (strcmp(path, skipped[i]) == 0)
            return true;
    return false;
}

/* The value of a mapping at a key, or the i-th of a list; 0: there is none. */
static int differ_same(const struct document *d, int node, const char *key, size_t i)
{
    const char *other;
    int found;
    if (!*key)
        return document_kind(d, node) == DOCUMENT_SEQUENCE ? document_entry(d, node, i, &other) : 0;
    for (size_t k = 0; (found = document_entry(d, node, k, &other)); k++)
        if (strcmp(key, other) == 0)
            return found;
    return 0;
}

static bool differ_nests(const struct document *d, int node)
{
    enum document_kind kind = document_kind(d, node);
    return kind == DOCUMENT_MAPPING || kind == DOCUMENT_SEQUENCE;
}

static void differ_walk(const struct differ *d, const char *path, const int node[SIDES]);

/* The values below `node` of one side, with their partners; those without one alone, if so asked. */
static void differ_below(const struct differ *d, const char *path, const int node[SIDES], int side, bool alone)
{
    const char *key;
    int below[SIDES];
    for (size_t i = 0; (below[side] = document_entry(d->side[side], node[side], i, &key)); i++) {
        below[!side] = differ_same(d->side[!side], node[!side], key, i);
        if (alone && below[!side])
            continue;
        char *longer = *key ? memory_text("%s%s%s", path, *path ? "." : "", key) : memory_text("%s.%zu", path, i);
        differ_walk(d, longer, below);
        free(longer);
    }
}

static void differ_walk(const struct differ *d, const char *path, const int node[SIDES])
{
    bool nests = false;
    const char *text[SIDES];
    if (differ_skips(path))
        return;
    for (int side = 0; side < SIDES; side++) {
        text[side] = document_scalar(d->side[side], node[side]);
        nests = nests || differ_nests(d->side[side], node[side]);
    }
    if (nests) {
        differ_below(d, path, node, BEFORE, false);
        differ_below(d, path, node, AFTER, true);
    } else if (strcmp(text[BEFORE] ? text[BEFORE] : "", text[AFTER] ? text[AFTER] : "") != 0) {
        d->visit(d->user, path, text[BEFORE], text[AFTER]);
    }
}

bool scenario_differ(const char *before, const char *after, scenario_differ_visit *visit, void *user, struct error *err)
{
    struct differ d = {.visit = visit, .user = user};
    d.side[BEFORE] = document_open(before, NULL, 0, err);
    d.side[AFTER] = d.side[BEFORE] ? document_open(after, NULL, 0, err) : NULL;
    if (d.side[AFTER])
        differ_walk(&d, "", (const int[]){document_node(d.side[BEFORE], ""), document_node(d.side[AFTER], "")});
    bool ok = d.side[AFTER] != NULL;
    for (int side = 0; side < SIDES; side++)
        document_free(d.side[side]);
    return ok;
}
