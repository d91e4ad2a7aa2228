/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/document.h"

#include "base/infile.h"

#include <yaml.h>

#define DOCUMENT_NODES 1500000 /* 100000 flows as they are saved take a million */
#define DOCUMENT_VALUES ((size_t)16 << 20) /* bytes of all of them and of their keys: 100000 flows take ten million */
#define DOCUMENT_DEPTH 32
#define DOCUMENT_LIST 200000    /* entries of one list: twice as many as a scenario has flows */
#define DOCUMENT_KEYS 100       /* in one mapping; bounds the search for keys given twice */
#define DOCUMENT_ANCHORS 200    /* bounds the search for an alias's anchor */
#define DOCUMENT_DIRECTIVES 200 /* libyaml compares each with all before it, and tells nobody until the last one */
#define NESTED "nested too deeply, or an alias of itself"

struct origin {
    int set;     /* where a value came from: sets[set]; -1: the file */
    size_t line; /* of the file */
};

struct node {
    enum document_kind kind;
    uint32_t key;  /* where in the document's texts; of a value in a mapping, else 0 */
    uint32_t text; /* where in the document's texts; of a single value */
    int n;
    int *children; /* owned; of a list or a mapping */
    struct origin origin;
};

struct document {
    const char *path;                /* borrowed */
    const struct document_set *sets; /* borrowed */
    struct node *nodes;              /* owned; by number, from 1 */
    int n_nodes, capacity;
    char *texts; /* owned; keys and single values, one after the other, each with its NUL; the first is empty */
    size_t bytes, texts_capacity;
    size_t again; /* bytes of texts that aliases have once more, as their readers may */
};

struct anchor {
    char *name; /* owned */
    int node;
    bool complete;
};

/* One YAML text being parsed into a document. */
struct parse {
    struct document *doc;
    const char *bytes;
    int set;
    yaml_parser_t parser;
    yaml_event_t event; /* to be deleted when the next one is asked for */
    bool has_event;
    struct anchor anchors[DOCUMENT_ANCHORS];
    int n_anchors;
    struct error *err;
};

/* "star.yaml:7: " or "--set a=b: " in front. */
static bool document_blame_origin(const struct document *d, struct origin origin, struct error *err)
{
    if (origin.set >= 0 && d->sets[origin.set].by)
        return error_prefix(err, "%s%s: ", d->sets[origin.set].by, d->sets[origin.set].text);
    if (origin.set < 0 && origin.line)
        return error_prefix(err, "%s:%zu: ", d->path, origin.line);
    return error_prefix(err, "%s: ", d->path);
}

static int document_fail(const struct document *d, struct origin origin, struct error *err, const char *message)
{
    error_set(err, ERROR_INPUT, "%s", message);
    return document_blame_origin(d, origin, err);
}

static const char *document_text(const struct document *d, uint32_t at)
{
    return d->texts + at;
}

/* Where a copy of `text` begins, with a NUL after it. */
static uint32_t document_keep(struct document *d, const char *text, size_t length)
{
    size_t at = d->bytes;
    d->bytes = at + length + 1;
    while (d->bytes > d->texts_capacity)
        d->texts = memory_grown(d->texts, d->texts_capacity, &d->texts_capacity, 4096, 1, "a document");
    d->texts[d->bytes - 1] = '\0';
    memcpy(d->texts + at, text, length);
    return (uint32_t)at;
}

/* Number of a new node, 0 and *err on failure. `text`: of a single value, else NULL; none of the document's own. */
static int document_add(struct document *d, enum document_kind kind, const char *text, size_t length,
                        struct origin origin, struct error *err)
{
    if (d->n_nodes >= DOCUMENT_NODES || d->bytes + d->again + length > DOCUMENT_VALUES)
        return document_fail(d, origin, err, "too many values (aliases count each time)");
    if (text && memchr(text, '\0', length))
        return document_fail(d, origin, err, "a NUL character cannot be part of a value");
    if (d->n_nodes + 1 >= d->capacity) {
        d->capacity = d->capacity ? 2 * d->capacity : 64;
        d->nodes = memory_resized(d->nodes, (size_t)d->capacity, sizeof *d->nodes, "a document");
        d->nodes[0] = (struct node){.kind = DOCUMENT_NONE}; /* what is not there */
    }
    struct node *node = &d->nodes[d->n_nodes + 1];
    *node = (struct node){.kind = kind, .text = text ? document_keep(d, text, length) : 0, .origin = origin};
    return ++d->n_nodes;
}

