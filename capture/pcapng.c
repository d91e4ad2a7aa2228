/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/pcapng.h"

#include <stdbool.h>
#include <string.h>

enum { BLOCK_SECTION = 0x0a0d0d0a, BLOCK_INTERFACE = 1, BLOCK_PACKET = 6 };
enum { OPTION_END = 0, OPTION_USERAPPL = 4, OPTION_IF_NAME = 2, OPTION_IF_SPEED = 8, OPTION_IF_TSRESOL = 9,
       OPTION_EPB_FLAGS = 2 };

#define BYTE_ORDER_MAGIC 0x1a2b3c4d
#define BLOCK_MAX 1024 /* of a header block: names are cut to fit */
#define NAME_MAX_BYTES 255

/* A block being put together; header blocks only, packets go out directly. */
struct block {
    uint8_t bytes[BLOCK_MAX];
    uint32_t n;
};

static void block_put(struct block *b, const void *bytes, uint32_t n)
{
    memcpy(b->bytes + b->n, bytes, n);
    b->n += n + (-n & 3u); /* padding: a block begins all zero */
}

static void block_put_u32(struct block *b, uint32_t value)
{
    block_put(b, &value, sizeof value);
}

static void block_option(struct block *b, uint16_t code, const void *value, uint16_t n)
{
    uint16_t head[2] = {code, n};
    block_put(b, head, sizeof head);
    block_put(b, value, n);
}

static void block_option_text(struct block *b, uint16_t code, const char *text)
{
    size_t n = strlen(text);
    block_option(b, code, text, (uint16_t)(n < NAME_MAX_BYTES ? n : NAME_MAX_BYTES));
}

static struct block block_begin(uint32_t type)
{
    struct block b = {.n = 0};
    block_put_u32(&b, type);
    block_put_u32(&b, 0); /* total length, known at the end */
    return b;
}

static void block_end(struct block *b, FILE *f)
{
    block_option(b, OPTION_END, "", 0);
    uint32_t total = b->n + 4;
    memcpy(b->bytes + 4, &total, sizeof total);
    block_put_u32(b, total);
    fwrite(b->bytes, 1, b->n, f);
}

void pcapng_write_header(FILE *f, const struct capture_writer_config *config)
{
    struct block b = block_begin(BLOCK_SECTION);
    block_put_u32(&b, BYTE_ORDER_MAGIC);
    block_put(&b, (const uint16_t[]){1, 0}, 4); /* version 1.0 */
    block_put(&b, &(int64_t){-1}, 8); /* section length: not given */
    if (config->application)
        block_option_text(&b, OPTION_USERAPPL, config->application);
    block_end(&b, f);

    b = block_begin(BLOCK_INTERFACE);
    block_put(&b, (const uint16_t[]){1, 0}, 4); /* LINKTYPE_ETHERNET */
    block_put_u32(&b, config->snaplen);
    if (config->interface)
        block_option_text(&b, OPTION_IF_NAME, config->interface);
    if (config->link_rate_bps > 0)
        block_option(&b, OPTION_IF_SPEED, &(uint64_t){(uint64_t)config->link_rate_bps}, 8);
    block_option(&b, OPTION_IF_TSRESOL, &(uint8_t){9}, 1);
    block_end(&b, f);
}

struct pcapng_view {
    const uint8_t *bytes;
    size_t n;
    bool swapped;
};

/* `size` bytes at an offset as a number; 0 beyond the end. */
static uint64_t view_number(const struct pcapng_view *v, size_t at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; at <= v->n && size <= v->n - at && i < size; i++)
        value = value << 8 | v->bytes[at + (v->swapped ? i : size - 1 - i)];
    return value;
}

uint64_t pcapng_link_rate_bps(const uint8_t *bytes, size_t n)
{
    struct pcapng_view v = {bytes, n, false};
    if (view_number(&v, 0, 4) != BLOCK_SECTION)
        return 0;
    v.swapped = view_number(&v, 8, 4) != BYTE_ORDER_MAGIC; /* not little-endian */
    size_t at = view_number(&v, 4, 4), end = at + view_number(&v, at + 4, 4);
    if (view_number(&v, at, 4) != BLOCK_INTERFACE)
        return 0;
    for (at += 16; at + 4 <= end && at < n;) { /* options */
        uint64_t code = view_number(&v, at, 2), bytes_of = view_number(&v, at + 2, 2);
        if (code == OPTION_IF_SPEED && bytes_of == 8)
            return view_number(&v, at + 4, 8);
        if (code == OPTION_END)
            return 0;
        at += 4 + bytes_of + (-bytes_of & 3u);
    }
    return 0;
}

void pcapng_write_packet(FILE *f, int64_t time_ns, const uint8_t *bytes, uint32_t captured_bytes, uint32_t wire_bytes,
                         enum capture_direction direction)
{
    static const uint8_t zeros[4];
    uint32_t pad = -captured_bytes & 3u, options = direction == CAPTURE_DIRECTION_UNKNOWN ? 0 : 12;
    uint32_t total = 32 + captured_bytes + pad + options;
    uint64_t t = (uint64_t)time_ns;
    uint32_t head[7] = {BLOCK_PACKET, total, 0, (uint32_t)(t >> 32), (uint32_t)t, captured_bytes, wire_bytes};
    fwrite(head, sizeof head, 1, f);
    fwrite(bytes, 1, captured_bytes, f);
    fwrite(zeros, 1, pad, f);
    if (options) {
        uint16_t code[2] = {OPTION_EPB_FLAGS, 4};
        uint32_t rest[2] = {direction == CAPTURE_DIRECTION_IN ? 1 : 2, OPTION_END};
        fwrite(code, sizeof code, 1, f);
        fwrite(rest, sizeof rest, 1, f);
    }
    fwrite(&total, sizeof total, 1, f);
}
