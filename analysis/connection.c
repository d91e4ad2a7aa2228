/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/connection.h"

#include "base/memory.h"
#include "base/hash.h"

#include <endian.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK 64 /* connections beside each other: pointers to them stay valid */
#define SMALL_CHUNKS 16 /* allocated one by one; then there will be many */
#define NEAR 256 /* connections found without the keyed hash, while they are so few; a power of two */
#define SLAB_BYTES ((size_t)2 << 20) /* a huge page, where there are */
#define SLAB_CHUNKS (SLAB_BYTES / (CHUNK * sizeof(struct analysis_connection)))

struct slot {
    uint32_t connection; /* 1 + index of the latest connection of a key, 0 free */
    uint32_t hash;       /* of its key: another key is mostly told here, without a look at a cold connection */
};

/* Whoever chooses keys that meet here gets what everybody has among many connections: the table. */
struct near {
    struct analysis_connection *connection;
    uint64_t hash; /* unkeyed, but cheap; of its key */
};

struct analysis_connections {
    struct analysis_connection **chunk; /* each owned below SMALL_CHUNKS; then the first of SLAB_CHUNKS owns them all */
    size_t n_chunks, n;
    struct slot *slot; /* open addressing, linear probing; `slots` is a power of two */
    size_t slots, used;
    struct hash_key secret;
    struct near near[NEAR];
    atomic_bool grows;     /* by slabs: the next will be wanted, too */
    void *_Atomic spare;   /* owned: that one; NULL */
    struct analysis_connection *last; /* the one found last: packets come in trains */
};

struct analysis_connections *analysis_connections_new(void)
{
    struct analysis_connections *t = memory_zeroed(1, sizeof *t, "the connection table");
    t->secret = hash_secret();
    t->slots = 1024;
    t->slot = memory_zeroed(t->slots, sizeof *t->slot, "the connection table");
    return t;
}

static struct analysis_connection *at(const struct analysis_connections *t, size_t i)
{
    return &t->chunk[i / CHUNK][i % CHUNK];
}

static void explained_free(struct analysis_explained *e)
{
    if (e)
        analysis_round_trip_free(e->trip);
    free(e);
}

void analysis_connections_free(struct analysis_connections *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n; i++) {
        analysis_direction_fini(&at(t, i)->direction[0]);
        analysis_direction_fini(&at(t, i)->direction[1]);
        explained_free(at(t, i)->explain[0]);
        explained_free(at(t, i)->explain[1]);
        free(at(t, i)->clocking[0]);
        free(at(t, i)->clocking[1]);
        analysis_packets_free(at(t, i)->packets);
    }
    for (size_t i = 0; i < t->n_chunks; i += i < SMALL_CHUNKS ? 1 : SLAB_CHUNKS)
        free(t->chunk[i]);
    free(atomic_load(&t->spare));
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
static void prefetch(const struct analysis_connection *c)
{
    for (size_t i = 0; i < sizeof *c; i += 64)
        __builtin_prefetch((const char *)c + i, 1);
}

static struct slot *slot_of(const struct analysis_connections *t, const struct capture_segment *s, int end, uint32_t h)
{
    size_t i = h & (t->slots - 1);
    for (; t->slot[i].connection; i = (i + 1) & (t->slots - 1)) {
        if (t->slot[i].hash != h)
            continue;
        const struct analysis_connection *c = at(t, t->slot[i].connection - 1);
        if (same_key(&c->key, s, end))
            break;
    }
    return &t->slot[i];
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
    for (size_t i = h & (t->slots - 1); t->slot[i].connection; i = (i + 1) & (t->slots - 1))
        if (t->slot[i].hash == h) {
            prefetch(at(t, t->slot[i].connection - 1));
            return;
        }
}

static void rehash(struct analysis_connections *t)
{
    size_t slots = 2 * t->slots;
    struct slot *slot = memory_zeroed(slots, sizeof *slot, "the connection table");
    for (size_t i = 0; i < t->slots; i++) {
        size_t to = t->slot[i].hash & (slots - 1);
        while (t->slot[i].connection && slot[to].connection)
            to = (to + 1) & (slots - 1);
        if (t->slot[i].connection)
            slot[to] = t->slot[i];
    }
    free(t->slot);
    t->slot = slot;
    t->slots = slots;
}

/* Memory for SLAB_CHUNKS chunks, there at once: a fault for every 4 kB takes longer than the analysis of what comes
 * into them. */
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

static void add_chunks(struct analysis_connections *t)
{
    size_t more = t->n_chunks < SMALL_CHUNKS ? 1 : SLAB_CHUNKS;
    t->chunk = memory_resized(t->chunk, t->n_chunks + more, sizeof *t->chunk, "the connection table");
    struct analysis_connection **added = t->chunk + t->n_chunks;
    *added = more == 1 ? memory_resized(NULL, CHUNK, sizeof **added, "the connection table")
                       : atomic_exchange(&t->spare, NULL);
    *added = *added ? *added : new_slab();
    atomic_store(&t->grows, more > 1);
    for (size_t i = 1; i < more; i++)
        added[i] = *added + i * CHUNK;
    t->n_chunks += more;
}

static struct analysis_connection *append(struct analysis_connections *t, const struct capture_segment *s, int end)
{
    if (t->n == t->n_chunks * CHUNK)
        add_chunks(t);
    struct analysis_connection *c = at(t, t->n++);
    *c = (struct analysis_connection){.syn_ns = -1, .synack_ns = -1, .client_side_ns = -1, .server_side_ns = -1,
                                      .client = -1, .opener = (int8_t)end, .number = (uint32_t)(t->n - 1)};
    c->key.address[end] = s->src;
    c->key.address[!end] = s->dst;
    c->key.port[end] = s->src_port;
    c->key.port[!end] = s->dst_port;
    c->key.tag = s->tag;
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

/* The one of the table; `expected`: the hash of its key, if known. */
static struct analysis_connection *find_far(struct analysis_connections *t, const struct capture_segment *s,
                                            const uint32_t *expected, int end)
{
    uint32_t h = expected ? *expected : hash(t, s, end);
    struct slot *slot = slot_of(t, s, end, h);
    struct analysis_connection *c = slot->connection ? at(t, slot->connection - 1) : NULL;
    if (c && !starts_anew(c, s, end))
        return c;
    bool known = c != NULL;
    if (!known && 2 * (t->used + 1) > t->slots) {
        rehash(t);
        slot = slot_of(t, s, end, h);
    }
    c = append(t, s, end);
    *slot = (struct slot){(uint32_t)t->n, h};
    t->used += !known;
    return c;
}

struct analysis_connection *analysis_connections_find(struct analysis_connections *t,
                                                      const struct capture_segment *s, const uint32_t *expected,
                                                      int *end)
{
    *end = end_of(s);
    struct analysis_connection *c = t->last;
    if (c && same_key(&c->key, s, *end) && !starts_anew(c, s, *end))
        return c;
    if (t->n > NEAR)
        return t->last = find_far(t, s, expected, *end);
    uint64_t h = hash_near(s, *end);
    struct near *near = &t->near[h & (NEAR - 1)];
    if (near->hash != h || !near->connection || !same_key(&near->connection->key, s, *end) ||
        starts_anew(near->connection, s, *end))
        *near = (struct near){find_far(t, s, expected, *end), h};
    return t->last = near->connection;
}