/* Hangs a node below a list, or below a mapping that does not have the key yet. Room grows at powers of two. */
static void document_append(struct document *d, int parent, uint32_t key, int child)
{
    struct node *p = &d->nodes[parent];
    if ((p->n & (p->n - 1)) == 0)
        p->children = memory_resized(p->children, p->n ? 2 * (size_t)p->n : 1, sizeof *p->children, "a document");
    d->nodes[child].key = p->kind == DOCUMENT_MAPPING ? key : 0;
    p->children[p->n++] = child;
}

/* The value under the first `length` characters of `key` in one node; 0 when there is none. */
static int document_child(const struct document *d, int id, const char *key, size_t length)
{
    const struct node *node = &d->nodes[id];
    for (int i = 0; node->kind == DOCUMENT_MAPPING && i < node->n; i++) {
        const char *text = document_text(d, d->nodes[node->children[i]].key);
        if (strncmp(text, key, length) == 0 && text[length] == '\0')
            return node->children[i];
    }
    if (node->kind == DOCUMENT_SEQUENCE && length < 9 && strspn(key, "0123456789") >= length) {
        long i = strtol(key, NULL, 10);
        if (i < node->n)
            return node->children[i];
    }
    return 0;
}

static bool parse_syntax(struct parse *p)
{
    struct origin origin = {p->set, p->parser.problem_mark.line + 1};
    const char *problem = p->parser.problem ? p->parser.problem : "cannot be parsed";
    const char *context = p->parser.context;
    if (p->parser.error == YAML_MEMORY_ERROR)
        return error_set(p->err, ERROR_SYSTEM, "%s: out of memory", p->doc->path);
    if (p->parser.error == YAML_READER_ERROR) { /* has an offset and no line */
        origin.line = 1;
        for (const char *c = p->bytes; c < p->bytes + p->parser.problem_offset; c++)
            origin.line += *c == '\n';
        error_set(p->err, ERROR_INPUT, "not UTF-8 text: %s (0x%02x)", problem,
                  (unsigned)p->parser.problem_value & 0xff);
    } else {
        error_set(p->err, ERROR_INPUT, "not YAML: %s%s%s", problem, context ? " " : "", context ? context : "");
    }
    return document_blame_origin(p->doc, origin, p->err);
}

/* Lines that begin as directives do, although text between quotes may hold such, too. Lines end with CR, LF, or with
 * NEL, LS or PS, of which the last bytes are \x85, \xa8 and \xa9. */
static bool parse_directives(const struct parse *p, size_t size)
{
    size_t n = 0;
    for (const char *c = p->bytes, *end = c + size; (c = memchr(c, '%', (size_t)(end - c))); c++)
        n += c == p->bytes || strchr("\r\n\x85\xa8\xa9", c[-1]);
    return n <= DOCUMENT_DIRECTIVES ||
           document_fail(p->doc, (struct origin){p->set, 0}, p->err, "more directives (%) than YAML needs");
}

static bool parse_next(struct parse *p)
{
    if (p->has_event)
        yaml_event_delete(&p->event);
    p->has_event = yaml_parser_parse(&p->parser, &p->event) != 0;
    return p->has_event || parse_syntax(p);
}

/* Position of the anchor `name` in p->anchors; -1: there is none. */
static int parse_find_anchor(const struct parse *p, const yaml_char_t *name)
{
    for (int i = 0; i < p->n_anchors; i++)
        if (strcmp(p->anchors[i].name, (const char *)name) == 0)
            return i;
    return -1;
}

/* Notes that `node` has the anchor (NULL: none). */
static bool parse_anchor(struct parse *p, const yaml_char_t *name, int node)
{
    struct origin origin = p->doc->nodes[node].origin;
    if (!name)
        return true;
    if (parse_find_anchor(p, name) >= 0)
        return document_fail(p->doc, origin, p->err, "not YAML: found duplicate anchor");
    if (p->n_anchors == DOCUMENT_ANCHORS)
        return document_fail(p->doc, origin, p->err, "more anchors (&name) than a scenario needs");
    p->anchors[p->n_anchors++] = (struct anchor){memory_text("%s", (const char *)name), node, false};
    return true;
}

