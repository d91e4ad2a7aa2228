/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/segment.h"

#include "base/memory.h"

#include <stdlib.h>

#define BLOCK_ITEMS 1024
#define BLOCK_LINE 64 /* bytes of the cache's: two plain segments, and none lies in two of them */

void native_pool_init(struct native_pool *p, uint32_t item_bytes)
{
    *p = (struct native_pool){.item_bytes = item_bytes};
}

void native_pool_fini(struct native_pool *p)
{
    for (int i = 0; i < p->n_blocks; i++)
        free(p->blocks[i]);
    free(p->blocks);
    *p = (struct native_pool){0};
}

void native_pool_grow(struct native_pool *p)
{
    char *block = memory_aligned(BLOCK_LINE, BLOCK_ITEMS * (size_t)p->item_bytes, "segments");
    p->blocks = memory_resized(p->blocks, (size_t)p->n_blocks + 1, sizeof *p->blocks, "segments");
    p->blocks[p->n_blocks++] = block;
    for (int i = BLOCK_ITEMS - 1; i >= 0; i--)
        native_pool_give(p, block + (size_t)i * p->item_bytes);
}
