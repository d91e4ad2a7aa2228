/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A FIFO that loses redundant ACKs, by the rules of Linux's sch_cake (cake_ack_filter()).
 *
 * A TCP segment with an ACK that comes makes the oldest queued pure ACK of its connection and direction go, if two are
 * eligible; if `aggressive`, one is enough when it is the last in the queue. Eligible is what
 * acknowledges no more than the newcomer, and less or fewer blocks by SACK (RFC 2018); has no flag but ACK, ECE and CWR,
 * no option but timestamps that are not after the newcomer's, SACK and MD5; and reports no duplicate (RFC 2883). So at
 * least two ACKs of a number stay, as does what they say of losses. Where ECE or CWR change (RFC 3168), what was said
 * before the change stays. */
#include "base/memory.h"
#include "emu/queues/queue.h"

#define BUCKETS EMU_DISCIPLINE_BUCKETS
#define HEADERS (EMU_FRAME_HEADER_BYTES + 60 + 60) /* IPv4 and TCP with all the options they can have */
#define NOBODY 0 /* nodes are numbered from 1 */
#define BLOCKS 4 /* of SACK that fit into 40 bytes */
#define FLAGS 0xf3f /* all but ECE and CWR */
#define ECN_FLAGS 0xc0
#define ACK 0x010
#define SYN 0x002

/* What counts of a TCP header. */
struct ack_header {
    uint32_t addresses[2], ports, ack, ts, ts_echo;
    uint32_t sack[BLOCKS][2];
    uint16_t flags;
    uint8_t n_sack;
    bool droppable; /* a pure ACK that says nothing but what a later one may */
};

struct ack_node {
    struct emu_frame frame;
    struct ack_header header; /* in a chain */
    int next, before;         /* in the FIFO; unused: next */
    int later, earlier;       /* in its bucket's chain */
    int bucket;               /* whose chain it is in; -1: in none */
};

struct ack_filter {
    struct ack_node *nodes; /* owned; from 1 */
    size_t n, capacity;
    int first, last, unused;
    struct {
        int first, last; /* droppable ACKs */
    } chains[BUCKETS];
    const struct emu_frame_ops *frames; /* borrowed */
    bool aggressive;
    struct emu_frame lost;
    bool loses;
};

static uint32_t get(const uint8_t *at, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

static bool after(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) > 0;
}

/* Returns false for an option that may say more than a later ACK does. */
static bool header_options(struct ack_header *h, const uint8_t *at, const uint8_t *end)
{
    while (at < end && at[0] != 0) {
        if (at[0] == 1) { /* nothing */
            at++;
            continue;
        }
        if (end - at < 2 || at[1] < 2 || at[1] > end - at)
            break;
        if (at[0] == 5 && at[1] % 8 == 2) {
            for (int i = 0; i < (at[1] - 2) / 8 && i < BLOCKS; i++, h->n_sack++) {
                h->sack[i][0] = get(at + 2 + 8 * i, 4);
                h->sack[i][1] = get(at + 6 + 8 * i, 4);
            }
        } else if (at[0] == 8 && at[1] == 10) {
            h->ts = get(at + 2, 4);
            h->ts_echo = get(at + 6, 4);
        } else if (at[0] != 19) { /* MD5 */
            return false;
        }
        at += at[1];
    }
    return true;
}

