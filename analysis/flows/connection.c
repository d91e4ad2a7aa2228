/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/connection.h"

#include "base/hash.h"
#include "base/memory.h"

#include <endian.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK 64 /* items beside each other: pointers to them stay valid */
#define SMALL_CHUNKS 16 /* allocated one by one; then there will be many */
#define NEAR ANALYSIS_CONNECTIONS_WHOLE /* found without the keyed hash, while they are so few; a power of two */
#define SLAB_BYTES ((size_t)2 << 20) /* a huge page, where there are */
#define FIRST (UINT32_C(1) << 31)

/* Items of one size, by index. */
struct pool {
    char **chunk; /* each owned below SMALL_CHUNKS; then the first of each slab owns that */
    size_t n_chunks, n, item_bytes;
};

/* Where a connection is: 1 + its index among the whole ones; FIRST and 1 + index of its first segment; 0: none. */
typedef uint32_t place;

struct slot {
    place place;   /* of the latest connection of a key */
    uint32_t hash; /* of its key: another key is mostly told here, without a look at a cold connection */
};

/* Whoever chooses keys that meet here gets what everybody has among many connections: the table. */
struct near {
    struct analysis_connection *connection;
    uint64_t hash; /* unkeyed, but cheap; of its key */
};

struct analysis_connections {
    struct pool whole, first; /* struct analysis_connection, struct analysis_first */
    uint32_t unused;          /* 1 + index of a first segment that has become whole, whose number is the next such; 0: none */
    place *place;             /* of each connection, in order of appearance */
    size_t n, room;
    analysis_connections_begin *begin;
    void *user;
    struct slot *slot; /* open addressing, linear probing; `slots` is a power of two */
    size_t slots, used;
    struct hash_key secret;
    struct near near[NEAR];
    atomic_bool grows;     /* by slabs: the next will be wanted, too */
    void *_Atomic spare;   /* owned: that one; NULL */
    struct analysis_connection *last; /* the one found last: packets come in trains */
};

struct analysis_connections *analysis_connections_new(analysis_connections_begin *begin, void *user)
{
    struct analysis_connections *t = memory_zeroed(1, sizeof *t, "the connection table");
    t->whole.item_bytes = sizeof(struct analysis_connection);
    t->first.item_bytes = sizeof(struct analysis_first);
    t->begin = begin;
    t->user = user;
    t->secret = hash_secret();
    t->slots = 1024;
    t->slot = memory_zeroed(t->slots, sizeof *t->slot, "the connection table");
    return t;
}

static struct analysis_connection *whole_at(const struct analysis_connections *t, size_t i)
{
    return (struct analysis_connection *)(void *)t->whole.chunk[i / CHUNK] + i % CHUNK;
}

static struct analysis_first *first_at(const struct analysis_connections *t, size_t i)
{
    return (struct analysis_first *)(void *)t->first.chunk[i / CHUNK] + i % CHUNK;
}

static struct analysis_first *first_of(const struct analysis_connections *t, place p)
{
    return first_at(t, (p & ~FIRST) - 1);
}

static size_t slab_chunks(const struct pool *p)
{
    return SLAB_BYTES / (CHUNK * p->item_bytes);
}

void analysis_connection_fini(struct analysis_connection *c)
{
    for (int i = 0; i < 2; i++) {
        analysis_direction_fini(&c->direction[i]);
        analysis_explained_free(c->explain[i]);
    }
    analysis_packets_free(c->packets);
}

static void pool_free(struct pool *p)
{
    for (size_t i = 0; i < p->n_chunks; i += i < SMALL_CHUNKS ? 1 : slab_chunks(p))
        free(p->chunk[i]);
    free(p->chunk);
}

void analysis_connections_free(struct analysis_connections *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->whole.n; i++)
        analysis_connection_fini(whole_at(t, i));
    pool_free(&t->whole);
    pool_free(&t->first);
    free(atomic_load(&t->spare));
    MEMORY_FREE(t->place, t->slot, t);
}

size_t analysis_connections_count(const struct analysis_connections *t)
{
    return t->n;
}

const struct analysis_first *analysis_connections_first(const struct analysis_connections *t, size_t i)
{
    return t->place[i] & FIRST ? first_of(t, t->place[i]) : NULL;
}

const struct analysis_connection *analysis_connections_at(const struct analysis_connections *t, size_t i,
                                                          struct analysis_connection *room)
{
    const struct analysis_first *first = analysis_connections_first(t, i);
    if (!first)
        return whole_at(t, t->place[i] - 1);
    int end;
    analysis_connection_init(room, &first->segment, first->number, &end);
    t->begin(room, first, t->user);
    return room;
}

/* The end that sent the segment: 0 for the lower (address, port). Called for every segment: IPv4 as one number. */
static int end_of(const struct capture_segment *s)
{
    int order;
    if (s->src.family == 4) {
        uint32_t src, dst;
        memcpy(&src, s->src.bytes, sizeof src);
        memcpy(&dst, s->dst.bytes, sizeof dst);
        src = be32toh(src);
        dst = be32toh(dst);
        order = (src > dst) - (src < dst);
    } else {
        order = memcmp(s->src.bytes, s->dst.bytes, sizeof s->src.bytes);
    }
    if (order == 0)
        order = (s->src_port > s->dst_port) - (s->src_port < s->dst_port);
    return order > 0;
}

