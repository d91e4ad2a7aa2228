/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/document.h"

#include "base/infile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define DOCUMENT_NODES 200000             /* 10000 flows with all their keys take 150000 */
#define DOCUMENT_DEPTH 32
#define DOCUMENT_KEYS 100 /* in one mapping; bounds the search for keys given twice */

/* Where a value came from: a line of the file, or sets[set]. */
struct origin {
    int set; /* -1: the file */
    size_t line;
};

struct document {
    const char *path;        /* borrowed */
    const char *const *sets; /* borrowed */
    yaml_document_t tree;    /* owned; every node has one parent */
    struct origin *origins;  /* owned; by node id, from 1 */
    size_t capacity;
};

/* "star.yaml:7: " or "--set a=b: " in front. */
static bool document_blame_origin(const struct document *d, struct origin origin, struct error *err)
{
    if (origin.set >= 0)
        return error_prefix(err, "--set %s: ", d->sets[origin.set]);
    if (origin.line)
        return error_prefix(err, "%s:%zu: ", d->path, origin.line);
    return error_prefix(err, "%s: ", d->path);
}

static bool document_no_memory(const struct document *d, struct error *err)
{
    return error_set(err, ERROR_SYSTEM, "%s: out of memory", d->path);
}

static yaml_node_t *document_node(const struct document *d, int id)
{
    return yaml_document_get_node((yaml_document_t *)&d->tree, id); /* reads only */
}

static const char *node_text(const yaml_node_t *node)
{
    return (const char *)node->data.scalar.value;
}

/* Notes where node `id`, just added, came from. */
static int document_note(struct document *d, int id, struct origin origin, struct error *err)
{
    if (id == 0) {
        document_no_memory(d, err);
        return 0;
    }
    if ((size_t)id >= d->capacity) {
        size_t capacity = 2 * (size_t)id + 64;
        struct origin *origins = realloc(d->origins, capacity * sizeof *origins);
        if (!origins) {
            document_no_memory(d, err);
            return 0;
        }
        d->origins = origins;
        d->capacity = capacity;
    }
    d->origins[id] = origin;
    return id;
}

static int document_fail(const struct document *d, struct origin origin, struct error *err, const char *message)
{
    error_set(err, ERROR_INPUT, "%s", message);
    document_blame_origin(d, origin, err);
    return 0;
}

static int document_add_scalar(struct document *d, const char *text, size_t length, struct origin origin,
                               struct error *err)
{
    if (memchr(text, '\0', length))
        return document_fail(d, origin, err, "a NUL character cannot be part of a value");
    int id = yaml_document_add_scalar(&d->tree, NULL, (const yaml_char_t *)text, (int)length, YAML_ANY_SCALAR_STYLE);
    return document_note(d, id, origin, err);
}

/* A mapping has few keys, so the search for one given twice is a plain one. */
static bool document_check_keys(const struct document *d, yaml_document_t *from, const yaml_node_t *node, int set,
                                struct error *err)
{
    const yaml_node_pair_t *first = node->data.mapping.pairs.start, *top = node->data.mapping.pairs.top;
    struct origin origin = {set, node->start_mark.line + 1};
    if (top - first > DOCUMENT_KEYS)
        return document_fail(d, origin, err, "more keys in one mapping than a scenario knows");
    for (const yaml_node_pair_t *p = first; p < top; p++) {
        const yaml_node_t *key = yaml_document_get_node(from, p->key);
        origin.line = key->start_mark.line + 1;
        if (key->type != YAML_SCALAR_NODE)
            return document_fail(d, origin, err, "a key is a word, not a list or a mapping");
        for (const yaml_node_pair_t *q = first; q < p; q++) {
            const yaml_node_t *earlier = yaml_document_get_node(from, q->key);
            if (strcmp(node_text(key), node_text(earlier)) != 0)
                continue;
            if (set < 0)
                error_set(err, ERROR_INPUT, "%s: given twice, first in line %zu", node_text(key),
                          earlier->start_mark.line + 1);
            else
                error_set(err, ERROR_INPUT, "%s: given twice", node_text(key));
            return document_blame_origin(d, origin, err);
        }
    }
    return true;
}

/* Copies a subtree of another document into the tree; 0 and *err on failure. `line` is the one to
 * name for it: a value in a mapping has that of its key. */
