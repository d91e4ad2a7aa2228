/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a Linux receiver's data take of its buffer, and how its out of order queue merges (tcp_input.c, skbuff.c). */
#include "emu/native/endpoint.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define AROUND_PAYLOAD 132 /* bytes in a frame's buffer: headers 66, and room before them 66 */
#define SHARED_INFO 320    /* skb_shared_info, after it */
#define SKB_BYTES 256
#define CACHE_LINE 64
#define PAGE_BYTES 4096
#define LEAST_PAGED 1024   /* of buffer and skb_shared_info; a smaller one is no part of a page, nor one beyond a page */
#define LEAST_SLAB 512

/* Whether the frame is cut from a page, so that another may take its data over (skb_head_is_locked()). */
static bool memory_is_paged(uint32_t payload)
{
    uint32_t bytes = payload + AROUND_PAYLOAD;
    return bytes > LEAST_PAGED - SHARED_INFO && bytes <= PAGE_BYTES - SHARED_INFO;
}

/* Bytes of the head of a frame that a driver has allocated, with skb_shared_info (__netdev_alloc_skb()). */
static uint32_t memory_of_head(uint32_t payload)
{
    uint32_t bytes = (payload + AROUND_PAYLOAD + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE + SHARED_INFO, slab = LEAST_SLAB;
    if (memory_is_paged(payload))
        return bytes;
    while (slab < bytes)
        slab *= 2;
    return slab;
}

/* The first frame takes the others over as its pages, as far as it has room for them and their heads are pages; a frame
 * beyond that begins a list of frames, which is no buffer's to take (skb_gro_receive()). */
static struct native_linux_buffer memory_of_merged(uint64_t from, uint32_t payload, uint32_t segment)
{
    uint32_t frames = (payload + segment - 1) / segment, own = memory_is_paged(segment) ? NATIVE_LINUX_PAGES + 1 : 1;
    uint32_t listed = (frames - 1) / own;
    return (struct native_linux_buffer){
        .from = from,
        .to = from + payload,
        .memory = (frames - 1) * memory_of_head(segment) + memory_of_head(payload - (frames - 1) * segment) +
                  (1 + (own > 1 ? listed : frames - 1)) * SKB_BYTES,
        .pages = (uint8_t)(listed > 0 ? NATIVE_LINUX_PAGES : frames - 1),
        .locked = listed > 0 || own == 1,
    };
}

struct native_linux_buffer native_linux_buffer(uint64_t from, uint32_t payload, uint32_t segment)
{
    if (payload > segment)
        return memory_of_merged(from, payload, segment);
    uint32_t head = memory_of_head(payload);
    return (struct native_linux_buffer){.from = from,
                                        .to = from + payload,
                                        .memory = head + SKB_BYTES,
                                        .room = (uint16_t)(head - SHARED_INFO - AROUND_PAYLOAD - payload),
                                        .locked = !memory_is_paged(payload)};
}

/* The data of `b` are copied after those of `to`, where they fit, or become pages of it: its head is given back
 * (skb_try_coalesce()). False: it has no room for them, or they do not continue it. *more: the memory that comes to it. */
static bool memory_coalesce(struct native_linux_buffer *to, const struct native_linux_buffer *b, uint32_t *more)
{
    uint64_t bytes = b->to - b->from;
    bool copied = to->pages == 0 && bytes <= to->room;
    if (to->to != b->from || (!copied && (b->locked || to->pages + b->pages >= NATIVE_LINUX_PAGES)))
        return false;
    to->to = b->to;
    *more = copied ? 0 : b->memory - SKB_BYTES;
    to->memory += *more;
    if (copied)
        to->room = (uint16_t)(to->room - bytes);
    else
        to->pages = (uint8_t)(to->pages + b->pages + 1);
    return true;
}

void native_linux_queue(struct native_linux_receiver *own, const struct native_linux_buffer *b)
{
    uint32_t more = 0;
    if (own->queued == 0 || !memory_coalesce(&own->tail, b, &more)) {
        own->tail = *b;
        more = b->memory;
    }
    own->queued += more;
}

static void memory_remove(struct native_linux_receiver *own, size_t i)
{
    own->kept -= own->held[i].memory;
    own->n_held--;
    memmove(own->held + i, own->held + i + 1, (own->n_held - i) * sizeof *own->held);
}

/* Before held[i], of which it takes what it covers. */
static void memory_insert(struct native_linux_receiver *own, size_t i, const struct native_linux_buffer *b)
{
    while (i < own->n_held && own->held[i].to <= b->to)
        memory_remove(own, i);
    own->held = memory_grown(own->held, own->n_held, &own->held_room, 8, sizeof *own->held, "out-of-order data");
    memmove(own->held + i + 1, own->held + i, (own->n_held - i) * sizeof *own->held);
    own->held[i] = *b;
    own->n_held++;
}

enum native_linux_kept native_linux_keep(struct native_linux_receiver *own, const struct native_linux_buffer *b)
{
    size_t i = own->n_held;
    while (i > 0 && own->held[i - 1].from > b->from)
        i--;
    if (i > 0 && own->held[i - 1].to >= b->to)
        return LINUX_KEPT_BEFORE;
    uint32_t more = 0;
    if (i > 0 && memory_coalesce(&own->held[i - 1], b, &more)) {
        own->kept += more;
        return LINUX_MERGED;
    }
    memory_insert(own, i > 0 && own->held[i - 1].from == b->from ? i - 1 : i, b);
    return LINUX_KEPT;
}

void native_linux_unkeep(struct native_linux_receiver *own, uint64_t nxt)
{
    while (own->n_held > 0 && own->held[0].from <= nxt) {
        struct native_linux_buffer b = own->held[0];
        memory_remove(own, 0);
        if (b.to <= nxt)
            continue;
        native_linux_queue(own, &b);
        nxt = b.to;
    }
}

static bool blocks_extend(uint64_t (*block)[2], uint64_t from, uint64_t to)
{
    if (from > (*block)[1] || (*block)[0] > to)
        return false;
    (*block)[0] = from < (*block)[0] ? from : (*block)[0];
    (*block)[1] = to > (*block)[1] ? to : (*block)[1];
    return true;
}

static void blocks_to_front(struct native_linux_receiver *own, int i)
{
    uint64_t from = own->blocks[i][0], to = own->blocks[i][1];
    memmove(own->blocks + 1, own->blocks, (size_t)i * sizeof *own->blocks);
    own->blocks[0][0] = from;
    own->blocks[0][1] = to;
}

static void blocks_remove(struct native_linux_receiver *own, int i)
{
    own->n_blocks--;
    memmove(own->blocks + i, own->blocks + i + 1, (size_t)(own->n_blocks - i) * sizeof *own->blocks);
}

int native_linux_find_block(struct native_linux_receiver *own, uint64_t from, uint64_t to)
{
    for (int i = 0; i < own->n_blocks; i++)
        if (blocks_extend(&own->blocks[i], from, to))
            return i;
    return own->n_blocks;
}

void native_linux_tell(struct native_linux_receiver *own, int i, uint64_t from, uint64_t to)
{
    if (i == own->n_blocks) {
        if (i == NATIVE_LINUX_BLOCKS) /* the oldest is forgotten */
            i--;
        else
            own->n_blocks++;
        own->blocks[i][0] = from;
        own->blocks[i][1] = to;
        blocks_to_front(own, i);
        return;
    }
    blocks_to_front(own, i);
    for (int k = 1; k < own->n_blocks;)
        if (blocks_extend(&own->blocks[0], own->blocks[k][0], own->blocks[k][1]))
            blocks_remove(own, k);
        else
            k++;
}

void native_linux_untell(struct native_linux_receiver *own, uint64_t nxt)
{
    for (int i = 0; i < own->n_blocks;)
        if (own->n_held == 0 || own->blocks[i][0] <= nxt)
            blocks_remove(own, i);
        else
            i++;
}
