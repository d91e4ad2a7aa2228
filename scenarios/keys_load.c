/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A document against the rows: structure, values, and keys that do not fit the others. */
#include "base/text.h"
#include "scenarios/keys.h"

#define KEYS_KNOWN 512 /* names of a section's keys */

struct walk {
    struct scenario *s;
    const struct document *doc; /* borrowed */
    struct error *err;          /* borrowed */
    bool checking;              /* the values are there */
    char path[KEYS_PATH];
};

static bool walk_value(struct walk *w, const struct key *key, char *base, int node);

/* Blames what *err says on the key the walk is at. */
static bool walk_blame(const struct walk *w)
{
    return document_blame(w->doc, w->path, w->err);
}

/* Leads the path one key further; the length to give walk_leave(). */
static size_t walk_enter(struct walk *w, const char *key)
{
    size_t length = strlen(w->path);
    text_add(w->path, sizeof w->path, "%s%s", length ? "." : "", key);
    return length;
}

static void walk_leave(struct walk *w, size_t length)
{
    w->path[length] = '\0';
}

static bool key_is_section(const struct key *key)
{
    return key->kind == KEY_SECTION || key->kind == KEY_OPTION;
}

static bool key_is_list(const struct key *key)
{
    return key->kind == KEY_LIST || key->kind == KEY_ARRAY || key->kind == KEY_HOSTS;
}

static void keys_list(const struct key *keys, char text[static KEYS_KNOWN])
{
    text[0] = '\0';
    for (const struct key *k = keys; k->name; k++)
        text_add(text, KEYS_KNOWN, "%s%s", k == keys ? "" : ", ", k->name);
}

static bool walk_wrong_kind(const struct walk *w, const struct key *key, int node)
{
    static const char *const kinds[] = {"nothing", "nothing", "a single value", "a list", "a mapping"};
    const char *found = kinds[document_kind(w->doc, node)];
    char known[KEYS_KNOWN] = "";
    if (key_is_section(key)) {
        keys_list(key->keys, known);
        error_set(w->err, ERROR_INPUT, "%s found; here belong keys of these: %s", found, known);
    } else if (key_is_list(key)) {
        error_set(w->err, ERROR_INPUT, "%s found; here belongs a list, such as [a, b]", found);
    } else {
        error_set(w->err, ERROR_INPUT, "%s found; here belongs a single value", found);
    }
    return walk_blame(w);
}

static const struct key *keys_find(const struct key *keys, const char *name)
{
    for (; keys->name; keys++)
        if (strcmp(keys->name, name) == 0)
            return keys;
    return NULL;
}

static bool walk_unknown(struct walk *w, const struct key *keys, const char *name)
{
    char known[KEYS_KNOWN], near[KEYS_PATH];
    bool suggested = keys_suggest(keys, name, near);
    keys_list(keys, known);
    walk_enter(w, name);
    error_set(w->err, ERROR_INPUT, "unknown key; %s%s%s here: %s", suggested ? "did you mean " : "",
              suggested ? near : "", suggested ? "? Known" : "known", known);
    return walk_blame(w);
}

/* Room for n entries of a list, the former ones freed; its first. */
static void *list_renew(const struct key *key, char *base, int n)
{
    void *entries = base + key->offset;
    if (key->kind == KEY_LIST) {
        memcpy(&entries, base + key->offset, sizeof entries);
        free(entries);
        entries = memory_zeroed((size_t)n, key->entry->size, "a list");
        memcpy(base + key->offset, &entries, sizeof entries);
    }
    memcpy(base + key->beside, &n, sizeof n);
    return entries;
}

static bool keys_default(struct walk *w, const struct key *keys, char *base);

/* "2, 4, 6, 8" */
static bool list_default(struct walk *w, const struct key *key, char *base)
{
    int n = 1;
    for (const char *p = key->usual; *p; p++)
        n += *p == ',';
    char *entries = list_renew(key, base, n);
    const char *from = key->usual;
    for (int i = 0; i < n; i++, from += strspn(from, ", ")) {
        char text[UNITS_TEXT];
        size_t length = strcspn(from, ",");
        snprintf(text, sizeof text, "%.*s", (int)length, from);
        if (!keys_kind_parse(key->entry, text, entries + (size_t)i * key->entry->size, w->err))
            return walk_blame(w);
        from += length;
    }
    return true;
}

/* What a section holds when nobody gives anything; optional ones are left alone. */
static bool keys_default(struct walk *w, const struct key *keys, char *base)
{
    bool ok = true;
    for (const struct key *k = keys; ok && k->name; k++) {
        if (k->kind == KEY_SECTION)
            ok = keys_default(w, k->keys, base + k->offset);
        else if (k->usual)
            ok = key_is_list(k) ? list_default(w, k, base)
                                : keys_kind_parse(k, k->usual, base + k->offset, w->err);
    }
    return ok;
}