/* What an alias stands for, again, with the same texts. Its nodes keep their lines, but the first is where the alias
 * is. */
static int parse_copy(struct parse *p, int from, struct origin origin, int depth)
{
    struct document *d = p->doc;
    if (depth > DOCUMENT_DEPTH)
        return document_fail(d, origin, p->err, NESTED);
    d->again += strlen(document_text(d, d->nodes[from].text));
    int copy = document_add(d, d->nodes[from].kind, NULL, 0, origin, p->err);
    if (copy)
        d->nodes[copy].text = d->nodes[from].text;
    for (int i = 0; copy && i < d->nodes[from].n; i++) {
        int entry = d->nodes[from].children[i];
        int child = parse_copy(p, entry, d->nodes[entry].origin, depth + 1);
        if (!child)
            return 0;
        document_append(d, copy, d->nodes[entry].key, child);
    }
    return copy;
}

/* The current event as the next key of a mapping. */
static bool parse_key(struct parse *p, int mapping, size_t *line, uint32_t *key)
{
    struct document *d = p->doc;
    struct origin origin = {p->set, p->event.start_mark.line + 1};
    *line = origin.line;
    if (p->event.type != YAML_SCALAR_EVENT)
        return document_fail(d, origin, p->err, "a key is a word, not a list or a mapping");
    const char *word = (const char *)p->event.data.scalar.value;
    size_t length = p->event.data.scalar.length;
    if (memchr(word, '\0', length))
        return document_fail(d, origin, p->err, "a NUL character cannot be part of a key");
    int earlier = document_child(d, mapping, word, length);
    if (earlier && p->set < 0)
        error_set(p->err, ERROR_INPUT, "%s: given twice, first in line %zu", word, d->nodes[earlier].origin.line);
    else if (earlier)
        error_set(p->err, ERROR_INPUT, "%s: given twice", word);
    if (earlier)
        return document_blame_origin(d, origin, p->err);
    if (d->nodes[mapping].n >= DOCUMENT_KEYS)
        return document_fail(d, d->nodes[mapping].origin, p->err, "more keys in one mapping than a scenario knows");
    *key = document_keep(d, word, length);
    return true;
}

/* The value of the current event and those below it. `line`: of its key, 0 in a list, whose entries have their own. */
static int parse_value(struct parse *p, size_t line, int depth)
{
    struct document *d = p->doc;
    const yaml_event_t *e = &p->event;
    struct origin origin = {p->set, line ? line : e->start_mark.line + 1};
    int node;
    if (e->type == YAML_ALIAS_EVENT) {
        int found = parse_find_anchor(p, e->data.alias.anchor);
        if (found < 0)
            return document_fail(d, origin, p->err, "not YAML: found undefined alias");
        /* A node that is not complete would contain itself. */
        return p->anchors[found].complete ? parse_copy(p, p->anchors[found].node, origin, depth)
                                          : document_fail(d, origin, p->err, NESTED);
    }
    if (depth > DOCUMENT_DEPTH)
        return document_fail(d, origin, p->err, NESTED);
    bool scalar = e->type == YAML_SCALAR_EVENT, mapping = e->type == YAML_MAPPING_START_EVENT;
    int anchor = p->n_anchors;
    node = scalar ? document_add(d, DOCUMENT_SCALAR, (const char *)e->data.scalar.value, e->data.scalar.length, origin,
                                 p->err)
                  : document_add(d, mapping ? DOCUMENT_MAPPING : DOCUMENT_SEQUENCE, NULL, 0, origin, p->err);
    if (!node || !parse_anchor(p, scalar    ? e->data.scalar.anchor
                                  : mapping ? e->data.mapping_start.anchor
                                            : e->data.sequence_start.anchor, node))
        return 0;
    bool named = p->n_anchors > anchor;
    while (scalar || parse_next(p)) {
        uint32_t key = 0;
        size_t key_line = 0;
        if (scalar || e->type == YAML_SEQUENCE_END_EVENT || e->type == YAML_MAPPING_END_EVENT) {
            if (named)
                p->anchors[anchor].complete = true;
            return node;
        }
        bool ok = !mapping || (parse_key(p, node, &key_line, &key) && parse_next(p));
        int child = ok ? parse_value(p, key_line, depth + 1) : 0;
        if (!child)
            return 0;
        if (d->nodes[node].n == DOCUMENT_LIST)
            return document_fail(d, d->nodes[node].origin, p->err, "more entries in one list than a scenario knows");
        document_append(d, node, key, child);
    }
    return 0;
}