static int document_copy(struct document *d, yaml_document_t *from, int id, int set, size_t line, int depth,
                         struct error *err)
{
    struct origin origin = {set, line};
    const yaml_node_t *node = yaml_document_get_node(from, id);
    if (depth > DOCUMENT_DEPTH)
        return document_fail(d, origin, err, "nested too deeply, or an alias of itself");
    if (d->tree.nodes.top - d->tree.nodes.start > DOCUMENT_NODES)
        return document_fail(d, origin, err, "too many values (aliases count each time)");
    int copy = 0;
    switch (node->type) {
    case YAML_SCALAR_NODE:
        return document_add_scalar(d, node_text(node), node->data.scalar.length, origin, err);
    case YAML_SEQUENCE_NODE:
        copy = document_note(d, yaml_document_add_sequence(&d->tree, NULL, YAML_ANY_SEQUENCE_STYLE), origin, err);
        for (const yaml_node_item_t *i = node->data.sequence.items.start; copy && i < node->data.sequence.items.top;
             i++) {
            size_t item_line = yaml_document_get_node(from, *i)->start_mark.line + 1;
            int item = document_copy(d, from, *i, set, item_line, depth + 1, err);
            if (!item)
                return 0;
            if (!yaml_document_append_sequence_item(&d->tree, copy, item))
                return document_no_memory(d, err);
        }
        return copy;
    case YAML_MAPPING_NODE:
        if (!document_check_keys(d, from, node, set, err))
            return 0;
        copy = document_note(d, yaml_document_add_mapping(&d->tree, NULL, YAML_ANY_MAPPING_STYLE), origin, err);
        for (const yaml_node_pair_t *p = node->data.mapping.pairs.start; copy && p < node->data.mapping.pairs.top;
             p++) {
            size_t key_line = yaml_document_get_node(from, p->key)->start_mark.line + 1;
            int key = document_copy(d, from, p->key, set, key_line, depth + 1, err);
            int value = key ? document_copy(d, from, p->value, set, key_line, depth + 1, err) : 0;
            if (!value)
                return 0;
            if (!yaml_document_append_mapping_pair(&d->tree, copy, key, value))
                return document_no_memory(d, err);
        }
        return copy;
    default:
        return document_fail(d, origin, err, "not a YAML value");
    }
}

static bool document_syntax(const struct document *d, const yaml_parser_t *parser, const char *bytes, int set,
                            struct error *err)
{
    struct origin origin = {set, parser->problem_mark.line + 1};
    const char *problem = parser->problem ? parser->problem : "cannot be parsed";
    if (parser->error == YAML_MEMORY_ERROR)
        return document_no_memory(d, err);
    if (parser->error == YAML_READER_ERROR) { /* has an offset and no line */
        origin.line = 1;
        for (const char *p = bytes; p < bytes + parser->problem_offset; p++)
            origin.line += *p == '\n';
        error_set(err, ERROR_INPUT, "not UTF-8 text: %s (0x%02x)", problem, (unsigned)parser->problem_value & 0xff);
    } else {
        error_set(err, ERROR_INPUT, "not YAML: %s%s%s", problem, parser->context ? " " : "",
                  parser->context ? parser->context : "");
    }
    return document_blame_origin(d, origin, err);
}

/* Parses text into the tree; the id of its root, 0 and *err on failure. */
static int document_parse(struct document *d, const char *bytes, size_t size, int set, struct error *err)
{
    yaml_parser_t parser;
    yaml_document_t parsed, second;
    if (!yaml_parser_initialize(&parser))
        return document_no_memory(d, err);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, size);
    int root = 0;
    if (!yaml_parser_load(&parser, &parsed)) {
        document_syntax(d, &parser, bytes, set, err);
    } else {
        const yaml_node_t *node = yaml_document_get_root_node(&parsed), *next = NULL;
        bool ok = yaml_parser_load(&parser, &second);
        if (!ok) {
            document_syntax(d, &parser, bytes, set, err);
        } else {
            next = yaml_document_get_root_node(&second);
            if (next)
                document_fail(d, (struct origin){set, next->start_mark.line + 1}, err,
                              "a second document starts; a scenario is one");
            else if (!node)
                document_fail(d, (struct origin){set, 0}, err, "is empty; a scenario has keys such as 'traffic:'");
            yaml_document_delete(&second);
        }
        if (ok && node && !next)
            root = document_copy(d, &parsed, 1, set, 0, 0, err);
        yaml_document_delete(&parsed);
    }
    yaml_parser_delete(&parser);
    return root;
}

/* The value under the first `length` characters of a path in one node; 0 when there is none. */
static int document_child(const struct document *d, int id, const char *key, size_t length)
{
    const yaml_node_t *node = document_node(d, id);
    if (node->type == YAML_MAPPING_NODE) {
        for (const yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
            const char *text = node_text(document_node(d, p->key));
            if (strlen(text) == length && memcmp(text, key, length) == 0)
                return p->value;
        }
    } else if (node->type == YAML_SEQUENCE_NODE && length < 9 && strspn(key, "0123456789") >= length) {
        long i = strtol(key, NULL, 10), count = node->data.sequence.items.top - node->data.sequence.items.start;
        if (i < count)
            return node->data.sequence.items.start[i];
    }
    return 0;
}

