/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/unpack.h"

#include "base/memory.h"

#ifdef UNPACK_HAS_XZ
#include <lzma.h>
#endif
#ifdef UNPACK_HAS_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

const char *const unpack_names[] = {"", "xz", "zstd"};

struct unpack {
    enum unpack_kind kind;
    enum unpack_state state; /* once it is a failure it stays */
#ifdef UNPACK_HAS_XZ
    lzma_stream xz;
#endif
#ifdef UNPACK_HAS_ZSTD
    ZSTD_DStream *zstd; /* owned */
#endif
};

enum unpack_kind unpack_kind_of(const uint8_t *bytes, size_t n)
{
    if (n >= 6 && memcmp(bytes, "\xfd" "7zXZ", 6) == 0)
        return UNPACK_XZ;
    return n >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0 ? UNPACK_ZSTD : UNPACK_NONE;
}

#ifdef UNPACK_HAS_XZ
static bool unpack_open_xz(struct unpack *u)
{
    u->xz = (lzma_stream)LZMA_STREAM_INIT;
    return lzma_stream_decoder(&u->xz, (uint64_t)UNPACK_MEMORY_MIB << 20, LZMA_CONCATENATED) == LZMA_OK;
}

static enum unpack_state unpack_take_xz(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out,
                                        size_t room, size_t *made)
{
    u->xz.next_in = in;
    u->xz.avail_in = n;
    u->xz.next_out = out;
    u->xz.avail_out = room;
    lzma_ret got = lzma_code(&u->xz, n ? LZMA_RUN : LZMA_FINISH);
    *used = n - u->xz.avail_in;
    *made = room - u->xz.avail_out;
    switch (got) {
    case LZMA_OK: return UNPACK_MORE;
    case LZMA_STREAM_END: return UNPACK_WHOLE;
    case LZMA_MEMLIMIT_ERROR: return UNPACK_LARGE;
    case LZMA_MEM_ERROR: return UNPACK_MEMORY;
    default: return UNPACK_DAMAGED;
    }
}

static void unpack_close_xz(struct unpack *u)
{
    lzma_end(&u->xz);
}
#endif

#ifdef UNPACK_HAS_ZSTD
static bool unpack_open_zstd(struct unpack *u)
{
    u->zstd = ZSTD_createDStream();
    return u->zstd && !ZSTD_isError(ZSTD_initDStream(u->zstd));
}

static enum unpack_state unpack_take_zstd(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out,
                                          size_t room, size_t *made)
{
    ZSTD_inBuffer from = {in, n, 0};
    ZSTD_outBuffer to = {out, room, 0};
    size_t got = n || u->state != UNPACK_WHOLE ? ZSTD_decompressStream(u->zstd, &to, &from) : 0;
    *used = from.pos;
    *made = to.pos;
    if (!ZSTD_isError(got))
        return got == 0 ? UNPACK_WHOLE : n == 0 && to.pos == 0 ? UNPACK_DAMAGED : UNPACK_MORE;
    switch (ZSTD_getErrorCode(got)) {
    case ZSTD_error_frameParameter_windowTooLarge: return UNPACK_LARGE;
    case ZSTD_error_memory_allocation: return UNPACK_MEMORY;
    default: return UNPACK_DAMAGED;
    }
}

static void unpack_close_zstd(struct unpack *u)
{
    ZSTD_freeDStream(u->zstd);
}
#endif

/* What was missing when contraflow was built has no row. */
static const struct {
    bool (*open)(struct unpack *u);
    enum unpack_state (*take)(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out, size_t room,
                              size_t *made);
    void (*close)(struct unpack *u);
} kinds[] = {
#ifdef UNPACK_HAS_XZ
    [UNPACK_XZ] = {unpack_open_xz, unpack_take_xz, unpack_close_xz},
#endif
#ifdef UNPACK_HAS_ZSTD
    [UNPACK_ZSTD] = {unpack_open_zstd, unpack_take_zstd, unpack_close_zstd},
#endif
    [UNPACK_ZSTD + 1] = {0},
};

struct unpack *unpack_open(enum unpack_kind kind)
{
    if (!kinds[kind].open)
        return NULL;
    struct unpack *u = memory_zeroed(1, sizeof *u, "a packed capture");
    u->kind = kind;
    if (!kinds[kind].open(u))
        memory_end("a packed capture");
    return u;
}

void unpack_close(struct unpack *u)
{
    if (u)
        kinds[u->kind].close(u);
    free(u);
}

enum unpack_state unpack_take(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out, size_t room,
                              size_t *made)
{
    *used = *made = 0;
    if (u->state < UNPACK_DAMAGED)
        u->state = kinds[u->kind].take(u, in, n, used, out, room, made);
    return u->state;
}