/* One document and no second one; the number of its root, 0 and *err on failure. */
static int parse_stream(struct parse *p)
{
    const yaml_event_t *e = &p->event;
    if (!parse_next(p) || !parse_next(p)) /* stream start, document start */
        return 0;
    if (e->type == YAML_STREAM_END_EVENT)
        return document_fail(p->doc, (struct origin){p->set, 0}, p->err,
                             "is empty; a scenario has keys such as 'traffic:'");
    int root = parse_next(p) ? parse_value(p, 0, 0) : 0;
    if (!root || !parse_next(p) || !parse_next(p)) /* document end, stream end */
        return 0;
    if (e->type != YAML_STREAM_END_EVENT && parse_next(p)) /* where its first value is */
        return document_fail(p->doc, (struct origin){p->set, e->start_mark.line + 1}, p->err,
                             "a second document starts; a scenario is one");
    if (e->type != YAML_STREAM_END_EVENT)
        return 0;
    if (p->set < 0)
        p->doc->nodes[root].origin.line = 0; /* the file as a whole */
    return root;
}

/* Parses text into the tree; the number of its root, 0 and *err on failure. */
static int document_parse(struct document *d, const char *bytes, size_t size, int set, struct error *err)
{
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark, which libyaml takes for an indent */
        bytes += 3;
        size -= 3;
    }
    struct parse p = {.doc = d, .bytes = bytes, .set = set, .err = err};
    if (!parse_directives(&p, size))
        return 0;
    if (!yaml_parser_initialize(&p.parser))
        return error_set(err, ERROR_SYSTEM, "%s: out of memory", d->path);
    yaml_parser_set_encoding(&p.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&p.parser, (const unsigned char *)bytes, size);
    int root = parse_stream(&p);
    if (p.has_event)
        yaml_event_delete(&p.event);
    for (int i = 0; i < p.n_anchors; i++)
        free(p.anchors[i].name);
    yaml_parser_delete(&p.parser);
    return root;
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

/* Puts `value` under the key (or number) in node `id`: in place of what is there, or at the end. */
static bool document_put(struct document *d, int id, const char *key, size_t length, int value, int set,
                         struct error *err)
{
    struct node *node = &d->nodes[id];
    int old = document_child(d, id, key, length);
    struct origin origin = {.set = set};
    if (old) {
        for (int i = 0; i < node->n; i++)
            if (node->children[i] == old)
                node->children[i] = value;
        d->nodes[value].key = d->nodes[old].key;
        return true;
    }
    bool mapping = node->kind == DOCUMENT_MAPPING, list = node->kind == DOCUMENT_SEQUENCE;
    bool number = strspn(key, "0123456789") >= length;
    if (mapping || (list && number && length < 9 && strtol(key, NULL, 10) <= node->n)) {
        document_append(d, id, document_keep(d, key, length), value);
        return true;
    }
    if (!list)
        error_set(err, ERROR_INPUT, "'%s' is a single value; '%.*s' cannot lie below it", document_text(d, node->text),
                  (int)length, key);
    else if (!number)
        error_set(err, ERROR_INPUT, "'%.*s' is not the number of an entry", (int)length, key);
    else
        error_set(err, ERROR_INPUT, "entry %.*s does not exist; there are %d, counted from 0", (int)length, key,
                  node->n);
    return document_blame_origin(d, origin, err);
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
    yaml_event_t checked; /* libyaml makes scalars of UTF-8 alone */
    errno = 0;
    if (!yaml_scalar_event_initialize(&checked, NULL, NULL, (const yaml_char_t *)text, (int)length, 1, 1,
                                      YAML_ANY_SCALAR_STYLE))
        return errno == ENOMEM ? error_set_errno(err, "%s%s", d->sets[set].by, d->sets[set].text)
                               : document_fail(d, (struct origin){.set = set}, err, "not UTF-8 text");
    yaml_event_delete(&checked);
    return document_add(d, DOCUMENT_SCALAR, text, length, (struct origin){.set = set}, err);
}