/* The deepest node along a path; *rest is what of the path leads on from it. */
static int document_find(const struct document *d, const char *key_path, const char **rest)
{
    int id = 1;
    while (*key_path) {
        size_t length = strcspn(key_path, ".");
        int child = document_child(d, id, key_path, length);
        if (!child)
            break;
        id = child;
        key_path += length + (key_path[length] == '.');
    }
    *rest = key_path;
    return id;
}

static bool document_set_fail(const struct document *d, int set, struct error *err)
{
    return document_blame_origin(d, (struct origin){.set = set}, err);
}

/* Puts `value` under the key (or number) in node `id`: in place of what is there, or at the end. */
static bool document_put(struct document *d, int id, const char *key, size_t length, int value, int set,
                         struct error *err)
{
    yaml_node_t *node = document_node(d, id);
    int old = document_child(d, id, key, length);
    if (node->type == YAML_MAPPING_NODE) {
        for (yaml_node_pair_t *p = node->data.mapping.pairs.start; old && p < node->data.mapping.pairs.top; p++)
            if (p->value == old) {
                p->value = value;
                return true;
            }
        int added = document_add_scalar(d, key, length, (struct origin){.set = set}, err);
        return added && (yaml_document_append_mapping_pair(&d->tree, id, added, value) || document_no_memory(d, err));
    }
    if (node->type == YAML_SEQUENCE_NODE) {
        yaml_node_item_t *items = node->data.sequence.items.start;
        long count = node->data.sequence.items.top - items;
        if (strspn(key, "0123456789") < length) {
            error_set(err, ERROR_INPUT, "'%.*s' is not the number of an entry", (int)length, key);
            return document_set_fail(d, set, err);
        }
        long i = length < 9 ? strtol(key, NULL, 10) : count + 1;
        if (i > count) {
            error_set(err, ERROR_INPUT, "entry %.*s does not exist; there are %ld, counted from 0", (int)length, key,
                      count);
            return document_set_fail(d, set, err);
        }
        if (old)
            items[i] = value;
        return old || yaml_document_append_sequence_item(&d->tree, id, value) || document_no_memory(d, err);
    }
    error_set(err, ERROR_INPUT, "'%s' is a single value; '%.*s' cannot lie below it", node_text(node), (int)length,
              key);
    return document_set_fail(d, set, err);
}

/* Lists, mappings and quoted text are YAML; everything else is taken as it stands. */
static int document_set_value(struct document *d, const char *text, int set, struct error *err)
{
    text += strspn(text, " ");
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    if (length > 0 && strchr("[{\"'", text[0]))
        return document_parse(d, text, length, set, err);
    int id = document_add_scalar(d, text, length, (struct origin){.set = set}, err);
    if (!id && err->code == ERROR_SYSTEM) /* libyaml takes UTF-8 only, and says no more than no */
        document_fail(d, (struct origin){.set = set}, err, "not UTF-8 text, or out of memory");
    return id;
}

static bool document_apply(struct document *d, int set, struct error *err)
{
    const char *path = d->sets[set], *equals = strchr(path, '=');
    size_t path_length = equals ? (size_t)(equals - path) : 0;
    bool complete = path_length > 0 && path[0] != '.' && path[path_length - 1] != '.';
    for (size_t i = 1; complete && i < path_length; i++)
        complete = !(path[i] == '.' && path[i - 1] == '.');
    if (!complete) {
        error_set(err, ERROR_INPUT, "write it as path=value, such as tcp.window=500kB");
        return document_set_fail(d, set, err);
    }
    int id = 1;
    for (const char *key = path;; ) {
        size_t length = strcspn(key, ".=");
        const char *next = key + length + 1;
        bool last = key + length == equals;
        int child = last ? 0 : document_child(d, id, key, length);
        if (!child) {
            /* Below it an entry by number makes a list, a word a mapping. */
            bool list = !last && strspn(next, "0123456789") == strcspn(next, ".=");
            if (last)
                child = document_set_value(d, equals + 1, set, err);
            else
                child = document_note(d,
                                      list ? yaml_document_add_sequence(&d->tree, NULL, YAML_ANY_SEQUENCE_STYLE)
                                           : yaml_document_add_mapping(&d->tree, NULL, YAML_ANY_MAPPING_STYLE),
                                      (struct origin){.set = set}, err);
            if (!child || !document_put(d, id, key, length, child, set, err))
                return false;
        }
        if (last)
            return true;
        id = child;
        key = next;
    }
}

struct document *document_open(const char *path, const char *const *sets, size_t n_sets, struct error *err)
{
    size_t size;
    char *bytes = infile_read(path, DOCUMENT_BYTES, "a scenario", &size, err);
    struct document *d = bytes ? document_open_text(path, bytes, size, sets, n_sets, err) : NULL;
    free(bytes);
    return d;
}