/* Returns false unless the frame is a TCP segment over IPv4. */
static bool header_read(struct ack_header *h, const struct emu_frame_ops *frames, const struct emu_frame *frame)
{
    uint8_t bytes[HEADERS];
    if (!frames || emu_frame_is_tagged(frame->packet) || frame->ethertype != 0x0800)
        return false;
    size_t n = frames->bytes(frame, bytes, sizeof bytes), ip_bytes, tcp_bytes;
    const uint8_t *ip = bytes + EMU_FRAME_HEADER_BYTES;
    if (n < EMU_FRAME_HEADER_BYTES + 40 || ip[0] >> 4 != 4 || ip[9] != 6)
        return false;
    ip_bytes = (ip[0] & 15) * (size_t)4;
    const uint8_t *tcp = ip + ip_bytes;
    if (ip_bytes < 20 || n < EMU_FRAME_HEADER_BYTES + ip_bytes + 20)
        return false;
    tcp_bytes = (tcp[12] >> 4) * (size_t)4;
    if (tcp_bytes < 20 || n < EMU_FRAME_HEADER_BYTES + ip_bytes + tcp_bytes)
        return false;
    *h = (struct ack_header){
        .addresses = {get(ip + 12, 4), get(ip + 16, 4)},
        .ports = get(tcp, 4),
        .ack = get(tcp + 8, 4),
        .flags = (uint16_t)(get(tcp + 12, 2) & 0xfff),
    };
    bool plain = header_options(h, tcp + 20, tcp + tcp_bytes);
    h->droppable = plain && (h->flags & FLAGS) == ACK && get(ip + 2, 2) == ip_bytes + tcp_bytes;
    return true;
}

/* Above 0 if b has all blocks of a and more bytes, 0 if as many, below 0 if a has what b has not. */
static int header_compare_sack(const struct ack_header *a, const struct ack_header *b)
{
    uint64_t bytes_a = 0, bytes_b = 0;
    for (int i = 0; i < b->n_sack; i++)
        bytes_b += b->sack[i][1] - b->sack[i][0];
    for (int i = 0; i < a->n_sack; i++) {
        const uint32_t *block = a->sack[i];
        bool found = false;
        for (int k = 0; k < b->n_sack && !found; k++)
            found = !after(b->sack[k][0], block[0]) && !after(block[1], b->sack[k][1]);
        if (!found || after(a->ack, block[0])) /* a duplicate (RFC 2883) always counts */
            return -1;
        bytes_a += block[1] - block[0];
    }
    return bytes_b > bytes_a;
}

static bool header_says_no_more(const struct ack_header *old, const struct ack_header *new)
{
    if (after(old->ts, new->ts) || after(old->ts_echo, new->ts_echo) || after(old->ack, new->ack))
        return false;
    int sack = header_compare_sack(old, new);
    return sack > 0 || (sack == 0 && old->ack != new->ack);
}

/* The queued ACK that the newcomer makes go, before it is in the queue. */
static int ack_filter_find(const struct ack_filter *a, int bucket, const struct ack_header *new)
{
    int eligible = NOBODY, found = 0;
    for (int i = a->chains[bucket].first; i != NOBODY; i = a->nodes[i].later) {
        const struct ack_header *h = &a->nodes[i].header;
        if (h->ports != new->ports || memcmp(h->addresses, new->addresses, sizeof h->addresses) != 0)
            continue;
        if (eligible != NOBODY && ((h->flags ^ a->nodes[eligible].header.flags) & ECN_FLAGS)) {
            eligible = NOBODY;
            found--;
        }
        if (!header_says_no_more(h, new))
            continue;
        if (eligible == NOBODY)
            eligible = i;
        if (found++ > 0)
            return eligible;
    }
    bool alone = a->aggressive && eligible != NOBODY && a->last == eligible &&
                 !((new->flags ^ a->nodes[eligible].header.flags) & ECN_FLAGS);
    return alone ? eligible : NOBODY;
}

static int ack_filter_node(struct ack_filter *a)
{
    int i = a->unused;
    if (i != NOBODY) {
        a->unused = a->nodes[i].next;
        return i;
    }
    if (a->n == 0)
        a->n = 1;
    a->nodes = memory_grown(a->nodes, a->n, &a->capacity, 64, sizeof *a->nodes, "queued frames");
    return (int)a->n++;
}