static bool walk_section(struct walk *w, const struct key *keys, char *base, int node)
{
    const char *name;
    int child;
    for (size_t i = 0; (child = document_entry(w->doc, node, i, &name)); i++) {
        const struct key *key = keys_find(keys, name);
        if (!key)
            return walk_unknown(w, keys, name);
        const char *misfit = w->checking && key->misfit ? key->misfit(key, w->s, base, w->doc) : NULL;
        size_t length = walk_enter(w, name);
        if (misfit) {
            error_set(w->err, ERROR_INPUT, "%s", misfit);
            return walk_blame(w);
        }
        if (!walk_value(w, key, base, child))
            return false;
        walk_leave(w, length);
    }
    for (const struct key *k = keys; k->name; k++) {
        bool there = !k->required;
        for (size_t i = 0; !there && document_entry(w->doc, node, i, &name); i++)
            there = strcmp(name, k->name) == 0;
        if (there)
            continue;
        walk_enter(w, k->name);
        error_set(w->err, ERROR_INPUT, "is missing; %s", k->required);
        return walk_blame(w);
    }
    return true;
}

static bool walk_host(struct walk *w, int host)
{
    int hosts = w->s->network.hosts;
    if (!w->checking || hosts == 0 || host < hosts)
        return true;
    error_set(w->err, ERROR_INPUT, "'h%d' is not in this network; hosts are h0 to h%d", host, hosts - 1);
    return walk_blame(w);
}

static bool walk_list(struct walk *w, const struct key *key, char *base, int node)
{
    struct scenario *s = w->s;
    size_t n = document_count(w->doc, node);
    bool hosts = key->kind == KEY_HOSTS;
    char *entries = base + key->offset;
    if ((int64_t)n < key->min || (int64_t)n > key->max) {
        char each[KEYS_WORDS] = "";
        if (!key->entry->keys)
            keys_kind_describe(key->entry, each);
        error_set(w->err, ERROR_INPUT, "%zu %s; give %d to %d%s%s", n, key->noun, (int)key->min, (int)key->max,
                  *each ? ", each a " : "", each);
        return walk_blame(w);
    }
    if (n == 0)
        return true;
    if (hosts && !w->checking) {
        free(s->pause_hosts);
        s->network.pause_hosts = s->pause_hosts = memory_zeroed(SCENARIO_HOSTS, sizeof *s->pause_hosts, "hosts");
        entries = (char *)s->pause_hosts;
    } else if (!hosts && !w->checking) {
        entries = list_renew(key, base, (int)n);
    } else if (key->kind == KEY_LIST) {
        memcpy(&entries, base + key->offset, sizeof entries);
    }
    for (size_t i = 0; i < n; i++) {
        const char *name;
        char number[24];
        int host = 0, child = document_entry(w->doc, node, i, &name);
        char *entry = hosts ? (char *)&host : entries + i * key->entry->size;
        snprintf(number, sizeof number, "%zu", i);
        size_t length = walk_enter(w, number);
        if (key->entry->keys && !w->checking && !keys_default(w, key->entry->keys, entry))
            return false;
        if (hosts && w->checking && !keys_kind_parse(key->entry, document_scalar(w->doc, child), entry, w->err))
            return false;
        if (!walk_value(w, key->entry, entry, child))
            return false;
        if (hosts)
            s->pause_hosts[host] = true;
        walk_leave(w, length);
    }
    return true;
}

static bool walk_value(struct walk *w, const struct key *key, char *base, int node)
{
    enum document_kind kind = document_kind(w->doc, node);
    union {
        char bytes[SCENARIO_TITLE];
        int64_t align;
    } checked;
    struct key unkept = *key;
    if (key_is_section(key)) {
        if (kind != DOCUMENT_MAPPING)
            return walk_wrong_kind(w, key, node);
        if (key->kind == KEY_OPTION && !w->checking) {
            if (key->size)
                *(bool *)(base + key->beside) = true;
            if (!keys_default(w, key->keys, base + key->offset))
                return false;
        }
        return walk_section(w, key->keys, base + key->offset, node);
    }
    if (key_is_list(key))
        return kind == DOCUMENT_SEQUENCE ? walk_list(w, key, base, node) : walk_wrong_kind(w, key, node);
    if (kind != DOCUMENT_SCALAR && kind != DOCUMENT_EMPTY)
        return walk_wrong_kind(w, key, node);
    if (w->checking)
        return key->kind != KEY_HOST || walk_host(w, *(int *)(base + key->offset));
    unkept.size = key->size ? key->size : sizeof(int64_t);
    if (keys_kind_parse(&unkept, document_scalar(w->doc, node), key->size ? base + key->offset : checked.bytes, w->err))
        return true;
    return walk_blame(w);
}

static bool walk_root(struct walk *w)
{
    static const struct key root = {.kind = KEY_SECTION, .keys = scenario_keys};
    return walk_value(w, &root, (char *)w->s, 1);
}

bool keys_load(struct scenario *s, const struct document *d, struct error *err)
{
    struct walk w = {.s = s, .doc = d, .err = err};
    return keys_default(&w, scenario_keys, (char *)s) && walk_root(&w);
}

bool keys_check(struct scenario *s, const struct document *d, struct error *err)
{
    struct walk w = {.s = s, .doc = d, .err = err, .checking = true};
    return walk_root(&w);
}
