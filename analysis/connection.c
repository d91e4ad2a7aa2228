/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/connection.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 256 /* connections allocated at a time: pointers to them stay valid */

struct analysis_connections {
    struct analysis_connection **chunk;
    size_t n_chunks, n;
    uint32_t *slot; /* open addressing, linear probing: 1 + index of the latest connection of a key, 0 free */
    size_t slots, used;
    struct analysis_connection *last; /* the one found last: packets come in trains */
};

struct analysis_connections *analysis_connections_new(void)
{
    struct analysis_connections *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->slots = 1024;
    t->slot = calloc(t->slots, sizeof *t->slot);
    if (!t->slot) {
        free(t);
        return NULL;
    }
    return t;
}

static struct analysis_connection *at(const struct analysis_connections *t, size_t i)
{
    return &t->chunk[i / CHUNK][i % CHUNK];
}

void analysis_connections_free(struct analysis_connections *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n; i++) {
        analysis_direction_fini(&at(t, i)->direction[0]);
        analysis_direction_fini(&at(t, i)->direction[1]);
        analysis_explain_free(at(t, i)->explain[0]);
        analysis_explain_free(at(t, i)->explain[1]);
    }
    for (size_t i = 0; i < t->n_chunks; i++)
        free(t->chunk[i]);
    free(t->chunk);
    free(t->slot);
    free(t);
}

size_t analysis_connections_count(const struct analysis_connections *t)
{
    return t->n;
}

const struct analysis_connection *analysis_connections_at(const struct analysis_connections *t, size_t i)
{
    return at(t, i);
}

static int key_of(const struct capture_segment *s, struct analysis_key *key)
{
    int order = memcmp(s->src.bytes, s->dst.bytes, sizeof s->src.bytes);
    if (order == 0)
        order = (s->src_port > s->dst_port) - (s->src_port < s->dst_port);
    int end = order > 0; /* of the sender */
    memset(key, 0, sizeof *key); /* padding too: keys are compared as bytes */
    memcpy(&key->address[end], &s->src, sizeof s->src);
    memcpy(&key->address[!end], &s->dst, sizeof s->dst);
    key->port[end] = s->src_port;
    key->port[!end] = s->dst_port;
    key->tag = s->tag;
    return end;
}

static uint64_t hash(const struct analysis_key *key)
{
    uint64_t word[(sizeof *key + 7) / 8] = {0}, h = 0;
    memcpy(word, key, sizeof *key);
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        h = (h ^ word[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return h;
}

static uint32_t *slot_of(const struct analysis_connections *t, const struct analysis_key *key)
{
    size_t i = hash(key) & (t->slots - 1);
    while (t->slot[i] && memcmp(&at(t, t->slot[i] - 1)->key, key, sizeof *key) != 0)
        i = (i + 1) & (t->slots - 1);
    return &t->slot[i];
}

static bool rehash(struct analysis_connections *t)
{
    uint32_t *old = t->slot;
    size_t n_old = t->slots;
    uint32_t *slot = calloc(2 * n_old, sizeof *slot);
    if (!slot)
        return false;
    t->slot = slot;
    t->slots = 2 * n_old;
    for (size_t i = 0; i < n_old; i++) {
        if (old[i])
            *slot_of(t, &at(t, old[i] - 1)->key) = old[i];
    }
    free(old);
    return true;
}

static struct analysis_connection *append(struct analysis_connections *t, const struct analysis_key *key, int end)
{
    if (t->n == t->n_chunks * CHUNK) {
        struct analysis_connection **grown = realloc(t->chunk, (t->n_chunks + 1) * sizeof *grown);
        if (!grown)
            return NULL;
        t->chunk = grown;
        grown[t->n_chunks] = malloc(CHUNK * sizeof **grown);
        if (!grown[t->n_chunks])
            return NULL;
        t->n_chunks++;
    }
    struct analysis_connection *c = at(t, t->n++);
    *c = (struct analysis_connection){.syn_ns = -1, .synack_ns = -1, .client_side_ns = -1, .server_side_ns = -1,
                                      .client = -1, .opener = (int8_t)end};
    memcpy(&c->key, key, sizeof *key);
    analysis_direction_init(&c->direction[0]);
    analysis_direction_init(&c->direction[1]);
    return c;
}

/* Does this SYN begin another connection of the same key? Before data a new number replaces the old. */
static bool starts_anew(const struct analysis_connection *c, const struct capture_segment *s, int end)
{
    if (!(s->flags & CAPTURE_TCP_SYN))
        return false;
    const struct analysis_direction *mine = &c->direction[end], *other = &c->direction[!end];
    if (mine->has_base && s->seq + 1 == mine->base)
        return false;
    if (!(s->flags & CAPTURE_TCP_ACK))
        return mine->has_data || other->has_data || c->closed;
    /* A SYN/ACK follows a SYN that has been judged already, unless the capture lacks that SYN. */
    return c->closed || (c->syn_ns < 0 && mine->has_data);
}

struct analysis_connection *analysis_connections_find(struct analysis_connections *t,
                                                      const struct capture_segment *s, int *end)
{
    struct analysis_key key;
    *end = key_of(s, &key);
    uint32_t *slot = NULL;
    struct analysis_connection *c = t->last;
    if (!c || memcmp(&c->key, &key, sizeof key) != 0) {
        slot = slot_of(t, &key);
        c = *slot ? at(t, *slot - 1) : NULL;
    }
    if (c && !starts_anew(c, s, *end))
        return t->last = c;
    if (!c && 2 * (t->used + 1) > t->slots && !rehash(t))
        return NULL;
    bool known = c != NULL;
    c = append(t, &key, *end);
    if (!c)
        return NULL;
    slot = slot_of(t, &key);
    *slot = (uint32_t)t->n;
    t->used += !known;
    return t->last = c;
}