static bool document_apply(struct document *d, int set, struct error *err)
{
    const char *path = d->sets[set].text, *equals = strchr(path, '=');
    size_t path_length = equals ? (size_t)(equals - path) : 0;
    struct origin origin = {.set = set};
    if (path_length == 0 || path[0] == '.' || path[path_length - 1] == '.' || memmem(path, path_length, "..", 2))
        return document_fail(d, origin, err, "write it as path=value, such as tcp.window=500kB");
    int id = 1;
    for (const char *key = path;; ) {
        size_t length = strcspn(key, ".=");
        const char *next = key + length + 1;
        bool last = key + length == equals;
        int child = last ? 0 : document_child(d, id, key, length);
        if (!child) {
            /* Below it an entry by number makes a list, a word a mapping. */
            bool list = !last && strspn(next, "0123456789") == strcspn(next, ".=");
            child = last ? document_set_value(d, equals + 1, set, err)
                         : document_add(d, list ? DOCUMENT_SEQUENCE : DOCUMENT_MAPPING, NULL, 0, origin, err);
            if (!child || !document_put(d, id, key, length, child, set, err))
                return !d->sets[set].by;
        }
        if (last)
            return true;
        id = child;
        key = next;
    }
}

struct document *document_open(const char *path, const struct document_set *sets, size_t n_sets, struct error *err)
{
    size_t size;
    MEMORY_LOCAL char *bytes = infile_read(path, DOCUMENT_BYTES, "a scenario", &size, err);
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    return bytes ? document_open_text(name, bytes, size, sets, n_sets, err) : NULL;
}

struct document *document_open_text(const char *path, const char *bytes, size_t size, const struct document_set *sets,
                                    size_t n_sets, struct error *err)
{
    struct document *d = memory_zeroed(1, sizeof *d, "a document");
    *d = (struct document){.path = path, .sets = sets};
    document_keep(d, "", 0); /* the empty text that comes first */
    bool ok = document_parse(d, bytes, size, -1, err);
    for (size_t i = 0; ok && i < n_sets; i++)
        ok = document_apply(d, (int)i, err);
    if (ok)
        return d;
    document_free(d);
    return NULL;
}

void document_free(struct document *d)
{
    for (int i = 1; d && i <= d->n_nodes; i++)
        free(d->nodes[i].children);
    MEMORY_FREE(d ? d->nodes : NULL, d ? d->texts : NULL, d);
}

int document_node(const struct document *d, const char *key_path)
{
    const char *rest;
    int id = document_find(d, key_path, &rest);
    return *rest ? 0 : id;
}

enum document_kind document_kind(const struct document *d, int node)
{
    const struct node *n = node ? &d->nodes[node] : &(struct node){.kind = DOCUMENT_NONE};
    return n->kind == DOCUMENT_SCALAR && !*document_text(d, n->text) ? DOCUMENT_EMPTY : n->kind;
}

size_t document_count(const struct document *d, int node)
{
    return (size_t)d->nodes[node].n;
}

const char *document_culprit(const struct document *d, const char *a, const char *b)
{
    const char *rest_a, *rest_b;
    int set_a = d->nodes[document_find(d, a, &rest_a)].origin.set;
    int set_b = d->nodes[document_find(d, b, &rest_b)].origin.set;
    if (*rest_b)
        return a;
    return *rest_a || set_b > set_a ? b : a;
}

bool document_blame(const struct document *d, const char *key_path, struct error *err)
{
    const char *rest;
    struct origin origin = d->nodes[document_find(d, key_path, &rest)].origin;
    size_t length = strlen(key_path);
    bool said = false;
    if (origin.set >= 0) {
        const struct document_set *set = &d->sets[origin.set];
        said = set->by && strncmp(set->text, key_path, length) == 0 && set->text[length] == '=';
    }
    if (!said && length > 0)
        error_prefix(err, "%s: ", key_path);
    return document_blame_origin(d, origin, err);
}

int document_entry(const struct document *d, int node, size_t i, const char **key)
{
    const struct node *n = &d->nodes[node];
    int child = i < (size_t)n->n ? n->children[i] : 0;
    *key = document_text(d, child ? d->nodes[child].key : 0);
    return child;
}

const char *document_scalar(const struct document *d, int node)
{
    return d->nodes[node].kind == DOCUMENT_SCALAR ? document_text(d, d->nodes[node].text) : NULL;
}

bool document_blame_node(const struct document *d, int node, struct error *err)
{
    return document_blame_origin(d, d->nodes[node].origin, err);
}