/* From the fields as the decoder wrote them: a key put together first would wait for its own bytes to be stored. */
static uint64_t ports(const struct capture_segment *s, int end)
{
    return (uint64_t)s->tag << 32 |
           (end ? (uint32_t)s->dst_port << 16 | s->src_port : (uint32_t)s->src_port << 16 | s->dst_port);
}

static uint32_t hash(const struct analysis_connections *t, const struct capture_segment *s, int end)
{
    struct hash_keyed h = hash_begin(&t->secret);
    hash_add(&h, ports(s, end));
    capture_address_hash_add(&h, end ? &s->dst : &s->src, end ? &s->src : &s->dst);
    return (uint32_t)hash_end(&h);
}

static uint64_t hash_near(const struct capture_segment *s, int end)
{
    return capture_address_hash(hash_mix(0, ports(s, end)), end ? &s->dst : &s->src, end ? &s->src : &s->dst);
}

static bool same_key(const struct analysis_key *key, const struct capture_segment *s, int end)
{
    return key->port[end] == s->src_port && key->port[!end] == s->dst_port && key->tag == s->tag &&
           capture_address_same(&key->address[end], &s->src) && capture_address_same(&key->address[!end], &s->dst);
}

/* All of a connection at once instead of one cache miss after the other, as is the rule among many thousands. */
static void prefetch(const struct analysis_connections *t, place p)
{
    const char *at = p & FIRST ? (const char *)first_of(t, p) : (const char *)whole_at(t, p - 1);
    for (size_t i = 0, n = p & FIRST ? t->first.item_bytes : t->whole.item_bytes; i < n; i += 64)
        __builtin_prefetch(at + i, 1);
}

bool analysis_connections_same(const struct capture_segment *a, const struct capture_segment *b)
{
    if (a->tag != b->tag)
        return false;
    if (a->src_port == b->src_port && a->dst_port == b->dst_port && capture_address_same(&a->src, &b->src) &&
        capture_address_same(&a->dst, &b->dst))
        return true;
    return a->src_port == b->dst_port && a->dst_port == b->src_port && capture_address_same(&a->src, &b->dst) &&
           capture_address_same(&a->dst, &b->src);
}

static struct slot *slot_of(const struct analysis_connections *t, const struct capture_segment *s, int end, uint32_t h)
{
    size_t i = h & (t->slots - 1);
    for (; t->slot[i].place; i = (i + 1) & (t->slots - 1)) {
        place p = t->slot[i].place;
        if (t->slot[i].hash == h && (p & FIRST ? analysis_connections_same(&first_of(t, p)->segment, s)
                                               : same_key(&whole_at(t, p - 1)->key, s, end)))
            break;
    }
    return &t->slot[i];
}

uint32_t analysis_connections_expect(const struct analysis_connections *t, const struct capture_segment *s)
{
    return hash(t, s, end_of(s));
}

void analysis_connections_expected(const struct analysis_connections *t, uint32_t h)
{
    __builtin_prefetch(&t->slot[h & (t->slots - 1)]);
}

void analysis_connections_expected_again(const struct analysis_connections *t, uint32_t h)
{
    for (size_t i = h & (t->slots - 1); t->slot[i].place; i = (i + 1) & (t->slots - 1))
        if (t->slot[i].hash == h) {
            prefetch(t, t->slot[i].place);
            return;
        }
}

static void rehash(struct analysis_connections *t)
{
    size_t slots = 2 * t->slots;
    struct slot *slot = memory_zeroed(slots, sizeof *slot, "the connection table");
    for (size_t i = 0; i < t->slots; i++) {
        size_t to = t->slot[i].hash & (slots - 1);
        while (t->slot[i].place && slot[to].place)
            to = (to + 1) & (slots - 1);
        if (t->slot[i].place)
            slot[to] = t->slot[i];
    }
    free(t->slot);
    t->slot = slot;
    t->slots = slots;
}

/* Memory for a slab's chunks, there at once: a fault for every 4 kB takes longer than the analysis of what comes into
 * them. */
static void *new_slab(void)
{
    void *slab = memory_aligned(SLAB_BYTES, SLAB_BYTES, "the connection table");
    madvise(slab, SLAB_BYTES, MADV_HUGEPAGE);
#ifdef MADV_POPULATE_WRITE
    madvise(slab, SLAB_BYTES, MADV_POPULATE_WRITE); /* Linux 5.14; without, faults it is */
#endif
    return slab;
}

void analysis_connections_prepare(struct analysis_connections *t)
{
    if (atomic_load_explicit(&t->grows, memory_order_relaxed) && !atomic_load_explicit(&t->spare, memory_order_relaxed)) {
        atomic_store(&t->grows, false);
        atomic_store(&t->spare, new_slab());
    }
}