static void ack_filter_chain(struct ack_filter *a, int i, int bucket, const struct ack_header *h)
{
    struct ack_node *node = &a->nodes[i];
    node->bucket = bucket;
    node->header = *h;
    node->later = NOBODY;
    node->earlier = a->chains[bucket].last;
    if (node->earlier != NOBODY)
        a->nodes[node->earlier].later = i;
    else
        a->chains[bucket].first = i;
    a->chains[bucket].last = i;
}

static void ack_filter_append(struct ack_filter *a, const struct emu_frame *frame, int i)
{
    a->nodes[i].frame = *frame;
    a->nodes[i].bucket = -1;
    a->nodes[i].next = NOBODY;
    a->nodes[i].before = a->last;
    if (a->last != NOBODY)
        a->nodes[a->last].next = i;
    else
        a->first = i;
    a->last = i;
}

/* Takes a frame out of the FIFO and its chain. */
static struct emu_frame ack_filter_remove(struct ack_filter *a, int i)
{
    struct ack_node *node = &a->nodes[i];
    if (node->before != NOBODY)
        a->nodes[node->before].next = node->next;
    else
        a->first = node->next;
    if (node->next != NOBODY)
        a->nodes[node->next].before = node->before;
    else
        a->last = node->before;
    if (node->bucket >= 0) {
        if (node->earlier != NOBODY)
            a->nodes[node->earlier].later = node->later;
        else
            a->chains[node->bucket].first = node->later;
        if (node->later != NOBODY)
            a->nodes[node->later].earlier = node->earlier;
        else
            a->chains[node->bucket].last = node->earlier;
    }
    node->next = a->unused;
    a->unused = i;
    return node->frame;
}

static void ack_filter_begin(void *state, const struct emu_queue_config *config)
{
    struct ack_filter *a = state;
    a->frames = config->frames;
    a->aggressive = config->parameters.aggressive;
}

static void ack_filter_fini(void *state, const struct emu_frame_ops *ops)
{
    struct ack_filter *a = state;
    while (a->first != NOBODY) {
        struct emu_frame frame = ack_filter_remove(a, a->first);
        emu_frame_release(ops, frame.packet);
    }
    free(a->nodes);
}

static void ack_filter_push(void *state, const struct emu_frame *frame, uint32_t flow, int64_t now_ps UNUSED)
{
    struct ack_filter *a = state;
    struct ack_header h = {0};
    int bucket = emu_discipline_bucket(flow), i = ack_filter_node(a);
    bool looks = frame->pure_ack || a->chains[bucket].first != NOBODY;
    bool tcp = looks && header_read(&h, a->frames, frame);
    int goes = tcp && (h.flags & (ACK | SYN)) == ACK ? ack_filter_find(a, bucket, &h) : NOBODY;
    ack_filter_append(a, frame, i);
    if (tcp && h.droppable)
        ack_filter_chain(a, i, bucket, &h);
    a->loses = goes != NOBODY;
    if (a->loses)
        a->lost = ack_filter_remove(a, goes);
}

static bool ack_filter_lost(void *state, struct emu_frame *frame)
{
    struct ack_filter *a = state;
    *frame = a->lost;
    bool loses = a->loses;
    a->loses = false;
    return loses;
}

static enum emu_discipline_next ack_filter_pop(void *state, int64_t now_ps UNUSED, struct emu_frame *frame)
{
    struct ack_filter *a = state;
    if (a->first == NOBODY)
        return EMU_DISCIPLINE_EMPTY;
    *frame = ack_filter_remove(a, a->first);
    return EMU_DISCIPLINE_FRAME;
}

const struct emu_discipline_ops emu_discipline_ack_filter = {
    .by_flow = true,
    .drops_early = true,
    .acks = EMU_DISCIPLINE_ACKS_WAIT,
    .has = EMU_DISCIPLINE_HAS_AGGRESSIVE,
    .state_bytes = sizeof(struct ack_filter),
    .begin = ack_filter_begin,
    .fini = ack_filter_fini,
    .push = ack_filter_push,
    .lost = ack_filter_lost,
    .pop = ack_filter_pop,
};