struct document *document_open_text(const char *path, const char *bytes, size_t size, const char *const *sets,
                                    size_t n_sets, struct error *err)
{
    struct document *d = calloc(1, sizeof *d);
    bool ok = d && yaml_document_initialize(&d->tree, NULL, NULL, NULL, 1, 1);
    if (!ok) {
        error_set(err, ERROR_SYSTEM, "%s: out of memory", path);
        free(d);
        return NULL;
    }
    d->path = path;
    d->sets = sets;
    ok = document_parse(d, bytes, size, -1, err) != 0;
    for (size_t i = 0; ok && i < n_sets; i++)
        ok = document_apply(d, (int)i, err);
    if (ok)
        return d;
    document_free(d);
    return NULL;
}

void document_free(struct document *d)
{
    if (!d)
        return;
    yaml_document_delete(&d->tree);
    free(d->origins);
    free(d);
}

char *document_text(const struct document *d, size_t *size, struct error *err)
{
    char *text = NULL;
    *err = (struct error){0};
    FILE *f = open_memstream(&text, size);
    /* The emitter eats the document it writes, so it gets a copy. */
    struct document copy = {.path = d->path, .sets = d->sets};
    yaml_emitter_t emitter;
    bool ok = f && yaml_document_initialize(&copy.tree, NULL, NULL, NULL, 1, 1);
    if (ok) {
        ok = document_copy(&copy, (yaml_document_t *)&d->tree, 1, -1, 0, 0, err) && yaml_emitter_initialize(&emitter);
        if (ok) {
            yaml_emitter_set_output_file(&emitter, f);
            yaml_emitter_set_width(&emitter, -1);
            ok = yaml_emitter_dump(&emitter, &copy.tree) && yaml_emitter_close(&emitter);
            yaml_emitter_delete(&emitter);
        } else {
            yaml_document_delete(&copy.tree);
        }
    }
    free(copy.origins);
    ok = (!f || fclose(f) == 0) && ok;
    if (ok)
        return text;
    free(text);
    if (err->code == ERROR_NONE)
        document_no_memory(d, err);
    return NULL;
}

enum document_kind document_kind(const struct document *d, const char *key_path)
{
    const char *rest;
    int id = document_find(d, key_path, &rest);
    if (*rest)
        return DOCUMENT_NONE;
    const yaml_node_t *node = document_node(d, id);
    switch (node->type) {
    case YAML_SCALAR_NODE: return *node_text(node) ? DOCUMENT_SCALAR : DOCUMENT_EMPTY;
    case YAML_SEQUENCE_NODE: return DOCUMENT_SEQUENCE;
    case YAML_MAPPING_NODE: return DOCUMENT_MAPPING;
    default: return DOCUMENT_NONE;
    }
}

const char *document_key(const struct document *d, const char *key_path, size_t i)
{
    const char *rest;
    const yaml_node_t *node = document_node(d, document_find(d, key_path, &rest));
    if (*rest || node->type != YAML_MAPPING_NODE ||
        i >= (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start))
        return NULL;
    return node_text(document_node(d, node->data.mapping.pairs.start[i].key));
}

const char *document_culprit(const struct document *d, const char *a, const char *b)
{
    const char *rest_a, *rest_b;
    int set_a = d->origins[document_find(d, a, &rest_a)].set, set_b = d->origins[document_find(d, b, &rest_b)].set;
    if (*rest_b)
        return a;
    return *rest_a || set_b > set_a ? b : a;
}

bool document_blame(const struct document *d, const char *key_path, struct error *err)
{
    const char *rest;
    struct origin origin = d->origins[document_find(d, key_path, &rest)];
    size_t length = strlen(key_path);
    bool said = origin.set >= 0 && strncmp(d->sets[origin.set], key_path, length) == 0 &&
                d->sets[origin.set][length] == '=';
    if (!said && length > 0)
        error_prefix(err, "%s: ", key_path);
    return document_blame_origin(d, origin, err);
}

int document_entry(const struct document *d, int node, size_t i, const char **key)
{
    const yaml_node_t *n = document_node(d, node);
    *key = "";
    if (n->type == YAML_SEQUENCE_NODE && i < (size_t)(n->data.sequence.items.top - n->data.sequence.items.start))
        return n->data.sequence.items.start[i];
    if (n->type != YAML_MAPPING_NODE || i >= (size_t)(n->data.mapping.pairs.top - n->data.mapping.pairs.start))
        return 0;
    *key = node_text(document_node(d, n->data.mapping.pairs.start[i].key));
    return n->data.mapping.pairs.start[i].value;
}

const char *document_scalar(const struct document *d, int node)
{
    return document_node(d, node)->type == YAML_SCALAR_NODE ? node_text(document_node(d, node)) : NULL;
}

bool document_blame_node(const struct document *d, int node, struct error *err)
{
    return document_blame_origin(d, d->origins[node], err);
}