static void add_chunks(struct analysis_connections *t, struct pool *p)
{
    size_t more = p->n_chunks < SMALL_CHUNKS ? 1 : slab_chunks(p);
    p->chunk = memory_resized(p->chunk, p->n_chunks + more, sizeof *p->chunk, "the connection table");
    char **added = p->chunk + p->n_chunks;
    *added = more == 1 ? memory_resized(NULL, CHUNK, p->item_bytes, "the connection table") : atomic_exchange(&t->spare, NULL);
    *added = *added ? *added : new_slab();
    if (more > 1)
        atomic_store(&t->grows, true);
    for (size_t i = 1; i < more; i++)
        added[i] = *added + i * CHUNK * p->item_bytes;
    p->n_chunks += more;
}

static size_t pool_add(struct analysis_connections *t, struct pool *p)
{
    if (p->n == p->n_chunks * CHUNK)
        add_chunks(t, p);
    if (p->n == FIRST - 1) /* places have no more room: a hundred GB of first segments */
        memory_end("the connection table");
    return p->n++;
}

void analysis_connection_init(struct analysis_connection *c, const struct capture_segment *s, uint32_t number, int *end)
{
    *end = end_of(s);
    *c = (struct analysis_connection){.syn_ns = -1, .synack_ns = -1, .client_side_ns = -1, .server_side_ns = -1,
                                      .client = -1, .opener = (int8_t)*end, .number = number};
    c->key.address[*end] = s->src;
    c->key.address[!*end] = s->dst;
    c->key.port[*end] = s->src_port;
    c->key.port[!*end] = s->dst_port;
    c->key.tag = s->tag;
    analysis_direction_init(&c->direction[0]);
    analysis_direction_init(&c->direction[1]);
}

/* A connection that `s` begins, at that place. */
static struct analysis_connection *new_whole(struct analysis_connections *t, const struct capture_segment *s,
                                             uint32_t number, place *at)
{
    int end;
    size_t i = pool_add(t, &t->whole);
    *at = (place)(i + 1);
    analysis_connection_init(whole_at(t, i), s, number, &end);
    return whole_at(t, i);
}

static place new_first(struct analysis_connections *t, const struct capture_segment *s, int64_t time_ns, uint32_t number)
{
    size_t i = t->unused ? t->unused - 1 : pool_add(t, &t->first);
    if (t->unused)
        t->unused = first_at(t, i)->number;
    *first_at(t, i) = (struct analysis_first){time_ns, *s, number};
    return (place)(i + 1) | FIRST;
}

/* The one that the slot has, when more than its first segment is to be kept. */
static struct analysis_connection *made_whole(struct analysis_connections *t, struct slot *slot)
{
    if (!(slot->place & FIRST))
        return whole_at(t, slot->place - 1);
    struct analysis_first *first = first_of(t, slot->place);
    uint32_t number = first->number, freed = slot->place & ~FIRST;
    struct analysis_connection *c = new_whole(t, &first->segment, number, &slot->place);
    t->begin(c, first, t->user);
    t->place[number] = slot->place;
    first->number = t->unused;
    t->unused = freed;
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

/* The one of the table; `expected`: the hash of its key, if known. NULL: its first segment alone is kept. */
static struct analysis_connection *find_far(struct analysis_connections *t, const struct capture_segment *s,
                                            int64_t time_ns, const uint32_t *expected, int end)
{
    uint32_t h = expected ? *expected : hash(t, s, end);
    struct slot *slot = slot_of(t, s, end, h);
    struct analysis_connection *c = slot->place ? made_whole(t, slot) : NULL;
    if (c && !starts_anew(c, s, end))
        return c;
    if (!c && 2 * (t->used + 1) > t->slots) {
        rehash(t);
        slot = slot_of(t, s, end, h);
    }
    t->used += c == NULL;
    t->place = memory_grown(t->place, t->n, &t->room, CHUNK, sizeof *t->place, "the connection table");
    uint32_t number = (uint32_t)t->n;
    c = NULL;
    slot->hash = h;
    if (t->begin && t->n > ANALYSIS_CONNECTIONS_WHOLE)
        slot->place = new_first(t, s, time_ns, number);
    else
        c = new_whole(t, s, number, &slot->place);
    t->place[t->n++] = slot->place;
    return c;
}

struct analysis_connection *analysis_connections_find(struct analysis_connections *t, const struct capture_segment *s,
                                                      int64_t time_ns, const uint32_t *expected, int *end)
{
    *end = end_of(s);
    struct analysis_connection *c = t->last;
    if (c && same_key(&c->key, s, *end) && !starts_anew(c, s, *end))
        return c;
    if (t->n > NEAR)
        return t->last = find_far(t, s, time_ns, expected, *end);
    uint64_t h = hash_near(s, *end);
    struct near *near = &t->near[h & (NEAR - 1)];
    if (near->hash != h || !near->connection || !same_key(&near->connection->key, s, *end) ||
        starts_anew(near->connection, s, *end))
        *near = (struct near){find_far(t, s, time_ns, expected, *end), h};
    return t->last = near->connection;
}
